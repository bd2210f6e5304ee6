//! Indices out of range, as kernels report them.
//!
//! A kernel that reads indices has a word of the status buffer. If an index is out of range, it
//! stores the dimension's size plus 1 there, and accesses nothing outside. The next read or
//! `synchronize` copies the words to the host, where each identifies its launch and submission.
//! Each launch has its own word, so that every failed launch is reported, not only the first one.

use crate::{
    buffer::{Buffer, create},
    device::Device,
    failure::Failures,
};
use lanthorn_ir::{Result, backend::CountersCell, failed_check};
use std::{cell::RefCell, rc::Rc};

const MIN_WORDS: u64 = 4096;

/// The launch that a word belongs to.
pub(crate) struct Use {
    pub(crate) submission: u64,
    pub(crate) launch: usize,
    pub(crate) op: &'static str,
}

#[derive(Default)]
pub(crate) struct Status {
    made: RefCell<Option<(u64, Rc<Buffer>)>>,
    used: RefCell<Vec<Use>>,
}

impl Status {
    /// Whether words in use have not been read yet.
    pub(crate) fn is_used(&self) -> bool {
        !self.used.borrow().is_empty()
    }

    /// Whether `more` words are left, in a buffer whose creation succeeded.
    pub(crate) fn has_room(&self, more: usize) -> bool {
        let words = (self.used.borrow().len() + more) as u64;
        let is_sound = |buffer: &Buffer| buffer.bytes >= words * 4 && buffer.resource.error().is_none();
        self.made.borrow().as_ref().is_some_and(|(_, buffer)| is_sound(buffer))
    }

    /// Creates a buffer of at least `words` words. No word may be in use. Returns the number of the
    /// buffer that it replaces.
    pub(crate) fn grow(
        &self,
        device: &Device,
        failures: &Rc<Failures>,
        counters: &CountersCell,
        words: usize,
        id: u64,
    ) -> Result<Option<u64>> {
        debug_assert!(!self.is_used());
        let bytes = (words as u64 * 4).next_power_of_two().max(MIN_WORDS * 4);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        // WebGPU initializes it with zeros.
        let buffer = create(device, failures, counters, bytes, usage)?;
        let old = self.made.borrow_mut().replace((id, Rc::new(buffer)));
        Ok(old.map(|(id, buffer)| {
            buffer.raw.destroy();
            id
        }))
    }

    pub(crate) fn buffer(&self) -> Option<(u64, Rc<Buffer>)> {
        self.made.borrow().clone()
    }

    /// Reserves a word for a launch.
    pub(crate) fn reserve(&self, launch: Use) -> u32 {
        let mut used = self.used.borrow_mut();
        used.push(launch);
        used.len() as u32 - 1
    }

    /// The number of bytes that [`Status::collect`] copies.
    pub(crate) fn bytes(&self) -> u64 {
        self.used.borrow().len() as u64 * 4
    }

    /// Copies the words in use to a staging buffer, sets them to zero, and returns their launches.
    pub(crate) fn collect(&self, encoder: &mut wgpu::CommandEncoder, staging: &wgpu::Buffer) -> Vec<Use> {
        let bytes = self.bytes();
        if let Some((_, buffer)) = self.buffer() {
            encoder.copy_buffer_to_buffer(&buffer.raw, 0, staging, 0, bytes);
            encoder.clear_buffer(&buffer.raw, 0, Some(bytes));
        }
        std::mem::take(&mut self.used.borrow_mut())
    }
}

/// Reports the launches whose words are set.
pub(crate) fn report(uses: &[Use], words: &[u8], failures: &Failures) {
    for (launch, word) in uses.iter().zip(words.chunks_exact(4)) {
        let word = word.iter().rev().fold(0u32, |value, &byte| value << 8 | u32::from(byte));
        if let Some(extent) = word.checked_sub(1) {
            failures.report(launch.submission, Some(launch.launch), failed_check(launch.op, None, extent as i32));
        }
    }
}
