//! Reads a model in chunks, so only one copy of its weights exists.
//!
//! The raw data of the graph's initializers are nearly all bytes of a model. A [`Reader`] accepts
//! the file in chunks of any size. It passes large raw data to a [`Sink`] as they arrive, and keeps
//! everything else. The result is a model in which each uploaded initializer has the index of its
//! data ([`TensorProto::upload`]).
//!
//! A tensor's shape and type must precede its raw data, which is the order of protocol buffer
//! writers. The reader keeps the bytes of other tensors. All other fields may be in any order.

mod reader;
mod upload;

#[cfg(test)]
mod tests;

pub use reader::Reader;
pub use upload::Uploads;

use crate::{
    hosted::MAX_ELEMENTS,
    proto::{Bytes, ModelProto, StringStringEntryProto, TensorProto},
};
use lanthorn_program::{Error, Result};
use std::io::Read;

/// The size from which the reader passes raw data to the sink, in bytes. The host may compute with
/// smaller tensors.
pub const MIN_BYTES: usize = 8 * MAX_ELEMENTS;

/// The key of external data that holds the index of uploaded data. Files must not use it.
pub const UPLOAD_KEY: &str = "lanthorn.upload";

/// The number of bytes per read.
const CHUNK: usize = 1 << 16;

/// Receives the elements of large initializers.
///
/// For each tensor, the reader calls [`Sink::begin`] once, [`Sink::bytes`] for all bytes in order,
/// and [`Sink::end`] once. An error ends reading.
pub trait Sink {
    /// Begins a tensor. `tensor` has the fields before its raw data, including shape and type.
    /// `index` is the number of tensors before it. `length` is the number of its bytes, which
    /// agrees with its shape.
    ///
    /// # Errors
    ///
    /// Any.
    fn begin(&mut self, index: usize, tensor: &TensorProto, length: usize) -> Result<()>;

    /// Receives the next bytes of the tensor. They may end within an element.
    ///
    /// # Errors
    ///
    /// Any.
    fn bytes(&mut self, bytes: &[u8]) -> Result<()>;

    /// Ends the tensor.
    ///
    /// # Errors
    ///
    /// Any.
    fn end(&mut self) -> Result<()>;
}

/// A sink that collects the bytes of one tensor at a time, and calls a function with each tensor.
///
/// ```
/// use lanthorn::onnx::stream::{Reader, Whole};
/// # use lanthorn::onnx::proto::*;
/// # use prost::Message;
/// # let tensor = TensorProto { dims: vec![3000], data_type: Some(1), name: Some("w".into()), raw_data: Some(vec![0; 12000].into()), ..Default::default() };
/// # let graph = GraphProto { initializer: vec![tensor], ..Default::default() };
/// # let opset_import = vec![OperatorSetIdProto { version: Some(21), ..Default::default() }];
/// # let model = ModelProto { ir_version: Some(10), graph: Some(graph), opset_import, ..Default::default() };
/// # let file = model.encode_to_vec();
/// let mut weights = vec![];
/// let mut sink = Whole::new(|_index, tensor, bytes| {
///     weights.push(tensor.with_raw(bytes)?);
///     Ok(())
/// });
/// let mut reader = Reader::new();
/// for chunk in file.chunks(1000) {
///     reader.push(chunk, &mut sink)?;
/// }
/// let model = reader.finish()?;
/// assert_eq!(model.graph.unwrap().initializer[0].upload(), Some(0));
/// assert_eq!(weights[0].shape(), [3000]);
/// # Ok::<(), lanthorn::program::Error>(())
/// ```
pub struct Whole<F> {
    take: F,
    tensor: Option<(usize, TensorProto)>,
    bytes: Vec<u8>,
}

impl<F: FnMut(usize, &TensorProto, Vec<u8>) -> Result<()>> Whole<F> {
    /// Creates a sink that calls a function with a tensor's index, fields and bytes.
    pub fn new(take: F) -> Whole<F> {
        Whole { take, tensor: None, bytes: Vec::new() }
    }
}

impl<F: FnMut(usize, &TensorProto, Vec<u8>) -> Result<()>> Sink for Whole<F> {
    fn begin(&mut self, index: usize, tensor: &TensorProto, length: usize) -> Result<()> {
        self.tensor = Some((index, tensor.clone()));
        // The bytes that a truncated file lacks take address space, but no memory.
        self.bytes = Vec::new();
        self.bytes.try_reserve_exact(length).map_err(|_| Error::Limit(format!("{}: {length} bytes", tensor.describe())))
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        self.bytes.extend(bytes);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        match self.tensor.take() {
            Some((index, tensor)) => (self.take)(index, &tensor, std::mem::take(&mut self.bytes)),
            None => Ok(()),
        }
    }
}

/// Reads a model from a file.
///
/// # Errors
///
/// The errors of [`Reader::push`] and [`Reader::finish`], and errors of the file.
pub fn read(mut file: impl Read, sink: &mut dyn Sink) -> Result<ModelProto> {
    let mut reader = Reader::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return reader.finish(),
            Ok(length) => reader.push(&chunk[..length], sink)?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::operation("read", error)),
        }
    }
}

impl TensorProto {
    /// Returns the index of the tensor's data if a [`Reader`] passed them to a sink.
    pub fn upload(&self) -> Option<usize> {
        let [entry] = &self.external_data[..] else { return None };
        entry.value().parse().ok().filter(|_| self.is_external() && entry.key() == UPLOAD_KEY)
    }

    /// Marks the tensor's elements as uploaded.
    pub(crate) fn set_upload(&mut self, index: usize) {
        self.data_location = Some(1);
        let entry = StringStringEntryProto { key: Some(UPLOAD_KEY.to_string()), value: Some(index.to_string()) };
        self.external_data = vec![entry];
    }

    /// Replaces the mark of [`upload`](Self::upload) by the tensor's raw data.
    pub fn restore(&mut self, raw: impl Into<Bytes>) {
        self.data_location = None;
        self.external_data.clear();
        self.raw_data = Some(raw.into());
    }
}
