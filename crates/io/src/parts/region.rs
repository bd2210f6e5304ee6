//! Converts the elements of a region to the types of a device.

use super::Region;
use crate::{DType, Error, Result, TensorData, gguf::Kind};

/// Whether a device has an element type.
pub(super) type Has<'h> = &'h dyn Fn(DType) -> bool;

/// Converts the elements of a region chunk by chunk.
pub(super) struct RegionReader {
    pub region: Region,
    /// The element type on the device.
    pub dtype: DType,
    /// Whether the bytes of each element are reversed.
    reversed: bool,
    /// Whether the elements on the device are the bytes in the file.
    is_plain: bool,
    /// The start of an incomplete element or block.
    rest: Vec<u8>,
}

impl RegionReader {
    /// # Errors
    /// The device has no type for the elements.
    pub fn new(region: Region, reversed: bool, has: Has) -> Result<RegionReader> {
        let empty = TensorData::new(region.kind.dtype(), vec![0], Vec::new());
        let converted = empty.map(|empty| empty.convert_for_device(has)).transpose();
        let converted = converted.map_err(|error| error.concerning(&region.name))?;
        let dtype = converted.map_or(region.kind.dtype(), |empty| empty.dtype());
        // Booleans in a file may have bytes other than 0 and 1.
        let is_plain = region.kind == Kind::Plain(dtype) && dtype != DType::Bool && !reversed;
        Ok(RegionReader { region, dtype, reversed, is_plain, rest: Vec::new() })
    }

    /// The bytes that are converted together.
    fn unit(&self) -> usize {
        match self.region.kind {
            Kind::Plain(dtype) => dtype.size(),
            Kind::Quantized(format) => format.bytes(),
        }
    }

    /// The number of elements.
    pub fn elements(&self) -> u64 {
        let units = (self.region.range.end - self.region.range.start) / self.unit() as u64;
        match self.region.kind {
            Kind::Plain(_) => units,
            Kind::Quantized(format) => units * format.elements() as u64,
        }
    }

    /// Takes bytes of the part that begin at `at`, and emits those elements that they complete, or
    /// the bytes themselves where nothing is converted.
    pub fn push(&mut self, at: u64, bytes: &[u8], has: Has, emit: &mut dyn FnMut(&[u8])) -> Result<()> {
        let Some(mut bytes) = self.clip(at, bytes) else { return Ok(()) };
        if self.is_plain {
            emit(bytes);
            return Ok(());
        }
        let unit = self.unit();
        if !self.rest.is_empty() {
            let missing = (unit - self.rest.len()).min(bytes.len());
            self.rest.extend(&bytes[..missing]);
            bytes = &bytes[missing..];
            if self.rest.len() < unit {
                return Ok(());
            }
            let whole = std::mem::take(&mut self.rest);
            self.convert(&whole, has, emit)?;
        }
        let (whole, rest) = bytes.split_at(bytes.len() - bytes.len() % unit);
        self.rest.extend(rest);
        self.convert(whole, has, emit)
    }

    /// Returns the bytes that are in the region.
    fn clip<'b>(&self, at: u64, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let range = &self.region.range;
        let first = range.start.saturating_sub(at).min(bytes.len() as u64) as usize;
        let last = range.end.saturating_sub(at).min(bytes.len() as u64) as usize;
        (first < last).then(|| &bytes[first..last])
    }

    fn convert(&self, bytes: &[u8], has: Has, emit: &mut dyn FnMut(&[u8])) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let dtype = match self.region.kind {
            Kind::Quantized(format) => {
                let mut numbers = vec![0f32; bytes.len() / format.bytes() * format.elements()];
                format.dequantize(bytes, &mut numbers);
                let bytes: Vec<u8> = numbers.into_iter().flat_map(f32::to_le_bytes).collect();
                emit(&bytes);
                return Ok(());
            }
            Kind::Plain(dtype) => dtype,
        };
        let swapped: Vec<u8>;
        let bytes = match self.reversed {
            false => bytes,
            true => {
                swapped = bytes.chunks_exact(dtype.size()).flat_map(|element| element.iter().rev().copied()).collect();
                &swapped
            }
        };
        let piece = TensorData::new(dtype, vec![bytes.len() / dtype.size()], bytes);
        let piece = piece.ok_or_else(|| Error::unsupported_dtype("a piece within an element".to_string()))?;
        emit(piece.convert_for_device(has).map_err(|error| error.concerning(&self.region.name))?.bytes());
        Ok(())
    }
}
