//! Schedules that raise the rate and lower it again, and the momentum in the opposite direction
//! (Smith, 2017; Smith and Topin, 2019).

use super::{Change, Now, decay::positive, table::schedule};
use crate::{Optimizer, options::choice};
use lanthorn_tensor::{Error, Result};
use std::f64::consts::PI;

/// The number for a group; one number may stand for all groups.
pub(super) fn of_group(values: &[f64], group: usize) -> f64 {
    values.get(group).or(values.first()).copied().unwrap_or(f64::NAN)
}

pub(super) fn check_groups(op: &str, name: &str, values: &[f64], optimizer: &Optimizer) -> Result<()> {
    let groups = optimizer.group_count();
    match values.len() == 1 || values.len() == groups {
        true => Ok(()),
        false => Err(Error::argument(op, format!("{name} has {} numbers for {groups} parameter groups", values.len()))),
    }
}

/// Refuses an optimizer without momentum, and sets the initial momentum of every group of a fresh
/// one.
fn begin_momentum(op: &str, optimizer: &Optimizer, base: &[f64], largest: &[f64], fresh: bool) -> Result<()> {
    let name = ["betas", "momentum"].into_iter().find(|name| optimizer.has_option(name));
    let name = name.ok_or_else(|| {
        Error::argument(op, format!("{} has neither momentum nor betas: give cycle_momentum=False", optimizer.name()))
    })?;
    check_groups(op, "base_momentum", base, optimizer)?;
    check_groups(op, "max_momentum", largest, optimizer)?;
    for group in (0..optimizer.group_count()).filter(|_| fresh) {
        optimizer.assign(group, name, of_group(largest, group))?;
        optimizer.set_extra(group, "max_momentum", of_group(largest, group));
        optimizer.set_extra(group, "base_momentum", of_group(base, group));
    }
    Ok(())
}

choice! {
    /// The change of the amplitude of [`CyclicLR`].
    CyclicMode {
        /// No change.
        Triangular = "triangular",
        /// Half the amplitude in each cycle.
        Triangular2 = "triangular2",
        /// `gamma` times the amplitude in each step.
        ExpRange = "exp_range",
    }
}

choice! {
    /// The curve between two rates of [`OneCycleLR`] and [`SWALR`](super::SWALR).
    AnnealStrategy {
        /// Half a period of the cosine.
        Cos = "cos",
        /// A straight line.
        Linear = "linear",
    }
}

schedule! {
    /// Cycles the rate between two bounds (Smith, 2017), and the momentum in the opposite
    /// direction.
    "CyclicLR" as CyclicLR, row CYCLIC_LR, check |options| options.check(),
    begin |options, optimizer, fresh| options.begin(optimizer, fresh), rate |options, now, _| Ok(options.rate(now));
    /// The minimum rate, one for all groups or one each.
    base_lr: Vec<f64>,
    /// The maximum rate.
    max_lr: Vec<f64>,
    /// The number of steps up.
    step_size_up: i64 = 2000,
    /// The number of steps down (default: the number of steps up).
    step_size_down: Option<i64> = None,
    /// `"triangular"`, `"triangular2"` (half the amplitude in each cycle) or `"exp_range"` (`gamma`
    /// times the amplitude in each step).
    mode: CyclicMode = CyclicMode::Triangular,
    /// The factor of `"exp_range"`.
    gamma: f64 = 1.0,
    /// Whether the momentum cycles as well.
    cycle_momentum: bool = true,
    /// The minimum momentum.
    base_momentum: Vec<f64> = vec![0.8],
    /// The maximum momentum.
    max_momentum: Vec<f64> = vec![0.9],
}

impl CyclicLR {
    fn check(&self) -> Result<()> {
        positive("CyclicLR", "step_size_up", self.step_size_up)?;
        positive("CyclicLR", "step_size_down", self.step_size_down.unwrap_or(1))
    }

    fn begin(&self, optimizer: &Optimizer, fresh: bool) -> Result<()> {
        check_groups("CyclicLR", "base_lr", &self.base_lr, optimizer)?;
        check_groups("CyclicLR", "max_lr", &self.max_lr, optimizer)?;
        if self.cycle_momentum {
            begin_momentum("CyclicLR", optimizer, &self.base_momentum, &self.max_momentum, fresh)?;
        }
        (0..optimizer.group_count())
            .filter(|_| fresh)
            .try_for_each(|group| optimizer.assign(group, "lr", of_group(&self.base_lr, group)))
    }

    fn rate(&self, now: &Now) -> Change {
        let (up, epoch) = (self.step_size_up as f64, now.epoch as f64);
        let total = up + self.step_size_down.map_or(up, |down| down as f64);
        let ratio = up / total;
        let cycle = (1.0 + epoch / total).floor();
        let x = 1.0 + epoch / total - cycle;
        let height = if x <= ratio { x / ratio } else { (x - 1.0) / (ratio - 1.0) };
        let scale = match self.mode {
            CyclicMode::Triangular => 1.0,
            CyclicMode::Triangular2 => 1.0 / 2f64.powf(cycle - 1.0),
            CyclicMode::ExpRange => self.gamma.powf(epoch),
        };
        let (base, largest) = (of_group(&self.base_lr, now.group), of_group(&self.max_lr, now.group));
        let (low, high) = (of_group(&self.base_momentum, now.group), of_group(&self.max_momentum, now.group));
        Change {
            lr: base + (largest - base) * height * scale,
            momentum: self.cycle_momentum.then_some(high - (high - low) * height * scale),
        }
    }
}

schedule! {
    /// Raises the rate to `max_lr` and lowers it to almost zero in one cycle (Smith and Topin,
    /// 2019), and the momentum in the opposite direction.
    "OneCycleLR" as OneCycleLR, row ONE_CYCLE_LR, check |options| options.check(),
    begin |options, optimizer, fresh| options.begin(optimizer, fresh), rate |options, now, optimizer| options.rate(now, optimizer);
    /// The maximum rate, one for all groups or one each.
    max_lr: Vec<f64>,
    /// The number of steps; or give `epochs` and `steps_per_epoch`.
    total_steps: Option<i64> = None,
    /// The number of epochs.
    epochs: Option<i64> = None,
    /// The number of steps per epoch.
    steps_per_epoch: Option<i64> = None,
    /// The fraction of the cycle in which the rate rises.
    pct_start: f64 = 0.3,
    /// `"cos"` or `"linear"`.
    anneal_strategy: AnnealStrategy = AnnealStrategy::Cos,
    /// Whether the momentum changes as well.
    cycle_momentum: bool = true,
    /// The minimum momentum.
    base_momentum: Vec<f64> = vec![0.85],
    /// The maximum momentum.
    max_momentum: Vec<f64> = vec![0.95],
    /// The maximum rate divided by the initial rate.
    div_factor: f64 = 25.0,
    /// The initial rate divided by the final rate.
    final_div_factor: f64 = 1e4,
    /// Three phases: the fall mirrors the rise, then the rate goes to the final rate.
    three_phase: bool = false,
}

impl OneCycleLR {
    fn steps(&self) -> Option<i64> {
        self.total_steps.or(self.epochs.zip(self.steps_per_epoch).map(|(epochs, steps)| epochs.saturating_mul(steps)))
    }

    fn check(&self) -> Result<()> {
        let refused = |message: String| Err(Error::argument("OneCycleLR", message));
        let Some(steps) = self.steps() else {
            return refused("give total_steps, or epochs and steps_per_epoch".into());
        };
        positive("OneCycleLR", "total_steps", steps)?;
        match (0.0..=1.0).contains(&self.pct_start) {
            true => Ok(()),
            false => refused(format!("pct_start must be from 0 to 1: {}", self.pct_start)),
        }
    }

    fn begin(&self, optimizer: &Optimizer, fresh: bool) -> Result<()> {
        check_groups("OneCycleLR", "max_lr", &self.max_lr, optimizer)?;
        if self.cycle_momentum {
            begin_momentum("OneCycleLR", optimizer, &self.base_momentum, &self.max_momentum, fresh)?;
        }
        for group in (0..optimizer.group_count()).filter(|_| fresh) {
            let largest = of_group(&self.max_lr, group);
            let first = largest / self.div_factor;
            optimizer.set_extra(group, "initial_lr", first);
            optimizer.set_extra(group, "max_lr", largest);
            optimizer.set_extra(group, "min_lr", first / self.final_div_factor);
        }
        Ok(())
    }

    /// The last step of each phase, with its initial and final rates and momenta.
    fn phases(&self, total: f64) -> Vec<(f64, [&'static str; 4])> {
        let up = self.pct_start * total - 1.0;
        let rise = ["initial_lr", "max_lr", "max_momentum", "base_momentum"];
        match self.three_phase {
            true => vec![
                (up, rise),
                (2.0 * self.pct_start * total - 2.0, ["max_lr", "initial_lr", "base_momentum", "max_momentum"]),
                (total - 1.0, ["initial_lr", "min_lr", "max_momentum", "max_momentum"]),
            ],
            false => vec![(up, rise), (total - 1.0, ["max_lr", "min_lr", "base_momentum", "max_momentum"])],
        }
    }

    fn rate(&self, now: &Now, optimizer: &Optimizer) -> Result<Change> {
        let (total, epoch) = (self.steps().unwrap_or(1) as f64, now.epoch as f64);
        if epoch > total {
            return Err(Error::argument(
                "OneCycleLR",
                format!("step {epoch} is beyond the {total} steps of the schedule"),
            ));
        }
        let phases = self.phases(total);
        let position = phases.iter().position(|(end, _)| epoch <= *end).unwrap_or(phases.len() - 1);
        let start = if position == 0 { 0.0 } else { phases[position - 1].0 };
        let (end, names) = phases[position];
        let done = (epoch - start) / (end - start);
        let between = |from: &str, to: &str| {
            let number = |name| optimizer.number(now.group, name).unwrap_or(f64::NAN);
            let (from, to) = (number(from), number(to));
            match self.anneal_strategy {
                AnnealStrategy::Cos => to + (from - to) / 2.0 * ((PI * done).cos() + 1.0),
                AnnealStrategy::Linear => (to - from) * done + from,
            }
        };
        let momentum = self.cycle_momentum.then(|| between(names[2], names[3]));
        Ok(Change { lr: between(names[0], names[1]), momentum })
    }
}
