//! The lines of a panel, told apart by how windows cut them.
//!
//! What a window leaves of a line depends on its coordinates alone, and of those a convolution has few: a kernel's places, and not its places times the
//! channels. So each kind is cut once for a segment, and a line is an address and the number of its kind.

use super::walk::{Axis, Place, WINDOWS};
use std::ops::Range;

/// One line: where it begins, but for what its segment adds, and its kind.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub address: isize,
    pub kind: usize,
}

/// Lines, and the coordinates of each kind.
pub(super) struct Lines {
    pub lines: Vec<Line>,
    pub kinds: Vec<[isize; WINDOWS]>,
}

impl Lines {
    /// The elements of an axis in a range.
    pub fn new(axis: &Axis, range: Range<usize>, from: &Place) -> Lines {
        let mut lines = Lines { lines: Vec::with_capacity(range.len()), kinds: vec![] };
        axis.segments(range, |_, length, place| {
            let mut place = place.moved(1, from);
            for _ in 0..length {
                let kind = lines.kind(&place.coordinates);
                lines.lines.push(Line { address: place.address, kind });
                place = place.moved(1, &axis.step);
            }
        });
        lines
    }

    /// The number of a kind, where lines repeat it or go through all kinds again and again; a new one otherwise.
    fn kind(&mut self, coordinates: &[isize; WINDOWS]) -> usize {
        let last = self.lines.last().map_or(0, |line| line.kind);
        // Compared one by one: a call to compare memory takes longer than all of it.
        let same = |held: &[isize; WINDOWS]| held.iter().zip(coordinates).all(|(held, given)| held == given);
        let likely = [last, last + 1, 0].into_iter().find(|&kind| self.kinds.get(kind).is_some_and(same));
        likely.unwrap_or_else(|| {
            self.kinds.push(*coordinates);
            self.kinds.len() - 1
        })
    }
}
