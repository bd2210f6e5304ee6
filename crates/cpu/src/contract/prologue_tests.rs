//! Products with prologues, compared with the reference. The numbers are small integers, so that
//! results are exact.

use super::convolution_tests::convolutions;
use crate::test_util::*;
use lanthorn_ir::{
    DType, Kernel, Layout, Result, Shape,
    expr::{Constant, Expr, Program, Type},
    half,
    kernel::{Contract, Epilogue, Operand, Prologue},
};
use lanthorn_kernel_tests::{from_bytes, reference};
use proptest::prelude::*;

fn x(slot: usize) -> Expr {
    Expr::input(slot, Type::F32)
}

/// Small integers as bytes of a type. Bools are 0 and 1.
fn store_integers(dtype: DType, elements: usize) -> Vec<u8> {
    let numbers: Vec<f32> = (0..elements).map(|i| ((i * 7919) % 17) as f32 - 8.0).collect();
    let halves = |narrow: fn(f32) -> u16| bytes(&numbers.iter().map(|&number| narrow(number)).collect::<Vec<_>>());
    match dtype {
        DType::F16 => halves(half::f16_from_f32),
        DType::BF16 => halves(half::bf16_from_f32),
        DType::F64 => bytes(&numbers.iter().map(|&number| f64::from(number)).collect::<Vec<_>>()),
        DType::Bool => numbers.iter().map(|&number| u8::from(number > 0.0)).collect(),
        DType::U8 => numbers.iter().map(|&number| (number + 8.0) as u8).collect(),
        _ => bytes(&numbers),
    }
}

/// Runs a contraction and compares every output exactly.
fn check(kernel: &Contract, params: &[Constant]) {
    let whole = Kernel::Contract(kernel.clone());
    let inputs: Vec<Vec<u8>> =
        whole.operands().iter().map(|operand| store_integers(operand.dtype(), operand.extent().unwrap())).collect();
    let wide: Vec<Vec<f64>> =
        whole.operands().iter().zip(&inputs).map(|(operand, data)| from_bytes(operand.dtype(), data)).collect();
    let wide: Vec<&[f64]> = wide.iter().map(Vec::as_slice).collect();
    let got = run(&whole, &inputs, params).unwrap();
    for ((got, expected), &dtype) in
        got.iter().zip(reference::contract(kernel, &wide, params)).zip(&kernel.epilogue.dtypes)
    {
        assert_eq!(from_bytes(dtype, got), expected, "{kernel:?}");
    }
}

/// An operand with the same affine strides as another one, of another dtype.
fn beside(operand: &Operand, dtype: DType) -> Operand {
    let whole = Operand::new(dtype, Layout::contiguous(Shape::from_dims([0])));
    Operand { encoding: dtype.into(), outside: whole.outside, ..operand.clone() }
}

/// The same operand with stride 0 along the last dimension.
fn without_last(operand: &Operand) -> Operand {
    let mut strides = operand.layout.strides().to_vec();
    strides.iter_mut().skip(1).for_each(|stride| *stride = 0);
    let bounded =
        operand.bounded.iter().map(|bound| lanthorn_ir::kernel::BoundedIndex { stride: 0, ..bound.clone() }).collect();
    let layout = Layout::new(operand.shape().clone(), strides, operand.layout.offset());
    Operand { layout, bounded, ..operand.clone() }
}

/// Prologues over an operand and others with the same index expressions.
fn prologues(operand: &Operand) -> Vec<Option<Box<Prologue>>> {
    let mask = Expr::input(1, Type::Bool);
    let of = |inputs: Vec<Operand>, result: Expr| Some(Box::new(Prologue { inputs, program: Program::new(&[result]) }));
    vec![
        of(vec![], x(0).max(0.0)),
        of(vec![], x(0) * 2.0 + 1.0),
        of(vec![beside(operand, DType::Bool)], mask.select(x(0), 0.0)),
        of(vec![beside(operand, DType::BF16)], x(0) * x(1)),
        of(vec![without_last(operand), beside(operand, DType::F16)], (x(0) + x(1)) * x(2)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_layout_and_size(
        (a, b) in (prop::collection::vec(0usize..4, 0..3), [1usize..40, 1usize..40, 0usize..40]).prop_flat_map(|(batch, [m, n, k])| {
            let dims = |tail: [usize; 2]| batch.iter().copied().chain(tail).collect::<Vec<_>>();
            (layout_of(dims([m, k])), layout_of(dims([k, n])))
        }),
    ) {
        let plain = Contract::matrices(DType::F32, a, b);
        for prologue in prologues(&plain.a) {
            check(&Contract { prologues: [prologue, None], ..plain.clone() }, &[]);
        }
        for (left, right) in prologues(&plain.a).into_iter().zip(prologues(&plain.b).into_iter().rev()) {
            check(&Contract { prologues: [left, right], ..plain.clone() }, &[]);
        }
    }

    #[test]
    fn padding_of_a_convolution_is_no_argument_of_the_prologue(convolution in convolutions()) {
        for plain in [convolution.forward(), convolution.weight_gradient(), convolution.image_gradient()] {
            for (left, right) in prologues(&plain.a).into_iter().zip(prologues(&plain.b)) {
                check(&Contract { prologues: [None, right.clone()], ..plain.clone() }, &[]);
                check(&Contract { prologues: [left, right], ..plain.clone() }, &[]);
            }
        }
    }
}

#[test]
fn several_blocks_in_every_direction() {
    for [m, n, k] in [[200, 1050, 20], [30, 40, 600], [400, 33, 700], [700, 2, 90], [1, 300, 400], [300, 1, 1400]] {
        for turned in [false, true] {
            let layout = |[rows, columns]: [usize; 2]| match turned {
                true => dense(&[columns, rows]).permute(&[1, 0]),
                false => dense(&[rows, columns]),
            };
            let plain = Contract::matrices(DType::F32, layout([m, k]), layout([k, n]));
            for (left, right) in prologues(&plain.a).into_iter().zip(prologues(&plain.b)) {
                check(&Contract { prologues: [left.clone(), right.clone()], ..plain.clone() }, &[]);
                check(&Contract { prologues: [left, None], ..plain.clone() }, &[]);
                check(&Contract { prologues: [None, right], ..plain.clone() }, &[]);
            }
        }
    }
}

#[test]
fn bytes_and_flags_become_factors() {
    let plain = Contract::matrices(DType::F32, dense(&[5, 7]), dense(&[7, 3]));
    let flags =
        Box::new(Prologue { inputs: vec![], program: Program::new(&[Expr::input(0, Type::Bool).cast(Type::F32)]) });
    let numbers =
        Box::new(Prologue { inputs: vec![], program: Program::new(&[Expr::input(0, Type::U8).cast(Type::F32) * 0.5]) });
    check(
        &Contract {
            a: beside(&plain.a, DType::Bool),
            b: beside(&plain.b, DType::U8),
            prologues: [Some(flags), Some(numbers)],
            ..plain.clone()
        },
        &[],
    );
    let wide = Box::new(Prologue { inputs: vec![], program: Program::new(&[x(0).cast(Type::F64) * 0.25]) });
    check(
        &Contract {
            prologues: [Some(wide.clone()), Some(wide)],
            epilogue: Epilogue::store(Type::F64, DType::F64),
            ..plain
        },
        &[],
    );
}

#[test]
fn parameters_and_the_epilogues_operands_are_told_apart() -> Result<()> {
    let plain = Contract::matrices(DType::F32, dense(&[40, 70]), dense(&[70, 60]));
    let result = Operand::new(DType::F32, dense(&[40, 60]));
    let epilogue = Epilogue {
        inputs: vec![result],
        program: Program::new(&[x(0) + x(1) * Expr::param(1, Type::F32)]),
        dtypes: vec![DType::F32],
    };
    let prologue = Box::new(Prologue {
        inputs: vec![plain.b.clone()],
        program: Program::new(&[x(0) * x(1) + Expr::param(0, Type::F32)]),
    });
    let kernel = Contract { prologues: [None, Some(prologue)], params: vec![Type::F32; 2], epilogue, ..plain };
    let ones = |elements: usize, value: f32| bytes(&vec![value; elements]);
    let inputs = [ones(2800, 1.0), ones(4200, 2.0), ones(4200, 3.0), ones(2400, 5.0)];
    let params = [0.5, 10.0].map(|value| Constant::new(value, Type::F32));
    let got = run(&Kernel::Contract(kernel), &inputs, &params)?;
    assert_eq!(read::<f32>(&got[0]), vec![70.0 * 6.5 + 50.0; 2400]);
    Ok(())
}

#[test]
fn refuses_factors_of_two_types() {
    let plain = Contract::matrices(DType::F32, dense(&[2, 3]), dense(&[3, 2]));
    let wide = Box::new(Prologue { inputs: vec![], program: Program::new(&[x(0).cast(Type::F64)]) });
    let error =
        run(&Kernel::Contract(Contract { prologues: [Some(wide), None], ..plain }), &[vec![0; 24], vec![0; 24]], &[]);
    assert!(error.unwrap_err().is_kernel());
}
