//! Convolutions and both their gradients, in two dimensions with groups, strides, padding and
//! dilation, compared with the reference. The numbers are small integers, so that results are
//! exact.

use crate::test_util::*;
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::{Expr, Program, Type},
    kernel::{Contract, Epilogue, Operand},
};
use lanthorn_kernel_tests::{
    convolution::{Convolution, bounded_index, bounded_operand},
    from_bytes, reference,
};
use proptest::prelude::*;

fn shape(dims: &[usize]) -> Shape {
    Shape::from_dims(dims.iter().copied())
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 7919) % 17) as f64 - 8.0).collect()
}

/// Runs a contraction of small integers and compares every output exactly.
fn check(kernel: &Contract) {
    let whole = Kernel::Contract(kernel.clone());
    let inputs: Vec<Vec<f64>> = whole.operands().iter().map(|operand| numbers(operand.extent().unwrap())).collect();
    let narrow: Vec<Vec<u8>> =
        inputs.iter().map(|data| bytes(&data.iter().map(|&x| x as f32).collect::<Vec<_>>())).collect();
    let got = run(&whole, &narrow, &[]).unwrap();
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    for ((got, expected), &dtype) in
        got.iter().zip(reference::contract(kernel, &inputs, &[])).zip(&kernel.epilogue.dtypes)
    {
        assert_eq!(from_bytes(dtype, got), expected, "{kernel:?}");
    }
}

pub(super) fn convolutions() -> impl Strategy<Value = Convolution> {
    let pairs = |range: std::ops::RangeInclusive<usize>| [range.clone(), range];
    let sizes = (1usize..3, 1usize..3, 1usize..5, 1usize..6);
    let kernels = (pairs(1..=3), pairs(1..=3), pairs(0..=2), pairs(1..=2));
    let convolution = |((batch, groups, input, output), size, (kernel, stride, padding, dilation))| Convolution {
        batch,
        groups,
        input,
        output,
        size,
        kernel,
        stride,
        padding,
        dilation,
    };
    (sizes, pairs(1..=9), kernels)
        .prop_map(convolution)
        .prop_filter("the kernel is larger than the image", Convolution::has_result)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_convolution_and_its_gradients(convolution in convolutions()) {
        check(&convolution.forward());
        check(&convolution.weight_gradient());
        check(&convolution.image_gradient());
    }
}

#[test]
fn images_of_several_blocks() {
    let plain = Convolution {
        batch: 2,
        groups: 1,
        input: 30,
        output: 20,
        size: [33, 29],
        kernel: [3, 3],
        stride: [1, 1],
        padding: [1, 1],
        dilation: [1, 1],
    };
    for convolution in [
        plain,
        Convolution { stride: [2, 2], ..plain },
        Convolution { groups: 3, input: 4, output: 5, ..plain },
        Convolution { kernel: [1, 1], padding: [0, 0], ..plain },
    ] {
        check(&convolution.forward());
        check(&convolution.weight_gradient());
        check(&convolution.image_gradient());
    }
}

#[test]
fn an_epilogue_reads_other_operands_and_has_several_outputs() {
    let convolution = Convolution {
        batch: 2,
        groups: 2,
        input: 3,
        output: 4,
        size: [7, 6],
        kernel: [3, 2],
        stride: [1, 1],
        padding: [1, 0],
        dilation: [1, 1],
    };
    let plain = convolution.forward();
    let dims = plain.output();
    let bias = Operand::new(DType::F32, Layout::new(dims.clone(), [0, 4, 1, 0, 0], 0));
    // A residual with 100 rows of padding above.
    let [_, _, oh, ow] = convolution.result();
    let above = bounded_index(&[0, 0, 0, 1, 0], -1, 1, oh - 1, ow as isize);
    let residual = bounded_operand(DType::F32, &[2, 2, 4, oh, ow], &[0, 0, 0, 0, 1], vec![above], 100.0);
    let [sum, bias_slot, residual_slot] = [0, 1, 2].map(|slot| Expr::input(slot, Type::F32));
    let value = (sum.clone() + bias_slot + residual_slot).max(0.0);
    let program = Program::new(&[value.gt(50.0), value + Expr::index().cast(Type::F32), sum.cast(Type::F64)]);
    let epilogue =
        Epilogue { inputs: vec![bias, residual], program, dtypes: vec![DType::Bool, DType::F32, DType::F64] };
    check(&Contract { epilogue, ..plain });
}

#[test]
fn several_dimensions_in_every_group() {
    // [2, 3, 4, 5] x [4, 5, 6, 7] over the dimensions of 4 and 5, with the dimensions of the left
    // operand in another memory order.
    let a = Operand::new(DType::F32, dense(&[5, 3, 4, 2]).permute(&[3, 1, 2, 0]));
    let b = Operand::new(DType::F32, dense(&[6, 4, 7, 5]).permute(&[1, 3, 0, 2]));
    let [batch, m, n, k] = [&[][..], &[2, 3], &[6, 7], &[4, 5]].map(shape);
    let prologues = [None, None];
    check(&Contract {
        batch,
        m,
        n,
        k,
        a,
        b,
        prologues,
        params: vec![],
        epilogue: Epilogue::store(Type::F32, DType::F32),
    });
}

#[test]
fn matrices_that_share_an_operand() {
    for (m, n, k) in [(1, 9, 4), (30, 1, 8), (5, 6, 7), (40, 50, 60), (3, 2, 0)] {
        let left = Layout::new(shape(&[2, 3, m, k]), [3 * (m * k) as isize, (m * k) as isize, k as isize, 1], 0);
        let right = Layout::new(shape(&[2, 3, k, n]), [3 * (n * k) as isize, (n * k) as isize, n as isize, 1], 0);
        let shared =
            |layout: &Layout, outer: isize| Layout::new(layout.shape().clone(), [outer, 0, layout.strides()[2], 1], 0);
        for (a, b) in [
            (shared(&left, 0), right.clone()),
            (left.clone(), shared(&right, 0)),
            (shared(&left, (m * k) as isize), right.clone()),
            (left.clone(), shared(&right, (n * k) as isize)),
            (shared(&left, 0), shared(&right, 0)),
        ] {
            check(&Contract::matrices(DType::F32, a, b));
        }
    }
}
