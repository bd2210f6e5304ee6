//! Programs for `run`, `models` and `inspect`: loaded by format, called by names.

use lanthorn::{Device, Error, Result, Tensor, nn::Module};
use lanthorn_program::{Program, Value, pt2};
use std::{fs, path::Path};

/// What PyTorch has written: a program to be called by the names of its inputs and results.
pub enum Model {
    /// A `.pt2` of `torch.export.save`.
    Exported(Box<Program>),
}

pub fn failed(error: lanthorn_program::Error) -> Error {
    Error::file("program", error.to_string())
}

impl Model {
    /// Reads a file of either kind onto a device.
    pub fn load(path: &Path, device: &Device) -> Result<Model> {
        let refused = |message: String| Error::file("program", format!("{}: {message}", path.display()));
        let bytes = fs::read(path).map_err(|error| refused(error.to_string()))?;
        if !pt2::detect(&bytes) {
            return Err(refused("is not a program that torch.export has saved (.pt2)".to_string()));
        }
        let program = Program::load(&bytes, device).map_err(|error| refused(error.to_string()))?;
        Ok(Model::Exported(Box::new(program)))
    }

    /// Calls the program with inputs by name, and gives tensors by the names of the results. Other
    /// tensors among the inputs are ignored.
    pub async fn call(&self, inputs: &[(String, Tensor)]) -> Result<Vec<(String, Tensor)>> {
        let Model::Exported(program) = self;
        let exported = program.exported();
        let leaf = |name: &String| {
            // Exported names have `_` where a path has dots.
            let same = |given: &str| given == name || given.replace('.', "_") == name.replace('.', "_");
            let tensor = inputs.iter().find(|(given, _)| same(given)).map(|(_, tensor)| Value::Tensor(tensor.clone()));
            tensor.unwrap_or(Value::None)
        };
        let leaves = exported.input_names().iter().map(leaf).collect();
        let results = program.call_flat(leaves).await.map_err(failed)?;
        let named = exported.output_names().into_iter().zip(results);
        Ok(named.filter_map(|(name, value)| Some((name, value.as_tensor()?.clone()))).collect())
    }

    /// The program as a module.
    pub fn module(&self) -> &dyn Module {
        let Model::Exported(program) = self;
        &**program
    }

    /// A parameter or buffer under any of its names.
    pub fn state(&self, name: &str) -> Option<&Tensor> {
        let Model::Exported(program) = self;
        program.state(name)
    }
}

/// The sum of the mean squares of the floating-point results.
pub fn loss(outputs: &[(String, Tensor)]) -> Result<Option<Tensor>> {
    let mut total: Option<Tensor> = None;
    for (_, output) in outputs.iter().filter(|(_, output)| output.dtype().is_floating_point()) {
        let mean = output.square()?.mean((), false)?;
        total = Some(match total {
            Some(total) => total.add(&mean)?,
            None => mean,
        });
    }
    Ok(total)
}
