//! The most common optimizers, compared with their formulas in float64. `lanthorn conformance`
//! compares all of them with PyTorch.

use lanthorn_cpu::CpuBackend;
use lanthorn_optim::{Adam, AdamOptions, Optimizer, Sgd, SgdOptions};
use lanthorn_tensor::{Device, Result, Tensor};
use pollster::block_on;

fn device() -> Device {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    device
}

/// The result of 10 steps of an optimizer on a parameter of value 1 with the gradient `2 p + step`.
fn run(parameter: &Tensor, optimizer: &Optimizer) -> Result<Vec<f64>> {
    let mut values = Vec::new();
    for step in 0..10 {
        parameter.square()?.add(parameter.mul(f64::from(step))?)?.backward()?;
        optimizer.step()?;
        optimizer.zero_grad()?;
        values.push(block_on(parameter.item())?);
    }
    Ok(values)
}

fn check(parameter: &Tensor, optimizer: &Optimizer, mut rule: impl FnMut(i32, f64, f64) -> f64) -> Result<()> {
    let mut p = 1.0f64;
    for (step, got) in run(parameter, optimizer)?.into_iter().enumerate() {
        p = rule(step as i32, p, 2.0 * p + step as f64);
        assert!((got - p).abs() <= 1e-12 * (1.0 + p.abs()), "step {step}: {got}, expected {p}");
    }
    Ok(())
}

fn parameter(device: &Device) -> Result<Tensor> {
    Tensor::scalar(1.0f64, device)?.requires_grad_(true)
}

#[test]
fn sgd_by_its_formula() -> Result<()> {
    let device = device();
    for (momentum, dampening, nesterov) in [(0.0, 0.0, false), (0.9, 0.0, false), (0.8, 0.5, false), (0.9, 0.0, true)] {
        for (weight_decay, maximize) in [(0.0, false), (0.1, false), (0.1, true)] {
            let w = parameter(&device)?;
            let lr = 0.03;
            let options = SgdOptions { lr, momentum, dampening, weight_decay, nesterov, maximize };
            let mut velocity = None;
            check(&w, &Sgd::new(vec![w.clone()], options)?, |_, p, g| {
                let g = if maximize { -g } else { g } + weight_decay * p;
                let v = velocity.map_or(g, |v: f64| momentum * v + (1.0 - dampening) * g);
                velocity = Some(v);
                let direction = if momentum == 0.0 {
                    g
                } else if nesterov {
                    g + momentum * v
                } else {
                    v
                };
                p - lr * direction
            })?;
        }
    }
    Ok(())
}

#[test]
fn adam_by_its_formula() -> Result<()> {
    let device = device();
    for (betas, eps) in [((0.9, 0.999), 1e-8), ((0.5, 0.6), 0.1), ((0.0, 0.0), 1e-3)] {
        for (weight_decay, maximize) in [(0.0, false), (0.1, false), (0.1, true)] {
            let w = parameter(&device)?;
            let lr = 0.05;
            let options = AdamOptions { lr, betas, eps, weight_decay, maximize, ..Default::default() };
            let (mut mean, mut square) = (0.0, 0.0);
            check(&w, &Adam::new(vec![w.clone()], options)?, |step, p, g| {
                let g = if maximize { -g } else { g } + weight_decay * p;
                mean = betas.0 * mean + (1.0 - betas.0) * g;
                square = betas.1 * square + (1.0 - betas.1) * g * g;
                let correction = |beta: f64| 1.0 - beta.powi(step + 1);
                p - lr * (mean / correction(betas.0)) / ((square / correction(betas.1)).sqrt() + eps)
            })?;
        }
    }
    Ok(())
}

#[test]
fn momentum_is_the_optimizers_own() -> Result<()> {
    let device = device();
    // The gradient is cleared in place between steps, as zero_grad(set_to_none=False) does.
    let w = parameter(&device)?;
    let optimizer = Sgd::new(vec![w.clone()], SgdOptions { lr: 1.0, momentum: 0.5, ..Default::default() })?;
    w.mul(8.0)?.backward()?;
    optimizer.step()?;
    w.grad().unwrap().mul_(0.0)?;
    optimizer.step()?;
    optimizer.step()?;
    assert_eq!(block_on(w.item())?, 1.0 - 8.0 - 4.0 - 2.0);
    Ok(())
}
