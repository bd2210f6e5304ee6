//! Schedules beside what PyTorch's recorded rates show: going on from a state, and accumulated gradients.

use lanthorn_cpu::CpuBackend;
use lanthorn_optim::{
    Optimizer, Scheduler, Sgd, SgdOptions,
    schedule::{CosineAnnealingLR, LinearLR, ReduceLROnPlateau},
};
use lanthorn_tensor::{Device, Result, Tensor, ops::Arg};
use pollster::block_on;

fn optimizer() -> Result<Optimizer> {
    let device = Device::new(CpuBackend::poisoned());
    device.set_default();
    let parameter = Tensor::zeros([1])?.requires_grad_(true)?;
    // The device is held by its default, and that weakly: the tensor keeps it.
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
    // As JavaScript gives it, where a whole number has no other form.
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
