//! Functions that are defined in terms of simpler ones, with an explicit derivative.
//!
//! The inverse sine, for example, is approximated by one polynomial below 1/2 and by the root of
//! another above it. Its derivative is `1 / sqrt(1 - x^2)`, and not the derivative of these
//! approximations. In an expression such a function is one node, which [`Expr::vjp`] differentiates
//! by its own rule. A [`Program`] contains its definition, so backends do not need to support it.
//!
//! Rejected: a [`UnaryOp`] for each, which every backend would have to implement in its own
//! language and for each precision.
//!
//! [`Program`]: super::Program
//! [`UnaryOp`]: super::UnaryOp

use super::{Expr, Node};
use std::{
    fmt,
    hash::{Hash, Hasher},
};

/// A function with a definition and a derivative. Functions with the same name are equal.
pub struct Function {
    /// The name used in printed expressions.
    pub name: &'static str,
    /// The value for the given arguments. The arguments and the value have the same type.
    pub definition: fn(&[Expr]) -> Expr,
    /// The contribution to the adjoint of each argument, from the arguments, the value and the
    /// adjoint of the value. `None` for an argument with respect to which the function is not
    /// differentiable.
    pub derivative: fn(&[Expr], &Expr, &Expr) -> Vec<Option<Expr>>,
}

impl Function {
    /// The function applied to arguments of the same type.
    ///
    /// ```
    /// use lanthorn_ir::{expr::{Expr, Type}, special};
    /// let (x, grad) = (Expr::input(0, Type::F32), Expr::input(1, Type::F32));
    /// let y = special::ATAN.call(&[&x]);
    /// assert_eq!(y.to_string(), "atan(x0)");
    /// assert_eq!(y.vjp(&grad, &[0])[0].as_ref().unwrap().to_string(), "(x1 / ((x0 * x0) + 1))");
    /// ```
    pub fn call(&'static self, arguments: &[&Expr]) -> Expr {
        debug_assert!(arguments.windows(2).all(|pair| pair[0].ty() == pair[1].ty()), "{} of several types", self.name);
        Expr::new(Node::Call(self, arguments.iter().map(|&argument| argument.clone()).collect()), arguments[0].ty())
    }
}

impl Expr {
    /// The expression with every [`Function`] replaced by its definition.
    pub fn expand(&self) -> Expr {
        self.rewrite(|expr| match expr.node() {
            Node::Call(function, arguments) => Some((function.definition)(arguments).expand()),
            _ => None,
        })
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
