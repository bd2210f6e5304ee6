//! Arguments other than tensors: numbers and lists.

use crate::{Result, SymFloat, Tensor};
use lanthorn_ir::{
    DType,
    expr::{Constant, Type},
};
use lanthorn_runtime::{Param, Symbol};
use std::ops::Deref;

/// A number as an argument of an op. Its kind takes part in type promotion: a float makes an
/// integer tensor float32, and never float64.
pub type Scalar = lanthorn_call::Scalar<SymFloat>;

/// A number as a part of a kernel.
pub(crate) trait ScalarParam {
    /// The number as a launch parameter, which a replay binds again if it is symbolic.
    fn param(self, ty: Type) -> Param;

    /// [`ScalarParam::param`] for elements of type `dtype`, which must be able to hold the number.
    fn element(self, op: &str, dtype: DType) -> Result<Param>;

    /// The number as a constant of a kernel; of one that is symbolic, its value of now.
    fn constant(self, ty: Type) -> Constant;
}

impl ScalarParam for Scalar {
    fn param(self, ty: Type) -> Param {
        match self {
            Scalar::Symbolic(number) => {
                Param { value: Constant::new(number.value(), ty), symbol: number.node().map(Symbol) }
            }
            _ => self.constant(ty).into(),
        }
    }

    fn element(self, op: &str, dtype: DType) -> Result<Param> {
        if self.fits(dtype) { Ok(self.param(dtype.into())) } else { Err(self.misfit(op, dtype)) }
    }

    fn constant(self, ty: Type) -> Constant {
        match (self, ty) {
            // Integers wrap, also those that a float cannot hold.
            (Scalar::Int(value), Type::I32) => Constant::I32(value as i32),
            (Scalar::Int(value), Type::I64) => Constant::I64(value),
            (Scalar::Int(value), Type::U8) => Constant::U8(value as u8),
            (Scalar::Symbolic(number), _) => Constant::new(number.specialize(), ty),
            _ => Constant::new(self.to_f64(), ty),
        }
    }
}

macro_rules! from {
    ($($ty:ty,)*) => { $(
        impl From<$ty> for Operand {
            fn from(value: $ty) -> Operand { Operand::Scalar(value.into()) }
        }
    )* };
}

from! { bool, i32, i64, u8, f32, f64, }

/// An operand that is a tensor or a number.
#[derive(Clone, Debug)]
pub enum Operand {
    /// A tensor.
    Tensor(Tensor),
    /// A number.
    Scalar(Scalar),
}

impl From<Scalar> for Operand {
    fn from(scalar: Scalar) -> Operand {
        Operand::Scalar(scalar)
    }
}

impl From<Tensor> for Operand {
    fn from(tensor: Tensor) -> Operand {
        Operand::Tensor(tensor)
    }
}

impl From<&Tensor> for Operand {
    fn from(tensor: &Tensor) -> Operand {
        Operand::Tensor(tensor.clone())
    }
}

/// A list of sizes or dimensions; one number makes a list of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ints(Vec<i64>);

impl Deref for Ints {
    type Target = [i64];
    fn deref(&self) -> &[i64] {
        &self.0
    }
}

impl From<i64> for Ints {
    fn from(value: i64) -> Ints {
        Ints(vec![value])
    }
}

impl From<Vec<i64>> for Ints {
    fn from(values: Vec<i64>) -> Ints {
        Ints(values)
    }
}

impl From<&[i64]> for Ints {
    fn from(values: &[i64]) -> Ints {
        Ints(values.to_vec())
    }
}

impl From<&Ints> for Ints {
    fn from(values: &Ints) -> Ints {
        values.clone()
    }
}

impl<const N: usize> From<[i64; N]> for Ints {
    fn from(values: [i64; N]) -> Ints {
        Ints(values.to_vec())
    }
}

impl From<&lanthorn_ir::Shape> for Ints {
    fn from(shape: &lanthorn_ir::Shape) -> Ints {
        Ints(shape.to_i64())
    }
}

/// An optional list of dimensions: `()` stands for all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionalInts(Option<Ints>);

impl OptionalInts {
    /// The list, if there is one.
    pub fn as_slice(&self) -> Option<&[i64]> {
        self.0.as_deref()
    }
}

impl From<()> for OptionalInts {
    fn from((): ()) -> OptionalInts {
        OptionalInts(None)
    }
}

impl From<Option<&[i64]>> for OptionalInts {
    fn from(values: Option<&[i64]>) -> OptionalInts {
        OptionalInts(values.map(Ints::from))
    }
}

macro_rules! optional_from {
    ($($ty:ty,)*) => { $(
        impl From<$ty> for OptionalInts {
            fn from(values: $ty) -> OptionalInts { OptionalInts(Some(values.into())) }
        }
    )* };
}

optional_from! { i64, Vec<i64>, &[i64], &Ints, }

impl<const N: usize> From<[i64; N]> for OptionalInts {
    fn from(values: [i64; N]) -> OptionalInts {
        OptionalInts(Some(values.into()))
    }
}

/// A list of optional sizes: `[Some(2), None]`, or numbers as in [`Ints`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartialInts(Vec<Option<i64>>);

impl PartialInts {
    /// The sizes.
    pub fn as_slice(&self) -> &[Option<i64>] {
        &self.0
    }

    /// The list with missing entries taken from `sizes`; a single entry is used for every
    /// dimension.
    pub(crate) fn or(&self, sizes: &[usize]) -> Ints {
        let given: &mut dyn Iterator<Item = &Option<i64>> = match &self.0[..] {
            [one] => &mut std::iter::repeat_n(one, sizes.len()),
            all => &mut all.iter(),
        };
        let own = |d: usize| sizes.get(d).map_or(0, |&size| size as i64);
        Ints(given.enumerate().map(|(d, size)| size.unwrap_or_else(|| own(d))).collect())
    }
}

impl<T: Into<Ints>> From<T> for PartialInts {
    fn from(sizes: T) -> PartialInts {
        PartialInts(sizes.into().0.into_iter().map(Some).collect())
    }
}

impl From<&PartialInts> for PartialInts {
    fn from(sizes: &PartialInts) -> PartialInts {
        sizes.clone()
    }
}

impl From<Vec<Option<i64>>> for PartialInts {
    fn from(sizes: Vec<Option<i64>>) -> PartialInts {
        PartialInts(sizes)
    }
}

impl<const N: usize> From<[Option<i64>; N]> for PartialInts {
    fn from(sizes: [Option<i64>; N]) -> PartialInts {
        PartialInts(sizes.to_vec())
    }
}

/// The padding of a convolution.
#[derive(Clone, Debug, PartialEq)]
pub enum Padding {
    /// The padding at both ends, one number for each dimension or one for all.
    Sizes(Ints),
    /// As much as gives the result the size of the input, `"same"`.
    Same,
    /// None, `"valid"`.
    Valid,
}

impl From<&Padding> for Padding {
    fn from(padding: &Padding) -> Padding {
        padding.clone()
    }
}

impl<T: Into<Ints>> From<T> for Padding {
    fn from(sizes: T) -> Padding {
        Padding::Sizes(sizes.into())
    }
}

/// An argument that is a list of integers or a tensor of them.
#[derive(Clone, Debug)]
pub enum TensorOrInts {
    /// A tensor.
    Tensor(Tensor),
    /// A list.
    Ints(Ints),
}

impl From<&Tensor> for TensorOrInts {
    fn from(tensor: &Tensor) -> TensorOrInts {
        TensorOrInts::Tensor(tensor.clone())
    }
}

impl From<&TensorOrInts> for TensorOrInts {
    fn from(either: &TensorOrInts) -> TensorOrInts {
        either.clone()
    }
}

impl<T: Into<Ints>> From<T> for TensorOrInts {
    fn from(values: T) -> TensorOrInts {
        TensorOrInts::Ints(values.into())
    }
}
