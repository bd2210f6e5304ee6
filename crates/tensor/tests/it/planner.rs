//! The deferred stream: dead work, replayed plans, updates in place, and the order that a program sees.

use crate::common::*;
use pollster::block_on;

/// What `work` launches, its result included.
fn launches(device: &Device, work: impl FnOnce() -> Result<Tensor>) -> Result<(u64, Tensor)> {
    device.flush();
    let before = device.inspect().stats().launches;
    let result = work()?;
    device.flush();
    Ok((device.inspect().stats().launches - before, result))
}

#[test]
fn what_nobody_holds_is_not_computed() -> Result<()> {
    let device = device();
    device.inspect().set_optimizations(Optimizations::none());
    let x = count(&[4]);
    let (all, kept) = launches(&device, || {
        drop(x.exp()?.sin()?); // dead, with what only it needed
        let y = x.add(1.0)?;
        let z = y.mul(2.0)?;
        drop(z.clone_tensor()?);
        Ok(z)
    })?;
    assert_eq!((all, read(&kept)), (2, vec![2.0, 4.0, 6.0, 8.0]));
    // A value that was overwritten before anybody read it is dead too.
    let (all, y) = launches(&device, || {
        let y = x.add(1.0)?;
        y.copy_(&x)?;
        Ok(y)
    })?;
    assert_eq!((all, read(&y)), (0, read(&x)));
    Ok(())
}

#[test]
fn a_window_like_an_earlier_one_runs_its_plan() -> Result<()> {
    let device = device();
    let x = count(&[3]);
    let step = |x: &Tensor, number: f64| x.mul(number)?.add(x);
    read(&step(&x, 1.0)?);
    let before = device.inspect().stats();
    for number in 2..10 {
        assert_eq!(read(&step(&x, f64::from(number))?), [0.0, 1.0 + number as f32, 2.0 + 2.0 * number as f32]);
    }
    let after = device.inspect().stats();
    assert_eq!((after.plan_hits - before.plan_hits, after.plan_misses), (8, before.plan_misses));
    // Another order of operands, or a result that somebody holds is another window. Another size is not, but a size of
    // 1 is, and so is one for which a pass decides otherwise.
    let misses = |work: &dyn Fn() -> Result<()>| {
        let before = device.inspect().stats().plan_misses;
        work().map(|()| device.inspect().stats().plan_misses - before)
    };
    let resizes = device.inspect().stats().plan_resizes;
    assert_eq!(misses(&|| step(&count(&[4]), 1.0).map(|y| assert_eq!(read(&y), [0.0, 2.0, 4.0, 6.0])))?, 0);
    assert_eq!(device.inspect().stats().plan_resizes, resizes + 1);
    assert_eq!(misses(&|| step(&count(&[1]), 1.0).map(|y| assert_eq!(read(&y), [0.0])))?, 1);
    assert_eq!(misses(&|| x.add(&x.mul(1.0)?).map(|y| assert_eq!(read(&y), [0.0, 2.0, 4.0])))?, 1);
    let kept = std::cell::RefCell::new(Vec::new());
    let hold = || {
        let product = x.mul(3.0)?;
        let sum = product.add(&x)?;
        assert_eq!(read(&sum), [0.0, 4.0, 8.0]);
        kept.borrow_mut().push(product);
        Ok(())
    };
    assert_eq!((misses(&hold)?, misses(&hold)?), (1, 0));
    kept.borrow().iter().for_each(|product| assert_eq!(read(product), [0.0, 3.0, 6.0]));
    Ok(())
}

#[test]
fn a_plan_is_not_taken_for_sizes_that_a_pass_would_refuse() -> Result<()> {
    let device = device();
    // Rows that are read back along themselves, of which the second product makes others where the sizes are alike.
    let work = |rows: i64, columns: i64, offset: i64| {
        let x = count(&[rows + offset, columns]).narrow(0, offset, rows)?;
        let flat = x.exp()?.reshape([columns, rows])?.transpose(0, 1)?;
        x.add(&flat)?.sum(1, false)
    };
    for [rows, columns, offset] in
        [[4, 6, 2], [6, 4, 3], [5, 5, 0], [3, 8, 5], [1, 7, 2], [7, 1, 1], [12, 2, 4], [4, 6, 0]]
    {
        let (fused, misses) = (read(&work(rows, columns, offset)?), device.inspect().stats().plan_misses);
        // A size that was seen is known.
        assert_eq!(read(&work(rows, columns, offset)?), fused);
        assert_eq!(device.inspect().stats().plan_misses, misses);
        let at = |row: i64, column: i64| ((row + offset) * columns + column) as f32;
        for (row, sum) in (0..rows).zip(&fused) {
            // Element [row, column] of the transposed view is element column * rows + row in order.
            let value = |column: i64| {
                let linear = column * rows + row;
                at(row, column) + at(linear / columns, linear % columns).exp()
            };
            let want: f32 = (0..columns).map(value).sum();
            assert!(
                (sum - want).abs() <= 1e-4 * want.abs() || *sum == want,
                "{sum}, expected {want} at {rows} x {columns}"
            );
        }
    }
    assert!(device.inspect().stats().plan_resizes > 0);
    Ok(())
}

#[test]
fn templates_are_bounded_and_evicted_ones_are_made_again() -> Result<()> {
    let device = device();
    let x = count(&[3]);
    // A program for each number: one op a bit.
    let chain = |number: usize| {
        (0..9).try_fold(x.clone(), |x, bit| if number >> bit & 1 == 0 { x.add(1.0) } else { x.mul(0.5) })
    };
    let all = || (0..300).map(|number| chain(number).map(|y| read(&y))).collect::<Result<Vec<_>>>();
    let want = all()?;
    let misses = device.inspect().stats().plan_misses;
    let again = all()?;
    assert_eq!(again, want);
    assert!(device.inspect().stats().plan_misses > misses);
    Ok(())
}

#[test]
fn alternating_structures_both_stay_planned() -> Result<()> {
    let device = device();
    let x = count(&[3]);
    let (even, odd) = (|| x.exp()?.sum((), false), || x.sin()?.mul(2.0)?.amax((), false));
    let want = [item(&even()?), item(&odd()?)];
    let misses = device.inspect().stats().plan_misses;
    for _ in 0..20 {
        assert_eq!([item(&even()?), item(&odd()?)], want);
    }
    assert_eq!(device.inspect().stats().plan_misses, misses);
    Ok(())
}

#[test]
fn a_part_is_updated_where_it_lies_unless_the_old_value_is_held() -> Result<()> {
    let device = device();
    device.inspect().set_optimizations(Optimizations::none());
    let update = |keep: bool| {
        let x = count(&[4, 1000]);
        let mut held = Vec::new();
        let (all, x) = launches(&device, || {
            for round in 0..50 {
                x.select(0, round % 4)?.add_(1.0)?;
                if keep && round % 10 == 0 {
                    let snapshot = tensor(&[0.0], &[1]).expand([4, 1000])?.clone_tensor()?;
                    snapshot.copy_(&x)?; // the value itself, not a copy of it
                    held.push(snapshot);
                }
            }
            Ok(x)
        })?;
        let sums: Vec<f64> = held.iter().map(|held| item(&held.sum((), false).unwrap())).collect();
        Ok::<_, Error>((all, sums, item(&x.sum((), false)?)))
    };
    let total = 3999.0 * 2000.0;
    // A sum and a store a round, and one copy of the base that was uploaded: it is still the caller's until the flush.
    let (all, _, sum) = update(false)?;
    assert!((100..=101).contains(&all), "{all} launches");
    assert_eq!(sum, total + 50_000.0);
    let (all, sums, sum) = update(true)?;
    assert!((105..=106).contains(&all), "{all} launches");
    assert_eq!(sums, [1.0, 11.0, 21.0, 31.0, 41.0].map(|rounds| total + rounds * 1000.0));
    assert_eq!(sum, total + 50_000.0);
    Ok(())
}

#[test]
fn a_long_program_is_run_in_windows() -> Result<()> {
    let device = device();
    device.inspect().set_optimizations(Optimizations::none());
    let x = tensor(&[0.0], &[1]);
    for _ in 0..3000 {
        x.add_(1.0)?;
    }
    let stats = device.inspect().stats();
    assert!(stats.submissions >= 2 && stats.launches >= 2000, "{stats:?}");
    assert_eq!(read(&x), [3000.0]);
    Ok(())
}

#[test]
fn a_read_sees_the_value_at_its_point_of_the_program() -> Result<()> {
    let device = device();
    let x = count(&[3]);
    let view = x.slice(0, 1, None, 1)?;
    let before = x.to_vec::<f32>();
    x.add_(10.0)?;
    let between = view.to_vec::<f32>();
    let number = x.select(0, 2)?.item();
    view.mul_(0.0)?;
    let gone = x.add(1.0)?.to_vec::<f32>(); // its tensor is dropped before the read is awaited
    x.copy_(&tensor(&[7.0], &[1]))?;
    device.flush();
    assert_eq!(block_on(gone)?, [11.0, 1.0, 1.0]);
    assert_eq!(block_on(number)?, 12.0);
    assert_eq!(block_on(between)?, [11.0, 12.0]);
    assert_eq!(block_on(before)?, [0.0, 1.0, 2.0]);
    assert_eq!(read(&x), [7.0; 3]);
    block_on(device.synchronize())?;
    refused(block_on(x.to_vec::<i32>()), "dtype", &["float32", "int32"]);
    refused(block_on(x.item()), "shape", &["[3]", "to_vec"]);
    Ok(())
}

#[test]
fn tensors_of_two_devices_do_not_mix() -> Result<()> {
    let (first, _second) = (device(), device());
    let (a, index) = (Tensor::ones_with([2, 2], None, Some(&first))?, ints(&[0, 1], &[2, 1]));
    let b = count(&[2, 2]);
    refused(a.add(&b), "device", &["add", "two devices"]);
    refused(a.matmul(&b), "device", &["matmul"]);
    refused(a.gather(1, &index), "device", &["gather"]);
    refused(Tensor::cat(&[a.clone(), b.clone()], 0), "device", &["cat"]);
    refused(a.copy_(&b), "device", &["copy_"]);
    refused(a.select(0, 0)?.copy_(&b.select(0, 0)?), "device", &["copy_"]);
    refused(a.set_grad(Some(b.clone())), "device", &["set_grad"]);
    let x = a.clone_tensor()?.requires_grad_(true)?;
    refused(x.mul(1.0)?.backward_with(Some(&b), RETAIN), "device", &["backward"]);
    assert_eq!((read(&a.add(1.0)?), read(&b.add(1.0)?)), (vec![2.0; 4], vec![1.0, 2.0, 3.0, 4.0]));
    Ok(())
}

#[test]
fn a_device_lives_as_long_as_its_tensors() -> Result<()> {
    let x = {
        let device = device();
        let x = count(&[3]).requires_grad_(true)?;
        drop(device);
        x
    };
    let y = x.square()?.sum((), false)?;
    y.backward()?;
    assert_eq!((item(&y), grad_of(&x)), (5.0, vec![0.0, 2.0, 4.0]));
    let read = x.add(1.0)?.to_vec::<f32>();
    drop((x, y));
    assert_eq!(block_on(read)?, [1.0, 2.0, 3.0]);
    refused(Tensor::zeros([1]), "device", &["there is no device"]);
    Ok(())
}
