//! One argument.

use crate::{Scalar, Symbol};
use lanthorn_ir::DType;
use lanthorn_schema::ArgKind;
use std::{any::Any, borrow::Cow, convert::Infallible, fmt, rc::Rc, slice};

/// A tensor, as one side of a call has it: a tensor of a device, or the handle of one.
pub trait Handle: Clone + fmt::Debug + 'static {
    /// A number that may change from call to call; [`Infallible`] if there are none.
    type Symbol: Symbol + fmt::Debug + 'static;
    /// A device; [`Infallible`] if it is no argument.
    type Device: Clone + fmt::Debug + 'static;
}

/// The number of a tensor in a trace or of another module.
impl Handle for usize {
    type Symbol = Infallible;
    type Device = Infallible;
}

/// One argument.
///
/// A list has a variant for each type of elements, because operations read lists as slices.
///
/// ```
/// use lanthorn_call::{ArgKind, Value};
/// let value: Value<usize> = vec![2i64, 3].into();
/// assert_eq!(value.kind(), ArgKind::Ints);
/// assert_eq!(value.describe(), "the list [2, 3]");
/// ```
#[derive(Clone, Debug)]
pub enum Value<T: Handle> {
    /// Not given: the default is taken.
    Missing,
    /// `None`, given explicitly. If the parameter cannot be `None`, its default is taken.
    Null,
    /// A tensor.
    Tensor(T),
    /// Several tensors.
    Tensors(Vec<T>),
    /// Several tensors, some of them omitted.
    OptionalTensors(Vec<Option<T>>),
    /// A number or truth value.
    Scalar(Scalar<T::Symbol>),
    /// A list of whole numbers.
    Ints(Vec<i64>),
    /// A list of whole numbers, some of them omitted.
    PartialInts(Vec<Option<i64>>),
    /// A list of numbers; NaN for an omitted one.
    Floats(Vec<f64>),
    /// A string.
    Str(String),
    /// An element type.
    DType(DType),
    /// A device.
    Device(T::Device),
    /// A value of another crate: a module, for the constructor of another module.
    Object(Rc<dyn Any>),
    /// A value of the caller's language that no parameter accepts as it is.
    Foreign(Foreign),
}

/// A value of the caller's language that no parameter accepts as it is.
#[derive(Clone, Debug)]
pub struct Foreign {
    /// The value in words, for a message: `a function`.
    pub text: String,
    /// Whether the caller can make a tensor of it, as of nested arrays of numbers.
    pub is_array: bool,
}

/// A value that no parameter accepts, in words.
impl From<&str> for Foreign {
    fn from(text: &str) -> Foreign {
        Foreign { text: text.to_string(), is_array: false }
    }
}

impl<T: Handle> Value<T> {
    /// Its kind, which decides whether a parameter accepts it.
    pub fn kind(&self) -> ArgKind {
        match self {
            Value::Missing => ArgKind::Missing,
            Value::Null => ArgKind::Null,
            Value::Tensor(_) => ArgKind::Tensor,
            Value::Tensors(_) => ArgKind::Tensors,
            Value::OptionalTensors(_) => ArgKind::OptionalTensors,
            Value::Scalar(scalar) => scalar.kind(),
            Value::Ints(values) if values.is_empty() => ArgKind::Empty,
            Value::Ints(_) => ArgKind::Ints,
            Value::PartialInts(values) if values.iter().all(Option::is_none) => ArgKind::Nulls,
            Value::PartialInts(_) => ArgKind::PartialInts,
            Value::Floats(_) => ArgKind::Floats,
            Value::Str(_) => ArgKind::Str,
            Value::DType(_) => ArgKind::DType,
            Value::Device(_) => ArgKind::Device,
            Value::Object(_) => ArgKind::Module,
            Value::Foreign(Foreign { is_array: true, .. }) => ArgKind::Array,
            Value::Foreign(_) => ArgKind::Foreign,
        }
    }

    /// The argument in words, for a message.
    pub fn describe(&self) -> Cow<'_, str> {
        match self {
            Value::Missing | Value::Null => "nothing".into(),
            Value::Tensor(_) => "a tensor".into(),
            Value::Tensors(_) => "a list of tensors".into(),
            Value::OptionalTensors(_) => "a list of tensors and nothing".into(),
            Value::Scalar(Scalar::Bool(value)) => format!("the truth value {value}").into(),
            Value::Scalar(scalar) => format!("the number {}", scalar.to_f64()).into(),
            Value::Ints(values) => format!("the list {values:?}").into(),
            Value::PartialInts(_) => "a list of numbers and nothing".into(),
            Value::Floats(values) => format!("the list {values:?}").into(),
            Value::Str(text) => format!("the string {text:?}").into(),
            Value::DType(dtype) => format!("the dtype {dtype}").into(),
            Value::Device(_) => "a device".into(),
            Value::Object(_) => "a module".into(),
            Value::Foreign(Foreign { text, .. }) => text.as_str().into(),
        }
    }

    /// The tensors in it, in order.
    ///
    /// ```
    /// use lanthorn_call::Value;
    /// let value: Value<usize> = Value::OptionalTensors(vec![Some(4), None, Some(7)]);
    /// assert_eq!(value.tensors().collect::<Vec<_>>(), [&4, &7]);
    /// ```
    pub fn tensors(&self) -> impl Iterator<Item = &T> {
        let (all, optional): (&[T], &[Option<T>]) = match self {
            Value::Tensor(tensor) => (slice::from_ref(tensor), &[]),
            Value::Tensors(tensors) => (tensors, &[]),
            Value::OptionalTensors(tensors) => (&[], tensors),
            _ => (&[], &[]),
        };
        all.iter().chain(optional.iter().flatten())
    }

    /// The same argument with another tensor for each of its tensors.
    ///
    /// # Errors
    ///
    /// The first error of `map`.
    ///
    /// ```
    /// use lanthorn_call::Value;
    /// let value: Value<usize> = vec![4usize, 7].into();
    /// let doubled = value.map_tensors(|x| Ok::<usize, ()>(2 * x))?;
    /// assert_eq!(doubled.tensors().collect::<Vec<_>>(), [&8, &14]);
    /// # Ok::<(), ()>(())
    /// ```
    pub fn map_tensors<U, E>(&self, mut map: impl FnMut(&T) -> Result<U, E>) -> Result<Value<U>, E>
    where
        U: Handle<Symbol = T::Symbol, Device = T::Device>,
    {
        Ok(match self {
            Value::Tensor(tensor) => Value::Tensor(map(tensor)?),
            Value::Tensors(tensors) => Value::Tensors(tensors.iter().map(map).collect::<Result<_, E>>()?),
            Value::OptionalTensors(tensors) => {
                let map = |tensor: &Option<T>| tensor.as_ref().map(&mut map).transpose();
                Value::OptionalTensors(tensors.iter().map(map).collect::<Result<_, E>>()?)
            }
            Value::Missing => Value::Missing,
            Value::Null => Value::Null,
            Value::Scalar(scalar) => Value::Scalar(*scalar),
            Value::Ints(values) => Value::Ints(values.clone()),
            Value::PartialInts(values) => Value::PartialInts(values.clone()),
            Value::Floats(values) => Value::Floats(values.clone()),
            Value::Str(text) => Value::Str(text.clone()),
            Value::DType(dtype) => Value::DType(*dtype),
            Value::Device(device) => Value::Device(device.clone()),
            Value::Object(object) => Value::Object(Rc::clone(object)),
            Value::Foreign(foreign) => Value::Foreign(foreign.clone()),
        })
    }

    /// Whether it is an element of a list that may be given as separate arguments: a whole number
    /// or a tensor.
    pub(crate) fn is_item(&self) -> bool {
        matches!(self, Value::Tensor(_)) || matches!(self, Value::Scalar(scalar) if !matches!(scalar, Scalar::Bool(_)))
    }

    /// The list of these elements, as if it had been given as one argument.
    pub(crate) fn list(items: &[Value<T>]) -> Value<T> {
        let tensor = |item: &Value<T>| if let Value::Tensor(tensor) = item { Some(tensor.clone()) } else { None };
        let scalar = |item: &Value<T>| match item {
            Value::Scalar(scalar) if !matches!(scalar, Scalar::Bool(_)) => Some(*scalar),
            _ => None,
        };
        if let Some(tensors) = items.iter().map(tensor).collect() {
            return Value::Tensors(tensors);
        }
        if let Some(ints) = items.iter().map(|item| scalar(item)?.to_int()).collect() {
            return Value::Ints(ints);
        }
        if let Some(floats) = items.iter().map(|item| Some(scalar(item)?.to_f64())).collect() {
            return Value::Floats(floats);
        }
        let other = items.iter().find(|item| !item.is_item()).or(items.last());
        let text = other.map_or("an empty list".to_string(), |item| format!("a list with {}", item.describe()));
        Value::Foreign(Foreign { text, is_array: false })
    }
}

impl<T: Handle> From<T> for Value<T> {
    fn from(tensor: T) -> Value<T> {
        Value::Tensor(tensor)
    }
}

impl<T: Handle> From<&T> for Value<T> {
    fn from(tensor: &T) -> Value<T> {
        Value::Tensor(tensor.clone())
    }
}

impl<T: Handle> From<Vec<T>> for Value<T> {
    fn from(tensors: Vec<T>) -> Value<T> {
        Value::Tensors(tensors)
    }
}

impl<T: Handle> From<&[T]> for Value<T> {
    fn from(tensors: &[T]) -> Value<T> {
        Value::Tensors(tensors.to_vec())
    }
}

impl<T: Handle> From<&[Option<T>]> for Value<T> {
    fn from(tensors: &[Option<T>]) -> Value<T> {
        Value::OptionalTensors(tensors.to_vec())
    }
}

impl<T: Handle> From<&[f64]> for Value<T> {
    fn from(values: &[f64]) -> Value<T> {
        Value::Floats(values.to_vec())
    }
}

impl<T: Handle, V: Into<Value<T>>> From<Option<V>> for Value<T> {
    fn from(value: Option<V>) -> Value<T> {
        value.map_or(Value::Null, Into::into)
    }
}

impl<T: Handle> From<Scalar<T::Symbol>> for Value<T> {
    fn from(scalar: Scalar<T::Symbol>) -> Value<T> {
        Value::Scalar(scalar)
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident,)*) => { $(
        impl<T: Handle> From<$ty> for Value<T> {
            fn from(value: $ty) -> Value<T> { Value::$variant(value.into()) }
        }
    )* };
}

from! {
    bool => Scalar, i32 => Scalar, i64 => Scalar, f32 => Scalar, f64 => Scalar,
    Vec<i64> => Ints, Vec<f64> => Floats, &str => Str, DType => DType,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separate_arguments_are_one_list() {
        let list = |items: &[Value<usize>]| Value::list(items);
        assert!(matches!(list(&[2.into(), 3.into()]), Value::Ints(values) if values == [2, 3]));
        assert!(matches!(list(&[2.into(), 0.5.into()]), Value::Floats(values) if values == [2.0, 0.5]));
        assert!(matches!(list(&[7usize.into()]), Value::Tensors(values) if values == [7]));
        assert_eq!(list(&[7usize.into(), "x".into()]).describe(), "a list with the string \"x\"");
        assert_eq!(list(&[2.into(), true.into()]).kind(), ArgKind::Foreign);
    }

    #[test]
    fn a_list_has_the_kind_of_its_elements() {
        assert_eq!(Value::<usize>::from(Vec::<i64>::new()).kind(), ArgKind::Empty);
        assert_eq!(Value::<usize>::PartialInts(vec![None]).kind(), ArgKind::Nulls);
        assert_eq!(Value::<usize>::PartialInts(vec![None, Some(1)]).kind(), ArgKind::PartialInts);
    }
}
