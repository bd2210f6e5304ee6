//! The uniform buffer. The arguments of each launch of a submission are a slice of it.
//!
//! It is written once a submission, before the launches, and the next submission overwrites it:
//! WebGPU orders the write after the work that was submitted before it. Rejected: a small buffer
//! for each launch (hundreds of writes a step).

use crate::{
    buffer::{Buffer, create, write},
    device::Device,
    failure::{Failures, quietly},
    pipeline::Pipelines,
};
use lanthorn_ir::{Result, backend::CountersCell};
use lanthorn_kernels::MAX_ARGUMENTS;
use std::{cell::RefCell, rc::Rc};

/// The size of the slice that is bound for each launch.
const SLICE_BYTES: u64 = MAX_ARGUMENTS as u64 * 4;
const MIN_BYTES: u64 = 64 * 1024;

#[derive(Default)]
pub(crate) struct Uniforms {
    made: RefCell<Option<Made>>,
    data: RefCell<Vec<u32>>,
}

struct Made {
    buffer: Buffer,
    group: wgpu::BindGroup,
}

impl Uniforms {
    /// Starts a submission.
    pub(crate) fn clear(&self) {
        self.data.borrow_mut().clear();
    }

    /// Adds the words of one launch, and returns their offset in bytes.
    pub(crate) fn push(&self, device: &Device, words: impl Iterator<Item = u32>) -> u32 {
        let mut data = self.data.borrow_mut();
        // The limit is a power of two of at least 32 bytes.
        let align = (device.limits.min_uniform_buffer_offset_alignment as usize / 4).max(8);
        let start = data.len().next_multiple_of(align);
        data.resize(start, 0);
        data.extend(words);
        start as u32 * 4
    }

    /// Writes the added words for submission `id`. Returns the bind group, and whether it is new.
    pub(crate) fn write(
        &self,
        id: u64,
        device: &Device,
        failures: &Rc<Failures>,
        counters: &CountersCell,
        pipelines: &Pipelines,
    ) -> Result<(wgpu::BindGroup, bool)> {
        let data = self.data.borrow();
        // The slice of the last launch must be complete too.
        let needed = data.len() as u64 * 4 + SLICE_BYTES;
        let mut made = self.made.borrow_mut();
        // If its creation failed, another buffer is created.
        let is_sound = |made: &Made| made.buffer.bytes >= needed && made.buffer.resource.error().is_none();
        if !made.as_ref().is_some_and(is_sound) {
            let bytes = needed.next_power_of_two().max(MIN_BYTES);
            let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
            let buffer = create(device, failures, counters, bytes, usage)?;
            let binding =
                wgpu::BufferBinding { buffer: &buffer.raw, offset: 0, size: wgpu::BufferSize::new(SLICE_BYTES) };
            let descriptor = wgpu::BindGroupDescriptor {
                label: Some("uniform"),
                layout: &pipelines.uniform_layout(device),
                entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(binding) }],
            };
            // The group is invalid if the buffer is, which the buffer reports.
            let group = quietly(&device.device, || device.device.create_bind_group(&descriptor));
            counters.add(|counters| &mut counters.bind_groups);
            if let Some(old) = made.replace(Made { buffer, group }) {
                old.buffer.raw.destroy();
            }
        }
        let Some(made) = made.as_ref() else {
            // It was created above if it was missing.
            return Err(lanthorn_ir::Error::kernel("wgpu", "no uniform buffer"));
        };
        made.buffer.resource.record_use(id, None);
        write(device, &made.buffer, 0, bytemuck::cast_slice(&data));
        counters.add(|counters| &mut counters.uniform_writes);
        Ok((made.group.clone(), !made.buffer.resource.is_resolved()))
    }
}
