//! Attention by blocks: the scores of a block of rows with a block of the other side's rows, and at
//! once the results that depend on them.
//!
//! A task owns a block of rows, either of queries or (for the gradients of keys and values) of
//! keys, and iterates over the blocks of the other side. So no two workers add to one sum, and each
//! worker has only one block of scores. The packed micro-kernel computes the products.

mod bounds;
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
use bounds::Bounds;
use lanthorn_ir::{
    DType, Error, Result,
    expr::Constant,
    kernel::{self, AttentionPass, KernelKind, Operand},
};
use row::Float;
use std::ops::Range;

/// Number of rows that a task owns, and of rows of the other side that it meets at once.
const OWN: usize = 192;
const OTHER: usize = 128;

/// An operand as a batch of matrices.
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

/// A prepared attention kernel.
pub(crate) struct Attention {
    kernel: kernel::Attention,
    operands: Vec<Matrices>,
}

/// The pairs that take part, and the terms added to their scores.
enum Mask<'a, T> {
    None,
    Bool(Strided<'a, u8>),
    Float(Strided<'a, T>),
}

/// The matrices of one element of the batch.
struct Matrix<'a, T> {
    query: Strided<'a, T>,
    key: Strided<'a, T>,
    value: Strided<'a, T>,
    mask: Mask<'a, T>,
    bounds: Bounds,
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
    /// The queries of a block, multiplied by the scale.
    queries: Vec<T>,
    /// The scores of a block, and the products of the gradient with values.
    scores: Vec<T>,
    slopes: Vec<T>,
    /// The scores of a block before the mask, if they have a soft cap.
    capped: Vec<T>,
    /// The sums of the owned rows, as wide as queries and as values.
    narrow: Vec<T>,
    wide: Vec<T>,
}

/// One launch.
struct Launch<'a, T> {
    kernel: &'a Attention,
    inputs: Vec<&'a [u8]>,
    outputs: Vec<Shared<'a>>,
    params: Params<T>,
}

/// The parameters of a launch.
#[derive(Clone, Copy)]
struct Params<T> {
    scale: T,
    cap: Option<T>,
    window: Option<i32>,
}

impl Attention {
    pub fn new(op: &str, kernel: &kernel::Attention) -> Result<Attention> {
        if !kernel.is_consistent() {
            let shapes: Vec<_> =
                kernel.operands().iter().map(|operand| (operand.encoding, operand.shape().clone())).collect();
            return Err(Error::kernel(op, format!("attention over {} of operands {shapes:?}", kernel.batch)));
        }
        let operands = kernel.operands().into_iter().map(Matrices::new).collect();
        Ok(Attention { kernel: kernel.clone(), operands })
    }

    fn launch<T: Float>(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let [batch, m, n, d, e] = self.kernel.extents();
        let launch = Launch {
            kernel: self,
            inputs: inputs.iter().map(data).collect(),
            outputs: outputs.into_iter().map(Shared::new).collect(),
            params: self.params::<T>(op, params)?,
        };
        let own = match self.kernel.pass {
            AttentionPass::Forward => return launch.forward(op),
            AttentionPass::Queries(_) => m,
            AttentionPass::Keys(_) => n,
        };
        let blocks = own.div_ceil(OWN);
        parallel::split(batch * blocks, &[batch, m, n, d + e, 2], |tasks| {
            let mut workspace = Workspace::new(op, d, e, self.kernel.capped)?;
            for task in tasks {
                let (number, first) = (task / blocks, task % blocks * OWN);
                launch.task(&mut workspace, number, first..own.min(first + OWN));
            }
            Ok(())
        })
    }

    /// The parameters of a launch by name.
    fn params<T: Float>(&self, op: &str, params: &[Constant]) -> Result<Params<T>> {
        let missing =
            || Error::kernel(op, format!("parameters {params:?} of attention, not {:?}", self.kernel.params()));
        if params.len() != self.kernel.params().len() {
            return Err(missing());
        }
        let float = |slot: usize| match params[slot] {
            Constant::F32(bits) => Ok(T::from_f64(f32::from_bits(bits).into())),
            Constant::F64(bits) => Ok(T::from_f64(f64::from_bits(bits))),
            _ => Err(missing()),
        };
        let window = |slot: usize| match params[slot] {
            Constant::I32(window) => Ok(window),
            _ => Err(missing()),
        };
        Ok(Params {
            scale: float(0)?,
            cap: self.kernel.cap_param().map(float).transpose()?,
            window: self.kernel.window_param().map(window).transpose()?,
        })
    }
}

impl<T: Float> Workspace<T> {
    fn new(op: &str, d: usize, e: usize, capped: bool) -> Result<Workspace<T>> {
        let zeros = |elements: usize| vec![T::ZERO; elements];
        Ok(Workspace {
            gemm: GemmWorkspace::new::<T>(op, OWN.max(OTHER).max(d).max(e), OTHER.max(d).max(e))?,
            queries: zeros(OWN.max(OTHER) * d),
            scores: zeros(OWN * OTHER),
            slopes: zeros(OWN * OTHER),
            capped: zeros(if capped { OWN * OTHER } else { 0 }),
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
            Some(mask) if mask.encoding == DType::Bool => {
                Mask::Bool(self.kernel.operands[3].at(self.inputs[3], number))
            }
            Some(_) => Mask::Float(self.floats(3, number)),
        };
        let kernel = &self.kernel.kernel;
        let after = 3 + usize::from(kernel.mask.is_some()) + usize::from(kernel.lengths.is_some());
        let gradient = kernel.gradient().map(|_| [0, 1].map(|at| self.floats(after + at, number)));
        let [query, key, value] = [0, 1, 2].map(|operand| self.floats(operand, number));
        Matrix { query, key, value, mask, bounds: self.bounds(number), gradient }
    }

    /// The keys that the queries of a matrix attend to.
    fn bounds(&self, number: usize) -> Bounds {
        let kernel = &self.kernel.kernel;
        let [_, m, n, _, _] = kernel.extents();
        let operand = 3 + usize::from(kernel.mask.is_some());
        let length = kernel
            .lengths
            .as_ref()
            .map(|_| self.kernel.operands[operand].at(elements::<i32>(self.inputs[operand]), number).at(0, 0));
        Bounds::new(m, n, length, kernel.causal, self.params.window)
    }

    fn task(&self, workspace: &mut Workspace<T>, number: usize, own: Range<usize>) {
        let matrix = self.matrix(number);
        match (&self.kernel.kernel.pass, matrix.gradient) {
            (AttentionPass::Queries(_), Some(gradient)) => self.queries(workspace, &matrix, gradient, number, own),
            (AttentionPass::Keys(_), Some(gradient)) => self.keys(workspace, &matrix, gradient, number, own),
            _ => {}
        }
    }

    /// The blocks of owned rows and of the rows in a range.
    fn blocks(own: Range<usize>, met: Range<usize>) -> impl Iterator<Item = Block> {
        let Range { start, end } = met;
        (start..end).step_by(OTHER).map(move |first| Block { own: own.clone(), other: first..end.min(first + OTHER) })
    }

    /// Computes the scores of a block of queries with keys, or of keys with queries. Pairs that
    /// take no part have negative infinity.
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
        if let Some(cap) = self.params.cap {
            row::cap(scores, cap);
            workspace.capped[..scores.len()].copy_from_slice(scores);
        }
        for (row, i) in scores.chunks_exact_mut(block.other.len()).zip(block.own.clone()) {
            matrix.mask.apply(row, i, block.other.start, keys_own);
            if matrix.bounds.differ() {
                let met = if keys_own { matrix.bounds.queries(i) } else { matrix.bounds.keys(i) };
                exclude_outside(row, met, block.other.start);
            }
        }
    }

    /// Stores some queries of a matrix, multiplied by the scale. All passes scale the queries and
    /// not the scores, so the backward pass rounds like the forward pass and has the same weights.
    fn scale_queries(&self, matrix: &Matrix<T>, queries: Range<usize>, scaled: &mut [T]) {
        let [_, _, _, d, _] = self.kernel.kernel.extents();
        for (scaled, i) in scaled.chunks_exact_mut(d.max(1)).zip(queries) {
            scaled.iter_mut().enumerate().for_each(|(at, scaled)| *scaled = matrix.query.at(i, at));
            row::multiply(scaled, self.params.scale);
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
        for block in Self::blocks(own.clone(), matrix.bounds.keys_of(&own)) {
            self.scores(workspace, matrix, &block, false);
            let Workspace { gemm, scores, slopes, capped, narrow, .. } = workspace;
            let width = block.other.len();
            let slopes = &mut slopes[..own.len() * width];
            slopes.fill(T::ZERO);
            let sides = (grad.below(own.start), matrix.value.below(block.other.start));
            gemm.multiply_add(sides.0, sides.1, block.extents(e), slopes);
            for ((scores, slopes), i) in
                scores.chunks_exact_mut(width).zip(slopes.chunks_exact_mut(width)).zip(own.clone())
            {
                let [logarithm, product] = [0, 1].map(|which| [statistics.at(i, which); OTHER]);
                row::differentiate(scores, slopes, &logarithm, &product, self.params.scale);
            }
            self.differentiate_cap(slopes, capped);
            let key = matrix.key.below(block.other.start).transpose();
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
        let rows = own.len();
        // The gradients of keys that are not filled are 0, whatever these keys contain.
        let own = own.start..own.end.min(matrix.bounds.filled_keys()).max(own.start);
        for block in Self::blocks(own.clone(), matrix.bounds.queries_of(&own)) {
            self.scores(workspace, matrix, &block, true);
            let Workspace { gemm, scores, slopes, capped, narrow, wide, .. } = workspace;
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
                row::differentiate(scores, slopes, &logarithms, &products, self.params.scale);
            }
            self.differentiate_cap(slopes, capped);
            gemm.multiply_add(Strided::dense(slopes, width), query.transpose(), [own.len(), d, width], narrow);
            gemm.multiply_add(Strided::dense(scores, width), grad.transpose(), [own.len(), e, width], wide);
        }
        let (of_keys, of_values) = (rows * d, rows * e);
        self.output(0, (number * n + own.start) * d, of_keys).copy_from_slice(&workspace.narrow[..of_keys]);
        let values = batch * n * d + (number * n + own.start) * e;
        self.output(0, values, of_values).copy_from_slice(&workspace.wide[..of_values]);
    }

    /// Multiplies gradients by the derivative of the soft cap, if there is one.
    fn differentiate_cap(&self, slopes: &mut [T], capped: &[T]) {
        if let Some(cap) = self.params.cap {
            row::differentiate_cap(slopes, capped, cap);
        }
    }

    /// The elements of an output that only this task writes.
    fn output(&self, output: usize, first: usize, count: usize) -> &'a mut [T] {
        let size = size_of::<T>();
        // SAFETY: a task writes the rows that it owns, and no two tasks own the same row.
        elements_mut(unsafe { self.outputs[output].part(first * size..(first + count) * size) })
    }
}

impl<T: Float> Mask<'_, T> {
    /// Applies the mask to a row of scores: an owned row with the rows of the other side from
    /// `first` on.
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

/// Excludes the pairs of a row outside of a range of the other side. The row starts at `first`.
fn exclude_outside<T: Float>(row: &mut [T], met: Range<usize>, first: usize) {
    let [start, end] = [met.start, met.end].map(|at| at.saturating_sub(first).min(row.len()));
    row[..start].fill(T::NEGATIVE_INFINITY);
    row[end..].fill(T::NEGATIVE_INFINITY);
}

impl CpuKernel for Attention {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        match self.kernel.dtype() {
            DType::F64 => self.launch::<f64>(op, inputs, outputs, params),
            _ => self.launch::<f32>(op, inputs, outputs, params),
        }
    }
}
