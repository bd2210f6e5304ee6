//! Numbers that change are data: after an op ran at two shapes of a rank, it compiles nothing at a
//! third.
//!
//! The shapes of a sample are its own shapes with the sizes grown by three multiples of four. Each
//! size therefore stays in its class at all three: a multiple of four or not, and larger than the
//! few rows for which products are fused in another way ([`GROWN`]), or for which threads have
//! fewer rows ([`FILLED`]). Either all sizes grow, or only the first ones, or only equal ones, or,
//! if there is no tensor, the numbers among the arguments. The first of these that the op accepts
//! is used.

use crate::{
    samples::{MemoryLayout, SampleForm, run, specs},
    selection,
};
use lanthorn::{
    DType, Device, Scalar,
    ops::{Arg, Op},
    samples::{Sample, SampleArg, TensorSpec},
};

/// The increments of sizes.
pub const GROWN: [i64; 3] = [12, 16, 20];
/// The increments of sizes if products of fewer than 37 rows have one of four kernels: a thread has
/// one row for each row of the product, up to 16.
pub const FILLED: [i64; 3] = [36, 40, 44];

/// A sample that compiled something at the third shape.
#[derive(Debug)]
pub struct Compiled {
    /// The op.
    pub op: &'static str,
    /// The index of the sample.
    pub sample: usize,
    /// The number of pipelines and programs.
    pub count: u64,
}

/// The outcome of [`check`].
#[derive(Debug, Default)]
pub struct Outcome {
    /// Ops with a sample that ran at three shapes.
    pub checked: Vec<&'static str>,
    /// Samples that compiled something at the third shape.
    pub compiled: Vec<Compiled>,
}

/// Which sizes grow.
#[derive(Clone, Copy, Debug)]
enum Growth {
    /// All sizes except 1.
    All,
    /// The first size of each tensor.
    First,
    /// The sizes that equal this one.
    Equal(i64),
    /// The numbers among the arguments.
    Numbers,
}

impl Growth {
    /// A size of a tensor grown by `by`.
    fn size(self, dim: usize, size: i64, by: i64) -> i64 {
        let grows = match self {
            Growth::All => size > 1,
            Growth::First => dim == 0 && size > 1,
            Growth::Equal(other) => size == other,
            Growth::Numbers => false,
        };
        if grows { size + by } else { size }
    }

    fn spec(self, spec: &TensorSpec, by: i64) -> TensorSpec {
        let shape = spec.shape.iter().enumerate().map(|(dim, &size)| self.size(dim, size, by)).collect();
        TensorSpec { shape, ..spec.clone() }
    }

    fn value(self, value: &Arg, by: i64) -> Arg {
        let grown = |number: i64| if number > 1 { number + by } else { number };
        match (self, value) {
            (Growth::Numbers, Arg::Scalar(Scalar::Int(number))) => Arg::Scalar(Scalar::Int(grown(*number))),
            (Growth::Numbers, Arg::Ints(numbers)) => Arg::Ints(numbers.iter().map(|&number| grown(number)).collect()),
            _ => value.clone(),
        }
    }

    fn sample(self, sample: &Sample, by: i64) -> Sample {
        let arg = |arg: &SampleArg| match arg {
            SampleArg::Tensor(spec) => SampleArg::Tensor(self.spec(spec, by)),
            SampleArg::Tensors(specs) => SampleArg::Tensors(specs.iter().map(|spec| self.spec(spec, by)).collect()),
            SampleArg::Matrices(spec, form) => SampleArg::Matrices(self.spec(spec, by), *form),
            SampleArg::Value(value) => SampleArg::Value(self.value(value, by)),
        };
        Sample { args: sample.args.iter().map(arg).collect() }
    }
}

/// Maximum number of elements of a grown tensor. The test compares structures, not numbers.
const MAX_ELEMENTS: i64 = 1 << 13;

/// The sizes of a sample's tensors.
fn sizes(sample: &Sample) -> Vec<i64> {
    specs(sample).flat_map(|spec| spec.shape.iter().copied()).collect()
}

/// The growths that a sample may have.
fn growths(sample: &Sample, most: i64) -> Vec<Growth> {
    let (old, has_numbers) = (sizes(sample), sample.args.iter().any(|arg| matches!(arg, SampleArg::Value(_))));
    if old.is_empty() && has_numbers {
        return vec![Growth::Numbers];
    }
    let mut distinct = old.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let all = [Growth::All, Growth::First]
        .into_iter()
        .chain(distinct.into_iter().filter(|&size| size > 1).map(Growth::Equal));
    let grows = |growth: &Growth| {
        let largest = growth.sample(sample, most);
        sizes(&largest) != old && specs(&largest).all(|spec| spec.shape.iter().product::<i64>() <= MAX_ELEMENTS)
    };
    all.filter(grows).collect()
}

/// Runs a sample with its gradients; whether the op accepts it.
async fn accepts(op: &'static Op, sample: &Sample, device: &Device) -> bool {
    run(op, sample, SampleForm::new(DType::F32, MemoryLayout::Contiguous), device).await.is_ok()
}

/// The number of pipelines and programs that a device has compiled.
fn count_compilations(device: &Device) -> u64 {
    let api = device.inspect().stats().api;
    api.pipelines + api.programs
}

/// Runs, of each wanted op, the first sample that can grow at three shapes, forward and backward,
/// and counts the pipelines and programs compiled for the third.
pub async fn check(device: &Device, wanted: impl Fn(&str) -> bool, by: [i64; 3]) -> Outcome {
    let mut outcome = Outcome::default();
    for op in selection::ops().filter(|op| wanted(op.name())) {
        'samples: for (index, sample) in (op.samples)().iter().enumerate() {
            for growth in growths(sample, by[2]) {
                let [first, second, third] = by.map(|by| growth.sample(sample, by));
                if !accepts(op, &first, device).await || !accepts(op, &second, device).await {
                    continue;
                }
                let before = count_compilations(device);
                if !accepts(op, &third, device).await {
                    continue;
                }
                outcome.checked.push(op.name());
                match count_compilations(device) - before {
                    0 => {}
                    count => outcome.compiled.push(Compiled { op: op.name(), sample: index, count }),
                }
                break 'samples;
            }
        }
    }
    outcome
}
