//! Pointwise kernels whose results are stored to indexed positions.

use super::{Fusible, Horizontal, KernelKind, Map, Operand};
use crate::{
    DType, Layout, Shape,
    expr::{Program, Type},
    number::{Convert, Number},
};

/// An indexed store: `output[target(i) + index(i) * stride] = value(i)` for every point `i` of the
/// map's shape, onto an output that already holds the base.
///
/// A point whose index is not in `0..extent` is skipped, so the kernel cannot fail and may share a
/// launch with others. If several values are stored to one element, any one of them remains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Store<N: Number = usize> {
    /// The computation, whose two results are the value and the index, int32.
    pub map: Map<N>,
    /// The position of each point in the output if its index is 0.
    pub target: Layout<N>,
    /// The distance of neighbours along the dimension of the index.
    pub stride: N,
    /// The size of the output along the dimension of the index.
    pub extent: N,
    /// The shape of the output, which is contiguous.
    pub output: Shape<N>,
}

impl<N: Number> Store<N> {
    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Store<M> {
        let map = self.map.convert(convert);
        let target = self.target.convert_over(map.shape.clone(), convert);
        let [stride, extent] = [self.stride, self.extent].map(|number| convert.number(number));
        Store { map, target, stride, extent, output: self.output.convert(convert) }
    }

    /// The type of the values.
    pub fn dtype(&self) -> DType {
        self.map.dtypes[0]
    }
}

/// A kernel that computes each point independently.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pointwise<N: Number = usize> {
    /// Every result has the shape of the computation.
    Map(Map<N>),
    /// The results are stored to indexed positions of a base.
    Store(Store<N>),
}

impl<N: Number> Pointwise<N> {
    /// The computation.
    pub fn map(&self) -> &Map<N> {
        match self {
            Pointwise::Map(map) => map,
            Pointwise::Store(store) => &store.map,
        }
    }

    /// The kernel with another computation of the same shape and results.
    pub fn with_map(&self, map: Map<N>) -> Pointwise<N> {
        match self {
            Pointwise::Map(_) => Pointwise::Map(map),
            Pointwise::Store(store) => Pointwise::Store(Store { map, ..store.clone() }),
        }
    }

    /// The kernel with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Pointwise<M> {
        match self {
            Pointwise::Map(map) => Pointwise::Map(map.convert(convert)),
            Pointwise::Store(store) => Pointwise::Store(store.convert(convert)),
        }
    }
}

impl<N: Number> Horizontal<Pointwise<N>> {
    /// One launch of maps that store their whole results.
    pub fn of_maps(maps: impl IntoIterator<Item = Map<N>>) -> Horizontal<Pointwise<N>> {
        Horizontal::new(maps.into_iter().map(Pointwise::Map).collect())
    }
}

impl<N: Number> KernelKind<N> for Pointwise<N> {
    fn name(&self) -> &'static str {
        match self {
            Pointwise::Map(map) => map.name(),
            Pointwise::Store(_) => "store",
        }
    }

    fn results(&self) -> Vec<(DType, Shape<N>)> {
        match self {
            Pointwise::Map(map) => map.results(),
            Pointwise::Store(store) => vec![(store.dtype(), store.output.clone())],
        }
    }

    fn operands(&self) -> Vec<&Operand<N>> {
        self.map().operands()
    }

    fn params(&self) -> &[Type] {
        &self.map().params
    }

    fn programs(&self) -> Vec<&Program> {
        self.map().programs()
    }

    fn updates(&self) -> bool {
        matches!(self, Pointwise::Store(_))
    }

    fn elementwise_operand(&self, input: usize, output: usize) -> Option<&Operand<N>> {
        match self {
            Pointwise::Map(map) => map.elementwise_operand(input, output),
            Pointwise::Store(_) => None,
        }
    }

    fn listing(&self) -> Vec<String> {
        match self {
            Pointwise::Map(map) => map.listing(),
            Pointwise::Store(store) => vec![format!("{} at indices of {:?}", store.map.program, store.output)],
        }
    }
}

impl<N: Number> Fusible<N> for Pointwise<N> {
    const NAME: &'static str = "maps";

    fn buffers(&self) -> [usize; 2] {
        [self.map().inputs.len(), self.results().len()]
    }
}
