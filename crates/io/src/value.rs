//! A tree of plain values, the content of a checkpoint.

use std::collections::BTreeMap;

/// Numbers, text, containers, and tensors of type `T`: bytes ([`TensorData`](crate::TensorData)) in
/// a file, and tensors of a device elsewhere.
///
/// These are exactly the Python objects that a checkpoint may hold. A dictionary keeps its order,
/// and its keys may be numbers, as in the state of an optimizer.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::Value;
/// let value: Value<()> = Value::dict([("step", Value::Int(3)), ("lr", Value::Float(0.1))]);
/// assert_eq!(value.get("step").and_then(Value::as_int), Some(3));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Value<T> {
    /// Python's `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float64.
    Float(f64),
    /// Text.
    Str(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Value<T>>),
    /// A tuple, or a `torch.Size`.
    Tuple(Vec<Value<T>>),
    /// A dictionary or an `OrderedDict`, in its order.
    Dict(Vec<(Value<T>, Value<T>)>),
    /// A tensor.
    Tensor(T),
}

impl<T> Value<T> {
    /// A dictionary with string keys.
    pub fn dict<K: Into<String>>(entries: impl IntoIterator<Item = (K, Value<T>)>) -> Value<T> {
        Value::Dict(entries.into_iter().map(|(key, value)| (Value::Str(key.into()), value)).collect())
    }

    /// A dictionary of tensors.
    pub fn tensors<K: Into<String>>(entries: impl IntoIterator<Item = (K, T)>) -> Value<T> {
        Value::dict(entries.into_iter().map(|(key, tensor)| (key, Value::Tensor(tensor))))
    }

    /// Returns the entry of a dictionary with this string key.
    pub fn get(&self, key: &str) -> Option<&Value<T>> {
        self.as_dict()?.iter().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value)
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of an integer.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of an integer or a float.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Int(value) => Some(*value as f64),
            Value::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(value) => Some(value),
            _ => None,
        }
    }

    /// The elements of a list or a tuple.
    pub fn as_list(&self) -> Option<&[Value<T>]> {
        match self {
            Value::List(values) | Value::Tuple(values) => Some(values),
            _ => None,
        }
    }

    /// The entries of a dictionary.
    pub fn as_dict(&self) -> Option<&[(Value<T>, Value<T>)]> {
        match self {
            Value::Dict(entries) => Some(entries),
            _ => None,
        }
    }

    /// The tensor.
    pub fn as_tensor(&self) -> Option<&T> {
        match self {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// Maps each tensor by a function of its path and the tensor. A path is keys and indices joined
    /// by dots: `model.0.weight`. Stops at the first error.
    ///
    /// # Errors
    ///
    /// The first error of `tensor`.
    pub fn try_map<U, E>(self, tensor: &mut impl FnMut(&str, T) -> Result<U, E>) -> Result<Value<U>, E> {
        self.map_at(&mut String::new(), tensor)
    }

    fn map_at<U, E>(self, path: &mut String, tensor: &mut impl FnMut(&str, T) -> Result<U, E>) -> Result<Value<U>, E> {
        let mut all = |values: Vec<Value<T>>| -> Result<Vec<Value<U>>, E> {
            let values = values.into_iter().enumerate();
            values.map(|(index, value)| within(path, &index.to_string(), |path| value.map_at(path, tensor))).collect()
        };
        Ok(match self {
            Value::None => Value::None,
            Value::Bool(value) => Value::Bool(value),
            Value::Int(value) => Value::Int(value),
            Value::Float(value) => Value::Float(value),
            Value::Str(value) => Value::Str(value),
            Value::Bytes(value) => Value::Bytes(value),
            Value::List(values) => Value::List(all(values)?),
            Value::Tuple(values) => Value::Tuple(all(values)?),
            Value::Dict(entries) => {
                let entries = entries.into_iter().map(|(key, value)| {
                    let name = key.short();
                    Ok((key.map_at(path, tensor)?, within(path, &name, |path| value.map_at(path, tensor))?))
                });
                Value::Dict(entries.collect::<Result<_, E>>()?)
            }
            Value::Tensor(value) => Value::Tensor(tensor(path, value)?),
        })
    }

    /// Calls `leaf` for each leaf with its path: keys and indices joined by dots, `model.0.weight`.
    pub fn for_each_leaf<'v>(&'v self, leaf: &mut impl FnMut(&str, &'v Value<T>)) {
        self.visit(&mut String::new(), leaf);
    }

    fn visit<'v>(&'v self, path: &mut String, leaf: &mut impl FnMut(&str, &'v Value<T>)) {
        match self {
            Value::List(values) | Value::Tuple(values) => {
                let values = values.iter().enumerate();
                values.for_each(|(index, value)| within(path, &index.to_string(), |path| value.visit(path, leaf)));
            }
            Value::Dict(entries) => {
                entries.iter().for_each(|(key, value)| within(path, &key.short(), |path| value.visit(path, leaf)));
            }
            _ => leaf(path, self),
        }
    }

    /// Returns a short text for a leaf: a key, or its entry in a listing.
    pub fn short(&self) -> String {
        match self {
            Value::None => "None".to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Str(value) => value.clone(),
            Value::Bytes(value) => format!("{} bytes", value.len()),
            Value::List(values) => format!("a list of {}", values.len()),
            Value::Tuple(values) => {
                let values: Vec<String> = values.iter().map(Value::short).collect();
                format!("({})", values.join(", "))
            }
            Value::Dict(entries) => format!("a dictionary of {}", entries.len()),
            Value::Tensor(_) => "a tensor".to_string(),
        }
    }
}

/// Runs a function with the path extended by a key.
fn within<R>(path: &mut String, key: &str, run: impl FnOnce(&mut String) -> R) -> R {
    let length = path.len();
    if length > 0 {
        path.push('.');
    }
    path.push_str(key);
    let result = run(path);
    path.truncate(length);
    result
}

impl<T: Clone> From<&BTreeMap<String, T>> for Value<T> {
    /// A state dict as a dictionary of tensors.
    fn from(tensors: &BTreeMap<String, T>) -> Value<T> {
        Value::tensors(tensors.iter().map(|(name, tensor)| (name.clone(), tensor.clone())))
    }
}

macro_rules! leaves {
    ($($type:ty => $variant:ident;)*) => {$(
        impl<T> From<$type> for Value<T> {
            fn from(value: $type) -> Value<T> {
                Value::$variant(value.into())
            }
        }
    )*};
}

leaves! {
    bool => Bool;
    i32 => Int;
    u32 => Int;
    i64 => Int;
    f32 => Float;
    f64 => Float;
    &str => Str;
    String => Str;
}
