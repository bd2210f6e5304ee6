//! The gradient of a strided convolution with respect to its input, by polyphase decomposition.
//!
//! With stride 2, even and odd input positions meet different kernel taps: each tap belongs to one
//! phase. A contraction over all input positions would multiply by the zeros between strides, three
//! products of four in two dimensions. So the phases are batch dimensions of the contraction:
//! position `2 t + r` meets the taps `(r + padding) % 2 + 2 j`. A permutation then interleaves the
//! phases.

use super::{convolution::Geometry, sliding_window::Slide};
use crate::{Result, Tensor, autograd::no_grad, batch};
use lanthorn_ir::{
    Kernel, Layout, Shape,
    kernel::{BoundedIndex, Contract, Epilogue, Operand},
};

/// Whether phases save work and have constant strides: some stride is 2, and none is larger.
pub(super) fn apply(geometry: &Geometry) -> bool {
    let regular = |slide: &Slide| slide.stride <= 2 && slide.dilation == 1;
    geometry.slides.iter().all(regular) && geometry.slides.iter().any(|slide| slide.stride == 2)
}

/// The dimensions of the contraction: batch has the examples, the groups and one phase a spatial
/// dimension; m the input channels; n the positions within a phase; k the output channels and the
/// taps of a phase.
struct Space<'a> {
    slides: &'a [Slide],
    batch: Vec<usize>,
    m: usize,
    n: Vec<usize>,
    k: Vec<usize>,
}

impl Space<'_> {
    /// The steps of an index over `rank` dimensions, from those dimensions that move it.
    fn steps(rank: usize, moves: &[(usize, isize)]) -> impl Iterator<Item = isize> + '_ {
        (0..rank).map(|d| moves.iter().find(|(at, _)| *at == d).map_or(0, |(_, step)| *step))
    }

    /// The weight `[G * M, C, *kernel]`, over batch, m, k.
    fn weight(&self, tensor: &Tensor, outputs: usize) -> Operand {
        let sizes: Vec<usize> = [&self.batch[..], &[self.m], &self.k].concat();
        let (rank, strides, m, k) = (sizes.len(), tensor.stride(), self.batch.len(), self.batch.len() + 1);
        let layout = Space::steps(rank, &[(1, outputs as isize * strides[0]), (m, strides[1]), (k, strides[0])])
            .collect::<Vec<_>>();
        let window = |(d, slide): (usize, &Slide)| {
            let turned = slide.stride == 2 && slide.padding % 2 == 1;
            let phase = if slide.stride == 1 {
                0
            } else if turned {
                -1
            } else {
                1
            };
            BoundedIndex {
                steps: Space::steps(rank, &[(2 + d, phase), (k + 1 + d, slide.stride as isize)]).collect(),
                start: isize::from(turned),
                divisor: 1,
                size: slide.kernel,
                stride: strides[2 + d],
            }
        };
        let windows = self.slides.iter().enumerate().map(window).collect();
        let layout = Layout::new(Shape::from_dims(sizes), layout, tensor.storage_offset());
        Operand { bounded: windows, ..Operand::new(tensor.dtype(), layout) }
    }

    /// The output's side `[N, G * M, *output]`, over batch, k, n.
    fn output(&self, tensor: &Tensor, outputs: usize) -> Operand {
        let sizes: Vec<usize> = [&self.batch[..], &self.k, &self.n].concat();
        let (rank, strides, k, n) = (sizes.len(), tensor.stride(), self.batch.len(), self.batch.len() + self.k.len());
        let layout = Space::steps(rank, &[(0, strides[0]), (1, outputs as isize * strides[1]), (k, strides[1])])
            .collect::<Vec<_>>();
        let window = |(d, slide): (usize, &Slide)| {
            let phase = isize::from(slide.stride == 2 && slide.padding % 2 == 1);
            BoundedIndex {
                steps: Space::steps(rank, &[(2 + d, phase), (k + 1 + d, -1), (n + d, 1)]).collect(),
                start: (slide.padding / slide.stride) as isize,
                divisor: 1,
                size: slide.output,
                stride: strides[2 + d],
            }
        };
        let windows = self.slides.iter().enumerate().map(window).collect();
        let layout = Layout::new(Shape::from_dims(sizes), layout, tensor.storage_offset());
        Operand { bounded: windows, ..Operand::new(tensor.dtype(), layout) }
    }
}

/// The gradient with respect to the input, without a derivative.
pub(super) fn record(op: &'static str, geometry: &Geometry, weight: &Tensor, output: &Tensor) -> Result<Tensor> {
    let slides = &geometry.slides;
    let phases = slides.iter().map(|slide| slide.stride);
    let space = Space {
        slides,
        batch: [geometry.batch, geometry.groups].into_iter().chain(phases).collect(),
        m: geometry.inputs,
        n: slides.iter().map(|slide| slide.input.div_ceil(slide.stride)).collect(),
        k: [geometry.outputs]
            .into_iter()
            .chain(slides.iter().map(|slide| slide.kernel.div_ceil(slide.stride)))
            .collect(),
    };
    let dtype = weight.dtype();
    let shape = |sizes: &[usize]| Shape::from_dims(sizes.iter().copied());
    let kernel = Contract {
        a: space.weight(weight, geometry.outputs),
        b: space.output(output, geometry.outputs),
        batch: shape(&space.batch),
        m: shape(&[space.m]),
        n: shape(&space.n),
        k: shape(&space.k),
        prologues: [None, None],
        params: vec![],
        epilogue: Epilogue::store(dtype.into(), dtype),
    };
    let made = kernel.output();
    let device = weight.device();
    let mut outputs =
        batch::record(device, op, Kernel::Contract(kernel), None, vec![weight.value(), output.value()], vec![]);
    let apart = Tensor::from_value(device, outputs.pop().expect("a contraction has one output"), made);
    no_grad(|| together(&apart, geometry))
}

/// Interleaves `[N, G, *phase, C, *position]` into `[N, G * C, *input]`.
fn together(apart: &Tensor, geometry: &Geometry) -> Result<Tensor> {
    let spatial = geometry.slides.len() as i64;
    let pairs = (0..spatial).flat_map(|d| [3 + spatial + d, 2 + d]);
    let order: Vec<i64> = [0, 1, 2 + spatial].into_iter().chain(pairs).collect();
    let whole = geometry.slides.iter().map(|slide| (slide.input.div_ceil(slide.stride) * slide.stride) as i64);
    let channels = (geometry.groups * geometry.inputs) as i64;
    let sizes: Vec<i64> = [geometry.batch as i64, channels].into_iter().chain(whole).collect();
    let whole = apart.permute(order)?.reshape(sizes)?;
    let mut inputs = geometry.slides.iter().enumerate();
    let trimmed = inputs.try_fold(whole, |x, (d, slide)| x.narrow(2 + d as i64, 0, slide.input as i64))?;
    // The result owns its storage; it is not a view of the interleaved tensor.
    Ok(Tensor::from_value(apart.device(), trimmed.materialized()?, trimmed.shape().clone()))
}
