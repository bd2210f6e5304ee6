//! Runs: the in-bounds elements of a piece of a row.
//!
//! Along a row, the coordinate of a bounded index changes by a constant step. The elements in
//! bounds are therefore a range, or every n-th element of a range, which is computed at once,
//! without a test for each element.

use bytemuck::Pod;
use lanthorn_ir::{
    Layout,
    kernel::{BoundedIndex, Operand},
};
use std::ops::Range;

/// In-bounds elements of a block at a constant stride in the buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// The position of the first one in the piece.
    pub first: usize,
    /// The distance between their positions.
    pub every: usize,
    /// The number of elements.
    pub count: usize,
    /// The offset of the first one in the buffer.
    pub offset: isize,
    /// The distance between their offsets.
    pub stride: isize,
}

/// The limits of a bounded index: its size, its divisor, and its stride if the operand's strides do
/// not include it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    size: isize,
    divisor: isize,
    stride: isize,
}

impl Bound {
    pub fn of(bound: &BoundedIndex) -> Bound {
        Bound { size: bound.size as isize, divisor: bound.divisor as isize, stride: bound.stride }
    }
}

impl Run {
    /// Keeps the elements in bounds of a bounded index whose coordinate is `t` at the start of the
    /// piece and changes by `step`.
    #[inline(always)]
    pub fn clip(&mut self, bound: &Bound, t: isize, step: isize) {
        if step == 0 && bound.divisor == 1 {
            if !(0..bound.size).contains(&t) {
                self.count = 0;
            }
            return;
        }
        let (mut t, mut step) = (t + step * self.first as isize, step * self.every as isize);
        if bound.divisor > 1 {
            let Some(hit) = self.thin_out(bound.divisor, t, step) else {
                self.count = 0;
                return;
            };
            let divisor = Divisor::of(bound.divisor);
            (t, step) = (divisor.floor(t + hit * step), divisor.floor(step * divisor.period(step)));
            self.offset += bound.stride * t;
            self.stride += bound.stride * step;
        }
        let inside = within(t, step, bound.size, self.count);
        self.skip(inside.start);
        self.count = inside.len();
    }

    /// Keeps the elements whose coordinate is a multiple of the divisor. Returns the number of the
    /// first one.
    fn thin_out(&mut self, divisor: isize, t: isize, step: isize) -> Option<isize> {
        let divisor = Divisor::of(divisor);
        let period = divisor.period(step);
        let hit = (0..period.min(self.count as isize)).find(|i| divisor.divides(t + i * step))?;
        self.skip(hit as usize);
        self.every *= period as usize;
        self.count = Divisor::of(period).ceil(self.count as isize) as usize;
        self.stride *= period;
        Some(hit)
    }

    #[inline(always)]
    fn skip(&mut self, elements: usize) {
        self.first += elements * self.every;
        self.offset += elements as isize * self.stride;
        self.count -= elements;
    }

    /// Copies a run that is not empty to its positions in the piece.
    #[inline(always)]
    pub fn copy<T: Pod>(&self, data: &[T], piece: &mut [T]) {
        let (count, offset, target) = (self.count, self.offset as usize, &mut piece[self.first..]);
        match (self.every, self.stride) {
            (1, 1) if count < 16 => target[..count].iter_mut().zip(&data[offset..]).for_each(|(t, &s)| *t = s),
            (1, 1) => target[..count].copy_from_slice(&data[offset..offset + count]),
            (1, 0) => target[..count].fill(data[offset]),
            (1, stride @ 2..) => {
                let source = data[offset..].iter().step_by(stride as usize);
                target[..count].iter_mut().zip(source).for_each(|(target, &element)| *target = element);
            }
            _ => {
                let mut at = self.offset;
                for element in target.iter_mut().step_by(self.every).take(count) {
                    *element = data[at as usize];
                    at += self.stride;
                }
            }
        }
    }
}

/// Merges bounded indices into the strides of an operand where that is possible. Returns the
/// operand, and the distance of its first element from its offset, which may be negative.
///
/// A bounded index without a divisor adds to the strides like any dimension. Its own stride becomes
/// 0, and it only limits the reads.
pub(crate) fn merge_bounds(operand: &Operand) -> (Operand, isize) {
    let mut start = 0;
    let mut strides = operand.layout.strides().to_vec();
    let mut bounded = operand.bounded.clone();
    for bound in bounded.iter_mut().filter(|bound| bound.divisor == 1) {
        let stride = std::mem::take(&mut bound.stride);
        start += stride * bound.start;
        strides.iter_mut().zip(&bound.steps).for_each(|(strides, step)| *strides += stride * step);
    }
    let layout = Layout::new(operand.shape().clone(), strides, operand.layout.offset());
    (Operand { layout, bounded, ..operand.clone() }, start)
}

/// [`merge_bounds`], without the bounded indices that then limit nothing.
pub(crate) fn plain(operand: &Operand) -> (Operand, isize) {
    let (mut operand, start) = merge_bounds(operand);
    let shape = operand.shape().clone();
    operand.bounded.retain(|bound| {
        let reach = |far: fn(isize, isize) -> isize| -> isize {
            let steps = bound.steps.iter().zip(shape.iter());
            steps.map(|(&step, &size)| far(0, step * (size as isize - 1))).sum()
        };
        bound.divisor > 1
            || bound.start + reach(isize::min) < 0
            || bound.start + reach(isize::max) >= bound.size as isize
    });
    (operand, start)
}

/// A positive divisor. The strides of convolutions are nearly always powers of two, for which a
/// shift replaces the division. This matters because a run is clipped for each row of each tap of a
/// kernel, and a division takes as long as copying a short run.
#[derive(Clone, Copy)]
struct Divisor {
    value: isize,
    /// Its binary logarithm, if that is an integer.
    shift: Option<u32>,
}

impl Divisor {
    #[inline(always)]
    fn of(value: isize) -> Divisor {
        Divisor { value, shift: (value & (value - 1) == 0).then(|| value.trailing_zeros()) }
    }

    /// The quotient, rounded down.
    #[inline(always)]
    fn floor(self, number: isize) -> isize {
        self.shift.map_or_else(|| number.div_euclid(self.value), |shift| number >> shift)
    }

    /// The quotient, rounded up.
    #[inline(always)]
    fn ceil(self, number: isize) -> isize {
        self.floor(number + self.value - 1)
    }

    #[inline(always)]
    fn divides(self, number: isize) -> bool {
        self.shift.map_or_else(|| number % self.value == 0, |_| number & (self.value - 1) == 0)
    }

    /// The period of the multiples of the divisor for steps of `step`, if there is one.
    #[inline(always)]
    fn period(self, step: isize) -> isize {
        match self.shift {
            Some(shift) => self.value >> step.trailing_zeros().min(shift),
            None => self.value / gcd(step.abs(), self.value),
        }
    }
}

fn gcd(a: isize, b: isize) -> isize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The `i` in `0..count` for which `t + i * step` is in `0..size`.
fn within(t: isize, step: isize, size: isize, count: usize) -> Range<usize> {
    // Counting down from t is counting up from its mirror image.
    let (t, step) = if step < 0 { (size - 1 - t, -step) } else { (t, step) };
    let (first, end) = match step {
        0 => (0, if (0..size).contains(&t) { count as isize } else { 0 }),
        1 => (-t, size - t),
        _ => (Divisor::of(step).ceil(-t), Divisor::of(step).ceil(size - t)),
    };
    let first = first.clamp(0, count as isize) as usize;
    first..(end.clamp(0, count as isize) as usize).max(first)
}
