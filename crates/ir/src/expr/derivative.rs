//! The derivative of an expression, by reverse accumulation over its nodes.
//!
//! Reverse accumulation sends the incoming gradient through `select`, so the branch that is not
//! taken contributes an exact zero. The mask stays outside of the products that follow, because
//! the derivative of that branch may be infinite.
//!
//! Rejected: forward accumulation, which computes `0 * inf` for that branch.

use super::{BinaryOp, Expr, Node, Type, UnaryOp};
use crate::special::FLOOR_DIVIDE;
use rustc_hash::FxHashMap;

const TWO_OVER_SQRT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;

impl Expr {
    /// The vector-Jacobian product: `grad` times the derivative of the value with respect to each
    /// input in `wrt`; `None` if the value does not depend on that input differentiably.
    ///
    /// ```
    /// use lanthorn_ir::expr::{Expr, Type};
    /// let (x, grad) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
    /// let d = x.sin().vjp(&grad, &[0]);
    /// assert_eq!(d[0].as_ref().unwrap().to_string(), "(x1 * cos(x0))");
    /// ```
    pub fn vjp(&self, grad: &Expr, wrt: &[usize]) -> Vec<Option<Expr>> {
        let mut adjoints: FxHashMap<Expr, Expr> = FxHashMap::default();
        adjoints.insert(self.clone(), grad.clone());
        let mut found: FxHashMap<usize, Expr> = FxHashMap::default();
        for expr in Expr::topological(std::slice::from_ref(self)).into_iter().rev() {
            let Some(adjoint) = adjoints.remove(&expr) else { continue };
            if let Node::Input(slot) = expr.node() {
                found.insert(*slot, adjoint);
                continue;
            }
            for (operand, contribution) in contributions(&expr, &adjoint) {
                let total = match adjoints.remove(&operand) {
                    Some(so_far) => so_far + contribution,
                    None => contribution,
                };
                adjoints.insert(operand, total);
            }
        }
        wrt.iter().map(|slot| found.get(slot).map(Expr::simplify)).collect()
    }
}

/// The contribution of a node's adjoint `g` to the adjoint of each differentiable operand.
fn contributions(expr: &Expr, g: &Expr) -> Vec<(Expr, Expr)> {
    if !expr.ty().is_float() {
        return vec![];
    }
    if let Node::Select(c, a, b) = g.node() {
        let zero = |branch: &Expr| matches!(branch.node(), Node::Constant(constant) if constant.to_f64() == 0.0);
        let masked = |inner: &Expr, mask: &dyn Fn(Expr) -> Expr| {
            contributions(expr, inner).into_iter().map(|(operand, d)| (operand, mask(d))).collect()
        };
        if zero(b) {
            return masked(a, &|d| c.select(d, 0.0));
        }
        if zero(a) {
            return masked(b, &|d| c.select(0.0, d));
        }
    }
    match expr.node() {
        Node::Unary(op, a) => unary(*op, expr, a, g).map(|d| (a.clone(), d)).into_iter().collect(),
        Node::Binary(op, a, b) => binary(*op, expr, a, b, g),
        Node::Select(c, a, b) => vec![(a.clone(), c.select(g, 0.0)), (b.clone(), c.select(0.0, g))],
        Node::Call(function, arguments) => {
            let contributions = (function.derivative)(arguments, expr, g);
            arguments.iter().zip(contributions).filter_map(|(argument, d)| Some((argument.clone(), d?))).collect()
        }
        Node::Cast(a) if a.ty().is_float() => vec![(a.clone(), g.cast(a.ty()))],
        _ => vec![],
    }
}

/// The adjoint of `a` in `y = op(a)`. The expressions follow PyTorch's `derivatives.yaml`.
fn unary(op: UnaryOp, y: &Expr, a: &Expr, g: &Expr) -> Option<Expr> {
    Some(match op {
        UnaryOp::Neg => -g,
        UnaryOp::Abs => g * a.sign(),
        UnaryOp::Exp => g * y,
        UnaryOp::Expm1 => g * (y + 1.0),
        UnaryOp::Log => g / a,
        UnaryOp::Log1p => g / (a + 1.0),
        UnaryOp::Sqrt => g / (y * 2.0),
        UnaryOp::Sin => g * a.cos(),
        UnaryOp::Cos => -(g * a.sin()),
        UnaryOp::Tanh => g * (1.0 - y.square()),
        UnaryOp::Erf => g * ((-a.square()).exp() * TWO_OVER_SQRT_PI),
        // Piecewise constant. As in PyTorch, the derivative is 0 instead of none, so that the input
        // counts as used.
        UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::Trunc => Expr::constant(0.0, a.ty()),
        // The mantissa is |a| times a power of two that is locally constant.
        UnaryOp::Mantissa => g * Expr::constant(2.0, a.ty()).pow(-a.exponent()),
        UnaryOp::Exponent => Expr::constant(0.0, a.ty()),
        // Rounding to a type is a conversion.
        UnaryOp::ToF16 | UnaryOp::ToBF16 => g.clone(),
        UnaryOp::Not | UnaryOp::IsNan => return None,
    })
}

fn binary(op: BinaryOp, y: &Expr, a: &Expr, b: &Expr, g: &Expr) -> Vec<(Expr, Expr)> {
    let (da, db) = match op {
        BinaryOp::Add => (g.clone(), g.clone()),
        BinaryOp::Sub => (g.clone(), -g),
        BinaryOp::Mul => (g * b, g * a),
        BinaryOp::Div => (g / b, -(g * (y / b))),
        // a % b = a - b * floor(a / b)
        BinaryOp::Rem => (g.clone(), -(g * FLOOR_DIVIDE.call(&[a, b]))),
        BinaryOp::Pow => {
            let da = b.equal(0.0).select(0.0, g * (b * a.pow(b - 1.0)));
            // 0 ** b is 0 for every b > 0; the logarithm of 0 must not turn that into NaN.
            let flat = a.equal(0.0).and(b.ge(0.0));
            (da, flat.select(0.0, g * (y * a.log())))
        }
        // The gradient goes to the larger operand, half to each if they are equal, and to both if
        // they cannot be compared.
        BinaryOp::Max => (share(g, a.lt(b), a.equal(b)), share(g, b.lt(a), a.equal(b))),
        BinaryOp::Min => (share(g, a.gt(b), a.equal(b)), share(g, b.gt(a), a.equal(b))),
        // b contributes only a sign. At a = 0 the derivative is defined as 0.
        BinaryOp::CopySign => (a.equal(0.0).select(0.0, g * (y / a)), Expr::constant(0.0, b.ty())),
        BinaryOp::NextAfter => (a.equal(b).select(0.0, g), Expr::constant(0.0, b.ty())),
        _ => return vec![],
    };
    // For `a op a` the caller adds both contributions to the one operand.
    vec![(a.clone(), da), (b.clone(), db)]
}

fn share(g: &Expr, loses: Expr, ties: Expr) -> Expr {
    debug_assert_eq!(loses.ty(), Type::Bool);
    loses.select(0.0, ties.select(g * 0.5, g))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_not_taken_gives_an_exact_zero() {
        let (x, g) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
        let relu = x.gt(0.0).select(&x, 0.0);
        assert_eq!(relu.vjp(&g, &[0])[0].as_ref().unwrap().to_string(), "((x0 > 0) ? x1 : 0)");
    }

    #[test]
    fn a_mask_stays_outside_of_the_products_that_follow() {
        let (x, g) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
        let root = x.gt(1.0).select(x.log(), x.square());
        let d = root.vjp(&g, &[0])[0].as_ref().unwrap().to_string();
        assert_eq!(d, "((((x0 > 1) ? 0 : (x1 * x0)) + ((x0 > 1) ? 0 : (x1 * x0))) + ((x0 > 1) ? (x1 / x0) : 0))");
    }

    #[test]
    fn both_sides_of_a_square_add_up() {
        let (x, g) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
        assert_eq!(x.square().vjp(&g, &[0])[0].as_ref().unwrap().to_string(), "((x1 * x0) + (x1 * x0))");
    }
}
