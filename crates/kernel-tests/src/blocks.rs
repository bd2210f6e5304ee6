//! Blocks of quantized numbers.

use crate::{contiguous, numbers, reference, rotation, run::Inspect, run_async, shape};
use lanthorn_ir::{
    Backend, BlockFormat, DType, Kernel, Layout, Source,
    expr::{Expr, Program, Type},
    kernel::{Contract, Epilogue, Map, Operand},
};

/// Blocks of pseudo-random bytes, whose scales are finite and below 2.
pub fn blocks(format: BlockFormat, count: usize) -> Vec<u8> {
    let mut state = 7u32;
    let mut byte = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let mut blocks: Vec<u8> = (0..count * format.bytes()).map(|_| byte()).collect();
    let decoding = format.decoding();
    for block in blocks.chunks_exact_mut(format.bytes()) {
        for (source, offset) in &decoding.reads {
            let offset = super::reference::evaluate(offset, &|_| 0.0, &[], 0, &[])[0].0 as usize;
            match source {
                Source::Byte => {}
                Source::Float16 => block[offset + 1] &= 0xbf,
                Source::Float32 => block[offset + 3] &= 0xbf,
                Source::HalfE8m0 => block[offset] = block[offset] & 31 | 96,
            }
        }
    }
    blocks
}

/// The numbers of blocks.
pub fn decode(format: BlockFormat, blocks: &[u8]) -> Vec<f64> {
    let mut decoded = vec![0f32; blocks.len() / format.bytes() * format.elements()];
    format.dequantize(blocks, &mut decoded);
    decoded.into_iter().map(f64::from).collect()
}

/// An operand of blocks.
fn operand(format: BlockFormat, layout: Layout) -> Operand {
    Operand::new(format, layout)
}

/// Runs a kernel over blocks, and compares it with the reference over their decoded numbers.
/// `blocks` is the index of the input with blocks.
async fn check(
    backend: &dyn Backend,
    inspect: Inspect<'_>,
    kernel: &Kernel,
    at: usize,
    blocks: &[u8],
    others: &[Vec<f64>],
) {
    inspect(kernel);
    let format = kernel.operands()[at].encoding.format().expect("an operand in blocks");
    let decoded = decode(format, blocks);
    let bytes: Vec<f64> = blocks.iter().map(|&byte| f64::from(byte)).collect();
    let mut given: Vec<(DType, &[f64])> = others.iter().map(|numbers| (DType::F32, &numbers[..])).collect();
    let mut plain: Vec<&[f64]> = others.iter().map(Vec::as_slice).collect();
    given.insert(at, (DType::U8, &bytes));
    plain.insert(at, &decoded);
    let expected = reference::outputs(kernel, &plain, &[]);
    // The tolerance of a sum is proportional to the sum of the magnitudes.
    let magnitudes: Vec<Vec<f64>> =
        plain.iter().map(|numbers| numbers.iter().map(|number| number.abs()).collect()).collect();
    let magnitudes = reference::outputs(kernel, &magnitudes.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[]);
    let found = run_async(backend, kernel, &given, &[], None).await;
    for ((found, expected), magnitudes) in found.iter().zip(&expected).zip(&magnitudes) {
        for ((&found, &expected), &magnitude) in found.iter().zip(expected).zip(magnitudes) {
            let same = found == expected || (found.is_nan() && expected.is_nan());
            assert!(
                same || (found - expected).abs() <= 2e-5 * magnitude,
                "{format}: got {found}, want {expected} of {magnitude}"
            );
        }
    }
}

/// The formats that a run checks: on the CPU all, elsewhere one in three by rotation.
fn formats(backend: &dyn Backend) -> impl Iterator<Item = BlockFormat> {
    let is_cpu = backend.capabilities().name == "cpu";
    let is_taken = move |index| is_cpu || rotation::takes(index, 3);
    BlockFormat::ALL.into_iter().enumerate().filter(move |&(index, _)| is_taken(index)).map(|(_, format)| format)
}

/// The product of one or several rows with a block-quantized matrix, on either side.
pub fn products(backend: &dyn Backend, inspect: Inspect) {
    pollster::block_on(products_async(backend, inspect));
}

/// [`products`] for a page, in which the thread cannot wait.
pub async fn products_async(backend: &dyn Backend, inspect: Inspect<'_>) {
    for format in formats(backend) {
        let (rows, depth) = (37, format.elements() * if format.elements() == 32 { 5 } else { 2 });
        let blocks = blocks(format, rows * depth / format.elements());
        let matrix = Layout::contiguous(shape(&[rows, depth]));
        for m in [1, 2, 7, 40] {
            // The rows of the matrix are the columns of the result, as in a linear layer.
            let linear = Contract {
                b: operand(format, matrix.permute(&[1, 0])),
                ..Contract::matrices(DType::F32, contiguous(&[m, depth]), contiguous(&[depth, rows]))
            };
            check(backend, inspect, &Kernel::Contract(linear), 1, &blocks, &[numbers(m * depth, 3, 1.0)]).await;
            // Its gradient.
            let back = Contract {
                b: operand(format, matrix.clone()),
                ..Contract::matrices(DType::F32, contiguous(&[m, rows]), contiguous(&[rows, depth]))
            };
            check(backend, inspect, &Kernel::Contract(back), 1, &blocks, &[numbers(m * rows, 5, 1.0)]).await;
        }
        // A matrix times a vector, some rows of it, and with an epilogue.
        let slice = Layout::new(shape(&[rows - 4, depth]), [depth as isize, 1], 3 * depth);
        let x = Expr::input(0, Type::F32);
        let column = Contract {
            a: operand(format, slice),
            epilogue: Epilogue { inputs: vec![], program: Program::new(&[x.max(0.0)]), dtypes: vec![DType::F32] },
            ..Contract::matrices(DType::F32, contiguous(&[rows - 4, depth]), contiguous(&[depth, 1]))
        };
        check(backend, inspect, &Kernel::Contract(column.clone()), 0, &blocks, &[numbers(depth, 7, 1.0)]).await;
        // Numbers of very different sizes, zeros, infinities and NaN.
        let mut x = numbers(depth, 7, 1.0);
        x.iter_mut().enumerate().for_each(|(at, x)| *x *= [1e-6, 1.0, 1e6, 0.0][at / 16 % 4]);
        check(backend, inspect, &Kernel::Contract(column.clone()), 0, &blocks, &[x.clone()]).await;
        x[5] = f64::INFINITY;
        check(backend, inspect, &Kernel::Contract(column), 0, &blocks, &[x]).await;
    }
}

/// Maps over blocks: all numbers, a transposed view, and with another operand.
pub fn maps(backend: &dyn Backend, inspect: Inspect) {
    pollster::block_on(maps_async(backend, inspect));
}

/// [`maps`] for a page, in which the thread cannot wait.
pub async fn maps_async(backend: &dyn Backend, inspect: Inspect<'_>) {
    for format in formats(backend) {
        let (rows, depth) = (6, format.elements() * 2);
        let blocks = blocks(format, rows * 2);
        let matrix = Layout::contiguous(shape(&[rows, depth]));
        let x = Expr::input(0, Type::F32);
        let map = |layout: Layout, others: Vec<Operand>, result: Expr| {
            Kernel::Map(Map {
                shape: layout.shape().clone(),
                inputs: std::iter::once(operand(format, layout)).chain(others).collect(),
                indices: vec![],
                params: vec![],
                program: Program::new(&[result]),
                dtypes: vec![DType::F32],
            })
        };
        check(backend, inspect, &map(matrix.clone(), vec![], x.clone()), 0, &blocks, &[]).await;
        check(backend, inspect, &map(matrix.permute(&[1, 0]), vec![], x.clone()), 0, &blocks, &[]).await;
        let part = Layout::new(shape(&[rows - 1, depth / 2]), [depth as isize, 2], depth + 1);
        let other = Operand::new(DType::F32, contiguous(&[rows - 1, depth / 2]));
        let sum = x + Expr::input(1, Type::F32);
        check(backend, inspect, &map(part, vec![other], sum), 0, &blocks, &[numbers((rows - 1) * depth / 2, 3, 1.0)])
            .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::evaluate;

    /// A number, by the expressions of the format.
    fn number(format: BlockFormat, block: &[u8], index: usize) -> f32 {
        let decoding = format.decoding();
        let read = |(source, offset): &(Source, _)| {
            let offset = evaluate(offset, &|_| 0.0, &[], index, &[])[0].0 as usize;
            f64::from(source.read(&block[offset..]))
        };
        let read: Vec<f64> = decoding.reads.iter().map(read).collect();
        evaluate(&decoding.value, &|slot| read[slot], &[], index, &[])[0].0 as f32
    }

    #[test]
    fn expressions_decode_as_the_host_does() {
        for format in BlockFormat::ALL {
            let blocks = blocks(format, 5);
            let mut numbers = vec![0.0; 5 * format.elements()];
            format.dequantize(&blocks, &mut numbers);
            assert!(numbers.iter().all(|number| number.is_finite()) && numbers.iter().any(|&number| number != 0.0));
            for (at, &expected) in numbers.iter().enumerate() {
                let (block, index) = (at / format.elements() * format.bytes(), at % format.elements());
                let found = number(format, &blocks[block..][..format.bytes()], index);
                assert_eq!(found.to_bits(), expected.to_bits(), "{format}: number {at}");
            }
        }
    }

    #[test]
    fn quantized_numbers_are_the_nearest() {
        for format in BlockFormat::ALL.into_iter().filter(|format| format.can_quantize()) {
            let numbers: Vec<f32> = (0..384).map(|i| ((i * 37 % 97) as f32 - 48.0) * 0.03).collect();
            let blocks = format.quantize(&numbers).unwrap();
            assert_eq!(blocks.len(), format.bytes_of(384));
            let mut back = vec![0.0; 384];
            format.dequantize(&blocks, &mut back);
            let step = match format {
                BlockFormat::Q8_0 => 1.5 / 127.0,
                BlockFormat::Q5_0 | BlockFormat::Q5_1 => 3.0 / 31.0,
                // For numbers up to 1.44, adjacent values of e2m1 are 1 and 1.5.
                BlockFormat::MXFP4 => 0.25,
                _ => 3.0 / 15.0,
            };
            // The largest magnitudes of the two signs differ by one integer.
            assert!(numbers.iter().zip(&back).all(|(a, b)| (a - b).abs() <= step), "{format}");
        }
        assert!(
            BlockFormat::ALL
                .iter()
                .filter(|format| !format.can_quantize())
                .all(|format| format.quantize(&[0.5; 256]).is_none())
        );
    }
}
