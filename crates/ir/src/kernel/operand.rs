//! How a kernel reads a tensor: strided, with optional bounds-checked coordinates.
//!
//! Most operands are a [`Layout`] alone, so permuted, expanded and sliced tensors are read in
//! place. A [`BoundedIndex`] adds a coordinate of the source that is an affine function of the
//! iteration space and may be out of bounds, such as the image row that a convolution computes from
//! an output row and a kernel row. An out-of-bounds read returns a fixed value and accesses no
//! memory. Padding, convolution and both its gradients, pooling and its gradient, unfolding and
//! dilation are operands with bounded indices, so no kernel kind is specific to them.
//!
//! Rejected: kernel kinds for convolution and pooling, each of which would need separate gradients
//! and fusions; and im2col copies, which take several times the memory of the image.

use crate::{
    DType, Encoding, Layout, Shape,
    expr::{Constant, Type},
    number::{Convert, Number},
};
use std::fmt::{self, Display, Formatter};

/// A coordinate of the source that is an affine function of the iteration space, with bounds.
///
/// At index `i` the coordinate is `t = start + sum of steps[d] * i[d]`. It is in bounds if
/// `divisor` divides `t` and `0 <= t / divisor < size`; it then adds `stride * (t / divisor)` to
/// the offset of the element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundedIndex<N: Number = usize> {
    /// The coefficient of each dimension of the iteration space.
    pub steps: Vec<N::Signed>,
    /// The coordinate at index 0 of the iteration space.
    pub start: N::Signed,
    /// Only multiples of this number are in bounds, as in the gradient of a strided convolution.
    /// Usually 1.
    pub divisor: N,
    /// The number of elements along the coordinate.
    pub size: N,
    /// The distance of neighbouring elements along it, in elements.
    pub stride: N::Signed,
}

impl BoundedIndex {
    /// The part of the element's offset that this coordinate adds; `None` out of bounds.
    pub fn offset(&self, index: &[usize]) -> Option<isize> {
        let t = self.start + self.steps.iter().zip(index).map(|(step, &index)| step * index as isize).sum::<isize>();
        let divisor = self.divisor as isize;
        let in_bounds = t >= 0 && t % divisor == 0 && t / divisor < self.size as isize;
        in_bounds.then(|| t / divisor * self.stride)
    }
}

/// A tensor as a kernel reads it: the encoding of its numbers, and the offset of the number at each
/// point of the iteration space.
///
/// It is displayed as its type and shape, followed by strides and offset unless it is a whole
/// contiguous buffer: `float32[2, 3]@[1, 2]+0`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand<N: Number = usize> {
    /// How the numbers are stored in the buffer.
    pub encoding: Encoding,
    /// The strided part of the offset; its shape is the kernel's iteration space. A dimension that
    /// only moves a bounded index has stride 0 here.
    pub layout: Layout<N>,
    /// The bounds-checked coordinates; none for most operands.
    pub bounded: Vec<BoundedIndex<N>>,
    /// The value of an out-of-bounds read. Its type is the type of computation, and the storage
    /// type can represent it.
    pub outside: Constant,
}

impl<N: Number> Operand<N> {
    /// A strided operand.
    ///
    /// ```
    /// use lanthorn_ir::{DType, Layout, Shape, kernel::Operand};
    /// let rows = Operand::new(DType::F32, Layout::contiguous(Shape::from_dims([2, 3])));
    /// assert_eq!(rows.offset(&[1, 2]), Some(5));
    /// assert_eq!(rows.to_string(), "float32[2, 3]");
    /// ```
    pub fn new(encoding: impl Into<Encoding>, layout: Layout<N>) -> Operand<N> {
        let encoding = encoding.into();
        Operand { encoding, layout, bounded: Vec::new(), outside: Constant::new(0.0, Type::from(encoding)) }
    }

    /// The type of the numbers: float32 of those in blocks.
    pub fn dtype(&self) -> DType {
        self.encoding.dtype()
    }

    /// The iteration space.
    pub fn shape(&self) -> &Shape<N> {
        self.layout.shape()
    }

    /// Whether the operand has no bounded index, so that strides describe it completely.
    pub fn is_strided(&self) -> bool {
        self.bounded.is_empty()
    }

    /// Whether the operand covers a buffer of `elements` in order.
    pub fn covers(&self, elements: N) -> bool {
        self.is_strided() && self.layout.covers(elements)
    }

    /// The operand with numbers of another type.
    pub fn convert<M: Number>(&self, convert: &mut dyn Convert<N, M>) -> Operand<M> {
        let space = self.shape().convert(convert);
        self.convert_over(space, convert)
    }

    /// The operand with numbers of another type. `space` is the converted iteration space.
    pub fn convert_over<M: Number>(&self, space: Shape<M>, convert: &mut dyn Convert<N, M>) -> Operand<M> {
        let layout = self.layout.convert_over(space, convert);
        let bounded = self.bounded.iter().map(|bounded| BoundedIndex {
            steps: bounded.steps.iter().map(|&step| convert.to_signed(step)).collect(),
            start: convert.to_signed(bounded.start),
            divisor: convert.number(bounded.divisor),
            size: convert.number(bounded.size),
            stride: convert.to_signed(bounded.stride),
        });
        Operand { encoding: self.encoding, layout, bounded: bounded.collect(), outside: self.outside }
    }

    /// The operand with the dimensions of its iteration space reordered; `order` is a permutation.
    pub fn permute(&self, order: &[usize]) -> Operand<N> {
        let permuted = |bounded: &BoundedIndex<N>| BoundedIndex {
            steps: order.iter().map(|&d| bounded.steps[d]).collect(),
            ..bounded.clone()
        };
        Operand {
            layout: self.layout.permute(order),
            bounded: self.bounded.iter().map(permuted).collect(),
            ..self.clone()
        }
    }
}

impl Operand {
    /// The offset in the buffer of the element at an index; `None` out of bounds.
    pub fn offset(&self, index: &[usize]) -> Option<usize> {
        let strided: isize =
            self.layout.strides().iter().zip(index).map(|(stride, &index)| stride * index as isize).sum();
        let mut offset = self.layout.offset() as isize + strided;
        for bounded in &self.bounded {
            offset += bounded.offset(index)?;
        }
        Some(offset as usize)
    }

    /// The offset of every element in row-major order: the definition that backends are tested
    /// against.
    pub fn offsets(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let linear = Layout::contiguous(self.shape().clone());
        let mut index = vec![0; self.shape().rank()];
        (0..self.shape().elements()).map(move |at| {
            let mut rest = at;
            for (index, &stride) in index.iter_mut().zip(linear.strides()) {
                *index = rest / stride as usize;
                rest %= stride as usize;
            }
            self.offset(&index)
        })
    }

    /// The size in elements of the smallest buffer that contains every offset; `None` if an offset
    /// is negative.
    pub fn extent(&self) -> Option<usize> {
        if self.shape().elements() == 0 || self.bounded.iter().any(|bounded| bounded.size == 0) {
            return Some(0);
        }
        let (mut first, mut last) = (self.layout.offset() as isize, self.layout.offset() as isize);
        let mut reach = |step: isize| if step < 0 { first += step } else { last += step };
        self.shape().iter().zip(self.layout.strides()).for_each(|(&size, &stride)| reach(stride * (size as isize - 1)));
        self.bounded.iter().for_each(|bounded| reach(bounded.stride * (bounded.size as isize - 1)));
        (first >= 0).then_some(last as usize + 1)
    }
}

/// Operands over one iteration space with numbers of another type. `space` is the converted space.
pub(super) fn convert_all<N: Number, M: Number>(
    operands: &[Operand<N>],
    space: &Shape<M>,
    convert: &mut dyn Convert<N, M>,
) -> Vec<Operand<M>> {
    operands.iter().map(|operand| operand.convert_over(space.clone(), convert)).collect()
}

impl<N: Number> Display for Operand<N> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.encoding, self.shape())?;
        if !self.layout.is_contiguous() || self.layout.offset() != 0 {
            write!(f, "@{:?}+{}", self.layout.strides(), self.layout.offset())?;
        }
        match self.bounded.len() {
            0 => Ok(()),
            count => write!(f, " {count} bounded"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(steps: Vec<isize>, divisor: usize, size: usize, stride: isize) -> BoundedIndex {
        BoundedIndex { steps, start: -1, divisor, size, stride }
    }

    #[test]
    fn a_padded_dilated_row() {
        // Three outputs with a kernel of two, dilation 2, over a row of 3 padded by 1.
        let operand = Operand {
            layout: Layout::new(Shape::from_dims([3, 2]), [0, 0], 4),
            bounded: vec![bounded(vec![1, 2], 1, 3, 1)],
            ..Operand::new(DType::F32, Layout::contiguous(Shape::from_dims([0])))
        };
        assert_eq!(operand.offsets().collect::<Vec<_>>(), [None, Some(5), Some(4), Some(6), Some(5), None]);
        assert_eq!(operand.extent(), Some(7));
        let swapped = operand.permute(&[1, 0]);
        assert_eq!(swapped.offsets().collect::<Vec<_>>(), [None, Some(4), Some(5), Some(5), Some(6), None]);
        assert_eq!(operand.to_string(), "float32[3, 2]@[0, 0]+4 1 bounded");
    }

    #[test]
    fn only_multiples_of_the_divisor_are_in_bounds() {
        let operand = Operand {
            layout: Layout::new(Shape::from_dims([5]), [0], 0),
            bounded: vec![bounded(vec![1], 2, 2, 3)],
            ..Operand::new(DType::F32, Layout::contiguous(Shape::from_dims([0])))
        };
        assert_eq!(operand.offsets().collect::<Vec<_>>(), [None, Some(0), None, Some(3), None]);
    }
}
