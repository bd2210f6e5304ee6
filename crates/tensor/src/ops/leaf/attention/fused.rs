//! Attention by the fused kernel, which never stores the matrix of weights.

use super::{NAME, Scoring, composed};
use crate::{
    DType, Result, Tensor,
    autograd::{Derivative, attach, is_grad_enabled},
    batch,
};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    expr::{Constant, Type},
    kernel::{Attention, AttentionGradient, AttentionPass, Operand},
};
use std::rc::Rc;

/// The largest head size, and number of rows, that the kernels of every backend support.
const MAX_WIDTH: usize = 128;
const MAX_ROWS: usize = 1 << 17;

/// Whether the kernel supports these operands and is faster.
pub(super) fn applies(query: &Tensor, key: &Tensor, value: &Tensor, scoring: &Scoring) -> bool {
    let kernel = attention(AttentionPass::Forward, [query, key, value], scoring);
    let [_, m, n, d, e] = kernel.extents();
    // Of a few queries the kernel reads the filled keys alone, on a software adapter too, where its
    // backward passes are slow.
    let is_inference = || !is_grad_enabled() || ![query, key, value].iter().any(|x| x.requires_grad());
    let prefers =
        || query.device().capabilities().prefers_fused_attention || kernel.has_few_queries() && is_inference();
    query.device().inspect().optimizations().attention
        && !has_batch(&[query, key, value])
        && prefers()
        && [query, key, value].iter().all(|x| x.numel() > 0)
        && d.max(e) <= MAX_WIDTH
        && m.max(n) <= MAX_ROWS
        && scoring.mask.as_ref().is_none_or(|mask| !mask.requires_grad() && mask.batch().is_empty())
        && scoring.lengths.as_ref().is_none_or(|lengths| lengths.batch().is_empty())
}

/// Whether tensors differ between the samples of a `vmap`. The kernel takes no batch.
fn has_batch(tensors: &[&Tensor]) -> bool {
    tensors.iter().any(|tensor| !tensor.batch().is_empty())
}

fn operand(x: &Tensor) -> Operand {
    Operand::new(x.dtype(), x.layout().clone())
}

/// The key lengths, which broadcast to that, over the batch dimensions, one query and one key.
fn lengths(query: &Tensor, lengths: &Tensor) -> Operand {
    let shape = Shape::from_dims(query.shape()[..query.rank() - 2].iter().copied().chain([1, 1]));
    let sizes = lengths.shape().iter().zip(lengths.layout().strides());
    let strides = sizes.map(|(&size, &stride)| if size == 1 { 0 } else { stride });
    Operand::new(DType::I32, Layout::new(shape, strides, lengths.layout().offset()))
}

fn attention(pass: AttentionPass, [query, key, value]: [&Tensor; 3], scoring: &Scoring) -> Attention {
    Attention {
        pass,
        batch: Shape::from_dims(query.shape()[..query.rank() - 2].iter().copied()),
        query: operand(query),
        key: operand(key),
        value: operand(value),
        mask: scoring.mask.as_ref().map(operand),
        lengths: scoring.lengths.as_ref().map(|of| lengths(query, of)),
        causal: scoring.causal,
        windowed: scoring.window.is_some(),
        capped: scoring.soft_cap.is_some(),
    }
}

/// Records a pass and returns its outputs, each as a vector.
fn record(pass: AttentionPass, operands: [&Tensor; 3], scoring: &Scoring, gradient: &[Tensor]) -> Vec<Tensor> {
    let device = operands[0].device();
    let optional = scoring.mask.iter().chain(&scoring.lengths);
    let inputs = operands.into_iter().chain(optional).chain(gradient).map(Tensor::value).collect();
    let kernel = attention(pass, operands, scoring);
    let ty = Type::from(kernel.dtype());
    let floats = [Some(scoring.scale), scoring.soft_cap].into_iter().flatten();
    let params = floats.map(|number| Constant::new(number, ty)).chain(scoring.window.map(Constant::I32));
    let params = params.map(Into::into).collect();
    let outputs = batch::record(device, NAME, Kernel::Attention(Box::new(kernel)), None, inputs, params);
    let vector = |value: batch::Data| {
        let elements = value.elements();
        Tensor::from_value(device, value, Shape::from_dims([elements]))
    };
    outputs.into_iter().map(vector).collect()
}

/// Attention of operands with the same batch dimensions.
pub(super) fn attend(query: &Tensor, key: &Tensor, value: &Tensor, scoring: Scoring) -> Result<Tensor> {
    let mut shape = query.shape().to_i64();
    let rows = shape[..shape.len() - 1].to_vec();
    shape[query.rank() - 1] = value.shape()[value.rank() - 1] as i64;
    let outputs = record(AttentionPass::Forward, [query, key, value], &scoring, &[]);
    let [output, logarithm] = [outputs[0].reshape(shape)?, outputs[1].reshape(rows)?].map(|x| x.detach());
    let tensors = [&scoring.mask, &scoring.lengths].map(Option::clone);
    let saved: Vec<Tensor> = tensors.iter().flatten().cloned().collect();
    // The tensors among the options are saved with the operands, which notices if they are
    // overwritten.
    let has = tensors.map(|tensor| tensor.is_some());
    // Three operands, the gradient and the statistics, and an output. With a mask and key lengths,
    // that is one more than WebGPU's default limits allow.
    let binds = 6 + saved.len();
    let has_kernel = binds <= query.device().capabilities().max_bindings;
    let scoring = Scoring { mask: None, lengths: None, ..scoring };
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [query, key, value, output, logarithm, options @ ..] = saved else {
            unreachable!("five tensors and the options are saved")
        };
        let mut options = options.iter().cloned();
        let [mask, lengths] = has.map(|has| if has { options.next() } else { None });
        let scoring = Scoring { mask, lengths, ..scoring.clone() };
        let operands = [query, key, value];
        let gradients = if is_grad_enabled() || !has_kernel || has_batch(&[grad]) {
            composed::gradients(query, key, value, &scoring, grad)?
        } else {
            gradients(operands, &scoring, output, logarithm, grad)?
        };
        Ok(gradients.into_iter().map(Some).collect())
    });
    let detached = output.detach();
    let saved: Vec<&Tensor> = [query, key, value, &detached, &logarithm].into_iter().chain(&saved).collect();
    attach(NAME, &output, &[query, key, value], &saved, derivative);
    Ok(output)
}

/// The gradients of queries, keys and values.
fn gradients(
    operands: [&Tensor; 3],
    scoring: &Scoring,
    output: &Tensor,
    logarithm: &Tensor,
    grad: &Tensor,
) -> Result<[Tensor; 3]> {
    let product = grad.mul(output)?.sum(-1, true)?;
    let statistics = Tensor::cat(&[logarithm.unsqueeze(-1)?, product], -1)?;
    let gradient = || AttentionGradient { grad: operand(grad), statistics: operand(&statistics) };
    let reads = [grad.clone(), statistics.clone()];
    let of_queries = record(AttentionPass::Queries(gradient()), operands, scoring, &reads).swap_remove(0);
    let of_others = record(AttentionPass::Keys(gradient()), operands, scoring, &reads).swap_remove(0);
    let [query, key, value] = operands;
    let (keys, all) = (key.numel() as i64, of_others.numel() as i64);
    Ok([
        of_queries.reshape(query.shape())?,
        of_others.slice(0, 0, keys, 1)?.reshape(key.shape())?,
        of_others.slice(0, keys, all, 1)?.reshape(value.shape())?,
    ])
}
