//! The directory at the end of an archive.

use super::{CENTRAL, END, LOCAL};
use crate::{Error, Format, Reader, Result};
use std::{collections::HashMap, ops::Range};

const END64: u32 = 0x0606_4b50;
const LOCATOR64: u32 = 0x0706_4b50;
const END_LENGTH: usize = 22;

/// The bytes before an entry's name in its local header.
pub(super) const LOCAL_LENGTH: usize = 30;

/// The bytes at the end of an archive that have its end record, and the records of zip64 before it.
const TAIL: u64 = (1 << 16) + (1 << 10);

/// An entry of an archive.
#[derive(Clone)]
pub struct Entry {
    /// Its path.
    pub name: String,
    /// Its uncompressed size.
    pub size: usize,
    /// The offset of its local header, which precedes its content.
    pub start: u64,
    pub(super) method: Method,
    pub(super) crc: u32,
    pub(super) compressed: u64,
    /// Its index in the directory.
    pub(super) index: usize,
    /// The offset before which its content ends: the next entry, or the directory.
    pub(super) limit: u64,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Method {
    Stored,
    Deflated,
}

/// The range of a directory in its file, and its number of entries.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{Format, zip::{Directory, Located, Writer}};
/// let mut writer = Writer::new(Format::PyTorch);
/// writer.add("a", b"text")?;
/// let file = writer.finish()?;
/// let length = file.len() as u64;
/// let located = Located::find(&file[Located::tail(length) as usize..], length, Format::PyTorch)?;
/// let directory = &file[located.range.start as usize..located.range.end as usize];
/// let directory = Directory::parse(directory, &located, length, Format::PyTorch)?;
/// assert_eq!(directory.find("a").unwrap().size, 4);
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    entries: u64,
    /// The range of its bytes.
    pub range: Range<u64>,
}

/// The entries of an archive, without their contents.
pub struct Directory {
    entries: Vec<Entry>,
    indices: HashMap<String, usize>,
}

/// The largest total uncompressed size for an archive of this length.
///
/// Deflate saves a few per cent on weights and a factor of a thousand on zeros; an archive that
/// expands by more was made to do so.
fn inflated_limit(length: u64) -> u64 {
    (256 << 20) + length.saturating_mul(64)
}

/// The error for two entries that share bytes.
pub(super) fn overlap(located: &Located, one: &Entry, other: &Entry, format: Format) -> Error {
    let message = format!("the entries {:?} and {:?} overlap", one.name, other.name);
    Error::malformed(format, located.range.start, message)
}

impl Located {
    /// The offset of the bytes that [`Located::find`] needs, in a file of this length.
    pub fn tail(length: u64) -> u64 {
        length.saturating_sub(TAIL)
    }

    /// Locates the directory of a file of `length` bytes by its end record, which is in the `tail`,
    /// the last bytes of the file. A comment may follow the record.
    ///
    /// # Errors
    ///
    /// An error that is malformed if the tail has no such record, and unsupported for an archive in
    /// several parts.
    pub fn find(tail: &[u8], length: u64, format: Format) -> Result<Located> {
        let absent = || Error::malformed(format, length, "the zip archive has no end: it is truncated");
        let base = length.checked_sub(tail.len() as u64).ok_or_else(absent)?;
        let last = tail.len().checked_sub(END_LENGTH).ok_or_else(absent)?;
        let ends_here = |&at: &usize| {
            let comment = usize::from(u16::from_le_bytes([tail[at + 20], tail[at + 21]]));
            tail[at..].starts_with(&END.to_le_bytes()) && at + END_LENGTH + comment == tail.len()
        };
        let end = (last.saturating_sub(usize::from(u16::MAX))..=last).rev().find(ends_here).ok_or_else(absent)?;
        let mut reader = Reader::new(&tail[end + 4..], format);
        let (disk, start_disk) = (reader.u16("the end")?, reader.u16("the end")?);
        let (here, entries) = (reader.u16("the end")?, reader.u16("the end")?);
        let (size, start) = (reader.u32("the end")?, reader.u32("the end")?);
        if (disk, start_disk) != (0, 0) || here != entries {
            return Err(Error::unsupported(format, "a zip archive in several parts"));
        }
        let offset = base + end as u64;
        let wide = find_wide(tail, end, base, format)?;
        let (entries, size, start, limit) = wide.unwrap_or((entries.into(), size.into(), start.into(), offset));
        let last = start.checked_add(size).filter(|&last| last <= limit);
        let outside = || Error::malformed(format, offset, "the directory would lie outside of the archive");
        Ok(Located { entries, range: start..last.ok_or_else(outside)? })
    }
}

/// The directory according to zip64: number of entries, size, start, and the offset before which it
/// must end. The tail begins at `base`.
fn find_wide(tail: &[u8], end: usize, base: u64, format: Format) -> Result<Option<(u64, u64, u64, u64)>> {
    let Some(at) = end.checked_sub(20).filter(|&at| tail[at..].starts_with(&LOCATOR64.to_le_bytes())) else {
        return Ok(None);
    };
    let offset = base + at as u64;
    let mut locator = Reader::new(&tail[at + 8..at + 16], format);
    let start = Some(locator.u64("the zip64 locator")?).filter(|&start| start < offset);
    let start = start.ok_or_else(|| Error::malformed(format, offset, "the zip64 end would lie behind its locator"))?;
    let misplaced = || Error::malformed(format, start, "no zip64 end is where its locator says");
    let inside = start.checked_sub(base).ok_or_else(misplaced)?;
    // Less than `at`.
    let mut reader = Reader::new(&tail[inside as usize..at], format);
    if reader.u32("the zip64 end")? != END64 {
        return Err(misplaced());
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

impl Directory {
    /// Parses the directory of a file of `length` bytes; `bytes` is the range [`Located::range`].
    ///
    /// # Errors
    ///
    /// An error that is malformed if the entries do not fit in the file, and too large if they
    /// would expand beyond a limit.
    pub fn parse(bytes: &[u8], located: &Located, length: u64, format: Format) -> Result<Directory> {
        let start = located.range.start;
        let malformed = |message: String| Error::malformed(format, start, message);
        let mut reader = Reader::new(bytes, format);
        if located.entries > (bytes.len() / 46) as u64 {
            let message = format!("a directory of {} bytes cannot have {} entries", bytes.len(), located.entries);
            return Err(malformed(message));
        }
        let mut entries: Vec<Entry> = Vec::new();
        for _ in 0..located.entries {
            entries.extend(read_entry(&mut reader, start, format)?);
        }
        if reader.left() > 0 {
            return Err(malformed("the directory has bytes behind its entries".to_string()));
        }
        let mut indices = HashMap::new();
        for (index, entry) in entries.iter_mut().enumerate() {
            entry.index = index;
            if indices.insert(entry.name.clone(), index).is_some() {
                return Err(malformed(format!("the entry {:?} occurs twice", entry.name)));
            }
        }
        set_limits(&mut entries, located, format)?;
        let total = entries.iter().fold(0u64, |total, entry| total.saturating_add(entry.size as u64));
        if total > inflated_limit(length) {
            return Err(Error::too_large(format, format!("{length} bytes would inflate to {total}")));
        }
        Ok(Directory { entries, indices })
    }

    /// The entries of the archive.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry with this name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.indices.get(name).map(|&index| &self.entries[index])
    }
}

/// Sets the limits of the entries.
fn set_limits(entries: &mut [Entry], located: &Located, format: Format) -> Result<()> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|&index| entries[index].start);
    for (position, &index) in order.iter().enumerate() {
        let next = order.get(position + 1).map(|&next| &entries[next]);
        let limit = next.map_or(located.range.start, |next| next.start);
        let entry = &entries[index];
        let least = LOCAL_LENGTH as u64 + entry.name.len() as u64;
        let end = entry.start.saturating_add(least).saturating_add(entry.compressed);
        match next {
            _ if end <= limit => {}
            Some(next) => return Err(overlap(located, entry, next, format)),
            None => return Err(entry.error("lies behind the directory", format)),
        }
        entries[index].limit = limit;
    }
    Ok(())
}

/// The next entry of the directory, which begins at `directory`; `None` for a folder.
fn read_entry(reader: &mut Reader, directory: u64, format: Format) -> Result<Option<Entry>> {
    let what = "an entry of the directory";
    let at = directory + reader.at() as u64;
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
    let start = u64::from(reader.u32(what)?);
    let name = reader.take(lengths[0], what)?;
    let name = reader.text(name, "the name of an entry")?;
    let extra = reader.take(lengths[1], what)?;
    reader.take(lengths[2], what)?;
    let mut wide = wide_fields(extra, format);
    let mut widened =
        |value: u64| if value == u64::from(u32::MAX) { wide.next().unwrap_or(Ok(value)) } else { Ok(value) };
    let (size, compressed, start) = (widened(size)?, widened(compressed)?, widened(start)?);
    if flags & 1 != 0 {
        return Err(Error::unsupported(format, format!("the entry {name:?} is encrypted")));
    }
    let method = match method {
        0 if compressed == size => Method::Stored,
        0 => return Err(malformed("a stored entry has two sizes")),
        8 => Method::Deflated,
        _ => return Err(Error::unsupported(format, format!("the entry {name:?} is packed by method {method}"))),
    };
    if name.ends_with('/') {
        return Ok(None);
    }
    let size = usize::try_from(size)
        .map_err(|_| Error::too_large(format, format!("the entry {name:?} would inflate to {size} bytes")))?;
    let name = name.to_string();
    Ok(Some(Entry { name, size, start, method, crc, compressed, index: 0, limit: 0 }))
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

impl Entry {
    /// Whether its content is stored as it is.
    pub fn is_stored(&self) -> bool {
        self.method == Method::Stored
    }

    pub(super) fn error(&self, message: &str, format: Format) -> Error {
        Error::malformed(format, self.start, format!("{}: {message}", self.name))
    }

    /// The lengths of the name and of the extra fields, by the first [`LOCAL_LENGTH`] bytes of the
    /// local header.
    pub(super) fn local_lengths(&self, header: &[u8], format: Format) -> Result<[usize; 2]> {
        let mut reader = Reader::new(header, format);
        if reader.u32("an entry")? != LOCAL {
            return Err(self.error("the entry has no signature", format));
        }
        reader.take(22, "an entry")?;
        Ok([reader.u16("an entry")?.into(), reader.u16("an entry")?.into()])
    }

    /// Checks the name in the local header.
    pub(super) fn check_name(&self, name: &[u8], format: Format) -> Result<()> {
        match name == self.name.as_bytes() {
            true => Ok(()),
            false => Err(self.error("the entry has another name than in the directory", format)),
        }
    }

    /// The range of the content: after the local header, and before the directory.
    pub(super) fn locate(&self, bytes: &[u8], directory: usize, format: Format) -> Result<Range<usize>> {
        let start = usize::try_from(self.start).ok().filter(|&start| start < directory);
        let start = start.ok_or_else(|| self.error("lies behind the directory", format))?;
        let mut reader = Reader::new(&bytes[start..directory], format);
        let [name, extra] = self.local_lengths(reader.take(LOCAL_LENGTH, "an entry")?, format)?;
        self.check_name(reader.take(name, "an entry")?, format)?;
        reader.take(extra, "an entry")?;
        let first = start + reader.at();
        reader.take_u64(self.compressed, "an entry")?;
        Ok(first..start + reader.at())
    }
}
