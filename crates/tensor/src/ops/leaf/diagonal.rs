//! Diagonals: views of them, and tensors that have given ones.

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

/// The elements at `[i + below, i + right]` of dimensions `rows` and `columns`, `length` of them.
#[derive(Clone, Copy)]
struct Diagonal {
    rows: usize,
    columns: usize,
    below: usize,
    right: usize,
    length: usize,
}

impl Diagonal {
    /// The diagonal `offset` places to the right of the main one.
    fn new(op: &str, shape: &Shape, offset: i64, dim1: i64, dim2: i64) -> Result<Diagonal> {
        let (rows, columns) = (shape.dim(op, dim1)?, shape.dim(op, dim2)?);
        if rows == columns {
            return Err(Error::argument(op, format!("the diagonal's dimensions must differ, both are {rows}")));
        }
        let sizes = (shape[rows], shape[columns]);
        // No matrix has a diagonal further out than its size.
        let below = usize::try_from(offset.saturating_neg().max(0)).map_or(sizes.0, |below| below.min(sizes.0));
        let right = usize::try_from(offset.max(0)).map_or(sizes.1, |right| right.min(sizes.1));
        Ok(Diagonal { rows, columns, below, right, length: (sizes.0 - below).min(sizes.1 - right) })
    }

    /// `layout` with the diagonal as its last dimension in place of the two.
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

    /// A tensor of `shape` with `source` on the diagonal and zeros elsewhere: no copy where the result is only read.
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
            // The place on the diagonal, by its row.
            BoundedIndex { steps: steps(1, 0), start: -below, divisor: 1, size: self.length, stride: along },
            // How far right of the diagonal: only what is not at all is on it.
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

/// The diagonal of dimensions `dim1` and `dim2` as a view, as its last dimension; `offset` counts to the right of the main one.
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

/// The last dimension of `self` as the diagonal of dimensions `dim1` and `dim2` of the result, which is 0 elsewhere.
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
    let place = |dim: i64| {
        if (-rank..rank).contains(&dim) {
            return Ok(dim.rem_euclid(rank) as usize);
        }
        Err(Error::index("diag_embed", format!("dimension {dim} is out of range for a result of {rank} dimensions")))
    };
    let (rows, columns) = (place(dim1)?, place(dim2)?);
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
