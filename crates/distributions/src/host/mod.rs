//! The part of the crate that another language writes itself: arguments that are tensors or
//! numbers, types that are known at run time only, and tables that programs extend.
//!
//! All other files keep to a subset of Rust that is printed as TypeScript, so that a distribution
//! is written once. Rejected: the distributions compiled to WebAssembly, where a program could not
//! add a class to them.

mod argument;
mod divergences;
mod erased;
mod tensors;
mod validation;

pub use argument::{Arg, Param};
pub(crate) use argument::{broadcast_args, number_of, tensor_args};
pub(crate) use divergences::registered_kl;
pub use divergences::{Divergence, register_kl};
pub(crate) use erased::downcast;
pub use erased::{ErasedDistribution, ErasedTransform};
pub(crate) use tensors::{
    arange, epsilon, full, index_tensor, ints, ones, standard_normal, standard_uniform, tiny, zeros,
};
pub use validation::{is_validated, set_default_validate_args};
