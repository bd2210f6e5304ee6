//! Replayed training: plans of earlier steps give the results of op-by-op execution, and cost
//! nothing new.

use lanthorn_cpu::CpuBackend;
use lanthorn_optim::{Adam, AdamOptions};
use lanthorn_tensor::{Device, Result, Tensor};
use pollster::block_on;

/// Data without random numbers: two classes of points on two arcs.
fn data(device: &Device) -> Result<(Tensor, Tensor)> {
    let points = (0..32).flat_map(|i| {
        let (angle, class) = (i as f32 * 0.2, (i % 2) as f32);
        [angle.sin() + class, angle.cos() - class]
    });
    let classes: Vec<i32> = (0..32).map(|i| i % 2).collect();
    Ok((Tensor::from_slice(&points.collect::<Vec<_>>(), [32, 2], device)?, Tensor::from_slice(&classes, [32], device)?))
}

/// 50 steps of Adam with a learning rate that changes every step; returns the losses and the final
/// parameters.
fn train(device: &Device, each_op: impl Fn(), each_step: impl Fn(usize)) -> Result<(Vec<f64>, Vec<f32>)> {
    let (x, target) = data(device)?;
    let start = |shape: [i64; 2], scale: f64| {
        let count = shape[0] * shape[1];
        Tensor::arange(0, count, 1)?.mul(0.7)?.sin()?.mul(scale)?.reshape(shape)?.requires_grad_(true)
    };
    let (first, second) = (start([8, 2], 0.5)?, start([2, 8], 0.5)?);
    let bias = Tensor::zeros([8])?.requires_grad_(true)?;
    each_op();
    let parameters = vec![first.clone(), second.clone(), bias.clone()];
    let optimizer = Adam::new(parameters.clone(), AdamOptions { weight_decay: 1e-3, ..Default::default() })?;
    let mut losses = Vec::new();
    for step in 0..50 {
        optimizer.set_learning_rate(0.05 / (1.0 + step as f64))?;
        let hidden = x.linear(&first, Some(&bias))?;
        each_op();
        let hidden = hidden.tanh()?;
        each_op();
        let logits = hidden.linear(&second, None)?;
        each_op();
        let loss = logits.cross_entropy(&target, None)?;
        each_op();
        loss.backward()?;
        each_op();
        optimizer.step()?;
        optimizer.zero_grad()?;
        losses.push(block_on(loss.item())?);
        each_step(step);
    }
    let values = parameters.iter().flat_map(|parameter| block_on(parameter.to_vec::<f32>()).unwrap()).collect();
    Ok((losses, values))
}

#[test]
fn a_replayed_loop_computes_what_op_by_op_computes() -> Result<()> {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    let warm = std::cell::Cell::new(device.inspect().stats());
    let (losses, values) = train(
        &device,
        || (),
        |step| {
            // The first step creates Adam's state; the second makes the loop's plan.
            if step == 2 {
                warm.set(device.inspect().stats());
            }
        },
    )?;
    let (before, after) = (warm.get(), device.inspect().stats());
    // The final reads of the parameters are segments without kernels.
    assert_eq!(after.plan_misses, before.plan_misses, "{before:?} {after:?}");
    assert!(after.plan_hits - before.plan_hits >= 47, "{before:?} {after:?}");
    assert_eq!(after.memory.buffers_created, before.memory.buffers_created);
    assert!(losses[49] < 0.7 * losses[0], "{losses:?}");

    let apart = Device::new(CpuBackend::poisoned());
    apart.set_default();
    let (want_losses, want_values) = train(&apart, || apart.flush(), |_| ())?;
    assert!(apart.inspect().stats().plan_misses > 3);
    let close = |got: f64, want: f64| assert!((got - want).abs() <= 1e-5 + 1e-4 * want.abs(), "{got}, expected {want}");
    losses.iter().zip(&want_losses).for_each(|(&got, &want)| close(got, want));
    values.iter().zip(&want_values).for_each(|(&got, &want)| close(got.into(), want.into()));
    Ok(())
}

#[test]
fn the_learning_rate_is_data() -> Result<()> {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    let w = Tensor::zeros([1])?.requires_grad_(true)?;
    let optimizer = lanthorn_optim::Sgd::new(vec![w.clone()], Default::default())?;
    let mut expected = 0.0;
    for step in 1..=20 {
        let lr = 2f64.powi(-step);
        optimizer.set_learning_rate(lr)?;
        w.set_grad(Some(Tensor::ones([1])?))?;
        optimizer.step()?;
        expected -= lr;
        assert_eq!(block_on(w.item())?, expected, "step {step}");
    }
    assert!(device.inspect().stats().plan_hits >= 18);
    Ok(())
}

#[test]
fn a_step_of_adam_is_one_launch() -> Result<()> {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    let parameters = vec![Tensor::zeros([3, 4])?.requires_grad_(true)?, Tensor::zeros([5])?.requires_grad_(true)?];
    let optimizer = Adam::new(parameters.clone(), AdamOptions::default())?;
    for step in 0..3 {
        for parameter in &parameters {
            parameter.set_grad(Some(parameter.ones_like()?))?;
        }
        device.flush();
        let before = device.inspect().stats().launches;
        optimizer.step()?;
        // The first step also creates the state that later steps read.
        if step > 0 {
            assert_eq!(device.inspect().stats().launches - before, 1);
        }
    }
    Ok(())
}
