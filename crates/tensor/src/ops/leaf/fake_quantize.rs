//! Fake quantization: numbers rounded to a grid of integers and back, for quantization-aware training.
//!
//! Rounding has the derivative 0, so these ops have a straight-through one: the gradient passes where a
//! number is within the grid's range, and is 0 where it was clamped. Rejected: `x + (rounded - x).detach()`,
//! which rounds once more and passes the gradient everywhere.

use crate::{
    DType, Error, Result, Scalar, Tensor,
    autograd::{Derivative, attach},
    no_grad,
    ops::Op,
    samples,
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The integers of a grid, and the name of the op for errors.
#[derive(Clone, Copy)]
struct Range {
    op: &'static str,
    min: i64,
    max: i64,
}

impl Range {
    fn new(op: &'static str, min: i64, max: i64) -> Result<Range> {
        if min > max {
            return Err(Error::argument(op, format!("quant_min {min} is above quant_max {max}")));
        }
        Ok(Range { op, min, max })
    }

    /// A floating-point tensor is rounded, not one of integers.
    fn check_input(self, x: &Tensor) -> Result<()> {
        if !x.dtype().is_floating_point() {
            return Err(Error::dtype(self.op, format!("floating-point numbers are rounded, not {}", x.dtype())));
        }
        Ok(())
    }

    fn clamp(self, x: &Tensor) -> Result<Tensor> {
        x.clamp(Some(Scalar::Int(self.min)), Some(Scalar::Int(self.max)))
    }

    /// The gradient where the integers are within the range, and 0 elsewhere.
    fn pass(self, grad: &Tensor, integers: &Tensor) -> Result<Tensor> {
        grad.masked_fill(&integers.lt(self.min as f64)?.logical_or(&integers.gt(self.max as f64)?)?, 0.0)
    }
}

/// A scale and a zero point, broadcast along the tensor that they are for.
struct Grid {
    scale: Tensor,
    zero_point: Tensor,
    range: Range,
}

impl Grid {
    /// One of each for all elements.
    fn per_tensor(range: Range, scale: &Tensor, zero_point: &Tensor) -> Result<Grid> {
        for (name, tensor) in [("scale", scale), ("zero_point", zero_point)] {
            if tensor.numel() != 1 {
                let message = format!("{name} has shape {}, and has to be one number", tensor.shape());
                return Err(Error::shape(range.op, message));
            }
        }
        let zero_point =
            if zero_point.dtype() == DType::Bool { zero_point.to(DType::I32)? } else { zero_point.clone() };
        Ok(Grid { scale: scale.reshape([])?, zero_point: zero_point.reshape([])?, range })
    }

    /// One of each for every index of dimension `axis`.
    fn per_channel(range: Range, x: &Tensor, scale: &Tensor, zero_point: &Tensor, axis: i64) -> Result<Grid> {
        let axis = x.shape().dim(range.op, axis)?;
        let Some(&channels) = x.shape().get(axis) else {
            return Err(Error::shape(range.op, "input is a single number, and has to have a dimension of channels"));
        };
        for (name, tensor) in [("scale", scale), ("zero_point", zero_point)] {
            if tensor.shape().to_vec() != [channels] {
                let message = format!(
                    "{name} has shape {}, and has to have one number for each of the {channels} channels of {}",
                    tensor.shape(),
                    x.shape()
                );
                return Err(Error::shape(range.op, message));
            }
        }
        let shape: Vec<i64> = (0..x.rank()).map(|dim| if dim == axis { channels as i64 } else { 1 }).collect();
        Ok(Grid { scale: scale.reshape(&shape[..])?, zero_point: zero_point.reshape(&shape[..])?, range })
    }

    /// The zero point of a learned grid, as it is used: rounded, and within the range.
    fn with_whole_zero_point(self) -> Result<Grid> {
        let zero_point = self.range.clamp(&self.zero_point.round()?)?;
        Ok(Grid { zero_point, ..self })
    }

    /// The integers nearest to the elements, not clamped. Elements are multiplied by the inverse of the
    /// scale, as in PyTorch.
    fn integers(&self, x: &Tensor) -> Result<Tensor> {
        let scaled = x.mul(self.scale.reciprocal()?)?;
        match self.zero_point.dtype().is_floating_point() {
            true => scaled.add(&self.zero_point)?.round(),
            false => scaled.round()?.add(&self.zero_point),
        }
    }

    /// The elements rounded to the grid, in the type of `x`.
    fn round(&self, x: &Tensor) -> Result<Tensor> {
        let integers = self.range.clamp(&self.integers(x)?)?;
        integers.sub(&self.zero_point)?.mul(&self.scale)?.to(x.dtype())
    }
}

/// Rounds to a grid that has no gradient.
fn with_fixed_grid(x: &Tensor, grid: Grid) -> Result<Tensor> {
    grid.range.check_input(x)?;
    let grid = Grid { scale: grid.scale.detach(), zero_point: grid.zero_point.detach(), ..grid };
    let output = no_grad(|| grid.round(x))?;
    let (op, saved) = (grid.range.op, [x.clone(), grid.scale, grid.zero_point]);
    let range = grid.range;
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [x, scale, zero_point] = saved else { unreachable!("three tensors are saved") };
        let grid = Grid { scale: scale.clone(), zero_point: zero_point.clone(), range };
        Ok(vec![Some(range.pass(grad, &no_grad(|| grid.integers(x))?)?)])
    });
    attach(op, &output, &[x], &saved.each_ref(), derivative);
    Ok(output)
}

/// Rounds to a grid whose scale and zero point have gradients, multiplied by `grad_factor`.
fn with_learned_grid(x: &Tensor, grid: Grid, given: [&Tensor; 2], grad_factor: f64) -> Result<Tensor> {
    grid.range.check_input(x)?;
    if let Some(odd) = given.iter().find(|tensor| !tensor.dtype().is_floating_point()) {
        let message = format!("a learned scale and zero point are floating point, not {}", odd.dtype());
        return Err(Error::dtype(grid.range.op, message));
    }
    let range = grid.range;
    let grid = no_grad(|| grid.with_whole_zero_point())?;
    let output = no_grad(|| grid.round(x))?;
    let shapes = given.map(|tensor| (tensor.shape().clone(), tensor.dtype()));
    let saved = [x.clone(), grid.scale.detach(), grid.zero_point.detach()];
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let [x, scale, zero_point] = saved else { unreachable!("three tensors are saved") };
        let grid = Grid { scale: scale.clone(), zero_point: zero_point.clone(), range };
        let integers = no_grad(|| grid.integers(x))?;
        let clamped = range.clamp(&integers)?;
        let is_outside = clamped.ne(&integers)?;
        // By the scale: the distance from the element within the range, the end of the range outside.
        let end = clamped.sub(zero_point)?;
        let by_scale = Tensor::r#where(&is_outside, &end, end.sub(x.div(scale)?)?)?;
        let by_zero_point = Tensor::r#where(&is_outside, scale.neg()?, 0.0)?;
        let gathered = |factor: &Tensor, index: usize| -> Result<Option<Tensor>> {
            let (shape, dtype) = &shapes[index];
            let sum = grad.mul(factor)?.mul(grad_factor)?.sum_to_size(scale.shape())?;
            Ok(Some(sum.reshape(shape)?.to(*dtype)?))
        };
        Ok(vec![Some(range.pass(grad, &integers)?), gathered(&by_scale, 0)?, gathered(&by_zero_point, 1)?])
    });
    attach(range.op, &output, &[x, given[0], given[1]], &saved.each_ref(), derivative);
    Ok(output)
}

fn per_tensor_samples() -> Vec<samples::Sample> {
    let scaled = |zero_point, min, max| {
        vec![
            samples::real(&[5, 7], -2.0, 2.0),
            samples::float(0.13),
            samples::int(zero_point),
            samples::int(min),
            samples::int(max),
        ]
    };
    samples::calls([scaled(0, -128, 127), scaled(3, 0, 15), scaled(-4, -8, 7)])
}

fn per_tensor_tensor_samples() -> Vec<samples::Sample> {
    let end = || [samples::int(-8), samples::int(7)];
    let (x, scale) = (|| samples::real(&[4, 9], -2.0, 2.0), || samples::real(&[1], 0.1, 0.2));
    let whole = samples::tensor(&[1], DType::I32, -3.0, 4.0);
    let [a, b] =
        [whole, samples::real(&[1], -3.0, 4.0)].map(|zero| [x(), scale(), zero].into_iter().chain(end()).collect());
    samples::calls([a, b])
}

fn per_channel_samples() -> Vec<samples::Sample> {
    let call = |shape: &[i64], axis: i64| {
        let channels = shape[axis as usize];
        vec![
            samples::real(shape, -2.0, 2.0),
            samples::real(&[channels], 0.1, 0.2),
            samples::tensor(&[channels], DType::I32, -3.0, 4.0),
            samples::int(axis),
            samples::int(-8),
            samples::int(7),
        ]
    };
    samples::calls([call(&[5, 7], 0), call(&[2, 3, 4], 1)])
}

fn learned_samples() -> Vec<samples::Sample> {
    let parts = || [samples::real(&[4, 9], -2.0, 2.0), samples::real(&[1], 0.1, 0.2), samples::real(&[1], -3.0, 4.0)];
    let plain = parts().into_iter().chain([samples::int(-8), samples::int(7)]).collect();
    let scaled = parts().into_iter().chain([samples::int(0), samples::int(15), samples::float(0.25)]).collect();
    samples::calls([plain, scaled])
}

fn learned_channel_samples() -> Vec<samples::Sample> {
    let call = |shape: &[i64], axis: i64| {
        let channels = shape[axis as usize];
        vec![
            samples::real(shape, -2.0, 2.0),
            samples::real(&[channels], 0.1, 0.2),
            samples::real(&[channels], -3.0, 4.0),
            samples::int(axis),
            samples::int(-8),
            samples::int(7),
            samples::float(0.5),
        ]
    };
    samples::calls([call(&[5, 7], 0), call(&[2, 3, 4], 1)])
}

/// `self` rounded to the grid `scale * (integer - zero_point)`, with integers from `quant_min` to
/// `quant_max`, as `torch.fake_quantize_per_tensor_affine`.
///
/// `self` has any shape, and the result has the same. The gradient passes where the integer is within the
/// range, and is 0 elsewhere.
///
/// Errors: `dtype` if `self` is not floating point; `argument` if `scale` is not above 0, `quant_min` is
/// above `quant_max`, or `zero_point` is not between them.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[0.3f32, -0.9, 100.0], [3], &device)?.requires_grad_(true)?;
/// let y = x.fake_quantize_per_tensor_affine(0.25, 0, -8, 7)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [0.25, -1.0, 1.75]);
/// y.sum((), false)?.backward()?;
/// assert_eq!(pollster::block_on(x.grad().unwrap().to_vec::<f32>())?, [1.0, 1.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor",
    opmath,
    samples = per_tensor_samples
)]
fn fake_quantize_per_tensor_affine(
    x: &Tensor,
    scale: f64,
    zero_point: i64,
    quant_min: i64,
    quant_max: i64,
) -> Result<Tensor> {
    let op = "fake_quantize_per_tensor_affine";
    let range = Range::new(op, quant_min, quant_max)?;
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(Error::argument(op, format!("scale is {scale}, and has to be above 0")));
    }
    if !(quant_min..=quant_max).contains(&zero_point) {
        let message = format!("zero_point {zero_point} is not between quant_min {quant_min} and quant_max {quant_max}");
        return Err(Error::argument(op, message));
    }
    range.check_input(x)?;
    let number = |value: f64, dtype| Tensor::full_with([], value, Some(dtype), Some(x.device()));
    with_fixed_grid(
        x,
        Grid { scale: number(scale, DType::F32)?, zero_point: number(zero_point as f64, DType::I32)?, range },
    )
}

/// As `fake_quantize_per_tensor_affine` with a scale and a zero point that are tensors of one number, which
/// are not read. They have no gradient.
///
/// Errors: `dtype` if `self` is not floating point; `shape` if `scale` or `zero_point` is not one number;
/// `argument` if `quant_min` is above `quant_max`.
#[op(
    leaf,
    "fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor",
    opmath,
    samples = per_tensor_tensor_samples
)]
fn fake_quantize_per_tensor_affine_tensor_qparams(
    x: &Tensor,
    scale: &Tensor,
    zero_point: &Tensor,
    quant_min: i64,
    quant_max: i64,
) -> Result<Tensor> {
    let range = Range::new("fake_quantize_per_tensor_affine", quant_min, quant_max)?;
    with_fixed_grid(x, Grid::per_tensor(range, scale, zero_point)?)
}

/// `self` rounded to a grid for each index of dimension `axis`, as
/// `torch.fake_quantize_per_channel_affine`.
///
/// `scale` and `zero_point: [channels]`, where `channels` is the size of dimension `axis`. The gradient is as
/// of `fake_quantize_per_tensor_affine`.
///
/// Errors: `dtype` if `self` is not floating point; `index` if there is no dimension `axis`; `shape` if
/// `scale` or `zero_point` has not one number for each channel; `argument` if `quant_min` is above
/// `quant_max`.
#[op(
    leaf,
    "fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor",
    opmath,
    samples = per_channel_samples
)]
fn fake_quantize_per_channel_affine(
    x: &Tensor,
    scale: &Tensor,
    zero_point: &Tensor,
    axis: i64,
    quant_min: i64,
    quant_max: i64,
) -> Result<Tensor> {
    let range = Range::new("fake_quantize_per_channel_affine", quant_min, quant_max)?;
    with_fixed_grid(x, Grid::per_channel(range, x, scale, zero_point, axis)?)
}

/// Fake quantization with a learned step size (Esser et al., 2020), as
/// `torch._fake_quantize_learnable_per_tensor_affine`: `scale` and `zero_point` have gradients, multiplied
/// by `grad_factor`.
///
/// `scale` and `zero_point` are one number each; the zero point is rounded, and clamped to the range. The
/// gradient by `self` is as of `fake_quantize_per_tensor_affine`.
///
/// Errors: `dtype` if an argument is not floating point; `shape` if `scale` or `zero_point` is not one number;
/// `argument` if `quant_min` is above `quant_max`.
#[op(
    leaf,
    "fake_quantize_learnable_per_tensor_affine(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor",
    opmath,
    samples = learned_samples
)]
fn fake_quantize_learnable_per_tensor_affine(
    x: &Tensor,
    scale: &Tensor,
    zero_point: &Tensor,
    quant_min: i64,
    quant_max: i64,
    grad_factor: f64,
) -> Result<Tensor> {
    let range = Range::new("fake_quantize_learnable_per_tensor_affine", quant_min, quant_max)?;
    with_learned_grid(x, Grid::per_tensor(range, scale, zero_point)?, [scale, zero_point], grad_factor)
}

/// As `fake_quantize_learnable_per_tensor_affine` with a grid for each index of dimension `axis`, as
/// `torch._fake_quantize_learnable_per_channel_affine`.
///
/// Shapes and errors: as of `fake_quantize_per_channel_affine`; `dtype` if `scale` or `zero_point` is not
/// floating point.
#[op(
    leaf,
    "fake_quantize_learnable_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max, float grad_factor=1.0) -> Tensor",
    opmath,
    samples = learned_channel_samples
)]
fn fake_quantize_learnable_per_channel_affine(
    x: &Tensor,
    scale: &Tensor,
    zero_point: &Tensor,
    axis: i64,
    quant_min: i64,
    quant_max: i64,
    grad_factor: f64,
) -> Result<Tensor> {
    let range = Range::new("fake_quantize_learnable_per_channel_affine", quant_min, quant_max)?;
    with_learned_grid(x, Grid::per_channel(range, x, scale, zero_point, axis)?, [scale, zero_point], grad_factor)
}

pub(crate) static OPS: &[&Op] = &[
    &FAKE_QUANTIZE_PER_TENSOR_AFFINE,
    &FAKE_QUANTIZE_PER_TENSOR_AFFINE_TENSOR_QPARAMS,
    &FAKE_QUANTIZE_PER_CHANNEL_AFFINE,
    &FAKE_QUANTIZE_LEARNABLE_PER_TENSOR_AFFINE,
    &FAKE_QUANTIZE_LEARNABLE_PER_CHANNEL_AFFINE,
];
