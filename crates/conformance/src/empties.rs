//! Tensors without elements are part of the autograd graph like any others: the results of an op
//! require gradients, and its arguments get gradients of zeros in their shapes.
//!
//! Each sample of an op runs as declared and with some of its sizes as 0: all of its sizes, the
//! first ones, the last ones, or those that are equal. Where the op accepts that, the same results
//! must require gradients and the same arguments must get one. The number of results may depend on
//! the sizes; then all must require gradients if all did.

use crate::{
    Report,
    samples::{RANDOM, specs},
    selection,
};
use lanthorn::{
    DType, Device, GradOptions, Result, Tensor, grad,
    ops::Op,
    samples::{Sample, SampleArg, TensorSpec},
    testing::{cotangent, leaves},
};

/// Which sizes become 0.
#[derive(Clone, Copy, Debug)]
enum Empty {
    /// The sizes of every dimension.
    All,
    /// The first size of each tensor.
    First,
    /// The last size of each tensor.
    Last,
    /// The sizes that equal this one.
    Equal(i64),
}

impl Empty {
    fn spec(self, spec: &TensorSpec) -> TensorSpec {
        let last = spec.shape.len().saturating_sub(1);
        let emptied = |(dim, &size): (usize, &i64)| match self {
            Empty::All => 0,
            Empty::First if dim == 0 => 0,
            Empty::Last if dim == last => 0,
            Empty::Equal(other) if size == other => 0,
            _ => size,
        };
        TensorSpec { shape: spec.shape.iter().enumerate().map(emptied).collect(), ..spec.clone() }
    }

    fn sample(self, sample: &Sample) -> Sample {
        let arg = |arg: &SampleArg| match arg {
            SampleArg::Tensor(spec) => SampleArg::Tensor(self.spec(spec)),
            SampleArg::Tensors(specs) => SampleArg::Tensors(specs.iter().map(|spec| self.spec(spec)).collect()),
            SampleArg::Matrices(spec, form) => SampleArg::Matrices(self.spec(spec), *form),
            SampleArg::Value(value) => SampleArg::Value(value.clone()),
        };
        Sample { args: sample.args.iter().map(arg).collect() }
    }
}

/// Which results of a call require gradients, and which arguments get one.
#[derive(Debug, PartialEq, Eq)]
struct Graph {
    results: Vec<bool>,
    arguments: Vec<bool>,
}

impl Graph {
    /// Whether the graph equals the graph of the sample with elements, `full`.
    fn agrees(&self, full: &Graph) -> bool {
        if self.results.len() == full.results.len() {
            return self == full;
        }
        full.results.contains(&false) || !self.results.contains(&false)
    }
}

/// Ops whose differentiable results depend on the sizes.
const SIZED: &[&str] = &[
    // The residuals exist where there are more rows than columns.
    "linalg_lstsq",
    // With all columns of Q it has no derivative where there are more rows than columns.
    "linalg_qr",
];

/// The graph of a sample, or an error if the op does not accept it.
async fn graph(op: &'static Op, sample: &Sample, device: &Device) -> Result<std::result::Result<Graph, String>> {
    let args = sample.make(DType::F32, device, Ok)?;
    let leaves = leaves(&args)?;
    let output = op.run_async(&args).await?;
    for result in output.tensors() {
        result.to_bytes().await?;
    }
    let results = output.tensors().iter().map(Tensor::requires_grad).collect();
    let from: Vec<Tensor> = output.tensors().iter().filter(|tensor| tensor.requires_grad()).cloned().collect();
    if from.is_empty() {
        return Ok(Ok(Graph { results, arguments: vec![false; leaves.len()] }));
    }
    let starts = from.iter().map(|tensor| cotangent(tensor, tensor.dtype())).collect::<Result<Vec<_>>>()?;
    let gradients = match grad(&from, &leaves, &starts, GradOptions::default()) {
        Ok(gradients) => gradients,
        Err(error) => return Ok(Err(format!("the backward pass fails: {error}"))),
    };
    for (leaf, gradient) in leaves.iter().zip(&gradients) {
        let Some(gradient) = gradient else { continue };
        if gradient.shape() != leaf.shape() {
            return Ok(Err(format!(
                "a gradient of shape {} for an argument of shape {}",
                gradient.shape(),
                leaf.shape()
            )));
        }
        if let Err(error) = gradient.to_bytes().await {
            return Ok(Err(format!("a gradient cannot be read: {error}")));
        }
    }
    Ok(Ok(Graph { results, arguments: gradients.iter().map(Option::is_some).collect() }))
}

/// Checks every op that `wanted` accepts, and returns the ops that ran without elements too.
pub async fn check(device: &Device, wanted: impl Fn(&str) -> bool) -> (Report, Vec<&'static str>) {
    let (mut report, mut checked) = (Report::default(), Vec::new());
    device.set_default();
    for op in selection::ops().filter(|op| wanted(op.name()) && ![RANDOM, SIZED].concat().contains(&op.base_name())) {
        for (number, sample) in (op.samples)().iter().enumerate() {
            let Ok(Ok(full)) = graph(op, sample, device).await else { continue };
            let mut sizes: Vec<i64> = specs(sample).flat_map(|spec| spec.shape.iter().copied()).collect();
            sizes.sort_unstable();
            sizes.dedup();
            let equal = sizes.iter().filter(|&&size| size > 0).map(|&size| Empty::Equal(size));
            for empty in [Empty::All, Empty::First, Empty::Last].into_iter().chain(equal) {
                let emptied = empty.sample(sample);
                let Ok(got) = graph(op, &emptied, device).await else { continue };
                checked.push(op.name());
                let outcome = got.and_then(|got| match got.agrees(&full) {
                    true => Ok(()),
                    false => Err(format!("{got:?}, with elements {full:?}")),
                });
                report.check(format_args!("{} sample {number}, {empty:?}", op.name()), outcome);
            }
        }
    }
    checked.dedup();
    (report, checked)
}
