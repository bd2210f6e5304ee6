//! Benchmarks of the kernels: `cargo bench -p lanthorn-cpu`.

use divan::{Bencher, counter::ItemsCount};
use lanthorn_cpu::CpuBackend;
use lanthorn_ir::{
    Backend, BlockFormat, DType, Kernel, Layout, Shape,
    backend::Launch,
    expr::{BinaryOp, Constant, Expr, Program, Type},
    kernel::{
        Attention, AttentionPass, BoundedIndex, Contract, Epilogue, FusedReduction, Map, Operand, Reduce, ReduceOp,
        identity,
    },
};

fn main() {
    divan::main();
}

fn dense(dims: &[usize]) -> Layout {
    Layout::contiguous(Shape::from_dims(dims.iter().copied()))
}

fn shape(dims: &[usize]) -> Shape {
    Shape::from_dims(dims.iter().copied())
}

fn x(slot: usize) -> Expr {
    Expr::input(slot, Type::F32)
}

/// Runs a kernel over buffers of small numbers.
fn launch(bencher: Bencher, kernel: &Kernel, work: usize) {
    launch_with(bencher, kernel, work, 0);
}

/// [`launch`] with `integer` in all int32 inputs.
fn launch_with(bencher: Bencher, kernel: &Kernel, work: usize, integer: i32) {
    let device = CpuBackend::new();
    let buffer = |elements: usize, dtype: DType| {
        let id = device.allocate((elements * dtype.size()) as u64).unwrap();
        let float = |i: usize| ((i * 7919 % 1013) as f32 * 0.002 - 1.0).to_ne_bytes();
        let number = |i: usize| if dtype == DType::I32 { integer.to_ne_bytes() } else { float(i) };
        let numbers: Vec<u8> = (0..elements).flat_map(number).collect();
        device.upload(id, DType::F32, 0, &numbers[..elements * dtype.size()]).unwrap();
        id
    };
    let inputs = kernel.operands().iter().map(|operand| buffer(operand.extent().unwrap(), operand.dtype())).collect();
    let outputs = kernel.outputs().iter().map(|&(dtype, elements)| buffer(elements, dtype)).collect();
    let params = kernel.params().iter().map(|&ty| Constant::new(if ty.is_float() { 0.5 } else { 56.0 }, ty)).collect();
    let kernel = device.compile("bench", kernel, &[]).unwrap();
    let launch = [Launch { op: "bench", kernel, inputs, outputs, params }];
    bencher.counter(ItemsCount::new(work)).bench_local(|| device.submit(&launch, &[]).id);
    assert!(device.failures().is_empty());
}

/// A row times a block-quantized matrix.
#[divan::bench(args = ["q4_0", "q5_0", "q8_0", "q2_k", "q3_k", "q4_k", "q5_k", "q6_k", "iq4_nl", "iq4_xs", "mxfp4"])]
fn row_times_blocks(bencher: Bencher, format: &str) {
    const N: usize = 2048;
    let format = BlockFormat::from_name(format).unwrap();
    let device = CpuBackend::new();
    let buffer = |bytes: &[u8]| {
        let id = device.allocate(bytes.len() as u64).unwrap();
        device.upload(id, DType::U8, 0, bytes).unwrap();
        id
    };
    let x: Vec<u8> = (0..N).flat_map(|i| ((i * 7919 % 1013) as f32 * 0.002 - 1.0).to_le_bytes()).collect();
    // As scales, these bytes are normal numbers.
    let blocks: Vec<u8> = (0..format.bytes_of(N * N)).map(|at| (at * 7919 % 191) as u8 & 0x3f | 0x20).collect();
    let inputs = [buffer(&x), buffer(&blocks)].into_iter().collect();
    let outputs = [device.allocate(4 * N as u64).unwrap()].into_iter().collect();
    let kernel = Kernel::Contract(Contract {
        b: Operand::new(format, dense(&[N, N]).permute(&[1, 0])),
        ..Contract::matrices(DType::F32, dense(&[1, N]), dense(&[N, N]))
    });
    let kernel = device.compile("bench", &kernel, &[]).unwrap();
    let launch = [Launch { op: "bench", kernel, inputs, outputs, params: [].into_iter().collect() }];
    bencher.counter(ItemsCount::new(2 * N * N)).bench_local(|| device.submit(&launch, &[]).id);
    assert!(device.failures().is_empty());
}

#[divan::bench(args = [256, 512, 1024])]
fn matmul(bencher: Bencher, n: usize) {
    let kernel = Contract::matrices(DType::F32, dense(&[n, n]), dense(&[n, n]));
    launch(bencher, &Kernel::Contract(kernel), 2 * n * n * n);
}

#[divan::bench]
fn linear_with_bias_and_relu(bencher: Bencher) {
    let (m, n, k) = (64, 512, 784);
    let bias = Operand::new(DType::F32, Layout::new(shape(&[m, n]), [0, 1], 0));
    let program = Program::new(&[(x(0) + x(1)).max(0.0)]);
    let epilogue = Epilogue { inputs: vec![bias], program, dtypes: vec![DType::F32] };
    let weight = dense(&[n, k]).permute(&[1, 0]);
    let kernel = Contract { epilogue, ..Contract::matrices(DType::F32, dense(&[m, k]), weight) };
    launch(bencher, &Kernel::Contract(kernel), 2 * m * n * k);
}

/// A row times a matrix of `[k, n]`, or of `[n, k]` transposed, as in decoding a token.
#[divan::bench(args = [false, true])]
fn row_times_matrix(bencher: Bencher, transposed: bool) {
    let (k, n) = (512, 2048);
    let right = if transposed { dense(&[n, k]).permute(&[1, 0]) } else { dense(&[k, n]) };
    let kernel = Contract::matrices(DType::F32, dense(&[1, k]), right);
    launch(bencher, &Kernel::Contract(kernel), 2 * n * k);
}

/// A few rows times weights, whose panels are kept.
#[divan::bench(args = [4, 16, 128])]
fn rows_times_weights(bencher: Bencher, m: usize) {
    let (k, n) = (384, 1536);
    let kernel = Contract::matrices(DType::F32, dense(&[m, k]), dense(&[k, n]));
    launch(bencher, &Kernel::Contract(kernel), 2 * m * n * k);
}

/// Attention of `[heads, queries, width]` over keys with as many heads.
fn attend(bencher: Bencher, [heads, m, n, d]: [usize; 4], causal: bool) {
    let kernel = scores([heads, m, n, d], causal, None);
    launch(bencher, &Kernel::Attention(Box::new(kernel)), 4 * heads * m * n * d);
}

fn scores([heads, m, n, d]: [usize; 4], causal: bool, lengths: Option<Operand>) -> Attention {
    let operand = |rows: usize| Operand::new(DType::F32, dense(&[heads, rows, d]));
    let (query, key, value) = (operand(m), operand(n), operand(n));
    Attention {
        pass: AttentionPass::Forward,
        batch: shape(&[heads]),
        query,
        key,
        value,
        mask: None,
        lengths,
        causal,
        windowed: false,
        capped: false,
    }
}

#[divan::bench(args = [128, 512])]
fn attention(bencher: Bencher, rows: usize) {
    attend(bencher, [8, rows, rows, 64], false);
}

#[divan::bench]
fn causal_attention(bencher: Bencher) {
    attend(bencher, [8, 256, 256, 64], true);
}

/// One query over a cache of keys and values.
#[divan::bench]
fn attention_of_a_token(bencher: Bencher) {
    attend(bencher, [8, 1, 512, 64], false);
}

/// One query over a cache of `capacity` keys, of which `filled` are filled.
#[divan::bench(args = [[2048, 128], [128, 128], [2048, 2048]])]
fn attention_of_a_token_over_a_cache(bencher: Bencher, [capacity, filled]: [usize; 2]) {
    let lengths = Operand::new(DType::I32, Layout::new(shape(&[8, 1, 1]), [0, 0, 0], 0));
    let kernel = scores([8, 1, capacity, 64], true, Some(lengths));
    launch_with(bencher, &Kernel::Attention(Box::new(kernel)), 4 * 8 * filled * 64, filled as i32);
}

/// A convolution of `[groups, channels, h, h]` images by kernels of `size`, with a bias and a ramp.
fn convolve(bencher: Bencher, [groups, inputs, outputs, h]: [usize; 4], [size, stride]: [usize; 2]) {
    let (padding, plane, taps) = (size / 2, (h * h) as isize, (size * size) as isize);
    let out = (h + 2 * padding - size) / stride + 1;
    let bound = |of: usize, step: usize| {
        let mut steps = [0; 6];
        (steps[2 + of], steps[4 + of]) = (1, stride as isize);
        let steps = steps.into_iter().collect();
        BoundedIndex { steps, start: -(padding as isize), divisor: 1, size: h, stride: step as isize }
    };
    let image =
        Layout::new(shape(&[groups, inputs, size, size, out, out]), [inputs as isize * plane, plane, 0, 0, 0, 0], 0);
    let bias = Layout::new(shape(&[groups, outputs, out, out]), [outputs as isize, 1, 0, 0], 0);
    let kernel = Contract {
        batch: shape(&[groups]),
        m: shape(&[outputs]),
        n: shape(&[out, out]),
        k: shape(&[inputs, size, size]),
        a: Operand::new(DType::F32, dense(&[groups, outputs, inputs, size, size])),
        b: Operand { bounded: vec![bound(0, h), bound(1, 1)], ..Operand::new(DType::F32, image) },
        prologues: [None, None],
        params: vec![],
        epilogue: Epilogue {
            inputs: vec![Operand::new(DType::F32, bias)],
            program: Program::new(&[(x(0) + x(1)).max(0.0)]),
            dtypes: vec![DType::F32],
        },
    };
    launch(bencher, &Kernel::Contract(kernel), 2 * groups * inputs * outputs * out * out * taps as usize);
}

#[divan::bench(args = [1, 2])]
fn depthwise_conv2d(bencher: Bencher, stride: usize) {
    convolve(bencher, [144, 1, 1, 56], [3, stride]);
}

#[divan::bench]
fn pointwise_conv2d(bencher: Bencher) {
    convolve(bencher, [1, 96, 576, 14], [1, 1]);
}

#[divan::bench]
fn first_conv2d(bencher: Bencher) {
    convolve(bencher, [1, 3, 64, 128], [7, 2]);
}

/// A convolution whose weights are larger than its image.
#[divan::bench]
fn last_conv2d(bencher: Bencher) {
    convolve(bencher, [1, 512, 512, 4], [3, 1]);
}

/// An image of `[N, C, H, W]` over N, (C, KH, KW), (OH, OW), for a 3x3 kernel with padding 1.
fn patches(
    [n, c, h, w]: [usize; 4],
    dims: [usize; 6],
    steps: impl Fn(usize) -> [isize; 6],
    strides: [isize; 6],
) -> Operand {
    let bound = |of: usize, size: usize, stride: usize| BoundedIndex {
        steps: steps(of).into_iter().collect(),
        start: -1,
        divisor: 1,
        size,
        stride: stride as isize,
    };
    let _ = (n, c);
    Operand {
        bounded: vec![bound(0, h, w), bound(1, w, 1)],
        ..Operand::new(DType::F32, Layout::new(shape(&dims), strides, 0))
    }
}

#[divan::bench]
fn conv2d(bencher: Bencher) {
    let (n, c, o, h) = (4, 32, 64, 56);
    let plane = (h * h) as isize;
    let steps = |of: usize| if of == 0 { [0, 0, 1, 0, 1, 0] } else { [0, 0, 0, 1, 0, 1] };
    let b = patches([n, c, h, h], [n, c, 3, 3, h, h], steps, [c as isize * plane, plane, 0, 0, 0, 0]);
    let kernel = Contract {
        batch: shape(&[n]),
        m: shape(&[o]),
        n: shape(&[h, h]),
        k: shape(&[c, 3, 3]),
        a: Operand::new(DType::F32, Layout::new(shape(&[n, o, c, 3, 3]), [0, c as isize * 9, 9, 3, 1], 0)),
        b,
        prologues: [None, None],
        params: vec![],
        epilogue: Epilogue::store(Type::F32, DType::F32),
    };
    launch(bencher, &Kernel::Contract(kernel), 2 * n * o * h * h * c * 9);
}

#[divan::bench]
fn conv2d_weight_gradient(bencher: Bencher) {
    let (n, c, o, h) = (4, 32, 64, 56);
    let plane = (h * h) as isize;
    let steps = |of: usize| if of == 0 { [0, 1, 0, 0, 1, 0] } else { [0, 0, 1, 0, 0, 1] };
    let b = patches(
        [n, c, h, h],
        [n, h, h, c, 3, 3],
        |of| {
            let [n, y, x, c, ky, kx] = steps(of);
            [n, y, x, c, ky, kx]
        },
        [c as isize * plane, 0, 0, plane, 0, 0],
    );
    let kernel = Contract {
        batch: shape(&[]),
        m: shape(&[o]),
        n: shape(&[c, 3, 3]),
        k: shape(&[n, h, h]),
        a: Operand::new(DType::F32, Layout::new(shape(&[o, n, h, h]), [plane, o as isize * plane, h as isize, 1], 0)),
        b,
        prologues: [None, None],
        params: vec![],
        epilogue: Epilogue::store(Type::F32, DType::F32),
    };
    launch(bencher, &Kernel::Contract(kernel), 2 * n * o * h * h * c * 9);
}

fn row(outer: &[usize], inner: &[usize], input: Layout) -> FusedReduction {
    let whole = shape(&[outer, inner].concat());
    FusedReduction {
        indices: vec![],
        outer: shape(outer),
        inner: shape(inner),
        inputs: vec![Operand::new(DType::F32, input)],
        params: vec![],
        reductions: vec![],
        rows: Program::new(&[]),
        row_dtypes: vec![],
        elements: Program::new(&[]),
        element_dtypes: vec![DType::F32],
        target: Layout::contiguous(whole),
    }
}

fn softmax_of(rows: FusedReduction) -> Kernel {
    let exp = (x(0) - x(1)).exp();
    let reductions =
        vec![(ReduceOp::Max, identity(Type::F32)), (ReduceOp::Sum, Program::new(std::slice::from_ref(&exp)))];
    Kernel::FusedReduction(FusedReduction { reductions, elements: Program::new(&[exp / x(2)]), ..rows })
}

#[divan::bench]
fn softmax(bencher: Bencher) {
    launch(bencher, &softmax_of(row(&[1024], &[1024], dense(&[1024, 1024]))), 1 << 20);
}

#[divan::bench]
fn softmax_of_short_rows(bencher: Bencher) {
    launch(bencher, &softmax_of(row(&[1 << 16], &[16], dense(&[1 << 16, 16]))), 1 << 20);
}

#[divan::bench]
fn softmax_over_channels(bencher: Bencher) {
    let order = [0, 2, 1];
    let rows = row(&[4, 1024], &[256], dense(&[4, 256, 1024]).permute(&order));
    let target = dense(&[4, 256, 1024]).permute(&order);
    launch(bencher, &softmax_of(FusedReduction { target, ..rows }), 1 << 20);
}

#[divan::bench]
fn layer_norm(bencher: Bencher) {
    let n = 1024;
    let (mean, centred) = (x(3) / n as f64, x(0) - x(3) / n as f64);
    let squares = (x(0) - &mean).square();
    let whole = row(&[n], &[n], dense(&[n, n]));
    let per_element = || Operand::new(DType::F32, Layout::new(shape(&[n, n]), [0, 1], 0));
    let variance = x(4) / n as f64;
    let kernel = FusedReduction {
        inputs: vec![whole.inputs[0].clone(), per_element(), per_element()],
        reductions: vec![(ReduceOp::Sum, identity(Type::F32)), (ReduceOp::Sum, Program::new(&[squares]))],
        elements: Program::new(&[centred * (1.0 / (variance + 1e-5).sqrt()) * x(1) + x(2)]),
        ..whole
    };
    launch(bencher, &Kernel::FusedReduction(kernel), n * n);
}

#[divan::bench]
fn batch_norm_statistics(bencher: Bencher) {
    let layout = dense(&[32, 32, 1024]).permute(&[1, 0, 2]);
    let mean = x(1) / 32768.0;
    let rows = row(&[32], &[32, 1024], layout);
    let kernel = FusedReduction {
        reductions: vec![
            (ReduceOp::Sum, identity(Type::F32)),
            (ReduceOp::Sum, Program::new(&[(x(0) - &mean).square()])),
        ],
        rows: Program::new(&[mean, x(2) / 32768.0]),
        row_dtypes: vec![DType::F32; 2],
        element_dtypes: vec![],
        ..rows
    };
    launch(bencher, &Kernel::FusedReduction(kernel), 1 << 20);
}

fn map(bencher: Bencher, elements: usize, inputs: Vec<Operand>, expr: Expr) {
    let kernel = Map {
        indices: vec![],
        shape: shape(&[elements]),
        inputs,
        params: vec![Type::F32; 2],
        program: Program::new(&[expr]),
        dtypes: vec![DType::F32],
    };
    launch(bencher, &Kernel::Map(kernel), elements);
}

#[divan::bench]
fn elementwise(bencher: Bencher) {
    let n = 1 << 20;
    let operand = Operand::new(DType::F32, dense(&[n]));
    let chain = (x(0) * x(1) + x(0)).tanh() * 0.5 + (-x(1)).exp();
    map(bencher, n, vec![operand.clone(), operand], chain);
}

#[divan::bench]
fn arithmetic(bencher: Bencher) {
    let n = 1 << 20;
    let operand = Operand::new(DType::F32, dense(&[n]));
    let [p, q] = [0, 1].map(|slot| Expr::param(slot, Type::F32));
    map(bencher, n, vec![operand.clone(), operand], (x(0) * p + x(1) * q).max(0.0) - x(0));
}

#[divan::bench]
fn add(bencher: Bencher) {
    let n = 1 << 20;
    let operand = Operand::new(DType::F32, dense(&[n]));
    map(bencher, n, vec![operand.clone(), operand], x(0) + x(1));
}

fn reduce(bencher: Bencher, outer: usize, inner: usize, operand: Operand, op: ReduceOp) {
    let kernel = Reduce {
        indices: vec![],
        outer: shape(&[outer]),
        inner: shape(&[inner]),
        inputs: vec![operand],
        params: vec![],
        prologue: identity(Type::F32),
        op,
        epilogue: Epilogue::store(Type::F32, DType::F32),
    };
    launch(bencher, &Kernel::Reduce(kernel), outer * inner);
}

#[divan::bench]
fn sum_of_rows(bencher: Bencher) {
    reduce(bencher, 1024, 1024, Operand::new(DType::F32, dense(&[1024, 1024])), ReduceOp::Sum);
}

#[divan::bench]
fn sum_of_columns(bencher: Bencher) {
    reduce(bencher, 1024, 1024, Operand::new(DType::F32, dense(&[1024, 1024]).permute(&[1, 0])), ReduceOp::Sum);
}

/// A pooling of 2 x 2 by 2 x 2 of 128 planes of 56 x 56.
fn pool(bencher: Bencher, op: ReduceOp, dtype: DType) {
    let (planes, h) = (128, 56);
    let bound =
        |y: [isize; 5], stride| BoundedIndex { steps: y.into_iter().collect(), start: 0, divisor: 1, size: 56, stride };
    let operand = Operand {
        bounded: vec![bound([0, 2, 0, 1, 0], 56), bound([0, 0, 2, 0, 1], 1)],
        ..Operand::new(DType::F32, Layout::new(shape(&[planes, 28, 28, 2, 2]), [56 * 56, 0, 0, 0, 0], 0))
    };
    let kernel = Reduce {
        indices: vec![],
        outer: shape(&[planes, 28, 28]),
        inner: shape(&[2, 2]),
        inputs: vec![operand],
        params: vec![],
        prologue: identity(Type::F32),
        op,
        epilogue: Epilogue::store(dtype.into(), dtype),
    };
    launch(bencher, &Kernel::Reduce(kernel), planes * h * h);
}

#[divan::bench]
fn max_pool(bencher: Bencher) {
    pool(bencher, ReduceOp::Max, DType::F32);
}

#[divan::bench]
fn positions_of_max_pool(bencher: Bencher) {
    pool(bencher, ReduceOp::ArgMax, DType::I32);
}

/// The gradient of max pooling with disjoint windows: each element tests whether it is the largest
/// of its window.
#[divan::bench]
fn spread_over_windows(bencher: Bencher) {
    let (planes, h) = (128isize, 28isize);
    let wide = |dtype: DType| {
        let layout = Layout::new(shape(&[planes as usize, h as usize, 2, h as usize, 2]), [h * h, h, 0, 1, 0], 0);
        Operand::new(dtype, layout)
    };
    let two = Expr::constant(2.0, Type::U32);
    let (column, row) = (Expr::index(), Expr::index().binary(BinaryOp::Div, Expr::param(0, Type::U32)));
    let [column, row] = [column, row].map(|position| position.binary(BinaryOp::Rem, two.clone()));
    let position = (row * two + column).cast(Type::I32);
    let kernel = Map {
        indices: vec![],
        shape: wide(DType::F32).shape().clone(),
        inputs: vec![wide(DType::F32), wide(DType::I32)],
        params: vec![Type::U32],
        program: Program::new(&[Expr::input(1, Type::I32).equal(position).select(x(0), 0.0).simplify()]),
        dtypes: vec![DType::F32],
    };
    launch(bencher, &Kernel::Map(kernel), (planes * h * h * 4) as usize);
}

/// The gradient of max pooling with windows that may overlap: each element sums over the windows
/// that contain it.
#[divan::bench]
fn sum_over_windows(bencher: Bencher) {
    let planes = 128;
    let wide = |dtype: DType| {
        let bound = |steps: [isize; 5], stride| BoundedIndex {
            steps: steps.into_iter().collect(),
            start: 0,
            divisor: 2,
            size: 28,
            stride,
        };
        let layout = Layout::new(shape(&[planes, 56, 56, 2, 2]), [28 * 28, 0, 0, 0, 0], 0);
        let bounded = vec![bound([0, 1, 0, -1, 0], 28), bound([0, 0, 1, 0, -1], 1)];
        Operand { bounded, outside: Constant::new(0.0, dtype.into()), ..Operand::new(dtype, layout) }
    };
    let position = Expr::index().binary(BinaryOp::Rem, Expr::constant(4.0, Type::U32)).cast(Type::I32);
    let kernel = Reduce {
        indices: vec![],
        outer: shape(&[planes, 56, 56]),
        inner: shape(&[2, 2]),
        inputs: vec![wide(DType::F32), wide(DType::I32)],
        params: vec![],
        prologue: Program::new(&[Expr::input(1, Type::I32).equal(position).select(x(0), 0.0)]),
        op: ReduceOp::Sum,
        epilogue: Epilogue::store(Type::F32, DType::F32),
    };
    launch(bencher, &Kernel::Reduce(kernel), planes * 56 * 56);
}

/// Interleaves the phases of the gradient of a strided convolution.
#[divan::bench]
fn put_together_from_phases(bencher: Bencher) {
    let (planes, h) = (1024, 7);
    let phases = dense(&[planes, 2, 2, h, h]).permute(&[0, 3, 1, 4, 2]);
    let elements = planes * 4 * h * h;
    let kernel = Map {
        indices: vec![],
        shape: phases.shape().clone(),
        inputs: vec![Operand::new(DType::F32, phases)],
        params: vec![],
        program: identity(Type::F32),
        dtypes: vec![DType::F32],
    };
    launch(bencher, &Kernel::Map(kernel), elements);
}

#[divan::bench]
fn padding(bencher: Bencher) {
    let (planes, h) = (128, 58);
    let bound = |steps: [isize; 3], stride| BoundedIndex {
        steps: steps.into_iter().collect(),
        start: -1,
        divisor: 1,
        size: 56,
        stride,
    };
    let operand = Operand {
        bounded: vec![bound([0, 1, 0], 56), bound([0, 0, 1], 1)],
        ..Operand::new(DType::F32, Layout::new(shape(&[planes, h, h]), [56 * 56, 0, 0], 0))
    };
    let kernel = Map {
        indices: vec![],
        shape: shape(&[planes, h, h]),
        inputs: vec![operand],
        params: vec![],
        program: identity(Type::F32),
        dtypes: vec![DType::F32],
    };
    launch(bencher, &Kernel::Map(kernel), planes * h * h);
}
