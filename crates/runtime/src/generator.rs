//! The state of a stream of random numbers.

use std::cell::Cell;

/// A seed and a position. Two generators with one seed give the same numbers on every backend.
///
/// Each call of a random op takes the next offset; within the call an element's number follows from its index. The numbers are
/// those of [`lanthorn_ir::random`].
#[derive(Debug)]
pub struct Generator {
    seed: Cell<u64>,
    offset: Cell<u32>,
}

impl Generator {
    /// A generator at the start of the stream of `seed`.
    pub fn new(seed: u64) -> Generator {
        Generator { seed: Cell::new(seed), offset: Cell::new(0) }
    }

    /// Goes to the start of the stream of `seed`.
    pub fn manual_seed(&self, seed: u64) {
        self.seed.set(seed);
        self.offset.set(0);
    }

    /// The seed and the offset, to be kept in a checkpoint.
    pub fn state(&self) -> (u64, u32) {
        (self.seed.get(), self.offset.get())
    }

    /// Goes to a state that [`Generator::state`] gave.
    pub fn set_state(&self, (seed, offset): (u64, u32)) {
        self.seed.set(seed);
        self.offset.set(offset);
    }

    /// The key of the random stream and the first of `count` offsets, which are consumed.
    pub fn take(&self, count: u32) -> ([u32; 2], u32) {
        let (seed, offset) = self.state();
        self.offset.set(offset.wrapping_add(count));
        ([seed as u32, (seed >> 32) as u32], offset)
    }
}
