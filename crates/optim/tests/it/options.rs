//! The arguments that optimizers refuse, and the parameters that they do not change.

use lanthorn_cpu::CpuBackend;
use lanthorn_optim::{Adam, AdamOptions, Sgd, SgdOptions};
use lanthorn_tensor::{Device, Error, Result, Tensor};
use pollster::block_on;

fn device() -> Device {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    device
}

fn refused<T>(result: Result<T>, words: &[&str]) {
    let Err(error) = result else { panic!("accepted: {words:?}") };
    assert!(error.is_argument() && words.iter().all(|word| error.to_string().contains(word)), "{error}: {words:?}");
}

#[test]
fn bad_options_are_named() -> Result<()> {
    let device = device();
    let w = || Ok::<_, Error>(vec![Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?]);
    let sgd = SgdOptions::default();
    refused(Sgd::new(w()?, SgdOptions { lr: -0.1, ..sgd }), &["SGD", "lr", "-0.1"]);
    refused(Sgd::new(w()?, SgdOptions { lr: f64::NAN, ..sgd }), &["lr", "NaN"]);
    refused(Sgd::new(w()?, SgdOptions { momentum: -0.5, ..sgd }), &["momentum", "-0.5"]);
    refused(Sgd::new(w()?, SgdOptions { weight_decay: -1.0, ..sgd }), &["weight_decay", "-1"]);
    refused(Sgd::new(w()?, SgdOptions { nesterov: true, ..sgd }), &["Nesterov"]);
    refused(
        Sgd::new(w()?, SgdOptions { nesterov: true, momentum: 0.9, dampening: 0.1, ..sgd }),
        &["Nesterov", "dampening"],
    );
    let adam = AdamOptions::default();
    refused(Adam::new(w()?, AdamOptions { lr: -1.0, ..adam }), &["Adam", "lr"]);
    refused(Adam::new(w()?, AdamOptions { eps: -1e-8, ..adam }), &["eps"]);
    refused(Adam::new(w()?, AdamOptions { betas: (1.0, 0.9), ..adam }), &["betas", "1.0"]);
    refused(Adam::new(w()?, AdamOptions { betas: (0.9, -0.1), ..adam }), &["betas", "-0.1"]);
    refused(Adam::new(w()?, AdamOptions { weight_decay: f64::NAN, ..adam }), &["weight_decay"]);
    Ok(())
}

#[test]
fn only_leaves_are_optimized_and_frozen_ones_stay() -> Result<()> {
    let device = device();
    let plain = Tensor::scalar(1.0f32, &device)?;
    let frozen = Adam::new(vec![plain.clone()], AdamOptions { lr: 0.1, ..Default::default() })?;
    frozen.step()?;
    assert_eq!((block_on(plain.item())?, plain.version()), (1.0, 0));
    plain.requires_grad_(true)?.square()?.backward()?;
    frozen.step()?;
    assert!((block_on(plain.item())? - 0.9).abs() < 1e-6);
    let inner = plain.detach().requires_grad_(true)?.mul(2.0)?;
    for odd in [vec![], vec![inner]] {
        let words: &[&str] = if odd.is_empty() { &["SGD", "no parameters"] } else { &["SGD", "leaves"] };
        refused(Sgd::new(odd.clone(), SgdOptions::default()), words);
        refused(Adam::new(odd, AdamOptions::default()), &["Adam"]);
    }
    Ok(())
}

#[test]
fn a_parameter_without_gradient_stays_and_starts_later() -> Result<()> {
    let device = device();
    let [a, b] = [1.0f32, 1.0].map(|value| Tensor::scalar(value, &device).unwrap().requires_grad_(true).unwrap());
    let optimizer = Adam::new(vec![a.clone(), b.clone()], AdamOptions { lr: 0.1, ..Default::default() })?;
    a.square()?.backward()?;
    optimizer.step()?;
    assert!((block_on(a.item())? - 0.9).abs() < 1e-6);
    assert_eq!((block_on(b.item())?, b.version()), (1.0, 0));
    optimizer.zero_grad()?;
    assert!(a.grad().is_none());
    // Its count of steps starts now, so the first step has the size of the learning rate.
    optimizer.set_learning_rate(0.25)?;
    assert_eq!(optimizer.learning_rate(), 0.25);
    b.square()?.backward()?;
    optimizer.step()?;
    assert!((block_on(b.item())? - 0.75).abs() < 1e-6);
    assert!((block_on(a.item())? - 0.9).abs() < 1e-6);
    assert!(a.is_leaf() && a.requires_grad() && a.grad_fn().is_none());
    Ok(())
}
