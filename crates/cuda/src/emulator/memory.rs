//! Emulated device memory. Each allocation has a guard on both sides, whose bytes no kernel may
//! write.

use crate::driver::Pointer;
use lanthorn_ir::{Error, Result};
use std::{
    alloc::{Layout, alloc, dealloc},
    collections::BTreeMap,
};

/// CUDA's alignment of memory, which is also the length of a guard.
const ALIGNMENT: usize = 256;
const GUARD: u8 = 0xFD;
/// The initial bytes of memory, which show reads of uninitialized memory.
const FRESH: u8 = 0xCD;

/// The size of each allocation in bytes, by address.
#[derive(Default)]
pub(super) struct Memory(BTreeMap<u64, usize>);

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(2 * ALIGNMENT)?, ALIGNMENT).ok()
}

impl Memory {
    pub(super) fn allocate(&mut self, bytes: u64) -> Result<Pointer> {
        let none = || Error::out_of_memory("allocate", format!("no memory for a buffer of {bytes} bytes"));
        let size = usize::try_from(bytes).map_err(|_| none())?;
        let layout = layout(size).ok_or_else(none)?;
        // SAFETY: the layout's size is not 0.
        let start = unsafe { alloc(layout) };
        if start.is_null() {
            return Err(none());
        }
        // SAFETY: the allocation contains both guards and the memory between them.
        let inner = unsafe {
            start.write_bytes(GUARD, ALIGNMENT);
            start.add(ALIGNMENT).write_bytes(FRESH, size);
            start.add(ALIGNMENT + size).write_bytes(GUARD, ALIGNMENT);
            start.add(ALIGNMENT)
        };
        self.0.insert(inner as u64, size);
        Ok(Pointer(inner as u64))
    }

    pub(super) fn free(&mut self, pointer: Pointer) {
        if let Some(layout) = self.0.remove(&pointer.0).and_then(layout) {
            // SAFETY: it was allocated with this layout, and is no longer in the table.
            unsafe { dealloc((pointer.0 as *mut u8).sub(ALIGNMENT), layout) }
        }
    }

    /// The allocation that contains an address, with its size in bytes.
    pub(super) fn find(&self, pointer: Pointer) -> Option<(Pointer, usize)> {
        let (&start, &bytes) = self.0.range(..=pointer.0).next_back()?;
        (pointer.0 < start + bytes as u64).then_some((Pointer(start), bytes))
    }

    /// Checks that the guards of an allocation are unchanged, and restores them.
    pub(super) fn check(&self, pointer: Pointer) -> Result<(), &'static str> {
        let Some(&bytes) = self.0.get(&pointer.0) else { return Ok(()) };
        let mut outcome = Ok(());
        for (position, where_) in [(pointer.0 - ALIGNMENT as u64, "before"), (pointer.0 + bytes as u64, "behind")] {
            // SAFETY: the guards are part of the allocation.
            let guard = unsafe { std::slice::from_raw_parts_mut(position as *mut u8, ALIGNMENT) };
            if guard.iter().any(|&byte| byte != GUARD) {
                guard.fill(GUARD);
                outcome = Err(where_);
            }
        }
        outcome
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let all: Vec<u64> = self.0.keys().copied().collect();
        all.into_iter().for_each(|start| self.free(Pointer(start)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_beside_a_buffer_shows_once() {
        let mut memory = Memory::default();
        let pointer = memory.allocate(20).unwrap();
        assert_eq!(pointer.0 % ALIGNMENT as u64, 0);
        assert_eq!(memory.check(pointer), Ok(()));
        // SAFETY: the guard is part of the allocation.
        unsafe { (pointer.0 as *mut u8).add(20).write(0) };
        assert_eq!(memory.check(pointer), Err("behind"));
        assert_eq!(memory.check(pointer), Ok(()));
        assert_eq!(memory.find(pointer.after(19)), Some((pointer, 20)));
        assert_eq!(memory.find(pointer.after(20)), None);
        memory.free(pointer);
        assert_eq!(memory.find(pointer), None);
        assert!(memory.allocate(u64::MAX - 8).unwrap_err().is_out_of_memory());
    }
}
