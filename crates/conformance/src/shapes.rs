//! Numbers that change are data: an op that ran at two shapes of a rank compiles nothing at a third.
//!
//! The further shapes of a sample are its own with its sizes grown by fours, so that each stays in its
//! class: a multiple of four or not, more than one. Sizes that are equal grow alike, or only one of
//! them grows, until the op accepts the tensors at all shapes.

use crate::samples::{MemoryLayout, SampleForm, run};
use lanthorn::{
    DType, Device,
    ops::{self, Op},
    samples::{Sample, SampleArg, TensorSpec},
};

/// An op that compiled something at the third shape.
#[derive(Debug)]
pub struct Compiled {
    /// The op.
    pub op: &'static str,
    /// The number of the sample.
    pub sample: usize,
    /// The pipelines and programs.
    pub count: u64,
}

/// What [`check`] found.
#[derive(Debug, Default)]
pub struct Found {
    /// Ops with a sample that ran at three shapes.
    pub checked: Vec<&'static str>,
    /// Samples that compiled something at the third.
    pub compiled: Vec<Compiled>,
}

/// Which sizes grow.
#[derive(Clone, Copy, Debug)]
enum Growth {
    /// All but 1.
    All,
    /// Those that are equal to this one.
    Equal(i64),
    /// The first of each tensor.
    First,
}

impl Growth {
    /// A size of a tensor, `steps` steps larger.
    fn of(self, dim: usize, size: i64, steps: i64) -> i64 {
        let grows = match self {
            Growth::All => size > 1,
            Growth::Equal(other) => size == other,
            Growth::First => dim == 0 && size > 1,
        };
        if grows { size + 4 * steps } else { size }
    }

    fn spec(self, spec: &TensorSpec, steps: i64) -> TensorSpec {
        let shape = spec.shape.iter().enumerate().map(|(dim, &size)| self.of(dim, size, steps)).collect();
        TensorSpec { shape, ..spec.clone() }
    }

    fn sample(self, sample: &Sample, steps: i64) -> Sample {
        let arg = |arg: &SampleArg| match arg {
            SampleArg::Tensor(spec) => SampleArg::Tensor(self.spec(spec, steps)),
            SampleArg::Tensors(specs) => SampleArg::Tensors(specs.iter().map(|spec| self.spec(spec, steps)).collect()),
            SampleArg::Matrices(spec, form) => SampleArg::Matrices(self.spec(spec, steps), *form),
            SampleArg::Value(value) => SampleArg::Value(value.clone()),
        };
        Sample { args: sample.args.iter().map(arg).collect() }
    }
}

/// The sizes of a sample's tensors.
fn sizes(sample: &Sample) -> Vec<i64> {
    let mut sizes: Vec<i64> = Vec::new();
    let mut add = |spec: &TensorSpec| sizes.extend(spec.shape.iter().filter(|&&size| size > 1));
    for arg in &sample.args {
        match arg {
            SampleArg::Tensor(spec) | SampleArg::Matrices(spec, _) => add(spec),
            SampleArg::Tensors(specs) => specs.iter().for_each(&mut add),
            SampleArg::Value(_) => {}
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// How a sample can grow: its tensors, or the number that says how many elements an op makes.
fn growths(sample: &Sample) -> Vec<Growth> {
    let equal = sizes(sample).into_iter().map(Growth::Equal);
    [Growth::All, Growth::First].into_iter().chain(equal).collect()
}

/// Runs a sample with its gradients; whether the op accepts it.
async fn accepts(op: &'static Op, sample: &Sample, device: &Device) -> bool {
    run(op, sample, SampleForm::new(DType::F32, MemoryLayout::Contiguous), device).await.is_ok()
}

/// How many pipelines and programs a device has compiled.
fn compiled(device: &Device) -> u64 {
    let api = device.stats().api;
    api.pipelines + api.programs
}

/// Runs the first sample of each wanted op that can grow at three shapes, forward and backward, and counts what the third compiles.
pub async fn check(device: &Device, wanted: impl Fn(&str) -> bool) -> Found {
    let mut found = Found::default();
    for op in ops::all().filter(|op| wanted(op.name())) {
        'samples: for (number, sample) in (op.samples)().iter().enumerate() {
            for growth in growths(sample) {
                let shapes = [0, 1, 2].map(|steps| growth.sample(sample, steps));
                if !accepts(op, &shapes[0], device).await || !accepts(op, &shapes[1], device).await {
                    continue;
                }
                let before = compiled(device);
                if !accepts(op, &shapes[2], device).await {
                    continue;
                }
                let count = compiled(device) - before;
                found.checked.push(op.name());
                if count > 0 {
                    found.compiled.push(Compiled { op: op.name(), sample: number, count });
                }
                break 'samples;
            }
        }
    }
    found
}
