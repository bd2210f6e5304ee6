//! Dynamic arguments, encoded as one row of numbers and one of strings.
//!
//! An argument is the number of its [`ArgKind`] and its content: a handle (`Tensor`), 0
//! or 1 (`Bool`), a number (`Int`, `Float`), the index of a string (`Str`), a count followed by
//! numbers or handles (the lists), or nothing (`Missing`, `Null`, `Empty`). In lists, null is -1
//! among handles and NaN among numbers. The counterpart is `encode` in the package's
//! `arguments.ts`.

use crate::{error::Result, state::state};
use lanthorn::{
    Error, Scalar, Tensor,
    ops::{Arg, ArgKind},
};

/// Decodes the arguments of a call.
pub(crate) fn decode(name: &str, words: &[f64], strings: &[String]) -> Result<Vec<Arg>> {
    let mut reader = Reader { name, words: words.iter() };
    let mut args = Vec::new();
    while let Some(&kind) = reader.words.next() {
        let kind = ArgKind::ALL.get(kind as usize).ok_or_else(|| reader.malformed())?;
        args.push(match kind {
            ArgKind::Missing => Arg::None,
            ArgKind::Null => Arg::Null,
            ArgKind::Tensor => Arg::Tensor(tensor(reader.next()?)?),
            ArgKind::Tensors => Arg::Tensors(reader.list(tensor)?),
            ArgKind::OptionalTensors => Arg::OptionalTensors(
                reader.list(|handle| if handle < 0.0 { Ok(None) } else { tensor(handle).map(Some) })?,
            ),
            ArgKind::Bool => Arg::Scalar(Scalar::Bool(reader.next()? != 0.0)),
            ArgKind::Int => Arg::Scalar(Scalar::Number(reader.next()?)),
            ArgKind::Float => Arg::Scalar(Scalar::Float(reader.next()?)),
            ArgKind::Ints => Arg::Ints(reader.list(|value| Ok(value as i64))?),
            ArgKind::Empty => Arg::Ints(vec![]),
            ArgKind::Floats => Arg::Floats(reader.list(Ok)?),
            ArgKind::PartialInts | ArgKind::Nulls => {
                Arg::PartialInts(reader.list(|value| Ok((!value.is_nan()).then_some(value as i64)))?)
            }
            ArgKind::Str => {
                let text = strings.get(reader.next()? as usize).ok_or_else(|| reader.malformed())?;
                Arg::Str(text.clone())
            }
            // JavaScript names a dtype, and its modules and devices are no arguments of the core.
            ArgKind::Module | ArgKind::DType | ArgKind::Device => return Err(reader.malformed().into()),
        });
    }
    Ok(args)
}

fn tensor(handle: f64) -> Result<Tensor> {
    state().tensors.get(handle as u32)
}

/// JavaScript has one kind of number: for type promotion, whole numbers are integers.
pub(crate) fn number(value: f64) -> Scalar {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT { Scalar::Int(value as i64) } else { Scalar::Float(value) }
}

struct Reader<'a> {
    name: &'a str,
    words: std::slice::Iter<'a, f64>,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<f64> {
        Ok(*self.words.next().ok_or_else(|| self.malformed())?)
    }

    fn list<T>(&mut self, item: impl Fn(f64) -> Result<T>) -> Result<Vec<T>> {
        let count = self.next()? as usize;
        (0..count).map(|_| item(self.next()?)).collect()
    }

    fn malformed(&self) -> Error {
        Error::argument(self.name, "the arguments are not encoded as this version of the package expects")
    }
}
