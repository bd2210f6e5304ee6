//! Sums of products over any dimensions: batched matrix products with any strides, convolutions and
//! their gradients.
//!
//! Large products are blocked as in BLIS (Van Zee and van de Geijn, 2015): panels of both operands
//! are packed in the order in which a register-tiled micro-kernel reads them, so strides cost time
//! only while packing. Images of a convolution are copied with their padding and not packed.
//! Products with a vector are bound by memory and not packed. Very small products are plain loops.
//! The epilogue runs on each block of sums while it is in the cache.
//!
//! Rejected: a dependency on `gemm` or BLAS. Web pages need this code anyway, and with one source
//! for all targets the CPU backend can serve as the reference.

mod axis;
mod block_rows;
#[cfg(test)]
mod block_tests;
mod blocked;
#[cfg(test)]
mod convolution_tests;
mod factor;
pub(crate) mod gemm;
mod image;
mod micro;
mod packing;
mod panels;
#[cfg(test)]
mod prologue_tests;
mod real;
mod rows;
mod split_k;
#[cfg(test)]
mod tests;
mod vector;

use crate::{
    block::{Bound, Input, Output, plain},
    buffer::elements,
    encoding::FloatEncoding,
    epilogue::{Epilogue, Store},
    half::Half,
    kernel::{CpuKernel, data, linear},
    parallel,
};
pub(crate) use axis::{Axis, Cursor, affine_strides};
use axis::{MAX_BOUNDS, is_free, origin};
use blocked::{Block, Blocks, Workspace};
use factor::{Evaluation, Expression, Factor};
use image::Images;
use lanthorn_ir::{
    BlockFormat, Error, Layout, Result, Shape,
    expr::{Constant, Expr, Program, Type},
    kernel::{self, Operand, Prologue},
};
pub(crate) use micro::Micro;
#[cfg(target_arch = "wasm32")]
pub use micro::beside::Microkernels;
#[cfg(target_arch = "wasm32")]
pub(crate) use micro::beside::use_microkernels;
pub(crate) use packing::Side;
pub(crate) use panels::Packing;
use panels::Whole;
pub(crate) use real::Real;
pub(crate) use rows::RowProducts;
use std::{ops::Range, sync::Arc};
pub(crate) use vector::multiply_strided as multiply_vector;

/// Products of at most this number of multiplications are not packed.
const SMALL: usize = 2048;

/// Number of rows or columns that share the results of a prologue, for the planner. A block has
/// more, but prologues run separately from packing, and blocks are cut for threads.
pub(crate) const TILE: usize = 32;

/// Minimum number of results in a task of small products.
const TASK: usize = SMALL;

/// Number of results in a task of a product with a vector. They are one thread's share, in pieces
/// that fit in a cache.
const VECTOR_TASK: Range<usize> = 512..SMALL;

/// Maximum number of products of a packed element for which the operand's panels may be kept. With
/// more products, packing is a small part of the time.
const MAX_REUSE: usize = 1024;

/// A strided matrix in a buffer: the left operand, or the transposed right operand.
#[derive(Clone, Copy)]
struct Matrix<'a, T> {
    data: &'a [T],
    offset: isize,
    row: isize,
    column: isize,
}

impl<'a, T: Real> Matrix<'a, T> {
    /// Matrix `number` of a strided side.
    fn new(side: &Side, data: &'a [T], number: usize) -> Self {
        Matrix {
            data,
            offset: side.batch.at(number).address,
            row: side.rows.step.address,
            column: side.depth.step.address,
        }
    }

    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> usize {
        (self.offset + row as isize * self.row + column as isize * self.column) as usize
    }

    fn below(self, row: usize) -> Self {
        Matrix { offset: self.offset + row as isize * self.row, ..self }
    }
}

/// A prepared product.
pub(crate) struct Contract {
    /// The left operand, and the transposed right operand.
    sides: [Side; 2],
    /// The prologue of each factor. A factor without a prologue is its operand.
    expressions: [Option<Expression>; 2],
    ty: Type,
    /// The encoding of an operand, and the number of elements of its buffer that may be read.
    encodings: [Option<(FloatEncoding, usize)>; 2],
    /// The number of matrices in the batch, and m, n and k of each.
    extents: [usize; 4],
    /// Number of columns that are consecutive in the output: n, or fewer if matrices of the batch
    /// were merged into the columns.
    dense_columns: usize,
    algorithm: Algorithm,
    /// The copies of the right operand, if it consists of images.
    images: Option<Images>,
    /// The operands that are packed as a whole, or may be.
    whole: [Option<Whole>; 2],
    epilogue: Epilogue,
    /// The first input of the epilogue.
    epilogue_start: usize,
}

/// The algorithm of the products.
#[derive(Clone, Copy)]
enum Algorithm {
    /// The right operand is one column.
    Column,
    /// The left operand is one row.
    Row,
    /// There are few multiplications.
    Small,
    Blocked,
}

impl Algorithm {
    /// The factor that is a matrix, if the other one is a vector.
    fn matrix(self) -> Option<usize> {
        match self {
            Algorithm::Column => Some(0),
            Algorithm::Row => Some(1),
            Algorithm::Small | Algorithm::Blocked => None,
        }
    }
}

/// The arguments of one launch.
struct Launch<'a, T> {
    op: &'a str,
    data: [&'a [T]; 2],
    /// The bytes of a block-quantized matrix that is multiplied without decoding it to memory.
    blocks: [Option<(BlockFormat, &'a [u8])>; 2],
    /// The panels of operands that were packed earlier.
    panels: [Option<&'a [u8]>; 2],
    inputs: &'a [Input<'a>],
    outputs: &'a [Output<'a>],
    params: &'a [Constant],
}

/// The dimensions of a contraction: batch, m and k of the left operand, k and n of the right
/// operand.
struct Dims {
    batch: Vec<usize>,
    m: Vec<usize>,
    n: Vec<usize>,
    k: [Vec<usize>; 2],
}

impl Dims {
    fn new(kernel: &kernel::Contract) -> Dims {
        let [batch, m, n, k] = [&kernel.batch, &kernel.m, &kernel.n, &kernel.k].map(|shape| shape.rank());
        let from = |start: usize, rank: usize| (start..start + rank).collect::<Vec<_>>();
        Dims {
            batch: from(0, batch),
            m: from(batch, m),
            n: from(batch + k, n),
            k: [from(batch + m, k), from(batch, k)],
        }
    }

    /// Removes and returns the innermost dimensions of the batch along which all operands are
    /// constant.
    fn take_free(&mut self, operands: &[&Operand]) -> Vec<usize> {
        let same = |d: usize| operands.iter().all(|operand| operand.shape()[d] == 1 || is_free(operand, d));
        let free = self.batch.iter().rev().take_while(|&&d| same(d)).count();
        self.batch.split_off(self.batch.len() - free)
    }
}

/// The axes of operands along the same dimensions.
fn axes<const N: usize>(of: [(&Operand, &[usize]); N]) -> [Axis; N] {
    let affine_strides = of.map(|(operand, dims)| affine_strides(operand, dims));
    let together = Layout::coalesce(&affine_strides.iter().flatten().collect::<Vec<_>>());
    let mut rest = together.as_slice();
    affine_strides.map(|affine_strides| {
        let (own, others) = rest.split_at(affine_strides.len());
        rest = others;
        Axis::new(own)
    })
}

impl Contract {
    pub fn new(op: &str, kernel: &kernel::Contract) -> Result<Contract> {
        check(op, kernel)?;
        let [(a, from_a), (b, from_b)] = [plain(&kernel.a), plain(&kernel.b)];
        let mut dims = Dims::new(kernel);
        let left = |dims: &Dims| axes([(&a, &dims.batch)]).map(|axis| axis.from(origin(&a, from_a)));
        let empty = kernel.output().elements() * kernel.k.elements() == 0;
        let copies = kernel.ty() == Type::F32 || f64::PADS_IMAGES;
        // A prologue is computed while its factor is packed.
        let made = kernel.prologues.iter().any(Option::is_some);
        let lefts = || left(&dims)[0].distinct().0.len();
        let images = if empty || made || !copies { None } else { Images::new(kernel, &dims, lefts) };
        // Matrices of the batch that share the right operand are merged into a taller product, and
        // matrices that share the left operand into a wider one.
        let read = [0, 1].map(|factor| kernel.factor_operands(factor));
        let rows = if images.is_some() { vec![] } else { dims.take_free(&read[1]) };
        let columns =
            if images.is_some() || rows.iter().any(|&d| a.shape()[d] > 1) { vec![] } else { dims.take_free(&read[0]) };
        dims.m.splice(0..0, rows);
        let dense_columns = kernel.n.elements();
        dims.n.splice(0..0, columns);
        let [batch_a, batch_b] = axes([(&a, &dims.batch), (&b, &dims.batch)]);
        // Each operand has its own axes, because a convolution's weights may be contiguous where
        // its image is not.
        let ([depth_a], [depth_b]) = (axes([(&a, &dims.k[0])]), axes([(&b, &dims.k[1])]));
        let ([rows], [columns]) = (axes([(&a, &dims.m)]), axes([(&b, &dims.n)]));
        let extents = [batch_a.length, rows.length, columns.length, depth_a.length];
        let bounds = |operand: &Operand| operand.bounded.iter().map(Bound::of).collect();
        let sides = [
            Side { batch: batch_a.from(origin(&a, from_a)), rows, depth: depth_a, bounds: bounds(&a) },
            Side { batch: batch_b.from(origin(&b, from_b)), rows: columns, depth: depth_b, bounds: bounds(&b) },
        ];
        let ty = kernel.ty();
        let epilogue = Epilogue::new(op, &kernel.epilogue, ty, &kernel.output(), &kernel.params)?;
        let whole = [&kernel.a, &kernel.b];
        let algorithm = algorithm(&sides, extents, dense_columns);
        let matrix = algorithm.matrix();
        let expression = |factor: usize| -> Result<Option<Expression>> {
            let (side, rows) = (&sides[factor], if factor == 0 { &dims.m } else { &dims.n });
            let turned = side.runs_along_rows(side.rows.length, side.depth.length, side.rows.length);
            // Elements of a half type that are read once are widened by the multiplication.
            let widens = matrix == Some(factor) && !turned && Half::of(whole[factor].dtype()).is_some();
            let widened =
                widens.then(|| Prologue { inputs: vec![], program: Program::new(&[Expr::input(0, Type::F32)]) });
            let Some(prologue) = kernel.prologues[factor].as_deref().or(widened.as_ref()) else { return Ok(None) };
            let inputs = std::iter::once(factor).chain(kernel.prologue_inputs(factor)).collect();
            let dims = [&dims.batch[..], rows, &dims.k[factor]];
            Expression::new(op, prologue, whole[factor], inputs, dims, turned, &kernel.params).map(Some)
        };
        let expressions = [expression(0)?, expression(1)?];
        let encoding = |factor: usize| {
            let operand = whole[factor];
            let encoding = FloatEncoding::of(operand.encoding).filter(|_| expressions[factor].is_none());
            encoding.map(|encoding| (encoding, operand.extent().unwrap_or(0)))
        };
        let encodings = [encoding(0), encoding(1)];
        // A computed matrix is multiplied row by row with a vector in memory.
        let in_rows = |factor: usize| {
            expressions[1 - factor].is_none() && expressions[factor].as_ref().is_none_or(Expression::is_in_rows)
        };
        let packed = expressions.iter().any(Option::is_some) && !matrix.is_some_and(in_rows);
        let algorithm = if packed { Algorithm::Blocked } else { algorithm };
        let epilogue_start = kernel.epilogue_start();
        let mut contract = Contract {
            sides,
            expressions,
            ty,
            encodings,
            extents,
            dense_columns,
            algorithm,
            images,
            whole: [None, None],
            epilogue,
            epilogue_start,
        };
        if !empty {
            contract.whole = if ty == Type::F64 { contract.wholes::<f64>() } else { contract.wholes::<f32>() };
        }
        Ok(contract)
    }

    /// The operands that are packed as a whole, or may be.
    fn wholes<T: Real>(&self) -> [Option<Whole>; 2] {
        let [_, m, n, _] = self.extents;
        let deep = blocked::deep::<T>(self.extents);
        let whole =
            |side: usize, width: usize| Whole::new(&self.sides[side], [width, deep], self.ty, self.encodings[side]);
        if let (true, Some(images)) = (T::PADS_IMAGES, &self.images) {
            return [Some(whole(0, T::micro([m, images.columns()]).rows)), None];
        }
        let one = Blocks::<T>::new(self.extents, 1).of_matrix();
        let packs = matches!(self.algorithm, Algorithm::Blocked) && self.blocks_of(1).is_none();
        if !packs || split_k::splits(self.extents, one) > 1 {
            return [None, None];
        }
        let (micro, reuse) = (T::micro([m, n]), [n, m]);
        [0, 1].map(|side| {
            let pays =
                reuse[side] <= MAX_REUSE && self.expressions[side].is_none() && self.sides[side].bounds.is_empty();
            // Panels of decoded blocks would take eight times the memory of the blocks.
            let pays = pays && !self.encodings[side].is_some_and(|(encoding, _)| encoding.is_blocks());
            pays.then(|| whole(side, [micro.rows, micro.columns][side])).filter(Whole::is_small)
        })
    }

    /// The format of a block-quantized matrix that is multiplied directly by a vector, or by a few
    /// rows of the other factor.
    fn blocks_of(&self, side: usize) -> Option<BlockFormat> {
        let Some((FloatEncoding::Blocks(format), _)) = self.encodings[side] else { return None };
        let [batch, m, _, k] = self.extents;
        let with_few = match self.algorithm {
            Algorithm::Column => side == 0,
            Algorithm::Row => side == 1,
            Algorithm::Small | Algorithm::Blocked => {
                let in_rows = self.expressions[0].as_ref().is_none_or(Expression::is_in_rows);
                side == 1 && m <= block_rows::MAX_VECTORS && in_rows && self.sides.iter().all(Side::is_strided)
            }
        };
        let whole =
            |number: usize| block_rows::has_blocks(format, &Matrix::<f32>::new(&self.sides[side], &[], number), k);
        (with_few && k > 0 && (0..batch).all(whole)).then_some(format)
    }

    fn multiply<T: Real>(&self, launch: &Launch<T>) -> Result<()> {
        let [batch, m, n, k] = self.extents;
        if let (true, Some(images), Some(left)) = (T::PADS_IMAGES, &self.images, &self.whole[0]) {
            return self.with_images(images, left, launch);
        }
        if let (2.., Some((format, bytes))) = (m.min(n), launch.blocks[1]) {
            return self.few_rows(launch, format, bytes);
        }
        let operations = [batch, m, n, k.max(1)];
        if T::PACKS_ALL || matches!(self.algorithm, Algorithm::Blocked) {
            let whole = Blocks::<T>::new(self.extents, 1);
            let splits = split_k::splits(self.extents, whole.of_matrix());
            if splits > 1 {
                return self.split_k(launch, &whole, splits);
            }
            let blocks = Blocks::<T>::new(self.extents, parallel::threads());
            return parallel::split(batch * blocks.of_matrix(), &operations, |tasks| {
                self.blocks(launch, &blocks, tasks)
            });
        }
        // A task is several small products, or a part of a long one.
        let length = match self.algorithm {
            Algorithm::Column | Algorithm::Row => {
                (m * n / parallel::threads()).clamp(VECTOR_TASK.start, VECTOR_TASK.end)
            }
            _ => TASK,
        };
        let at_once = (length / (m * n).max(1)).max(1);
        let parts = (m * n).div_ceil(length).max(1);
        parallel::split(batch.div_ceil(at_once) * parts, &operations, |tasks| {
            let mut results = vec![T::ZERO; at_once * (m * n).min(length)];
            let mut store = self.store(launch)?;
            let mut computed = self.computed_matrix(launch)?;
            for task in tasks {
                let (first, part) = (task / parts * at_once, task % parts);
                let (matrices, from) = (first..batch.min(first + at_once), part * length);
                let each = (m * n - from).min(length);
                let results = &mut results[..matrices.len() * each];
                for (matrix, results) in matrices.clone().zip(results.chunks_exact_mut(each.max(1))) {
                    self.product(launch, &mut computed, matrix, from, results);
                }
                store.results(matrices.start * m * n + from, bytemuck::cast_slice(results));
            }
            store.finish()
        })
    }

    /// Multiplies a few rows by a block-quantized matrix.
    fn few_rows<T: Real>(&self, launch: &Launch<T>, format: BlockFormat, bytes: &[u8]) -> Result<()> {
        let [batch, m, n, k] = self.extents;
        let length = (n / parallel::threads()).clamp(VECTOR_TASK.start, VECTOR_TASK.end).min(n);
        let parts = n.div_ceil(length);
        parallel::split(batch * parts, &[batch, m, n, k], |tasks| {
            let mut results = vec![0f32; m * length];
            let mut rows = vec![0f32; m * k];
            let mut store = self.store(launch)?;
            let mut computed = self.expressions[0]
                .as_ref()
                .map(|expression| expression.evaluation::<f32>(launch.op, launch.inputs, launch.params, 0))
                .transpose()?;
            for (matrix, from) in tasks.map(|task| (task / parts, task % parts * length)) {
                let columns = from..n.min(from + length);
                match &mut computed {
                    Some(computed) => computed.rows(matrix, &mut rows),
                    None => {
                        let a = Matrix::new(&self.sides[0], launch.data[0], matrix);
                        for (i, row) in rows.chunks_exact_mut(k).enumerate() {
                            row.iter_mut().enumerate().for_each(|(p, x)| *x = a.data[a.at(i, p)].to_f64() as f32);
                        }
                    }
                }
                let results = &mut results[..m * columns.len()];
                let b = Matrix::new(&self.sides[1], launch.data[1], matrix).below(from);
                block_rows::multiply(format, bytes, &b, &rows, k, results);
                let block = Block { matrix, rows: 0..m, columns };
                self.store_block(&mut store, &block, bytemuck::cast_slice(results), size_of::<f32>());
            }
            store.finish()
        })
    }

    /// The expression of a matrix that is multiplied by a vector, ready to be evaluated.
    fn computed_matrix<'a, T: Real>(&'a self, launch: &Launch<'a, T>) -> Result<Option<Evaluation<'a>>> {
        let expression = self.algorithm.matrix().and_then(|factor| self.expressions[factor].as_ref());
        expression.map(|expression| expression.evaluation::<T>(launch.op, launch.inputs, launch.params, 0)).transpose()
    }

    /// Computes one product without packing: its results from number `from` on.
    fn product<T: Real>(
        &self,
        launch: &Launch<T>,
        computed: &mut Option<Evaluation>,
        matrix: usize,
        from: usize,
        results: &mut [T],
    ) {
        let [_, _, n, k] = self.extents;
        let [a, b] = [0, 1].map(|side| Matrix::new(&self.sides[side], launch.data[side], matrix));
        let vector = [&b, &a][usize::from(matches!(self.algorithm, Algorithm::Row))];
        if let Some(computed) = computed {
            return computed.multiply(matrix, from, &vector::gather(*vector, k), results);
        }
        let whole = match self.algorithm {
            Algorithm::Column => launch.blocks[0].map(|blocks| (blocks, a)),
            Algorithm::Row => launch.blocks[1].map(|blocks| (blocks, b)),
            _ => None,
        };
        if let Some(((format, bytes), matrix)) = whole {
            let x: Vec<f32> = (0..k).map(|p| vector.data[vector.at(0, p)].to_f64() as f32).collect();
            return block_rows::multiply(format, bytes, &matrix.below(from), &x, k, bytemuck::cast_slice_mut(results));
        }
        match self.algorithm {
            Algorithm::Column => vector::multiply(a.below(from), b, k, results),
            Algorithm::Row => vector::multiply(b.below(from), a, k, results),
            _ => small(a, b, [n, k], results),
        }
    }

    fn blocks<T: Real>(&self, launch: &Launch<T>, blocks: &Blocks<T>, tasks: Range<usize>) -> Result<()> {
        let [_, m, n, k] = self.extents;
        let mut workspace = Workspace::new(launch.op, blocks)?;
        let mut store = self.store(launch)?;
        let mut factors = self.factors(launch, blocks)?;
        for task in tasks {
            let block = blocks.block(task, m, n);
            let c = workspace.multiply(&mut factors, blocks, &block, 0..k);
            self.store_block(&mut store, &block, c, size_of::<T>());
        }
        store.finish()
    }

    /// The factors that a task packs.
    fn factors<'a, T: Real>(&'a self, launch: &'a Launch<T>, blocks: &Blocks<T>) -> Result<[Factor<'a, T>; 2]> {
        let factor = |side: usize| -> Result<Factor<T>> {
            let most = blocks.largest()[side];
            Ok(match (&self.expressions[side], &self.whole[side], launch.panels[side]) {
                (Some(expression), ..) => {
                    Factor::Computed(expression.evaluation::<T>(launch.op, launch.inputs, launch.params, most)?)
                }
                (None, Some(whole), Some(panels)) => Factor::Packed(whole.panels(panels)),
                _ => Factor::Stored(&self.sides[side], launch.data[side]),
            })
        };
        Ok([factor(0)?, factor(1)?])
    }

    /// The elements of the factors that are operands in memory.
    fn reals<'a, T: Real>(&self, bytes: [&'a [u8]; 2]) -> [&'a [T]; 2] {
        let is_read = |side: usize| self.expressions[side].is_none() && self.blocks_of(side).is_none();
        [0, 1].map(|side| if is_read(side) { elements(bytes[side]) } else { &[] })
    }

    fn store<'a, T>(&'a self, launch: &Launch<'a, T>) -> Result<Store<'a>> {
        self.epilogue.store(launch.op, &launch.inputs[self.epilogue_start..], launch.outputs, launch.params)
    }

    /// Stores a block of sums, in pieces that are consecutive in the output.
    fn store_block(&self, store: &mut Store, block: &Block, sums: &[u8], size: usize) {
        let ([_, m, n, _], width) = (self.extents, block.columns.len());
        let (inner, outer) = (self.dense_columns, n / self.dense_columns);
        if inner == width && outer == 1 {
            return store.results((block.matrix * m + block.rows.start) * n, sums);
        }
        for (row, sums) in block.rows.clone().zip(sums.chunks_exact(width * size)) {
            let mut column = block.columns.start;
            while column < block.columns.end {
                let length = (inner - column % inner).min(block.columns.end - column);
                let first = ((block.matrix * outer + column / inner) * m + row) * inner + column % inner;
                let at = column - block.columns.start;
                store.results(first, &sums[at * size..(at + length) * size]);
                column += length;
            }
        }
    }
}

fn check(op: &str, kernel: &kernel::Contract) -> Result<()> {
    let (a, b) = (&kernel.a, &kernel.b);
    let of = |parts: [&Shape; 3]| Shape::from_dims(parts.into_iter().flat_map(|shape| shape.iter().copied()));
    let fits = *a.shape() == of([&kernel.batch, &kernel.m, &kernel.k])
        && *b.shape() == of([&kernel.batch, &kernel.k, &kernel.n]);
    if !fits {
        let (left, right) = (a.shape(), b.shape());
        return Err(Error::kernel(op, format!("a product of shapes {left} and {right}")));
    }
    kernel.check_prologues().map_err(|error| error.in_op(op))?;
    let types = [0, 1].map(|factor| kernel.factor_type(factor));
    if !types[0].is_float() || types[0] != types[1] {
        return Err(Error::kernel(op, format!("a product of {} and {} matrices", a.encoding, b.encoding)));
    }
    let legal = |operand: &Operand| {
        operand.is_strided() || (operand.bounded.len() <= MAX_BOUNDS && operand.outside.to_f64().to_bits() == 0)
    };
    if !legal(a) || !legal(b) {
        return Err(Error::kernel(
            op,
            format!("a product of operands with more than {MAX_BOUNDS} bounded indices, or not 0 outside of them"),
        ));
    }
    Ok(())
}

fn algorithm(sides: &[Side; 2], [_, m, n, k]: [usize; 4], dense_columns: usize) -> Algorithm {
    if !sides.iter().all(Side::is_strided) || k == 0 {
        return Algorithm::Blocked;
    }
    match (m, n) {
        (_, 1) => Algorithm::Column,
        (1, _) => Algorithm::Row,
        _ if m * n * k <= SMALL && n == dense_columns => Algorithm::Small,
        _ => Algorithm::Blocked,
    }
}

fn small<T: Real>(a: Matrix<T>, b: Matrix<T>, [n, k]: [usize; 2], c: &mut [T]) {
    for (i, c) in c.chunks_exact_mut(n).enumerate() {
        c.fill(T::ZERO);
        for p in 0..k {
            let factor = a.data[a.at(i, p)];
            if b.row == 1 {
                let b = &b.data[b.at(0, p)..][..n];
                c.iter_mut().zip(b).for_each(|(c, &b)| *c = *c + factor * b);
            } else {
                c.iter_mut().enumerate().for_each(|(j, c)| *c = *c + factor * b.data[b.at(j, p)]);
            }
        }
    }
}

impl CpuKernel for Contract {
    fn run(&self, op: &str, inputs: &[Input], outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let [a, b, ..] = inputs else { return Err(Error::kernel(op, "a product has two inputs")) };
        let [batch, m, n, _] = self.extents;
        if batch * m * n == 0 {
            return Ok(());
        }
        let outputs = &linear(outputs, &self.epilogue.dtypes);
        let given = [data(a), data(b)];
        let panels = [a, b].map(|input| if let Input::Packed { panels, .. } = input { Some(*panels) } else { None });
        // Otherwise each element is multiplied many times, and decoded once.
        let blocks = [0, 1].map(|side| self.blocks_of(side).map(|format| (format, given[side])));
        let widened = |side: usize| {
            self.encodings[side]
                .filter(|_| panels[side].is_none() && blocks[side].is_none())
                .map(|(encoding, reach)| encoding.widen(op, given[side], reach))
                .transpose()
        };
        let widened = [widened(0)?, widened(1)?];
        let bytes = [0, 1].map(|side| widened[side].as_ref().map_or(given[side], |buffer| buffer.bytes()));
        match self.ty {
            Type::F64 => {
                self.multiply::<f64>(&Launch { op, data: self.reals(bytes), blocks, panels, inputs, outputs, params })
            }
            _ => self.multiply::<f32>(&Launch { op, data: self.reals(bytes), blocks, panels, inputs, outputs, params }),
        }
    }

    fn packing(&self, input: usize) -> Option<&Arc<Packing>> {
        Some(&self.whole.get(input)?.as_ref()?.packing)
    }
}
