//! The part of the library that each language writes itself.

mod random;
mod tensors;

pub use random::Random;
pub(crate) use tensors::{arange, float_tensor, index_tensor, ints, is_float, ones, read_numbers, to_float};
