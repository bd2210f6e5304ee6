//! A kernel that fails: what depends on it fails with its error, in later windows too; nothing else
//! does.

use crate::common::*;
use pollster::block_on;

fn fails(tensor: &Tensor) {
    refused(block_on(tensor.to_vec::<f32>()), "index", &["gather", "9"]);
}

#[test]
fn a_failure_reaches_exactly_what_depends_on_it() -> Result<()> {
    let device = device();
    let x = count(&[4]);
    let bad = x.gather(0, &ints(&[1, 9], &[2]))?;
    let good = x.gather(0, &ints(&[1, 3], &[2]))?;
    let (from_bad, both, from_good) = (bad.add(1.0)?, good.mul(&bad)?, good.add(1.0)?);
    // Values that are gone when the window runs pass the failure on.
    let through_dead = bad.exp()?.sin()?.sum((), false)?;
    device.flush();
    [&bad, &from_bad, &both].into_iter().for_each(fails);
    refused(block_on(through_dead.item()), "index", &["gather"]);
    assert_eq!((read(&good), read(&from_good), read(&x)), (vec![1.0, 3.0], vec![2.0, 4.0], vec![0.0, 1.0, 2.0, 3.0]));
    // Later windows.
    let (later, apart) = (both.neg()?.add(&good)?, good.neg()?);
    fails(&later);
    assert_eq!(read(&apart), [-1.0, -3.0]);
    fails(&later.add(1.0)?);
    Ok(())
}

#[test]
fn a_buffer_that_was_used_again_does_not_carry_the_failure_on() -> Result<()> {
    let _device = device();
    let x = count(&[4]);
    // The failed value dies early, and its buffer serves the rest of the window.
    let failed = x.gather(0, &ints(&[9, 9, 9, 9], &[4]))?.add(1.0)?.sum((), false)?;
    let mut y = x.clone();
    for _ in 0..10 {
        y = y.mul(2.0)?.sub(&x)?;
    }
    assert_eq!(read(&y), [0.0, 1.0, 2.0, 3.0]);
    refused(block_on(failed.item()), "index", &["gather"]);
    Ok(())
}

#[test]
fn a_failure_spreads_through_updates_in_place() -> Result<()> {
    let device = device();
    let (x, other) = (count(&[4]), count(&[4]));
    device.flush();
    let bad = x.gather(0, &ints(&[9], &[1]))?;
    x.slice(0, 0, 1, 1)?.copy_(&bad)?;
    other.slice(0, 2, 3, 1)?.copy_(&tensor(&[7.0], &[1]))?;
    x.slice(0, 3, 4, 1)?.add_(1.0)?; // after it: still a value of which a part failed
    fails(&x);
    assert_eq!(read(&other), [0.0, 1.0, 7.0, 3.0]);
    // After a write to all elements, the tensor is valid again.
    x.copy_(&other)?;
    assert_eq!(read(&x.add(1.0)?), [1.0, 2.0, 8.0, 4.0]);
    Ok(())
}

#[test]
fn each_failure_keeps_its_own_error() -> Result<()> {
    let _device = device();
    let x = count(&[4]);
    // The two flushes have the same work under other names, and the last flush has two failures.
    let error = |tensor: &Tensor| block_on(tensor.to_vec::<f32>()).unwrap_err().to_string();
    let first = x.gather(0, &ints(&[9], &[1]))?;
    assert_eq!(error(&first), "gather: index 9 is out of range for a dimension of size 4");
    let second = x.index_select(0, &ints(&[11], &[1]))?;
    assert_eq!(error(&second), "index_select: index 11 is out of range for a dimension of size 4");
    let (a, b) = (x.gather(0, &ints(&[-1], &[1]))?, x.index_select(0, &ints(&[7, 0], &[2]))?);
    let (from_a, from_b) = (a.add(1.0)?, b.add(1.0)?);
    assert!(error(&from_a).contains("index -1") && error(&from_b).contains("index 7"));
    assert!(error(&a).contains("index -1") && error(&b).contains("index 7"));
    Ok(())
}

#[test]
fn a_loop_goes_on_after_a_failed_step() -> Result<()> {
    let device = device();
    let weight = count(&[5, 2]).requires_grad_(true)?;
    let step = |rows: &[i32]| -> Result<Tensor> {
        let loss = Tensor::embedding(&weight, &ints(rows, &[2]))?.square()?.sum((), false)?;
        loss.backward()?;
        Ok(loss)
    };
    assert_eq!(item(&step(&[0, 1])?), 14.0);
    let broken = step(&[0, 5])?;
    refused(block_on(broken.item()), "index", &["index_select", "5"]);
    assert!(block_on(weight.grad().unwrap().to_vec::<f32>()).is_err());
    weight.set_grad(None)?;
    assert_eq!(item(&step(&[0, 1])?), 14.0);
    assert_eq!(grad_of(&weight), [0.0, 2.0, 4.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    block_on(device.synchronize())
}
