//! Arithmetic and the functions of Python's `math`.

use super::{Answer, Call};
use crate::{
    Result,
    ast::BinaryOp,
    number::{self, Number},
    value::Value,
};
use lanthorn_io::DType;
use lanthorn_program::Dispatch;

pub(crate) fn value<T>(number: Number) -> Value<T> {
    match number {
        Number::Int(value) => Value::Int(value),
        Number::Float(value) => Value::Float(value),
    }
}

/// Applies an operator to numbers. The host knows the integers in tensors of sizes.
fn binary<D: Dispatch>(call: &mut Call<'_, '_, D>, op: BinaryOp) -> Answer<D> {
    let [a, b] = &call.args[..] else { return Ok(None) };
    let (Some(x), Some(y)) = (a.number(), b.number()) else { return Ok(None) };
    if a.is_tensor() || b.is_tensor() {
        let exact = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::FloorDiv | BinaryOp::Mod);
        let int = |value: &Value<D::Tensor>| match value {
            Value::Int(_) => true,
            Value::Scalar(scalar) => scalar.dtype == DType::I64,
            _ => false,
        };
        if !(exact && int(a) && int(b) && call.named.is_empty() && y != Number::Int(0)) {
            return Ok(None);
        }
        return Ok(Some(Value::scalar(number::binary(op, x, y)?, DType::I64)));
    }
    if !call.named.is_empty() {
        return Ok(None);
    }
    if let (Value::Bool(a), Value::Bool(b)) = (a, b) {
        match op {
            BinaryOp::And => return Ok(Some(Value::Bool(a & b))),
            BinaryOp::Or => return Ok(Some(Value::Bool(a | b))),
            BinaryOp::Xor => return Ok(Some(Value::Bool(a ^ b))),
            _ => {}
        }
    }
    number::binary(op, x, y).map(|number| Some(value(number)))
}

pub(super) fn add<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [Value::Str(a), Value::Str(b)] => {
            call.context.charge(a.len() + b.len())?;
            Ok(Some(Value::text(&[&**a, &**b].concat())))
        }
        [Value::List(a), Value::List(b)] => {
            let (a, b) = (a.items.borrow(), b.items.borrow());
            call.context.charge(a.len() + b.len())?;
            Ok(Some(Value::list(a.iter().chain(b.iter()).cloned().collect())))
        }
        [Value::Tuple(a), Value::Tuple(b)] => {
            call.context.charge(a.items.len() + b.items.len())?;
            Ok(Some(Value::tuple(a.items.iter().chain(&b.items).cloned().collect())))
        }
        _ => binary(call, BinaryOp::Add),
    }
}

pub(super) fn mul<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let (sequence, count) = match &call.args[..] {
        [sequence @ (Value::List(_) | Value::Tuple(_) | Value::Str(_)), Value::Int(count)]
        | [Value::Int(count), sequence @ (Value::List(_) | Value::Tuple(_) | Value::Str(_))] => {
            (sequence, usize::try_from(*count).unwrap_or(0))
        }
        _ => return binary(call, BinaryOp::Mul),
    };
    let length = match sequence {
        Value::List(list) => list.items.borrow().len(),
        Value::Tuple(tuple) => tuple.items.len(),
        Value::Str(text) => text.len(),
        _ => 0,
    };
    call.context.charge(length.saturating_mul(count))?;
    let repeat = |items: &[Value<D::Tensor>]| -> Vec<Value<D::Tensor>> {
        (0..count).flat_map(|_| items.iter().cloned()).collect()
    };
    Ok(Some(match sequence {
        Value::List(list) => Value::list(repeat(&list.items.borrow())),
        Value::Tuple(tuple) => Value::tuple(repeat(&tuple.items)),
        Value::Str(text) => Value::text(&text.repeat(count)),
        value => value.clone(),
    }))
}

macro_rules! operators {
    ($($name:ident => $op:ident,)*) => { $(
        pub(super) fn $name<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
            binary(call, BinaryOp::$op)
        }
    )* };
}

operators! {
    sub => Sub,
    floordiv => FloorDiv,
    remainder => Mod,
    pow => Pow,
    and => And,
    or => Or,
    xor => Xor,
    left_shift => LeftShift,
    right_shift => RightShift,
}

/// Divides. A rounding mode applies to sizes only.
pub(super) fn div<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    if let [(key, Value::Str(mode))] = &call.named[..]
        && &**key == "rounding_mode"
        && &**mode == "floor"
    {
        let named = std::mem::take(&mut call.named);
        let answer = binary(call, BinaryOp::FloorDiv)?;
        call.named = named;
        return Ok(answer);
    }
    binary(call, BinaryOp::Div)
}

/// Returns the number of the only argument, unless it is a tensor.
fn only<D: Dispatch>(call: &Call<'_, '_, D>) -> Option<Number> {
    match &call.args[..] {
        [value] if !value.is_tensor() => value.number(),
        _ => None,
    }
}

pub(super) fn neg<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(number) = only(call) else { return Ok(None) };
    let negated = match number {
        Number::Float(value) => Number::Float(-value),
        int => number::binary(BinaryOp::Sub, Number::Int(0), int)?,
    };
    Ok(Some(value(negated)))
}

pub(super) fn abs<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    Ok(match only(call) {
        Some(Number::Float(value)) => Some(Value::Float(value.abs())),
        Some(Number::Int(value)) => Some(match value.checked_abs() {
            Some(value) => Value::Int(value),
            None => return call.refuse("the result is no integer of 64 bits"),
        }),
        None => None,
    })
}

fn round_with<D: Dispatch>(call: &mut Call<'_, '_, D>, round: fn(f64) -> f64) -> Answer<D> {
    let Some(number) = only(call) else { return Ok(None) };
    let number = match number {
        Number::Float(value) => Number::Float(round(value)),
        int => int,
    };
    Ok(Some(Value::Int(number.int()?)))
}

pub(super) fn floor<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    round_with(call, f64::floor)
}

pub(super) fn ceil<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    round_with(call, f64::ceil)
}

pub(super) fn trunc<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    round_with(call, f64::trunc)
}

/// `round(x)` returns a float in TorchScript; `round(x, digits)` rounds to digits.
pub(super) fn round<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    if let [Value::Float(value), Value::Int(digits)] = &call.args[..] {
        let scale = 10f64.powi((*digits).clamp(-300, 300) as i32);
        return Ok(Some(Value::Float((value * scale).round_ties_even() / scale)));
    }
    Ok(only(call).map(|number| Value::Float(number.float().round_ties_even())))
}

/// Python's `fmod`: the remainder has the sign of the dividend.
pub(super) fn fmod<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [a, b] if !a.is_tensor() && !b.is_tensor() => {
            let numbers = a.number().zip(b.number());
            Ok(numbers.map(|(a, b)| Value::Float(a.float() % b.float())))
        }
        _ => Ok(None),
    }
}

pub(super) fn divmod<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [a, b] = &call.args[..] else { return Ok(None) };
    let Some((a, b)) = a.number().zip(b.number()) else { return Ok(None) };
    let quotient = number::binary(BinaryOp::FloorDiv, a, b)?;
    Ok(Some(Value::tuple(vec![value(quotient), value(number::binary(BinaryOp::Mod, a, b)?)])))
}

pub(super) fn gcd<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Int(a), Value::Int(b)] = call.args[..] else { return Ok(None) };
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    match i64::try_from(a) {
        Ok(value) => Ok(Some(Value::Int(value))),
        Err(_) => call.refuse("the result is no integer of 64 bits"),
    }
}

pub(super) fn factorial<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [Value::Int(n)] = call.args[..] else { return Ok(None) };
    match (1..=n).take(21).try_fold(1i64, i64::checked_mul).filter(|_| (0..=20).contains(&n)) {
        Some(value) => Ok(Some(Value::Int(value))),
        None => call.raise("ValueError", "factorial() takes 0 to 20"),
    }
}

/// Functions with one float argument.
pub(super) fn unary<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(x) = only(call) else { return Ok(None) };
    let x = x.float();
    Ok(Some(Value::Float(match call.name {
        "sqrt" => x.sqrt(),
        "exp" => x.exp(),
        "expm1" => x.exp_m1(),
        "log1p" => x.ln_1p(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "asinh" => x.asinh(),
        "acosh" => x.acosh(),
        "atanh" => x.atanh(),
        "fabs" => x.abs(),
        "degrees" => x.to_degrees(),
        "radians" => x.to_radians(),
        "lgamma" => log_gamma(x),
        "gamma" => gamma(x),
        "erf" => 1.0 - erfc(x),
        _ => erfc(x),
    })))
}

/// Lanczos' approximation with g = 7 and nine terms (Numerical Recipes, 6.1).
fn log_gamma(x: f64) -> f64 {
    const TERMS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    use std::f64::consts::PI;
    if x < 0.5 {
        return (PI / (PI * x).sin().abs()).ln() - log_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let series = TERMS.iter().zip(1..).fold(0.999_999_999_999_809_9, |sum, (term, k)| sum + term / (x + f64::from(k)));
    let t = x + 7.5;
    0.5 * (2.0 * PI).ln() + (x + 0.5) * t.ln() - t + series.ln()
}

fn gamma(x: f64) -> f64 {
    if x.fract() == 0.0 && (1.0..=21.0).contains(&x) {
        return (1..x as i64).fold(1.0, |product, factor| product * factor as f64);
    }
    let sign = if x < 0.0 && (x.floor() as i64) % 2 != 0 { -1.0 } else { 1.0 };
    sign * log_gamma(x).exp()
}

/// The complementary error function: a series near zero, and a continued fraction elsewhere
/// (Abramowitz and Stegun, 7.1.6 and 7.1.14).
fn erfc(x: f64) -> f64 {
    use std::f64::consts::PI;
    if x < 0.0 {
        return 2.0 - erfc(-x);
    }
    if x < 2.5 {
        let (mut term, mut sum) = (x, x);
        for n in 1..100 {
            term *= 2.0 * x * x / f64::from(2 * n + 1);
            sum += term;
        }
        return 1.0 - 2.0 / PI.sqrt() * (-x * x).exp() * sum;
    }
    let fraction = (1..=60).rev().fold(x, |fraction, k| x + f64::from(k) / 2.0 / fraction);
    (-x * x).exp() / PI.sqrt() / fraction
}

pub(super) fn log<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let numbers: Option<Vec<f64>> =
        call.args.iter().map(|arg| if arg.is_tensor() { None } else { Some(arg.number()?.float()) }).collect();
    match numbers.as_deref() {
        Some([x]) if *x > 0.0 => Ok(Some(Value::Float(x.ln()))),
        Some([x, base]) if *x > 0.0 && *base > 0.0 => Ok(Some(Value::Float(x.ln() / base.ln()))),
        Some([_] | [_, _]) => call.raise("ValueError", "math domain error"),
        _ => Ok(None),
    }
}

pub(super) fn binary_float<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let [a, b] = &call.args[..] else { return Ok(None) };
    if a.is_tensor() || b.is_tensor() {
        return Ok(None);
    }
    let Some((a, b)) = a.number().zip(b.number()) else { return Ok(None) };
    let (a, b) = (a.float(), b.float());
    Ok(Some(Value::Float(match call.name {
        "atan2" => a.atan2(b),
        "copysign" => a.copysign(b),
        _ => a.hypot(b),
    })))
}

pub(super) fn classify<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(x) = only(call) else { return Ok(None) };
    let x = x.float();
    Ok(Some(Value::Bool(match call.name {
        "isnan" => x.is_nan(),
        "isinf" => x.is_infinite(),
        _ => x.is_finite(),
    })))
}

pub(super) fn modf<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(x) = only(call) else { return Ok(None) };
    Ok(Some(Value::tuple(vec![Value::Float(x.float().fract()), Value::Float(x.float().trunc())])))
}

pub(super) fn frexp<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    let Some(x) = only(call) else { return Ok(None) };
    let (mut fraction, mut exponent) = (x.float(), 0i64);
    if fraction != 0.0 && fraction.is_finite() {
        while fraction.abs() >= 1.0 {
            fraction /= 2.0;
            exponent += 1;
        }
        while fraction.abs() < 0.5 {
            fraction *= 2.0;
            exponent -= 1;
        }
    }
    Ok(Some(Value::tuple(vec![Value::Float(fraction), Value::Int(exponent)])))
}

pub(super) fn ldexp<D: Dispatch>(call: &mut Call<'_, '_, D>) -> Answer<D> {
    match &call.args[..] {
        [Value::Float(x), Value::Int(exponent)] => {
            let exponent = (*exponent).clamp(-2200, 2200) as i32;
            // Scales in two steps, because the power alone may overflow.
            Ok(Some(Value::Float(x * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2))))
        }
        _ => Ok(None),
    }
}

/// Applies an operator of the language to two numbers.
pub(crate) fn numbers<T>(op: BinaryOp, a: &Value<T>, b: &Value<T>) -> Result<Option<Value<T>>> {
    match (a, b) {
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            let (Some(a), Some(b)) = (a.number(), b.number()) else { return Ok(None) };
            number::binary(op, a, b).map(|number| Some(value(number)))
        }
        _ => Ok(None),
    }
}
