//! Packing: copies a block of an operand into panels, in the order in which the micro-kernel reads
//! them.
//!
//! A panel interleaves `width` rows: first their elements of depth 0, then of depth 1. Rows past
//! the end of the operand and out-of-bounds elements are zeros, so that the micro-kernel needs no
//! case for an edge. An operand with bounded indices is packed from its own memory: the packer
//! copies whole runs of consecutive elements, along rows or along the depth, whichever has the
//! longer runs.

mod fibers;
mod runs;

use super::{
    axis::{Axis, Cursor},
    real::Real,
};
use crate::block::{Bound, Run};
use fibers::Fibers;
use lanthorn_ir::{Layout, Shape};
pub(super) use runs::{PIECE, copy_short};
use std::ops::Range;

/// An operand as a matrix of rows and depth for each of a batch: the left operand, or the right one
/// transposed.
#[derive(Clone, PartialEq)]
pub(crate) struct Side {
    pub batch: Axis,
    pub rows: Axis,
    pub depth: Axis,
    pub bounds: Vec<Bound>,
}

/// The cost of packing an element, in units of a dense copy of a long run. Runs go along one axis
/// and fibers along the other, `lines` of them in a panel. A run begins in each fiber, and with
/// bounded indices it is clipped for each kind of fiber.
fn cost(along: &Axis, length: usize, across: &Axis, fibers: usize, bounds: usize, [dense, apart]: [f64; 2]) -> f64 {
    let (begin, cut) = (8.0, 16.0 * bounds as f64);
    let each = if along.step.address == 1 { dense } else { apart };
    let kinds = across.kinds.min(fibers) as f64 / fibers.max(1) as f64;
    each + (begin + cut * kinds) / along.inner.min(length) as f64
}

/// Consecutive elements along the last dimension of an axis: the position of the first in the
/// range, and their number.
struct Segment {
    at: usize,
    length: usize,
    cursor: Cursor,
}

fn segments(axis: &Axis, range: Range<usize>, from: &Cursor) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(range.len() / axis.inner + 2);
    axis.segments(range, |at, length, cursor| segments.push(Segment { at, length, cursor: cursor.moved(1, from) }));
    segments
}

impl Side {
    /// One matrix of `rows` rows and `depth` columns with these strides.
    pub fn strided([rows, depth]: [usize; 2], [row, step]: [isize; 2]) -> Side {
        let axis = |length: usize, stride: isize| Axis::new(&[Layout::new(Shape::from_dims([length]), [stride], 0)]);
        Side { batch: axis(1, 0), rows: axis(rows, row), depth: axis(depth, step), bounds: vec![] }
    }

    /// Whether elements of rows and of columns have one distance each, and all are in bounds.
    pub fn is_strided(&self) -> bool {
        self.bounds.is_empty() && [&self.rows, &self.depth].iter().all(|axis| axis.inner == axis.length)
    }

    /// Packs a range of rows and of the depth of one matrix.
    pub fn pack<T: Real>(
        &self,
        data: &[T],
        batch: Cursor,
        rows: Range<usize>,
        depth: Range<usize>,
        width: usize,
        packed: &mut [T],
    ) {
        let panels = packed.chunks_exact_mut(width * depth.len()).zip(rows.clone().step_by(width));
        let panels = panels.map(|(panel, start)| (panel, start..rows.end.min(start + width)));
        let mut runs = vec![];
        // Fibers or segments that the panels share are computed once.
        if self.runs_along_rows(rows.len(), depth.len(), width) {
            let fibers = Fibers::new(&self.depth, depth, &batch);
            for (panel, present) in panels {
                if present.len() < width {
                    panel.fill(T::ZERO);
                }
                for segment in segments(&self.rows, present, &Cursor::default()) {
                    self.cut(&fibers, &segment, &self.rows.step, &mut runs);
                    runs::pack_rows(data, &fibers.fibers, &runs, segment.at..segment.at + segment.length, panel, width);
                }
            }
        } else {
            let segments = segments(&self.depth, depth, &batch);
            for (panel, present) in panels {
                if present.len() < width || !self.bounds.is_empty() {
                    panel.fill(T::ZERO);
                }
                let fibers = Fibers::new(&self.rows, present, &Cursor::default());
                for segment in &segments {
                    self.cut(&fibers, segment, &self.depth.step, &mut runs);
                    runs::pack_columns(data, &fibers.fibers, &runs, &mut panel[segment.at * width..], width);
                }
            }
        }
    }

    /// Whether runs along rows, interleaved in a panel, are copied faster than runs along the
    /// depth.
    pub fn runs_along_rows(&self, rows: usize, depth: usize, width: usize) -> bool {
        let (side_by_side, bounds) = (rows.min(width), self.bounds.len());
        // Fibers of consecutive elements are transposed four at once.
        let across = cost(&self.depth, depth, &self.rows, side_by_side, bounds, [1.0, 3.0]);
        cost(&self.rows, side_by_side, &self.depth, depth, bounds, [0.3, 2.0]) <= across
    }

    /// The in-bounds run of a segment for each kind of fiber.
    fn cut(&self, fibers: &Fibers, segment: &Segment, along: &Cursor, runs: &mut Vec<Run>) {
        runs.clear();
        runs.extend(fibers.kinds.iter().map(|coordinates| {
            let (count, offset) = (segment.length, segment.cursor.address);
            let mut run = Run { first: 0, every: 1, count, offset, stride: along.address };
            for (i, bound) in self.bounds.iter().enumerate() {
                run.clip(bound, segment.cursor.coordinates[i] + coordinates[i], along.coordinates[i]);
            }
            run
        }));
    }
}
