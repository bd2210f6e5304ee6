//! Contraction: the product of two tensors summed over any dimensions, to which `matmul`, `einsum`,
//! `tensordot` and the Fourier transforms lower.
//!
//! Dimensions have names, and a dimension's role (batch, m, n or k) follows from the tensors that
//! contain its name. So no operand is permuted into the shape of a matrix: the kernel reads both
//! through their strides. The derivative with respect to either operand is a contraction again.

use crate::{
    Error, Result, Tensor,
    autograd::{Derivative, attach},
    batch,
    ops::pointwise::common_device,
};
use lanthorn_ir::{
    Kernel, Shape,
    kernel::{Contract, Epilogue, Operand},
};
use std::rc::Rc;

/// A tensor and the names of its dimensions.
#[derive(Clone)]
pub(crate) struct Term {
    pub tensor: Tensor,
    pub names: Vec<usize>,
}

impl Term {
    fn position(&self, name: usize) -> Option<usize> {
        self.names.iter().position(|&own| own == name)
    }

    fn has(&self, name: usize) -> bool {
        self.names.contains(&name)
    }

    fn shape(&self, names: &[usize]) -> Shape {
        Shape::from_dims(names.iter().filter_map(|&name| self.position(name)).map(|d| self.tensor.shape()[d]))
    }

    /// The operand of a kernel whose dimensions are `names` in this order.
    fn operand(&self, names: &[&[usize]]) -> Operand {
        let order: Vec<usize> = names.iter().copied().flatten().filter_map(|&name| self.position(name)).collect();
        Operand::new(self.tensor.dtype(), self.tensor.layout().permute(&order))
    }

    /// A view with the dimensions `names`; a dimension that the tensor does not have gets size 1.
    fn align(&self, names: &[usize]) -> Result<Tensor> {
        let own: Vec<usize> = names.iter().copied().filter(|&name| self.has(name)).collect();
        let missing = names.iter().enumerate().filter(|(_, name)| !self.has(**name));
        missing.map(|(at, _)| at as i64).try_fold(self.permute(&own)?, |tensor, at| tensor.unsqueeze(at))
    }

    /// A view with the dimensions in the order of `names`, a permutation of the term's own.
    pub fn permute(&self, names: &[usize]) -> Result<Tensor> {
        if names == self.names {
            return Ok(self.tensor.clone());
        }
        self.tensor.permute(names.iter().filter_map(|&name| self.position(name)).map(|d| d as i64).collect::<Vec<_>>())
    }
}

/// `a * b` summed over every name that `output` does not contain, with the dimensions of `output`.
///
/// The names within `a`, within `b` and within `output` are distinct, equal names have equal sizes,
/// and every name is in at least two of the three.
///
/// Errors: `dtype` if the types differ.
pub(crate) fn contract(op: &'static str, a: &Term, b: &Term, output: &[usize]) -> Result<Tensor> {
    if a.tensor.dtype() != b.tensor.dtype() {
        let (a, b) = (a.tensor.dtype(), b.tensor.dtype());
        return Err(Error::dtype(op, format!("the types differ: {a} x {b}; convert one with to()")));
    }
    // The operands are exchanged if the kernel then writes the result in the requested order.
    if output.iter().find(|&&name| a.has(name) != b.has(name)).is_some_and(|&name| b.has(name)) {
        return products(op, b, a, output);
    }
    products(op, a, b, output)
}

fn products(op: &'static str, a: &Term, b: &Term, output: &[usize]) -> Result<Tensor> {
    let of = |wanted: fn(bool, bool) -> bool| -> Vec<usize> {
        output.iter().copied().filter(|&name| wanted(a.has(name), b.has(name))).collect()
    };
    let device = common_device(op, &[a.tensor.clone(), b.tensor.clone()])?;
    let (batch, m, n) = (of(|a, b| a && b), of(|a, b| a && !b), of(|a, b| !a && b));
    let k: Vec<usize> = a.names.iter().copied().filter(|name| !output.contains(name)).collect();
    let made = [&batch[..], &m, &n].concat();
    let dtype = a.tensor.dtype();
    if k.is_empty() || !dtype.is_floating_point() {
        // Integer products are rare: an elementwise product and a sum, correct on every backend.
        let names = [&made[..], &k].concat();
        let mut product = a.align(&names)?.mul(b.align(&names)?)?;
        if !k.is_empty() {
            let last: Vec<i64> = (made.len()..names.len()).map(|d| d as i64).collect();
            product = product.sum(last, false)?.to(dtype)?;
        }
        return Term { tensor: product, names: made }.permute(output);
    }
    device.require_dtype(op, dtype)?;
    let kernel = Contract {
        batch: a.shape(&batch),
        m: a.shape(&m),
        n: b.shape(&n),
        k: a.shape(&k),
        a: a.operand(&[&batch, &m, &k]),
        b: b.operand(&[&batch, &k, &n]),
        prologues: [None, None],
        params: vec![],
        epilogue: Epilogue::store(dtype.into(), dtype),
    };
    let shape = Shape::new(op, &kernel.output().to_i64())?;
    let mut outputs =
        batch::record(&device, op, Kernel::Contract(kernel), None, vec![a.tensor.value(), b.tensor.value()], vec![]);
    let tensor = Tensor::from_value(&device, outputs.pop().expect("a product has one output"), shape);
    let wanted = (a.tensor.requires_grad(), b.tensor.requires_grad());
    let (names_a, names_b, names) = (a.names.clone(), b.names.clone(), made.clone());
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [a, b] = saved else { unreachable!("two tensors are saved") };
        let grad = Term { tensor: grad.clone(), names: names.clone() };
        let (a, b) =
            (Term { tensor: a.clone(), names: names_a.clone() }, Term { tensor: b.clone(), names: names_b.clone() });
        let da = wanted.0.then(|| contract(op, &grad, &b, &a.names)).transpose()?;
        let db = wanted.1.then(|| contract(op, &a, &grad, &b.names)).transpose()?;
        Ok(vec![da, db])
    });
    attach(op, &tensor, &[&a.tensor, &b.tensor], &[&a.tensor, &b.tensor], derivative);
    Term { tensor, names: made }.permute(output)
}
