//! The arguments of one call, bound to an operator's schema.

use crate::{
    Error, Result, Value,
    value::{self, kind},
};
use lanthorn_call::{Caller, Form, Source};
use lanthorn_io::DType;
use lanthorn_schema::{ArgKind, Default, Param, ParamType, Schema};

/// Whether a number may be given where an operator takes a tensor, as in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// It may not: an overload for numbers is preferred.
    Apart,
    /// It may.
    AsTensors,
}

/// The arguments of one call in the schema's order, defaults filled in.
#[derive(Clone, Debug)]
pub struct Args<T: 'static> {
    /// The operator's signature.
    pub schema: &'static Schema,
    /// A value for each of its parameters.
    pub values: Vec<Value<T>>,
}

impl<T: Clone> Args<T> {
    /// Fills in defaults, and checks that nothing required is missing and that every argument is of
    /// its parameter's type.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] with the parameter and the argument.
    pub fn bind(
        schema: &'static Schema,
        args: &[Value<T>],
        named: &[(String, Value<T>)],
        numbers: Numbers,
    ) -> Result<Args<T>> {
        let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        let form = Form {
            positional: args.len(),
            names: &names,
            has_receiver: false,
            caller: Caller::PYTHON,
            // Programs give lists as lists.
            is_item: &|_| false,
            is_missing: &|_| false,
        };
        let sources = form.locate(schema)?;
        let mut values = Vec::with_capacity(sources.len());
        for (param, source) in schema.params.iter().zip(&sources) {
            let given = match source {
                Source::One(index) => args.get(*index).or_else(|| Some(&named.get(*index - args.len())?.1)),
                _ => None,
            };
            let value = match (given, &param.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => of_default(default),
                (None, None) => return Err(lanthorn_call::missing(schema, param, Caller::PYTHON).into()),
            };
            if !takes(param, &value, numbers) {
                let found = value::describe(&value);
                return Err(lanthorn_call::wrong(schema, param, &found, Caller::PYTHON).into());
            }
            values.push(value);
        }
        Ok(Args { schema, values })
    }

    /// The operator's name.
    pub fn op(&self) -> &'static str {
        &self.schema.name
    }

    /// Takes an argument out.
    pub fn take(&mut self, name: &str) -> Value<T> {
        let index = self.schema.params.iter().position(|param| param.name == name);
        index.map_or(Value::None, |index| std::mem::replace(&mut self.values[index], Value::None))
    }

    /// Replaces the value of an argument.
    pub fn replace(&mut self, name: &str, value: Value<T>) {
        if let Some(index) = self.schema.params.iter().position(|param| param.name == name) {
            self.values[index] = value;
        }
    }

    /// An argument.
    pub fn get(&self, name: &str) -> &Value<T> {
        let index = self.schema.params.iter().position(|param| param.name == name);
        index.map_or(&Value::None, |index| &self.values[index])
    }

    /// Whether an argument is not `None`.
    pub fn is_given(&self, name: &str) -> bool {
        !matches!(self.get(name), Value::None)
    }

    fn as_type<R>(&self, name: &str, read: impl FnOnce(&Value<T>) -> Option<R>, wanted: &str) -> Result<R> {
        read(self.get(name)).ok_or_else(|| {
            let found = value::describe(self.get(name));
            Error::argument(self.op(), format!("the argument {name} takes {wanted}, not {found}"))
        })
    }

    /// An argument that is a tensor.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if it is not.
    pub fn tensor(&self, name: &str) -> Result<&T> {
        self.get(name).as_tensor().ok_or_else(|| Error::argument(self.op(), format!("{name} is not a tensor")))
    }

    /// An argument that is an integer.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if it is not.
    pub fn int(&self, name: &str) -> Result<i64> {
        self.as_type(name, Value::as_int, "an integer")
    }

    /// An argument that is a number.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if it is not.
    pub fn float(&self, name: &str) -> Result<f64> {
        self.as_type(name, Value::as_float, "a number")
    }

    /// An argument that is a list of integers.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if it is not.
    pub fn ints(&self, name: &str) -> Result<Vec<i64>> {
        self.as_type(name, value::as_ints, "a list of integers")
    }

    /// An argument that is a boolean; `None` is false.
    pub fn bool(&self, name: &str) -> bool {
        self.get(name).as_bool().unwrap_or(false)
    }

    /// An argument that is a dtype, if it is given.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] for a complex or quantized type.
    pub fn dtype(&self, name: &str) -> Result<Option<DType>> {
        match self.get(name) {
            Value::None => Ok(None),
            Value::Str(text) => Ok(DType::from_name(text)),
            value => {
                let number = value.as_int().unwrap_or(-1);
                let dtype = value::dtype_of(number);
                dtype.map(Some).ok_or_else(|| Error::unsupported(format!("the element type number {number}")))
            }
        }
    }
}

/// Whether a parameter takes a value.
pub(crate) fn takes<T>(param: &Param, value: &Value<T>, numbers: Numbers) -> bool {
    let Some(kind) = kind(value) else { return false };
    let more = match param.ty {
        ParamType::DType | ParamType::OptionalDType => kind == ArgKind::Int,
        ParamType::OptionalDevice => kind == ArgKind::Str,
        // A list may be empty or hold integers where floats are meant.
        ParamType::Float | ParamType::OptionalFloat => kind == ArgKind::Bool,
        ParamType::Int | ParamType::OptionalInt => kind == ArgKind::Bool,
        ParamType::Tensor | ParamType::OptionalTensor => {
            numbers == Numbers::AsTensors && matches!(kind, ArgKind::Bool | ArgKind::Int | ArgKind::Float)
        }
        _ => false,
    };
    more || param.kinds().contains(kind)
}

/// The value that a default stands for.
pub fn of_default<T>(default: &Default) -> Value<T> {
    match default {
        Default::None => Value::None,
        Default::Bool(value) => Value::Bool(*value),
        Default::Int(value) => Value::Int(*value),
        Default::Float(value) => Value::Float(*value),
        Default::Ints(values) => value::ints(values.iter().copied()),
        Default::Floats(values) => Value::List(values.iter().copied().map(Value::Float).collect()),
        Default::Str(text) => Value::Str(text.clone()),
    }
}
