//! The storages of a checkpoint, and tensors that view them.

use super::FORMAT;
use crate::{DType, Error, Result, TensorData, byte_length, tensor::gather, zip::Archive};
use std::{borrow::Cow, collections::HashMap};

/// The storages of an archive. Each is read, and its checksum compared, once.
pub(super) struct Storages<'s, 'a> {
    archive: &'s Archive<'a>,
    /// Where the names of their entries begin: `archive/data/`.
    prefix: &'s str,
    indices: HashMap<&'s str, usize>,
    read: Vec<Cow<'a, [u8]>>,
}

/// A range of elements of one type, in one of the storages.
#[derive(Clone, Copy)]
pub(super) struct Storage {
    pub dtype: DType,
    index: usize,
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
        Storages { archive, prefix, indices: HashMap::new(), read: Vec::new() }
    }

    /// The storage under a key, which must have this many elements.
    pub fn get(&mut self, key: &str, dtype: DType, elements: u64) -> Result<Storage> {
        let (archive, name) = (self.archive, format!("{}{key}", self.prefix));
        let malformed = |message: String| Error::malformed(FORMAT, 0u64, message);
        let entry = archive.find(&name).ok_or_else(|| malformed(format!("there is no storage {name:?}")))?;
        let index = match self.indices.get(entry.name.as_str()) {
            Some(&index) => index,
            None => {
                self.read.push(archive.read(entry)?);
                self.indices.insert(&entry.name, self.read.len() - 1);
                self.read.len() - 1
            }
        };
        let length = self.read[index].len();
        if elements.checked_mul(dtype.size() as u64) != Some(length as u64) {
            return Err(malformed(format!("the storage {name:?} of {elements} {dtype} has {length} bytes")));
        }
        Ok(Storage { dtype, index })
    }

    /// A view of a storage; offset and strides in elements.
    pub fn view(&self, storage: Storage, offset: u64, sizes: &[u64], strides: &[u64]) -> Result<View> {
        let outside = || {
            let elements = self.read[storage.index].len() / storage.dtype.size();
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
            let (offset, strides) = (scaled(&offset)?, strides.iter().map(scaled).collect::<Option<Vec<usize>>>()?);
            if length > 0 {
                let steps = shape.iter().zip(&strides);
                let last = steps
                    .map(|(&size, &stride)| (size - 1).checked_mul(stride))
                    .try_fold(offset, |at, step| at.checked_add(step?))?;
                self.read[storage.index].get(last..last.checked_add(size)?)?;
            }
            Some(View { storage, offset, shape, strides, length, requires_grad: false })
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
