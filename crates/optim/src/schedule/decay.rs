//! Schedules that multiply the rate by a factor.

use super::{Now, table::schedule};
use lanthorn_tensor::{Error, Result};

/// Refuses a factor outside of 0 to 1.
fn fraction(op: &str, name: &str, value: f64) -> Result<()> {
    match (0.0..=1.0).contains(&value) {
        true => Ok(()),
        false => Err(Error::argument(op, format!("{name} must be from 0 to 1: {value}"))),
    }
}

/// Refuses a missing or invalid number.
fn number(op: &str, name: &str, value: f64) -> Result<()> {
    if value.is_nan() { Err(Error::argument(op, format!("{name} must be a number"))) } else { Ok(()) }
}

/// Refuses a count below 1.
pub(super) fn positive(op: &str, name: &str, value: i64) -> Result<()> {
    if value < 1 { Err(Error::argument(op, format!("{name} must be above 0: {value}"))) } else { Ok(()) }
}

schedule! {
    /// Multiplies the rate by `gamma` every `step_size` steps.
    "StepLR" as StepLR, row STEP_LR,
    check |options| positive("StepLR", "step_size", options.step_size), begin |_, _, _| Ok(()),
    rate |options, now, _| Ok(options.rate(now).into());
    /// The number of steps between two changes.
    step_size: i64,
    /// The factor of a change.
    gamma: f64 = 0.1,
}

impl StepLR {
    fn rate(&self, now: &Now) -> f64 {
        match now {
            Now { restart: true, base, .. } => *base,
            Now { epoch, lr, .. } if *epoch == 0 || epoch % self.step_size != 0 => *lr,
            Now { lr, .. } => lr * self.gamma,
        }
    }
}

schedule! {
    /// Multiplies the rate by `gamma` at each of the milestones.
    "MultiStepLR" as MultiStepLR, row MULTI_STEP_LR,
    check |_| Ok(()), begin |_, _, _| Ok(()),
    rate |options, now, _| {
        let here = options.milestones.iter().filter(|&&milestone| milestone == now.epoch).count();
        let factor = options.gamma.powi(here as i32);
        Ok(if here == 0 { if now.restart { now.base } else { now.lr } } else { now.lr * factor }.into())
    };
    /// The steps of the changes; a repeated milestone counts twice.
    milestones: Vec<i64>,
    /// The factor of a change.
    gamma: f64 = 0.1,
}

schedule! {
    /// Multiplies the rate by `factor` for the first `total_iters` steps.
    "ConstantLR" as ConstantLR, row CONSTANT_LR,
    check |options| fraction("ConstantLR", "factor", options.factor), begin |_, _, _| Ok(()),
    rate |options, now, _| Ok(options.rate(now).into());
    /// The factor.
    factor: f64 = 1.0 / 3.0,
    /// The number of steps.
    total_iters: i64 = 5,
}

impl ConstantLR {
    fn rate(&self, now: &Now) -> f64 {
        match now {
            Now { restart: true, base, .. } if self.total_iters <= 0 => *base,
            Now { restart: true, base, .. } => base * self.factor,
            Now { epoch: 0, lr, .. } => lr * self.factor,
            Now { epoch, lr, .. } if *epoch == self.total_iters => lr * (1.0 / self.factor),
            Now { lr, .. } => *lr,
        }
    }
}

schedule! {
    /// Multiplies the rate by a factor that changes linearly from `start_factor` to `end_factor` in
    /// `total_iters` steps.
    "LinearLR" as LinearLR, row LINEAR_LR,
    check |options| {
        fraction("LinearLR", "end_factor", options.end_factor)?;
        if options.start_factor == 0.0 {
            return Err(Error::argument("LinearLR", "start_factor must be above 0"));
        }
        fraction("LinearLR", "start_factor", options.start_factor)
    },
    begin |_, _, _| Ok(()), rate |options, now, _| Ok(options.rate(now).into());
    /// The factor at the first step.
    start_factor: f64 = 1.0 / 3.0,
    /// The factor at the end.
    end_factor: f64 = 1.0,
    /// The number of steps.
    total_iters: i64 = 5,
}

impl LinearLR {
    fn rate(&self, now: &Now) -> f64 {
        let (rise, total) = (self.end_factor - self.start_factor, self.total_iters as f64);
        match now {
            Now { restart: true, base, .. } => base * self.start_factor,
            Now { epoch: 0, lr, .. } => lr * self.start_factor,
            Now { epoch, lr, initial, .. } if *initial || *epoch > self.total_iters => *lr,
            Now { epoch, lr, .. } => lr * (1.0 + rise / (total * self.start_factor + (epoch - 1) as f64 * rise)),
        }
    }
}

schedule! {
    /// Multiplies the rate by `gamma` every step.
    "ExponentialLR" as ExponentialLR, row EXPONENTIAL_LR,
    check |options| number("ExponentialLR", "gamma", options.gamma), begin |_, _, _| Ok(()),
    rate |options, now, _| Ok(if now.restart { now.base } else if now.initial { now.lr } else { now.lr * options.gamma }.into());
    /// The factor.
    gamma: f64,
}

schedule! {
    /// Polynomial decay of the rate to 0 in `total_iters` steps.
    "PolynomialLR" as PolynomialLR, row POLYNOMIAL_LR,
    check |options| positive("PolynomialLR", "total_iters", options.total_iters), begin |_, _, _| Ok(()),
    rate |options, now, _| Ok(options.rate(now).into());
    /// The number of steps.
    total_iters: i64 = 5,
    /// The exponent.
    power: f64 = 1.0,
}

impl PolynomialLR {
    fn rate(&self, now: &Now) -> f64 {
        if now.restart {
            return now.base;
        }
        if now.initial || now.epoch > self.total_iters {
            return now.lr;
        }
        let left = |epoch: i64| 1.0 - epoch as f64 / self.total_iters as f64;
        now.lr * (left(now.epoch) / left(now.epoch - 1)).powf(self.power)
    }
}
