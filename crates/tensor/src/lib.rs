//! lanthorn's tensors: PyTorch's semantics on any backend.
//!
//! The way of an op `y = x.silu()`: the method that the `op` attribute wrote ([`ops`]) checks dtypes and shapes, records work on the
//! device's stream ([`Device`]) and, if a gradient is wanted, a node of the autograd graph. A flush plans the recorded window and
//! submits it to the backend. Nothing here knows a backend; a backend knows only [`lanthorn_ir`].

mod autocast;
mod autograd;
mod device;
mod explain;
mod generator;
mod indexing;
pub mod ops;
mod plan;
mod pool;
mod profile;
mod promote;
pub mod samples;
mod scalar;
mod storage;
mod stream;
mod tensor;
mod tune;
mod value;

pub use autocast::{Policy, autocast, autocast_dtype, set_autocast};
pub use autograd::{GradOptions, HookHandle, grad, is_grad_enabled, no_grad, set_grad_enabled};
pub use device::{Device, Stats};
pub use explain::{ExplainedKernel, Explanation};
pub use generator::Generator;
pub use indexing::Index;
pub use lanthorn_ir::backend::Counters;
pub use lanthorn_ir::{DType, Error, Result, Shape};
pub use plan::Optimizations;
pub use pool::MemoryStats;
pub use profile::{Profile, ProfileRow, Span};
pub use scalar::{Ints, Operand, OptionalInts, Padding, PartialInts, Scalar, TensorOrInts};
pub use tensor::{Element, Tensor};
pub use tune::{Tuned, TunedKernel};
