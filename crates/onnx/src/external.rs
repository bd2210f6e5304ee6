//! Elements outside of a model's file.
//!
//! A tensor names the file (`location`) and a range of bytes (`offset`, `length`). A [`Source`]
//! reads them: a [`Folder`] natively, or a map of names to bytes if the program has read the files.
//! The tensor's shape determines the number of bytes, so no request exceeds the size of the tensor.
//! A different `length` is an error.
//!
//! A location is a path below the model's folder: relative, with `/` between names and no `..`.

#[cfg(not(target_family = "wasm"))]
mod folder;

#[cfg(not(target_family = "wasm"))]
pub use folder::Folder;

use crate::proto::{DataType, TensorProto};
use lanthorn_io::{TensorData, shorten};
use std::{borrow::Cow, collections::HashMap, hash::BuildHasher};

/// The longest location that a message quotes, in characters.
const LOCATION_LIMIT: usize = 200;

/// Files next to a model.
pub trait Source {
    /// Reads bytes of a file. The location is normalized: names with `/` between them, no `.` or
    /// `..`.
    ///
    /// # Errors
    ///
    /// [`Reason`] if the file does not have the bytes. An implementation must not allocate memory
    /// for bytes that the file does not have.
    fn read(&self, location: &str, offset: u64, length: usize) -> Result<Cow<'_, [u8]>, Reason>;
}

/// An error from reading elements outside of a file.
#[derive(Debug, thiserror::Error)]
#[error("tensor `{tensor}`: external data `{location}`: {reason}")]
pub struct Error {
    /// The tensor's name.
    pub tensor: String,
    /// The file, as the tensor names it.
    pub location: String,
    /// The reason.
    #[source]
    pub reason: Reason,
}

/// The reason why elements outside of a file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The location is not a path below the model's folder.
    #[error("the path leaves the model's folder")]
    OutsideFolder,
    /// There is no such file.
    #[error("there is no such file")]
    Missing,
    /// The path is a folder or a device.
    #[error("it is no regular file")]
    NotAFile,
    /// The file is too short.
    #[error("{length} bytes from {offset} on are needed, and the file has {size}")]
    Range {
        /// The first byte.
        offset: u64,
        /// The number of bytes.
        length: usize,
        /// The file's size.
        size: u64,
    },
    /// The length of the tensor does not match its shape.
    #[error("it has {length} bytes, and {} of shape {shape:?} takes {expected}", .data_type.name())]
    Length {
        /// The length that the tensor declares.
        length: u64,
        /// The length that follows from the shape.
        expected: usize,
        /// The element type.
        data_type: DataType,
        /// The shape.
        shape: Vec<i64>,
    },
    /// The tensor has no valid location, offset or length.
    #[error("`{0}` is missing, twice there, or no number of bytes")]
    Key(&'static str),
    /// The file could not be read.
    #[error("it cannot be read: {0}")]
    Io(#[source] std::io::Error),
}

impl From<Error> for lanthorn_program::Error {
    fn from(error: Error) -> lanthorn_program::Error {
        lanthorn_program::Error::External(Box::new(error))
    }
}

/// The bytes of a tensor whose elements are outside of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent {
    /// The normalized path of the file.
    pub location: String,
    /// The first byte.
    pub offset: u64,
    /// The number of bytes.
    pub length: usize,
}

/// Returns the bytes of a tensor whose elements are outside of the file.
///
/// # Errors
///
/// [`Error`] within [`External`](lanthorn_program::Error::External) for a location outside of the
/// folder and for a length that does not match the shape; the errors of
/// [`TensorProto::raw_length`].
pub fn extent(tensor: &TensorProto) -> lanthorn_program::Result<Extent> {
    let value = |key: &'static str| {
        let mut found = tensor.external_data.iter().filter(|entry| entry.key() == key);
        match (found.next(), found.next()) {
            (entry, None) => Ok(entry.map(|entry| entry.value())),
            _ => Err(Reason::Key(key)),
        }
    };
    let number = |key: &'static str| match value(key)? {
        Some(text) => text.trim().parse().map(Some).map_err(|_| Reason::Key(key)),
        None => Ok::<Option<u64>, Reason>(None),
    };
    let expected = tensor.raw_length()?;
    let find = || -> Result<Extent, Reason> {
        let location = normalize(value("location")?.ok_or(Reason::Key("location"))?)?;
        let offset = number("offset")?.unwrap_or(0);
        match number("length")? {
            Some(length) if length != expected as u64 => Err(Reason::Length {
                length,
                expected,
                data_type: tensor.element_type().unwrap_or(DataType::Undefined),
                shape: tensor.dims.clone(),
            }),
            _ => Ok(Extent { location, offset, length: expected }),
        }
    };
    find().map_err(|reason| error(tensor, reason).into())
}

/// Reads a tensor whose elements are in the file or outside of it.
///
/// ```
/// use lanthorn::onnx::{external, proto::{DataType, StringStringEntryProto, TensorProto}};
/// use std::collections::HashMap;
/// let entry = |key: &str, value: &str| StringStringEntryProto { key: Some(key.into()), value: Some(value.into()) };
/// let tensor = TensorProto {
///     dims: vec![2],
///     data_type: Some(DataType::Uint8 as i32),
///     data_location: Some(1),
///     external_data: vec![entry("location", "weights.bin"), entry("offset", "1")],
///     ..Default::default()
/// };
/// let files = HashMap::from([("weights.bin".to_string(), [1, 2, 3])]);
/// assert_eq!(external::read(&tensor, &files)?.bytes(), [2, 3]);
/// # Ok::<(), lanthorn::program::Error>(())
/// ```
///
/// # Errors
///
/// The errors of [`extent`] and [`TensorProto::data`]; [`Error`] for a file that is missing or too
/// short.
pub fn read<'a>(tensor: &'a TensorProto, source: &'a dyn Source) -> lanthorn_program::Result<TensorData<'a>> {
    if !tensor.is_external() {
        return tensor.data();
    }
    let Extent { location, offset, length } = extent(tensor)?;
    let bytes = source.read(&location, offset, length).map_err(|reason| error(tensor, reason))?;
    tensor.with_raw(bytes)
}

fn error(tensor: &TensorProto, reason: Reason) -> Error {
    let location = tensor.external_data.iter().find(|entry| entry.key() == "location");
    let shorten = |text: &str| shorten(text, LOCATION_LIMIT).into_owned();
    Error { tensor: shorten(tensor.name()), location: shorten(location.map_or("", |entry| entry.value())), reason }
}

/// Normalizes a relative path without `.`. `..` and absolute paths of any system are errors.
fn normalize(location: &str) -> Result<String, Reason> {
    if location.starts_with('/') || location.contains(['\\', '\0']) || location.get(1..2) == Some(":") {
        return Err(Reason::OutsideFolder);
    }
    let names: Vec<&str> = location.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    if names.is_empty() || names.contains(&"..") {
        return Err(Reason::OutsideFolder);
    }
    Ok(names.join("/"))
}

/// Returns a range of bytes within a file as indices of memory.
fn range(offset: u64, length: usize, size: u64) -> Result<std::ops::Range<u64>, Reason> {
    match offset.checked_add(length as u64) {
        Some(end) if end <= size => Ok(offset..end),
        _ => Err(Reason::Range { offset, length, size }),
    }
}

/// Files in memory, by their normalized paths.
impl<B: AsRef<[u8]>, S: BuildHasher> Source for HashMap<String, B, S> {
    fn read(&self, location: &str, offset: u64, length: usize) -> Result<Cow<'_, [u8]>, Reason> {
        let bytes = self.get(location).ok_or(Reason::Missing)?.as_ref();
        let range = range(offset, length, bytes.len() as u64)?;
        // A range within a slice fits into a usize.
        Ok(Cow::Borrowed(&bytes[range.start as usize..range.end as usize]))
    }
}

#[cfg(test)]
mod tests;
