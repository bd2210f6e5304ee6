//! The storages of a checkpoint, and tensors that view them.

use super::FORMAT;
use crate::{
    DType, Error, Reader, Result, TensorData, byte_length,
    tensor::gather,
    zip::{Archive, Directory},
};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    ops::Range,
};

fn malformed(message: String) -> Error {
    Error::malformed(FORMAT, 0u64, message)
}

/// The location of the bytes of storages.
enum Source<'s> {
    /// In an archive, whose names of storages begin with the text: `archive/data/`.
    Archive(&'s Directory, &'s str),
    /// After the pickle, of a file from before version 1.6. The pickle alone has their types and so
    /// their sizes; their order follows it ([`Storages::after`]).
    AfterPickle,
}

/// The storages of a checkpoint, without their bytes.
pub(super) struct Storages<'s> {
    source: Source<'s>,
    indices: HashMap<String, usize>,
    stored: Vec<Stored>,
}

/// A storage.
pub(super) struct Stored {
    /// Its size in bytes.
    pub length: usize,
    /// The size of its elements in bytes.
    size: usize,
    /// Its name in the archive.
    pub entry: Option<String>,
    /// Whether its bytes are stored without compression.
    is_plain: bool,
}

/// The bytes of storages.
pub(super) struct Contents<'a> {
    read: Vec<Cow<'a, [u8]>>,
}

/// A range of elements of one type, in one of the storages.
#[derive(Clone, Copy)]
pub(super) struct Storage {
    pub dtype: DType,
    index: usize,
    /// The range of its bytes in the storage.
    start: usize,
    length: usize,
}

/// A strided view of a storage, whose bounds were checked.
#[derive(Clone)]
pub(super) struct View {
    storage: Storage,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
    /// The bytes of the elements.
    length: usize,
    /// Whether the tensor is trained.
    pub requires_grad: bool,
}

impl<'s> Storages<'s> {
    pub fn new(directory: &'s Directory, prefix: &'s str) -> Storages<'s> {
        Storages::of(Source::Archive(directory, prefix))
    }

    /// Storages that come after the pickle.
    pub fn after_pickle() -> Storages<'s> {
        Storages::of(Source::AfterPickle)
    }

    fn of(source: Source<'s>) -> Storages<'s> {
        Storages { source, indices: HashMap::new(), stored: Vec::new() }
    }

    /// The storages, by their indices.
    pub fn list(&self) -> &[Stored] {
        &self.stored
    }

    /// Adds a storage under a key.
    fn add(&mut self, key: &str, stored: Stored) -> usize {
        self.stored.push(stored);
        self.indices.insert(key.to_string(), self.stored.len() - 1);
        self.stored.len() - 1
    }

    /// The storage under a key, which must have this many elements.
    pub fn get(&mut self, key: &str, dtype: DType, elements: u64) -> Result<Storage> {
        let expected = elements.checked_mul(dtype.size() as u64).and_then(|length| usize::try_from(length).ok());
        let index = match self.indices.get(key) {
            Some(&index) => index,
            None => {
                let stored = match &self.source {
                    Source::Archive(directory, prefix) => {
                        let name = format!("{prefix}{key}");
                        let absent = || malformed(format!("there is no storage {name:?}"));
                        let entry = directory.find(&name).ok_or_else(absent)?;
                        let is_plain = entry.is_stored();
                        Stored { length: entry.size, size: dtype.size(), entry: Some(name), is_plain }
                    }
                    Source::AfterPickle => {
                        let uncounted = || malformed(format!("a storage of {elements} {dtype} cannot be counted"));
                        let length = expected.ok_or_else(uncounted)?;
                        Stored { length, size: dtype.size(), entry: None, is_plain: true }
                    }
                };
                self.add(key, stored)
            }
        };
        let length = self.stored[index].length;
        if expected != Some(length) {
            return Err(malformed(format!("the storage {key:?} of {elements} {dtype} has {length} bytes")));
        }
        Ok(Storage { dtype, index, start: 0, length })
    }

    /// Notes a storage whose elements have a type that no tensor here has. Of a file whose storages
    /// come after the pickle, their size is needed.
    pub fn skip(&mut self, key: &str, class: &str, elements: u64) -> Result<()> {
        const SIZES: [(&str, u64); 7] = [
            ("ComplexFloatStorage", 8),
            ("ComplexDoubleStorage", 16),
            ("QInt8Storage", 1),
            ("QUInt8Storage", 1),
            ("QInt32Storage", 4),
            ("QUInt4x2Storage", 1),
            ("QUInt2x4Storage", 1),
        ];
        if !matches!(self.source, Source::AfterPickle) || self.indices.contains_key(key) {
            return Ok(());
        }
        let size = SIZES.iter().find(|(name, _)| class.strip_prefix("torch.") == Some(name)).map(|&(_, size)| size);
        let length = size.and_then(|size| usize::try_from(elements.checked_mul(size)?).ok());
        let (Some(size), Some(length)) = (size, length) else {
            let message = format!("a storage {class}, whose elements have an unknown size");
            return Err(Error::unsupported(FORMAT, message));
        };
        self.add(key, Stored { length, size: size as usize, entry: None, is_plain: true });
        Ok(())
    }

    /// A part of a storage, as files from before version 0.4 have it: first element and number.
    pub fn part(&self, storage: Storage, first: u64, elements: u64) -> Result<Storage> {
        let bytes = |elements: u64| usize::try_from(elements).ok()?.checked_mul(storage.dtype.size());
        let inside = bytes(first)
            .zip(bytes(elements))
            .filter(|&(start, length)| start.checked_add(length).is_some_and(|end| end <= storage.length));
        let outside = || malformed(format!("a view of {elements} elements from {first} in a smaller storage"));
        let (start, length) = inside.ok_or_else(outside)?;
        Ok(Storage { start: storage.start + start, length, ..storage })
    }

    /// The storages after a pickle that ends at `offset`, in their order: the index of each, and
    /// the range of its bytes, before which 8 bytes have its number of elements.
    ///
    /// # Errors
    /// A storage is missing or unknown, or the file, whose length is `length`, ends before.
    pub fn after(&self, keys: &[&str], offset: u64, length: u64) -> Result<Vec<(usize, Range<u64>)>> {
        let mut missing: HashSet<usize> = (0..self.stored.len()).collect();
        let mut ranges = Vec::with_capacity(keys.len());
        let mut at = offset;
        for key in keys {
            let malformed = |message: String| Error::malformed(FORMAT, at, message);
            let index = self.indices.get(*key).copied().filter(|index| missing.remove(index));
            let index = index.ok_or_else(|| malformed(format!("a storage {key:?} that no tensor has")))?;
            let start = at.saturating_add(8);
            let end = start.saturating_add(self.stored[index].length as u64);
            if end > length {
                let (expected, left) = (self.stored[index].length, length.saturating_sub(start));
                return Err(malformed(format!("a storage should have {expected} bytes, {left} are left")));
            }
            ranges.push((index, start..end));
            at = end;
        }
        match missing.iter().any(|&index| self.stored[index].length > 0) {
            true => Err(Error::malformed(FORMAT, at, "a storage of a tensor is missing")),
            false => Ok(ranges),
        }
    }

    /// Checks the number of elements that a file has before a storage.
    pub fn check_count(&self, index: usize, count: u64, at: u64) -> Result<()> {
        let Stored { length, size, .. } = self.stored[index];
        match count.checked_mul(size as u64) == Some(length as u64) {
            true => Ok(()),
            false => {
                let message = format!("the storage of {length} bytes has {count} elements");
                Err(Error::malformed(FORMAT, at, message))
            }
        }
    }

    /// The number of elements of a storage.
    pub fn count(&self, index: usize) -> u64 {
        let Stored { length, size, .. } = self.stored[index];
        (length / size) as u64
    }

    /// The bytes of the storages in an archive; the checksum of each is compared.
    pub fn read<'a>(&self, archive: &Archive<'a>) -> Result<Contents<'a>> {
        let read = |stored: &Stored| match stored.entry.as_ref().and_then(|name| archive.find(name)) {
            Some(entry) => archive.read(entry),
            None => Ok(Cow::Borrowed(&[][..])),
        };
        Ok(Contents { read: self.stored.iter().map(read).collect::<Result<_>>()? })
    }

    /// The bytes of the storages after a pickle, at the ranges of [`Storages::after`].
    pub fn read_after<'a>(&self, bytes: &'a [u8], ranges: &[(usize, Range<u64>)]) -> Result<Contents<'a>> {
        let mut read = vec![Cow::Borrowed(&[][..]); self.stored.len()];
        for (index, range) in ranges {
            // The ranges are within the bytes.
            let mut reader = Reader::new(&bytes[range.start as usize - 8..range.end as usize], FORMAT);
            self.check_count(*index, reader.u64("the size of a storage")?, range.start - 8)?;
            read[*index] = Cow::Borrowed(reader.take(reader.left(), "a storage")?);
        }
        Ok(Contents { read })
    }

    /// A view of a storage; offset and strides in elements.
    pub fn view(&self, storage: Storage, offset: u64, sizes: &[u64], strides: &[u64]) -> Result<View> {
        let outside = || {
            let elements = storage.length / storage.dtype.size();
            let what = format!(
                "a tensor of shape {sizes:?}, strides {strides:?} and offset {offset} in a storage of {elements}"
            );
            Error::malformed(FORMAT, 0u64, what)
        };
        if sizes.len() != strides.len() {
            return Err(outside());
        }
        let size = storage.dtype.size();
        let checked = || -> Option<View> {
            let scaled = |elements: &u64| usize::try_from(*elements).ok()?.checked_mul(size);
            let shape = sizes.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<Vec<usize>>>()?;
            let length = byte_length(storage.dtype, &shape)?;
            let offset = scaled(&offset)?;
            let strides = strides.iter().map(scaled).collect::<Option<Vec<usize>>>()?;
            if length > 0 {
                let steps = shape.iter().zip(&strides);
                let last = steps
                    .map(|(&size, &stride)| (size - 1).checked_mul(stride))
                    .try_fold(offset, |at, step| at.checked_add(step?))?;
                last.checked_add(size).filter(|&end| end <= storage.length)?;
            }
            Some(View {
                storage,
                offset: offset.checked_add(storage.start)?,
                shape,
                strides,
                length,
                requires_grad: false,
            })
        };
        checked().ok_or_else(outside)
    }

    /// The bytes that a view needs if its elements must be copied.
    pub fn copied(&self, view: &View) -> usize {
        let borrowed = view.is_contiguous() && self.stored[view.storage.index].is_plain;
        if borrowed { 0 } else { view.length }
    }
}

impl<'a> Contents<'a> {
    /// The tensor of a view.
    pub fn tensor(&self, view: &View) -> Result<TensorData<'a>> {
        self.elements(view).ok_or_else(|| Error::malformed(FORMAT, 0u64, "a tensor outside of its storage"))
    }

    fn elements(&self, view: &View) -> Option<TensorData<'a>> {
        let contiguous = view.offset..view.offset.checked_add(view.length)?;
        let elements = match &self.read[view.storage.index] {
            _ if view.length == 0 => Cow::Borrowed(&[][..]),
            Cow::Borrowed(bytes) if view.is_contiguous() => Cow::Borrowed(bytes.get(contiguous)?),
            bytes if view.is_contiguous() => Cow::Owned(bytes.get(contiguous)?.to_vec()),
            bytes => Cow::Owned(gather(bytes, view.offset, &view.shape, &view.strides, view.storage.dtype.size())),
        };
        TensorData::new(view.storage.dtype, view.shape.clone(), elements)
    }
}

impl View {
    /// The identity of a view: equal views of a storage are one tensor.
    pub fn identity(&self) -> (usize, DType, usize, Vec<usize>, Vec<usize>) {
        (self.storage.index, self.storage.dtype, self.offset, self.shape.clone(), self.strides.clone())
    }

    /// The index of the storage.
    pub fn storage(&self) -> usize {
        self.storage.index
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.storage.dtype
    }

    /// The size of each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The distance of neighbours in each dimension, in elements.
    pub fn strides(&self) -> Vec<usize> {
        self.strides.iter().map(|stride| stride / self.storage.dtype.size()).collect()
    }

    /// The range of bytes of the storage from the first to the last element; empty if there are no
    /// elements.
    pub fn extent(&self) -> Range<usize> {
        if self.length == 0 {
            return self.offset..self.offset;
        }
        let steps = self.shape.iter().zip(&self.strides);
        // The last element lies within the storage.
        let last: usize = steps.map(|(&size, &stride)| (size - 1) * stride).sum();
        self.offset..self.offset + last + self.storage.dtype.size()
    }

    /// Whether its elements are in row-major order without gaps.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = self.storage.dtype.size();
        let mut steps = self.shape.iter().zip(&self.strides).rev();
        self.length == 0
            || steps.all(|(&size, &stride)| {
                let fits = size == 1 || stride == expected;
                expected *= size;
                fits
            })
    }
}
