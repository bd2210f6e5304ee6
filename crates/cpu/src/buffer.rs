//! Memory of the device: aligned, zeroed, and with an error if an allocation fails.
//!
//! A buffer is a vector of 16-byte words, viewed as elements of any type through bytemuck, so no
//! element type needs `unsafe`. Rejected: a vector for each element type, which would make kernels
//! that only move elements generic.

use bytemuck::Pod;
use lanthorn_ir::{Error, Result};
use std::{marker::PhantomData, ops::Range};

const WORD: usize = size_of::<u128>();

/// A block of bytes whose start is aligned for every element type.
#[derive(Default)]
pub(crate) struct Buffer {
    words: Vec<u128>,
    bytes: usize,
}

impl Buffer {
    /// Allocates `bytes` bytes, each `fill`. The error names `op`.
    pub fn new(op: &str, bytes: usize, fill: u8) -> Result<Buffer> {
        let count = bytes.div_ceil(WORD);
        let mut words = Vec::new();
        if words.try_reserve_exact(count).is_err() {
            return Err(Error::out_of_memory(op, format!("no memory for a buffer of {bytes} bytes")));
        }
        words.resize(count, u128::from_ne_bytes([fill; WORD]));
        Ok(Buffer { words, bytes })
    }

    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.bytes]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.bytes]
    }

    /// The elements of one type, without an incomplete last one.
    pub fn elements_mut<T: Pod>(&mut self) -> &mut [T] {
        elements_mut(self.bytes_mut())
    }
}

/// Memory that several workers write, each its own elements: the outputs of a kernel whose blocks
/// are computed in parallel.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    start: *mut u8,
    bytes: usize,
    memory: PhantomData<&'a mut [u8]>,
}

// SAFETY: memory is accessed only through `part` and `set`, whose callers guarantee that no two of
// them use one element at the same time.
unsafe impl Send for Shared<'_> {}
// SAFETY: as above.
unsafe impl Sync for Shared<'_> {}

impl<'a> Shared<'a> {
    pub fn new(memory: &'a mut [u8]) -> Shared<'a> {
        Shared { start: memory.as_mut_ptr(), bytes: memory.len(), memory: PhantomData }
    }

    /// Some of the bytes.
    ///
    /// # Safety
    ///
    /// No other thread may use these bytes while the slice is in use.
    pub unsafe fn part(self, range: Range<usize>) -> &'a mut [u8] {
        assert!(range.start <= range.end && range.end <= self.bytes);
        // SAFETY: the range is inside the memory, which lives for 'a. The caller guarantees the
        // rest.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }

    /// Stores one element at an index.
    ///
    /// # Safety
    ///
    /// No other thread may use the element during the call.
    #[inline(always)]
    pub unsafe fn set<T: Pod>(self, at: usize, element: T) {
        assert!((at + 1) * size_of::<T>() <= self.bytes);
        // SAFETY: the element is inside the memory. The caller guarantees the rest.
        unsafe { self.start.cast::<T>().add(at).write_unaligned(element) }
    }
}

/// Bytes of a buffer as elements. The start must be aligned, as the start of a buffer and the start
/// of any whole element are.
pub(crate) fn elements<T: Pod>(bytes: &[u8]) -> &[T] {
    bytemuck::cast_slice(&bytes[..bytes.len() / size_of::<T>() * size_of::<T>()])
}

/// [`elements`], mutable.
pub(crate) fn elements_mut<T: Pod>(bytes: &mut [u8]) -> &mut [T] {
    let whole = bytes.len() / size_of::<T>() * size_of::<T>();
    bytemuck::cast_slice_mut(&mut bytes[..whole])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_asked_for_and_starts_aligned() {
        let mut buffer = Buffer::new("test", 20, 0xCD).unwrap();
        assert_eq!(buffer.bytes(), [0xCD; 20]);
        assert_eq!(buffer.elements_mut::<f64>().len(), 2);
        assert_eq!(Buffer::new("test", 0, 0).unwrap().bytes().len(), 0);
    }

    #[test]
    fn no_memory_is_an_error_that_names_the_bytes() {
        let error = Buffer::new("zeros", isize::MAX as usize - 64, 0).err().unwrap();
        assert!(error.is_out_of_memory() && error.message().contains("bytes"), "{error}");
    }
}
