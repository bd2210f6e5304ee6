//! The fibers of a panel (its rows, or its columns of one depth), grouped by the coordinates of
//! their bounded indices.
//!
//! The in-bounds part of a fiber depends only on these coordinates, and a convolution has few
//! distinct ones: one for each tap of the kernel, not one for each tap and channel. A span is
//! therefore clipped once for each kind of coordinates, and a fiber consists of an address and the
//! number of its kind.

use crate::contract::axis::{Axis, Cursor, MAX_BOUNDS};
use std::ops::Range;

/// One fiber: its address, to which a span adds its own, and its kind.
#[derive(Clone, Copy)]
pub(super) struct Fiber {
    pub address: isize,
    pub kind: usize,
}

/// Fibers, and the coordinates of each kind.
pub(super) struct Fibers {
    pub fibers: Vec<Fiber>,
    pub kinds: Vec<[isize; MAX_BOUNDS]>,
}

impl Fibers {
    /// The elements of an axis in a range.
    pub fn new(axis: &Axis, range: Range<usize>, from: &Cursor) -> Fibers {
        let mut fibers = Fibers { fibers: Vec::with_capacity(range.len()), kinds: vec![] };
        axis.for_each_span(range, |_, length, cursor| {
            let mut cursor = cursor.advance(1, from);
            for _ in 0..length {
                let kind = fibers.kind(&cursor.coordinates);
                fibers.fibers.push(Fiber { address: cursor.address, kind });
                cursor = cursor.advance(1, &axis.step);
            }
        });
        fibers
    }

    /// The number of the kind with these coordinates: the last kind, the one after it, or a new
    /// kind.
    fn kind(&mut self, coordinates: &[isize; MAX_BOUNDS]) -> usize {
        let last = self.fibers.last().map_or(0, |fiber| fiber.kind);
        // Compares one by one. A call to compare memory takes longer than the whole comparison.
        let same = |held: &[isize; MAX_BOUNDS]| held.iter().zip(coordinates).all(|(held, given)| held == given);
        let likely = [last, last + 1, 0].into_iter().find(|&kind| self.kinds.get(kind).is_some_and(same));
        likely.unwrap_or_else(|| {
            self.kinds.push(*coordinates);
            self.kinds.len() - 1
        })
    }
}
