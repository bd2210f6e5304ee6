//! Pooling: reductions over windows that slide along the spatial dimensions.
//!
//! A pooling is one reduction whose operand has windows; padding is what lies outside of them. The gradient of a sum over windows adds, for every place of the
//! input, over the windows that have it: the same reduction in the other direction, and its own derivative is the first again. A maximum is such a
//! sum of the one place that each window's index names. Nothing is scattered, so the order of every addition is fixed.

use super::slide::{Slide, batched, per_dimension};
use crate::{
    DType, Error, Ints, Result, Tensor,
    autograd::{Derivative, attach},
    ops::{
        Op,
        pointwise::{common_device, launch},
    },
    samples::{self, Sample},
    scalar::OptionalInts,
};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    expr::{BinaryOp, Constant, Expr, Program, Type},
    kernel::{Epilogue, Operand, Reduce, ReduceOp, Scatter, ScatterOp},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// Windows over the spatial dimensions of `[N, C, *input]`, one for each place of `[N, C, *output]`.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub slides: Vec<Slide>,
}

/// Which places a sum over windows is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// For each output, over the places of its window.
    Gather,
    /// For each place of the input, over the outputs whose windows have it.
    Spread,
}

impl Direction {
    fn reversed(self) -> Direction {
        match self {
            Direction::Gather => Direction::Spread,
            Direction::Spread => Direction::Gather,
        }
    }
}

impl Windows {
    /// The sizes of what a sum in a direction results in, for a batch of channels of these sizes.
    fn result(&self, direction: Direction, lead: &[usize]) -> Shape {
        let size = |slide: &Slide| if direction == Direction::Gather { slide.output } else { slide.input };
        Shape::from_dims(lead.iter().copied().chain(self.slides.iter().map(size)))
    }

    fn kernel(&self) -> Shape {
        Shape::from_dims(self.slides.iter().map(|slide| slide.kernel))
    }

    /// `x` as an operand over the result in a direction and the places of the window.
    fn operand(&self, x: &Tensor, direction: Direction, outside: Constant) -> Operand {
        let result = self.result(direction, &x.shape()[..2]);
        let (spatial, kernel) = (self.slides.len(), self.kernel());
        let space = Shape::from_dims(result.iter().chain(kernel.iter()).copied());
        let rank = space.rank();
        let lead = x.stride()[..2].iter().copied();
        let layout = Layout::new(space, lead.chain(std::iter::repeat_n(0, 2 * spatial)), x.storage_offset());
        let window = |(d, slide): (usize, &Slide)| {
            let (place, kernel, stride) = (2 + d, 2 + spatial + d, x.stride()[2 + d]);
            match direction {
                Direction::Gather => slide.over_input(rank, place, kernel, stride),
                Direction::Spread => slide.over_output(rank, place, kernel, stride),
            }
        };
        let windows = self.slides.iter().enumerate().map(window).collect();
        Operand { windows, outside, ..Operand::new(x.dtype(), layout) }
    }

    /// A tensor of the outputs as an operand that does not vary within a window.
    fn of_output(&self, x: &Tensor) -> Operand {
        let kernel = self.kernel();
        let space = Shape::from_dims(x.shape().iter().chain(kernel.iter()).copied());
        let strides = x.stride().iter().copied().chain(std::iter::repeat_n(0, kernel.rank()));
        Operand::new(x.dtype(), Layout::new(space, strides, x.storage_offset()))
    }

    /// Records a reduction over windows, without a derivative.
    fn reduce(&self, op: &'static str, how: ReduceOp, read: &[(&Tensor, Operand)], direction: Direction, value: &Expr) -> Tensor {
        let x = read[0].0;
        let outer = self.result(direction, &x.shape()[..2]);
        let dtype = if how.is_index() { DType::I32 } else { x.dtype() };
        let kernel = Reduce {
            outer: outer.clone(),
            inner: self.kernel(),
            inputs: read.iter().map(|(_, operand)| operand.clone()).collect(),
            params: vec![],
            prologue: Program::new(std::slice::from_ref(value)),
            op: how,
            epilogue: Epilogue::store(dtype.into(), dtype),
        };
        let values = read.iter().map(|(tensor, _)| tensor.value()).collect();
        let mut outputs = x.device().record(op, Kernel::Reduce(kernel), None, values, vec![]);
        Tensor::from_value(x.device(), outputs.pop().expect("a reduction has one output"), outer)
    }

    /// The largest value of each window, or the place in the window of the first one.
    fn largest(&self, op: &'static str, x: &Tensor, how: ReduceOp) -> Tensor {
        let operand = self.operand(x, Direction::Gather, lowest(x.dtype()));
        self.reduce(op, how, &[(x, operand)], Direction::Gather, &Expr::input(0, x.dtype().into()))
    }
}

/// What no element is below.
fn lowest(dtype: DType) -> Constant {
    let value = match dtype {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => f64::NEG_INFINITY,
        DType::I64 => i64::MIN as f64,
        DType::I32 => f64::from(i32::MIN),
        DType::U8 | DType::Bool => 0.0,
    };
    Constant::new(value, dtype.into())
}

/// The sums over windows in a direction; with an `index`, int32 of the outputs' shape, of the one place of each window that it names.
pub(crate) fn sum_windows(
    op: &'static str,
    x: &Tensor,
    windows: &Rc<Windows>,
    index: Option<&Tensor>,
    direction: Direction,
) -> Tensor {
    let zero = Constant::new(0.0, x.dtype().into());
    let mut read = vec![(x, windows.operand(x, direction, zero))];
    let mut value = Expr::input(0, x.dtype().into());
    if let Some(index) = index {
        let operand = match direction {
            Direction::Gather => windows.of_output(index),
            Direction::Spread => windows.operand(index, direction, Constant::I32(-1)),
        };
        read.push((index, operand));
        let places = Expr::constant(windows.kernel().elements() as f64, Type::U32);
        let place = Expr::index().binary(BinaryOp::Rem, places).cast(Type::I32);
        value = Expr::input(1, Type::I32).equal(place).select(value, 0.0);
    }
    let output = windows.reduce(op, ReduceOp::Sum, &read, direction, &value);
    let windows = windows.clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        Ok(vec![Some(sum_windows("pool_backward", grad, &windows, saved.first(), direction.reversed()))])
    });
    attach(op, &output, &[x], index.as_slice(), derivative);
    output
}

/// What poolings take, as the schemas have it.
pub(crate) struct Pool<'a> {
    pub kernel: &'a Ints,
    /// Empty for the size of the kernel.
    pub stride: &'a Ints,
    pub padding: &'a Ints,
    pub dilation: &'a Ints,
    /// Whether a window that begins inside and ends outside counts.
    pub ceil_mode: bool,
}

impl Pool<'_> {
    /// The windows over an input of the given spatial sizes.
    pub fn windows(&self, op: &str, input: &[usize]) -> Result<Rc<Windows>> {
        let rank = input.len();
        let kernel = per_dimension(op, "kernel_size", self.kernel, rank, 1)?;
        let padding = per_dimension(op, "padding", self.padding, rank, 0)?;
        let dilation = per_dimension(op, "dilation", self.dilation, rank, 1)?;
        let stride = if self.stride.is_empty() { kernel.clone() } else { per_dimension(op, "stride", self.stride, rank, 1)? };
        let slides = (0..rank).map(|d| {
            let slide = Slide {
                input: input[d],
                kernel: kernel[d],
                output: 0,
                stride: stride[d],
                padding: padding[d],
                dilation: dilation[d],
            };
            if 2 * slide.padding > slide.reach() {
                let (padding, reach) = (slide.padding, slide.reach());
                return Err(Error::argument(op, format!("padding must be at most half of the kernel, not {padding} of {reach}")));
            }
            let Some(room) = (slide.input + 2 * slide.padding).checked_sub(slide.reach()).filter(|_| slide.input > 0) else {
                let (reach, padding) = (slide.reach(), slide.padding);
                let message =
                    format!("a kernel that reaches {reach} places, padding {padding}, leaves no output of spatial sizes {input:?}");
                return Err(Error::shape(op, message));
            };
            let output = if self.ceil_mode { room.div_ceil(slide.stride) } else { room / slide.stride } + 1;
            // The last window must begin inside of the input or its left padding.
            let outside = self.ceil_mode && (output - 1) * slide.stride >= slide.input + slide.padding;
            Ok(Slide { output: output - usize::from(outside), ..slide })
        });
        Ok(Rc::new(Windows { slides: slides.collect::<Result<_>>()? }))
    }
}

fn max_pool(op: &'static str, spatial: usize, x: &Tensor, pool: &Pool<'_>) -> Result<Tensor> {
    batched(op, x, spatial, |x| {
        if x.shape()[1] == 0 {
            return Err(Error::shape(op, format!("an input of shape {} has no channels", x.shape())));
        }
        let windows = pool.windows(op, &x.shape()[2..])?;
        let output = windows.largest(op, x, ReduceOp::Max);
        let derivative: Derivative = Rc::new(move |grad, saved| {
            let index = windows.largest("max_pool_backward", &saved[0], ReduceOp::ArgMax);
            Ok(vec![Some(sum_windows("max_pool_backward", grad, &windows, Some(&index), Direction::Spread))])
        });
        attach(op, &output, &[x], &[x], derivative);
        Ok(output)
    })
}

/// How a pooling is laid over one spatial dimension, for the places of its largest values.
pub(crate) struct Laid {
    /// The size of the input.
    pub input: usize,
    /// The places of a window.
    pub kernel: usize,
    /// How many windows there are.
    pub output: usize,
}

/// The places in the flattened input, int32, of which `local` names the place in their window. `along` says for dimension `d` which place of the input is
/// place `k` of window `o` (all int32, with numbers by the last function, so that shaders do not depend on them).
pub(crate) fn places(
    op: &'static str,
    local: &Tensor,
    laid: &[Laid],
    along: impl Fn(usize, Expr, Expr, &mut dyn FnMut(usize) -> Expr) -> Expr,
) -> Result<Tensor> {
    let mut params = Vec::new();
    let mut number = |value: usize| {
        params.push(Constant::I32(value as i32));
        Expr::param(params.len() - 1, Type::I32)
    };
    let (mut window, mut within) = (Expr::index().cast(Type::I32), Expr::input(0, Type::I32));
    let (mut place, mut below) = (None, 1);
    for (d, laid) in laid.iter().enumerate().rev() {
        let (outputs, kernel) = (number(laid.output), number(laid.kernel));
        let (o, k) = (window.remainder(&outputs), within.remainder(&kernel));
        (window, within) = (window / outputs, within / kernel);
        let here = along(d, o, k, &mut number);
        place = Some(match place {
            Some(place) => here * number(below) + place,
            None => here,
        });
        below *= laid.input;
    }
    let place = place.unwrap_or(within).simplify();
    launch(op, &place, std::slice::from_ref(local), &params, DType::I32, local.shape(), local.device())
}

/// The largest values and their places in the flattened input.
pub(crate) fn max_pool_with_indices(op: &'static str, spatial: usize, x: &Tensor, pool: &Pool<'_>) -> Result<(Tensor, Tensor)> {
    let values = max_pool(op, spatial, x, pool)?;
    let indices = batched(op, x, spatial, |x| {
        let windows = pool.windows(op, &x.shape()[2..])?;
        let local = windows.largest(op, &x.detach(), ReduceOp::ArgMax);
        let slides = &windows.slides;
        let laid: Vec<Laid> =
            slides.iter().map(|slide| Laid { input: slide.input, kernel: slide.kernel, output: slide.output }).collect();
        places(op, &local, &laid, |d, o, k, number| {
            let slide = &slides[d];
            o * number(slide.stride) + k * number(slide.dilation) - number(slide.padding)
        })
    })?;
    Ok((values, indices))
}

/// Samples of poolings over an input of these spatial sizes.
fn pools(input: &[i64]) -> Vec<Sample> {
    let x = |lead: &[i64]| samples::real(&[lead, input].concat(), -2.0, 2.0);
    samples::calls([
        vec![x(&[2, 3]), samples::int(2)],
        vec![x(&[3]), samples::int(3), samples::int(2), samples::int(1)],
        vec![x(&[2, 2]), samples::int(2), samples::int(1), samples::int(1), samples::int(2)],
        vec![x(&[1, 2]), samples::int(3), samples::int(2), samples::int(0), samples::int(1), samples::flag(true)],
    ])
}

/// The largest value of each window along one dimension, as `torch.nn.functional.max_pool1d`; see [`max_pool2d`](Tensor::max_pool2d).
///
/// `x: [N, C, L]` or `[C, L]`.
#[op(
    composite,
    "max_pool1d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False) -> Tensor",
    samples = || pools(&[8])
)]
fn max_pool1d(x: &Tensor, kernel_size: &Ints, stride: &Ints, padding: &Ints, dilation: &Ints, ceil_mode: bool) -> Result<Tensor> {
    max_pool("max_pool1d", 1, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// The largest value of each window of an image, as `torch.nn.functional.max_pool2d`. NaN if any value is; the gradient goes to the first largest.
///
/// `x: [N, C, H, W]` or `[C, H, W]`; the result is `[N, C, H', W']` with `H' = (H + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1`, rounded up with
/// `ceil_mode`. `stride` is `kernel_size` where it is not given. Padding is lower than everything.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0.0, 16.0, 1)?.reshape([1, 1, 4, 4])?;
/// let y = x.max_pool2d(2, [], 0, 1, false)?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [5.0, 7.0, 13.0, 15.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "max_pool2d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False) -> Tensor",
    samples = || {
        let mut all = pools(&[8, 7]);
        all.extend(samples::calls([
            vec![samples::tensor(&[2, 2, 5, 6], DType::I32, -9.0, 9.0), samples::ints(&[3, 2]), samples::ints(&[1, 2]), samples::ints(&[1, 0])],
            vec![samples::tensor(&[1, 2, 4, 4], DType::U8, 0.0, 9.0), samples::int(2), samples::int(1), samples::int(1)],
        ]));
        all
    }
)]
fn max_pool2d(x: &Tensor, kernel_size: &Ints, stride: &Ints, padding: &Ints, dilation: &Ints, ceil_mode: bool) -> Result<Tensor> {
    max_pool("max_pool2d", 2, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// The largest value of each window of a volume, as `torch.nn.functional.max_pool3d`; see [`max_pool2d`](Tensor::max_pool2d).
///
/// `x: [N, C, D, H, W]` or `[C, D, H, W]`.
#[op(
    composite,
    "max_pool3d(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False) -> Tensor",
    samples = || pools(&[4, 5, 4])
)]
fn max_pool3d(x: &Tensor, kernel_size: &Ints, stride: &Ints, padding: &Ints, dilation: &Ints, ceil_mode: bool) -> Result<Tensor> {
    max_pool("max_pool3d", 3, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// The overload with places is chosen by asking for them.
pub(crate) fn check_asked(op: &str, return_indices: bool) -> Result<()> {
    if return_indices {
        return Ok(());
    }
    Err(Error::argument(op, "return_indices is true here; leave it out for the values alone"))
}

/// [`max_pool1d`](Tensor::max_pool1d) with the places of the values in the input (int32), what `return_indices=True` gives.
#[op(
    composite,
    "max_pool1d.with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False, bool return_indices=True) -> (Tensor values, Tensor indices)",
    samples = || pools(&[8])
)]
fn max_pool1d_with_indices(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    ceil_mode: bool,
    return_indices: bool,
) -> Result<(Tensor, Tensor)> {
    check_asked("max_pool1d", return_indices)?;
    max_pool_with_indices("max_pool1d", 1, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// [`max_pool2d`](Tensor::max_pool2d) with the places of the values in the flattened image (int32), what `return_indices=True` gives.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0.0, 16.0, 1)?.reshape([1, 1, 4, 4])?;
/// let (_, indices) = x.max_pool2d_with_indices(2, [], 0, 1, false, true)?;
/// assert_eq!(pollster::block_on(indices.to_vec::<i32>())?, [5, 7, 13, 15]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    composite,
    "max_pool2d.with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False, bool return_indices=True) -> (Tensor values, Tensor indices)",
    samples = || pools(&[8, 7])
)]
fn max_pool2d_with_indices(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    ceil_mode: bool,
    return_indices: bool,
) -> Result<(Tensor, Tensor)> {
    check_asked("max_pool2d", return_indices)?;
    max_pool_with_indices("max_pool2d", 2, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// [`max_pool3d`](Tensor::max_pool3d) with the places of the values in the flattened volume (int32), what `return_indices=True` gives.
#[op(
    composite,
    "max_pool3d.with_indices(Tensor self, int[] kernel_size, int[] stride=[], int[] padding=0, int[] dilation=1, bool ceil_mode=False, bool return_indices=True) -> (Tensor values, Tensor indices)",
    samples = || pools(&[4, 5, 4])
)]
fn max_pool3d_with_indices(
    x: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    dilation: &Ints,
    ceil_mode: bool,
    return_indices: bool,
) -> Result<(Tensor, Tensor)> {
    check_asked("max_pool3d", return_indices)?;
    max_pool_with_indices("max_pool3d", 3, x, &Pool { kernel: kernel_size, stride, padding, dilation, ceil_mode })
}

/// The values at their places in zeros of the unpooled size: the inverse of a maximum pooling, but for what that dropped.
fn max_unpool(
    op: &'static str,
    spatial: usize,
    (x, indices): (&Tensor, &Tensor),
    [kernel, stride, padding]: [&Ints; 3],
    output_size: &OptionalInts,
) -> Result<Tensor> {
    let indices = &super::index::as_index(op, indices)?;
    if indices.shape() != x.shape() {
        return Err(Error::shape(op, format!("indices of shape {} for an input of shape {}", indices.shape(), x.shape())));
    }
    common_device(op, &[x.clone(), indices.clone()])?;
    batched(op, x, spatial, |x| {
        let kernel = per_dimension(op, "kernel_size", kernel, spatial, 1)?;
        let stride = if stride.is_empty() { kernel.clone() } else { per_dimension(op, "stride", stride, spatial, 1)? };
        let padding = per_dimension(op, "padding", padding, spatial, 0)?;
        let input = &x.shape()[2..];
        let natural = |d: usize| (input[d] as i64 - 1) * stride[d] as i64 - 2 * padding[d] as i64 + kernel[d] as i64;
        let given = output_size.as_slice().map(|sizes| &sizes[sizes.len().saturating_sub(spatial)..]);
        let sizes: Vec<i64> = match given {
            Some(sizes) => sizes.to_vec(),
            None => (0..spatial).map(natural).collect(),
        };
        let near = |d: usize| sizes[d] > 0 && (sizes[d] - natural(d)).abs() < stride[d] as i64;
        if sizes.len() != spatial || !(0..spatial).all(|d| near(d) || (given.is_none() && sizes[d] > 0)) {
            let message = format!("an input of shape {} is not pooled from spatial sizes {sizes:?}", x.shape());
            return Err(Error::shape(op, message));
        }
        let lead = [x.shape()[0] as i64, x.shape()[1] as i64];
        let count = input.iter().product::<usize>() as i64;
        let flat = Shape::new(op, &[lead[0], lead[1], sizes.iter().product()])?;
        let values = x.reshape([lead[0], lead[1], count])?;
        let output = set_along(op, &values, &indices.reshape([lead[0], lead[1], count])?, &flat)?;
        output.reshape([&lead[..], &sizes].concat())
    })
}

/// Zeros of a shape with `src` set at `index` along dimension 2; what comes to one place last stays, and all get its gradient, as PyTorch has it.
fn set_along(op: &'static str, src: &Tensor, index: &Tensor, shape: &Shape) -> Result<Tensor> {
    let kernel = Scatter {
        shape: index.shape().clone(),
        dim: 2,
        dtype: src.dtype(),
        op: ScatterOp::Set,
        source: src.layout().clone(),
        index: index.layout().clone(),
        output: shape.clone(),
    };
    let device = src.device();
    let zeros = Tensor::zeros_with(shape, src.dtype(), Some(device))?;
    let base = Some(zeros.materialized()?);
    let mut outputs = device.record(op, Kernel::Scatter(kernel), base, vec![src.value(), index.value()], vec![]);
    let output = Tensor::from_value(device, outputs.pop().expect("a scatter has one output"), shape.clone());
    let derivative: Derivative = Rc::new(move |grad, saved| Ok(vec![Some(grad.gather(2, &saved[0])?)]));
    attach(op, &output, &[src], &[index], derivative);
    Ok(output)
}

/// A value for each channel, and its place in a dimension or more of `size` places.
fn unpoolings(spatial: usize, size: i64) -> Vec<Sample> {
    let shape = [&[2, 3][..], &vec![1; spatial]].concat();
    samples::calls([vec![samples::real(&shape, -2.0, 2.0), samples::index(&shape, size), samples::int(2)]])
}

/// The inverse of [`max_pool1d`](Tensor::max_pool1d), but for what that dropped; see [`max_unpool2d`](Tensor::max_unpool2d).
#[op(
    composite,
    "max_unpool1d(Tensor self, Tensor indices, int[] kernel_size, int[] stride=[], int[] padding=0, int[]? output_size=None) -> Tensor",
    samples = || unpoolings(1, 2)
)]
fn max_unpool1d(
    x: &Tensor,
    indices: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    output_size: &OptionalInts,
) -> Result<Tensor> {
    max_unpool("max_unpool1d", 1, (x, indices), [kernel_size, stride, padding], output_size)
}

/// The inverse of [`max_pool2d`](Tensor::max_pool2d), but for what that dropped, as `torch.nn.functional.max_unpool2d`: zeros with the values at their `indices`.
///
/// `self` and `indices`: `[N, C, H, W]` or `[C, H, W]`. A pooling may round sizes off: `output_size` says which one it was, alone or as a whole shape.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, 4.0, 3.0, 2.0], [1, 2, 2], &device)?;
/// let (values, indices) = x.max_pool2d_with_indices(2, [], 0, 1, false, true)?;
/// let y = values.max_unpool2d(&indices, 2, [], 0, ())?;
/// assert_eq!(pollster::block_on(y.to_vec::<f32>())?, [0.0, 4.0, 0.0, 0.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "max_unpool2d(Tensor self, Tensor indices, int[] kernel_size, int[] stride=[], int[] padding=0, int[]? output_size=None) -> Tensor",
    samples = || unpoolings(2, 4)
)]
fn max_unpool2d(
    x: &Tensor,
    indices: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    output_size: &OptionalInts,
) -> Result<Tensor> {
    max_unpool("max_unpool2d", 2, (x, indices), [kernel_size, stride, padding], output_size)
}

/// The inverse of [`max_pool3d`](Tensor::max_pool3d), but for what that dropped; see [`max_unpool2d`](Tensor::max_unpool2d).
#[op(
    composite,
    "max_unpool3d(Tensor self, Tensor indices, int[] kernel_size, int[] stride=[], int[] padding=0, int[]? output_size=None) -> Tensor",
    samples = || unpoolings(3, 8)
)]
fn max_unpool3d(
    x: &Tensor,
    indices: &Tensor,
    kernel_size: &Ints,
    stride: &Ints,
    padding: &Ints,
    output_size: &OptionalInts,
) -> Result<Tensor> {
    max_unpool("max_unpool3d", 3, (x, indices), [kernel_size, stride, padding], output_size)
}

pub(crate) static OPS: &[&Op] = &[
    &MAX_POOL1D,
    &MAX_POOL2D,
    &MAX_POOL3D,
    &MAX_POOL1D_WITH_INDICES,
    &MAX_POOL2D_WITH_INDICES,
    &MAX_POOL3D_WITH_INDICES,
    &MAX_UNPOOL1D,
    &MAX_UNPOOL2D,
    &MAX_UNPOOL3D,
];
