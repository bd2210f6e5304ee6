//! SGD and Adam against PyTorch's trajectories, and against their formulas in float64.

use lanthorn_cpu::CpuBackend;
use lanthorn_optim::{
    Adam, AdamOptions, Optimizer, Sgd, SgdOptions,
    table::{Options, build},
};
use lanthorn_tensor::{Device, Result, Tensor};
use pollster::block_on;
use serde::Deserialize;
use std::collections::BTreeMap;

fn device() -> Device {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    device
}

fn read(tensor: &Tensor) -> Vec<f32> {
    block_on(tensor.to_vec::<f32>()).unwrap()
}

#[derive(Deserialize)]
struct Golden {
    shapes: Vec<Vec<i64>>,
    params: Vec<Vec<f32>>,
    grads: Vec<Vec<Option<Vec<f32>>>>,
    trajectories: Vec<Trajectory>,
}

#[derive(Deserialize)]
struct Trajectory {
    optimizer: String,
    desc: String,
    options: serde_json::Value,
    after: BTreeMap<usize, Vec<Vec<f32>>>,
}

#[test]
fn pytorchs_trajectories() -> Result<()> {
    let device = device();
    let golden: Golden = serde_json::from_str(include_str!("golden/trajectories.json")).expect("the file parses");
    assert_eq!(golden.trajectories.len(), 12);
    for Trajectory { optimizer, desc, options, after } in golden.trajectories {
        let what = format!("{optimizer}: {desc}");
        let options = match optimizer.as_str() {
            "SGD" => Options::Sgd(serde_json::from_value(options).expect("options of SGD")),
            _ => Options::Adam(serde_json::from_value(options).expect("options of Adam")),
        };
        let start = golden.params.iter().zip(&golden.shapes);
        let parameters: Result<Vec<Tensor>> =
            start.map(|(values, shape)| Tensor::from_slice(values, shape.clone(), &device)?.requires_grad_(true)).collect();
        let parameters = parameters?;
        let mut optimizer = build(parameters.clone(), options)?;
        for (step, grads) in golden.grads.iter().enumerate() {
            for ((parameter, grad), shape) in parameters.iter().zip(grads).zip(&golden.shapes) {
                let grad = grad.as_ref().map(|grad| Tensor::from_slice(grad, shape.clone(), &device)).transpose()?;
                parameter.set_grad(grad)?;
            }
            optimizer.step()?;
            let Some(after) = after.get(&(step + 1)) else { continue };
            for (parameter, want) in parameters.iter().zip(after) {
                for (got, want) in read(parameter).iter().zip(want) {
                    assert!((got - want).abs() <= 2e-6 + 2e-6 * want.abs(), "{what}, step {}: {got}, expected {want}", step + 1);
                }
            }
        }
    }
    Ok(())
}

/// What 10 steps of an optimizer do to one parameter of value 1 with the gradient `2 p + step`.
fn run(parameter: &Tensor, optimizer: &mut dyn Optimizer) -> Result<Vec<f64>> {
    let mut values = Vec::new();
    for step in 0..10 {
        parameter.square()?.add(parameter.mul(f64::from(step))?)?.backward()?;
        optimizer.step()?;
        optimizer.zero_grad()?;
        values.push(block_on(parameter.item())?);
    }
    Ok(values)
}

fn check(parameter: &Tensor, optimizer: &mut dyn Optimizer, mut rule: impl FnMut(i32, f64, f64) -> f64) -> Result<()> {
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
            check(&w, &mut Sgd::new(vec![w.clone()], options)?, |_, p, g| {
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
            let options = AdamOptions { lr, betas, eps, weight_decay, maximize };
            let (mut mean, mut square) = (0.0, 0.0);
            check(&w, &mut Adam::new(vec![w.clone()], options)?, |step, p, g| {
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
    let mut optimizer = Sgd::new(vec![w.clone()], SgdOptions { lr: 1.0, momentum: 0.5, ..Default::default() })?;
    w.mul(8.0)?.backward()?;
    optimizer.step()?;
    w.grad().unwrap().mul_(0.0)?;
    optimizer.step()?;
    optimizer.step()?;
    assert_eq!(block_on(w.item())?, 1.0 - 8.0 - 4.0 - 2.0);
    Ok(())
}
