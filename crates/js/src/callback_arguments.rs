//! The arguments of an op on their way to a callback, encoded as numbers and strings.
//!
//! An argument is the number of its [`ArgKind`] and its content, as those that JavaScript gives an
//! op; a dtype is its name. The tensors get handles that are JavaScript's to dispose of. The
//! counterpart is `decodeArgs` in the package's `callback.ts`.

use crate::state::state;
use js_sys::{Array, Float64Array};
use lanthorn::{
    Scalar, Tensor,
    ops::{Arg, ArgKind},
};
use wasm_bindgen::JsValue;

/// Encodes arguments for a callback.
pub(crate) fn encode_args(args: &[Arg]) -> [JsValue; 2] {
    let (mut encoded, strings) = (Vec::new(), Array::new());
    let handle = |tensor: &Tensor| f64::from(state().tensors.add(tensor.clone()));
    for arg in args {
        let kind = match arg {
            Arg::DType(_) => ArgKind::Str,
            // JavaScript has nothing for these.
            Arg::None | Arg::Device(_) | Arg::Object(_) => ArgKind::Null,
            _ => arg.kind(),
        };
        encoded.push(f64::from(kind as u8));
        match arg {
            Arg::Tensor(tensor) => encoded.push(handle(tensor)),
            Arg::Tensors(list) => {
                encoded.push(list.len() as f64);
                encoded.extend(list.iter().map(handle));
            }
            Arg::OptionalTensors(list) => {
                encoded.push(list.len() as f64);
                encoded.extend(list.iter().map(|tensor| tensor.as_ref().map_or(-1.0, handle)));
            }
            Arg::Scalar(Scalar::Bool(value)) => encoded.push(f64::from(u8::from(*value))),
            Arg::Scalar(scalar) => encoded.push(scalar.to_f64()),
            Arg::Ints(list) if list.is_empty() => {}
            Arg::Ints(list) => {
                encoded.push(list.len() as f64);
                encoded.extend(list.iter().map(|&value| value as f64));
            }
            Arg::PartialInts(list) => {
                encoded.push(list.len() as f64);
                encoded.extend(list.iter().map(|value| value.map_or(f64::NAN, |value| value as f64)));
            }
            Arg::Floats(list) => {
                encoded.push(list.len() as f64);
                encoded.extend(list);
            }
            Arg::Str(text) => encoded.push(f64::from(strings.push(&text.into()) - 1)),
            Arg::DType(dtype) => encoded.push(f64::from(strings.push(&dtype.name().into()) - 1)),
            Arg::None | Arg::Null | Arg::Device(_) | Arg::Object(_) => {}
        }
    }
    [Float64Array::from(&encoded[..]).into(), strings.into()]
}
