//! Maps that only products read, computed by the products.

use crate::common::device as cpu;
use lanthorn_tensor::{DType, Device, GradOptions, Optimizations, Result, Tensor, grad};
use pollster::block_on;
use proptest::prelude::*;

const WITHOUT: Optimizations = Optimizations { prologues: false, ..Optimizations::all() };

fn ramp(device: &Device, shape: &[i64]) -> Tensor {
    let count = shape.iter().product::<i64>();
    let values: Vec<f32> = (0..count).map(|i| ((i * 37) % 101) as f32 / 50.0 - 1.0).collect();
    Tensor::from_slice(&values, shape.to_vec(), device).unwrap()
}

/// The launches of some work with and without prologues, whose results are the same.
fn launches(device: &Device, work: impl Fn() -> Result<Tensor>) -> [u64; 2] {
    let run = |optimizations| {
        device.inspect().set_optimizations(optimizations);
        device.flush();
        let before = device.inspect().stats().launches;
        let values = block_on(work().unwrap().to(DType::F32).unwrap().to_vec::<f32>()).unwrap();
        (device.inspect().stats().launches - before, values)
    };
    let ((with, got), (without, want)) = (run(Optimizations::all()), run(WITHOUT));
    got.iter()
        .zip(&want)
        .for_each(|(got, want)| assert!((got - want).abs() <= 1e-5 + 1e-5 * want.abs(), "{got}, expected {want}"));
    [with, without]
}

#[test]
fn what_a_product_alone_reads_is_computed_there() {
    let device = cpu();
    let (x, y, w) = (ramp(&device, &[16, 12]), ramp(&device, &[16, 12]), ramp(&device, &[12, 20]));
    let bytes = x.gt(0.0).unwrap().to(DType::U8).unwrap();
    device.flush();
    assert_eq!(launches(&device, || bytes.to(DType::F32)?.div(255.0)?.matmul(&w)), [1, 2]);
    assert_eq!(launches(&device, || x.mul(y.gt(0.0)?)?.matmul(&w)), [1, 2]);
    assert_eq!(launches(&device, || x.relu()?.matmul(&w.mul(2.0)?)?.add(1.0)), [1, 2]);
    assert_eq!(launches(&device, || x.t()?.add(&y.t()?)?.t()?.matmul(&w)), [1, 2]);
    // The same map for both factors.
    let square = || {
        let z = x.sub(&y)?;
        z.matmul(&z.t()?)
    };
    assert_eq!(launches(&device, square), [1, 2]);
}

#[test]
fn a_weights_cast_is_part_of_every_product_that_reads_it() {
    let device = cpu();
    let (x, w) = (ramp(&device, &[16, 12]).to(DType::BF16).unwrap(), ramp(&device, &[20, 12]));
    device.flush();
    let twice = || {
        let half = w.to(DType::BF16)?;
        x.matmul(&half.t()?)?.matmul(&half)
    };
    assert_eq!(launches(&device, twice), [2, 3]);
}

#[test]
fn what_others_read_and_what_is_dear_is_stored() {
    let device = cpu();
    let (x, w) = (ramp(&device, &[16, 12]), ramp(&device, &[12, 20]));
    assert_eq!(launches(&device, || x.tanh()?.matmul(&w)), [2, 2]);
    // A tensor that a scan reads too is stored anyway.
    let shared = || {
        let z = x.mul(w.select(1, 0)?)?;
        z.matmul(&w)?.sum(1, false)?.add(z.sort(1, false)?.0.select(1, 0)?)
    };
    let [with, without] = launches(&device, shared);
    assert_eq!(with, without);
    // A row times a matrix is bound by how fast it reads.
    assert_eq!(launches(&device, || x.mul(&x)?.slice(0, 0, 1, 1)?.matmul(&w)), [2, 2]);
}

#[test]
fn a_product_with_a_row_unpacks_a_weight_of_few_bits() {
    let device = cpu();
    let (x, scale) = (ramp(&device, &[1, 64]), ramp(&device, &[24, 4]).abs().unwrap());
    let bytes = ramp(&device, &[24, 64]).add(1.0).unwrap().mul(127.0).unwrap().to(DType::U8).unwrap();
    let pairs = bytes.narrow(1, 0, 32).unwrap().contiguous().unwrap();
    let shifts = Tensor::from_slice(&[0, 4], [2, 1], &device).unwrap();
    device.flush();
    // Eight bits with a scale for each row.
    let rows = || x.matmul(&bytes.to(DType::F32)?.sub(128.0)?.mul(&scale.narrow(1, 0, 1)?)?.t()?);
    assert_eq!(launches(&device, rows), [1, 2]);
    let column = || bytes.to(DType::F32)?.sub(128.0)?.mul(&scale.narrow(1, 0, 1)?)?.matmul(&x.t()?);
    assert_eq!(launches(&device, column), [1, 2]);
    // Four bits with a scale for 16; the second half of them is in the upper half of each byte.
    let groups = || {
        let integers = pairs.to(DType::I32)?.reshape([24, 4, 1, 8])?.bitwise_right_shift(&shifts)?.bitwise_and(15)?;
        let numbers = integers.to(DType::F32)?.sub(8.0)?.mul(&scale.reshape([24, 4, 1, 1])?)?;
        x.matmul(&numbers.reshape([24, 64])?.t()?)
    };
    assert_eq!(launches(&device, groups), [1, 2]);
}

#[test]
fn a_convolution_pads_what_the_formula_gives() {
    let device = cpu();
    let (image, weight) = (ramp(&device, &[2, 3, 9, 8]), ramp(&device, &[10, 3, 3, 3]));
    let shift = ramp(&device, &[3, 1, 1]);
    for stride in [1, 2] {
        let work = || image.add(&shift)?.conv2d(&weight, None, stride, 1, 1, 1);
        assert_eq!(launches(&device, work), [1, 2]);
    }
    // A border of zeros, whatever is added.
    device.inspect().set_optimizations(Optimizations::all());
    let [ones, filters] = [[1, 1, 8, 8], [8, 1, 3, 3]]
        .map(|shape| Tensor::from_slice(&vec![1f32; shape.iter().product::<i64>() as usize], shape, &device).unwrap());
    device.flush();
    let before = device.inspect().stats().launches;
    let sum = ones.mul(0.0).unwrap().add(1.0).unwrap().conv2d(&filters, None, 1, 1, 1, 1).unwrap();
    let sum = block_on(sum.to_vec::<f32>()).unwrap();
    assert_eq!(device.inspect().stats().launches - before, 1);
    assert_eq!((sum[0], sum[1], sum[9]), (4.0, 6.0, 9.0));
}

#[test]
fn an_explanation_names_the_formula_of_a_factor() -> Result<()> {
    let device = cpu();
    let (x, w) = (ramp(&device, &[16, 12]), ramp(&device, &[12, 20]));
    let explained = device.inspect().explain(|| x.matmul(&w.mul(2.0)?))?;
    assert!(explained.rewritten.contains("b of v0 = x0;"), "{}", explained.rewritten);
    Ok(())
}

/// A random formula over tensors of one shape.
fn formula(steps: &[u8], x: &Tensor, y: &Tensor, row: &Tensor) -> Result<Tensor> {
    steps.iter().try_fold(x.clone(), |value, step| match step % 7 {
        0 => value.add(y),
        1 => value.mul(row),
        2 => value.relu(),
        3 => Tensor::r#where(&y.gt(0.25)?, &value, 0.5),
        4 => value.sub(1.5),
        5 => value.to(DType::BF16)?.to(DType::F32),
        _ => value.mul(y.gt(0.0)?),
    })
}

/// Products of formulas, their sum and the gradients.
fn products(device: &Device, [left, right]: [&[u8]; 2], kind: u8, sizes: [i64; 3]) -> Result<Vec<Vec<f32>>> {
    let [m, k, n] = sizes;
    let made = if kind.is_multiple_of(3) {
        let (x, y) = (ramp(device, &[2, k, m, 7]), ramp(device, &[2, k, m, 7]).neg()?);
        let w = ramp(device, &[n, k, 3, 2]).requires_grad_(true)?;
        let filters = formula(right, &w, &w, &ramp(device, &[2]))?;
        let image = formula(left, &x, &y, &ramp(device, &[k, 1, 1]))?;
        vec![image.conv2d(&filters, None, 1 + i64::from(kind % 2), 1, 1, 1)?, w]
    } else {
        let (x, y) = (ramp(device, &[m, k]), ramp(device, &[k, m]).t()?);
        let w = ramp(device, &[n, k]).requires_grad_(true)?;
        let (a, b) = (formula(left, &x, &y, &ramp(device, &[k]))?, formula(right, &w, &w, &ramp(device, &[n, 1]))?);
        vec![if kind.is_multiple_of(2) { a.matmul(&b.t()?)? } else { b.matmul(&a.t()?)? }, w]
    };
    let end = made[0].square()?.sum((), false)?;
    let gradient = grad(std::slice::from_ref(&end), &made[1..], &[], GradOptions::default())?.pop().flatten();
    made.iter().take(1).chain(&gradient).map(|tensor| block_on(tensor.to_vec::<f32>())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn computed_is_stored(
        left in prop::collection::vec(any::<u8>(), 0..4),
        right in prop::collection::vec(any::<u8>(), 0..4),
        kind in any::<u8>(),
        // One device runs all of these sizes; each time another one runs them as they are recorded.
        sizes in prop::collection::vec([1i64..20, 1i64..20, 1i64..20], 3),
        switches in any::<[bool; 5]>(),
    ) {
        let fused = cpu();
        let [pointwise, epilogues, fused_reductions, horizontal, in_place] = switches;
        fused.inspect().set_optimizations(Optimizations { pointwise, epilogues, fused_reductions, horizontal, in_place, ..Optimizations::all() });
        let formulas = [&left[..], &right[..]];
        for sizes in sizes.into_iter().chain([[16, 12, 8]]) {
            let plain = cpu();
            plain.inspect().set_optimizations(Optimizations::none());
            let (got, want) = (products(&fused, formulas, kind, sizes).unwrap(), products(&plain, formulas, kind, sizes).unwrap());
            for (got, want) in got.iter().zip(&want) {
                prop_assert_eq!(got.len(), want.len());
                let largest = want.iter().fold(1f32, |most, want| most.max(want.abs()));
                for (got, want) in got.iter().zip(want) {
                    prop_assert!((got - want).abs() <= 1e-5 * largest, "{got}, expected {want}, at {sizes:?}");
                }
            }
        }
    }
}
