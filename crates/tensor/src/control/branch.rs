//! [`cond`].

use super::check_alike;
use crate::{
    Error, Result, Tensor,
    autograd::{JointDerivative, attach_joint, is_grad_enabled, no_grad},
};
use std::rc::Rc;

/// The results of one of two functions, as `torch.cond`: of `true_fn` if the only element of
/// `pred` is not zero, which is read.
///
/// Both functions are called, because both must return tensors of the same shapes and types. No
/// kernel of the other one runs. It must not write to tensors that it captures. As in PyTorch,
/// operands that only the other function uses have gradients of zeros. Where the predicate is a
/// `bool` of the host, `if` does the same.
///
/// # Errors
///
/// `argument` if `pred` has several elements; `argument`, `shape` or `dtype` if the functions'
/// results differ; the errors of the functions and of reading.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// # let device = lanthorn::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn::{Tensor, control::cond};
/// # pollster::block_on(async {
/// let x = Tensor::from_slice(&[1.0f32, -2.0], [2], &device)?;
/// let is_negative = x.sum((), false)?.lt(0.0)?;
/// let y = cond(&is_negative, |x| Ok(vec![x[0].neg()?]), |x| Ok(vec![x[0].exp()?]), &[x]).await?;
/// assert_eq!(y[0].to_vec::<f32>().await?, [-1.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(()) }).unwrap();
/// ```
pub async fn cond<T, F>(pred: &Tensor, true_fn: T, false_fn: F, operands: &[Tensor]) -> Result<Vec<Tensor>>
where
    T: Fn(&[Tensor]) -> Result<Vec<Tensor>>,
    F: Fn(&[Tensor]) -> Result<Vec<Tensor>>,
{
    match truth("cond", "pred", pred).await? {
        true => branch(true_fn, false_fn, operands, true),
        false => branch(false_fn, true_fn, operands, false),
    }
}

/// The only element of a predicate, as a bool.
pub(super) async fn truth(op: &'static str, name: &str, pred: &Tensor) -> Result<bool> {
    if pred.numel() != 1 {
        return Err(Error::argument(op, format!("{name} is a tensor of one element, not of shape {}", pred.shape())));
    }
    Ok(pred.item().await? != 0.0)
}

/// The results of the function `taken`, whose predicate is known to be `truth`, after a check that
/// the `other` function's are alike: [`cond`] for callers that read the predicate themselves.
///
/// # Errors
///
/// As of [`cond`].
pub fn branch<T, O>(taken: T, other: O, operands: &[Tensor], truth: bool) -> Result<Vec<Tensor>>
where
    T: Fn(&[Tensor]) -> Result<Vec<Tensor>>,
    O: Fn(&[Tensor]) -> Result<Vec<Tensor>>,
{
    let results = taken(operands)?;
    let device = operands.first().or(results.first()).map(|tensor| tensor.device().clone());
    let state = device.as_ref().map(|device| device.generator().state());
    let copies = operands.iter().map(|operand| operand.detach().clone_tensor());
    let others = no_grad(|| other(&copies.collect::<Result<Vec<_>>>()?))?;
    if let (Some(device), Some(state)) = (device, state)
        && device.generator().state() != state
    {
        device.generator().set_state(state);
    }
    let names = match truth {
        true => ("the result of the function for true", "the result of the other"),
        false => ("the result of the function for false", "the result of the other"),
    };
    check_alike("cond", names, &results, &others)?;
    Ok(depend_on_all(results, operands))
}

/// Makes results depend on all operands.
fn depend_on_all(results: Vec<Tensor>, operands: &[Tensor]) -> Vec<Tensor> {
    if !is_grad_enabled() || !operands.iter().any(Tensor::requires_grad) {
        return results;
    }
    let edges = results.iter().chain(operands).map(Tensor::grad_edge).collect();
    let dependent: Vec<Tensor> = results.iter().map(Tensor::detach).collect();
    let unused = operands.to_vec();
    let derivative: JointDerivative = Rc::new(move |gradients, _| {
        let zeros = unused.iter().map(|operand| no_grad(|| operand.detach().zeros_like()).map(Some));
        gradients.iter().cloned().map(Ok).chain(zeros).collect()
    });
    attach_joint("cond", &dependent, &|_| false, edges, &[], derivative);
    dependent
}
