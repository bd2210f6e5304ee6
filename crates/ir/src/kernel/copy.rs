//! Strided copies.

use super::KernelKind;
use crate::{
    DType, Layout, Shape,
    number::{Convert, Number},
};

/// `output[target(i)] = input[source(i)]` for every point of their common shape; the other elements
/// of the output keep their values.
///
/// The target names no element twice. Input and output are different buffers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Copy<N: Number = usize> {
    /// The element type; a copy moves elements unchanged.
    pub dtype: DType,
    /// The location of each element in input 0.
    pub source: Layout<N>,
    /// Its location in the output.
    pub target: Layout<N>,
}

impl<N: Number> Copy<N> {
    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Copy<M> {
        let source = self.source.convert(convert);
        let target = self.target.convert_over(source.shape().clone(), convert);
        Copy { dtype: self.dtype, source, target }
    }
}

impl<N: Number> KernelKind<N> for Copy<N> {
    fn name(&self) -> &'static str {
        "copy"
    }

    /// The shape that is written; the output buffer may be larger.
    fn results(&self) -> Vec<(DType, Shape<N>)> {
        vec![(self.dtype, self.target.shape().clone())]
    }

    fn sources(&self) -> Vec<(DType, Layout<N>)> {
        vec![(self.dtype, self.source.clone())]
    }

    fn updates(&self) -> bool {
        true
    }
}
