//! Sorting along one dimension.

use super::{KernelKind, extents_around};
use crate::{
    DType, Layout, Shape,
    number::{Convert, Number},
};

/// A stable sort along `dim`: `outputs[0]` holds the elements, `outputs[1]` the int32 positions
/// along `dim` that they come from.
///
/// NaN compares greater than every number; 0 and -0 are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sort<N: Number = usize> {
    /// The element type; a sort moves elements unchanged.
    pub dtype: DType,
    /// Input 0: the elements, of at least one dimension. Its shape is the iteration space.
    pub source: Layout<N>,
    /// The dimension that is sorted.
    pub dim: usize,
    /// Whether the largest element comes first.
    pub descending: bool,
}

impl<N: Number> Sort<N> {
    /// The shape as three dimensions: the elements before, along and after `dim`.
    pub fn extents(&self) -> [N; 3] {
        extents_around(self.source.shape(), self.dim)
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Sort<M> {
        let source = self.source.convert(convert);
        Sort { dtype: self.dtype, source, dim: self.dim, descending: self.descending }
    }
}

impl<N: Number> KernelKind<N> for Sort<N> {
    fn name(&self) -> &'static str {
        "sort"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        [self.dtype, DType::I32].map(|dtype| (dtype, self.source.shape().clone())).to_vec()
    }

    fn sources(&self) -> Vec<(DType, Layout<N>)> {
        vec![(self.dtype, self.source.clone())]
    }

    fn listing(&self) -> Vec<String> {
        let descending = if self.descending { ", descending" } else { "" };
        vec![format!("along dimension {}{descending}", self.dim)]
    }
}
