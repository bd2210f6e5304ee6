//! The size of a tensor in each dimension.

use crate::{
    Error, Result,
    number::{Convert, Number},
};
use std::{fmt, ops::Deref, sync::Arc};

/// The sizes of a tensor's dimensions; `[]` for a 0-d tensor.
///
/// A shape is valid by construction: it has at most [`Shape::MAX_RANK`] dimensions and
/// [`Shape::MAX_ELEMENTS`] elements, so products of sizes need no further checks. Clones share the
/// sizes: most tensors share their shape with another.
#[derive(PartialEq, Eq, Hash)]
pub struct Shape<N = usize>(Arc<[N]>);

impl<N> Clone for Shape<N> {
    fn clone(&self) -> Shape<N> {
        Shape(self.0.clone())
    }
}

impl<N> Default for Shape<N> {
    fn default() -> Shape<N> {
        Shape([].into())
    }
}

impl Shape {
    /// The largest supported rank.
    pub const MAX_RANK: usize = 16;
    /// The largest number of elements: kernels index with 32-bit integers.
    pub const MAX_ELEMENTS: u64 = i32::MAX as u64;

    /// A checked shape.
    ///
    /// # Errors
    /// A shape error, in the name of `op`, for a negative size, too many dimensions or too many
    /// elements.
    ///
    /// ```
    /// # use lanthorn_ir as lanthorn;
    /// use lanthorn::Shape;
    /// assert_eq!(Shape::new("rand", &[2, 3]).unwrap().elements(), 6);
    /// assert!(Shape::new("rand", &[-1]).unwrap_err().is_shape());
    /// assert!(Shape::new("rand", &[65536, 65536]).unwrap_err().is_shape());
    /// ```
    pub fn new(op: &str, sizes: &[i64]) -> Result<Shape> {
        let too_large = || {
            let most = Shape::MAX_ELEMENTS;
            Error::shape(op, format!("a tensor of shape {sizes:?} is too large: at most {most} elements"))
        };
        if sizes.len() > Shape::MAX_RANK {
            let (rank, most) = (sizes.len(), Shape::MAX_RANK);
            return Err(Error::shape(op, format!("{rank} dimensions; at most {most} are supported")));
        }
        let mut dims = Vec::with_capacity(sizes.len());
        // An empty tensor with otherwise huge sizes is refused too, because strides are products of
        // sizes.
        let mut product = 1u64;
        for &size in sizes {
            if size < 0 {
                return Err(Error::shape(op, format!("negative size {size} in shape {sizes:?}")));
            }
            product = product.checked_mul((size as u64).max(1)).ok_or_else(too_large)?;
            dims.push(usize::try_from(size).map_err(|_| too_large())?);
        }
        if product > Shape::MAX_ELEMENTS {
            return Err(too_large());
        }
        Ok(Shape(dims.into()))
    }

    /// The shape that both broadcast to, by PyTorch's rules.
    ///
    /// # Errors
    /// A shape error, in the name of `op`, if they do not broadcast or the result is too large.
    ///
    /// ```
    /// # use lanthorn_ir::Shape;
    /// let (a, b) = (Shape::from_dims([3, 1]), Shape::from_dims([4]));
    /// assert_eq!(a.broadcast("add", &b).unwrap().to_vec(), [3, 4]);
    /// ```
    pub fn broadcast(&self, op: &str, other: &Shape) -> Result<Shape> {
        let rank = self.rank().max(other.rank());
        let at = |shape: &Shape, d: usize| (d + shape.rank()).checked_sub(rank).map_or(1, |d| shape.0[d]);
        let mut dims = Vec::with_capacity(rank);
        for d in 0..rank {
            dims.push(match (at(self, d), at(other, d)) {
                (a, b) if a == b => a as i64,
                (1, b) => b as i64,
                (a, 1) => a as i64,
                _ => return Err(Error::shape(op, format!("shapes {self} and {other} do not broadcast together"))),
            });
        }
        Shape::new(op, &dims)
    }

    /// A dimension, counted from the end if negative, as an index into this shape.
    ///
    /// A 0-d shape accepts 0 and -1, as in PyTorch; the caller then has no dimension to act on.
    ///
    /// # Errors
    /// An index error, in the name of `op`, for a dimension out of range.
    pub fn dim(&self, op: &str, dim: i64) -> Result<usize> {
        let rank = self.rank().max(1) as i64;
        if dim < -rank || dim >= rank {
            let message =
                format!("dimension {dim} is out of range for shape {self} (expected {} to {})", -rank, rank - 1);
            return Err(Error::index(op, message));
        }
        Ok(dim.rem_euclid(rank) as usize)
    }

    /// The sizes as `i64`, PyTorch's integer type.
    pub fn to_i64(&self) -> Vec<i64> {
        self.0.iter().map(|&size| size as i64).collect()
    }
}

impl<N: Number> Shape<N> {
    /// A shape from sizes that are known to be valid, because they come from other shapes.
    pub fn from_dims(dims: impl IntoIterator<Item = N>) -> Shape<N> {
        Shape(dims.into_iter().collect())
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The product of the sizes; 1 for a 0-d tensor.
    pub fn elements(&self) -> N {
        self.0.iter().fold(N::constant(1), |product, &size| product * size)
    }

    /// The strides of a contiguous tensor of this shape, in elements.
    pub fn contiguous_strides(&self) -> Vec<N::Signed> {
        let mut strides = vec![N::constant(1).to_signed(); self.rank()];
        for d in (1..self.rank()).rev() {
            strides[d - 1] = strides[d] * self.0[d].or_one().to_signed();
        }
        strides
    }

    /// The shape with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Shape<M> {
        Shape(self.0.iter().map(|&size| convert.number(size)).collect())
    }
}

impl<N> Deref for Shape<N> {
    type Target = [N];
    // Inlined, it is two loads. A call would return the slice in memory.
    #[inline(always)]
    fn deref(&self) -> &[N] {
        &self.0
    }
}

impl<N: fmt::Debug> fmt::Display for Shape<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl<N: fmt::Debug> fmt::Debug for Shape<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
