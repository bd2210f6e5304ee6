//! Fused reductions compared with the reference.

use crate::test_util::*;
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::{Expr, Program, Type},
    kernel::{BoundedIndex, FusedReduction, Operand, ReduceOp, identity},
};
use lanthorn_kernel_tests::{from_bytes, reference};
use proptest::prelude::*;

fn x(slot: usize) -> Expr {
    Expr::input(slot, Type::F32)
}

/// Rows over the last `inner` dimensions of a layout, without stages.
fn rows_of(layout: &Layout, inner: usize, target: Layout) -> FusedReduction {
    let dims = layout.shape().to_vec();
    let split = dims.len() - inner;
    FusedReduction {
        indices: vec![],
        outer: Shape::from_dims(dims[..split].iter().copied()),
        inner: Shape::from_dims(dims[split..].iter().copied()),
        inputs: vec![operand(DType::F32, layout)],
        params: vec![],
        reductions: vec![],
        rows: Program::new(&[]),
        row_dtypes: vec![],
        elements: Program::new(&[]),
        element_dtypes: vec![],
        target,
    }
}

fn softmax(rows: FusedReduction) -> FusedReduction {
    let exp = (x(0) - x(1)).exp();
    let reductions =
        vec![(ReduceOp::Max, identity(Type::F32)), (ReduceOp::Sum, Program::new(std::slice::from_ref(&exp)))];
    let elements = Program::new(&[exp / x(2)]);
    FusedReduction { reductions, elements, element_dtypes: vec![DType::F32], ..rows }
}

/// Integer additions and multiplications, except for the log-sum-exp: positions, row results, two
/// element results, an index.
fn everything(rows: FusedReduction, weights: Operand, per_row: Operand) -> FusedReduction {
    let sum = Program::new(&[x(0) * x(1)]);
    let shared = x(0) * x(1) * x(1) * x(1) + x(0);
    let centred = &shared - x(3) * x(2);
    let reductions = vec![
        (ReduceOp::Sum, sum),
        (ReduceOp::ArgMax, Program::new(&[&shared - x(3)])),
        (ReduceOp::Max, Program::new(std::slice::from_ref(&centred))),
    ];
    let position = Expr::input(4, Type::I32);
    FusedReduction {
        inputs: vec![rows.inputs[0].clone(), weights, per_row],
        reductions,
        rows: Program::new(&[x(5) + x(2), position.clone(), x(3).cast(Type::F64)]),
        row_dtypes: vec![DType::F32, DType::I32, DType::F64],
        elements: Program::new(&[
            centred + (x(3) * 2.0 + x(2)) * position.cast(Type::F32),
            shared.gt(x(5)),
            x(0) + Expr::index().cast(Type::F32),
        ]),
        element_dtypes: vec![DType::F32, DType::Bool, DType::F32],
        ..rows
    }
}

#[test]
fn a_row_result_shares_what_the_elements_need_of_the_row() {
    let layout = dense(&[5, 8]);
    let scale = (x(1) * 2.0 + 1.0) * x(1);
    let rows = FusedReduction {
        reductions: vec![(ReduceOp::Sum, identity(Type::F32))],
        rows: Program::new(&[&scale + 1.0]),
        row_dtypes: vec![DType::F32],
        elements: Program::new(&[x(0) * scale]),
        element_dtypes: vec![DType::F32],
        ..rows_of(&layout, 1, layout.clone())
    };
    check(&rows, 0.0);
}

fn check(kernel: &FusedReduction, tolerance: f64) {
    let whole = Kernel::FusedReduction(kernel.clone());
    let inputs: Vec<Vec<f64>> = whole
        .operands()
        .iter()
        .map(|operand| (0..operand.extent().unwrap()).map(|i| ((i * 7919) % 11) as f64 - 5.0).collect())
        .collect();
    let narrow: Vec<Vec<u8>> =
        inputs.iter().map(|data| bytes(&data.iter().map(|&x| x as f32).collect::<Vec<_>>())).collect();
    let got = run(&whole, &narrow, &[]).unwrap();
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let dtypes = whole.outputs().into_iter().map(|(dtype, _)| dtype);
    for ((got, expected), dtype) in got.iter().zip(reference::fused_reduction(kernel, &inputs, &[])).zip(dtypes) {
        let got = from_bytes(dtype, got);
        let close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= tolerance * b.abs();
        assert!(
            got.len() == expected.len() && got.iter().zip(&expected).all(close),
            "{kernel:?}\n{got:?}\n{expected:?}"
        );
    }
}

/// A dense layout whose dimensions have another order in memory, as a target may have.
fn permute_memory(dims: &[usize], order: &[usize]) -> Layout {
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(i, &d)| back[d] = i);
    let lying: Vec<usize> = order.iter().map(|&d| dims[d]).collect();
    dense(&lying).permute(&back)
}

/// A layout with some dimensions repeated.
fn repeat_dims(layout: &Layout, dims: std::ops::Range<usize>) -> Layout {
    let strides = layout.strides().iter().enumerate().map(|(d, &stride)| if dims.contains(&d) { 0 } else { stride });
    // A reversed dimension that is repeated changes the start, within the same buffer.
    Layout::new(layout.shape().clone(), strides, layout.offset())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]
    #[test]
    fn any_layouts_and_targets(
        (input, weights, order, inner) in prop::collection::vec(prop_oneof![6 => 1usize..6, 1 => 30usize..50], 1..5).prop_flat_map(|dims| {
            let order = Just((0..dims.len()).collect::<Vec<usize>>()).prop_shuffle();
            (layout_of(dims.clone()), layout_of(dims.clone()), order, 0..=dims.len())
        }),
    ) {
        let dims = input.shape().to_vec();
        let split = dims.len() - inner;
        let rows = rows_of(&input, inner, permute_memory(&dims, &order));
        check(&softmax(rows.clone()), 1e-5);
        let weights = operand(DType::F32, &repeat_dims(&weights, 0..split));
        let per_row = operand(DType::F32, &repeat_dims(&dense(&dims), split..dims.len()));
        check(&everything(rows, weights, per_row), 1e-6);
    }
}

#[test]
fn long_short_and_many_rows() {
    for (outer, inner) in [(3, 5000), (700, 3), (40, 64), (1, 1), (5, 1024), (2000, 1)] {
        let dims = [outer, inner];
        for (layout, target) in [
            (dense(&dims), dense(&dims)),
            (permute_memory(&dims, &[1, 0]), permute_memory(&dims, &[1, 0])),
            (permute_memory(&dims, &[1, 0]), dense(&dims)),
        ] {
            let rows = rows_of(&layout, 1, target);
            check(&softmax(rows.clone()), 1e-5);
            let weights = operand(DType::F32, &Layout::new(Shape::from_dims(dims), [0, 1], 0));
            let per_row = operand(DType::F32, &Layout::new(Shape::from_dims(dims), [1, 0], 0));
            check(&everything(rows, weights, per_row), 1e-6);
        }
    }
}

#[test]
fn rows_through_a_window() {
    // Rows of 7 with neighbours on both sides, padded with -2.
    let bound = BoundedIndex { steps: [0, 1, 1].into_iter().collect(), start: -1, divisor: 1, size: 7, stride: 1 };
    let layout = Layout::new(Shape::from_dims([4, 7, 3]), [7, 0, 0], 0);
    let mut rows = rows_of(&layout, 2, dense(&[4, 7, 3]));
    rows.inputs[0].bounded = vec![bound];
    rows.inputs[0].outside = lanthorn_ir::expr::Constant::new(-2.0, Type::F32);
    check(&softmax(rows), 1e-5);
}

#[test]
fn rows_without_elements() {
    let rows = rows_of(&dense(&[3, 0]), 1, dense(&[3, 0]));
    let kernel = FusedReduction {
        reductions: vec![(ReduceOp::Sum, identity(Type::F32))],
        rows: Program::new(&[x(1) + 1.0]),
        row_dtypes: vec![DType::F32],
        ..rows
    };
    check(&kernel, 0.0);
}

#[test]
fn refuses_what_is_not_there_yet() {
    let rows = rows_of(&dense(&[3, 4]), 1, dense(&[3, 4]));
    let early = FusedReduction { reductions: vec![(ReduceOp::Sum, Program::new(&[x(0) + x(1)]))], ..rows.clone() };
    assert!(run(&Kernel::FusedReduction(early), &[vec![0; 48]], &[]).unwrap_err().is_kernel());
    let varies = FusedReduction { rows: Program::new(&[x(0)]), row_dtypes: vec![DType::F32], ..rows };
    assert!(run(&Kernel::FusedReduction(varies), &[vec![0; 48]], &[]).unwrap_err().is_kernel());
}
