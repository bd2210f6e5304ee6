//! The schema of an op from outside: parsed, and held to what such an op may have.

use crate::{Error, Result};
use lanthorn_schema::{ParamType, Schema};

/// Namespaces of others: PyTorch's own operations, and those that its compilers add.
const RESERVED: [&str; 3] = ["aten", "prim", "prims"];

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Checks `namespace::name` or `namespace::name.overload`.
pub(super) fn check_name(name: &str) -> Result<()> {
    let refused = |message: &str| Err(Error::argument(name, message));
    let Some((namespace, rest)) = name.split_once("::") else {
        return refused("the name of a custom op has a namespace: mylib::name");
    };
    let (base, overload) = rest.split_once('.').unwrap_or((rest, "_"));
    if ![namespace, base, overload].into_iter().all(is_identifier) {
        return refused("a name is namespace::name or namespace::name.overload, of letters, digits and underscores");
    }
    if RESERVED.contains(&namespace) {
        return refused("the namespace is reserved; choose one of your own");
    }
    Ok(())
}

/// Reads the schema of a custom op.
pub(super) fn parse(text: &str) -> Result<Schema> {
    let name = text.split('(').next().unwrap_or(text).trim();
    check_name(name)?;
    let refused = |message: String| Error::argument(name, format!("{message}: {text}"));
    let schema = Schema::parse(text).map_err(|error| refused(error.to_string()))?;
    for (index, param) in schema.params.iter().enumerate() {
        if !is_identifier(&param.name) {
            return Err(refused(format!("{:?} is no name of a parameter", param.name)));
        }
        if schema.params[..index].iter().any(|other| other.name == param.name) {
            return Err(refused(format!("the parameter {} stands twice", param.name)));
        }
        if matches!(param.ty, ParamType::Module | ParamType::OptionalModule | ParamType::ModuleOrStr) {
            return Err(refused("an op takes no module".into()));
        }
        if !lanthorn_call::is_default_of(param) {
            return Err(refused(format!("the default of {} is no {}", param.name, param.ty)));
        }
    }
    let returns: Vec<&str> = schema.returns.iter().map(|result| result.ty.as_str()).collect();
    if returns != ["Tensor[]"] && (returns.is_empty() || returns.iter().any(|&ty| ty != "Tensor")) {
        return Err(refused("a custom op returns Tensor, several of them, or Tensor[]".into()));
    }
    Ok(schema)
}
