//! Pooling: reductions over windows that slide along the spatial dimensions.
//!
//! A pooling is one reduction whose operand has bounds-checked affine indices; padding is out of
//! bounds. The gradient of a sum over windows adds, for every input position, over the windows that
//! contain it: the same reduction in the other direction, whose derivative is the first again. The
//! gradient of a maximum is such a sum restricted to the one tap that the index of each window
//! names. Nothing is scattered, so the order of every addition is fixed.

pub(crate) mod max;
pub(crate) mod unpool;

use super::sliding_window::{Slide, per_dimension};
use crate::{
    DType, Error, Ints, Result, Tensor,
    autograd::{Derivative, attach},
    batch,
};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    expr::{Constant, Expr, Program, Type},
    kernel::{AffineIndex, Epilogue, Map, Operand, Reduce, ReduceOp},
};
use std::rc::Rc;

/// Windows over the spatial dimensions of `[N, C, *input]`, one for each position of
/// `[N, C, *output]`.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    pub slides: Vec<Slide>,
}

/// The positions that a sum over windows is computed for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// For each output position, over the taps of its window.
    Gather,
    /// For each input position, over the outputs whose windows contain it.
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
    /// The shape of a sum in a direction, for a batch of channels of these sizes.
    fn result(&self, direction: Direction, lead: &[usize]) -> Shape {
        let size = |slide: &Slide| if direction == Direction::Gather { slide.output } else { slide.input };
        Shape::from_dims(lead.iter().copied().chain(self.slides.iter().map(size)))
    }

    /// Whether the windows tile the input, so that each position is in exactly one window.
    fn are_apart(&self) -> bool {
        let is_apart = |slide: &Slide| {
            slide.stride == slide.kernel
                && slide.dilation == 1
                && slide.padding == 0
                && slide.output * slide.kernel == slide.input
        };
        self.slides.iter().all(is_apart)
    }

    fn kernel(&self) -> Shape {
        Shape::from_dims(self.slides.iter().map(|slide| slide.kernel))
    }

    /// `x` as an operand over the result in a direction and the taps of the window.
    fn operand(&self, x: &Tensor, direction: Direction, outside: Constant) -> Operand {
        let result = self.result(direction, &x.shape()[..2]);
        let (spatial, kernel) = (self.slides.len(), self.kernel());
        let space = Shape::from_dims(result.iter().chain(kernel.iter()).copied());
        let rank = space.rank();
        let lead = x.stride()[..2].iter().copied();
        let layout = Layout::new(space, lead.chain(std::iter::repeat_n(0, 2 * spatial)), x.storage_offset());
        let window = |(d, slide): (usize, &Slide)| {
            let (position, kernel, stride) = (2 + d, 2 + spatial + d, x.stride()[2 + d]);
            match direction {
                Direction::Gather => slide.over_input(rank, position, kernel, stride),
                Direction::Spread => slide.over_output(rank, position, kernel, stride),
            }
        };
        let windows = self.slides.iter().enumerate().map(window).collect();
        Operand { bounded: windows, outside, ..Operand::new(x.dtype(), layout) }
    }

    /// The coordinate within the window, whose dimensions follow this many others.
    fn position(&self, before: usize) -> AffineIndex {
        let within = self.kernel().contiguous_strides();
        AffineIndex { steps: std::iter::repeat_n(0, before).chain(within).collect(), start: 0 }
    }

    /// A tensor of the outputs as an operand that does not vary within a window.
    fn of_output(&self, x: &Tensor) -> Operand {
        let kernel = self.kernel();
        let space = Shape::from_dims(x.shape().iter().chain(kernel.iter()).copied());
        let strides = x.stride().iter().copied().chain(std::iter::repeat_n(0, kernel.rank()));
        Operand::new(x.dtype(), Layout::new(space, strides, x.storage_offset()))
    }

    /// Records a reduction over windows, without a derivative.
    fn reduce(
        &self,
        op: &'static str,
        how: ReduceOp,
        read: &[(&Tensor, Operand)],
        direction: Direction,
        value: &Expr,
    ) -> Tensor {
        let x = read[0].0;
        let outer = self.result(direction, &x.shape()[..2]);
        let dtype = if how.is_index() { DType::I32 } else { x.dtype() };
        let prologue = Program::new(std::slice::from_ref(value));
        let indices = if prologue.uses_index() { vec![self.position(outer.rank())] } else { vec![] };
        let kernel = Reduce {
            outer: outer.clone(),
            inner: self.kernel(),
            inputs: read.iter().map(|(_, operand)| operand.clone()).collect(),
            indices,
            params: vec![],
            prologue,
            op: how,
            epilogue: Epilogue::store(dtype.into(), dtype),
        };
        let values = read.iter().map(|(tensor, _)| tensor.value()).collect();
        let mut outputs = batch::record(x.device(), op, Kernel::Reduce(kernel), None, values, vec![]);
        Tensor::from_value(x.device(), outputs.pop().expect("a reduction has one output"), outer)
    }

    /// The largest value of each window. Large windows that overlap are reduced along one dimension
    /// after the other, which reads fewer elements.
    fn largest_values(&self, op: &'static str, x: &Tensor) -> Tensor {
        let taps: usize = self.kernel().elements();
        let outputs: usize = self.slides.iter().map(|slide| slide.output).product();
        let passes = self.along_each();
        let reads = |pass: &Windows| {
            let elements: usize = pass.slides.iter().map(|slide| slide.output).product();
            elements * pass.kernel().elements()
        };
        if passes.len() < 2 || 2 * passes.iter().map(reads).sum::<usize>() >= outputs * taps {
            return self.largest(op, x, ReduceOp::Max);
        }
        passes.iter().fold(x.clone(), |x, pass| pass.largest(op, &x, ReduceOp::Max))
    }

    /// Windows of one dimension each, from the last dimension to the first, that together are these
    /// windows. A dimension whose windows are its elements has none.
    fn along_each(&self) -> Vec<Windows> {
        let whole = |size| Slide { input: size, kernel: 1, output: size, stride: 1, padding: 0, dilation: 1 };
        let pass = |along: usize| {
            let slide = |(d, slide): (usize, &Slide)| match d.cmp(&along) {
                std::cmp::Ordering::Less => whole(slide.input),
                std::cmp::Ordering::Equal => *slide,
                std::cmp::Ordering::Greater => whole(slide.output),
            };
            Windows { slides: self.slides.iter().enumerate().map(slide).collect() }
        };
        let changes = |slide: &Slide| slide.kernel > 1 || slide.output != slide.input;
        (0..self.slides.len()).rev().filter(|&d| changes(&self.slides[d])).map(pass).collect()
    }

    /// The largest value of each window, or the tap of the first one.
    fn largest(&self, op: &'static str, x: &Tensor, how: ReduceOp) -> Tensor {
        let operand = self.operand(x, Direction::Gather, Constant::new(x.dtype().range()[0], x.dtype().into()));
        self.reduce(op, how, &[(x, operand)], Direction::Gather, &Expr::input(0, x.dtype().into()))
    }
}

/// The sums over windows in a direction. With an `index`, int32 of the outputs' shape, only the one
/// tap of each window that it names contributes.
pub(crate) fn sum_windows(
    op: &'static str,
    x: &Tensor,
    windows: &Rc<Windows>,
    index: Option<&Tensor>,
    direction: Direction,
) -> Tensor {
    let output = match direction == Direction::Spread && windows.are_apart() {
        true => spread_apart(op, x, windows, index),
        false => sum_overlapping(op, x, windows, index, direction),
    };
    let windows = windows.clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        Ok(vec![Some(sum_windows("pool_backward", grad, &windows, saved.first(), direction.reversed()))])
    });
    attach(op, &output, &[x], index.as_slice(), derivative);
    output
}

/// [`sum_windows`] for any windows, without a derivative.
fn sum_overlapping(
    op: &'static str,
    x: &Tensor,
    windows: &Windows,
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
        value = Expr::input(1, Type::I32).equal(Expr::affine(0)).select(value, 0.0);
    }
    windows.reduce(op, ReduceOp::Sum, &read, direction, &value)
}

/// The sums of windows that tile the input: each position takes the value of its one window, so
/// this is a pointwise kernel over outputs and taps.
fn spread_apart(op: &'static str, x: &Tensor, windows: &Windows, index: Option<&Tensor>) -> Tensor {
    let sizes =
        x.shape()[..2].iter().copied().chain(windows.slides.iter().flat_map(|slide| [slide.output, slide.kernel]));
    let shape = Shape::from_dims(sizes);
    let operand = |x: &Tensor| {
        let strides = x.stride()[..2].iter().copied().chain(x.stride()[2..].iter().flat_map(|&stride| [stride, 0]));
        Operand::new(x.dtype(), Layout::new(shape.clone(), strides, x.storage_offset()))
    };
    let (mut value, mut indices) = (Expr::input(0, x.dtype().into()), vec![]);
    if let Some(index) = index {
        // The tap: the position within the window.
        let within = windows.kernel().contiguous_strides();
        indices.push(AffineIndex {
            steps: [0, 0].into_iter().chain(within.iter().flat_map(|&step| [0, step])).collect(),
            start: 0,
        });
        value = Expr::input(1, index.dtype().into()).equal(Expr::affine(0)).select(value, 0.0);
    }
    let read: Vec<&Tensor> = std::iter::once(x).chain(index).collect();
    let kernel = Map {
        shape: shape.clone(),
        inputs: read.iter().map(|tensor| operand(tensor)).collect(),
        indices,
        params: vec![],
        program: Program::new(&[value.simplify()]),
        dtypes: vec![x.dtype()],
    };
    let values = read.iter().map(|tensor| tensor.value()).collect();
    let mut outputs = batch::record(x.device(), op, Kernel::Map(kernel), None, values, vec![]);
    let whole = windows.slides.iter().map(|slide| slide.output * slide.kernel);
    let whole = Shape::from_dims(x.shape()[..2].iter().copied().chain(whole));
    Tensor::from_value(x.device(), outputs.pop().expect("a pointwise kernel has one output"), whole)
}

/// The arguments of a pooling, as in the schemas.
pub(crate) struct Pool<'a> {
    pub kernel: &'a Ints,
    /// Empty for the kernel size.
    pub stride: &'a Ints,
    pub padding: &'a Ints,
    pub dilation: &'a Ints,
    /// Whether a window that begins inside and ends outside of the padded input counts.
    pub ceil_mode: bool,
}

impl Pool<'_> {
    /// The windows over an input of the given spatial sizes.
    pub fn windows(&self, op: &str, input: &[usize]) -> Result<Rc<Windows>> {
        let rank = input.len();
        let kernel = per_dimension(op, "kernel_size", self.kernel, rank, 1)?;
        let padding = per_dimension(op, "padding", self.padding, rank, 0)?;
        let dilation = per_dimension(op, "dilation", self.dilation, rank, 1)?;
        let stride =
            if self.stride.is_empty() { kernel.clone() } else { per_dimension(op, "stride", self.stride, rank, 1)? };
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
                    format!("a kernel that reaches {reach} positions, padding {padding}, leaves no output of spatial sizes {input:?}");
                return Err(Error::shape(op, message));
            };
            let output = if self.ceil_mode { room.div_ceil(slide.stride) } else { room / slide.stride } + 1;
            // The last window must begin inside of the input or of its left padding.
            let outside = self.ceil_mode && (output - 1) * slide.stride >= slide.input + slide.padding;
            Ok(Slide { output: output - usize::from(outside), ..slide })
        });
        Ok(Rc::new(Windows { slides: slides.collect::<Result<_>>()? }))
    }
}
