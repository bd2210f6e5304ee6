//! Orthogonal and semi-orthogonal parameters.

use super::{Parametrization, Parametrized, leaf};
use crate::{Buffer, Module, Parameter};
use lanthorn_tensor::{DType, Error, QrMode, Result, Tensor, choices, no_grad};

choices! {
    /// The function that makes an orthogonal matrix of any matrix: see [`Orthogonal`].
    OrthogonalMap {
        /// The matrix exponential of a skew-symmetric matrix.
        MatrixExp = "matrix_exp",
        /// Its Cayley transform, `(I + A / 2) (I - A / 2)^-1`.
        Cayley = "cayley",
        /// A product of Householder reflections.
        Householder = "householder",
    }
}

/// A module whose parameter is an orthogonal matrix, or has orthonormal rows or columns if it is
/// not square, as `torch.nn.utils.parametrizations.orthogonal` (Lezcano-Casado and
/// Martínez-Rubio, 2019).
///
/// The parameter is replaced by `parametrizations.weight.original`, and with the dynamic
/// trivialization (Lezcano-Casado, 2019) the map is multiplied by the buffer
/// `parametrizations.weight.0.base`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, Orthogonal};
/// use lanthorn::Tensor;
/// let layer = Orthogonal::new(Linear::new(20, 40)?, "weight", None, true)?;
/// let weight = layer.weight()?;
/// let error = weight.t()?.matmul(&weight)?.sub(&Tensor::eye(20, None)?)?.abs()?.amax((), false)?;
/// assert!(pollster::block_on(error.item())? < 1e-5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub type Orthogonal<M> = Parametrized<M, OrthogonalWeight>;

/// The tensors of an orthogonal parameter: see [`Orthogonal`].
pub struct OrthogonalWeight {
    original: Parameter,
    base: Option<Buffer>,
    map: OrthogonalMap,
}

impl<M: Module> Orthogonal<M> {
    /// The module with its own parameter `name` orthogonal. Without a map it is `MatrixExp` for a
    /// square matrix, and `Householder` for others.
    ///
    /// # Errors
    ///
    /// `argument` if the module has no parameter of this name; `shape` if it has fewer than two
    /// dimensions.
    pub fn new(
        module: M,
        name: &str,
        orthogonal_map: Option<OrthogonalMap>,
        use_trivialization: bool,
    ) -> Result<Orthogonal<M>> {
        Parametrized::make(module, name, |weight| OrthogonalWeight::new(weight, orthogonal_map, use_trivialization))
    }
}

/// Rows and columns of a matrix or of a batch of matrices.
fn sizes(matrix: &Tensor) -> Result<(i64, i64)> {
    match matrix.shape()[..] {
        [.., rows, columns] => Ok((rows as i64, columns as i64)),
        _ => {
            let message = format!("takes a matrix or a batch of matrices, not shape {}", matrix.shape());
            Err(Error::shape(OrthogonalWeight::NAME, message))
        }
    }
}

fn identity(n: i64, like: &Tensor) -> Result<Tensor> {
    Tensor::eye_with(n, Some(n), like.dtype(), Some(like.device()))
}

/// The first `count` columns of a matrix from column `start`.
fn columns(matrix: &Tensor, start: i64, count: i64) -> Result<Tensor> {
    matrix.narrow(-1, start, count)
}

/// The orthogonal factor of a tall matrix whose triangular factor has a positive diagonal.
fn orthonormal(matrix: &Tensor) -> Result<Tensor> {
    let (q, r) = matrix.linalg_qr(QrMode::Reduced)?;
    q.mul(&r.diagonal(0, -2, -1)?.sign()?.unsqueeze(-2)?)
}

/// A tall orthogonal matrix as the vectors of Householder reflections below the diagonal, with the
/// signs on it: the inverse of the map `Householder`.
fn reflections(matrix: &Tensor) -> Result<Tensor> {
    let (rows, count) = sizes(matrix)?;
    let mut rest = matrix.clone();
    let mut vectors = vec![];
    for step in 0..count {
        let column = columns(&rest, step, 1)?;
        let below = column.narrow(-2, step, rows - step)?;
        let (first, tail) = (below.narrow(-2, 0, 1)?, below.narrow(-2, 1, rows - step - 1)?);
        let squares = tail.square()?.sum(-2i64, true)?;
        // Without a tail there is no reflection, as in LAPACK; the map then turns the sign.
        let (is_none, sign) = (squares.eq(0.0)?, Tensor::r#where(&first.lt(0.0)?, -1.0, 1.0)?.to(matrix.dtype())?);
        let length = first.square()?.add(&squares)?.sqrt()?;
        let head = first.add(&sign.mul(&length)?)?;
        let tail = Tensor::r#where(&is_none, 0.0, &tail.div(&head)?)?.to(matrix.dtype())?;
        let vector = Tensor::cat(&[Tensor::ones_like(&first)?, tail.clone()], -2)?;
        let scale = vector.square()?.sum(-2i64, true)?.reciprocal()?.mul(2.0)?;
        let scale = Tensor::r#where(&is_none, 0.0, &scale)?.to(matrix.dtype())?;
        let lower = rest.narrow(-2, step, rows - step)?;
        let reflected = lower.sub(&vector.matmul(&vector.mt()?.matmul(&lower)?)?.mul(&scale)?)?;
        rest = if step == 0 { reflected } else { Tensor::cat(&[rest.narrow(-2, 0, step)?, reflected], -2)? };
        let above = columns(&rest, step, 1)?.narrow(-2, 0, step)?;
        vectors.push(Tensor::cat(&[above, sign.neg()?, tail], -2)?);
    }
    Tensor::cat(&vectors, -1)
}

impl OrthogonalWeight {
    /// An orthogonal matrix near a parameter, in the coordinates of a map.
    ///
    /// # Errors
    ///
    /// `shape` if the parameter has fewer than two dimensions.
    pub fn new(weight: &Parameter, map: Option<OrthogonalMap>, use_trivialization: bool) -> Result<OrthogonalWeight> {
        let (rows, columns) = sizes(weight)?;
        let usual = if rows == columns { OrthogonalMap::MatrixExp } else { OrthogonalMap::Householder };
        let map = map.unwrap_or(usual);
        no_grad(|| {
            let weight = weight.detach();
            let (is_wide, tall) = (rows < columns, if rows < columns { weight.mt()? } else { weight.clone() });
            if use_trivialization {
                let base = OrthogonalWeight::complete(&tall)?;
                // The maps of minus the identity are the identity.
                let diagonal = Tensor::eye_with(rows, Some(columns), weight.dtype(), Some(weight.device()))?;
                let original = leaf(&diagonal.neg()?.expand(weight.shape())?.contiguous()?)?;
                return Ok(OrthogonalWeight { original, base: Some(base), map });
            }
            let original = match map {
                OrthogonalMap::Householder => {
                    let made = reflections(&tall)?;
                    leaf(&(if is_wide { made.mt()?.contiguous()? } else { made }))?
                }
                _ => leaf(&weight)?,
            };
            Ok(OrthogonalWeight { original, base: None, map })
        })
    }

    /// These tensors.
    pub fn of(original: Parameter, base: Option<Buffer>, map: OrthogonalMap) -> OrthogonalWeight {
        OrthogonalWeight { original, base, map }
    }

    /// The function that makes the matrix orthogonal.
    pub fn orthogonal_map(&self) -> OrthogonalMap {
        self.map
    }

    /// An orthogonal square matrix that begins with the columns of a tall matrix, made orthonormal.
    fn complete(tall: &Tensor) -> Result<Tensor> {
        let (rows, columns) = sizes(tall)?;
        if rows == columns {
            return orthonormal(tall);
        }
        let mut shape: Vec<i64> = tall.shape().iter().map(|&size| size as i64).collect();
        *shape.last_mut().expect("it is a matrix") = rows - columns;
        let others = Tensor::randn_with(&shape[..], Some(DType::F32), Some(tall.device()))?.to(tall.dtype())?;
        orthonormal(&Tensor::cat(&[tall.clone(), others], -1)?)
    }

    /// The map of a tall matrix.
    fn apply_map(&self, tall: &Tensor) -> Result<Tensor> {
        let (rows, count) = sizes(tall)?;
        if self.map == OrthogonalMap::Householder {
            let vectors = tall.tril(-1)?;
            let scales = vectors.square()?.sum(-2i64, false)?.add(1.0)?.reciprocal()?.mul(2.0)?;
            let signs = tall.diagonal(0, -2, -1)?.detach().to(DType::I32)?.to(tall.dtype())?;
            return vectors.linalg_householder_product(&scales)?.mul(&signs.unsqueeze(-2)?);
        }
        let lower = tall.tril(0)?;
        let square = if rows == count {
            lower
        } else {
            let mut shape: Vec<i64> = tall.shape().iter().map(|&size| size as i64).collect();
            *shape.last_mut().expect("it is a matrix") = rows - count;
            let zeros = Tensor::zeros_with(&shape[..], tall.dtype(), Some(tall.device()))?;
            Tensor::cat(&[lower, zeros], -1)?
        };
        let skew = square.sub(&square.mt()?)?;
        let turned = match self.map {
            OrthogonalMap::Cayley => {
                let (half, one) = (skew.mul(0.5)?, identity(rows, tall)?);
                one.sub(&half)?.linalg_solve(&one.add(&half)?)?
            }
            _ => skew.matrix_exp()?,
        };
        if rows == count { Ok(turned) } else { columns(&turned, 0, count) }
    }
}

impl Parametrization for OrthogonalWeight {
    const NAME: &'static str = "orthogonal";

    fn originals(&self) -> Vec<(String, Parameter)> {
        vec![("original".into(), self.original.clone())]
    }

    fn buffers(&self) -> Vec<(String, Buffer)> {
        self.base.iter().map(|base| ("0.base".into(), base.clone())).collect()
    }

    fn value(&self, _: bool) -> Result<Tensor> {
        let (rows, columns) = sizes(&self.original)?;
        let is_wide = rows < columns;
        let tall = if is_wide { self.original.mt()? } else { self.original.clone() };
        let mapped = self.apply_map(&tall)?;
        let value = match &self.base {
            Some(base) => base.matmul(&mapped)?,
            None => mapped,
        };
        if is_wide { value.mt() } else { Ok(value) }
    }
}
