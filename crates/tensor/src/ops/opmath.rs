//! Computing with float32 all through an op whose tensors are of a half type, and rounding its results once.
//!
//! An op written in other ops would round after each of them, and the square of 300 is beyond float16. PyTorch computes such an op in one kernel, in its
//! `opmath_type`. The conversions are ops: the derivative goes through them, and the planner computes them where the tensors are read and the results stored.

use crate::{DType, Result, Tensor};

/// How the tensors of one call are computed with.
pub(crate) struct Opmath {
    /// The half type that the call's floating-point tensors have.
    half: Option<DType>,
}

/// What an op's results are made of.
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

impl Opmath {
    /// For a call with these tensors. Where one of them is float32 or float64, promotion has the others follow, and there is nothing to do.
    pub fn of<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> Opmath {
        let floating = tensors.into_iter().map(Tensor::dtype).filter(|dtype| dtype.is_floating_point());
        Opmath { half: floating.reduce(DType::promote).filter(|dtype| dtype.is_half()) }
    }

    /// A tensor as it is computed with.
    pub fn widen(&self, tensor: &Tensor) -> Result<Tensor> {
        match self.half {
            Some(half) if tensor.dtype() == half => tensor.to(DType::F32),
            _ => Ok(tensor.clone()),
        }
    }

    /// Results as they are given back.
    pub fn narrow<T: Results>(&self, results: T) -> Result<T> {
        match self.half {
            Some(half) => results.each(|tensor| if tensor.dtype() == DType::F32 { tensor.to(half) } else { Ok(tensor.clone()) }),
            None => Ok(results),
        }
    }
}
