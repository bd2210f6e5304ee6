//! Kernels of every kind, dtype and layout have the same results in the emulator, with CUDA's text,
//! as on the CPU backend.

use lanthorn_cpu::CpuBackend;
use lanthorn_cuda::emulator::{Options, open};
use lanthorn_ir::{
    Backend, DType, Kernel, Layout,
    backend::{BufferId, Launch, Read, Tuner},
    expr::{BinaryOp, Constant, Expr, Program, Type},
    kernel::{Gather, Map, Operand},
    random,
};
use lanthorn_kernel_tests::{attention, contiguous, corpus, from_bytes, rotation, shape, to_bytes};
use pollster::block_on;

/// The contents of a buffer.
#[derive(Clone, Copy)]
enum Content {
    /// Numbers whose sums and products do not overflow.
    Mild,
    /// The same, and special values among them: limits, infinities, NaN.
    Special,
    /// Indices below this size.
    Indices(usize),
}

fn number(dtype: DType, content: Content, seed: u32, at: usize) -> f64 {
    let word = random::threefry([seed, 7], [at as u32, 0]);
    match content {
        Content::Indices(extent) => return f64::from(word % extent as u32),
        Content::Special if word.is_multiple_of(5) => {
            let specials: &[f64] = match dtype {
                DType::Bool => &[0.0, 1.0],
                DType::U8 => &[0.0, 255.0, 128.0],
                DType::I32 => &[0.0, -1.0, i32::MIN as f64, i32::MAX as f64, 31.0, 32.0],
                DType::I64 => &[0.0, -1.0, i64::MIN as f64, 1e18, 63.0, 64.0],
                _ => &[0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 3e9, -5e18, 0.5, -0.5, 1e-30, 2.0],
            };
            return specials[word as usize / 5 % specials.len()];
        }
        _ => {}
    }
    let unit = f64::from(word) / 4_294_967_296.0;
    match dtype {
        DType::Bool => f64::from(word & 1),
        DType::U8 => f64::from(word % 7),
        DType::I32 | DType::I64 => f64::from(word % 11) - 5.0,
        _ => unit * 3.0 - 1.5,
    }
}

fn bytes(dtype: DType, content: Content, seed: u32, elements: usize) -> Vec<u8> {
    to_bytes(dtype, &(0..elements).map(|at| number(dtype, content, seed, at)).collect::<Vec<_>>())
}

fn reach(layout: &Layout) -> usize {
    let far = layout.shape().iter().zip(layout.strides()).map(|(&size, &stride)| stride.max(0) as usize * (size - 1));
    layout.offset() + far.sum::<usize>() + 1
}

/// The buffers that a kernel reads: dtype, elements, content.
fn inputs(kernel: &Kernel) -> Vec<(DType, usize, Content)> {
    let contents = match kernel {
        Kernel::Gather(gather) => vec![Content::Special, Content::Indices(gather.extent)],
        Kernel::Scatter(scatter) => vec![Content::Mild, Content::Indices(scatter.output[scatter.dim])],
        Kernel::Map(_) | Kernel::Maps(_) | Kernel::Sort(_) | Kernel::Copy(_) => {
            vec![Content::Special; kernel.input_count()]
        }
        Kernel::Attention(attention) => {
            // At least one key is not filled.
            let lengths = Content::Indices(attention.extents()[2]);
            let content = |operand: &Operand| if operand.encoding == DType::I32 { lengths } else { Content::Mild };
            kernel.operands().into_iter().map(content).collect()
        }
        _ => vec![Content::Mild; kernel.input_count()],
    };
    let operands = kernel.operands().into_iter().map(|operand| (operand.dtype(), operand.extent().unwrap()));
    let sources = kernel.sources().into_iter().map(|(dtype, layout)| (dtype, reach(&layout)));
    operands.chain(sources).zip(contents).map(|((dtype, elements), content)| (dtype, elements, content)).collect()
}

fn outputs(kernel: &Kernel) -> Vec<(DType, usize)> {
    match kernel {
        Kernel::Copy(copy) => vec![(copy.dtype, reach(&copy.target))],
        _ => kernel.outputs(),
    }
}

fn param(kernel: &Kernel, ty: Type) -> Constant {
    match (kernel, ty) {
        (_, Type::Bool) => Constant::Bool(true),
        // A window of a few keys.
        (Kernel::Attention(_), Type::I32) => Constant::I32(3),
        // Small scores, as in a model.
        (Kernel::Attention(_), _) => Constant::new(0.125, ty),
        _ => Constant::new(1.5, ty),
    }
}

/// The results of a kernel on a device, by the variant of this name if there is one. `None` if the
/// device does not support the kernel.
fn run(device: &dyn Backend, kernel: &Kernel, variant: Option<&str>) -> Option<Vec<Vec<f64>>> {
    let compiled = match variant {
        Some(variant) => device.tuner().expect("variants have a tuner").compile_variant("test", kernel, &[], variant),
        None => device.compile("test", kernel, &[]),
    };
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => {
            assert!(!error.to_string().contains("error:"), "{error}");
            return None;
        }
    };
    let fill = |dtype: DType, elements: usize, content, seed| {
        let buffer = device.allocate(device.storage_bytes(dtype, elements)).unwrap();
        device.upload(buffer, dtype, 0, &bytes(dtype, content, seed, elements)).unwrap();
        buffer
    };
    let inputs = inputs(kernel).into_iter().zip(1..);
    let inputs: Vec<BufferId> =
        inputs.map(|((dtype, elements, content), seed)| fill(dtype, elements, content, seed)).collect();
    let specs = outputs(kernel);
    let outputs: Vec<BufferId> =
        specs.iter().map(|&(dtype, elements)| fill(dtype, elements, Content::Mild, 99)).collect();
    let reads = outputs.iter().zip(&specs);
    let reads: Vec<Read> =
        reads.map(|(&buffer, &(dtype, elements))| Read { buffer, dtype, offset: 0, elements }).collect();
    let params = kernel.params().iter().map(|&ty| param(kernel, ty)).collect();
    let launch =
        Launch { op: "test", kernel: compiled, inputs: inputs.clone().into(), outputs: outputs.clone().into(), params };
    let submission = device.submit(&[launch], &reads);
    let results: Vec<Vec<f64>> = submission
        .reads
        .into_iter()
        .zip(&specs)
        .map(|(read, &(dtype, _))| block_on(read).map_or_else(|_| vec![], |bytes| from_bytes(dtype, &bytes)))
        .collect();
    let failures = device.failures();
    if device.capabilities().name == "cpu" && !failures.is_empty() {
        return None;
    }
    assert!(failures.is_empty(), "{failures:?}\n{kernel:?}");
    inputs.into_iter().chain(outputs).for_each(|buffer| device.free(buffer));
    Some(results)
}

/// The tolerance of a dtype's results, relative and absolute.
fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2e-3,
        DType::BF16 => 1.6e-2,
        DType::F32 => 1e-5,
        DType::F64 => 1e-10,
        _ => 0.0,
    }
}

/// Each run compiles one kernel in `EVERY`, in rotation.
const EVERY: usize = 4;

/// Compares kernels with the CPU's results, within `times` the tolerance of a dtype, and asserts
/// that at least `at_least` of all kernels ran, or the run's share of them.
fn compare(kernels: Vec<Kernel>, times: f64, at_least: usize) {
    let emulator = open(Options { checked: true, ..Options::default() }).unwrap();
    let cpu = CpuBackend::new();
    let mut compared = 0;
    for (_, kernel) in kernels.iter().enumerate().filter(|(index, _)| rotation::takes(*index, EVERY)) {
        let Some(want) = run(&cpu, kernel, None) else { continue };
        let variants = emulator.tunable(kernel).map_or(vec![], |tunable| tunable.variants);
        // There are many reductions and rows, and the texts of their variants differ little.
        let varied = match kernel {
            Kernel::Contract(contract) => contract.a.encoding == DType::F32,
            other => matches!(other, Kernel::Scan(_)),
        };
        let variants = if varied { &variants[..] } else { &[] };
        for variant in variants.iter().copied().map(Some).chain([None]) {
            let got = run(&emulator, kernel, variant)
                .unwrap_or_else(|| panic!("the emulator has not what the CPU has: {kernel:?}"));
            for ((got, want), (dtype, _)) in got.iter().zip(&want).zip(outputs(kernel)) {
                let within = times * tolerance(dtype);
                for (at, (&got, &want)) in got.iter().zip(want).enumerate() {
                    let same = got == want
                        || (got.is_nan() && want.is_nan())
                        || (got - want).abs() <= within * (1.0 + want.abs());
                    assert!(same, "{variant:?}, element {at}: {got}, and {want} on the CPU\n{kernel:?}");
                }
            }
        }
        compared += 1;
    }
    let at_least = if rotation::rotation().is_some() { at_least / EVERY - at_least / 10 } else { at_least };
    assert!(compared >= at_least, "{compared} kernels ran");
}

#[test]
fn functions_of_one_value_and_conversions() {
    compare(corpus::unary(), 1.0, 100);
}

#[test]
fn functions_of_two_values() {
    compare(corpus::binary(), 1.0, 100);
}

#[test]
fn affine_indices() {
    compare(corpus::affine::all(), 1.0, 15);
}

#[test]
fn maps_of_every_walk() {
    compare(corpus::layouts(), 1.0, 50);
}

#[test]
fn reductions_rows_and_scans() {
    // Sums of up to 100,000 numbers, most of which cancel.
    compare(corpus::reductions(), 10.0, 150);
}

#[test]
fn sorts_and_scatters() {
    compare(corpus::sorts(), 1.0, 100);
}

#[test]
fn products() {
    compare(corpus::products(), 10.0, 50);
}

#[test]
fn products_of_formulas() {
    compare(corpus::prologues(), 10.0, 50);
}

#[test]
fn attentions() {
    compare(corpus::attentions(), 10.0, 30);
}

#[test]
fn attention_agrees_with_its_definition() {
    let emulator = open(Options::default()).unwrap();
    attention::lengths(&emulator, &|_| {});
    attention::options(&emulator, &|_| {});
    attention::random(&emulator, &|_| {}, 0..12);
    attention::inconsistent_options_are_refused(&emulator);
}

#[test]
fn an_index_out_of_range_is_a_failure_of_the_launch() {
    let emulator = open(Options { checked: true, ..Options::default() }).unwrap();
    let layout = contiguous(&[4]);
    let picked = Gather {
        shape: shape(&[4]),
        dtype: DType::U8,
        source: Layout::new(shape(&[4]), [0], 0),
        stride: 1,
        extent: 3,
        index: layout.clone(),
    };
    let (index, extent) = (Expr::input(1, Type::I32), Expr::param(0, Type::I32));
    let checked = Map {
        indices: vec![],
        shape: shape(&[4]),
        inputs: [DType::U8, DType::I32].map(|dtype| Operand::new(dtype, layout.clone())).to_vec(),
        params: vec![Type::I32],
        program: Program::new(&[index.binary(BinaryOp::CheckIndex, extent).cast(Type::U8)]),
        dtypes: vec![DType::U8],
    };
    for (kernel, params) in [(Kernel::Gather(picked), vec![]), (Kernel::Map(checked), vec![Constant::I32(3)])] {
        for (indices, fails) in [([0, 1, 2, 0], false), ([0, 3, 1, 1], true), ([0, -1, 1, 1], true)] {
            let compiled = emulator.compile("pick", &kernel, &[]).unwrap();
            let [source, index, output] = [16; 3].map(|bytes| emulator.allocate(bytes).unwrap());
            emulator.upload(source, DType::U8, 0, &[7, 8, 9, 0]).unwrap();
            emulator.upload(index, DType::I32, 0, &indices.map(i32::to_le_bytes).concat()).unwrap();
            let launch = Launch {
                op: "pick",
                kernel: compiled,
                inputs: vec![source, index].into(),
                outputs: vec![output].into(),
                params: params.clone().into(),
            };
            emulator.submit(&[launch], &[]);
            block_on(emulator.synchronize()).unwrap();
            assert_eq!(emulator.failures().len(), usize::from(fails), "{indices:?} {kernel:?}");
        }
    }
}
