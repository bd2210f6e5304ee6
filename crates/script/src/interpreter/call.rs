//! Calls.

use super::{Frame, Machine};
use crate::{
    Error, Result,
    builtins::{Builtin, Call, call_own, exception},
    code::{Arguments, Class, ClassKind, Code, Constant, Function},
    compiler::Type,
    dict::Dict,
    value::{Object, Tuple, Value},
};
use lanthorn_program::Dispatch;
use std::{cell::RefCell, rc::Rc};

/// Keyword arguments.
pub(super) type Named<T> = Vec<(Rc<str>, Value<T>)>;

/// A value, or `None` if a frame was pushed that will return it.
pub(super) type Called<T> = Result<Option<Value<T>>>;

impl<D: Dispatch> Machine<'_, D> {
    /// Pops the arguments of a call.
    pub(super) fn arguments(&mut self, code: &Code, arguments: Arguments) -> (Vec<Value<D::Tensor>>, Named<D::Tensor>) {
        let named = match arguments.keywords.map(|index| &code.constants[index as usize]) {
            Some(Constant::Names(names)) => {
                let values = self.pop_many(names.len());
                names.iter().cloned().zip(values).collect()
            }
            _ => Vec::new(),
        };
        let args = if arguments.spread {
            match self.pop() {
                Value::List(list) => list.items.take(),
                value => vec![value],
            }
        } else {
            self.pop_many(arguments.positional as usize)
        };
        (args, named)
    }

    /// Calls a value.
    pub(super) async fn invoke(
        &mut self,
        callee: Value<D::Tensor>,
        mut args: Vec<Value<D::Tensor>>,
        named: Named<D::Tensor>,
    ) -> Called<D::Tensor> {
        match callee {
            Value::Function(function) => self.enter_function(function, args, named, None),
            Value::Method(method) => {
                args.insert(0, method.receiver.clone());
                self.enter_function(method.function.clone(), args, named, None)
            }
            Value::Class(class) => self.construct(&class, args, named),
            Value::Builtin(builtin) => self.builtin(&builtin, args, named).await,
            Value::Object(object) => {
                let name = if object.class.methods.contains_key("__call__") { "__call__" } else { "forward" };
                match object.class.methods.get(name).cloned() {
                    Some(function) => {
                        args.insert(0, Value::Object(object));
                        self.enter_function(function, args, named, None)
                    }
                    None => Err(Error::runtime(format!("a {} has no method {name}", object.class.name))),
                }
            }
            value => Err(exception("TypeError", format!("a {} cannot be called", value.type_name()))),
        }
    }

    /// Pushes the frame of a call.
    pub(super) fn enter_function(
        &mut self,
        function: Rc<Function>,
        args: Vec<Value<D::Tensor>>,
        named: Named<D::Tensor>,
        result: Option<Value<D::Tensor>>,
    ) -> Called<D::Tensor> {
        if self.frames.len() >= self.limits.depth {
            return Err(Error::limit(format!("calls more than {} deep", self.limits.depth)));
        }
        let positional = function.params.iter().filter(|param| !param.keyword_only).count();
        let short = function.name.rsplit('.').next().unwrap_or(&function.name);
        if args.len() > positional {
            let message = format!("{short}() takes {positional} arguments, {} were given", args.len());
            return Err(exception("TypeError", message));
        }
        for (name, _) in &named {
            let index = function.params.iter().position(|param| param.name == *name);
            if index.is_none_or(|index| index < args.len()) {
                return Err(exception("TypeError", format!("{short}() takes no argument {name} here")));
            }
        }
        let base = self.stack.len();
        let mut args = args.into_iter();
        for param in &function.params {
            let given = if param.keyword_only { None } else { args.next() };
            let given =
                given.or_else(|| named.iter().find(|(name, _)| *name == param.name).map(|(_, value)| value.clone()));
            let value = match (given, &param.default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.constant(default, 0)?,
                (None, None) => {
                    self.stack.truncate(base);
                    return Err(exception("TypeError", format!("{short}() misses the argument {}", param.name)));
                }
            };
            self.push(widen(value, &param.ty))?;
        }
        for _ in function.params.len()..function.code.locals.len() {
            self.push(Value::Unset)?;
        }
        self.context.charge(function.code.locals.len())?;
        self.frames.push(Frame { function, next: 0, base, result });
        Ok(None)
    }

    /// Creates an instance of a class.
    pub(super) fn construct(
        &mut self,
        class: &Rc<Class>,
        args: Vec<Value<D::Tensor>>,
        named: Named<D::Tensor>,
    ) -> Called<D::Tensor> {
        match class.kind {
            ClassKind::NamedTuple => self.named_tuple(class, args, named).map(Some),
            ClassKind::Enum => {
                for name in class.constants.keys() {
                    let Value::Member(member) = self.class_attribute(class, name)? else { continue };
                    if let Some(value) = args.first()
                        && crate::builtins::equal(self.context.dispatch, &member.value, value)?
                    {
                        return Ok(Some(Value::Member(member)));
                    }
                }
                Err(exception("ValueError", format!("no member of {} has this value", class.name)))
            }
            ClassKind::Exception if !class.methods.contains_key("__init__") => {
                let object = self.bare(class)?;
                if let Value::Object(object) = &object {
                    object.attributes.borrow_mut().set_attribute(&"args".into(), Value::tuple(args));
                }
                Ok(Some(object))
            }
            _ => {
                let object = self.bare(class)?;
                match class.methods.get("__init__").cloned() {
                    Some(init) => {
                        let args = std::iter::once(object.clone()).chain(args).collect();
                        self.enter_function(init, args, named, Some(object))
                    }
                    None if args.is_empty() && named.is_empty() => Ok(Some(object)),
                    None => {
                        // The fields of a class without a constructor, such as a dataclass.
                        let Value::Tuple(tuple) = self.named_tuple(class, args, named)? else { return Ok(None) };
                        if let Value::Object(object) = &object {
                            for ((name, _), value) in class.fields.iter().zip(&tuple.items) {
                                object.attributes.borrow_mut().set_attribute(name, value.clone());
                            }
                        }
                        Ok(Some(object))
                    }
                }
            }
        }
    }

    /// Creates an instance with the defaults of the class's fields.
    pub(super) fn bare(&mut self, class: &Rc<Class>) -> Result<Value<D::Tensor>> {
        self.context.charge(8)?;
        let mut attributes = Dict::default();
        for (name, default) in &class.fields {
            if let Some(default) = default {
                let value = self.constant(default, 0)?;
                attributes.set_attribute(name, value);
            }
        }
        Ok(Value::Object(Rc::new(Object { class: class.clone(), attributes: RefCell::new(attributes) })))
    }

    fn named_tuple(
        &mut self,
        class: &Rc<Class>,
        args: Vec<Value<D::Tensor>>,
        named: Named<D::Tensor>,
    ) -> Result<Value<D::Tensor>> {
        let refuse = |message: String| Err(exception("TypeError", format!("{}: {message}", class.short_name())));
        if args.len() > class.fields.len() {
            return refuse(format!("takes {} fields, {} were given", class.fields.len(), args.len()));
        }
        if let Some((name, _)) = named.iter().find(|(name, _)| !class.fields.iter().any(|(field, _)| field == name)) {
            return refuse(format!("has no field {name}"));
        }
        let mut args = args.into_iter();
        let mut items = Vec::with_capacity(class.fields.len());
        for (field, default) in &class.fields {
            let given =
                args.next().or_else(|| named.iter().find(|(name, _)| name == field).map(|(_, value)| value.clone()));
            items.push(match (given, default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.constant(default, 0)?,
                (None, None) => return refuse(format!("misses the field {field}")),
            });
        }
        Ok(Value::Tuple(Rc::new(Tuple { items, class: Some(class.clone()) })))
    }

    /// Calls a method of a value.
    pub(super) async fn method(
        &mut self,
        receiver: Value<D::Tensor>,
        name: &Rc<str>,
        mut args: Vec<Value<D::Tensor>>,
        named: Named<D::Tensor>,
    ) -> Called<D::Tensor> {
        match &receiver {
            Value::Object(object) => {
                if let Some(function) = object.class.methods.get(name).cloned() {
                    if !object.class.statics.contains(name) {
                        args.insert(0, receiver);
                    }
                    return self.enter_function(function, args, named, None);
                }
                let attribute = object.attributes.borrow().attribute(name).cloned();
                match (attribute, &**name) {
                    (Some(callee), _) => self.invoke(callee, args, named).await,
                    (None, "__call__") => self.invoke(receiver, args, named).await,
                    // The caller of the run sets a module's mode, so these methods do nothing.
                    (None, "train" | "eval" | "requires_grad_") => Ok(Some(receiver)),
                    (None, _) => {
                        Err(exception("AttributeError", format!("a {} has no method {name}", object.class.name)))
                    }
                }
            }
            Value::Class(class) if &**name == "__new__" => self.bare(&class.clone()).map(Some),
            Value::Class(class) => {
                let callee = self.class_attribute(&class.clone(), name)?;
                self.invoke(callee, args, named).await
            }
            Value::Tuple(tuple) if &**name == "_replace" && tuple.class.is_some() => {
                let mut items = tuple.items.clone();
                let class = tuple.class.clone();
                for (name, value) in named {
                    let fields = class.iter().flat_map(|class| class.fields.iter());
                    match fields.map(|(field, _)| field).position(|field| *field == name) {
                        Some(index) => items[index] = value,
                        None => return Err(exception("ValueError", format!("no field {name}"))),
                    }
                }
                Ok(Some(Value::Tuple(Rc::new(Tuple { items, class }))))
            }
            Value::Builtin(_) | Value::Function(_) | Value::Method(_) => {
                Err(exception("AttributeError", format!("a function has no method {name}")))
            }
            _ => {
                args.insert(0, receiver);
                self.builtin(&Builtin::by_name(name, false), args, named).await
            }
        }
    }

    /// Calls a built-in function: the interpreter's own, or an operator.
    pub(super) async fn builtin(
        &mut self,
        builtin: &Builtin,
        mut args: Vec<Value<D::Tensor>>,
        named: Named<D::Tensor>,
    ) -> Called<D::Tensor> {
        match &*builtin.name {
            "fork" | "_fork" if !args.is_empty() => {
                let callee = args.remove(0);
                return Box::pin(self.invoke(callee, args, named)).await;
            }
            "no_grad" | "enable_grad" | "inference_mode" if args.is_empty() && named.is_empty() => {
                return self.bare(&Rc::new(Class::new(builtin.name.clone(), ClassKind::Plain))).map(Some);
            }
            "wait" | "_wait" if args.len() == 1 => return Ok(args.pop()),
            "tensor" | "as_tensor" | "scalar_tensor" => return self.make_tensor(args, named).await.map(Some),
            "tolist" if args.len() == 1 && args[0].is_tensor() => {
                let tensor = args.remove(0);
                return self.nested_list(&tensor).await.map(Some);
            }
            _ => {}
        }
        if let Some(Value::Object(object)) = args.first() {
            let special = match &*builtin.name {
                name if name.starts_with("__") => name.to_string(),
                name => format!("__{name}__"),
            };
            if let Some(function) = object.class.methods.get(&*special).cloned() {
                return self.enter_function(function, args, named, None);
            }
        }
        self.read_numbers(builtin, &mut args).await?;
        let mut call = Call { context: &mut self.context, name: &builtin.name, args, named };
        if let Some(index) = builtin.own
            && let Some(value) = call_own(index, &mut call)?
        {
            return Ok(Some(value));
        }
        let Call { args, named, .. } = call;
        self.operator(builtin, args, named).await.map(Some)
    }

    /// Enters the context of a manager.
    pub(super) async fn enter(&mut self, manager: Value<D::Tensor>) -> Called<D::Tensor> {
        match &manager {
            Value::Object(object) => {
                let path = object.class.name.clone();
                if let Some(enabled) = grad_mode(&path) {
                    let dispatch = self.context.dispatch;
                    let previous = Value::Bool(dispatch.is_grad_enabled());
                    object.attributes.borrow_mut().set_attribute(&"prev".into(), previous);
                    dispatch.set_grad_enabled(enabled);
                    return Ok(Some(Value::None));
                }
                self.method(manager, &"__enter__".into(), vec![], vec![]).await
            }
            _ => Err(exception("AttributeError", format!("a {} is no context", manager.type_name()))),
        }
    }

    /// Leaves the context of a manager.
    pub(super) async fn exit(&mut self, manager: Value<D::Tensor>) -> Called<D::Tensor> {
        if let Value::Object(object) = &manager
            && grad_mode(&object.class.name).is_some()
        {
            let previous = object.attributes.borrow().attribute(&"prev".into()).cloned();
            self.context.dispatch.set_grad_enabled(!matches!(previous, Some(Value::Bool(false))));
            return Ok(Some(Value::None));
        }
        let nothing = vec![Value::None, Value::None, Value::None];
        let Value::Object(object) = &manager else { return Ok(Some(Value::None)) };
        let Some(function) = object.class.methods.get("__exit__").cloned() else {
            return Err(exception("AttributeError", format!("a {} is no context", object.class.name)));
        };
        let args = std::iter::once(manager).chain(nothing).collect();
        self.enter_function(function, args, vec![], None)
    }
}

/// Returns the mode that one of PyTorch's context classes sets.
fn grad_mode(class: &str) -> Option<bool> {
    match class.rsplit('.').next()? {
        "no_grad" | "inference_mode" => Some(false),
        "enable_grad" => Some(true),
        _ => None,
    }
}

/// Converts an integer to a float if the parameter is a float.
fn widen<T>(value: Value<T>, ty: &Type) -> Value<T> {
    let float = match ty {
        Type::Float => true,
        Type::Union(types) => types.contains(&Type::Float) && !types.contains(&Type::Int),
        _ => false,
    };
    match value {
        Value::Int(value) if float => Value::Float(value as f64),
        value => value,
    }
}
