//! Images sampled at the positions of a grid.
//!
//! The corners around a position, or the 4 x 4 taps of a cubic, are more dimensions of one gather:
//! one kernel reads them all, and one reduction weighs them. The positions are computed by tensor
//! ops, and so have gradients of any order.

use crate::{
    Error, GridMode, GridPadding, Ints, Result, Tensor,
    ops::Op,
    samples::{self, Sample},
};
use lanthorn_macros::op;

/// One dimension of the input.
pub(super) struct Axis {
    /// Its size.
    pub size: usize,
    /// How values between positions are interpolated.
    pub mode: GridMode,
    /// The values outside of the input.
    pub padding: GridPadding,
    /// Whether -1 and 1 are the centers of the border elements.
    pub align_corners: bool,
}

impl Axis {
    /// Coordinates from -1 to 1 as positions. The coordinate is scaled before the center is added:
    /// `x + 1` would lose the last bits of a coordinate near 0.
    fn unnormalize(&self, x: &Tensor) -> Result<Tensor> {
        let size = self.size as f64;
        let span = if self.align_corners { size - 1.0 } else { size };
        x.mul(span / 2.0)?.add((size - 1.0) / 2.0)
    }

    /// Positions moved into the input according to the padding.
    fn pad(&self, x: &Tensor) -> Result<Tensor> {
        match self.padding {
            GridPadding::Zeros => Ok(x.clone()),
            GridPadding::Border => self.clip(x),
            GridPadding::Reflection => self.clip(&self.reflect(x)?),
        }
    }

    /// No gradient passes at the limits.
    fn clip(&self, x: &Tensor) -> Result<Tensor> {
        let last = self.size as f64 - 1.0;
        x.hardtanh(0.0, last.max(0.0))
    }

    /// Positions reflected at the centers of the border elements, or without `align_corners` at
    /// their outer edges.
    fn reflect(&self, x: &Tensor) -> Result<Tensor> {
        let size = self.size as f64;
        let (low, span) = if self.align_corners { (0.0, size - 1.0) } else { (-0.5, size) };
        if span == 0.0 {
            return x.mul(0.0);
        }
        let beyond = x.sub(low)?.abs()?;
        let flips = beyond.detach().div(span)?.floor()?;
        let rest = beyond.sub(flips.mul(span)?)?;
        let odd = flips.remainder(2.0)?.ne(0)?;
        Tensor::r#where(&odd, rest.neg()?.add(span)?, rest)?.add(low)
    }

    fn taps(&self) -> i64 {
        match self.mode {
            GridMode::Nearest => 1,
            GridMode::Bilinear => 2,
            GridMode::Bicubic => 4,
        }
    }

    /// The indices (int32, inside of the input) and weights of the taps of positions. `tap` has the
    /// numbers of the taps in a shape that broadcasts.
    fn weigh(&self, position: &Tensor, tap: &Tensor) -> Result<(Tensor, Tensor)> {
        let (position, dtype) = (position.clone(), position.dtype());
        // A cubic interpolates padded values; the other modes move the position itself.
        let position = if self.mode == GridMode::Bicubic { position } else { self.pad(&position)? };
        let (first, weight) = match self.mode {
            GridMode::Nearest => (position.detach().round()?, None),
            GridMode::Bilinear => {
                // 1 - rest and rest. A distance by `abs` would have no gradient where it is 0.
                let first = position.detach().floor()?;
                let rest = position.sub(&first)?;
                (first, Some(rest.mul(tap.mul(2.0)?.sub(1.0)?)?.sub(tap.sub(1.0)?)?))
            }
            GridMode::Bicubic => {
                let first = position.detach().floor()?;
                let distance = position.sub(&first)?.add(1.0)?.sub(tap)?.abs()?;
                (first.sub(1.0)?, Some(cubic(&distance)?))
            }
        };
        let at = first.add(tap)?;
        let at = if self.mode == GridMode::Bicubic { self.pad(&at)?.round()? } else { at };
        let last = self.size as f64 - 1.0;
        let inside = at.ge(0.0)?.logical_and(&at.le(last)?)?;
        let weight = match weight {
            Some(weight) => Tensor::r#where(&inside, weight, 0.0)?,
            None => inside.to(dtype)?,
        };
        // The index must be valid also where the position is NaN.
        let index = Tensor::r#where(&inside, at, 0.0)?.to(crate::DType::I32)?;
        Ok((index, weight))
    }
}

/// The weights of cubic convolution with parameter -0.75 at distances below 2 (Keys, "Cubic
/// Convolution Interpolation for Digital Image Processing", 1981).
fn cubic(distance: &Tensor) -> Result<Tensor> {
    const A: f64 = -0.75;
    let square = distance.square()?;
    let near = distance.mul(A + 2.0)?.sub(A + 3.0)?.mul(&square)?.add(1.0)?;
    let far = distance.sub(5.0)?.mul(distance)?.add(8.0)?.mul(distance)?.sub(4.0)?.mul(A)?;
    Tensor::r#where(&distance.le(1.0)?, near, far)
}

/// The input interpolated at the positions of `grid`, as `torch.nn.functional.grid_sample`.
///
/// Shapes: `self: [N, C, H, W]`, `grid: [N, H_out, W_out, 2]`, `result: [N, C, H_out, W_out]`; or
/// `self: [N, C, D, H, W]`, `grid: [N, D_out, H_out, W_out, 3]`,
/// `result: [N, C, D_out, H_out, W_out]`. A position is x, y and for volumes z, each from -1 to 1:
/// with `align_corners` the centers of the border elements, else their outer edges.
///
/// `mode` is `"bilinear"` (of volumes: trilinear), `"nearest"` or `"bicubic"`. `padding_mode` is
/// `"zeros"`, `"border"` or `"reflection"`, for positions outside of the input.
///
/// Errors: `argument` if `mode` or `padding_mode` is another string; `shape` if the shapes do not
/// fit or a spatial size of `self` is 0; `dtype` if both do not have one floating-point type.
///
/// Source: spatial transformers, Jaderberg et al. (2015); cubic interpolation: Keys (1981).
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{GridMode, GridPadding, Tensor};
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], [1, 1, 2, 2], &device)?;
/// let center = Tensor::zeros([1, 1, 1, 2])?;
/// let y = x.grid_sample(&center, GridMode::Bilinear, GridPadding::Zeros, None)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [2.5]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "grid_sample(Tensor self, Tensor grid, str{bilinear|nearest|bicubic} mode=\"bilinear\", str{zeros|border|reflection} padding_mode=\"zeros\", bool? align_corners=None) -> Tensor",
    opmath,
    samples = || {
        let call = |mode: &str, padding: &str, align: bool| Sample {
            args: vec![
                samples::real(&[2, 3, 4, 5], -2.0, 2.0),
                samples::real(&[2, 2, 3, 2], -1.4, 1.4),
                samples::text(mode),
                samples::text(padding),
                samples::flag(align),
            ],
        };
        let mut all = vec![
            call("bilinear", "zeros", false),
            call("bilinear", "reflection", true),
            call("nearest", "border", false),
            call("bicubic", "border", true),
            call("bicubic", "zeros", false),
        ];
        all.extend(samples::calls([vec![samples::real(&[1, 2, 3, 4, 3], -2.0, 2.0), samples::real(&[1, 2, 2, 1, 3], -1.2, 1.2)]]));
        all
    }
)]
fn grid_sample(
    x: &Tensor,
    grid: &Tensor,
    mode: GridMode,
    padding_mode: GridPadding,
    align_corners: Option<bool>,
) -> Result<Tensor> {
    let op = "grid_sample";
    let spatial = x.rank().saturating_sub(2);
    let (sizes, positions) = (&x.shape()[..], &grid.shape()[..]);
    let fits = (2..=3).contains(&spatial)
        && positions.len() == x.rank()
        && positions[0] == sizes[0]
        && positions[spatial + 1] == spatial
        && !sizes[2..].contains(&0);
    if !fits {
        let message = format!(
            "images [N, C, H, W] take a grid [N, H', W', 2], and volumes [N, C, D, H, W] one [N, D', H', W', 3]: {} and {} do not fit",
            x.shape(),
            grid.shape()
        );
        return Err(Error::shape(op, message));
    }
    if !x.dtype().is_floating_point() || grid.dtype() != x.dtype() {
        let message =
            format!("takes an input and a grid of one floating-point type, not {} and {}", x.dtype(), grid.dtype());
        return Err(Error::dtype(op, message));
    }
    let (batch, channels) = (sizes[0] as i64, sizes[1] as i64);
    let count: i64 = positions[1..=spatial].iter().map(|&size| size as i64).product();
    let flat = grid.reshape([batch, count, spatial as i64])?;
    let axis =
        |&size: &usize| Axis { size, mode, padding: padding_mode, align_corners: align_corners.unwrap_or(false) };
    let axes: Vec<Axis> = sizes[2..].iter().map(axis).collect();
    let at = |(d, axis): (usize, &Axis)| axis.unnormalize(&flat.select(2, (spatial - 1 - d) as i64)?);
    let at = axes.iter().enumerate().map(at).collect::<Result<Vec<_>>>()?;
    let output = interpolate_at(x, &axes, &at)?;
    let lead = [batch, channels];
    output.reshape(lead.into_iter().chain(positions[1..=spatial].iter().map(|&size| size as i64)).collect::<Vec<_>>())
}

/// The input `[N, C, ..]` between its elements, at positions `[N, P]` of each dimension: `[N, C,
/// P]`.
pub(super) fn interpolate_at(x: &Tensor, axes: &[Axis], positions: &[Tensor]) -> Result<Tensor> {
    let (batch, channels, spatial) = (x.shape()[0] as i64, x.shape()[1] as i64, axes.len());
    let count = positions.first().map_or(0, |at| at.shape()[1]) as i64;
    let (mut index, mut weight): (Option<Tensor>, Option<Tensor>) = (None, None);
    for (d, (axis, position)) in axes.iter().zip(positions).enumerate() {
        // [N, 1, .., P], and the taps of this dimension in a separate dimension.
        let ones = vec![1; spatial];
        let lie = |lead: i64, last: i64| [&[lead][..], &ones, &[last]].concat();
        let mut column = lie(1, 1);
        column[1 + d] = axis.taps();
        let tap = Tensor::arange_with(0, axis.taps(), 1, Some(x.dtype()), Some(x.device()))?.reshape(column)?;
        let (at, part) = axis.weigh(&position.reshape(lie(batch, count))?, &tap)?;
        index = Some(match index {
            Some(index) => index.mul(axis.size as i64)?.add(&at)?,
            None => at,
        });
        weight = Some(match weight {
            Some(weight) => weight.mul(&part)?,
            None => part,
        });
    }
    let (Some(index), Some(weight)) = (index, weight) else {
        return Err(Error::argument("interpolate", "there are no dimensions to interpolate"));
    };
    let taps: i64 = axes.iter().map(Axis::taps).product();
    let index = index.reshape([batch, 1, taps * count])?.expand([batch, channels, taps * count])?;
    let elements = axes.iter().map(|axis| axis.size).product::<usize>() as i64;
    let values = x.reshape([batch, channels, elements])?.gather(2, &index)?.reshape([batch, channels, taps, count])?;
    values.mul(weight.reshape([batch, 1, taps, count])?)?.sum(2, false)
}

/// The grid of positions for [`grid_sample`](Tensor::grid_sample) that the affine maps `theta` give
/// for a result of shape `size`, as `torch.nn.functional.affine_grid`.
///
/// Shapes: `theta: [N, 2, 3]` and `size` `[N, C, H, W]` give `[N, H, W, 2]`; `theta: [N, 3, 4]` and
/// `size` `[N, C, D, H, W]` give `[N, D, H, W, 3]`.
///
/// Errors: `dtype` if `theta` is not floating point; `shape` if it does not fit `size`, or a size
/// is not positive.
#[op(
    composite,
    "affine_grid(Tensor theta, int[] size, bool? align_corners=None) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 2, 3], -1.0, 1.0), samples::ints(&[2, 3, 4, 5])],
        vec![samples::real(&[2, 2, 3], -1.0, 1.0), samples::ints(&[2, 3, 4, 1]), samples::flag(true)],
        vec![samples::real(&[1, 3, 4], -1.0, 1.0), samples::ints(&[1, 1, 2, 3, 2]), samples::flag(false)],
    ])
)]
fn affine_grid(theta: &Tensor, size: &Ints, align_corners: Option<bool>) -> Result<Tensor> {
    let op = "affine_grid";
    if !theta.dtype().is_floating_point() {
        return Err(Error::dtype(op, format!("takes maps of a floating-point type, not {}", theta.dtype())));
    }
    let spatial = size.len().saturating_sub(2);
    let fits = (2..=3).contains(&spatial)
        && size.iter().all(|&size| size > 0)
        && theta.shape().to_i64() == [size[0], spatial as i64, spatial as i64 + 1];
    if !fits {
        let message =
            format!("maps [N, 2, 3] or [N, 3, 4] are needed for sizes {:?}, not {}", &size[..], theta.shape());
        return Err(Error::shape(op, message));
    }
    let shape = |last: i64| [&size[2..], &[last]].concat();
    let mut parts = Vec::with_capacity(spatial + 1);
    for d in (0..spatial).rev() {
        let count = size[2 + d];
        let number = Tensor::arange_with(0, count, 1, Some(theta.dtype()), Some(theta.device()))?;
        // A quotient of integers is rounded once.
        let span = if align_corners.unwrap_or(false) { count - 1 } else { count };
        let at = if span == 0 { number } else { number.mul(2.0)?.sub((count - 1) as f64)?.div(span as f64)? };
        let column: Vec<i64> = (0..=spatial).map(|other| if other == d { count } else { 1 }).collect();
        parts.push(at.reshape(column)?.expand(shape(1))?);
    }
    parts.push(Tensor::ones_with(shape(1), theta.dtype(), Some(theta.device()))?);
    let positions = Tensor::cat(&parts, -1)?.reshape([-1, spatial as i64 + 1])?;
    let moved = positions.matmul(&theta.transpose(1, 2)?)?;
    moved.reshape([&size[..1], &shape(spatial as i64)].concat())
}

pub(crate) static OPS: &[&Op] = &[&GRID_SAMPLE, &AFFINE_GRID];
