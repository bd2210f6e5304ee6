//! Packing: a block of an operand as panels in the order in which the micro-kernel reads them.
//!
//! A panel holds `width` rows side by side: first their elements of depth 0, then of depth 1. Rows that the operand does not have, and
//! elements outside of its windows, are zeros, so that the micro-kernel needs no case for an edge. A convolution's image is packed
//! straight from where it lies: rows or depths, whichever has the longer runs of neighbours, are copied run by run.

use super::{
    real::Real,
    walk::{Axis, Place},
};
use crate::block::{Bound, Run};
use std::ops::Range;

/// An operand as a matrix of rows and depth for each of a batch: the left operand, or the right one turned over.
pub(super) struct Side {
    pub batch: Axis,
    pub rows: Axis,
    pub depth: Axis,
    pub bounds: Vec<Bound>,
}

/// How well runs along an axis are copied.
fn ease(axis: &Axis) -> usize {
    if axis.step.address == 1 { axis.inner } else { axis.inner / 4 }
}

impl Side {
    /// Packs some rows and depths of one matrix.
    pub fn pack<T: Real>(&self, data: &[T], batch: Place, rows: Range<usize>, depth: Range<usize>, width: usize, packed: &mut [T]) {
        let by_rows = ease(&self.rows) >= ease(&self.depth);
        for (panel, start) in packed.chunks_exact_mut(width * depth.len()).zip(rows.clone().step_by(width)) {
            let present = start..rows.end.min(start + width);
            if present.len() < width || !(by_rows || self.bounds.is_empty()) {
                panel.fill(T::ZERO);
            }
            if by_rows {
                self.pack_rows(data, batch, present, depth.clone(), width, panel);
            } else {
                self.pack_depths(data, batch, present, depth.clone(), width, panel);
            }
        }
    }

    fn run(&self, along: &Place, from: Place, length: usize) -> Run {
        let mut run = Run { first: 0, every: 1, count: length, offset: from.address, stride: along.address };
        for ((bound, &step), &t) in self.bounds.iter().zip(&along.coordinates).zip(&from.coordinates) {
            run.clip(bound, t, step);
        }
        run
    }

    /// Depth by depth, the rows of a panel that are neighbours at once.
    fn pack_rows<T: Real>(&self, data: &[T], batch: Place, rows: Range<usize>, depth: Range<usize>, width: usize, panel: &mut [T]) {
        let mut segments = Vec::with_capacity(rows.len());
        self.rows.segments(rows, |at, length, place| segments.push((at, length, place.moved(1, &batch))));
        let step = &self.depth.step;
        self.depth.segments(depth, |first, depths, place| {
            let targets = panel[first * width..][..depths * width].chunks_exact_mut(width);
            for (target, i) in targets.zip(0..) {
                let place = place.moved(i, step);
                for (at, length, from) in &segments {
                    let target = &mut target[*at..at + length];
                    if self.bounds.is_empty() && self.rows.step.address == 1 {
                        target.copy_from_slice(&data[(from.address + place.address) as usize..][..*length]);
                    } else {
                        copy(self.run(&self.rows.step, from.moved(1, &place), *length), data, target);
                    }
                }
            }
        });
    }

    /// Row by row, the depths that are neighbours at once; the panel is zero where nothing comes.
    fn pack_depths<T: Real>(
        &self,
        data: &[T],
        batch: Place,
        rows: Range<usize>,
        depth: Range<usize>,
        width: usize,
        panel: &mut [T],
    ) {
        for (row, panel_row) in rows.zip(0..) {
            let place = self.rows.at(row).moved(1, &batch);
            self.depth.segments(depth.clone(), |at, length, from| {
                let run = self.run(&self.depth.step, from.moved(1, &place), length);
                if run.count == 0 {
                    return;
                }
                let targets = panel[(at + run.first) * width + panel_row..].iter_mut().step_by(run.every * width);
                if run.stride == 1 {
                    let source = &data[run.offset as usize..][..run.count];
                    targets.zip(source).for_each(|(target, &value)| *target = value);
                } else {
                    let places = (0..run.count as isize).map(|i| run.offset + i * run.stride);
                    targets.zip(places).for_each(|(target, place)| *target = data[place as usize]);
                }
            });
        }
    }
}

/// Copies a run into the segment that it belongs to, with zeros around it.
#[inline(always)]
fn copy<T: Real>(run: Run, data: &[T], target: &mut [T]) {
    if run.count < target.len() {
        target.fill(T::ZERO);
    }
    if run.count > 0 {
        run.copy(data, target);
    }
}
