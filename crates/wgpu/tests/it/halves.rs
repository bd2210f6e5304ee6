//! float16 and bfloat16: storage, rounding and computation.

use crate::common::*;
use lanthorn_ir::{
    Backend, DType, Kernel,
    backend::Read,
    expr::{Expr, Program, Type},
    half,
    kernel::{Contract, Epilogue, Map, Reduce, ReduceOp, Scatter, ScatterOp, Sort, identity},
};
use lanthorn_wgpu::{Options, WgpuBackend};

const HALVES: [DType; 2] = [DType::F16, DType::BF16];

fn widen(dtype: DType, bits: u16) -> f32 {
    if dtype == DType::F16 { half::f16_to_f32(bits) } else { half::bf16_to_f32(bits) }
}

fn narrow(dtype: DType, value: f32) -> u16 {
    if dtype == DType::F16 { half::f16_from_f32(value) } else { half::bf16_from_f32(value) }
}

fn map(dtypes: [DType; 2], n: usize, root: Expr) -> Kernel {
    Kernel::Map(Map {
        indices: vec![],
        shape: shape(&[n]),
        inputs: vec![operand(dtypes[0], contiguous(&[n]))],
        params: vec![],
        program: Program::new(&[root]),
        dtypes: vec![dtypes[1]],
    })
}

/// Whether a device may flush a number to zero.
fn is_flushed(value: f32) -> bool {
    value.is_subnormal()
}

#[test]
fn every_half_survives_the_device() {
    for options in [Options::default(), Options { default_limits: true, ..Options::default() }] {
        every_half_survives(&open(options));
    }
}

fn every_half_survives(backend: &WgpuBackend) {
    let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    for dtype in HALVES {
        let elements = all.len() / 2;
        let buffer = backend.allocate(backend.storage_bytes(dtype, elements)).unwrap();
        backend.upload(buffer, dtype, 0, &all).unwrap();
        let read = |offset, elements| {
            let submission = backend.submit(&[], &[Read { buffer, dtype, offset, elements }]);
            pollster::block_on(submission.reads.into_iter().next().unwrap()).unwrap()
        };
        for (got, bits) in read(0, elements).as_chunks().0.iter().zip(0..=u16::MAX) {
            let got = u16::from_le_bytes(*got);
            assert!(
                got == bits || (widen(dtype, got).is_nan() && widen(dtype, bits).is_nan()),
                "{dtype} {bits:#x}: {got:#x}"
            );
        }
        // If a word holds two elements, this range neither starts nor ends at a word.
        assert_eq!(read(5, 3), all[10..16]);
        assert_eq!(read(4, 3), all[8..14]);
        backend.free(buffer);
    }
}

#[test]
fn an_odd_number_of_halves_is_brought_whole() {
    let backend = backend();
    for dtype in HALVES {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        let doubled = map([dtype; 2], 5, Expr::input(0, Type::F32) * 2.0);
        assert_eq!(run(&backend, &doubled, &[(dtype, &values)], &[], None)[0], [2.0, 4.0, 6.0, 8.0, 10.0]);
    }
}

#[test]
fn float16_is_packed_where_shaders_do_not_have_it() {
    for options in [Options::default(), Options { default_limits: true, ..Options::default() }] {
        let backend = open(options);
        let has_f16 = backend.device().features().contains(wgpu::Features::SHADER_F16);
        let source = backend.shaders("neg", &map([DType::F16; 2], 8, -Expr::input(0, Type::F32))).unwrap().remove(0);
        assert!(source.contains(if has_f16 { "array<vec4<f16>>" } else { "array<vec2<u32>>" }), "{source}");
    }
}

#[test]
fn rounding_is_to_nearest_and_ties_to_even() {
    for options in [Options::default(), Options { default_limits: true, ..Options::default() }] {
        rounds_to_nearest(&open(options));
    }
}

fn rounds_to_nearest(backend: &WgpuBackend) {
    for dtype in HALVES {
        // Every half, the midpoint between it and the next one, and the neighbours of the midpoint.
        let mut values = Vec::new();
        for bits in 0..if dtype == DType::F16 { 0x7c00u16 } else { 0x7f80 } {
            let low = widen(dtype, bits);
            let step = if dtype == DType::F16 { 1 << 13 } else { 1 << 16 };
            let next = if bits + 1 == 0x7c00 && dtype == DType::F16 {
                f32::from_bits(low.to_bits() + step)
            } else {
                widen(dtype, bits + 1)
            };
            let middle =
                if next.is_infinite() { f32::from_bits(low.to_bits() + step / 2) } else { low + (next - low) / 2.0 };
            values.extend([
                low,
                middle,
                f32::from_bits(middle.to_bits().saturating_sub(1)),
                f32::from_bits(middle.to_bits() + 1),
            ]);
        }
        values.extend(values.iter().map(|value| -value).collect::<Vec<_>>());
        values.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-30]);
        let numbers: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
        let rounded = map([DType::F32; 2], values.len(), Expr::input(0, Type::F32).stored(dtype));
        let stored = map([DType::F32, dtype], values.len(), Expr::input(0, Type::F32));
        for (kernel, what) in [(rounded, "rounded"), (stored, "stored")] {
            let got = run(backend, &kernel, &[(DType::F32, &numbers)], &[], None).remove(0);
            for (&value, got) in values.iter().zip(got) {
                let want = widen(dtype, narrow(dtype, value));
                let same = got == f64::from(want) || (got.is_nan() && want.is_nan());
                assert!(
                    same || is_flushed(value) || is_flushed(want),
                    "{value:e} {what} as {dtype} is {got:e}, not {want:e}"
                );
            }
        }
    }
}

#[test]
fn products_and_sums_are_of_float32() {
    let backend = backend();
    for dtype in HALVES {
        let (m, n, k) = (70, 80, 90);
        // Exact in both types, but their sums are not.
        let data = |count: usize| (0..count).map(|i| ((i * 7919) % 17) as f64 - 8.0).collect::<Vec<_>>();
        let (a, b) = (data(m * k), data(k * n));
        let product = Contract::matrices(dtype, contiguous(&[m, k]), contiguous(&[k, n]));
        let wide = Contract { epilogue: Epilogue::store(Type::F32, DType::F32), ..product.clone() };
        let want: Vec<f64> = (0..m * n).map(|at| (0..k).map(|p| a[at / n * k + p] * b[p * n + at % n]).sum()).collect();
        let inputs = [(dtype, a.as_slice()), (dtype, b.as_slice())];
        assert_eq!(run(&backend, &Kernel::Contract(wide), &inputs, &[], None)[0], want, "{dtype}");
        let rounded: Vec<f64> = want.iter().map(|&sum| f64::from(widen(dtype, narrow(dtype, sum as f32)))).collect();
        assert_eq!(run(&backend, &Kernel::Contract(product), &inputs, &[], None)[0], rounded, "{dtype}");
        let sum = Reduce {
            indices: vec![],
            outer: shape(&[]),
            inner: shape(&[70_000]),
            inputs: vec![operand(dtype, contiguous(&[70_000]))],
            params: vec![],
            prologue: identity(Type::F32),
            op: ReduceOp::Sum,
            epilogue: Epilogue::store(Type::F32, DType::F32),
        };
        assert_eq!(run(&backend, &Kernel::Reduce(sum), &[(dtype, &vec![1.0; 70_000])], &[], None)[0], [7e4]);
    }
}

#[test]
fn halves_are_not_added_where_they_are_stored() {
    let backend = backend();
    let scatter = |op| {
        let point = contiguous(&[1]);
        Kernel::Scatter(Scatter {
            shape: shape(&[1]),
            dim: 0,
            dtype: DType::F16,
            op,
            source: point.clone(),
            index: point,
            output: shape(&[1]),
        })
    };
    let inputs = [(DType::F16, &[0.5][..]), (DType::I32, &[0.0])];
    assert_eq!(run(&backend, &scatter(ScatterOp::Set), &inputs, &[], Some(&[2.0]))[0], [0.5]);
    assert!(backend.compile("scatter_add", &scatter(ScatterOp::Add), &[]).is_err());
}

#[test]
fn long_rows_of_halves_are_sorted() {
    let backend = backend();
    // Several merges, between which keys take more room than float16.
    let n = 20_000;
    let values: Vec<f64> = (0..n).map(|i| f64::from((i * 7919 % 2039) as i32 - 1000)).collect();
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    for dtype in HALVES {
        let exact = |value: f64| f64::from(widen(dtype, narrow(dtype, value as f32)));
        let kernel = Kernel::Sort(Sort { dtype, source: contiguous(&[n]), dim: 0, descending: false });
        let got = run(&backend, &kernel, &[(dtype, &values)], &[], None).remove(0);
        assert!(got.iter().zip(&sorted).all(|(&got, &want)| got == exact(want)), "{dtype}");
    }
}
