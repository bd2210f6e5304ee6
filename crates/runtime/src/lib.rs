//! lanthorn's runtime: a device records kernels, plans them, and runs them on a backend.
//!
//! This crate connects the tensor core with the backends. It has no operations, shape rules or
//! gradients, and uses backends only through [`lanthorn_ir::Backend`]. Its interface is this table:
//!
//! | call | meaning |
//! |---|---|
//! | [`Device::new`] | a device on a backend |
//! | [`Device::upload`] | copies host data to the device and returns a [`Value`] |
//! | [`Device::record`] | records a [`Kernel`](lanthorn_ir::Kernel) over values and returns the values that it will compute |
//! | [`Device::read`] | runs everything recorded and copies a [`ReadRange`] of a value to the host |
//! | [`Device::start_recording`], [`finish_recording`](Device::finish_recording), [`replay`](Device::replay) | record the kernels of one call, and run them again |
//! | [`Device::memory`] | the limit of memory, and [memory that other threads and processes write](DeviceMemory::share_memory) |
//! | [`Device::flush`], [`Device::synchronize`] | run everything recorded, without or with waiting for it |
//! | [`Device::capabilities`], [`Device::require_dtype`] | the element types, limits and preferences of the device |
//! | [`Device::generator`] | the seed and offset of the device's random numbers |
//! | [`Device::inspect`] | explanations, profiles, counters, and the rewrites of the planner |
//! | [`Device::tuner`] | [measures](DeviceTuner::tune) the variants of kernels |
//!
//! A [`Value`] is an SSA value: a dtype, a number of elements, and a buffer once a flush has
//! computed it. It has no shape. Layouts belong to the kernels' operands, so that a view has no
//! cost here.
//!
//! The data flow through the folders: `recorder` interns a kernel and appends it; at a flush
//! `executor` takes the recorded segment, `plan` numbers it, looks its plan up or rewrites it
//! (`plan/passes`) and assigns slots by liveness (`plan/build`); `executor` binds buffers of the
//! `pool` to the slots and submits. `plan/pending` propagates failures that a GPU reports later.
//!
//! Rejected: an executor per backend. The CPU, WebGPU and CUDA share this one, so that fusion,
//! memory and error behaviour are the same on all of them.
//!
//! ```
//! use lanthorn_ir::{DType, Kernel, Layout, Shape, expr::{Expr, Program, Type}, kernel::{Map, Operand}};
//! use lanthorn_runtime::{Device, ReadRange};
//! let device = Device::new(lanthorn_cpu::CpuBackend::new());
//! let bytes: Vec<u8> = [1.0f32, 2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
//! let x = device.upload("example", DType::F32, 2, &bytes)?;
//! let shape = Shape::from_dims([2]);
//! let input = Expr::input(0, Type::F32);
//! let square = Kernel::Map(Map {
//!     shape: shape.clone(),
//!     inputs: vec![Operand::new(DType::F32, Layout::contiguous(shape))],
//!     indices: vec![],
//!     params: vec![],
//!     program: Program::new(&[&input * &input]),
//!     dtypes: vec![DType::F32],
//! });
//! let y = device.record("square", square, None, vec![x], vec![]).remove(0);
//! let bytes = pollster::block_on(device.read(ReadRange { value: y, offset: 0, elements: 2 }))?;
//! assert_eq!(bytes[4..], 4f32.to_le_bytes());
//! # Ok::<(), lanthorn_ir::Error>(())
//! ```

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod device;
mod executor;
mod explain;
mod generator;
mod inspect;
mod memory;
mod param;
mod plan;
mod pool;
mod profile;
mod recorder;
mod recording;
mod shared;
mod tune;
mod upload;
mod value;

pub use device::{Device, SharedBuffer};
pub use executor::ReadRange;
pub use explain::{ExplainedKernel, Explanation};
pub use generator::Generator;
pub use inspect::{Inspector, Stats};
pub use memory::DeviceMemory;
pub use param::{Param, Symbol};
pub use plan::Optimizations;
pub use pool::MemoryStats;
pub use profile::{Profile, ProfileRow, Span};
pub use recorder::KernelKey;
pub use recording::{Recorded, Recording};
pub use shared::SharedValue;
pub use tune::{DeviceTuner, Tuned, TunedKernel};
pub use upload::Upload;
pub use value::{Value, WeakValue};
