//! Floats of 4, 6 and 8 bits. float32 represents all of them, so reading is exact. Writing rounds
//! to nearest, ties to even.

/// A format: a sign, an exponent and a mantissa, from the highest bit down.
#[derive(Clone, Copy)]
pub(super) struct SmallFloat {
    exponent: u32,
    mantissa: u32,
    bias: i32,
    specials: Specials,
}

/// The codes that are not finite numbers.
#[derive(Clone, Copy, PartialEq)]
enum Specials {
    /// None.
    None,
    /// Codes with the largest exponent, as in IEEE 754.
    Ieee,
    /// A code of all ones is NaN, with either sign.
    Ones,
    /// The code of a negative zero is NaN.
    NegativeZero,
    /// The format has no sign, zero or mantissa. A code of all ones is NaN.
    Power,
}

impl SmallFloat {
    pub const E4M3FN: SmallFloat = SmallFloat::new(4, 3, 7, Specials::Ones);
    pub const E4M3FNUZ: SmallFloat = SmallFloat::new(4, 3, 8, Specials::NegativeZero);
    pub const E5M2: SmallFloat = SmallFloat::new(5, 2, 15, Specials::Ieee);
    pub const E5M2FNUZ: SmallFloat = SmallFloat::new(5, 2, 16, Specials::NegativeZero);
    pub const E8M0: SmallFloat = SmallFloat::new(8, 0, 127, Specials::Power);
    pub const E2M1: SmallFloat = SmallFloat::new(2, 1, 1, Specials::None);
    pub const E2M3: SmallFloat = SmallFloat::new(2, 3, 1, Specials::None);
    pub const E3M2: SmallFloat = SmallFloat::new(3, 2, 3, Specials::None);

    const fn new(exponent: u32, mantissa: u32, bias: i32, specials: Specials) -> SmallFloat {
        SmallFloat { exponent, mantissa, bias, specials }
    }

    /// Returns the number of bits below the sign.
    fn magnitude_bits(self) -> u32 {
        self.exponent + self.mantissa
    }

    /// Returns the numbers of all codes. Codes have at most 8 bits.
    pub fn numbers(self) -> [f32; 256] {
        std::array::from_fn(|code| self.number(code as u32))
    }

    fn number(self, code: u32) -> f32 {
        let mask = (1 << self.magnitude_bits()) - 1;
        let magnitude = code & mask;
        let negative = code & (mask + 1) != 0;
        let sign = if negative { -1.0 } else { 1.0 };
        let power = magnitude >> self.mantissa;
        let fraction = magnitude & ((1 << self.mantissa) - 1);
        match self.specials {
            Specials::Power if magnitude == mask => return f32::NAN,
            Specials::Power => return two_to(magnitude as i32 - self.bias),
            Specials::Ones if magnitude == mask => return f32::NAN,
            Specials::NegativeZero if negative && magnitude == 0 => return f32::NAN,
            Specials::Ieee if power + 1 == 1 << self.exponent => {
                return if fraction == 0 { sign * f32::INFINITY } else { f32::NAN };
            }
            _ => {}
        }
        // Subnormal numbers have the smallest exponent of normal numbers, and no leading one.
        let leading = if power == 0 { 0 } else { 1 << self.mantissa };
        let scale = power.max(1) as i32 - self.bias - self.mantissa as i32;
        sign * (leading + fraction) as f32 * two_to(scale)
    }

    /// Returns a function that encodes the nearest number, ties to even. Numbers beyond the range
    /// saturate, except infinities in a format that has them. The result is `None` for NaN in a
    /// format without NaN, and for zero and negative numbers in a format without a sign.
    pub fn encoder(self) -> impl Fn(f32) -> Option<u8> {
        let numbers = self.numbers();
        let sign_bit = 1 << self.magnitude_bits();
        let signed = self.specials != Specials::Power;
        let magnitudes = if signed { sign_bit } else { numbers.len() };
        // The codes of finite numbers ascend, and precede the other codes.
        let finite = numbers[..magnitudes].iter().take_while(|number| number.is_finite()).count();
        let infinity = (self.specials == Specials::Ieee).then_some(finite);
        let nan = numbers.iter().position(|number| number.is_nan());
        let negative_zero = self.specials != Specials::NegativeZero;
        move |number| {
            if number.is_nan() {
                return nan.map(|code| code as u8);
            }
            if !signed && number <= 0.0 {
                return None;
            }
            let magnitude = number.abs();
            let code = match infinity {
                Some(code) if magnitude.is_infinite() => code,
                _ => nearest(&numbers[..finite], magnitude),
            };
            let negative = number.is_sign_negative() && (code != 0 || negative_zero);
            Some((code | if negative { sign_bit } else { 0 }) as u8)
        }
    }
}

/// Returns the index of the nearest of ascending numbers, ties to even.
fn nearest(numbers: &[f32], number: f32) -> usize {
    let above = numbers.partition_point(|&other| other < number);
    let Some(&high) = numbers.get(above) else { return numbers.len() - 1 };
    let Some(&low) = above.checked_sub(1).and_then(|below| numbers.get(below)) else { return above };
    // All of these are exact in float64.
    let (low, high, number) = (f64::from(low), f64::from(high), f64::from(number));
    let (down, up) = (number - low, high - number);
    if down < up || (down == up && above % 2 == 1) { above - 1 } else { above }
}

/// Returns a power of two, including subnormal float32s.
fn two_to(exponent: i32) -> f32 {
    2f64.powi(exponent) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [(SmallFloat, usize); 8] = [
        (SmallFloat::E4M3FN, 256),
        (SmallFloat::E4M3FNUZ, 256),
        (SmallFloat::E5M2, 256),
        (SmallFloat::E5M2FNUZ, 256),
        (SmallFloat::E8M0, 256),
        (SmallFloat::E2M1, 16),
        (SmallFloat::E2M3, 64),
        (SmallFloat::E3M2, 64),
    ];

    #[test]
    fn numbers_are_those_of_the_formats() {
        let at = |format: SmallFloat, code: u32| format.number(code);
        assert_eq!([0x01, 0x08, 0x38, 0x7e, 0xb8].map(|code| at(SmallFloat::E4M3FN, code)), E4M3FN);
        assert_eq!([0x01, 0x08, 0x40, 0x7f].map(|code| at(SmallFloat::E4M3FNUZ, code)), E4M3FNUZ);
        assert_eq!([0x01, 0x3c, 0x7b, 0xfc].map(|code| at(SmallFloat::E5M2, code)), E5M2);
        assert_eq!([0x01, 0x40, 0x7f].map(|code| at(SmallFloat::E5M2FNUZ, code)), E5M2FNUZ);
        assert_eq!([0x00, 0x7f, 0xfe].map(|code| at(SmallFloat::E8M0, code)), [5.877_472e-39, 1.0, 1.701_411_8e38]);
        let e2m1: Vec<f32> = (0..16).map(|code| at(SmallFloat::E2M1, code)).collect();
        assert_eq!(e2m1[..8], [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
        assert_eq!((e2m1[9], e2m1[15]), (-0.5, -6.0));
        assert_eq!([0x01, 0x1f, 0x3f].map(|code| at(SmallFloat::E2M3, code)), [0.125, 7.5, -7.5]);
        assert_eq!([0x01, 0x1f, 0x3f].map(|code| at(SmallFloat::E3M2, code)), [0.0625, 28.0, -28.0]);
        let nans = FORMATS.map(|(format, codes)| format.numbers()[..codes].iter().filter(|n| n.is_nan()).count());
        assert_eq!(nans, [2, 1, 6, 1, 1, 0, 0, 0]);
    }

    const E4M3FN: [f32; 5] = [0.001_953_125, 0.015_625, 1.0, 448.0, -1.0];
    const E4M3FNUZ: [f32; 4] = [0.000_976_562_5, 0.007_812_5, 1.0, 240.0];
    const E5M2: [f32; 4] = [1.525_878_9e-5, 1.0, 57344.0, f32::NEG_INFINITY];
    const E5M2FNUZ: [f32; 3] = [7.629_394_5e-6, 1.0, 57344.0];

    #[test]
    fn every_number_has_its_code() {
        for (format, codes) in FORMATS {
            let encode = format.encoder();
            for (code, &number) in format.numbers()[..codes].iter().enumerate() {
                let again = encode(number).unwrap();
                let same = format.number(u32::from(again)).to_bits() == number.to_bits() && usize::from(again) == code;
                assert!(same || number.is_nan(), "{number} {code} {again}");
            }
        }
    }

    #[test]
    fn numbers_between_two_are_rounded_to_the_nearest_and_to_even() {
        let encode = SmallFloat::E2M1.encoder();
        let rounded = [0.25, 0.26, 0.75, 1.25, 2.5, 3.5, 5.0, -5.1, 1e9].map(|number| encode(number).unwrap());
        assert_eq!(rounded, [0, 1, 2, 2, 4, 6, 6, 15, 7]);
        assert_eq!(encode(f32::NAN), None);
        assert_eq!(SmallFloat::E8M0.encoder()(0.0), None);
        assert_eq!(SmallFloat::E4M3FNUZ.encoder()(-0.0), Some(0));
        assert_eq!(SmallFloat::E4M3FN.encoder()(f32::INFINITY), Some(0x7e));
    }
}
