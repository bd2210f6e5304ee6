//! Algebraic simplification that preserves every value, including NaN and infinity.
//!
//! Only rewrites that are exact in IEEE arithmetic are made. `x * 0` is not one of them (it is NaN
//! for NaN and infinity), and neither is `x + 0` (it changes -0).

use super::{BinaryOp, Constant, Expr, Node, Type, UnaryOp};

fn constant_of(expr: &Expr) -> Option<f64> {
    match expr.node() {
        // An int64 beyond 2^53 may have no exact float64.
        Node::Constant(Constant::I64(value)) if *value as f64 as i128 != i128::from(*value) => None,
        Node::Constant(constant) => Some(constant.to_f64()),
        _ => None,
    }
}

fn is(expr: &Expr, value: f64) -> bool {
    constant_of(expr) == Some(value)
}

impl Expr {
    /// An equal expression with fewer nodes.
    ///
    /// ```
    /// use lanthorn_ir::expr::{Expr, Type};
    /// let x = Expr::input(0, Type::F32);
    /// assert_eq!((-(-(&x * 1.0))).simplify(), x);
    /// ```
    pub fn simplify(&self) -> Expr {
        self.rewrite(rule)
    }

    /// [`Expr::simplify`] of an expression whose operands are simplified.
    pub(crate) fn simplify_root(self) -> Expr {
        rule(&self).unwrap_or(self)
    }
}

fn rule(expr: &Expr) -> Option<Expr> {
    match expr.node() {
        Node::Unary(UnaryOp::Neg, a) => match a.node() {
            Node::Unary(UnaryOp::Neg, inner) => Some(inner.clone()),
            Node::Constant(_) if a.ty().is_float() => Some(Expr::constant(-constant_of(a)?, a.ty())),
            _ => None,
        },
        Node::Unary(UnaryOp::Not, a) if a.ty() == Type::Bool => match a.node() {
            Node::Unary(UnaryOp::Not, inner) => Some(inner.clone()),
            _ => None,
        },
        Node::Cast(a) => match a.node() {
            Node::Constant(_) => {
                constant_of(a).filter(|&value| exact(value, expr.ty())).map(|value| Expr::constant(value, expr.ty()))
            }
            _ => None,
        },
        Node::Select(_, a, b) if a == b => Some(a.clone()),
        Node::Select(c, a, b) => match c.node() {
            Node::Constant(Constant::Bool(condition)) => Some(if *condition { a } else { b }.clone()),
            Node::Unary(UnaryOp::Not, inner) => Some(inner.select(b, a)),
            _ => None,
        },
        Node::Binary(op, a, b) => binary(*op, a, b),
        _ => None,
    }
}

/// Whether a number is exactly representable in another type.
fn exact(value: f64, ty: Type) -> bool {
    Constant::new(value, ty).to_f64() == value
}

fn binary(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let number = a.ty() != Type::Bool;
    if let Some(word) = fold_words(op, a, b) {
        return Some(Expr::constant(f64::from(word), Type::U32));
    }
    match op {
        BinaryOp::Mul if number && is(b, 1.0) => Some(a.clone()),
        BinaryOp::Mul if number && is(a, 1.0) => Some(b.clone()),
        BinaryOp::Mul if number && is(a, -1.0) && a.ty().is_float() => rule(&-b).or_else(|| Some(-b)),
        BinaryOp::Mul if number && is(b, -1.0) && a.ty().is_float() => rule(&-a).or_else(|| Some(-a)),
        BinaryOp::Div if number && is(b, 1.0) => Some(a.clone()),
        BinaryOp::Sub if number && is(b, 0.0) && b != &Expr::constant(-0.0, b.ty()) => Some(a.clone()),
        // Unsigned division rounds down, as a shift does. An integer division takes as long as a
        // dozen other instructions.
        BinaryOp::Rem if a.ty() == Type::U32 => {
            power_of_two(b).map(|power| a.binary(BinaryOp::And, Expr::constant(f64::from(power - 1), Type::U32)))
        }
        BinaryOp::Div if a.ty() == Type::U32 => {
            let shift = power_of_two(b)?.trailing_zeros();
            Some(a.binary(BinaryOp::ShiftRight, Expr::constant(f64::from(shift), Type::U32)))
        }
        BinaryOp::Add | BinaryOp::Sub => {
            // a + -b = a - b and a - -b = a + b.
            let Node::Unary(UnaryOp::Neg, inner) = b.node() else { return fold(op, a, b) };
            Some(a.binary(if op == BinaryOp::Add { BinaryOp::Sub } else { BinaryOp::Add }, inner))
        }
        _ => fold(op, a, b),
    }
}

/// The value of a u32 constant that is a power of two.
fn power_of_two(expr: &Expr) -> Option<u32> {
    match expr.node() {
        Node::Constant(Constant::U32(value)) if value.is_power_of_two() => Some(*value),
        _ => None,
    }
}

/// The value of an operation on two float constants, in the precision of their type.
fn fold(op: BinaryOp, a: &Expr, b: &Expr) -> Option<Expr> {
    let (x, y) = (constant_of(a)?, constant_of(b)?);
    let value = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div => x / y,
        _ => return None,
    };
    // An f32 operation is exactly that operation in f64, rounded once.
    (a.ty().is_float() && value.is_finite()).then(|| Expr::constant(value, a.ty()))
}

/// The value of an operation on two u32 constants, as a device computes it.
fn fold_words(op: BinaryOp, a: &Expr, b: &Expr) -> Option<u32> {
    let word = |expr: &Expr| if let Node::Constant(Constant::U32(value)) = expr.node() { Some(*value) } else { None };
    let (a, b) = (word(a)?, word(b)?);
    match op {
        BinaryOp::Add => Some(a.wrapping_add(b)),
        BinaryOp::Sub => Some(a.wrapping_sub(b)),
        BinaryOp::Mul => Some(a.wrapping_mul(b)),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        BinaryOp::ShiftLeft => a.checked_shl(b),
        BinaryOp::ShiftRight => a.checked_shr(b),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_by_powers_of_two_are_shifts() {
        let i = Expr::index();
        let number = |value: f64| Expr::constant(value, Type::U32);
        assert_eq!(i.binary(BinaryOp::Rem, number(8.0)).simplify(), i.binary(BinaryOp::And, number(7.0)));
        assert_eq!(i.binary(BinaryOp::Div, number(8.0)).simplify(), i.binary(BinaryOp::ShiftRight, number(3.0)));
        assert_eq!(i.binary(BinaryOp::Rem, number(6.0)).simplify(), i.binary(BinaryOp::Rem, number(6.0)));
    }

    #[test]
    fn words_are_folded() {
        let number = |value: f64| Expr::constant(value, Type::U32);
        for (op, a, b, result) in [
            (BinaryOp::Add, 4294967295.0, 2.0, 1.0),
            (BinaryOp::Sub, 1.0, 2.0, 4294967295.0),
            (BinaryOp::Rem, 13.0, 8.0, 5.0),
            (BinaryOp::Div, 13.0, 8.0, 1.0),
            (BinaryOp::Xor, 12.0, 10.0, 6.0),
            (BinaryOp::ShiftRight, 200.0, 4.0, 12.0),
        ] {
            assert_eq!(number(a).binary(op, number(b)).simplify(), number(result), "{op:?}");
        }
        // The result of these depends on the device.
        let undefined = number(1.0).binary(BinaryOp::Div, number(0.0));
        assert!(!matches!(undefined.simplify().node(), Node::Constant(_)));
    }

    #[test]
    fn constants_are_folded_and_products_with_zero_kept() {
        let x = Expr::input(0, Type::F32);
        assert_eq!((&x * (Expr::constant(2.0, Type::F32) * 0.5)).simplify(), x);
        assert_eq!((&x * 0.0).simplify(), &x * 0.0);
        assert_eq!((&x + (-(&x))).simplify(), &x - &x);
    }
}
