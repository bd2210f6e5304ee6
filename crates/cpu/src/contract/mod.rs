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
    block::{Code, Machine, Space},
    buffer::{Buffer, elements, elements_mut},
    launch::Work,
    map::{blocks, inputs_of, space_of},
};
use lanthorn_ir::{
    DType, Error, Layout, Result, Shape,
    expr::{Constant, Type},
    kernel,
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
    a: Layout,
    b: Layout,
    dtype: DType,
    /// m, n and k of one product.
    extents: [usize; 3],
    epilogue: Code,
    output: Space,
}

impl Contract {
    pub fn new(op: &str, kernel: &kernel::Contract) -> Result<Contract> {
        let (a, b) = (&kernel.a, &kernel.b);
        let rank = a.shape().rank();
        let fits = rank >= 2
            && b.shape().rank() == rank
            && a.shape()[..rank - 2] == b.shape()[..rank - 2]
            && a.shape()[rank - 1] == b.shape()[rank - 2];
        if !fits {
            let (left, right) = (a.shape(), b.shape());
            return Err(Error::kernel(op, format!("a product of shapes {left} and {right}")));
        }
        if !kernel.dtype.is_floating_point() || kernel.epilogue.outputs.len() != 1 {
            return Err(Error::kernel(op, format!("a product of {} matrices", kernel.dtype)));
        }
        let [batch, m, n, k] = kernel.extents();
        let flat = Layout::contiguous(Shape::from_dims([batch * m * n]));
        let output = space_of(op, &flat, &[&flat])?;
        let epilogue = Code::new(op, &kernel.epilogue, &inputs_of(&[kernel.dtype], &output), &kernel.params, true)?;
        if epilogue.results[0].1 != Type::from(kernel.dtype) {
            return Err(Error::kernel(op, format!("an output of {} from an epilogue of another type", kernel.dtype)));
        }
        let (a, b, m) = merge_batch(a, b, [batch, m, k]).unwrap_or_else(|| (a.clone(), b.clone(), m));
        Ok(Contract { a, b, dtype: kernel.dtype, extents: [m, n, k], epilogue, output })
    }

    fn multiply<T: Real>(&self, op: &str, a: &[T], b: &[T], c: &mut [T]) -> Result<()> {
        let [m, n, k] = self.extents;
        if k == 0 {
            c.fill(T::ZERO);
            return Ok(());
        }
        let mut packed = Buffer::default();
        for ((c, a), b) in c.chunks_exact_mut((m * n).max(1)).zip(matrices(&self.a, a)).zip(matrices(&self.b, b)) {
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

/// A batch that shares its right matrix is one taller product, if the left matrices lie behind one another.
fn merge_batch(a: &Layout, b: &Layout, [batch, m, k]: [usize; 3]) -> Option<(Layout, Layout, usize)> {
    let outer = b.shape().rank() - 2;
    let shared = b.shape().iter().zip(b.strides()).take(outer).all(|(&size, &stride)| size == 1 || stride == 0);
    if batch == 1 || !shared || batch * m * k == 0 {
        return None;
    }
    let a = a.reshape(&Shape::from_dims([batch * m, k]))?;
    let b = Layout::new(Shape::from_dims(b.shape()[outer..].iter().copied()), b.strides()[outer..].iter().copied(), b.offset());
    Some((a, b, batch * m))
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
    fn run(&self, op: &str, inputs: &[&[u8]], mut outputs: Vec<&mut [u8]>, params: &[Constant]) -> Result<()> {
        let &[a, b] = inputs else { return Err(Error::kernel(op, "a product has two inputs")) };
        for output in &mut outputs {
            match self.dtype {
                DType::F64 => self.multiply::<f64>(op, elements(a), elements(b), elements_mut(output))?,
                _ => self.multiply::<f32>(op, elements(a), elements(b), elements_mut(output))?,
            }
        }
        if self.epilogue.is_identity() {
            return Ok(());
        }
        let mut machine = Machine::new(op, &self.epilogue, &self.output, &[(self.dtype, None)], outputs, params)?;
        let elements = self.output.elements();
        for (start, n) in blocks(elements, elements, self.epilogue.block) {
            machine.run(start, n);
        }
        Ok(())
    }
}
