//! The encoding of arguments for the core: each as the number of its kind and its content. The
//! counterpart of `arguments.rs` in `lanthorn-js`.

use super::host::Tensor;
use lanthorn_program::{Error, Result, Value, value};
use lanthorn_schema::{ArgKind, ParamType, Schema};

/// Arguments as a row of numbers, and the strings that it refers to by index.
#[derive(Default)]
pub struct Encoded {
    /// The row.
    pub words: Vec<f64>,
    /// The strings.
    pub strings: Vec<String>,
}

/// Encodes arguments in the order of the schema. A device is left out: the core has one.
pub fn encode(name: &str, schema: &Schema, args: &[Value<Tensor>]) -> Result<Encoded> {
    let mut encoded = Encoded::default();
    for (index, arg) in args.iter().enumerate() {
        match schema.params.get(index) {
            Some(param) if param.ty == ParamType::OptionalDevice => encoded.kind(ArgKind::Missing),
            _ => encoded.push(name, arg)?,
        }
    }
    Ok(encoded)
}

impl Encoded {
    fn kind(&mut self, kind: ArgKind) {
        // The tag of a kind is its number, which `ArgKind::ALL` lists.
        self.words.push(f64::from(kind as u8));
    }

    fn list(&mut self, items: &[Value<Tensor>], number: impl Fn(&Value<Tensor>) -> f64) {
        self.words.push(items.len() as f64);
        self.words.extend(items.iter().map(number));
    }

    fn push(&mut self, name: &str, arg: &Value<Tensor>) -> Result<()> {
        let refuse = || Error::argument(name, format!("takes no argument like {}", value::describe(arg)));
        let kind = value::kind(arg).ok_or_else(refuse)?;
        self.kind(kind);
        match arg {
            Value::Bool(value) => self.words.push(f64::from(u8::from(*value))),
            Value::Int(value) => self.words.push(*value as f64),
            Value::Float(value) => self.words.push(*value),
            Value::Tensor(tensor) => self.words.push(f64::from(tensor.handle())),
            Value::Str(text) => {
                self.words.push(self.strings.len() as f64);
                self.strings.push(text.clone());
            }
            Value::List(items) | Value::Tuple(items) if !items.is_empty() => match kind {
                ArgKind::Tensors | ArgKind::OptionalTensors => {
                    self.list(items, |item| item.as_tensor().map_or(-1.0, |tensor| f64::from(tensor.handle())));
                }
                _ => self.list(items, number),
            },
            _ => {}
        }
        Ok(())
    }
}

/// A number of a list: NaN where it is omitted.
fn number(value: &Value<Tensor>) -> f64 {
    match value {
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::Int(value) => *value as f64,
        Value::Float(value) => *value,
        _ => f64::NAN,
    }
}
