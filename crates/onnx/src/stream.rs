//! Reads a model while its file passes, so that its weights are not in memory twice.
//!
//! A model's weights are nearly all of its bytes: the raw data of the graph's initializers. A [`Reader`]
//! takes the file in chunks of any size, keeps everything else, and hands the bytes of large raw data to a
//! [`Sink`] as they pass. What remains is a model whose initializers say which of the handed bytes are theirs
//! ([`TensorProto::upload`]).
//!
//! A tensor's shape and type have to be before its raw data, as writers of protocol buffers put them; of
//! other tensors the bytes are kept. Everything else may be in any order.

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

/// The raw data that are handed on have at least this many bytes: what is smaller may be computed with on
/// the host.
pub const MIN_BYTES: usize = 8 * MAX_ELEMENTS;

/// The key of external data that says which of the handed bytes are a tensor's. No file may have it.
pub const UPLOAD_KEY: &str = "lanthorn.upload";

/// The bytes of a file that are read at once.
const CHUNK: usize = 1 << 16;

/// What takes the elements of large initializers.
///
/// For each tensor there is one call of [`Sink::begin`], calls of [`Sink::bytes`] for all its bytes in
/// order, and one of [`Sink::end`]. An error ends the reading.
pub trait Sink {
    /// A tensor begins. It has the fields that precede its raw data, among them shape and type. `index` is
    /// the number of tensors before it, and `length` the number of bytes that follow, as its shape says.
    ///
    /// # Errors
    ///
    /// Any.
    fn begin(&mut self, index: usize, tensor: &TensorProto, length: usize) -> Result<()>;

    /// The next bytes of the tensor. They may end within an element.
    ///
    /// # Errors
    ///
    /// Any.
    fn bytes(&mut self, bytes: &[u8]) -> Result<()>;

    /// The tensor is complete.
    ///
    /// # Errors
    ///
    /// Any.
    fn end(&mut self) -> Result<()>;
}

/// A sink that calls a function for each tensor with all its bytes, one tensor at a time.
///
/// ```
/// use lanthorn_onnx::stream::{Reader, Whole};
/// # use lanthorn_onnx::proto::*;
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
/// # Ok::<(), lanthorn_program::Error>(())
/// ```
pub struct Whole<F> {
    take: F,
    tensor: Option<(usize, TensorProto)>,
    bytes: Vec<u8>,
}

impl<F: FnMut(usize, &TensorProto, Vec<u8>) -> Result<()>> Whole<F> {
    /// A sink that calls this function with a tensor's index, its fields and its bytes.
    pub fn new(take: F) -> Whole<F> {
        Whole { take, tensor: None, bytes: Vec::new() }
    }
}

impl<F: FnMut(usize, &TensorProto, Vec<u8>) -> Result<()>> Sink for Whole<F> {
    fn begin(&mut self, index: usize, tensor: &TensorProto, length: usize) -> Result<()> {
        self.tensor = Some((index, tensor.clone()));
        // Bytes that a cut file does not have take address space, and no memory.
        self.bytes = Vec::new();
        self.bytes
            .try_reserve_exact(length)
            .map_err(|_| Error::Limit(format!("{}: {length} bytes", tensor.described())))
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
/// As [`Reader::push`] and [`Reader::finish`], and errors of the file.
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
    /// Which of the handed bytes are the tensor's elements, if a [`Reader`] handed them on.
    pub fn upload(&self) -> Option<usize> {
        let [entry] = &self.external_data[..] else { return None };
        entry.value().parse().ok().filter(|_| self.is_external() && entry.key() == UPLOAD_KEY)
    }

    /// The same tensor, with its elements among the handed bytes.
    pub(crate) fn set_upload(&mut self, index: usize) {
        self.data_location = Some(1);
        let entry = StringStringEntryProto { key: Some(UPLOAD_KEY.to_string()), value: Some(index.to_string()) };
        self.external_data = vec![entry];
    }

    /// The same tensor with raw data, as it was in the file.
    pub fn restore(&mut self, raw: impl Into<Bytes>) {
        self.data_location = None;
        self.external_data.clear();
        self.raw_data = Some(raw.into());
    }
}
