//! Reductions compared with naive ones.

use crate::test_util::*;
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::{Constant, Expr, Program, Type},
    kernel::{self, Epilogue, ReduceOp, identity},
};
use lanthorn_kernel_tests::{from_bytes, reference};
use proptest::prelude::*;

const OPS: [ReduceOp; 6] =
    [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::ArgMax, ReduceOp::ArgMin];

/// A reduction of the last `inner` dimensions without prologue and epilogue.
fn plain(op: ReduceOp, dtype: DType, layout: &Layout, inner: usize) -> Kernel {
    let split = layout.shape().rank() - inner;
    let result = if op.is_index() { DType::I32 } else { dtype };
    Kernel::Reduce(kernel::Reduce {
        indices: vec![],
        outer: Shape::from_dims(layout.shape()[..split].iter().copied()),
        inner: Shape::from_dims(layout.shape()[split..].iter().copied()),
        inputs: vec![operand(dtype, layout)],
        params: vec![],
        prologue: identity(Type::from(dtype)),
        op,
        epilogue: Epilogue::store(Type::from(result), result),
    })
}

/// Runs and reads every result as float64.
fn results(kernel: &Kernel, input: Vec<u8>) -> Vec<f64> {
    let dtype = kernel.outputs()[0].0;
    let bytes = run(kernel, &[input], &[]).unwrap().remove(0);
    from_bytes(dtype, &bytes)
}

fn check(op: ReduceOp, layout: &Layout, inner: usize, data: &[f64]) {
    let split = layout.shape().rank() - inner;
    let count: usize = layout.shape()[split..].iter().product();
    let outer: usize = layout.shape()[..split].iter().product();
    let values: Vec<f64> = layout.offsets().map(|offset| data[offset]).collect();
    if op.is_index() && count == 0 {
        return;
    }
    let expected: Vec<f64> =
        (0..outer).map(|o| reference::reduce_values(op, Type::F64, &values[o * count..(o + 1) * count])).collect();
    let same = |got: Vec<f64>, what: &str| {
        // A product may exceed float32's range, and is then infinite.
        let overflows = |a: f64, b: f64| what == "f32" && a == f64::from(b as f32);
        let close = |a: f64, b: f64| a == b || (a - b).abs() <= 1e-6 * b.abs() || (a.is_nan() && b.is_nan());
        let agrees = |(&a, &b): (&f64, &f64)| close(a, b) || overflows(a, b);
        assert!(
            got.len() == outer && got.iter().zip(&expected).all(agrees),
            "{op:?} {what} {layout:?}\n{got:?}\n{expected:?}"
        );
    };
    same(results(&plain(op, DType::F64, layout, inner), bytes(data)), "f64");
    let narrow: Vec<f32> = data.iter().map(|&x| x as f32).collect();
    same(results(&plain(op, DType::F32, layout, inner), bytes(&narrow)), "f32");
    if count > 0 && data.iter().all(|x| !x.is_nan()) && op != ReduceOp::Prod {
        let integers: Vec<i32> = data.iter().map(|&x| x as i32).collect();
        same(results(&plain(op, DType::I32, layout, inner), bytes(&integers)), "i32");
        let long: Vec<i64> = data.iter().map(|&x| x as i64).collect();
        same(results(&plain(op, DType::I64, layout, inner), bytes(&long)), "i64");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn agrees_with_the_naive_reduction(
        (layout, inner) in prop::collection::vec(prop_oneof![6 => 1usize..7, 1 => Just(0usize), 1 => 30usize..50], 0..5)
            .prop_flat_map(|dims| { let rank = dims.len(); (layout_of(dims), 0..=rank) }),
        seed in any::<u32>(),
        nan in prop::bool::weighted(0.2),
    ) {
        let mut data: Vec<f64> = (0..extent(&layout)).map(|i| ((i as u32).wrapping_mul(seed | 1) >> 7) as f64 % 5.0 - 2.0).collect();
        if nan && !data.is_empty() {
            let at = seed as usize % data.len();
            data[at] = f64::NAN;
        }
        for op in OPS {
            check(op, &layout, inner, &data);
        }
    }
}

#[test]
fn long_rows_and_wide_columns() {
    for (rows, columns) in [(3, 5000), (5000, 3), (1030, 70), (70, 1030), (2, 1024), (1500, 1)] {
        let data: Vec<f64> = (0..rows * columns).map(|i| ((i * 7919) % 1013) as f64).collect();
        for op in OPS.into_iter().filter(|&op| op != ReduceOp::Prod) {
            check(op, &dense(&[rows, columns]), 1, &data);
            check(op, &dense(&[rows, columns]).permute(&[1, 0]), 1, &data);
        }
    }
}

#[test]
fn twenty_million_ones_are_twenty_million() {
    let n = 20_000_000;
    let ones = bytes(&vec![1f32; n]);
    assert_eq!(results(&plain(ReduceOp::Sum, DType::F32, &dense(&[n]), 1), ones.clone()), [2e7]);
    assert_eq!(results(&plain(ReduceOp::Sum, DType::F32, &dense(&[n / 2, 2]).permute(&[1, 0]), 1), ones), [1e7, 1e7]);
}

#[test]
fn int64_is_not_rounded_and_its_positions_are_told_apart() {
    let large = 1i64 << 60;
    let data = bytes(&[large, large + 1, -large, large + 1]);
    for layout in [dense(&[2, 2]), dense(&[2, 2]).permute(&[1, 0])] {
        let values: Vec<i64> = layout.offsets().map(|offset| read::<i64>(&data)[offset]).collect();
        let result =
            |op, dtype| run(&plain(op, dtype, &layout, 1), std::slice::from_ref(&data), &[]).unwrap().remove(0);
        assert_eq!(
            read::<i64>(&result(ReduceOp::Sum, DType::I64)),
            [values[0] + values[1], values[2].wrapping_add(values[3])]
        );
        assert_eq!(
            read::<i64>(&result(ReduceOp::Max, DType::I64)),
            [values[0].max(values[1]), values[2].max(values[3])]
        );
        assert_eq!(read::<i32>(&result(ReduceOp::ArgMax, DType::I64))[0], i32::from(values[1] > values[0]));
        assert_eq!(read::<i32>(&result(ReduceOp::ArgMin, DType::I64))[1], i32::from(values[3] < values[2]));
    }
}

#[test]
fn halves_are_summed_as_float32() {
    // The sum exceeds the largest float16, in steps that float16 cannot represent from there on.
    let n = 70_000;
    for (dtype, one) in [(DType::F16, 0x3c00u16), (DType::BF16, 0x3f80)] {
        let Kernel::Reduce(sum) = plain(ReduceOp::Sum, dtype, &dense(&[2, n]), 1) else { unreachable!() };
        let ones = bytes(&vec![one; 2 * n]);
        let wide = kernel::Reduce { epilogue: Epilogue::store(Type::F32, DType::F32), ..sum.clone() };
        assert_eq!(results(&Kernel::Reduce(wide), ones.clone()), [7e4; 2]);
        let rounded = if dtype == DType::F16 { f64::INFINITY } else { 70144.0 };
        assert_eq!(results(&Kernel::Reduce(sum), ones), [rounded; 2]);
    }
}

#[test]
fn of_nothing_the_identity() {
    let empty = dense(&[2, 0]);
    for (op, dtype, expected) in [
        (ReduceOp::Sum, DType::F32, 0.0),
        (ReduceOp::Prod, DType::F32, 1.0),
        (ReduceOp::Max, DType::F32, f64::NEG_INFINITY),
        (ReduceOp::Min, DType::I32, f64::from(i32::MAX)),
        (ReduceOp::Max, DType::U8, 0.0),
        (ReduceOp::Max, DType::Bool, 0.0),
        (ReduceOp::Min, DType::Bool, 1.0),
    ] {
        assert_eq!(results(&plain(op, dtype, &empty, 1), vec![]), [expected; 2], "{op:?} {dtype}");
    }
    assert!(results(&plain(ReduceOp::Sum, DType::F32, &dense(&[0, 5]), 1), vec![]).is_empty());
}

#[test]
fn bool_and_bytes() {
    let layout = dense(&[2, 3]);
    let bits = vec![0, 1, 0, 1, 1, 1];
    for (op, expected) in [
        (ReduceOp::Max, [1.0, 1.0]),
        (ReduceOp::Min, [0.0, 1.0]),
        (ReduceOp::Sum, [1.0, 1.0]),
        (ReduceOp::ArgMax, [1.0, 0.0]),
    ] {
        assert_eq!(results(&plain(op, DType::Bool, &layout, 1), bits.clone()), expected, "{op:?}");
    }
    let numbers = vec![200, 100, 0, 1, 2, 3];
    assert_eq!(results(&plain(ReduceOp::Sum, DType::U8, &layout, 1), numbers.clone()), [44.0, 6.0]);
    assert_eq!(results(&plain(ReduceOp::Max, DType::U8, &layout, 1), numbers), [200.0, 3.0]);
}

#[test]
fn prologue_epilogue_parameters_and_index() {
    // sqrt(sum((x - p0)^2 * index) / p1), over rows and over columns.
    let (rows, columns) = (7, 300);
    let data: Vec<f32> = (0..rows * columns).map(|i| (i % 17) as f32).collect();
    for layout in [dense(&[rows, columns]), dense(&[columns, rows]).permute(&[1, 0])] {
        let [p0, p1] = [0, 1].map(|slot| Expr::param(slot, Type::F32));
        let squares = (Expr::input(0, Type::F32) - p0).square() * Expr::index().cast(Type::F32);
        let kernel = Kernel::Reduce(kernel::Reduce {
            indices: vec![],
            outer: Shape::from_dims([rows]),
            inner: Shape::from_dims([columns]),
            inputs: vec![operand(DType::F32, &layout)],
            params: vec![Type::F32; 2],
            prologue: Program::new(&[squares]),
            op: ReduceOp::Sum,
            epilogue: Epilogue {
                inputs: vec![],
                program: Program::new(&[(Expr::input(0, Type::F32) / p1).sqrt().cast(Type::F64)]),
                dtypes: vec![DType::F64],
            },
        });
        let params = [3.0, 10.0].map(|p| Constant::new(p, Type::F32));
        let got = read::<f64>(&run(&kernel, &[bytes(&data)], &params).unwrap()[0]);
        let values: Vec<f64> = layout.offsets().map(|offset| f64::from(data[offset])).collect();
        for (row, got) in got.iter().enumerate() {
            let terms = (row * columns..(row + 1) * columns).map(|i| (values[i] - 3.0).powi(2) * i as f64);
            let expected = (terms.sum::<f64>() / 10.0).sqrt();
            assert!((got / expected - 1.0).abs() < 1e-6, "{got} {expected}");
        }
    }
}
