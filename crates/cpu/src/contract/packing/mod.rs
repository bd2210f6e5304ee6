//! Packing: copies a block of an operand into panels, in the order in which the micro-kernel reads
//! them.
//!
//! A panel interleaves `width` rows: first their elements of depth 0, then of depth 1. Rows past
//! the end of the operand and out-of-bounds elements are zeros, so the micro-kernel needs no
//! special case for edges. An operand with bounded indices is packed from its own memory: the
//! packer copies runs of consecutive elements, along rows or along the depth, whichever has the
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

/// An operand as a batch of matrices of rows and depth: the left operand, or the transposed right
/// operand.
#[derive(Clone, PartialEq)]
pub(crate) struct Side {
    pub batch: Axis,
    pub rows: Axis,
    pub depth: Axis,
    pub bounds: Vec<Bound>,
}

/// The cost of packing an element, in units of a dense copy of a long run. Runs go along one axis
/// and fibers along the other, with `lines` fibers in a panel. Every fiber starts a run. With
/// bounded indices, the run is clipped for each kind of fiber.
fn cost(along: &Axis, length: usize, across: &Axis, fibers: usize, bounds: usize, [dense, apart]: [f64; 2]) -> f64 {
    let (begin, cut) = (8.0, 16.0 * bounds as f64);
    let each = if along.step.address == 1 { dense } else { apart };
    let kinds = across.kinds.min(fibers) as f64 / fibers.max(1) as f64;
    each + (begin + cut * kinds) / along.inner.min(length) as f64
}

/// Consecutive elements along the last dimension of an axis: the position of the first one in the
/// range, and their number.
struct Span {
    at: usize,
    length: usize,
    cursor: Cursor,
}

fn spans(axis: &Axis, range: Range<usize>, from: &Cursor) -> Vec<Span> {
    let mut spans = Vec::with_capacity(range.len() / axis.inner + 2);
    axis.for_each_span(range, |at, length, cursor| spans.push(Span { at, length, cursor: cursor.advance(1, from) }));
    spans
}

impl Side {
    /// One matrix of `rows` rows and `depth` columns with these strides.
    pub fn strided([rows, depth]: [usize; 2], [row, step]: [isize; 2]) -> Side {
        let axis = |length: usize, stride: isize| Axis::new(&[Layout::new(Shape::from_dims([length]), [stride], 0)]);
        Side { batch: axis(1, 0), rows: axis(rows, row), depth: axis(depth, step), bounds: vec![] }
    }

    /// Whether rows and columns each have a constant stride, and all elements are in bounds.
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
        // The fibers or spans that all panels share are computed once.
        if self.runs_along_rows(rows.len(), depth.len(), width) {
            let fibers = Fibers::new(&self.depth, depth, &batch);
            for (panel, present) in panels {
                if present.len() < width {
                    panel.fill(T::ZERO);
                }
                for span in spans(&self.rows, present, &Cursor::default()) {
                    self.cut(&fibers, &span, &self.rows.step, &mut runs);
                    runs::pack_rows(data, &fibers.fibers, &runs, span.at..span.at + span.length, panel, width);
                }
            }
        } else {
            let spans = spans(&self.depth, depth, &batch);
            for (panel, present) in panels {
                if present.len() < width || !self.bounds.is_empty() {
                    panel.fill(T::ZERO);
                }
                let fibers = Fibers::new(&self.rows, present, &Cursor::default());
                for span in &spans {
                    self.cut(&fibers, span, &self.depth.step, &mut runs);
                    runs::pack_columns(data, &fibers.fibers, &runs, &mut panel[span.at * width..], width);
                }
            }
        }
    }

    /// Whether runs along rows, interleaved in a panel, are copied faster than runs along the
    /// depth.
    pub fn runs_along_rows(&self, rows: usize, depth: usize, width: usize) -> bool {
        let (side_by_side, bounds) = (rows.min(width), self.bounds.len());
        // Fibers of consecutive elements are transposed four at a time.
        let across = cost(&self.depth, depth, &self.rows, side_by_side, bounds, [1.0, 3.0]);
        cost(&self.rows, side_by_side, &self.depth, depth, bounds, [0.3, 2.0]) <= across
    }

    /// The in-bounds run of a span for each kind of fiber.
    fn cut(&self, fibers: &Fibers, span: &Span, along: &Cursor, runs: &mut Vec<Run>) {
        runs.clear();
        runs.extend(fibers.kinds.iter().map(|coordinates| {
            let (count, offset) = (span.length, span.cursor.address);
            let mut run = Run { first: 0, every: 1, count, offset, stride: along.address };
            for (i, bound) in self.bounds.iter().enumerate() {
                run.clip(bound, span.cursor.coordinates[i] + coordinates[i], along.coordinates[i]);
            }
            run
        }));
    }
}
