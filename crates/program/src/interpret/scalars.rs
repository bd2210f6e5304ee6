//! Python operators on numbers, such as sizes. Integer overflow is an error.

use crate::{Error, Result, Value, graph::ScalarOp, number};

/// A number or a boolean.
#[derive(Clone, Copy, Debug)]
enum Number {
    Bool(bool),
    Int(i64),
    Float(f64),
}

impl Number {
    fn of<T>(value: &Value<T>) -> Option<Number> {
        Some(match value {
            Value::Bool(value) => Number::Bool(*value),
            Value::Int(value) => Number::Int(*value),
            Value::Float(value) => Number::Float(*value),
            _ => return None,
        })
    }

    fn float(self) -> f64 {
        match self {
            Number::Bool(value) => f64::from(value),
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    /// Returns the number as an integer, unless it is a float.
    fn int(self) -> Option<i64> {
        match self {
            Number::Bool(value) => Some(value.into()),
            Number::Int(value) => Some(value),
            Number::Float(_) => None,
        }
    }

    fn value<T>(self) -> Value<T> {
        match self {
            Number::Bool(value) => Value::Bool(value),
            Number::Int(value) => Value::Int(value),
            Number::Float(value) => Value::Float(value),
        }
    }
}

/// Applies an operator to its arguments.
pub(crate) fn apply<T: Clone>(op: ScalarOp, mut args: Vec<Value<T>>) -> Result<Value<T>> {
    let odd = |args: &[Value<T>]| {
        let args: Vec<String> = args.iter().map(crate::value::describe).collect();
        Error::argument(op.name(), format!("cannot take ({})", args.join(", ")))
    };
    match (op, &mut args[..]) {
        (ScalarOp::Ite, [condition, yes, no]) => {
            let condition = Number::of(condition).ok_or_else(|| odd(&[]))?.float() != 0.0;
            return Ok(if condition { yes.clone() } else { no.clone() });
        }
        (ScalarOp::GetItem, [Value::List(items) | Value::Tuple(items), Value::Int(index)]) => {
            let length = items.len() as i64;
            let index = if *index < 0 { *index + length } else { *index };
            let item = usize::try_from(index).ok().and_then(|index| items.get(index)).cloned();
            return item.ok_or_else(|| Error::argument("getitem", format!("no element {index} of {length}")));
        }
        (ScalarOp::Sum, [Value::List(items) | Value::Tuple(items)]) => args = std::mem::take(items),
        _ => {}
    }
    let numbers = args.iter().map(Number::of).collect::<Option<Vec<Number>>>().ok_or_else(|| odd(&args))?;
    let result = match (op, &numbers[..]) {
        (ScalarOp::Sum | ScalarOp::Min | ScalarOp::Max, [first, rest @ ..]) => {
            let step = if op == ScalarOp::Sum { ScalarOp::Add } else { op };
            rest.iter().try_fold(*first, |sum, &next| binary(step, sum, next))
        }
        (_, [a]) => unary(op, *a),
        (ScalarOp::Round, [a, digits]) => {
            let scale = 10f64.powi(digits.int().unwrap_or(0).clamp(-300, 300) as i32);
            Some(Number::Float((a.float() * scale).round_ties_even() / scale))
        }
        (_, [a, b]) => binary(op, *a, *b),
        _ => None,
    };
    let overflow = || {
        let args: Vec<String> = args.iter().map(Value::short).collect();
        Error::argument(op.name(), format!("({}) has no result among 64-bit integers", args.join(", ")))
    };
    result.map(Number::value).ok_or_else(overflow)
}

/// Converts a float to an integer if it fits into 64 bits.
fn whole(value: f64) -> Option<Number> {
    const LIMIT: f64 = 9.2e18;
    (value.abs() < LIMIT).then_some(Number::Int(value as i64))
}

fn unary(op: ScalarOp, a: Number) -> Option<Number> {
    use ScalarOp as O;
    let float = a.float();
    Some(match op {
        O::Neg => match a.int() {
            Some(value) => Number::Int(value.checked_neg()?),
            None => Number::Float(-float),
        },
        O::Abs => match a.int() {
            Some(value) => Number::Int(value.checked_abs()?),
            None => Number::Float(float.abs()),
        },
        O::Pos => a,
        O::Not => Number::Bool(float == 0.0),
        O::Float => Number::Float(float),
        O::Int => a.int().map_or_else(|| whole(float.trunc()), |value| Some(Number::Int(value)))?,
        O::Floor => a.int().map_or_else(|| whole(float.floor()), |value| Some(Number::Int(value)))?,
        O::Ceil => a.int().map_or_else(|| whole(float.ceil()), |value| Some(Number::Int(value)))?,
        O::Round => a.int().map_or_else(|| whole(float.round_ties_even()), |value| Some(Number::Int(value)))?,
        O::Sqrt => Number::Float(float.sqrt()),
        O::Log => Number::Float(float.ln()),
        O::Log2 => Number::Float(float.log2()),
        O::Exp => Number::Float(float.exp()),
        O::Sin => Number::Float(float.sin()),
        O::Cos => Number::Float(float.cos()),
        O::Tanh => Number::Float(float.tanh()),
        _ => return None,
    })
}

fn binary(op: ScalarOp, a: Number, b: Number) -> Option<Number> {
    use ScalarOp as O;
    if let (O::And | O::Or | O::Xor, Number::Bool(a), Number::Bool(b)) = (op, a, b) {
        return Some(Number::Bool(match op {
            O::And => a & b,
            O::Or => a | b,
            _ => a ^ b,
        }));
    }
    let (x, y) = (a.float(), b.float());
    let order = match (a.int(), b.int()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => x.partial_cmp(&y),
    };
    match op {
        O::Eq => return Some(Number::Bool(order.is_some_and(|order| order.is_eq()))),
        O::Ne => return Some(Number::Bool(order.is_none_or(|order| order.is_ne()))),
        O::Lt => return Some(Number::Bool(order.is_some_and(|order| order.is_lt()))),
        O::Le => return Some(Number::Bool(order.is_some_and(|order| order.is_le()))),
        O::Gt => return Some(Number::Bool(order.is_some_and(|order| order.is_gt()))),
        O::Ge => return Some(Number::Bool(order.is_some_and(|order| order.is_ge()))),
        O::Min => return Some(if order.is_some_and(|order| order.is_le()) { a } else { b }),
        O::Max => return Some(if order.is_some_and(|order| order.is_ge()) { a } else { b }),
        O::TrueDiv => return (y != 0.0).then_some(Number::Float(x / y)),
        _ => {}
    }
    let Some((a, b)) = a.int().zip(b.int()) else {
        return Some(Number::Float(match op {
            O::Add => x + y,
            O::Sub => x - y,
            O::Mul => x * y,
            O::FloorDiv => (x / y).floor(),
            O::Mod => number::float_modulo(x, y),
            O::Pow => x.powf(y),
            _ => return None,
        }));
    };
    Some(Number::Int(match op {
        O::Add => a.checked_add(b)?,
        O::Sub => a.checked_sub(b)?,
        O::Mul => a.checked_mul(b)?,
        O::FloorDiv => number::floor_div(a, b)?,
        O::Mod => number::modulo(a, b)?,
        O::Pow if b < 0 => return Some(Number::Float(x.powf(y))),
        O::Pow => number::power(a, b)?,
        O::And => a & b,
        O::Or => a | b,
        O::Xor => a ^ b,
        O::Lshift => number::shift_left(a, b)?,
        O::Rshift => number::shift_right(a, b)?,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(op: ScalarOp, values: &[i64]) -> Option<i64> {
        let args = values.iter().map(|&value| Value::<()>::Int(value)).collect();
        apply(op, args).ok().and_then(|value| value.as_int())
    }

    #[test]
    fn integers_are_pythons_and_overflow_is_an_error() {
        assert_eq!(ints(ScalarOp::FloorDiv, &[-7, 2]), Some(-4));
        assert_eq!(ints(ScalarOp::Mod, &[-7, 2]), Some(1));
        assert_eq!(ints(ScalarOp::Max, &[3, 9, 4]), Some(9));
        assert_eq!(ints(ScalarOp::Mul, &[i64::MAX, 2]), None);
        assert_eq!(ints(ScalarOp::FloorDiv, &[1, 0]), None);
        assert_eq!(ints(ScalarOp::FloorDiv, &[i64::MIN, -1]), None);
        assert_eq!(ints(ScalarOp::Lshift, &[1, 64]), None);
        assert_eq!(ints(ScalarOp::Neg, &[i64::MIN]), None);
    }

    #[test]
    fn a_float_becomes_an_integer_by_rounding() {
        let of = |op, value| apply(op, vec![Value::<()>::Float(value)]).ok().and_then(|value| value.as_int());
        assert_eq!(
            (of(ScalarOp::Ceil, 1.2), of(ScalarOp::Int, -1.7), of(ScalarOp::Floor, -1.2)),
            (Some(2), Some(-1), Some(-2))
        );
        assert_eq!(of(ScalarOp::Floor, f64::NAN), None);
        assert_eq!(of(ScalarOp::Floor, 1e300), None);
    }
}
