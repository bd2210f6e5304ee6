//! Resizing of signals, images and volumes.
//!
//! Interpolation along a dimension gathers a few elements for each output and adds them up with
//! their weights, which are computed here in double precision. The gradient is a product with the
//! matrix of the weights, without a scatter. Rejected: the product for the result too, where a
//! weight of 0 makes NaN of every infinite element of the row.

use crate::{
    Choice, DType, Error, InterpolateMode, Result, Shape, Tensor,
    autograd::{Derivative, attach, no_grad},
    ops::Op,
    samples::{self, Sample, SampleArg},
    scalar::OptionalInts,
};
use lanthorn_macros::op;
use std::rc::Rc;

/// Numbers in the type of `like`.
fn floats(values: &[f64], shape: &[i64], like: &Tensor) -> Result<Tensor> {
    match like.dtype() {
        DType::F64 => Tensor::from_slice(values, shape, like.device()),
        _ => Tensor::from_slice(&values.iter().map(|&value| value as f32).collect::<Vec<_>>(), shape, like.device()),
    }
}

/// Dimension `dim` of `x` multiplied by a matrix `[output, input]`.
fn along(x: &Tensor, dim: usize, matrix: &Tensor) -> Result<Tensor> {
    if dim + 1 == x.rank() {
        return x.matmul(&matrix.transpose(0, 1)?);
    }
    if dim + 2 == x.rank() {
        return matrix.matmul(x);
    }
    let dim = dim as i64;
    matrix.matmul(&x.transpose(dim, -2)?)?.transpose(dim, -2)
}

/// The interpolation between elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Nearest,
    NearestExact,
    Linear,
    Cubic,
    Area,
}

/// The position of an input, and its weight.
type Tap = (usize, f64);

/// The interpolation along one dimension. `scale` is the distance of two outputs in elements of the
/// input.
#[derive(Clone, Copy)]
struct Rule {
    mode: Mode,
    input: usize,
    output: usize,
    scale: f64,
    align_corners: bool,
    antialias: bool,
}

impl Rule {
    /// The input position of output `o` for the modes that select one element.
    fn nearest(&self, o: usize) -> i32 {
        let center = if self.mode == Mode::NearestExact { 0.5 } else { 0.0 };
        let position = ((o as f64 + center) * self.scale).floor();
        position.min(self.input as f64 - 1.0) as i32
    }

    /// The coordinate of output `o` in the input.
    fn source(&self, o: usize) -> f64 {
        if self.align_corners {
            return o as f64 * self.scale;
        }
        (o as f64 + 0.5) * self.scale - 0.5
    }

    /// The input positions that contribute to output `o`, with their weights.
    fn taps(&self, o: usize) -> Vec<Tap> {
        let last = self.input as i64 - 1;
        let at = |position: i64| position.clamp(0, last) as usize;
        if self.antialias {
            return self.widen(o);
        }
        if self.mode == Mode::Cubic {
            let source = self.source(o);
            let first = source.floor();
            let weight = |tap: i64| cubic(source - first - tap as f64, -0.75);
            return (-1..3).map(|tap| (at(first as i64 + tap), weight(tap))).collect();
        }
        let source = self.source(o).max(0.0);
        let first = source.floor().min(last as f64);
        let beyond = (source - first).min(1.0);
        vec![(first as usize, 1.0 - beyond), (at(first as i64 + 1), beyond)]
    }

    /// [`Rule::taps`] of a filter as wide as the distance of two outputs, so that every input
    /// contributes.
    fn widen(&self, o: usize) -> Vec<Tap> {
        let wide = self.scale.max(1.0);
        let reach = if self.mode == Mode::Cubic { 2.0 } else { 1.0 } * wide;
        let center = (o as f64 + 0.5) * self.scale;
        let first = (center - reach + 0.5).max(0.0) as usize;
        let end = ((center + reach + 0.5) as usize).min(self.input);
        let weight = |position: usize| {
            let distance = (position as f64 - center + 0.5) / wide;
            if self.mode == Mode::Cubic { cubic(distance, -0.5) } else { (1.0 - distance.abs()).max(0.0) }
        };
        let total: f64 = (first..end).map(weight).sum();
        (first..end).map(|position| (position, if total == 0.0 { 0.0 } else { weight(position) / total })).collect()
    }

    /// The inputs of each output with their weights, as rows of the same length, and that length.
    fn rows(&self) -> (Vec<Vec<Option<Tap>>>, usize) {
        let taps: Vec<Vec<Tap>> = (0..self.output).map(|o| self.taps(o)).collect();
        let length = taps.iter().map(Vec::len).max().unwrap_or(0);
        (taps.iter().map(|taps| (0..length).map(|tap| taps.get(tap).copied()).collect()).collect(), length)
    }

    /// The weighted sums of elements along `dim`. Inputs that an output does not use are not read,
    /// because a weight of 0 times infinity is no number.
    fn weigh(&self, x: &Tensor, dim: usize) -> Result<Tensor> {
        let (rows, length) = self.rows();
        let by_tap = || (0..length).flat_map(|tap| rows.iter().map(move |row| row[tap]));
        let positions: Vec<i32> = by_tap().map(|tap| tap.map_or(0, |(position, _)| position as i32)).collect();
        let positions = Tensor::from_slice(&positions, [positions.len() as i64], x.device())?;
        let mut shape = vec![1; x.rank() + 1];
        (shape[dim], shape[dim + 1]) = (length as i64, self.output as i64);
        let weights = by_tap().map(|tap| tap.map_or(0.0, |(_, weight)| weight));
        let weights = floats(&weights.collect::<Vec<_>>(), &shape, x)?;
        let mut sizes = x.shape().to_i64();
        sizes.splice(dim..=dim, [length as i64, self.output as i64]);
        let mut parts = x.index_select(dim as i64, &positions)?.reshape(sizes)?.mul(&weights)?;
        if by_tap().any(|tap| tap.is_none()) {
            let is_used: Vec<u8> = by_tap().map(|tap| u8::from(tap.is_some())).collect();
            parts = Tensor::r#where(&Tensor::from_slice(&is_used, shape, x.device())?, &parts, 0.0)?;
        }
        parts.sum(dim as i64, false)
    }

    /// The matrix `[output, input]` of the weights.
    fn matrix(&self, like: &Tensor) -> Result<Tensor> {
        let (rows, length) = self.rows();
        let taps = || rows.iter().flatten().map(|tap| tap.unwrap_or((0, 0.0)));
        let shape = [self.output as i64, length as i64];
        let positions: Vec<i32> = taps().map(|(position, _)| position as i32).collect();
        let positions = Tensor::from_slice(&positions, shape, like.device())?;
        let weights = floats(&taps().map(|(_, weight)| weight).collect::<Vec<_>>(), &shape, like)?;
        let zeros = Tensor::zeros_with([self.output as i64, self.input as i64], like.dtype(), Some(like.device()))?;
        zeros.scatter_add(1, &positions, &weights)
    }

    /// `x` resized along `dim`.
    fn apply(&self, x: &Tensor, dim: usize) -> Result<Tensor> {
        if !matches!(self.mode, Mode::Nearest | Mode::NearestExact) {
            let output = no_grad(|| self.weigh(x, dim))?;
            let rule = *self;
            let derivative: Derivative =
                Rc::new(move |grad, _| Ok(vec![Some(along(grad, dim, &rule.matrix(grad)?.transpose(0, 1)?)?)]));
            attach("interpolate", &output, &[x], &[], derivative);
            return Ok(output);
        }
        let positions: Vec<i32> = (0..self.output).map(|o| self.nearest(o)).collect();
        let times = self.output / self.input;
        if self.output.is_multiple_of(self.input)
            && (0..).zip(&positions).all(|(o, &position)| position as usize == o / times)
        {
            // Repeating each element is a view, whose gradient is a sum.
            let (mut sizes, mut merged) = (x.shape().to_i64(), x.shape().to_i64());
            sizes.insert(dim + 1, times as i64);
            merged[dim] = self.output as i64;
            return x.unsqueeze(dim as i64 + 1)?.expand(sizes)?.reshape(merged);
        }
        x.index_select(dim as i64, &Tensor::from_slice(&positions, [positions.len() as i64], x.device())?)
    }
}

/// The weight of an element at a distance in cubic convolution with parameter `a` (Keys, 1981).
fn cubic(distance: f64, a: f64) -> f64 {
    let x = distance.abs();
    if x < 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * a
    } else {
        0.0
    }
}

/// The resulting size, and the given scale factors unless they are recomputed from it.
type Target = (Vec<usize>, Option<Vec<f64>>);

fn target(op: &str, x: &Tensor, size: &OptionalInts, scale_factor: Option<&[f64]>, recompute: bool) -> Result<Target> {
    let spatial = x.rank() - 2;
    let wrong = |message: String| Err(Error::argument(op, message));
    match (size.as_slice(), scale_factor) {
        (Some(size), None) => {
            if recompute {
                return wrong("recompute_scale_factor needs a scale_factor, not a size".into());
            }
            let size: Vec<i64> = if size.len() == 1 { vec![size[0]; spatial] } else { size.to_vec() };
            match size
                .iter()
                .map(|&size| usize::try_from(size).ok().filter(|&size| size > 0))
                .collect::<Option<Vec<usize>>>()
            {
                Some(sizes) if sizes.len() == spatial => Ok((sizes, None)),
                _ => wrong(format!(
                    "size must be {spatial} positive numbers for an input of shape {}, not {size:?}",
                    x.shape()
                )),
            }
        }
        (None, Some(factors)) => {
            let factors = if factors.len() == 1 { vec![factors[0]; spatial] } else { factors.to_vec() };
            let sizes = factors.iter().zip(&x.shape()[2..]).map(|(&factor, &size)| (size as f64 * factor).floor());
            let sizes: Vec<f64> = sizes.collect();
            if factors.len() != spatial || !sizes.iter().all(|&size| (1.0..=i32::MAX.into()).contains(&size)) {
                let message = format!("scale_factor {factors:?} does not fit an input of shape {}", x.shape());
                return wrong(message);
            }
            Ok((sizes.into_iter().map(|size| size as usize).collect(), (!recompute).then_some(factors)))
        }
        _ => wrong("give a size or a scale_factor, and not both".into()),
    }
}

fn resample(
    op: &'static str,
    x: &Tensor,
    (output, factors): Target,
    mode: Mode,
    (align_corners, antialias): (bool, bool),
) -> Result<Tensor> {
    if x.shape()[2..].contains(&0) {
        return Err(Error::shape(op, format!("an input of shape {} has no positions", x.shape())));
    }
    // Refuses a result that is too large before any weight is computed.
    Shape::new(op, &x.shape()[..2].iter().chain(&output).map(|&size| size as i64).collect::<Vec<_>>())?;
    (0..output.len()).try_fold(x.clone(), |x, d| {
        let (input, output) = (x.shape()[2 + d], output[d]);
        let scale = match &factors {
            _ if align_corners => (input as f64 - 1.0) / (output as f64 - 1.0).max(1.0),
            Some(factors) => 1.0 / factors[d],
            None => input as f64 / output as f64,
        };
        if input == output {
            match mode {
                Mode::Linear | Mode::Cubic if antialias => return Ok(x),
                // In PyTorch the neighbour is the element itself, with a weight of 0.
                Mode::Linear => return x.add(x.mul(0.0)?),
                Mode::Nearest | Mode::NearestExact if scale == 1.0 => return Ok(x),
                Mode::Cubic | Mode::Nearest | Mode::NearestExact | Mode::Area => {}
            }
        }
        let rule = Rule { mode, input, output, scale, align_corners, antialias };
        rule.apply(&x, 2 + d).map_err(|error| error.in_op(op))
    })
}

/// Resizes signals, images and volumes, as `torch.nn.functional.interpolate`.
///
/// `self: [N, C, *spatial]` with one to three spatial dimensions; the result is `[N, C, *size]`.
/// Either `size` or `scale_factor` is given, one number or one for each dimension; with a factor,
/// `L_out = floor(L * scale_factor)`. `mode` is `"nearest"` (rounding down), `"nearest-exact"`,
/// `"linear"` (signals), `"bilinear"` and `"bicubic"` (images), `"trilinear"` (volumes) or
/// `"area"`, which is [`adaptive_avg_pool2d`](Tensor::adaptive_avg_pool2d). With `align_corners`
/// the centers of the corner elements coincide, otherwise their outer edges.
/// `recompute_scale_factor` replaces the factor by `L_out / L`. `antialias` widens the filter of an
/// image that is reduced.
///
/// Bicubic interpolation is cubic convolution (Keys, 1981) with a parameter of -0.75, or -0.5 with
/// `antialias`.
///
/// Errors: `shape` if `self` does not have the dimensions of `mode` or a spatial size is 0; `dtype`
/// if it is not floating point and `mode` is not one of the nearest ones; `argument` if `mode` is
/// unknown, both or neither of `size` and `scale_factor` are given, one of them has the wrong
/// length or leads to a size below 1, or an option does not apply to `mode`.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::{InterpolateMode, Tensor};
/// let x = Tensor::from_slice(&[1.0f32, 2.0], [1, 1, 2], &device)?;
/// let nearest = x.interpolate(4, None, InterpolateMode::Nearest, None, None, false)?;
/// assert_eq!(pollster::block_on(nearest.to_vec::<f32>())?, [1.0, 1.0, 2.0, 2.0]);
/// let linear = x.interpolate(3, None, InterpolateMode::Linear, true, None, false)?;
/// assert_eq!(pollster::block_on(linear.to_vec::<f32>())?, [1.0, 1.5, 2.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "interpolate(Tensor self, int[]? size=None, float[]? scale_factor=None, str{nearest|linear|bilinear|bicubic|trilinear|area|nearest-exact} mode=\"nearest\", bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor",
    opmath,
    samples = interpolations
)]
fn interpolate(
    x: &Tensor,
    size: &OptionalInts,
    scale_factor: Option<&[f64]>,
    mode: InterpolateMode,
    align_corners: Option<bool>,
    recompute_scale_factor: Option<bool>,
    antialias: bool,
) -> Result<Tensor> {
    let op = "interpolate";
    let (kind, rank) = match mode {
        InterpolateMode::Nearest => (Mode::Nearest, None),
        InterpolateMode::NearestExact => (Mode::NearestExact, None),
        InterpolateMode::Area => (Mode::Area, None),
        InterpolateMode::Linear => (Mode::Linear, Some(3)),
        InterpolateMode::Bilinear => (Mode::Linear, Some(4)),
        InterpolateMode::Trilinear => (Mode::Linear, Some(5)),
        InterpolateMode::Bicubic => (Mode::Cubic, Some(4)),
    };
    let name = mode.name();
    if !(3..=5).contains(&x.rank()) || rank.is_some_and(|rank| rank != x.rank()) {
        let wanted = rank.map_or("3 to 5".into(), |rank: usize| rank.to_string());
        let message = format!(
            "mode {name:?} takes an input of {wanted} dimensions, a batch and channels among them, not shape {}",
            x.shape()
        );
        return Err(Error::shape(op, message));
    }
    if rank.is_none() && align_corners.is_some() {
        return Err(Error::argument(op, format!("mode {name:?} takes no align_corners")));
    }
    if antialias && !matches!(mode, InterpolateMode::Bilinear | InterpolateMode::Bicubic) {
        return Err(Error::argument(op, format!("antialias is for modes \"bilinear\" and \"bicubic\", not {name:?}")));
    }
    if !x.dtype().is_floating_point() && !matches!(kind, Mode::Nearest | Mode::NearestExact) {
        return Err(Error::dtype(
            op,
            format!("mode {name:?} takes floating point, not {}; convert with to()", x.dtype()),
        ));
    }
    let target = target(op, x, size, scale_factor, recompute_scale_factor.unwrap_or(false))?;
    if kind == Mode::Area {
        let sizes: Vec<i64> = target.0.iter().map(|&size| size as i64).collect();
        let pooled = match sizes.len() {
            1 => x.adaptive_avg_pool1d(sizes),
            2 => x.adaptive_avg_pool2d(sizes),
            _ => x.adaptive_avg_pool3d(sizes),
        };
        return pooled.map_err(|error| error.in_op(op));
    }
    resample(op, x, target, kind, (align_corners.unwrap_or(false), antialias))
}

fn interpolations() -> Vec<Sample> {
    let x = |shape: &[i64]| samples::real(shape, -2.0, 2.0);
    let call = |shape: &[i64], size: SampleArg, factor: SampleArg, mode: &str, rest: &[SampleArg]| Sample {
        args: [vec![x(shape), size, factor, samples::text(mode)], rest.to_vec()].concat(),
    };
    let (none, flag) = (|| samples::NONE, samples::flag);
    vec![
        call(&[2, 3, 4], samples::int(8), none(), "nearest", &[]),
        call(&[1, 2, 4, 3], samples::ints(&[3, 5]), none(), "nearest-exact", &[]),
        call(&[2, 3, 4], samples::int(7), none(), "linear", &[flag(true)]),
        call(&[1, 2, 4, 5], none(), samples::float(1.7), "bilinear", &[]),
        call(&[1, 2, 4, 5], samples::ints(&[6, 3]), none(), "bicubic", &[flag(false)]),
        call(&[1, 2, 6, 5], samples::ints(&[3, 4]), none(), "bilinear", &[flag(false), none(), flag(true)]),
        call(&[1, 2, 3, 2, 3], samples::int(4), none(), "trilinear", &[]),
        call(&[1, 2, 5, 4], samples::int(3), none(), "area", &[]),
    ]
}

/// [`interpolate`](Tensor::interpolate) with mode `"nearest"`, as
/// `torch.nn.functional.upsample_nearest`.
#[op(
    composite,
    "upsample_nearest(Tensor self, int[]? size=None, float[]? scale_factor=None) -> Tensor",
    opmath,
    samples = || samples::calls([vec![samples::real(&[1, 2, 3, 4], -2.0, 2.0), samples::int(6)]])
)]
fn upsample_nearest(x: &Tensor, size: &OptionalInts, scale_factor: Option<&[f64]>) -> Result<Tensor> {
    x.interpolate(size.clone(), scale_factor, InterpolateMode::Nearest, None, None, false)
        .map_err(|error| error.in_op("upsample_nearest"))
}

/// [`interpolate`](Tensor::interpolate) of images with mode `"bilinear"` and `align_corners`, as
/// `torch.nn.functional.upsample_bilinear`.
#[op(
    composite,
    "upsample_bilinear(Tensor self, int[]? size=None, float[]? scale_factor=None) -> Tensor",
    opmath,
    samples = || samples::calls([vec![samples::real(&[1, 2, 3, 4], -2.0, 2.0), samples::int(5)]])
)]
fn upsample_bilinear(x: &Tensor, size: &OptionalInts, scale_factor: Option<&[f64]>) -> Result<Tensor> {
    x.interpolate(size.clone(), scale_factor, InterpolateMode::Bilinear, true, None, false)
        .map_err(|error| error.in_op("upsample_bilinear"))
}

pub(crate) static OPS: &[&Op] = &[&INTERPOLATE, &UPSAMPLE_NEAREST, &UPSAMPLE_BILINEAR];
