//! A repeated step: one launch, or few, for all parameters, one submission, and no new objects.

use lanthorn_optim::{
    Optimizer, ParameterGroup, clip_grad_norm_,
    schedule::ExponentialLR,
    table::{OPTIMIZERS, build},
};
use lanthorn_tensor::{Device, Result, Tensor};
use pollster::block_on;

fn devices() -> Vec<Device> {
    let gpu = block_on(lanthorn_wgpu::WgpuBackend::new(Default::default())).expect("these tests need an adapter");
    vec![Device::new(lanthorn_cpu::CpuBackend::poisoned()), Device::new(gpu)]
}

fn parameters(device: &Device) -> Result<Vec<Tensor>> {
    let start = |shape: [i64; 2]| {
        let values: Vec<f32> = (0..shape[0] * shape[1]).map(|i| (i as f32 * 0.7).sin()).collect();
        Tensor::from_slice(&values, shape, device)?.requires_grad_(true)
    };
    Ok(vec![start([8, 6])?, start([5, 8])?, start([1, 5])?])
}

fn optimizer(name: &str, parameters: &[Tensor]) -> Result<Optimizer> {
    build(name, &[], vec![ParameterGroup::from(parameters.to_vec())])
}

/// Steps on a loss, with a rate that changes each time; returns the cost of the last one.
fn train(device: &Device, name: &str, clips: bool) -> Result<()> {
    device.set_default();
    let parameters = parameters(device)?;
    let optimizer = optimizer(name, &parameters)?;
    let scheduler = ExponentialLR { gamma: 0.99 }.on(&optimizer)?;
    let step = || -> Result<Tensor> {
        optimizer.zero_grad()?;
        let products = parameters[2].matmul(&parameters[1])?.matmul(&parameters[0])?;
        let loss = products.sub(0.5)?.square()?.sum((), false)?;
        loss.backward()?;
        if clips {
            clip_grad_norm_(&parameters, 1.0, 2.0)?;
        }
        optimizer.step()?;
        scheduler.step()?;
        Ok(loss.detach())
    };
    let first = block_on(step()?.item())?;
    // The rule of RAdam changes after its fifth step, and buffers that values use alternately
    // repeat after some steps.
    for _ in 0..60 {
        step()?;
    }
    device.flush();
    let before = device.inspect().stats();
    for _ in 0..5 {
        step()?;
    }
    let after = device.inspect().stats();
    let what = format!("{name} on {}: {before:?} {after:?}", device.name());
    assert_eq!(after.plan_hits - before.plan_hits, 5, "{what}");
    assert_eq!(after.plan_misses, before.plan_misses, "{what}");
    assert_eq!(after.submissions - before.submissions, 5, "{what}");
    assert_eq!(after.memory.buffers_created, before.memory.buffers_created, "{what}");
    assert_eq!((after.api.buffers, after.api.pipelines), (before.api.buffers, before.api.pipelines), "{what}");
    assert_eq!(after.api.bind_groups, before.api.bind_groups, "{what}");
    if device.name() == "wgpu" {
        assert_eq!(after.api.submits - before.api.submits, 5, "{what}");
    }
    let last = block_on(step()?.item())?;
    assert!(last <= first, "{name}: the loss went from {first} to {last}");
    Ok(())
}

#[test]
fn every_optimizer_repeats_its_step_for_nothing() -> Result<()> {
    for spec in OPTIMIZERS.iter().filter(|spec| !spec.needs_closure()) {
        for device in devices() {
            train(&device, spec.name, false)?;
        }
    }
    Ok(())
}

#[test]
fn clipping_costs_nothing_new_either() -> Result<()> {
    for name in ["SGD", "AdamW"] {
        for device in devices() {
            train(&device, name, true)?;
        }
    }
    Ok(())
}

/// Optimizers with an elementwise rule.
const POINTWISE: &[&str] =
    &["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta", "ASGD", "Rprop", "Lion"];

#[test]
fn a_pointwise_rule_is_one_launch_for_all_parameters() -> Result<()> {
    let device = Device::new(lanthorn_cpu::CpuBackend::poisoned());
    device.set_default();
    for name in POINTWISE {
        let parameters = parameters(&device)?;
        let optimizer = optimizer(name, &parameters)?;
        for step in 0..8 {
            for parameter in &parameters {
                parameter.set_grad(Some(parameter.detach().ones_like()?))?;
            }
            device.flush();
            let before = device.inspect().stats().launches;
            optimizer.step()?;
            // The first step also creates the state that later steps read.
            let launches = device.inspect().stats().launches - before;
            // Lion's direction and its momentum are two functions of the old momentum, neither of
            // which depends on the other.
            let most = if *name == "Lion" { 2 } else { 1 };
            assert!(step == 0 || launches <= most, "{name}, step {step}: {launches} launches");
        }
    }
    Ok(())
}
