//! Kernels that share a launch, and inputs that share a buffer.

use crate::{
    blocks, check_kernel, contiguous, numbers, reference, run,
    run::{Inspect, check_repeated},
    shape,
};
use lanthorn_ir::{
    Backend, BlockFormat, DType, Kernel, Layout,
    expr::{Constant, Expr, Program, Type},
    kernel::{Contract, Epilogue, Horizontal, Map, Operand, Pointwise, Store},
};

/// A row or a column of `depth` elements times a matrix with `outputs` rows.
fn linear(m: usize, depth: usize, outputs: usize) -> Contract {
    let turned = contiguous(&[outputs, depth]).permute(&[1, 0]);
    Contract::matrices(DType::F32, contiguous(&[m, depth]), turned)
}

/// The product, followed by `sum * parameter + addend`.
fn with_epilogue(mut product: Contract, parameter: usize) -> Contract {
    let output = product.output();
    let [sum, addend] = [0, 1].map(|slot| Expr::input(slot, Type::F32));
    product.params = vec![Type::F32; parameter + 1];
    product.epilogue = Epilogue {
        inputs: vec![Operand::new(DType::F32, Layout::contiguous(output))],
        program: Program::new(&[sum * Expr::param(parameter, Type::F32) + addend]),
        dtypes: vec![DType::F32],
    };
    product
}

/// Products of one row, of several rows, and of a column, with parameters, without outputs, and
/// with sums so long that they take two passes.
pub fn products(backend: &dyn Backend, inspect: Inspect) {
    let column = Contract::matrices(DType::F32, contiguous(&[7, 40]), contiguous(&[40, 1]));
    let groups = [
        vec![linear(1, 64, 48), linear(1, 64, 16), linear(1, 64, 16)],
        vec![linear(1, 37, 5), column.clone(), linear(1, 100, 300)],
        vec![with_epilogue(linear(1, 64, 33), 0), linear(1, 64, 8), with_epilogue(column, 1)],
        vec![linear(1, 64, 12), linear(9, 64, 12)],
        vec![linear(1, 64, 12), linear(1, 64, 0)],
        vec![linear(1, 20_000, 3), with_epilogue(linear(1, 64, 12), 0)],
    ];
    for parts in groups {
        let kernel = Kernel::Contracts(Horizontal::new(parts));
        let extent = |operand: &&Operand| operand.extent().unwrap();
        let inputs: Vec<Vec<f64>> =
            kernel.operands().iter().map(extent).zip(3..).map(|(n, seed)| numbers(n, seed, 1.0)).collect();
        let params: Vec<Constant> =
            (0..kernel.params().len()).map(|at| Constant::new(at as f64 + 0.5, Type::F32)).collect();
        check_kernel(backend, inspect, &kernel, &inputs.iter().map(Vec::as_slice).collect::<Vec<_>>(), &params);
    }
}

/// Products of one row with block-quantized matrices, each of another format.
pub fn blocks(backend: &dyn Backend, inspect: Inspect) {
    let (depth, outputs) = (256, 24);
    for formats in BlockFormat::ALL.windows(2) {
        let packed: Vec<Vec<u8>> =
            formats.iter().map(|format| blocks::blocks(*format, outputs * depth / format.elements())).collect();
        let part = |format: &BlockFormat| {
            let mut product = linear(1, depth, outputs);
            product.b = Operand::new(*format, product.b.layout.clone());
            product
        };
        let kernel = Kernel::Contracts(Horizontal::new(formats.iter().map(part).collect()));
        inspect(&kernel);
        let x = numbers(depth, 3, 1.0);
        let bytes: Vec<Vec<f64>> =
            packed.iter().map(|bytes| bytes.iter().map(|&byte| f64::from(byte)).collect()).collect();
        let decoded: Vec<Vec<f64>> =
            formats.iter().zip(&packed).map(|(format, bytes)| blocks::decode(*format, bytes)).collect();
        let given = [(DType::F32, &x[..]), (DType::U8, &bytes[0]), (DType::F32, &x), (DType::U8, &bytes[1])];
        let expected = reference::outputs(&kernel, &[&x, &decoded[0], &x, &decoded[1]], &[]);
        let magnitudes = |numbers: &[f64]| numbers.iter().map(|number| number.abs()).collect::<Vec<f64>>();
        let [x, first, second] = [&x, &decoded[0], &decoded[1]].map(|numbers| magnitudes(numbers));
        let magnitudes = reference::outputs(&kernel, &[&x, &first, &x, &second], &[]);
        let found = run(backend, &kernel, &given, &[], None);
        for ((found, expected), magnitudes) in found.iter().zip(&expected).zip(&magnitudes) {
            for ((found, expected), magnitude) in found.iter().zip(expected).zip(magnitudes) {
                let off = (found - expected).abs();
                // A scale may be so small that its products are no normal numbers.
                assert!(off <= 2e-5 * magnitude + 1e-30, "{formats:?}: got {found}, want {expected} of {magnitude}");
            }
        }
    }
}

fn map(points: &Layout, inputs: Vec<Operand>, results: &[Expr], dtypes: &[DType]) -> Map {
    let program = Program::new(results);
    Map { shape: points.shape().clone(), inputs, indices: vec![], params: vec![], program, dtypes: dtypes.to_vec() }
}

/// Indexed stores of whole rows in one launch with a map and another store, for every dtype smaller
/// than a word, with some indices out of range.
pub fn stores(backend: &dyn Backend, inspect: Inspect) {
    let points = contiguous(&[2, 5, 4]);
    let each = |strides: [isize; 3]| Layout::new(points.shape().clone(), strides, 0);
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::U8, DType::I32] {
        if !backend.capabilities().dtypes.contains(&dtype) {
            continue;
        }
        let store = |layout: Layout, target: [isize; 3]| {
            let inputs = vec![Operand::new(dtype, layout), Operand::new(DType::I32, each([0, 1, 0]))];
            let value = Expr::input(0, Type::from(dtype));
            let results = [&value + &value, Expr::input(1, Type::I32)];
            let map = map(&points, inputs, &results, &[dtype, DType::I32]);
            Pointwise::Store(Store { map, target: each(target), stride: 4, extent: 7, output: shape(&[2, 7, 4]) })
        };
        let plain =
            map(&points, vec![Operand::new(dtype, points.clone())], &[Expr::input(0, Type::from(dtype))], &[dtype]);
        let parts = vec![store(points.clone(), [28, 0, 1]), Pointwise::Map(plain), store(each([1, 8, 2]), [28, 0, 1])];
        let kernel = Horizontal::new(parts);
        let values: Vec<f64> = (0..56).map(|at| f64::from(at % 50)).collect();
        let index = [3.0, 6.0, -1.0, 7.0, 0.0];
        let inputs: [&[f64]; 5] = [&values, &index, &values, &values, &index];
        let base = vec![9.0; 56];
        let expected = reference::stores(&kernel, &inputs, &[], &base);
        let kernel = Kernel::Maps(kernel);
        inspect(&kernel);
        let typed: Vec<(DType, &[f64])> = kernel.input_dtypes().into_iter().zip(inputs).collect();
        assert_eq!(run(backend, &kernel, &typed, &[], Some(&base)), expected, "{dtype}");
    }
}

/// Kernels with several inputs of one buffer, which they read by elements and by vectors, in either
/// order.
pub fn repeat_inputs(backend: &dyn Backend) {
    let points = contiguous(&[8, 8]);
    let turned = points.permute(&[1, 0]);
    let row = Layout::new(points.shape().clone(), [0, 1], 8);
    let column = Layout::new(points.shape().clone(), [8, 0], 4);
    for dtype in [DType::F32, DType::F16, DType::BF16, DType::U8, DType::I32] {
        if !backend.capabilities().dtypes.contains(&dtype) {
            continue;
        }
        let numbers: Vec<f64> = (0..64).map(|at| f64::from(at * 7 % 11)).collect();
        for order in
            [[&points, &turned, &row, &column], [&column, &turned, &points, &row], [&row, &points, &points, &turned]]
        {
            let inputs = order.map(|layout| Operand::new(dtype, layout.clone())).to_vec();
            let [a, b, c, d] = [0, 1, 2, 3].map(|slot| Expr::input(slot, Type::from(dtype)));
            let map = map(&points, inputs, &[a + &b, b + c - d], &[dtype, dtype]);
            let other = Pointwise::Map(map.clone());
            check_repeated(backend, &Kernel::Map(map.clone()), &[0, 0, 1, 0], &[&numbers, &numbers]);
            let both = Kernel::Maps(Horizontal::new(vec![Pointwise::Map(map), other]));
            check_repeated(backend, &both, &[0, 1, 0, 0, 1, 0, 0, 1], &[&numbers, &numbers]);
        }
    }
    // More inputs than any device binds buffers.
    let layouts = [&points, &turned, &row, &column].into_iter().cycle().take(72);
    let inputs: Vec<Operand> = layouts.map(|layout| Operand::new(DType::F32, layout.clone())).collect();
    let total = (1..72).fold(Expr::input(0, Type::F32), |sum, slot| sum + Expr::input(slot, Type::F32));
    let many = Kernel::Map(map(&points, inputs, &[total], &[DType::F32]));
    check_repeated(backend, &many, &[0; 72], &[&(0..64).map(f64::from).collect::<Vec<_>>()]);
    let square = Contract::matrices(DType::F32, points.clone(), turned);
    let numbers = numbers(64, 5, 1.0);
    check_repeated(backend, &Kernel::Contract(with_epilogue_of(square)), &[0, 0, 0], &[&numbers]);
}

/// The product with an addend, without parameters.
fn with_epilogue_of(product: Contract) -> Contract {
    let mut product = with_epilogue(product, 0);
    let [sum, addend] = [0, 1].map(|slot| Expr::input(slot, Type::F32));
    product.params.clear();
    product.epilogue.program = Program::new(&[sum + addend]);
    product
}
