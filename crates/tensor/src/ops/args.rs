//! Dynamic arguments: how JavaScript and the conformance runner call an op.

use crate::{
    DType, Device, Error, Operand, Result, Scalar, Tensor,
    scalar::{Ints, OptionalInts, Padding, PartialInts, TensorOrInts},
};
use lanthorn_schema::{Default, ParamType, Schema};
use std::borrow::Cow;

/// One dynamic argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// Not given: the default is taken.
    None,
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
}

impl Arg {
    fn describe(&self) -> Cow<'static, str> {
        match self {
            Arg::None => "nothing".into(),
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
        }
    }
}

/// Whether a parameter of type `ty` takes an argument of this kind.
fn takes(ty: ParamType, arg: &Arg) -> bool {
    use ParamType as P;
    let whole =
        |scalar: &Scalar| matches!(scalar, Scalar::Int(_)) || matches!(scalar, Scalar::Float(value) if value.fract() == 0.0);
    match arg {
        Arg::None => false,
        Arg::Tensor(_) => matches!(ty, P::Tensor | P::OptionalTensor | P::TensorOrScalar | P::TensorOrInts),
        Arg::Tensors(_) => matches!(ty, P::Tensors | P::OptionalTensors),
        Arg::OptionalTensors(_) => ty == P::OptionalTensors,
        Arg::PartialInts(values) => match ty {
            P::PartialInts => true,
            P::OptionalTensors => values.iter().all(Option::is_none),
            _ => false,
        },
        Arg::Scalar(Scalar::Bool(_)) => matches!(ty, P::Bool | P::OptionalBool | P::Scalar | P::OptionalScalar | P::TensorOrScalar),
        Arg::Scalar(scalar) => match ty {
            P::Int | P::OptionalInt | P::Ints | P::OptionalInts | P::PartialInts | P::IntsOrStr | P::TensorOrInts => whole(scalar),
            P::Scalar | P::OptionalScalar | P::TensorOrScalar => true,
            P::Float | P::OptionalFloat | P::Floats | P::OptionalFloats => true,
            _ => false,
        },
        Arg::Ints(values) => match ty {
            P::Ints | P::OptionalInts | P::PartialInts | P::IntsOrStr | P::TensorOrInts | P::Floats | P::OptionalFloats => true,
            P::Tensors | P::OptionalTensors => values.is_empty(),
            _ => false,
        },
        Arg::Floats(_) => matches!(ty, P::Floats | P::OptionalFloats),
        Arg::Str(_) => matches!(ty, P::Str | P::OptionalStr | P::IntsOrStr | P::DType | P::OptionalDType),
        Arg::DType(_) => matches!(ty, P::DType | P::OptionalDType),
        Arg::Device(_) => ty == P::OptionalDevice,
    }
}

/// An argument as a parameter of type `ty` holds it: whole numbers as numbers, one as a list of one.
fn convert(ty: ParamType, value: Cow<'_, Arg>) -> Cow<'_, Arg> {
    let converted = match (ty, &*value) {
        (ParamType::Floats | ParamType::OptionalFloats, Arg::Ints(values)) => {
            Arg::Floats(values.iter().map(|&value| value as f64).collect())
        }
        (ParamType::Floats | ParamType::OptionalFloats, Arg::Scalar(scalar @ (Scalar::Int(_) | Scalar::Float(_)))) => {
            Arg::Floats(vec![scalar.to_f64()])
        }
        (ParamType::OptionalTensors, Arg::Tensors(tensors)) => Arg::OptionalTensors(tensors.iter().cloned().map(Some).collect()),
        (ParamType::OptionalTensors, Arg::Ints(values)) if values.is_empty() => Arg::OptionalTensors(vec![]),
        (ParamType::OptionalTensors, Arg::PartialInts(values)) if values.iter().all(Option::is_none) => {
            Arg::OptionalTensors(vec![None; values.len()])
        }
        _ => return value,
    };
    Cow::Owned(converted)
}

/// The arguments of one call, in the schema's order, defaults filled in.
pub struct Args<'a> {
    schema: &'a Schema,
    values: Vec<Cow<'a, Arg>>,
}

impl<'a> Args<'a> {
    /// Fills in defaults and checks that nothing required is missing.
    pub fn bind(schema: &'a Schema, given: &'a [Arg]) -> Result<Args<'a>> {
        let params = &schema.params;
        if given.len() > params.len() {
            let message = format!("takes {} arguments, {} were given: {schema}", params.len(), given.len());
            return Err(Error::argument(&schema.name, message));
        }
        let values = params.iter().enumerate().map(|(i, param)| match (given.get(i), &param.default) {
            (Some(Arg::None) | None, Some(default)) => Ok(Cow::Owned(match default {
                Default::None => Arg::None,
                Default::Bool(value) => Arg::Scalar(Scalar::Bool(*value)),
                Default::Int(value) => Arg::Scalar(Scalar::Int(*value)),
                Default::Float(value) => Arg::Scalar(Scalar::Float(*value)),
                Default::Ints(values) => Arg::Ints(values.clone()),
                Default::Str(text) => Arg::Str(text.clone()),
            })),
            (Some(Arg::None) | None, None) => {
                Err(Error::argument(&schema.name, format!("the argument {} is missing: {schema}", param.name)))
            }
            (Some(value), _) => Ok(Cow::Borrowed(value)),
        });
        let converted = params.iter().zip(values).map(|(param, value)| Ok(convert(param.ty, value?)));
        Ok(Args { schema, values: converted.collect::<Result<_>>()? })
    }

    /// [`Args::bind`] on copies, for a call that outlives its caller.
    pub fn bind_owned(schema: &'static Schema, given: &[Arg]) -> Result<Args<'static>> {
        let values = Args::bind(schema, given)?.values;
        Ok(Args { schema, values: values.into_iter().map(|value| Cow::Owned(value.into_owned())).collect() })
    }

    /// Whether arguments are of the kinds that a schema's parameters take: what tells overloads apart.
    pub(crate) fn fits(schema: &Schema, given: &[Arg]) -> bool {
        given.len() <= schema.params.len()
            && schema.params.iter().enumerate().all(|(place, param)| match given.get(place) {
                Some(Arg::None) | None => param.default.is_some(),
                Some(arg) => takes(param.ty, arg),
            })
    }

    /// The arguments, defaults filled in.
    pub fn to_vec(&self) -> Vec<Arg> {
        self.values.iter().map(|value| value.clone().into_owned()).collect()
    }

    fn wrong<T>(&self, place: usize, wanted: &str) -> Result<T> {
        let param = &self.schema.params[place];
        let message = format!("the argument {} takes {wanted}, not {}", param.name, self.values[place].describe());
        Err(Error::argument(&self.schema.name, message))
    }

    fn is_none(&self, place: usize) -> bool {
        matches!(*self.values[place], Arg::None)
    }

    /// Argument `place`: a tensor.
    pub fn tensor(&self, place: usize) -> Result<&Tensor> {
        match &*self.values[place] {
            Arg::Tensor(tensor) => Ok(tensor),
            _ => self.wrong(place, "a tensor"),
        }
    }

    /// Argument `place`: a tensor, or none.
    pub fn optional_tensor(&self, place: usize) -> Result<Option<&Tensor>> {
        if self.is_none(place) { Ok(None) } else { self.tensor(place).map(Some) }
    }

    /// Argument `place`: a list of tensors.
    pub fn tensors(&self, place: usize) -> Result<&[Tensor]> {
        match &*self.values[place] {
            Arg::Tensors(tensors) => Ok(tensors),
            Arg::Ints(values) if values.is_empty() => Ok(&[]),
            _ => self.wrong(place, "a list of tensors"),
        }
    }

    /// Argument `place`: a tensor or a number.
    pub fn operand(&self, place: usize) -> Result<Operand> {
        match &*self.values[place] {
            Arg::Tensor(tensor) => Ok(Operand::Tensor(tensor.clone())),
            Arg::Scalar(scalar) => Ok(Operand::Scalar(*scalar)),
            _ => self.wrong(place, "a tensor or a number"),
        }
    }

    /// Argument `place`: a number.
    pub fn scalar(&self, place: usize) -> Result<Scalar> {
        match &*self.values[place] {
            Arg::Scalar(scalar) => Ok(*scalar),
            _ => self.wrong(place, "a number"),
        }
    }

    /// Argument `place`: a number, or none.
    pub fn optional_scalar(&self, place: usize) -> Result<Option<Scalar>> {
        if self.is_none(place) { Ok(None) } else { self.scalar(place).map(Some) }
    }

    /// Argument `place`: a whole number.
    pub fn int(&self, place: usize) -> Result<i64> {
        match *self.values[place] {
            Arg::Scalar(Scalar::Int(value)) => Ok(value),
            // JavaScript has one kind of number.
            Arg::Scalar(Scalar::Float(value)) if value.fract() == 0.0 => Ok(value as i64),
            _ => self.wrong(place, "a whole number"),
        }
    }

    /// Argument `place`: a whole number, or none.
    pub fn optional_int(&self, place: usize) -> Result<Option<i64>> {
        if self.is_none(place) { Ok(None) } else { self.int(place).map(Some) }
    }

    /// Argument `place`: a list of whole numbers; one stands for a list of one.
    pub fn ints(&self, place: usize) -> Result<Ints> {
        match &*self.values[place] {
            Arg::Ints(values) => Ok(values.as_slice().into()),
            Arg::Scalar(_) => match self.int(place) {
                Ok(value) => Ok(value.into()),
                Err(_) => self.wrong(place, "a list of whole numbers"),
            },
            _ => self.wrong(place, "a list of whole numbers"),
        }
    }

    /// Argument `place`: a list of whole numbers, or none.
    pub fn optional_ints(&self, place: usize) -> Result<OptionalInts> {
        if self.is_none(place) { Ok(().into()) } else { Ok((&self.ints(place)?).into()) }
    }

    /// Argument `place`: a list of whole numbers, some of them left out.
    pub fn partial_ints(&self, place: usize) -> Result<PartialInts> {
        match &*self.values[place] {
            Arg::PartialInts(values) => Ok(values.clone().into()),
            _ => Ok(self.ints(place)?.into()),
        }
    }

    /// Argument `place`: sizes, or the name of a rule for them.
    pub fn padding(&self, place: usize) -> Result<Padding> {
        match &*self.values[place] {
            Arg::Str(name) => Ok(name.as_str().into()),
            _ => Ok(self.ints(place)?.into()),
        }
    }

    /// Argument `place`: a floating-point number.
    pub fn float(&self, place: usize) -> Result<f64> {
        match *self.values[place] {
            Arg::Scalar(scalar @ (Scalar::Int(_) | Scalar::Float(_))) => Ok(scalar.to_f64()),
            _ => self.wrong(place, "a number"),
        }
    }

    /// Argument `place`: a floating-point number, or none.
    pub fn optional_float(&self, place: usize) -> Result<Option<f64>> {
        if self.is_none(place) { Ok(None) } else { self.float(place).map(Some) }
    }

    /// Argument `place`: a list of numbers; one stands for a list of one.
    pub fn floats(&self, place: usize) -> Result<&[f64]> {
        match &*self.values[place] {
            Arg::Floats(values) => Ok(values),
            _ => self.wrong(place, "a list of numbers"),
        }
    }

    /// Argument `place`: a list of numbers, or none.
    pub fn optional_floats(&self, place: usize) -> Result<Option<&[f64]>> {
        if self.is_none(place) { Ok(None) } else { self.floats(place).map(Some) }
    }

    /// Argument `place`: a list of tensors, some of them left out.
    pub fn optional_tensors(&self, place: usize) -> Result<&[Option<Tensor>]> {
        match &*self.values[place] {
            Arg::OptionalTensors(tensors) => Ok(tensors),
            _ => self.wrong(place, "a list of tensors"),
        }
    }

    /// Argument `place`: a tensor or a list of whole numbers.
    pub fn tensor_or_ints(&self, place: usize) -> Result<TensorOrInts> {
        match &*self.values[place] {
            Arg::Tensor(tensor) => Ok(TensorOrInts::Tensor(tensor.clone())),
            _ => Ok(TensorOrInts::Ints(self.ints(place)?)),
        }
    }

    /// Argument `place`: a truth value.
    pub fn bool(&self, place: usize) -> Result<bool> {
        match *self.values[place] {
            Arg::Scalar(Scalar::Bool(value)) => Ok(value),
            _ => self.wrong(place, "true or false"),
        }
    }

    /// Argument `place`: a truth value, or none.
    pub fn optional_bool(&self, place: usize) -> Result<Option<bool>> {
        if self.is_none(place) { Ok(None) } else { self.bool(place).map(Some) }
    }

    /// Argument `place`: a string, or none.
    pub fn optional_str(&self, place: usize) -> Result<Option<&str>> {
        if self.is_none(place) { Ok(None) } else { self.str(place).map(Some) }
    }

    /// Argument `place`: a string.
    pub fn str(&self, place: usize) -> Result<&str> {
        match &*self.values[place] {
            Arg::Str(text) => Ok(text),
            _ => self.wrong(place, "a string"),
        }
    }

    /// Argument `place`: an element type, or its name.
    pub fn dtype(&self, place: usize) -> Result<DType> {
        match &*self.values[place] {
            Arg::DType(dtype) => Ok(*dtype),
            Arg::Str(name) => match DType::from_name(name) {
                Some(dtype) => Ok(dtype),
                None => self.wrong(place, "a dtype: float32, float64, float16, bfloat16, int32, int64, uint8 or bool"),
            },
            _ => self.wrong(place, "a dtype"),
        }
    }

    /// Argument `place`: an element type, or none.
    pub fn optional_dtype(&self, place: usize) -> Result<Option<DType>> {
        if self.is_none(place) { Ok(None) } else { self.dtype(place).map(Some) }
    }

    /// Argument `place`: a device, or none.
    pub fn optional_device(&self, place: usize) -> Result<Option<&Device>> {
        match &*self.values[place] {
            Arg::None => Ok(None),
            Arg::Device(device) => Ok(Some(device)),
            _ => self.wrong(place, "a device"),
        }
    }
}
