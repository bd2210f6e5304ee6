//! A schedule that depends on a metric.

use super::{Rule, Scheduler, table::schedule};
use crate::options::choice;
use lanthorn_tensor::{Error, Result};
use std::any::Any;

choice! {
    /// The better direction of a metric.
    PlateauMode {
        /// Smaller is better.
        Min = "min",
        /// Larger is better.
        Max = "max",
    }
}

choice! {
    /// The meaning of a threshold.
    ThresholdMode {
        /// A fraction of the best metric.
        Rel = "rel",
        /// A difference from the best metric.
        Abs = "abs",
    }
}

schedule! {
    /// Multiplies the rate by `factor` when a metric has not improved for more than `patience`
    /// steps.
    "ReduceLROnPlateau" as ReduceLROnPlateau, row REDUCE_LR_ON_PLATEAU, check |options| options.check(),
    begin |_, _, _| Ok(()), rate |_, now, _| Ok(now.lr.into());
    /// `"min"` if smaller is better, or `"max"`.
    mode: PlateauMode = PlateauMode::Min,
    /// The factor.
    factor: f64 = 0.1,
    /// The number of steps without improvement to wait for.
    patience: i64 = 10,
    /// The threshold of an improvement.
    threshold: f64 = 1e-4,
    /// Whether the threshold is `"rel"`, relative to the best, or `"abs"`.
    threshold_mode: ThresholdMode = ThresholdMode::Rel,
    /// The number of steps after a change that are not counted.
    cooldown: i64 = 0,
    /// The minimum rate, one for all groups or one each.
    min_lr: Vec<f64> = vec![0.0],
    /// Smaller changes are not made.
    eps: f64 = 1e-8,
}

impl ReduceLROnPlateau {
    fn check(&self) -> Result<()> {
        match self.factor < 1.0 {
            true => Ok(()),
            false => Err(Error::argument("ReduceLROnPlateau", format!("factor must be below 1: {}", self.factor))),
        }
    }

    fn is_better(&self, measured: f64, best: f64) -> bool {
        match (self.mode, self.threshold_mode) {
            (PlateauMode::Min, ThresholdMode::Rel) => measured < best * (1.0 - self.threshold),
            (PlateauMode::Min, ThresholdMode::Abs) => measured < best - self.threshold,
            (PlateauMode::Max, ThresholdMode::Rel) => measured > best * (self.threshold + 1.0),
            (PlateauMode::Max, ThresholdMode::Abs) => measured > best + self.threshold,
        }
    }
}

impl Scheduler {
    /// Takes the next step of [`ReduceLROnPlateau`] with a metric.
    ///
    /// # Errors
    ///
    /// `argument` for a schedule that takes no measured value ([`Scheduler::step`]).
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::optim::{Sgd, SgdOptions, schedule::ReduceLROnPlateau};
    /// use lanthorn::Tensor;
    /// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
    /// let optimizer = Sgd::new(vec![w], SgdOptions { lr: 0.5, ..Default::default() })?;
    /// let scheduler = ReduceLROnPlateau { patience: 0, ..Default::default() }.on(&optimizer)?;
    /// scheduler.step_with(1.0)?;
    /// scheduler.step_with(1.0)?;
    /// assert_eq!(optimizer.learning_rate(), 0.05);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn step_with(&self, measured: f64) -> Result<()> {
        let rule = self.0.rule.borrow();
        let schedule: Option<&dyn Any> = if let Rule::Table(_, schedule) = &*rule { Some(&**schedule) } else { None };
        let Some(options) = schedule.and_then(|schedule| schedule.downcast_ref::<ReduceLROnPlateau>()) else {
            return Err(Error::argument(self.name(), "takes nothing that was measured: call step"));
        };
        let worst = if options.mode == PlateauMode::Min { f64::INFINITY } else { f64::NEG_INFINITY };
        let mut progress = self.0.progress.borrow_mut();
        if progress.numbers.is_empty() {
            progress.numbers = vec![("best", worst), ("num_bad_epochs", 0.0), ("cooldown_counter", 0.0)];
        }
        let (mut best, mut bad, mut cooldown) = (progress.numbers[0].1, progress.numbers[1].1, progress.numbers[2].1);
        progress.last_epoch += 1;
        if options.is_better(measured, best) {
            (best, bad) = (measured, 0.0);
        } else {
            bad += 1.0;
        }
        if cooldown > 0.0 {
            (cooldown, bad) = (cooldown - 1.0, 0.0);
        }
        if bad > options.patience as f64 {
            let optimizer = &self.0.optimizer;
            for group in 0..optimizer.group_count() {
                let least = options.min_lr.get(group).or(options.min_lr.first()).copied().unwrap_or(0.0);
                let before = optimizer.number(group, "lr").unwrap_or(least);
                let after = (before * options.factor).max(least);
                if before - after > options.eps {
                    optimizer.assign(group, "lr", after)?;
                }
            }
            (cooldown, bad) = (options.cooldown as f64, 0.0);
        }
        progress.numbers = vec![("best", best), ("num_bad_epochs", bad), ("cooldown_counter", cooldown)];
        Ok(())
    }
}
