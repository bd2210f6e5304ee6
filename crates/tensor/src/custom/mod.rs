//! Operations of users: registered by a program, and then equivalent to built-in operations, as
//! `torch.library`.
//!
//! A custom op has a name with a namespace, `mylib::squareplus`, and a schema in ATen's syntax. Its
//! arguments are checked and cast ([`autocast`](crate::autocast())) like the arguments of a
//! built-in op, it is found by name ([`Op::find`]), and [`ops::all`] lists it. It is made in one of
//! three ways:
//!
//! - [`pointwise`] takes a formula as text, [`pointwise_fn`] one built from [`Expr`]: kernels on
//!   every backend, fusion and the derivatives of all orders follow from it.
//! - [`custom_op`] with [`composite`](Builder::composite) is a function written in other operations.
//! - [`custom_op`] with [`register_kernel`](Builder::register_kernel) has kernels: in [`Wgsl`], in
//!   [`Cuda`] C++, as a function for the [`Cpu`]. [`Builder::register_fake`] describes its results,
//!   and a composite may replace a missing kernel.
//!
//! [`Builder::register_autograd`] registers the derivative of an op.
//!
//! ```
//! # use lanthorn_tensor as lanthorn;
//! # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
//! use lanthorn::{Tensor, custom::pointwise};
//! let squareplus = pointwise("mylib::squareplus", "x, b=4.0 -> 0.5 * (x + sqrt(x * x + b))")?;
//! let x = Tensor::from_slice(&[0.0f32, 1.5], [2], &device)?.requires_grad_(true)?;
//! let y = squareplus.tensor(&[x.clone().into()])?;
//! assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.0, 2.0]);
//! y.sum((), false)?.backward()?;
//! assert_eq!(pollster::block_on(x.grad().unwrap().to_vec::<f32>())?[0], 0.5);
//! # Ok::<(), lanthorn::Error>(())
//! ```
//!
//! Registrations are the process's, not a thread's, so functions of them are `Send + Sync`; they
//! last as long as the process, and a name is taken once. The memory of a registration is never
//! given back, which the number of names bounds. Rejected: a registry for each thread, where an op
//! found by one would be unknown to another; and taking a registration back, after which an
//! `&'static` op could dangle in a graph.
//!
//! [`Expr`]: lanthorn_ir::expr::Expr
//! [`Op::find`]: crate::ops::Op::find
//! [`ops::all`]: crate::ops::all

mod arguments;
mod builder;
mod definition;
mod expression;
mod kernel;
mod pointwise;
mod registry;
mod schema;

pub use arguments::Arguments;
pub use builder::{Builder, custom_op};
pub use definition::CustomOp;
pub(crate) use definition::Definition;
pub use kernel::{Cpu, Cuda, DeviceKernel, FakeTensor, Wgsl};
pub use lanthorn_ir::kernel::{HostCall, HostTensor, HostTensorMut};
pub use pointwise::{pointwise, pointwise_fn, pointwise_with};
pub(crate) use registry::{all, find};
