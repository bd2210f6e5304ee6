//! A dynamic argument: how JavaScript, the conformance runner and the tables of modules and optimizers call an op.
//!
//! The same type before and after it is bound to a parameter: [`canonical`] brings it into the one form that a type of parameter
//! has. Rejected: a type for bound arguments with a variant for each wrapper (`Ints`, `Padding`), which said the same again.

use crate::{DType, Device, Ints, Operand, OptionalInts, Padding, PartialInts, Scalar, Tensor, TensorOrInts};
use lanthorn_schema::{ArgKind, Default, Param, ParamType};
use std::{any::Any, borrow::Cow, rc::Rc};

/// One dynamic argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// Not given: the default is taken.
    None,
    /// Python's `None`, said: nothing, also where that is not the default. Where nothing cannot be, the default is taken.
    Null,
    /// A tensor.
    Tensor(Tensor),
    /// Several tensors.
    Tensors(Vec<Tensor>),
    /// A number or truth value.
    Scalar(Scalar),
    /// A list of whole numbers.
    Ints(Vec<i64>),
    /// A list of whole numbers, some of them left out.
    PartialInts(Vec<Option<i64>>),
    /// A list of numbers.
    Floats(Vec<f64>),
    /// Several tensors, some of them left out.
    OptionalTensors(Vec<Option<Tensor>>),
    /// A string.
    Str(String),
    /// An element type.
    DType(DType),
    /// A device.
    Device(Device),
    /// What this crate does not know: a module, for the constructor of another.
    Object(Rc<dyn Any>),
}

impl Arg {
    /// Its kind, which decides whether a parameter takes it.
    pub fn kind(&self) -> ArgKind {
        match self {
            Arg::None => ArgKind::Missing,
            Arg::Null => ArgKind::Null,
            Arg::Tensor(_) => ArgKind::Tensor,
            Arg::Tensors(_) => ArgKind::Tensors,
            Arg::OptionalTensors(_) => ArgKind::OptionalTensors,
            Arg::Scalar(Scalar::Bool(_)) => ArgKind::Bool,
            Arg::Scalar(Scalar::Int(_) | Scalar::Number(_)) => ArgKind::Int,
            Arg::Scalar(Scalar::Float(_) | Scalar::Symbolic(_)) => ArgKind::Float,
            Arg::Ints(values) if values.is_empty() => ArgKind::Empty,
            Arg::Ints(_) => ArgKind::Ints,
            Arg::PartialInts(values) if values.iter().all(Option::is_none) => ArgKind::Nulls,
            Arg::PartialInts(_) => ArgKind::PartialInts,
            Arg::Floats(_) => ArgKind::Floats,
            Arg::Str(_) => ArgKind::Str,
            Arg::DType(_) => ArgKind::DType,
            Arg::Device(_) => ArgKind::Device,
            Arg::Object(_) => ArgKind::Module,
        }
    }

    /// The argument in words, for a message.
    pub(crate) fn describe(&self) -> Cow<'static, str> {
        match self {
            Arg::None | Arg::Null => "nothing".into(),
            Arg::Tensor(_) => "a tensor".into(),
            Arg::Tensors(_) => "a list of tensors".into(),
            Arg::Scalar(Scalar::Bool(value)) => format!("the truth value {value}").into(),
            Arg::Scalar(scalar) => format!("the number {}", scalar.to_f64()).into(),
            Arg::Ints(values) => format!("the list {values:?}").into(),
            Arg::PartialInts(_) => "a list of numbers and nothing".into(),
            Arg::Floats(values) => format!("the list {values:?}").into(),
            Arg::OptionalTensors(_) => "a list of tensors and nothing".into(),
            Arg::Str(text) => format!("the string {text:?}").into(),
            Arg::DType(dtype) => format!("the dtype {dtype}").into(),
            Arg::Device(_) => "a device".into(),
            Arg::Object(_) => "a module".into(),
        }
    }
}

impl From<&Tensor> for Arg {
    fn from(tensor: &Tensor) -> Arg {
        Arg::Tensor(tensor.clone())
    }
}

impl<T: Into<Arg>> From<Option<T>> for Arg {
    fn from(value: Option<T>) -> Arg {
        value.map_or(Arg::Null, Into::into)
    }
}

impl From<&[Tensor]> for Arg {
    fn from(tensors: &[Tensor]) -> Arg {
        Arg::Tensors(tensors.to_vec())
    }
}

impl From<&[Option<Tensor>]> for Arg {
    fn from(tensors: &[Option<Tensor>]) -> Arg {
        Arg::OptionalTensors(tensors.to_vec())
    }
}

impl From<&[f64]> for Arg {
    fn from(values: &[f64]) -> Arg {
        Arg::Floats(values.to_vec())
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
            Padding::Named(name) => Arg::Str(name.clone()),
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

impl From<&Device> for Arg {
    fn from(device: &Device) -> Arg {
        Arg::Device(device.clone())
    }
}

macro_rules! from {
    ($($ty:ty => $variant:ident,)*) => { $(
        impl From<$ty> for Arg {
            fn from(value: $ty) -> Arg { Arg::$variant(value.into()) }
        }
    )* };
}

from! {
    Tensor => Tensor, Vec<Tensor> => Tensors, Scalar => Scalar, bool => Scalar, i32 => Scalar, i64 => Scalar, f32 => Scalar,
    f64 => Scalar, Vec<i64> => Ints, Vec<f64> => Floats, &str => Str, DType => DType,
}

/// The arguments that a parameter takes, in words.
pub(super) fn wanted(param: &Param) -> Cow<'static, str> {
    let Some((last, rest)) = param.choices.split_last() else { return of_type(param.ty).into() };
    let mut words: Vec<String> = rest.iter().map(|choice| format!("{choice:?}")).collect();
    if !matches!(param.ty, ParamType::Str | ParamType::OptionalStr) {
        words.insert(0, of_type(param.ty).to_string());
    }
    match words.is_empty() {
        true => format!("{last:?}").into(),
        false => format!("{} or {last:?}", words.join(", ")).into(),
    }
}

/// The arguments that a parameter of type `ty` takes, whatever their values.
fn of_type(ty: ParamType) -> &'static str {
    use ParamType as P;
    match ty {
        P::Tensor | P::OptionalTensor => "a tensor",
        P::Tensors | P::OptionalTensors | P::OptionalTensorList => "a list of tensors",
        P::TensorOrScalar => "a tensor or a number",
        P::Scalar | P::OptionalScalar | P::Float | P::OptionalFloat => "a number",
        P::Int | P::OptionalInt => "a whole number",
        P::Ints | P::OptionalInts | P::PartialInts | P::IntsOrStr | P::TensorOrInts => "a list of whole numbers",
        P::Floats | P::OptionalFloats | P::PartialFloats => "a list of numbers",
        P::Bool | P::OptionalBool => "true or false",
        P::Str | P::OptionalStr => "a string",
        P::DType | P::OptionalDType => "a dtype",
        P::OptionalDevice => "a device",
        P::Module | P::OptionalModule => "a module",
        P::ModuleOrStr => "a module",
    }
}

/// The argument that a default stands for.
pub(super) fn of_default(default: &Default) -> Arg {
    match default {
        Default::None => Arg::None,
        Default::Bool(value) => Arg::Scalar(Scalar::Bool(*value)),
        Default::Int(value) => Arg::Scalar(Scalar::Int(*value)),
        Default::Float(value) => Arg::Scalar(Scalar::Float(*value)),
        Default::Ints(values) => Arg::Ints(values.clone()),
        Default::Floats(values) => Arg::Floats(values.clone()),
        Default::Str(text) => Arg::Str(text.clone()),
    }
}

/// Whether a parameter's default, if it has one, is of its type.
pub(crate) fn is_default_of(param: &Param) -> bool {
    match &param.default {
        None => true,
        Some(Default::None) => param.ty.is_optional(),
        Some(default) => param.ty.kinds().contains(of_default(default).kind()),
    }
}

/// Brings an argument that a parameter of type `ty` takes into the form that the parameter's accessor reads: a number as a list of
/// one where the type is a list, whole numbers as floats, an empty list as one of tensors, a name as its dtype.
///
/// `None` where a name stands for no dtype.
pub(super) fn canonical(ty: ParamType, value: Cow<'_, Arg>) -> Option<Cow<'_, Arg>> {
    use ParamType as P;
    let converted = match (ty, &*value) {
        (
            P::Ints | P::OptionalInts | P::PartialInts | P::IntsOrStr | P::TensorOrInts,
            Arg::Scalar(scalar @ (Scalar::Int(_) | Scalar::Number(_))),
        ) => Arg::Ints(scalar.to_int().into_iter().collect()),
        (P::Floats | P::OptionalFloats | P::PartialFloats, Arg::Ints(values)) => {
            Arg::Floats(values.iter().map(|&value| value as f64).collect())
        }
        (P::PartialFloats, Arg::PartialInts(values)) => {
            Arg::Floats(values.iter().map(|value| value.map_or(f64::NAN, |value| value as f64)).collect())
        }
        (P::Floats | P::OptionalFloats | P::PartialFloats, Arg::Scalar(scalar)) => Arg::Floats(vec![scalar.to_f64()]),
        (P::Tensors | P::OptionalTensorList, Arg::Ints(_)) => Arg::Tensors(vec![]),
        (P::OptionalTensors, Arg::Tensors(tensors)) => {
            Arg::OptionalTensors(tensors.iter().cloned().map(Some).collect())
        }
        (P::OptionalTensors, Arg::Ints(_)) => Arg::OptionalTensors(vec![]),
        (P::OptionalTensors, Arg::PartialInts(values)) => Arg::OptionalTensors(vec![None; values.len()]),
        (P::DType | P::OptionalDType, Arg::Str(name)) => Arg::DType(DType::from_name(name)?),
        _ => return Some(value),
    };
    Some(Cow::Owned(converted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_of_its_parameters_type() {
        for op in crate::ops::all() {
            for param in &op.schema().params {
                assert!(is_default_of(param), "{}: {}", op.name(), param.name);
            }
        }
    }
}
