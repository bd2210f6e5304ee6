//! Convolutions and their gradients as contractions over operands with bounded indices.

use crate::{operand, shape};
use lanthorn_ir::{
    DType, Layout,
    expr::{Constant, Type},
    kernel::{BoundedIndex, Contract, Epilogue, Operand},
};

/// A bounded index that one or several dimensions move.
pub fn bounded_index(steps: &[isize], start: isize, divisor: usize, size: usize, stride: isize) -> BoundedIndex {
    BoundedIndex { steps: steps.into(), start, divisor, size, stride }
}

/// An operand over bounded indices, which reads `outside` where one is out of bounds.
pub fn bounded_operand(
    dtype: DType,
    dims: &[usize],
    strides: &[isize],
    bounded: Vec<BoundedIndex>,
    outside: f64,
) -> Operand {
    let layout = Layout::new(shape(dims), strides.iter().copied(), 0);
    Operand { bounded, outside: Constant::new(outside, Type::from(dtype)), ..Operand::new(dtype, layout) }
}

/// A convolution in two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Convolution {
    /// Examples.
    pub batch: usize,
    /// Groups of channels.
    pub groups: usize,
    /// Input channels of a group.
    pub input: usize,
    /// Output channels of a group.
    pub output: usize,
    /// The height and width of the image.
    pub size: [usize; 2],
    /// The height and width of the kernel.
    pub kernel: [usize; 2],
    /// The steps of the kernel.
    pub stride: [usize; 2],
    /// Zeros on either side of the image.
    pub padding: [usize; 2],
    /// The distances of neighbouring taps.
    pub dilation: [usize; 2],
}

impl Convolution {
    /// Whether the padded image holds the kernel, so that there is a result.
    pub fn has_result(&self) -> bool {
        (0..2).all(|d| self.size[d] + 2 * self.padding[d] > self.dilation[d] * (self.kernel[d] - 1))
    }

    /// The height and width of the result.
    fn positions(&self) -> [usize; 2] {
        [0, 1].map(|d| {
            (self.size[d] + 2 * self.padding[d] - self.dilation[d] * (self.kernel[d] - 1) - 1) / self.stride[d] + 1
        })
    }

    /// The shape of the image.
    pub fn image(&self) -> [usize; 4] {
        [self.batch, self.groups * self.input, self.size[0], self.size[1]]
    }

    /// The shape of the weight.
    pub fn weight(&self) -> [usize; 4] {
        [self.groups * self.output, self.input, self.kernel[0], self.kernel[1]]
    }

    /// The shape of the result.
    pub fn result(&self) -> [usize; 4] {
        let [height, width] = self.positions();
        [self.batch, self.groups * self.output, height, width]
    }

    fn contract(&self, batch: &[usize], m: &[usize], n: &[usize], k: &[usize], a: Operand, b: Operand) -> Contract {
        let [batch, m, n, k] = [batch, m, n, k].map(shape);
        let epilogue = Epilogue::store(Type::F32, DType::F32);
        Contract { batch, m, n, k, a, b, prologues: [None, None], params: vec![], epilogue }
    }

    /// The result: batch (N, groups), m output channels, n positions, k (input channels, taps).
    pub fn forward(&self) -> Contract {
        let ([oh, ow], [kh, kw], [h, w]) = (self.positions(), self.kernel, self.size);
        let (c, o, taps) = (self.input, self.output, kh * kw);
        let [s, d, p] = [self.stride, self.dilation, self.padding].map(|pair| pair.map(|value| value as isize));
        let weights = Layout::new(
            shape(&[self.batch, self.groups, o, c, kh, kw]),
            [0, o * c * taps, c * taps, taps, kw, 1].map(|stride| stride as isize),
            0,
        );
        let strides = [self.groups * c * h * w, c * h * w, h * w, 0, 0, 0, 0].map(|stride| stride as isize);
        let bounded = vec![
            bounded_index(&[0, 0, 0, d[0], 0, s[0], 0], -p[0], 1, h, w as isize),
            bounded_index(&[0, 0, 0, 0, d[1], 0, s[1]], -p[1], 1, w, 1),
        ];
        let image = bounded_operand(DType::F32, &[self.batch, self.groups, c, kh, kw, oh, ow], &strides, bounded, 0.0);
        self.contract(&[self.batch, self.groups], &[o], &[oh, ow], &[c, kh, kw], operand(DType::F32, weights), image)
    }

    /// The gradient of the weight: batch (groups), m output channels, n (input channels, taps),
    /// k (N, positions).
    pub fn weight_gradient(&self) -> Contract {
        let ([oh, ow], [kh, kw], [h, w]) = (self.positions(), self.kernel, self.size);
        let (c, o) = (self.input, self.output);
        let [s, d, p] = [self.stride, self.dilation, self.padding].map(|pair| pair.map(|value| value as isize));
        let (channel, all) = (oh * ow, self.groups * o * oh * ow);
        let grad = Layout::new(
            shape(&[self.groups, o, self.batch, oh, ow]),
            [o * channel, channel, all, ow, 1].map(|stride| stride as isize),
            0,
        );
        let strides = [c * h * w, self.groups * c * h * w, 0, 0, h * w, 0, 0].map(|stride| stride as isize);
        let bounded = vec![
            bounded_index(&[0, 0, s[0], 0, 0, d[0], 0], -p[0], 1, h, w as isize),
            bounded_index(&[0, 0, 0, s[1], 0, 0, d[1]], -p[1], 1, w, 1),
        ];
        let image = bounded_operand(DType::F32, &[self.groups, self.batch, oh, ow, c, kh, kw], &strides, bounded, 0.0);
        self.contract(&[self.groups], &[o], &[c, kh, kw], &[self.batch, oh, ow], operand(DType::F32, grad), image)
    }

    /// The gradient of the image: batch (N, groups), m input channels, n the image's positions, k
    /// (output channels, taps). A tap contributes a position of the result if the stride divides
    /// its coordinate.
    pub fn image_gradient(&self) -> Contract {
        let ([oh, ow], [kh, kw], [h, w]) = (self.positions(), self.kernel, self.size);
        let (c, o, taps) = (self.input, self.output, kh * kw);
        let [d, p] = [self.dilation, self.padding].map(|pair| pair.map(|value| value as isize));
        let weights = Layout::new(
            shape(&[self.batch, self.groups, c, o, kh, kw]),
            [0, o * c * taps, taps, c * taps, kw, 1].map(|stride| stride as isize),
            0,
        );
        let (channel, all) = (oh * ow, self.groups * o * oh * ow);
        let strides = [all, o * channel, channel, 0, 0, 0, 0].map(|stride| stride as isize);
        let bounded = vec![
            bounded_index(&[0, 0, 0, -d[0], 0, 1, 0], p[0], self.stride[0], oh, ow as isize),
            bounded_index(&[0, 0, 0, 0, -d[1], 0, 1], p[1], self.stride[1], ow, 1),
        ];
        let grad = bounded_operand(DType::F32, &[self.batch, self.groups, o, kh, kw, h, w], &strides, bounded, 0.0);
        self.contract(&[self.batch, self.groups], &[c], &[h, w], &[o, kh, kw], operand(DType::F32, weights), grad)
    }
}
