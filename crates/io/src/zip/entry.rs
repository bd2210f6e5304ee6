//! An entry that is read in pieces.

use super::directory::{Entry, LOCAL_LENGTH, Method};
use crate::{Error, Format, Result, crc32::Checksum};
use miniz_oxide::{
    DataFormat, MZFlush, MZStatus,
    inflate::stream::{InflateState, inflate},
};

/// The bytes that are inflated at a time.
const WINDOW: usize = 1 << 16;

/// Reads an entry from its local header on, in pieces of any length, and checks its size and its
/// checksum. It holds a window of the content and no more.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{Format, zip::{Archive, EntryReader, Writer}};
/// let mut writer = Writer::new(Format::PyTorch);
/// writer.add("a", b"text")?;
/// let file = writer.finish()?;
/// let archive = Archive::open(&file, Format::PyTorch)?;
/// let mut reader = EntryReader::new(&archive.entries()[0], Format::PyTorch);
/// let (mut content, mut at): (Vec<u8>, usize) = (vec![], 0);
/// while reader.remaining() > 0 {
///     let end = at + reader.remaining() as usize;
///     reader.push(&file[at..end], &mut |bytes| { content.extend(bytes); Ok(()) })?;
///     at = end;
/// }
/// reader.finish()?;
/// assert_eq!(content, b"text");
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
pub struct EntryReader {
    entry: Entry,
    format: Format,
    /// The bytes of the local header so far.
    header: Vec<u8>,
    /// The length of the local header, as far as it is known.
    header_length: usize,
    /// The bytes of the content that are still to come, as stored.
    left: u64,
    inflating: Option<Box<Inflating>>,
    checksum: Checksum,
    /// The bytes of the content so far.
    read: usize,
}

struct Inflating {
    state: InflateState,
    window: Vec<u8>,
    /// Whether the stream has ended. Further bytes of an entry are not read.
    has_ended: bool,
}

impl EntryReader {
    /// A reader of an entry, whose bytes begin at [`Entry::start`]. Errors name the format.
    pub fn new(entry: &Entry, format: Format) -> EntryReader {
        let inflating = || {
            let state = InflateState::new(DataFormat::Raw);
            Box::new(Inflating { state, window: vec![0; WINDOW], has_ended: false })
        };
        EntryReader {
            format,
            header: Vec::new(),
            header_length: LOCAL_LENGTH,
            left: entry.compressed,
            inflating: (entry.method == Method::Deflated).then(inflating),
            checksum: Checksum::new(),
            read: 0,
            entry: entry.clone(),
        }
    }

    fn error(&self, message: String) -> Error {
        Error::malformed(self.format, self.entry.start, message).concerning(&self.entry.name)
    }

    /// How many bytes can come next; 0 at the end.
    pub fn remaining(&self) -> u64 {
        match self.header_length - self.header.len() {
            0 => self.left,
            missing => missing as u64,
        }
    }

    /// Takes the next bytes, no more than [`EntryReader::remaining`], and passes their content to
    /// `emit`.
    ///
    /// # Errors
    ///
    /// An error that is malformed if the local header or the content differ from the directory; the
    /// errors of `emit`.
    pub fn push(&mut self, bytes: &[u8], emit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if bytes.len() as u64 > self.remaining() {
            return Err(self.error("more bytes than the entry has".to_string()));
        }
        if self.header.len() < self.header_length {
            self.header.extend(bytes);
            return self.check_header();
        }
        self.left -= bytes.len() as u64;
        let Some(mut inflating) = self.inflating.take() else { return self.content(bytes, emit) };
        let result = self.inflate(&mut inflating, bytes, emit);
        self.inflating = Some(inflating);
        result
    }

    /// Checks the local header, as far as it is there.
    fn check_header(&mut self) -> Result<()> {
        if self.header.len() < self.header_length {
            return Ok(());
        }
        let [name, extra] = self.entry.local_lengths(&self.header, self.format)?;
        self.header_length = LOCAL_LENGTH + name + extra;
        if self.header.len() < self.header_length {
            return Ok(());
        }
        self.entry.check_name(&self.header[LOCAL_LENGTH..LOCAL_LENGTH + name], self.format)?;
        let end = self.entry.start.saturating_add(self.header_length as u64).saturating_add(self.left);
        match end <= self.entry.limit {
            true => Ok(()),
            false => Err(self.error("the entry overlaps the next one".to_string())),
        }
    }

    fn inflate(
        &mut self,
        inflating: &mut Inflating,
        mut bytes: &[u8],
        emit: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        while !inflating.has_ended {
            let result = inflate(&mut inflating.state, bytes, &mut inflating.window, MZFlush::None);
            bytes = &bytes[result.bytes_consumed..];
            self.content(&inflating.window[..result.bytes_written], emit)?;
            match result.status {
                Ok(MZStatus::StreamEnd) => inflating.has_ended = true,
                // All that came is used, and the window is not full: more is to come.
                Ok(MZStatus::Ok) | Err(miniz_oxide::MZError::Buf)
                    if bytes.is_empty() && result.bytes_written < WINDOW =>
                {
                    return Ok(());
                }
                Ok(MZStatus::Ok) => {}
                _ => return Err(self.error(format!("does not inflate to {} bytes", self.entry.size))),
            }
        }
        Ok(())
    }

    fn content(&mut self, bytes: &[u8], emit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.read += bytes.len();
        if self.read > self.entry.size {
            return Err(self.error(format!("does not inflate to {} bytes", self.entry.size)));
        }
        self.checksum.update(bytes);
        emit(bytes)
    }

    /// Checks the size and the checksum of the content.
    ///
    /// # Errors
    ///
    /// An error that is malformed if one of them is another.
    pub fn finish(&self) -> Result<()> {
        let has_ended = self.inflating.as_ref().is_none_or(|inflating| inflating.has_ended);
        if self.remaining() > 0 || !has_ended || self.read != self.entry.size {
            return Err(self.error(format!("inflates to {} bytes, not to {}", self.read, self.entry.size)));
        }
        let crc = self.checksum.value();
        match crc == self.entry.crc {
            true => Ok(()),
            false => Err(self.error(format!("the checksum is {crc:08x}, not {:08x}", self.entry.crc))),
        }
    }
}
