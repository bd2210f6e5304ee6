//! The content of a part, from its bytes in the file.

use super::Stored;
use crate::{Error, Format, Result, zip::EntryReader};

/// Takes the bytes of a part, and emits its content.
pub(super) enum Unpack {
    Plain { left: u64 },
    Counted { count: u64, header: Vec<u8>, left: u64 },
    Entry(Box<EntryReader>),
}

/// The bytes of a number of elements.
const COUNT: usize = 8;

impl Unpack {
    pub fn new(stored: &Stored) -> Unpack {
        match stored {
            Stored::Plain(length) => Unpack::Plain { left: *length },
            Stored::Counted { count, length } => Unpack::Counted { count: *count, header: Vec::new(), left: *length },
            Stored::Entry(entry, format) => Unpack::Entry(Box::new(EntryReader::new(entry, *format))),
        }
    }

    /// How many bytes can come next; 0 at the end.
    pub fn remaining(&self) -> u64 {
        match self {
            Unpack::Counted { header, .. } if header.len() < COUNT => (COUNT - header.len()) as u64,
            Unpack::Plain { left } | Unpack::Counted { left, .. } => *left,
            Unpack::Entry(entry) => entry.remaining(),
        }
    }

    /// Takes the next bytes, no more than [`Unpack::remaining`].
    pub fn push(&mut self, bytes: &[u8], emit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match self {
            Unpack::Counted { count, header, .. } if header.len() < COUNT => {
                header.extend(bytes);
                let Ok(told) = header.as_slice().try_into().map(u64::from_le_bytes) else { return Ok(()) };
                match told == *count {
                    true => Ok(()),
                    false => {
                        let message = format!("the storage of {count} elements has {told} elements");
                        Err(Error::malformed(Format::PyTorch, 0u64, message))
                    }
                }
            }
            Unpack::Plain { left } | Unpack::Counted { left, .. } => {
                *left = left.saturating_sub(bytes.len() as u64);
                emit(bytes)
            }
            Unpack::Entry(entry) => entry.push(bytes, emit),
        }
    }

    /// Checks that the part was whole.
    pub fn finish(&self) -> Result<()> {
        match self {
            Unpack::Entry(entry) => entry.finish(),
            _ if self.remaining() == 0 => Ok(()),
            _ => Err(Error::malformed(Format::PyTorch, 0u64, format!("{} bytes are missing", self.remaining()))),
        }
    }
}
