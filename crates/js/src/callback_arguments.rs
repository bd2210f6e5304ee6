//! The arguments of an op on their way to a callback, encoded as numbers and strings.
//!
//! An argument is a tag and its content, as those that JavaScript gives an op; the tensors get
//! handles that are JavaScript's to dispose of. The counterpart is `decodeArgs` in the package's
//! `callback.ts`.

use crate::state::state;
use js_sys::{Array, Float64Array};
use lanthorn::{Scalar, Tensor, ops::Arg};
use wasm_bindgen::JsValue;

const NULL: f64 = 0.0;
const TENSOR: f64 = 1.0;
const TENSORS: f64 = 2.0;
const BOOL: f64 = 3.0;
const NUMBER: f64 = 4.0;
const INTS: f64 = 5.0;
const STRING: f64 = 6.0;
const FLOATS: f64 = 7.0;
const OPTIONAL_TENSORS: f64 = 8.0;
const PARTIAL_INTS: f64 = 9.0;

/// Encodes arguments for a callback.
pub(crate) fn encode_args(args: &[Arg]) -> [JsValue; 2] {
    let (mut encoded, strings) = (Vec::new(), Array::new());
    let handle = |tensor: &Tensor| f64::from(state().tensors.add(tensor.clone()));
    for arg in args {
        match arg {
            Arg::Tensor(tensor) => encoded.extend([TENSOR, handle(tensor)]),
            Arg::Tensors(list) => {
                encoded.extend([TENSORS, list.len() as f64]);
                encoded.extend(list.iter().map(handle));
            }
            Arg::OptionalTensors(list) => {
                encoded.extend([OPTIONAL_TENSORS, list.len() as f64]);
                encoded.extend(list.iter().map(|tensor| tensor.as_ref().map_or(-1.0, handle)));
            }
            Arg::Scalar(Scalar::Bool(value)) => encoded.extend([BOOL, f64::from(u8::from(*value))]),
            Arg::Scalar(scalar) => encoded.extend([NUMBER, scalar.to_f64()]),
            Arg::Ints(list) => {
                encoded.extend([INTS, list.len() as f64]);
                encoded.extend(list.iter().map(|&value| value as f64));
            }
            Arg::PartialInts(list) => {
                encoded.extend([PARTIAL_INTS, list.len() as f64]);
                encoded.extend(list.iter().map(|value| value.map_or(f64::NAN, |value| value as f64)));
            }
            Arg::Floats(list) => {
                encoded.extend([FLOATS, list.len() as f64]);
                encoded.extend(list);
            }
            Arg::Str(text) => encoded.extend([STRING, f64::from(strings.push(&text.into()) - 1)]),
            Arg::DType(dtype) => encoded.extend([STRING, f64::from(strings.push(&dtype.name().into()) - 1)]),
            Arg::None | Arg::Null | Arg::Device(_) | Arg::Object(_) => encoded.push(NULL),
        }
    }
    [Float64Array::from(&encoded[..]).into(), strings.into()]
}
