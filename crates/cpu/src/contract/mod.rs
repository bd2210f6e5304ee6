//! Batched matrix products with any strides.
//!
//! Products of some size are blocked as in BLIS (Van Zee and van de Geijn, 2015): panels of both operands are packed in the order in which a
//! register-tiled micro-kernel reads them, so strides cost something only while packing. Products with a vector are bound by memory and
//! go without packing; very small ones go without anything. The epilogue runs in place on the finished output.
//!
//! Rejected: a dependency on `gemm` or BLAS. The page needs this code anyway, and one source for all targets keeps the CPU backend the
//! reference that it is meant to be.

mod blocked;
mod micro;
mod pack;
mod real;
#[cfg(test)]
mod tests;
mod vector;
mod vector_register;

use crate::{
    block::{Input, Space},
    buffer::{Buffer, elements, elements_mut},
    epilogue::Epilogue,
    launch::{Work, data},
};
use lanthorn_ir::{
    DType, Error, Layout, Result, Shape,
    expr::Constant,
    kernel::{self, Operand},
};
use real::Real;

/// Products of at most so many multiplications are not worth packing.
const SMALL: usize = 2048;

/// A strided matrix in a buffer.
#[derive(Clone, Copy)]
struct Matrix<'a, T> {
    data: &'a [T],
    offset: usize,
    row: isize,
    column: isize,
}

impl<T: Real> Matrix<'_, T> {
    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> usize {
        (self.offset as isize + row as isize * self.row + column as isize * self.column) as usize
    }

    fn transposed(self) -> Self {
        Matrix { row: self.column, column: self.row, ..self }
    }
}

/// A product made ready.
pub(crate) struct Contract {
    a: Side,
    b: Side,
    dtype: DType,
    /// m, n and k of one product.
    extents: [usize; 3],
    epilogue: Epilogue,
    elements: usize,
}

/// An operand as matrices.
struct Side {
    /// What gathers the matrices, if they are not in the buffer as such.
    gather: Option<Space>,
    layout: Layout,
}

impl Side {
    fn new(operand: &Operand, shape: &Shape) -> Side {
        let strided = operand.is_strided().then(|| operand.layout.reshape(shape)).flatten();
        let gather = strided.is_none().then(|| Space::with_operands(&[operand], &[&Layout::contiguous(operand.shape().clone())]));
        Side { gather, layout: strided.unwrap_or_else(|| Layout::contiguous(shape.clone())) }
    }

    fn gathered<T: Real>(&self, op: &str, data: &[T]) -> Result<Option<Buffer>> {
        let Some(space) = &self.gather else { return Ok(None) };
        let mut buffer = Buffer::new(op, space.elements() * size_of::<T>(), 0)?;
        if space.elements() > 0 {
            space.load::<T>(&space.streams[0], data, 0, buffer.elements_mut());
        }
        Ok(Some(buffer))
    }
}

impl Contract {
    pub fn new(op: &str, kernel: &kernel::Contract) -> Result<Contract> {
        let (a, b) = (&kernel.a, &kernel.b);
        let of = |parts: [&Shape; 3]| Shape::from_dims(parts.into_iter().flat_map(|shape| shape.iter().copied()));
        let fits =
            *a.shape() == of([&kernel.batch, &kernel.m, &kernel.k]) && *b.shape() == of([&kernel.batch, &kernel.k, &kernel.n]);
        if !fits {
            let (left, right) = (a.shape(), b.shape());
            return Err(Error::kernel(op, format!("a product of shapes {left} and {right}")));
        }
        if !a.dtype.is_floating_point() || a.dtype != b.dtype {
            return Err(Error::kernel(op, format!("a product of {} and {} matrices", a.dtype, b.dtype)));
        }
        let [batch, m, n, k] = kernel.extents();
        let epilogue = Epilogue::new(op, &kernel.epilogue, a.dtype, &kernel.output(), &kernel.params)?;
        let [left, right] = [(a, [batch, m, k]), (b, [batch, k, n])].map(|(side, dims)| Side::new(side, &Shape::from_dims(dims)));
        Ok(Contract { a: left, b: right, dtype: a.dtype, extents: [m, n, k], epilogue, elements: batch * m * n })
    }

    fn product<T: Real>(&self, op: &str, a: &[T], b: &[T], c: &mut [T]) -> Result<()> {
        let (mut left, mut right) = (self.a.gathered(op, a)?, self.b.gathered(op, b)?);
        let a = left.as_mut().map_or(a, |buffer| buffer.elements_mut());
        let b = right.as_mut().map_or(b, |buffer| buffer.elements_mut());
        self.multiply(op, a, b, c)
    }

    fn multiply<T: Real>(&self, op: &str, a: &[T], b: &[T], c: &mut [T]) -> Result<()> {
        let [m, n, k] = self.extents;
        if k == 0 {
            c.fill(T::ZERO);
            return Ok(());
        }
        let mut packed = Buffer::default();
        for ((c, a), b) in c.chunks_exact_mut((m * n).max(1)).zip(matrices(&self.a.layout, a)).zip(matrices(&self.b.layout, b)) {
            if n == 1 {
                vector::multiply(a, b.data, b.offset, b.row, k, c);
            } else if m == 1 {
                vector::multiply(b.transposed(), a.data, a.offset, a.column, k, c);
            } else if m * n * k <= SMALL {
                small(a, b, [n, k], c);
            } else {
                if packed.bytes().is_empty() {
                    packed = Buffer::new(op, blocked::packed_bytes::<T>(self.extents), 0)?;
                }
                blocked::multiply(a, b, self.extents, c, packed.elements_mut());
            }
        }
        Ok(())
    }
}

/// Each matrix of a batch.
fn matrices<'a, T>(layout: &Layout, data: &'a [T]) -> impl Iterator<Item = Matrix<'a, T>> {
    let outer = layout.shape().rank() - 2;
    let shape = Shape::from_dims(layout.shape()[..outer].iter().copied());
    let batch = Layout::new(shape, layout.strides()[..outer].iter().copied(), layout.offset());
    let (row, column) = (layout.strides()[outer], layout.strides()[outer + 1]);
    let offsets: Vec<usize> = batch.offsets().collect();
    offsets.into_iter().map(move |offset| Matrix { data, offset, row, column })
}

fn small<T: Real>(a: Matrix<T>, b: Matrix<T>, [n, k]: [usize; 2], c: &mut [T]) {
    for (i, c) in c.chunks_exact_mut(n).enumerate() {
        c.fill(T::ZERO);
        for p in 0..k {
            let factor = a.data[a.at(i, p)];
            if b.column == 1 {
                let b = &b.data[b.at(p, 0)..][..n];
                c.iter_mut().zip(b).for_each(|(c, &b)| *c = *c + factor * b);
            } else {
                c.iter_mut().enumerate().for_each(|(j, c)| *c = *c + factor * b.data[b.at(p, j)]);
            }
        }
    }
}

impl Work for Contract {
    fn run(&self, op: &str, inputs: &[Input], mut outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let [a, b, inputs @ ..] = inputs else { return Err(Error::kernel(op, "a product has two inputs")) };
        let (a, b) = (data(a), data(b));
        let product = |c: &mut [u8]| match self.dtype {
            DType::F64 => self.product::<f64>(op, elements(a), elements(b), elements_mut(c)),
            _ => self.product::<f32>(op, elements(a), elements(b), elements_mut(c)),
        };
        if let (true, [output]) = (self.epilogue.is_identity(), outputs.as_mut_slice()) {
            return product(output);
        }
        let mut sums = Buffer::new(op, self.elements * self.dtype.size(), 0)?;
        product(sums.bytes_mut())?;
        self.epilogue.run(op, sums.bytes(), inputs, outputs, params)
    }
}
