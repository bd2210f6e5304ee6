//! Fake quantization: values and straight-through gradients are PyTorch's.

use crate::common::*;
use pollster::block_on;

/// Within the range, at its ends, and outside.
const X: [f32; 6] = [0.0, 1.0, -100.0, 100.0, 0.26, -1.26];

fn leaf(values: &[f32], shape: &[i64]) -> Tensor {
    tensor(values, shape).requires_grad_(true).unwrap()
}

fn close(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    found
        .iter()
        .zip(expected)
        .for_each(|(a, b)| assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{found:?}, expected {expected:?}"));
}

/// The gradients 1 to 6.
fn backward(y: &Tensor) {
    let weights = tensor(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[6]).reshape(y.shape()).unwrap();
    y.mul(&weights).unwrap().sum((), false).unwrap().backward().unwrap();
}

#[test]
fn the_gradient_passes_within_the_range() {
    let _device = device();
    let x = leaf(&X, &[6]);
    let y = x.fake_quantize_per_tensor_affine(0.1, 3, -8, 7).unwrap();
    backward(&y);
    close(&read(&y), &[0.0, 0.4, -1.1, 0.4, 0.3, -1.1]);
    assert_eq!(grad_of(&x), [1.0, 0.0, 0.0, 0.0, 5.0, 0.0]);

    let x = leaf(&X, &[6]);
    let y = x.fake_quantize_per_tensor_affine_tensor_qparams(&tensor(&[0.1], &[1]), &ints(&[3], &[1]), -8, 7).unwrap();
    backward(&y);
    close(&read(&y), &[0.0, 0.4, -1.1, 0.4, 0.3, -1.1]);
    assert_eq!(grad_of(&x), [1.0, 0.0, 0.0, 0.0, 5.0, 0.0]);
}

#[test]
fn channels_have_grids_of_their_own() {
    let _device = device();
    let x = leaf(&X, &[3, 2]);
    let y = x.fake_quantize_per_channel_affine(&tensor(&[0.1, 0.5], &[2]), &ints(&[0, 2], &[2]), 1, -8, 7).unwrap();
    backward(&y);
    close(&read(&y), &[0.0, 1.0, -0.8, 2.5, 0.3, -1.5]);
    assert_eq!(grad_of(&x), [1.0, 2.0, 0.0, 0.0, 5.0, 6.0]);
}

#[test]
fn a_scale_is_learned() {
    let _device = device();
    for (zero, expected, by_scale) in [
        (2.4, [0.0, 0.5, -1.0, 0.5, 0.3, -1.0], -58.0),
        (2.6, [0.0, 0.4, -1.1, 0.4, 0.3, -1.1], -73.0),
        (-2.4, [0.0, 0.9, -0.6, 0.9, 0.3, -0.6], 2.0),
    ] {
        for axis in [None, Some(0)] {
            let (x, scale, zero) = (leaf(&X, &[1, 6]), leaf(&[0.1], &[1]), leaf(&[zero], &[1]));
            let y = match axis {
                None => x.fake_quantize_learnable_per_tensor_affine(&scale, &zero, -8, 7, 1.0),
                Some(axis) => x.fake_quantize_learnable_per_channel_affine(&scale, &zero, axis, -8, 7, 1.0),
            };
            let y = y.unwrap();
            backward(&y);
            close(&read(&y), &expected);
            assert_eq!(grad_of(&x), [1.0, 0.0, 0.0, 0.0, 5.0, 0.0]);
            close(&grad_of(&scale), &[by_scale]);
            close(&grad_of(&zero), &[-1.5]);
        }
    }
}

#[test]
fn wrong_grids_are_errors() {
    let _device = device();
    let x = tensor(&X, &[6]);
    for (scale, zero, min, max) in
        [(0.0, 0, -8, 7), (f64::NAN, 0, -8, 7), (-1.0, 0, -8, 7), (0.1, 30, -8, 7), (0.1, 8, 8, 7)]
    {
        assert!(x.fake_quantize_per_tensor_affine(scale, zero, min, max).unwrap_err().is_argument());
    }
    let two = tensor(&[0.1, 0.2], &[2]);
    assert!(x.fake_quantize_per_channel_affine(&two, &ints(&[0, 0], &[2]), 0, -8, 7).unwrap_err().is_shape());
    assert!(x.fake_quantize_per_channel_affine(&two, &ints(&[0, 0], &[2]), 3, -8, 7).unwrap_err().is_index());
    assert!(ints(&[1], &[1]).fake_quantize_per_tensor_affine(0.1, 0, -8, 7).unwrap_err().is_dtype());
    let whole = ints(&[0], &[1]);
    let one = tensor(&[0.1], &[1]);
    assert!(x.fake_quantize_learnable_per_tensor_affine(&one, &whole, -8, 7, 1.0).unwrap_err().is_dtype());
    // The device works on.
    assert_eq!(block_on(x.sum((), false).unwrap().item()).unwrap(), 0.0);
}
