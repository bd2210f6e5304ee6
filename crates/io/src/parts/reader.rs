//! Reads a part.

use super::{
    Part, Placed, Region,
    region::{Has, RegionReader},
    unpack::Unpack,
};
use crate::{DType, Error, Format, Result, gguf::Kind, npy};

/// Reads a part in chunks of any length, in order.
pub struct PartReader {
    unpack: Unpack,
    content: Reading,
    has: Box<dyn Fn(DType) -> bool>,
}

/// The content of a part.
struct Reading {
    name: String,
    /// The offset of the next byte of the content.
    at: u64,
    /// The beginning of a npy file, until its header is whole.
    header: Option<Vec<u8>>,
    /// The length of the content.
    length: u64,
    regions: Vec<RegionReader>,
    tensors: Vec<Placed>,
}

/// The type and the shape of a region on the device.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionShape {
    /// The element type.
    pub dtype: DType,
    /// The size of each dimension: the shape of the tensor that a region is, or its number of
    /// elements.
    pub shape: Vec<u64>,
}

impl Part {
    /// A reader for a device that has certain element types; it converts as
    /// [`TensorData::convert_for_device`](crate::TensorData::convert_for_device) does.
    ///
    /// # Errors
    ///
    /// A type of which the device has none.
    pub fn reader(&self, has: impl Fn(DType) -> bool + 'static) -> Result<PartReader> {
        let regions = self.regions.iter().map(|region| RegionReader::new(region.clone(), false, &has));
        let regions = regions.collect::<Result<Vec<_>>>()?;
        let length = match &self.stored {
            super::Stored::Plain(length) | super::Stored::Counted { length, .. } => *length,
            super::Stored::Entry(entry, _) => entry.size as u64,
        };
        // A part without regions is an array, whose header describes its region.
        let header = (regions.is_empty() && self.tensors.is_empty()).then(Vec::new);
        let (name, tensors) = (self.name.clone(), self.tensors.clone());
        let content = Reading { name, at: 0, header, length, regions, tensors };
        Ok(PartReader { unpack: Unpack::new(&self.stored), content, has: Box::new(has) })
    }
}

impl PartReader {
    /// Returns the largest number of bytes of the file that can follow; 0 at the end.
    pub fn remaining(&self) -> u64 {
        self.unpack.remaining()
    }

    /// Takes the next bytes of the file, no more than [`PartReader::remaining`], and passes `emit`
    /// bytes of elements, with the index of their region. The bytes of a region come in their
    /// order; they may end within an element, and are a part of `bytes` where nothing is converted.
    ///
    /// # Errors
    ///
    /// Bytes that violate their format; a number that does not fit in the device's type.
    pub fn push(&mut self, bytes: &[u8], emit: &mut dyn FnMut(usize, &[u8])) -> Result<()> {
        let PartReader { unpack, content, has } = self;
        unpack.push(bytes, &mut |bytes| content.push(bytes, has, emit))
    }

    /// Checks that the part is complete.
    ///
    /// # Errors
    ///
    /// Bytes are missing, or the checksum differs.
    pub fn finish(&self) -> Result<()> {
        self.unpack.finish()?;
        match self.content.header {
            None => Ok(()),
            Some(_) => Err(Error::malformed(Format::Npy, self.content.at, "the file ends within its header")
                .concerning(&self.content.name)),
        }
    }

    /// The regions. The region of an array is known when its first elements arrive.
    pub fn regions(&self) -> Vec<RegionShape> {
        let shape = |reader: &RegionReader| match &reader.region.shape {
            Some(shape) => shape.iter().map(|&size| size as u64).collect(),
            None => vec![reader.elements()],
        };
        self.content.regions.iter().map(|reader| RegionShape { dtype: reader.dtype, shape: shape(reader) }).collect()
    }

    /// The tensors in the regions. For an array, the list is empty until its header is read.
    pub fn tensors(&self) -> &[Placed] {
        &self.content.tensors
    }
}

impl Reading {
    fn push(&mut self, bytes: &[u8], has: Has, emit: &mut dyn FnMut(usize, &[u8])) -> Result<()> {
        let bytes = match &mut self.header {
            None => bytes,
            Some(header) => {
                header.extend(bytes);
                let start = std::mem::take(header);
                if start.len() < self.array(&start, has)? {
                    self.header = Some(start);
                    return Ok(());
                }
                self.header = None;
                return self.elements(&start, has, emit);
            }
        };
        self.elements(bytes, has, emit)
    }

    fn elements(&mut self, bytes: &[u8], has: Has, emit: &mut dyn FnMut(usize, &[u8])) -> Result<()> {
        for (index, region) in self.regions.iter_mut().enumerate() {
            region.push(self.at, bytes, has, &mut |elements| emit(index, elements))?;
        }
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Adds the region of a npy file if its header is whole; returns the length that is needed.
    fn array(&mut self, start: &[u8], has: Has) -> Result<usize> {
        let concerning = |error: Error| error.concerning(&self.name);
        let needed = npy::Array::prefix_length(start).map_err(concerning)?;
        if start.len() < needed {
            return Ok(needed);
        }
        let array = npy::Array::parse(start, self.length).map_err(concerning)?;
        let view = array.strides().map(|strides| (0, strides));
        let shape = view.is_none().then(|| array.shape.clone());
        let range = array.start as u64..self.length;
        let name = self.name.strip_suffix(".npy").unwrap_or(&self.name).to_string();
        let region = Region { range, kind: Kind::Plain(array.dtype), shape, name };
        self.regions.push(RegionReader::new(region, array.big_endian, has)?);
        self.tensors.push(Placed { index: 0, region: 0, shape: array.shape, view });
        Ok(needed)
    }
}
