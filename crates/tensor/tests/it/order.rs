//! Operations over all elements of a dimension: running results, order, ranks, positions,
//! frequencies.

use crate::common::*;
use pollster::block_on;

fn positions(tensor: &Tensor) -> Vec<i32> {
    block_on(tensor.to_vec::<i32>()).unwrap()
}

fn launches(device: &Device, work: impl FnOnce() -> Result<Tensor>) -> u64 {
    device.flush();
    let before = device.inspect().stats().launches;
    block_on(work().unwrap().to_bytes()).unwrap();
    device.inspect().stats().launches - before
}

#[test]
fn a_scan_takes_what_is_before_it() {
    let device = device();
    let x = count(&[6, 5]);
    assert_eq!(launches(&device, || x.sub(0.5)?.square()?.cumsum(1)), 1);
    assert_eq!(launches(&device, || x.transpose(0, 1)?.exp()?.cumprod(0)), 1);
    // The running maximum, the recurrence of the sums with its factors, and the logarithm.
    assert_eq!(launches(&device, || x.logcumsumexp(1)), 3);
    device.inspect().set_optimizations(Optimizations::none());
    assert_eq!(launches(&device, || x.sub(0.5)?.square()?.cumsum(1)), 3);
}

#[test]
fn nan_stays_in_a_running_extreme_and_infinities_in_a_logarithm() {
    let _device = device();
    let nan = f32::NAN;
    let (values, indices) = tensor(&[1.0, nan, 3.0, nan, 0.0], &[5]).cummax(0).unwrap();
    assert_eq!(read(&values)[0], 1.0);
    assert!(read(&values)[1..].iter().all(|value| value.is_nan()));
    assert_eq!(positions(&indices), [0, 1, 1, 3, 3]);
    let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
    let sums = tensor(&[low, low, -1000.0, 3.0, high, 5.0], &[6]).logcumsumexp(0).unwrap();
    assert_eq!(read(&sums), [low, low, -1000.0, 3.0, high, high]);
}

#[test]
fn zeros_among_factors_have_derivatives_of_every_order() {
    let _device = device();
    let x = leaf(&[2.0, 0.0, 3.0, 0.0, 5.0], &[5]);
    let y = x.cumprod(0).unwrap();
    assert_eq!(read(&y), [2.0, 0.0, 0.0, 0.0, 0.0]);
    let first = grad(&[y.sum((), false).unwrap()], std::slice::from_ref(&x), &[], CREATE).unwrap().remove(0).unwrap();
    // By x[0]: 1 + 0 + ..; by x[1]: 2 + 2 * 3; beyond the first zero: 0.
    assert_eq!(read(&first), [1.0, 8.0, 0.0, 0.0, 0.0]);
    let weights = tensor(&[0.0, 1.0, 0.0, 0.0, 0.0], &[5]);
    let second =
        grad(&[first.mul(&weights).unwrap().sum((), false).unwrap()], &[x], &[], RETAIN).unwrap().remove(0).unwrap();
    // d/dx of x0 + x0 x2 + x0 x2 x3 + x0 x2 x3 x4.
    assert_eq!(read(&second), [4.0, 0.0, 2.0, 36.0, 0.0]);
}

#[test]
fn gradients_of_equal_elements() {
    let _device = device();
    let of = |work: &dyn Fn(&Tensor) -> Result<Tensor>| {
        let x = leaf(&[2.0, 2.0, 1.0, 2.0], &[4]);
        work(&x).unwrap().sum((), false).unwrap().backward().unwrap();
        grad_of(&x)
    };
    assert_eq!(of(&|x| Ok(x.cummax(0)?.0)), [1.0, 2.0, 0.0, 1.0]);
    assert_eq!(of(&|x| x.sort(0, true)?.0.narrow(0, 0, 1)), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(of(&|x| Ok(x.topk(2, 0, true, true)?.0)), [1.0, 1.0, 0.0, 0.0]);
    // The median of all is shared, that along a dimension is one element.
    let third = 1.0 / 3.0;
    assert_eq!(of(&|x| x.median()), [third, third, 0.0, third]);
    assert_eq!(of(&|x| Ok(x.median_dim(0, false)?.0)), [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn nan_is_last_in_order_and_the_median_of_its_row() {
    let _device = device();
    let nan = f32::NAN;
    let x = tensor(&[2.0, nan, 1.0, 4.0, 3.0, 9.0, nan, nan, nan], &[3, 3]);
    assert_eq!(positions(&x.argsort(1, false).unwrap()), [2, 0, 1, 1, 0, 2, 0, 1, 2]);
    assert_eq!(positions(&x.argsort(1, true).unwrap()), [1, 0, 2, 2, 0, 1, 0, 1, 2]);
    let (values, indices) = x.median_dim(1, false).unwrap();
    assert!(read(&values)[0].is_nan() && read(&values)[1] == 4.0);
    assert_eq!(positions(&indices), [1, 0, 0]);
    let (values, indices) = x.nanmedian_dim(1, false).unwrap();
    assert_eq!((read(&values)[0], positions(&indices)), (1.0, vec![2, 0, 0]));
    assert!(item(&x.median().unwrap()).is_nan());
    assert_eq!(item(&x.nanmedian().unwrap()), 3.0);
    let quantiles = x.quantile_scalar(0.5, 1, false).unwrap();
    assert!(read(&quantiles)[0].is_nan() && read(&quantiles)[1] == 4.0);
    assert_eq!(read(&x.nanquantile_scalar(0.5, 1, false).unwrap())[..2], [1.5, 4.0]);
    // Behind everything, and among nothing.
    let sequence = tensor(&[1.0, 2.0], &[2]);
    assert_eq!(positions(&Tensor::searchsorted(&sequence, tensor(&[nan, 1.5], &[2])).unwrap()), [2, 1]);
    let among = Tensor::isin(tensor(&[nan, 1.0], &[2]), tensor(&[nan, 1.0], &[2])).unwrap();
    assert_eq!(block_on(among.to_bytes()).unwrap(), [0, 1]);
    assert_eq!(shape_of(&block_on(x.unique(true, false, false, None)).unwrap()[0]), [9]);
}

#[test]
fn a_long_row_and_many_rows() {
    let _device = device();
    let n = 300_000;
    let values: Vec<i32> = (0..n).map(|i| i % 1009 * 7919 % 1009).collect();
    let x = ints(&values, &[i64::from(n)]);
    let results = block_on(x.unique(true, true, true, None)).unwrap();
    assert_eq!(positions(&results[0]), (0..1009).collect::<Vec<_>>());
    assert_eq!(positions(&results[1]), values);
    let expected = block_on(block_on(x.bincount(None, 0)).unwrap().to_vec::<i32>()).unwrap();
    assert_eq!(positions(&results[2]), expected);
    assert_eq!(expected.iter().sum::<i32>(), n);
    let (modes, _) = ints(&values, &[i64::from(n) / 3, 3]).mode(0, false).unwrap();
    assert_eq!(shape_of(&modes), [3]);
    let positions_of = Tensor::searchsorted(&x.sort(0, false).unwrap().0, ints(&[500], &[1])).unwrap();
    assert_eq!(positions(&positions_of)[0], values.iter().filter(|&&value| value < 500).count() as i32);
}

#[test]
fn slices_in_lexicographic_order() {
    let _device = device();
    let rows: Vec<[i32; 5]> = (0..40).map(|i: i32| [i % 2, 1, i / 3 % 2, 0, i % 3]).collect();
    let x = ints(&rows.concat(), &[40, 5]);
    let results = block_on(x.unique(true, true, true, Some(0))).unwrap();
    let mut expected = rows.clone();
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(positions(&results[0]), expected.concat());
    let number = |row: &[i32; 5]| expected.iter().position(|other| other == row).unwrap() as i32;
    assert_eq!(positions(&results[1]), rows.iter().map(number).collect::<Vec<_>>());
    let often = |row: &[i32; 5]| rows.iter().filter(|other| *other == row).count() as i32;
    assert_eq!(positions(&results[2]), expected.iter().map(often).collect::<Vec<_>>());
    // Slices of the other dimension.
    let columns = block_on(x.unique(true, false, true, Some(1))).unwrap();
    assert_eq!((shape_of(&columns[0]), positions(&columns[1]).iter().sum()), (vec![40, 5], 5));
    let runs = block_on(ints(&[1, 1, 2, 2, 1], &[5]).unique_consecutive(true, true, None)).unwrap();
    assert_eq!(runs.iter().map(positions).collect::<Vec<_>>(), [vec![1, 2, 1], vec![0, 0, 1, 1, 2], vec![2, 2, 1]]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let _device = device();
    let x = count(&[2, 3]);
    refused(x.topk(4, -1, true, true), "argument", &["topk", "4", "3"]);
    refused(x.kthvalue(0, 0, false), "argument", &["selected number k out of range for dimension 0"]);
    refused(x.cumsum(2), "index", &["cumsum", "2"]);
    refused(count(&[2, 0]).median_dim(1, false), "index", &["median", "[2, 0]"]);
    refused(x.quantile_scalar(1.5, None, false), "argument", &["quantile", "1.5"]);
    refused(
        call("quantile", &[(&x).into(), count(&[1]).into(), Arg::Null, false.into(), text("cubic")]),
        "argument",
        &["linear", "cubic"],
    );
    refused(ints(&[1], &[1]).quantile_scalar(0.5, None, false), "dtype", &["quantile", "int32"]);
    refused(Tensor::searchsorted(&x, count(&[3, 3])), "shape", &["[2, 3]", "[3, 3]"]);
    refused(x.bucketize(&x), "shape", &["boundaries tensor must be 1 dimension"]);
    refused(Tensor::isin(1, 2), "argument", &["at least one tensor"]);
    refused(x.histc(0, 0, 1), "argument", &["bins must be > 0"]);
    refused(block_on(ints(&[-1], &[1]).bincount(None, 0)), "argument", &["non-negative"]);
    refused(block_on(count(&[2, 0]).unique(true, false, false, Some(0))), "shape", &["unique", "[2, 0]"]);
    refused(count(&[]).diff(1, 0, None, None), "shape", &["diff"]);
    refused(Tensor::trapezoid_x(&x, &count(&[4])), "shape", &["trapezoid", "4", "[2, 3]"]);
}
