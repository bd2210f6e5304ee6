//! Inputs declared with each op: all backends are compared on them, and the gradient check
//! differentiates them.
//!
//! A sample is a description, not data: a runner makes its tensors on the device and in the type
//! that it tests, also as strided views. The numbers come from a fixed linear congruential
//! generator.

use crate::{DType, Device, Result, Scalar, Tensor, ops::Arg};
use lanthorn_ir::element;

/// One call's arguments, in the schema's order.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The arguments.
    pub args: Vec<SampleArg>,
}

/// An argument of a sample.
#[derive(Clone, Debug)]
pub enum SampleArg {
    /// A tensor.
    Tensor(TensorSpec),
    /// Several tensors.
    Tensors(Vec<TensorSpec>),
    /// Square matrices far from singular, their eigenvalues apart: of a form, with 2, 4, 6 and so
    /// on added along the diagonal.
    Matrices(TensorSpec, Form),
    /// Anything else.
    Value(Arg),
}

/// The form of square matrices. An op that reads one triangle has a derivative along directions of
/// the same form alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Any.
    General,
    /// Symmetric.
    Symmetric,
    /// Zero above the diagonal.
    Lower,
    /// Zero below the diagonal.
    Upper,
}

impl Form {
    /// A matrix of this form made of any: its triangle, or the sum with its transpose, which is the
    /// same number in every type.
    ///
    /// # Errors
    ///
    /// The error of the device.
    pub fn of(self, x: &Tensor) -> Result<Tensor> {
        match self {
            Form::General => Ok(x.clone()),
            Form::Symmetric => x.add(&x.transpose(-2, -1)?),
            Form::Lower => x.tril(0),
            Form::Upper => x.triu(0),
        }
    }
}

/// A tensor to be made.
#[derive(Clone, Debug)]
pub struct TensorSpec {
    /// The sizes.
    pub shape: Vec<i64>,
    /// The element type; a runner may ask for float64 in place of float32.
    pub dtype: DType,
    /// The smallest value.
    pub low: f64,
    /// The value that none reaches.
    pub high: f64,
}

impl TensorSpec {
    /// The elements in row-major order; `seed` makes the tensors of a sample different.
    pub fn values(&self, seed: u32) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9E37_79B9).wrapping_add(12345);
        let count = self.shape.iter().product::<i64>();
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let unit = f64::from(state >> 8) / f64::from(1 << 24);
            let value = self.low + unit * (self.high - self.low);
            // The same number in every type that may hold it.
            if self.dtype.is_floating_point() { f64::from(value as f32) } else { value.floor() }
        };
        (0..count).map(next).collect()
    }

    /// The tensor on a device; a float one in the type `float`.
    ///
    /// # Errors
    ///
    /// The error of the device.
    pub fn make(&self, seed: u32, float: DType, device: &Device) -> Result<Tensor> {
        let dtype = if self.dtype.is_floating_point() { float } else { self.dtype };
        Tensor::from_bytes(dtype, &to_bytes(&self.values(seed), dtype), self.shape.clone(), device)
    }
}

/// Numbers as the bytes of a tensor of type `dtype`.
pub fn to_bytes(values: &[f64], dtype: DType) -> Vec<u8> {
    element::to_bytes(dtype, values)
}

/// The bytes of a tensor of type `dtype` as numbers. An int64 beyond 2^53 becomes the nearest
/// float64.
pub fn from_bytes(bytes: &[u8], dtype: DType) -> Vec<f64> {
    element::from_bytes(dtype, bytes)
}

impl Sample {
    /// A call's arguments, in the schema's order.
    ///
    /// ```
    /// # use lanthorn_tensor as lanthorn;
    /// use lanthorn::samples::{Sample, float, real};
    /// let sample = Sample::new([real(&[2, 3], -1.0, 1.0), float(0.5)]);
    /// assert_eq!(sample.args.len(), 2);
    /// ```
    pub fn new(args: impl IntoIterator<Item = SampleArg>) -> Sample {
        Sample { args: args.into_iter().collect() }
    }

    /// The dynamic arguments of the call, with float tensors of type `float`; each tensor goes
    /// through `view`.
    ///
    /// # Errors
    ///
    /// The error of the device, or of `view`.
    pub fn make(
        &self,
        float: DType,
        device: &Device,
        mut view: impl FnMut(Tensor) -> Result<Tensor>,
    ) -> Result<Vec<Arg>> {
        let mut seed = 0;
        let mut made = |spec: &TensorSpec, change: &dyn Fn(Tensor) -> Result<Tensor>| {
            seed += 1;
            view(change(spec.make(seed, float, device)?)?)
        };
        let args = self.args.iter().map(|arg| {
            Ok(match arg {
                SampleArg::Tensor(spec) => Arg::Tensor(made(spec, &Ok)?),
                SampleArg::Tensors(specs) => {
                    Arg::Tensors(specs.iter().map(|spec| made(spec, &Ok)).collect::<Result<_>>()?)
                }
                SampleArg::Matrices(spec, form) => Arg::Tensor(made(spec, &|x| grade(&form.of(&x)?))?),
                SampleArg::Value(Arg::DType(DType::F32)) => Arg::DType(float),
                SampleArg::Value(value) => value.clone(),
            })
        });
        args.collect()
    }

    /// The form of float tensor number `position` of the arguments.
    pub fn form(&self, position: usize) -> Form {
        let tensors = self.args.iter().flat_map(|arg| match arg {
            SampleArg::Tensor(spec) => vec![(spec, Form::General)],
            SampleArg::Matrices(spec, form) => vec![(spec, *form)],
            SampleArg::Tensors(specs) => specs.iter().map(|spec| (spec, Form::General)).collect(),
            SampleArg::Value(_) => vec![],
        });
        let mut floats = tensors.filter(|(spec, _)| spec.dtype.is_floating_point());
        floats.nth(position).map_or(Form::General, |(_, form)| form)
    }
}

/// Square matrices with 2, 4, 6 and so on added along the diagonal. The numbers keep few enough
/// digits to be the same in every type.
fn grade(x: &Tensor) -> Result<Tensor> {
    let size = x.shape().last().copied().unwrap_or(0) as i64;
    let diagonal = Tensor::arange_with(1, size + 1, 1, None, Some(x.device()))?.mul(2)?.to(x.dtype())?;
    let coarse = x.mul(4096.0)?.round()?.div(4096.0)?;
    Ok(coarse.add(&diagonal.diag_embed(0, -2, -1)?)?.detach())
}

/// A float tensor with values from `low` to below `high`.
pub fn real(shape: &[i64], low: f64, high: f64) -> SampleArg {
    tensor(shape, DType::F32, low, high)
}

/// A tensor of any type, with values from `low` to below `high`, which of integers are whole.
pub fn tensor(shape: &[i64], dtype: DType, low: f64, high: f64) -> SampleArg {
    SampleArg::Tensor(spec(shape, dtype, low, high))
}

pub(crate) fn spec(shape: &[i64], dtype: DType, low: f64, high: f64) -> TensorSpec {
    TensorSpec { shape: shape.to_vec(), dtype, low, high }
}

/// Matrices far from singular.
pub(crate) fn graded_matrix(shape: &[i64]) -> SampleArg {
    matrix(shape, Form::General)
}

/// Matrices of a form; symmetric ones are positive-definite.
pub(crate) fn matrix(shape: &[i64], form: Form) -> SampleArg {
    SampleArg::Matrices(spec(shape, DType::F32, -0.4, 0.4), form)
}

/// An int32 tensor of indices below `high`.
pub fn index(shape: &[i64], high: i64) -> SampleArg {
    tensor(shape, DType::I32, 0.0, high as f64)
}

/// A whole number.
pub fn int(value: i64) -> SampleArg {
    SampleArg::Value(Arg::Scalar(Scalar::Int(value)))
}

/// A floating-point number.
pub fn float(value: f64) -> SampleArg {
    SampleArg::Value(Arg::Scalar(Scalar::Float(value)))
}

/// A truth value.
pub fn flag(value: bool) -> SampleArg {
    SampleArg::Value(Arg::Scalar(Scalar::Bool(value)))
}

/// A list of whole numbers.
pub fn ints(values: &[i64]) -> SampleArg {
    SampleArg::Value(Arg::Ints(values.to_vec()))
}

pub(crate) fn partial_ints(values: &[Option<i64>]) -> SampleArg {
    SampleArg::Value(Arg::PartialInts(values.to_vec()))
}

pub(crate) fn floats(values: &[f64]) -> SampleArg {
    SampleArg::Value(Arg::Floats(values.to_vec()))
}

/// A string.
pub fn text(value: &str) -> SampleArg {
    SampleArg::Value(Arg::Str(value.to_string()))
}

/// An element type; float32 becomes the type that a runner tests.
pub fn dtype(value: DType) -> SampleArg {
    SampleArg::Value(Arg::DType(value))
}

/// An argument that is left out.
pub const NONE: SampleArg = SampleArg::Value(Arg::Missing);

/// Samples from lists of arguments.
pub(crate) fn calls<const N: usize>(calls: [Vec<SampleArg>; N]) -> Vec<Sample> {
    calls.into_iter().map(|args| Sample { args }).collect()
}

/// A function of one float tensor with values in a range: matrix, vector, 0-d, empty.
pub(crate) fn unary(low: f64, high: f64) -> Vec<Sample> {
    [&[5, 7][..], &[300], &[], &[0, 3], &[2, 1, 3, 4]].map(|shape| Sample { args: vec![real(shape, low, high)] }).into()
}

/// [`unary`] with integers and bools as well, which the op takes or turns into floats.
pub(crate) fn unary_any(low: f64, high: f64) -> Vec<Sample> {
    let mut samples = unary(low, high);
    samples.extend(calls([
        vec![tensor(&[4, 5], DType::I32, low.ceil(), high.floor() + 1.0)],
        vec![tensor(&[9], DType::U8, 0.0f64.max(low), 0.0f64.max(high.floor()) + 1.0)],
    ]));
    samples
}

/// A function of two tensors in a range, broadcast in every way, and of a tensor and a number.
pub(crate) fn binary(low: f64, high: f64) -> Vec<Sample> {
    calls([
        vec![real(&[5, 7], low, high), real(&[5, 7], low, high)],
        vec![real(&[3, 1, 4], low, high), real(&[2, 1], low, high)],
        vec![real(&[6], low, high), real(&[], low, high)],
        vec![real(&[], low, high), real(&[], low, high)],
        vec![real(&[0, 3], low, high), real(&[1, 3], low, high)],
        vec![real(&[4, 3], low, high), float(low + 0.7 * (high - low))],
    ])
}

/// The samples of [`binary`] whose arguments are tensors.
pub(crate) fn real_tensors(low: f64, high: f64) -> Vec<Sample> {
    binary(low, high).into_iter().filter(takes_tensors).collect()
}

/// The samples of [`binary_any`] whose arguments are tensors.
pub(crate) fn tensors(low: f64, high: f64) -> Vec<Sample> {
    binary_any(low, high).into_iter().filter(takes_tensors).collect()
}

fn takes_tensors(sample: &Sample) -> bool {
    sample.args.iter().all(|arg| matches!(arg, SampleArg::Tensor(_)))
}

/// [`binary`] with integers, also mixed with floats.
pub(crate) fn binary_any(low: f64, high: f64) -> Vec<Sample> {
    let mut samples = binary(low, high);
    let (low, high) = (low.ceil(), high.floor() + 1.0);
    samples.extend(calls([
        vec![tensor(&[4, 5], DType::I32, low, high), tensor(&[5], DType::I32, low, high)],
        vec![tensor(&[4, 5], DType::I32, low, high), real(&[4, 1], low.max(0.5), high)],
        vec![tensor(&[9], DType::U8, 1.0, 9.0), tensor(&[9], DType::U8, 1.0, 9.0)],
        vec![tensor(&[9], DType::I32, low, high), int(3)],
    ]));
    samples
}
