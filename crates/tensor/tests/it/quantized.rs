//! Block-quantized weights: products read the blocks, whatever the size, and gradients go through.

use crate::common::*;
use pollster::block_on;

use BlockFormat::{Q4_0, Q4_1, Q4_1_128, Q5_0, Q5_1, Q8_0};

const FORMATS: [BlockFormat; 5] = [Q4_0, Q4_1, Q5_0, Q5_1, Q8_0];

fn waves(shape: &[i64]) -> Tensor {
    let count = shape.iter().product::<i64>();
    tensor(&(0..count).map(|i| (i as f32 * 0.37).sin()).collect::<Vec<f32>>(), shape)
}

/// The values of a result, and the launches that it took.
fn launch(device: &Device, work: impl Fn() -> Result<Tensor>) -> (Vec<f32>, u64) {
    device.flush();
    let before = device.inspect().stats().launches;
    let values = read(&work().unwrap());
    (values, device.inspect().stats().launches - before)
}

fn close(found: &[f32], expected: &[f32]) {
    let largest = expected.iter().fold(1f32, |largest, value| largest.max(value.abs()));
    found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() <= 3e-5 * largest, "{a}, expected {b}"));
}

/// A function of the numbers of blocks.
type Case<'a> = &'a dyn Fn(&Tensor) -> Result<Tensor>;

#[test]
fn products_read_blocks() {
    let device = device();
    for (format, depth) in FORMATS.map(|format| (format, 64)).into_iter().chain([(Q4_1_128, 256)]) {
        let blocks = block_on(waves(&[48, depth]).quantize(format)).unwrap();
        let weight = blocks.dequantize(format).unwrap();
        let _ = read(&weight);
        for rows in [1, 3, 20] {
            let x = waves(&[rows, depth]);
            let (found, launches) = launch(&device, || x.linear(&blocks.dequantize(format)?, None::<&Tensor>));
            assert_eq!(launches, 1, "{format}, {rows} rows");
            close(&found, &read(&x.linear(&weight, None::<&Tensor>).unwrap()));
        }
        // A part of the rows, and the other orientation.
        let part = blocks.narrow(0, 8, 16).unwrap();
        let (found, launches) = launch(&device, || waves(&[1, 16]).matmul(&part.dequantize(format)?));
        assert_eq!(launches, 1);
        close(&found, &read(&waves(&[1, 16]).matmul(&weight.narrow(0, 8, 16).unwrap()).unwrap()));
    }
}

#[test]
fn gradients_go_through_frozen_blocks() {
    let device = device();
    let blocks = block_on(waves(&[32, 64]).quantize(BlockFormat::Q4_0)).unwrap();
    let weight = blocks.dequantize(BlockFormat::Q4_0).unwrap();
    let gradient = |weight: &dyn Fn() -> Result<Tensor>| {
        let x = waves(&[4, 64]).requires_grad_(true).unwrap();
        x.linear(&weight().unwrap(), None::<&Tensor>)
            .unwrap()
            .square()
            .unwrap()
            .sum((), false)
            .unwrap()
            .backward()
            .unwrap();
        grad_of(&x)
    };
    device.flush();
    let before = device.inspect().stats().launches;
    let found = gradient(&|| blocks.dequantize(BlockFormat::Q4_0));
    let launches = device.inspect().stats().launches - before;
    close(&found, &gradient(&|| Ok(weight.clone())));
    assert!(launches <= 3, "{launches} launches: the product, its square's derivative and the gradient");
}

#[test]
fn rows_of_blocks_are_picked_as_bytes() {
    let _device = device();
    let blocks = block_on(waves(&[10, 32]).quantize(BlockFormat::Q8_0)).unwrap();
    let picked = blocks.index_select(0, &ints(&[7, 2], &[2])).unwrap().dequantize(BlockFormat::Q8_0).unwrap();
    let whole = blocks.dequantize(BlockFormat::Q8_0).unwrap().index_select(0, &ints(&[7, 2], &[2])).unwrap();
    assert_eq!(read(&picked), read(&whole));
}

/// Blocks in every kernel that fusion can move them to: an epilogue, a prologue, a reduction, a
/// scan. And blocks that the same plan computes, which have to be in memory.
#[test]
fn fused_kernels_read_blocks() {
    let device = device();
    let blocks = block_on(waves(&[32, 64]).quantize(BlockFormat::Q4_1)).unwrap();
    let plain = blocks.dequantize(BlockFormat::Q4_1).unwrap();
    let _ = read(&plain);
    let (x, y) = (waves(&[32, 16]), waves(&[16, 64]));
    let cases: [(&str, Case); 7] = [
        ("epilogue", &|w| x.matmul(&y)?.add(w)),
        ("prologue", &|w| waves(&[16, 32]).matmul(&w.mul(waves(&[32, 64]))?)),
        ("reduction", &|w| w.mul(2.0)?.sum(1, false)),
        ("softmax", &|w| w.softmax(-1)),
        ("scan", &|w| w.cumsum(1)),
        ("transposed", &|w| w.t()?.add(1.0)),
        ("product of both", &|w| w.matmul(&w.t()?)),
    ];
    for (name, case) in cases {
        let expected = read(&case(&plain).unwrap());
        device.flush();
        let found = read(&case(&blocks.dequantize(BlockFormat::Q4_1).unwrap()).unwrap());
        eprintln!("{name}");
        close(&found, &expected);
        // Rows that are picked, joined or copied just before.
        let moved = Tensor::cat(&[blocks.narrow(0, 16, 16).unwrap(), blocks.narrow(0, 0, 16).unwrap()], 0).unwrap();
        let same = Tensor::cat(&[plain.narrow(0, 16, 16).unwrap(), plain.narrow(0, 0, 16).unwrap()], 0).unwrap();
        close(&read(&case(&moved.dequantize(BlockFormat::Q4_1).unwrap()).unwrap()), &read(&case(&same).unwrap()));
        let bytes = blocks.add(0).unwrap().to(DType::U8).unwrap();
        close(&read(&case(&bytes.dequantize(BlockFormat::Q4_1).unwrap()).unwrap()), &expected);
    }
}

#[test]
fn what_is_no_block_is_refused() {
    let _device = device();
    let bytes = waves(&[2, 34]).to(DType::U8).unwrap();
    refused(waves(&[2, 34]).dequantize(BlockFormat::Q8_0), "dtype", &["dequantize", "uint8", "float32"]);
    refused(bytes.dequantize(BlockFormat::Q4_0), "shape", &["dequantize", "[2, 34]", "18 bytes"]);
    refused(call("dequantize", &[bytes.clone().into(), text("q9")]), "argument", &["\"q9\"", "\"q4_0\", \"q4_1\""]);
    refused(block_on(bytes.quantize(BlockFormat::Q8_0)), "dtype", &["quantize", "uint8"]);
    refused(block_on(waves(&[2, 34]).quantize(BlockFormat::Q8_0)), "shape", &["[2, 34]", "32 numbers"]);
    refused(block_on(waves(&[256]).quantize(BlockFormat::Q4_K)), "argument", &["q4_k", "not made"]);
    // A scale is the largest number divided by 8, 16 or 127, or the difference of the ends by 15 or
    // 31.
    for (format, most) in [(Q4_0, 520_000.0), (Q5_0, 1_040_000.0), (Q8_0, 8_300_000.0), (Q4_1, 65_504.0)] {
        let numbers = |most: f64| waves(&[32]).sign().unwrap().mul(most).unwrap();
        assert!(block_on(numbers(most).quantize(format)).is_ok(), "{format}");
        refused(
            block_on(numbers(most * 1.01).quantize(format)),
            "limit",
            &["quantize", "beyond float16", format.name()],
        );
    }
    refused(block_on(tensor(&[f32::NAN; 32], &[32]).quantize(BlockFormat::Q8_0)), "argument", &["element 0 is NaN"]);
    refused(tensor(&[1.0], &[]).to(DType::U8).unwrap().dequantize(BlockFormat::Q8_0), "shape", &["[]"]);
}
