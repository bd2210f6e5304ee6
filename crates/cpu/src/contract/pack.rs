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

/// Elements of an axis that are neighbours along its last dimension: the first one's position in the range, and how many.
struct Segment {
    at: usize,
    length: usize,
    place: Place,
}

fn segments(axis: &Axis, range: Range<usize>, from: &Place) -> Vec<Segment> {
    let mut segments = Vec::with_capacity(range.len() / axis.inner + 2);
    axis.segments(range, |at, length, place| segments.push(Segment { at, length, place: place.moved(1, from) }));
    segments
}

/// The places of all elements of an axis in a range.
fn places(axis: &Axis, range: Range<usize>, from: &Place) -> Vec<Place> {
    let mut places = Vec::with_capacity(range.len());
    axis.segments(range, |_, length, place| {
        let place = place.moved(1, from);
        places.extend((0..length as isize).map(|i| place.moved(i, &axis.step)));
    });
    places
}

/// Where the elements of a line and of a segment go in a panel: how far neighbours are apart.
struct Pitch {
    line: usize,
    element: usize,
}

impl Side {
    /// Packs some rows and depths of one matrix.
    pub fn pack<T: Real>(&self, data: &[T], batch: Place, rows: Range<usize>, depth: Range<usize>, width: usize, packed: &mut [T]) {
        let origin = Place::default();
        let by_rows = ease(&self.rows) >= ease(&self.depth);
        // What the panels share is found out once.
        let (lines, pieces) = match by_rows {
            true => (places(&self.depth, depth.clone(), &batch), vec![]),
            false => (vec![], segments(&self.depth, depth.clone(), &batch)),
        };
        for (panel, start) in packed.chunks_exact_mut(width * depth.len()).zip(rows.clone().step_by(width)) {
            let present = start..rows.end.min(start + width);
            if present.len() < width || !self.bounds.is_empty() {
                panel.fill(T::ZERO);
            }
            if by_rows {
                let pitch = Pitch { line: width, element: 1 };
                self.lay(data, &self.rows.step, &segments(&self.rows, present, &origin), &lines, pitch, panel);
            } else {
                let pitch = Pitch { line: 1, element: width };
                self.lay(data, &self.depth.step, &pieces, &places(&self.rows, present, &origin), pitch, panel);
            }
        }
    }

    /// Lays the segments of every line into a panel, which holds zeros where nothing comes.
    fn lay<T: Real>(&self, data: &[T], along: &Place, segments: &[Segment], lines: &[Place], pitch: Pitch, panel: &mut [T]) {
        for segment in segments {
            for (line, place) in lines.iter().enumerate() {
                let offset = segment.place.address + place.address;
                let mut run = Run { first: 0, every: 1, count: segment.length, offset, stride: along.address };
                for (i, bound) in self.bounds.iter().enumerate() {
                    run.clip(bound, segment.place.coordinates[i] + place.coordinates[i], along.coordinates[i]);
                }
                if run.count > 0 {
                    let at = line * pitch.line + (segment.at + run.first) * pitch.element;
                    copy(&run, data, &mut panel[at..], run.every * pitch.element);
                }
            }
        }
    }
}

/// Copies a run to the beginning of `target`, to places so far apart.
#[inline(always)]
fn copy<T: Real>(run: &Run, data: &[T], target: &mut [T], pitch: usize) {
    let count = run.count;
    if run.stride == 1 {
        let source = &data[run.offset as usize..][..count];
        if pitch == 1 {
            target[..count].copy_from_slice(source);
        } else {
            target.chunks_mut(pitch).zip(source).for_each(|(target, &value)| target[0] = value);
        }
    } else {
        let places = (0..count as isize).map(|i| (run.offset + i * run.stride) as usize);
        target.chunks_mut(pitch).zip(places).for_each(|(target, place)| target[0] = data[place]);
    }
}
