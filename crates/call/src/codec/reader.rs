//! Decodes values.

use super::NAME;
use crate::{ArgKind, Call, Caller, Foreign, Handle, Scalar, Value};
use lanthorn_ir::{DType, Error};
use std::{fmt, slice::Iter};

/// An encoded call that another version of the encoding has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the arguments are not encoded as this version of the package expects")
    }
}

impl std::error::Error for Malformed {}

impl Malformed {
    /// The error of a call of `op`.
    pub fn into_error(self, op: &str) -> Error {
        Error::argument(op, self.to_string())
    }
}

/// The type of a whole number of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// An integer, [`Scalar::Int`].
    Int,
    /// A number of a language with one type of numbers, [`Scalar::Number`].
    Number,
}

/// Reads encoded values one after the other.
///
/// ```
/// use lanthorn_call::{Reader, Row, Value, Whole};
/// let mut row = Row::default();
/// row.push(&Value::from(vec![3usize, 5]), &mut |&tensor| tensor as f64);
/// let mut reader = Reader::new(&row.words, &row.strings, Whole::Int);
/// let value = reader.value(&mut |handle| Ok::<usize, lanthorn_call::Malformed>(handle as usize));
/// assert!(matches!(value, Ok(Value::Tensors(list)) if list == [3, 5]));
/// ```
pub struct Reader<'a> {
    words: Iter<'a, f64>,
    strings: &'a [String],
    whole: Whole,
}

impl<'a> Reader<'a> {
    /// A reader of a row and its strings.
    pub fn new(words: &'a [f64], strings: &'a [String], whole: Whole) -> Reader<'a> {
        Reader { words: words.iter(), strings, whole }
    }

    /// Whether all was read.
    pub fn is_empty(&self) -> bool {
        self.words.as_slice().is_empty()
    }

    /// The next number.
    ///
    /// # Errors
    ///
    /// [`Malformed`] at the end of the row.
    pub fn number(&mut self) -> Result<f64, Malformed> {
        self.words.next().copied().ok_or(Malformed)
    }

    /// The string of the next index.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if there is none.
    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        let index = self.number()? as usize;
        self.strings.get(index).map(String::as_str).ok_or(Malformed)
    }

    /// The element type of the next number.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if there is none.
    pub fn dtype(&mut self) -> Result<DType, Malformed> {
        let number = self.number()? as usize;
        DType::ALL.get(number).copied().ok_or(Malformed)
    }

    /// The next list: its length, and a number for each element.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if the row ends before the list, and any error of `item`.
    pub fn list<V, E: From<Malformed>>(&mut self, item: &mut impl FnMut(f64) -> Result<V, E>) -> Result<Vec<V>, E> {
        let count = self.number()? as usize;
        // A count of another meaning must not allocate.
        let items = self.words.as_slice().get(..count).ok_or(Malformed)?;
        let list = items.iter().map(|&number| item(number)).collect::<Result<Vec<V>, E>>()?;
        self.words = self.words.as_slice()[count..].iter();
        Ok(list)
    }

    /// The next value. `tensor` returns the tensor of a handle.
    ///
    /// # Errors
    ///
    /// [`Malformed`], and any error of `tensor`.
    pub fn value<T: Handle, E: From<Malformed>>(
        &mut self,
        tensor: &mut impl FnMut(f64) -> Result<T, E>,
    ) -> Result<Value<T>, E> {
        let kind = self.number()?;
        let kind = ArgKind::ALL.get(kind as usize).filter(|_| kind >= 0.0).ok_or(Malformed)?;
        let whole = |value: f64| Ok::<i64, E>(value as i64);
        let partial = |value: f64| Ok::<Option<i64>, E>((!value.is_nan()).then_some(value as i64));
        Ok(match kind {
            ArgKind::Missing => Value::Missing,
            ArgKind::Null => Value::Null,
            ArgKind::Tensor => Value::Tensor(tensor(self.number()?)?),
            ArgKind::Tensors => Value::Tensors(self.list(tensor)?),
            ArgKind::OptionalTensors => Value::OptionalTensors(
                self.list(&mut |handle| if handle < 0.0 { Ok(None) } else { tensor(handle).map(Some) })?,
            ),
            ArgKind::Bool => Value::Scalar(Scalar::Bool(self.number()? != 0.0)),
            ArgKind::Int => Value::Scalar(match self.whole {
                Whole::Int => Scalar::Int(self.number()? as i64),
                Whole::Number => Scalar::Number(self.number()?),
            }),
            ArgKind::Float => Value::Scalar(Scalar::Float(self.number()?)),
            ArgKind::Ints => Value::Ints(self.list(&mut { whole })?),
            ArgKind::Empty => Value::Ints(vec![]),
            ArgKind::Floats => Value::Floats(self.list(&mut Ok::<f64, E>)?),
            ArgKind::PartialInts | ArgKind::Nulls => Value::PartialInts(self.list(&mut { partial })?),
            ArgKind::Str => Value::Str(self.text()?.to_string()),
            ArgKind::DType => Value::DType(self.dtype()?),
            ArgKind::Array | ArgKind::Foreign => {
                let text = self.text()?.to_string();
                Value::Foreign(Foreign { text, is_array: *kind == ArgKind::Array })
            }
            // Modules and devices have no encoding.
            ArgKind::Module | ArgKind::Device => return Err(Malformed.into()),
        })
    }

    /// The values up to the end of the row.
    ///
    /// # Errors
    ///
    /// See [`Reader::value`].
    pub fn values<T: Handle, E: From<Malformed>>(
        &mut self,
        tensor: &mut impl FnMut(f64) -> Result<T, E>,
    ) -> Result<Vec<Value<T>>, E> {
        let mut values = Vec::new();
        while !self.is_empty() {
            values.push(self.value(tensor)?);
        }
        Ok(values)
    }

    /// The call up to the end of the row: values, some of them by name.
    ///
    /// # Errors
    ///
    /// See [`Reader::value`]; also [`Malformed`] if a value without a name follows one with a name.
    pub fn call<T: Handle, E: From<Malformed>>(
        &mut self,
        caller: Caller,
        tensor: &mut impl FnMut(f64) -> Result<T, E>,
    ) -> Result<Call<T>, E> {
        let mut call = Call { caller, ..Call::new(Vec::new()) };
        while let Some(&tag) = self.words.as_slice().first() {
            if tag == NAME {
                self.number()?;
                call.names.push(self.text()?.to_string());
            } else if !call.names.is_empty() {
                return Err(Malformed.into());
            }
            call.values.push(self.value(tensor)?);
        }
        Ok(call)
    }
}
