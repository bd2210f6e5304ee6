//! The buffers of the device, and the panels that products keep of buffers that do not change.
//!
//! A product packs its operands into panels. Weights are the same at every step of inference, so
//! their panels are packed once and kept with the buffer. The panels of a buffer are dropped when
//! it is written or freed, so panels always match its current contents. They are packed when a
//! later submission finds the contents unchanged. Weights in training change before that.
//!
//! Rejected: panels in the prepared kernels. Plans for several sizes use the same weights, and each
//! plan would keep a copy.

use crate::{buffer::Buffer, contract::Packing, shared::Block};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Maximum size of panels in bytes. They may exceed it up to half of the size of all buffers.
const KEPT_BYTES: usize = 1 << 26;
/// Maximum number of layouts in which panels of one buffer are kept.
const MAX_KEPT: usize = 8;

/// The memory of a buffer.
pub(crate) enum Contents {
    /// Memory that only this device accesses.
    Own(Buffer),
    /// Memory that other devices may write at any time.
    Shared(Block),
}

impl Contents {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Contents::Own(buffer) => buffer.bytes(),
            Contents::Shared(block) => block.bytes(),
        }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Contents::Own(buffer) => buffer.bytes_mut(),
            Contents::Shared(block) => block.bytes_mut(),
        }
    }
}

/// A buffer, and its panels.
pub(crate) struct Slot {
    pub buffer: Contents,
    kept: Vec<Kept>,
}

/// A layout in which a product read a buffer.
struct Kept {
    packing: Arc<Packing>,
    /// The first submission that read the current contents in this layout.
    submission: u64,
    panels: Option<Buffer>,
}

impl Kept {
    fn is(&self, packing: &Arc<Packing>) -> bool {
        Arc::ptr_eq(&self.packing, packing) || self.packing == *packing
    }
}

impl Slot {
    /// The panels of a layout.
    pub fn panels(&self, packing: &Arc<Packing>) -> Option<&Buffer> {
        self.kept.iter().find(|kept| kept.is(packing))?.panels.as_ref()
    }

    fn kept_bytes(&self) -> usize {
        self.kept.iter().filter_map(|kept| kept.panels.as_ref()).map(|panels| panels.bytes().len()).sum()
    }
}

/// The buffers of a device.
#[derive(Default)]
pub(crate) struct Memory {
    slots: FxHashMap<u64, Slot>,
    /// The sizes of all buffers, and of their panels, in bytes.
    bytes: usize,
    kept: usize,
}

impl Memory {
    /// Adds a buffer.
    pub fn insert(&mut self, id: u64, buffer: Contents) {
        self.bytes += buffer.bytes().len();
        self.slots.insert(id, Slot { buffer, kept: vec![] });
    }

    /// Takes a buffer out, and frees its panels.
    pub fn remove(&mut self, id: u64) -> Option<Contents> {
        self.drop_stale(id);
        let slot = self.slots.remove(&id)?;
        self.bytes -= slot.buffer.bytes().len();
        Some(slot.buffer)
    }

    pub fn get(&self, id: u64) -> Option<&Slot> {
        self.slots.get(&id)
    }

    /// The bytes of a buffer, to write.
    pub fn write(&mut self, id: u64) -> Option<&mut [u8]> {
        self.drop_stale(id);
        Some(self.slots.get_mut(&id)?.buffer.bytes_mut())
    }

    /// Removes a buffer for a launch, until [`Memory::give_back`].
    pub fn take(&mut self, id: u64) -> Option<Slot> {
        self.slots.remove(&id)
    }

    /// [`Memory::take`] for a buffer that the launch writes.
    pub fn take_to_write(&mut self, id: u64) -> Option<Slot> {
        self.drop_stale(id);
        self.take(id)
    }

    /// Returns buffers after a launch.
    pub fn give_back(&mut self, slots: impl IntoIterator<Item = (u64, Slot)>) {
        self.slots.extend(slots);
    }

    /// Drops the panels of a buffer whose contents change.
    fn drop_stale(&mut self, id: u64) {
        if let Some(slot) = self.slots.get_mut(&id)
            && !slot.kept.is_empty()
        {
            self.kept -= slot.kept_bytes();
            slot.kept.clear();
        }
    }

    /// Records that a product of a submission reads a buffer as panels. Packs them if an earlier
    /// submission read the same contents and there is memory. Shared memory may always have
    /// changed.
    pub fn keep(&mut self, id: u64, packing: &Arc<Packing>, submission: u64) {
        let room = KEPT_BYTES.max(self.bytes / 2).saturating_sub(self.kept);
        let Some(slot) = self.slots.get_mut(&id) else { return };
        if matches!(slot.buffer, Contents::Shared(_)) {
            return;
        }
        match slot.kept.iter_mut().find(|kept| kept.is(packing)) {
            Some(kept) => {
                if kept.panels.is_none() && kept.submission < submission && packing.bytes() <= room {
                    // If there is no memory for panels, the launch packs as before.
                    kept.panels = packing.pack("keep panels", slot.buffer.bytes()).ok();
                    self.kept += kept.panels.as_ref().map_or(0, |panels| panels.bytes().len());
                }
            }
            None => {
                if slot.kept.len() == MAX_KEPT {
                    let oldest = slot.kept.remove(0);
                    self.kept -= oldest.panels.map_or(0, |panels| panels.bytes().len());
                }
                slot.kept.push(Kept { packing: packing.clone(), submission, panels: None });
            }
        }
    }

    /// Drops all panels. Returns whether there were any.
    pub fn drop_panels(&mut self) -> bool {
        self.slots.values_mut().for_each(|slot| slot.kept.clear());
        std::mem::take(&mut self.kept) > 0
    }
}

#[cfg(test)]
mod tests {
    use crate::CpuBackend;
    use lanthorn_ir::{
        Backend, DType, Kernel, Layout, Shape,
        backend::{BufferId, Compiled, Launch, Read, SharedMemory},
        kernel::Contract,
    };

    const N: usize = 32;

    /// A device with two square matrices, their product's buffer and kernel.
    struct Product {
        device: CpuBackend,
        buffers: [BufferId; 3],
        kernel: Compiled,
    }

    impl Product {
        fn new() -> Product {
            let device = CpuBackend::poisoned();
            let buffers = [0; 3].map(|_| device.allocate((N * N * 4) as u64).unwrap());
            let square = Layout::contiguous(Shape::from_dims([N, N]));
            let kernel = Kernel::Contract(Contract::matrices(DType::F32, square.clone(), square));
            let kernel = device.compile("matmul", &kernel, &[]).unwrap();
            let product = Product { device, buffers, kernel };
            product.fill(0, 1.0);
            product.fill(1, 2.0);
            product
        }

        fn fill(&self, which: usize, number: f32) {
            let bytes = number.to_ne_bytes().repeat(N * N);
            self.device.upload(self.buffers[which], DType::F32, 0, &bytes).unwrap();
        }

        /// A launch that writes a buffer from two others.
        fn launch(&self, [a, b, out]: [usize; 3]) -> Launch {
            let [a, b, out] = [a, b, out].map(|which| self.buffers[which]);
            let (inputs, outputs) = (vec![a, b].into(), vec![out].into());
            Launch { op: "matmul", kernel: self.kernel.clone(), inputs, outputs, params: vec![].into() }
        }

        /// An element of a buffer after a submission.
        fn run(&self, launches: &[[usize; 3]], which: usize) -> f32 {
            let launches: Vec<Launch> = launches.iter().map(|&of| self.launch(of)).collect();
            let read = Read { buffer: self.buffers[which], dtype: DType::F32, offset: N + 1, elements: 1 };
            let bytes = pollster::block_on(self.device.submit(&launches, &[read]).reads.remove(0)).unwrap();
            assert!(self.device.failures().is_empty());
            f32::from_ne_bytes(bytes.try_into().unwrap())
        }

        fn count_kept(&self) -> usize {
            self.device.buffers.borrow().kept
        }
    }

    #[test]
    fn panels_of_unchanged_contents_are_kept_from_the_second_submission_on() {
        let product = Product::new();
        assert_eq!((product.run(&[[0, 1, 2], [0, 1, 2]], 2), product.count_kept()), (64.0, 0));
        assert_eq!(product.run(&[[0, 1, 2]], 2), 64.0);
        let kept = product.count_kept();
        assert!(kept >= 2 * N * N * 4);
        assert_eq!((product.run(&[[0, 1, 2]], 2), product.count_kept()), (64.0, kept));
    }

    #[test]
    fn a_write_drops_panels() {
        let product = Product::new();
        for _ in 0..3 {
            product.run(&[[0, 1, 2]], 2);
        }
        let kept = product.count_kept();
        product.fill(1, 3.0);
        assert!(product.count_kept() < kept);
        assert_eq!(product.run(&[[0, 1, 2]], 2), 96.0);
        // An output of a launch, read by the next one of the same submission.
        for factor in [1.0, 2.0] {
            product.fill(0, factor);
            let result = product.run(&[[0, 1, 2], [2, 1, 0]], 0);
            assert_eq!(result, factor * 96.0 * 96.0);
        }
    }

    #[test]
    fn freed_and_shared_buffers_keep_no_panels() {
        let mut product = Product::new();
        product.buffers[0] = product.device.allocate_shared((N * N * 4) as u64).unwrap();
        product.fill(0, 1.0);
        for _ in 0..3 {
            product.run(&[[0, 1, 2]], 2);
        }
        let kept = product.count_kept();
        assert!((N * N * 4..2 * N * N * 4).contains(&kept));
        product.device.free(product.buffers[1]);
        assert_eq!(product.count_kept(), 0);
    }

    #[test]
    fn an_empty_cache_has_no_panels() {
        let product = Product::new();
        for _ in 0..2 {
            product.run(&[[0, 1, 2]], 2);
        }
        assert!(product.count_kept() > 0);
        product.device.empty_cache();
        assert_eq!((product.count_kept(), product.run(&[[0, 1, 2]], 2)), (0, 64.0));
        assert!(!product.device.buffers.borrow_mut().drop_panels());
    }
}
