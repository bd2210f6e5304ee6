//! The interpreter: a stack machine without recursion, so calls and nested values use no stack of
//! the host. It is a single future, which waits for tensor elements.

mod attribute;
mod call;
mod complex;
mod factory;
mod index;
mod operator;
mod step;
mod tensor;
mod types;

pub(crate) use tensor::{from_program, scalar_of, to_program};

use crate::{
    Error, Limits, Location, Result,
    code::{Class, ClassKind, Constant, Function, Item, Library},
    context::Context,
    dict::Dict,
    value::{Member, Value},
};
use lanthorn_program::{Dispatch, yield_now};
use std::rc::Rc;

/// The interpreter yields so that an executor can stop a run. One instruction may be an operation
/// of several milliseconds.
const INSTRUCTIONS_BETWEEN_YIELDS: u32 = 64;

/// The most values on the stack.
const STACK: usize = 1 << 22;

/// A call in progress.
struct Frame<T> {
    function: Rc<Function>,
    /// The index of the next instruction.
    next: usize,
    /// The index of its first variable on the stack.
    base: usize,
    /// A result that replaces the function's return value: the new object of a constructor.
    result: Option<Value<T>>,
}

/// The next action after an instruction.
enum Flow<T> {
    Next,
    Jump(u32),
    /// Another frame continues.
    Switch,
    /// The outermost call returned.
    Done(Value<T>),
}

/// A running script.
pub(crate) struct Machine<'d, D: Dispatch> {
    context: Context<'d, D>,
    library: &'d Library,
    /// The constants of the archive.
    archived: &'d [Value<D::Tensor>],
    limits: &'d Limits,
    stack: Vec<Value<D::Tensor>>,
    frames: Vec<Frame<D::Tensor>>,
    /// Unknown names that the code calls.
    missing: &'d [String],
}

/// Restores the mode of gradient recording.
struct GradMode<'d, D: Dispatch> {
    dispatch: &'d D,
    enabled: bool,
}

impl<D: Dispatch> Drop for GradMode<'_, D> {
    fn drop(&mut self) {
        self.dispatch.set_grad_enabled(self.enabled);
    }
}

/// The environment of a run.
pub(crate) struct Environment<'d, D: Dispatch> {
    pub dispatch: &'d D,
    pub library: &'d Library,
    pub archived: &'d [Value<D::Tensor>],
    pub limits: &'d Limits,
    pub missing: &'d [String],
    pub output: &'d dyn Fn(&str),
}

impl<'d, D: Dispatch> Machine<'d, D> {
    /// A machine with an empty stack.
    pub fn new(environment: Environment<'d, D>) -> Machine<'d, D> {
        let Environment { dispatch, library, archived, limits, missing, output } = environment;
        let context = Context { dispatch, steps: limits.steps, output };
        Machine { context, library, archived, limits, stack: Vec::new(), frames: Vec::new(), missing }
    }

    /// Calls a value, and runs until the call returns.
    pub async fn call(
        &mut self,
        callee: Value<D::Tensor>,
        args: Vec<Value<D::Tensor>>,
        named: Vec<(Rc<str>, Value<D::Tensor>)>,
    ) -> Result<Value<D::Tensor>> {
        let dispatch = self.context.dispatch;
        let _mode = GradMode { dispatch, enabled: dispatch.is_grad_enabled() };
        match self.invoke(callee, args, named).await? {
            Some(value) => Ok(value),
            None => match self.run().await {
                Ok(value) => Ok(value),
                Err(error) => Err(error.at(|| self.location())),
            },
        }
    }

    /// Returns the location of the innermost call.
    fn location(&self) -> Location {
        let Some(frame) = self.frames.last() else { return Location::default() };
        let code = &frame.function.code;
        let offset = code.offsets.get(frame.next.saturating_sub(1)).copied().unwrap_or(0);
        code.source.locate(offset as usize)
    }

    async fn run(&mut self) -> Result<Value<D::Tensor>> {
        let mut instructions = 0u32;
        'frames: loop {
            let Some(frame) = self.frames.last() else { return Ok(Value::None) };
            let (function, mut next) = (frame.function.clone(), frame.next);
            loop {
                if self.limits.abort.get() {
                    return Err(Error::Aborted { location: Location::default() });
                }
                self.context.charge(1)?;
                instructions = instructions.wrapping_add(1);
                if instructions.is_multiple_of(INSTRUCTIONS_BETWEEN_YIELDS) {
                    yield_now().await;
                }
                let Some(instr) = function.code.instrs.get(next) else { return Ok(Value::None) };
                next += 1;
                if let Some(frame) = self.frames.last_mut() {
                    frame.next = next;
                }
                let flow = match self.step(&function.code, instr)? {
                    Some(flow) => flow,
                    None => self.wait(&function.code, instr).await?,
                };
                match flow {
                    Flow::Next => {}
                    Flow::Jump(target) => next = target as usize,
                    Flow::Switch => continue 'frames,
                    Flow::Done(value) => return Ok(value),
                }
            }
        }
    }

    fn push(&mut self, value: Value<D::Tensor>) -> Result<()> {
        if self.stack.len() >= STACK {
            return Err(Error::limit(format!("more than {STACK} values at a time")));
        }
        self.stack.push(value);
        Ok(())
    }

    fn pop(&mut self) -> Value<D::Tensor> {
        // Each instruction pops only values that earlier instructions pushed.
        self.stack.pop().unwrap_or(Value::None)
    }

    fn pop_many(&mut self, count: usize) -> Vec<Value<D::Tensor>> {
        self.stack.split_off(self.stack.len().saturating_sub(count))
    }

    /// Returns the value of a constant.
    fn constant(&mut self, constant: &Constant, depth: usize) -> Result<Value<D::Tensor>> {
        if depth == 32 {
            return Err(Error::limit("constants that refer to one another more than 32 deep"));
        }
        let all = |machine: &mut Self, items: &[Constant]| -> Result<Vec<Value<D::Tensor>>> {
            machine.context.charge(items.len())?;
            items.iter().map(|item| machine.constant(item, depth + 1)).collect()
        };
        Ok(match constant {
            Constant::None => Value::None,
            Constant::Ellipsis => Value::Ellipsis,
            Constant::Bool(value) => Value::Bool(*value),
            Constant::Int(value) => Value::Int(*value),
            Constant::Float(value) => Value::Float(*value),
            Constant::Str(text) => Value::Str(text.clone()),
            Constant::Device(name) => Value::Device(name.clone()),
            Constant::List(items) => Value::list(all(self, items)?),
            Constant::Tuple(items) => Value::tuple(all(self, items)?),
            Constant::Dict(items) => {
                let mut dict = Dict::default();
                for (key, value) in items {
                    let (key, value) = (self.constant(key, depth + 1)?, self.constant(value, depth + 1)?);
                    dict.insert(key, value)?;
                }
                Value::dict(dict)
            }
            Constant::Names(names) => Value::Names(names.clone()),
            Constant::Type(ty) => Value::Type(ty.clone()),
            Constant::Global(path) => self.global(path, depth)?,
            Constant::Archived(index) => match self.archived.get(*index) {
                Some(value) => value.clone(),
                None => return Err(Error::runtime(format!("the archive has no constant {index}"))),
            },
            Constant::Builtin(builtin) => Value::Builtin(Rc::new((**builtin).clone())),
        })
    }

    /// Returns the item of a path.
    fn global(&mut self, path: &Rc<str>, depth: usize) -> Result<Value<D::Tensor>> {
        let library = self.library;
        match library.find(path) {
            Some(Item::Function(function)) => return Ok(Value::Function(function.clone())),
            Some(Item::Class(class)) => return Ok(Value::Class(class.clone())),
            Some(Item::Constant(constant)) => return self.constant(constant, depth + 1),
            None => {}
        }
        // An attribute of a class, followed by further attributes: `Color.RED.value`.
        if let Some((owner, name)) = path.rsplit_once('.')
            && depth < 8
        {
            if let Some(class) = library.class(owner) {
                return self.class_attribute(class, &name.into());
            }
            if matches!(name, "name" | "value")
                && let Ok(Value::Member(member)) = self.global(&owner.into(), depth + 1)
            {
                let is_name = name == "name";
                return Ok(if is_name { Value::Str(member.name.clone()) } else { member.value.clone() });
            }
        }
        let name = path.rsplit('.').next().unwrap_or(path);
        if name.ends_with("Error")
            || name.ends_with("Exception")
            || name.ends_with("Warning")
            || name == "StopIteration"
        {
            return Ok(Value::Class(Rc::new(Class::new(name.into(), ClassKind::Exception))));
        }
        Err(Error::runtime(format!("the name {path} is not defined")))
    }

    /// Returns an attribute of a class: a member, a constant, or a method.
    fn class_attribute(&mut self, class: &Rc<Class>, name: &Rc<str>) -> Result<Value<D::Tensor>> {
        if crate::compiler::is_member(class, name) {
            let constant = &class.constants[name];
            let value = self.constant(constant, 1)?;
            return Ok(Value::Member(Rc::new(Member { class: class.clone(), name: name.clone(), value })));
        }
        if let Some(constant) = class.constants.get(name) {
            return self.constant(constant, 1);
        }
        match class.methods.get(name) {
            Some(function) => Ok(Value::Function(function.clone())),
            None => Err(Error::runtime(format!("the class {} has no attribute {name}", class.name))),
        }
    }
}
