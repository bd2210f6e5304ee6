//! Elements selected by an index tensor.

use super::KernelKind;
use crate::{DType, Layout, Shape};

/// `output[i] = source[i with i[dim] replaced by index[i]]`, over `shape`.
///
/// An index outside `0..extent` is an error of the launch; the element then stored is unspecified.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    /// The iteration space.
    pub shape: Shape,
    /// The element type of source and output; a gather moves elements unchanged.
    pub dtype: DType,
    /// Input 0: the location of `source[i]` without the part along the gathered dimension, whose
    /// stride is 0 here.
    pub source: Layout,
    /// The stride of the source along the gathered dimension.
    pub stride: isize,
    /// The size of the source along that dimension.
    pub extent: usize,
    /// Input 1: the index of each point, int32.
    pub index: Layout,
}

impl KernelKind for Gather {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn results(&self) -> Vec<(DType, Shape)> {
        vec![(self.dtype, self.shape.clone())]
    }

    fn input_count(&self) -> usize {
        2
    }
}
