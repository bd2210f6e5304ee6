//! Reads the archives of `torch.jit.save`.

use crate::{
    Error, Result, Source,
    code::{ClassKind, Library},
    compiler::compile,
    context::Limits,
    dict::Dict,
    interpreter::scalar_of,
    module::ScriptModule,
    value::{DictCell, List, Member, Object, Value},
};
use lanthorn_io::{
    Error as FileError, Format,
    pytorch::{ObjectValue, Objects, objects},
    zip,
};
use lanthorn_program::Dispatch;
use std::{cell::RefCell, rc::Rc};

/// The newest supported operator set.
const NEWEST: u64 = 10;

/// The deepest nesting of values in a pickle.
const DEPTH: usize = 200;

/// Whether a file is an archive of `torch.jit.save`.
pub fn detect(bytes: &[u8]) -> bool {
    lanthorn_io::detect(bytes) == Some(Format::TorchScript)
}

impl<D: Dispatch> ScriptModule<D> {
    /// Reads an archive of `torch.jit.save`, and creates the module's tensors on the dispatcher's
    /// device.
    ///
    /// # Errors
    ///
    /// [`Error::Archive`] for a malformed archive, [`Error::Syntax`] for code with a syntax error.
    pub fn load(bytes: &[u8], dispatch: D) -> Result<ScriptModule<D>> {
        let archive = zip::Archive::open(bytes, Format::TorchScript)?;
        let unsupported = |message: String| Error::Archive(FileError::unsupported(Format::TorchScript, message));
        let pickle = archive.entries().iter().find(|entry| {
            entry.name.split_once('/').is_some_and(|(folder, name)| name == "data.pkl" && !folder.is_empty())
        });
        let pickle = pickle.ok_or_else(|| unsupported("the archive holds no data.pkl".to_string()))?.name.clone();
        let folder = pickle.strip_suffix("data.pkl").unwrap_or_default();
        check_version(&archive, folder)?;
        let library = code(&archive, folder)?;
        let constants = format!("{folder}constants.pkl");
        let archived = match archive.find(&constants) {
            Some(_) => {
                let read = objects(&archive, &constants, &format!("{folder}constants/"))?;
                match Builder::new(&read, &library, &dispatch, true)?.value(read.root, 0)? {
                    Value::Tuple(tuple) => tuple.items.clone(),
                    _ => return Err(unsupported("constants.pkl holds no tuple".to_string())),
                }
            }
            None => Vec::new(),
        };
        let read = objects(&archive, &pickle, &format!("{folder}data/"))?;
        let root = match Builder::new(&read, &library, &dispatch, false)?.value(read.root, 0)? {
            Value::Object(object) => object,
            value => return Err(unsupported(format!("data.pkl holds a {}, not a module", value.type_name()))),
        };
        Ok(ScriptModule::new(dispatch, library, archived, root, Limits::default()))
    }
}

fn check_version(archive: &zip::Archive, folder: &str) -> Result<()> {
    let unsupported = |message: String| Error::Archive(FileError::unsupported(Format::TorchScript, message));
    if let Some(entry) = archive.find(&format!("{folder}byteorder"))
        && archive.read(entry)?.as_ref() != b"little"
    {
        return Err(unsupported("an archive of a machine that is not little-endian".to_string()));
    }
    for name in ["version", ".data/version"] {
        let Some(entry) = archive.find(&format!("{folder}{name}")) else { continue };
        let text = archive.read(entry)?;
        let version = std::str::from_utf8(&text).ok().and_then(|text| text.trim().parse::<u64>().ok());
        match version {
            Some(1..=NEWEST) => {}
            version => {
                return Err(unsupported(format!("the operator set of version {version:?}, newer than {NEWEST}")));
            }
        }
    }
    Ok(())
}

/// Compiles the classes and functions of the archive's code.
fn code(archive: &zip::Archive, folder: &str) -> Result<Library> {
    let mut library = Library::default();
    let prefix = format!("{folder}code/");
    for entry in archive.entries() {
        let Some(path) = entry.name.strip_prefix(&prefix).and_then(|path| path.strip_suffix(".py")) else { continue };
        let text = archive.read(entry)?;
        let text = std::str::from_utf8(&text).map_err(|_| {
            Error::Archive(FileError::malformed(Format::TorchScript, 0u64, format!("{path}: the code is no UTF-8")))
        })?;
        let source = Source::new(format!("{path}.py"), text);
        compile(&source, &path.replace('/', "."), &mut library)?;
    }
    Ok(library)
}

/// Creates the values of a pickle.
struct Builder<'b, 'a, D: Dispatch> {
    objects: &'b Objects<'a>,
    library: &'b Library,
    tensors: Vec<Value<D::Tensor>>,
    values: Vec<Option<Value<D::Tensor>>>,
}

impl<'b, 'a, D: Dispatch> Builder<'b, 'a, D> {
    /// If `constants` is true, tensors without dimensions keep their elements on the host.
    fn new(objects: &'b Objects<'a>, library: &'b Library, dispatch: &D, constants: bool) -> Result<Self> {
        let tensors = objects.tensors.iter().map(|tensor| {
            if let Some(scalar) = scalar_of(&tensor.data).filter(|_| constants) {
                return Ok(scalar);
            }
            let failed = |error: lanthorn_program::Error| Error::operation(error.to_string());
            let made = dispatch.tensor(tensor.data.clone()).map_err(failed)?;
            if tensor.requires_grad {
                dispatch.set_requires_grad(&made, true).map_err(failed)?;
            }
            Ok(Value::Tensor(made))
        });
        let tensors = tensors.collect::<Result<_>>()?;
        let values = (0..objects.values.len()).map(|_| None).collect();
        Ok(Builder { objects, library, tensors, values })
    }

    /// Returns the value with an index. A container is registered before its items, which may refer
    /// to it.
    fn value(&mut self, index: usize, depth: usize) -> Result<Value<D::Tensor>> {
        if let Some(value) = &self.values[index] {
            return Ok(value.clone());
        }
        if depth == DEPTH {
            return Err(Error::limit(format!("values of the archive nested more than {DEPTH} deep")));
        }
        let objects = self.objects;
        let value = match &objects.values[index] {
            ObjectValue::None | ObjectValue::Other => Value::None,
            ObjectValue::Bool(value) => Value::Bool(*value),
            ObjectValue::Int(value) => Value::Int(*value),
            ObjectValue::Float(value) => Value::Float(*value),
            ObjectValue::Str(text) => Value::text(text),
            ObjectValue::Tensor(tensor) => self.tensors[*tensor].clone(),
            ObjectValue::List(items) => {
                let list = Rc::new(List { items: RefCell::default() });
                self.values[index] = Some(Value::List(list.clone()));
                for &item in items {
                    let item = self.value(item, depth + 1)?;
                    list.items.borrow_mut().push(item);
                }
                return Ok(Value::List(list));
            }
            ObjectValue::Tuple(items) => {
                let items = items.iter().map(|&item| self.value(item, depth + 1));
                Value::tuple(items.collect::<Result<_>>()?)
            }
            ObjectValue::Dict(entries) => {
                let dict = Rc::new(DictCell { entries: RefCell::new(Dict::default()) });
                self.values[index] = Some(Value::Dict(dict.clone()));
                for &(key, value) in entries {
                    let (key, value) = (self.value(key, depth + 1)?, self.value(value, depth + 1)?);
                    dict.entries.borrow_mut().insert(key, value)?;
                }
                return Ok(Value::Dict(dict));
            }
            ObjectValue::Instance { class, state } => return self.instance(index, class, *state, depth),
            ObjectValue::Call { class, arguments } => self.member(class, arguments, depth)?,
        };
        self.values[index] = Some(value.clone());
        Ok(value)
    }

    fn instance(&mut self, index: usize, class: &str, state: Option<usize>, depth: usize) -> Result<Value<D::Tensor>> {
        let malformed = |message: String| {
            Error::Archive(FileError::malformed(Format::TorchScript, 0u64, format!("data.pkl: {message}")))
        };
        let class = self.library.class(class).ok_or_else(|| malformed(format!("the code has no class {class}")))?;
        let object = Rc::new(Object { class: class.clone(), attributes: RefCell::new(Dict::default()) });
        self.values[index] = Some(Value::Object(object.clone()));
        let Some(state) = state else { return Ok(Value::Object(object)) };
        if class.methods.contains_key("__setstate__") {
            let message = format!("the class {} restores its state by code", class.name);
            return Err(Error::Archive(FileError::unsupported(Format::TorchScript, message)));
        }
        let Value::Dict(attributes) = self.value(state, depth + 1)? else {
            return Err(malformed(format!("the state of a {} is no dictionary", class.name)));
        };
        object.attributes.replace(attributes.entries.borrow().copy());
        Ok(Value::Object(object))
    }

    /// Returns the member of an enumeration with a value.
    fn member(&mut self, class: &str, arguments: &[usize], depth: usize) -> Result<Value<D::Tensor>> {
        let refused = |message: String| Error::Archive(FileError::unsupported(Format::TorchScript, message));
        let class = self.library.class(class).filter(|class| class.kind == ClassKind::Enum).cloned();
        let (Some(class), &[argument]) = (class, arguments) else {
            return Err(refused("data.pkl: a call of a class that is not an enumeration".to_string()));
        };
        let value = self.value(argument, depth + 1)?;
        for (name, constant) in &class.constants {
            let equal = match (constant, &value) {
                (crate::code::Constant::Int(a), Value::Int(b)) => a == b,
                (crate::code::Constant::Float(a), Value::Float(b)) => a == b,
                (crate::code::Constant::Str(a), Value::Str(b)) => a == b,
                (crate::code::Constant::Bool(a), Value::Bool(b)) => a == b,
                _ => false,
            };
            if equal {
                return Ok(Value::Member(Rc::new(Member { class: class.clone(), name: name.clone(), value })));
            }
        }
        Err(refused(format!("data.pkl: the enumeration {} has no such member", class.name)))
    }
}

/// Returns the unknown operators that functions of a library call.
pub(crate) fn missing<D: Dispatch>(library: &Library, dispatch: &D) -> Vec<String> {
    let mut missing = Vec::new();
    for function in library.functions() {
        for builtin in &function.code.builtins {
            let table = builtin.name.strip_suffix('_').unwrap_or(&builtin.name);
            if builtin.own.is_none()
                && builtin.aten.is_none()
                && !builtin.is_special()
                && dispatch.overloads(table).is_empty()
            {
                missing.push(builtin.name.to_string());
            }
        }
    }
    missing.sort();
    missing.dedup();
    missing
}
