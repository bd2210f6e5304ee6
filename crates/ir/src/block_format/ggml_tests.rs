//! The formats compared with `dequantize_row_*` of ggml's `ggml-quants.c`, rewritten block by block
//! from the structures of `ggml-common.h`, without the layouts from which the crate derives its
//! code.

use super::BlockFormat;
use crate::half::f16_to_f32;

fn f16(bytes: &[u8]) -> f32 {
    f16_to_f32(u16::from_le_bytes([bytes[0], bytes[1]]))
}

/// `kvalues_iq4nl`.
const IQ4_NL: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
/// `kvalues_mxfp4`.
const MXFP4: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// The numbers of a block.
fn dequantize(format: BlockFormat, block: &[u8]) -> Vec<f32> {
    let mut numbers = vec![];
    let mut put = |number: f32| numbers.push(number);
    match format {
        BlockFormat::Q4_0 => short(&mut put, block, None, &block[2..]),
        BlockFormat::Q4_1 => short_with_offset(&mut put, block, None, &block[4..]),
        BlockFormat::Q4_1_128 => {
            block[4..].chunks_exact(16).for_each(|low| short_with_offset(&mut put, block, None, low));
        }
        BlockFormat::Q5_0 => short(&mut put, block, Some(&block[2..6]), &block[6..]),
        BlockFormat::Q5_1 => short_with_offset(&mut put, block, Some(&block[4..8]), &block[8..]),
        BlockFormat::Q8_0 => signed_bytes(&mut put, f16(block), &block[2..]),
        BlockFormat::Q2_K => q2_k(&mut put, block),
        BlockFormat::Q3_K => q3_k(&mut put, block),
        BlockFormat::Q4_K => k_with_offset(&mut put, block, None, &block[16..]),
        BlockFormat::Q5_K => k_with_offset(&mut put, block, Some(&block[16..48]), &block[48..]),
        BlockFormat::Q6_K => q6_k(&mut put, block),
        BlockFormat::Q8_K => {
            let scale = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
            signed_bytes(&mut put, scale, &block[4..4 + 256]);
        }
        BlockFormat::IQ4_NL => from_table(&mut put, f16(block), &IQ4_NL, &block[2..]),
        BlockFormat::IQ4_XS => {
            let (scale, high) = (f16(block), u16::from_le_bytes([block[2], block[3]]));
            for part in 0..8 {
                let low = block[4 + part / 2] >> (4 * (part % 2)) & 15;
                let part_scale = i32::from(low) | i32::from(high >> (2 * part) & 3) << 4;
                from_table(&mut put, scale * (part_scale - 32) as f32, &IQ4_NL, &block[8 + 16 * part..][..16]);
            }
        }
        BlockFormat::MXFP4 => from_table(&mut put, 2f64.powi(i32::from(block[0]) - 128) as f32, &MXFP4, &block[1..]),
    }
    numbers
}

/// The entries of a table: the lower halves of 16 bytes, then the upper ones.
fn from_table(put: &mut impl FnMut(f32), scale: f32, table: &[i8; 16], bytes: &[u8]) {
    bytes.iter().for_each(|byte| put(scale * f32::from(table[usize::from(byte & 15)])));
    bytes.iter().for_each(|byte| put(scale * f32::from(table[usize::from(byte >> 4)])));
}

/// Number `element` of 32: four low bits (the second half of the elements is in the upper half of
/// each byte), and the fifth bit from a bit field.
fn short_number(element: usize, fifth: Option<&[u8]>, low: &[u8]) -> i32 {
    let high = fifth.map_or(0, |bits| (bits[element / 8] >> (element % 8)) & 1);
    i32::from((low[element % 16] >> (element / 16 * 4)) & 15 | high << 4)
}

fn short(put: &mut impl FnMut(f32), block: &[u8], fifth: Option<&[u8]>, low: &[u8]) {
    let (scale, middle) = (f16(block), if fifth.is_some() { 16 } else { 8 });
    (0..32).for_each(|element| put(scale * (short_number(element, fifth, low) - middle) as f32));
}

fn short_with_offset(put: &mut impl FnMut(f32), block: &[u8], fifth: Option<&[u8]>, low: &[u8]) {
    let (scale, offset) = (f16(block), f16(&block[2..]));
    (0..32).for_each(|element| put(scale * short_number(element, fifth, low) as f32 + offset));
}

fn signed_bytes(put: &mut impl FnMut(f32), scale: f32, numbers: &[u8]) {
    numbers.iter().for_each(|&number| put(scale * f32::from(number as i8)));
}

/// Number `element` of 256, two bits each: every 128 elements have 32 bytes, whose bit pairs belong
/// to elements 32 apart.
fn two_bits(element: usize, bytes: &[u8]) -> u8 {
    (bytes[element / 128 * 32 + element % 32] >> (element % 128 / 32 * 2)) & 3
}

fn q2_k(put: &mut impl FnMut(f32), block: &[u8]) {
    let (scales, numbers) = (&block[..16], &block[16..80]);
    let (scale, offset) = (f16(&block[80..]), f16(&block[82..]));
    for element in 0..256 {
        let part = scales[element / 16];
        let (scale, offset) = (scale * f32::from(part & 15), offset * f32::from(part >> 4));
        put(scale * f32::from(two_bits(element, numbers)) - offset);
    }
}

fn q3_k(put: &mut impl FnMut(f32), block: &[u8]) {
    let (mask, numbers, scales) = (&block[..32], &block[32..96], &block[96..108]);
    let scale = f16(&block[108..]);
    // Sixteen scales: four low bits in the first 8 bytes, two high bits in the last 4.
    let part = |part: usize| {
        let (low, high) = (scales[part % 8] >> (part / 8 * 4), scales[8 + part % 4] >> (part / 4 * 2));
        scale * f32::from((low & 15 | (high & 3) << 4) as i8 - 32)
    };
    for element in 0..256 {
        let third = (mask[element % 32] >> (element / 32)) & 1;
        let number = two_bits(element, numbers) as i8 - if third == 1 { 0 } else { 4 };
        put(part(element / 16) * f32::from(number));
    }
}

/// Q4_K and Q5_K: eight parts of 32 with a scale and an offset of 6 bits each, packed in 12 bytes.
fn k_with_offset(put: &mut impl FnMut(f32), block: &[u8], fifth: Option<&[u8]>, low: &[u8]) {
    let (scale, offset, packed) = (f16(block), f16(&block[2..]), &block[4..16]);
    for part in 0..8 {
        let (part_scale, part_offset) = if part < 4 {
            (packed[part] & 63, packed[part + 4] & 63)
        } else {
            let shared = packed[part + 4];
            (shared & 15 | (packed[part - 4] >> 6) << 4, shared >> 4 | (packed[part] >> 6) << 4)
        };
        let (scale, offset) = (scale * f32::from(part_scale), offset * f32::from(part_offset));
        for element in 0..32 {
            let number = (low[part / 2 * 32 + element] >> (part % 2 * 4)) & 15;
            let high = fifth.map_or(0, |bits| (bits[element] >> part) & 1);
            put(scale * f32::from(number | high << 4) - offset);
        }
    }
}

fn q6_k(put: &mut impl FnMut(f32), block: &[u8]) {
    let (low, high, scales) = (&block[..128], &block[128..192], &block[192..208]);
    let scale = f16(&block[208..]);
    for element in 0..256 {
        let number = (low[element / 128 * 64 + element % 64] >> (element % 128 / 64 * 4)) & 15;
        let number = (number | two_bits(element, high) << 4) as i8 - 32;
        put(scale * f32::from(scales[element / 16] as i8) * f32::from(number));
    }
}

/// Pseudo-random blocks, of which no float16 is an infinity or NaN.
fn blocks(format: BlockFormat, count: usize) -> Vec<u8> {
    (0..format.bytes() * count).map(|at: usize| (at.wrapping_mul(0x9e37_79b1) >> 7) as u8 & 0xbf).collect()
}

#[test]
fn every_format_is_decoded_as_ggml_decodes_it() {
    for format in BlockFormat::ALL {
        let blocks = blocks(format, 9);
        let expected: Vec<f32> =
            blocks.chunks_exact(format.bytes()).flat_map(|block| dequantize(format, block)).collect();
        let mut found = vec![0.0; 9 * format.elements()];
        format.dequantize(&blocks, &mut found);
        assert!(expected.iter().any(|&number| number != 0.0) && expected.iter().all(|number| number.is_finite()));
        let differs = found.iter().zip(&expected).position(|(a, b)| a.to_bits() != b.to_bits());
        assert_eq!((found.len(), differs), (expected.len(), None), "{format}");
    }
}

#[test]
fn blocks_of_powers_of_two_have_the_numbers_of_ocp() {
    // Every e2m1 number once, times 2^(130 - 127), and twice that with the next exponent.
    let e2m1 = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
    let mut block = [0u8; 17];
    (0..16).for_each(|at| block[1 + at] = at as u8 | (15 - at as u8) << 4);
    for (exponent, scale) in [(130u8, 8.0), (131, 16.0), (1, 2f32.powi(-126)), (0, 2f32.powi(-127))] {
        block[0] = exponent;
        let mut found = [0.0; 32];
        BlockFormat::MXFP4.dequantize(&block, &mut found);
        for (at, number) in found.iter().enumerate() {
            let code = if at < 16 { at } else { 31 - at };
            let expected = scale * e2m1[code % 8] * if code < 8 { 1.0 } else { -1.0 };
            assert_eq!(*number, expected, "number {at} with the exponent {exponent}");
        }
    }
}

#[test]
fn sub_blocks_of_iq4_xs_have_their_scales() {
    // The scale is 0.5. Sub-block 0 has 1 of 63 above 32, and sub-block 7 is 0, which represents
    // -32.
    let mut block = [0u8; 136];
    block[..2].copy_from_slice(&[0x00, 0x38]);
    (block[2], block[4]) = (0b10, 0b0001);
    block[8] = 0x0f;
    block[135] = 0x80;
    let mut found = [0.0; 256];
    BlockFormat::IQ4_XS.dequantize(&block, &mut found);
    assert_eq!((found[0], found[16]), (0.5 * 113.0, 0.5 * -127.0));
    assert_eq!((found[255], found[254]), (-16.0, -16.0 * -127.0));
}

#[test]
fn numbers_of_a_format_are_stored_as_they_are() {
    for format in BlockFormat::ALL.into_iter().filter(|format| format.can_quantize()) {
        // Blocks of these numbers have the largest and the smallest integers, so the same scale is
        // chosen again.
        let mut blocks = blocks(format, 4);
        for block in blocks.chunks_exact_mut(format.bytes()) {
            let first = format.bytes() - format.elements() / if format == BlockFormat::Q8_0 { 1 } else { 2 };
            block[..first].fill(0);
            block[1] = 0x30;
            match format {
                BlockFormat::Q8_0 => {
                    block[2..].iter_mut().for_each(|integer| *integer &= 127);
                    block[2..4].copy_from_slice(&[127, 0x81]);
                }
                BlockFormat::MXFP4 => (block[0], block[1]) = (120, 0x17),
                _ => block[first] = 0x0f,
            }
            if matches!(format, BlockFormat::Q5_0 | BlockFormat::Q5_1) {
                block[first - 4] = 1;
            }
        }
        let mut numbers = vec![0.0; 4 * format.elements()];
        format.dequantize(&blocks, &mut numbers);
        let again = format.quantize(&numbers).unwrap();
        let mut back = vec![0.0; numbers.len()];
        format.dequantize(&again, &mut back);
        assert_eq!(back, numbers, "{format}");
    }
    assert!(BlockFormat::MXFP4.holds(&[f32::MAX; 32]) && !BlockFormat::MXFP4.holds(&[f32::NAN; 32]));
    assert_eq!(BlockFormat::MXFP4.quantize(&[0.0; 32]).unwrap(), [0; 17]);
}
