//! In which types an op computes: those that autocast wants, and float32 all through an op whose
//! tensors are of a half type, with its results rounded once.
//!
//! An op written in other ops would round after each of them, and the square of 300 is beyond
//! float16. PyTorch computes such an op in one kernel, in its `opmath_type`. The conversions are
//! ops: the derivative goes through them, and the planner computes them where the tensors are read
//! and the results stored.
//!
//! One function does it for the tensors of every op: in the code of each op it would be a twentieth
//! of the size of a page.

use super::Op;
use crate::{DType, Result, Tensor, autocast::Casting};

/// How the tensors of one call are computed with, as long as it lasts.
pub(crate) struct Precision {
    /// The half type that the call's floating-point tensors had, if they are float32 for an op with
    /// `opmath`.
    half: Option<DType>,
    _casting: Casting,
}

/// The composition of an op's results.
pub(crate) trait Results: Sized {
    /// The same with each tensor replaced.
    fn each(self, f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Self>;
}

impl Results for Tensor {
    fn each(self, f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Tensor> {
        f(&self)
    }
}

impl Results for (Tensor, Tensor) {
    fn each(self, f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Self> {
        Ok((f(&self.0)?, f(&self.1)?))
    }
}

impl Results for (Tensor, Tensor, Tensor) {
    fn each(self, f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Self> {
        Ok((f(&self.0)?, f(&self.1)?, f(&self.2)?))
    }
}

impl Precision {
    /// For a call of `op` with these tensors, which are converted to the types of the computation.
    ///
    /// Where one of them is float32 or float64, promotion has the others follow, and `opmath` has
    /// nothing to do.
    pub fn of(op: &'static Op, opmath: bool, tensors: &mut [&mut [Tensor]]) -> Result<Precision> {
        let casting = Casting::of(op.autocast);
        for tensor in tensors.iter_mut().flat_map(|list| list.iter_mut()) {
            *tensor = casting.tensor(tensor)?;
        }
        let dtypes =
            tensors.iter().flat_map(|list| list.iter()).map(Tensor::dtype).filter(|dtype| dtype.is_floating_point());
        let half = dtypes.reduce(DType::promote).filter(|dtype| opmath && dtype.is_half());
        if let Some(half) = half {
            for tensor in tensors.iter_mut().flat_map(|list| list.iter_mut()).filter(|tensor| tensor.dtype() == half) {
                *tensor = tensor.to(DType::F32)?;
            }
        }
        Ok(Precision { half, _casting: casting })
    }

    /// Results as they are given back.
    pub fn narrow<T: Results>(&self, results: T) -> Result<T> {
        match self.half {
            Some(half) => {
                results.each(|tensor| if tensor.dtype() == DType::F32 { tensor.to(half) } else { Ok(tensor.clone()) })
            }
            None => Ok(results),
        }
    }
}
