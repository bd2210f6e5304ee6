//! Bind groups, kept while their buffers exist.

use crate::{device::Device, failure::quietly, pipeline::Pipelines};
use lanthorn_ir::backend::CountersCell;
use lanthorn_kernels::Bindings;
use rustc_hash::FxHashMap;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// Maximum number of bind groups that are kept. A repeated plan needs one for each launch.
const MAX_GROUPS: usize = 8192;

/// The layout of the group, and its buffers in order.
type Key = (Bindings, Vec<u64>);

struct Entry {
    group: wgpu::BindGroup,
    last_used: Cell<u64>,
}

#[derive(Default)]
pub(crate) struct BindGroups {
    made: RefCell<FxHashMap<Rc<Key>, Entry>>,
    /// The groups that contain a buffer.
    by_buffer: RefCell<FxHashMap<u64, Vec<Rc<Key>>>>,
    tick: Cell<u64>,
}

impl BindGroups {
    /// Returns the group of these buffers, and whether it is new.
    pub(crate) fn get(
        &self,
        device: &Device,
        pipelines: &Pipelines,
        counters: &CountersCell,
        bindings: Bindings,
        buffers: &[(u64, wgpu::Buffer)],
    ) -> (wgpu::BindGroup, bool) {
        self.tick.set(self.tick.get() + 1);
        let key: Key = (bindings, buffers.iter().map(|(id, _)| *id).collect());
        if let Some(known) = self.made.borrow().get(&key) {
            known.last_used.set(self.tick.get());
            return (known.group.clone(), false);
        }
        let layout = pipelines.group_layout(device, bindings);
        let entries: Vec<_> = buffers
            .iter()
            .enumerate()
            .map(|(at, (_, buffer))| wgpu::BindGroupEntry { binding: at as u32, resource: buffer.as_entire_binding() })
            .collect();
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
        // The group is invalid if a buffer is. The buffer reports that, and so does the first
        // submission that uses the group.
        let group = quietly(&device.device, || device.device.create_bind_group(&descriptor));
        counters.add(|counters| &mut counters.bind_groups);
        let key = Rc::new(key);
        let mut by_buffer = self.by_buffer.borrow_mut();
        for id in &key.1 {
            let keys = by_buffer.entry(*id).or_default();
            if !keys.iter().any(|known| Rc::ptr_eq(known, &key)) {
                keys.push(key.clone());
            }
        }
        drop(by_buffer);
        self.made.borrow_mut().insert(key, Entry { group: group.clone(), last_used: Cell::new(self.tick.get()) });
        self.forget_old();
        (group, true)
    }

    /// Drops every group that contains a buffer.
    pub(crate) fn forget_buffer(&self, buffer: u64) {
        let keys = self.by_buffer.borrow_mut().remove(&buffer).unwrap_or_default();
        keys.iter().for_each(|key| self.forget(key));
    }

    fn forget(&self, key: &Rc<Key>) {
        self.made.borrow_mut().remove(key);
        let mut by_buffer = self.by_buffer.borrow_mut();
        for id in &key.1 {
            if let Some(keys) = by_buffer.get_mut(id) {
                keys.retain(|other| !Rc::ptr_eq(other, key));
            }
        }
    }

    /// Drops the least recently used quarter if there are too many groups.
    fn forget_old(&self) {
        if self.made.borrow().len() <= MAX_GROUPS {
            return;
        }
        let mut ages: Vec<u64> = self.made.borrow().values().map(|entry| entry.last_used.get()).collect();
        ages.sort_unstable();
        let limit = ages[ages.len() / 4];
        let old: Vec<Rc<Key>> = self
            .made
            .borrow()
            .iter()
            .filter(|(_, entry)| entry.last_used.get() <= limit)
            .map(|(key, _)| key.clone())
            .collect();
        old.iter().for_each(|key| self.forget(key));
    }
}
