//! Schedules composed of schedules.

use super::{BEGINNING, Rule, Scheduler};
use lanthorn_tensor::{Error, Result};
use std::rc::Rc;

/// Refuses an empty list, different optimizers, and schedules that depend on a metric.
fn check(op: &str, schedulers: &[Scheduler]) -> Result<()> {
    let first = schedulers.first().ok_or_else(|| Error::argument(op, "got no schedules"))?;
    for scheduler in schedulers {
        if !Rc::ptr_eq(&scheduler.0.optimizer.0, &first.0.optimizer.0) {
            return Err(Error::argument(op, "the schedules are of different optimizers"));
        }
        if scheduler.is_measured() {
            return Err(Error::argument(
                op,
                format!("{} cannot be one of several: its step takes a measurement", scheduler.name()),
            ));
        }
    }
    Ok(())
}

/// Undoes the step that a schedule takes at its construction.
fn undo(scheduler: &Scheduler) {
    match &*scheduler.0.rule.borrow() {
        Rule::Sequential { schedulers, .. } | Rule::Chained(schedulers) => schedulers.iter().for_each(undo),
        Rule::Table(..) | Rule::Function { .. } | Rule::Own => scheduler.0.progress.borrow_mut().last_epoch -= 1,
    }
}

impl Scheduler {
    /// Schedules in sequence; each milestone starts the next one, as `SequentialLR`.
    ///
    /// # Errors
    ///
    /// `argument` unless there is one more schedule than milestones and all have one optimizer.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::optim::{Scheduler, Sgd, SgdOptions, schedule::{CosineAnnealingLR, LinearLR}};
    /// use lanthorn::Tensor;
    /// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
    /// let optimizer = Sgd::new(vec![w], SgdOptions { lr: 0.5, ..Default::default() })?;
    /// let warm_up = LinearLR { start_factor: 0.1, total_iters: 4, ..Default::default() }.on(&optimizer)?;
    /// let fall = CosineAnnealingLR { T_max: 12, eta_min: 0.0 }.on(&optimizer)?;
    /// let scheduler = Scheduler::sequential(vec![warm_up, fall], vec![4])?;
    /// assert_eq!(optimizer.learning_rate(), 0.05);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn sequential(schedulers: Vec<Scheduler>, milestones: Vec<i64>) -> Result<Scheduler> {
        let op = "SequentialLR";
        check(op, &schedulers)?;
        if milestones.len() + 1 != schedulers.len() {
            let counts = format!("{} milestones are given for {} schedules", milestones.len(), schedulers.len());
            return Err(Error::argument(op, format!("{counts}, of which there must be one more")));
        }
        let optimizer = schedulers[0].0.optimizer.clone();
        schedulers.iter().for_each(undo);
        let first = milestones.partition_point(|&milestone| milestone <= 0);
        let begin = schedulers[first].clone();
        let scheduler = Scheduler::new(op, &optimizer, Rule::Sequential { schedulers, milestones }, BEGINNING)?;
        scheduler.0.progress.borrow_mut().last_epoch = 0;
        let bases = scheduler.0.progress.borrow().base_lrs.clone();
        bases.iter().enumerate().try_for_each(|(group, &base)| optimizer.assign(group, "lr", base))?;
        begin.initial_step()?;
        Ok(scheduler)
    }

    /// Several schedules, all applied at every step, as `ChainedScheduler`.
    ///
    /// # Errors
    ///
    /// `argument` for no schedules, or for schedules of several optimizers.
    pub fn chained(schedulers: Vec<Scheduler>) -> Result<Scheduler> {
        check("ChainedScheduler", &schedulers)?;
        let optimizer = schedulers[0].0.optimizer.clone();
        let scheduler = Scheduler::new("ChainedScheduler", &optimizer, Rule::Chained(schedulers), BEGINNING)?;
        scheduler.0.progress.borrow_mut().last_epoch = 0;
        Ok(scheduler)
    }

    pub(super) fn step_in_turn(&self, schedulers: &[Scheduler], milestones: &[i64]) -> Result<()> {
        let epoch = {
            let mut progress = self.0.progress.borrow_mut();
            progress.last_epoch += 1;
            progress.last_epoch
        };
        let position = milestones.partition_point(|&milestone| milestone <= epoch);
        let begins = position > 0 && milestones[position - 1] == epoch;
        if begins { schedulers[position].restart() } else { schedulers[position].step() }
    }
}
