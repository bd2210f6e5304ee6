//! Elements selected by an index tensor.

use super::KernelKind;
use crate::{
    DType, Layout, Shape,
    number::{Convert, Number},
};

/// `output[i] = source[i with i[dim] replaced by index[i]]`, over `shape`.
///
/// An index outside `0..extent` is an error of the launch; the element then stored is unspecified.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gather<N: Number = usize> {
    /// The iteration space.
    pub shape: Shape<N>,
    /// The element type of source and output; a gather moves elements unchanged.
    pub dtype: DType,
    /// Input 0: the location of `source[i]` without the part along the gathered dimension, whose
    /// stride is 0 here.
    pub source: Layout<N>,
    /// The stride of the source along the gathered dimension.
    pub stride: N::Signed,
    /// The size of the source along that dimension.
    pub extent: N,
    /// Input 1: the index of each point, int32.
    pub index: Layout<N>,
}

impl<N: Number> Gather<N> {
    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Gather<M> {
        let shape = self.shape.convert(convert);
        let source = self.source.convert_over(shape.clone(), convert);
        let index = self.index.convert_over(shape.clone(), convert);
        let (stride, extent) = (convert.to_signed(self.stride), convert.number(self.extent));
        Gather { shape, dtype: self.dtype, source, stride, extent, index }
    }
}

impl<N: Number> KernelKind<N> for Gather<N> {
    fn name(&self) -> &'static str {
        "gather"
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        vec![(self.dtype, self.shape.clone())]
    }

    /// All of the source: its layout with the gathered dimension as one more.
    fn sources(&self) -> Vec<(DType, Layout<N>)> {
        let shape = Shape::from_dims(self.source.shape().iter().copied().chain([self.extent]));
        let strides = self.source.strides().iter().copied().chain([self.stride]);
        vec![(self.dtype, Layout::new(shape, strides, self.source.offset())), (DType::I32, self.index.clone())]
    }
}
