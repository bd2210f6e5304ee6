//! Copying runs of an operand into a panel, along its rows or as its columns.
//!
//! Runs are short, for example an image's row or a part of it, and a call to `memcpy` costs as much
//! as the copy. So pieces of fixed sizes are copied, and columns of a panel are written four at a
//! time.

use super::{super::real::Real, fibers::Fiber};
use crate::{block::Run, simd::dispatch};
use std::{array, ops::Range};

/// Maximum number of elements of one move.
pub(in crate::contract) const PIECE: usize = 16;

/// Number of fibers that are transposed at once.
const TOGETHER: usize = 4;

dispatch! {
    /// Copies a run of each fiber to a range of positions of each row of a panel, with zeros
    /// outside of the run.
    pub(super) fn pack_rows<T: Real>(data: &[T], fibers: &[Fiber], runs: &[Run], at: Range<usize>, panel: &mut [T], width: usize) {
        for (fiber, row) in fibers.iter().zip(panel.chunks_exact_mut(width)) {
            let (run, target) = (&runs[fiber.kind], &mut row[at.clone()]);
            let offset = fiber.address + run.offset;
            if run.count == 0 {
                clear(target);
            } else if run.stride == 1 && run.every == 1 {
                let (before, rest) = target.split_at_mut(run.first);
                let (within, after) = rest.split_at_mut(run.count);
                clear(before);
                copy_short(&data[offset as usize..][..run.count], within);
                clear(after);
            } else {
                if run.count < target.len() {
                    clear(target);
                }
                spread(run, 0..run.count, offset, data, &mut target[run.first..], run.every);
            }
        }
    }
}

/// Copies the first and the last `N` elements, which meet or overlap, as two moves.
#[inline(always)]
fn ends<T: Real, const N: usize>(source: &[T], target: &mut [T]) {
    if let (Some(first), Some(last)) = (source.first_chunk::<N>(), source.last_chunk::<N>()) {
        target[..N].copy_from_slice(first);
        let at = target.len() - N;
        target[at..].copy_from_slice(last);
    }
}

/// Copies a short slice without a call.
#[inline(always)]
pub(in crate::contract) fn copy_short<T: Real>(source: &[T], target: &mut [T]) {
    match target.len() {
        0 => {}
        1 => target[0] = source[0],
        2..4 => ends::<T, 2>(source, target),
        4..8 => ends::<T, 4>(source, target),
        8..PIECE => ends::<T, 8>(source, target),
        _ => {
            let (pieces, targets) = (source.as_chunks::<PIECE>().0, target.as_chunks_mut::<PIECE>().0);
            targets.iter_mut().zip(pieces).for_each(|(target, piece)| *target = *piece);
            ends::<T, PIECE>(source, target);
        }
    }
}

/// Fills a short slice with zeros, without a call.
#[inline(always)]
fn clear<T: Real>(target: &mut [T]) {
    for piece in target.chunks_mut(PIECE) {
        copy_short(&T::ZEROS[..piece.len()], piece);
    }
}

/// Copies some elements of a run to `target`, `pitch` elements apart.
///
/// It is never compiled for wide vectors, because gathering a short run takes longer than moving
/// its elements.
#[inline(never)]
fn spread<T: Real>(run: &Run, elements: Range<usize>, offset: isize, data: &[T], target: &mut [T], pitch: usize) {
    let (first, steps) = (offset + elements.start as isize * run.stride, elements.len() as isize - 1);
    let last = first + steps * run.stride;
    // All elements are in bounds if both ends are.
    assert!(first.min(last) >= 0 && (first.max(last) as usize) < data.len() && steps as usize * pitch < target.len());
    for i in 0..=steps {
        // SAFETY: all indices are between the two ends, which are in bounds.
        unsafe {
            *target.get_unchecked_mut(i as usize * pitch) = *data.get_unchecked((first + i * run.stride) as usize)
        };
    }
}

/// Copies a run of each fiber to a column of a panel, which holds zeros outside of the run.
#[inline(never)]
pub(super) fn pack_columns<T: Real>(data: &[T], fibers: &[Fiber], runs: &[Run], panel: &mut [T], width: usize) {
    for (group, column) in fibers.chunks(TOGETHER).zip((0..).step_by(TOGETHER)) {
        let common = common(group, runs);
        if let Ok(group) = <&[Fiber; TOGETHER]>::try_from(group)
            && !common.is_empty()
        {
            let sources = group.map(|fiber| {
                let first = fiber.address + runs[fiber.kind].offset + (common.start - runs[fiber.kind].first) as isize;
                &data[first as usize..][..common.len()]
            });
            transpose(sources, &mut panel[common.start * width + column..], width);
        }
        for (fiber, column) in group.iter().zip(column..) {
            let run = &runs[fiber.kind];
            let offset = fiber.address + run.offset;
            let middle = if common.is_empty() { 0..0 } else { common.start - run.first..common.end - run.first };
            for elements in [0..middle.start, middle.end..run.count] {
                if !elements.is_empty() {
                    let at = (run.first + elements.start * run.every) * width + column;
                    spread(run, elements, offset, data, &mut panel[at..], run.every * width);
                }
            }
        }
    }
}

/// The positions, in whole tiles, for which all fibers of a group have dense elements. Empty if the
/// group is incomplete.
fn common(group: &[Fiber], runs: &[Run]) -> Range<usize> {
    let runs = || group.iter().map(|fiber| &runs[fiber.kind]);
    let start = runs().map(|run| run.first).max().unwrap_or(0);
    let end = runs().map(|run| run.first + run.count).min().unwrap_or(0);
    let dense = runs().all(|run| run.stride == 1 && run.every == 1 && run.count > 0);
    if group.len() < TOGETHER || !dense || end < start {
        return 0..0;
    }
    start..start + (end - start) / TOGETHER * TOGETHER
}

/// Writes fibers as adjacent columns, tile by tile.
#[inline(always)]
fn transpose<T: Real>(fibers: [&[T]; TOGETHER], panel: &mut [T], width: usize) {
    let [a, b, c, d] = fibers.map(|fiber| fiber.as_chunks::<TOGETHER>().0);
    for ((((a, b), c), d), rows) in a.iter().zip(b).zip(c).zip(d).zip(panel.chunks_mut(TOGETHER * width)) {
        let tile = [a, b, c, d];
        for (i, row) in rows.chunks_mut(width).enumerate() {
            row[..TOGETHER].copy_from_slice(&array::from_fn::<T, TOGETHER, _>(|fiber| tile[fiber][i]));
        }
    }
}
