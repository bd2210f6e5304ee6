//! `lanthorn run MODEL`: runs a program on inputs from a file.

use crate::program::{Model, loss};
use lanthorn::{Error, Result, Tensor, Value};
use std::path::PathBuf;

/// The arguments of `run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// A program of `torch.export.save` (.pt2) or `torch.jit.save` (.pt), or an ONNX model (.onnx).
    model: PathBuf,
    /// The inputs: tensors `inputs.NAME`, by the names of forward's arguments and paths in them.
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
    /// Writes the results as tensors `outputs.PATH`. Without it, the command computes them and
    /// prints their shapes.
    #[arg(long, value_name = "FILE")]
    outputs: Option<PathBuf>,
    /// Writes the gradients `grads.PARAMETER` of the sum of the mean squares of the results.
    #[arg(long, value_name = "FILE")]
    grad: Option<PathBuf>,
    /// The device: cpu, wgpu, cuda (in a build with that feature).
    #[arg(long, default_value = "cpu")]
    device: String,
}

/// Runs the program, and prints the types and shapes of the results.
pub async fn run(arguments: &Arguments) -> Result<()> {
    let device = lanthorn::device(&arguments.device).await?;
    device.set_default();
    let model = Model::load(&arguments.model, &device)?;
    let inputs = match &arguments.inputs {
        Some(path) => read_prefixed(&lanthorn::load(path)?, "inputs.")?,
        None => vec![],
    };
    let call = async || model.call(&inputs).await;
    let outputs = match arguments.grad {
        Some(_) => call().await?,
        None => {
            let before = lanthorn::set_grad_enabled(false);
            let outputs = call().await;
            lanthorn::set_grad_enabled(before);
            outputs?
        }
    };
    if let Some(path) = &arguments.outputs {
        let named = outputs.iter().map(|(name, output)| (format!("outputs.{name}"), output.detach()));
        lanthorn::save(path, Value::tensors(named)).await?;
    }
    if let Some(path) = &arguments.grad {
        let loss = loss(&outputs)?.filter(Tensor::requires_grad);
        loss.ok_or_else(|| Error::argument("run", "no result depends on a parameter"))?.backward()?;
        let parameters = model.module().named_parameters().into_iter();
        let grads = parameters.filter_map(|(name, parameter)| Some((format!("grads.{name}"), parameter.grad()?)));
        lanthorn::save(path, Value::tensors(grads)).await?;
    }
    for (name, output) in &outputs {
        // Execution is lazy, so this read reports errors of the program.
        let read = output.to_bytes().await;
        read.map_err(|error| error.concerning(format!("outputs.{name}")))?;
        println!("outputs.{name}: {} {}", output.dtype(), output.shape());
    }
    Ok(())
}

/// Returns the tensors of a file whose names have a prefix, without the prefix.
pub fn read_prefixed(file: &Value, prefix: &str) -> Result<Vec<(String, Tensor)>> {
    let tensors = lanthorn::state_dict_of(file)?.into_iter();
    Ok(tensors.filter_map(|(name, tensor)| Some((name.strip_prefix(prefix)?.to_string(), tensor))).collect())
}
