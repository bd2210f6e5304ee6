//! Complex tensors. The op table has them as pairs along a last dimension, so a value says whether a
//! tensor is one, and calls that take them are changed.

use super::{Machine, call::Named};
use crate::{Error, Result, builtins::Builtin, value::Value};
use lanthorn_program::{
    Dispatch,
    aten::complex::{MOVES, RENAMED},
};

/// Transforms, whose input may be real.
const TRANSFORMS: &[&str] =
    &["fft_fft", "fft_fft2", "fft_fftn", "fft_ifft", "fft_ifft2", "fft_ifftn", "fft_hfft", "fft_fftshift"];

/// Operators with a complex result of real arguments.
const MAKERS: &[&str] = &["fft_rfft", "fft_rfft2", "fft_rfftn", "complex", "polar", "view_as_complex", "fft_ihfft"];

/// Operators that take pairs as they are, and give real tensors.
const REAL: &[&str] =
    &["real", "imag", "view_as_real", "fft_irfft", "fft_irfft2", "fft_irfftn", "istft", "complex_abs", "complex_angle"];

/// Operators that take and give pairs as they are.
const PAIRS: &[&str] = &[
    "alias",
    "clone",
    "detach",
    "contiguous",
    "neg",
    "resolve_conj",
    "resolve_neg",
    "complex_conj",
    "complex_mul",
    "add",
    "sub",
];

/// Operators along dimensions that this interpreter changes beside those that move elements.
const ALONG: &[&str] = &["mean", "sum", "narrow", "roll"];

fn has_dims(name: &str) -> bool {
    MOVES.contains(&name) || ALONG.contains(&name)
}

/// A call on pairs in place of complex tensors.
pub(super) struct PairCall<T> {
    pub target: Builtin,
    pub args: Vec<Value<T>>,
    pub named: Named<T>,
    /// Whether the results are pairs.
    pub is_complex: bool,
}

impl<D: Dispatch> Machine<'_, D> {
    /// The call for an operator that takes or gives complex tensors; nothing if it does neither.
    pub(super) fn complex(
        &self,
        builtin: &Builtin,
        args: &[Value<D::Tensor>],
        named: &Named<D::Tensor>,
    ) -> Result<Option<PairCall<D::Tensor>>> {
        let name = &*builtin.name;
        let taken = args.iter().any(is_complex);
        let stft = name == "stft" && {
            let flag = named.iter().find(|(key, _)| &**key == "return_complex").map(|(_, value)| value);
            matches!(flag.or(args.get(7)), Some(Value::Bool(true)))
        };
        if !taken && !stft && !MAKERS.contains(&name) && !TRANSFORMS.contains(&name) {
            return Ok(None);
        }
        let mut args = args.to_vec();
        let mut name = name.to_string();
        let with_number = taken && matches!(&*name, "mul" | "div") && args.get(1).is_some_and(|arg| !arg.is_tensor());
        if TRANSFORMS.contains(&&*name) || (taken && matches!(&*name, "add" | "sub" | "mul")) && !with_number {
            let operands = if TRANSFORMS.contains(&&*name) { 1 } else { 2 };
            for arg in args.iter_mut().take(operands) {
                if !is_complex(arg) {
                    *arg = self.with_zeros(arg.clone())?;
                }
            }
        }
        if let Some((_, other)) = RENAMED.iter().find(|(known, _)| taken && !with_number && *known == name) {
            name = other.to_string();
        }
        let known = stft
            || with_number
            || [TRANSFORMS, MAKERS, REAL, PAIRS].iter().any(|names| names.contains(&&*name))
            || has_dims(&name);
        if !known {
            return Err(Error::runtime(format!("{name} of complex numbers is not supported")));
        }
        let target = Builtin::named(&name, false);
        let mut named = named.clone();
        if has_dims(&name)
            && let Some(aten) = target.aten
            && let Some(operator) = aten.operators().first()
        {
            let params = operator.schema.params.iter().map(|param| param.name.as_str());
            args.iter_mut().zip(params).for_each(|(arg, param)| shift(param, arg));
            named.iter_mut().for_each(|(param, arg)| shift(param, arg));
            if name == "flatten" && args.len() < 3 && !named.iter().any(|(param, _)| &**param == "end_dim") {
                named.push(("end_dim".into(), Value::Int(-2)));
            }
        }
        let args = args.into_iter().map(pairs).collect();
        Ok(Some(PairCall { target, args, named, is_complex: !REAL.contains(&&*name) }))
    }

    /// A real tensor or a number with an imaginary part of zero.
    fn with_zeros(&self, value: Value<D::Tensor>) -> Result<Value<D::Tensor>> {
        let value = if value.is_tensor() { value } else { self.wrapped(&value)? };
        let zeros = self.operator_now("zeros_like", vec![value.clone()])?;
        self.operator_now("complex", vec![value, zeros])
    }
}

fn is_complex<T>(value: &Value<T>) -> bool {
    match value {
        Value::Complex(_) => true,
        Value::List(list) => list.items.borrow().iter().any(|item| matches!(item, Value::Complex(_))),
        _ => false,
    }
}

/// A complex tensor as the tensor of its pairs.
fn pairs<T: Clone>(value: Value<T>) -> Value<T> {
    match value {
        Value::Complex(tensor) => Value::Tensor(tensor),
        Value::List(list) if list.items.borrow().iter().any(Value::is_tensor) => {
            Value::list(list.items.borrow().iter().cloned().map(pairs).collect())
        }
        value => value,
    }
}

/// Tensors of pairs as complex ones.
pub(super) fn marked<T: Clone>(value: Value<T>) -> Value<T> {
    match value {
        Value::Tensor(tensor) => Value::Complex(tensor),
        Value::List(list) => Value::list(list.items.borrow().iter().cloned().map(marked).collect()),
        value => value,
    }
}

/// Shifts dimensions that count from the last one; adds the pair to sizes.
fn shift<T: Clone>(param: &str, value: &mut Value<T>) {
    match (param, &*value) {
        ("dim" | "dim0" | "dim1" | "start_dim" | "end_dim" | "dims", Value::Int(dim)) if *dim < 0 => {
            *value = Value::Int(dim - 1);
        }
        ("dim" | "dims", Value::List(list)) => {
            let shifted = |item: &Value<T>| match item {
                Value::Int(dim) if *dim < 0 => Value::Int(dim - 1),
                item => item.clone(),
            };
            let items: Vec<Value<T>> = list.items.borrow().iter().map(shifted).collect();
            *value = Value::list(items);
        }
        ("size" | "shape", Value::List(list)) => {
            let items = list.items.borrow().iter().cloned().chain([Value::Int(2)]).collect();
            *value = Value::list(items);
        }
        _ => {}
    }
}
