//! Functions that have a definition in simpler ones and a derivative of their own.
//!
//! The inverse sine is a polynomial on one side of 1/2 and a root of another on the other side; its derivative is `1 / sqrt(1 - x^2)` and not that of
//! these approximations. In a formula such a function is one node, which [`Expr::vjp`] differentiates by the rule given here; a [`Program`] holds its definition,
//! so no backend knows of it.
//!
//! Rejected: a [`UnaryOp`] for each, which every backend would then have to write in its own language, in every precision.
//!
//! [`Program`]: super::Program
//! [`UnaryOp`]: super::UnaryOp

use super::{Expr, Node};
use std::{
    fmt,
    hash::{Hash, Hasher},
};

/// A function with a definition in others and a derivative of its own. Two are the same if their names are.
pub struct Function {
    /// The name used in printed expressions.
    pub name: &'static str,
    /// The value, in the type of the arguments, which are of one type.
    pub definition: fn(&[Expr]) -> Expr,
    /// What each argument receives of the adjoint of the value: the arguments, the value and its adjoint are given. `None` where the function is not differentiable.
    pub derivative: fn(&[Expr], &Expr, &Expr) -> Vec<Option<Expr>>,
}

impl Function {
    /// The function of these arguments.
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
