//! Values of a part, with tensors separate from the rest.

use crate::{Dispatch, Result, Value};
use lanthorn_io::TensorData;

/// The values of the host on which a recording depends, as bytes. Equal bytes are equal values.
pub(crate) type Key = Vec<u8>;

/// A tensor of a recording's results.
pub(crate) enum Slot<T> {
    /// A result of the replay, by its number.
    Result(usize),
    /// A tensor on the host, which is the same in every replay.
    Host(T),
}

/// The arguments of a part.
pub(crate) struct Arguments<T> {
    pub key: Key,
    /// The tensors on the device.
    pub tensors: Vec<T>,
}

impl<T: Clone> Arguments<T> {
    pub fn new() -> Self {
        Arguments { key: Key::new(), tensors: Vec::new() }
    }

    /// Adds a value. `is_constant` says that its tensors on the host are the same in all calls.
    pub fn add<D: Dispatch<Tensor = T>>(&mut self, dispatch: &D, value: &Value<T>, is_constant: bool) {
        match value {
            Value::None => self.key.push(0),
            Value::Bool(value) => self.key.extend([1, u8::from(*value)]),
            Value::Int(value) => self.number(2, value.to_le_bytes()),
            Value::Float(value) => self.number(3, value.to_bits().to_le_bytes()),
            Value::Str(text) => self.bytes(4, text.as_bytes()),
            Value::Bytes(bytes) => self.bytes(5, bytes),
            Value::List(items) | Value::Tuple(items) => {
                self.number(if matches!(value, Value::List(_)) { 6 } else { 7 }, items.len().to_le_bytes());
                items.iter().for_each(|item| self.add(dispatch, item, is_constant));
            }
            Value::Dict(entries) => {
                self.number(8, entries.len().to_le_bytes());
                for (key, entry) in entries {
                    self.add(dispatch, key, is_constant);
                    self.add(dispatch, entry, is_constant);
                }
            }
            Value::Tensor(tensor) => match dispatch.on_host(tensor) {
                Some(_) if is_constant => self.key.push(9),
                Some(data) => self.data(&data),
                None => {
                    self.key.push(11);
                    self.tensors.push(tensor.clone());
                }
            },
        }
    }

    fn number<const N: usize>(&mut self, tag: u8, bytes: [u8; N]) {
        self.key.push(tag);
        self.key.extend(bytes);
    }

    fn bytes(&mut self, tag: u8, bytes: &[u8]) {
        self.number(tag, bytes.len().to_le_bytes());
        self.key.extend(bytes);
    }

    fn data(&mut self, data: &TensorData<'_>) {
        self.bytes(10, data.dtype().name().as_bytes());
        self.number(0, data.shape().len().to_le_bytes());
        data.shape().iter().for_each(|size| self.key.extend(size.to_le_bytes()));
        self.key.extend(data.bytes());
    }
}

/// Replaces the tensors of a value on the device by the next ones of `given`, and copies those on
/// the host: a recording must not add its uploads to tensors that outlive it.
pub(crate) fn rebind<D: Dispatch>(
    dispatch: &D,
    value: Value<D::Tensor>,
    is_constant: bool,
    given: &mut impl Iterator<Item = D::Tensor>,
) -> Result<Value<D::Tensor>> {
    value.try_map(&mut |_, tensor| match dispatch.on_host(&tensor) {
        Some(_) if is_constant => Ok(tensor),
        Some(data) => dispatch.constant(data),
        None => Ok(given.next().unwrap_or(tensor)),
    })
}

/// Separates the tensors of a result on the device, which `tensors` receives, each once.
pub(crate) fn separate<D: Dispatch>(
    dispatch: &D,
    value: Value<D::Tensor>,
    tensors: &mut Vec<D::Tensor>,
) -> Result<Value<Slot<D::Tensor>>> {
    value.try_map(&mut |_, tensor| {
        Ok(match dispatch.on_host(&tensor) {
            Some(data) => Slot::Host(dispatch.constant(data)?),
            None => {
                let known = tensors.iter().position(|known| dispatch.is_same(known, &tensor));
                Slot::Result(known.unwrap_or_else(|| {
                    tensors.push(tensor);
                    tensors.len() - 1
                }))
            }
        })
    })
}

/// Returns a result with the tensors of a replay.
pub(crate) fn combine<T: Clone>(value: &Value<Slot<T>>, tensors: &[T]) -> Value<T> {
    let all = |items: &[Value<Slot<T>>]| items.iter().map(|item| combine(item, tensors)).collect();
    match value {
        Value::None => Value::None,
        Value::Bool(value) => Value::Bool(*value),
        Value::Int(value) => Value::Int(*value),
        Value::Float(value) => Value::Float(*value),
        Value::Str(text) => Value::Str(text.clone()),
        Value::Bytes(bytes) => Value::Bytes(bytes.clone()),
        Value::List(items) => Value::List(all(items)),
        Value::Tuple(items) => Value::Tuple(all(items)),
        Value::Dict(entries) => {
            Value::Dict(entries.iter().map(|(key, entry)| (combine(key, tensors), combine(entry, tensors))).collect())
        }
        Value::Tensor(Slot::Host(tensor)) => Value::Tensor(tensor.clone()),
        Value::Tensor(Slot::Result(index)) => tensors.get(*index).cloned().map_or(Value::None, Value::Tensor),
    }
}
