//! Complex tensors. The op table represents them as pairs along a last dimension. A value records
//! whether its tensor is complex, and [`rule`] determines how calls change.

use super::{Machine, call::Named};
use crate::{Error, Result, builtins::Builtin, value::Value};
use lanthorn_program::{
    Dispatch,
    aten::complex::{Change, Default, Param, ParamType, Rule, change, rule},
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

/// Changes an argument by the name of its parameter.
type Changer<'a, T> = &'a mut dyn FnMut(&str, &mut Value<T>) -> Result<()>;

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
        let param = |index: usize| params.get(index).map_or("", |param| param.name.as_str());
        let each = |call: &mut PairCall<D::Tensor>, change: Changer<'_, D::Tensor>| {
            for (index, arg) in call.args.iter_mut().enumerate() {
                change(param(index), arg)?;
            }
            call.named.iter_mut().try_for_each(|(name, arg)| change(name, arg))
        };
        let adapted = match rule(base) {
            Some(Rule::Same(promoted)) => {
                each(&mut call, &mut |param, arg| {
                    if promoted.contains(&param) {
                        *arg = self.promote(arg.clone())?;
                    }
                    Ok(())
                })?;
                call.is_complex = base != "equal";
                Adapted::Call(call)
            }
            Some(Rule::Moves) => {
                each(&mut call, &mut |param, arg| {
                    if param == "tensors" {
                        *arg = self.promote(arg.clone())?;
                    }
                    if let Some(kind) = change(base, param) {
                        *arg = change_value(kind, arg.clone());
                    }
                    Ok(())
                })?;
                for param in params.iter().skip(call.args.len()) {
                    if let (Some(kind), Some(default)) = (change(base, &param.name), &param.default)
                        && !call.named.iter().any(|(name, _)| **name == *param.name)
                    {
                        let value = match default {
                            Default::Int(value) => Value::Int(*value),
                            Default::Ints(values) => Value::ints(values.iter().copied()),
                            _ => continue,
                        };
                        call.named.push((param.name.as_str().into(), change_value(kind, value)));
                    }
                }
                Adapted::Call(call)
            }
            Some(Rule::Modulus) => {
                each(&mut call, &mut |_, arg| {
                    if let Value::Complex(_) = arg {
                        *arg = self.operator_now("abs", vec![arg.clone()])?;
                    }
                    Ok(())
                })?;
                call.is_complex = false;
                Adapted::Call(call)
            }
            Some(Rule::Other(on)) => {
                each(&mut call, &mut |param, arg| {
                    let is_list = matches!(arg, Value::List(_));
                    let is_first = param == "self" && on.name != "complex_pow";
                    if on.complex.contains(&param) && (arg.is_tensor() || is_list || is_first) {
                        *arg = self.promote(arg.clone())?;
                    }
                    Ok(())
                })?;
                let suffix = if writes { "_" } else { "" };
                call.target = Builtin::by_name(&format!("{}{suffix}", on.name), false);
                call.is_complex = on.gives_complex;
                Adapted::Call(call)
            }
            Some(Rule::Parts(promoted)) => {
                let part = |index: usize| -> Result<PairCall<D::Tensor>> {
                    let mut part = PairCall { args: call.args.clone(), named: call.named.clone(), ..call.again() };
                    each(&mut part, &mut |param, arg| {
                        *arg = self.part(arg.clone(), promoted.contains(&param), index)?;
                        Ok(())
                    })?;
                    Ok(part)
                };
                Adapted::Parts(Box::new([part(0)?, part(1)?]))
            }
            None => return Err(Error::runtime(format!("{name} of complex numbers is not supported"))),
        };
        Ok(Some(match adapted {
            Adapted::Call(call) => Adapted::Call(pair_up(call)),
            parts => parts,
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

    /// Returns the real or imaginary part of a value. The imaginary part of a real value is zero if
    /// the operator expects a complex number.
    fn part(&self, value: Value<D::Tensor>, is_number: bool, index: usize) -> Result<Value<D::Tensor>> {
        let name = if index == 0 { "real" } else { "imag" };
        match value {
            Value::Complex(_) => self.operator_now(name, vec![value]),
            Value::Bool(_) | Value::Int(_) | Value::Float(_) if is_number && index == 1 => Ok(Value::Int(0)),
            value if value.is_tensor() && is_number && index == 1 => self.operator_now("zeros_like", vec![value]),
            value => Ok(value),
        }
    }
}

/// The number of float32 as an element type.
const FLOAT32: i64 = 6;

impl<T: Clone> PairCall<T> {
    /// Returns the same call without arguments.
    fn again(&self) -> PairCall<T> {
        PairCall { target: self.target.clone(), args: vec![], named: vec![], is_complex: self.is_complex }
    }
}

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
    PairCall {
        args,
        named,
        ..PairCall { target: call.target, args: vec![], named: vec![], is_complex: call.is_complex }
    }
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
