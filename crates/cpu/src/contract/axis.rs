//! The index expressions of an operand of a product, split by the three groups of dimensions:
//! batch, rows (or columns), depth.
//!
//! An element's address is a sum with a term from each group, and so is the coordinate of each
//! bounded index. Along the last dimension of a group each of these terms changes by a constant
//! step, so a table of the starts of its rows is enough.

use lanthorn_ir::{Layout, Shape, kernel::Operand};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The largest number of bounded indices of an operand. A convolution has one for each dimension of
/// its image.
pub(super) const MAX_BOUNDS: usize = 6;

/// An address and the coordinate of each bounded index, or the terms that one group of dimensions
/// adds to them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Cursor {
    pub address: isize,
    pub coordinates: [isize; MAX_BOUNDS],
}

impl Cursor {
    /// Moves this cursor by `steps` times `step`.
    #[inline(always)]
    pub fn advance(mut self, steps: isize, step: &Cursor) -> Cursor {
        self.address += steps * step.address;
        for (coordinate, step) in self.coordinates.iter_mut().zip(&step.coordinates) {
            *coordinate += steps * step;
        }
        self
    }
}

/// One group of dimensions of one operand, as a single index.
#[derive(Clone, PartialEq)]
pub(crate) struct Axis {
    pub length: usize,
    /// The size of the last dimension, and the step along it.
    pub inner: usize,
    pub step: Cursor,
    /// The start of each row of the last dimension.
    starts: Vec<Cursor>,
    /// The number of elements with distinct coordinates.
    pub kinds: usize,
}

impl Axis {
    /// `affine_strides` are the operand's strides over the group and then the steps of its bounded
    /// indices.
    pub fn new(affine_strides: &[Layout]) -> Axis {
        let shape = affine_strides[0].shape();
        let along = |d: usize| {
            let mut cursor = Cursor { address: affine_strides[0].strides()[d], ..Cursor::default() };
            cursor
                .coordinates
                .iter_mut()
                .zip(&affine_strides[1..])
                .for_each(|(coordinate, walk)| *coordinate = walk.strides()[d]);
            cursor
        };
        let Some((&inner, outer)) = shape.split_last() else {
            return Axis { length: 1, inner: 1, step: Cursor::default(), starts: vec![Cursor::default()], kinds: 1 };
        };
        let mut starts = vec![Cursor::default()];
        let moves = |step: &Cursor| step.coordinates.iter().any(|&step| step != 0);
        let mut kinds = if moves(&along(outer.len())) { inner } else { 1 };
        for (d, &size) in outer.iter().enumerate() {
            let step = along(d);
            kinds *= if moves(&step) { size } else { 1 };
            starts = starts.iter().flat_map(|start| (0..size as isize).map(move |i| start.advance(i, &step))).collect();
        }
        Axis { length: shape.elements(), inner: inner.max(1), step: along(outer.len()), starts, kinds }
    }

    /// The same axis with another origin.
    pub fn from(mut self, cursor: Cursor) -> Axis {
        self.starts.iter_mut().for_each(|start| *start = start.advance(1, &cursor));
        self
    }

    /// The distinct cursors, and for each index the number of its cursor.
    pub fn distinct(&self) -> (Vec<Cursor>, Vec<usize>) {
        let (mut cursors, mut known) = (vec![], FxHashMap::default());
        let number = |index| {
            let cursor = self.at(index);
            *known.entry(cursor).or_insert_with(|| {
                cursors.push(cursor);
                cursors.len() - 1
            })
        };
        let numbers = (0..self.length).map(number).collect();
        (cursors, numbers)
    }

    /// The cursor of an index.
    #[inline(always)]
    pub fn at(&self, index: usize) -> Cursor {
        self.starts[index / self.inner].advance((index % self.inner) as isize, &self.step)
    }

    /// Calls `f` with (position in the range, length, first cursor) for each span: the part of a
    /// row of the last dimension that is in the range.
    #[inline(always)]
    pub fn for_each_span(&self, range: Range<usize>, mut f: impl FnMut(usize, usize, Cursor)) {
        let mut index = range.start;
        while index < range.end {
            let length = (self.inner - index % self.inner).min(range.end - index);
            f(index - range.start, length, self.at(index));
            index += length;
        }
    }
}

/// An operand's strides over some of its dimensions, and then the steps of its bounded indices.
pub(crate) fn affine_strides(operand: &Operand, dims: &[usize]) -> Vec<Layout> {
    let shape = Shape::from_dims(dims.iter().map(|&d| operand.shape()[d]));
    let over = |strides: &[isize]| Layout::new(shape.clone(), dims.iter().map(|&d| strides[d]), 0);
    std::iter::once(over(operand.layout.strides()))
        .chain(operand.bounded.iter().map(|bound| over(&bound.steps)))
        .collect()
}

/// Whether an operand is constant along a dimension.
pub(super) fn is_free(operand: &Operand, d: usize) -> bool {
    operand.layout.strides()[d] == 0 && operand.bounded.iter().all(|bound| bound.steps[d] == 0)
}

/// The cursor of an operand's first element; `start` is added to its offset.
pub(super) fn origin(operand: &Operand, start: isize) -> Cursor {
    let mut cursor = Cursor { address: operand.layout.offset() as isize + start, ..Cursor::default() };
    cursor.coordinates.iter_mut().zip(&operand.bounded).for_each(|(coordinate, bound)| *coordinate = bound.start);
    cursor
}
