//! Compares results with the file's.

use super::{
    call::Trouble,
    file::{GoldenFile, Sample, Stored, Value},
    tensors::{dtype, numbers},
    tolerance::{Part, Strictness, tolerance},
};
use crate::compare::{Tolerance, worst};
use lanthorn::{DType, Result as TensorResult, Tensor, samples::from_bytes};
use pollster::block_on;
use std::{future::Future, pin::Pin};

/// One result of an op.
#[derive(Debug)]
pub enum Result {
    /// A tensor.
    Tensor(Tensor),
    /// A number or truth value.
    Number(f64),
    /// The name of a type.
    Text(String),
}

/// A tensor on the host.
pub struct Host {
    /// The sizes.
    pub shape: Vec<usize>,
    /// The element type.
    pub dtype: DType,
    /// The elements.
    pub values: Vec<f64>,
}

/// A tensor on its way to the host.
pub struct Reading {
    shape: Vec<usize>,
    dtype: DType,
    bytes: Pin<Box<dyn Future<Output = TensorResult<Vec<u8>>>>>,
}

impl Host {
    /// Begins to read tensors. What is recorded runs once, for all of them.
    pub fn start(tensors: &[Tensor]) -> TensorResult<Vec<Reading>> {
        // Brought in order before the first read runs what is recorded.
        let tensors = tensors.iter().map(|tensor| tensor.detach().contiguous()).collect::<TensorResult<Vec<_>>>()?;
        let start =
            |tensor: &Tensor| Reading { shape: tensor.shape().to_vec(), dtype: tensor.dtype(), bytes: Box::pin(tensor.to_bytes()) };
        Ok(tensors.iter().map(start).collect())
    }

    /// Waits for tensors.
    pub fn finish(readings: Vec<Reading>) -> TensorResult<Vec<Host>> {
        let finish = |reading: Reading| {
            let values = from_bytes(&block_on(reading.bytes)?, reading.dtype);
            Ok(Host { shape: reading.shape, dtype: reading.dtype, values })
        };
        readings.into_iter().map(finish).collect()
    }

    /// [`Host::start`] for what may be missing.
    pub fn start_optional(tensors: Vec<Option<Tensor>>) -> TensorResult<Vec<Option<Reading>>> {
        let given: Vec<Tensor> = tensors.iter().flatten().cloned().collect();
        let mut readings = Host::start(&given)?.into_iter();
        Ok(tensors.into_iter().map(|tensor| tensor.and_then(|_| readings.next())).collect())
    }

    /// [`Host::finish`] for what may be missing.
    pub fn finish_optional(readings: Vec<Option<Reading>>) -> TensorResult<Vec<Option<Host>>> {
        let finish = |reading: Option<Reading>| match reading {
            Some(reading) => Ok(Host::finish(vec![reading])?.pop()),
            None => Ok(None),
        };
        readings.into_iter().map(finish).collect()
    }
}

fn differs(what: String) -> Trouble {
    Trouble::Differs(what, f64::INFINITY)
}

/// The outputs against the file's.
pub fn values(
    file: &GoldenFile,
    sample: &Sample,
    results: &[Result],
    hosts: &[Host],
    strictness: Strictness,
) -> std::result::Result<(), Trouble> {
    let wanted = sample.out.leaves();
    if results.len() != wanted.len() {
        return Err(differs(format!("{} results, expected {}", results.len(), wanted.len())));
    }
    let mut hosts = hosts.iter().enumerate();
    for (place, (result, want)) in results.iter().zip(wanted).enumerate() {
        let named = |why: String| if results_are_several(&sample.out) { format!("result {place}: {why}") } else { why };
        match (result, want) {
            (Result::Tensor(_), Value::Tensor(tensor)) => {
                let Some((number, host)) = hosts.next() else { return Err(differs("a result was not read".into())) };
                let stored = file.tensor(&tensor.name).map_err(Trouble::Broken)?;
                if host.dtype != dtype(stored.dtype)? && host.dtype.name() != stored.dtype {
                    return Err(differs(named(format!("{}, expected {}", host.dtype, stored.dtype))));
                }
                let index_among_equals = sample.ties && !host.dtype.is_floating_point();
                let tolerance = tolerance(&file.document, sample, Part::Value(number), host.dtype, strictness);
                match compare(host, stored, tolerance) {
                    Err(_) if index_among_equals && host.shape == stored.shape => {}
                    outcome => outcome.map_err(|trouble| prefix(trouble, &named))?,
                }
            }
            (Result::Number(got), want) if number(want) == Some(*got) => {}
            (Result::Text(got), Value::DType(want)) if got == want => {}
            (got, want) => return Err(differs(named(format!("{got:?}, expected {want:?}")))),
        }
    }
    Ok(())
}

fn results_are_several(out: &Value) -> bool {
    matches!(out, Value::List(items) | Value::Tuple(items) if items.len() > 1)
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        _ => None,
    }
}

fn prefix(trouble: Trouble, name: &dyn Fn(String) -> String) -> Trouble {
    match trouble {
        Trouble::Differs(why, off) => Trouble::Differs(name(why), off),
        other => other,
    }
}

/// A tensor that an in-place form has changed: the result, in the tensor's own type.
pub fn in_place(file: &GoldenFile, sample: &Sample, host: &Host, strictness: Strictness) -> std::result::Result<(), Trouble> {
    let Value::Tensor(out) = &sample.out else { return Err(Trouble::Broken("several results in place".into())) };
    let stored = file.tensor(&out.name).map_err(Trouble::Broken)?;
    let tolerance = tolerance(&file.document, sample, Part::Value(0), dtype(stored.dtype)?, strictness);
    compare(host, stored, tolerance)
}

/// Gradients against the file's; one that is missing on either side is zero.
pub fn gradients(
    file: &GoldenFile,
    sample: &Sample,
    want: &[Option<String>],
    got: &[Option<Host>],
    part: impl Fn(usize) -> Part,
    strictness: Strictness,
) -> std::result::Result<(), Trouble> {
    if got.len() != want.len() {
        return Err(Trouble::Broken(format!("{} gradients, expected {}", got.len(), want.len())));
    }
    for (place, (got, want)) in got.iter().zip(want).enumerate() {
        let stored = want.as_ref().map(|name| file.tensor(name)).transpose().map_err(Trouble::Broken)?;
        let dtype = got.as_ref().map_or(DType::F32, |host| host.dtype);
        let tolerance = tolerance(&file.document, sample, part(place), dtype, strictness);
        let outcome = match (got, stored) {
            (None, None) => Ok(()),
            (Some(host), Some(stored)) => compare(host, stored, tolerance).or_else(|trouble| {
                // Between equal elements a gradient may go to another of them, or be shared: all of it arrives.
                let sum = |values: &[f64]| vec![values.iter().sum::<f64>()];
                let slack = Tolerance { atol: tolerance.atol * host.values.len() as f64, ..tolerance };
                let arrives = worst(&sum(&host.values), &sum(&numbers(stored)), slack).is_none();
                if sample.ties && host.shape == stored.shape && arrives { Ok(()) } else { Err(trouble) }
            }),
            (Some(host), None) => judge(&host.values, &vec![0.0; host.values.len()], tolerance),
            (None, Some(stored)) => judge(&vec![0.0; stored.shape.iter().product()], &numbers(stored), tolerance),
        };
        outcome.map_err(|trouble| prefix(trouble, &|why| format!("of input {place}: {why}")))?;
    }
    Ok(())
}

fn compare(host: &Host, stored: &Stored, tolerance: Tolerance) -> std::result::Result<(), Trouble> {
    if host.shape != stored.shape {
        return Err(differs(format!("shape {:?}, expected {:?}", host.shape, stored.shape)));
    }
    let want = numbers(stored);
    if stored.dtype == "int64" && host.dtype == DType::I32 && want.iter().any(|&value| value.abs() > f64::from(i32::MAX)) {
        return Err(Trouble::Skip("an int64 result does not fit into int32".into()));
    }
    judge(&host.values, &want, tolerance)
}

fn judge(got: &[f64], want: &[f64], tolerance: Tolerance) -> std::result::Result<(), Trouble> {
    match worst(got, want, tolerance) {
        None => Ok(()),
        Some((place, off)) => {
            let why = format!("element {place} of {} is {}, expected {}", got.len(), got[place], want[place]);
            // How far off, where 1 is the edge of the tolerance.
            let allowed = tolerance.atol + tolerance.rtol * want[place].abs();
            Err(Trouble::Differs(why, 1.0 + off / allowed.max(f64::MIN_POSITIVE)))
        }
    }
}
