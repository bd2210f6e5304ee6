//! The part of the crate that another language writes itself: the state that updates change,
//! numbers and element types of the host, and collections by name.
//!
//! All other files keep to a subset of Rust that is printed as TypeScript.

mod collection;
mod state;
mod tensors;

pub use collection::MetricCollection;
pub use state::State;
pub(crate) use tensors::{
    characters, epsilon, full, index_tensor, is_float, number_tensor, threshold_tensor, words, zeros,
};
