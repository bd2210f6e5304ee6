//! Convolutions (cross-correlations, as everywhere in machine learning), transposed convolutions,
//! and their derivatives.
//!
//! All of them are parts of one trilinear form, the sum of
//! `x[n, g, c, i] * w[g, m, c, k] * y[n, g, m, o]` over all input positions `i`, kernel taps `k`
//! and output positions `o` with `i = o * stride + k * dilation - padding`. A convolution is the
//! gradient of the form with respect to `y`, a transposed convolution that with respect to `x`, and
//! the third is the gradient of a weight. So there is one leaf, [`correlate`], and its derivative
//! with respect to either argument is the same leaf for another part. Derivatives of every order
//! are contractions whose operands have bounds-checked affine indices: implicit matrix products
//! without an im2col or a padded copy.

use super::{polyphase, sliding_window::Slide};
use crate::{
    Result, Tensor,
    autograd::{Derivative, attach},
    batch,
    ops::pointwise::common_device,
};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    kernel::{Contract, Epilogue, Operand},
};
use std::rc::Rc;

/// One of the three tensors that a convolution relates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// `[N, G * C, *input]`
    Input,
    /// `[G * M, C, *kernel]`
    Weight,
    /// `[N, G * M, *output]`
    Output,
}

/// A loop dimension of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    Batch,
    Group,
    /// The channels of the input in a group.
    In,
    /// The channels of the output in a group.
    Out,
    InputPosition(usize),
    KernelPosition(usize),
    OutputPosition(usize),
}

/// The sizes of a convolution.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    /// Examples.
    pub batch: usize,
    /// Groups of channels, each with separate kernels.
    pub groups: usize,
    /// Channels of the input in a group.
    pub inputs: usize,
    /// Channels of the output in a group.
    pub outputs: usize,
    /// How the kernel slides along each spatial dimension.
    pub slides: Vec<Slide>,
}

impl Geometry {
    fn size(&self, axis: Axis) -> usize {
        match axis {
            Axis::Batch => self.batch,
            Axis::Group => self.groups,
            Axis::In => self.inputs,
            Axis::Out => self.outputs,
            Axis::InputPosition(d) => self.slides[d].input,
            Axis::KernelPosition(d) => self.slides[d].kernel,
            Axis::OutputPosition(d) => self.slides[d].output,
        }
    }

    fn shape(&self, axes: &[Axis]) -> Shape {
        Shape::from_dims(axes.iter().map(|&axis| self.size(axis)))
    }

    /// The axes of one kind, one a spatial dimension.
    fn positions(&self, axis: fn(usize) -> Axis) -> impl Iterator<Item = Axis> {
        (0..self.slides.len()).map(axis)
    }

    /// The sizes of a part.
    fn sizes(&self, part: Part) -> Vec<i64> {
        let (lead, axis): (_, fn(usize) -> Axis) = match part {
            Part::Input => ([self.batch, self.groups * self.inputs], Axis::InputPosition),
            Part::Weight => ([self.groups * self.outputs, self.inputs], Axis::KernelPosition),
            Part::Output => ([self.batch, self.groups * self.outputs], Axis::OutputPosition),
        };
        lead.into_iter().chain(self.positions(axis).map(|axis| self.size(axis))).map(|size| size as i64).collect()
    }

    /// The stride of a part along an axis; `None` if the axis only moves a bounds-checked index.
    fn step(&self, part: Part, strides: &[isize], axis: Axis) -> Option<isize> {
        let (inputs, outputs) = (self.inputs as isize, self.outputs as isize);
        Some(match (part, axis) {
            (Part::Input | Part::Output, Axis::Batch) => strides[0],
            (Part::Input, Axis::Group) => inputs * strides[1],
            (Part::Output, Axis::Group) => outputs * strides[1],
            (Part::Weight, Axis::Group) => outputs * strides[0],
            (Part::Input | Part::Weight, Axis::In) => strides[1],
            (Part::Output, Axis::Out) => strides[1],
            (Part::Weight, Axis::Out) => strides[0],
            (Part::Input, Axis::InputPosition(d))
            | (Part::Weight, Axis::KernelPosition(d))
            | (Part::Output, Axis::OutputPosition(d)) => strides[2 + d],
            _ => return None,
        })
    }

    /// A part as an operand over `axes`. A spatial axis of the part that is not among them is
    /// computed from the other two kinds of spatial axes.
    fn operand(&self, part: Part, tensor: &Tensor, axes: &[Axis]) -> Operand {
        let strides = tensor.stride();
        let steps = axes.iter().map(|&axis| self.step(part, strides, axis).unwrap_or(0));
        let layout = Layout::new(self.shape(axes), steps, tensor.storage_offset());
        let position = |axis| axes.iter().position(|&other| other == axis);
        let windows = self.slides.iter().enumerate().filter_map(|(d, slide)| {
            let kernel = position(Axis::KernelPosition(d))?;
            match part {
                Part::Input => {
                    Some(slide.over_input(axes.len(), position(Axis::OutputPosition(d))?, kernel, strides[2 + d]))
                }
                Part::Output => {
                    Some(slide.over_output(axes.len(), position(Axis::InputPosition(d))?, kernel, strides[2 + d]))
                }
                Part::Weight => None,
            }
        });
        let windows = windows.collect();
        Operand { bounded: windows, ..Operand::new(tensor.dtype(), layout) }
    }
}

/// The factors of part `wanted`: the left and the right operand of the contraction.
fn sources(wanted: Part) -> [Part; 2] {
    match wanted {
        Part::Output => [Part::Weight, Part::Input],
        Part::Input => [Part::Weight, Part::Output],
        Part::Weight => [Part::Output, Part::Input],
    }
}

/// The gradient of the form with respect to part `wanted`; `left` and `right` are its [`sources`].
pub(crate) fn correlate(
    op: &'static str,
    geometry: &Rc<Geometry>,
    wanted: Part,
    left: &Tensor,
    right: &Tensor,
) -> Result<Tensor> {
    let output = record(op, geometry, wanted, left, right)?;
    let parts = sources(wanted);
    let needed = [left.requires_grad(), right.requires_grad()];
    let geometry = geometry.clone();
    let derivative: Derivative = Rc::new(move |grad, saved| {
        let by = |position: usize| {
            let given = |part: Part| if part == wanted { grad } else { &saved[1 - position] };
            let [left, right] = sources(parts[position]).map(given);
            needed[position]
                .then(|| correlate("convolution_backward", &geometry, parts[position], left, right))
                .transpose()
        };
        Ok(vec![by(0)?, by(1)?])
    });
    attach(op, &output, &[left, right], &[left, right], derivative);
    Ok(output)
}

/// Records the contraction, without a derivative.
fn record(op: &'static str, geometry: &Geometry, wanted: Part, left: &Tensor, right: &Tensor) -> Result<Tensor> {
    let device = common_device(op, &[left.clone(), right.clone()])?;
    if wanted == Part::Input && polyphase::apply(geometry) {
        return polyphase::record(op, geometry, left, right);
    }
    let dtype = left.dtype();
    let with = |first: &[Axis], axis: fn(usize) -> Axis| -> Vec<Axis> {
        first.iter().copied().chain(geometry.positions(axis)).collect()
    };
    let (batch, m, n, k) = match wanted {
        Part::Output => {
            let (n, k) = (with(&[], Axis::OutputPosition), with(&[Axis::In], Axis::KernelPosition));
            (vec![Axis::Batch, Axis::Group], Axis::Out, n, k)
        }
        Part::Input => {
            let (n, k) = (with(&[], Axis::InputPosition), with(&[Axis::Out], Axis::KernelPosition));
            (vec![Axis::Batch, Axis::Group], Axis::In, n, k)
        }
        Part::Weight => {
            let (n, k) = (with(&[Axis::In], Axis::KernelPosition), with(&[Axis::Batch], Axis::OutputPosition));
            (vec![Axis::Group], Axis::Out, n, k)
        }
    };
    let m = vec![m];
    let [of_left, of_right] = sources(wanted);
    let kernel = Contract {
        a: geometry.operand(of_left, left, &[&batch[..], &m, &k].concat()),
        b: geometry.operand(of_right, right, &[&batch[..], &k, &n].concat()),
        batch: geometry.shape(&batch),
        m: geometry.shape(&m),
        n: geometry.shape(&n),
        k: geometry.shape(&k),
        prologues: [None, None],
        params: vec![],
        epilogue: Epilogue::store(dtype.into(), dtype),
    };
    let shape = Shape::new(op, &geometry.sizes(wanted))?;
    let mut outputs =
        batch::record(&device, op, Kernel::Contract(kernel), None, vec![left.value(), right.value()], vec![]);
    Ok(Tensor::from_value(&device, outputs.pop().expect("a contraction has one output"), shape))
}
