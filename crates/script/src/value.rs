//! The values of a running script. As in Python, lists, dictionaries and objects are shared and
//! mutable.

use crate::{
    builtins::Builtin,
    code::{Class, Function},
    compiler::Type,
    dict::Dict,
    number::Number,
};
use lanthorn_io::DType;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// A value.
pub(crate) enum Value<T> {
    None,
    /// A variable without a value.
    Unset,
    Ellipsis,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Rc<str>),
    Device(Rc<str>),
    Tensor(T),
    /// A complex tensor, as pairs along a last dimension.
    Complex(T),
    Scalar(Rc<HostScalar<T>>),
    List(Rc<List<T>>),
    Tuple(Rc<Tuple<T>>),
    Dict(Rc<DictCell<T>>),
    Object(Rc<Object<T>>),
    Member(Rc<Member<T>>),
    Range(Range),
    Slice(Rc<Tuple<T>>),
    Iterator(Rc<Iteration<T>>),
    Function(Rc<Function>),
    Method(Rc<Method<T>>),
    Class(Rc<Class>),
    Builtin(Rc<Builtin>),
    Type(Rc<Type>),
    /// The names of keyword arguments.
    Names(Rc<[Rc<str>]>),
}

/// A list.
pub(crate) struct List<T> {
    pub items: RefCell<Vec<Value<T>>>,
}

/// A tuple, which may have a named type.
pub(crate) struct Tuple<T> {
    pub items: Vec<Value<T>>,
    pub class: Option<Rc<Class>>,
}

/// A dictionary.
pub(crate) struct DictCell<T> {
    pub entries: RefCell<Dict<T>>,
}

/// An instance of a class.
pub(crate) struct Object<T> {
    pub class: Rc<Class>,
    pub attributes: RefCell<Dict<T>>,
}

/// A member of an enumeration.
pub(crate) struct Member<T> {
    pub class: Rc<Class>,
    pub name: Rc<str>,
    pub value: Value<T>,
}

/// A function bound to its first argument.
pub(crate) struct Method<T> {
    pub receiver: Value<T>,
    pub function: Rc<Function>,
}

/// A tensor without dimensions whose element the host knows: a size or a constant. So arithmetic on
/// sizes needs no device.
pub(crate) struct HostScalar<T> {
    /// The element, until an operation might write to the tensor.
    pub number: Cell<Option<Number>>,
    pub dtype: DType,
    /// The tensor, as soon as an operation needs it.
    pub tensor: RefCell<Option<T>>,
}

/// `range(start, stop, step)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub start: i64,
    pub stop: i64,
    pub step: i64,
}

/// An iteration in progress.
pub(crate) struct Iteration<T> {
    pub state: RefCell<Items<T>>,
}

/// The items of an iteration.
pub(crate) enum Items<T> {
    /// The items of a list, which may change during the iteration.
    List(Rc<List<T>>, usize),
    /// The remaining items, in reverse order.
    Values(std::vec::IntoIter<Value<T>>),
    Range(Range),
    Enumerate(Value<T>, i64),
    Zip(Vec<Value<T>>),
}

impl Range {
    /// Returns the number of values.
    pub fn len(&self) -> i64 {
        let (start, stop, step) = (i128::from(self.start), i128::from(self.stop), i128::from(self.step));
        let count = if step > 0 { (stop - start + step - 1) / step } else { (start - stop - step - 1) / -step };
        i64::try_from(count.max(0)).unwrap_or(i64::MAX)
    }

    /// Returns the value at an index less than the length.
    pub fn get(&self, index: i64) -> i64 {
        self.start.wrapping_add(index.wrapping_mul(self.step))
    }
}

impl<T: Clone> Clone for Value<T> {
    fn clone(&self) -> Self {
        match self {
            Value::None => Value::None,
            Value::Unset => Value::Unset,
            Value::Ellipsis => Value::Ellipsis,
            Value::Bool(value) => Value::Bool(*value),
            Value::Int(value) => Value::Int(*value),
            Value::Float(value) => Value::Float(*value),
            Value::Str(value) => Value::Str(value.clone()),
            Value::Device(value) => Value::Device(value.clone()),
            Value::Tensor(value) => Value::Tensor(value.clone()),
            Value::Complex(value) => Value::Complex(value.clone()),
            Value::Scalar(value) => Value::Scalar(value.clone()),
            Value::List(value) => Value::List(value.clone()),
            Value::Tuple(value) => Value::Tuple(value.clone()),
            Value::Dict(value) => Value::Dict(value.clone()),
            Value::Object(value) => Value::Object(value.clone()),
            Value::Member(value) => Value::Member(value.clone()),
            Value::Range(value) => Value::Range(*value),
            Value::Slice(value) => Value::Slice(value.clone()),
            Value::Iterator(value) => Value::Iterator(value.clone()),
            Value::Function(value) => Value::Function(value.clone()),
            Value::Method(value) => Value::Method(value.clone()),
            Value::Class(value) => Value::Class(value.clone()),
            Value::Builtin(value) => Value::Builtin(value.clone()),
            Value::Type(value) => Value::Type(value.clone()),
            Value::Names(value) => Value::Names(value.clone()),
        }
    }
}

impl<T> Value<T> {
    /// A string.
    pub fn text(text: &str) -> Value<T> {
        Value::Str(text.into())
    }

    /// A list.
    pub fn list(items: Vec<Value<T>>) -> Value<T> {
        Value::List(Rc::new(List { items: RefCell::new(items) }))
    }

    /// A tuple.
    pub fn tuple(items: Vec<Value<T>>) -> Value<T> {
        Value::Tuple(Rc::new(Tuple { items, class: None }))
    }

    /// A dictionary.
    pub fn dict(entries: Dict<T>) -> Value<T> {
        Value::Dict(Rc::new(DictCell { entries: RefCell::new(entries) }))
    }

    /// A list of integers.
    pub fn ints(values: impl IntoIterator<Item = i64>) -> Value<T> {
        Value::list(values.into_iter().map(Value::Int).collect())
    }

    /// A tensor without dimensions.
    pub fn scalar(number: Number, dtype: DType) -> Value<T> {
        let number = Cell::new(Some(number));
        Value::Scalar(Rc::new(HostScalar { number, dtype, tensor: RefCell::new(None) }))
    }

    /// An iterator.
    pub fn iterator(items: Items<T>) -> Value<T> {
        Value::Iterator(Rc::new(Iteration { state: RefCell::new(items) }))
    }

    /// Returns the number of a numeric value or of a scalar on the host.
    pub fn number(&self) -> Option<Number> {
        match self {
            Value::Bool(value) => Some(Number::Int(i64::from(*value))),
            Value::Int(value) => Some(Number::Int(*value)),
            Value::Float(value) => Some(Number::Float(*value)),
            Value::Scalar(scalar) => scalar.number.get(),
            _ => None,
        }
    }

    /// Whether it is a tensor.
    pub fn is_tensor(&self) -> bool {
        matches!(self, Value::Tensor(_) | Value::Complex(_) | Value::Scalar(_))
    }

    /// Returns the name of the type in messages.
    pub fn type_name(&self) -> &str {
        match self {
            Value::None => "None",
            Value::Unset => "a variable without a value",
            Value::Ellipsis => "Ellipsis",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Str(_) => "str",
            Value::Device(_) => "Device",
            Value::Tensor(_) | Value::Complex(_) | Value::Scalar(_) => "Tensor",
            Value::List(_) => "List",
            Value::Tuple(tuple) => tuple.class.as_ref().map_or("Tuple", |class| class.short_name()),
            Value::Dict(_) => "Dict",
            Value::Object(object) => object.class.short_name(),
            Value::Member(member) => member.class.short_name(),
            Value::Range(_) => "range",
            Value::Slice(_) => "slice",
            Value::Iterator(_) => "iterator",
            Value::Function(_) | Value::Method(_) | Value::Builtin(_) => "function",
            Value::Class(_) => "class",
            Value::Type(_) => "type",
            Value::Names(_) => "names",
        }
    }
}

/// Drops nested containers one by one. A script can nest them to any depth, so recursion would
/// overflow the stack.
fn dismantle<T>(mut stack: Vec<Value<T>>) {
    while let Some(value) = stack.pop() {
        match value {
            Value::List(list) => {
                if let Some(list) = Rc::into_inner(list) {
                    stack.append(&mut list.items.borrow_mut());
                }
            }
            Value::Tuple(tuple) | Value::Slice(tuple) => {
                if let Some(mut tuple) = Rc::into_inner(tuple) {
                    stack.append(&mut tuple.items);
                }
            }
            Value::Dict(dict) => {
                if let Some(dict) = Rc::into_inner(dict) {
                    dict.entries.borrow_mut().drain_into(&mut stack);
                }
            }
            Value::Object(object) => {
                if let Some(object) = Rc::into_inner(object) {
                    object.attributes.borrow_mut().drain_into(&mut stack);
                }
            }
            Value::Method(method) => {
                if let Some(mut method) = Rc::into_inner(method) {
                    stack.push(std::mem::replace(&mut method.receiver, Value::None));
                }
            }
            Value::Iterator(iteration) => {
                if let Some(iteration) = Rc::into_inner(iteration) {
                    iteration.drain_into(&mut stack);
                }
            }
            _ => {}
        }
    }
}

impl<T> Iteration<T> {
    fn drain_into(&self, stack: &mut Vec<Value<T>>) {
        match self.state.replace(Items::Zip(Vec::new())) {
            Items::List(list, _) => stack.push(Value::List(list)),
            Items::Values(values) => stack.extend(values),
            Items::Range(_) => {}
            Items::Enumerate(value, _) => stack.push(value),
            Items::Zip(values) => stack.extend(values),
        }
    }
}

/// Whether dropping these values could recurse.
fn nests<T>(values: &[Value<T>]) -> bool {
    values.iter().any(|value| {
        matches!(
            value,
            Value::List(_)
                | Value::Tuple(_)
                | Value::Dict(_)
                | Value::Object(_)
                | Value::Method(_)
                | Value::Slice(_)
                | Value::Iterator(_)
        )
    })
}

impl<T> Drop for List<T> {
    fn drop(&mut self) {
        let items = self.items.get_mut();
        if nests(items) {
            dismantle(std::mem::take(items));
        }
    }
}

impl<T> Drop for Tuple<T> {
    fn drop(&mut self) {
        if nests(&self.items) {
            dismantle(std::mem::take(&mut self.items));
        }
    }
}

impl<T> Drop for DictCell<T> {
    fn drop(&mut self) {
        let mut stack = Vec::new();
        self.entries.get_mut().drain_into(&mut stack);
        dismantle(stack);
    }
}

impl<T> Drop for Object<T> {
    fn drop(&mut self) {
        let mut stack = Vec::new();
        self.attributes.get_mut().drain_into(&mut stack);
        dismantle(stack);
    }
}

impl<T> Drop for Method<T> {
    fn drop(&mut self) {
        dismantle(vec![std::mem::replace(&mut self.receiver, Value::None)]);
    }
}

impl<T> Drop for Iteration<T> {
    fn drop(&mut self) {
        let mut stack = Vec::new();
        self.drain_into(&mut stack);
        dismantle(stack);
    }
}
