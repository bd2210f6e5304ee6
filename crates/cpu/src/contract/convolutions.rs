//! Convolutions and both their gradients, in two dimensions with groups, strides, padding and dilation, against naive ones. The numbers are
//! small integers, so that results are exact.

use crate::{reference, testing::*};
use lanthorn_ir::{
    DType, Kernel, Layout, Shape,
    expr::{Expr, Program, Type},
    kernel::{BoundedIndex, Contract, Epilogue, Operand},
};
use proptest::prelude::*;

/// A convolution of `[N, G * C, H, W]` by `[G * O, C, KH, KW]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Convolution {
    n: usize,
    groups: usize,
    c: usize,
    o: usize,
    image: [usize; 2],
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: [usize; 2],
    dilation: [usize; 2],
}

fn shape(dims: &[usize]) -> Shape {
    Shape::from_dims(dims.iter().copied())
}

/// An operand with strides over some dimensions, and windows.
fn windowed<const N: usize>(dims: [usize; N], strides: [usize; N], windows: Vec<BoundedIndex>) -> Operand {
    let layout = Layout::new(shape(&dims), strides.map(|stride| stride as isize), 0);
    Operand { bounded: windows, ..Operand::new(DType::F32, layout) }
}

/// The steps of a window by dimension.
fn steps<const N: usize>(moving: [(usize, isize); N], rank: usize) -> Vec<isize> {
    (0..rank).map(|d| moving.iter().filter(|(of, _)| *of == d).map(|(_, step)| step).sum()).collect()
}

impl Convolution {
    pub(super) fn output(&self) -> Option<[usize; 2]> {
        let mut out = [0; 2];
        for (d, out) in out.iter_mut().enumerate() {
            let reach = self.dilation[d] * (self.kernel[d] - 1) + 1;
            *out = (self.image[d] + 2 * self.padding[d]).checked_sub(reach)? / self.stride[d] + 1;
        }
        Some(out)
    }

    fn contract(&self, dims: [&[usize]; 4], a: Operand, b: Operand) -> Contract {
        let [batch, m, n, k] = dims.map(shape);
        Contract { batch, m, n, k, a, b, prologues: [None, None], params: vec![], epilogue: Epilogue::store(Type::F32, DType::F32) }
    }

    /// Windows of the image along the output's and the kernel's dimensions, of seven in all.
    fn image_windows(&self, places: [usize; 2], kernel: [usize; 2]) -> Vec<BoundedIndex> {
        let of = |d: usize, stride: usize| BoundedIndex {
            steps: steps([(places[d], self.stride[d] as isize), (kernel[d], self.dilation[d] as isize)], 7),
            start: -(self.padding[d] as isize),
            divisor: 1,
            size: self.image[d],
            stride: stride as isize,
        };
        vec![of(0, self.image[1]), of(1, 1)]
    }

    pub(super) fn forward(&self, [oh, ow]: [usize; 2]) -> Contract {
        let Convolution { n, groups, c, o, image: [h, w], kernel: [kh, kw], .. } = *self;
        let (plane, places) = (h * w, c * kh * kw);
        let a = windowed([n, groups, o, c, kh, kw], [0, o * places, places, kh * kw, kw, 1], vec![]);
        let windows = self.image_windows([5, 6], [3, 4]);
        let b = windowed([n, groups, c, kh, kw, oh, ow], [groups * c * plane, c * plane, plane, 0, 0, 0, 0], windows);
        self.contract([&[n, groups], &[o], &[oh, ow], &[c, kh, kw]], a, b)
    }

    pub(super) fn weight_gradient(&self, [oh, ow]: [usize; 2]) -> Contract {
        let Convolution { n, groups, c, o, image: [h, w], kernel: [kh, kw], .. } = *self;
        let (plane, result) = (h * w, oh * ow);
        let a = windowed([groups, o, n, oh, ow], [o * result, result, groups * o * result, ow, 1], vec![]);
        let windows = self.image_windows([2, 3], [5, 6]);
        let b = windowed([groups, n, oh, ow, c, kh, kw], [c * plane, groups * c * plane, 0, 0, plane, 0, 0], windows);
        self.contract([&[groups], &[o], &[c, kh, kw], &[n, oh, ow]], a, b)
    }

    pub(super) fn input_gradient(&self, [oh, ow]: [usize; 2]) -> Contract {
        let Convolution { n, groups, c, o, image: [h, w], kernel: [kh, kw], .. } = *self;
        let result = oh * ow;
        let places = c * kh * kw;
        let a = windowed([n, groups, c, o, kh, kw], [0, o * places, kh * kw, places, kw, 1], vec![]);
        // Which output place, times the stride, saw this place of the image through this place of the kernel.
        let of = |d: usize, size: usize, stride: usize| BoundedIndex {
            steps: steps([(5 + d, 1), (3 + d, -(self.dilation[d] as isize))], 7),
            start: self.padding[d] as isize,
            divisor: self.stride[d],
            size,
            stride: stride as isize,
        };
        let windows = vec![of(0, oh, ow), of(1, ow, 1)];
        let b = windowed([n, groups, o, kh, kw, h, w], [groups * o * result, o * result, result, 0, 0, 0, 0], windows);
        self.contract([&[n, groups], &[c], &[h, w], &[o, kh, kw]], a, b)
    }
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 7919) % 17) as f64 - 8.0).collect()
}

/// Runs a contraction of small integers and compares every output exactly.
fn check(kernel: &Contract) {
    let whole = Kernel::Contract(kernel.clone());
    let inputs: Vec<Vec<f64>> = whole.operands().iter().map(|operand| numbers(operand.extent().unwrap())).collect();
    let narrow: Vec<Vec<u8>> = inputs.iter().map(|data| bytes(&data.iter().map(|&x| x as f32).collect::<Vec<_>>())).collect();
    let got = run(&whole, &narrow, &[]).unwrap();
    for ((got, expected), &dtype) in got.iter().zip(reference::contract(kernel, &inputs)).zip(&kernel.epilogue.dtypes) {
        assert_eq!(reference::widen(dtype, got), expected, "{kernel:?}");
    }
}

pub(super) fn convolutions() -> impl Strategy<Value = Convolution> {
    let pairs = |range: std::ops::RangeInclusive<usize>| [range.clone(), range];
    let sizes = (1usize..3, 1usize..3, 1usize..5, 1usize..6);
    let windows = (pairs(1..=3), pairs(1..=3), pairs(0..=2), pairs(1..=2));
    (sizes, pairs(1..=9), windows).prop_map(|((n, groups, c, o), image, (kernel, stride, padding, dilation))| Convolution {
        n,
        groups,
        c,
        o,
        image,
        kernel,
        stride,
        padding,
        dilation,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_convolution_and_its_gradients(convolution in convolutions()) {
        if let Some(output) = convolution.output() {
            check(&convolution.forward(output));
            check(&convolution.weight_gradient(output));
            check(&convolution.input_gradient(output));
        }
    }
}

#[test]
fn images_of_several_blocks() {
    let plain = Convolution {
        n: 2,
        groups: 1,
        c: 30,
        o: 20,
        image: [33, 29],
        kernel: [3, 3],
        stride: [1, 1],
        padding: [1, 1],
        dilation: [1, 1],
    };
    for convolution in [
        plain,
        Convolution { stride: [2, 2], ..plain },
        Convolution { groups: 3, c: 4, o: 5, ..plain },
        Convolution { kernel: [1, 1], padding: [0, 0], ..plain },
    ] {
        let output = convolution.output().unwrap();
        check(&convolution.forward(output));
        check(&convolution.weight_gradient(output));
        check(&convolution.input_gradient(output));
    }
}

#[test]
fn an_epilogue_reads_other_operands_and_has_several_outputs() {
    let convolution = Convolution {
        n: 2,
        groups: 2,
        c: 3,
        o: 4,
        image: [7, 6],
        kernel: [3, 2],
        stride: [1, 1],
        padding: [1, 0],
        dilation: [1, 1],
    };
    let output = convolution.output().unwrap();
    let plain = convolution.forward(output);
    let dims = plain.output();
    let bias = Operand::new(DType::F32, Layout::new(dims.clone(), [0, 4, 1, 0, 0], 0));
    // A residual that is padded by 100 above.
    let [oh, ow] = output;
    let above = BoundedIndex { steps: steps([(3, 1)], 5), start: -1, divisor: 1, size: oh - 1, stride: ow as isize };
    let mut residual = windowed([2, 2, 4, oh, ow], [0, 0, 0, 0, 1], vec![above]);
    residual.outside = lanthorn_ir::expr::Constant::new(100.0, Type::F32);
    let [sum, bias_slot, residual_slot] = [0, 1, 2].map(|slot| Expr::input(slot, Type::F32));
    let value = (sum.clone() + bias_slot + residual_slot).max(0.0);
    let program = Program::new(&[value.gt(50.0), value + Expr::index().cast(Type::F32), sum.cast(Type::F64)]);
    let epilogue = Epilogue { inputs: vec![bias, residual], program, dtypes: vec![DType::Bool, DType::F32, DType::F64] };
    check(&Contract { epilogue, ..plain });
}

#[test]
fn several_dimensions_in_every_group() {
    // [2, 3, 4, 5] x [4, 5, 6, 7] over the dimensions of 4 and 5, in another order of memory.
    let a = Operand::new(DType::F32, dense(&[5, 3, 4, 2]).permute(&[3, 1, 2, 0]));
    let b = Operand::new(DType::F32, dense(&[6, 4, 7, 5]).permute(&[1, 3, 0, 2]));
    let [batch, m, n, k] = [&[][..], &[2, 3], &[6, 7], &[4, 5]].map(shape);
    let prologues = [None, None];
    check(&Contract { batch, m, n, k, a, b, prologues, params: vec![], epilogue: Epilogue::store(Type::F32, DType::F32) });
}

#[test]
fn matrices_that_share_an_operand() {
    for (m, n, k) in [(1, 9, 4), (30, 1, 8), (5, 6, 7), (40, 50, 60), (3, 2, 0)] {
        let left = Layout::new(shape(&[2, 3, m, k]), [3 * (m * k) as isize, (m * k) as isize, k as isize, 1], 0);
        let right = Layout::new(shape(&[2, 3, k, n]), [3 * (n * k) as isize, (n * k) as isize, n as isize, 1], 0);
        let shared = |layout: &Layout, outer: isize| Layout::new(layout.shape().clone(), [outer, 0, layout.strides()[2], 1], 0);
        for (a, b) in [
            (shared(&left, 0), right.clone()),
            (left.clone(), shared(&right, 0)),
            (shared(&left, (m * k) as isize), right.clone()),
            (left.clone(), shared(&right, (n * k) as isize)),
            (shared(&left, 0), shared(&right, 0)),
        ] {
            check(&Contract::matrices(DType::F32, a, b));
        }
    }
}
