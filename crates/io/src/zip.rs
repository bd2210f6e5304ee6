//! The part of zip that PyTorch and NumPy use: a directory of stored or deflated entries.
//!
//! This reader is written here because it is small and safety rests on its checks: entries do not
//! overlap, so their sizes add up to no more than the file; an entry inflates to no more than the
//! size in the directory, which is checked *before* anything is inflated, and the sum of those
//! sizes is limited by the size of the file ([`inflated_limit`]); the CRC is checked whenever an
//! entry is read. Rejected: the crate `zip`, which is built for streams and all kinds of archives,
//! and leaves these limits to its caller.

use crate::{Error, Format, Reader, Result};
use std::{borrow::Cow, collections::HashMap, ops::Range};

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;
const END64: u32 = 0x0606_4b50;
const LOCATOR64: u32 = 0x0706_4b50;
const END_LENGTH: usize = 22;

/// An archive whose directory has been checked.
pub struct Archive<'a> {
    bytes: &'a [u8],
    format: Format,
    entries: Vec<Entry>,
    indices: HashMap<String, usize>,
}

/// An entry of an archive.
pub struct Entry {
    /// Its path.
    pub name: String,
    /// Its uncompressed size.
    pub size: usize,
    method: Method,
    crc: u32,
    data: Range<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Method {
    Stored,
    Deflated,
}

/// The largest total uncompressed size for an archive of this length.
///
/// Deflate saves a few per cent on weights and a factor of a thousand on zeros; an archive that
/// expands by more was made to do so.
fn inflated_limit(length: usize) -> u64 {
    (256 << 20) + 64 * length as u64
}

/// The range of the directory, and its number of entries.
struct Directory {
    entries: u64,
    range: Range<usize>,
}

impl<'a> Archive<'a> {
    /// Reads the directory. Errors name the format.
    ///
    /// # Errors
    ///
    /// An error that is malformed if the bytes are no archive, and too large if it would expand beyond
    /// a limit.
    pub fn open(bytes: &'a [u8], format: Format) -> Result<Archive<'a>> {
        let directory = find_directory(bytes, format)?;
        let start = directory.range.start;
        let malformed = |message: String| Error::malformed(format, start, message);
        let mut reader = Reader::new(&bytes[directory.range.clone()], format);
        if directory.entries > (directory.range.len() / 46) as u64 {
            return Err(malformed(format!(
                "a directory of {} bytes cannot have {} entries",
                directory.range.len(),
                directory.entries
            )));
        }
        let mut entries: Vec<Entry> = Vec::new();
        for _ in 0..directory.entries {
            let entry = read_entry(&mut reader, bytes, start, format)?;
            entries.extend(entry);
        }
        if reader.left() > 0 {
            return Err(malformed("the directory has bytes behind its entries".to_string()));
        }
        let mut indices = HashMap::new();
        for (index, entry) in entries.iter().enumerate() {
            if indices.insert(entry.name.clone(), index).is_some() {
                return Err(malformed(format!("the entry {:?} occurs twice", entry.name)));
            }
        }
        let mut ranges: Vec<&Entry> = entries.iter().collect();
        ranges.sort_by_key(|entry| entry.data.start);
        if let Some(pair) = ranges.windows(2).find(|pair| pair[0].data.end > pair[1].data.start) {
            return Err(malformed(format!("the entries {:?} and {:?} overlap", pair[0].name, pair[1].name)));
        }
        let total = entries.iter().fold(0u64, |total, entry| total.saturating_add(entry.size as u64));
        if total > inflated_limit(bytes.len()) {
            return Err(Error::too_large(format, format!("{} bytes would inflate to {total}", bytes.len())));
        }
        Ok(Archive { bytes, format, entries, indices })
    }

    /// The length of the archive in bytes.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// The entries of the archive.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with this name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.indices.get(name).map(|&index| &self.entries[index])
    }

    /// The content of an entry; stored entries borrow from the archive.
    ///
    /// # Errors
    ///
    /// An error that is malformed if the content does not have the size or the checksum of the
    /// directory.
    pub fn read(&self, entry: &Entry) -> Result<Cow<'a, [u8]>> {
        let malformed = |message| Error::malformed(self.format, entry.data.start, message).concerning(&entry.name);
        let data = &self.bytes[entry.data.clone()];
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

/// The end record locates the directory; a comment may follow it.
fn find_directory(bytes: &[u8], format: Format) -> Result<Directory> {
    let absent = || Error::malformed(format, bytes.len(), "the zip archive has no end: it is truncated");
    let last = bytes.len().checked_sub(END_LENGTH).ok_or_else(absent)?;
    let ends_here = |&at: &usize| {
        let comment = usize::from(u16::from_le_bytes([bytes[at + 20], bytes[at + 21]]));
        bytes[at..].starts_with(&END.to_le_bytes()) && at + END_LENGTH + comment == bytes.len()
    };
    let end = (last.saturating_sub(usize::from(u16::MAX))..=last).rev().find(ends_here).ok_or_else(absent)?;
    let mut reader = Reader::new(&bytes[end + 4..], format);
    let (disk, start_disk) = (reader.u16("the end")?, reader.u16("the end")?);
    let (here, entries) = (reader.u16("the end")?, reader.u16("the end")?);
    let (size, start) = (reader.u32("the end")?, reader.u32("the end")?);
    if (disk, start_disk) != (0, 0) || here != entries {
        return Err(Error::unsupported(format, "a zip archive in several parts"));
    }
    let wide = find_wide_directory(bytes, end, format)?;
    let (entries, size, start, limit) = wide.unwrap_or((entries.into(), size.into(), start.into(), end));
    let last = start.checked_add(size).filter(|&last| last <= limit as u64);
    let last = last.ok_or_else(|| Error::malformed(format, end, "the directory would lie outside of the archive"))?;
    // Both are at most `limit`.
    Ok(Directory { entries, range: start as usize..last as usize })
}

/// The directory according to zip64: number of entries, size, start, and the offset before which it
/// must end.
fn find_wide_directory(bytes: &[u8], end: usize, format: Format) -> Result<Option<(u64, u64, u64, usize)>> {
    let Some(at) = end.checked_sub(20).filter(|&at| bytes[at..].starts_with(&LOCATOR64.to_le_bytes())) else {
        return Ok(None);
    };
    let mut locator = Reader::new(&bytes[at + 8..at + 16], format);
    let start = locator.u64("the zip64 locator")?;
    let start = usize::try_from(start).ok().filter(|&start| start < at);
    let start = start.ok_or_else(|| Error::malformed(format, at, "the zip64 end would lie behind its locator"))?;
    let mut reader = Reader::new(&bytes[start..at], format);
    if reader.u32("the zip64 end")? != END64 {
        return Err(Error::malformed(format, start, "no zip64 end is where its locator says"));
    }
    // Skips its size, two versions, and two disk numbers.
    reader.take(8 + 2 + 2 + 4 + 4, "the zip64 end")?;
    let (here, entries) = (reader.u64("the zip64 end")?, reader.u64("the zip64 end")?);
    if here != entries {
        return Err(Error::unsupported(format, "a zip archive in several parts"));
    }
    let (size, directory) = (reader.u64("the zip64 end")?, reader.u64("the zip64 end")?);
    Ok(Some((entries, size, directory, start)))
}

/// The next entry of the directory, which begins at `directory`; `None` for a folder.
fn read_entry(reader: &mut Reader, bytes: &[u8], directory: usize, format: Format) -> Result<Option<Entry>> {
    let what = "an entry of the directory";
    let at = directory + reader.at();
    let malformed = |message: &str| Error::malformed(format, at, message);
    if reader.u32(what)? != CENTRAL {
        return Err(malformed("an entry of the directory has no signature"));
    }
    reader.take(4, what)?;
    let flags = reader.u16(what)?;
    let method = reader.u16(what)?;
    reader.take(4, what)?;
    let crc = reader.u32(what)?;
    let (compressed, size) = (u64::from(reader.u32(what)?), u64::from(reader.u32(what)?));
    let lengths = [reader.u16(what)?, reader.u16(what)?, reader.u16(what)?].map(usize::from);
    reader.take(2 + 2 + 4, what)?;
    let local = u64::from(reader.u32(what)?);
    let name = reader.take(lengths[0], what)?;
    let name = reader.text(name, "the name of an entry")?;
    let extra = reader.take(lengths[1], what)?;
    reader.take(lengths[2], what)?;
    let mut wide = wide_fields(extra, format);
    let mut widened =
        |value: u64| if value == u64::from(u32::MAX) { wide.next().unwrap_or(Ok(value)) } else { Ok(value) };
    let (size, compressed, local) = (widened(size)?, widened(compressed)?, widened(local)?);
    if flags & 1 != 0 {
        return Err(Error::unsupported(format, format!("the entry {name:?} is encrypted")));
    }
    let method = match method {
        0 if compressed == size => Method::Stored,
        0 => return Err(malformed("a stored entry has two sizes")),
        8 => Method::Deflated,
        _ => return Err(Error::unsupported(format, format!("the entry {name:?} is packed by method {method}"))),
    };
    let data = local_data(bytes, directory, local, compressed, name, format)?;
    if name.ends_with('/') {
        return Ok(None);
    }
    let size = usize::try_from(size)
        .map_err(|_| Error::too_large(format, format!("the entry {name:?} would inflate to {size} bytes")))?;
    Ok(Some(Entry { name: name.to_string(), size, method, crc, data }))
}

/// The values of the zip64 field, which replace those that do not fit in 32 bits.
fn wide_fields(extra: &[u8], format: Format) -> impl Iterator<Item = Result<u64>> + use<'_> {
    let mut reader = Reader::new(extra, format);
    let mut field: &[u8] = &[];
    while let (Ok(id), Ok(length)) = (reader.u16("a field"), reader.u16("a field")) {
        let Ok(content) = reader.take(length.into(), "a field") else { break };
        if id == 1 {
            field = content;
            break;
        }
    }
    let mut reader = Reader::new(field, format);
    std::iter::from_fn(move || Some(reader.u64("a zip64 field")))
}

/// The range of an entry's content: after its local header, and before the directory.
fn local_data(
    bytes: &[u8],
    directory: usize,
    local: u64,
    compressed: u64,
    name: &str,
    format: Format,
) -> Result<Range<usize>> {
    let malformed = |message: &str| Error::malformed(format, local, format!("{name}: {message}"));
    let start = usize::try_from(local)
        .ok()
        .filter(|&start| start < directory)
        .ok_or_else(|| malformed("lies behind the directory"))?;
    let mut reader = Reader::new(&bytes[start..directory], format);
    if reader.u32("an entry")? != LOCAL {
        return Err(malformed("the entry has no signature"));
    }
    reader.take(22, "an entry")?;
    let (name_length, extra) = (reader.u16("an entry")?, reader.u16("an entry")?);
    if reader.take(name_length.into(), "an entry")? != name.as_bytes() {
        return Err(malformed("the entry has another name than in the directory"));
    }
    reader.take(extra.into(), "an entry")?;
    let first = start + reader.at();
    reader.take_u64(compressed, "an entry")?;
    Ok(first..start + reader.at())
}

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

    fn counted<N: TryFrom<usize>>(&self, count: usize) -> Result<N> {
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
        let start: u32 = self.counted(self.file.len())?;
        let length: u32 = self.counted(data.len())?;
        self.entries = self.counted(usize::from(self.entries) + 1)?;
        let name_length: u16 = self.counted(name.len())?;
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
        let start: u32 = self.counted(self.file.len())?;
        let size: u32 = self.counted(self.directory.len())?;
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
