//! Normalizations over some dimensions: the mean is subtracted, and the result divided by the
//! standard deviation.

use super::linalg::norm::vector;
use crate::{
    DType, Error, Ints, PadMode, Result, Scalar, Tensor, no_grad,
    ops::{
        Op,
        leaf::standardize::{Standardized, standardize},
    },
    samples,
};
use lanthorn_macros::op;

/// `x / sqrt(square + eps)`.
fn scale(x: &Tensor, square: &Tensor, eps: f64) -> Result<Tensor> {
    x.mul(square.add(eps)?.rsqrt()?)
}

/// `x * weight + bias`, without the ones that are not given.
fn affine(x: &Tensor, weight: Option<&Tensor>, bias: Option<&Tensor>) -> Result<Tensor> {
    let scaled = weight.map_or_else(|| Ok(x.clone()), |weight| x.mul(weight))?;
    bias.map_or_else(|| Ok(scaled.clone()), |bias| scaled.add(bias))
}

/// [`affine`] with one number for each channel; channels are dimension 1.
fn affine_by_channel(op: &str, x: &Tensor, weight: Option<&Tensor>, bias: Option<&Tensor>) -> Result<Tensor> {
    let column = |name: &str, tensor: Option<&Tensor>| tensor.map(|tensor| by_channel(op, x, name, tensor)).transpose();
    affine(x, column("weight", weight)?.as_ref(), column("bias", bias)?.as_ref())
}

/// A tensor with one number for each channel, in a shape that broadcasts to `x`.
fn by_channel(op: &str, x: &Tensor, name: &str, tensor: &Tensor) -> Result<Tensor> {
    let channels = x.shape()[1];
    if tensor.shape()[..] != [channels] {
        let message =
            format!("{name} must have shape [{channels}] for an input of shape {}, not {}", x.shape(), tensor.shape());
        return Err(Error::shape(op, message));
    }
    let mut column = vec![1; x.rank() - 1];
    column[0] = -1;
    tensor.reshape(column)
}

fn check_float(op: &str, x: &Tensor) -> Result<()> {
    if x.dtype().is_floating_point() {
        return Ok(());
    }
    Err(Error::dtype(op, format!("the input must be floating point, not {}; convert with to()", x.dtype())))
}

/// Checks that an input is floating point and has a batch and channels.
fn check_channels(op: &str, x: &Tensor) -> Result<()> {
    check_float(op, x)?;
    if x.rank() >= 2 {
        return Ok(());
    }
    Err(Error::shape(op, format!("the input needs a batch and channels, [N, C, ..], not shape {}", x.shape())))
}

/// The dimensions of `normalized_shape`, in which the input and the parameters must end.
fn last_dims(op: &str, x: &Tensor, normalized_shape: &[i64], parameters: &[Option<&Tensor>]) -> Result<Vec<i64>> {
    check_float(op, x)?;
    let count = normalized_shape.len();
    if count == 0 || count > x.rank() || x.shape().to_i64()[x.rank() - count..] != *normalized_shape {
        let message = format!("an input of shape {} does not end in normalized_shape {normalized_shape:?}", x.shape());
        return Err(Error::shape(op, message));
    }
    if let Some(parameter) =
        parameters.iter().flatten().find(|parameter| parameter.shape().to_i64() != normalized_shape)
    {
        let message =
            format!("weight and bias must have normalized_shape {normalized_shape:?}, not {}", parameter.shape());
        return Err(Error::shape(op, message));
    }
    Ok((1..=count as i64).map(|d| -d).collect())
}

/// Layer normalization over the last dimensions, as `torch.nn.functional.layer_norm` (Ba, Kiros and
/// Hinton, 2016): `(x - mean) / sqrt(variance + eps) * weight + bias`.
///
/// `self: [*, normalized_shape]`, `weight` and `bias`: `normalized_shape`; the result has the shape
/// of `self`. Mean and variance, the biased one that divides by `n`, are over the dimensions of
/// `normalized_shape`.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if `normalized_shape` is empty or
/// `self` does not end in it, or if `weight` or `bias` has another shape.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 3.0], [2], &device)?;
/// assert_eq!(pollster::block_on(x.layer_norm(2, None, None, 0.0)?.to_vec::<f32>())?, [-1.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "layer_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        samples::calls([
            vec![x(&[4, 7]), samples::int(7)],
            vec![x(&[4, 7]), samples::int(7), x(&[7]), x(&[7])],
            vec![x(&[2, 3, 4]), samples::ints(&[3, 4]), x(&[3, 4]), samples::NONE, samples::float(0.1)],
            vec![x(&[3, 300]), samples::int(300), x(&[300]), x(&[300])],
        ])
    }
)]
fn layer_norm(
    x: &Tensor,
    normalized_shape: &Ints,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
) -> Result<Tensor> {
    let dims = last_dims("layer_norm", x, normalized_shape, &[weight, bias])?;
    affine(&standardize(x, &dims, eps)?.output, weight, bias)
}

/// [`layer_norm`](Tensor::layer_norm) that also returns the means and the inverse standard
/// deviations.
///
/// `output` has the shape of `self`; `mean` and `rstd`, which is `1 / sqrt(variance + eps)`, have
/// size 1 in the normalized dimensions. The errors are as of `layer_norm`.
#[op(
    composite,
    "native_layer_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> (Tensor output, Tensor mean, Tensor rstd)",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        samples::calls([
            vec![x(&[4, 7]), samples::int(7), x(&[7]), x(&[7]), samples::float(1e-5)],
            vec![x(&[2, 3, 4]), samples::ints(&[3, 4]), x(&[3, 4]), x(&[3, 4]), samples::float(0.1)],
        ])
    }
)]
fn native_layer_norm(
    x: &Tensor,
    normalized_shape: &Ints,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    let dims = last_dims("native_layer_norm", x, normalized_shape, &[weight, bias])?;
    let Standardized { output, mean, rstd, .. } = standardize(x, &dims, eps)?;
    Ok((affine(&output, weight, bias)?, mean, rstd))
}

/// Root mean square normalization over the last dimensions, as `torch.nn.functional.rms_norm`
/// (Zhang and Sennrich, 2019): `x / sqrt(mean(x^2) + eps) * weight`.
///
/// `self: [*, normalized_shape]`, `weight: normalized_shape`; the result has the shape of `self`.
/// Without `eps` it is the machine epsilon of the type computed in, which is float32 for 16-bit
/// types.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if `normalized_shape` is empty or
/// `self` does not end in it, or if `weight` has another shape.
#[op(
    composite,
    "rms_norm(Tensor self, int[] normalized_shape, Tensor? weight=None, Scalar? eps=None) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        samples::calls([
            vec![x(&[4, 7]), samples::int(7)],
            vec![x(&[2, 3, 4]), samples::ints(&[3, 4]), x(&[3, 4]), samples::float(0.1)],
        ])
    }
)]
fn rms_norm(x: &Tensor, normalized_shape: &Ints, weight: Option<&Tensor>, eps: Option<Scalar>) -> Result<Tensor> {
    let dims = last_dims("rms_norm", x, normalized_shape, &[weight])?;
    let smallest = if x.dtype() == crate::DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let eps = eps.map_or(smallest, Scalar::to_f64);
    affine(&scale(x, &x.square()?.mean(dims, true)?, eps)?, weight, None)
}

/// Group normalization, as `torch.nn.functional.group_norm` (Wu and He, 2018):
/// `(x - mean) / sqrt(variance + eps) * weight + bias`.
///
/// `self: [N, C, *]`, `weight` and `bias`: `[C]`; the result has the shape of `self`. The channels
/// are divided into `num_groups` groups; mean and biased variance are of each example's group, over
/// its channels and positions.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if it has fewer than two dimensions, no
/// channels or no positions, or if `weight` or `bias` is not `[C]`; `argument` if `num_groups` does
/// not divide `C`.
#[op(
    composite,
    "group_norm(Tensor self, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor",
    autocast = widen,
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        samples::calls([
            vec![x(&[2, 6, 3, 2]), samples::int(3)],
            vec![x(&[3, 4]), samples::int(2), x(&[4]), x(&[4]), samples::float(0.01)],
            vec![x(&[2, 4, 5]), samples::int(1), x(&[4]), x(&[4])],
        ])
    }
)]
fn group_norm(x: &Tensor, num_groups: i64, weight: Option<&Tensor>, bias: Option<&Tensor>, eps: f64) -> Result<Tensor> {
    check_channels("group_norm", x)?;
    let (batch, channels) = (x.shape()[0] as i64, x.shape()[1] as i64);
    if x.shape()[1..].contains(&0) {
        return Err(Error::shape(
            "group_norm",
            format!("an input of shape {} has no channels or no positions", x.shape()),
        ));
    }
    if num_groups <= 0 || channels % num_groups != 0 {
        return Err(Error::argument(
            "group_norm",
            format!("num_groups must divide the {channels} channels, not {num_groups}"),
        ));
    }
    let rest: i64 = x.shape().to_i64()[1..].iter().product();
    let groups = x.reshape([batch, num_groups, rest / num_groups])?;
    affine_by_channel("group_norm", &standardize(&groups, &[2], eps)?.output.reshape(x.shape())?, weight, bias)
}

/// Instance normalization, as `torch.nn.functional.instance_norm` (Ulyanov et al., 2016):
/// `(x - mean) / sqrt(variance + eps) * weight + bias`.
///
/// `self: [N, C, L, *]`, the other tensors: `[C]`; the result has the shape of `self`. With
/// `use_input_stats`, mean and variance are of each channel of each example, over its positions,
/// and `running_mean` and `running_var`, where given, are updated in place to `(1 - momentum) *
/// running + momentum * batch`, the batch's value being the mean over the examples and the variance
/// the unbiased one. Otherwise the running statistics are used.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if a channel has only one position,
/// `self` has fewer than three dimensions, or another tensor is not `[C]`; `argument` if the
/// running statistics are needed and missing.
#[op(
    composite,
    "instance_norm(Tensor self, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, Tensor? bias=None, bool use_input_stats=True, float momentum=0.1, float eps=1e-05) -> Tensor",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        let (none, positive) = (|| samples::NONE, || samples::real(&[3], 0.5, 2.0));
        let (yes, no, momentum) = (|| samples::flag(true), || samples::flag(false), || samples::float(0.1));
        samples::calls([
            vec![x(&[2, 3, 5])],
            vec![x(&[2, 3, 4, 2]), none(), none(), x(&[3]), x(&[3]), yes(), momentum(), samples::float(0.01)],
            vec![x(&[2, 3, 5]), x(&[3]), positive(), x(&[3]), x(&[3])],
            vec![x(&[2, 3, 5]), x(&[3]), positive(), none(), none(), no()],
        ])
    }
)]
fn instance_norm(
    x: &Tensor,
    running_mean: Option<&Tensor>,
    running_var: Option<&Tensor>,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    use_input_stats: bool,
    momentum: f64,
    eps: f64,
) -> Result<Tensor> {
    let op = "instance_norm";
    check_channels(op, x)?;
    if x.dtype().is_half() {
        let wide = x.to(DType::F32)?;
        return instance_norm(&wide, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)?
            .to(x.dtype());
    }
    if !use_input_stats {
        return with_running(op, x, [running_mean, running_var], [weight, bias], eps);
    }
    let count = x.shape()[2..].iter().product::<usize>();
    if x.rank() < 3 || count == 1 {
        return Err(Error::shape(op, format!("a channel needs more than one position, not shape {}", x.shape())));
    }
    let dims: Vec<i64> = (2..x.rank() as i64).collect();
    let Standardized { output, mean, variance, .. } = standardize(x, &dims, eps)?;
    if running_mean.or(running_var).is_some() {
        let unbiased = count as f64 / count.saturating_sub(1) as f64;
        no_grad(|| {
            let of_batch = |of_each: &Tensor| of_each.detach().mean(0, false);
            move_towards(op, x, "running_mean", running_mean, &of_batch(&mean)?, momentum)?;
            move_towards(op, x, "running_var", running_var, &of_batch(&variance)?.mul(unbiased)?, momentum)
        })?;
    }
    affine_by_channel(op, &output, weight, bias)
}

/// Batch normalization, as `torch.nn.functional.batch_norm` (Ioffe and Szegedy, 2015):
/// `(x - mean) / sqrt(variance + eps) * weight + bias`.
///
/// `self: [N, C, *]`, the other tensors: `[C]`; the result has the shape of `self`. In `training`,
/// mean and variance are of each channel, over the batch and all positions, and `running_mean` and
/// `running_var`, where given, are updated in place to `(1 - momentum) * running + momentum *
/// batch` with the unbiased variance. Otherwise the running statistics are used.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if it has fewer than two dimensions, if
/// training has only one value for each channel, or if another tensor is not `[C]`; `argument` if
/// `eps` is negative, or 0 in training, or if the running statistics are needed and missing.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 3.0], [2, 1], &device)?;
/// let (mean, var) = (Tensor::zeros([1])?, Tensor::ones([1])?);
/// let y = x.batch_norm(Some(&mean), Some(&var), None, None, true, 0.1, 1e-12)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [-1.0, 1.0]);
/// assert!((pollster::block_on(mean.item())? - 0.2).abs() < 1e-6);
/// assert!((pollster::block_on(var.item())? - 1.1).abs() < 1e-6);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "batch_norm(Tensor self, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, Tensor? bias=None, bool training=False, float momentum=0.1, float eps=1e-05) -> Tensor",
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        let positive = || samples::real(&[3], 0.5, 2.0);
        let yes = samples::flag(true);
        samples::calls([
            vec![x(&[4, 3]), x(&[3]), positive()],
            vec![x(&[2, 3, 4, 2]), x(&[3]), positive(), x(&[3]), x(&[3]), samples::flag(false), samples::float(0.1), samples::float(0.01)],
            vec![x(&[2, 3, 4, 2]), x(&[3]), positive(), x(&[3]), x(&[3]), yes.clone()],
            vec![x(&[5, 3]), samples::NONE, samples::NONE, samples::NONE, samples::NONE, yes],
        ])
    }
)]
fn batch_norm(
    x: &Tensor,
    running_mean: Option<&Tensor>,
    running_var: Option<&Tensor>,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    training: bool,
    momentum: f64,
    eps: f64,
) -> Result<Tensor> {
    let op = "batch_norm";
    if x.shape()[..] == [0] {
        // As in PyTorch, an empty vector is accepted although it has no channels.
        return Ok(x.clone());
    }
    if eps < 0.0 || (training && eps == 0.0) {
        let message = format!("eps must be positive in training, and must not be negative otherwise: {eps}");
        return Err(Error::argument(op, message));
    }
    check_channels(op, x)?;
    if x.dtype().is_half() {
        // In float32 as the other normalizations, but the running statistics are updated in place.
        let wide = x.to(DType::F32)?;
        return batch_norm(&wide, running_mean, running_var, weight, bias, training, momentum, eps)?.to(x.dtype());
    }
    let normalized = if training {
        let dims: Vec<i64> = (0..x.rank() as i64).filter(|&d| d != 1).collect();
        let count = x.numel() / x.shape()[1].max(1);
        if count == 0 {
            return affine_by_channel(op, x, weight, bias);
        }
        if count == 1 {
            return Err(Error::shape(
                op,
                format!("training needs more than one value a channel, not shape {}", x.shape()),
            ));
        }
        let Standardized { output, mean, variance, .. } = standardize(x, &dims, eps)?;
        let unbiased = count as f64 / (count - 1) as f64;
        no_grad(|| {
            move_towards(op, x, "running_mean", running_mean, &mean, momentum)?;
            move_towards(op, x, "running_var", running_var, &variance.mul(unbiased)?, momentum)
        })?;
        output
    } else {
        return with_running(op, x, [running_mean, running_var], [weight, bias], eps);
    };
    affine_by_channel(op, &normalized, weight, bias)
}

/// Normalizes with running statistics.
fn with_running(
    op: &str,
    x: &Tensor,
    running: [Option<&Tensor>; 2],
    [weight, bias]: [Option<&Tensor>; 2],
    eps: f64,
) -> Result<Tensor> {
    let [Some(mean), Some(variance)] = running else {
        return Err(Error::argument(op, "without statistics of the input, running_mean and running_var must be given"));
    };
    let centered = x.sub(by_channel(op, x, "running_mean", mean)?)?;
    affine_by_channel(op, &scale(&centered, &by_channel(op, x, "running_var", variance)?, eps)?, weight, bias)
}

/// Updates a running statistic in place with a batch's statistic.
fn move_towards(
    op: &str,
    x: &Tensor,
    name: &str,
    running: Option<&Tensor>,
    batch: &Tensor,
    momentum: f64,
) -> Result<()> {
    let Some(running) = running else { return Ok(()) };
    by_channel(op, x, name, running)?;
    running.lerp_(&batch.detach().reshape([-1])?.to(running.dtype())?, momentum)
}

/// `x / max(norm(x), eps)` with the p-norm along `dim`, as `torch.nn.functional.normalize`.
///
/// The result has the shape of `self`.
///
/// Errors: `dtype` if `self` is not floating point; `index` if `dim` is out of range; `argument` if
/// dimension `dim` is empty and `p` is negative or infinite.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[3.0f32, 4.0], [1, 2], &device)?;
/// assert_eq!(pollster::block_on(x.normalize(2.0, 1, 1e-12)?.to_vec::<f32>())?, [0.6, 0.8]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "normalize(Tensor self, float p=2.0, int dim=1, float eps=1e-12) -> Tensor",
    opmath,
    samples = || {
        let x = || samples::real(&[4, 5], 0.5, 2.0);
        samples::calls([
            vec![x()],
            vec![samples::real(&[3, 4, 2], -2.0, 2.0), samples::float(2.0), samples::int(-1)],
            vec![x(), samples::float(1.0), samples::int(0)],
            vec![x(), samples::float(3.0), samples::int(0), samples::float(0.1)],
            vec![x(), samples::float(0.5), samples::int(0)],
        ])
    }
)]
fn normalize(x: &Tensor, p: f64, dim: i64, eps: f64) -> Result<Tensor> {
    check_float("normalize", x)?;
    x.shape().dim("normalize", dim)?;
    x.div(vector("normalize", x, p, &[dim], true)?.clamp_min(eps)?)
}

/// Local response normalization across channels, as `torch.nn.functional.local_response_norm`
/// (Krizhevsky et al., 2012): `x / (k + alpha * mean(x^2))^beta`.
///
/// `self: [N, C, L, *]`; the result has the same shape. The mean for channel `c` is over the `size`
/// channels that start at `c - size / 2`, rounded down; channels outside of the input count as 0.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if it has fewer than three dimensions;
/// `argument` if `size` is not positive.
#[op(
    composite,
    "local_response_norm(Tensor self, int size, float alpha=0.0001, float beta=0.75, float k=1.0) -> Tensor",
    opmath,
    samples = || {
        let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
        samples::calls([
            vec![x(&[2, 5, 3]), samples::int(2)],
            vec![x(&[1, 4, 2, 3]), samples::int(3), samples::float(0.5), samples::float(0.5), samples::float(1.25)],
        ])
    }
)]
fn local_response_norm(x: &Tensor, size: i64, alpha: f64, beta: f64, k: f64) -> Result<Tensor> {
    let op = "local_response_norm";
    check_float(op, x)?;
    if x.rank() < 3 {
        return Err(Error::shape(
            op,
            format!("the input needs a batch, channels and positions, [N, C, L, ..], not shape {}", x.shape()),
        ));
    }
    if size <= 0 {
        return Err(Error::argument(op, format!("size must be positive, not {size}")));
    }
    if x.numel() == 0 {
        return Ok(x.clone());
    }
    let (batch, channels) = (x.shape()[0] as i64, x.shape()[1] as i64);
    let squares = x.square()?.reshape([batch, 1, channels, -1])?;
    let padded = squares.pad([0, 0, size / 2, (size - 1) / 2], PadMode::Constant, None)?;
    let means = padded.avg_pool2d([size, 1], 1, 0, false, true, None)?.reshape(x.shape())?;
    x.div(means.mul(alpha)?.add(k)?.pow(beta)?).map_err(|error| error.in_op(op))
}

pub(crate) static OPS: &[&Op] = &[
    &LAYER_NORM,
    &NATIVE_LAYER_NORM,
    &RMS_NORM,
    &GROUP_NORM,
    &INSTANCE_NORM,
    &BATCH_NORM,
    &NORMALIZE,
    &LOCAL_RESPONSE_NORM,
];
