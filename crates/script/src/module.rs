//! Script modules and compiled texts.

use crate::{
    Error, Limits, Result, Source,
    archive::missing,
    code::{ClassKind, Item, Library},
    compiler::compile,
    interpreter::{Environment, Machine, from_program, to_program},
    value::{Object, Value},
};
use lanthorn_program::{Dispatch, Value as ProgramValue};
use std::rc::Rc;

/// Receives a script's output.
pub type Output = Rc<dyn Fn(&str)>;

/// A module of `torch.jit.save`: its tensors on a device, its submodules and its methods.
pub struct ScriptModule<D: Dispatch> {
    dispatch: D,
    library: Rc<Library>,
    archived: Rc<[Value<D::Tensor>]>,
    root: Rc<Object<D::Tensor>>,
    missing: Rc<[String]>,
    limits: Limits,
    output: Output,
}

/// A named tensor of a module.
pub type NamedTensor<T> = (String, T);

/// The tensors of a module to select.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Parameter,
    Buffer,
}

/// A function of a module's path and the module.
type Visit<'v, D> = dyn FnMut(&str, &Rc<Object<<D as Dispatch>::Tensor>>) + 'v;

/// The deepest nesting of modules.
const DEPTH: usize = 100;

/// The most paths of modules.
const PATHS: usize = 1 << 16;

impl<D: Dispatch> ScriptModule<D> {
    pub(crate) fn new(
        dispatch: D,
        library: Library,
        archived: Vec<Value<D::Tensor>>,
        root: Rc<Object<D::Tensor>>,
        limits: Limits,
    ) -> ScriptModule<D> {
        let missing = missing(&library, &dispatch).into();
        let (library, archived) = (Rc::new(library), archived.into());
        ScriptModule { dispatch, library, archived, root, missing, limits, output: Rc::new(|_| {}) }
    }

    /// Returns the dispatcher of the module's device.
    pub fn dispatch(&self) -> &D {
        &self.dispatch
    }

    /// Limits the steps and the depth of a call.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Sets the receiver of the module's output.
    pub fn set_output(&mut self, output: Output) {
        self.output = output;
    }

    /// Returns the unknown operators in the code. A call fails only when it reaches one of them.
    pub fn missing_operators(&self) -> &[String] {
        &self.missing
    }

    /// Returns the qualified name of the module's class.
    pub fn class_name(&self) -> &str {
        &self.root.class.name
    }

    /// Returns the names of the module's methods.
    pub fn methods(&self) -> Vec<String> {
        let mut names: Vec<String> = self.root.class.methods.keys().map(|name| name.to_string()).collect();
        names.sort();
        names
    }

    /// Returns the names of the parameters of a method, without `self`.
    pub fn parameters_of(&self, method: &str) -> Option<Vec<String>> {
        let function = self.root.class.methods.get(method)?;
        Some(function.params.iter().skip(1).map(|param| param.name.to_string()).collect())
    }

    /// Calls `forward`.
    ///
    /// # Errors
    ///
    /// The errors of [`ScriptModule::call_method`].
    pub async fn call(
        &self,
        args: Vec<ProgramValue<D::Tensor>>,
        named: Vec<(String, ProgramValue<D::Tensor>)>,
    ) -> Result<ProgramValue<D::Tensor>> {
        self.call_method("forward", args, named).await
    }

    /// Calls a method with positional and named arguments. A named tuple in the result becomes a
    /// dictionary of its fields.
    ///
    /// # Errors
    ///
    /// [`Error::Raised`] for an exception of the program, [`Error::Operation`] of an operation,
    /// [`Error::MissingOperations`], [`Error::Limit`], [`Error::Aborted`], [`Error::Runtime`] for
    /// values that an operator does not accept.
    pub async fn call_method(
        &self,
        name: &str,
        args: Vec<ProgramValue<D::Tensor>>,
        named: Vec<(String, ProgramValue<D::Tensor>)>,
    ) -> Result<ProgramValue<D::Tensor>> {
        let function = self.root.class.methods.get(name).cloned();
        let function = function
            .ok_or_else(|| Error::runtime(format!("the module {} has no method {name}", self.root.class.name)))?;
        let receiver = Ok(Value::Object(self.root.clone()));
        let args = std::iter::once(receiver).chain(args.into_iter().map(from_program)).collect::<Result<_>>()?;
        let named = named.into_iter().map(|(name, value)| Ok((name.into(), from_program(value)?)));
        let named = named.collect::<Result<_>>()?;
        let mut machine = Machine::new(Environment {
            dispatch: &self.dispatch,
            library: &self.library,
            archived: &self.archived,
            limits: &self.limits,
            missing: &self.missing,
            output: &*self.output,
        });
        let value = machine.call(Value::Function(function), args, named).await?;
        to_program(&self.dispatch, &value)
    }

    /// Returns all parameters with PyTorch's names, each once.
    pub fn named_parameters(&self) -> Vec<NamedTensor<D::Tensor>> {
        self.once(self.tensors_of_kind(Kind::Parameter))
    }

    /// Returns all buffers with PyTorch's names, each once.
    pub fn named_buffers(&self) -> Vec<NamedTensor<D::Tensor>> {
        self.once(self.tensors_of_kind(Kind::Buffer))
    }

    /// Returns parameters and buffers under each of their names.
    pub fn state_dict(&self) -> Vec<NamedTensor<D::Tensor>> {
        self.tensors_of_kind(Kind::Parameter).into_iter().chain(self.tensors_of_kind(Kind::Buffer)).collect()
    }

    /// Returns the parameter or buffer with this name, which may be any of its names.
    pub fn state(&self, name: &str) -> Option<D::Tensor> {
        let (object, name) = self.owner(name)?;
        match object.attributes.borrow().attribute(&name.into())? {
            Value::Tensor(tensor) => Some(tensor.clone()),
            _ => None,
        }
    }

    /// Replaces the parameter or buffer of this name. Returns false if there is none.
    pub fn set_state(&self, name: &str, value: D::Tensor) -> bool {
        if self.state(name).is_none() {
            return false;
        }
        let Some((object, name)) = self.owner(name) else { return false };
        object.attributes.borrow_mut().set_attribute(&name.into(), Value::Tensor(value));
        true
    }

    /// Returns the module that has a tensor of this path, and the tensor's own name.
    fn owner<'n>(&self, path: &'n str) -> Option<(Rc<Object<D::Tensor>>, &'n str)> {
        let (modules, name) = path.rsplit_once('.').map_or((None, path), |(modules, name)| (Some(modules), name));
        let mut object = self.root.clone();
        for name in modules.into_iter().flat_map(|modules| modules.split('.')) {
            let child = match object.attributes.borrow().attribute(&name.into()) {
                Some(Value::Object(child)) => child.clone(),
                _ => return None,
            };
            object = child;
        }
        Some((object, name))
    }

    /// Sets the attribute `training` of all modules.
    pub fn train(&self, mode: bool) {
        self.visit(&mut |_, object| {
            object.attributes.borrow_mut().set_attribute(&"training".into(), Value::Bool(mode));
        });
    }

    fn tensors_of_kind(&self, kind: Kind) -> Vec<NamedTensor<D::Tensor>> {
        let mut named = Vec::new();
        self.visit(&mut |path, object| {
            let class = &object.class;
            let names = if kind == Kind::Parameter { &class.parameters } else { &class.buffers };
            let attributes = object.attributes.borrow();
            for name in names {
                if let Some(Value::Tensor(tensor)) = attributes.attribute(name) {
                    let full = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                    named.push((full, tensor.clone()));
                }
            }
        });
        named
    }

    fn once(&self, named: Vec<NamedTensor<D::Tensor>>) -> Vec<NamedTensor<D::Tensor>> {
        let mut kept: Vec<NamedTensor<D::Tensor>> = Vec::new();
        for (name, tensor) in named {
            if !kept.iter().any(|(_, other)| self.dispatch.is_same(other, &tensor)) {
                kept.push((name, tensor));
            }
        }
        kept
    }

    /// Calls a function for each module with its path, parents first.
    fn visit(&self, visit: &mut Visit<D>) {
        let mut open = vec![(String::new(), self.root.clone(), 0)];
        // A shared module has several paths.
        let mut paths = 0;
        while let Some((path, object, depth)) = open.pop() {
            paths += 1;
            if paths > PATHS {
                return;
            }
            visit(&path, &object);
            let attributes = object.attributes.borrow();
            let children = attributes.iter().filter_map(|(name, value)| match (name, value) {
                (Value::Str(name), Value::Object(child)) if child.class.kind == ClassKind::Module && depth < DEPTH => {
                    let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                    Some((path, child.clone(), depth + 1))
                }
                _ => None,
            });
            let children: Vec<_> = children.collect();
            open.extend(children.into_iter().rev());
        }
    }
}

/// A compiled text: functions and classes of TorchScript.
pub struct Script<D: Dispatch> {
    dispatch: D,
    library: Library,
    missing: Vec<String>,
    limits: Limits,
    output: Output,
}

/// Compiles a text of functions and classes.
///
/// # Errors
///
/// [`Error::Syntax`] with the line and the column.
pub fn script<D: Dispatch>(source: &str, dispatch: D) -> Result<Script<D>> {
    let mut library = Library::default();
    compile(&Source::new("script", source), "", &mut library)?;
    let missing = missing(&library, &dispatch);
    Ok(Script { dispatch, library, missing, limits: Limits::default(), output: Rc::new(|_| {}) })
}

impl<D: Dispatch> Script<D> {
    /// Limits the steps and the depth of a call.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Sets the receiver of the script's output.
    pub fn set_output(&mut self, output: Output) {
        self.output = output;
    }

    /// Returns the names of the functions.
    pub fn functions(&self) -> Vec<String> {
        let items = self.library.items.iter();
        let names = items.filter(|(_, item)| matches!(item, Item::Function(_))).map(|(name, _)| name.to_string());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the names of a function's parameters.
    pub fn parameters_of(&self, name: &str) -> Option<Vec<String>> {
        let Some(Item::Function(function)) = self.library.find(name) else { return None };
        Some(function.params.iter().map(|param| param.name.to_string()).collect())
    }

    /// Calls a function.
    ///
    /// # Errors
    ///
    /// The errors of [`ScriptModule::call_method`].
    pub async fn call(
        &self,
        name: &str,
        args: Vec<ProgramValue<D::Tensor>>,
        named: Vec<(String, ProgramValue<D::Tensor>)>,
    ) -> Result<ProgramValue<D::Tensor>> {
        let Some(Item::Function(function)) = self.library.find(name) else {
            return Err(Error::runtime(format!("the script has no function {name}")));
        };
        let args = args.into_iter().map(from_program).collect::<Result<_>>()?;
        let named = named.into_iter().map(|(name, value)| Ok((name.into(), from_program(value)?)));
        let named = named.collect::<Result<_>>()?;
        let mut machine = Machine::new(Environment {
            dispatch: &self.dispatch,
            library: &self.library,
            archived: &[],
            limits: &self.limits,
            missing: &self.missing,
            output: &*self.output,
        });
        let value = machine.call(Value::Function(function.clone()), args, named).await?;
        to_program(&self.dispatch, &value)
    }
}
