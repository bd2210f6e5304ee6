//! Dynamic arguments: how JavaScript and the conformance runner call an op.

use super::pointwise::Argument;
use crate::{
    DType, Device, Error, Operand, Result, Scalar, Tensor,
    scalar::{Ints, OptionalInts, Padding, PartialInts, TensorOrInts},
};
use lanthorn_schema::{Default, Param, ParamType, Schema};
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

/// Whether a parameter of type `ty` takes an argument of this kind.
fn takes(ty: ParamType, arg: &Arg) -> bool {
    use ParamType as P;
    let whole = |scalar: &Scalar| matches!(scalar, Scalar::Int(_));
    match arg {
        Arg::None => false,
        Arg::Null => ty.is_optional(),
        Arg::Tensor(_) => matches!(ty, P::Tensor | P::OptionalTensor | P::TensorOrScalar | P::TensorOrInts),
        Arg::Tensors(_) => matches!(ty, P::Tensors | P::OptionalTensors | P::OptionalTensorList),
        Arg::OptionalTensors(_) => ty == P::OptionalTensors,
        Arg::PartialInts(values) => match ty {
            P::PartialInts | P::PartialFloats => true,
            P::OptionalTensors => values.iter().all(Option::is_none),
            _ => false,
        },
        Arg::Scalar(Scalar::Bool(_)) => matches!(ty, P::Bool | P::OptionalBool | P::Scalar | P::OptionalScalar | P::TensorOrScalar),
        Arg::Scalar(scalar) => match ty {
            P::Int | P::OptionalInt | P::Ints | P::OptionalInts | P::PartialInts | P::IntsOrStr | P::TensorOrInts => whole(scalar),
            P::Scalar | P::OptionalScalar | P::TensorOrScalar => true,
            P::Float | P::OptionalFloat | P::Floats | P::OptionalFloats | P::PartialFloats => true,
            _ => false,
        },
        Arg::Ints(values) => match ty {
            P::Ints | P::OptionalInts | P::PartialInts | P::IntsOrStr | P::TensorOrInts => true,
            P::Floats | P::OptionalFloats | P::PartialFloats => true,
            P::Tensors | P::OptionalTensors | P::OptionalTensorList => values.is_empty(),
            _ => false,
        },
        Arg::Floats(_) => matches!(ty, P::Floats | P::OptionalFloats | P::PartialFloats),
        Arg::Str(_) => matches!(ty, P::Str | P::OptionalStr | P::IntsOrStr | P::DType | P::OptionalDType | P::ModuleOrStr),
        Arg::DType(_) => matches!(ty, P::DType | P::OptionalDType),
        Arg::Device(_) => ty == P::OptionalDevice,
        Arg::Object(_) => matches!(ty, P::Module | P::OptionalModule | P::ModuleOrStr),
    }
}

/// What a parameter of type `ty` takes, in words.
fn wanted(ty: ParamType) -> &'static str {
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
        P::ModuleOrStr => "a module or the name of an op",
    }
}

/// The argument that a default stands for.
fn of_default(default: &Default) -> Arg {
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
        Some(default) => takes(param.ty, &of_default(default)),
    }
}

/// An argument in the form that its parameter's type has.
#[derive(Clone)]
enum Bound<'a> {
    Plain(Cow<'a, Arg>),
    Operand(Operand),
    Ints(Ints),
    OptionalInts(OptionalInts),
    PartialInts(PartialInts),
    Padding(Padding),
    TensorOrInts(TensorOrInts),
}

impl<'a> Bound<'a> {
    /// Brings an argument that the type takes into its form: whole numbers as numbers, one as a list of one.
    fn new(ty: ParamType, value: Cow<'a, Arg>) -> Option<Bound<'a>> {
        use ParamType as P;
        let converted = match (ty, &*value) {
            (P::TensorOrScalar, Arg::Tensor(tensor)) => return Some(Bound::Operand(tensor.into())),
            (P::TensorOrScalar, Arg::Scalar(scalar)) => return Some(Bound::Operand((*scalar).into())),
            (P::Ints, arg) => return whole_numbers(arg).map(Bound::Ints),
            (P::OptionalInts, Arg::None | Arg::Null) => return Some(Bound::OptionalInts(().into())),
            (P::OptionalInts, arg) => return whole_numbers(arg).map(|ints| Bound::OptionalInts((&ints).into())),
            (P::PartialInts, Arg::PartialInts(values)) => return Some(Bound::PartialInts(values.clone().into())),
            (P::PartialInts, arg) => return whole_numbers(arg).map(|ints| Bound::PartialInts(ints.into())),
            (P::IntsOrStr, Arg::Str(name)) => return Some(Bound::Padding(name.as_str().into())),
            (P::IntsOrStr, arg) => return whole_numbers(arg).map(|ints| Bound::Padding(ints.into())),
            (P::TensorOrInts, Arg::Tensor(tensor)) => return Some(Bound::TensorOrInts(tensor.into())),
            (P::TensorOrInts, arg) => return whole_numbers(arg).map(|ints| Bound::TensorOrInts(ints.into())),
            (P::Floats | P::OptionalFloats | P::PartialFloats, Arg::Ints(values)) => {
                Arg::Floats(values.iter().map(|&value| value as f64).collect())
            }
            (P::PartialFloats, Arg::PartialInts(values)) => {
                Arg::Floats(values.iter().map(|value| value.map_or(f64::NAN, |value| value as f64)).collect())
            }
            (P::Floats | P::OptionalFloats | P::PartialFloats, Arg::Scalar(scalar)) => Arg::Floats(vec![scalar.to_f64()]),
            (P::Tensors | P::OptionalTensorList, Arg::Ints(_)) => Arg::Tensors(vec![]),
            (P::OptionalTensors, Arg::Tensors(tensors)) => Arg::OptionalTensors(tensors.iter().cloned().map(Some).collect()),
            (P::OptionalTensors, Arg::Ints(_)) => Arg::OptionalTensors(vec![]),
            (P::OptionalTensors, Arg::PartialInts(values)) => Arg::OptionalTensors(vec![None; values.len()]),
            (P::DType | P::OptionalDType, Arg::Str(name)) => Arg::DType(DType::from_name(name)?),
            _ => return Some(Bound::Plain(value)),
        };
        Some(Bound::Plain(Cow::Owned(converted)))
    }

    fn into_owned(self) -> Bound<'static> {
        match self {
            Bound::Plain(arg) => Bound::Plain(Cow::Owned(arg.into_owned())),
            Bound::Operand(operand) => Bound::Operand(operand),
            Bound::Ints(ints) => Bound::Ints(ints),
            Bound::OptionalInts(ints) => Bound::OptionalInts(ints),
            Bound::PartialInts(ints) => Bound::PartialInts(ints),
            Bound::Padding(padding) => Bound::Padding(padding),
            Bound::TensorOrInts(either) => Bound::TensorOrInts(either),
        }
    }

    fn to_arg(&self) -> Arg {
        match self {
            Bound::Plain(arg) => arg.clone().into_owned(),
            Bound::Operand(Operand::Tensor(tensor)) | Bound::TensorOrInts(TensorOrInts::Tensor(tensor)) => {
                Arg::Tensor(tensor.clone())
            }
            Bound::Operand(Operand::Scalar(scalar)) => Arg::Scalar(*scalar),
            Bound::Ints(ints) | Bound::Padding(Padding::Sizes(ints)) | Bound::TensorOrInts(TensorOrInts::Ints(ints)) => {
                Arg::Ints(ints.to_vec())
            }
            Bound::OptionalInts(ints) => ints.as_slice().map_or(Arg::None, |ints| Arg::Ints(ints.to_vec())),
            Bound::PartialInts(ints) => Arg::PartialInts(ints.as_slice().to_vec()),
            Bound::Padding(Padding::Named(name)) => Arg::Str(name.clone()),
        }
    }
}

/// A list of whole numbers; one stands for a list of one.
fn whole_numbers(arg: &Arg) -> Option<Ints> {
    match arg {
        Arg::Ints(values) => Some(values.as_slice().into()),
        Arg::Scalar(Scalar::Int(value)) => Some((*value).into()),
        _ => None,
    }
}

/// The arguments of one call, in the schema's order, checked against its types, defaults filled in.
///
/// An argument is asked for by its place, as what the schema says it is: asking for another type is the program's mistake, and a panic.
pub struct Args<'a> {
    values: Vec<Bound<'a>>,
}

impl<'a> Args<'a> {
    /// Fills in defaults, and checks that nothing required is missing and that every argument is of its parameter's type.
    pub fn bind(schema: &Schema, given: &'a [Arg]) -> Result<Args<'a>> {
        let params = &schema.params;
        let refused = |message: String| Error::argument(&schema.name, message);
        if given.len() > params.len() {
            return Err(refused(format!("takes {} arguments, {} were given: {schema}", params.len(), given.len())));
        }
        let mut values = Vec::with_capacity(params.len());
        for (i, param) in params.iter().enumerate() {
            let value = match (given.get(i), &param.default) {
                (Some(Arg::Null), _) if param.ty.is_optional() => Cow::Owned(Arg::Null),
                (Some(Arg::None | Arg::Null) | None, Some(default)) => Cow::Owned(of_default(default)),
                (Some(Arg::None | Arg::Null) | None, None) => {
                    return Err(refused(format!("the argument {} is missing: {schema}", param.name)));
                }
                (Some(value), _) => Cow::Borrowed(value),
            };
            let described = |wanted: &str| {
                refused(format!(
                    "the argument {} takes {wanted}, not {}",
                    param.name,
                    given.get(i).unwrap_or(&Arg::None).describe()
                ))
            };
            if matches!(value, Cow::Borrowed(arg) if !takes(param.ty, arg)) {
                return Err(described(wanted(param.ty)));
            }
            // A name is the one thing of the right kind that can yet be wrong.
            let names = "a dtype: float32, float64, float16, bfloat16, int32, int64, uint8 or bool";
            values.push(Bound::new(param.ty, value).ok_or_else(|| described(names))?);
        }
        Ok(Args { values })
    }

    /// [`Args::bind`] on copies, for a call that outlives its caller.
    pub fn bind_owned(schema: &Schema, given: &[Arg]) -> Result<Args<'static>> {
        let values = Args::bind(schema, given)?.values;
        Ok(Args { values: values.into_iter().map(Bound::into_owned).collect() })
    }

    /// Whether arguments are of the kinds that a schema's parameters take: what tells overloads apart.
    pub(crate) fn fits(schema: &Schema, given: &[Arg]) -> bool {
        given.len() <= schema.params.len()
            && schema.params.iter().enumerate().all(|(place, param)| match given.get(place) {
                Some(Arg::None | Arg::Null) | None => param.default.is_some(),
                Some(arg) => takes(param.ty, arg),
            })
    }

    /// The arguments, defaults filled in.
    pub fn to_vec(&self) -> Vec<Arg> {
        self.values.iter().map(Bound::to_arg).collect()
    }

    /// The arguments of a formula: all are tensors or numbers.
    pub(super) fn operands(&self) -> Vec<Argument> {
        let operand = |value: &Bound<'_>| match value {
            Bound::Operand(operand) => Argument::operand(operand),
            Bound::Plain(arg) => match &**arg {
                Arg::Tensor(tensor) => Argument::tensor(tensor),
                Arg::Scalar(scalar) => Argument::parameter(*scalar),
                _ => unasked(),
            },
            _ => unasked(),
        };
        self.values.iter().map(operand).collect()
    }

    fn plain(&self, place: usize) -> &Arg {
        match &self.values[place] {
            Bound::Plain(arg) => arg,
            _ => unasked(),
        }
    }

    fn given(&self, place: usize) -> bool {
        !matches!(self.plain(place), Arg::None | Arg::Null)
    }

    /// Argument `place`: a tensor.
    pub fn tensor(&self, place: usize) -> &Tensor {
        match self.plain(place) {
            Arg::Tensor(tensor) => tensor,
            _ => unasked(),
        }
    }

    /// Argument `place`: a tensor, or none.
    pub fn optional_tensor(&self, place: usize) -> Option<&Tensor> {
        self.given(place).then(|| self.tensor(place))
    }

    /// Argument `place`: a list of tensors.
    pub fn tensors(&self, place: usize) -> &[Tensor] {
        match self.plain(place) {
            Arg::Tensors(tensors) => tensors,
            _ => unasked(),
        }
    }

    /// Argument `place`: a list of tensors, or none.
    pub fn optional_tensor_list(&self, place: usize) -> Option<&[Tensor]> {
        self.given(place).then(|| self.tensors(place))
    }

    /// Argument `place`: what another crate has wrapped.
    pub fn object(&self, place: usize) -> &Rc<dyn Any> {
        match self.plain(place) {
            Arg::Object(object) => object,
            _ => unasked(),
        }
    }

    /// Argument `place`: what another crate has wrapped, or none.
    pub fn optional_object(&self, place: usize) -> Option<&Rc<dyn Any>> {
        self.given(place).then(|| self.object(place))
    }

    /// Argument `place`: what another crate has wrapped, or else a string.
    pub fn object_or_str(&self, place: usize) -> std::result::Result<&Rc<dyn Any>, &str> {
        match self.plain(place) {
            Arg::Str(name) => Err(name),
            _ => Ok(self.object(place)),
        }
    }

    /// Argument `place`: a tensor or a number.
    pub fn operand(&self, place: usize) -> &Operand {
        match &self.values[place] {
            Bound::Operand(operand) => operand,
            _ => unasked(),
        }
    }

    /// Argument `place`: a number.
    pub fn scalar(&self, place: usize) -> Scalar {
        match self.plain(place) {
            Arg::Scalar(scalar) => *scalar,
            _ => unasked(),
        }
    }

    /// Argument `place`: a number, or none.
    pub fn optional_scalar(&self, place: usize) -> Option<Scalar> {
        self.given(place).then(|| self.scalar(place))
    }

    /// Argument `place`: a whole number.
    pub fn int(&self, place: usize) -> i64 {
        match self.scalar(place) {
            Scalar::Int(value) => value,
            _ => unasked(),
        }
    }

    /// Argument `place`: a whole number, or none.
    pub fn optional_int(&self, place: usize) -> Option<i64> {
        self.given(place).then(|| self.int(place))
    }

    /// Argument `place`: a list of whole numbers.
    pub fn ints(&self, place: usize) -> &Ints {
        match &self.values[place] {
            Bound::Ints(ints) => ints,
            _ => unasked(),
        }
    }

    /// Argument `place`: a list of whole numbers, or none.
    pub fn optional_ints(&self, place: usize) -> &OptionalInts {
        match &self.values[place] {
            Bound::OptionalInts(ints) => ints,
            _ => unasked(),
        }
    }

    /// Argument `place`: a list of whole numbers, some of them left out.
    pub fn partial_ints(&self, place: usize) -> &PartialInts {
        match &self.values[place] {
            Bound::PartialInts(ints) => ints,
            _ => unasked(),
        }
    }

    /// Argument `place`: sizes, or the name of a rule for them.
    pub fn padding(&self, place: usize) -> &Padding {
        match &self.values[place] {
            Bound::Padding(padding) => padding,
            _ => unasked(),
        }
    }

    /// Argument `place`: a floating-point number.
    pub fn float(&self, place: usize) -> f64 {
        self.scalar(place).to_f64()
    }

    /// Argument `place`: a floating-point number, or none.
    pub fn optional_float(&self, place: usize) -> Option<f64> {
        self.given(place).then(|| self.float(place))
    }

    /// Argument `place`: a list of numbers, NaN for those that are left out.
    pub fn floats(&self, place: usize) -> &[f64] {
        match self.plain(place) {
            Arg::Floats(values) => values,
            _ => unasked(),
        }
    }

    /// Argument `place`: a list of numbers, or none.
    pub fn optional_floats(&self, place: usize) -> Option<&[f64]> {
        self.given(place).then(|| self.floats(place))
    }

    /// Argument `place`: a list of tensors, some of them left out.
    pub fn optional_tensors(&self, place: usize) -> &[Option<Tensor>] {
        match self.plain(place) {
            Arg::OptionalTensors(tensors) => tensors,
            _ => unasked(),
        }
    }

    /// Argument `place`: a tensor or a list of whole numbers.
    pub fn tensor_or_ints(&self, place: usize) -> &TensorOrInts {
        match &self.values[place] {
            Bound::TensorOrInts(either) => either,
            _ => unasked(),
        }
    }

    /// Argument `place`: a truth value.
    pub fn bool(&self, place: usize) -> bool {
        match self.plain(place) {
            Arg::Scalar(Scalar::Bool(value)) => *value,
            _ => unasked(),
        }
    }

    /// Argument `place`: a truth value, or none.
    pub fn optional_bool(&self, place: usize) -> Option<bool> {
        self.given(place).then(|| self.bool(place))
    }

    /// Argument `place`: a string.
    pub fn str(&self, place: usize) -> &str {
        match self.plain(place) {
            Arg::Str(text) => text,
            _ => unasked(),
        }
    }

    /// Argument `place`: a string, or none.
    pub fn optional_str(&self, place: usize) -> Option<&str> {
        self.given(place).then(|| self.str(place))
    }

    /// Argument `place`: an element type.
    pub fn dtype(&self, place: usize) -> DType {
        match self.plain(place) {
            Arg::DType(dtype) => *dtype,
            _ => unasked(),
        }
    }

    /// Argument `place`: an element type, or none.
    pub fn optional_dtype(&self, place: usize) -> Option<DType> {
        self.given(place).then(|| self.dtype(place))
    }

    /// Argument `place`: a device, or none.
    pub fn optional_device(&self, place: usize) -> Option<&Device> {
        match self.plain(place) {
            Arg::Device(device) => Some(device),
            _ => None,
        }
    }
}

#[cold]
fn unasked() -> ! {
    unreachable!("an argument is asked for as its schema's type")
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
