//! Compares results with the file's results.

use super::{
    call::Failure,
    file::{GoldenFile, Sample, Stored, Value},
    tensors::{dtype, numbers},
    tolerance::{Part, Strictness, tolerance},
};
use crate::compare::{Tolerance, worst};
use lanthorn::{DType, Device, Result as TensorResult, Tensor, samples::from_bytes};
use pollster::block_on;
use std::{future::Future, pin::Pin};

/// One result of an op.
#[derive(Debug)]
pub enum Result {
    /// A tensor.
    Tensor(Tensor),
    /// A number or a boolean.
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

/// A tensor that is being read.
pub struct Reading {
    shape: Vec<usize>,
    dtype: DType,
    bytes: Pin<Box<dyn Future<Output = TensorResult<Vec<u8>>>>>,
}

impl Host {
    /// Starts to read tensors. The recorded kernels run once, for all of them.
    pub fn start(tensors: &[Tensor]) -> TensorResult<Vec<Reading>> {
        // Made contiguous before the first read, which runs the recorded kernels.
        let tensors = tensors.iter().map(|tensor| tensor.detach().contiguous()).collect::<TensorResult<Vec<_>>>()?;
        let start = |tensor: &Tensor| Reading {
            shape: tensor.shape().to_vec(),
            dtype: tensor.dtype(),
            bytes: Box::pin(tensor.to_bytes()),
        };
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

    /// [`Host::start`] for optional tensors.
    pub fn start_optional(tensors: Vec<Option<Tensor>>) -> TensorResult<Vec<Option<Reading>>> {
        let given: Vec<Tensor> = tensors.iter().flatten().cloned().collect();
        let mut readings = Host::start(&given)?.into_iter();
        Ok(tensors.into_iter().map(|tensor| tensor.and_then(|_| readings.next())).collect())
    }

    /// [`Host::finish`] for optional tensors.
    pub fn finish_optional(readings: Vec<Option<Reading>>) -> TensorResult<Vec<Option<Host>>> {
        let finish = |reading: Option<Reading>| match reading {
            Some(reading) => Ok(Host::finish(vec![reading])?.pop()),
            None => Ok(None),
        };
        readings.into_iter().map(finish).collect()
    }
}

fn differs(what: String) -> Failure {
    Failure::Differs(what, f64::INFINITY)
}

/// Whether this dtype corresponds to the file's: int64 is int32 here, and float64 is float32 on a
/// device without it.
fn is_type(got: DType, want: &str, device: &Device) -> std::result::Result<bool, Failure> {
    let narrowed = got == DType::F32 && want == "float64" && !device.capabilities().dtypes.contains(&DType::F64);
    Ok(got.name() == want || got == dtype(want)? || narrowed)
}

/// Compares the outputs with the file's outputs.
pub fn values(
    file: &GoldenFile,
    sample: &Sample,
    results: &[Result],
    hosts: &[Host],
    device: &Device,
    strictness: Strictness,
) -> std::result::Result<(), Failure> {
    let wanted = sample.out.leaves();
    if results.len() != wanted.len() {
        return Err(differs(format!("{} results, expected {}", results.len(), wanted.len())));
    }
    let mut hosts = hosts.iter().enumerate();
    for (index, (result, want)) in results.iter().zip(wanted).enumerate() {
        let named = |why: String| if results_are_several(&sample.out) { format!("result {index}: {why}") } else { why };
        match (result, want) {
            (Result::Tensor(_), Value::Tensor(tensor)) => {
                let Some((number, host)) = hosts.next() else { return Err(differs("a result was not read".into())) };
                let stored = file.tensor(&tensor.name).map_err(Failure::Broken)?;
                if !is_type(host.dtype, stored.dtype, device)? {
                    return Err(differs(named(format!("{}, expected {}", host.dtype, stored.dtype))));
                }
                let tolerance = tolerance(&file.document, sample, Part::Value(number), host.dtype, strictness);
                match compare(host, stored, tolerance) {
                    Err(_) if sample.ties && names_equal_elements(file, sample, host, stored)? => {}
                    outcome => outcome.map_err(|failure| prefix(failure, &named))?,
                }
            }
            (Result::Number(got), want) if number(want) == Some(*got) => {}
            (Result::Text(got), Value::DType(want)) if got == want => {}
            (got, want) => return Err(differs(named(format!("{got:?}, expected {want:?}")))),
        }
    }
    Ok(())
}

/// Whether indices select elements equal to those that the file's indices select, along some
/// dimension of the input or in some of its last ones.
fn names_equal_elements(
    file: &GoldenFile,
    sample: &Sample,
    host: &Host,
    stored: &Stored,
) -> std::result::Result<bool, Failure> {
    let Some(Value::Tensor(input)) = sample.args.first() else { return Ok(false) };
    if host.dtype.is_floating_point() || host.shape != stored.shape {
        return Ok(false);
    }
    let elements = numbers(file.tensor(&input.name).map_err(Failure::Broken)?);
    let (shape, want) = (&input.shape, numbers(stored));
    let rank = shape.len();
    let same = |named: &dyn Fn(usize, f64) -> Option<usize>| {
        host.values.iter().zip(&want).enumerate().all(|(position, (&got, &want))| {
            let element = |index: f64| named(position, index).and_then(|at| elements.get(at));
            element(got)
                .is_some_and(|got| element(want).is_some_and(|want| got == want || (got.is_nan() && want.is_nan())))
        })
    };
    let valid = |index: f64, size: usize| (index >= 0.0 && index < size as f64).then_some(index as usize);
    let product = |sizes: &[usize]| sizes.iter().product::<usize>();
    // `[outer, size, inner]` of the input, `[outer, any, inner]` of the indices.
    let along = (0..rank).any(|dim| {
        let (outer, size, inner) = (product(&shape[..dim]), shape[dim], product(&shape[dim + 1..]));
        let chosen = want.len() / (outer * inner).max(1);
        chosen * outer * inner == want.len()
            && same(&|position, index| {
                Some(
                    (position / (chosen * inner).max(1) * size + valid(index, size)?) * inner + position % inner.max(1),
                )
            })
    });
    let flat = (0..rank).any(|dim| {
        let (outer, size) = (product(&shape[..dim]), product(&shape[dim..]));
        let chosen = want.len() / outer.max(1);
        chosen * outer == want.len()
            && same(&|position, index| Some(position / chosen.max(1) * size + valid(index, size)?))
    });
    Ok(along || flat)
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

fn prefix(failure: Failure, name: &dyn Fn(String) -> String) -> Failure {
    match failure {
        Failure::Differs(why, off) => Failure::Differs(name(why), off),
        other => other,
    }
}

/// A tensor changed by an in-place form: the result, in the tensor's own type.
pub fn in_place(
    file: &GoldenFile,
    sample: &Sample,
    host: &Host,
    strictness: Strictness,
) -> std::result::Result<(), Failure> {
    let Value::Tensor(out) = &sample.out else { return Err(Failure::Broken("several results in place".into())) };
    let stored = file.tensor(&out.name).map_err(Failure::Broken)?;
    let tolerance = tolerance(&file.document, sample, Part::Value(0), dtype(stored.dtype)?, strictness);
    compare(host, stored, tolerance)
}

/// Compares gradients with the file's gradients. A gradient missing on either side is zero.
pub fn gradients(
    file: &GoldenFile,
    sample: &Sample,
    want: &[Option<String>],
    got: &[Option<Host>],
    part: impl Fn(usize) -> Part,
    strictness: Strictness,
) -> std::result::Result<(), Failure> {
    if got.len() != want.len() {
        return Err(Failure::Broken(format!("{} gradients, expected {}", got.len(), want.len())));
    }
    for (index, (got, want)) in got.iter().zip(want).enumerate() {
        let stored = want.as_ref().map(|name| file.tensor(name)).transpose().map_err(Failure::Broken)?;
        let dtype = got.as_ref().map_or(DType::F32, |host| host.dtype);
        let tolerance = tolerance(&file.document, sample, part(index), dtype, strictness);
        let outcome = match (got, stored) {
            (None, None) => Ok(()),
            (Some(host), Some(stored)) => compare(host, stored, tolerance).or_else(|failure| {
                // Between equal elements a gradient may go to another of them, or be shared; the
                // sum is the same.
                let sum = |values: &[f64]| vec![values.iter().sum::<f64>()];
                let slack = Tolerance { atol: tolerance.atol * host.values.len() as f64, ..tolerance };
                let arrives = worst(&sum(&host.values), &sum(&numbers(stored)), slack).is_none();
                if sample.ties && host.shape == stored.shape && arrives { Ok(()) } else { Err(failure) }
            }),
            (Some(host), None) => compare_numbers(&host.values, &vec![0.0; host.values.len()], tolerance),
            (None, Some(stored)) => {
                compare_numbers(&vec![0.0; stored.shape.iter().product()], &numbers(stored), tolerance)
            }
        };
        outcome.map_err(|failure| prefix(failure, &|why| format!("of input {index}: {why}")))?;
    }
    Ok(())
}

pub(super) fn compare(host: &Host, stored: &Stored, tolerance: Tolerance) -> std::result::Result<(), Failure> {
    if host.shape != stored.shape {
        return Err(differs(format!("shape {:?}, expected {:?}", host.shape, stored.shape)));
    }
    let want = numbers(stored);
    if stored.dtype == "int64"
        && host.dtype == DType::I32
        && want.iter().any(|&value| value.abs() > f64::from(i32::MAX))
    {
        return Err(Failure::Skip("an int64 result does not fit into int32".into()));
    }
    compare_numbers(&host.values, &want, tolerance)
}

/// Compares numbers with the expected ones.
pub fn compare_numbers(got: &[f64], want: &[f64], tolerance: Tolerance) -> std::result::Result<(), Failure> {
    match worst(got, want, tolerance) {
        None => Ok(()),
        Some((index, off)) => {
            let why = format!("element {index} of {} is {}, expected {}", got.len(), got[index], want[index]);
            // The distance, where 1 is the limit of the tolerance.
            let allowed = tolerance.atol + tolerance.rtol * want[index].abs();
            Err(Failure::Differs(why, 1.0 + off / allowed.max(f64::MIN_POSITIVE)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::HashMap;

    #[test]
    fn an_index_may_name_another_of_equal_elements_and_no_other() {
        let tensor =
            |name: &str, shape: &[usize]| json!({"$": "tensor", "ref": name, "dtype": "float32", "shape": shape});
        let sample = json!({"id": 0, "args": [tensor("x", &[2, 3])], "out": tensor("i", &[2]), "ties": true});
        let document = json!({"op": "argmax", "category": "reduce", "samples": [sample.clone()]});
        let floats = [1f32, 5.0, 5.0, 7.0, 7.0, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
        let indices = [1i32, 0].iter().flat_map(|value| value.to_le_bytes()).collect();
        let tensors = HashMap::from([
            ("x".to_string(), Stored { dtype: "float32", shape: vec![2, 3], bytes: floats }),
            ("i".to_string(), Stored { dtype: "int32", shape: vec![2], bytes: indices }),
        ]);
        let file = GoldenFile { name: "argmax".into(), document: serde_json::from_value(document).unwrap(), tensors };
        let sample: Sample = serde_json::from_value(sample).unwrap();
        let equal = |values: &[f64]| {
            let host = Host { shape: vec![2], dtype: DType::I32, values: values.to_vec() };
            names_equal_elements(&file, &sample, &host, &file.tensors["i"]).unwrap()
        };
        assert!(equal(&[1.0, 0.0]) && equal(&[2.0, 0.0]) && equal(&[2.0, 1.0]));
        assert!(!equal(&[0.0, 0.0]) && !equal(&[1.0, 2.0]) && !equal(&[3.0, 0.0]) && !equal(&[-1.0, 0.0]));
    }
}
