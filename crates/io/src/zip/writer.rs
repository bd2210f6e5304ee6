//! Writing of archives.

use super::{CENTRAL, END, LOCAL};
use crate::{Error, Format, Result};

/// Writes an archive of stored entries, each aligned to 64 bytes, as PyTorch maps them.
pub struct Writer {
    format: Format,
    file: Vec<u8>,
    directory: Vec<u8>,
    entries: u16,
}

const ALIGNMENT: usize = 64;

impl Writer {
    /// An archive without entries. Errors name the format.
    pub fn new(format: Format) -> Writer {
        Writer { format, file: Vec::new(), directory: Vec::new(), entries: 0 }
    }

    fn count<N: TryFrom<usize>>(&self, count: usize) -> Result<N> {
        let too_large =
            || Error::too_large(self.format, "a zip archive of more than 4 GiB or 65535 entries; use safetensors");
        N::try_from(count).map_err(|_| too_large())
    }

    /// Adds an entry.
    ///
    /// # Errors
    ///
    /// An error that is too large beyond 4 GiB or 65535 entries.
    pub fn add(&mut self, name: &str, data: &[u8]) -> Result<()> {
        let start: u32 = self.count(self.file.len())?;
        let length: u32 = self.count(data.len())?;
        self.entries = self.count(usize::from(self.entries) + 1)?;
        let name_length: u16 = self.count(name.len())?;
        // Version needed, the flag for UTF-8 names, method "stored", and the earliest date of the
        // format.
        let mut common = Vec::new();
        for word in [20u16, 1 << 11, 0, 0, 0x21] {
            common.extend(word.to_le_bytes());
        }
        common.extend(crate::crc32::hash(data).to_le_bytes());
        common.extend(length.to_le_bytes());
        common.extend(length.to_le_bytes());
        common.extend(name_length.to_le_bytes());
        // The padding is an extra field that readers skip; it takes at least the 4 bytes of its
        // header.
        let before = self.file.len() + 4 + common.len() + 2 + name.len() + 4;
        let padding = before.next_multiple_of(ALIGNMENT) - before;
        self.file.extend(LOCAL.to_le_bytes());
        self.file.extend(&common);
        self.file.extend((padding as u16 + 4).to_le_bytes());
        self.file.extend(name.as_bytes());
        self.file.extend(*b"FB");
        self.file.extend((padding as u16).to_le_bytes());
        self.file.extend(std::iter::repeat_n(b'Z', padding));
        self.file.extend(data);
        self.directory.extend(CENTRAL.to_le_bytes());
        self.directory.extend(20u16.to_le_bytes());
        self.directory.extend(&common);
        // No extra field, no comment, disk 0, no attributes.
        self.directory.extend([0; 2 + 2 + 2 + 2 + 4]);
        self.directory.extend(start.to_le_bytes());
        self.directory.extend(name.as_bytes());
        Ok(())
    }

    /// The finished archive.
    ///
    /// # Errors
    ///
    /// An error that is too large beyond 4 GiB.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        let start: u32 = self.count(self.file.len())?;
        let size: u32 = self.count(self.directory.len())?;
        self.file.append(&mut self.directory);
        self.file.extend(END.to_le_bytes());
        self.file.extend([0; 4]);
        self.file.extend(self.entries.to_le_bytes());
        self.file.extend(self.entries.to_le_bytes());
        self.file.extend(size.to_le_bytes());
        self.file.extend(start.to_le_bytes());
        self.file.extend([0; 2]);
        Ok(self.file)
    }
}
