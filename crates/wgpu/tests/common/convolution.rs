//! Convolutions and their gradients as contractions over operands with windows.

use super::{operand, shape};
use lanthorn_ir::{
    DType, Kernel, Layout,
    expr::{Constant, Type},
    kernel::{BoundedIndex, Contract, Epilogue, Operand},
};

/// A coordinate of the source that one or several dimensions move.
pub fn window(steps: &[isize], start: isize, divisor: usize, size: usize, stride: isize) -> BoundedIndex {
    BoundedIndex { steps: steps.into(), start, divisor, size, stride }
}

pub fn windowed(dtype: DType, dims: &[usize], strides: &[isize], windows: Vec<BoundedIndex>, outside: f64) -> Operand {
    let layout = Layout::new(shape(dims), strides.iter().copied(), 0);
    Operand { bounded: windows, outside: Constant::new(outside, Type::from(dtype)), ..Operand::new(dtype, layout) }
}

/// A convolution in two dimensions: batch (N, groups), m output channels, n places, k (input channels, kernel).
pub struct Convolution {
    pub batch: usize,
    pub groups: usize,
    pub input: usize,
    pub output: usize,
    pub size: [usize; 2],
    pub kernel: [usize; 2],
    pub stride: usize,
    pub padding: usize,
    pub dilation: usize,
}

impl Convolution {
    fn places(&self) -> [usize; 2] {
        [0, 1].map(|d| (self.size[d] + 2 * self.padding - self.dilation * (self.kernel[d] - 1) - 1) / self.stride + 1)
    }

    pub fn image(&self) -> [usize; 4] {
        [self.batch, self.groups * self.input, self.size[0], self.size[1]]
    }

    pub fn weight(&self) -> [usize; 4] {
        [self.groups * self.output, self.input, self.kernel[0], self.kernel[1]]
    }

    pub fn result(&self) -> [usize; 4] {
        let [height, width] = self.places();
        [self.batch, self.groups * self.output, height, width]
    }

    fn contract(&self, batch: &[usize], m: &[usize], n: &[usize], k: &[usize], a: Operand, b: Operand) -> Kernel {
        let [batch, m, n, k] = [batch, m, n, k].map(shape);
        let epilogue = Epilogue::store(Type::F32, DType::F32);
        Kernel::Contract(Contract { batch, m, n, k, a, b, prologues: [None, None], params: vec![], epilogue })
    }

    /// Over N, G, O; H, W: image windows move with the place and the kernel's place.
    pub fn forward(&self) -> Kernel {
        let ([oh, ow], [kh, kw], [h, w]) = (self.places(), self.kernel, self.size);
        let (c, o, taps) = (self.input, self.output, kh * kw);
        let [s, d, p] = [self.stride, self.dilation, self.padding].map(|value| value as isize);
        let weights = Layout::new(
            shape(&[self.batch, self.groups, o, c, kh, kw]),
            [0, o * c * taps, c * taps, taps, kw, 1].map(|stride| stride as isize),
            0,
        );
        let strides = [self.groups * c * h * w, c * h * w, h * w, 0, 0, 0, 0].map(|stride| stride as isize);
        let windows = vec![window(&[0, 0, 0, d, 0, s, 0], -p, 1, h, w as isize), window(&[0, 0, 0, 0, d, 0, s], -p, 1, w, 1)];
        let image = windowed(DType::F32, &[self.batch, self.groups, c, kh, kw, oh, ow], &strides, windows, 0.0);
        self.contract(&[self.batch, self.groups], &[o], &[oh, ow], &[c, kh, kw], operand(DType::F32, weights), image)
    }

    /// The gradient of the weights: m are output channels, n (input channels, kernel), k (N, places).
    pub fn weight_gradient(&self) -> Kernel {
        let ([oh, ow], [kh, kw], [h, w]) = (self.places(), self.kernel, self.size);
        let (c, o) = (self.input, self.output);
        let [s, d, p] = [self.stride, self.dilation, self.padding].map(|value| value as isize);
        let (channel, all) = (oh * ow, self.groups * o * oh * ow);
        let grad = Layout::new(
            shape(&[self.groups, o, self.batch, oh, ow]),
            [o * channel, channel, all, ow, 1].map(|stride| stride as isize),
            0,
        );
        let strides = [c * h * w, self.groups * c * h * w, 0, 0, h * w, 0, 0].map(|stride| stride as isize);
        let windows = vec![window(&[0, 0, s, 0, 0, d, 0], -p, 1, h, w as isize), window(&[0, 0, 0, s, 0, 0, d], -p, 1, w, 1)];
        let image = windowed(DType::F32, &[self.groups, self.batch, oh, ow, c, kh, kw], &strides, windows, 0.0);
        self.contract(&[self.groups], &[o], &[c, kh, kw], &[self.batch, oh, ow], operand(DType::F32, grad), image)
    }

    /// The gradient of the image: m are input channels, n the image's places, k (output channels, kernel). A place of the result is hit where the stride divides.
    pub fn image_gradient(&self) -> Kernel {
        let ([oh, ow], [kh, kw], [h, w]) = (self.places(), self.kernel, self.size);
        let (c, o, taps) = (self.input, self.output, kh * kw);
        let [d, p] = [self.dilation, self.padding].map(|value| value as isize);
        let weights = Layout::new(
            shape(&[self.batch, self.groups, c, o, kh, kw]),
            [0, o * c * taps, taps, c * taps, kw, 1].map(|stride| stride as isize),
            0,
        );
        let (channel, all) = (oh * ow, self.groups * o * oh * ow);
        let strides = [all, o * channel, channel, 0, 0, 0, 0].map(|stride| stride as isize);
        let windows = vec![
            window(&[0, 0, 0, -d, 0, 1, 0], p, self.stride, oh, ow as isize),
            window(&[0, 0, 0, 0, -d, 0, 1], p, self.stride, ow, 1),
        ];
        let grad = windowed(DType::F32, &[self.batch, self.groups, o, kh, kw, h, w], &strides, windows, 0.0);
        self.contract(&[self.batch, self.groups], &[c], &[h, w], &[o, kh, kw], operand(DType::F32, weights), grad)
    }
}
