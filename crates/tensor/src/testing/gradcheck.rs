//! Derivatives against finite differences, as `torch.autograd.gradcheck` and `gradgradcheck`.
//!
//! Along a random direction v: `(f(x + e v) - f(x - e v)) / 2e` against `<grad, v>`. A wrong entry
//! of a gradient shows in almost every direction, at two evaluations instead of two an element.

use super::{cotangent, leaves};
use crate::{
    DType, Device, Error, GradOptions, Result, Tensor, grad,
    ops::Arg,
    samples::{Sample, TensorSpec},
};

/// How derivatives are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradcheckOptions {
    /// The type of the sample's float tensors.
    pub dtype: DType,
    /// How far the inputs are moved to both sides.
    pub step: f64,
    /// How far the two may be apart: `atol + rtol * |difference quotient|`.
    pub atol: f64,
    /// The relative part of that.
    pub rtol: f64,
    /// How many directions are tried for each input.
    pub directions: u32,
}

impl GradcheckOptions {
    /// For functions of float64.
    pub const FLOAT64: GradcheckOptions =
        GradcheckOptions { dtype: DType::F64, step: 1e-6, atol: 1e-5, rtol: 1e-4, directions: 3 };
    /// For functions that take float32 alone: a wrong formula shows, a lost digit does not.
    pub const FLOAT32: GradcheckOptions =
        GradcheckOptions { dtype: DType::F32, step: 1.0 / 64.0, atol: 1e-2, rtol: 2e-2, directions: 3 };
}

/// A function of the arguments of a sample. Tensors among its results that do not require gradients
/// do not count.
pub type Function<'a> = dyn Fn(&[Arg]) -> Result<Vec<Tensor>> + 'a;

/// Checks the derivative of a function by every float tensor among the arguments of a sample, and
/// returns the number of comparisons: 0 if no result is differentiable.
///
/// # Errors
///
/// The error of the function, and `autograd` if a derivative is not the difference quotient.
///
/// ```
/// # use lanthorn_tensor::{Device, Result, Tensor, samples::{self, Sample}, testing::{GradcheckOptions, gradcheck}, ops::Arg};
/// # let device = Device::new(lanthorn_cpu::CpuBackend::new());
/// let sample = Sample::new([samples::real(&[2, 3], -1.0, 1.0)]);
/// let function = |args: &[Arg]| match args {
///     [Arg::Tensor(x)] => Ok(vec![x.sin()?.mul(x)?]),
///     _ => Ok(vec![]),
/// };
/// let checked = pollster::block_on(gradcheck(&function, &sample, &device, GradcheckOptions::FLOAT64))?;
/// assert_eq!(checked, 3);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub async fn gradcheck(
    function: &Function<'_>,
    sample: &Sample,
    device: &Device,
    options: GradcheckOptions,
) -> Result<usize> {
    check("gradcheck", &|args, _| first_order(function, args), sample, device, options).await
}

/// [`gradcheck`] of the derivative itself: the derivatives of second order.
///
/// # Errors
///
/// As [`gradcheck`].
pub async fn gradgradcheck(
    function: &Function<'_>,
    sample: &Sample,
    device: &Device,
    options: GradcheckOptions,
) -> Result<usize> {
    check("gradgradcheck", &|args, leaves| second_order(function, args, leaves), sample, device, options).await
}

/// The arguments of a sample, with leaf `which` moved by `amount` along a direction.
fn arguments(
    sample: &Sample,
    device: &Device,
    dtype: DType,
    which: Option<(usize, &TensorSpec, u32, f64)>,
) -> Result<(Vec<Arg>, Vec<Tensor>)> {
    // Every evaluation of an op that is random must see the same numbers.
    device.manual_seed(11);
    let mut seen = 0;
    let args = sample.make(dtype, device, |x| {
        let leaf = seen;
        seen += usize::from(x.dtype().is_floating_point());
        match which {
            Some((moved, direction, seed, amount)) if moved == leaf && x.dtype().is_floating_point() => {
                x.add_with(&along(sample, leaf, direction, seed, dtype, device)?, amount)
            }
            _ => Ok(x),
        }
    })?;
    let leaves = leaves(&args)?;
    Ok((args, leaves))
}

/// A direction to move a leaf of a sample in.
fn along(
    sample: &Sample,
    leaf: usize,
    direction: &TensorSpec,
    seed: u32,
    dtype: DType,
    device: &Device,
) -> Result<Tensor> {
    sample.form(leaf).of(&direction.make(seed, dtype, device)?)
}

/// A number computed from the results of a function of arguments and leaves; none if no result is
/// differentiable.
type Number<'a> = dyn Fn(&[Arg], &[Tensor]) -> Result<Option<Tensor>> + 'a;

/// Checks the derivative of `function` by every leaf.
async fn check(
    op: &str,
    function: &Number<'_>,
    sample: &Sample,
    device: &Device,
    options: GradcheckOptions,
) -> Result<usize> {
    let dtype = options.dtype;
    let (args, leaves) = arguments(sample, device, dtype, None)?;
    let Some(value) = function(&args, &leaves)? else { return Ok(0) };
    if !value.requires_grad() {
        return Ok(0);
    }
    let gradients = grad(&[value], &leaves, &[], GradOptions { retain_graph: true, create_graph: false })?;
    let mut checked = 0;
    for (leaf, (tensor, gradient)) in leaves.iter().zip(&gradients).enumerate() {
        for seed in 0..options.directions {
            let direction = TensorSpec { shape: tensor.shape().to_i64(), dtype: DType::F32, low: -1.0, high: 1.0 };
            let mut moved = [0.0; 2];
            for (moved, amount) in moved.iter_mut().zip([options.step, -options.step]) {
                let (args, leaves) = arguments(sample, device, dtype, Some((leaf, &direction, 31 + seed, amount)))?;
                let Some(value) = function(&args, &leaves)? else {
                    return Err(Error::autograd(op, "the function is differentiable on one side of its sample alone"));
                };
                *moved = value.item().await?;
            }
            let numeric = (moved[0] - moved[1]) / (2.0 * options.step);
            let analytic = match gradient {
                Some(gradient) => {
                    let direction = along(sample, leaf, &direction, 31 + seed, dtype, device)?;
                    gradient.detach().mul(&direction)?.sum((), false)?.item().await?
                }
                None => 0.0,
            };
            let off = (numeric - analytic).abs();
            if off.is_nan() || off > options.atol + options.rtol * numeric.abs() {
                return Err(Error::autograd(
                    op,
                    format!("by input {leaf}: {analytic}, by finite differences {numeric}"),
                ));
            }
            checked += 1;
        }
    }
    Ok(checked)
}

/// `<f(leaves), fixed numbers>`.
fn first_order(function: &Function<'_>, args: &[Arg]) -> Result<Option<Tensor>> {
    let mut results = function(args)?;
    results.retain(Tensor::requires_grad);
    let weights = results.iter().map(|result| cotangent(result, result.dtype())).collect::<Result<Vec<_>>>()?;
    dot(&results, &weights)
}

/// The sum of all products, or nothing of nothing.
fn dot(tensors: &[Tensor], weights: &[Tensor]) -> Result<Option<Tensor>> {
    let mut total: Option<Tensor> = None;
    for (tensor, weights) in tensors.iter().zip(weights) {
        let part = tensor.mul(weights)?.sum((), false)?;
        total = Some(match total {
            Some(total) => total.add(&part)?,
            None => part,
        });
    }
    Ok(total)
}

/// `sum of <gradient by each leaf, fixed numbers>`.
fn second_order(function: &Function<'_>, args: &[Arg], leaves: &[Tensor]) -> Result<Option<Tensor>> {
    let Some(value) = first_order(function, args)? else { return Ok(None) };
    let create_graph = GradOptions { retain_graph: true, create_graph: true };
    let gradients: Vec<Tensor> = grad(&[value], leaves, &[], create_graph)?.into_iter().flatten().collect();
    let weights = gradients.iter().map(|gradient| cotangent(gradient, gradient.dtype())).collect::<Result<Vec<_>>>()?;
    dot(&gradients, &weights)
}
