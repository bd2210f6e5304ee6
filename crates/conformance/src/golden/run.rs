//! Runs the calls of a file and compares their results.

use super::{
    call::{Call, Failure, bind},
    comparison,
    comparison::Host,
    factors,
    file::{DoubleGradient, ErrorCase, GoldenFile, Sample, Value},
    module,
    tensors::{Loader, dtype},
    tolerance::{Part, Strictness},
};
use lanthorn::{
    DType, Device, GradOptions, Result as TensorResult, Tensor, grad,
    ops::{Arg, InPlace, Op, Output},
};
use pollster::block_on;
use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

/// The checked aspect of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// The results.
    Value,
    /// The gradients of the inputs.
    Gradient,
    /// The second derivatives.
    DoubleGradient,
    /// The in-place form: result and gradients, or its error.
    InPlace,
    /// The call's error.
    Error,
    /// The state after the last step, the weights after training, or the buffers after the call of
    /// a module.
    State,
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Aspect::Value => "value",
            Aspect::Gradient => "gradient",
            Aspect::DoubleGradient => "double_gradient",
            Aspect::InPlace => "in_place",
            Aspect::Error => "error",
            Aspect::State => "state",
        })
    }
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Equal to PyTorch's.
    Passed,
    /// Different: the reason, and the distance.
    Failed(String, f64),
    /// Skipped: the reason.
    Skipped(String),
}

/// One check: an aspect of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The call's number in the file, among the samples or among the errors.
    pub sample: usize,
    /// The checked aspect.
    pub aspect: Aspect,
    /// The outcome.
    pub outcome: Outcome,
}

impl Check {
    /// A check with this outcome.
    pub fn new(sample: usize, aspect: Aspect, verdict: Verdict) -> Check {
        Check { sample, aspect, outcome: outcome(verdict) }
    }
}

/// The result of a check.
pub type Verdict = Result<(), Failure>;

/// Runs `work` on a separate device; a panic is a verdict.
pub fn guard(make: &MakeDevice<'_>, work: impl FnOnce(&Device) -> Verdict) -> Verdict {
    let device = make()?;
    device.set_default();
    catch_unwind(AssertUnwindSafe(|| work(&device)))
        .unwrap_or_else(|payload| Err(Failure::Panicked(message(&*payload))))
}

/// The message of a panic.
fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

/// The samples and errors of a file that a run takes: one in `every`, from number `first` modulo
/// their count on. A list that is not empty has at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of one of them.
    pub first: usize,
    /// The distance between two of them.
    pub every: usize,
}

impl Share {
    /// All samples and errors.
    pub const WHOLE: Share = Share { first: 0, every: 1 };

    /// The rows of a list in this share, with their numbers.
    fn of<T>(self, list: &[T]) -> impl Iterator<Item = (usize, &T)> {
        let length = list.len().max(1);
        let distance = move |number: usize| (number + length - self.first % length) % length;
        list.iter().enumerate().filter(move |&(number, _)| distance(number).is_multiple_of(self.every))
    }
}

/// Makes the device that calls run on.
pub type MakeDevice<'a> = dyn Fn() -> TensorResult<Device> + 'a;

/// Runs files on a device.
pub struct Runner<'a> {
    make: &'a MakeDevice<'a>,
    device: Device,
    strictness: Strictness,
}

impl<'a> Runner<'a> {
    /// A runner on a device that `make` creates. It creates another one if a panic leaves the
    /// device unusable.
    pub fn new(make: &'a MakeDevice<'a>, strictness: Strictness) -> TensorResult<Runner<'a>> {
        let device = make()?;
        device.set_default();
        Ok(Runner { make, device, strictness })
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Runs a share of a file.
    pub fn run(&mut self, file: &GoldenFile, share: Share) -> Vec<Check> {
        let mut checks = Vec::new();
        for sample in share.of(&file.document.samples).map(|(_, sample)| sample) {
            for (aspect, verdict) in self.sample(file, sample) {
                let outcome = match verdict {
                    _ if sample.unstable => Outcome::Skipped("PyTorch disagrees with itself here".into()),
                    Err(Failure::Thrown(error)) if error.is_dtype() && self.lacks_a_type_of(file, sample) => {
                        Outcome::Passed
                    }
                    verdict => outcome(verdict),
                };
                checks.push(Check { sample: sample.id, aspect, outcome });
            }
        }
        for (number, case) in share.of(&file.document.errors) {
            let verdict = self.run_guarded(|device| must_throw(file, case, device));
            checks.push(Check { sample: number, aspect: Aspect::Error, outcome: outcome(verdict) });
        }
        checks
    }

    fn sample(&mut self, file: &GoldenFile, sample: &Sample) -> Vec<(Aspect, Verdict)> {
        let strictness = self.strictness;
        let mut verdicts = Vec::new();
        if file.is_module() {
            let value = self.run_guarded(|device| {
                verdicts = module::check(file, sample, device, strictness)?;
                Ok(())
            });
            // A failure to call the module is the outcome of all of its aspects.
            return if let Err(failure) = value {
                module::aspects(sample).map(|aspect| (aspect, Err(again(&failure)))).collect()
            } else {
                verdicts
            };
        }
        // Value and gradient are recorded in one segment.
        let mut gradient = None;
        let value = self.run_guarded(|device| {
            let (value, of_gradient) = value_and_gradient(file, sample, device, strictness)?;
            gradient = Some(of_gradient);
            value
        });
        if sample.gin.is_some() {
            let missing = || match &value {
                Err(failure) => Err(again(failure)),
                Ok(()) => Err(Failure::Broken("no gradient was computed".into())),
            };
            verdicts.push((Aspect::Gradient, gradient.flatten().unwrap_or_else(missing)));
        }
        verdicts.insert(0, (Aspect::Value, value));
        if let Some(wanted) = &sample.gradgrad {
            verdicts.push((
                Aspect::DoubleGradient,
                self.run_guarded(|device| double_gradient(file, sample, wanted, device, strictness)),
            ));
        }
        if file.document.inplace.is_some() && matches!(sample.args.first(), Some(Value::Tensor(_))) {
            verdicts.push((Aspect::InPlace, self.run_guarded(|device| in_place(file, sample, device, strictness))));
        }
        verdicts
    }

    /// Runs `work`, and replaces the device if it panics, because the old one may hold
    /// half-recorded kernels.
    fn run_guarded(&mut self, work: impl FnOnce(&Device) -> Verdict) -> Verdict {
        let device = self.device.clone();
        let caught = catch_unwind(AssertUnwindSafe(|| work(&device)));
        caught.unwrap_or_else(|payload| {
            self.device = (self.make)()?;
            self.device.set_default();
            Err(Failure::Panicked(message(&*payload)))
        })
    }

    /// Whether a sample uses a type that the device does not support; an error that says so is
    /// then correct.
    fn lacks_a_type_of(&self, file: &GoldenFile, sample: &Sample) -> bool {
        let held = &self.device.capabilities().dtypes;
        let lacks = |dtype: Option<DType>| dtype.is_some_and(|dtype| !held.contains(&dtype));
        // An int64 argument is int32; only a call that requests or returns int64 needs the type.
        let given = |name: &str| lacks(dtype(name).ok());
        let asked = |name: &str| lacks(DType::from_name(name));
        let stored = |name: &str| file.tensor(name).map_or("", |stored| stored.dtype);
        let mut found = false;
        for value in sample.args.iter().chain(sample.kwargs.values()) {
            found |= matches!(value, Value::DType(name) if asked(name));
            value.visit_tensors(&mut |tensor| found |= given(stored(&tensor.name)));
        }
        sample.out.visit_tensors(&mut |tensor| found |= asked(stored(&tensor.name)));
        found
    }
}

fn outcome(verdict: Verdict) -> Outcome {
    match verdict {
        Ok(()) => Outcome::Passed,
        Err(Failure::Skip(why)) => Outcome::Skipped(why),
        Err(Failure::Differs(why, off)) => Outcome::Failed(why, off),
        Err(failure) => Outcome::Failed(failure.describe(), f64::INFINITY),
    }
}

/// If the value cannot be computed, neither can the gradient.
fn again(failure: &Failure) -> Failure {
    match failure {
        Failure::Thrown(error) => Failure::Thrown(error.clone()),
        Failure::Skip(why) => Failure::Skip(why.clone()),
        Failure::Missing(why) => Failure::Missing(why.clone()),
        failure => Failure::Broken(failure.describe()),
    }
}

/// The tensors and numbers of a result, in order. No other code depends on the forms of results.
pub fn results(output: Output) -> Vec<comparison::Result> {
    match output {
        Output::Tensor(tensor) => vec![comparison::Result::Tensor(tensor)],
        Output::Tensors(tensors) => tensors.into_iter().map(comparison::Result::Tensor).collect(),
        Output::Ints(values) => values.into_iter().map(|value| comparison::Result::Number(value as f64)).collect(),
        Output::Bool(value) => vec![comparison::Result::Number(f64::from(u8::from(value)))],
        Output::DType(dtype) => vec![comparison::Result::Text(dtype.name().into())],
    }
}

fn bind_call(file: &GoldenFile, call: Call<'_>, loader: &mut Loader<'_>) -> Result<(&'static Op, Vec<Arg>), Failure> {
    bind(&file.document.op, &file.document.aliases, call, loader)
}

/// Runs a call without changes.
fn forward(file: &GoldenFile, call: Call<'_>, loader: &mut Loader<'_>) -> Result<Vec<comparison::Result>, Failure> {
    if file.document.op == "__getitem__" {
        return Ok(vec![comparison::Result::Tensor(super::index::get(call, loader)?)]);
    }
    let (op, args) = bind_call(file, call, loader)?;
    if let (true, [Arg::Tensor(a), Arg::Tensor(b), ..]) = (file.name == "linalg.pinv__singular", &args[..]) {
        // PyTorch's test makes the matrix from two factors, so that its rank is known.
        return Ok(results(a.matmul(&b.transpose(-2, -1)?)?.linalg_pinv()?.into()));
    }
    let mut results = results(block_on(op.run_async(&args))?);
    if file.name == "linalg.lstsq__grad_oriented" {
        // PyTorch's test checks the outputs that have a gradient.
        results.truncate(2);
    }
    Ok(results)
}

pub(super) fn tensors(results: &[comparison::Result]) -> Vec<Tensor> {
    results
        .iter()
        .filter_map(|result| if let comparison::Result::Tensor(tensor) = result { Some(tensor.clone()) } else { None })
        .collect()
}

/// The inputs that require a gradient. An input that is not an argument of the op, such as the
/// other tensor of `x.to(other)`, is replaced by a tensor that nothing depends on.
pub(super) fn leaves(loader: &Loader<'_>, count: usize) -> Result<Vec<Tensor>, Failure> {
    let stand_in = || Tensor::zeros_with([], DType::F32, Some(loader.device))?.requires_grad_(true);
    let leaf = |index: usize| loader.inputs.get(index).cloned().flatten().map_or_else(stand_in, Ok);
    Ok((0..count.max(loader.inputs.len())).map(leaf).collect::<TensorResult<_>>()?)
}

/// The members of `pairs` whose tensor has a gradient, as two lists.
fn differentiable(pairs: Vec<(Tensor, Tensor)>) -> (Vec<Tensor>, Vec<Tensor>) {
    pairs.into_iter().filter(|(tensor, _)| tensor.requires_grad()).unzip()
}

/// The gradients of `inputs`, none where there is no path.
pub(super) fn gradients(
    pairs: Vec<(Tensor, Tensor)>,
    inputs: &[Tensor],
    create_graph: bool,
) -> Result<Vec<Option<Tensor>>, Failure> {
    let (outputs, starts) = differentiable(pairs);
    if outputs.is_empty() {
        return Ok(vec![None; inputs.len()]);
    }
    Ok(grad(&outputs, inputs, &starts, GradOptions { retain_graph: create_graph, create_graph })?)
}

/// Each output with its gradient in the file, if it has one.
pub(super) fn starts(
    outputs: &[Tensor],
    names: &[Option<String>],
    loader: &Loader<'_>,
) -> Result<Vec<(Tensor, Tensor)>, Failure> {
    let given = outputs.iter().zip(names).filter_map(|(output, name)| Some((output, name.as_ref()?)));
    given.map(|(output, name)| Ok((output.clone(), loader.gradient(name, output.dtype())?))).collect()
}

type Verdicts = (Verdict, Option<Verdict>);

fn value_and_gradient(
    file: &GoldenFile,
    sample: &Sample,
    device: &Device,
    strictness: Strictness,
) -> Result<Verdicts, Failure> {
    let mut loader = Loader::in_type(file, device, &sample.dtype);
    let results = forward(file, sample.into(), &mut loader)?;
    let outputs = tensors(&results);
    let computed = sample.gin.as_ref().map(|gin| {
        let inputs = leaves(&loader, gin.len())?;
        Ok(Host::start_optional(gradients(starts(&outputs, &sample.gout, &loader)?, &inputs, false)?)?)
    });
    let values = Host::start(&outputs)?;
    let value = Host::finish(values).map_err(Failure::from).and_then(|hosts| match sample.compare.as_deref() {
        Some("gauge") => factors::check(file, sample, &hosts),
        _ => comparison::values(file, sample, &results, &hosts, device, strictness),
    });
    let gradient = computed.map(|computed: Result<_, Failure>| {
        let got = Host::finish_optional(computed?)?;
        comparison::gradients(file, sample, sample.gin.as_deref().unwrap_or_default(), &got, Part::Gradient, strictness)
    });
    Ok((value, gradient))
}

fn double_gradient(
    file: &GoldenFile,
    sample: &Sample,
    wanted: &DoubleGradient,
    device: &Device,
    strictness: Strictness,
) -> Verdict {
    let mut loader = Loader::in_type(file, device, &sample.dtype);
    let outputs = tensors(&forward(file, sample.into(), &mut loader)?);
    let mut inputs = leaves(&loader, wanted.gin.len())?;
    // The file has a gradient for each output that has one, and nothing for the others.
    let with_gradient: Vec<Tensor> =
        outputs.into_iter().zip(&sample.gout).filter(|(_, gout)| gout.is_some()).map(|(output, _)| output).collect();
    let pairs = starts(&with_gradient, &wanted.gout, &loader)?;
    for (_, start) in &pairs {
        start.requires_grad_(true)?;
    }
    let first = gradients(pairs.clone(), &inputs, true)?;
    let mut directions = Vec::new();
    for (&index, name) in wanted.v_of.iter().zip(&wanted.v) {
        if let (Some(Some(gradient)), Some(name)) = (first.get(index), name) {
            directions.push((gradient.clone(), loader.gradient(name, gradient.dtype())?));
        }
    }
    inputs.extend(pairs.into_iter().map(|(_, start)| start));
    let got = Host::finish_optional(Host::start_optional(gradients(directions, &inputs, false)?)?)?;
    let want: Vec<Option<String>> = wanted.gin.iter().chain(&wanted.ggout).cloned().collect();
    comparison::gradients(file, sample, &want, &got, |_| Part::DoubleGradient, strictness)
}

/// Ops whose in-place form keeps the dtype of a tensor that the plain form promotes, so that the
/// file does not have its result.
const KEEP_THEIR_TYPE: &[&str] = &["cumsum", "cumprod"];

fn in_place(file: &GoldenFile, sample: &Sample, device: &Device, strictness: Strictness) -> Verdict {
    let mut loader = Loader::in_type(file, device, &sample.dtype);
    let (op, mut args) = bind_call(file, sample.into(), &mut loader)?;
    let (Some(Arg::Tensor(input)), Value::Tensor(out)) = (args.first().cloned(), &sample.out) else {
        return Err(Failure::Missing("the in-place form needs a tensor and gives one".into()));
    };
    let Some(form) = op.in_place else {
        return Err(Failure::Missing(format!("{} has no in-place form", op.name())));
    };
    let stored = file.tensor(&out.name).map_err(Failure::Broken)?;
    let result = dtype(stored.dtype)?;
    let target = input.clone_tensor()?;
    args[0] = Arg::Tensor(target.clone());
    let widens = result.category() > target.dtype().category();
    if widens && KEEP_THEIR_TYPE.contains(&file.document.op.as_str()) {
        return Err(Failure::Skip(
            "the in-place form keeps the type of its tensor, and the file gives the wider one".into(),
        ));
    }
    // Only `float_power_` requires a tensor of its result's dtype, which is float64 if the device
    // supports it.
    let has_float64 = device.capabilities().dtypes.contains(&DType::F64);
    let narrows = file.document.op == "float_power" && target.dtype() != DType::F64 && has_float64;
    let done = op.run_in_place(&args);
    // The file marks tensors of shape [1] and [] as broadcasting, which they do not: the shapes
    // decide.
    let fits = form == InPlace::View || stored.shape == input.shape().to_vec();
    if !fits || widens || narrows {
        return match done.and_then(|target| Host::finish(Host::start(&[target])?).map(drop)) {
            Err(_) => alive(device),
            Ok(()) => Err(Failure::Differs(
                "the result does not fit into the tensor, and it must throw".into(),
                f64::INFINITY,
            )),
        };
    }
    let target = done?;
    let computed = match &sample.gin {
        Some(gin) => {
            let pairs = starts(std::slice::from_ref(&target), &sample.gout, &loader)?;
            Some(Host::start_optional(gradients(pairs, &leaves(&loader, gin.len())?, false)?)?)
        }
        None => None,
    };
    let hosts = Host::finish(Host::start(&[target])?)?;
    comparison::in_place(file, sample, &hosts[0], strictness)?;
    match (computed, &sample.gin) {
        (Some(computed), Some(gin)) => {
            comparison::gradients(file, sample, gin, &Host::finish_optional(computed)?, Part::Gradient, strictness)
        }
        _ => Ok(()),
    }
}

/// A call that must throw, at once or when its result is read; afterwards the device must work.
fn must_throw(file: &GoldenFile, case: &ErrorCase, device: &Device) -> Verdict {
    let mut loader = Loader::new(file, device);
    let ran = if file.is_module() {
        module::must_throw(file, case, &mut loader)
    } else {
        forward(file, case.into(), &mut loader)
    };
    match ran.and_then(|results| Ok(Host::finish(Host::start(&tensors(&results))?)?)) {
        Err(Failure::Thrown(_) | Failure::Refused(_)) => alive(device),
        Err(failure) => Err(failure),
        Ok(_) => Err(Failure::Differs(
            format!("must throw; PyTorch says {:?}{}", case.torch_says, case.module.error_regex),
            f64::INFINITY,
        )),
    }
}

/// Computes something small.
fn alive(device: &Device) -> Verdict {
    let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], [3], device)?;
    match block_on(x.mul(2.0)?.to_vec::<f32>())? == [2.0, 4.0, 6.0] {
        true => Ok(()),
        false => Err(Failure::Differs("after the error the device computes wrong numbers".into(), f64::INFINITY)),
    }
}
