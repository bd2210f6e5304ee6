//! Every op in dtypes in which no sample is declared: float16 and bfloat16 compared with the same
//! numbers in float64, other integer types compared with int32.

use crate::{
    Report,
    compare::{Tolerance, close},
    samples::{MemoryLayout, Outcome, RANDOM, SampleForm, run},
    selection,
};
use lanthorn::{
    DType, Device,
    ops::{Arg, Op},
    samples::{Sample, SampleArg},
};

/// Whether a sample has a tensor of a kind.
fn has(sample: &Sample, wanted: impl Fn(DType) -> bool) -> bool {
    sample.args.iter().any(|arg| match arg {
        SampleArg::Tensor(spec) | SampleArg::Matrices(spec, _) => wanted(spec.dtype),
        SampleArg::Tensors(specs) => specs.iter().any(|spec| wanted(spec.dtype)),
        SampleArg::Value(Arg::DType(dtype)) => wanted(*dtype),
        SampleArg::Value(_) => false,
    })
}

/// Compares numbers within `unit` of the largest: an op of several steps rounds after each, and
/// cancellation loses digits.
fn near(got: &[f64], want: &[f64], unit: f64) -> Result<(), String> {
    let largest =
        want.iter().copied().filter(|value| value.is_finite()).fold(1.0, |largest, value| value.abs().max(largest));
    close(got, want, Tolerance { atol: unit * largest, rtol: unit })
}

fn agree(got: &Outcome, want: &Outcome, half: DType, unit: f64) -> Result<(), String> {
    for (index, (got, want)) in got.results.iter().zip(&want.results).enumerate() {
        let dtype = if want.dtype == DType::F64 { half } else { want.dtype };
        if (&got.shape, got.dtype) != (&want.shape, dtype) {
            return Err(format!("result {index} is {} {:?}, expected {dtype} {:?}", got.dtype, got.shape, want.shape));
        }
        let outcome = if dtype.is_floating_point() {
            near(&got.values, &want.values, unit)
        } else {
            close(&got.values, &want.values, Tolerance::EXACT)
        };
        outcome.map_err(|why| format!("result {index}: {why}"))?;
    }
    for (index, (got, want)) in got.gradients.iter().zip(&want.gradients).enumerate() {
        match (got, want) {
            (None, None) => {}
            (Some(got), Some(want)) => near(got, want, unit).map_err(|why| format!("gradient {index}: {why}"))?,
            _ => return Err(format!("gradient {index} on one side alone")),
        }
    }
    match (got.results.len(), got.gradients.len()) == (want.results.len(), want.gradients.len()) {
        true => Ok(()),
        false => Err("another number of results or gradients".into()),
    }
}

/// The selected ops of the table, with their samples.
fn samples(wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = (&'static Op, usize, Sample)> {
    let asked = selection::ops().filter(move |op| wanted(op.name()) && !RANDOM.contains(&op.base_name()));
    asked.flat_map(|op| (op.samples)().into_iter().enumerate().map(move |(number, sample)| (op, number, sample)))
}

/// Checks the ops that `wanted` accepts on `device` in the type `half` against `reference`, which
/// must support float64, with the same numbers.
///
/// An op that does not support the type must return a dtype error, as PyTorch's linear algebra
/// does, and is skipped.
pub async fn check_half(device: &Device, reference: &Device, half: DType, wanted: impl Fn(&str) -> bool) -> Report {
    let mut report = Report::default();
    // Eight times the distance from a number to the nearest one of the type.
    let unit = if half == DType::F16 { 8.0 / 2048.0 } else { 8.0 / 256.0 };
    for (op, number, sample) in samples(wanted) {
        // Their results are float64 for any input.
        if !has(&sample, DType::is_floating_point) || ["double", "float_power"].contains(&op.base_name()) {
            continue;
        }
        let exact = SampleForm { exact_in: half, ..SampleForm::new(DType::F64, MemoryLayout::Contiguous) };
        let Ok(want) = run(op, &sample, exact, reference).await else { continue };
        let outcome = match run(op, &sample, SampleForm::new(half, MemoryLayout::Contiguous), device).await {
            Err(error) if error.is_dtype() => continue,
            Err(error) => Err(error.to_string()),
            Ok(got) => agree(&got, &want, half, unit),
        };
        report.check(format_args!("{} sample {number} in {half}", op.name()), outcome);
    }
    report
}

/// Checks the ops that `wanted` accepts with tensors of another integer type in place of int32, on
/// a device that supports it. The type must hold the numbers of the samples.
pub async fn check_integer(device: &Device, integer: DType, wanted: impl Fn(&str) -> bool) -> Report {
    let mut report = Report::default();
    for (op, number, sample) in samples(wanted) {
        // The number of bits to shift depends on the width.
        if !has(&sample, |dtype| dtype == DType::I32) || op.base_name() == "bitwise_left_shift" {
            continue;
        }
        let int32 = SampleForm::new(DType::F32, MemoryLayout::Contiguous);
        let Ok(want) = run(op, &sample, int32, device).await else { continue };
        let got = run(op, &sample, SampleForm { integer, ..int32 }, device).await;
        let outcome = got.map_err(|error| error.to_string()).and_then(|got| {
            for (got, want) in got.results.iter().zip(&want.results) {
                let integral = |dtype: DType| dtype == DType::I32 || dtype == integer;
                if got.shape != want.shape
                    || (got.dtype != want.dtype && !(integral(got.dtype) && integral(want.dtype)))
                {
                    return Err(format!("{} {:?}, expected {} {:?}", got.dtype, got.shape, want.dtype, want.shape));
                }
                close(&got.values, &want.values, Tolerance::FLOAT32.of(want.dtype))?;
            }
            Ok(())
        });
        report.check(format_args!("{} sample {number} in {integer}", op.name()), outcome);
    }
    report
}
