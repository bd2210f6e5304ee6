//! The storages of a checkpoint, and tensors that view them.

use super::FORMAT;
use crate::{DType, Error, Reader, Result, TensorData, byte_length, tensor::gather, zip::Archive};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

fn malformed(message: String) -> Error {
    Error::malformed(FORMAT, 0u64, message)
}

/// Where the bytes of storages are.
enum Source<'s, 'a> {
    /// In an archive, whose names of storages begin with the text: `archive/data/`. Each entry is
    /// read, and its checksum compared, once.
    Archive(&'s Archive<'a>, &'s str),
    /// After the pickle, of a file from before version 1.6. They come when the pickle has run
    /// ([`Storages::fill`]), which alone has their types and so their sizes.
    AfterPickle,
}

/// The storages of a checkpoint.
pub(super) struct Storages<'s, 'a> {
    source: Source<'s, 'a>,
    indices: HashMap<String, usize>,
    /// Their sizes in bytes.
    lengths: Vec<usize>,
    /// The sizes of their elements in bytes.
    sizes: Vec<usize>,
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

/// A strided view of a storage, checked to lie within it.
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

impl<'s, 'a> Storages<'s, 'a> {
    pub fn new(archive: &'s Archive<'a>, prefix: &'s str) -> Storages<'s, 'a> {
        Storages::of(Source::Archive(archive, prefix))
    }

    /// Storages that come after the pickle.
    pub fn after_pickle() -> Storages<'s, 'a> {
        Storages::of(Source::AfterPickle)
    }

    fn of(source: Source<'s, 'a>) -> Storages<'s, 'a> {
        Storages { source, indices: HashMap::new(), lengths: Vec::new(), sizes: Vec::new(), read: Vec::new() }
    }

    /// The storage under a key, which must have this many elements.
    pub fn get(&mut self, key: &str, dtype: DType, elements: u64) -> Result<Storage> {
        let expected = elements.checked_mul(dtype.size() as u64).and_then(|length| usize::try_from(length).ok());
        let index = match self.indices.get(key) {
            Some(&index) => index,
            None => {
                let (length, bytes) = match &self.source {
                    Source::Archive(archive, prefix) => {
                        let name = format!("{prefix}{key}");
                        let absent = || malformed(format!("there is no storage {name:?}"));
                        let bytes = archive.read(archive.find(&name).ok_or_else(absent)?)?;
                        (bytes.len(), bytes)
                    }
                    Source::AfterPickle => {
                        let uncounted = || malformed(format!("a storage of {elements} {dtype} cannot be counted"));
                        (expected.ok_or_else(uncounted)?, Cow::Borrowed(&[][..]))
                    }
                };
                self.lengths.push(length);
                self.sizes.push(dtype.size());
                self.read.push(bytes);
                self.indices.insert(key.to_string(), self.read.len() - 1);
                self.read.len() - 1
            }
        };
        let length = self.lengths[index];
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
        self.lengths.push(length);
        self.sizes.push(size as usize);
        self.read.push(Cow::Borrowed(&[]));
        self.indices.insert(key.to_string(), self.read.len() - 1);
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

    /// Takes the bytes of the storages after a pickle: for each of these keys a number of
    /// elements, and as many bytes as the pickle has said.
    ///
    /// # Errors
    /// The numbers differ, a storage is missing or unknown, or the file ends before.
    pub fn fill(&mut self, keys: &[&str], reader: &mut Reader<'a>) -> Result<()> {
        let mut missing: HashSet<usize> = (0..self.read.len()).collect();
        for key in keys {
            let count = reader.u64("the size of a storage")?;
            let index = self.indices.get(*key).copied().filter(|index| missing.remove(index));
            let index = index.ok_or_else(|| reader.malformed(format!("a storage {key:?} that no tensor has")))?;
            let length = self.lengths[index];
            if count.checked_mul(self.sizes[index] as u64) != Some(length as u64) {
                return Err(reader.malformed(format!("the storage {key:?} of {length} bytes has {count} elements")));
            }
            self.read[index] = Cow::Borrowed(reader.take(length, "a storage")?);
        }
        match missing.iter().any(|&index| self.lengths[index] > 0) {
            true => Err(reader.malformed("a storage of a tensor is missing")),
            false => Ok(()),
        }
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
        let borrowed = view.is_contiguous() && matches!(self.read[view.storage.index], Cow::Borrowed(_));
        if borrowed { 0 } else { view.length }
    }

    /// The tensor of a view.
    pub fn tensor(&self, view: &View) -> Option<TensorData<'a>> {
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
    /// What tells views apart: equal views of a storage are one tensor.
    pub fn identity(&self) -> (usize, DType, usize, Vec<usize>, Vec<usize>) {
        (self.storage.index, self.storage.dtype, self.offset, self.shape.clone(), self.strides.clone())
    }

    fn is_contiguous(&self) -> bool {
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
