//! The part of zip that PyTorch and NumPy use: a directory of stored or deflated entries.
//!
//! This reader is written here because it is small and safety rests on its checks: entries do not
//! overlap, so their sizes add up to no more than the file; an entry inflates to no more than the
//! size in the directory, which is checked *before* anything is inflated, and the sum of those
//! sizes is limited by the size of the file; the CRC is checked whenever an entry is read. The
//! directory is parsed without the entries ([`Directory`]), so that a file can also be read in
//! parts ([`EntryReader`]). Rejected: the crate `zip`, which is built for streams and all kinds of
//! archives, and leaves these limits to its caller.

mod directory;
mod entry;
mod writer;

pub use directory::{Directory, Entry, Located};
pub use entry::EntryReader;
pub use writer::Writer;

use crate::{Error, Format, Result};
use directory::Method;
use std::{borrow::Cow, ops::Range};

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;

/// An archive whose directory has been checked.
pub struct Archive<'a> {
    bytes: &'a [u8],
    format: Format,
    directory: Directory,
    /// The range of each entry's content, in the order of the directory.
    data: Vec<Range<usize>>,
}

impl<'a> Archive<'a> {
    /// Reads the directory. Errors name the format.
    ///
    /// # Errors
    ///
    /// An error that is malformed if the bytes are no archive, and too large if it would expand
    /// beyond a limit.
    pub fn open(bytes: &'a [u8], format: Format) -> Result<Archive<'a>> {
        let located = Located::find(bytes, bytes.len() as u64, format)?;
        // The directory lies within the bytes.
        let range = located.range.start as usize..located.range.end as usize;
        let directory = Directory::parse(&bytes[range.clone()], &located, bytes.len() as u64, format)?;
        let data = directory.entries().iter().map(|entry| entry.locate(bytes, range.start, format));
        let data = data.collect::<Result<Vec<_>>>()?;
        let mut ranges: Vec<_> = directory.entries().iter().zip(&data).collect();
        ranges.sort_by_key(|(_, data)| data.start);
        if let Some(pair) = ranges.windows(2).find(|pair| pair[0].1.end > pair[1].1.start) {
            return Err(directory::overlap(&located, pair[0].0, pair[1].0, format));
        }
        Ok(Archive { bytes, format, directory, data })
    }

    /// The length of the archive in bytes.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The directory of the archive.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The entries of the archive.
    pub fn entries(&self) -> &[Entry] {
        self.directory.entries()
    }

    /// The entry with this name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.directory.find(name)
    }

    /// The content of an entry; stored entries borrow from the archive.
    ///
    /// # Errors
    ///
    /// An error that is malformed if the content does not have the size or the checksum of the
    /// directory.
    pub fn read(&self, entry: &Entry) -> Result<Cow<'a, [u8]>> {
        let range = &self.data[entry.index];
        let malformed = |message| Error::malformed(self.format, range.start, message).concerning(&entry.name);
        let data = &self.bytes[range.clone()];
        let read = match entry.method {
            Method::Stored => Cow::Borrowed(data),
            Method::Deflated => {
                let inflated = miniz_oxide::inflate::decompress_to_vec_with_limit(data, entry.size);
                Cow::Owned(
                    inflated
                        .map_err(|error| malformed(format!("does not inflate to {} bytes: {}", entry.size, error)))?,
                )
            }
        };
        if read.len() != entry.size {
            return Err(malformed(format!("inflates to {} bytes, not to {}", read.len(), entry.size)));
        }
        let crc = crate::crc32::hash(&read);
        if crc != entry.crc {
            return Err(malformed(format!("the checksum is {crc:08x}, not {:08x}", entry.crc)));
        }
        Ok(read)
    }
}
