//! Sliding windows as dimensions of a tensor, and the sum that folds them back.
//!
//! `im2col` reads an operand with bounds-checked windows; `col2im` sums, for every position of the
//! input, over the windows that contain it. Each is the derivative of the other.

use super::{
    sliding_window::{Slide, batched, per_dimension},
    view::{alias, load},
};
use crate::{Error, Ints, Result, Shape, Tensor, autograd::attach, batch, ops::Op, samples};
use lanthorn_ir::{
    Kernel, Layout,
    expr::{Expr, Program},
    kernel::{Epilogue, Operand, Reduce, ReduceOp},
};
use lanthorn_macros::op;
use std::rc::Rc;

type Slides = Rc<[Slide]>;

fn sizes(slides: &[Slide], size: impl Fn(&Slide) -> usize) -> impl Iterator<Item = usize> {
    slides.iter().map(size)
}

/// The windows over `x: [N, C, *input]`, as `[N, C, *kernel, *output]`.
fn spread(x: &Tensor, slides: &Slides) -> Tensor {
    let spatial = slides.len();
    let lead = x.shape()[..2].iter().copied();
    let windows = sizes(slides, |slide| slide.kernel).chain(sizes(slides, |slide| slide.output));
    let shape = Shape::from_dims(lead.chain(windows));
    let rank = shape.rank();
    let strides = x.stride()[..2].iter().copied().chain(std::iter::repeat_n(0, 2 * spatial));
    let layout = Layout::new(shape, strides, x.storage_offset());
    let window = |(d, slide): (usize, &Slide)| slide.over_input(rank, 2 + spatial + d, 2 + d, x.stride()[2 + d]);
    let windows = slides.iter().enumerate().map(window).collect();
    let output = load("im2col", x, Operand { bounded: windows, ..Operand::new(x.dtype(), layout) });
    let slides = slides.clone();
    attach("im2col", &output, &[x], &[], Rc::new(move |grad, _| Ok(vec![Some(gather_windows(grad, &slides))])));
    output
}

/// The windows `x: [N, C, *kernel, *output]` summed at their positions in the input, as
/// `[N, C, *input]`.
fn gather_windows(x: &Tensor, slides: &Slides) -> Tensor {
    let (spatial, dtype) = (slides.len(), x.dtype());
    let lead = x.shape()[..2].iter().copied();
    let outer = Shape::from_dims(lead.chain(sizes(slides, |slide| slide.input)));
    let inner = Shape::from_dims(sizes(slides, |slide| slide.kernel));
    let space = Shape::from_dims(outer.iter().chain(inner.iter()).copied());
    let rank = space.rank();
    let strides = x.stride()[..2].iter().copied().chain(std::iter::repeat_n(0, spatial));
    let layout = Layout::new(space, strides.chain(x.stride()[2..][..spatial].iter().copied()), x.storage_offset());
    let window =
        |(d, slide): (usize, &Slide)| slide.over_output(rank, 2 + d, 2 + spatial + d, x.stride()[2 + spatial + d]);
    let windows = slides.iter().enumerate().map(window).collect();
    let kernel = Reduce {
        indices: vec![],
        outer: outer.clone(),
        inner,
        inputs: vec![Operand { bounded: windows, ..Operand::new(dtype, layout) }],
        params: vec![],
        prologue: Program::new(&[Expr::input(0, dtype.into())]),
        op: ReduceOp::Sum,
        epilogue: Epilogue::store(dtype.into(), dtype),
    };
    let mut outputs = batch::record(x.device(), "col2im", Kernel::Reduce(kernel), None, vec![x.value()], vec![]);
    let output = Tensor::from_value(x.device(), outputs.pop().expect("a reduction has one output"), outer);
    let slides = slides.clone();
    attach("col2im", &output, &[x], &[], Rc::new(move |grad, _| Ok(vec![Some(spread(grad, &slides))])));
    output
}

/// Checks the arguments of im2col and col2im for an image of sizes `input`, and returns its
/// windows.
fn slides(op: &str, input: &[usize], kernel: &Ints, dilation: &Ints, padding: &Ints, stride: &Ints) -> Result<Slides> {
    let rank = input.len();
    let kernel = per_dimension(op, "kernel_size", kernel, rank, 1)?;
    let dilation = per_dimension(op, "dilation", dilation, rank, 1)?;
    let padding = per_dimension(op, "padding", padding, rank, 0)?;
    let stride = per_dimension(op, "stride", stride, rank, 1)?;
    let slides = (0..rank).map(|d| {
        let (kernel, padding, stride, dilation) = (kernel[d], padding[d], stride[d], dilation[d]);
        let slide = Slide { input: input[d], kernel, output: 0, stride, padding, dilation };
        let reach = dilation.saturating_mul(kernel - 1).saturating_add(1);
        let Some(room) = input[d].saturating_add(padding.saturating_mul(2)).checked_sub(reach) else {
            let message = format!(
                "a window that reaches {reach} positions has no room in spatial sizes {input:?}, padding {padding}"
            );
            return Err(Error::shape(op, message));
        };
        Ok(Slide { output: room / stride + 1, ..slide })
    });
    slides.collect()
}

/// The sliding windows of an image as columns, as `torch.nn.functional.unfold`.
///
/// Shapes: `self: [N, C, H, W]` or `[C, H, W]`, `result: [N, C * KH * KW, L]` or `[C * KH * KW, L]`
/// with `L = H_out * W_out` windows,
/// `H_out = floor((H + 2 padding - dilation (KH - 1) - 1) / stride) + 1`, and `W_out` likewise.
/// `kernel_size`, `dilation`, `padding` and `stride` are one number, or one a dimension. The
/// product of a convolution's weight, as a matrix, with the columns is the convolution.
///
/// Errors: `shape` if `self` does not have three or four dimensions or is smaller than the window;
/// `argument` if an argument has another number of elements, or one that is too small: `padding`
/// below 0, the others below 1.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0.0, 9.0, 1)?.reshape([1, 3, 3])?;
/// let columns = x.im2col(2, 1, 0, 1)?;
/// assert_eq!(pollster::block_on(columns.select(1, 0)?.to_vec::<f32>())?, [0.0, 1.0, 3.0, 4.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "im2col(Tensor self, int[] kernel_size, int[] dilation=1, int[] padding=0, int[] stride=1) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[2, 2, 4, 5], -2.0, 2.0), samples::int(2)],
        vec![samples::real(&[2, 5, 4], -2.0, 2.0), samples::ints(&[2, 3]), samples::ints(&[2, 1]), samples::ints(&[1, 2]), samples::int(2)],
        vec![samples::real(&[0, 1, 3, 3], -2.0, 2.0), samples::int(2)],
    ])
)]
fn im2col(x: &Tensor, kernel_size: &Ints, dilation: &Ints, padding: &Ints, stride: &Ints) -> Result<Tensor> {
    let op = "im2col";
    batched(op, x, 2, |x| {
        let slides = slides(op, &x.shape()[2..], kernel_size, dilation, padding, stride)?;
        let rows = x.shape()[1] as i64 * sizes(&slides, |slide| slide.kernel).map(|size| size as i64).product::<i64>();
        let count = sizes(&slides, |slide| slide.output).product::<usize>();
        let shape = Shape::new(op, &[x.shape()[0] as i64, rows, count as i64])?;
        spread(x, &slides).reshape(&shape)
    })
}

/// The columns of [`im2col`](Tensor::im2col) added up at their positions in an image, as
/// `torch.nn.functional.fold`.
///
/// Shapes: `self: [N, C * KH * KW, L]` or `[C * KH * KW, L]`, `result: [N, C, H, W]` or `[C, H, W]`
/// with `output_size` `[H, W]`; `L` is the number of windows, as of [`im2col`](Tensor::im2col).
///
/// Errors: `shape` if the sizes of `self` do not fit the windows, or `output_size` is smaller than
/// the window; `argument` if an argument has another number of elements than one or two, or one
/// that is too small.
#[op(
    leaf,
    "col2im(Tensor self, int[] output_size, int[] kernel_size, int[] dilation=1, int[] padding=0, int[] stride=1) -> Tensor",
    aliases = ["fold"],
    samples = || samples::calls([
        vec![samples::real(&[2, 8, 12], -2.0, 2.0), samples::ints(&[4, 5]), samples::int(2)],
        vec![
            samples::real(&[6, 6], -2.0, 2.0),
            samples::ints(&[5, 4]),
            samples::ints(&[2, 3]),
            samples::ints(&[2, 1]),
            samples::ints(&[1, 0]),
            samples::ints(&[2, 1]),
        ],
    ])
)]
fn col2im(
    x: &Tensor,
    output_size: &Ints,
    kernel_size: &Ints,
    dilation: &Ints,
    padding: &Ints,
    stride: &Ints,
) -> Result<Tensor> {
    let op = "col2im";
    batched(op, x, 1, |x| {
        let image = per_dimension(op, "output_size", output_size, 2, 1)?;
        let slides = slides(op, &image, kernel_size, dilation, padding, stride)?;
        let kernel: usize = sizes(&slides, |slide| slide.kernel).product();
        let count: usize = sizes(&slides, |slide| slide.output).product();
        let (batch, rows, columns) = (x.shape()[0], x.shape()[1], x.shape()[2]);
        if rows % kernel != 0 || columns != count {
            let message =
                format!("{count} windows of {kernel} positions do not fit into columns of shape {}", x.shape());
            return Err(Error::shape(op, message));
        }
        let channels = rows / kernel;
        Shape::new(op, &[batch, channels, image[0], image[1]].map(|size| size as i64))?;
        let lead = [batch, channels].into_iter();
        let parts = lead.chain(sizes(&slides, |slide| slide.kernel)).chain(sizes(&slides, |slide| slide.output));
        Ok(gather_windows(&x.reshape(parts.map(|size| size as i64).collect::<Vec<_>>())?, &slides))
    })
}

/// The windows of `size` elements that begin at every `step`-th element of dimension `dimension`,
/// as a view. The elements of a window are the last dimension.
///
/// Shapes: `self: [*, n, *]`, `result: [*, k, *, size]` with `k = floor((n - size) / step) + 1`.
///
/// Errors: `index` if `dimension` is out of range; `argument` if `size` is negative or larger than
/// the dimension, or `step` is not positive.
///
/// Gradient: elements in several windows get the sum of their gradients.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::arange(0, 5, 1)?;
/// assert_eq!(pollster::block_on(x.unfold(0, 3, 2)?.to_vec::<i32>())?, [0, 1, 2, 2, 3, 4]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(
    leaf,
    "unfold(Tensor self, int dimension, int size, int step) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[7], -2.0, 2.0), samples::int(0), samples::int(3), samples::int(2)],
        vec![samples::real(&[2, 5, 3], -2.0, 2.0), samples::int(1), samples::int(2), samples::int(1)],
        vec![samples::real(&[], -2.0, 2.0), samples::int(0), samples::int(1), samples::int(1)],
    ])
)]
fn unfold(x: &Tensor, dimension: i64, size: i64, step: i64) -> Result<Tensor> {
    let d = x.shape().dim("unfold", dimension)?;
    let (shape, strides) = (x.shape(), x.stride());
    let (extent, stride) = (shape.get(d).copied().unwrap_or(1), strides.get(d).copied().unwrap_or(1));
    let fitting = usize::try_from(size).ok().filter(|&size| size <= extent);
    let (Some(size), Some(step)) = (fitting, usize::try_from(step).ok().filter(|&step| step > 0)) else {
        let message =
            format!("windows of {size} elements every {step} do not fit into dimension {dimension} of shape {shape}");
        return Err(Error::argument("unfold", message));
    };
    let count = (extent - size) / step + 1;
    // A step larger than the dimension is never taken, so it is limited to avoid overflow.
    let step = step.min(extent.max(1));
    let mut parts: Vec<i64> = shape.to_i64();
    let mut steps: Vec<isize> = strides.to_vec();
    if let (Some(part), Some(along)) = (parts.get_mut(d), steps.get_mut(d)) {
        (*part, *along) = (count as i64, stride * step as isize);
    }
    parts.push(size as i64);
    steps.push(stride);
    let layout = Layout::new(Shape::new("unfold", &parts)?, steps, x.storage_offset());
    let slide = Slide { input: extent, kernel: size, output: count, stride: step, padding: 0, dilation: 1 };
    let from = shape.clone();
    Ok(alias("unfold", x, layout, move |grad| fold(grad, d, slide, &from)))
}

/// The windows of `unfold` added up at their positions in a tensor of `shape`.
fn fold(grad: &Tensor, d: usize, slide: Slide, shape: &Shape) -> Result<Tensor> {
    if shape.rank() == 0 || slide.kernel == 0 {
        return grad.sum_to_size([])?.expand(shape);
    }
    // The windowed dimension last, the elements of a window before it, all others as channels.
    let rank = shape.rank();
    let order = (0..rank).filter(|&other| other != d).chain([rank, d]).map(|d| d as i64);
    let others: usize = shape.iter().enumerate().filter(|(other, _)| *other != d).map(|(_, &size)| size).product();
    let columns = grad.permute(order.collect::<Vec<_>>())?;
    let columns = columns.reshape([1, others as i64, slide.kernel as i64, slide.output as i64])?;
    let mut parts = shape.to_i64();
    let last = parts.remove(d);
    parts.push(last);
    let mut back: Vec<i64> = (0..rank as i64 - 1).collect();
    back.insert(d, rank as i64 - 1);
    gather_windows(&columns, &Rc::from([slide])).reshape(parts)?.permute(back)
}

pub(crate) static OPS: &[&Op] = &[&IM2COL, &COL2IM, &UNFOLD];
