//! Convolutions against their definition, in small whole numbers, which float32 adds and multiplies
//! exactly.

use crate::common::*;
use proptest::prelude::*;

/// Sizes of a convolution of images; dimensions in pairs.
#[derive(Clone, Debug)]
struct Case {
    batch: usize,
    groups: usize,
    inputs: usize,
    outputs: usize,
    input: [usize; 2],
    kernel: [usize; 2],
    stride: [usize; 2],
    padding: [usize; 2],
    dilation: [usize; 2],
}

impl Case {
    fn output(&self, d: usize) -> Option<usize> {
        let reach = self.dilation[d] * (self.kernel[d] - 1) + 1;
        Some((self.input[d] + 2 * self.padding[d]).checked_sub(reach)? / self.stride[d] + 1)
    }

    fn shapes(&self, output: [usize; 2]) -> [Vec<i64>; 3] {
        let (inputs, outputs) = (self.groups * self.inputs, self.groups * self.outputs);
        let shape = |lead: [usize; 2], positions: [usize; 2]| {
            lead.into_iter().chain(positions).map(|size| size as i64).collect()
        };
        [
            shape([self.batch, inputs], self.input),
            shape([outputs, self.inputs], self.kernel),
            shape([self.batch, outputs], output),
        ]
    }

    /// Calls `f` with the positions in input, weight and output of every product.
    fn each(&self, output: [usize; 2], mut f: impl FnMut(usize, usize, usize)) {
        let (channels, maps) = (self.groups * self.inputs, self.groups * self.outputs);
        let range = |sizes: [usize; 2]| (0..sizes[0]).flat_map(move |i| (0..sizes[1]).map(move |j| [i, j]));
        for (n, [map, c]) in (0..self.batch).flat_map(|n| range([maps, self.inputs]).map(move |pair| (n, pair))) {
            for (o, k) in range(output).flat_map(|o| range(self.kernel).map(move |k| (o, k))) {
                let position = |d: usize| {
                    let at = o[d] * self.stride[d] + k[d] * self.dilation[d];
                    at.checked_sub(self.padding[d]).filter(|&at| at < self.input[d])
                };
                let (Some(i), Some(j)) = (position(0), position(1)) else { continue };
                let channel = map / self.outputs * self.inputs + c;
                let x = ((n * channels + channel) * self.input[0] + i) * self.input[1] + j;
                let w = ((map * self.inputs + c) * self.kernel[0] + k[0]) * self.kernel[1] + k[1];
                f(x, w, ((n * maps + map) * output[0] + o[0]) * output[1] + o[1]);
            }
        }
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let pair = |range: std::ops::Range<usize>| [range.clone(), range];
    let lead = (1usize..3, 1usize..4, 1usize..3, 1usize..4);
    (lead, pair(1..8), pair(1..4), pair(1..4), pair(0..3), pair(1..4)).prop_map(
        |((batch, groups, inputs, outputs), input, kernel, stride, padding, dilation)| Case {
            batch,
            groups,
            inputs,
            outputs,
            input,
            kernel,
            stride,
            padding,
            dilation,
        },
    )
}

/// Whole numbers from -3 to 3.
fn numbers(shape: &[i64], seed: usize) -> Vec<f32> {
    (0..shape.iter().product::<i64>() as usize).map(|i| ((i * 37 + seed * 11 + i / 7) % 7) as f32 - 3.0).collect()
}

/// The same tensor with its first and last dimension swapped in memory.
fn swap_channels(x: &Tensor) -> Result<Tensor> {
    x.transpose(0, -1)?.clone_tensor()?.transpose(0, -1)
}

fn sizes(values: [usize; 2]) -> [i64; 2] {
    values.map(|value| value as i64)
}

proptest! {
    #[test]
    fn convolution_and_its_gradients_are_their_definition(case in cases(), swap in any::<bool>()) {
        let _device = device();
        let (Some(height), Some(width)) = (case.output(0), case.output(1)) else { return Ok(()) };
        let output = [height, width];
        let shapes = case.shapes(output);
        let [x, w, g] = [0, 1, 2].map(|part| numbers(&shapes[part], part));
        let mut wanted = [0, 1, 2].map(|part| vec![0f32; [&x, &w, &g][part].len()]);
        case.each(output, |i, k, o| {
            wanted[2][o] += x[i] * w[k];
            wanted[0][i] += g[o] * w[k];
            wanted[1][k] += g[o] * x[i];
        });
        let [stride, padding, dilation] = [case.stride, case.padding, case.dilation].map(sizes);
        let groups = case.groups as i64;
        let (leaf_x, leaf_w) = (leaf(&x, &shapes[0]), leaf(&w, &shapes[1]));
        let (input, weight) = if swap { (swap_channels(&leaf_x).unwrap(), swap_channels(&leaf_w).unwrap()) } else { (leaf_x.clone(), leaf_w.clone()) };
        let y = input.conv2d(&weight, None, stride, padding, dilation, groups).unwrap();
        prop_assert_eq!(y.shape().to_i64(), shapes[2].clone());
        prop_assert_eq!(read(&y), wanted[2].clone());
        let g = tensor(&g, &shapes[2]);
        y.mul(&g).unwrap().sum((), false).unwrap().backward().unwrap();
        prop_assert_eq!(grad_of(&leaf_x), wanted[0].clone());
        prop_assert_eq!(grad_of(&leaf_w), wanted[1].clone());

        // The transposed convolution is the gradient by the input, with output_padding for the
        // positions that a stride skips.
        let lost = |d: usize| (case.input[d] + 2 * case.padding[d] - case.dilation[d] * (case.kernel[d] - 1) - 1) % case.stride[d];
        let back = g.conv_transpose2d(&leaf_w, None, stride, padding, sizes([lost(0), lost(1)]), groups, dilation);
        prop_assert_eq!(read(&back.unwrap()), wanted[0].clone());
    }
}

#[test]
fn one_and_three_dimensions() -> Result<()> {
    let _device = device();
    let x = count(&[1, 1, 5]);
    assert_eq!(read(&x.conv1d(&tensor(&[1.0, 10.0], &[1, 1, 2]), None, 1, 0, 1, 1)?), [10.0, 21.0, 32.0, 43.0]);
    assert_eq!(
        read(&x.conv1d(&tensor(&[1.0, 10.0], &[1, 1, 2]), None, 1, Padding::Same, 1, 1)?),
        [10.0, 21.0, 32.0, 43.0, 4.0]
    );
    let cube = Tensor::ones([1, 1, 3, 3, 3])?;
    let y = cube.conv3d(&cube, Some(&tensor(&[0.5], &[1])), 1, 1, 1, 1)?;
    assert_eq!((read(&y)[0], read(&y)[13]), (8.5, 27.5));
    // Without a batch.
    assert_eq!(shape_of(&count(&[2, 5]).conv1d(&Tensor::ones([3, 2, 2])?, None, 2, 0, 1, 1)?), [3, 2]);
    // Of nothing.
    assert_eq!(shape_of(&Tensor::zeros([0, 2, 5])?.conv1d(&Tensor::ones([3, 2, 2])?, None, 1, 0, 1, 1)?), [0, 3, 4]);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Result<()> {
    let _device = device();
    let x = |shape: &[i64]| Tensor::ones(shape).unwrap();
    let conv = |input: &[i64], weight: &[i64], stride: i64, padding: i64, groups: i64| {
        x(input).conv2d(&x(weight), None, stride, padding, 1, groups)
    };
    refused(
        conv(&[1, 3, 5, 5], &[4, 2, 3, 3], 1, 0, 1),
        "shape",
        &["conv2d", "[4, 2, 3, 3]", "2 channels", "[1, 3, 5, 5]", "has 3"],
    );
    refused(
        conv(&[1, 2, 5, 2], &[4, 2, 3, 3], 1, 0, 1),
        "shape",
        &["conv2d", "3 positions", "padded input", "[1, 2, 5, 2]"],
    );
    refused(conv(&[2, 5], &[4, 2, 3, 3], 1, 0, 1), "shape", &["conv2d", "3 (unbatched) or 4", "[2, 5]"]);
    refused(conv(&[1, 2, 5, 5], &[4, 2, 3], 1, 0, 1), "shape", &["conv2d", "4 dimensions", "[4, 2, 3]"]);
    refused(conv(&[1, 2, 5, 5], &[4, 2, 0, 3], 1, 0, 1), "shape", &["conv2d", "kernel"]);
    refused(conv(&[1, 2, 5, 5], &[4, 2, 3, 3], 0, 0, 1), "argument", &["conv2d", "stride", "0"]);
    refused(conv(&[1, 2, 5, 5], &[4, 2, 3, 3], 1, -1, 1), "argument", &["conv2d", "padding", "-1"]);
    refused(conv(&[1, 2, 5, 5], &[4, 1, 3, 3], 1, 0, 3), "argument", &["conv2d", "groups", "3"]);
    let (image, weight) = (x(&[1, 2, 5, 5]), x(&[4, 2, 3, 3]));
    refused(image.conv2d(&weight, None, [1, 2, 3], 0, 1, 1), "argument", &["conv2d", "stride", "[1, 2, 3]"]);
    refused(image.conv2d(&weight, Some(&x(&[3])), 1, 0, 1, 1), "shape", &["conv2d", "bias", "[4]", "[3]"]);
    refused(image.conv2d(&weight, None, 2, Padding::Same, 1, 1), "argument", &["conv2d", "same", "stride"]);
    refused(
        call("conv2d", &[(&image).into(), (&weight).into(), Arg::Null, 1.into(), text("half")]),
        "argument",
        &["conv2d", "half"],
    );
    refused(image.conv2d(&weight.to(DType::F64)?, None, 1, 0, 1, 1), "dtype", &["conv2d", "float32", "float64"]);
    refused(
        image.conv_transpose2d(&x(&[3, 2, 3, 3]), None, 1, 0, 0, 1, 1),
        "shape",
        &["conv_transpose2d", "3 channels", "has 2"],
    );
    refused(
        image.conv_transpose2d(&x(&[2, 2, 3, 3]), None, 2, 0, 2, 1, 1),
        "argument",
        &["conv_transpose2d", "output_padding"],
    );
    refused(image.conv_transpose2d(&x(&[2, 2, 1, 1]), None, 1, 3, 0, 1, 1), "shape", &["conv_transpose2d", "padding"]);
    Ok(())
}
