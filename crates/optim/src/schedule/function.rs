//! Schedules by functions of the program.

use super::{Change, Moment, Now, Rule, Scheduler};
use crate::Optimizer;
use lanthorn_tensor::{Error, Result};
use std::rc::Rc;

/// A factor of the learning rate at a step.
pub type Factor = dyn Fn(i64) -> Result<f64>;

/// The rates of the groups at the schedule's current step.
pub type Rates = dyn Fn() -> Result<Vec<f64>>;

/// The next rate, from the current rate if `chained`, otherwise from the initial rate.
pub(super) fn rate(factors: &[Rc<Factor>], chained: bool, now: &Now) -> Result<Change> {
    // One per group, or one for all.
    let factor = factors.get(now.group).or(factors.first());
    let factor = |epoch| factor.map_or(Ok(1.0), |factor| factor(epoch));
    Ok(match (chained, now.initial) {
        (false, _) => now.base * factor(now.epoch)?,
        (true, true) => now.lr,
        (true, false) => now.lr * factor(now.epoch)?,
    }
    .into())
}

impl Scheduler {
    /// The initial rate of each group times a function of the step, as `LambdaLR`: one function for
    /// all groups, or one each. `last_epoch` is -1, or the step at which an optimizer with the
    /// state of another run resumes.
    ///
    /// # Errors
    ///
    /// `argument` for another number of functions than one or one for each group.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::optim::{Scheduler, Sgd, SgdOptions};
    /// use lanthorn::Tensor;
    /// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
    /// let optimizer = Sgd::new(vec![w], SgdOptions { lr: 0.5, ..Default::default() })?;
    /// let scheduler = Scheduler::lambda(&optimizer, vec![std::rc::Rc::new(|step| Ok(1.0 / (1 + step) as f64))], -1)?;
    /// scheduler.step()?;
    /// assert_eq!(optimizer.learning_rate(), 0.25);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn lambda(optimizer: &Optimizer, factors: Vec<Rc<Factor>>, last_epoch: i64) -> Result<Scheduler> {
        Scheduler::of_functions("LambdaLR", optimizer, factors, false, last_epoch)
    }

    /// The current rate times a function of the step, as `MultiplicativeLR`; the rest as for
    /// [`Scheduler::lambda`].
    ///
    /// # Errors
    ///
    /// As [`Scheduler::lambda`].
    pub fn multiplicative(optimizer: &Optimizer, factors: Vec<Rc<Factor>>, last_epoch: i64) -> Result<Scheduler> {
        Scheduler::of_functions("MultiplicativeLR", optimizer, factors, true, last_epoch)
    }

    /// A schedule whose rates a function returns, one for each group.
    /// [`Scheduler::last_epoch`] is the step. [`Scheduler::start`] sets the rates of the first
    /// step; the program calls it as soon as the function can be called.
    ///
    /// # Errors
    ///
    /// `argument` if the optimizer's groups lack the rates that a later `last_epoch` needs.
    ///
    /// ```
    /// # let device = lanthorn::cpu();
    /// use lanthorn::optim::{Scheduler, Sgd, SgdOptions};
    /// use lanthorn::Tensor;
    /// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
    /// let optimizer = Sgd::new(vec![w], SgdOptions { lr: 0.5, ..Default::default() })?;
    /// let halves = optimizer.clone();
    /// let rates = move || Ok(vec![halves.learning_rate() / 2.0]);
    /// let scheduler = Scheduler::own(&optimizer, std::rc::Rc::new(rates), -1)?;
    /// scheduler.start()?;
    /// scheduler.step()?;
    /// assert_eq!(optimizer.learning_rate(), 0.125);
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    pub fn own(optimizer: &Optimizer, rates: Rc<Rates>, last_epoch: i64) -> Result<Scheduler> {
        let scheduler = Scheduler::new("LRScheduler", optimizer, Rule::Own, last_epoch)?;
        scheduler.0.own.replace(Some(rates));
        scheduler.enter(Moment::First);
        Ok(scheduler)
    }

    fn of_functions(
        op: &'static str,
        optimizer: &Optimizer,
        factors: Vec<Rc<Factor>>,
        chained: bool,
        last_epoch: i64,
    ) -> Result<Scheduler> {
        let groups = optimizer.group_count();
        if factors.len() != 1 && factors.len() != groups {
            return Err(Error::argument(
                op,
                format!("{} functions are given for {groups} parameter groups", factors.len()),
            ));
        }
        let scheduler = Scheduler::new(op, optimizer, Rule::Function { factors, chained }, last_epoch)?;
        scheduler.initial_step()?;
        Ok(scheduler)
    }
}
