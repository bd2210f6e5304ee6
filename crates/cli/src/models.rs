//! `lanthorn models DIR`: runs the programs of a corpus and compares them with PyTorch.

use crate::{
    program::{Model, loss},
    run::read_prefixed,
};
use lanthorn::{Device, Error, Result, Tensor, Value};
use serde::Deserialize;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The arguments of `models`.
#[derive(clap::Args)]
pub struct Arguments {
    /// A folder of models with its `index.json`.
    dir: PathBuf,
    /// Only these models, or files of models: `resnet50`, `resnet50/train.pt2`.
    names: Vec<String>,
    /// The device: cpu, wgpu, cuda (in a build with that feature).
    #[arg(long, default_value = "cpu")]
    device: String,
    /// Prints every file with the largest error, in units of the tolerance.
    #[arg(long)]
    verbose: bool,
}

#[derive(Deserialize)]
struct Index {
    models: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    forms: Vec<Form>,
    io: Reference,
    io_dynamic: Option<Reference>,
    io_train: Option<Reference>,
}

#[derive(Deserialize)]
struct Form {
    file: String,
    /// The error of PyTorch's own loader on the file, in units of the tolerance.
    error: Option<f64>,
    /// The symbols of its sizes.
    dynamic: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Reference {
    file: String,
    #[serde(rename = "ref")]
    computed: Option<String>,
    #[serde(default)]
    outputs: Vec<Expected>,
    #[serde(default)]
    grads: Vec<Expected>,
    #[serde(default)]
    buffers: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    name: String,
    tol: Option<f64>,
}

/// Runs every program, and returns whether all agree.
pub async fn run(arguments: &Arguments) -> Result<bool> {
    let device = lanthorn::device(&arguments.device).await?;
    device.set_default();
    let path = arguments.dir.join("index.json");
    let refused = |message: String| Error::file("models", format!("{}: {message}", path.display()));
    let text = fs::read_to_string(&path).map_err(|error| refused(error.to_string()))?;
    let index: Index = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    let (mut passed, mut failed) = (0, 0);
    for row in &index.models {
        for form in &row.forms {
            let name = format!("{}/{}", row.name, form.file);
            let wanted = |wanted: &String| *wanted == row.name || *wanted == name;
            let file = arguments.dir.join(&name);
            if !(arguments.names.is_empty() || arguments.names.iter().any(wanted)) || !file.exists() {
                continue;
            }
            let references = match form.file.as_str() {
                "train.pt2" => vec![row.io_train.as_ref().unwrap_or(&row.io)],
                "dynamic.pt2" => std::iter::once(&row.io).chain(&row.io_dynamic).collect(),
                "dynamo.onnx" if form.dynamic.is_some() => std::iter::once(&row.io).chain(&row.io_dynamic).collect(),
                _ => vec![&row.io],
            };
            let mut worst = Ok(0.0f64);
            for reference in references {
                let outcome = check(&arguments.dir.join(&row.name), &file, form, reference, &device).await;
                worst = worst.and_then(|worst| outcome.map(|error| worst.max(error)));
            }
            match worst {
                Ok(error) => {
                    passed += 1;
                    if arguments.verbose {
                        println!("{name}: {error:.2}");
                    }
                }
                Err(error) => {
                    failed += 1;
                    println!("{name}: {error}");
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}

/// Runs a program on recorded inputs. Returns the largest error in units of the tolerance, at most
/// 1.
async fn check(folder: &Path, file: &Path, form: &Form, reference: &Reference, device: &Device) -> Result<f64> {
    let model = Model::load(file, device)?;
    let recorded = lanthorn::load(folder.join(&reference.file))?;
    let outputs = model.call(&read_prefixed(&recorded, "inputs.")?).await?;
    // References in float32, and files with reduced precision, have a larger tolerance.
    let exact = reference.computed.as_deref().is_none_or(|computed| computed == "f64");
    let scale =
        if exact { 1.0 } else { 16.0 } * form.error.filter(|&error| error > 1.0).map_or(1.0, |error| 2.0 * error);
    let mut worst = 0.0f64;
    for expected in &reference.outputs {
        let name = expected.name.strip_prefix("outputs.").unwrap_or(&expected.name);
        let found = outputs.iter().find(|(found, _)| found == name).map(|(_, tensor)| tensor);
        worst = worst.max(compare(expected, found, &recorded, scale).await?);
    }
    // ONNX exporters fold normalizations into weights and write tied weights twice, so gradients
    // belong to other tensors.
    if !reference.grads.is_empty() && !model.is_onnx() {
        let loss = loss(&outputs)?.filter(Tensor::requires_grad);
        loss.ok_or_else(|| Error::argument("models", "no result depends on a parameter"))?.backward()?;
        for expected in &reference.grads {
            let name = expected.name.strip_prefix("grads.").unwrap_or(&expected.name);
            let grad = model.state(name).and_then(|parameter| parameter.grad());
            worst = worst.max(compare(expected, grad.as_ref(), &recorded, scale).await?);
        }
    }
    for expected in &reference.buffers {
        let name = expected.name.strip_prefix("buffers.").unwrap_or(&expected.name);
        worst = worst.max(compare(expected, model.state(name).as_ref(), &recorded, scale).await?);
    }
    Ok(worst)
}

/// Returns the error of a tensor in units of its tolerance. A value above 1 is an error.
async fn compare(expected: &Expected, found: Option<&Tensor>, recorded: &Value, scale: f64) -> Result<f64> {
    let failed = |message: String| Error::argument("models", format!("{}: {message}", expected.name));
    let found = found.ok_or_else(|| failed("is missing".to_string()))?;
    let wanted = recorded.get(&expected.name).and_then(Value::as_tensor);
    let wanted = wanted.ok_or_else(|| failed("is not in the recorded file".to_string()))?;
    if found.shape() != wanted.shape() {
        return Err(failed(format!("has shape {}, PyTorch's has {}", found.shape(), wanted.shape())));
    }
    let (found, wanted) = (numbers(found).await?, numbers(wanted).await?);
    let tolerance = expected.tol.unwrap_or(0.0) * scale;
    let mut worst = 0.0f64;
    for (index, (&a, &b)) in found.iter().zip(&wanted).enumerate() {
        let error = if a == b || (a.is_nan() && b.is_nan()) { 0.0 } else { (a - b).abs() };
        if error.is_nan() || error > tolerance {
            let largest = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let ratio = largest / tolerance;
            return Err(failed(format!(
                "element {index} is {a}, PyTorch's is {b}; largest error {largest:e}, {ratio:.1} tolerances"
            )));
        }
        if tolerance > 0.0 {
            worst = worst.max(error / tolerance);
        }
    }
    Ok(worst)
}

async fn numbers(tensor: &Tensor) -> Result<Vec<f64>> {
    let wide = match tensor.dtype() {
        lanthorn::DType::I64 | lanthorn::DType::I32 | lanthorn::DType::U8 | lanthorn::DType::Bool => {
            return Ok(tensor
                .detach()
                .to(lanthorn::DType::I32)?
                .to_vec::<i32>()
                .await?
                .into_iter()
                .map(f64::from)
                .collect());
        }
        _ => tensor.detach().to(lanthorn::DType::F32)?,
    };
    Ok(wide.to_vec::<f32>().await?.into_iter().map(f64::from).collect())
}
