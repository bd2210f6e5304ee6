//! Half types in memory: converts blocks to and from float32, in which everything is computed.

use crate::simd::dispatch;
use lanthorn_ir::{DType, half};

/// A 16-bit float type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    F16,
    BF16,
}

dispatch! {
    fn widen(half: Half, source: &[u16], target: &mut [f32]) {
        let pairs = target.iter_mut().zip(source);
        match half {
            Half::F16 => pairs.for_each(|(target, &bits)| *target = half::f16_to_f32(bits)),
            Half::BF16 => pairs.for_each(|(target, &bits)| *target = half::bf16_to_f32(bits)),
        }
    }
}

dispatch! {
    fn narrow(half: Half, source: &[f32], target: &mut [u16]) {
        let pairs = target.iter_mut().zip(source);
        match half {
            Half::F16 => pairs.for_each(|(target, &value)| *target = half::f16_from_f32(value)),
            Half::BF16 => pairs.for_each(|(target, &value)| *target = half::bf16_from_f32(value)),
        }
    }
}

impl Half {
    /// The half type of a dtype, if it is one.
    pub fn of(dtype: DType) -> Option<Half> {
        match dtype {
            DType::F16 => Some(Half::F16),
            DType::BF16 => Some(Half::BF16),
            _ => None,
        }
    }

    /// Converts halves to `target.len()` float32 numbers.
    pub fn widen(self, source: &[u16], target: &mut [f32]) {
        widen(self, source, target);
    }

    /// Rounds float32 numbers to `target.len()` halves.
    pub fn narrow(self, source: &[f32], target: &mut [u16]) {
        narrow(self, source, target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_converted_as_single_numbers_are() {
        for (half, to, from) in [
            (Half::F16, half::f16_to_f32 as fn(u16) -> f32, half::f16_from_f32 as fn(f32) -> u16),
            (Half::BF16, half::bf16_to_f32, half::bf16_from_f32),
        ] {
            let all: Vec<u16> = (0..=u16::MAX).collect();
            let mut numbers = vec![0f32; all.len()];
            half.widen(&all, &mut numbers);
            assert!(numbers.iter().zip(&all).all(|(number, &bits)| number.to_bits() == to(bits).to_bits()));
            // Between halves, so that the numbers are rounded.
            numbers.iter_mut().for_each(|number| *number *= 1.000_3);
            let mut halves = vec![0u16; all.len()];
            half.narrow(&numbers, &mut halves);
            assert!(numbers.iter().zip(halves).all(|(&number, bits)| from(number) == bits));
        }
    }
}
