//! Sorting by parallel merges.

use super::{fraction, num_threads, split};
use crate::buffer::Shared;
use bytemuck::cast_slice_mut;
use lanthorn_ir::Result;

/// Sorts words: first in runs, then by merging pairs of runs, level by level. All threads have
/// equal shares of each level, because bisection finds the first elements of each share.
pub(super) fn sort(words: &mut [u64]) -> Result<()> {
    let n = words.len();
    let runs = num_threads().next_power_of_two();
    let bound = |run: usize, width: usize| fraction(n, run * width, runs).min(n);
    {
        let shared = Shared::new(cast_slice_mut(words));
        split(runs, &[n, n.ilog2() as usize], |numbers| {
            for run in numbers {
                // SAFETY: the runs are disjoint.
                let part = unsafe { shared.part(bound(run, 1) * 8..bound(run + 1, 1) * 8) };
                cast_slice_mut::<u8, u64>(part).sort_unstable();
            }
            Ok(())
        })?;
    }
    let mut other = vec![0; n];
    let mut width = 1;
    let mut is_other = false;
    while width < runs {
        let (from, to): (&[u64], &mut [u64]) = if is_other { (&other, words) } else { (words, &mut other) };
        let target = Shared::new(cast_slice_mut(to));
        let shares = 2 * runs;
        split(shares, &[n, 4], |numbers| {
            for pair in 0..runs / (2 * width) {
                let [start, middle, end] = [0, 1, 2].map(|side| bound(2 * pair + side, width));
                let (left, right) = (&from[start..middle], &from[middle..end]);
                // The part of this pair's result that is in these shares.
                let [first, last] =
                    [numbers.start, numbers.end].map(|share| fraction(n, share, shares).clamp(start, end) - start);
                if first < last {
                    // SAFETY: the shares are disjoint.
                    let part = unsafe { target.part((start + first) * 8..(start + last) * 8) };
                    merge(left, right, first, cast_slice_mut(part));
                }
            }
            Ok(())
        })?;
        is_other = !is_other;
        width *= 2;
    }
    if is_other {
        words.copy_from_slice(&other);
    }
    Ok(())
}

/// Writes the elements of the merged lists from element `first` on.
fn merge(left: &[u64], right: &[u64], first: usize, out: &mut [u64]) {
    // The number of elements from the left list among the first ones.
    let (mut low, mut high) = (first.saturating_sub(right.len()), first.min(left.len()));
    while low < high {
        let middle = low.midpoint(high);
        if left[middle] < right[first - middle - 1] { low = middle + 1 } else { high = middle }
    }
    let (mut i, mut j) = (low, first - low);
    for element in out {
        let takes_left = j == right.len() || i < left.len() && left[i] <= right[j];
        *element = if takes_left { left[i] } else { right[j] };
        if takes_left { i += 1 } else { j += 1 }
    }
}
