//! Checks that attributes have values of their declared types.

use super::{Error, Result, graphs, quote};
use crate::proto::{AttributeProto, AttributeType};
use rustc_hash::FxHashSet;

/// Checks the attributes of a node.
pub(super) fn check(attributes: &[AttributeProto], in_function: bool, node: &dyn Fn() -> String) -> Result<()> {
    let mut names = FxHashSet::default();
    for attribute in attributes {
        let message = match names.insert(attribute.name()) {
            true => problem(attribute, in_function),
            false => Some("is there twice".to_string()),
        };
        if let Some(message) = message {
            let name = quote(attribute.name());
            return Err(Error::malformed(format!("{}: the attribute {name} {message}", node())));
        }
    }
    Ok(())
}

/// Checks the default attributes of a function.
pub(super) fn check_defaults(attributes: &[AttributeProto], function: &dyn Fn() -> String) -> Result<()> {
    check(attributes, false, function)?;
    match attributes.iter().find(|attribute| graphs(attribute).next().is_some()) {
        Some(graph) => {
            Err(Error::unsupported(format!("{}: a graph as default of {}", function(), quote(graph.name()))))
        }
        None => Ok(()),
    }
}

fn problem(attribute: &AttributeProto, in_function: bool) -> Option<String> {
    let fields = [
        (AttributeType::Float, attribute.f.is_some()),
        (AttributeType::Int, attribute.i.is_some()),
        (AttributeType::String, attribute.s.is_some()),
        (AttributeType::Tensor, attribute.t.is_some()),
        (AttributeType::Graph, attribute.g.is_some()),
        (AttributeType::SparseTensor, attribute.sparse_tensor.is_some()),
        (AttributeType::Floats, !attribute.floats.is_empty()),
        (AttributeType::Ints, !attribute.ints.is_empty()),
        (AttributeType::Strings, !attribute.strings.is_empty()),
        (AttributeType::Tensors, !attribute.tensors.is_empty()),
        (AttributeType::Graphs, !attribute.graphs.is_empty()),
    ];
    let mut values = fields.into_iter().filter_map(|(field, there)| there.then_some(field));
    let value = values.next();
    if let (Some(first), Some(second)) = (value, values.next()) {
        return Some(format!("has values of the types {first:?} and {second:?}"));
    }
    let number = attribute.r#type.unwrap_or_default();
    let Ok(declared) = AttributeType::try_from(number) else { return Some(format!("is of the unknown type {number}")) };
    if !attribute.ref_attr_name().is_empty() {
        return match value {
            Some(_) => Some("has a value and takes one of a call".to_string()),
            None if !in_function => Some("takes the value of a call, and is in no function".to_string()),
            None => None,
        };
    }
    let needs_value = matches!(declared, AttributeType::Tensor | AttributeType::Graph | AttributeType::SparseTensor);
    match value {
        None if needs_value => Some(format!("is of the type {declared:?} and has no value")),
        // Writers omit empty lists, and some omit zeros. Old files have no types.
        None => None,
        Some(value) if value == declared || declared == AttributeType::Undefined => None,
        Some(value) => Some(format!("is of the type {declared:?} and has a value of {value:?}")),
    }
}
