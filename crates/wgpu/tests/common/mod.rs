//! What the tests share: tensors as numbers, a way to run one kernel, and the kernels written naively.
#![allow(dead_code, missing_docs, unused_imports)]

pub mod convolution;
pub mod fused_reductions;
pub mod reference;

use lanthorn_ir::{
    Backend, DType, Kernel, Layout, Shape,
    backend::{BufferId, InPlace, Launch, Read},
    expr::Constant,
    half,
    kernel::Operand,
};
use lanthorn_wgpu::{Options, Tuning, WgpuBackend};

/// A missing adapter fails the test: it never skips.
#[cfg(not(target_arch = "wasm32"))]
pub fn open(options: Options) -> WgpuBackend {
    pollster::block_on(WgpuBackend::new(Options { poison: true, ..options }))
        .expect("a WebGPU adapter; natively e.g. Mesa's lavapipe")
}

#[cfg(not(target_arch = "wasm32"))]
pub fn backend() -> WgpuBackend {
    open(Options::default())
}

#[cfg(not(target_arch = "wasm32"))]
pub fn tuned(tuning: Tuning) -> WgpuBackend {
    open(Options { tuning, ..Options::default() })
}

pub fn to_bytes(dtype: DType, values: &[f64]) -> Vec<u8> {
    match dtype {
        DType::Bool => values.iter().map(|&v| u8::from(v != 0.0)).collect(),
        DType::U8 => values.iter().map(|&v| v as u8).collect(),
        DType::I32 => values.iter().flat_map(|&v| (v as i32).to_le_bytes()).collect(),
        DType::F16 => values.iter().flat_map(|&v| half::f16_from_f32(v as f32).to_le_bytes()).collect(),
        DType::BF16 => values.iter().flat_map(|&v| half::bf16_from_f32(v as f32).to_le_bytes()).collect(),
        DType::F32 => values.iter().flat_map(|&v| (v as f32).to_le_bytes()).collect(),
        DType::I64 => values.iter().flat_map(|&v| (v as i64).to_le_bytes()).collect(),
        DType::F64 => values.iter().flat_map(|&v| v.to_le_bytes()).collect(),
    }
}

pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    let word = |b: &[u8]| [b[0], b[1], b[2], b[3]];
    match dtype {
        DType::Bool | DType::U8 => bytes.iter().map(|&b| f64::from(b)).collect(),
        DType::I32 => bytes.chunks_exact(4).map(|b| f64::from(i32::from_le_bytes(word(b)))).collect(),
        DType::F32 => bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(word(b)))).collect(),
        DType::F16 => bytes.chunks_exact(2).map(|b| f64::from(half::f16_to_f32(u16::from_le_bytes([b[0], b[1]])))).collect(),
        DType::BF16 => bytes.chunks_exact(2).map(|b| f64::from(half::bf16_to_f32(u16::from_le_bytes([b[0], b[1]])))).collect(),
        DType::I64 | DType::F64 => unreachable!("the device has none"),
    }
}

pub fn upload(backend: &WgpuBackend, dtype: DType, values: &[f64]) -> BufferId {
    let buffer = backend.allocate(backend.storage_bytes(dtype, values.len())).unwrap();
    backend.upload(buffer, dtype, &to_bytes(dtype, values)).unwrap();
    buffer
}

/// Runs one kernel. `base` is what an updated output holds before.
#[cfg(not(target_arch = "wasm32"))]
pub fn run_bytes(
    backend: &WgpuBackend,
    kernel: &Kernel,
    inputs: &[(DType, &[f64])],
    params: &[Constant],
    base: Option<&[f64]>,
) -> Vec<(DType, Vec<u8>)> {
    let compiled = backend.compile("test", kernel, &[]).unwrap_or_else(|error| panic!("{error}"));
    let inputs: Vec<BufferId> = inputs.iter().map(|(dtype, values)| upload(backend, *dtype, values)).collect();
    let specs: Vec<(DType, usize)> = kernel.outputs().into_iter().map(|(dtype, n)| (dtype, base.map_or(n, <[f64]>::len))).collect();
    let outputs: Vec<BufferId> = specs
        .iter()
        .map(|&(dtype, n)| match base {
            Some(base) => upload(backend, dtype, base),
            None => backend.allocate(backend.storage_bytes(dtype, n)).unwrap(),
        })
        .collect();
    let reads: Vec<Read> =
        outputs.iter().zip(&specs).map(|(&buffer, &(dtype, elements))| Read { buffer, dtype, offset: 0, elements }).collect();
    let launch = Launch { op: "test", kernel: compiled, inputs: inputs.clone(), outputs: outputs.clone(), params: params.to_vec() };
    let submission = backend.submit(&[launch], &reads);
    let results =
        submission.reads.into_iter().zip(&specs).map(|(read, &(dtype, _))| (dtype, pollster::block_on(read).unwrap())).collect();
    let failures = backend.failures();
    assert!(failures.is_empty(), "{failures:?}");
    inputs.iter().chain(&outputs).for_each(|&buffer| backend.free(buffer));
    results
}

#[cfg(not(target_arch = "wasm32"))]
pub fn run(
    backend: &WgpuBackend,
    kernel: &Kernel,
    inputs: &[(DType, &[f64])],
    params: &[Constant],
    base: Option<&[f64]>,
) -> Vec<Vec<f64>> {
    run_bytes(backend, kernel, inputs, params, base).into_iter().map(|(dtype, bytes)| from_bytes(dtype, &bytes)).collect()
}

/// Holds a shader to the language without extensions, but for quads and float16 where it uses them: what a browser takes.
#[cfg(not(target_arch = "wasm32"))]
pub fn validate(source: &str) {
    let module =
        wgpu::naga::front::wgsl::parse_str(source).unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string(source)));
    use wgpu::naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
    let quads = source.contains("quadSwap");
    let mut capabilities = Capabilities::empty();
    capabilities.set(Capabilities::SUBGROUP, quads);
    capabilities.set(Capabilities::SHADER_FLOAT16, source.starts_with("enable f16;"));
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.subgroup_stages(ShaderStages::COMPUTE).subgroup_operations(SubgroupOperationSet::QUAD_FRAGMENT_COMPUTE);
    validator.validate(&module).unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string(source)));
}

/// Runs a kernel on buffers of these numbers, and holds it to its naive form.
#[cfg(not(target_arch = "wasm32"))]
pub fn check_kernel(backend: &WgpuBackend, kernel: &Kernel, inputs: &[&[f64]], params: &[Constant]) {
    let dtypes = match kernel {
        Kernel::Sort(sort) => vec![sort.dtype],
        _ => kernel.operands().iter().map(|input| input.dtype).collect(),
    };
    let typed: Vec<(DType, &[f64])> = dtypes.into_iter().zip(inputs.iter().copied()).collect();
    backend.shaders("test", kernel).unwrap().iter().for_each(|source| validate(source));
    let want = reference::outputs(kernel, inputs, params);
    let got = run(backend, kernel, &typed, params, None);
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(&want) {
        assert_within(got, want, 2e-6, 1e-5);
    }
}

/// Runs a kernel that replaces an input by an output, and holds it to its naive form.
#[cfg(not(target_arch = "wasm32"))]
pub fn check_in_place(backend: &WgpuBackend, kernel: &Kernel, pair: InPlace, inputs: &[&[f64]]) {
    assert!(kernel.can_replace(pair.input, pair.output));
    let want = reference::outputs(kernel, inputs, &[]);
    let operands = kernel.operands();
    let inputs: Vec<_> = operands.iter().zip(inputs).map(|(operand, values)| upload(backend, operand.dtype, values)).collect();
    let specs = kernel.outputs();
    let output = |(at, &(dtype, elements)): (usize, &(DType, usize))| {
        if at == pair.output { inputs[pair.input] } else { backend.allocate(backend.storage_bytes(dtype, elements)).unwrap() }
    };
    let outputs: Vec<_> = specs.iter().enumerate().map(output).collect();
    let read = |(&buffer, &(dtype, elements))| Read { buffer, dtype, offset: 0, elements };
    let reads: Vec<Read> = outputs.iter().zip(&specs).map(read).collect();
    let compiled = backend.compile("test", kernel, &[pair]).unwrap();
    let launch = Launch { op: "test", kernel: compiled, inputs, outputs, params: vec![] };
    let submission = backend.submit(&[launch], &reads);
    for ((read, &(dtype, _)), want) in submission.reads.into_iter().zip(&specs).zip(&want) {
        assert_close(&from_bytes(dtype, &pollster::block_on(read).unwrap()), want);
    }
    assert!(backend.failures().is_empty());
}

pub fn shape(dims: &[usize]) -> Shape {
    Shape::from_dims(dims.iter().copied())
}

pub fn contiguous(dims: &[usize]) -> Layout {
    Layout::contiguous(shape(dims))
}

pub fn operand(dtype: DType, layout: Layout) -> Operand {
    Operand::new(dtype, layout)
}

/// Numbers that look random and are the same in every run.
pub fn numbers(n: usize, seed: u32, scale: f64) -> Vec<f64> {
    (0..n as u32)
        .map(|i| {
            let word = lanthorn_ir::random::threefry([seed, 17], [i, 0]);
            f64::from(((f64::from(word) / 4_294_967_296.0 - 0.5) * 2.0 * scale) as f32)
        })
        .collect()
}

pub fn integers(n: usize, seed: u32, low: i32, high: i32) -> Vec<f64> {
    let span = (high - low) as u32;
    (0..n as u32).map(|i| f64::from(low + (lanthorn_ir::random::threefry([seed, 29], [i, 0]) % span) as i32)).collect()
}

/// PyTorch's `allclose` for float32, with NaN equal to NaN.
pub fn assert_close(got: &[f64], want: &[f64]) {
    assert_within(got, want, 1.3e-6, 1e-5);
}

pub fn assert_within(got: &[f64], want: &[f64], rtol: f64, atol: f64) {
    assert_eq!(got.len(), want.len());
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        let same = g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= atol + rtol * w.abs();
        assert!(same, "element {i}: got {g}, want {w}");
    }
}
