//! Dynamic arguments, encoded as one row of numbers and one of strings.
//!
//! An argument is a tag and its content: nothing (not given, or null); `TENSOR handle`;
//! `TENSORS n handle…`; `BOOL 0|1`; `NUMBER value`; `INTS n value…`; `STRING index`;
//! `FLOATS n value…`; `OPTIONAL_TENSORS n handle…`, -1 for none; `PARTIAL_INTS n value…`, NaN for
//! none; `MODULE handle`. The counterpart is `encode` in the package's `call.ts`.

use crate::{error::Result, state::state};
use lanthorn::{Error, Scalar, nn::table::argument, ops::Arg};

const NONE: f64 = 0.0;
const TENSOR: f64 = 1.0;
const TENSORS: f64 = 2.0;
const BOOL: f64 = 3.0;
const NUMBER: f64 = 4.0;
const INTS: f64 = 5.0;
const STRING: f64 = 6.0;
const FLOATS: f64 = 7.0;
const OPTIONAL_TENSORS: f64 = 8.0;
const PARTIAL_INTS: f64 = 9.0;
const MODULE: f64 = 10.0;
const NULL: f64 = 11.0;

/// Decodes the arguments of a call.
pub(crate) fn decode(name: &str, words: &[f64], strings: &[String]) -> Result<Vec<Arg>> {
    let mut reader = Reader { name, words: words.iter() };
    let mut args = Vec::new();
    while let Some(&tag) = reader.words.next() {
        args.push(if tag == NONE {
            Arg::None
        } else if tag == NULL {
            Arg::Null
        } else if tag == TENSOR {
            Arg::Tensor(state().tensors.get(reader.next()? as u32)?)
        } else if tag == TENSORS {
            let handles = reader.list()?;
            Arg::Tensors(handles.into_iter().map(|handle| state().tensors.get(handle as u32)).collect::<Result<_>>()?)
        } else if tag == BOOL {
            Arg::Scalar(Scalar::Bool(reader.next()? != 0.0))
        } else if tag == NUMBER {
            Arg::Scalar(number(reader.next()?))
        } else if tag == INTS {
            Arg::Ints(reader.list()?.into_iter().map(|value| value as i64).collect())
        } else if tag == PARTIAL_INTS {
            Arg::PartialInts(reader.list()?.into_iter().map(|value| (!value.is_nan()).then_some(value as i64)).collect())
        } else if tag == FLOATS {
            Arg::Floats(reader.list()?)
        } else if tag == OPTIONAL_TENSORS {
            let tensor = |handle: f64| if handle < 0.0 { Ok(None) } else { state().tensors.get(handle as u32).map(Some) };
            Arg::OptionalTensors(reader.list()?.into_iter().map(tensor).collect::<Result<_>>()?)
        } else if tag == MODULE {
            argument(state().modules.get(reader.next()? as u32)?.built)
        } else if tag == STRING {
            let text = strings.get(reader.next()? as usize).ok_or_else(|| reader.malformed())?;
            Arg::Str(text.clone())
        } else {
            return Err(reader.malformed().into());
        });
    }
    Ok(args)
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

    fn list(&mut self) -> Result<Vec<f64>> {
        let count = self.next()? as usize;
        (0..count).map(|_| self.next()).collect()
    }

    fn malformed(&self) -> Error {
        Error::argument(self.name, "the arguments are not encoded as this version of the package expects")
    }
}
