//! The state of a random number generator.

use std::{
    cell::Cell,
    hash::{BuildHasher, Hasher, RandomState},
};

/// A seed and an offset. Two generators with the same seed return the same numbers on every
/// backend.
///
/// Each call of a random op takes the next offset. Within the call, the number of an element
/// follows from its index; see [`lanthorn_ir::random`].
///
/// Operations draw from the generator of their device. A generator that a program makes is used by
/// the operations within [`Device::with_generator`](crate::Device::with_generator).
#[derive(Debug)]
pub struct Generator {
    seed: Cell<u64>,
    offset: Cell<u32>,
    /// The number of times that the state was set.
    seeded: Cell<u64>,
}

impl Generator {
    /// A generator with offset 0.
    pub fn new(seed: u64) -> Generator {
        Generator { seed: Cell::new(seed), offset: Cell::new(0), seeded: Cell::new(0) }
    }

    /// Sets the seed, and the offset to 0.
    pub fn manual_seed(&self, seed: u64) {
        self.set_state((seed, 0));
    }

    /// Sets a seed that the system's source of randomness determines, and returns it, as
    /// `torch.Generator.seed`.
    pub fn seed(&self) -> u64 {
        // The standard library draws the keys of its hash tables from that source.
        let seed = RandomState::new().build_hasher().finish();
        self.manual_seed(seed);
        seed
    }

    /// The seed that was set last, as `torch.Generator.initial_seed`.
    pub fn initial_seed(&self) -> u64 {
        self.seed.get()
    }

    /// The seed and the offset, for a checkpoint.
    pub fn state(&self) -> (u64, u32) {
        (self.seed.get(), self.offset.get())
    }

    /// Restores a state from [`Generator::state`].
    pub fn set_state(&self, (seed, offset): (u64, u32)) {
        self.seed.set(seed);
        self.offset.set(offset);
        self.seeded.set(self.seeded.get() + 1);
    }

    /// The number of times that a seed or a state was set.
    pub(crate) fn count_seedings(&self) -> u64 {
        self.seeded.get()
    }

    /// The key of the random stream and the first of `count` offsets, which are consumed.
    pub fn take(&self, count: u32) -> ([u32; 2], u32) {
        let (seed, offset) = self.state();
        self.offset.set(offset.wrapping_add(count));
        ([seed as u32, (seed >> 32) as u32], offset)
    }
}
