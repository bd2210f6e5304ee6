//! Operands with bounded indices, inputs that outputs replace, and checked indices, in the kernels
//! that share their code.

use crate::{CpuBackend, test_util::*};
use lanthorn_ir::{
    Backend, DType, Kernel, Layout, Shape,
    backend::{Alias, InPlace, Launch, Read},
    expr::{BinaryOp, Constant, Expr, Program, Type},
    kernel::{BoundedIndex, Contract, Epilogue, FusedReduction, Map, Operand, Reduce, ReduceOp, identity},
};
use lanthorn_kernel_tests::{from_bytes, reference};
use proptest::prelude::*;

fn x(slot: usize) -> Expr {
    Expr::input(slot, Type::F32)
}

fn shape(dims: &[usize]) -> Shape {
    Shape::from_dims(dims.iter().copied())
}

/// Operands over some dimensions with up to two bounded indices of any kind, each in a separate
/// part of the buffer.
fn operands() -> impl Strategy<Value = Operand> {
    let dims = prop::collection::vec(1usize..7, 1..4);
    let bounded = prop::collection::vec((prop::collection::vec(-2isize..3, 3), -4isize..6, 1usize..4, 0usize..6), 0..3);
    (dims, bounded, prop::collection::vec(0isize..3, 3), any::<bool>()).prop_map(
        |(dims, bounded, strides, backwards)| {
            let rank = dims.len();
            let mut stride = 1;
            let bounded = bounded.into_iter().map(|(steps, start, divisor, size)| {
                let bound = BoundedIndex { steps: steps[..rank].to_vec(), start, divisor, size, stride };
                stride *= size.max(1) as isize;
                bound
            });
            let bounded: Vec<BoundedIndex> = bounded.collect();
            let layout = Layout::new(shape(&dims), strides[..rank].iter().map(|&step| step * stride), 3);
            let operand =
                Operand { bounded, outside: Constant::new(-7.0, Type::F32), ..Operand::new(DType::F32, layout) };
            let order: Vec<usize> = if backwards { (0..rank).rev().collect() } else { (0..rank).collect() };
            operand.permute(&order)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn maps_and_reductions_read_what_the_definition_says(operand in operands(), inner in 0usize..3) {
        let data: Vec<f64> = (0..operand.extent().unwrap()).map(|i| (i % 97) as f64).collect();
        let input = [bytes(&data.iter().map(|&x| x as f32).collect::<Vec<_>>())];
        let expected = reference::elements(&operand, &data);
        let map = Map { indices: vec![],
            shape: operand.shape().clone(),
            inputs: vec![operand.clone()],
            params: vec![],
            program: identity(Type::F32),
            dtypes: vec![DType::F32],
        };
        prop_assert_eq!(from_bytes(DType::F32, &run(&Kernel::Map(map), &input, &[]).unwrap()[0]), expected.clone());
        let split = operand.shape().rank().saturating_sub(inner);
        let [outer, inner] = [shape(&operand.shape()[..split]), shape(&operand.shape()[split..])];
        let row = inner.elements();
        let reduce = Reduce { indices: vec![],
            outer,
            inner,
            inputs: vec![operand],
            params: vec![],
            prologue: identity(Type::F32),
            op: ReduceOp::Sum,
            epilogue: Epilogue::store(Type::F32, DType::F32),
        };
        let sums: Vec<f64> = expected.chunks(row).map(|row| row.iter().sum()).collect();
        prop_assert_eq!(from_bytes(DType::F32, &run(&Kernel::Reduce(reduce), &input, &[]).unwrap()[0]), sums);
    }
}

/// Runs a kernel whose input `input` is replaced by output 0. All inputs contain 1, 2, 3...
fn replace(kernel: &Kernel, input: usize) -> Vec<f32> {
    let device = CpuBackend::poisoned();
    let compiled = device.compile("replace", kernel, &[Alias::InPlace(InPlace { input, output: 0 })]).unwrap();
    let upload = |operand: &&Operand| {
        let elements = operand.extent().unwrap();
        let id = device.allocate((elements * 4) as u64).unwrap();
        device.upload(id, DType::F32, 0, &bytes(&(1..=elements).map(|i| i as f32).collect::<Vec<_>>())).unwrap();
        id
    };
    let inputs: Vec<_> = kernel.operands().iter().map(upload).collect();
    let (elements, output) = (kernel.outputs()[0].1, inputs[input]);
    let launch = Launch {
        op: "replace",
        kernel: compiled,
        inputs: inputs.into(),
        outputs: vec![output].into(),
        params: vec![].into(),
    };
    let read = Read { buffer: output, dtype: DType::F32, offset: 0, elements };
    let read = device.submit(&[launch], &[read]).reads.remove(0);
    assert!(device.failures().is_empty());
    crate::test_util::read(&pollster::block_on(read).unwrap())
}

#[test]
fn an_input_is_read_before_its_output_replaces_it() {
    for n in [1, 5000] {
        let operand = Operand::new(DType::F32, dense(&[n]));
        let program = Program::new(&[x(0) - x(1) * 3.0 + x(0)]);
        let map = Kernel::Map(Map {
            indices: vec![],
            shape: shape(&[n]),
            inputs: vec![operand.clone(), operand],
            params: vec![],
            program,
            dtypes: vec![DType::F32],
        });
        let expected: Vec<f32> = (1..=n).map(|i| -(i as f32)).collect();
        assert_eq!((replace(&map, 0), replace(&map, 1)), (expected.clone(), expected));
    }
    for n in [1, 70] {
        let residual = Operand::new(DType::F32, dense(&[n, n]));
        let epilogue =
            Epilogue { inputs: vec![residual], program: Program::new(&[x(0) - x(1)]), dtypes: vec![DType::F32] };
        let zeros = Layout::new(shape(&[n, n]), [0, 0], 0);
        let product =
            Contract { epilogue: epilogue.clone(), ..Contract::matrices(DType::F32, zeros.clone(), zeros.clone()) };
        let expected: Vec<f32> = (1..=n * n).map(|i| n as f32 - i as f32).collect();
        assert_eq!(replace(&Kernel::Contract(product), 2), expected);
        let sum = Reduce {
            indices: vec![],
            outer: shape(&[n, n]),
            inner: shape(&[2]),
            inputs: vec![Operand::new(DType::F32, Layout::new(shape(&[n, n, 2]), [0, 0, 0], 0))],
            params: vec![],
            prologue: identity(Type::F32),
            op: ReduceOp::Sum,
            epilogue,
        };
        let expected: Vec<f32> = (1..=n * n).map(|i| 2.0 - i as f32).collect();
        assert_eq!(replace(&Kernel::Reduce(sum), 1), expected);
    }
}

#[test]
fn refuses_to_replace_what_is_read_elsewhere() {
    let reversed = Operand::new(DType::F32, Layout::new(shape(&[4]), [-1], 3));
    let map = Map {
        indices: vec![],
        shape: shape(&[4]),
        inputs: vec![reversed],
        params: vec![],
        program: identity(Type::F32),
        dtypes: vec![DType::F32],
    };
    let device = CpuBackend::new();
    assert!(
        device
            .compile("replace", &Kernel::Map(map), &[Alias::InPlace(InPlace { input: 0, output: 0 })])
            .err()
            .unwrap()
            .is_kernel()
    );
}

#[test]
fn a_checked_index_is_clamped_and_fails_the_launch() {
    let n = 3000;
    let index = Expr::input(0, Type::I32);
    let checked = index.binary(BinaryOp::CheckIndex, Expr::constant(10.0, Type::I32));
    let kernel = Kernel::Map(Map {
        indices: vec![],
        shape: shape(&[n]),
        inputs: vec![Operand::new(DType::I32, dense(&[n]))],
        params: vec![],
        program: Program::new(&[checked * 2.0]),
        dtypes: vec![DType::I32],
    });
    let device = CpuBackend::new();
    let [indices, doubled] = [0, 1].map(|_| device.allocate(4 * n as u64).unwrap());
    let compiled = device.compile("pick", &kernel, &[]).unwrap();
    let submit = |values: &[i32]| -> Vec<i32> {
        device.upload(indices, DType::I32, 0, &bytes(values)).unwrap();
        let launch = Launch {
            op: "pick",
            kernel: compiled.clone(),
            inputs: vec![indices].into(),
            outputs: vec![doubled].into(),
            params: vec![].into(),
        };
        let read = Read { buffer: doubled, dtype: DType::I32, offset: 1998, elements: 5 };
        crate::test_util::read(&pollster::block_on(device.submit(&[launch], &[read]).reads.remove(0)).unwrap())
    };
    let mut values: Vec<i32> = (0..n as i32).map(|i| i % 10).collect();
    assert_eq!(submit(&values), [16, 18, 0, 2, 4]);
    assert!(device.failures().is_empty());
    (values[2000], values[2001]) = (-3, 12);
    assert_eq!(submit(&values), [16, 18, 0, 18, 4]);
    let failures = device.failures();
    let error = &failures[0].error;
    assert!(failures.len() == 1 && error.is_index(), "{failures:?}");
    assert_eq!(error.to_string(), "pick: index -3 is out of range for a dimension of size 10");
    submit(&vec![0; n]);
    assert!(device.failures().is_empty());
}

/// The outputs of a kernel with `threads` threads.
fn with_threads(threads: usize, kernel: &Kernel, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    crate::set_num_threads(threads).unwrap();
    run(kernel, inputs, &[]).unwrap()
}

/// A 3x3 convolution with padding of 8 channels of 40 by 40.
fn convolution() -> Kernel {
    let (channels, size) = (8, 40);
    let bound = |steps: [isize; 5], stride: usize| BoundedIndex {
        steps: steps.into_iter().collect(),
        start: -1,
        divisor: 1,
        size,
        stride: stride as isize,
    };
    let image = Layout::new(shape(&[channels, 3, 3, size, size]), [(size * size) as isize, 0, 0, 0, 0], 0);
    let bounded = vec![bound([0, 1, 0, 1, 0], size), bound([0, 0, 1, 0, 1], 1)];
    Kernel::Contract(Contract {
        batch: shape(&[]),
        m: shape(&[16]),
        n: shape(&[size, size]),
        k: shape(&[channels, 3, 3]),
        a: Operand::new(DType::F32, dense(&[16, channels, 3, 3])),
        b: Operand { bounded, ..Operand::new(DType::F32, image) },
        prologues: [None, None],
        params: vec![],
        epilogue: Epilogue::store(Type::F32, DType::F32),
    })
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let (n, k) = (150, 700);
    let numbers: Vec<f32> = (0..n * k).map(|i| ((i * 7919) % 1013) as f32 * 0.013 - 6.0).collect();
    let data = bytes(&numbers);
    let wide = dense(&[n, k]);
    let rows = |op| {
        Kernel::Reduce(Reduce {
            indices: vec![],
            outer: shape(&[n]),
            inner: shape(&[k]),
            inputs: vec![Operand::new(DType::F32, wide.clone())],
            params: vec![],
            prologue: Program::new(&[x(0).exp()]),
            op,
            epilogue: Epilogue::store(Type::F32, DType::F32),
        })
    };
    let columns = Kernel::Reduce(Reduce {
        indices: vec![],
        outer: shape(&[k]),
        inner: shape(&[n]),
        inputs: vec![Operand::new(DType::F32, wide.permute(&[1, 0]))],
        params: vec![],
        prologue: Program::new(&[x(0).tanh()]),
        op: ReduceOp::Sum,
        epilogue: Epilogue::store(Type::F32, DType::F32),
    });
    let square = Kernel::Contract(Contract::matrices(DType::F32, wide.clone(), wide.permute(&[1, 0])));
    let long = Kernel::Contract(Contract::matrices(DType::F32, dense(&[10, 10_000]), dense(&[10_000, 10])));
    let column = Kernel::Contract(Contract::matrices(DType::F32, wide.permute(&[1, 0]), dense(&[n, 1])));
    let map = Kernel::Map(Map {
        indices: vec![],
        shape: shape(&[k, n]),
        inputs: vec![Operand::new(DType::F32, wide.permute(&[1, 0]))],
        params: vec![],
        program: Program::new(&[x(0).tanh() + 1.0]),
        dtypes: vec![DType::F32],
    });
    let exp = (x(0) - x(1)).exp();
    let softmax = Kernel::FusedReduction(FusedReduction {
        indices: vec![],
        outer: shape(&[n]),
        inner: shape(&[k]),
        inputs: vec![Operand::new(DType::F32, wide.clone())],
        params: vec![],
        reductions: vec![
            (ReduceOp::Max, identity(Type::F32)),
            (ReduceOp::Sum, Program::new(std::slice::from_ref(&exp))),
        ],
        rows: Program::new(&[]),
        row_dtypes: vec![],
        elements: Program::new(&[exp / x(2)]),
        element_dtypes: vec![DType::F32],
        target: wide.clone(),
    });
    for kernel in [rows(ReduceOp::Sum), columns, square, long, column, convolution(), map, softmax] {
        let inputs = vec![data.clone(); kernel.operands().len()];
        let one = with_threads(1, &kernel, &inputs);
        for threads in [2, 3, 8] {
            assert_eq!(with_threads(threads, &kernel, &inputs), one, "{threads} threads");
        }
    }
}
