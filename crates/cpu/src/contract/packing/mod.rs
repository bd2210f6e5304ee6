//! Packing: a block of an operand as panels in the order in which the micro-kernel reads them.
//!
//! A panel holds `width` rows side by side: first their elements of depth 0, then of depth 1. Rows that the operand does not have, and
//! elements outside of its windows, are zeros, so that the micro-kernel needs no case for an edge. What is seen through windows is packed
//! straight from where it lies: rows or depths, whichever has the longer runs of neighbours, are copied run by run.

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

/// An operand as a matrix of rows and depth for each of a batch: the left operand, or the right one turned over.
pub(super) struct Side {
    pub batch: Axis,
    pub rows: Axis,
    pub depth: Axis,
    pub bounds: Vec<Bound>,
}

/// What packing an element takes, in units of a dense copy of a long run, where runs go along one axis and fibers along the other, so many of
/// these at once. A run is begun in each fiber; and it is cut, where there are windows, for each kind of fiber.
fn cost(along: &Axis, length: usize, across: &Axis, fibers: usize, windows: usize, [dense, apart]: [f64; 2]) -> f64 {
    let (begin, cut) = (8.0, 16.0 * windows as f64);
    let each = if along.step.address == 1 { dense } else { apart };
    let kinds = across.kinds.min(fibers) as f64 / fibers.max(1) as f64;
    each + (begin + cut * kinds) / along.inner.min(length) as f64
}

/// Elements of an axis that are neighbours along its last dimension: the first one's position in the range, and how many.
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
    /// One matrix of so many rows and depths, so far apart.
    pub fn strided([rows, depth]: [usize; 2], [row, step]: [isize; 2]) -> Side {
        let axis = |length: usize, stride: isize| Axis::new(&[Layout::new(Shape::from_dims([length]), [stride], 0)]);
        Side { batch: axis(1, 0), rows: axis(rows, row), depth: axis(depth, step), bounds: vec![] }
    }

    /// Packs some rows and depths of one matrix.
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
        // What the panels share is found out once.
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

    /// Whether runs along rows, side by side in a panel, are copied sooner than runs along the depth, across it.
    pub fn runs_along_rows(&self, rows: usize, depth: usize, width: usize) -> bool {
        let (side_by_side, windows) = (rows.min(width), self.bounds.len());
        // Fibers of neighbouring elements are laid across four at once.
        let across = cost(&self.depth, depth, &self.rows, side_by_side, windows, [1.0, 3.0]);
        cost(&self.rows, side_by_side, &self.depth, depth, windows, [0.3, 2.0]) <= across
    }

    /// What windows leave of a segment in fibers of each kind.
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
