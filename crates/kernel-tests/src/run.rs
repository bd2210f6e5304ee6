//! Running one kernel on a backend, and comparing it with the reference.

use crate::{assert_close, assert_within, from_bytes, reference, to_bytes};
use lanthorn_ir::{
    Backend, DType, Kernel,
    backend::{Alias, BufferId, InPlace, Launch, Read},
    expr::Constant,
};

/// Receives each kernel before it is compiled. A backend that generates source text validates it
/// here.
pub type Inspect<'a> = &'a dyn Fn(&Kernel);

/// A new buffer that holds these elements.
pub fn upload(backend: &dyn Backend, dtype: DType, values: &[f64]) -> BufferId {
    let buffer = backend.allocate(backend.storage_bytes(dtype, values.len())).unwrap();
    backend.upload(buffer, dtype, 0, &to_bytes(dtype, values)).unwrap();
    buffer
}

/// The outputs of one kernel as bytes, with their types. An output that is updated holds `base`
/// before.
async fn run_bytes_async(
    backend: &dyn Backend,
    kernel: &Kernel,
    inputs: &[(DType, &[f64])],
    params: &[Constant],
    base: Option<&[f64]>,
) -> Vec<(DType, Vec<u8>)> {
    let compiled = backend.compile("test", kernel, &[]).unwrap_or_else(|error| panic!("{error}"));
    let inputs: Vec<BufferId> = inputs.iter().map(|(dtype, values)| upload(backend, *dtype, values)).collect();
    let specs: Vec<(DType, usize)> =
        kernel.outputs().into_iter().map(|(dtype, n)| (dtype, base.map_or(n, <[f64]>::len))).collect();
    let outputs: Vec<BufferId> = specs
        .iter()
        .map(|&(dtype, n)| match base {
            Some(base) => upload(backend, dtype, base),
            None => backend.allocate(backend.storage_bytes(dtype, n)).unwrap(),
        })
        .collect();
    let reads: Vec<Read> = outputs
        .iter()
        .zip(&specs)
        .map(|(&buffer, &(dtype, elements))| Read { buffer, dtype, offset: 0, elements })
        .collect();
    let launch = Launch {
        op: "test",
        kernel: compiled,
        inputs: inputs.clone().into(),
        outputs: outputs.clone().into(),
        params: params.into(),
    };
    let submission = backend.submit(&[launch], &reads);
    let mut results = Vec::new();
    for (read, &(dtype, _)) in submission.reads.into_iter().zip(&specs) {
        results.push((dtype, read.await.unwrap()));
    }
    let failures = backend.failures();
    assert!(failures.is_empty(), "{failures:?}");
    inputs.iter().chain(&outputs).for_each(|&buffer| backend.free(buffer));
    results
}

/// The outputs of one kernel as bytes, with their types. An output that is updated holds `base`
/// before.
pub fn run_bytes(
    backend: &dyn Backend,
    kernel: &Kernel,
    inputs: &[(DType, &[f64])],
    params: &[Constant],
    base: Option<&[f64]>,
) -> Vec<(DType, Vec<u8>)> {
    pollster::block_on(run_bytes_async(backend, kernel, inputs, params, base))
}

fn as_numbers(results: Vec<(DType, Vec<u8>)>) -> Vec<Vec<f64>> {
    results.into_iter().map(|(dtype, bytes)| from_bytes(dtype, &bytes)).collect()
}

/// [`run`] for a page, in which the thread cannot wait.
pub async fn run_async(
    backend: &dyn Backend,
    kernel: &Kernel,
    inputs: &[(DType, &[f64])],
    params: &[Constant],
    base: Option<&[f64]>,
) -> Vec<Vec<f64>> {
    as_numbers(run_bytes_async(backend, kernel, inputs, params, base).await)
}

/// The outputs of one kernel as float64; see [`run_bytes`].
pub fn run(
    backend: &dyn Backend,
    kernel: &Kernel,
    inputs: &[(DType, &[f64])],
    params: &[Constant],
    base: Option<&[f64]>,
) -> Vec<Vec<f64>> {
    as_numbers(run_bytes(backend, kernel, inputs, params, base))
}

/// Runs a kernel that allocates its outputs on buffers of these numbers, and compares it with the
/// reference.
pub fn check_kernel(backend: &dyn Backend, inspect: Inspect, kernel: &Kernel, inputs: &[&[f64]], params: &[Constant]) {
    let typed: Vec<(DType, &[f64])> = kernel.input_dtypes().into_iter().zip(inputs.iter().copied()).collect();
    inspect(kernel);
    let want = reference::outputs(kernel, inputs, params);
    let got = run(backend, kernel, &typed, params, None);
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(&want) {
        assert_within(got, want, 2e-6, 1e-5);
    }
}

/// Runs a kernel with several inputs of one buffer, and compares it with the reference. Input `i`
/// is number `sources[i]` of `buffers`.
pub fn check_repeated(backend: &dyn Backend, kernel: &Kernel, sources: &[usize], buffers: &[&[f64]]) {
    let given: Vec<&[f64]> = sources.iter().map(|&source| buffers[source]).collect();
    let want = reference::outputs(kernel, &given, &[]);
    let dtype = |buffer| kernel.input_dtypes()[sources.iter().position(|&source| source == buffer).unwrap()];
    let held: Vec<BufferId> = (0..buffers.len()).map(|at| upload(backend, dtype(at), buffers[at])).collect();
    let inputs: Vec<BufferId> = sources.iter().map(|&source| held[source]).collect();
    let aliases: Vec<Alias> = Alias::find_repeated(sources).collect();
    let compiled = backend.compile("test", kernel, &aliases).unwrap();
    let specs = kernel.outputs();
    let allocate = |&(dtype, elements)| backend.allocate(backend.storage_bytes(dtype, elements)).unwrap();
    let outputs: Vec<BufferId> = specs.iter().map(allocate).collect();
    let read = |(&buffer, &(dtype, elements))| Read { buffer, dtype, offset: 0, elements };
    let reads: Vec<Read> = outputs.iter().zip(&specs).map(read).collect();
    let launch =
        Launch { op: "test", kernel: compiled, inputs: inputs.into(), outputs: outputs.into(), params: vec![].into() };
    let submission = backend.submit(&[launch], &reads);
    for ((read, &(dtype, _)), want) in submission.reads.into_iter().zip(&specs).zip(&want) {
        assert_within(&from_bytes(dtype, &pollster::block_on(read).unwrap()), want, 2e-6, 1e-5);
    }
    assert!(backend.failures().is_empty());
}

/// Runs a kernel whose output replaces an input in its buffer, and compares it with the reference.
pub fn check_in_place(backend: &dyn Backend, kernel: &Kernel, pair: InPlace, inputs: &[&[f64]]) {
    assert!(kernel.can_replace(pair.input, pair.output));
    let want = reference::outputs(kernel, inputs, &[]);
    let operands = kernel.operands();
    let inputs: Vec<_> =
        operands.iter().zip(inputs).map(|(operand, values)| upload(backend, operand.dtype(), values)).collect();
    let specs = kernel.outputs();
    let output = |(at, &(dtype, elements)): (usize, &(DType, usize))| {
        if at == pair.output {
            inputs[pair.input]
        } else {
            backend.allocate(backend.storage_bytes(dtype, elements)).unwrap()
        }
    };
    let outputs: Vec<_> = specs.iter().enumerate().map(output).collect();
    let read = |(&buffer, &(dtype, elements))| Read { buffer, dtype, offset: 0, elements };
    let reads: Vec<Read> = outputs.iter().zip(&specs).map(read).collect();
    let compiled = backend.compile("test", kernel, &[Alias::InPlace(pair)]).unwrap();
    let launch =
        Launch { op: "test", kernel: compiled, inputs: inputs.into(), outputs: outputs.into(), params: vec![].into() };
    let submission = backend.submit(&[launch], &reads);
    for ((read, &(dtype, _)), want) in submission.reads.into_iter().zip(&specs).zip(&want) {
        assert_close(&from_bytes(dtype, &pollster::block_on(read).unwrap()), want);
    }
    assert!(backend.failures().is_empty());
}
