//! Pooling, padding and joining: numbers that follow from PyTorch's definitions, at the edges above
//! all.

use crate::common::*;

#[test]
fn the_gradient_of_a_maximum_goes_to_the_first() -> Result<()> {
    let _device = device();
    let x = leaf(&[1.0, 5.0, 5.0, 2.0, 5.0, 0.0], &[1, 1, 6]);
    let y = x.max_pool1d(3, 1, 0, 1, false)?;
    assert_eq!(read(&y), [5.0, 5.0, 5.0, 5.0]);
    y.mul(tensor(&[1.0, 10.0, 100.0, 1000.0], &[1, 1, 4]))?.sum((), false)?.backward()?;
    // The maximum of windows 0 and 1 is at position 1, of window 2 at position 2, of window 3 at
    // position 4.
    assert_eq!(grad_of(&x), [0.0, 11.0, 100.0, 0.0, 1000.0, 0.0]);
    Ok(())
}

#[test]
fn large_windows_have_the_largest_value_and_its_gradient() -> Result<()> {
    let _device = device();
    let ([rows, columns], kernel, padding) = ([13usize, 12], [9usize, 7], [4usize, 3]);
    let mut values: Vec<f32> = (0..rows * columns).map(|i| ((i * 37) % 11) as f32 - 20.0).collect();
    (values[0], values[5]) = (f32::NEG_INFINITY, f32::INFINITY);
    let x = leaf(&values, &[1, 1, rows as i64, columns as i64]);
    let y = x.max_pool2d([9, 7], [1, 2], [4, 3], 1, false)?;
    let output = [rows, columns.div_ceil(2)];
    let (mut largest, mut grad) = (vec![], vec![0.0; rows * columns]);
    for (row, column) in (0..output[0]).flat_map(|row| (0..output[1]).map(move |column| (row, 2 * column))) {
        let inside = |at: usize, kernel: usize, padding: usize, size: usize| {
            at.saturating_sub(padding)..(at + kernel - padding).min(size)
        };
        let (mut best, mut first) = (f32::NEG_INFINITY, None);
        for i in inside(row, kernel[0], padding[0], rows) {
            for j in inside(column, kernel[1], padding[1], columns) {
                let value = values[i * columns + j];
                if first.is_none() || value > best {
                    (best, first) = (value, Some(i * columns + j));
                }
            }
        }
        grad[first.unwrap()] += 1.0;
        largest.push(best);
    }
    assert_eq!(read(&y), largest);
    y.sum((), false)?.backward()?;
    assert_eq!(grad_of(&x), grad);
    Ok(())
}

#[test]
fn padding_is_below_everything_and_infinities_stay() -> Result<()> {
    let _device = device();
    let x = tensor(&[-5.0, f32::NEG_INFINITY, -7.0, f32::NAN], &[1, 4]);
    let y = read(&x.max_pool1d(2, 2, 1, 1, true)?);
    assert_eq!(y[..2], [-5.0, -7.0]);
    assert!(y[2].is_nan());
    let low = tensor(&[f32::NEG_INFINITY; 4], &[1, 4]).max_pool1d(3, 3, 1, 1, false)?;
    assert_eq!(read(&low), [f32::NEG_INFINITY; 2]);
    Ok(())
}

#[test]
fn ceil_mode_counts_what_lies_inside() -> Result<()> {
    let _device = device();
    let x = count(&[1, 1, 6]);
    // Windows of 3 by 2 with padding 1 begin at -1, 1, 3 and, rounded up, at 5.
    assert_eq!(read(&x.avg_pool1d(3, 2, 1, true, false)?), [0.5, 2.0, 4.0, 5.0]);
    // The padding counts, but nothing beyond it: the last window has 5 and one zero.
    assert_eq!(read(&x.avg_pool1d(3, 2, 1, true, true)?), [1.0 / 3.0, 2.0, 4.0, 2.5]);
    assert_eq!(read(&x.avg_pool1d(3, 2, 1, false, true)?), [1.0 / 3.0, 2.0, 4.0]);
    // A window that would begin in the right padding is none.
    assert_eq!(shape_of(&count(&[1, 1, 3]).max_pool1d(2, 3, 1, 1, true)?), [1, 1, 2]);
    let square = count(&[1, 1, 2, 2]);
    assert_eq!(read(&square.avg_pool2d(2, [], 0, false, true, 3)?), [2.0]);
    assert_eq!(read(&count(&[1, 1, 3, 4]).adaptive_avg_pool2d([2, 3])?), [2.5, 3.5, 4.5, 6.5, 7.5, 8.5]);
    Ok(())
}

#[test]
fn pooling_refuses_what_does_not_fit() -> Result<()> {
    let _device = device();
    let x = |shape: &[i64]| Tensor::ones(shape).unwrap();
    refused(x(&[1, 1, 3]).max_pool1d(4, [], 0, 1, false), "shape", &["max_pool1d", "4 positions", "[3]"]);
    refused(x(&[1, 1, 3]).max_pool1d(2, [], 2, 1, false), "argument", &["max_pool1d", "padding", "half"]);
    refused(x(&[1, 1, 3]).max_pool1d(0, [], 0, 1, false), "argument", &["max_pool1d", "kernel_size"]);
    refused(x(&[1, 1, 3]).max_pool1d(2, 0, 0, 1, false), "argument", &["max_pool1d", "stride"]);
    refused(x(&[3]).max_pool2d(2, [], 0, 1, false), "shape", &["max_pool2d", "[3]"]);
    refused(ints(&[1, 2], &[1, 2]).avg_pool1d(2, [], 0, false, true), "dtype", &["avg_pool1d", "int32"]);
    refused(x(&[1, 1, 2, 2]).avg_pool2d(2, [], 0, false, true, 0), "argument", &["avg_pool2d", "divisor_override"]);
    Ok(())
}

#[test]
fn windows_of_one_element_keep_the_stride_and_the_gradient() -> Result<()> {
    let _device = device();
    let values: Vec<f32> = (0..60).map(|i| ((i * 37) % 61) as f32).collect();
    // Kernels of one element with strides in two dimensions, in one, and with none.
    for (kernel, stride) in [([1, 1], [2, 3]), ([1, 1], [1, 3]), ([1, 5], [2, 1]), ([6, 1], [1, 2]), ([1, 1], [1, 1])] {
        let x = leaf(&values, &[1, 1, 6, 10]);
        let y = x.max_pool2d(kernel, stride, 0, 1, true)?;
        let (mut largest, mut grad) = (vec![], vec![0.0; 60]);
        for row in (0..=6 - kernel[0] as usize).step_by(stride[0] as usize) {
            for column in (0..=10 - kernel[1] as usize).step_by(stride[1] as usize) {
                let taps = (row..row + kernel[0] as usize)
                    .flat_map(|i| (column..column + kernel[1] as usize).map(move |j| 10 * i + j));
                let best = taps.max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
                grad[best] += 1.0;
                largest.push(values[best]);
            }
        }
        assert_eq!(read(&y), largest, "kernel {kernel:?}, stride {stride:?}");
        y.sum((), false)?.backward()?;
        assert_eq!(grad_of(&x), grad, "kernel {kernel:?}, stride {stride:?}");
    }
    Ok(())
}

#[test]
fn joining_keeps_every_bit() -> Result<()> {
    let device = device();
    let nan = f32::from_bits(0x7FC0_1234);
    let parts = [tensor(&[-0.0, nan], &[2]), tensor(&[f32::NEG_INFINITY], &[1]), tensor(&[1e-45], &[1])];
    let bits = |x: &Tensor| read(x).iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    let wanted: Vec<u32> = parts.iter().flat_map(bits).collect();
    assert_eq!(bits(&Tensor::cat(&parts, 0)?), wanted);
    // More parts than one formula has: 100 rows of one to three columns, one part twice.
    let many: Vec<Tensor> = (0..100).map(|i| count(&[2, i % 3 + 1]).add(i as f64)).collect::<Result<_>>()?;
    let joined = read(&Tensor::cat(&many, 1)?);
    let rows = [0, 1].map(|row| many.iter().flat_map(|part| read(&part.select(0, row).unwrap())).collect::<Vec<f32>>());
    assert_eq!(joined, rows.concat());
    let twice = leaf(&[1.0, 2.0], &[2]);
    Tensor::cat(&[twice.clone(), twice.clone()], 0)?.mul(count(&[4]))?.sum((), false)?.backward()?;
    assert_eq!(grad_of(&twice), [2.0, 4.0]);
    // One kernel, whatever reads it.
    let (a, b) = (count(&[300]), count(&[200]));
    device.flush();
    let before = device.inspect().stats().launches;
    let y = Tensor::cat(&[a, b], 0)?.add(1.0)?.mul(2.0)?;
    assert_eq!(read(&y)[299..302], [600.0, 2.0, 4.0]);
    assert_eq!(device.inspect().stats().launches - before, 1);
    Ok(())
}

#[test]
fn padding_by_modes_and_amounts() -> Result<()> {
    let _device = device();
    let x = count(&[3]);
    assert_eq!(read(&x.pad([1, 1], PadMode::Constant, Some(Scalar::Float(9.0)))?), [9.0, 0.0, 1.0, 2.0, 9.0]);
    assert_eq!(read(&x.pad([-1, 1], PadMode::Constant, None)?), [1.0, 2.0, 0.0]);
    assert_eq!(read(&x.pad([2, 2], PadMode::Reflect, None)?), [2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0]);
    assert_eq!(read(&x.pad([2, 1], PadMode::Replicate, None)?), [0.0, 0.0, 0.0, 1.0, 2.0, 2.0]);
    assert_eq!(read(&x.pad([2, 1], PadMode::Circular, None)?), [1.0, 2.0, 0.0, 1.0, 2.0, 0.0]);
    refused(x.pad([3, 0], PadMode::Reflect, None), "shape", &["pad", "reflect", "[3]"]);
    refused(x.pad([4, 0], PadMode::Circular, None), "shape", &["pad", "circular"]);
    refused(x.pad([1], PadMode::Constant, None), "argument", &["pad", "[1]"]);
    refused(x.pad([1, 1, 1, 1], PadMode::Constant, None), "argument", &["pad", "[3]"]);
    refused(call("pad", &[(&x).into(), Arg::Ints(vec![1, 1]), text("mirror")]), "argument", &["pad", "mirror"]);
    refused(x.pad([-2, -2], PadMode::Constant, None), "shape", &["pad", "[3]"]);
    assert_eq!(shape_of(&x.pad([-1, -2], PadMode::Constant, None)?), [0]);
    Ok(())
}

#[test]
fn a_sum_of_exponentials_keeps_infinities() -> Result<()> {
    let _device = device();
    let infinite = tensor(&[f32::NEG_INFINITY, f32::NEG_INFINITY, 1e4, 1e4], &[2, 2]);
    let sums = read(&infinite.logsumexp(1, false)?);
    assert_eq!(sums[0], f32::NEG_INFINITY);
    close(f64::from(sums[1]), 1e4 + 2f64.ln());
    Ok(())
}
