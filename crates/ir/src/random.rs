//! Counter-based random numbers, in integer arithmetic, so that every backend returns the same
//! bits.
//!
//! The generator is Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror and Shaw, "Parallel Random
//! Numbers: As Easy as 1, 2, 3", SC 2011). It maps a key of two words and a counter of two words to
//! two random words. The seed is the key, and the counter is (index of the element, offset of the
//! generator). The functions here are the definition, and every backend must return the same bits.
//!
//! Floats appear only in the last step, because WGSL lets an implementation fuse and reassociate
//! them. The normal deviate is Box and Muller's (1958), in fixed point.

/// Round rotations of Threefry-2x32.
pub const ROTATIONS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];
/// The parity constant, from which the third key word is computed.
pub const PARITY: u32 = 0x1BD1_1BDA;

/// The first word of Threefry-2x32-20.
///
/// ```
/// // The known answer for key and counter zero, from the authors' test vectors.
/// assert_eq!(lanthorn_ir::random::threefry([0, 0], [0, 0]), 0x6b20_0159);
/// ```
pub fn threefry(key: [u32; 2], counter: [u32; 2]) -> u32 {
    let keys = [key[0], key[1], PARITY ^ key[0] ^ key[1]];
    let (mut x, mut y) = (counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1]));
    for group in 0..5 {
        for round in 0..4 {
            x = x.wrapping_add(y);
            y = y.rotate_left(ROTATIONS[(group % 2) * 4 + round]) ^ x;
        }
        x = x.wrapping_add(keys[(group + 1) % 3]);
        y = y.wrapping_add(keys[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    x
}

/// A uniform number in [0, 1) with 24 random bits, exact in float32.
pub fn uniform(word: u32) -> f32 {
    (word >> 8) as f32 * (1.0 / 16_777_216.0)
}

fn multiply_high(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

/// Coefficients of `sin(pi/2 x) / x` in powers of `x^2`, alternating in sign, as 31-bit fractions
/// (Taylor to x^11).
pub const SINE: [u32; 6] = [3_373_259_426, 1_387_197_337, 171_138_612, 10_053_990, 344_545, 7_728];
/// `2 ln 2` as a fraction of 2^31.
pub const TWO_LN_2: u32 = 2_977_044_472;

/// A normal deviate of mean 0 and variance 1 from two random words; a multiple of 2^-21, exact in
/// float32.
///
/// `sqrt(-2 ln u) * sin(2 pi v)` with `u = (a + 1) / 2^32` and `v = b / 2^32`, each step in 32-bit
/// integers.
pub fn normal(a: u32, b: u32) -> f32 {
    // -log2(u) = 32 - log2(a + 1), in 26 fractional bits: the integer part from the leading bit,
    // the fraction by repeated squaring.
    let a = a.saturating_add(1);
    let mut mantissa = a << a.leading_zeros(); // in [1, 2) as Q31
    let mut log = 31 - a.leading_zeros();
    for _ in 0..26 {
        let square = multiply_high(mantissa, mantissa); // Q30, in [1, 4)
        log = (log << 1) | (square >> 31);
        mantissa = if square >> 31 == 1 { square } else { square << 1 };
    }
    // log is below 2^31: five integer bits and 26 fractional ones.
    let minus_log = (1u32 << 31).wrapping_sub(log); // Q26, at most 32
    let radicand = multiply_high(minus_log, TWO_LN_2); // Q26 * Q31 / 2^32 = Q25, at most 44.4
    // The square root, bit by bit: with 24 zeros appended the radicand is Q50, so the root is Q25.
    let (mut rest, mut value, mut root) = (0u32, radicand << 1, 0u32);
    for _ in 0..28 {
        rest = (rest << 2) | (value >> 30);
        value <<= 2;
        let trial = (root << 2) | 1;
        root <<= 1;
        if rest >= trial {
            rest -= trial;
            root |= 1;
        }
    }
    // A quarter wave: x in [0, 1] as a fraction of 2^32, mirrored in the odd quadrants.
    let phase = b << 2;
    let x = if b & 0x4000_0000 != 0 { !phase } else { phase };
    let x2 = multiply_high(x, x);
    let mut sine = SINE[5];
    for coefficient in SINE[..5].iter().rev() {
        sine = coefficient - multiply_high(sine, x2);
    }
    sine = multiply_high(sine, x); // Q31
    // Root Q25, below 2^28; shifted to use all 32 bits: Q29 * Q31 / 2^32 = Q28; without 7 bits, Q21
    // in 24 bits.
    let magnitude = multiply_high(root << 4, sine) >> 7;
    let value = magnitude as f32 * (1.0 / 2_097_152.0);
    if b >> 31 == 1 { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threefry_gives_the_published_answers() {
        assert_eq!(threefry([u32::MAX, u32::MAX], [u32::MAX, u32::MAX]), 0x1cb9_96fc);
        assert_eq!(threefry([0x13198a2e, 0x03707344], [0x243f6a88, 0x85a308d3]), 0xc492_3a9c);
    }

    #[test]
    fn normal_agrees_with_the_formula_in_float64() {
        let mut worst = 0.0f64;
        for i in 0..200_000u32 {
            let (a, b) = (threefry([1, 2], [i, 0]), threefry([1, 2], [i, 1]));
            let u = (f64::from(a) + 1.0) / 4_294_967_296.0;
            let v = f64::from(b) / 4_294_967_296.0;
            let exact = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).sin();
            // Near u = 1 the root amplifies the last bits of the logarithm, and the deviate is near
            // 0.
            worst = worst.max((f64::from(normal(a, b)) - exact).abs());
        }
        assert!(worst < 2e-4, "{worst}");
    }

    #[test]
    fn the_extremes_are_finite() {
        for a in [0, 1, u32::MAX - 1, u32::MAX] {
            for b in [0, 0x3fff_ffff, 0x4000_0000, 0x8000_0000, u32::MAX] {
                let z = normal(a, b);
                assert!(z.is_finite() && z.abs() < 6.7, "normal({a}, {b}) = {z}");
            }
        }
        assert!((normal(0, 0x4000_0000) - 6.66044).abs() < 1e-4);
    }

    #[test]
    fn normal_has_the_moments_of_the_normal_distribution() {
        let n = 1_000_000u32;
        let mut moments = [0.0f64; 4];
        for i in 0..n {
            let z = f64::from(normal(threefry([7, 0], [i, 0]), threefry([7, 0], [i, 1])));
            for (k, moment) in moments.iter_mut().enumerate() {
                *moment += z.powi(k as i32 + 1) / f64::from(n);
            }
        }
        // Five standard errors: 1, sqrt(2), sqrt(15), sqrt(96) over sqrt(n).
        for (moment, (expected, error)) in moments.iter().zip([(0.0, 1.0), (1.0, 1.42), (0.0, 3.88), (3.0, 9.8)]) {
            assert!((moment - expected).abs() < 5.0 * error / 1000.0, "{moments:?}");
        }
    }
}
