//! Conversion of float16 and bfloat16 to and from float32, with rounding to nearest, ties to even.
//!
//! The functions use integer arithmetic without branches, so that compilers vectorize loops over
//! them and every target returns the same bits.
//!
//! Rejected: the crate `half` (its loops are not compiled for the vector width that is chosen at
//! run time), and the processor's instructions (for float16 only, and not in WebAssembly).

/// The float16 with these bits.
///
/// ```
/// use lanthorn_ir::half;
/// assert_eq!(half::f16_to_f32(0x3c00), 1.0);
/// assert_eq!(half::f16_to_f32(0x0001), 2f32.powi(-24));
/// ```
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    let bits = u32::from(bits);
    let (sign, magnitude) = ((bits & 0x8000) << 16, bits & 0x7fff);
    // The exponent biases differ by 112. Multiplication by 2^112 corrects that and normalizes
    // subnormals.
    let finite = f32::from_bits(magnitude << 13) * f32::from_bits((127 + 112) << 23);
    let special = (magnitude << 13) | 0x7f80_0000;
    f32::from_bits(sign | if magnitude >= 0x7c00 { special } else { finite.to_bits() })
}

/// The bits of the float16 nearest to `value`: infinity from 65520 on, subnormals kept. NaN stays
/// NaN.
///
/// ```
/// use lanthorn_ir::half;
/// assert_eq!(half::f16_from_f32(65519.0), 0x7bff);
/// assert_eq!(half::f16_from_f32(65520.0), 0x7c00);
/// ```
#[inline(always)]
pub fn f16_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let (sign, magnitude) = ((bits >> 16) & 0x8000, bits & 0x7fff_ffff);
    // Adds just under half a unit in the last place, and one bit more if the last kept bit is odd:
    // ties go to even. A carry increments the exponent.
    let normal = (magnitude.wrapping_add(0x0fff + ((magnitude >> 13) & 1)).wrapping_sub(112 << 23)) >> 13;
    // At 0.5, float32 has the same spacing as float16's subnormals, so the addition rounds.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let finite = if magnitude < (113 << 23) { subnormal } else { normal.min(0x7c00) };
    let rounded = if magnitude > 0x7f80_0000 { 0x7e00 } else { finite };
    (sign | rounded) as u16
}

/// The bfloat16 with these bits.
#[inline(always)]
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// The bits of the bfloat16 nearest to `value`. NaN stays NaN.
///
/// ```
/// use lanthorn_ir::half;
/// assert_eq!(half::bf16_from_f32(1.0), 0x3f80);
/// assert_eq!(half::bf16_from_f32(f32::MAX), 0x7f80); // infinity
/// ```
#[inline(always)]
pub fn bf16_from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    let nan = (bits >> 16) | 0x0040;
    (if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { rounded }) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a half float by definition, for a given number of exponent and fraction bits.
    fn decode_by_definition(bits: u16, exponent: u32, fraction: u32) -> f64 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let biased = i32::from(bits >> fraction) & ((1 << exponent) - 1);
        let part = f64::from(u32::from(bits) & ((1 << fraction) - 1)) / f64::from(1u32 << fraction);
        let bias = (1 << (exponent - 1)) - 1;
        match biased {
            0 => sign * part * 2f64.powi(1 - bias),
            _ if biased == (1 << exponent) - 1 => {
                if part == 0.0 {
                    sign * f64::INFINITY
                } else {
                    f64::NAN
                }
            }
            _ => sign * (1.0 + part) * 2f64.powi(biased - bias),
        }
    }

    struct Kind {
        widen: fn(u16) -> f32,
        narrow: fn(f32) -> u16,
        exponent: u32,
        fraction: u32,
    }

    const KINDS: [Kind; 2] = [
        Kind { widen: f16_to_f32, narrow: f16_from_f32, exponent: 5, fraction: 10 },
        Kind { widen: bf16_to_f32, narrow: bf16_from_f32, exponent: 8, fraction: 7 },
    ];

    #[test]
    fn every_half_converts_to_its_value_and_back() {
        for kind in KINDS {
            for bits in 0..=u16::MAX {
                let (value, expected) = ((kind.widen)(bits), decode_by_definition(bits, kind.exponent, kind.fraction));
                assert!(
                    f64::from(value) == expected || (value.is_nan() && expected.is_nan()),
                    "{bits:#x}: {value}, {expected}"
                );
                assert_eq!(value.is_sign_negative(), bits >> 15 == 1, "{bits:#x}");
                let back = (kind.narrow)(value);
                assert!(
                    back == bits || (value.is_nan() && (kind.widen)(back).is_nan()),
                    "{bits:#x} came back as {back:#x}"
                );
            }
        }
    }

    #[test]
    fn rounds_to_nearest_and_ties_to_even() {
        for kind in KINDS {
            let infinity = ((1 << kind.exponent) - 1) << kind.fraction;
            // The midpoint of each finite half and the next rounds to the even one; its neighbours
            // round to the nearer one.
            for low in 0..infinity {
                let at = |bits| decode_by_definition(bits, kind.exponent, kind.fraction);
                // The successor of the largest is the number that would follow if it were not
                // infinity.
                let next = if low + 1 == infinity { 2.0 * at(low) - at(low - 1) } else { at(low + 1) };
                let middle = ((at(low) + next) / 2.0) as f32;
                assert_eq!(f64::from(middle), (at(low) + next) / 2.0);
                let even = low + (low & 1);
                assert_eq!((kind.narrow)(middle), even, "the middle above {low:#x}");
                assert_eq!((kind.narrow)(-middle), even | 0x8000, "the middle below -{low:#x}");
                assert_eq!((kind.narrow)(f32::from_bits(middle.to_bits() - 1)), low, "below the middle above {low:#x}");
                assert_eq!(
                    (kind.narrow)(f32::from_bits(middle.to_bits() + 1)),
                    low + 1,
                    "above the middle above {low:#x}"
                );
            }
            assert_eq!((kind.narrow)(f32::INFINITY), infinity);
            assert_eq!((kind.narrow)(f32::NEG_INFINITY), infinity | 0x8000);
            assert_eq!((kind.narrow)(f32::from_bits(1)), 0);
            for nan in [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0x7fff_ffff)] {
                assert!((kind.widen)((kind.narrow)(nan)).is_nan());
            }
        }
    }
}
