//! The uniform buffer: every launch of a submission finds its numbers in one slice of it.
//!
//! It is written once a submission, before the launches, and rewritten by the next: WebGPU orders the write after the work that was submitted
//! before it. Rejected: a small buffer a launch (hundreds of writes a step).

use crate::{buffer::create, device::Device, failure::Failures, pipeline::Pipelines};
use lanthorn_ir::{Result, backend::CountersCell};
use lanthorn_kernels::MAX_ARGUMENTS;
use std::{cell::RefCell, rc::Rc};

/// What each launch sees.
const WINDOW: u64 = MAX_ARGUMENTS as u64 * 4;
const SMALLEST: u64 = 64 * 1024;

#[derive(Default)]
pub(crate) struct Uniforms {
    made: RefCell<Option<Made>>,
    data: RefCell<Vec<u32>>,
}

struct Made {
    buffer: wgpu::Buffer,
    group: wgpu::BindGroup,
    bytes: u64,
}

impl Uniforms {
    /// Begins a submission.
    pub(crate) fn clear(&self) {
        self.data.borrow_mut().clear();
    }

    /// Adds the words of one launch and gives their offset in bytes.
    pub(crate) fn push(&self, device: &Device, words: impl Iterator<Item = u32>) -> u32 {
        let mut data = self.data.borrow_mut();
        // The limit is a power of two of at least 32 bytes.
        let align = (device.limits.min_uniform_buffer_offset_alignment as usize / 4).max(8);
        let start = data.len().next_multiple_of(align);
        data.resize(start, 0);
        data.extend(words);
        start as u32 * 4
    }

    /// Writes what was added, and gives the bind group to use; whether the group is new.
    pub(crate) fn write(
        &self,
        device: &Device,
        failures: &Rc<Failures>,
        counters: &CountersCell,
        pipelines: &Pipelines,
    ) -> Result<(wgpu::BindGroup, bool)> {
        let data = self.data.borrow();
        // The last launch sees a whole window too.
        let needed = data.len() as u64 * 4 + WINDOW;
        let mut made = self.made.borrow_mut();
        let mut fresh = false;
        if made.as_ref().is_none_or(|made| made.bytes < needed) {
            let bytes = needed.next_power_of_two().max(SMALLEST);
            let buffer =
                create(device, failures, counters, bytes, wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST)?
                    .raw;
            let binding = wgpu::BufferBinding { buffer: &buffer, offset: 0, size: wgpu::BufferSize::new(WINDOW) };
            let group = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("uniform"),
                layout: &pipelines.uniform_layout(device),
                entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) }],
            });
            counters.add(|counters| &mut counters.bind_groups);
            if let Some(old) = made.replace(Made { buffer, group, bytes }) {
                old.buffer.destroy();
            }
            fresh = true;
        }
        let Some(made) = made.as_ref() else {
            // Made just above where it was missing.
            return Err(lanthorn_ir::Error::kernel("wgpu", "no uniform buffer"));
        };
        device.queue.write_buffer(&made.buffer, 0, bytemuck::cast_slice(&data));
        counters.add(|counters| &mut counters.uniform_writes);
        Ok((made.group.clone(), fresh))
    }
}
