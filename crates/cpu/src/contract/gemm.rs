//! Products of blocks that fit in a cache, for kernels that consist of several products.

use super::{
    axis::Cursor,
    blocked::{Right, tiles},
    packing::Side,
    real::Real,
};
use crate::buffer::Buffer;
use lanthorn_ir::Result;

/// A strided matrix of rows and depth. A product sums over the depth.
#[derive(Clone, Copy)]
pub(crate) struct Strided<'a, T> {
    pub data: &'a [T],
    pub offset: isize,
    pub row: isize,
    pub depth: isize,
}

impl<'a, T: Copy> Strided<'a, T> {
    /// The rows of a dense matrix of `columns` columns.
    pub fn dense(data: &'a [T], columns: usize) -> Self {
        Strided { data, offset: 0, row: columns as isize, depth: 1 }
    }

    /// The matrix from row `row` on.
    pub fn below(self, row: usize) -> Self {
        Strided { offset: self.offset + row as isize * self.row, ..self }
    }

    /// The matrix with rows and depth exchanged.
    pub fn transpose(self) -> Self {
        Strided { row: self.depth, depth: self.row, ..self }
    }

    /// The element of a row at a depth.
    #[inline(always)]
    pub fn at(&self, row: usize, depth: usize) -> T {
        self.data[(self.offset + row as isize * self.row + depth as isize * self.depth) as usize]
    }
}

/// The scratch memory in which one worker packs blocks.
pub(crate) struct GemmWorkspace {
    a: Buffer,
    b: Buffer,
    most: usize,
}

impl GemmWorkspace {
    /// Allocates memory for products of at most `most` rows or columns, and `depth` terms.
    pub fn new<T: Real>(op: &str, most: usize, depth: usize) -> Result<GemmWorkspace> {
        let micro = T::micro([most; 2]);
        let buffer = |width: usize| Buffer::new(op, most.next_multiple_of(width) * depth * size_of::<T>(), 0);
        Ok(GemmWorkspace { a: buffer(micro.rows)?, b: buffer(micro.columns)?, most })
    }

    /// Adds the products of m rows of `a` and n rows of `b`, with k terms each, to `c`, whose rows
    /// have n elements.
    pub fn multiply_add<T: Real>(&mut self, a: Strided<T>, b: Strided<T>, [m, n, k]: [usize; 3], c: &mut [T]) {
        if m * n * k == 0 {
            return;
        }
        let micro = T::micro([self.most; 2]);
        let pack = |buffer: &mut Buffer, matrix: &Strided<T>, rows: usize, width: usize| {
            let length = rows.next_multiple_of(width) * k;
            let from = Cursor { address: matrix.offset, ..Cursor::default() };
            Side::strided([rows, k], [matrix.row, matrix.depth]).pack(
                matrix.data,
                from,
                0..rows,
                0..k,
                width,
                &mut buffer.elements_mut()[..length],
            );
            length
        };
        let (in_a, in_b) = (pack(&mut self.a, &a, m, micro.rows), pack(&mut self.b, &b, n, micro.columns));
        let (a, elements) = (&self.a.elements_mut::<T>()[..in_a], &self.b.elements_mut::<T>()[..in_b]);
        tiles(&micro, a, Right::panels(elements, &micro, k), n, true, &mut c[..m * n]);
    }
}
