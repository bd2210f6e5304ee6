//! Converts a node's attributes to operands.

use super::Converter;
use crate::operators::TEXT_SEPARATOR;
use crate::proto::{AttributeProto, AttributeType, DataType, NodeProto, TensorProto};
use lanthorn_program::{Error, Result, Value, graph::Operand};

/// Returns the type of an attribute. If an old file has no type, the value determines it.
pub fn kind(attribute: &AttributeProto) -> AttributeType {
    let said = attribute.r#type.and_then(|number| AttributeType::try_from(number).ok());
    match said {
        Some(kind) if kind != AttributeType::Undefined => kind,
        _ if attribute.f.is_some() => AttributeType::Float,
        _ if attribute.i.is_some() => AttributeType::Int,
        _ if attribute.s.is_some() => AttributeType::String,
        _ if attribute.t.is_some() => AttributeType::Tensor,
        _ if attribute.g.is_some() => AttributeType::Graph,
        _ if !attribute.floats.is_empty() => AttributeType::Floats,
        _ if !attribute.strings.is_empty() => AttributeType::Strings,
        _ => AttributeType::Ints,
    }
}

/// Finds the attribute of a node by name.
pub fn find<'n>(node: &'n NodeProto, name: &str) -> Option<&'n AttributeProto> {
    node.attribute.iter().find(|attribute| attribute.name() == name)
}

/// Decodes text of a file.
pub fn utf8(attribute: &AttributeProto, bytes: &[u8]) -> Result<String> {
    let text = std::str::from_utf8(bytes);
    text.map(str::to_string).map_err(|_| Error::malformed(format!("the attribute {} is not UTF-8", attribute.name())))
}

/// Returns the numbers of an attribute as a tensor.
pub fn tensor_of(node: &NodeProto) -> Result<TensorProto> {
    let name = node.output.first().cloned();
    let [attribute] = &node.attribute[..] else {
        return Err(Error::malformed(format!("a constant with {} attributes", node.attribute.len())));
    };
    let with = |data_type: DataType, dims: Vec<i64>| TensorProto {
        name: name.clone(),
        data_type: Some(data_type as i32),
        dims,
        ..TensorProto::default()
    };
    Ok(match (attribute.name(), kind(attribute)) {
        ("value", AttributeType::Tensor) => {
            let tensor = attribute.t.clone().unwrap_or_default();
            TensorProto { name, ..tensor }
        }
        ("value_int", _) => TensorProto { int64_data: vec![attribute.i()], ..with(DataType::Int64, vec![]) },
        ("value_float", _) => TensorProto { float_data: vec![attribute.f()], ..with(DataType::Float, vec![]) },
        ("value_ints", _) => {
            let dims = vec![attribute.ints.len() as i64];
            TensorProto { int64_data: attribute.ints.clone(), ..with(DataType::Int64, dims) }
        }
        ("value_floats", _) => {
            let dims = vec![attribute.floats.len() as i64];
            TensorProto { float_data: attribute.floats.clone(), ..with(DataType::Float, dims) }
        }
        (other, _) => return Err(Error::unsupported(format!("constants by the attribute {other}"))),
    })
}

impl Converter<'_> {
    /// Converts an attribute to an operand.
    pub fn attribute(&mut self, attribute: &AttributeProto) -> Result<Operand> {
        let list = |items: Vec<Value<()>>| Operand::Constant(Value::List(items));
        Ok(match kind(attribute) {
            AttributeType::Float => Operand::Constant(Value::Float(f64::from(attribute.f()))),
            AttributeType::Int => Operand::Constant(Value::Int(attribute.i())),
            AttributeType::String => Operand::Constant(Value::Str(utf8(attribute, attribute.s())?)),
            AttributeType::Floats => {
                list(attribute.floats.iter().map(|&value| Value::Float(f64::from(value))).collect())
            }
            AttributeType::Ints => list(attribute.ints.iter().copied().map(Value::Int).collect()),
            // Schemas have no lists of strings; the operator splits the text.
            AttributeType::Strings => {
                let texts = attribute.strings.iter().map(|text| utf8(attribute, text));
                let texts = texts.collect::<Result<Vec<_>>>()?;
                Operand::Constant(Value::Str(texts.join(TEXT_SEPARATOR.encode_utf8(&mut [0; 4]))))
            }
            AttributeType::Tensor => {
                let tensor = attribute.t.clone().unwrap_or_default();
                let key = self.state(&tensor)?;
                self.value(&key)?
            }
            other => return Err(Error::unsupported(format!("the attribute {} of type {other:?}", attribute.name()))),
        })
    }
}
