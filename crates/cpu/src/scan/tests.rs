//! Scans compared with the reference.

use crate::test_util::*;
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::{Expr, Program, Type},
    kernel::{self, ScanOp, identity},
};
use lanthorn_kernel_tests::{from_bytes, reference};
use proptest::prelude::*;

const OPS: [ScanOp; 4] = [ScanOp::Sum, ScanOp::Prod, ScanOp::Max, ScanOp::Min];

fn plain(op: ScanOp, dtype: DType, layout: &Layout, dim: usize, reverse: bool) -> Kernel {
    Kernel::Scan(kernel::Scan {
        indices: vec![],
        shape: layout.shape().clone(),
        dim,
        reverse,
        inputs: vec![operand(dtype, layout)],
        params: vec![],
        prologue: identity(dtype.into()),
        op,
        dtype,
    })
}

/// For each row along `dim`, the numbers of its elements in row-major order, in the order of the
/// scan.
fn rows(shape: &[usize], dim: usize, reverse: bool) -> Vec<Vec<usize>> {
    let (length, after) = (shape[dim], shape[dim + 1..].iter().product::<usize>());
    let before: usize = shape[..dim].iter().product();
    let row = |start: usize| {
        let mut row: Vec<usize> = (0..length).map(|j| start + j * after).collect();
        if reverse {
            row.reverse();
        }
        row
    };
    (0..before * after).map(|o| row(o / after * length * after + o % after)).collect()
}

fn check(op: ScanOp, layout: &Layout, dim: usize, reverse: bool, data: &[f32]) {
    let shape = layout.shape();
    let kernel = plain(op, DType::F32, layout, dim, reverse);
    let results = run(&kernel, &[bytes(data)], &[]).unwrap();
    let wide: Vec<f64> = data.iter().copied().map(f64::from).collect();
    let expected = reference::outputs(&kernel, &[&wide], &[]);
    for (at, (got, want)) in read::<f32>(&results[0]).into_iter().zip(&expected[0]).enumerate() {
        let close = got == *want as f32 || (got.is_nan() && want.is_nan());
        assert!(close, "{op:?} {shape:?} {dim} at {at}: {got} and not {want}");
    }
    assert_eq!(results.len(), expected.len());
    for (got, want) in results.iter().zip(&expected).skip(1) {
        assert_eq!(from_bytes(DType::I32, got), *want, "{op:?} {shape:?} {dim}");
    }
}

proptest! {
    #[test]
    fn agrees_with_a_plain_loop(
        (layout, dim) in prop::collection::vec(prop_oneof![6 => 1usize..7, 1 => Just(0usize), 1 => 30usize..50], 1..4)
            .prop_flat_map(|dims| { let rank = dims.len(); (layout_of(dims), 0..rank) }),
        seed in any::<u32>(),
        reverse in any::<bool>(),
        nan in prop::bool::weighted(0.3),
    ) {
        let mut data: Vec<f32> = (0..extent(&layout)).map(|i| ((i as u32).wrapping_mul(seed | 1) >> 7) as f32 % 5.0 - 2.0).collect();
        if nan && !data.is_empty() {
            let at = seed as usize % data.len();
            data[at] = f32::NAN;
        }
        for op in OPS {
            check(op, &layout, dim, reverse, &data);
        }
    }
}

#[test]
fn long_rows_many_rows_and_wide_lines() {
    for dims in [&[3, 5000][..], &[5000, 3], &[2, 700, 5], &[3, 40, 1500], &[1024, 1], &[100_000, 7], &[1_000_000]] {
        let layout = dense(dims);
        let data: Vec<f32> = (0..extent(&layout)).map(|i| ((i * 7919) % 13) as f32).collect();
        for (dim, reverse) in (0..dims.len()).flat_map(|dim| [(dim, false), (dim, true)]) {
            for op in [ScanOp::Sum, ScanOp::Max, ScanOp::Min] {
                check(op, &layout, dim, reverse, &data);
            }
        }
    }
}

#[test]
fn twenty_million_ones_count_to_twenty_million() {
    let n = 20_000_000;
    let kernel = plain(ScanOp::Sum, DType::F32, &dense(&[n]), 0, false);
    let sums = read::<f32>(&run(&kernel, &[bytes(&vec![1f32; n])], &[]).unwrap()[0]);
    assert!((0..n).step_by(997).all(|i| sums[i] == (i + 1) as f32), "{}", sums[n - 1]);
}

#[test]
fn integers_wrap_and_bools_have_extremes() {
    let layout = dense(&[3]);
    let integers = bytes(&[i32::MAX, 2, 3]);
    let [sums, products] = [ScanOp::Sum, ScanOp::Prod].map(|op| {
        read::<i32>(&run(&plain(op, DType::I32, &layout, 0, false), std::slice::from_ref(&integers), &[]).unwrap()[0])
    });
    assert_eq!(sums, [i32::MAX, i32::MIN + 1, i32::MIN + 4]);
    assert_eq!(products, [i32::MAX, -2, -6]);
    let largest = run(&plain(ScanOp::Max, DType::Bool, &layout, 0, false), &[vec![0, 1, 0]], &[]).unwrap();
    assert_eq!(largest[0], [0, 1, 1]);
    assert_eq!(read::<i32>(&largest[1]), [0, 1, 1]);
}

#[test]
fn a_recurrence_with_a_prologue() {
    // y[j] = x[j] / 2 * y[j - 1] + index, in either direction.
    let layout = dense(&[2, 700]);
    let x = Expr::input(0, Type::F32);
    let data: Vec<f32> = (0..1400).map(|i| (i % 7) as f32 / 4.0).collect();
    for (dim, reverse) in [(0, false), (1, false), (1, true)] {
        let kernel = Kernel::Scan(kernel::Scan {
            indices: vec![],
            shape: Shape::from_dims([2, 700]),
            dim,
            reverse,
            inputs: vec![operand(DType::F32, &layout)],
            params: vec![],
            prologue: Program::new(&[&x * 0.5, Expr::index().cast(Type::F32)]),
            op: ScanOp::Recurrence,
            dtype: DType::F32,
        });
        let values = read::<f32>(&run(&kernel, &[bytes(&data)], &[]).unwrap()[0]);
        for row in rows(&[2, 700], dim, reverse) {
            let mut y = 0.0;
            for at in row {
                y = f64::from(data[at]) * 0.5 * y + at as f64;
                assert!((f64::from(values[at]) - y).abs() <= 1e-6 * y.abs(), "{at}: {} and not {y}", values[at]);
            }
        }
    }
    // The factor of the first element has no effect, because no element precedes it.
    let one = Kernel::Scan(kernel::Scan {
        indices: vec![],
        shape: Shape::from_dims([1]),
        dim: 0,
        reverse: false,
        inputs: vec![operand(DType::F32, &dense(&[1]))],
        params: vec![],
        prologue: Program::new(&[x.clone(), Expr::constant(3.0, Type::F32)]),
        op: ScanOp::Recurrence,
        dtype: DType::F32,
    });
    assert_eq!(read::<f32>(&run(&one, &[bytes(&[f32::NAN])], &[]).unwrap()[0]), [3.0]);
}
