//! Rust's operators on tensors: `(&a + &b)?` is `a.add(&b)?`.

use crate::{Operand, Result, Scalar, Tensor};
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// The right side of an operator: a tensor, a number, or the result of another operator, whose
/// error the operator returns.
///
/// An operation can fail, so the result of an operator is a [`Result`]. `%` is
/// [`remainder`](Tensor::remainder), as in Python. A number may also stand on the left side.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let y = Tensor::from_slice(&[3.0f32, 4.0], [2], &device)?;
/// let z = (&x + &y * 2.0)?;
/// assert_eq!(pollster::block_on(z.to_vec::<f32>())?, [7.0, 10.0]);
/// let z = (1.0 - &x)?;
/// assert_eq!(pollster::block_on(z.to_vec::<f32>())?, [0.0, -1.0]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub trait IntoOperand {
    /// The operand.
    ///
    /// # Errors
    ///
    /// The error of the operator that computes the operand.
    fn into_operand(self) -> Result<Operand>;
}

impl IntoOperand for Result<Tensor> {
    fn into_operand(self) -> Result<Operand> {
        self.map(Operand::from)
    }
}

macro_rules! operands {
    ($($ty:ty),*) => { $(
        impl IntoOperand for $ty {
            fn into_operand(self) -> Result<Operand> {
                Ok(self.into())
            }
        }
    )* };
}

operands!(Tensor, &Tensor, Scalar, bool, u8, i32, i64, f32, f64);

/// Implements an operator by the method of its op.
macro_rules! binary_operators {
    ($($trait:ident $method:ident => $op:ident,)*) => { $(
        impl<T: IntoOperand> $trait<T> for &Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: T) -> Result<Tensor> {
                Tensor::$op(self, other.into_operand()?)
            }
        }

        impl<T: IntoOperand> $trait<T> for Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: T) -> Result<Tensor> {
                Tensor::$op(&self, other.into_operand()?)
            }
        }
    )* };
}

binary_operators! {
    Add add => add,
    Sub sub => sub,
    Mul mul => mul,
    Div div => div,
    Rem rem => remainder,
}

/// Implements the operators of a number and a tensor: PyTorch's reflected operators.
macro_rules! reflected_operators {
    ($($number:ty),*) => { $(
        reflected_operators!($number: Add add, |x, number| x.add(number));
        reflected_operators!($number: Sub sub, |x, number| x.rsub(number));
        reflected_operators!($number: Mul mul, |x, number| x.mul(number));
        reflected_operators!($number: Div div, |x, number| x.reciprocal()?.mul(number));
    )* };
    ($number:ty: $trait:ident $method:ident, |$x:ident, $value:ident| $result:expr) => {
        impl $trait<&Tensor> for $number {
            type Output = Result<Tensor>;
            fn $method(self, $x: &Tensor) -> Result<Tensor> {
                let $value = self;
                $result
            }
        }

        impl $trait<Tensor> for $number {
            type Output = Result<Tensor>;
            fn $method(self, tensor: Tensor) -> Result<Tensor> {
                $trait::$method(self, &tensor)
            }
        }
    };
}

// One type of integers and one of floats: of several, the compiler chooses none for a literal.
reflected_operators!(i32, f64);

impl Neg for &Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        Tensor::neg(self)
    }
}

impl Neg for Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        Tensor::neg(&self)
    }
}
