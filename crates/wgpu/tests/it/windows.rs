//! Operands with bounded indices, epilogues with operands, buffers used in place, and checked
//! indices.

use crate::common::{
    convolution::{Convolution, bounded_index, bounded_operand},
    *,
};
use lanthorn_ir::{
    Backend, DType, Kernel,
    backend::{InPlace, Launch, Read},
    expr::{BinaryOp, Constant, Expr, Program, Type},
    kernel::{Contract, Epilogue, Map, Operand, Reduce, ReduceOp, identity},
};
use lanthorn_wgpu::{Contraction, Options, Reduction, Tuning, WgpuBackend};

/// Every variant, for GPUs and for software adapters, and the minimum limits.
fn backends() -> Vec<WgpuBackend> {
    let mut all: Vec<WgpuBackend> = [Contraction::Tiled, Contraction::Wide, Contraction::Register, Contraction::Simple]
        .into_iter()
        .map(|contract| open_tuned(Tuning { contract: Some(contract), ..Tuning::default() }))
        .collect();
    all.push(open_tuned(Tuning { reduce: Some(Reduction::Tree), software: Some(false), ..Tuning::default() }));
    all.push(open(Options { default_limits: true, ..Options::default() }));
    all
}

fn pad(dtype: DType, rows: usize, columns: usize, outside: f64) -> Operand {
    let windows =
        vec![bounded_index(&[1, 0], -2, 1, rows, columns as isize), bounded_index(&[0, 1], -1, 1, columns, 1)];
    bounded_operand(dtype, &[rows + 3, columns + 4], &[0, 0], windows, outside)
}

#[test]
fn a_map_reads_padded_operands_of_every_type() {
    let backend = backend();
    for (dtype, outside) in
        [(DType::F32, f64::NEG_INFINITY), (DType::I32, -7.0), (DType::U8, 200.0), (DType::Bool, 1.0)]
    {
        for columns in [4, 5] {
            let input = pad(dtype, 3, columns, outside);
            let values = if dtype == DType::F32 { numbers(15, 1, 1.0) } else { integers(15, 1, 0, 2) };
            let map = Map {
                indices: vec![],
                shape: input.shape().clone(),
                inputs: vec![input],
                params: vec![],
                program: identity(Type::from(dtype)),
                dtypes: vec![dtype],
            };
            check_kernel(&backend, &Kernel::Map(map), &[&values[..3 * columns]], &[]);
        }
    }
}

#[test]
fn a_map_reads_dilated_and_reversed_windows_beside_plain_operands() {
    let backend = backend();
    // Every third element of an output is an element of the source, from the last to the first.
    let dilated = bounded_operand(DType::F32, &[2, 16], &[6, 0], vec![bounded_index(&[0, -1], 16, 3, 6, 1)], 0.5);
    let plain = operand(DType::F32, contiguous(&[2, 16]));
    let program = Program::new(&[Expr::input(0, Type::F32) * 2.0 + Expr::input(1, Type::F32)]);
    let map = Map {
        indices: vec![],
        shape: shape(&[2, 16]),
        inputs: vec![dilated, plain],
        params: vec![],
        program,
        dtypes: vec![DType::F32],
    };
    check_kernel(&backend, &Kernel::Map(map), &[&numbers(12, 1, 1.0), &numbers(32, 2, 1.0)], &[]);
}

#[test]
fn pooling_is_a_reduction_over_windows() {
    for backend in backends() {
        for op in [ReduceOp::Max, ReduceOp::ArgMax, ReduceOp::Sum] {
            for (size, kernel, stride, padding) in [(7usize, 3usize, 2usize, 1isize), (8, 2, 2, 0), (5, 4, 1, 2)] {
                let out = (size + 2 * padding as usize - kernel) / stride + 1;
                let (s, p) = (stride as isize, -padding);
                let windows = vec![
                    bounded_index(&[0, s, 0, 1, 0], p, 1, size, size as isize),
                    bounded_index(&[0, 0, s, 0, 1], p, 1, size, 1),
                ];
                let dims = [3, out, out, kernel, kernel];
                let outside = if op == ReduceOp::Sum { 0.0 } else { f64::NEG_INFINITY };
                let input = bounded_operand(DType::F32, &dims, &[(size * size) as isize, 0, 0, 0, 0], windows, outside);
                let epilogue = match op {
                    ReduceOp::ArgMax => Epilogue::store(Type::I32, DType::I32),
                    _ => Epilogue::store(Type::F32, DType::F32),
                };
                let reduce = Reduce {
                    indices: vec![],
                    outer: shape(&dims[..3]),
                    inner: shape(&dims[3..]),
                    inputs: vec![input],
                    params: vec![],
                    prologue: identity(Type::F32),
                    op,
                    epilogue,
                };
                check_kernel(&backend, &Kernel::Reduce(reduce), &[&numbers(3 * size * size, 3, 1.0)], &[]);
            }
        }
    }
}

fn elements(dims: [usize; 4]) -> usize {
    dims.iter().product()
}

#[test]
fn convolutions_and_their_gradients_are_contractions() {
    let plain = Convolution {
        batch: 2,
        groups: 1,
        input: 3,
        output: 5,
        size: [6, 7],
        kernel: [3, 3],
        stride: [1; 2],
        padding: [0; 2],
        dilation: [1; 2],
    };
    let cases = [
        Convolution { batch: 1, input: 1, output: 1, ..plain },
        Convolution { padding: [1; 2], size: [8, 8], input: 4, output: 8, ..plain },
        Convolution { stride: [2; 2], padding: [1; 2], kernel: [3, 2], ..plain },
        Convolution { dilation: [2; 2], padding: [2; 2], ..plain },
        Convolution { groups: 2, stride: [3; 2], padding: [2; 2], dilation: [2; 2], size: [9, 11], ..plain },
        Convolution { kernel: [1, 1], input: 4, size: [4, 4], ..plain },
        Convolution { groups: 4, input: 1, output: 1, padding: [1; 2], size: [20, 21], ..plain },
        plain,
    ];
    for backend in backends() {
        for case in &cases {
            let (image, weight, result) = (
                numbers(elements(case.image()), 1, 1.0),
                numbers(elements(case.weight()), 2, 1.0),
                numbers(elements(case.result()), 3, 1.0),
            );
            check_kernel(&backend, &Kernel::Contract(case.forward()), &[&weight, &image], &[]);
            check_kernel(&backend, &Kernel::Contract(case.weight_gradient()), &[&result, &image], &[]);
            check_kernel(&backend, &Kernel::Contract(case.image_gradient()), &[&weight, &result], &[]);
        }
    }
}

#[test]
fn the_gradient_of_weights_over_many_positions_is_cut_into_chunks() {
    let case = Convolution {
        batch: 3,
        groups: 1,
        input: 2,
        output: 3,
        size: [30, 31],
        kernel: [3, 3],
        stride: [1; 2],
        padding: [1; 2],
        dilation: [1; 2],
    };
    for backend in backends() {
        let (image, result) = (numbers(elements(case.image()), 1, 0.1), numbers(elements(case.result()), 3, 0.1));
        check_kernel(&backend, &Kernel::Contract(case.weight_gradient()), &[&result, &image], &[]);
    }
}

/// An epilogue with a bias along the last dimension, a residual, and two outputs.
fn bias_and_residual(dims: &[usize]) -> Epilogue {
    let (x, bias, residual) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32), Expr::input(2, Type::F32));
    let sum = &x + &bias * Expr::param(0, Type::F32) + residual;
    let last = dims.last().copied().unwrap_or(1);
    Epilogue {
        inputs: vec![
            operand(DType::F32, contiguous(&[last]).expand("test", &shape(dims)).unwrap()),
            operand(DType::F32, contiguous(dims)),
        ],
        program: Program::new(&[sum.max(0.0), (&sum + Expr::index().cast(Type::F32)).gt(3.0)]),
        dtypes: vec![DType::F32, DType::Bool],
    }
}

#[test]
fn products_have_epilogues_with_operands_and_several_outputs() {
    let params = [Constant::new(0.5, Type::F32)];
    for backend in backends() {
        for (batch, m, n, k) in [(2, 5, 7, 9), (1, 66, 70, 20), (1, 4, 8, 3000), (3, 1, 6, 5)] {
            let contract = Contract {
                epilogue: bias_and_residual(&[batch, m, n]),
                params: vec![Type::F32],
                ..Contract::matrices(DType::F32, contiguous(&[batch, m, k]), contiguous(&[batch, k, n]))
            };
            let inputs = [batch * m * k, batch * k * n, n, batch * m * n]
                .map(|count| numbers(count, count as u32, 1.0 / (k as f64).sqrt()));
            check_kernel(&backend, &Kernel::Contract(contract), &inputs.each_ref().map(Vec::as_slice), &params);
        }
    }
}

#[test]
fn reductions_have_epilogues_with_operands_and_several_outputs() {
    let params = [Constant::new(0.5, Type::F32)];
    for backend in backends() {
        for (rows, columns, inner) in [(5, 7, 9), (3, 4, 8), (1, 2, 40_000)] {
            let reduce = Reduce {
                indices: vec![],
                outer: shape(&[rows, columns]),
                inner: shape(&[inner]),
                inputs: vec![operand(DType::F32, contiguous(&[rows, columns, inner]))],
                params: vec![Type::F32],
                prologue: identity(Type::F32),
                op: ReduceOp::Sum,
                epilogue: bias_and_residual(&[rows, columns]),
            };
            let inputs =
                [rows * columns * inner, columns, rows * columns].map(|count| numbers(count, count as u32, 0.05));
            check_kernel(&backend, &Kernel::Reduce(reduce), &inputs.each_ref().map(Vec::as_slice), &params);
        }
    }
}

/// Runs a kernel with one input in the buffer of one output, and compares it with its naive form.
#[test]
fn an_input_may_be_replaced_in_place() {
    for backend in backends() {
        for n in [7, 64] {
            let (x, y) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
            let map = Kernel::Map(Map {
                indices: vec![],
                shape: shape(&[n]),
                inputs: vec![operand(DType::F32, contiguous(&[n])), operand(DType::F32, contiguous(&[n]))],
                params: vec![],
                program: Program::new(&[&x * &y, &x + &y]),
                dtypes: vec![DType::F32, DType::F32],
            });
            for (input, output) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                check_in_place(&backend, &map, InPlace { input, output }, &[&numbers(n, 1, 1.0), &numbers(n, 2, 1.0)]);
            }
        }
        // Operands that are added to a product or a sum; in one pass, and in the second of two.
        let epilogue = |dims: &[usize]| Epilogue {
            inputs: vec![operand(DType::F32, contiguous(dims))],
            program: Program::new(&[Expr::input(0, Type::F32) + Expr::input(1, Type::F32) * 3.0]),
            dtypes: vec![DType::F32],
        };
        for k in [5, 3000] {
            let plain = Contract::matrices(DType::F32, contiguous(&[6, k]), contiguous(&[k, 8]));
            let product = Kernel::Contract(Contract { epilogue: epilogue(&[6, 8]), ..plain });
            let inputs = [numbers(6 * k, 1, 0.1), numbers(8 * k, 2, 0.1), numbers(48, 3, 1.0)];
            check_in_place(&backend, &product, InPlace { input: 2, output: 0 }, &inputs.each_ref().map(Vec::as_slice));
            let sum = Kernel::Reduce(Reduce {
                indices: vec![],
                outer: shape(&[2]),
                inner: shape(&[4 * k]),
                inputs: vec![operand(DType::F32, contiguous(&[2, 4 * k]))],
                params: vec![],
                prologue: identity(Type::F32),
                op: ReduceOp::Sum,
                epilogue: epilogue(&[2]),
            });
            let inputs = [numbers(8 * k, 1, 0.1), numbers(2, 2, 1.0)];
            check_in_place(&backend, &sum, InPlace { input: 1, output: 0 }, &inputs.each_ref().map(Vec::as_slice));
        }
    }
}

#[test]
fn a_read_may_begin_inside_a_buffer() {
    let backend = backend();
    let buffer = upload(&backend, DType::U8, &[1.0, 2.0, 3.0, 4.0, 5.0]);
    let reads = [(1, 3), (4, 1), (5, 0)].map(|(offset, elements)| Read { buffer, dtype: DType::U8, offset, elements });
    let got: Vec<Vec<u8>> =
        backend.submit(&[], &reads).reads.into_iter().map(|read| pollster::block_on(read).unwrap()).collect();
    assert_eq!(got, [vec![2, 3, 4], vec![5], vec![]]);
    let past = Read { buffer, dtype: DType::U8, offset: 6, elements: 1_000 };
    let error = pollster::block_on(backend.submit(&[], &[past]).reads.swap_remove(0)).unwrap_err();
    assert!(error.to_string().contains("from byte 4"), "{error}");
}

#[test]
fn an_index_is_checked_in_any_program() {
    let checked = Expr::input(0, Type::I32).binary(BinaryOp::CheckIndex, Expr::constant(10.0, Type::I32));
    for backend in backends() {
        for n in [4, 5] {
            let good: Vec<f64> = (0..n).map(f64::from).collect();
            let mut bad = good.clone();
            (bad[1], bad[3]) = (-1.0, 10.0);
            let inputs = vec![operand(DType::I32, contiguous(&[n as usize]))];
            let map = Map {
                indices: vec![],
                shape: shape(&[n as usize]),
                inputs: inputs.clone(),
                params: vec![],
                program: Program::new(std::slice::from_ref(&checked)),
                dtypes: vec![DType::I32],
            };
            let reduce = Reduce {
                indices: vec![],
                outer: shape(&[]),
                inner: shape(&[n as usize]),
                inputs,
                params: vec![],
                prologue: Program::new(std::slice::from_ref(&checked)),
                op: ReduceOp::Max,
                epilogue: Epilogue::store(Type::I32, DType::I32),
            };
            for kernel in [Kernel::Map(map), Kernel::Reduce(reduce)] {
                check_kernel(&backend, &kernel, &[&good], &[]);
                let (dtype, elements) = kernel.outputs()[0];
                let buffer = backend.allocate(backend.storage_bytes(dtype, elements)).unwrap();
                let launch = Launch {
                    op: "test",
                    kernel: backend.compile("test", &kernel, &[]).unwrap(),
                    inputs: vec![upload(&backend, DType::I32, &bad)].into(),
                    outputs: vec![buffer].into(),
                    params: vec![].into(),
                };
                let read =
                    backend.submit(&[launch], &[Read { buffer, dtype, offset: 0, elements }]).reads.swap_remove(0);
                let got = from_bytes(dtype, &pollster::block_on(read).unwrap());
                assert!(got.iter().all(|index| (0.0..10.0).contains(index)), "{got:?}");
                let failures = backend.failures();
                assert_eq!(failures.len(), 1, "{failures:?}");
                assert!(failures[0].error.to_string().contains("a dimension of size 10"), "{}", failures[0].error);
            }
        }
    }
}
