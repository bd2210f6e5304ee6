//! Runs: what is left of a piece of a row when windows have taken away what is outside.
//!
//! A window's coordinate moves in fixed steps along a row, so what it lets through is a range of the elements, or every so many of a range. That
//! is computed at once and not asked of each element.

use bytemuck::Pod;
use lanthorn_ir::{
    Layout,
    kernel::{BoundedIndex, Operand},
};
use std::ops::Range;

/// Elements of a block that follow one another in the buffer at a fixed distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// The first one's position in the piece.
    pub first: usize,
    /// The distance of their positions.
    pub every: usize,
    /// How many they are.
    pub count: usize,
    /// The first one's place in the buffer.
    pub offset: isize,
    /// The distance of their places.
    pub stride: isize,
}

/// The limits of a window: its size, its divisor, and the distance of neighbours where an operand's strides do not have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    size: isize,
    divisor: isize,
    stride: isize,
}

impl Bound {
    pub fn of(window: &BoundedIndex) -> Bound {
        Bound { size: window.size as isize, divisor: window.divisor as isize, stride: window.stride }
    }
}

impl Run {
    /// Keeps what is inside of a window whose coordinate is `t` where the piece begins and moves by `step`.
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

    /// Keeps those whose coordinate the divisor divides; gives back the number of the first of them.
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

/// An operand with as little in its windows as possible, and how far from its offset it then begins, which may be backwards.
///
/// A window without a divisor adds to the strides like any dimension: it keeps a stride of 0 and only bounds what is read.
pub(crate) fn merged(operand: &Operand) -> (Operand, isize) {
    let mut start = 0;
    let mut strides = operand.layout.strides().to_vec();
    let mut windows = operand.bounded.clone();
    for window in windows.iter_mut().filter(|window| window.divisor == 1) {
        let stride = std::mem::take(&mut window.stride);
        start += stride * window.start;
        strides.iter_mut().zip(&window.steps).for_each(|(strides, step)| *strides += stride * step);
    }
    let layout = Layout::new(operand.shape().clone(), strides, operand.layout.offset());
    (Operand { layout, bounded: windows, ..operand.clone() }, start)
}

/// [`merged`], without the windows that then bound nothing.
pub(crate) fn plain(operand: &Operand) -> (Operand, isize) {
    let (mut operand, start) = merged(operand);
    let shape = operand.shape().clone();
    operand.bounded.retain(|window| {
        let reach = |far: fn(isize, isize) -> isize| -> isize {
            let steps = window.steps.iter().zip(shape.iter());
            steps.map(|(&step, &size)| far(0, step * (size as isize - 1))).sum()
        };
        window.divisor > 1 || window.start + reach(isize::min) < 0 || window.start + reach(isize::max) >= window.size as isize
    });
    (operand, start)
}

/// A positive number to divide by. The strides of convolutions are nearly always powers of two, and then nothing is divided: a run is cut for
/// each row of each place of a kernel, and a division takes as long as copying a short run.
#[derive(Clone, Copy)]
struct Divisor {
    value: isize,
    /// Its logarithm to the base of two, if that is whole.
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

    /// Of how many neighbours at this distance one is a multiple, if any is.
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
    // Going down from t is going up from its mirror image.
    let (t, step) = if step < 0 { (size - 1 - t, -step) } else { (t, step) };
    let (first, end) = match step {
        0 => (0, if (0..size).contains(&t) { count as isize } else { 0 }),
        1 => (-t, size - t),
        _ => (Divisor::of(step).ceil(-t), Divisor::of(step).ceil(size - t)),
    };
    let first = first.clamp(0, count as isize) as usize;
    first..(end.clamp(0, count as isize) as usize).max(first)
}
