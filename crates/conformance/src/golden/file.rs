//! The files: `NAME.json` describes the calls, `NAME.safetensors` next to it has the numbers.
//!
//! `tests/golden/README.md` documents the format. It is PyTorch's values in JSON: a value that JSON
//! cannot represent is an object with the key `$`.

use serde::Deserialize;
use serde_json::Value as Json;
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

/// A file that could not be read, and the reason.
pub type Result<T> = std::result::Result<T, String>;

/// One op, or one variant of it, or one module, with its calls.
#[derive(Debug, Deserialize)]
pub struct Document {
    /// PyTorch's name: `nn.functional.silu`, `linalg.qr`, `__radd__`, `nn.Linear`.
    #[serde(alias = "module")]
    pub op: String,
    /// The kind of op: `unary`, `reduce`, `linalg`; empty for a module.
    #[serde(default)]
    pub category: String,
    /// Its other names in PyTorch.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The name of the in-place form, if there is one.
    #[serde(default)]
    pub inplace: Option<String>,
    /// Larger tolerances of PyTorch's own tests for this op.
    #[serde(default)]
    pub torch_tolerance_overrides: Vec<Override>,
    /// The calls that return a result.
    pub samples: Vec<Sample>,
    /// The calls that must throw.
    #[serde(default)]
    pub errors: Vec<ErrorCase>,
}

/// A tolerance of one of PyTorch's tests.
#[derive(Debug, Deserialize)]
pub struct Override {
    /// `Class.test`.
    pub test: Option<String>,
    /// One device, several, or all of them.
    #[serde(default)]
    pub device: Json,
    /// The element type that it applies to.
    pub dtype: String,
    /// The absolute part.
    pub atol: f64,
    /// The relative part.
    pub rtol: f64,
}

/// A call with its results.
#[derive(Debug, Deserialize)]
pub struct Sample {
    /// Its number in the file.
    pub id: usize,
    /// The dtype of all floating-point inputs.
    #[serde(default)]
    pub dtype: String,
    /// The positional arguments.
    #[serde(alias = "fwd_args")]
    pub args: Vec<Value>,
    /// The others.
    #[serde(default, alias = "fwd_kwargs")]
    pub kwargs: BTreeMap<String, Value>,
    /// The names of the positional ones, if PyTorch could bind them.
    #[serde(default, alias = "fwd_arg_names")]
    pub arg_names: Option<Vec<String>>,
    /// For a module, the called module.
    #[serde(flatten)]
    pub module: Construction,
    /// PyTorch's result.
    pub out: Value,
    /// The error of PyTorch's own float32 in `out`.
    #[serde(default)]
    pub f32_err: Option<Errors>,
    /// A gradient of each output tensor.
    #[serde(default)]
    pub gout: Vec<Option<String>>,
    /// The gradient of each input that requires one.
    #[serde(default)]
    pub gin: Option<Vec<Option<String>>>,
    /// Double backward.
    #[serde(default)]
    pub gradgrad: Option<DoubleGradient>,
    /// PyTorch's float32 and float64 disagree.
    #[serde(default)]
    pub unstable: bool,
    /// Equal elements: an index or a gradient may select another of them.
    #[serde(default)]
    pub ties: bool,
    /// `gauge`: the result is not unique.
    #[serde(default)]
    pub compare: Option<String>,
}

/// A call that must throw.
#[derive(Debug, Deserialize)]
pub struct ErrorCase {
    /// The positional arguments; none if the module's construction fails.
    #[serde(default, alias = "fwd_args")]
    pub args: Vec<Value>,
    /// The others.
    #[serde(default, alias = "fwd_kwargs")]
    pub kwargs: BTreeMap<String, Value>,
    /// The names of the positional ones.
    #[serde(default, alias = "fwd_arg_names")]
    pub arg_names: Option<Vec<String>>,
    /// For a module, the constructed or called module.
    #[serde(flatten)]
    pub module: Construction,
    /// PyTorch's message.
    #[serde(default)]
    pub torch_says: String,
}

/// The construction of a module, its state, and the state after its call.
#[derive(Debug, Default, Deserialize)]
pub struct Construction {
    /// The constructor's positional arguments.
    #[serde(default)]
    pub ctor_args: Vec<Value>,
    /// The others.
    #[serde(default)]
    pub ctor_kwargs: BTreeMap<String, Value>,
    /// The names of the positional ones, if PyTorch could bind them.
    #[serde(default)]
    pub ctor_arg_names: Option<Vec<String>>,
    /// Whether it was in training mode.
    #[serde(default)]
    pub training: bool,
    /// Its state dict before the call.
    #[serde(default)]
    pub state: BTreeMap<String, Value>,
    /// The gradient of each parameter.
    #[serde(default)]
    pub gparam: BTreeMap<String, Option<String>>,
    /// The buffers that the call changed.
    #[serde(default)]
    pub state_after: BTreeMap<String, String>,
    /// `construction` or `forward`, whichever must throw.
    #[serde(default)]
    pub error_on: Option<String>,
    /// A pattern for PyTorch's message.
    #[serde(default)]
    pub error_regex: String,
}

impl Construction {
    /// Every value in it.
    fn values(&self) -> impl Iterator<Item = &Value> {
        self.ctor_args.iter().chain(self.ctor_kwargs.values()).chain(self.state.values())
    }
}

/// `[max abs, rel, excess]` for each output and each gradient.
#[derive(Debug, Default, Deserialize)]
pub struct Errors {
    /// For the outputs.
    #[serde(default)]
    pub out: Vec<Option<[f64; 3]>>,
    /// For the gradients.
    #[serde(default)]
    pub grad: GradientErrors,
}

/// The errors of PyTorch's gradients.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum GradientErrors {
    /// One entry for all gradients of a module.
    All([f64; 3]),
    /// One entry for each gradient of an op.
    Each(Vec<Option<[f64; 3]>>),
}

impl Default for GradientErrors {
    fn default() -> GradientErrors {
        GradientErrors::Each(vec![])
    }
}

impl GradientErrors {
    /// The errors of gradient number `index`.
    pub fn at(&self, index: usize) -> Option<[f64; 3]> {
        match self {
            GradientErrors::All(errors) => Some(*errors),
            GradientErrors::Each(list) => list.get(index).copied().flatten(),
        }
    }

    /// All of them.
    pub fn all(&self) -> &[Option<[f64; 3]>] {
        match self {
            GradientErrors::All(_) => &[],
            GradientErrors::Each(list) => list,
        }
    }
}

/// `d <gi[v_of[k]], v[k]>` by the inputs and by `gout`, where `gi` are the inputs' gradients.
#[derive(Debug, Deserialize)]
pub struct DoubleGradient {
    /// A gradient for each output that has one.
    pub gout: Vec<Option<String>>,
    /// The indices of the inputs' gradients that are differentiated.
    pub v_of: Vec<usize>,
    /// The factor of each.
    pub v: Vec<Option<String>>,
    /// The derivatives by the inputs.
    pub gin: Vec<Option<String>>,
    /// The derivatives by `gout`.
    pub ggout: Vec<Option<String>>,
}

/// A Python value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Json")]
pub enum Value {
    /// `None`
    None,
    /// `True`
    Bool(bool),
    /// `1`
    Int(i64),
    /// `1.0`
    Float(f64),
    /// `"mean"`
    Str(String),
    /// `[1, 2]`
    List(Vec<Value>),
    /// `(1, 2)`, or a size.
    Tuple(Vec<Value>),
    /// `1:2:3`
    Slice(Vec<Value>),
    /// `...`
    Ellipsis,
    /// `torch.float32`
    DType(String),
    /// A tensor.
    Tensor(TensorValue),
    /// A module, as an argument of another module's constructor.
    Module(Box<ModuleValue>),
    /// A function, by its name.
    Function(String),
    /// A Python object without counterpart here, by its kind: a device, a layout, a memory format,
    /// a complex number.
    Other {
        /// `device`, `layout`, `memory_format`, `complex`, `dict`.
        kind: String,
        /// Its text in Python.
        value: String,
    },
}

/// A tensor of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorValue {
    /// Its name in the safetensors file.
    pub name: String,
    /// The sizes.
    pub shape: Vec<usize>,
    /// The strides of PyTorch's tensor, if it was not contiguous.
    pub strides: Option<Vec<usize>>,
    /// Its index among the inputs that require a gradient.
    pub input: Option<usize>,
}

/// A module of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleValue {
    /// PyTorch's name of its class.
    pub class: String,
    /// The constructor's arguments by name.
    pub config: BTreeMap<String, Value>,
    /// Its state dict.
    pub state: BTreeMap<String, Value>,
}

/// The values of an object.
fn values(json: Option<Json>) -> Result<BTreeMap<String, Value>> {
    let Some(Json::Object(object)) = json else { return Err("a dict without entries".into()) };
    object.into_iter().map(|(name, json)| Ok((name, Value::try_from(json)?))).collect()
}

impl TryFrom<Json> for Value {
    type Error = String;

    fn try_from(json: Json) -> Result<Value> {
        let list = |items: Vec<Json>| items.into_iter().map(Value::try_from).collect::<Result<Vec<_>>>();
        let mut object = match json {
            Json::Null => return Ok(Value::None),
            Json::Bool(value) => return Ok(Value::Bool(value)),
            Json::Number(number) => {
                return number.as_i64().map(Value::Int).ok_or_else(|| format!("{number} is not an integer"));
            }
            Json::String(text) => return Ok(Value::Str(text)),
            Json::Array(items) => return Ok(Value::List(list(items)?)),
            Json::Object(object) => object,
        };
        let kind = object.get("$").and_then(Json::as_str).unwrap_or_default().to_string();
        let value = object.remove("v").unwrap_or_default();
        Ok(match (kind.as_str(), value) {
            ("float", value) => Value::Float(float(&value)?),
            ("int", Json::String(text)) => Value::Int(text.parse().map_err(|_| format!("the integer {text}"))?),
            ("tuple", Json::Array(items)) => Value::Tuple(list(items)?),
            ("slice", Json::Array(items)) => Value::Slice(list(items)?),
            ("ellipsis", _) => Value::Ellipsis,
            ("dtype", Json::String(name)) => Value::DType(name),
            ("fn", Json::String(name)) => Value::Function(name),
            ("module", _) => {
                let class = object.get("cls").and_then(Json::as_str).ok_or("a module without a class")?.to_string();
                let config = object.get_mut("config").and_then(|config| config.get_mut("v")).map(Json::take);
                Value::Module(Box::new(ModuleValue {
                    class,
                    config: values(config)?,
                    state: values(object.remove("state"))?,
                }))
            }
            ("device" | "layout" | "memory_format" | "complex" | "dict", value) => {
                Value::Other { value: value.as_str().map_or_else(|| value.to_string(), str::to_string), kind }
            }
            ("tensor", _) => {
                let sizes = |key| -> Option<Vec<usize>> { serde_json::from_value(object.get(key)?.clone()).ok() };
                let name = object.get("ref").and_then(Json::as_str).ok_or("a tensor without a name")?;
                let wants = object.get("grad").and_then(Json::as_bool).unwrap_or(false);
                Value::Tensor(TensorValue {
                    name: name.to_string(),
                    shape: sizes("shape").ok_or("a tensor without a shape")?,
                    strides: sizes("strides"),
                    input: object.get("in").and_then(Json::as_u64).filter(|_| wants).map(|index| index as usize),
                })
            }
            (kind, value) => return Err(format!("no value is written as {kind:?} with {value}")),
        })
    }
}

fn float(value: &Json) -> Result<f64> {
    match (value.as_f64(), value.as_str()) {
        (Some(value), _) => Ok(value),
        (_, Some("nan")) => Ok(f64::NAN),
        (_, Some("inf")) => Ok(f64::INFINITY),
        (_, Some("-inf")) => Ok(f64::NEG_INFINITY),
        _ => Err(format!("{value} is not a number")),
    }
}

impl Value {
    /// The tensors and numbers in a result, in order.
    pub fn leaves(&self) -> Vec<&Value> {
        match self {
            Value::List(items) | Value::Tuple(items) => items.iter().flat_map(Value::leaves).collect(),
            value => vec![value],
        }
    }

    /// Calls `visit` with every tensor in it.
    pub fn visit_tensors(&self, visit: &mut impl FnMut(&TensorValue)) {
        match self {
            Value::Tensor(tensor) => visit(tensor),
            Value::List(items) | Value::Tuple(items) | Value::Slice(items) => {
                items.iter().for_each(|item| item.visit_tensors(visit))
            }
            Value::Module(module) => {
                module.config.values().chain(module.state.values()).for_each(|item| item.visit_tensors(visit))
            }
            _ => {}
        }
    }
}

/// The data of one tensor, contiguous.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// PyTorch's name of the element type.
    pub dtype: &'static str,
    /// The sizes.
    pub shape: Vec<usize>,
    /// Little-endian.
    pub bytes: Vec<u8>,
}

/// Reads a safetensors file.
pub fn read_tensors(bytes: &[u8]) -> Result<HashMap<String, Stored>> {
    use safetensors::Dtype;
    let file = safetensors::SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
    let stored = file.iter().map(|(name, view)| {
        let dtype = match view.dtype() {
            Dtype::F64 => "float64",
            Dtype::F32 => "float32",
            Dtype::F16 => "float16",
            Dtype::BF16 => "bfloat16",
            Dtype::I64 => "int64",
            Dtype::I32 => "int32",
            Dtype::I16 => "int16",
            Dtype::I8 => "int8",
            Dtype::U8 => "uint8",
            Dtype::BOOL => "bool",
            other => return Err(format!("{name} has the type {other:?}, which no op takes")),
        };
        Ok((name.to_string(), Stored { dtype, shape: view.shape().to_vec(), bytes: view.data().to_vec() }))
    });
    stored.collect()
}

/// A document with its tensors.
#[derive(Debug)]
pub struct GoldenFile {
    /// The file's name without its ending: the op's name, and `__VARIANT`.
    pub name: String,
    /// The calls.
    pub document: Document,
    /// The tensors.
    pub tensors: HashMap<String, Stored>,
}

impl GoldenFile {
    /// Reads `DIR/NAME.json` and the tensors next to it.
    pub fn read(directory: &Path, name: &str) -> Result<GoldenFile> {
        let read = |ending: &str| {
            let path = directory.join(format!("{name}.{ending}"));
            fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let document: Document =
            serde_json::from_slice(&read("json")?).map_err(|error| format!("{name}.json: {error}"))?;
        let tensors = read_tensors(&read("safetensors")?).map_err(|error| format!("{name}.safetensors: {error}"))?;
        // A module and an op can have the same name.
        let name = if document.category.is_empty() { document.op.clone() } else { name.to_string() };
        let file = GoldenFile { name, document, tensors };
        file.check_references()?;
        Ok(file)
    }

    /// Every tensor that the description refers to must be present, with the described shape.
    fn check_references(&self) -> Result<()> {
        let mut wrong = None;
        let mut visit = |tensor: &TensorValue| {
            if self.tensors.get(&tensor.name).is_none_or(|stored| stored.shape != tensor.shape) {
                wrong = Some(format!("{}: no tensor {} of shape {:?}", self.name, tensor.name, tensor.shape));
            }
        };
        let samples = self.document.samples.iter().flat_map(|sample| {
            sample
                .args
                .iter()
                .chain(sample.kwargs.values())
                .chain(std::iter::once(&sample.out))
                .chain(sample.module.values())
        });
        let errors = self
            .document
            .errors
            .iter()
            .flat_map(|error| error.args.iter().chain(error.kwargs.values()).chain(error.module.values()));
        samples.chain(errors).for_each(|value| value.visit_tensors(&mut visit));
        wrong.map_or(Ok(()), Err)
    }

    /// Whether it describes a module instead of an op.
    pub fn is_module(&self) -> bool {
        self.document.category.is_empty()
    }

    /// The tensor with this name.
    pub fn tensor(&self, name: &str) -> Result<&Stored> {
        self.tensors.get(name).ok_or_else(|| format!("{}: there is no tensor {name}", self.name))
    }
}

/// The folders of files in this format: the folders of ops and modules in `directory`, or `directory`
/// itself if it has no such folders.
pub fn folders(directory: &Path) -> Vec<PathBuf> {
    let inner =
        |kinds: &[&str]| kinds.iter().map(|kind| directory.join(kind)).filter(|path| path.is_dir()).collect::<Vec<_>>();
    if inner(&["ops", "modules", "optim", "e2e"]).is_empty() {
        vec![directory.to_path_buf()]
    } else {
        inner(&["ops", "modules"])
    }
}

/// The names of the files in a folder, in order.
pub fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.extension().is_some_and(|ending| ending == "json") && name != "index" {
            names.push(name.to_string());
        }
    }
    if names.is_empty() {
        return Err(format!("{}: there are no golden files here", folder.display()));
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<Value> {
        Value::try_from(serde_json::from_str::<Json>(text).unwrap())
    }

    #[test]
    fn reads_every_kind_of_value() {
        assert_eq!(
            value("[1, true, null, \"x\"]"),
            Ok(Value::List(vec![Value::Int(1), Value::Bool(true), Value::None, Value::Str("x".into())]))
        );
        assert_eq!(value(r#"{"$":"float","v":"-inf"}"#), Ok(Value::Float(f64::NEG_INFINITY)));
        assert_eq!(value(r#"{"$":"int","v":"9223372036854775807"}"#), Ok(Value::Int(i64::MAX)));
        assert_eq!(value(r#"{"$":"dtype","v":"float64"}"#), Ok(Value::DType("float64".into())));
        let tensor =
            value(r#"{"$":"tensor","ref":"t1","dtype":"float32","shape":[2,3],"grad":true,"in":1,"strides":[1,2]}"#);
        let wanted = TensorValue { name: "t1".into(), shape: vec![2, 3], strides: Some(vec![1, 2]), input: Some(1) };
        assert_eq!(tensor, Ok(Value::Tensor(wanted)));
        assert!(value(r#"{"$":"set","v":[]}"#).is_err());
        assert!(value("1.5").is_err());
    }
}
