//! The language between the tensor core and the backends.
//!
//! A backend knows this crate and nothing above it: element types ([`DType`]), how a tensor lies in memory
//! ([`Layout`]), the scalar expressions that pointwise kernels are made of ([`expr`]), the kernel kinds
//! ([`Kernel`]), and the one trait that it implements ([`Backend`]). An operation is never named here: adding an
//! op touches no backend, because a backend implements kernel kinds.
//!
//! Rejected: a trait method per operation, as most runtimes have it. It makes an op cost an edit in every backend, and
//! it leaves nothing to fuse.

mod along;
mod attention;
pub mod backend;
mod contract;
mod dtype;
mod error;
pub mod expr;
pub mod half;
pub mod kernel;
mod layout;
mod linalg;
mod operand;
pub mod print;
pub mod random;
mod shape;
pub mod special;

pub use backend::Backend;
pub use dtype::{Category, DType};
pub use error::{Error, Result};
pub use kernel::Kernel;
pub use layout::Layout;
pub use shape::Shape;
