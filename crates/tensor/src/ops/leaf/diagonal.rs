//! Diagonals: views of them, and tensors with given ones.

use super::view::{alias, load};
use crate::{
    Error, Result, Shape, Tensor,
    autograd::attach,
    ops::Op,
    samples::{self, Sample},
};
use lanthorn_ir::{
    Layout,
    kernel::{BoundedIndex, Operand},
};
use lanthorn_macros::op;
use std::rc::Rc;

/// The elements `[i + below, i + right]` of dimensions `rows` and `columns`, for `i` in
/// `0..length`.
#[derive(Clone, Copy)]
struct Diagonal {
    rows: usize,
    columns: usize,
    below: usize,
    right: usize,
    length: usize,
}

impl Diagonal {
    /// The diagonal `offset` columns to the right of the main one.
    fn new(op: &str, shape: &Shape, offset: i64, dim1: i64, dim2: i64) -> Result<Diagonal> {
        let (rows, columns) = (shape.dim(op, dim1)?, shape.dim(op, dim2)?);
        if rows == columns {
            return Err(Error::argument(op, format!("the diagonal's dimensions must differ, both are {rows}")));
        }
        let sizes = (shape[rows], shape[columns]);
        // A larger offset names a diagonal without elements.
        let below = usize::try_from(offset.saturating_neg().max(0)).map_or(sizes.0, |below| below.min(sizes.0));
        let right = usize::try_from(offset.max(0)).map_or(sizes.1, |right| right.min(sizes.1));
        Ok(Diagonal { rows, columns, below, right, length: (sizes.0 - below).min(sizes.1 - right) })
    }

    /// `layout` with the diagonal as its last dimension instead of the two dimensions.
    fn of(&self, layout: &Layout) -> Layout {
        let (stride, shape) = (layout.strides(), layout.shape());
        let others = (0..shape.rank()).filter(|d| *d != self.rows && *d != self.columns);
        let sizes = others.clone().map(|d| shape[d]).chain([self.length]);
        let strides = others.map(|d| stride[d]).chain([stride[self.rows] + stride[self.columns]]);
        let start = stride[self.rows] * self.below as isize + stride[self.columns] * self.right as isize;
        let offset = if self.length > 0 { layout.offset() + start as usize } else { layout.offset() };
        Layout::new(Shape::from_dims(sizes), strides, offset)
    }

    fn view(self, op: &'static str, x: &Tensor) -> Tensor {
        let shape = x.shape().clone();
        alias(op, x, self.of(x.layout()), move |grad| Ok(self.embed("diagonal_backward", grad, &shape)))
    }

    /// A tensor of `shape` with `source` on the diagonal and zeros elsewhere, which is not stored
    /// if a kernel can read it in place.
    fn embed(self, op: &'static str, source: &Tensor, shape: &Shape) -> Tensor {
        let (along, others) = match source.stride().split_last() {
            Some((&along, others)) => (along, others),
            None => (1, &[][..]),
        };
        let mut others = others.iter().copied();
        let of_dim = |d| if d == self.rows || d == self.columns { 0 } else { others.next().unwrap_or(0) };
        let layout = Layout::new(shape.clone(), (0..shape.rank()).map(of_dim), source.storage_offset());
        let steps = |row: isize, column: isize| {
            let step = |d| if d == self.rows { row } else { isize::from(d == self.columns) * column };
            (0..shape.rank()).map(step).collect()
        };
        let (below, right) = (self.below as isize, self.right as isize);
        let windows = vec![
            // The index on the diagonal, from the row.
            BoundedIndex { steps: steps(1, 0), start: -below, divisor: 1, size: self.length, stride: along },
            // The distance from the diagonal, which is 0 on it and out of bounds elsewhere.
            BoundedIndex { steps: steps(-1, 1), start: below - right, divisor: 1, size: 1, stride: 0 },
        ];
        let output = load(op, source, Operand { bounded: windows, ..Operand::new(source.dtype(), layout) });
        attach(op, &output, &[source], &[], Rc::new(move |grad, _| Ok(vec![Some(self.view("diagonal", grad))])));
        output
    }
}

fn diagonals() -> Vec<Sample> {
    samples::calls([
        vec![samples::real(&[4, 4], -2.0, 2.0)],
        vec![samples::real(&[3, 5], -2.0, 2.0), samples::int(2)],
        vec![samples::real(&[4, 2, 3], -2.0, 2.0), samples::int(-1), samples::int(-1), samples::int(0)],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(-7)],
    ])
}

/// The diagonal of dimensions `dim1` and `dim2`, as the last dimension of a view. `offset` counts
/// columns to the right of the main diagonal.
///
/// Shapes: `self: [*, n, *, m, *]`, `result: [*, k]`, where `k` is the length of the diagonal,
/// `min(n, m)` for `offset` 0. A diagonal outside of the matrix has length 0.
///
/// Errors: `index` if a dimension is out of range; `argument` if both are the same.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::zeros([2, 2])?;
/// x.diagonal(0, 0, 1)?.add_(1.0)?;
/// assert_eq!(pollster::block_on(x.to_vec::<f32>())?, [1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(leaf, "diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", samples = diagonals)]
fn diagonal(x: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    Ok(Diagonal::new("diagonal", x.shape(), offset, dim1, dim2)?.view("diagonal", x))
}

/// A tensor with the last dimension of `self` on the diagonal of dimensions `dim1` and `dim2`, and
/// 0 elsewhere.
///
/// Shapes: `self: [*, n]`, `result: [*, k, k]` with `k = n + |offset|` for the default dimensions.
///
/// Errors: `shape` if `self` is 0-d; `index` if a dimension is out of range for the result;
/// `argument` if both are the same.
#[op(
    leaf,
    "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
    samples = || samples::calls([
        vec![samples::real(&[3], -2.0, 2.0)],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(1)],
        vec![samples::real(&[2, 3], -2.0, 2.0), samples::int(-2), samples::int(2), samples::int(0)],
        vec![samples::tensor(&[2, 3], crate::DType::I32, -9.0, 9.0)],
    ])
)]
fn diag_embed(x: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    let Some((&length, others)) = x.shape().split_last() else {
        return Err(Error::shape("diag_embed", "a 0-d tensor has no dimension to lay on a diagonal"));
    };
    let side = (length as i64).saturating_add(offset.saturating_abs());
    let mut sizes: Vec<i64> = others.iter().map(|&size| size as i64).collect();
    let rank = others.len() as i64 + 2;
    let position = |dim: i64| {
        if (-rank..rank).contains(&dim) {
            return Ok(dim.rem_euclid(rank) as usize);
        }
        Err(Error::index("diag_embed", format!("dimension {dim} is out of range for a result of {rank} dimensions")))
    };
    let (rows, columns) = (position(dim1)?, position(dim2)?);
    if rows == columns {
        return Err(Error::argument("diag_embed", format!("the diagonal's dimensions must differ, both are {rows}")));
    }
    for dim in [rows.min(columns), rows.max(columns)] {
        sizes.insert(dim, side);
    }
    let shape = Shape::new("diag_embed", &sizes)?;
    Ok(Diagonal::new("diag_embed", &shape, offset, dim1, dim2)?.embed("diag_embed", x, &shape))
}

pub(crate) static OPS: &[&Op] = &[&DIAGONAL, &DIAG_EMBED];
