//! How a kernel reads a tensor: a strided walk, with bounds where the walk may leave the tensor.
//!
//! A plain operand is a [`Layout`]: permuted, expanded and sliced tensors are read in place. A [`Window`] is one more coordinate of the source, which
//! several dimensions of the iteration space move together and which may fall outside: the row of an image that a convolution's output
//! row and kernel row choose between them. Outside of its bounds an operand has a fixed value and touches no memory. Padding, convolution and its two
//! gradients, pooling and its gradient, unfolding and dilation are all operands with windows; no kernel kind knows of them.

use crate::{
    DType, Layout, Shape,
    expr::{Constant, Type},
};

/// A coordinate of the source that may fall outside of it.
///
/// At index `i` of the iteration space it is `t = start + sum of steps[d] * i[d]`. It hits an element if `divisor` divides `t` and `0 <= t / divisor < size`;
/// the element then lies `stride * (t / divisor)` further on in the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// How far one step along each dimension of the iteration space moves the coordinate.
    pub steps: Vec<isize>,
    /// Its value where the iteration space begins.
    pub start: isize,
    /// Only its multiples hit elements, as in the gradient of a strided convolution. 1 for most.
    pub divisor: usize,
    /// How many elements there are along it.
    pub size: usize,
    /// The distance of neighbours along it, in elements.
    pub stride: isize,
}

impl Window {
    /// The part of the element's place that this coordinate adds, or `None` outside.
    pub fn place(&self, index: &[usize]) -> Option<isize> {
        let t = self.start + self.steps.iter().zip(index).map(|(step, &index)| step * index as isize).sum::<isize>();
        let divisor = self.divisor as isize;
        let hits = t >= 0 && t % divisor == 0 && t / divisor < self.size as isize;
        hits.then(|| t / divisor * self.stride)
    }
}

/// A tensor as a kernel reads it: its element type, and where each point of the iteration space finds its element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The element type in the buffer.
    pub dtype: DType,
    /// The strided part of the walk; its shape is the kernel's iteration space. A dimension that moves a window alone has stride 0 here.
    pub layout: Layout,
    /// The coordinates with bounds; none for most operands.
    pub windows: Vec<Window>,
    /// What is read outside of the windows: of the type that `dtype` is computed with, and a value that it can hold.
    pub outside: Constant,
}

impl Operand {
    /// A strided operand.
    ///
    /// ```
    /// use lanthorn_ir::{DType, Layout, Shape, kernel::Operand};
    /// let rows = Operand::new(DType::F32, Layout::contiguous(Shape::from_dims([2, 3])));
    /// assert_eq!(rows.place(&[1, 2]), Some(5));
    /// ```
    pub fn new(dtype: DType, layout: Layout) -> Operand {
        Operand { dtype, layout, windows: Vec::new(), outside: Constant::new(0.0, Type::from(dtype)) }
    }

    /// The iteration space.
    pub fn shape(&self) -> &Shape {
        self.layout.shape()
    }

    /// Whether the walk is a plain strided one.
    pub fn is_strided(&self) -> bool {
        self.windows.is_empty()
    }

    /// Whether this is a strided walk over all of a buffer of `elements`, in order.
    pub fn covers(&self, elements: usize) -> bool {
        self.is_strided() && self.layout.covers(elements)
    }

    /// Where in the buffer the element at an index lies; `None` outside.
    pub fn place(&self, index: &[usize]) -> Option<usize> {
        let strided: isize = self.layout.strides().iter().zip(index).map(|(stride, &index)| stride * index as isize).sum();
        let mut place = self.layout.offset() as isize + strided;
        for window in &self.windows {
            place += window.place(index)?;
        }
        Some(place as usize)
    }

    /// The place of every element in row-major order: the definition that backends are tested against.
    pub fn places(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let walk = Layout::contiguous(self.shape().clone());
        let mut index = vec![0; self.shape().rank()];
        (0..self.shape().elements()).map(move |linear| {
            let mut rest = linear;
            for (index, &stride) in index.iter_mut().zip(walk.strides()) {
                *index = rest / stride as usize;
                rest %= stride as usize;
            }
            self.place(&index)
        })
    }

    /// The smallest buffer, in elements, that holds everything the walk can name; `None` if it names something before the buffer's start.
    pub fn extent(&self) -> Option<usize> {
        if self.shape().elements() == 0 || self.windows.iter().any(|window| window.size == 0) {
            return Some(0);
        }
        let (mut first, mut last) = (self.layout.offset() as isize, self.layout.offset() as isize);
        let mut reach = |step: isize| if step < 0 { first += step } else { last += step };
        self.shape().iter().zip(self.layout.strides()).for_each(|(&size, &stride)| reach(stride * (size as isize - 1)));
        self.windows.iter().for_each(|window| reach(window.stride * (window.size as isize - 1)));
        (first >= 0).then_some(last as usize + 1)
    }

    /// The walk with its dimensions in another order; `order` is a permutation.
    pub fn permute(&self, order: &[usize]) -> Operand {
        let window = |window: &Window| Window { steps: order.iter().map(|&d| window.steps[d]).collect(), ..window.clone() };
        Operand { layout: self.layout.permute(order), windows: self.windows.iter().map(window).collect(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_padded_dilated_row() {
        // Three outputs with a kernel of two, dilation 2, over a row of 3 padded by 1.
        let operand = Operand {
            layout: Layout::new(Shape::from_dims([3, 2]), [0, 0], 4),
            windows: vec![Window { steps: vec![1, 2], start: -1, divisor: 1, size: 3, stride: 1 }],
            ..Operand::new(DType::F32, Layout::contiguous(Shape::from_dims([0])))
        };
        assert_eq!(operand.places().collect::<Vec<_>>(), [None, Some(5), Some(4), Some(6), Some(5), None]);
        assert_eq!(operand.extent(), Some(7));
        assert_eq!(operand.permute(&[1, 0]).places().collect::<Vec<_>>(), [None, Some(4), Some(5), Some(5), Some(6), None]);
    }

    #[test]
    fn a_divisor_skips_what_it_does_not_divide() {
        let operand = Operand {
            layout: Layout::new(Shape::from_dims([5]), [0], 0),
            windows: vec![Window { steps: vec![1], start: -1, divisor: 2, size: 2, stride: 3 }],
            ..Operand::new(DType::F32, Layout::contiguous(Shape::from_dims([0])))
        };
        assert_eq!(operand.places().collect::<Vec<_>>(), [None, Some(0), None, Some(3), None]);
    }
}
