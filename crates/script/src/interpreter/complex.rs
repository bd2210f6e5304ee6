//! Complex tensors. The op table represents them as pairs along a last dimension. A value records
//! whether its tensor is complex, and [`rule`] determines how calls change.

use super::{Machine, call::Named};
use crate::{Error, Result, builtins::Builtin, value::Value};
use lanthorn_program::{
    Dispatch,
    aten::complex::{Applied, Arg, Change, Form, Pairs, Param, ParamType, Part, Rule, apply, rule},
};

/// Transforms with a complex input, which may also be real.
const TRANSFORMS: &[&str] = &["fft_fft", "fft_fft2", "fft_fftn", "fft_ifft", "fft_ifft2", "fft_ifftn", "fft_hfft"];

/// Operators that return a complex result for real arguments.
const COMPLEX_RESULTS: &[&str] =
    &["fft_rfft", "fft_rfft2", "fft_rfftn", "complex", "polar", "view_as_complex", "fft_ihfft"];

/// Operators that accept pairs unchanged, and return real tensors.
const REAL: &[&str] = &["real", "imag", "view_as_real", "fft_irfft", "fft_irfft2", "fft_irfftn", "fft_hfft", "istft"];

/// A call on pairs that replaces a call on complex tensors.
pub(super) struct PairCall<T> {
    pub target: Builtin,
    pub args: Vec<Value<T>>,
    pub named: Named<T>,
    /// Whether the results are pairs.
    pub is_complex: bool,
}

/// The replacement of a call with complex tensors.
pub(super) enum Adapted<T> {
    /// One call on pairs.
    Call(PairCall<T>),
    /// A call on the real parts and one on the imaginary parts.
    Parts(Box<[PairCall<T>; 2]>),
}

impl<D: Dispatch> Machine<'_, D> {
    /// Returns the calls for an operator that takes or returns complex tensors, or `None` for other
    /// operators.
    pub(super) fn complex(
        &self,
        builtin: &Builtin,
        args: &[Value<D::Tensor>],
        named: &Named<D::Tensor>,
    ) -> Result<Option<Adapted<D::Tensor>>> {
        let name = &*builtin.name;
        let taken = args.iter().chain(named.iter().map(|(_, value)| value)).any(is_complex);
        let stft = name == "stft" && {
            let flag = named.iter().find(|(key, _)| &**key == "return_complex").map(|(_, value)| value);
            matches!(flag.or(args.get(7)), Some(Value::Bool(true)))
        };
        let is_transform = TRANSFORMS.contains(&name);
        let becomes_complex = named.iter().any(|(key, value)| &**key == "dtype" && is_complex_type(value))
            || (name == "to" && args.get(1).is_some_and(is_complex_type));
        if !taken && !stft && !COMPLEX_RESULTS.contains(&name) && !is_transform && !becomes_complex {
            return Ok(None);
        }
        let mut call =
            PairCall { target: builtin.clone(), args: args.to_vec(), named: named.clone(), is_complex: true };
        if becomes_complex && (name == "to" || !taken) {
            // Replaces a factory of complex numbers by one of real numbers, which become complex.
            call.named.retain(|(key, _)| &**key != "dtype");
            let real = match (name, call.args.first().cloned()) {
                ("to", Some(first)) => first,
                _ => {
                    let outcome = self.start_operator(&call.target, call.args.clone(), call.named.clone())?;
                    self.finish(outcome.ready(name), false)?
                }
            };
            let (target, args) = (Builtin::by_name("alias", false), vec![self.promote(real)?]);
            return Ok(Some(Adapted::Call(pair_up(PairCall { target, args, named: vec![], is_complex: true }))));
        }
        if matches!(name, "to" | "type_as") {
            // A conversion to a real type takes the real parts. A move of the tensor keeps both.
            let is_type = |value: &Value<D::Tensor>| matches!(value, Value::Int(_));
            let real = call.args.get(1).is_some_and(|value| is_type(value) || value.is_tensor())
                || call.named.iter().any(|(key, value)| &**key == "dtype" && is_type(value));
            if real && let Some(first) = call.args.first_mut() {
                *first = self.operator_now("real", vec![first.clone()])?;
            }
            call.is_complex = !real;
            return Ok(Some(Adapted::Call(pair_up(call))));
        }
        if is_transform || stft || COMPLEX_RESULTS.contains(&name) || REAL.contains(&name) {
            if is_transform && let Some(first) = call.args.first_mut() {
                *first = self.promote(first.clone())?;
            }
            call.is_complex = !REAL.contains(&name);
            return Ok(Some(Adapted::Call(pair_up(call))));
        }
        let writes = name.ends_with('_') && !name.ends_with("__");
        let base = if writes { name.trim_end_matches('_') } else { name };
        let mut params = params_of(builtin, args.len());
        if matches!(rule(base), Some(Rule::Moves)) {
            let of_list = |params: &[Param]| params.get(1).is_some_and(|param| param.ty == ParamType::Ints);
            let is_int = |value: &Value<D::Tensor>| matches!(value, Value::Int(_));
            let apart = call.args.len() > 1 && call.args[1..].iter().all(is_int);
            if apart && (params.is_empty() || of_list(&params)) {
                // Sizes may be separate arguments.
                let list = Value::list(call.args.split_off(1));
                call.args.push(list);
                params = params_of(builtin, 2);
            }
        }
        let Some(rule) = rule(base) else {
            return Err(Error::runtime(format!("{name} of complex numbers is not supported")));
        };
        let count = call.args.len();
        let param = |index: usize| params.get(index).map_or("", |param| param.name.as_str()).to_string();
        let positional = call.args.drain(..).enumerate().map(|(index, value)| (param(index), value));
        let by_name = call.named.drain(..).map(|(name, value)| (name.to_string(), value));
        let marked = |(name, value)| Arg { name, is_complex: is_complex(&value), value };
        let mut args: Vec<_> = positional.chain(by_name).map(marked).collect();
        let applied = apply(rule, base, &params, &mut args, &mut &*self)?;
        let target = call.target;
        let with = |target: Builtin, args: Vec<Arg<Value<D::Tensor>>>, is_complex: bool| {
            let mut args = args.into_iter();
            let positional = args.by_ref().take(count).map(|arg| arg.value).collect();
            let named = args.map(|arg| (arg.name.as_str().into(), arg.value)).collect();
            PairCall { target, args: positional, named, is_complex }
        };
        Ok(Some(match applied {
            Applied::One { on, is_complex } => {
                let suffix = if writes { "_" } else { "" };
                let on = on.map(|on| Builtin::by_name(&format!("{}{suffix}", on.name), false));
                Adapted::Call(pair_up(with(on.unwrap_or(target), args, is_complex)))
            }
            Applied::Parts(parts) => Adapted::Parts(Box::new(parts.map(|args| with(target.clone(), args, true)))),
        }))
    }

    /// Adds zeros as imaginary parts to a real tensor or number, or to a list of them.
    fn promote(&self, value: Value<D::Tensor>) -> Result<Value<D::Tensor>> {
        let value = match value {
            Value::Complex(_) | Value::None => return Ok(value),
            Value::List(list) => {
                let items = list.items.borrow().clone();
                let items = items.into_iter().map(|item| self.promote(item)).collect::<Result<_>>()?;
                return Ok(Value::list(items));
            }
            value if value.is_tensor() => value,
            value => self.wrap(&value)?,
        };
        let float = self.operator_now("is_floating_point", vec![value.clone()]);
        let value = match float {
            Ok(Value::Bool(false)) => self.operator_now("to", vec![value, Value::Int(FLOAT32)])?,
            _ => value,
        };
        let zeros = self.operator_now("zeros_like", vec![value.clone()])?;
        self.operator_now("complex", vec![value, zeros])
    }
}

impl<D: Dispatch> Pairs for &Machine<'_, D> {
    type Value = Value<D::Tensor>;
    type Error = Error;

    fn form(&self, value: &Self::Value) -> Form {
        match value {
            value if value.is_tensor() => Form::Tensor,
            Value::Bool(_) | Value::Int(_) | Value::Float(_) => Form::Number,
            Value::List(_) => Form::List,
            _ => Form::Other,
        }
    }

    fn constant(&self, value: lanthorn_program::Value<()>) -> Self::Value {
        match value {
            lanthorn_program::Value::Int(value) => Value::Int(value),
            value => Value::ints(lanthorn_program::value::as_ints(&value).unwrap_or_default()),
        }
    }

    fn promote(&mut self, value: Self::Value) -> Result<Self::Value> {
        Machine::promote(self, value)
    }

    fn part(&mut self, arg: &Arg<Self::Value>, part: Part) -> Result<Self::Value> {
        let name = if part == Part::Real { "real" } else { "imag" };
        match arg.value.clone() {
            value @ Value::Complex(_) => self.operator_now(name, vec![value]),
            Value::Bool(_) | Value::Int(_) | Value::Float(_) if part == Part::Imaginary => Ok(Value::Int(0)),
            value if value.is_tensor() && part == Part::Imaginary => self.operator_now("zeros_like", vec![value]),
            value => Ok(value),
        }
    }

    fn modulus(&mut self, value: Self::Value) -> Result<Self::Value> {
        self.operator_now("abs", vec![value])
    }

    fn change(&self, change: Change, value: Self::Value) -> Self::Value {
        change_value(change, value)
    }
}

/// The number of float32 as an element type.
const FLOAT32: i64 = 6;

/// Returns the parameters of the first overload with at least `given` parameters.
fn params_of(builtin: &Builtin, given: usize) -> Vec<Param> {
    let operators = builtin.aten.map(|aten| aten.operators()).unwrap_or_default();
    let fits = |params: &[Param]| params.iter().filter(|param| !param.keyword_only).count() >= given;
    let mut params = operators.iter().map(|operator| &operator.schema.params);
    params.find(|params| fits(params)).cloned().unwrap_or_default()
}

/// Changes a parameter's value for pairs.
fn change_value<T: Clone>(kind: Change, value: Value<T>) -> Value<T> {
    let ints = |list: &[Value<T>]| -> Option<Vec<i64>> {
        let int = |item: &Value<T>| match item {
            Value::Int(value) => Some(*value),
            _ => None,
        };
        list.iter().map(int).collect()
    };
    let change = lanthorn_program::aten::complex::change_value::<()>;
    let found = match &value {
        Value::Int(dim) => change(kind, lanthorn_program::Value::Int(*dim)),
        Value::List(list) => match ints(&list.items.borrow()) {
            Some(list) => change(kind, lanthorn_program::value::ints(list)),
            None => return value.clone(),
        },
        _ => return value,
    };
    match found {
        lanthorn_program::Value::Int(dim) => Value::Int(dim),
        found => Value::ints(lanthorn_program::value::as_ints(&found).unwrap_or_default()),
    }
}

/// Replaces the complex tensors of a call by the tensors of their pairs.
fn pair_up<T: Clone>(call: PairCall<T>) -> PairCall<T> {
    let args = call.args.into_iter().map(pairs).collect();
    let named = call.named.into_iter().map(|(name, value)| (name, pairs(value))).collect();
    PairCall { args, named, ..call }
}

/// Whether a value is the number of a complex element type.
fn is_complex_type<T>(value: &Value<T>) -> bool {
    matches!(value, Value::Int(8..=10))
}

fn is_complex<T>(value: &Value<T>) -> bool {
    match value {
        Value::Complex(_) => true,
        Value::List(list) => list.items.borrow().iter().any(|item| matches!(item, Value::Complex(_))),
        _ => false,
    }
}

/// Converts a complex tensor to the tensor of its pairs.
fn pairs<T: Clone>(value: Value<T>) -> Value<T> {
    match value {
        Value::Complex(tensor) => Value::Tensor(tensor),
        Value::List(list) if list.items.borrow().iter().any(Value::is_tensor) => {
            Value::list(list.items.borrow().iter().cloned().map(pairs).collect())
        }
        value => value,
    }
}

/// Marks tensors of pairs as complex.
pub(super) fn mark_complex<T: Clone>(value: Value<T>) -> Value<T> {
    match value {
        Value::Tensor(tensor) => Value::Complex(tensor),
        Value::List(list) => Value::list(list.items.borrow().iter().cloned().map(mark_complex).collect()),
        value => value,
    }
}
