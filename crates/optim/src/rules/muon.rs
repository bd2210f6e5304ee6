//! Muon.

use crate::{
    group::Update,
    options::{choice, optimizer},
    table::non_negative,
};
use lanthorn_tensor::{DType, Error, Result, Tensor};

choice! {
    /// The dependence of [`Muon`]'s rate on the shape of a matrix.
    RateAdjustment {
        /// The root of rows by columns, at least 1.
        Original = "original",
        /// A fifth of the root of the larger size, which matches the steps of AdamW.
        MatchRmsAdamw = "match_rms_adamw",
        /// The root of rows by columns.
        SpectralUnclamped = "spectral_unclamped",
    }
}

optimizer! {
    /// Momentum with an orthogonalized direction (Jordan et al., 2024), as `torch.optim.Muon`: for
    /// matrices.
    "Muon" as Muon, row MUON, check check, update update;
    MuonOptions as MuonValues {
        /// The learning rate.
        lr: f64 = 1e-3,
        /// Decoupled weight decay: a step subtracts `lr * weight_decay * parameter`.
        weight_decay: f64 = 0.1,
        /// The momentum factor.
        momentum: f64 = 0.95,
        /// Use Nesterov momentum.
        nesterov: bool = true,
        /// The coefficients of the Newton-Schulz iteration.
        ns_coefficients: (f64, f64, f64) = (3.4445, -4.775, 2.0315),
        /// The minimum norm to divide by.
        eps: f64 = 1e-7,
        /// The number of iterations.
        ns_steps: i64 = 5,
        /// The dependence of the rate on the shape: `"original"` (the default), `"match_rms_adamw"`
        /// or `"spectral_unclamped"`.
        adjust_lr_fn: Option<RateAdjustment> = None,
    }
}

fn check(options: &MuonOptions, parameters: &[Tensor]) -> Result<()> {
    let refused = |message: String| Err(Error::argument("Muon", message));
    non_negative(
        "Muon",
        &[("lr", options.lr), ("momentum", options.momentum), ("weight_decay", options.weight_decay)],
    )?;
    if !(0..100).contains(&options.ns_steps) {
        return refused(format!("ns_steps must be from 0 up to 100: {}", options.ns_steps));
    }
    match parameters.iter().find(|parameter| parameter.rank() != 2) {
        Some(odd) => refused(format!("parameters must be matrices, not of shape {}", odd.shape())),
        None => Ok(()),
    }
}

/// The factor of the rate for a matrix of this shape.
fn adjustment(rule: Option<RateAdjustment>, shape: &[usize]) -> f64 {
    let (rows, columns) = (shape[0] as f64, shape[1] as f64);
    match rule.unwrap_or(RateAdjustment::Original) {
        RateAdjustment::Original => (rows / columns).max(1.0).sqrt(),
        RateAdjustment::MatchRmsAdamw => 0.2 * rows.max(columns).sqrt(),
        RateAdjustment::SpectralUnclamped => (rows / columns).sqrt(),
    }
}

/// An approximation of the orthogonal factor of a matrix: its singular values come close to 1. In
/// bfloat16, as in PyTorch.
fn orthogonal(matrix: &Tensor, options: &MuonValues) -> Result<Tensor> {
    let (a, b, c) = options.ns_coefficients;
    let tall = matrix.shape()[0] > matrix.shape()[1];
    let x = matrix.to(DType::BF16)?;
    let x = if tall { x.transpose(0, 1)? } else { x };
    // A norm is computed in float32 and rounded once.
    let norm = x.to(DType::F32)?.linalg_vector_norm(2.0, (), false)?.to(DType::BF16)?;
    let mut x = x.div(norm.clamp_min(options.eps)?)?;
    for _ in 0..options.ns_steps {
        let gram = x.matmul(&x.transpose(0, 1)?)?;
        let polynomial = gram.addmm_with(&gram, &gram, b, c)?;
        x = x.addmm_with(&polynomial, &x, a, 1.0)?;
    }
    if tall { x.transpose(0, 1) } else { Ok(x) }
}

fn update(options: &MuonValues, mut update: Update<'_>) -> Result<()> {
    let parameter = update.parameter;
    let grad = update.grad.clone();
    let velocity = update.mean("momentum_buffer", &grad, options.momentum)?;
    let direction = if options.nesterov { grad.lerp(&velocity, options.momentum)? } else { velocity };
    let direction = orthogonal(&direction, options)?.to(parameter.dtype())?;
    let rate = options.lr * adjustment(options.adjust_lr_fn, parameter.shape());
    parameter.copy_(&parameter.mul(1.0 - options.lr * options.weight_decay)?.sub_with(&direction, rate)?)
}
