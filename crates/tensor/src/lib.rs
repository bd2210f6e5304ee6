//! lanthorn's tensors: PyTorch's semantics on any backend.
//!
//! `y = x.silu()` runs the method that the `op` attribute generated ([`ops`]). It checks dtypes and
//! shapes, records a kernel on the device ([`lanthorn_runtime`]), and adds a node to the autograd graph
//! if a gradient is wanted. Nothing here knows a backend, a plan or a buffer.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

// The macros of operations write paths as other crates see them.
extern crate self as lanthorn_tensor;

mod autocast;
pub mod autograd;
mod batch;
pub mod choices;
pub mod compile;
pub mod control;
pub mod custom;
mod default_dtype;
pub mod func;
mod indexing;
mod operators;
pub mod ops;
mod print;
mod promote;
mod quantized;
pub mod samples;
mod scalar;
mod shared;
mod storage;
mod tensor;
#[cfg(any(test, feature = "reference"))]
pub mod testing;
pub mod trace;
mod upload;

pub use autocast::{Policy, autocast, autocast_dtype, set_autocast};
pub use autograd::{GradOptions, HookHandle, grad, is_grad_enabled, no_grad, set_grad_enabled};
pub use choices::{
    Approximate, BagMode, CdistMode, Choice, FftNorm, GridMode, GridPadding, IndexReduction, Indexing, InterpolateMode,
    KlReduction, LstsqDriver, MatrixNorm, MatrixTriangle, PadMode, PaddingMode, QrMode, QuantileInterpolation,
    Reduction, RoundingMode, ScatterReduction, ScatterUpdate, Side, SvdDriver,
};
pub use compile::{HostNumber, SymFloat, compile};
pub use default_dtype::{default_dtype, set_default_dtype};
pub use indexing::Index;
pub use lanthorn_ir::backend::Counters;
pub use lanthorn_ir::{BlockFormat, DType, Element, Error, Result, Shape, SharedName};
pub use lanthorn_runtime::{
    Device, DeviceMemory, DeviceTuner, ExplainedKernel, Explanation, Generator, Inspector, MemoryStats, Optimizations,
    Profile, ProfileRow, SharedBuffer, Span, Stats, Tuned, TunedKernel,
};
pub use operators::IntoOperand;
pub use quantized::QuantizedTensor;
pub use scalar::{Ints, Operand, OptionalInts, Padding, PartialInts, Scalar, TensorOrInts};
pub use shared::TensorHandle;
pub use tensor::Tensor;
pub use upload::TensorUpload;
