//! Conversion between blocks and numbers, derived from the layout.

use super::{
    BlockFormat, Format, FormatVisitor,
    layout::{BlockLayout, Integers, Offset, Packing, Scale, Source, Values},
};
use crate::half::{f16_from_f32, f16_to_f32};

impl BlockFormat {
    /// Decodes whole blocks. Bytes after the last whole block, and elements of `numbers` without a
    /// block, are ignored.
    pub fn dequantize(self, blocks: &[u8], numbers: &mut [f32]) {
        self.visit(Dequantize { blocks, numbers });
    }

    /// Whether [`BlockFormat::quantize`] supports the format.
    pub const fn can_quantize(self) -> bool {
        self.layout().rounding().is_some()
    }

    /// Blocks of the nearest numbers, with the scales of `ggml-quants.c`; `None` for formats whose
    /// blocks are only read. Numbers after the last whole block are ignored. A scale beyond float16
    /// is an infinity: [`BlockFormat::holds`] excludes those.
    ///
    /// ```
    /// # use lanthorn_ir as lanthorn;
    /// use lanthorn::BlockFormat;
    /// let numbers: Vec<f32> = (0..32).map(|i| i as f32 - 16.0).collect();
    /// let blocks = BlockFormat::Q8_0.quantize(&numbers).unwrap();
    /// let mut same = [0.0; 32];
    /// BlockFormat::Q8_0.dequantize(&blocks, &mut same);
    /// assert!(numbers.iter().zip(same).all(|(a, b)| (a - b).abs() < 0.07));
    /// ```
    pub fn quantize(self, numbers: &[f32]) -> Option<Vec<u8>> {
        self.visit(Quantize { numbers })
    }

    /// Whether the scales and smallest numbers that [`BlockFormat::quantize`] would store for these
    /// numbers are numbers of the types in which it stores them. Other numbers have no blocks of
    /// the format.
    ///
    /// ```
    /// # use lanthorn_ir as lanthorn;
    /// use lanthorn::BlockFormat;
    /// assert!(BlockFormat::Q8_0.holds(&[65_504.0; 32]) && !BlockFormat::Q8_0.holds(&[1e7; 32]));
    /// assert!(!BlockFormat::Q4_1.holds(&[-70_000.0; 32]) && !BlockFormat::Q4_1.holds(&[f32::NAN; 32]));
    /// ```
    pub fn holds(self, numbers: &[f32]) -> bool {
        let layout = self.layout();
        let Some(rounding) = layout.rounding() else { return false };
        let is_stored = |number: f32| match layout.scale.source {
            Source::Float16 => f16_to_f32(f16_from_f32(number)).is_finite(),
            _ => number.is_finite(),
        };
        numbers.chunks_exact(self.elements()).all(|numbers| {
            let [scale, offset] = rounding.scale(layout, numbers);
            is_stored(scale) && is_stored(offset) && numbers.iter().all(|number| number.is_finite())
        })
    }
}

struct Dequantize<'a> {
    blocks: &'a [u8],
    numbers: &'a mut [f32],
}

impl FormatVisitor for Dequantize<'_> {
    type Output = ();

    fn visit<F: Format>(self) {
        let layout = const { F::LAYOUT };
        let blocks = self.blocks.chunks_exact(layout.bytes).zip(self.numbers.chunks_exact_mut(layout.elements));
        for (block, numbers) in blocks {
            for (part, numbers) in numbers.chunks_exact_mut(layout.sub_block).enumerate() {
                let scale = layout.scale.get(block, part);
                let offset = match &layout.offset {
                    Offset::None => 0.0,
                    Offset::Plus(offset) => offset.get(block, part),
                    Offset::Minus(offset) => -offset.get(block, part),
                };
                for (at, number) in numbers.iter_mut().enumerate() {
                    let scaled = scale * layout.integers.get(block, part * layout.sub_block + at) as f32;
                    *number = if layout.offset == Offset::None { scaled } else { scaled + offset };
                }
            }
        }
    }
}

struct Quantize<'a> {
    numbers: &'a [f32],
}

impl FormatVisitor for Quantize<'_> {
    type Output = Option<Vec<u8>>;

    fn visit<F: Format>(self) -> Option<Vec<u8>> {
        let (layout, rounding) = const { (F::LAYOUT, F::LAYOUT.rounding()) };
        let rounding = rounding?;
        let mut blocks = vec![0; self.numbers.len() / layout.elements * layout.bytes];
        let pairs = blocks.chunks_exact_mut(layout.bytes).zip(self.numbers.chunks_exact(layout.elements));
        for (block, numbers) in pairs {
            let [scale, offset] = rounding.scale(layout, numbers);
            layout.scale.put(block, scale);
            if let Offset::Plus(stored) = &layout.offset {
                stored.put(block, offset);
            }
            let inverse = if scale == 0.0 { 0.0 } else { scale.recip() };
            for (index, &number) in numbers.iter().enumerate() {
                let bits = rounding.bits(layout, number, [scale, inverse, offset]);
                layout.integers.put(block, index, bits);
            }
        }
        Some(blocks)
    }
}

impl Scale {
    /// The scale of a sub-block.
    #[inline(always)]
    fn get(&self, block: &[u8], part: usize) -> f32 {
        let number = self.source.read(&block[self.start..]);
        match &self.factors {
            Some(factors) => number * factors.get(block, part) as f32,
            None => number,
        }
    }

    /// Stores the number of the block.
    fn put(&self, block: &mut [u8], number: f32) {
        let bytes = &mut block[self.start..];
        match self.source {
            Source::Byte => bytes[0] = number as u8,
            Source::Float16 => bytes[..2].copy_from_slice(&f16_from_f32(number).to_le_bytes()),
            Source::Float32 => bytes[..4].copy_from_slice(&number.to_le_bytes()),
            Source::HalfE8m0 => bytes[0] = half_e8m0_from(number),
        }
    }
}

impl Source {
    /// The value of the first bytes.
    ///
    /// ```
    /// use lanthorn_ir::Source;
    /// assert_eq!((Source::Float16.read(&[0x00, 0x3c]), Source::HalfE8m0.read(&[127])), (1.0, 0.5));
    /// ```
    #[inline(always)]
    pub fn read(self, bytes: &[u8]) -> f32 {
        match self {
            Source::Byte => f32::from(bytes[0]),
            Source::Float16 => f16_to_f32(u16::from_le_bytes([bytes[0], bytes[1]])),
            Source::Float32 => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            Source::HalfE8m0 => half_e8m0(bytes[0]),
        }
    }
}

/// 2^(e - 128).
#[inline(always)]
fn half_e8m0(e: u8) -> f32 {
    // The first two are subnormal.
    f32::from_bits(if e < 2 { 0x20_0000 << e } else { u32::from(e - 1) << 23 })
}

/// The byte of a power of two.
fn half_e8m0_from(number: f32) -> u8 {
    let bits = number.to_bits();
    if bits >> 23 == 0 { (bits >> 22) as u8 } else { (bits >> 23) as u8 + 1 }
}

impl Integers {
    /// The integer of a number or of a sub-block.
    #[inline(always)]
    pub fn get(&self, block: &[u8], index: usize) -> i32 {
        let bits = self.packing.get(block, index);
        match self.values {
            Values::Unsigned { zero_point } => i32::from(bits) - i32::from(zero_point),
            Values::Signed => i32::from(bits as i8),
            Values::Table(table) => i32::from(table[usize::from(bits & 15)]),
        }
    }

    /// Stores the bits of an integer, where the block has zeros.
    #[inline(always)]
    fn put(&self, block: &mut [u8], index: usize, bits: u8) {
        let mut below = 0;
        for plane in self.planes() {
            let (byte, shift) = plane.locate(index);
            block[byte] |= (bits >> below & plane.mask()) << shift;
            below += plane.bits;
        }
    }

    /// The largest of the unsigned integers.
    const fn largest(&self) -> u8 {
        let (planes, mut bits, mut at) = (self.planes(), 0, 0);
        while at < planes.len() {
            bits += planes[at].bits;
            at += 1;
        }
        (0xff_u16 >> (8 - bits)) as u8
    }
}

impl Packing {
    /// The bits of an integer.
    #[inline(always)]
    fn get(self, block: &[u8], index: usize) -> u8 {
        match self {
            Packing::Planes(planes) => {
                let (mut bits, mut below) = (0, 0);
                for plane in planes {
                    let (byte, shift) = plane.locate(index);
                    bits |= (block[byte] >> shift & plane.mask()) << below;
                    below += plane.bits;
                }
                bits
            }
            Packing::SixBitScales(start) => {
                let packed = &block[start..start + 12];
                match index {
                    0..4 => packed[index] & 63,
                    _ => packed[index + 4] & 15 | packed[index - 4] >> 6 << 4,
                }
            }
            Packing::SixBitOffsets(start) => {
                let packed = &block[start..start + 12];
                match index {
                    0..4 => packed[index + 4] & 63,
                    _ => packed[index + 4] >> 4 | packed[index] >> 6 << 4,
                }
            }
        }
    }
}

/// How numbers are rounded to integers, and which scale is chosen.
#[derive(Clone, Copy)]
enum Rounding {
    /// The number of the largest magnitude is the smallest integer.
    Extreme,
    /// The smallest number is 0, and the largest one the largest integer.
    Range,
    /// The number of the largest magnitude is 127 or -127.
    Magnitude,
    /// The scale is a power of two of which the number of the largest magnitude is 4 to 8 times as
    /// much.
    Exponent,
}

impl BlockLayout {
    /// The rounding of the formats that `ggml-quants.c` quantizes without a search for the best
    /// scales.
    const fn rounding(&self) -> Option<Rounding> {
        if self.scale.factors.is_some() {
            return None;
        }
        match (self.integers.values, self.scale.source, self.offset) {
            (Values::Unsigned { .. }, Source::Float16, Offset::None) => Some(Rounding::Extreme),
            (Values::Unsigned { .. }, Source::Float16, Offset::Plus(_)) => Some(Rounding::Range),
            (Values::Signed, Source::Float16, Offset::None) => Some(Rounding::Magnitude),
            (Values::Table(_), Source::HalfE8m0, Offset::None) => Some(Rounding::Exponent),
            _ => None,
        }
    }
}

impl Rounding {
    /// The scale and the offset of a block of numbers.
    fn scale(self, layout: &BlockLayout, numbers: &[f32]) -> [f32; 2] {
        let magnitude = || numbers.iter().fold(0f32, |largest, number| largest.max(number.abs()));
        match self {
            Rounding::Extreme => {
                let farther = |extreme: f32, &number: &f32| if number.abs() > extreme.abs() { number } else { extreme };
                [-numbers.iter().fold(0f32, farther) / f32::from(layout.integers.zero_point()), 0.0]
            }
            Rounding::Range => {
                let smallest = numbers.iter().copied().fold(f32::INFINITY, f32::min);
                let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                [(largest - smallest) / f32::from(layout.integers.largest()), smallest]
            }
            Rounding::Magnitude => [magnitude() / 127.0, 0.0],
            // The largest number of e2m1 is 6, of which the exponent is 2.
            Rounding::Exponent => [half_e8m0((magnitude().to_bits() >> 23).saturating_sub(2) as u8), 0.0],
        }
    }

    /// The bits of the integer that is nearest to a number.
    #[inline(always)]
    fn bits(self, layout: &BlockLayout, number: f32, [scale, inverse, offset]: [f32; 3]) -> u8 {
        let largest = layout.integers.largest();
        match self {
            Rounding::Extreme => {
                let zero = f32::from(layout.integers.zero_point());
                ((number * inverse + (zero + 0.5)) as u8).min(largest)
            }
            Rounding::Range => (((number - offset) * inverse + 0.5) as u8).min(largest),
            Rounding::Magnitude => (number * inverse).round() as i8 as u8,
            Rounding::Exponent => {
                let Values::Table(table) = layout.integers.values else { return 0 };
                let error = |bits: &u8| (f32::from(table[usize::from(*bits)]) * scale - number).abs();
                (0..16).min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or_default()
            }
        }
    }
}
