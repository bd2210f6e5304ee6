//! Triangles of matrices.

use crate::{
    DType, Device, Error, Result, Shape, Tensor,
    ops::{Op, pointwise::launch_at},
    samples::{self, Sample},
};
use lanthorn_ir::{
    expr::{Constant, Expr, Type},
    kernel::AffineIndex,
};
use lanthorn_macros::op;

/// The mask of a matrix of `rows` and `columns` that is true on and below a diagonal, where
/// `column - row <= diagonal`.
pub(crate) fn below(op: &'static str, rows: usize, columns: usize, diagonal: i64, device: &Device) -> Result<Tensor> {
    let right = AffineIndex { steps: vec![-1, 1], start: 0 };
    let lies = Expr::affine(0).le(Expr::param(0, Type::I32));
    // A diagonal beyond int32 is outside of every matrix, so the clamped offset is equivalent.
    let diagonal = diagonal.clamp(-i64::from(i32::MAX), i64::from(i32::MAX)) as i32;
    let shape = Shape::from_dims([rows, columns]);
    launch_at(op, &lies, &[], vec![right], &[Constant::I32(diagonal).into()], DType::Bool, &shape, device)
}

fn below_of(op: &'static str, x: &Tensor, diagonal: i64) -> Result<Tensor> {
    match x.shape()[..] {
        [.., rows, columns] => below(op, rows, columns, diagonal, x.device()),
        _ => Err(Error::shape(op, format!("takes a matrix or several, not shape {}", x.shape()))),
    }
}

fn triangles() -> Vec<Sample> {
    samples::calls([
        vec![samples::real(&[4, 5], -2.0, 2.0)],
        vec![samples::real(&[2, 5, 3], -2.0, 2.0), samples::int(1)],
        vec![samples::real(&[3, 3], -2.0, 2.0), samples::int(-1)],
        vec![samples::tensor(&[3, 4], DType::I32, -9.0, 9.0)],
    ])
}

/// The matrices with 0 above a diagonal. `diagonal` counts upwards from the main diagonal.
///
/// Shapes: `self: [*, n, m]`; the result has the shape of `self`.
///
/// Errors: `shape` if `self` has fewer than two dimensions.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// # use lanthorn_tensor::Tensor;
/// let x = Tensor::ones([2, 3])?;
/// assert_eq!(pollster::block_on(x.tril(0)?.to_vec::<f32>())?, [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
/// assert_eq!(pollster::block_on(x.triu(1)?.to_vec::<f32>())?, [0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
#[op(leaf, "tril(Tensor self, int diagonal=0) -> Tensor", in_place, samples = triangles)]
fn tril(x: &Tensor, diagonal: i64) -> Result<Tensor> {
    Tensor::r#where(&below_of("tril", x, diagonal)?, x, false)
}

/// The matrices with 0 below a diagonal. `diagonal` counts upwards from the main diagonal.
///
/// Shapes and errors: as of [`tril`](Tensor::tril).
#[op(leaf, "triu(Tensor self, int diagonal=0) -> Tensor", in_place, samples = triangles)]
fn triu(x: &Tensor, diagonal: i64) -> Result<Tensor> {
    Tensor::r#where(&below_of("triu", x, diagonal.saturating_sub(1))?, false, x)
}

/// The indices of the elements of a matrix for which `lies` accepts the difference of column and
/// row: all rows, then all columns.
fn positions(
    op: &str,
    [rows, columns]: [i64; 2],
    dtype: Option<DType>,
    device: Option<&Device>,
    lies: impl Fn(i64) -> bool,
) -> Result<Tensor> {
    Shape::new(op, &[rows, columns])?;
    let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let (mut values, across): (Vec<i32>, Vec<i32>) =
        all.filter(|(row, column)| lies(column - row)).map(|(row, column)| (row as i32, column as i32)).unzip();
    let shape = [2, across.len() as i64];
    values.extend(across);
    let device = device.map_or_else(Device::default_device, |device| Ok(device.clone()))?;
    Tensor::from_slice(&values, shape, &device)?.to(dtype.unwrap_or(DType::I32))
}

fn sizes() -> Vec<Sample> {
    samples::calls([
        vec![samples::int(3), samples::int(4)],
        vec![samples::int(4), samples::int(3), samples::int(-1)],
        vec![samples::int(0), samples::int(3), samples::int(1)],
    ])
}

/// The row and column indices of the elements on and below a diagonal of a matrix of `row` rows and
/// `col` columns, in row-major order.
///
/// Shapes: the result is `[2, k]`, rows first; int32 without `dtype`. `offset` counts upwards from
/// the main diagonal.
///
/// Errors: `shape` if `row` or `col` is negative or the matrix has too many elements; `dtype` if
/// the device does not support `dtype`.
#[op(
    composite,
    "tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = sizes
)]
fn tril_indices(row: i64, col: i64, offset: i64, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    positions("tril_indices", [row, col], dtype, device, |right| right <= offset)
}

/// The row and column indices of the elements on and above a diagonal of a matrix of `row` rows and
/// `col` columns, in row-major order.
///
/// Shapes and errors: as of [`tril_indices`](Tensor::tril_indices).
#[op(
    composite,
    "triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
    samples = sizes
)]
fn triu_indices(row: i64, col: i64, offset: i64, dtype: Option<DType>, device: Option<&Device>) -> Result<Tensor> {
    positions("triu_indices", [row, col], dtype, device, |right| right >= offset)
}

pub(crate) static OPS: &[&Op] = &[&TRIL, &TRIU, &TRIL_INDICES, &TRIU_INDICES];
