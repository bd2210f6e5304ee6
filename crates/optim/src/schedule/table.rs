//! The table of schedules, for JavaScript, the reference and the conformance run.

use super::{Change, Now, Rates, Scheduler, annealing, cycle, decay, plateau};
use crate::{
    Optimizer,
    options::{param, read},
};
use lanthorn_schema::{Param, Return, Schema};
use lanthorn_tensor::{
    Error, Result,
    ops::{Arg, Args},
};
use std::{any::Any, rc::Rc};

/// Numbers by PyTorch's names.
pub(crate) type Derived = Vec<(&'static str, i64)>;

/// The declaration of a schedule.
pub struct ScheduleSpec {
    /// PyTorch's name.
    pub name: &'static str,
    /// The documentation, one line per entry.
    #[cfg(any(test, feature = "reference"))]
    pub doc: &'static [&'static str],
    /// The documentation of each option.
    #[cfg(any(test, feature = "reference"))]
    pub(crate) option_docs: &'static [&'static str],
    /// The options, without `last_epoch`.
    pub(crate) params: fn() -> Vec<Param>,
    /// The schedule that data describes. Refuses data of other types, and values without a meaning.
    pub(crate) check: fn(&[Arg]) -> Result<Box<dyn Schedule>>,
}

/// A schedule in its own type: its options, and its rule.
pub(crate) trait Schedule: Any {
    /// The options as data, in the order of [`ScheduleSpec::params`].
    fn to_args(&self) -> Vec<Arg>;

    /// Checks that the optimizer fits the options, and at the first step initializes its groups.
    fn begin(&self, optimizer: &Optimizer, fresh: bool) -> Result<()>;

    /// The next rate of a group.
    fn rate(&self, now: &Now, optimizer: &Optimizer) -> Result<Change>;

    /// The numbers that PyTorch keeps in a state although they follow from the options and the
    /// step.
    fn derived(&self, _epoch: i64) -> Derived {
        vec![]
    }
}

impl ScheduleSpec {
    /// The constructor without the optimizer, which comes first.
    pub fn schema(&self) -> Schema {
        let returns = vec![Return { ty: "Scheduler".into(), name: String::new() }];
        let mut params = (self.params)();
        if !self.is_measured() {
            params.push(param("last_epoch", &BEGINNING));
        }
        Schema { name: self.name.into(), overload: String::new(), params, returns }
    }

    /// The documentation of each parameter of the constructor.
    #[cfg(any(test, feature = "reference"))]
    pub fn option_docs(&self) -> Vec<&'static str> {
        let last = (!self.is_measured())
            .then_some(" The last step of the run whose state the optimizer has; -1 for a new run.");
        self.option_docs.iter().copied().chain(last).collect()
    }

    /// Whether a step takes a metric.
    pub fn is_measured(&self) -> bool {
        self.name == plateau::REDUCE_LR_ON_PLATEAU.name
    }

    /// The schedule with options of the right types, defaults filled in; and `last_epoch`.
    pub(crate) fn bind(&self, args: &[Arg]) -> Result<(Box<dyn Schedule>, i64)> {
        let bound = Args::bind(&self.schema(), args)?.to_vec();
        let (own, last) = bound.split_at((self.params)().len());
        let last_epoch = last.first().map_or(Ok(BEGINNING), |last| read(self.name, "last_epoch", last))?;
        Ok(((self.check)(own)?, last_epoch))
    }
}

/// PyTorch's `last_epoch` for an optimizer that no schedule has changed.
pub(super) const BEGINNING: i64 = -1;

/// Every schedule that consists of options and a rule.
pub static SCHEDULES: &[&ScheduleSpec] = &[
    &decay::STEP_LR,
    &decay::MULTI_STEP_LR,
    &decay::CONSTANT_LR,
    &decay::LINEAR_LR,
    &decay::EXPONENTIAL_LR,
    &decay::POLYNOMIAL_LR,
    &annealing::COSINE_ANNEALING_LR,
    &annealing::COSINE_ANNEALING_WARM_RESTARTS,
    &annealing::SWA_LR,
    &cycle::CYCLIC_LR,
    &cycle::ONE_CYCLE_LR,
    &plateau::REDUCE_LR_ON_PLATEAU,
];

/// Makes a schedule by name, with options in the constructor's order; missing options take their
/// defaults.
///
/// # Errors
///
/// `argument` if there is no such schedule, and for options that it does not take.
pub fn build(name: &str, optimizer: &Optimizer, options: &[Arg]) -> Result<Scheduler> {
    Scheduler::of_table(find(name)?, optimizer, options)
}

/// [`build`], with a function of the program instead of the rule, which it can call by
/// [`Scheduler::rates`]. [`Scheduler::start`] sets the rates of the first step.
///
/// # Errors
///
/// As [`build`].
pub fn build_with(name: &str, optimizer: &Optimizer, options: &[Arg], rates: Rc<Rates>) -> Result<Scheduler> {
    let scheduler = Scheduler::prepare(find(name)?, optimizer, options)?;
    scheduler.0.own.replace(Some(rates));
    Ok(scheduler)
}

fn find(name: &str) -> Result<&'static ScheduleSpec> {
    let spec = SCHEDULES.iter().copied().find(|spec| spec.name == name);
    spec.ok_or_else(|| Error::argument("optim", format!("there is no schedule {name:?}")))
}

/// Declares a schedule: its options, and its row in the table.
macro_rules! schedule {
    (
        $(#[doc = $doc:literal])*
        $text:literal as $name:ident, row $row:ident, check $check:expr, begin $begin:expr, rate $rate:expr $(, derived $derived:expr)?;
        $($(#[doc = $field_doc:literal])* $field:ident: $ty:ty $(= $default:expr)?,)*
    ) => {
        $(#[doc = $doc])*
        // PyTorch's names, T_max among them.
        #[allow(non_snake_case)]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $field_doc])* pub $field: $ty,)*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: schedule!(@default $ty $(, $default)?),)* }
            }
        }

        impl $name {
            /// Starts this schedule for the optimizer.
            ///
            /// # Errors
            ///
            /// `argument` for an option out of range, or another number of values than groups.
            pub fn on(&self, optimizer: &$crate::Optimizer) -> lanthorn_tensor::Result<$crate::Scheduler> {
                $crate::Scheduler::of_table(&$row, optimizer, &$crate::options::Options::to_args(self))
            }

            schedule!(@after $row $name);
        }

        $crate::options::options!($name { $($field: $ty $(= $default)?,)* });

        pub(crate) static $row: $crate::schedule::ScheduleSpec = $crate::schedule::ScheduleSpec {
            name: $text,
            #[cfg(any(test, feature = "reference"))]
            doc: &[$($doc),*],
            #[cfg(any(test, feature = "reference"))]
            option_docs: &[$(concat!($($field_doc,)*)),*],
            params: <$name as $crate::options::Options>::params,
            check: |args| {
                let options = <$name as $crate::options::Options>::of_args($text, args)?;
                let check: fn(&$name) -> lanthorn_tensor::Result<()> = $check;
                check(&options)?;
                Ok(Box::new(options))
            },
        };

        impl $crate::schedule::table::Schedule for $name {
            fn to_args(&self) -> Vec<lanthorn_tensor::ops::Arg> {
                $crate::options::Options::to_args(self)
            }

            fn begin(&self, optimizer: &$crate::Optimizer, fresh: bool) -> lanthorn_tensor::Result<()> {
                let begin: fn(&$name, &$crate::Optimizer, bool) -> lanthorn_tensor::Result<()> = $begin;
                begin(self, optimizer, fresh)
            }

            fn rate(
                &self,
                now: &$crate::schedule::Now,
                optimizer: &$crate::Optimizer,
            ) -> lanthorn_tensor::Result<$crate::schedule::Change> {
                let rate: fn(&$name, &$crate::schedule::Now, &$crate::Optimizer) -> lanthorn_tensor::Result<$crate::schedule::Change> = $rate;
                rate(self, now, optimizer)
            }

            $(fn derived(&self, epoch: i64) -> $crate::schedule::table::Derived {
                let derived: fn(&$name, i64) -> $crate::schedule::table::Derived = $derived;
                derived(self, epoch)
            })?
        }
    };
    (@after $row:ident ReduceLROnPlateau) => {};
    (@after $row:ident $name:ident) => {
        /// Resumes this schedule for an optimizer with the state of another run, at the step after
        /// `last_epoch`, PyTorch's argument of that name: schedules that compute the next rate from
        /// the current one keep the current rate. The optimizer's groups must have their
        /// `initial_lr`.
        ///
        /// # Errors
        ///
        /// As `on`, and `argument` if a group has no `initial_lr`.
        pub fn after(&self, optimizer: &$crate::Optimizer, last_epoch: i64) -> lanthorn_tensor::Result<$crate::Scheduler> {
            let mut args = $crate::options::Options::to_args(self);
            args.push($crate::options::Setting::to_arg(&last_epoch));
            $crate::Scheduler::of_table(&$row, optimizer, &args)
        }
    };
    (@default $ty:ty, $default:expr) => { $default };
    (@default $ty:ty) => { <$ty as $crate::options::Setting>::missing() };
}
pub(crate) use schedule;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_parses() {
        for spec in SCHEDULES {
            let text = spec.schema().to_string();
            assert_eq!(Schema::parse(&text).unwrap().to_string(), text);
            assert!(!spec.doc.is_empty() && spec.option_docs().len() == spec.schema().params.len(), "{}", spec.name);
        }
        assert_eq!(
            SCHEDULES[0].schema().to_string(),
            "StepLR(int step_size, float gamma=0.1, int last_epoch=-1) -> Scheduler"
        );
    }
}
