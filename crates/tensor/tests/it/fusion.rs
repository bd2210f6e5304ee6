//! Fusion: the same numbers in fewer launches.

use crate::common::{device as cpu, read};
use lanthorn_tensor::{DType, Device, GradOptions, Optimizations, Result, Tensor, grad};
use pollster::block_on;
use proptest::prelude::*;

fn launches(device: &Device, work: impl FnOnce() -> Result<Tensor>) -> u64 {
    device.flush();
    let before = device.inspect().stats().launches;
    block_on(work().unwrap().to_bytes()).unwrap();
    device.inspect().stats().launches - before
}

fn ramp(device: &Device, shape: &[i64]) -> Tensor {
    let count = shape.iter().product::<i64>();
    let values: Vec<f32> = (0..count).map(|i| ((i * 37) % 101) as f32 / 50.0 - 1.0).collect();
    Tensor::from_slice(&values, shape.to_vec(), device).unwrap()
}

#[test]
fn a_chain_is_one_launch() {
    let device = cpu();
    let x = ramp(&device, &[6, 5]);
    let chain = || x.mul(&x)?.add(&x)?.tanh()?.mul(x.sigmoid()?);
    assert_eq!(launches(&device, chain), 1);
    device.inspect().set_optimizations(Optimizations::none());
    assert_eq!(launches(&device, chain), 5);
}

#[test]
fn what_is_read_through_a_view_or_broadcast_is_drawn_in() {
    let device = cpu();
    let (x, row) = (ramp(&device, &[6, 5]), ramp(&device, &[5]));
    assert_eq!(launches(&device, || x.neg()?.transpose(0, 1)?.add(1.0)), 1);
    assert_eq!(launches(&device, || x.add(&row.neg()?)), 1);
    assert_eq!(launches(&device, || x.exp()?.slice(0, 1, 5, 2)?.add(Tensor::ones([5])?)), 1);
}

#[test]
fn a_reduction_takes_what_is_before_and_after_it() {
    let device = cpu();
    let x = ramp(&device, &[6, 5]);
    assert_eq!(launches(&device, || x.sub(0.5)?.square()?.mean(1, false)?.sqrt()), 1);
    let y = ramp(&device, &[5, 4]);
    assert_eq!(launches(&device, || x.matmul(&y)?.relu()), 1);
}

#[test]
fn a_softmax_is_one_launch_forward_and_one_backward() {
    let device = cpu();
    let x = ramp(&device, &[6, 5]);
    assert_eq!(launches(&device, || x.softmax(1)), 1);
    assert_eq!(launches(&device, || x.softmax(0)), 1);
    assert_eq!(launches(&device, || x.log_softmax(-1)), 1);
    device.inspect().set_optimizations(Optimizations { fused_reductions: false, ..Optimizations::all() });
    assert!(launches(&device, || x.softmax(1)) > 1);
    device.inspect().set_optimizations(Optimizations::all());
    let x = x.requires_grad_(true).unwrap();
    let (y, upstream) = (x.softmax(1).unwrap(), ramp(&device, &[6, 5]));
    device.flush();
    assert_eq!(launches(&device, || Ok(grad(&[y], &[x], &[upstream], GradOptions::default())?.remove(0).unwrap())), 1);
}

#[test]
fn a_cross_entropy_is_a_row_kernel_and_a_mean_with_its_gradient() {
    let device = cpu();
    let logits = ramp(&device, &[6, 5]).requires_grad_(true).unwrap();
    let target = Tensor::from_slice(&[0, 4, 2, 1, 3, 0], [6], &device).unwrap();
    let step = || {
        let loss = logits.cross_entropy(&target, None)?;
        loss.backward()?;
        Ok(loss)
    };
    // The number of targets that count, the rows, and the mean.
    assert_eq!(launches(&device, step), 3);
}

#[test]
fn a_normalization_is_one_launch() {
    let device = cpu();
    let (x, weight, bias) = (ramp(&device, &[6, 8]), ramp(&device, &[8]), ramp(&device, &[8]));
    let normalized = || {
        let centered = x.sub(x.mean(1, true)?)?;
        let scale = centered.square()?.mean(1, true)?.add(1e-5)?.rsqrt()?;
        centered.mul(scale)?.mul(&weight)?.add(&bias)
    };
    assert_eq!(launches(&device, normalized), 1);
}

#[test]
fn bias_activation_and_residual_are_epilogues() {
    let device = cpu();
    let (x, w, b) = (ramp(&device, &[6, 5]), ramp(&device, &[5, 4]), ramp(&device, &[4]));
    let residual = ramp(&device, &[6, 4]);
    assert_eq!(launches(&device, || x.matmul(&w)?.add(&b)?.relu()?.add(&residual)), 1);
    device.inspect().set_optimizations(Optimizations { epilogues: false, ..Optimizations::all() });
    assert_eq!(launches(&device, || x.matmul(&w)?.add(&b)?.relu()?.add(&residual)), 2);
}

#[test]
fn heads_are_read_where_they_lie() {
    let device = cpu();
    let (x, w) = (ramp(&device, &[2, 3, 4, 5]), ramp(&device, &[15, 6]));
    // [2, 3, 4, 5] to [2 * 4, 3 * 5]: no copy is made for the product.
    assert_eq!(launches(&device, || x.transpose(1, 2)?.reshape([8, 15])?.matmul(&w)), 1);
}

#[test]
fn a_step_of_descent_is_part_of_the_gradients_product() {
    let device = cpu();
    let (x, w) = (ramp(&device, &[6, 5]), ramp(&device, &[4, 5]).requires_grad_(true).unwrap());
    let step = || {
        w.set_grad(None)?;
        x.matmul(&w.transpose(0, 1)?)?.square()?.sum((), false)?.backward()?;
        let gradient = w.grad().unwrap();
        lanthorn_tensor::no_grad(|| w.sub_(&gradient.mul(0.01)?))?;
        Ok(w.clone())
    };
    step().unwrap();
    device.flush();
    // The product and its gradient; the weight and its gradient with the step.
    assert_eq!(launches(&device, step), 2);
    let bytes = device.inspect().stats().memory;
    for _ in 0..5 {
        launches(&device, step);
    }
    assert_eq!(device.inspect().stats().memory, bytes);
}

#[test]
fn small_maps_share_launches_of_a_bounded_size() {
    let device = cpu();
    let parameters: Vec<Tensor> = (1..=40).map(|n| ramp(&device, &[n])).collect();
    let step = || {
        parameters.iter().try_for_each(|parameter| parameter.mul_(0.5))?;
        Ok(parameters[39].clone())
    };
    step().unwrap();
    device.flush();
    assert_eq!(launches(&device, step), 3);
    device.inspect().set_optimizations(Optimizations { horizontal: false, ..Optimizations::all() });
    assert_eq!(launches(&device, step), 40);
}

#[test]
fn products_of_one_vector_share_a_launch() {
    let device = cpu();
    let x = ramp(&device, &[1, 24]);
    let [query, key, value] = [16, 8, 8].map(|rows| ramp(&device, &[rows, 24]));
    let bias = ramp(&device, &[8]);
    let step = || {
        let query = x.linear(&query, None::<&Tensor>)?;
        let key = x.linear(&key, Some(&bias))?.relu()?;
        Tensor::cat(&[query, key, x.linear(&value, None::<&Tensor>)?], 1)
    };
    // The products, and the tensors joined.
    assert_eq!(launches(&device, step), 2);
    let together = read(&step().unwrap());
    device.inspect().set_optimizations(Optimizations { horizontal: false, ..Optimizations::all() });
    assert_eq!(launches(&device, step), 4);
    assert_eq!(read(&step().unwrap()), together);
    // Products of several rows fill a device, so they stay separate.
    device.inspect().set_optimizations(Optimizations::all());
    let x = ramp(&device, &[5, 24]);
    let rows = || Tensor::cat(&[x.linear(&key, None::<&Tensor>)?, x.linear(&value, None::<&Tensor>)?], 1);
    assert_eq!(launches(&device, rows), 3);
}

/// A store computes its source, two stores and a map are one launch, and the holder of an old value
/// keeps it.
#[test]
fn stores_are_computed_with_their_sources() -> Result<()> {
    let device = cpu();
    let index = Tensor::from_slice(&[3, 9, -1, 0], [4, 1], &device)?.expand([4, 2])?;
    let source = ramp(&device, &[4, 2]);
    for optimizations in [Optimizations::all(), Optimizations::none()] {
        device.inspect().set_optimizations(optimizations);
        let [keys, values] = [0.0, 5.0].map(|value| Tensor::full_with([5, 3], value, DType::F32, Some(&device)));
        let (keys, values) = (keys?, values?);
        let held = values.detach().clone_tensor()?;
        let before = values.mul(2.0)?;
        device.flush();
        let taken = launches(&device, || {
            keys.narrow(1, 0, 3)?.store_(0, &index, &source.mul(2.0)?.add(1.0)?)?;
            values.store_(0, &index, &source)?;
            source.exp()
        });
        if optimizations == Optimizations::all() {
            assert_eq!(taken, 1);
        }
        let mut expected = [vec![0f32; 15], vec![5f32; 15]];
        for (row, from) in [(3, 0), (0, 3)] {
            for column in 0..2 {
                let value = read(&source)[from * 2 + column];
                expected[0][row * 3 + column] = value * 2.0 + 1.0;
                expected[1][row * 3 + column] = value;
            }
        }
        assert_eq!([read(&keys), read(&values)], expected);
        assert_eq!([read(&held), read(&before)], [vec![5.0; 15], vec![10.0; 15]]);
        // The old value is read after the store was recorded.
        let old = values.add(1.0)?;
        values.store_(0, &index, &source.neg()?)?;
        assert_eq!(read(&old)[0], expected[1][0] + 1.0);
        assert_eq!(read(&values)[0], -expected[1][0]);
    }
    Ok(())
}

#[test]
fn stores_that_do_not_fit_are_refused() -> Result<()> {
    let device = cpu();
    let (x, index) = (ramp(&device, &[5, 3]), Tensor::from_slice(&[0, 1], [2, 1], &device)?);
    let source = ramp(&device, &[2, 1]);
    let refused = |result: Result<()>| result.unwrap_err().to_string();
    assert!(refused(x.store_(0, &index, &source.to(DType::F64)?)).contains("store_: the types differ"));
    assert!(
        refused(x.store_(0, &index, &ramp(&device, &[2, 2])))
            .contains("an index of shape [2, 1] for src of shape [2, 2]")
    );
    assert!(refused(x.store_(2, &index, &source)).contains("store"));
    assert!(refused(x.store_(0, &source, &source)).contains("the index must be"));
    let wide = ramp(&device, &[2, 4]);
    assert!(refused(x.store_(0, &index.expand([2, 4])?, &wide)).contains("store"));
    let leaf = ramp(&device, &[5, 3]).requires_grad_(true)?;
    assert!(leaf.store_(0, &index, &source).unwrap_err().is_autograd());
    assert_eq!(read(&x), read(&ramp(&device, &[5, 3])));
    Ok(())
}

#[test]
fn the_code_of_a_launch_is_bounded() {
    let device = cpu();
    let launches_of = |count: usize| {
        let before = device.inspect().stats().launches;
        let values: Result<Vec<_>> = (0..count).map(|_| Tensor::randn([64, 64])).collect();
        device.flush();
        assert_eq!(values.unwrap().len(), count);
        device.inspect().stats().launches - before
    };
    // The initial values of a model's matrices: a launch fills two matrices.
    assert_eq!(launches_of(2), 1);
    assert_eq!(launches_of(16), 8);
}

#[test]
fn what_is_computed_twice_is_computed_once() {
    let device = cpu();
    let x = ramp(&device, &[4, 6]);
    let twice = || {
        x.transpose(0, 1)?.matmul(&x)?.exp()?.sum(0, false)?.add(x.transpose(0, 1)?.matmul(&x)?.exp()?.sum(1, false)?)
    };
    let with = launches(&device, twice);
    device.inspect().set_optimizations(Optimizations { common_subexpressions: false, ..Optimizations::all() });
    assert!(with < launches(&device, twice));
}

#[test]
fn what_only_the_kernel_itself_reads_is_not_stored() -> Result<()> {
    let device = cpu();
    let (x, moment) = (ramp(&device, &[6, 5]), ramp(&device, &[6, 5]));
    // As in an optimizer's step: one map makes the moment, which is kept, and the change, of which
    // the steps are not.
    let step = || -> Result<(Tensor, Tensor)> {
        let moment = moment.mul(0.9)?.add(&x.square()?)?;
        let scale = moment.sqrt()?.add(1e-8)?;
        let change = x.div(&scale)?;
        Ok((moment, x.sub(&change.mul(0.1)?)?))
    };
    let explained = device.inspect().explain(step)?;
    let results: Vec<usize> = explained
        .rewritten
        .lines()
        .filter(|line| line.starts_with('%'))
        .map(|line| line.split(" = ").next().unwrap_or("").matches('%').count())
        .collect();
    assert_eq!(results, [2], "{}", explained.rewritten);
    Ok(())
}

#[test]
fn what_others_read_is_still_there() {
    let device = cpu();
    let x = ramp(&device, &[40]);
    let middle = x.exp().unwrap();
    let end = middle.mul(2.0).unwrap();
    let (end, middle) = (block_on(end.to_vec::<f32>()).unwrap(), block_on(middle.to_vec::<f32>()).unwrap());
    assert!(end.iter().zip(&middle).all(|(end, middle)| *end == middle * 2.0));
    assert_eq!(device.inspect().stats().launches, 1);
}

#[test]
fn random_numbers_keep_their_positions() {
    let device = cpu();
    let draw = |fusion: bool| {
        device.inspect().set_optimizations(if fusion { Optimizations::all() } else { Optimizations::none() });
        device.manual_seed(3);
        let noise = Tensor::rand_with([4, 5], None, Some(&device)).unwrap().transpose(0, 1).unwrap().mul(2.0).unwrap();
        block_on(noise.to_vec::<f32>()).unwrap()
    };
    assert_eq!(draw(true), draw(false));
}

/// A random program on tensors of `rows` times `columns`, of which the first begins `offset` rows
/// into its buffer: each step makes a tensor from earlier ones.
///
/// No step makes numbers above 1 of numbers up to 1. Otherwise the sine of a large product, or a
/// difference of two, would make a large error of the last bit in which fused and unfused runs may
/// differ.
fn run(
    device: &Device,
    steps: &[(u8, usize, usize)],
    keep: usize,
    [rows, columns, offset]: [i64; 3],
) -> Result<Vec<Vec<f32>>> {
    let leaf = ramp(device, &[rows, columns]).requires_grad_(true)?;
    let inner = ramp(device, &[rows + offset, columns]).narrow(0, offset, rows)?;
    let mut made = vec![leaf.clone(), inner];
    let half = if rows % 2 == 0 { 2 } else { 1 };
    for &(op, a, b) in steps {
        let (a, b) = (made[a % made.len()].clone(), made[b % made.len()].clone());
        made.push(match op % 15 {
            0 => a.lerp(&b, 0.5)?,
            1 => a.mul(&b)?,
            2 => a.tanh()?,
            3 => a.sub(b.mean(0, true)?)?.mul(0.5)?,
            4 => a.reshape([columns, rows])?.transpose(0, 1)?.contiguous()?,
            5 => a.slice(0, 0, rows / 2, 1)?.sum(0, true)?.mul(0.2)?.lerp(&b, 0.5)?,
            6 => Tensor::r#where(&a.gt(&b)?, &a, 0.25)?,
            7 => a.matmul(&b.transpose(0, 1)?)?.matmul(&b)?.mul(0.01)?.sin()?,
            8 => a.softmax(1)?,
            9 => a.sub(a.mean(1, true)?)?.mul(b.square()?.mean(1, true)?.add(0.5)?.sqrt()?)?.mul(0.4)?,
            10 => a.log_softmax(0)?.mul(&b)?.mul(0.2)?,
            11 => {
                let swapped = a.reshape([half, rows / half, columns])?.transpose(0, 1)?.reshape([rows, columns])?;
                swapped.mul(0.01)?.matmul(&b.transpose(0, 1)?)?.matmul(&a)?.lerp(&b, 0.5)?
            }
            12 => {
                // A part is overwritten from where the offset says.
                let (copy, first) = (a.clone_tensor()?, offset.min(rows));
                copy.narrow(0, first, rows - first)?.copy_(&b.narrow(0, 0, rows - first)?)?;
                copy
            }
            13 => Tensor::cat(&[a.slice(0, offset.min(rows), rows, 1)?, b.slice(0, 0, offset.min(rows), 1)?], 0)?,
            _ => a.mul(0.5)?,
        });
    }
    let end = made[made.len() - 1].sum((), false)?.add(leaf.sum((), false)?)?;
    let gradient = grad(std::slice::from_ref(&end), &[leaf], &[], GradOptions::default())?.pop().flatten();
    // Some results are held, others were only on the way.
    let kept: Vec<Tensor> = made.into_iter().skip(keep % 5).step_by(2).chain([end]).chain(gradient).collect();
    kept.iter().map(|tensor| block_on(tensor.to_vec::<f32>())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn fused_is_unfused(
        steps in prop::collection::vec((any::<u8>(), 0usize..16, 0usize..16), 1..14),
        keep in 0usize..5,
        switches in any::<[bool; 7]>(),
        // One device runs the program at all of these sizes; each time another one runs it as it is
        // recorded.
        sizes in prop::collection::vec([0i64..9, 0i64..9, 0i64..4], 3),
    ) {
        let fused = cpu();
        let [common_subexpressions, pointwise, epilogues, prologues, fused_reductions, horizontal, in_place] = switches.map(|switch| switch || keep < 3);
        fused.inspect().set_optimizations(Optimizations { common_subexpressions, pointwise, epilogues, prologues, fused_reductions, horizontal, in_place, ..Optimizations::none() });
        for sizes in [[4, 6, 0], [8, 12, 2]].into_iter().chain(sizes) {
            let plain = cpu();
            plain.inspect().set_optimizations(Optimizations::none());
            let (got, want) = (run(&fused, &steps, keep, sizes).unwrap(), run(&plain, &steps, keep, sizes).unwrap());
            for (got, want) in got.iter().zip(&want) {
                prop_assert_eq!(got.len(), want.len());
                for (got, want) in got.iter().zip(want) {
                    prop_assert!((got - want).abs() <= 1e-4 + 1e-4 * want.abs() || got.is_nan() && want.is_nan() || got == want, "{got}, expected {want}, at {sizes:?}");
                }
            }
        }
    }
}
