//! The reader's state between two chunks.

use super::{MIN_BYTES, Sink};
use crate::{
    check, foreign,
    proto::{
        GraphProto, ModelProto, TensorProto,
        limits::{Kind, Limits},
        wire,
    },
};
use lanthorn_program::{Error, Result};

/// The fields of the messages that the reader descends into.
const GRAPH: u64 = 7;
const INITIALIZER: u64 = 5;
const RAW_DATA: u64 = 9;

/// The fields of a tensor that would change uploaded data: shape, type and elements.
const ELEMENTS: [u64; 10] = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11];

/// Reads a file in chunks. See [`stream`](crate::stream).
#[derive(Default)]
pub struct Reader {
    /// The kept fields: fields of the model except the graph, of the graph except initializers, and
    /// of the current initializer except uploaded raw data.
    model: Vec<u8>,
    graph: Option<Vec<u8>>,
    tensor: Vec<u8>,
    initializers: Vec<TensorProto>,
    /// The number of uploaded raw data.
    uploads: usize,
    /// The state of the raw data of the current initializer.
    raw_data: RawData,
    /// The remaining bytes of the open graph and initializer.
    open: Vec<u64>,
    /// The start of a field whose length has not arrived yet.
    header: Vec<u8>,
    payload: Payload,
    limits: Limits,
    is_broken: bool,
    /// The first bytes of the file, which identify other formats.
    start: Vec<u8>,
}

/// The state of an initializer's raw data.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum RawData {
    /// They have not arrived yet.
    #[default]
    None,
    /// The reader keeps them. It keeps later ones too, which bounds how often it decodes a tensor.
    Kept,
    /// The reader passed them to the sink.
    Handed,
}

/// The content of the next bytes.
#[derive(Clone, Copy, Default)]
enum Payload {
    /// The start of a field.
    #[default]
    None,
    /// N bytes to keep.
    Kept(u64),
    /// N bytes for the sink.
    Handed(u64),
}

impl Reader {
    /// A reader that has read nothing.
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Reads the next bytes of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for a file of another known format; [`Error::Malformed`] for bytes
    /// that are not a protocol buffer, and for a tensor that has elements after its raw data;
    /// errors of the sink. After an error the reader accepts no more bytes.
    pub fn push(&mut self, chunk: &[u8], sink: &mut dyn Sink) -> Result<()> {
        if self.is_broken {
            return Err(Error::malformed("the file was refused"));
        }
        // After an error, no later call may return a model.
        self.is_broken = true;
        if self.start.len() < foreign::START {
            self.start.extend(chunk.iter().take(foreign::START - self.start.len()));
            if self.start.len() == foreign::START {
                foreign::refuse(&self.start)?;
            }
        }
        let mut rest = chunk;
        while !rest.is_empty() {
            rest = match self.payload {
                Payload::None => self.begin_field(rest, sink)?,
                Payload::Kept(length) => {
                    let (bytes, rest) = split(rest, length);
                    self.kept_fields().extend(bytes);
                    self.payload = Payload::Kept(length - bytes.len() as u64);
                    rest
                }
                Payload::Handed(length) => {
                    let (bytes, rest) = split(rest, length);
                    sink.bytes(bytes)?;
                    self.payload = Payload::Handed(length - bytes.len() as u64);
                    rest
                }
            };
            self.end_payload(sink)?;
        }
        self.is_broken = false;
        Ok(())
    }

    /// Returns the model, checked like [`read`](crate::check::read) does. [`TensorProto::upload`]
    /// is the index of uploaded data.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for a truncated file, and the errors of [`check`](crate::check::check).
    pub fn finish(mut self) -> Result<ModelProto> {
        foreign::refuse(&self.start)?;
        let is_between_fields = matches!(self.payload, Payload::None) && self.header.is_empty() && self.open.is_empty();
        if self.is_broken || !is_between_fields {
            return Err(Error::malformed("the file ends within a field"));
        }
        self.limits.check(Kind::Model, &self.model)?;
        let mut model: ModelProto = check::decode(self.model)?;
        if let Some(graph) = self.graph {
            self.limits.check(Kind::Graph, &graph)?;
            let graph: GraphProto = check::decode(graph)?;
            model.graph = Some(graph);
        }
        check::refuse_uploads(&model)?;
        if let Some(graph) = &mut model.graph {
            graph.initializer = self.initializers;
        }
        check::sort(&mut model);
        check::check(&model)?;
        Ok(model)
    }

    /// Returns the buffer for kept fields of the current message.
    fn kept_fields(&mut self) -> &mut Vec<u8> {
        match self.open.len() {
            0 => &mut self.model,
            1 => self.graph.get_or_insert_default(),
            _ => &mut self.tensor,
        }
    }

    /// Collects the key and length of a field, and begins the field once they are complete. Returns
    /// the bytes after them.
    fn begin_field<'a>(&mut self, chunk: &'a [u8], sink: &mut dyn Sink) -> Result<&'a [u8]> {
        let before = self.header.len();
        // A key and a length have at most ten bytes each.
        self.header.extend(chunk.iter().take(20 - before));
        let Some(field) = wire::field(&self.header)? else {
            // A message that ends within a field is truncated.
            return match self.open.last() {
                Some(&left) if self.header.len() as u64 >= left => Err(cut()),
                _ => Ok(&chunk[self.header.len() - before..]),
            };
        };
        self.header.truncate(field.header);
        let rest = &chunk[field.header - before..];
        if let Some(left) = self.open.last_mut() {
            let length = field.payload.checked_add(field.header as u64).filter(|length| length <= left);
            *left -= length.ok_or_else(cut)?;
        }
        let header = std::mem::take(&mut self.header);
        match (self.open.len(), field.number) {
            (0, GRAPH) if field.delimited => {
                self.graph.get_or_insert_default();
                self.open.push(field.payload);
            }
            (1, INITIALIZER) if field.delimited => {
                self.tensor.clear();
                self.raw_data = RawData::None;
                self.open.push(field.payload);
            }
            (2, RAW_DATA) if field.delimited && self.begin_upload(field.payload, sink)? => {
                self.payload = Payload::Handed(field.payload);
            }
            (2, number) if self.raw_data == RawData::Handed && ELEMENTS.contains(&number) => {
                let tensor: TensorProto = check::decode(self.tensor.clone())?;
                let message = format!("{}: after its raw data it has others, or a shape or type", tensor.describe());
                return Err(Error::malformed(message));
            }
            _ => {
                self.kept_fields().extend(header);
                self.payload = Payload::Kept(field.payload);
            }
        }
        Ok(rest)
    }

    /// Whether to upload the raw data of the initializer: they are large, and have the number of
    /// bytes that the preceding fields require.
    fn begin_upload(&mut self, length: u64, sink: &mut dyn Sink) -> Result<bool> {
        if self.raw_data != RawData::None {
            return Ok(false);
        }
        self.raw_data = RawData::Kept;
        let Some(length) = usize::try_from(length).ok().filter(|&length| length >= MIN_BYTES) else {
            return Ok(false);
        };
        self.limits.check(Kind::Tensor, &self.tensor)?;
        let tensor: TensorProto = check::decode(self.tensor.clone())?;
        let is_complete = tensor.raw_length().is_ok_and(|expected| expected == length);
        if !is_complete || tensor.is_external() || !tensor.external_data.is_empty() || tensor.has_elements() {
            return Ok(false);
        }
        sink.begin(self.uploads, &tensor, length)?;
        self.raw_data = RawData::Handed;
        Ok(true)
    }

    /// Ends a completed payload, and the messages that end with it.
    fn end_payload(&mut self, sink: &mut dyn Sink) -> Result<()> {
        match self.payload {
            Payload::Handed(0) => sink.end()?,
            Payload::None if !self.header.is_empty() => return Ok(()),
            Payload::None | Payload::Kept(0) => {}
            _ => return Ok(()),
        }
        self.payload = Payload::None;
        while self.open.last() == Some(&0) {
            self.open.pop();
            if self.open.len() == 1 {
                self.end_initializer()?;
            }
        }
        Ok(())
    }

    fn end_initializer(&mut self) -> Result<()> {
        self.limits.check(Kind::Tensor, &self.tensor)?;
        let bytes = std::mem::take(&mut self.tensor);
        let mut tensor: TensorProto = check::decode(bytes)?;
        check::refuse_upload(&tensor)?;
        if self.raw_data == RawData::Handed {
            if tensor.is_external() || !tensor.external_data.is_empty() {
                let message = format!("{}: it has elements both in the file and outside of it", tensor.describe());
                return Err(Error::malformed(message));
            }
            tensor.set_upload(self.uploads);
            self.uploads += 1;
        }
        self.initializers.push(tensor);
        Ok(())
    }
}

fn split(bytes: &[u8], length: u64) -> (&[u8], &[u8]) {
    bytes.split_at(usize::try_from(length).map_or(bytes.len(), |length| length.min(bytes.len())))
}

fn cut() -> Error {
    Error::malformed("protocol buffer: a field is not within its message")
}
