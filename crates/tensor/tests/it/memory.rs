//! Buffers: a warm loop creates none, none leaks, and a tensor dropped before a flush never has
//! one.

use crate::common::*;

/// A step of training by hand: two layers, their gradients, an update in place.
fn step(x: &Tensor, weights: &[Tensor; 2], rate: f64) -> Result<f64> {
    let hidden = x.matmul(&weights[0])?.tanh()?;
    let loss = hidden.matmul(&weights[1])?.square()?.mean((), false)?;
    loss.backward()?;
    for weight in weights {
        no_grad(|| weight.sub_(weight.grad().unwrap().mul(rate)?))?;
        weight.set_grad(None)?;
    }
    Ok(item(&loss))
}

#[test]
fn a_warm_loop_makes_no_buffer_and_no_plan() -> Result<()> {
    let device = device();
    let x = count(&[8, 16]).mul(0.01)?;
    let weights =
        [Tensor::full([16, 32], 0.1)?.requires_grad_(true)?, Tensor::full([32, 4], 0.1)?.requires_grad_(true)?];
    let mut losses = Vec::new();
    for round in 0..5 {
        losses.push(step(&x, &weights, 0.01 / f64::from(round + 1))?);
    }
    let warm = device.inspect().stats();
    for round in 0..100 {
        losses.push(step(&x, &weights, 0.01 / f64::from(round + 1))?);
    }
    let after = device.inspect().stats();
    assert_eq!(after.memory.buffers_created, warm.memory.buffers_created);
    assert_eq!(after.memory.live_bytes, warm.memory.live_bytes);
    assert_eq!(after.plan_misses, warm.plan_misses);
    assert!(losses.windows(2).all(|pair| pair[1] < pair[0]), "{losses:?}");
    Ok(())
}

#[test]
fn what_is_dropped_before_a_flush_takes_no_memory() -> Result<()> {
    let device = device();
    let x = count(&[1000]);
    let live = device.inspect().stats().memory;
    drop((x.add(1.0)?, x.exp()?, x.reshape([10, 100])?.sum(0, false)?));
    device.flush();
    assert_eq!(device.inspect().stats().memory, live);
    let y = x.add(1.0)?;
    assert_eq!(device.inspect().stats().memory, live);
    device.flush();
    assert_eq!(device.inspect().stats().memory.live_bytes, 2 * live.live_bytes);
    drop(y);
    assert_eq!(device.inspect().stats().memory.live_bytes, live.live_bytes);
    drop(x);
    let empty = device.inspect().stats().memory;
    assert_eq!((empty.live_bytes, empty.pooled_bytes), (0, 2 * live.live_bytes));
    Ok(())
}

#[test]
fn a_long_chain_runs_in_a_handful_of_buffers() -> Result<()> {
    let device = device();
    device.inspect().set_optimizations(Optimizations::none());
    let mut y = count(&[1000]);
    for _ in 0..200 {
        y = y.mul(1.0)?.add(0.5)?;
    }
    assert_eq!(read(&y)[..2], [100.0, 101.0]);
    let made = device.inspect().stats().memory.buffers_created;
    assert!(made <= 4, "{made} buffers");
    Ok(())
}

#[test]
fn a_graph_gives_its_memory_back() -> Result<()> {
    let device = device();
    let x = count(&[1000]).requires_grad_(true)?;
    device.flush();
    let live = device.inspect().stats().memory.live_bytes;
    let mut y = x.clone();
    for _ in 0..20 {
        y = y.mul(1.5)?.sin()?;
    }
    device.flush();
    assert!(device.inspect().stats().memory.live_bytes > 15 * live);
    // Backward frees the graph; the gradient stays.
    y.sum((), false)?.backward()?;
    device.flush();
    drop(y);
    assert_eq!(device.inspect().stats().memory.live_bytes, 2 * live);
    x.set_grad(None)?;
    let weak = x.square()?;
    weak.register_hook(|_| Ok(None))?.remove();
    drop(weak);
    device.flush();
    assert_eq!(device.inspect().stats().memory.live_bytes, live);
    Ok(())
}
