//! Attention, and dropout, which it uses.

use crate::{
    DType, Error, Result, Scalar, Tensor,
    ops::{Op, leaf::triangle::below},
    samples,
};
use lanthorn_macros::op;

/// In training, each element 0 with probability `p` and otherwise divided by `1 - p` (Srivastava et al., 2014), as `torch.nn.functional.dropout`; else as it is.
///
/// The random numbers are those of the device's generator.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let y = Tensor::ones([100])?.dropout(0.5, true)?;
/// assert!(pollster::block_on(y.to_vec::<f32>())?.iter().all(|&y| y == 0.0 || y == 2.0));
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "dropout(Tensor self, float p=0.5, bool train=True) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[5, 7], -2.0, 2.0)],
        vec![samples::real(&[300], -2.0, 2.0), samples::float(0.1)],
        vec![samples::real(&[9], -2.0, 2.0), samples::float(1.0)],
        vec![samples::real(&[9], -2.0, 2.0), samples::float(0.5), samples::flag(false)],
    ])
)]
fn dropout(x: &Tensor, p: f64, train: bool) -> Result<Tensor> {
    if !(0.0..=1.0).contains(&p) {
        return Err(Error::argument("dropout", format!("p is a probability from 0 to 1, not {p}")));
    }
    if !x.dtype().is_floating_point() {
        return Err(Error::dtype("dropout", format!("the input must be floating point, not {}", x.dtype())));
    }
    if !train || p == 0.0 {
        return Ok(x.clone());
    }
    let stays = Tensor::rand_with(x.shape(), DType::F32, Some(x.device()))?.ge(p)?.to(x.dtype())?;
    // Nothing stays where p is 1, and there is nothing to make up for.
    x.mul(stays.mul(if p < 1.0 { 1.0 / (1.0 - p) } else { 1.0 })?)
}

/// `softmax(q @ k.T * scale + mask) @ v` (Vaswani et al., 2017), as `torch.nn.functional.scaled_dot_product_attention`.
///
/// `q: [.., L, E]`, `k: [.., S, E]`, `v: [.., S, V]`; the result is `[.., L, V]`. `attn_mask` broadcasts to `[.., L, S]`: bool, true where a key takes part, or a number that
/// is added. `is_causal` lets query `i` see the keys up to `i`. `scale` is `1 / sqrt(E)` where it is not given.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let (q, v) = (Tensor::zeros([2, 1])?, Tensor::from_slice(&[1.0f32, 3.0], [2, 1], &device)?);
/// let y = q.scaled_dot_product_attention(&q, &v, None, 0.0, true)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [1.0, 2.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "scaled_dot_product_attention(Tensor self, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, Scalar? scale=None) -> Tensor",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -1.0, 1.0);
        let none = || samples::NONE;
        samples::calls([
            vec![x(&[4, 3]), x(&[5, 3]), x(&[5, 2])],
            vec![x(&[2, 2, 4, 3]), x(&[2, 2, 4, 3]), x(&[2, 2, 4, 3]), none(), samples::float(0.0), samples::flag(true)],
            vec![x(&[2, 4, 3]), x(&[2, 5, 3]), x(&[2, 5, 2]), x(&[4, 5]), samples::float(0.2), samples::flag(false), samples::float(0.5)],
            vec![x(&[2, 4, 3]), x(&[2, 2, 3]), x(&[2, 2, 2]), samples::tensor(&[4, 1], DType::Bool, 1.0, 2.0)],
        ])
    }
)]
fn scaled_dot_product_attention(
    query: &Tensor,
    key: &Tensor,
    value: &Tensor,
    attn_mask: Option<&Tensor>,
    dropout_p: f64,
    is_causal: bool,
    scale: Option<Scalar>,
) -> Result<Tensor> {
    let op = "scaled_dot_product_attention";
    let named = |error: Error| error.in_op(op);
    if query.rank() < 2 || key.rank() < 2 || value.rank() < 2 {
        let message = format!("each needs two dimensions: {}, {}, {}", query.shape(), key.shape(), value.shape());
        return Err(Error::shape(op, message));
    }
    if is_causal && attn_mask.is_some() {
        return Err(Error::argument(op, "give attn_mask or is_causal, not both"));
    }
    let width = query.shape()[query.rank() - 1];
    let scale = scale.unwrap_or(Scalar::Float(1.0 / (width as f64).sqrt()));
    let scores = query.matmul(&key.transpose(-2, -1)?).map_err(named)?.mul(scale)?;
    let (rows, columns) = (scores.shape()[scores.rank() - 2], scores.shape()[scores.rank() - 1]);
    let causal = is_causal.then(|| below(op, rows, columns, 0, scores.device())).transpose()?;
    let masked = match causal.as_ref().or(attn_mask) {
        None => scores,
        Some(mask) if mask.dtype() == DType::Bool => Tensor::r#where(mask, &scores, f64::NEG_INFINITY).map_err(named)?,
        Some(mask) => scores.add(mask).map_err(named)?,
    };
    masked.softmax(-1)?.dropout(dropout_p, dropout_p > 0.0).map_err(named)?.matmul(value).map_err(named)
}

pub(crate) static OPS: &[&Op] = &[&DROPOUT, &SCALED_DOT_PRODUCT_ATTENTION];
