//! Schedules of the learning rate, as `torch.optim.lr_scheduler`: declared once, with PyTorch's
//! recurrences, so that the numbers agree to the last digits.
//!
//! A schedule is a set of options and a rule that computes the next rate of a group. [`Scheduler`]
//! keeps the step, the initial rates and the optimizer.

mod annealing;
mod combined;
mod cycle;
mod decay;
mod function;
mod plateau;
mod table;

pub use annealing::{CosineAnnealingLR, CosineAnnealingWarmRestarts, SWALR};
pub use cycle::{AnnealStrategy, CyclicLR, CyclicMode, OneCycleLR};
pub use decay::{ConstantLR, ExponentialLR, LinearLR, MultiStepLR, PolynomialLR, StepLR};
pub use function::{Factor, Rates};
pub use plateau::{PlateauMode, ReduceLROnPlateau, ThresholdMode};
use table::{BEGINNING, Schedule};
pub use table::{SCHEDULES, ScheduleSpec, build, build_with};

use crate::Optimizer;
use lanthorn_schema::Param;
use lanthorn_tensor::{Error, Result, Scalar, ops::Arg};
use std::{cell::RefCell, rc::Rc};

/// The state that a rule is evaluated in.
pub(crate) struct Now {
    /// The number of steps taken.
    pub epoch: i64,
    /// The number of steps taken since the schedule was made.
    pub count: i64,
    /// Whether the schedule is being made.
    pub initial: bool,
    /// Whether another schedule hands over to this one, which begins from its base.
    pub restart: bool,
    /// The group's number.
    pub group: usize,
    /// The rate that the schedule starts from.
    pub base: f64,
    /// The rate in use.
    pub lr: f64,
}

/// The result of a rule: the rate, and the momentum if it changes too.
pub(crate) struct Change {
    pub lr: f64,
    pub momentum: Option<f64>,
}

impl From<f64> for Change {
    fn from(lr: f64) -> Change {
        Change { lr, momentum: None }
    }
}

enum Rule {
    Table(&'static ScheduleSpec, Box<dyn Schedule>),
    Function {
        factors: Vec<Rc<Factor>>,
        chained: bool,
    },
    /// The program's function returns all rates.
    Own,
    Sequential {
        schedulers: Vec<Scheduler>,
        milestones: Vec<i64>,
    },
    Chained(Vec<Scheduler>),
}

/// The kind of a step.
#[derive(Clone, Copy, Default, PartialEq)]
enum Moment {
    /// The one that a schedule takes when it is made.
    First,
    #[default]
    Next,
    /// The one at which another schedule hands over to this one.
    Restart,
}

/// The state that changes with every step.
#[derive(Clone, Default)]
struct Progress {
    last_epoch: i64,
    step_count: i64,
    moment: Moment,
    base_lrs: Vec<f64>,
    /// The rule's own numbers by name, such as `best` and `num_bad_epochs`.
    numbers: Vec<(&'static str, f64)>,
}

struct Inner {
    name: &'static str,
    optimizer: Optimizer,
    rule: RefCell<Rule>,
    progress: RefCell<Progress>,
    /// The program's function of the rates, which replaces the rule.
    own: RefCell<Option<Rc<Rates>>>,
}

/// A schedule that sets the learning rates of an optimizer. Cloning a handle shares it.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::optim::{Sgd, SgdOptions, schedule::StepLR};
/// use lanthorn::Tensor;
/// let w = Tensor::scalar(1.0f32, &device)?.requires_grad_(true)?;
/// let optimizer = Sgd::new(vec![w], SgdOptions { lr: 0.5, ..Default::default() })?;
/// let scheduler = StepLR { step_size: 2, gamma: 0.1 }.on(&optimizer)?;
/// for lr in [0.5, 0.5, 0.05] {
///     assert_eq!(optimizer.learning_rate(), lr);
///     optimizer.step()?;
///     scheduler.step()?;
/// }
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Clone)]
pub struct Scheduler(Rc<Inner>);

/// The state of a schedule, by PyTorch's names.
#[derive(Clone, Debug, Default)]
pub struct SchedulerState {
    /// `last_epoch`, `_step_count`, `base_lrs`, `_last_lr`, the options, and the rule's own
    /// numbers.
    pub values: Vec<(String, Arg)>,
    /// The states of the schedules that it combines.
    pub schedulers: Vec<SchedulerState>,
}

impl Scheduler {
    fn new(name: &'static str, optimizer: &Optimizer, rule: Rule, last_epoch: i64) -> Result<Scheduler> {
        if last_epoch < BEGINNING {
            return Err(Error::argument(name, format!("last_epoch is a step, or -1 to begin anew, not {last_epoch}")));
        }
        let mut base_lrs = Vec::new();
        for group in 0..optimizer.group_count() {
            base_lrs.push(match optimizer.extra(group, "initial_lr") {
                Some(base) => base,
                None if last_epoch == BEGINNING => {
                    let base = optimizer.number(group, "lr").ok_or_else(|| Error::argument(name, "the optimizer has no lr"))?;
                    optimizer.set_extra(group, "initial_lr", base);
                    base
                }
                None => {
                    let missing =
                        format!("parameter group {group} has no \"initial_lr\" to go on from: give the optimizer its state first");
                    return Err(Error::argument(name, missing));
                }
            });
        }
        let progress = Progress { last_epoch, base_lrs, ..Progress::default() };
        let inner = Inner {
            name,
            optimizer: optimizer.clone(),
            rule: RefCell::new(rule),
            progress: RefCell::new(progress),
            own: RefCell::default(),
        };
        Ok(Scheduler(Rc::new(inner)))
    }

    /// A schedule of the table.
    pub(crate) fn of_table(spec: &'static ScheduleSpec, optimizer: &Optimizer, options: &[Arg]) -> Result<Scheduler> {
        let scheduler = Scheduler::prepare(spec, optimizer, options)?;
        scheduler.start()?;
        Ok(scheduler)
    }

    /// A schedule of the table at its first step, whose rates are not set yet.
    fn prepare(spec: &'static ScheduleSpec, optimizer: &Optimizer, options: &[Arg]) -> Result<Scheduler> {
        let (schedule, last_epoch) = spec.bind(options)?;
        schedule.begin(optimizer, last_epoch == BEGINNING)?;
        let scheduler = Scheduler::new(spec.name, optimizer, Rule::Table(spec, schedule), last_epoch)?;
        match spec.is_measured() {
            true => scheduler.0.progress.borrow_mut().last_epoch = 0,
            false => scheduler.enter(Moment::First),
        }
        Ok(scheduler)
    }

    /// PyTorch's name of the schedule.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// The optimizer whose rates it changes.
    pub fn optimizer(&self) -> &Optimizer {
        &self.0.optimizer
    }

    /// The current rates of the groups.
    pub fn last_lr(&self) -> Vec<f64> {
        (0..self.0.optimizer.group_count()).filter_map(|group| self.0.optimizer.number(group, "lr")).collect()
    }

    /// The number of steps taken.
    pub fn last_epoch(&self) -> i64 {
        self.0.progress.borrow().last_epoch
    }

    /// Whether a step takes a metric.
    pub fn is_measured(&self) -> bool {
        matches!(&*self.0.rule.borrow(), Rule::Table(spec, _) if spec.is_measured())
    }

    /// Sets the rates of the first step. A schedule from [`Scheduler::own`] or [`build_with`] needs
    /// that before its optimizer's first step; the others have done it.
    ///
    /// # Errors
    ///
    /// The errors of the program's function.
    pub fn start(&self) -> Result<()> {
        if self.is_measured() { Ok(()) } else { self.change() }
    }

    /// Counts a step.
    fn enter(&self, moment: Moment) {
        let mut progress = self.0.progress.borrow_mut();
        progress.step_count = if moment == Moment::First { 1 } else { progress.step_count + 1 };
        progress.last_epoch += 1;
        progress.moment = moment;
    }

    fn initial_step(&self) -> Result<()> {
        self.enter(Moment::First);
        self.change()
    }

    /// Takes the next step, after the optimizer's.
    ///
    /// # Errors
    ///
    /// `argument` for a schedule that needs a measured value ([`Scheduler::step_with`]).
    pub fn step(&self) -> Result<()> {
        match &*self.0.rule.borrow() {
            Rule::Table(spec, _) if spec.is_measured() => {
                return Err(Error::argument(self.name(), "needs the measured value at each step"));
            }
            Rule::Chained(schedulers) => return schedulers.iter().try_for_each(Scheduler::step),
            Rule::Sequential { schedulers, milestones } => return self.step_in_turn(schedulers, milestones),
            Rule::Table(..) | Rule::Function { .. } | Rule::Own => {}
        }
        self.enter(Moment::Next);
        self.change()
    }

    /// Restarts, as the next of several schedules.
    fn restart(&self) -> Result<()> {
        {
            let mut progress = self.0.progress.borrow_mut();
            (progress.last_epoch, progress.moment) = (0, Moment::Restart);
        }
        self.change()
    }

    /// Sets every group's rate.
    fn change(&self) -> Result<()> {
        let own = self.0.own.borrow().clone();
        let rates = match own {
            Some(own) => own()?,
            None => self.rates()?,
        };
        let (groups, known) = (self.0.optimizer.group_count(), self.0.progress.borrow().base_lrs.len());
        if rates.len() != known && rates.len() != groups {
            let counts = format!("{} rates are given for {groups} parameter groups", rates.len());
            return Err(Error::argument(self.name(), counts));
        }
        rates
            .into_iter()
            .take(known)
            .enumerate()
            .try_for_each(|(group, rate)| self.0.optimizer.assign(group, "lr", rate))
    }

    /// The groups' rates by the schedule's own rule at the current step, as PyTorch's `get_lr`. A
    /// rule that changes the momentum too sets it.
    ///
    /// # Errors
    ///
    /// `argument` if there is no rule, as in a schedule of [`Scheduler::own`].
    pub fn rates(&self) -> Result<Vec<f64>> {
        let optimizer = &self.0.optimizer;
        let Progress { last_epoch: epoch, step_count, moment, base_lrs, .. } = self.0.progress.borrow().clone();
        let (initial, restart) = (moment == Moment::First, moment == Moment::Restart);
        let mut changes = Vec::new();
        for (group, &base) in base_lrs.iter().enumerate() {
            let lr = optimizer.number(group, "lr").unwrap_or(base);
            let now = Now { epoch, count: step_count - 1, initial, restart, group, base, lr };
            changes.push(match &*self.0.rule.borrow() {
                Rule::Table(_, schedule) => schedule.rate(&now, optimizer)?,
                Rule::Function { factors, chained } => function::rate(factors, *chained, &now)?,
                Rule::Sequential { .. } | Rule::Chained(_) => lr.into(),
                Rule::Own => return Err(Error::argument(self.name(), "has no rule")),
            });
        }
        for (group, change) in changes.iter().enumerate() {
            if let Some(momentum) = change.momentum {
                let name = if optimizer.has_option("betas") { "betas" } else { "momentum" };
                optimizer.assign(group, name, momentum)?;
            }
        }
        Ok(changes.into_iter().map(|change| change.lr).collect())
    }

    /// The state, as PyTorch's `state_dict`.
    pub fn state_dict(&self) -> SchedulerState {
        let progress = self.0.progress.borrow();
        let int = |value: i64| Arg::Scalar(Scalar::Int(value));
        let mut values = vec![
            ("last_epoch".to_string(), int(progress.last_epoch)),
            ("_step_count".to_string(), int(progress.step_count)),
            ("base_lrs".to_string(), Arg::Floats(progress.base_lrs.clone())),
            ("_last_lr".to_string(), Arg::Floats(self.last_lr())),
        ];
        values.extend(
            progress.numbers.iter().map(|&(name, value)| (name.to_string(), Arg::Scalar(Scalar::Float(value)))),
        );
        let mut inner = vec![];
        match &*self.0.rule.borrow() {
            Rule::Table(spec, schedule) => {
                let names = (spec.params)().into_iter().map(|param: Param| param.name);
                values.extend(names.zip(schedule.to_args()));
                let derived = schedule.derived(progress.last_epoch);
                values.extend(derived.into_iter().map(|(name, value)| (name.to_string(), int(value))));
            }
            Rule::Sequential { schedulers, milestones } => {
                values.push(("_milestones".to_string(), Arg::Ints(milestones.clone())));
                inner = schedulers.iter().map(Scheduler::state_dict).collect();
            }
            Rule::Chained(schedulers) => inner = schedulers.iter().map(Scheduler::state_dict).collect(),
            Rule::Function { .. } | Rule::Own => {}
        }
        SchedulerState { values, schedulers: inner }
    }

    /// Loads the state of a schedule of the same kind. The optimizer's state includes its rates.
    ///
    /// # Errors
    ///
    /// `argument` for the state of another kind of schedule.
    pub fn load_state_dict(&self, given: &SchedulerState) -> Result<()> {
        let refused = |message: String| Error::argument("load_state_dict", message);
        let find = |name: &str| given.values.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let number = |name: &str| match find(name) {
            Some(Arg::Scalar(scalar)) => Ok(scalar.to_f64()),
            _ => Err(refused(format!("{}: there is no number {name:?}", self.name()))),
        };
        let mut progress = self.0.progress.borrow().clone();
        progress.last_epoch = number("last_epoch")? as i64;
        progress.step_count = number("_step_count")? as i64;
        match find("base_lrs") {
            Some(Arg::Floats(values)) if values.len() == progress.base_lrs.len() => progress.base_lrs = values.clone(),
            // JavaScript has one kind of number.
            Some(Arg::Ints(values)) if values.len() == progress.base_lrs.len() => {
                progress.base_lrs = values.iter().map(|&value| value as f64).collect();
            }
            _ => return Err(refused(format!("{}: \"base_lrs\" must be one number a group", self.name()))),
        }
        if self.is_measured() && find("best").is_some() {
            progress.numbers = ["best", "num_bad_epochs", "cooldown_counter"].map(|name| (name, 0.0)).to_vec();
        }
        for (name, value) in &mut progress.numbers {
            *value = number(name)?;
        }
        // A function of the program is called while a combined schedule takes a step.
        let busy = |_| refused(format!("{}: the schedule takes a step", self.name()));
        match &mut *self.0.rule.try_borrow_mut().map_err(busy)? {
            Rule::Table(spec, schedule) => {
                let mut changed = schedule.to_args();
                for (option, param) in changed.iter_mut().zip((spec.params)()) {
                    if let Some(given) = find(&param.name) {
                        *option = given.clone();
                    }
                }
                (*schedule, _) = spec.bind(&changed)?;
            }
            Rule::Sequential { schedulers, .. } | Rule::Chained(schedulers) => {
                if schedulers.len() != given.schedulers.len() {
                    return Err(refused(format!(
                        "{} schedules are given for {}",
                        given.schedulers.len(),
                        schedulers.len()
                    )));
                }
                schedulers
                    .iter()
                    .zip(&given.schedulers)
                    .try_for_each(|(scheduler, state)| scheduler.load_state_dict(state))?;
            }
            Rule::Function { .. } | Rule::Own => {}
        }
        *self.0.progress.borrow_mut() = progress;
        Ok(())
    }
}
