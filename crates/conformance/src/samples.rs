//! Every op on the samples declared with it: a device in float32 compared with the CPU in float64,
//! values and gradients, from contiguous, transposed and gapped tensors, and in place.

use crate::{
    Report,
    compare::{Tolerance, close},
    selection,
};
use lanthorn::{
    DType, Device, Error, GradOptions, Result, Tensor, grad,
    ops::{Arg, InPlace, Op, Output},
    samples::{Sample, SampleArg, TensorSpec, from_bytes},
    testing::{cotangent, leaves},
};

const SEED: u64 = 11;

/// The memory layout of a sample's tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLayout {
    /// Contiguous.
    Contiguous,
    /// With the first and last dimension swapped.
    Transposed,
    /// With gaps, from an offset.
    Gapped,
}

/// All layouts.
pub const LAYOUTS: [MemoryLayout; 3] = [MemoryLayout::Contiguous, MemoryLayout::Transposed, MemoryLayout::Gapped];

impl MemoryLayout {
    fn apply(self, x: Tensor) -> Result<Tensor> {
        match self {
            MemoryLayout::Transposed if x.rank() > 1 => {
                Ok(x.transpose(0, -1)?.clone_tensor()?.transpose(0, -1)?.detach())
            }
            MemoryLayout::Gapped => Ok(Tensor::stack(&[x.zeros_like()?, x], -1)?.select(-1, 1)?.detach()),
            _ => Ok(x),
        }
    }
}

/// The tensors of a sample.
pub(crate) fn specs(sample: &Sample) -> impl Iterator<Item = &TensorSpec> {
    sample.args.iter().flat_map(|arg| match arg {
        SampleArg::Tensor(spec) | SampleArg::Matrices(spec, _) => std::slice::from_ref(spec),
        SampleArg::Tensors(specs) => specs,
        SampleArg::Value(_) => &[],
    })
}

/// The tensors of arguments, in their order.
pub(crate) fn tensors(args: &[Arg]) -> Vec<Tensor> {
    args.iter().flat_map(Arg::tensors).cloned().collect()
}

/// The arguments with other tensors.
pub(crate) fn with_tensors(args: &[Arg], tensors: impl IntoIterator<Item = Tensor>) -> Result<Vec<Arg>> {
    let mut tensors = tensors.into_iter();
    let mut next = |_: &Tensor| tensors.next().ok_or_else(|| Error::argument("conformance", "a tensor is missing"));
    args.iter().map(|arg| arg.map_tensors(&mut next)).collect()
}

/// A tensor on the host.
#[derive(Clone)]
pub(crate) struct Read {
    pub shape: Vec<usize>,
    pub dtype: DType,
    pub values: Vec<f64>,
}

/// Results with their gradients, on the host.
pub struct Outcome {
    pub(crate) results: Vec<Read>,
    pub(crate) gradients: Vec<Option<Vec<f64>>>,
}

/// The dtypes of a sample's tensors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleForm {
    /// The dtype of float tensors, and another to which their numbers are rounded.
    pub float: DType,
    pub exact_in: DType,
    /// The dtype of int32 tensors.
    pub integer: DType,
    pub layout: MemoryLayout,
}

impl SampleForm {
    pub fn new(float: DType, layout: MemoryLayout) -> SampleForm {
        SampleForm { float, exact_in: float, integer: DType::I32, layout }
    }

    /// The initial gradient of a result.
    fn start(self, result: &Tensor) -> Result<Tensor> {
        cotangent(result, result.dtype())?
            .to(if result.dtype() == self.float { self.exact_in } else { result.dtype() })?
            .to(result.dtype())
    }

    fn view(self, x: Tensor) -> Result<Tensor> {
        let x = match x.dtype() {
            float if float.is_floating_point() => x.to(self.exact_in)?.to(self.float)?,
            DType::I32 => x.to(self.integer)?,
            _ => x,
        };
        self.layout.apply(x)
    }
}

pub(crate) async fn host(tensor: &Tensor) -> Result<Read> {
    let values = from_bytes(&tensor.to_bytes().await?, tensor.dtype());
    Ok(Read { shape: tensor.shape().to_vec(), dtype: tensor.dtype(), values })
}

/// The results that gradients flow back from, each with an initial gradient.
fn starts(output: &Output, start: impl Fn(&Tensor) -> Result<Tensor>) -> Result<(Vec<Tensor>, Vec<Tensor>)> {
    let differentiable: Vec<Tensor> =
        output.tensors().iter().filter(|tensor| tensor.requires_grad()).cloned().collect();
    let starts = differentiable.iter().map(start).collect::<Result<_>>()?;
    Ok((differentiable, starts))
}

/// Runs a sample with its gradients.
pub(crate) async fn run(op: &'static Op, sample: &Sample, form: SampleForm, device: &Device) -> Result<Outcome> {
    device.set_default();
    device.manual_seed(SEED);
    let args = sample.make(form.float, device, |x| form.view(x))?;
    let leaves = leaves(&args)?;
    let output = op.run_async(&args).await?;
    let (differentiable, starts) = starts(&output, |result| form.start(result))?;
    let gradients = match differentiable.is_empty() {
        true => vec![],
        false => grad(&differentiable, &leaves, &starts, GradOptions::default())?,
    };
    let mut outcome = Outcome { results: vec![], gradients: vec![] };
    for result in output.tensors() {
        outcome.results.push(host(result).await?);
    }
    for gradient in gradients {
        outcome.gradients.push(match gradient {
            Some(gradient) => Some(host(&gradient).await?.values),
            None => None,
        });
    }
    Ok(outcome)
}

/// Runs the in-place form on a copy of the first argument and returns its content afterwards;
/// `None` where the op has no in-place form.
async fn run_in_place(
    op: &'static Op,
    sample: &Sample,
    device: &Device,
    layout: MemoryLayout,
) -> Result<Option<Outcome>> {
    device.set_default();
    let args = sample.make(DType::F32, device, |x| layout.apply(x))?;
    let Some(Arg::Tensor(target)) = args.first() else { return Ok(None) };
    let plain = op.run(&args)?.into_tensor(op.name())?;
    let fits = plain.shape() == target.shape() && plain.dtype() == target.dtype();
    if !fits && op.in_place != Some(InPlace::View) {
        return Ok(None);
    }
    // Repeats the same random numbers.
    device.manual_seed(SEED);
    let taken = op.run_in_place(&args)?;
    Ok(Some(Outcome { results: vec![host(&taken).await?], gradients: vec![] }))
}

pub(crate) fn agree(got: &Outcome, want: &Outcome, tolerance: Tolerance) -> std::result::Result<(), String> {
    if got.results.len() != want.results.len() {
        return Err(format!("{} results, expected {}", got.results.len(), want.results.len()));
    }
    for (index, (got, want)) in got.results.iter().zip(&want.results).enumerate() {
        if got.shape != want.shape {
            return Err(format!("result {index}: shape {:?}, expected {:?}", got.shape, want.shape));
        }
        close(&got.values, &want.values, tolerance.of(got.dtype)).map_err(|why| format!("result {index}: {why}"))?;
    }
    if got.gradients.len() != want.gradients.len() {
        return Err("gradients on one side alone".into());
    }
    for (index, (got, want)) in got.gradients.iter().zip(&want.gradients).enumerate() {
        match (got, want) {
            (None, None) => {}
            (Some(got), Some(want)) => close(got, want, tolerance).map_err(|why| format!("gradient {index}: {why}"))?,
            _ => return Err(format!("gradient {index} on one side alone")),
        }
    }
    Ok(())
}

/// The tolerance of a result in float32 against float64: sums of hundreds of products, each
/// rounded.
const DEVICE: Tolerance = Tolerance { atol: 2e-5, rtol: 4e-6 };

/// Random numbers that are integers before the last step.
const BITWISE: &[&str] =
    &["rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "randperm", "bernoulli", "geometric"];

/// The ops whose results depend on the order of the elements in memory.
const BY_MEMORY: &[&str] = &["as_strided", "resize", "resize_as"];

/// All ops that use the generator.
pub(crate) const RANDOM: &[&str] = &[
    "rand",
    "randn",
    "rand_like",
    "randn_like",
    "randint",
    "randint_like",
    "randperm",
    "bernoulli",
    "geometric",
    "uniform",
    "exponential",
    "log_normal",
    "cauchy",
    "normal",
    "normal_functional",
    "multinomial",
    "random",
    "standard_gamma",
    "sample_dirichlet",
    "poisson",
    "binomial",
];

/// Whether an op converts to a type that the device does not support.
pub(crate) fn converts_beyond(op: &Op, device: &Device) -> bool {
    let needs = [("double", DType::F64), ("long", DType::I64)].into_iter().find(|(name, _)| *name == op.name());
    needs.is_some_and(|(_, dtype)| !device.capabilities().dtypes.contains(&dtype))
}

/// Checks the ops that `wanted` accepts on `device`, with tensors in these memory layouts, against
/// `reference`, which must support float64.
pub async fn check(
    device: &Device,
    reference: &Device,
    layouts: &[MemoryLayout],
    wanted: impl Fn(&str) -> bool,
) -> Report {
    let mut report = Report::default();
    for op in selection::ops().filter(|op| wanted(op.name())) {
        for (number, sample) in (op.samples)().iter().enumerate() {
            // Random numbers are float32 on every device; integer ones have equal bits.
            let float = if RANDOM.contains(&op.base_name()) { DType::F32 } else { DType::F64 };
            let tolerance = if BITWISE.contains(&op.base_name()) { Tolerance::EXACT } else { DEVICE };
            if converts_beyond(op, device) {
                continue;
            }
            let want = match run(op, sample, SampleForm::new(float, MemoryLayout::Contiguous), reference).await {
                Ok(want) => want,
                Err(error) => {
                    report.check(format!("{} sample {number} on the reference", op.name()), Err(error.to_string()));
                    continue;
                }
            };
            // The result of a view by strides depends on the layout of the tensor.
            let layouts = if BY_MEMORY.contains(&op.name()) { &LAYOUTS[..1] } else { layouts };
            for &layout in layouts {
                let got = run(op, sample, SampleForm::new(DType::F32, layout), device).await;
                let outcome = got.map_err(|error| error.to_string()).and_then(|got| agree(&got, &want, tolerance));
                report.check(format_args!("{} sample {number}, {layout:?}", op.name()), outcome);
            }
            if op.in_place.is_none() {
                continue;
            }
            for &layout in layouts {
                let what = format!("{}_ sample {number}, {layout:?}", op.name());
                match run_in_place(op, sample, device, layout).await {
                    Ok(None) => {}
                    Ok(Some(got)) => {
                        let want = Outcome { gradients: vec![], results: vec![want.results[0].clone()] };
                        report.check(what, agree(&got, &want, tolerance));
                    }
                    Err(error) => report.check(what, Err(error.to_string())),
                }
            }
        }
    }
    report
}
