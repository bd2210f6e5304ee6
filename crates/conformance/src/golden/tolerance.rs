//! The tolerance of results.
//!
//! `|got - want| <= max(atol, 4 excess) + max(rtol, 4 rel, K 2^-24) |want|`, where
//! `torch.testing.assert_close` defines `atol` and `rtol`, and `rel` and `excess` are the errors of
//! PyTorch's own float32 in this sample: an accuracy that PyTorch does not reach on these inputs is
//! not required.

use super::file::{Document, Override, Sample};
use crate::compare::Tolerance;
use lanthorn::DType;
use serde::Deserialize;
use std::{collections::HashMap, sync::LazyLock};

/// The strictness of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// `K = 0`, everywhere: for a CPU.
    Strict,
    /// `K` depends on the op and on the tolerances of PyTorch's device tests: for a GPU, whose
    /// functions are less accurate and whose sums have another order.
    Device,
}

/// The table in `tolerance.json`, which the runner in the page reads too.
#[derive(Deserialize)]
struct Table {
    /// The units in the last place of float32 by which a device may deviate, for the value and for
    /// gradients, by kind of op.
    ///
    /// Moved data must be equal. WGSL guarantees 2.5 units for a division and little for functions;
    /// 64 allows for drivers with fast math. A sum of n terms in another order deviates by about
    /// sqrt(n) units. A product of matrices deviates by the units of its sums. A decomposition
    /// amplifies errors by the condition number of its matrix.
    units: HashMap<String, (f64, f64)>,
    /// Any other op: as a decomposition.
    other: (f64, f64),
    /// Ops that move data, whose values are exact,
    moves: Vec<String>,
    /// except for those among them that also compute.
    compute: Vec<String>,
}

fn table() -> &'static Table {
    static TABLE: LazyLock<Table> = LazyLock::new(|| {
        // Part of the source; only tests read it.
        serde_json::from_str(include_str!("tolerance.json")).expect("tolerance.json is as Table has it")
    });
    &TABLE
}

/// The compared part of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The output with this index.
    Value(usize),
    /// The gradient of the input with this index.
    Gradient(usize),
    /// A second derivative.
    DoubleGradient,
}

/// The tolerance for one tensor.
pub fn tolerance(document: &Document, sample: &Sample, part: Part, dtype: DType, strictness: Strictness) -> Tolerance {
    let (mut atol, mut rtol): (f64, f64) = match dtype.name() {
        "float64" => (1e-7, 1e-7),
        "float16" => (1e-5, 1e-3),
        "bfloat16" => (1e-5, 1.6e-2),
        "float32" => (1e-5, 1.3e-6),
        _ => return Tolerance::EXACT,
    };
    let table = table();
    let category = if document.category.is_empty() { "module" } else { &document.category };
    let moves = table.moves.contains(&document.category) && !table.compute.contains(&document.op);
    if moves && matches!(part, Part::Value(_)) {
        return Tolerance::EXACT;
    }
    for [_, rel, excess] in errors(sample, part) {
        atol = atol.max(4.0 * excess);
        rtol = rtol.max(4.0 * rel);
    }
    if strictness == Strictness::Device {
        let (value, gradient) = table.units.get(category).copied().unwrap_or(table.other);
        let units = if matches!(part, Part::Value(_)) { value } else { gradient };
        rtol = rtol.max(units * f64::from(f32::EPSILON) / 2.0);
        for allowed in document.torch_tolerance_overrides.iter().filter(|allowed| applies(allowed, dtype)) {
            atol = atol.max(allowed.atol);
            rtol = rtol.max(allowed.rtol);
        }
    }
    Tolerance { atol, rtol }
}

/// The errors of PyTorch; second derivatives were not measured, so the largest error of the sample
/// is used.
fn errors(sample: &Sample, part: Part) -> Vec<[f64; 3]> {
    let Some(errors) = &sample.f32_err else { return vec![] };
    let of = |list: &[Option<[f64; 3]>], index: usize| list.get(index).copied().flatten().into_iter().collect();
    match part {
        Part::Value(index) => of(&errors.out, index),
        Part::Gradient(index) => errors.grad.at(index).into_iter().collect(),
        Part::DoubleGradient => errors.out.iter().chain(errors.grad.all()).copied().flatten().collect(),
    }
}

/// Whether a tolerance is one that PyTorch's tests of values and gradients use on devices.
fn applies(allowed: &Override, dtype: DType) -> bool {
    let test = allowed.test.as_deref().unwrap_or_default();
    let compares = ["TestCommon.", "TestConsistency.", "TestUnaryUfuncs.", "TestBinaryUfuncs", "TestReductions"];
    allowed.dtype == dtype.name() && compares.iter().any(|class| test.starts_with(class))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn case(category: &str, err: serde_json::Value) -> (Document, Sample) {
        let document = json!({"op": "x", "category": category, "samples": [], "torch_tolerance_overrides": [
            {"test": "TestConsistency.test_output_match", "device": "mps", "dtype": "float32", "atol": 1e-3, "rtol": 1e-9},
            {"test": "TestInductorOpInfo.test", "device": null, "dtype": "float32", "atol": 1.0, "rtol": 1.0},
        ]});
        let sample = json!({"id": 0, "args": [], "out": null, "f32_err": {"out": [err, [0.0, 0.0, 0.0]], "grad": [[1.0, 1e-3, 0.5], null]}});
        (serde_json::from_value(document).unwrap(), serde_json::from_value(sample).unwrap())
    }

    #[test]
    fn strict_is_pytorchs_rule_and_its_own_error() {
        let (document, sample) = case("reduce", json!([1.0, 1e-5, 1e-4]));
        let strict = |part, dtype| tolerance(&document, &sample, part, dtype, Strictness::Strict);
        assert_eq!(strict(Part::Value(0), DType::F32), Tolerance { atol: 4e-4, rtol: 4e-5 });
        assert_eq!(strict(Part::Value(1), DType::F32), Tolerance::FLOAT32);
        assert_eq!(strict(Part::Gradient(1), DType::F32), Tolerance::FLOAT32);
        assert_eq!(strict(Part::DoubleGradient, DType::F32), Tolerance { atol: 2.0, rtol: 4e-3 });
        assert_eq!(strict(Part::Value(0), DType::I32), Tolerance::EXACT);
    }

    #[test]
    fn a_device_may_be_off_by_the_ops_kind() {
        let (document, sample) = case("matmul", json!([0.0, 0.0, 0.0]));
        let device = tolerance(&document, &sample, Part::Value(0), DType::F32, Strictness::Device);
        assert_eq!(device, Tolerance { atol: 1e-3, rtol: 256.0 * 2f64.powi(-24) });
        let (document, sample) = case("shape", json!([0.0, 0.0, 0.0]));
        assert_eq!(tolerance(&document, &sample, Part::Value(0), DType::F32, Strictness::Device), Tolerance::EXACT);
    }
}
