//! Schedules, beyond PyTorch's recorded rates: resuming from a state, and accumulated gradients.

use lanthorn_cpu::CpuBackend;
use lanthorn_optim::{
    Optimizer, Scheduler, Sgd, SgdOptions,
    schedule::{
        ConstantLR, CosineAnnealingLR, CosineAnnealingWarmRestarts, CyclicLR, ExponentialLR, LinearLR, MultiStepLR,
        OneCycleLR, PolynomialLR, ReduceLROnPlateau, StepLR,
    },
};
use lanthorn_tensor::{Device, Result, Tensor, ops::Arg};
use pollster::block_on;
use std::rc::Rc;

fn optimizer() -> Result<Optimizer> {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    let parameter = Tensor::zeros([1])?.requires_grad_(true)?;
    // The default device is held weakly; the tensor keeps it alive.
    Sgd::new(vec![parameter], SgdOptions { lr: 1.0, ..Default::default() })
}

fn sequence(optimizer: &Optimizer) -> Result<Scheduler> {
    let first = LinearLR { start_factor: 0.25, total_iters: 3, ..Default::default() }.on(optimizer)?;
    Scheduler::sequential(vec![first, CosineAnnealingLR { T_max: 5, eta_min: 0.1 }.on(optimizer)?], vec![3])
}

#[test]
fn a_schedule_goes_on_where_it_was_taken() -> Result<()> {
    let whole = optimizer()?;
    let scheduler = sequence(&whole)?;
    let (first, begun) = (optimizer()?, 4);
    let interrupted = sequence(&first)?;
    (0..begun).try_for_each(|_| interrupted.step())?;
    let (second, state) = (optimizer()?, interrupted.state_dict());
    let resumed = sequence(&second)?;
    // In JavaScript's form, where whole numbers are not distinguished.
    let mut given = state.clone();
    for (name, value) in &mut given.values {
        if name == "base_lrs" {
            *value = Arg::Ints(vec![1]);
        }
    }
    resumed.load_state_dict(&given)?;
    block_on(second.load_state_dict(&first.state_dict()?))?;
    for step in 0..9 {
        if step >= begun {
            assert_eq!(second.learning_rate(), whole.learning_rate(), "step {step}");
            resumed.step()?;
        }
        scheduler.step()?;
    }
    given.values.retain(|(name, _)| name != "last_epoch");
    assert!(resumed.load_state_dict(&given).unwrap_err().to_string().contains("last_epoch"));
    Ok(())
}

#[test]
fn a_plateau_goes_on_where_it_was_taken() -> Result<()> {
    let schedule = ReduceLROnPlateau { patience: 1, factor: 0.5, ..Default::default() };
    let first = optimizer()?;
    let before = schedule.on(&first)?;
    [1.0, 1.0].into_iter().try_for_each(|measured| before.step_with(measured))?;
    let second = optimizer()?;
    let after = schedule.on(&second)?;
    after.load_state_dict(&before.state_dict())?;
    after.step_with(1.0)?;
    assert_eq!(second.learning_rate(), 0.5);
    Ok(())
}

/// The rates of a schedule after three steps, and the rates of a schedule that resumes there.
macro_rules! resumed {
    ($schedule:expr) => {{
        let (schedule, first, second) = ($schedule, optimizer()?, optimizer()?);
        let whole = schedule.on(&first)?;
        (0..3).try_for_each(|_| whole.step())?;
        block_on(second.load_state_dict(&first.state_dict()?))?;
        let resumed = schedule.after(&second, 2)?;
        assert_eq!(resumed.last_epoch(), 3, "{}", whole.name());
        for step in 3..9 {
            assert_eq!(second.learning_rate(), first.learning_rate(), "{} at {step}", whole.name());
            whole.step()?;
            resumed.step()?;
        }
    }};
}

#[test]
fn a_schedule_begins_after_the_steps_of_another_run() -> Result<()> {
    resumed!(StepLR { step_size: 2, gamma: 0.5 });
    resumed!(MultiStepLR { milestones: vec![4, 6], gamma: 0.5 });
    resumed!(ConstantLR { factor: 0.5, total_iters: 5 });
    resumed!(LinearLR { start_factor: 0.25, total_iters: 6, ..Default::default() });
    resumed!(ExponentialLR { gamma: 0.5 });
    resumed!(PolynomialLR { total_iters: 8, power: 2.0 });
    resumed!(CosineAnnealingLR { T_max: 5, eta_min: 0.1 });
    resumed!(CosineAnnealingWarmRestarts { T_0: 3, T_mult: 2, eta_min: 0.0 });
    resumed!(CyclicLR { base_lr: vec![0.1], max_lr: vec![0.9], step_size_up: 3, ..Default::default() });
    resumed!(OneCycleLR { max_lr: vec![1.0], total_steps: Some(12), ..Default::default() });
    let other = optimizer()?;
    let refused = |result: Result<Scheduler>| result.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused(ExponentialLR { gamma: 0.5 }.after(&other, 2)).contains("initial_lr"));
    assert!(refused(ExponentialLR { gamma: 0.5 }.after(&other, -2)).contains("-2"));
    let halves = || -> Vec<Rc<lanthorn_optim::schedule::Factor>> { vec![Rc::new(|step| Ok(0.5f64.powi(step as i32)))] };
    assert!(refused(Scheduler::lambda(&other, halves(), 2)).contains("initial_lr"));
    Scheduler::lambda(&other, halves(), -1)?;
    Scheduler::lambda(&other, halves(), 2)?;
    assert_eq!(other.learning_rate(), 0.125);
    Ok(())
}

/// The numbers of PyTorch 2.15 for `CosineAnnealingWarmRestarts(optimizer, 3, 2)`.
#[test]
fn warm_restarts_show_where_they_are() -> Result<()> {
    let optimizer = optimizer()?;
    let scheduler = CosineAnnealingWarmRestarts { T_0: 3, T_mult: 2, eta_min: 0.0 }.on(&optimizer)?;
    for expected in [(0, 3), (1, 3), (2, 3), (0, 6), (1, 6)] {
        let state = scheduler.state_dict();
        let int = |name: &str| match state.values.iter().find(|(known, _)| known == name) {
            Some((_, Arg::Scalar(value))) => value.to_f64() as i64,
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!((int("T_cur"), int("T_i")), expected);
        scheduler.step()?;
    }
    Ok(())
}

#[test]
fn gradients_accumulate_until_they_are_dropped() -> Result<()> {
    let optimizer = optimizer()?;
    let parameter = optimizer.parameters().remove(0);
    for factor in [1.0, 2.0, 4.0] {
        parameter.mul(factor)?.sum((), false)?.backward()?;
    }
    optimizer.step()?;
    assert_eq!(block_on(parameter.item())?, -7.0);
    Ok(())
}
