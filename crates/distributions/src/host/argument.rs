//! Arguments of constructors.

use super::is_validated;
use crate::Constraint;
use lanthorn_tensor::{DType, Error, IntoOperand, Operand, Result, Shape, Tensor};

/// A parameter of a distribution or a bound of a constraint: a tensor or a number of the host.
#[derive(Clone, Debug)]
pub enum Param {
    /// A tensor.
    Tensor(Tensor),
    /// A number.
    Number(f64),
}

impl Param {
    /// Whether both are the same number, or handles of the same tensor.
    pub fn is_same(&self, other: &Param) -> bool {
        match (self, other) {
            (Param::Tensor(a), Param::Tensor(b)) => a.is(b),
            (Param::Number(a), Param::Number(b)) => a == b,
            _ => false,
        }
    }

    /// The sign: 1, -1 or 0.
    ///
    /// # Errors
    /// The errors of [`Tensor::sign`].
    pub fn sign(&self) -> Result<Param> {
        match self {
            Param::Tensor(tensor) => Ok(tensor.sign()?.into()),
            Param::Number(number) => Ok(if *number == 0.0 { 0.0 } else { number.signum() }.into()),
        }
    }

    /// The difference to another parameter.
    ///
    /// # Errors
    /// `shape` if the tensors do not broadcast.
    pub fn minus(&self, other: &Param) -> Result<Param> {
        match (self, other) {
            (Param::Number(a), Param::Number(b)) => Ok((a - b).into()),
            (Param::Number(a), Param::Tensor(b)) => Ok((*a - b)?.into()),
            (Param::Tensor(a), _) => Ok((a - other)?.into()),
        }
    }

    /// The product with another parameter.
    ///
    /// # Errors
    /// `shape` if the tensors do not broadcast.
    pub fn times(&self, other: &Param) -> Result<Param> {
        match (self, other) {
            (Param::Number(a), Param::Number(b)) => Ok((a * b).into()),
            (Param::Number(a), Param::Tensor(b)) => Ok((b * *a)?.into()),
            (Param::Tensor(a), _) => Ok((a * other)?.into()),
        }
    }

    /// The parameter as a tensor of the type and device of `reference`.
    ///
    /// # Errors
    /// The errors of [`Tensor::full`].
    pub fn like(&self, reference: &Tensor) -> Result<Tensor> {
        match self {
            Param::Tensor(tensor) => Ok(tensor.clone()),
            Param::Number(number) => super::full(&[], *number, reference),
        }
    }

    /// The parameter as a tensor, float32 on the default device for a number.
    ///
    /// # Errors
    /// The errors of [`Tensor::full`].
    pub fn like_default(&self) -> Result<Tensor> {
        match self {
            Param::Tensor(tensor) => Ok(tensor.clone()),
            Param::Number(number) => Tensor::full([], *number),
        }
    }

    /// The sizes; a number has the sizes `[]`.
    pub fn shape(&self) -> Vec<usize> {
        match self {
            Param::Tensor(tensor) => tensor.shape().to_vec(),
            Param::Number(_) => vec![],
        }
    }
}

impl From<f64> for Param {
    fn from(value: f64) -> Param {
        Param::Number(value)
    }
}

impl From<i32> for Param {
    fn from(value: i32) -> Param {
        Param::Number(f64::from(value))
    }
}

impl From<Tensor> for Param {
    fn from(value: Tensor) -> Param {
        Param::Tensor(value)
    }
}

impl From<&Tensor> for Param {
    fn from(value: &Tensor) -> Param {
        Param::Tensor(value.clone())
    }
}

impl From<&Param> for Param {
    fn from(value: &Param) -> Param {
        value.clone()
    }
}

impl From<&Param> for Operand {
    fn from(value: &Param) -> Operand {
        match value {
            Param::Tensor(tensor) => tensor.into(),
            Param::Number(number) => (*number).into(),
        }
    }
}

impl IntoOperand for &Param {
    fn into_operand(self) -> Result<Operand> {
        Ok(self.into())
    }
}

/// The number, if it is one.
pub(crate) fn number_of(param: &Param) -> Option<f64> {
    match param {
        Param::Number(number) => Some(*number),
        Param::Tensor(_) => None,
    }
}

/// An argument of a distribution, with its name and the constraint on it.
#[derive(Clone, Debug)]
pub struct Arg {
    pub(crate) name: &'static str,
    pub(crate) value: Param,
    pub(crate) constraint: Constraint,
}

impl Arg {
    /// An argument.
    pub fn new(name: &'static str, value: impl Into<Param>, constraint: Constraint) -> Arg {
        Arg { name, value: value.into(), constraint }
    }

    /// The name of the constructor's parameter.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The tensor or number.
    pub fn value(&self) -> &Param {
        &self.value
    }

    /// The constraint.
    pub fn constraint(&self) -> &Constraint {
        &self.constraint
    }
}

/// The arguments as tensors of one type, on one device, expanded to the shape to which they
/// broadcast. Numbers alone become float32 on the default device.
///
/// # Errors
/// `argument` if a number does not satisfy its constraint; `shape` if the tensors do not broadcast.
pub(crate) fn broadcast_args(op: &str, args: &[Arg]) -> Result<Vec<Tensor>> {
    let tensors = tensor_args(op, args)?;
    let mut shape = Shape::default();
    for tensor in &tensors {
        shape = shape.broadcast(op, tensor.shape())?;
    }
    tensors.iter().map(|tensor| tensor.expand(&shape)).collect()
}

/// The arguments as tensors of one type, on one device.
///
/// # Errors
/// `argument` if a number does not satisfy its constraint.
pub(crate) fn tensor_args(op: &str, args: &[Arg]) -> Result<Vec<Tensor>> {
    let mut dtype: Option<DType> = None;
    let mut device = None;
    for arg in args {
        match &arg.value {
            Param::Tensor(tensor) => {
                let own = if tensor.dtype().is_floating_point() { tensor.dtype() } else { DType::F32 };
                dtype = Some(dtype.map_or(own, |dtype| dtype.promote(own)));
                device = Some(tensor.device().clone());
            }
            Param::Number(number) => check_number(op, arg, *number)?,
        }
    }
    let dtype = dtype.unwrap_or(DType::F32);
    let tensor = |arg: &Arg| match &arg.value {
        Param::Tensor(tensor) => tensor.to(dtype),
        Param::Number(number) => Tensor::full_with([], *number, Some(dtype), device.as_ref()),
    };
    args.iter().map(tensor).collect()
}

fn check_number(op: &str, arg: &Arg, number: f64) -> Result<()> {
    if !is_validated() || arg.constraint.accepts(number) {
        return Ok(());
    }
    let message = format!("{} must be {}, and is {number}", arg.name, arg.constraint.describe());
    Err(Error::argument(op, message))
}
