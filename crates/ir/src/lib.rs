//! The interface between the tensor core and the backends.
//!
//! Backends depend only on this crate: element types ([`DType`]), the layout of a tensor in memory
//! ([`Layout`]), the scalar expressions of pointwise kernels ([`expr`]), the kernel kinds
//! ([`Kernel`]), and the trait that a backend implements ([`Backend`]). The crate describes
//! computations; it runs none and generates no code. It does not name operations: a new op changes
//! no backend, because backends implement kernel kinds.
//!
//! Rejected: a trait method per operation, as in most runtimes. Every op would then need a change
//! in every backend, and there would be nothing to fuse.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

pub mod backend;
pub mod block_format;
pub mod cache;
mod dtype;
pub mod element;
mod encoding;
mod error;
pub mod expr;
pub mod half;
pub mod kernel;
mod layout;
pub mod number;
pub mod random;
mod requirement;
mod shape;
mod shared;
pub mod special;

pub use backend::Backend;
pub use block_format::{BlockFormat, Decoding, DecodingOfNeighbours, ReadOfNeighbours, Source};
pub use dtype::{Category, DType};
pub use element::Element;
pub use encoding::Encoding;
pub use error::{Error, Result};
pub use kernel::Kernel;
pub use layout::Layout;
pub use requirement::{Requirement, failed_check, require_all};
pub use shape::Shape;
pub use shared::SharedName;
