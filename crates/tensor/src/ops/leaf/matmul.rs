//! Matrix products.

use crate::{
    Error, Result, Tensor,
    autograd::{Derivative, attach},
    ops::{Op, pointwise::common_device},
    samples,
};
use lanthorn_ir::{Kernel, Shape, kernel::Contract};
use lanthorn_macros::op;
use std::rc::Rc;

/// The matrix product, with the rules of `torch.matmul`.
///
/// Shapes: `self: [*, m, k]`, `other: [*, k, n]`, `result: [*, m, n]`; the leading dimensions
/// broadcast. A vector on the left is a row and on the right a column, and the result does not have
/// that dimension; two vectors give a 0-d tensor. The types are not promoted.
///
/// Errors: `dtype` if the types differ; `shape` if the inner sizes differ, the leading dimensions
/// do not broadcast, or a tensor is 0-d.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let a = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [2, 2], &device)?;
/// assert_eq!(pollster::block_on(a.matmul(&a)?.to_vec::<f32>())?, [7.0, 10.0, 15.0, 22.0]);
/// let error = a.matmul(&Tensor::ones([3, 2])?).unwrap_err();
/// assert_eq!(error.to_string(), "matmul: inner dimensions differ: [2, 2] x [3, 2]");
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "matmul(Tensor self, Tensor other) -> Tensor",
    autocast = lower,
    aliases = ["linalg_matmul"],
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        samples::calls([
            vec![x(&[3, 4]), x(&[4, 5])],
            vec![x(&[4]), x(&[4])],
            vec![x(&[4]), x(&[4, 5])],
            vec![x(&[3, 4]), x(&[4])],
            vec![x(&[2, 3, 4]), x(&[4, 5])],
            vec![x(&[2, 1, 3, 4]), x(&[5, 4, 2])],
            vec![x(&[33, 65]), x(&[65, 70])],
            vec![x(&[2, 70, 35]), x(&[2, 35, 129])],
            vec![x(&[3, 0]), x(&[0, 2])],
            vec![x(&[0, 3]), x(&[3, 2])],
            vec![samples::tensor(&[3, 4], crate::DType::I32, -5.0, 5.0), samples::tensor(&[4, 2], crate::DType::I32, -5.0, 5.0)],
        ])
    }
)]
fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.dtype() != b.dtype() {
        return Err(Error::dtype("matmul", format!("the types differ: {} x {}; convert one with to()", a.dtype(), b.dtype())));
    }
    if a.rank() == 0 || b.rank() == 0 {
        return Err(Error::shape("matmul", format!("both must have a dimension: {} x {}; use mul", a.shape(), b.shape())));
    }
    let inner = (a.shape()[a.rank() - 1], b.shape()[b.rank().saturating_sub(2)]);
    if inner.0 != inner.1 {
        return Err(Error::shape("matmul", format!("inner dimensions differ: {} x {}", a.shape(), b.shape())));
    }
    match (a.rank(), b.rank()) {
        (1, 1) => matmul(&a.unsqueeze(0)?, &b.unsqueeze(1)?)?.reshape([]),
        (1, _) => matmul(&a.unsqueeze(0)?, b)?.squeeze(-2),
        (_, 1) => matmul(a, &b.unsqueeze(1)?)?.squeeze(-1),
        // One matrix on the right multiplies every row of the left: a single product, not one a
        // batch.
        (3.., 2) => {
            let (k, n) = (b.shape()[0] as i64, b.shape()[1] as i64);
            let mut shape = a.shape().to_i64();
            let rows: i64 = shape[..shape.len() - 1].iter().product();
            shape[a.rank() - 1] = n;
            product(&a.reshape([rows, k])?, b)?.reshape(shape)
        }
        _ => product(a, b),
    }
}

/// The product of two batches of matrices, of at least two dimensions each.
fn product(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let device = common_device("matmul", &[a.clone(), b.clone()])?;
    if !a.dtype().is_floating_point() {
        // Integer products are rare: an elementwise product and a sum, correct on every backend.
        return a.unsqueeze(-1)?.mul(&b.unsqueeze(-3)?)?.sum(-2, false)?.to(a.dtype());
    }
    let batch_of = |x: &Tensor| Shape::from_dims(x.shape()[..x.rank() - 2].iter().copied());
    let batch = batch_of(a).broadcast("matmul", &batch_of(b))?;
    let full = |x: &Tensor| {
        let matrix = &x.shape()[x.rank() - 2..];
        x.layout().expand("matmul", &Shape::from_dims(batch.iter().chain(matrix).copied()))
    };
    let (m, n) = (a.shape()[a.rank() - 2], b.shape()[b.rank() - 1]);
    let shape: Vec<i64> = batch.iter().chain(&[m, n]).map(|&size| size as i64).collect();
    let shape = Shape::new("matmul", &shape)?;
    let kernel = Contract::matrices(a.dtype(), full(a)?, full(b)?);
    let mut outputs = device.record("matmul", Kernel::Contract(kernel), None, vec![a.value(), b.value()], vec![]);
    let output = Tensor::from_value(&device, outputs.pop().expect("a product has one output"), shape);
    let wanted = (a.requires_grad(), b.requires_grad());
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [a, b] = saved else { unreachable!("two tensors are saved") };
        let da = wanted.0.then(|| product(grad, &b.transpose(-2, -1)?)?.sum_to_size(a.shape())).transpose()?;
        let db = wanted.1.then(|| product(&a.transpose(-2, -1)?, grad)?.sum_to_size(b.shape())).transpose()?;
        Ok(vec![da, db])
    });
    attach("matmul", &output, &[a, b], &[a, b], derivative);
    Ok(output)
}

pub(crate) static OPS: &[&Op] = &[&MATMUL];
