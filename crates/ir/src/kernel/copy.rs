//! Strided copies.

use super::KernelKind;
use crate::{DType, Layout, Shape};

/// `output[target(i)] = input[source(i)]` for every point of their common shape; the other elements
/// of the output keep their values.
///
/// The target names no element twice. Input and output are different buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    /// The element type; a copy moves elements unchanged.
    pub dtype: DType,
    /// The location of each element in input 0.
    pub source: Layout,
    /// Its location in the output.
    pub target: Layout,
}

impl KernelKind for Copy {
    fn name(&self) -> &'static str {
        "copy"
    }

    /// The shape that is written; the output buffer may be larger.
    fn results(&self) -> Vec<(DType, Shape)> {
        vec![(self.dtype, self.target.shape().clone())]
    }

    fn input_count(&self) -> usize {
        1
    }

    fn updates(&self) -> bool {
        true
    }
}
