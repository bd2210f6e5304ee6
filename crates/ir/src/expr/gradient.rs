//! The expressions of gradients, cached, because every training step needs the same ones.
//!
//! Rejected: a cache for each device. A gradient depends only on the expression, and a page that
//! changes its device keeps its gradients.

use super::{Expr, Node};
use crate::cache::Cache;
use std::{cell::RefCell, rc::Rc};

/// The gradient of one input of an expression: an expression over some of the inputs, and the
/// incoming gradient as its last slot.
#[derive(Clone, Debug)]
pub struct InputGradient {
    /// The gradient.
    pub expr: Expr,
    /// The inputs of the original expression that it reads, in the order of its slots.
    pub reads: Vec<usize>,
    /// The parameters of the original expression that it uses, in the order of its slots.
    pub params: Vec<usize>,
}

/// The size limit of the cache. A network has a few hundred expressions.
const MAX_GRADIENTS: usize = 4096;

/// By expression and input.
type Gradients = Cache<(Expr, usize), Option<Rc<InputGradient>>>;

thread_local! {
    static GRADIENTS: RefCell<Gradients> = RefCell::new(Cache::new(MAX_GRADIENTS));
}

/// How many gradients of expressions this thread has derived so far.
pub fn gradients_derived() -> u64 {
    GRADIENTS.with_borrow(Cache::insertions)
}

impl Expr {
    /// The gradient of input `input` of an expression of `inputs` inputs; `None` where the value
    /// does not depend on it differentiably. Derived once and cached on this thread.
    ///
    /// ```
    /// use lanthorn_ir::expr::{Expr, Type};
    /// let [x, y] = [0, 1].map(|slot| Expr::input(slot, Type::F32));
    /// let gradient = (&x * y.sin()).input_gradient(0, 2).unwrap();
    /// // It reads `y` alone; the incoming gradient comes after it.
    /// assert_eq!((gradient.expr.to_string(), &gradient.reads[..]), ("(x1 * sin(x0))".to_string(), &[1][..]));
    /// ```
    pub fn input_gradient(&self, input: usize, inputs: usize) -> Option<Rc<InputGradient>> {
        let key = (self.clone(), input);
        if let Some(known) = GRADIENTS.with_borrow_mut(|gradients| gradients.get(&key).cloned()) {
            return known;
        }
        let found = self.derived_gradient(input, inputs).map(Rc::new);
        GRADIENTS.with_borrow_mut(|gradients| gradients.insert(key, found.clone()));
        found
    }

    fn derived_gradient(&self, input: usize, inputs: usize) -> Option<InputGradient> {
        let grad = Expr::input(inputs, self.ty());
        let derivative = self.vjp(&grad, &[input]).pop().flatten()?;
        let (mut reads, mut params): (Vec<usize>, Vec<usize>) = Default::default();
        for node in Expr::topological(std::slice::from_ref(&derivative)) {
            match node.node() {
                Node::Input(slot) if *slot < inputs => reads.push(*slot),
                Node::Param(slot) => params.push(*slot),
                _ => {}
            }
        }
        reads.sort_unstable();
        params.sort_unstable();
        let position = |list: &[usize], slot: &usize| list.binary_search(slot).ok();
        let expr = derivative.rewrite(|node| match node.node() {
            Node::Input(slot) if *slot == inputs => Some(Expr::input(reads.len(), node.ty())),
            Node::Input(slot) => position(&reads, slot).map(|slot| Expr::input(slot, node.ty())),
            Node::Param(slot) => position(&params, slot).map(|slot| Expr::param(slot, node.ty())),
            _ => None,
        });
        Some(InputGradient { expr, reads, params })
    }
}
