//! Helpers of all files: a poisoned device, tensors of literals, values read back.

use lanthorn_cpu::CpuBackend;
pub use lanthorn_tensor::{
    BlockFormat, CdistMode, Choice, DType, Device, Error, FftNorm, GradOptions, GridMode, GridPadding, IndexReduction,
    MatrixNorm, MatrixTriangle, Optimizations, PadMode, Padding, QrMode, Reduction, Result, RoundingMode, Scalar,
    ScatterReduction, Tensor, grad, no_grad,
    ops::{Arg, Op, Output},
};
use pollster::block_on;

pub const RETAIN: GradOptions = GradOptions { retain_graph: true, create_graph: false };
pub const CREATE: GradOptions = GradOptions { retain_graph: true, create_graph: true };

/// A device whose buffers begin poisoned, as the default of this thread.
pub fn device() -> Device {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    device
}

pub fn tensor(values: &[f32], shape: &[i64]) -> Tensor {
    Tensor::from_slice(values, shape, &Device::default_device().unwrap()).unwrap()
}

pub fn ints(values: &[i32], shape: &[i64]) -> Tensor {
    Tensor::from_slice(values, shape, &Device::default_device().unwrap()).unwrap()
}

/// A leaf that requires gradients.
pub fn leaf(values: &[f32], shape: &[i64]) -> Tensor {
    tensor(values, shape).requires_grad_(true).unwrap()
}

/// 0, 1, 2, .. as float32.
pub fn count(shape: &[i64]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product()).map(|i: i64| i as f32).collect();
    tensor(&values, shape)
}

pub fn read(tensor: &Tensor) -> Vec<f32> {
    block_on(tensor.to_vec::<f32>()).unwrap()
}

pub fn item(tensor: &Tensor) -> f64 {
    block_on(tensor.item()).unwrap()
}

/// The gradient of a tensor that has one.
pub fn grad_of(tensor: &Tensor) -> Vec<f32> {
    read(&tensor.grad().expect("a gradient"))
}

pub fn shape_of(tensor: &Tensor) -> Vec<usize> {
    tensor.shape().to_vec()
}

/// A call by name, as another language makes it.
pub fn call(op: &str, args: &[Arg]) -> Result<Output> {
    Op::find(op).unwrap_or_else(|| panic!("there is no op {op}")).run(args)
}

/// A string as an argument of a call by name.
pub fn text(text: &str) -> Arg {
    Arg::Str(text.into())
}

/// Checks an error: its kind, and words that its message holds.
#[track_caller]
pub fn refused<T>(result: Result<T>, kind: &str, words: &[&str]) {
    let Err(error) = result else { panic!("no error of kind {kind} ({words:?})") };
    assert_eq!(error.kind_name(), kind, "{error}");
    let text = error.to_string();
    words.iter().for_each(|word| assert!(text.contains(word), "{word:?} does not stand in: {text}"));
}

#[track_caller]
pub fn close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-5 + 2e-5 * want.abs(), "{got}, expected {want}");
}
