//! Programs for `run`, `models` and `inspect`: loads them by format, and calls them by names.

use lanthorn::onnx::external::Folder;
use lanthorn::program::{ExportedProgram, Native, Program, Value, pt2};
use lanthorn::script::{NativeModule, ScriptModule};
use lanthorn::{Device, Error, Result, Tensor, nn::Module};
use std::{fs, path::Path};

/// A program that is called by the names of its inputs and results.
pub enum Model {
    /// A model of ONNX.
    Onnx(Box<lanthorn::onnx::Model>),
    /// A `.pt2` of `torch.export.save`.
    Exported(Box<Program>),
    /// An archive of `torch.jit.save`.
    Script(Box<NativeModule>),
}

pub fn program_error(error: lanthorn::program::Error) -> Error {
    Error::file("program", error.to_string())
}

impl Model {
    /// Reads a file of any kind onto a device.
    pub fn load(path: &Path, device: &Device) -> Result<Model> {
        let refused = |message: String| Error::file("program", format!("{}: {message}", path.display()));
        let bytes = fs::read(path).map_err(|error| refused(error.to_string()))?;
        if lanthorn::script::detect(&bytes) {
            let module = ScriptModule::load(&bytes, Native::new(device)).map_err(|error| refused(error.to_string()))?;
            return Ok(Model::Script(Box::new(NativeModule::new(module))));
        }
        if lanthorn::onnx::detect(&bytes) {
            let model = lanthorn::onnx::load_with(bytes, &Folder::of(path), device);
            return Ok(Model::Onnx(Box::new(model.map_err(|error| refused(error.to_string()))?)));
        }
        if !pt2::detect(&bytes) {
            let what = "is no program: it takes ONNX's, and what torch.export (.pt2) or torch.jit (.pt) has saved";
            return Err(refused(lanthorn::onnx::foreign(&bytes).unwrap_or_else(|| what.to_string())));
        }
        let program = Program::load(&bytes, device).map_err(|error| refused(error.to_string()))?;
        Ok(Model::Exported(Box::new(program)))
    }

    /// Calls the program with inputs by name, and returns tensors by the names of the results.
    /// Ignores other tensors among the inputs.
    pub async fn call(&self, inputs: &[(String, Tensor)]) -> Result<Vec<(String, Tensor)>> {
        let exported = match self {
            Model::Exported(program) => program.exported(),
            Model::Onnx(program) => program.exported(),
            Model::Script(module) => return call_script(module, inputs).await,
        };
        let leaf = |name: &String| {
            // Exported names replace the dots of a path by `_`.
            let same = |given: &str| given == name || given.replace('.', "_") == name.replace('.', "_");
            let tensor = inputs.iter().find(|(given, _)| same(given)).map(|(_, tensor)| Value::Tensor(tensor.clone()));
            tensor.unwrap_or(Value::None)
        };
        let leaves = exported.input_names().iter().map(leaf).collect();
        let results = match self {
            Model::Exported(program) => program.call_flat(leaves).await,
            Model::Onnx(program) => program.call_flat(leaves).await,
            Model::Script(_) => Ok(vec![]),
        };
        let named = output_names(exported).into_iter().zip(results.map_err(program_error)?);
        Ok(named.filter_map(|(name, value)| Some((name, value.as_tensor()?.clone()))).collect())
    }

    /// Whether it is an ONNX model.
    pub fn is_onnx(&self) -> bool {
        matches!(self, Model::Onnx(_))
    }

    /// Returns the program as a module.
    pub fn module(&self) -> &dyn Module {
        match self {
            Model::Exported(program) => &**program,
            Model::Onnx(program) => &**program,
            Model::Script(module) => &**module,
        }
    }

    /// Returns a parameter or buffer under any of its names.
    pub fn state(&self, name: &str) -> Option<Tensor> {
        match self {
            Model::Exported(program) => program.state(name),
            Model::Onnx(program) => program.state(name),
            Model::Script(module) => module.script().state(name),
        }
    }
}

/// Returns the names of the results. Names in ONNX are unique, so exporters prefix results with
/// `out.`.
fn output_names(program: &ExportedProgram) -> Vec<String> {
    let names = program.output_names().into_iter();
    names.map(|name| name.strip_prefix("out.").map_or(name.clone(), str::to_string)).collect()
}

/// Calls `forward` with the inputs that its parameters name: `x`, or `x.0`, `x.1` for a tuple.
async fn call_script(module: &NativeModule, inputs: &[(String, Tensor)]) -> Result<Vec<(String, Tensor)>> {
    let parameters = module.script().parameters_of("forward").unwrap_or_default();
    let mut named = Vec::new();
    let mut used = 0;
    for parameter in parameters {
        let path = format!("{parameter}.");
        let within = |name: &str| name == parameter || name.starts_with(&path);
        let own: Vec<_> = inputs.iter().filter(|(name, _)| within(name)).collect();
        used += own.len();
        if let Some(value) = gather(&own, &parameter) {
            named.push((parameter, value));
        }
    }
    // A traced function names its inputs itself, so they are passed in order.
    let (args, named) = match used < inputs.len() {
        true => (inputs.iter().map(|(_, tensor)| Value::Tensor(tensor.clone())).collect(), vec![]),
        false => (vec![], named),
    };
    let program_error = |error: lanthorn::script::Error| Error::file("program", error.to_string());
    let result = module.script().call(args, named).await.map_err(program_error)?;
    let mut outputs = Vec::new();
    result.for_each_leaf(&mut |path, leaf| {
        if let Value::Tensor(tensor) = leaf {
            outputs.push((if path.is_empty() { "0".to_string() } else { path.to_string() }, tensor.clone()));
        }
    });
    Ok(outputs)
}

/// Builds an argument from its leaves by their paths. A number is an index in a tuple.
fn gather(leaves: &[&(String, Tensor)], path: &str) -> Option<Value<Tensor>> {
    if let Some((_, tensor)) = leaves.iter().find(|(name, _)| name == path) {
        return Some(Value::Tensor(tensor.clone()));
    }
    let prefix = format!("{path}.");
    let mut keys: Vec<&str> = Vec::new();
    for (name, _) in leaves {
        let key = name.strip_prefix(&prefix)?.split('.').next()?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let items = keys.iter().map(|key| {
        let path = format!("{prefix}{key}");
        let below = leaves.iter().copied().filter(|(name, _)| *name == path || name.starts_with(&format!("{path}.")));
        gather(&below.collect::<Vec<_>>(), &path)
    });
    let items = items.collect::<Option<Vec<Value<Tensor>>>>().filter(|items| !items.is_empty())?;
    if keys.iter().all(|key| key.parse::<usize>().is_ok()) {
        return Some(Value::Tuple(items));
    }
    Some(Value::dict(keys.into_iter().zip(items)))
}

/// Returns the sum of the mean squares of the floating-point results.
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
