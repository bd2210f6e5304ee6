//! Whole trainings: models, batches, optimizer and loss as in PyTorch, for thirty steps.
//!
//! The head of `tests/golden/make/gen_e2e.py` documents the format. Models are built from the
//! module table by name, so that the names in their states are PyTorch's.

use super::{
    call::Failure,
    comparison::{Host, compare_numbers},
    file::{Stored, Value, read_tensors},
    optim::{Kwargs, optimizer, options, read_json},
    run::{Aspect, Check, MakeDevice, Verdict, guard},
    tensors::{numbers, upload},
    tolerance::Strictness,
};
use crate::compare::Tolerance;
use lanthorn::{
    Approximate, DType, Device, Error, Result as TensorResult, Tensor, compile,
    nn::table::{ModuleInstance, build},
    no_grad,
    ops::Arg,
    optim::{ParameterGroup, clip_grad_norm_},
};
use pollster::block_on;
use serde::Deserialize;
use serde_json::Value as Json;
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

/// A training.
#[derive(Deserialize)]
struct Training {
    model: Description,
    state: BTreeMap<String, Value>,
    batches: Vec<[Value; 2]>,
    loss: String,
    optimizer: String,
    kwargs: Kwargs,
    clip_grad_norm: Option<f64>,
    lrs: Option<Vec<f64>>,
    losses: Vec<f64>,
    final_state: BTreeMap<String, Value>,
    eval_out: Value,
    f32_loss_err: f64,
    f32_weight_err: f64,
    f32_eval_err: f64,
    noisy_weights: Vec<String>,
}

#[derive(Deserialize)]
struct Description {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    layers: Vec<(String, Vec<Json>, BTreeMap<String, Json>)>,
    #[serde(default)]
    config: BTreeMap<String, Json>,
}

/// A model: its parts by name, and its structure.
struct Model {
    parts: Vec<(String, ModuleInstance)>,
    kind: String,
    heads: i64,
}

/// An integer, or a flag, as an argument.
fn plain(value: &Json) -> Arg {
    match value {
        Json::Bool(flag) => Arg::Scalar((*flag).into()),
        value => Arg::Scalar(value.as_i64().unwrap_or_default().into()),
    }
}

/// A module from positional arguments and others by name.
fn part(name: &str, args: &[Json], kwargs: &BTreeMap<String, Json>) -> Result<ModuleInstance, Failure> {
    let schema = lanthorn::nn::table::ModuleSpec::find(name)?.schema();
    let mut positions: Vec<Arg> = vec![Arg::Missing; schema.params.len()];
    for (index, value) in args.iter().enumerate() {
        positions[index] = plain(value);
    }
    for (name, value) in kwargs {
        let index = schema.params.iter().position(|param| param.name == *name);
        positions[index.ok_or_else(|| Failure::Missing(format!("{schema} has no {name}")))?] = plain(value);
    }
    Ok(build(name, &positions)?)
}

fn ints(values: &[i64]) -> Vec<Json> {
    values.iter().map(|&value| value.into()).collect()
}

fn flags(names: &[(&str, bool)]) -> BTreeMap<String, Json> {
    names.iter().map(|&(name, flag)| (name.to_string(), flag.into())).collect()
}

impl Model {
    fn new(description: &Description) -> Result<Model, Failure> {
        let number = |name: &str| description.config.get(name).and_then(Json::as_i64).unwrap_or_default();
        let none = BTreeMap::new();
        let mut parts = Vec::new();
        let mut add =
            |name: &str, module: &str, args: &[i64], kwargs: &BTreeMap<String, Json>| -> Result<(), Failure> {
                parts.push((name.to_string(), part(module, &ints(args), kwargs)?));
                Ok(())
            };
        match description.kind.as_str() {
            "Sequential" => {
                for (index, (name, args, kwargs)) in description.layers.iter().enumerate() {
                    parts.push((index.to_string(), part(name, args, kwargs)?));
                }
            }
            "GPT" => {
                let width = number("d");
                add("tok", "Embedding", &[number("V"), width], &none)?;
                add("pos", "Embedding", &[number("T"), width], &none)?;
                add("lnf", "LayerNorm", &[width], &none)?;
                for block in 0..number("L") {
                    let linears = [
                        ("qkv", width, 3 * width),
                        ("proj", width, width),
                        ("fc", width, 4 * width),
                        ("out", 4 * width, width),
                    ];
                    for (name, from, to) in linears {
                        add(&format!("blocks.{block}.{name}"), "Linear", &[from, to], &none)?;
                    }
                    for name in ["ln1", "ln2"] {
                        add(&format!("blocks.{block}.{name}"), "LayerNorm", &[width], &none)?;
                    }
                }
            }
            "RNNClassifier" => {
                let kind = description.config.get("kind").and_then(Json::as_str).unwrap_or_default();
                add("rnn", kind, &[number("input"), number("hidden")], &flags(&[("batch_first", true)]))?;
                add("head", "Linear", &[number("hidden"), number("out")], &none)?;
            }
            "ResNetTiny" => {
                let bare = flags(&[("bias", false)]);
                add("c1", "Conv2d", &[3, 8, 3, 2, 1], &bare)?;
                add("c2", "Conv2d", &[8, 8, 3, 1, 1], &bare)?;
                add("c3", "Conv2d", &[8, 8, 3, 1, 1], &bare)?;
                for name in ["bn1", "bn2", "bn3"] {
                    add(name, "BatchNorm2d", &[8], &none)?;
                }
                add("fc", "Linear", &[8, 4], &none)?;
            }
            other => return Err(Failure::Missing(format!("there is no model {other}"))),
        }
        Ok(Model { parts, kind: description.kind.clone(), heads: number("h") })
    }

    fn part(&self, name: &str) -> Result<&ModuleInstance, Failure> {
        let found = self.parts.iter().find(|(known, _)| known == name);
        Ok(&found.ok_or_else(|| Failure::Broken(format!("the model has no {name}")))?.1)
    }

    fn apply(&self, name: &str, x: &Tensor) -> Result<Tensor, Failure> {
        Ok(self.part(name)?.call(&[Arg::Tensor(x.clone())])?.into_tensor(name)?)
    }

    /// Parameters and buffers by full name.
    fn named_tensors(&self, buffers: bool) -> Vec<(String, Tensor)> {
        let of = |module: &ModuleInstance| {
            if buffers { module.module().named_buffers() } else { module.module().named_parameters() }
        };
        let prefixed = |(prefix, module): &(String, ModuleInstance)| {
            of(module).into_iter().map(|(name, tensor)| (format!("{prefix}.{name}"), tensor)).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(prefixed).collect()
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor, Failure> {
        match self.kind.as_str() {
            "GPT" => self.gpt(x),
            "RNNClassifier" => {
                let states = self.part("rnn")?.call(&[Arg::Tensor(x.clone())])?.tensors()[0].clone();
                self.apply("head", &states.select(1, -1)?)
            }
            "ResNetTiny" => {
                let x = self.apply("bn1", &self.apply("c1", x)?)?.relu()?;
                let inner = self.apply("bn2", &self.apply("c2", &x)?)?.relu()?;
                let x = x.add(self.apply("bn3", &self.apply("c3", &inner)?)?)?;
                self.apply("fc", &x.relu()?.mean([2, 3], false)?)
            }
            _ => self.parts.iter().try_fold(x.clone(), |x, (name, _)| self.apply(name, &x)),
        }
    }

    fn gpt(&self, tokens: &Tensor) -> Result<Tensor, Failure> {
        let (batch, time) = (tokens.shape()[0] as i64, tokens.shape()[1] as i64);
        let positions = Tensor::arange(0, time, 1)?;
        let mut x = self.apply("tok", tokens)?.add(self.apply("pos", &positions)?)?;
        let width = x.shape()[2] as i64;
        let size = width / self.heads;
        let later = Tensor::ones([time, time])?.triu(1)?.ne(0.0)?;
        for block in 0.. {
            let name = |part: &str| format!("blocks.{block}.{part}");
            if self.part(&name("ln1")).is_err() {
                break;
            }
            let qkv = self.apply(&name("qkv"), &self.apply(&name("ln1"), &x)?)?;
            let head = |part: i64| -> TensorResult<Tensor> {
                qkv.narrow(2, part * width, width)?.reshape([batch, time, self.heads, size])?.transpose(1, 2)
            };
            let (q, k, v) = (head(0)?, head(1)?, head(2)?);
            let scores = q.matmul(&k.transpose(-2, -1)?)?.mul(1.0 / (size as f64).sqrt())?;
            let weights = Tensor::r#where(&later, f64::NEG_INFINITY, &scores)?.softmax(-1)?;
            let merged = weights.matmul(&v)?.transpose(1, 2)?.reshape([batch, time, width])?;
            x = x.add(self.apply(&name("proj"), &merged)?)?;
            let inner = self.apply(&name("fc"), &self.apply(&name("ln2"), &x)?)?;
            x = x.add(self.apply(&name("out"), &inner.gelu_with(Approximate::Tanh)?)?)?;
        }
        let (_, embedding) = self.part("tok")?.module().named_parameters().remove(0);
        Ok(self.apply("lnf", &x)?.matmul(&embedding.t()?)?)
    }
}

fn loss(name: &str, output: &Tensor, target: &Tensor) -> Result<Tensor, Failure> {
    Ok(match name {
        "cross_entropy" => output.cross_entropy(target, None)?,
        "cross_entropy_flat" => {
            let classes = output.shape()[output.rank() - 1] as i64;
            output.reshape([-1, classes])?.cross_entropy(&target.reshape([-1])?, None)?
        }
        "mse_loss" => output.mse_loss(target)?,
        other => return Err(Failure::Missing(format!("there is no loss {other}"))),
    })
}

/// The maximum number of calls of a compiled step: one for each case that is recorded, and one for
/// the first step of the optimizer. The last batch may be smaller.
const MAX_CALLS: u64 = 4;

/// The results of a training.
struct Outcome {
    losses: Vec<f64>,
    state: BTreeMap<String, Host>,
    eval: Host,
}

fn tensor(value: &Value, tensors: &HashMap<String, Stored>, device: &Device) -> Result<Tensor, Failure> {
    let Value::Tensor(tensor) = value else { return Err(Failure::Broken(format!("{value:?} is no tensor"))) };
    let stored =
        tensors.get(&tensor.name).ok_or_else(|| Failure::Broken(format!("there is no tensor {}", tensor.name)))?;
    upload(stored, stored.bytes.clone(), &stored.shape, device)
}

/// Trains step by step, or with a compiled step.
fn train(
    training: &Training,
    tensors: &HashMap<String, Stored>,
    device: &Device,
    compiled: bool,
) -> Result<Outcome, Failure> {
    let model = Model::new(&training.model)?;
    let parameters = model.named_tensors(false);
    for (name, own) in parameters.iter().cloned().chain(model.named_tensors(true)) {
        let Some(value) = training.state.get(&name) else {
            return Err(Failure::Broken(format!("there is no {name} in the state")));
        };
        let given = tensor(value, tensors, device)?;
        no_grad(|| own.copy_(&given))?;
    }
    let parameters: Vec<Tensor> = parameters.into_iter().map(|(_, parameter)| parameter).collect();
    let given = options(&training.kwargs, tensors, device)?;
    let optimizer = optimizer(&training.optimizer, given, vec![ParameterGroup::from(parameters.clone())])?;
    let step = |x: &Tensor, y: &Tensor| -> Result<Tensor, Failure> {
        optimizer.zero_grad()?;
        let loss = loss(&training.loss, &model.forward(x)?, y)?;
        loss.backward()?;
        if let Some(most) = training.clip_grad_norm {
            clip_grad_norm_(&parameters, most, 2.0)?;
        }
        optimizer.step()?;
        Ok(loss)
    };
    let replayed = compile(|xs: &[Tensor]| {
        let loss = step(&xs[0], &xs[1]).map_err(|failure| Error::argument("training", failure.describe()))?;
        Ok(vec![loss])
    });
    let mut losses = Vec::new();
    for (number, [x, y]) in training.batches.iter().enumerate() {
        if let Some(lrs) = &training.lrs {
            optimizer.set_learning_rate(lrs[number])?;
        }
        let (x, y) = (tensor(x, tensors, device)?, tensor(y, tensors, device)?);
        let loss = if compiled { replayed.call(&[x, y])?.remove(0) } else { step(&x, &y)? };
        losses.push(block_on(loss.item())?);
    }
    let report = replayed.explain();
    if compiled && report.calls > MAX_CALLS {
        return Err(Failure::Broken(format!("the compiled step was not replayed: {report}")));
    }
    let (names, last): (Vec<String>, Vec<Tensor>) =
        model.named_tensors(false).into_iter().chain(model.named_tensors(true)).unzip();
    let state = names.into_iter().zip(Host::finish(Host::start(&last)?)?).collect();
    model.parts.iter().for_each(|(_, part)| part.module().train(false));
    let first = tensor(&training.batches[0][0], tensors, device)?;
    let output = no_grad(|| model.forward(&first))?;
    let eval = Host::finish(Host::start(&[output])?)?.remove(0);
    Ok(Outcome { losses, state, eval })
}

/// PyTorch's tolerance and four times its own error. On a device it includes the units in the last
/// place of a sum of products, for rounding that accumulates over thirty steps.
fn tolerance_for(error: f64, strictness: Strictness) -> Tolerance {
    const UNITS: f64 = 512.0;
    let (atol, units): (f64, f64) = match strictness {
        Strictness::Strict => (1e-5, 0.0),
        Strictness::Device => (4e-5, UNITS * f64::from(f32::EPSILON) / 2.0),
    };
    Tolerance { atol: atol.max(4.0 * error), rtol: units.max(1.3e-6) }
}

fn want<'a>(value: &Value, tensors: &'a HashMap<String, Stored>) -> Result<&'a Stored, Failure> {
    let Value::Tensor(tensor) = value else { return Err(Failure::Broken(format!("{value:?} is no tensor"))) };
    tensors.get(&tensor.name).ok_or_else(|| Failure::Broken(format!("there is no tensor {}", tensor.name)))
}

/// The checks of one training: the losses, the final state, and the final model's output for the
/// first batch.
pub fn run(folder: &Path, name: &str, make: &MakeDevice<'_>, strictness: Strictness) -> Result<Vec<Check>, String> {
    let training: Training = read_json(&folder.join(format!("{name}.json")))?;
    let path = folder.join(format!("{name}.safetensors"));
    let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let tensors = read_tensors(&bytes).map_err(|error| format!("{name}.safetensors: {error}"))?;
    let mut checks = vec![];
    for compiled in [false, true] {
        checks.extend(outcome(&training, &tensors, make, strictness, compiled));
    }
    Ok(checks)
}

/// The checks of one algorithm of training. The checks of a compiled step have other numbers.
fn outcome(
    training: &Training,
    tensors: &HashMap<String, Stored>,
    make: &MakeDevice<'_>,
    strictness: Strictness,
    compiled: bool,
) -> Vec<Check> {
    let first = if compiled { 2 } else { 0 };
    let mut outcome = None;
    let losses = guard(make, |device| {
        let trained = train(training, tensors, device, compiled)?;
        let verdict =
            compare_numbers(&trained.losses, &training.losses, tolerance_for(training.f32_loss_err, strictness));
        outcome = Some(trained);
        verdict
    });
    let unfinished = || Failure::Broken("the training came to no end".into());
    let state = || -> Verdict {
        let trained = outcome.as_ref().ok_or_else(unfinished)?;
        for (name, value) in training.final_state.iter().filter(|(name, _)| !training.noisy_weights.contains(name)) {
            // The number of batches is not needed with a momentum, and not part of the state here.
            let Some(host) = trained.state.get(name) else {
                return Err(Failure::Broken(format!("the model has no {name}")));
            };
            let want = numbers(want(value, tensors)?);
            let tolerance = tolerance_for(training.f32_weight_err, strictness).of(host.dtype);
            compare_numbers(&host.values, &want, tolerance)
                .map_err(|failure| Failure::Broken(format!("{name}: {}", failure.describe())))?;
        }
        Ok(())
    };
    let eval = || -> Verdict {
        let trained = outcome.as_ref().ok_or_else(unfinished)?;
        let want = numbers(want(&training.eval_out, tensors)?);
        compare_numbers(&trained.eval.values, &want, tolerance_for(training.f32_eval_err, strictness).of(DType::F32))
    };
    vec![
        Check::new(first, Aspect::Value, losses),
        Check::new(first, Aspect::State, state()),
        Check::new(first + 1, Aspect::Value, eval()),
    ]
}
