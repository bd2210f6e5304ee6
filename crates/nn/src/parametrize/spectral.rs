//! Spectral normalization.

use super::{Parametrization, Parametrized, leaf};
use crate::{Buffer, Module, Parameter};
use lanthorn_tensor::{DType, Error, Result, Tensor, no_grad};

/// The number of power iterations at construction.
const FIRST_ITERATIONS: usize = 15;

/// A module whose parameter is divided by its largest singular value (Miyato et al., 2018), as a
/// matrix of dimension `dim` against all others.
///
/// Power iteration estimates the singular vectors, with `n_power_iterations` per call in training;
/// they are the buffers `parametrizations.weight.0._u` and `parametrizations.weight.0._v`. A vector
/// is divided by its norm. The parameter is replaced by `parametrizations.weight.original`.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::{Linear, Module, SpectralNorm};
/// let layer = SpectralNorm::new(Linear::new(4, 2)?, "weight", 1, 1e-12, 0)?;
/// let names: Vec<String> = layer.named_parameters().into_iter().map(|(name, _)| name).collect();
/// assert_eq!(names, ["bias", "parametrizations.weight.original"]);
/// for _ in 0..50 {
///     layer.weight()?;
/// }
/// let largest = layer.weight()?.linalg_svdvals()?.amax((), false)?;
/// assert!((pollster::block_on(largest.item())? - 1.0).abs() < 1e-4);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub type SpectralNorm<M> = Parametrized<M, Spectral>;

/// A parameter and its first singular vectors: see [`SpectralNorm`].
pub struct Spectral {
    original: Parameter,
    /// The left and the right singular vector; none if the parameter is a vector.
    vectors: Option<(Buffer, Buffer)>,
    n_power_iterations: usize,
    eps: f64,
    dim: usize,
}

impl<M: Module> SpectralNorm<M> {
    /// The module with its own parameter `name`, usually `"weight"`. PyTorch's default for `dim` is
    /// 0, and 1 for transposed convolutions.
    ///
    /// # Errors
    ///
    /// `argument` if the module has no such parameter, and `shape` for a dimension that it lacks.
    pub fn new(module: M, name: &str, n_power_iterations: usize, eps: f64, dim: i64) -> Result<SpectralNorm<M>> {
        Parametrized::make(module, name, |weight| Spectral::new(weight, n_power_iterations, eps, dim))
    }
}

impl Spectral {
    /// A copy of a parameter with estimates of its first singular vectors.
    ///
    /// # Errors
    ///
    /// `argument` if the module has no such parameter, and `shape` for a dimension that it lacks.
    pub fn new(weight: &Parameter, n_power_iterations: usize, eps: f64, dim: i64) -> Result<Spectral> {
        if n_power_iterations == 0 {
            return Err(Error::argument(Spectral::NAME, "n_power_iterations must be above 0"));
        }
        let mut spectral = Spectral::of(leaf(weight)?, None, n_power_iterations, eps, dim)?;
        if weight.rank() > 1 {
            let matrix = spectral.matrix()?.detach();
            let sizes = matrix.shape().to_vec();
            let random = |size: usize| -> Result<Tensor> {
                let vector = Tensor::randn_with([size as i64], Some(DType::F32), Some(weight.device()))?;
                unit(&vector.to(weight.dtype())?, eps)
            };
            spectral.vectors = Some((random(sizes[0])?, random(sizes[1])?));
            spectral.iterate(&matrix, FIRST_ITERATIONS)?;
        }
        Ok(spectral)
    }

    /// These tensors: a parameter, and its left and right singular vector if it is not a vector.
    ///
    /// # Errors
    ///
    /// `index` for a dimension that the parameter lacks.
    pub fn of(
        original: Parameter,
        vectors: Option<(Buffer, Buffer)>,
        n_power_iterations: usize,
        eps: f64,
        dim: i64,
    ) -> Result<Spectral> {
        let dim = original.shape().dim(Spectral::NAME, dim)?;
        Ok(Spectral { original, vectors, n_power_iterations, eps, dim })
    }

    /// The parameter as a matrix with `dim` as its rows.
    fn matrix(&self) -> Result<Tensor> {
        let others = (0..self.original.rank()).filter(|&other| other != self.dim);
        let order: Vec<i64> = std::iter::once(self.dim).chain(others).map(|dim| dim as i64).collect();
        let rows = self.original.shape()[self.dim] as i64;
        self.original.permute(&order[..])?.reshape([rows, -1])
    }

    /// Runs power iterations on the vectors.
    fn iterate(&self, matrix: &Tensor, iterations: usize) -> Result<()> {
        let Some((left, right)) = &self.vectors else { return Ok(()) };
        no_grad(|| {
            let transposed = matrix.t()?;
            (0..iterations).try_for_each(|_| {
                left.copy_(&unit(&matrix.mv(right)?, self.eps)?)?;
                right.copy_(&unit(&transposed.mv(left)?, self.eps)?)
            })
        })
    }
}

/// A vector of length 1 in the same direction.
fn unit(vector: &Tensor, eps: f64) -> Result<Tensor> {
    vector.div(&vector.linalg_vector_norm(2.0, (), false)?.clamp_min(eps)?)
}

impl Parametrization for Spectral {
    const NAME: &'static str = "spectral_norm";

    fn originals(&self) -> Vec<(String, Parameter)> {
        vec![("original".into(), self.original.clone())]
    }

    fn buffers(&self) -> Vec<(String, Buffer)> {
        let named = |(left, right): &(Buffer, Buffer)| [("0._u".into(), left.clone()), ("0._v".into(), right.clone())];
        self.vectors.iter().flat_map(named).collect()
    }

    fn value(&self, training: bool) -> Result<Tensor> {
        let Some((left, right)) = &self.vectors else { return unit(&self.original, self.eps) };
        let matrix = self.matrix()?;
        if training {
            self.iterate(&matrix.detach(), self.n_power_iterations)?;
        }
        // Copies, because a second call before backward changes the buffers.
        let (left, right) = (left.clone_tensor()?, right.clone_tensor()?);
        self.original.div(&left.dot(&matrix.mv(&right)?)?)
    }
}
