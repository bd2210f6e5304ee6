//! The operations on tensors, by the names of Rust's methods.

use crate::types::Type;
use lanthorn_schema::{Param, ParamType, Schema};
use std::collections::{BTreeMap, HashMap};

/// The table of operations with the enums of their arguments, and the table of built-in modules.
#[derive(Default)]
pub struct Operations {
    schemas: HashMap<String, Schema>,
    choices: BTreeMap<String, String>,
    modules: HashMap<String, Schema>,
    initializers: Vec<String>,
}

impl Operations {
    /// The table of these signatures.
    pub fn new(schemas: impl IntoIterator<Item = Schema>) -> Operations {
        let schemas = schemas.into_iter().map(|schema| (schema.identifier(), schema)).collect();
        Operations { schemas, ..Operations::default() }
    }

    /// Adds values of enums, `MatrixTriangle::Lower`, each with its text in a schema, `L`.
    pub fn with_choices(mut self, choices: impl IntoIterator<Item = (String, String)>) -> Operations {
        self.choices.extend(choices);
        self
    }

    /// Adds built-in modules by the schemas of their constructors.
    pub fn with_modules(mut self, schemas: impl IntoIterator<Item = Schema>) -> Operations {
        self.modules.extend(schemas.into_iter().map(|schema| (schema.name.clone(), schema)));
        self
    }

    /// Adds functions of `init`, which fill a parameter.
    pub fn with_initializers(mut self, names: impl IntoIterator<Item = String>) -> Operations {
        self.initializers.extend(names);
        self
    }

    /// The constructor of a built-in module.
    pub(crate) fn module(&self, name: &str) -> Option<&Schema> {
        self.modules.get(name)
    }

    /// Whether a built-in module has this name.
    pub(crate) fn is_module(&self, name: &str) -> bool {
        name == SEQUENTIAL && !self.modules.is_empty() || self.modules.contains_key(name)
    }

    /// Whether `init` has a function of this name.
    pub(crate) fn is_initializer(&self, name: &str) -> bool {
        self.initializers.iter().any(|known| known == name)
    }

    /// The text of an enum's value.
    pub(crate) fn choice(&self, name: &str, value: &str) -> Option<&str> {
        self.choices.get(&format!("{name}::{value}")).map(String::as_str)
    }

    /// The enums of arguments, each with the texts of its values.
    pub(crate) fn enums(&self) -> BTreeMap<String, Vec<String>> {
        let mut enums: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (value, text) in &self.choices {
            let (name, _) = value.split_once("::").unwrap_or((value, ""));
            enums.entry(name.to_string()).or_default().push(text.clone());
        }
        enums
    }

    /// The operation of a method's name, and whether the name takes the keyword arguments too.
    pub fn get(&self, method: &str) -> Option<(&Schema, bool)> {
        let method = method.trim_start_matches("r#");
        let plain = self.find(method).map(|schema| (schema, false));
        plain.or_else(|| self.find(method.strip_suffix("_with")?).map(|schema| (schema, true)))
    }

    /// The operation of a name; the name of Rust's method is in lower case, `mt` of `mT`.
    fn find(&self, method: &str) -> Option<&Schema> {
        let is_it = |schema: &&Schema| schema.identifier().to_lowercase() == method;
        self.schemas.get(method).or_else(|| self.schemas.values().find(is_it))
    }
}

/// The container that has no row in the table of modules.
pub(crate) const SEQUENTIAL: &str = "Sequential";

/// The type of a call's result.
pub fn result(schema: &Schema) -> Type {
    let one = |ty: &str| match ty {
        "Tensor[]" => Type::list(Type::Tensor),
        "int[]" => Type::list(Type::Int),
        "bool" => Type::Bool,
        "ScalarType" => Type::DType,
        _ => Type::Tensor,
    };
    match &schema.returns[..] {
        [result] => one(&result.ty),
        several => Type::Tuple(several.iter().map(|result| one(&result.ty)).collect()),
    }
}

/// The type that an argument is expected to have.
pub fn parameter(param: &Param) -> Type {
    match param.ty {
        ParamType::Tensor => Type::Tensor,
        ParamType::OptionalTensor => Type::optional(Type::Tensor),
        ParamType::TensorOrScalar => Type::Operand,
        ParamType::Tensors => Type::list(Type::Tensor),
        ParamType::OptionalTensorList => Type::optional(Type::list(Type::Tensor)),
        ParamType::OptionalTensors => Type::list(Type::optional(Type::Tensor)),
        ParamType::Int => Type::Int,
        ParamType::OptionalInt => Type::optional(Type::Int),
        ParamType::Float => Type::Float,
        ParamType::OptionalFloat => Type::optional(Type::Float),
        ParamType::Bool => Type::Bool,
        ParamType::OptionalBool => Type::optional(Type::Bool),
        ParamType::Str => Type::Str,
        ParamType::OptionalStr => Type::optional(Type::Str),
        ParamType::DType => Type::DType,
        ParamType::OptionalDType => Type::optional(Type::DType),
        ParamType::OptionalDevice => Type::optional(Type::Device),
        ParamType::Floats | ParamType::PartialFloats => Type::list(Type::Float),
        _ => Type::Open,
    }
}
