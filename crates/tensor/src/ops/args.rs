//! The arguments of one call, bound to a schema.

use super::{arg::Arg, pointwise::Argument};
use crate::{
    Choice, DType, Device, Operand, Result, Scalar, Tensor,
    scalar::{Ints, OptionalInts, Padding, PartialInts, TensorOrInts},
};
use lanthorn_call::{Caller, Refusal};
use lanthorn_schema::{Param, ParamType, Schema};
use std::{any::Any, borrow::Cow, rc::Rc};

/// The arguments of one call, in the schema's order, checked against its types, defaults filled in.
///
/// An argument is asked for by its index, as its type in the schema: asking for another type is the
/// program's mistake, and a panic.
pub struct Args<'a> {
    values: Vec<Cow<'a, Arg>>,
}

impl<'a> Args<'a> {
    /// Fills in defaults, and checks that nothing required is missing and that every argument is of
    /// its parameter's type.
    ///
    /// # Errors
    ///
    /// `argument` for a missing or unknown argument, or one that the parameter does not accept.
    pub fn bind(schema: &Schema, given: &'a [Arg]) -> Result<Args<'a>> {
        Args::bind_for(Caller::PYTHON, schema, given)
    }

    /// [`Args::bind`] for a caller with its own names of the operation and of the arguments.
    ///
    /// # Errors
    ///
    /// As [`Args::bind`].
    pub fn bind_for(caller: Caller, schema: &Schema, given: &'a [Arg]) -> Result<Args<'a>> {
        Ok(Args { values: lanthorn_call::bind(schema, given, caller).map_err(Refusal::into_error)? })
    }

    /// [`Args::bind`] on copies, for a call that outlives its caller.
    ///
    /// # Errors
    ///
    /// As [`Args::bind`].
    pub fn bind_owned(schema: &Schema, given: &[Arg]) -> Result<Args<'static>> {
        let values = Args::bind(schema, given)?.values;
        Ok(Args { values: values.into_iter().map(|value| Cow::Owned(value.into_owned())).collect() })
    }

    /// The arguments, defaults filled in.
    pub fn to_vec(&self) -> Vec<Arg> {
        self.values.iter().map(|value| value.clone().into_owned()).collect()
    }

    /// The arguments of an expression: all are tensors or numbers. A `Scalar` takes no part in
    /// promotion.
    pub(super) fn operands(&self, schema: &Schema) -> Vec<Argument> {
        let operand = |(index, param): (usize, &Param)| match param.ty {
            ParamType::Tensor => Argument::tensor(self.tensor(index)),
            ParamType::TensorOrScalar => Argument::operand(&self.operand(index)),
            _ => Argument::parameter(self.scalar(index)),
        };
        schema.params.iter().enumerate().map(operand).collect()
    }

    fn get(&self, index: usize) -> &Arg {
        &self.values[index]
    }

    fn given(&self, index: usize) -> bool {
        !matches!(self.get(index), Arg::Missing | Arg::Null)
    }

    /// Argument `index`: a tensor.
    pub fn tensor(&self, index: usize) -> &Tensor {
        match self.get(index) {
            Arg::Tensor(tensor) => tensor,
            _ => unasked(),
        }
    }

    /// Argument `index`: a tensor, or none.
    pub fn optional_tensor(&self, index: usize) -> Option<&Tensor> {
        self.given(index).then(|| self.tensor(index))
    }

    /// Argument `index`: a list of tensors.
    pub fn tensors(&self, index: usize) -> &[Tensor] {
        match self.get(index) {
            Arg::Tensors(tensors) => tensors,
            _ => unasked(),
        }
    }

    /// Argument `index`: a list of tensors, or none.
    pub fn optional_tensor_list(&self, index: usize) -> Option<&[Tensor]> {
        self.given(index).then(|| self.tensors(index))
    }

    /// Argument `index`: what another crate has wrapped.
    pub fn object(&self, index: usize) -> &Rc<dyn Any> {
        match self.get(index) {
            Arg::Object(object) => object,
            _ => unasked(),
        }
    }

    /// Argument `index`: what another crate has wrapped, or none.
    pub fn optional_object(&self, index: usize) -> Option<&Rc<dyn Any>> {
        self.given(index).then(|| self.object(index))
    }

    /// Argument `index`: what another crate has wrapped, or else a string.
    ///
    /// # Errors
    ///
    /// The string, if the argument is one.
    pub fn object_or_str(&self, index: usize) -> std::result::Result<&Rc<dyn Any>, &str> {
        match self.get(index) {
            Arg::Str(name) => Err(name),
            _ => Ok(self.object(index)),
        }
    }

    /// Argument `index`: a tensor or a number.
    pub fn operand(&self, index: usize) -> Operand {
        match self.get(index) {
            Arg::Tensor(tensor) => tensor.into(),
            Arg::Scalar(scalar) => (*scalar).into(),
            _ => unasked(),
        }
    }

    /// Argument `index`: a number.
    pub fn scalar(&self, index: usize) -> Scalar {
        match self.get(index) {
            Arg::Scalar(scalar) => *scalar,
            _ => unasked(),
        }
    }

    /// Argument `index`: a number, or none.
    pub fn optional_scalar(&self, index: usize) -> Option<Scalar> {
        self.given(index).then(|| self.scalar(index))
    }

    /// Argument `index`: a whole number.
    pub fn int(&self, index: usize) -> i64 {
        self.scalar(index).to_int().unwrap_or_else(|| unasked())
    }

    /// Argument `index`: a whole number, or none.
    pub fn optional_int(&self, index: usize) -> Option<i64> {
        self.given(index).then(|| self.int(index))
    }

    /// Argument `index`: a list of whole numbers.
    pub fn ints(&self, index: usize) -> Ints {
        match self.get(index) {
            Arg::Ints(values) => values.as_slice().into(),
            _ => unasked(),
        }
    }

    /// Argument `index`: a list of whole numbers, or none.
    pub fn optional_ints(&self, index: usize) -> OptionalInts {
        match self.get(index) {
            Arg::Ints(values) => values.as_slice().into(),
            Arg::Missing | Arg::Null => ().into(),
            _ => unasked(),
        }
    }

    /// Argument `index`: a list of whole numbers, some of them left out.
    pub fn partial_ints(&self, index: usize) -> PartialInts {
        match self.get(index) {
            Arg::Ints(values) => values.as_slice().into(),
            Arg::PartialInts(values) => values.clone().into(),
            _ => unasked(),
        }
    }

    /// Argument `index`: sizes, or the name of a rule for them.
    pub fn padding(&self, index: usize) -> Padding {
        match self.get(index) {
            Arg::Ints(values) => values.as_slice().into(),
            Arg::Str(rule) if rule == "same" => Padding::Same,
            Arg::Str(_) => Padding::Valid,
            _ => unasked(),
        }
    }

    /// Argument `index`: a floating-point number.
    pub fn float(&self, index: usize) -> f64 {
        self.scalar(index).to_f64()
    }

    /// Argument `index`: a floating-point number, or none.
    pub fn optional_float(&self, index: usize) -> Option<f64> {
        self.given(index).then(|| self.float(index))
    }

    /// Argument `index`: a list of numbers, NaN for those that are left out.
    pub fn floats(&self, index: usize) -> &[f64] {
        match self.get(index) {
            Arg::Floats(values) => values,
            _ => unasked(),
        }
    }

    /// Argument `index`: a list of numbers, or none.
    pub fn optional_floats(&self, index: usize) -> Option<&[f64]> {
        self.given(index).then(|| self.floats(index))
    }

    /// Argument `index`: a list of tensors, some of them left out.
    pub fn optional_tensors(&self, index: usize) -> &[Option<Tensor>] {
        match self.get(index) {
            Arg::OptionalTensors(tensors) => tensors,
            _ => unasked(),
        }
    }

    /// Argument `index`: a tensor or a list of whole numbers.
    pub fn tensor_or_ints(&self, index: usize) -> TensorOrInts {
        match self.get(index) {
            Arg::Tensor(tensor) => tensor.into(),
            Arg::Ints(values) => values.as_slice().into(),
            _ => unasked(),
        }
    }

    /// Argument `index`: a truth value.
    pub fn bool(&self, index: usize) -> bool {
        match self.get(index) {
            Arg::Scalar(Scalar::Bool(value)) => *value,
            _ => unasked(),
        }
    }

    /// Argument `index`: a truth value, or none.
    pub fn optional_bool(&self, index: usize) -> Option<bool> {
        self.given(index).then(|| self.bool(index))
    }

    /// Argument `index`: one of a closed set of strings.
    pub fn choice<C: Choice>(&self, index: usize) -> C {
        C::from_name(self.str(index)).unwrap_or_else(|| unasked())
    }

    /// Argument `index`: one of a closed set of strings, or none.
    pub fn optional_choice<C: Choice>(&self, index: usize) -> Option<C> {
        self.given(index).then(|| self.choice(index))
    }

    /// Argument `index`: a string.
    pub fn str(&self, index: usize) -> &str {
        match self.get(index) {
            Arg::Str(text) => text,
            _ => unasked(),
        }
    }

    /// Argument `index`: a string, or none.
    pub fn optional_str(&self, index: usize) -> Option<&str> {
        self.given(index).then(|| self.str(index))
    }

    /// Argument `index`: an element type.
    pub fn dtype(&self, index: usize) -> DType {
        match self.get(index) {
            Arg::DType(dtype) => *dtype,
            _ => unasked(),
        }
    }

    /// Argument `index`: an element type, or none.
    pub fn optional_dtype(&self, index: usize) -> Option<DType> {
        self.given(index).then(|| self.dtype(index))
    }

    /// Argument `index`: a device, or none.
    pub fn optional_device(&self, index: usize) -> Option<&Device> {
        match self.get(index) {
            Arg::Device(device) => Some(device),
            _ => None,
        }
    }
}

#[cold]
fn unasked() -> ! {
    unreachable!("an argument is asked for as its schema's type")
}
