//! Attention by blocks: the scores of a block of rows with a block of rows of the other side, and at once what they are needed for.
//!
//! A task owns a block of rows, of queries or (for the gradients of keys and values) of keys, and goes through the blocks of the other side; so nothing is added up by two
//! workers, and no more scores exist than one block a worker. The products are those of the packed micro-kernel.

mod forward;
mod row;
#[cfg(test)]
mod tests;

use crate::{
    block::Input,
    buffer::{Shared, elements, elements_mut},
    contract::{
        Axis, affine_strides,
        gemm::{GemmWorkspace, Strided},
    },
    kernel::{CpuKernel, data},
    parallel,
};
use lanthorn_ir::{
    DType, Error, Result,
    expr::Constant,
    kernel::{self, AttentionPass, KernelKind, Operand},
};
use row::Float;
use std::ops::Range;

/// The rows that a task owns, and those of the other side that it meets at once.
const OWN: usize = 192;
const OTHER: usize = 128;

/// An operand as a matrix for each of a batch.
struct Matrices {
    batch: Axis,
    offset: isize,
    row: isize,
    column: isize,
}

impl Matrices {
    fn new(operand: &Operand) -> Matrices {
        let rank = operand.shape().rank() - 2;
        let batch = Axis::new(&affine_strides(operand, &(0..rank).collect::<Vec<_>>()));
        let strides = operand.layout.strides();
        Matrices { batch, offset: operand.layout.offset() as isize, row: strides[rank], column: strides[rank + 1] }
    }

    fn at<'a, T>(&self, data: &'a [T], number: usize) -> Strided<'a, T> {
        Strided { data, offset: self.offset + self.batch.at(number).address, row: self.row, depth: self.column }
    }
}

/// Attention made ready.
pub(crate) struct Attention {
    kernel: kernel::Attention,
    operands: Vec<Matrices>,
}

/// Which pairs take part, and what is added to their scores.
enum Mask<'a, T> {
    None,
    Bool(Strided<'a, u8>),
    Float(Strided<'a, T>),
}

/// The matrices of one of the batch.
struct Matrix<'a, T> {
    query: Strided<'a, T>,
    key: Strided<'a, T>,
    value: Strided<'a, T>,
    mask: Mask<'a, T>,
    /// The gradient of the result, and the statistics of rows.
    gradient: Option<[Strided<'a, T>; 2]>,
}

/// A block of pairs: rows that a task owns, and rows of the other side.
struct Block {
    own: Range<usize>,
    other: Range<usize>,
}

impl Block {
    fn extents(&self, depth: usize) -> [usize; 3] {
        [self.own.len(), self.other.len(), depth]
    }
}

/// The memory of one worker.
struct Workspace<T> {
    gemm: GemmWorkspace,
    /// Queries of a block times the scale.
    queries: Vec<T>,
    /// Scores of a block, and the products of the gradient with values.
    scores: Vec<T>,
    slopes: Vec<T>,
    /// Sums of the rows that are owned, as wide as queries and as values.
    narrow: Vec<T>,
    wide: Vec<T>,
}

/// One launch.
struct Launch<'a, T> {
    kernel: &'a Attention,
    inputs: Vec<&'a [u8]>,
    outputs: Vec<Shared<'a>>,
    scale: T,
}

impl Attention {
    pub fn new(op: &str, kernel: &kernel::Attention) -> Result<Attention> {
        if !kernel.is_consistent() {
            let shapes: Vec<_> =
                kernel.operands().iter().map(|operand| (operand.dtype, operand.shape().clone())).collect();
            return Err(Error::kernel(op, format!("attention over {} of operands {shapes:?}", kernel.batch)));
        }
        let operands = kernel.operands().into_iter().map(Matrices::new).collect();
        Ok(Attention { kernel: kernel.clone(), operands })
    }

    fn launch<T: Float>(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, scale: T) -> Result<()> {
        let [batch, m, n, d, e] = self.kernel.extents();
        let launch = Launch {
            kernel: self,
            inputs: inputs.iter().map(data).collect(),
            outputs: outputs.into_iter().map(Shared::new).collect(),
            scale,
        };
        let own = match self.kernel.pass {
            AttentionPass::Forward => return launch.forward(op),
            AttentionPass::Queries(_) => m,
            AttentionPass::Keys(_) => n,
        };
        let blocks = own.div_ceil(OWN);
        parallel::split(batch * blocks, &[batch, m, n, d + e, 2], |tasks| {
            let mut workspace = Workspace::new(op, d, e)?;
            for task in tasks {
                let (number, first) = (task / blocks, task % blocks * OWN);
                launch.task(&mut workspace, number, first..own.min(first + OWN));
            }
            Ok(())
        })
    }
}

impl<T: Float> Workspace<T> {
    fn new(op: &str, d: usize, e: usize) -> Result<Workspace<T>> {
        let zeros = |elements: usize| vec![T::ZERO; elements];
        Ok(Workspace {
            gemm: GemmWorkspace::new::<T>(op, OWN.max(OTHER).max(d).max(e), OTHER.max(d).max(e))?,
            queries: zeros(OWN.max(OTHER) * d),
            scores: zeros(OWN * OTHER),
            slopes: zeros(OWN * OTHER),
            narrow: zeros(OWN * d),
            wide: zeros(OWN * e),
        })
    }
}

impl<'a, T: Float> Launch<'a, T> {
    fn floats(&self, operand: usize, number: usize) -> Strided<'a, T> {
        self.kernel.operands[operand].at(elements(self.inputs[operand]), number)
    }

    fn matrix(&self, number: usize) -> Matrix<'a, T> {
        let mask = match &self.kernel.kernel.mask {
            None => Mask::None,
            Some(mask) if mask.dtype == DType::Bool => Mask::Bool(self.kernel.operands[3].at(self.inputs[3], number)),
            Some(_) => Mask::Float(self.floats(3, number)),
        };
        let after = if matches!(mask, Mask::None) { 3 } else { 4 };
        let gradient = self.kernel.kernel.gradient().map(|_| [0, 1].map(|at| self.floats(after + at, number)));
        let [query, key, value] = [0, 1, 2].map(|operand| self.floats(operand, number));
        Matrix { query, key, value, mask, gradient }
    }

    fn task(&self, workspace: &mut Workspace<T>, number: usize, own: Range<usize>) {
        let matrix = self.matrix(number);
        match (&self.kernel.kernel.pass, matrix.gradient) {
            (AttentionPass::Queries(_), Some(gradient)) => self.queries(workspace, &matrix, gradient, number, own),
            (AttentionPass::Keys(_), Some(gradient)) => self.keys(workspace, &matrix, gradient, number, own),
            _ => {}
        }
    }

    /// The blocks of keys that a block of queries meets.
    fn blocks_of_keys(&self, own: Range<usize>) -> impl Iterator<Item = Block> {
        let [_, _, n, _, _] = self.kernel.kernel.extents();
        let end = if self.kernel.kernel.causal { n.min(own.end) } else { n };
        (0..end).step_by(OTHER).map(move |first| Block { own: own.clone(), other: first..end.min(first + OTHER) })
    }

    /// The blocks of queries that a block of keys meets.
    fn blocks_of_queries(&self, own: Range<usize>) -> impl Iterator<Item = Block> {
        let [_, m, _, _, _] = self.kernel.kernel.extents();
        let start = if self.kernel.kernel.causal { own.start.min(m) } else { 0 };
        (start..m).step_by(OTHER).map(move |first| Block { own: own.clone(), other: first..m.min(first + OTHER) })
    }

    /// The scores of a block of queries with keys, or of keys with queries; negative infinity for pairs that take no part.
    fn scores(&self, workspace: &mut Workspace<T>, matrix: &Matrix<T>, block: &Block, keys_own: bool) {
        let [_, _, _, d, _] = self.kernel.kernel.extents();
        let queries = if keys_own { block.other.clone() } else { block.own.clone() };
        self.scale_queries(matrix, queries, &mut workspace.queries);
        let query = Strided::dense(&workspace.queries, d);
        let sides = if keys_own {
            (matrix.key.below(block.own.start), query)
        } else {
            (query, matrix.key.below(block.other.start))
        };
        let scores = &mut workspace.scores[..block.own.len() * block.other.len()];
        scores.fill(T::ZERO);
        workspace.gemm.multiply_add(sides.0, sides.1, block.extents(d), scores);
        for (row, i) in scores.chunks_exact_mut(block.other.len()).zip(block.own.clone()) {
            matrix.mask.apply(row, i, block.other.start, keys_own);
            if self.kernel.kernel.causal {
                exclude_later_keys(row, i, block.other.start, keys_own);
            }
        }
    }

    /// Stores some queries of a matrix times the scale. All passes scale queries and not scores: where they round alike,
    /// the weights of the backward pass are those of the forward pass.
    fn scale_queries(&self, matrix: &Matrix<T>, queries: Range<usize>, scaled: &mut [T]) {
        let [_, _, _, d, _] = self.kernel.kernel.extents();
        for (scaled, i) in scaled.chunks_exact_mut(d.max(1)).zip(queries) {
            scaled.iter_mut().enumerate().for_each(|(at, scaled)| *scaled = matrix.query.at(i, at));
            row::multiply(scaled, self.scale);
        }
    }

    fn queries(
        &self,
        workspace: &mut Workspace<T>,
        matrix: &Matrix<T>,
        gradient: [Strided<T>; 2],
        number: usize,
        own: Range<usize>,
    ) {
        let [_, m, _, d, e] = self.kernel.kernel.extents();
        let [grad, statistics] = gradient;
        workspace.narrow.fill(T::ZERO);
        for block in self.blocks_of_keys(own.clone()) {
            self.scores(workspace, matrix, &block, false);
            let Workspace { gemm, scores, slopes, narrow, .. } = workspace;
            let width = block.other.len();
            let slopes = &mut slopes[..own.len() * width];
            slopes.fill(T::ZERO);
            let sides = (grad.below(own.start), matrix.value.below(block.other.start));
            gemm.multiply_add(sides.0, sides.1, block.extents(e), slopes);
            for ((scores, slopes), i) in
                scores.chunks_exact_mut(width).zip(slopes.chunks_exact_mut(width)).zip(own.clone())
            {
                let [logarithm, product] = [0, 1].map(|which| [statistics.at(i, which); OTHER]);
                row::differentiate(scores, slopes, &logarithm, &product, self.scale);
            }
            let key = matrix.key.below(block.other.start).turned();
            gemm.multiply_add(Strided::dense(slopes, width), key, [own.len(), d, width], narrow);
        }
        let elements = own.len() * d;
        self.output(0, (number * m + own.start) * d, elements).copy_from_slice(&workspace.narrow[..elements]);
    }

    fn keys(
        &self,
        workspace: &mut Workspace<T>,
        matrix: &Matrix<T>,
        gradient: [Strided<T>; 2],
        number: usize,
        own: Range<usize>,
    ) {
        let [batch, _, n, d, e] = self.kernel.kernel.extents();
        let [grad, statistics] = gradient;
        workspace.narrow.fill(T::ZERO);
        workspace.wide.fill(T::ZERO);
        for block in self.blocks_of_queries(own.clone()) {
            self.scores(workspace, matrix, &block, true);
            let Workspace { gemm, scores, slopes, narrow, wide, .. } = workspace;
            let width = block.other.len();
            let slopes = &mut slopes[..own.len() * width];
            slopes.fill(T::ZERO);
            let (query, grad) = (matrix.query.below(block.other.start), grad.below(block.other.start));
            gemm.multiply_add(matrix.value.below(own.start), grad, block.extents(e), slopes);
            let statistics = statistics.below(block.other.start);
            let column = |which: usize| {
                std::array::from_fn::<T, OTHER, _>(|i| if i < width { statistics.at(i, which) } else { T::ZERO })
            };
            let (logarithms, products) = (column(0), column(1));
            for (scores, slopes) in scores.chunks_exact_mut(width).zip(slopes.chunks_exact_mut(width)) {
                row::differentiate(scores, slopes, &logarithms, &products, self.scale);
            }
            gemm.multiply_add(Strided::dense(slopes, width), query.turned(), [own.len(), d, width], narrow);
            gemm.multiply_add(Strided::dense(scores, width), grad.turned(), [own.len(), e, width], wide);
        }
        let (of_keys, of_values) = (own.len() * d, own.len() * e);
        self.output(0, (number * n + own.start) * d, of_keys).copy_from_slice(&workspace.narrow[..of_keys]);
        let values = batch * n * d + (number * n + own.start) * e;
        self.output(0, values, of_values).copy_from_slice(&workspace.wide[..of_values]);
    }

    /// Elements of an output that belong to this task alone.
    fn output(&self, output: usize, first: usize, count: usize) -> &'a mut [T] {
        let size = size_of::<T>();
        // SAFETY: a task writes the rows that it owns, and no two tasks own the same ones.
        elements_mut(unsafe { self.outputs[output].part(first * size..(first + count) * size) })
    }
}

impl<T: Float> Mask<'_, T> {
    /// Applies the mask to a row of scores: those of an owned row with the rows of the other side from `first` on.
    fn apply(&self, row: &mut [T], own: usize, first: usize, keys_own: bool) {
        let at = |other: usize| if keys_own { (first + other, own) } else { (own, first + other) };
        match self {
            Mask::None => {}
            Mask::Bool(mask) => {
                for (other, score) in row.iter_mut().enumerate() {
                    let (query, key) = at(other);
                    if mask.at(query, key) == 0 {
                        *score = T::NEGATIVE_INFINITY;
                    }
                }
            }
            Mask::Float(mask) => {
                for (other, score) in row.iter_mut().enumerate() {
                    let (query, key) = at(other);
                    *score = *score + mask.at(query, key);
                }
            }
        }
    }
}

/// Excludes the pairs of a row whose key comes after their query.
fn exclude_later_keys<T: Float>(row: &mut [T], own: usize, first: usize, keys_own: bool) {
    let excluded = if keys_own {
        0..own.saturating_sub(first).min(row.len())
    } else {
        (own + 1).saturating_sub(first).min(row.len())..row.len()
    };
    row[excluded].fill(T::NEGATIVE_INFINITY);
}

impl CpuKernel for Attention {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        match params {
            [Constant::F32(bits)] => self.launch(op, inputs, outputs, f32::from_bits(*bits)),
            [Constant::F64(bits)] => self.launch(op, inputs, outputs, f64::from_bits(*bits)),
            _ => Err(Error::kernel(op, "the scale is the one parameter of attention")),
        }
    }
}
