//! A dynamic argument: how JavaScript, the conformance runner and the tables of modules and optimizers call an op.

use crate::{Device, Ints, Operand, OptionalInts, Padding, PartialInts, SymFloat, Tensor, TensorOrInts};
use lanthorn_call::{Handle, Symbol, Value};

/// A dynamic argument of an op.
pub type Arg = Value<Tensor>;

impl Handle for Tensor {
    type Symbol = SymFloat;
    type Device = Device;
}

impl Symbol for SymFloat {
    fn specialize(self) -> f64 {
        SymFloat::specialize(self)
    }

    fn value(self) -> f64 {
        SymFloat::value(self)
    }
}

impl From<&Operand> for Arg {
    fn from(operand: &Operand) -> Arg {
        match operand {
            Operand::Tensor(tensor) => Arg::Tensor(tensor.clone()),
            Operand::Scalar(scalar) => Arg::Scalar(*scalar),
        }
    }
}

impl From<&TensorOrInts> for Arg {
    fn from(value: &TensorOrInts) -> Arg {
        match value {
            TensorOrInts::Tensor(tensor) => Arg::Tensor(tensor.clone()),
            TensorOrInts::Ints(values) => Arg::from(values),
        }
    }
}

impl From<&Padding> for Arg {
    fn from(padding: &Padding) -> Arg {
        match padding {
            Padding::Sizes(sizes) => Arg::from(sizes),
            Padding::Same => Arg::Str("same".into()),
            Padding::Valid => Arg::Str("valid".into()),
        }
    }
}

impl From<&Ints> for Arg {
    fn from(values: &Ints) -> Arg {
        Arg::Ints(values.to_vec())
    }
}

impl From<&OptionalInts> for Arg {
    fn from(values: &OptionalInts) -> Arg {
        values.as_slice().map_or(Arg::Null, |values| Arg::Ints(values.to_vec()))
    }
}

impl From<&PartialInts> for Arg {
    fn from(values: &PartialInts) -> Arg {
        Arg::PartialInts(values.as_slice().to_vec())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_default_is_of_its_parameters_type() {
        for op in crate::ops::all() {
            for param in &op.schema().params {
                assert!(lanthorn_call::is_default_of(param), "{}: {}", op.name(), param.name);
            }
        }
    }
}
