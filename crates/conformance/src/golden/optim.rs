//! PyTorch's optimizers: trajectories of ten steps from given gradients, schedules, clipping, and
//! options that must be refused.
//!
//! The head of `tests/golden/make/gen_optim.py` documents the format. The gradients are given, so
//! each step tests the rule alone; L-BFGS has a quadratic problem instead.

use super::{
    call::Failure,
    comparison::{Host, compare_numbers},
    file::{Stored, Value, read_tensors},
    run::{Aspect, Check, MakeDevice, Verdict, guard},
    tensors::{numbers, upload},
    tolerance::Strictness,
};
use crate::compare::{Tolerance, close};
use lanthorn::{
    Device, Error, Tensor,
    ops::Arg,
    optim::{Optimizer, ParameterGroup, Scheduler, StateValue, clip_grad_norm_, clip_grad_value_, schedule, table},
};
use pollster::block_on;
use serde::Deserialize;
use serde_json::Value as Json;
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

/// Options by name.
pub type Kwargs = BTreeMap<String, Value>;

/// An optimizer's file.
#[derive(Deserialize)]
struct Document {
    optimizer: String,
    trajectories: Vec<Trajectory>,
    errors: Vec<Refusal>,
}

#[derive(Deserialize)]
struct Trajectory {
    kwargs: Kwargs,
    groups: Option<Vec<GroupKwargs>>,
    params: Vec<String>,
    #[serde(default)]
    grads: Vec<Vec<Option<String>>>,
    after: Vec<Vec<String>>,
    #[serde(default)]
    state: Vec<BTreeMap<String, Json>>,
    problem: Option<Problem>,
    #[serde(default)]
    losses: Vec<Value>,
    f32_err: [f64; 3],
    #[serde(default)]
    unstable: bool,
}

#[derive(Deserialize)]
struct GroupKwargs {
    params: Vec<usize>,
    kwargs: Kwargs,
}

#[derive(Deserialize)]
#[allow(non_snake_case)]
struct Problem {
    A: String,
    b: String,
}

#[derive(Deserialize)]
struct Refusal {
    kwargs: Kwargs,
    error_regex: String,
}

#[derive(Deserialize)]
struct Schedule {
    scheduler: String,
    #[serde(default)]
    kwargs: BTreeMap<String, Json>,
    base_lr: f64,
    #[serde(default)]
    lrs: Vec<f64>,
    #[serde(default)]
    momentum: Vec<f64>,
    #[serde(default)]
    metrics: Vec<f64>,
    #[serde(default)]
    lrs_after: Vec<f64>,
    #[serde(default)]
    of: Vec<(String, BTreeMap<String, Json>)>,
    #[serde(default)]
    milestones: Vec<i64>,
}

#[derive(Deserialize)]
struct Clip {
    #[serde(rename = "fn")]
    function: String,
    kwargs: Kwargs,
    grads: Vec<Option<String>>,
    after: Vec<Option<String>>,
    returns: Option<Value>,
}

type Tensors = HashMap<String, Stored>;

/// The tolerance of a trajectory: PyTorch's tolerance and four times its own error. On a device it
/// includes the units in the last place of a pointwise op.
fn tolerance_for(errors: [f64; 3], strictness: Strictness) -> Tolerance {
    const UNITS: f64 = 64.0;
    let units = if strictness == Strictness::Device { UNITS * f64::from(f32::EPSILON) / 2.0 } else { 0.0 };
    Tolerance { atol: (4.0 * errors[2]).max(1e-5), rtol: (4.0 * errors[1]).max(1.3e-6).max(units) }
}

fn find_stored<'a>(tensors: &'a Tensors, name: &str) -> Result<&'a Stored, Failure> {
    tensors.get(name).ok_or_else(|| Failure::Broken(format!("there is no tensor {name}")))
}

fn make(tensors: &Tensors, name: &str, device: &Device) -> Result<Tensor, Failure> {
    let stored = find_stored(tensors, name)?;
    upload(stored, stored.bytes.clone(), &stored.shape, device)
}

/// A Python value as an option. A tensor of one element is a number; a larger tensor is not an
/// option.
fn option(value: &Value, tensors: &Tensors, device: &Device) -> Result<Arg, Failure> {
    match value {
        Value::Tensor(tensor) => {
            let stored = find_stored(tensors, &tensor.name)?;
            match (numbers(stored)[..].first(), stored.shape.iter().product::<usize>()) {
                (Some(&number), 1) => Ok(Arg::Scalar(number.into())),
                _ => Ok(Arg::Tensor(make(tensors, &tensor.name, device)?)),
            }
        }
        Value::Tuple(items) if items.iter().any(|item| matches!(item, Value::Tensor(_))) => {
            Err(Failure::Refused("a list of options holds numbers".into()))
        }
        Value::None => Ok(Arg::Missing),
        Value::Bool(value) => Ok(Arg::Scalar((*value).into())),
        Value::Int(value) => Ok(Arg::Scalar((*value).into())),
        Value::Float(value) => Ok(Arg::Scalar((*value).into())),
        Value::Str(text) => Ok(Arg::Str(text.clone())),
        Value::Tuple(items) | Value::List(items) => {
            let numbers: Option<Vec<f64>> = items
                .iter()
                .map(|item| match item {
                    Value::None => Some(f64::NAN),
                    Value::Int(value) => Some(*value as f64),
                    Value::Float(value) => Some(*value),
                    _ => None,
                })
                .collect();
            numbers.map(Arg::Floats).ok_or_else(|| Failure::Refused(format!("there is no option like {items:?}")))
        }
        other => Err(Failure::Refused(format!("there is no option like {other:?}"))),
    }
}

/// Options of PyTorch's implementation that do not affect the numbers.
const SWITCHES: &[&str] = &["foreach", "fused", "capturable", "differentiable"];

/// Options as arguments.
pub fn options(kwargs: &Kwargs, tensors: &Tensors, device: &Device) -> Result<Vec<(String, Arg)>, Failure> {
    let given = kwargs.iter().map(|(name, value)| match SWITCHES.contains(&name.as_str()) {
        true => Err(Failure::Refused(format!("there is no option {name}"))),
        false => Ok((name.clone(), option(value, tensors, device)?)),
    });
    given.collect()
}

/// An optimizer by name, with options by name.
pub fn optimizer(name: &str, given: Vec<(String, Arg)>, groups: Vec<ParameterGroup>) -> Result<Optimizer, Failure> {
    let params = table::find(name)?.schema().params;
    let mut args = vec![Arg::Missing; params.len() - 1];
    for (name, value) in given {
        let index = params[1..].iter().position(|param| param.name == name);
        args[index.ok_or_else(|| Failure::Missing(format!("there is no option {name}")))?] = value;
    }
    Ok(table::build(name, &args, groups)?)
}

/// Runs an optimizer's file.
struct Trial<'a> {
    tensors: &'a Tensors,
    device: &'a Device,
    strictness: Strictness,
}

impl Trial<'_> {
    fn parameters(&self, names: &[String]) -> Result<Vec<Tensor>, Failure> {
        names.iter().map(|name| Ok(make(self.tensors, name, self.device)?.requires_grad_(true)?)).collect()
    }

    fn optimizer(&self, name: &str, trajectory: &Trajectory, parameters: &[Tensor]) -> Result<Optimizer, Failure> {
        let given = options(&trajectory.kwargs, self.tensors, self.device)?;
        let groups = match &trajectory.groups {
            None => vec![ParameterGroup::from(parameters.to_vec())],
            Some(groups) => {
                let group = |group: &GroupKwargs| {
                    let parameters = group.params.iter().map(|&index| parameters[index].clone()).collect();
                    Ok(ParameterGroup { parameters, options: options(&group.kwargs, self.tensors, self.device)? })
                };
                groups.iter().map(group).collect::<Result<_, Failure>>()?
            }
        };
        optimizer(name, given, groups)
    }

    fn compare(&self, got: &[Tensor], want: &[&str], tolerance: Tolerance, what: &str) -> Verdict {
        for (index, (host, name)) in Host::finish(Host::start(got)?)?.iter().zip(want).enumerate() {
            let want = find_stored(self.tensors, name)?;
            if host.shape != want.shape {
                return Err(Failure::Differs(
                    format!("{what} {index} has shape {:?}, expected {:?}", host.shape, want.shape),
                    f64::INFINITY,
                ));
            }
            let compared = compare_numbers(&host.values, &numbers(want), tolerance);
            compared.map_err(|failure| match failure {
                Failure::Differs(why, off) => Failure::Differs(format!("{what} {index}: {why}"), off),
                failure => failure,
            })?;
        }
        Ok(())
    }

    /// All parameters after every step, and then the state.
    fn trajectory(&self, name: &str, trajectory: &Trajectory) -> Result<Verdict, Failure> {
        let parameters = self.parameters(&trajectory.params)?;
        let optimizer = self.optimizer(name, trajectory, &parameters)?;
        let tolerance = tolerance_for(trajectory.f32_err, self.strictness);
        if let Some(problem) = &trajectory.problem {
            self.minimize(&optimizer, &parameters, problem, trajectory, tolerance)?;
            return Ok(Ok(()));
        }
        for (step, (grads, after)) in trajectory.grads.iter().zip(&trajectory.after).enumerate() {
            for (parameter, grad) in parameters.iter().zip(grads) {
                parameter.set_grad(grad.as_ref().map(|name| make(self.tensors, name, self.device)).transpose()?)?;
            }
            optimizer.step()?;
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            self.compare(&parameters, &after, tolerance, &format!("after step {step}, parameter"))?;
        }
        Ok(self.state(&optimizer, trajectory, tolerance))
    }

    /// The optimizer's state, by PyTorch's names.
    fn state(&self, optimizer: &Optimizer, trajectory: &Trajectory, tolerance: Tolerance) -> Verdict {
        let state = optimizer.state_dict()?.state;
        for (index, want) in trajectory.state.iter().enumerate() {
            let got: BTreeMap<&str, &StateValue> =
                state.get(&index).into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect();
            let names: Vec<&str> = want.keys().map(String::as_str).collect();
            if got.keys().copied().collect::<Vec<_>>() != names {
                let why = format!("the state of parameter {index} has {:?}, expected {names:?}", got.keys());
                return Err(Failure::Differs(why, f64::INFINITY));
            }
            for (name, want) in want {
                let what = format!("state {name} of parameter");
                match (got[name.as_str()], want.as_str()) {
                    (StateValue::Tensor(tensor), Some(want)) => {
                        self.compare(std::slice::from_ref(tensor), &[want], tolerance, &format!("{what} {index}:"))?;
                    }
                    (got, want) => {
                        return Err(Failure::Differs(
                            format!("{what} {index}: {got:?}, expected {want:?}"),
                            f64::INFINITY,
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    fn minimize(
        &self,
        optimizer: &Optimizer,
        parameters: &[Tensor],
        problem: &Problem,
        trajectory: &Trajectory,
        tolerance: Tolerance,
    ) -> Verdict {
        let (matrix, target) =
            (make(self.tensors, &problem.A, self.device)?, make(self.tensors, &problem.b, self.device)?);
        for (step, (after, want)) in trajectory.after.iter().zip(&trajectory.losses).enumerate() {
            let loss = block_on(optimizer.step_with(async || {
                optimizer.zero_grad()?;
                let flat =
                    parameters.iter().map(|parameter| parameter.reshape([-1])).collect::<Result<Vec<_>, Error>>()?;
                let loss = matrix.mv(&Tensor::cat(&flat, 0)?)?.sub(&target)?.square()?.sum((), false)?.mul(0.5)?;
                loss.backward()?;
                Ok(loss)
            }))?;
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            self.compare(parameters, &after, tolerance, &format!("after step {step}, parameter"))?;
            let Value::Float(want) = want else { return Err(Failure::Broken("a loss is a float".into())) };
            let got = block_on(loss.item())?;
            compare_numbers(&[got], &[*want], tolerance)?;
        }
        Ok(())
    }

    /// Options that must be refused.
    fn refusal(&self, name: &str, case: &Refusal) -> Verdict {
        let shape = if name == "Muon" { vec![2, 2] } else { vec![2] };
        let parameter = Tensor::zeros_with(shape, lanthorn::DType::F32, Some(self.device))?.requires_grad_(true)?;
        let made = options(&case.kwargs, self.tensors, self.device)
            .and_then(|given| optimizer(name, given, vec![ParameterGroup::from(vec![parameter])]));
        match made {
            Err(Failure::Thrown(_) | Failure::Refused(_)) => Ok(()),
            Err(failure) => Err(failure),
            Ok(_) => Err(Failure::Differs(format!("must throw; PyTorch says {:?}", case.error_regex), f64::INFINITY)),
        }
    }

    fn clip(&self, case: &Clip) -> Verdict {
        let mut parameters = Vec::new();
        for grad in &case.grads {
            let grad = grad.as_ref().map(|name| make(self.tensors, name, self.device)).transpose()?;
            let shape: Vec<i64> = grad.iter().flat_map(|grad| grad.shape().iter().map(|&size| size as i64)).collect();
            let parameter = Tensor::zeros_with(shape, lanthorn::DType::F32, Some(self.device))?.requires_grad_(true)?;
            parameter.set_grad(grad)?;
            parameters.push(parameter);
        }
        let number = |name: &str, default: f64| match case.kwargs.get(name) {
            Some(Value::Float(value)) => *value,
            _ => default,
        };
        let tolerance = tolerance_for([0.0; 3], self.strictness);
        if case.function == "clip_grad_value_" {
            clip_grad_value_(&parameters, number("clip_value", 0.0))?;
        } else {
            let norm = clip_grad_norm_(&parameters, number("max_norm", 0.0), number("norm_type", 2.0))?;
            let Some(Value::Float(want)) = case.returns else {
                return Err(Failure::Broken("a norm is a float".into()));
            };
            compare_numbers(&[block_on(norm.item())?], &[want], tolerance)?;
        }
        let got: Vec<Tensor> = parameters.iter().filter_map(Tensor::grad).collect();
        let want: Vec<&str> = case.after.iter().flatten().map(String::as_str).collect();
        match got.len() == want.len() {
            true => self.compare(&got, &want, tolerance, "gradient"),
            false => Err(Failure::Differs(format!("{} gradients, expected {}", got.len(), want.len()), f64::INFINITY)),
        }
    }
}

/// A JSON value as an option of a schedule.
fn plain(value: &Json) -> Result<Arg, Failure> {
    Ok(match value {
        Json::Null => Arg::Missing,
        Json::Bool(value) => Arg::Scalar((*value).into()),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Arg::Scalar(value.into()),
            None => Arg::Scalar(number.as_f64().unwrap_or(f64::NAN).into()),
        },
        Json::String(text) => Arg::Str(text.clone()),
        Json::Array(items) => Arg::Ints(items.iter().filter_map(Json::as_i64).collect()),
        Json::Object(_) => return Err(Failure::Broken(format!("no option is written as {value}"))),
    })
}

fn scheduler(name: &str, optimizer: &Optimizer, kwargs: &BTreeMap<String, Json>) -> Result<Scheduler, Failure> {
    let spec = schedule::SCHEDULES.iter().find(|spec| spec.name == name);
    let params = spec.ok_or_else(|| Failure::Missing(format!("there is no schedule {name}")))?.schema().params;
    let args = params
        .iter()
        .map(|param| kwargs.get(&param.name).map_or(Ok(Arg::Missing), plain))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(odd) = kwargs.keys().find(|&name| params.iter().all(|param| param.name != *name)) {
        return Err(Failure::Missing(format!("there is no option {odd}")));
    }
    Ok(schedule::build(name, optimizer, &args)?)
}

/// The rates, and momenta, of a schedule, to 12 digits.
fn follow(case: &Schedule, device: &Device) -> Verdict {
    const DIGITS: Tolerance = Tolerance { atol: 1e-15, rtol: 1e-12 };
    let parameter = Tensor::zeros_with([1], lanthorn::DType::F32, Some(device))?.requires_grad_(true)?;
    let given =
        vec![("lr".to_string(), Arg::Scalar(case.base_lr.into())), ("momentum".to_string(), Arg::Scalar(0.9.into()))];
    let optimizer = optimizer("SGD", given, vec![ParameterGroup::from(vec![parameter])])?;
    let scheduler = match case.scheduler.as_str() {
        "SequentialLR" => {
            let parts = case.of.iter().map(|(name, kwargs)| scheduler(name, &optimizer, kwargs));
            Scheduler::sequential(parts.collect::<Result<_, _>>()?, case.milestones.clone())?
        }
        name => scheduler(name, &optimizer, &case.kwargs)?,
    };
    let number = |name: &str| optimizer.number(0, name).unwrap_or(f64::NAN);
    let (mut rates, mut momenta) = (Vec::new(), Vec::new());
    for step in 0..case.lrs.len() {
        rates.push(number("lr"));
        momenta.push(number("momentum"));
        optimizer.step()?;
        if step + 1 < case.lrs.len() {
            scheduler.step()?;
        }
    }
    for &metric in &case.metrics {
        scheduler.step_with(metric)?;
        rates.push(number("lr"));
    }
    let want = if case.metrics.is_empty() { &case.lrs } else { &case.lrs_after };
    let differs = |why| Failure::Differs(why, f64::INFINITY);
    close(&rates, want, DIGITS).map_err(|why| differs(format!("rate: {why}")))?;
    if !case.momentum.is_empty() {
        close(&momenta, &case.momentum, DIGITS).map_err(|why| differs(format!("momentum: {why}")))?;
    }
    Ok(())
}

/// Reads a file of JSON.
pub fn read_json<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// The checks of one file of the folder.
pub fn run(folder: &Path, name: &str, make: &MakeDevice<'_>, strictness: Strictness) -> Result<Vec<Check>, String> {
    let json = folder.join(format!("{name}.json"));
    // One device per file, because opening a GPU is slow.
    let device = make().map_err(|error| error.to_string())?;
    let make: &MakeDevice<'_> = &|| Ok(device.clone());
    let tensors = match fs::read(folder.join(format!("{name}.safetensors"))) {
        Ok(bytes) => read_tensors(&bytes).map_err(|error| format!("{name}.safetensors: {error}"))?,
        // Schedules need none.
        Err(_) => Tensors::new(),
    };
    let mut checks = Vec::new();
    let mut check = |sample: usize, aspect: Aspect, verdict: Verdict| checks.push(Check::new(sample, aspect, verdict));
    let trial =
        |device: &Device, work: &dyn Fn(&Trial<'_>) -> Verdict| work(&Trial { tensors: &tensors, device, strictness });
    match name {
        "schedulers" => {
            for (index, case) in read_json::<Vec<Schedule>>(&json)?.iter().enumerate() {
                check(index, Aspect::Value, guard(make, |device| follow(case, device)));
            }
        }
        "clip" => {
            for (index, case) in read_json::<Vec<Clip>>(&json)?.iter().enumerate() {
                check(index, Aspect::Value, guard(make, |device| trial(device, &|trial| trial.clip(case))));
            }
        }
        _ => {
            let document: Document = read_json(&json)?;
            for (index, trajectory) in document.trajectories.iter().enumerate() {
                let mut state = Err(Failure::Broken("the trajectory was not followed to its end".into()));
                let value = guard(make, |device| {
                    let trial = Trial { tensors: &tensors, device, strictness };
                    state = trial.trajectory(&document.optimizer, trajectory)?;
                    Ok(())
                });
                let unstable = || Err(Failure::Skip("PyTorch disagrees with itself here".into()));
                check(index, Aspect::Value, if trajectory.unstable { unstable() } else { value });
                if trajectory.problem.is_none() {
                    check(index, Aspect::State, if trajectory.unstable { unstable() } else { state });
                }
            }
            for (index, case) in document.errors.iter().enumerate() {
                let verdict = guard(make, |device| trial(device, &|trial| trial.refusal(&document.optimizer, case)));
                check(index, Aspect::Error, verdict);
            }
        }
    }
    Ok(checks)
}
