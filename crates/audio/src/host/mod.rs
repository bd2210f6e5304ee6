//! The part of the crate that another language writes itself: tensors of the host's numbers, and
//! files.
//!
//! All other files keep to a subset of Rust that is printed as TypeScript.

mod sequence;
mod tensors;
mod wav;
mod wav_format;

pub use sequence::edit_distance;
pub(crate) use tensors::{
    arange, floats, floats_like, floats_of, full, indices, ints, is_floating, rand, random_index, sizes_of,
};
pub use wav::{decode, encode, info, load, save};
pub use wav_format::{AudioEncoding, AudioMetaData};
