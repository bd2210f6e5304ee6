//! Normal deviates by lanes: [`random::normal`](lanthorn_ir::random::normal), step for step, on
//! sixteen elements at once.
//!
//! The definition loops over bits, and a compiler vectorizes only the innermost loop. Here the
//! innermost loop runs over elements. The tests compare the results with the definition bit for
//! bit.

use crate::simd::dispatch;
use lanthorn_ir::random::{self, SINE, TWO_LN_2};

const LANES: usize = 16;

#[inline(always)]
fn multiply_high(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

#[inline(always)]
fn lanes(target: &mut [f32; LANES], a: &[u32; LANES], b: &[u32; LANES]) {
    let mut mantissa = [0u32; LANES];
    let mut log = [0u32; LANES];
    for i in 0..LANES {
        let a = a[i].saturating_add(1);
        mantissa[i] = a << a.leading_zeros();
        log[i] = 31 - a.leading_zeros();
    }
    for _ in 0..26 {
        for i in 0..LANES {
            let square = multiply_high(mantissa[i], mantissa[i]);
            let bit = square >> 31;
            log[i] = (log[i] << 1) | bit;
            mantissa[i] = square << (bit ^ 1);
        }
    }
    let mut value = [0u32; LANES];
    let (mut rest, mut root) = ([0u32; LANES], [0u32; LANES]);
    for i in 0..LANES {
        value[i] = multiply_high((1u32 << 31).wrapping_sub(log[i]), TWO_LN_2) << 1;
    }
    for _ in 0..28 {
        for i in 0..LANES {
            let next = (rest[i] << 2) | (value[i] >> 30);
            value[i] <<= 2;
            let trial = (root[i] << 2) | 1;
            let fits = u32::from(next >= trial);
            rest[i] = next.wrapping_sub(trial & fits.wrapping_neg());
            root[i] = (root[i] << 1) | fits;
        }
    }
    for i in 0..LANES {
        let phase = b[i] << 2;
        let x = if b[i] & 0x4000_0000 != 0 { !phase } else { phase };
        let x2 = multiply_high(x, x);
        let mut sine = SINE[5];
        for coefficient in SINE[..5].iter().rev() {
            sine = coefficient.wrapping_sub(multiply_high(sine, x2));
        }
        let magnitude = multiply_high(root[i] << 4, multiply_high(sine, x)) >> 7;
        let deviate = magnitude as i32 as f32 * (1.0 / 2_097_152.0);
        target[i] = if b[i] >> 31 == 1 { -deviate } else { deviate };
    }
}

dispatch! {
    /// A deviate from each pair of words.
    pub(super) fn normal(target: &mut [f32], a: &[u32], b: &[u32]) {
        let (chunks, rest) = target.as_chunks_mut::<LANES>();
        let ((a, rest_a), (b, rest_b)) = (a.as_chunks(), b.as_chunks());
        for ((target, a), b) in chunks.iter_mut().zip(a).zip(b) {
            lanes(target, a, b);
        }
        for ((target, &a), &b) in rest.iter_mut().zip(rest_a).zip(rest_b) {
            *target = random::normal(a, b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_the_definition() {
        let mut a: Vec<u32> = (0..20_000).map(|i| random::threefry([3, 4], [i, 0])).collect();
        let mut b: Vec<u32> = (0..20_000).map(|i| random::threefry([3, 4], [i, 1])).collect();
        let extremes = [0, 1, u32::MAX - 1, u32::MAX, 0x3fff_ffff, 0x4000_0000, 0x7fff_ffff, 0x8000_0000];
        extremes.iter().for_each(|x| {
            extremes.iter().for_each(|y| {
                a.insert(0, *x);
                b.insert(0, *y);
            })
        });
        let mut got = vec![0.0; a.len()];
        normal(&mut got, &a, &b);
        for ((got, a), b) in got.iter().zip(a).zip(b) {
            assert_eq!(got.to_bits(), random::normal(a, b).to_bits(), "normal({a}, {b})");
        }
    }
}
