//! Fractional max pooling (Graham, "Fractional Max-Pooling", 2014): windows of one size at random
//! distances, so that a size shrinks by a fraction.
//!
//! The positions of the windows depend on random numbers, which the strides of an operand cannot
//! express. So the elements of all windows are gathered, and the largest of each window is taken.

use crate::{
    DType, Error, Ints, OptionalInts, Result, Tensor,
    ops::{
        Op,
        leaf::{
            pooling::max::check_asked,
            sliding_window::{batched_pair, per_dimension},
        },
    },
    samples::{self, Sample},
};
use lanthorn_macros::op;

/// The arguments of the poolings, as in the schemas.
struct Fractional<'a> {
    kernel: &'a Ints,
    output_size: &'a OptionalInts,
    output_ratio: Option<&'a [f64]>,
    /// Numbers from 0 to 1, `[N, C, spatial]`, that position the windows of each channel.
    random: Option<&'a Tensor>,
}

impl Fractional<'_> {
    /// The sizes of the kernel and of the result for spatial sizes `input`.
    fn sizes(&self, op: &str, input: &[usize]) -> Result<(Vec<usize>, Vec<usize>)> {
        let kernel = per_dimension(op, "kernel_size", self.kernel, input.len(), 1)?;
        let output = match (self.output_size.as_slice(), self.output_ratio) {
            (Some(sizes), None) => per_dimension(op, "output_size", &sizes.into(), input.len(), 1)?,
            (None, Some(ratios)) if ratios.len() == 1 || ratios.len() == input.len() => {
                let ratio = |d: usize| ratios[if ratios.len() == 1 { 0 } else { d }];
                if let Some(ratio) = ratios.iter().find(|ratio| !(**ratio > 0.0 && **ratio < 1.0)) {
                    return Err(Error::argument(op, format!("output_ratio must be between 0 and 1, not {ratio}")));
                }
                input.iter().enumerate().map(|(d, &size)| (size as f64 * ratio(d)) as usize).collect()
            }
            _ => {
                let message = format!("takes output_size or output_ratio, of one number or {}", input.len());
                return Err(Error::argument(op, message));
            }
        };
        if (0..input.len()).any(|d| output[d] == 0 || output[d] + kernel[d] > input[d] + 1) {
            let message = format!("a kernel of {kernel:?} does not fit {output:?} times into spatial sizes {input:?}");
            return Err(Error::shape(op, message));
        }
        Ok((kernel, output))
    }

    /// The random numbers, `[N, C, spatial]`.
    fn numbers(&self, op: &str, x: &Tensor, spatial: usize) -> Result<Tensor> {
        let shape = [x.shape()[0] as i64, x.shape()[1] as i64, spatial as i64];
        let wide = if x.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
        match self.random {
            None => Tensor::rand_with(shape, wide, Some(x.device())),
            Some(random) if random.shape().to_i64() == shape => random.detach().to(wide),
            Some(random) => {
                let message = format!("the random samples must be of shape {shape:?}, not {}", random.shape());
                Err(Error::shape(op, message))
            }
        }
    }

    /// The largest values, and their indices in the flattened input.
    fn run(&self, op: &'static str, spatial: usize, x: &Tensor) -> Result<(Tensor, Tensor)> {
        if !x.dtype().is_floating_point() {
            return Err(Error::dtype(op, format!("takes floating-point tensors, not {}", x.dtype())));
        }
        batched_pair(op, x, spatial, |x| {
            let (lead, input) = (&x.shape().to_i64()[..2], &x.shape()[2..]);
            let (kernel, output) = self.sizes(op, input)?;
            let random = self.numbers(op, x, spatial)?;
            let sizes = |sizes: &[usize]| sizes.iter().map(|&size| size as i64).collect::<Vec<_>>();
            let mut index: Option<Tensor> = None;
            for d in 0..spatial {
                // PyTorch orders the numbers of an image as width, height.
                let number = if spatial == 2 { 1 - d } else { d };
                let starts = starts(&random.select(2, number as i64)?, input[d], kernel[d], output[d])?;
                let within = Tensor::arange_with(0, kernel[d] as i64, 1, DType::I32, Some(x.device()))?;
                let mut shape = lead.to_vec();
                shape.resize(2 + 2 * spatial, 1);
                (shape[2 + d], shape[2 + spatial + d]) = (output[d] as i64, kernel[d] as i64);
                let positions = starts.unsqueeze(-1)?.add(within)?.reshape(shape)?;
                index = Some(match index {
                    None => positions,
                    Some(before) => before.mul(input[d] as i64)?.add(positions)?,
                });
            }
            let Some(index) = index else { return Err(Error::shape(op, "there is no dimension to pool")) };
            let result = [lead, &sizes(&output)].concat();
            let positions = kernel.iter().product::<usize>() as i64;
            let windows = [lead, &[output.iter().product::<usize>() as i64, positions]].concat();
            let flat = [lead, &[-1]].concat();
            let elements = x.reshape(flat.clone())?.gather(2, &index.reshape(flat)?)?.reshape(windows.clone())?;
            let (values, which) = elements.max_dim(-1, true)?;
            let indices = index.reshape(windows)?.gather(-1, &which)?;
            Ok((values.reshape(result.clone())?, indices.reshape(result)?))
        })
    }
}

/// The first positions of the windows of each channel along a dimension, `[N, C, output]`: random
/// ones, and the last window at the end.
fn starts(random: &Tensor, input: usize, kernel: usize, output: usize) -> Result<Tensor> {
    let last = (input - kernel) as i64;
    let step = last as f64 / (output as f64 - 1.0).max(1.0);
    let window = Tensor::arange_with(0, output as i64, 1, DType::I32, Some(random.device()))?;
    let random = random.unsqueeze(-1)?;
    let from = random.mul(step)?.to(DType::I32)?;
    let start = random.add(window.to(random.dtype())?)?.mul(step)?.to(DType::I32)?.sub(from)?;
    Tensor::r#where(&window.eq(output as i64 - 1)?, last, start)
}

/// Samples of poolings over an input of these spatial sizes, with random numbers that are
/// arguments.
fn pools(input: &[i64]) -> Vec<Sample> {
    let x = |lead: &[i64]| samples::real(&[lead, input].concat(), -2.0, 2.0);
    let random = |lead: &[i64]| samples::real(&[lead, &[input.len() as i64]].concat(), 0.05, 0.95);
    samples::calls([
        vec![x(&[2, 3]), samples::int(2), samples::int(3), samples::NONE, random(&[2, 3])],
        vec![x(&[3]), samples::int(2), samples::NONE, samples::float(0.6), random(&[1, 3])],
    ])
}

/// The samples with the argument `return_indices` inserted.
fn asking(mut all: Vec<Sample>) -> Vec<Sample> {
    for sample in &mut all {
        sample.args.insert(4, samples::flag(true));
    }
    all
}

/// The largest values of windows of an image at random distances, as
/// `torch.nn.functional.fractional_max_pool2d`.
///
/// Shapes: `self: [N, C, H, W]` or `[C, H, W]`, `result: [N, C, H_out, W_out]` or `[C, H_out,
/// W_out]` with `output_size` `[H_out, W_out]`, or `H_out = floor(H * output_ratio)` and `W_out`
/// likewise. `_random_samples: [N, C, 2]`, from 0 to 1, position the windows; by default they come
/// from the generator of the device.
///
/// Errors: `argument` if not exactly one of `output_size` and `output_ratio` is given, a list has
/// another number of elements, or a ratio is not between 0 and 1; `shape` if `self` has another
/// number of dimensions, the windows do not fit into it, or `_random_samples` does not fit; `dtype`
/// if `self` is not floating point.
///
/// Gradient: to the first largest element of each window.
///
/// Source: Graham, "Fractional Max-Pooling" (2014).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::rand([1, 1, 9, 9])?;
/// assert_eq!(x.fractional_max_pool2d(2, [5, 6], None)?.shape().to_vec(), [1, 1, 5, 6]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "fractional_max_pool2d(Tensor self, int[] kernel_size, int[]? output_size=None, float[]? output_ratio=None, *, Tensor? _random_samples=None) -> Tensor",
    samples = || pools(&[7, 6])
)]
fn fractional_max_pool2d(
    x: &Tensor,
    kernel_size: &Ints,
    output_size: &OptionalInts,
    output_ratio: Option<&[f64]>,
    random: Option<&Tensor>,
) -> Result<Tensor> {
    Ok(Fractional { kernel: kernel_size, output_size, output_ratio, random }.run("fractional_max_pool2d", 2, x)?.0)
}

/// [`fractional_max_pool2d`](Tensor::fractional_max_pool2d) with the int32 indices of the values in
/// the flattened image (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one
/// shape.
///
/// Errors: `argument` also if `return_indices` is false; otherwise as of
/// [`fractional_max_pool2d`](Tensor::fractional_max_pool2d).
#[op(
    composite,
    "fractional_max_pool2d.with_indices(Tensor self, int[] kernel_size, int[]? output_size=None, float[]? output_ratio=None, bool return_indices=True, *, Tensor? _random_samples=None) -> (Tensor values, Tensor indices)",
    samples = || asking(pools(&[7, 6]))
)]
fn fractional_max_pool2d_with_indices(
    x: &Tensor,
    kernel_size: &Ints,
    output_size: &OptionalInts,
    output_ratio: Option<&[f64]>,
    return_indices: bool,
    random: Option<&Tensor>,
) -> Result<(Tensor, Tensor)> {
    check_asked("fractional_max_pool2d", return_indices)?;
    Fractional { kernel: kernel_size, output_size, output_ratio, random }.run("fractional_max_pool2d", 2, x)
}

/// The largest values of windows of a volume at random distances, as
/// `torch.nn.functional.fractional_max_pool3d`.
///
/// Shapes: `self: [N, C, D, H, W]` or `[C, D, H, W]`, `result: [N, C, D_out, H_out, W_out]` or
/// without `N`, `_random_samples: [N, C, 3]`.
///
/// Arguments, errors and gradient: as of [`fractional_max_pool2d`](Tensor::fractional_max_pool2d).
#[op(
    composite,
    "fractional_max_pool3d(Tensor self, int[] kernel_size, int[]? output_size=None, float[]? output_ratio=None, *, Tensor? _random_samples=None) -> Tensor",
    samples = || pools(&[5, 6, 7])
)]
fn fractional_max_pool3d(
    x: &Tensor,
    kernel_size: &Ints,
    output_size: &OptionalInts,
    output_ratio: Option<&[f64]>,
    random: Option<&Tensor>,
) -> Result<Tensor> {
    Ok(Fractional { kernel: kernel_size, output_size, output_ratio, random }.run("fractional_max_pool3d", 3, x)?.0)
}

/// [`fractional_max_pool3d`](Tensor::fractional_max_pool3d) with the int32 indices of the values in
/// the flattened volume (PyTorch: int64), PyTorch's `return_indices=True`. Both results have one
/// shape.
///
/// Errors: `argument` also if `return_indices` is false; otherwise as of
/// [`fractional_max_pool2d`](Tensor::fractional_max_pool2d).
#[op(
    composite,
    "fractional_max_pool3d.with_indices(Tensor self, int[] kernel_size, int[]? output_size=None, float[]? output_ratio=None, bool return_indices=True, *, Tensor? _random_samples=None) -> (Tensor values, Tensor indices)",
    samples = || asking(pools(&[5, 6, 7]))
)]
fn fractional_max_pool3d_with_indices(
    x: &Tensor,
    kernel_size: &Ints,
    output_size: &OptionalInts,
    output_ratio: Option<&[f64]>,
    return_indices: bool,
    random: Option<&Tensor>,
) -> Result<(Tensor, Tensor)> {
    check_asked("fractional_max_pool3d", return_indices)?;
    Fractional { kernel: kernel_size, output_size, output_ratio, random }.run("fractional_max_pool3d", 3, x)
}

pub(crate) static OPS: &[&Op] = &[
    &FRACTIONAL_MAX_POOL2D,
    &FRACTIONAL_MAX_POOL2D_WITH_INDICES,
    &FRACTIONAL_MAX_POOL3D,
    &FRACTIONAL_MAX_POOL3D_WITH_INDICES,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;
    use pollster::block_on;

    #[test]
    fn windows_lie_where_the_numbers_say() -> Result<()> {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        device.set_default();
        // A row of 7 and windows of 2: three of them begin at
        // `floor((i + u) * 2.5) - floor(u * 2.5)`, and the last at the end.
        let random = Tensor::from_slice(&[0.5f32, 0.25], [1, 1, 2], &device)?;
        let x = Tensor::arange(0.0, 49.0, 1)?.reshape([1, 1, 7, 7])?.requires_grad_(true)?;
        let (values, indices) = x.fractional_max_pool2d_with_indices_with(2, [3, 3], None, true, Some(&random))?;
        let (rows, columns) = ([0, 3, 5], [0, 2, 5]);
        let want: Vec<i32> = rows.iter().flat_map(|row| columns.map(|column| (row + 1) * 7 + column + 1)).collect();
        assert_eq!(block_on(indices.to_vec::<i32>())?, want);
        values.sum((), false)?.backward()?;
        let gradient = x.grad().map(|grad| block_on(grad.to_vec::<f32>())).transpose()?.unwrap_or_default();
        assert!((0..49).all(|position| gradient[position as usize] == f32::from(u8::from(want.contains(&position)))));
        assert!(x.fractional_max_pool2d(2, [7, 7], None).unwrap_err().is_shape());
        assert!(x.fractional_max_pool2d(2, (), None).unwrap_err().is_argument());
        Ok(())
    }
}
