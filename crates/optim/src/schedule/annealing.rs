//! Schedules along a cosine (Loshchilov and Hutter, 2017).

use super::{
    Now,
    cycle::{AnnealStrategy, check_groups, of_group},
    decay::positive,
    table::schedule,
};
use lanthorn_tensor::{Error, Result};
use std::f64::consts::PI;

schedule! {
    /// Cosine annealing of the rate to `eta_min` in `T_max` steps, and back.
    "CosineAnnealingLR" as CosineAnnealingLR, row COSINE_ANNEALING_LR,
    check |options| positive("CosineAnnealingLR", "T_max", options.T_max), begin |_, _, _| Ok(()),
    rate |options, now, _| Ok(options.rate(now).into());
    /// The number of steps down.
    T_max: i64,
    /// The minimum rate.
    eta_min: f64 = 0.0,
}

impl CosineAnnealingLR {
    fn rate(&self, now: &Now) -> f64 {
        let &Now { base, lr, .. } = now;
        let (epoch, period) = (now.epoch as f64, self.T_max as f64);
        if now.restart {
            return self.eta_min + (base - self.eta_min) * 2.0 / 2.0;
        }
        if now.initial {
            return lr;
        }
        if (now.epoch - 1 - self.T_max).rem_euclid(2 * self.T_max) == 0 {
            return lr + (base - self.eta_min) * (1.0 - (PI / period).cos()) / 2.0;
        }
        (1.0 + (PI * epoch / period).cos()) / (1.0 + (PI * (epoch - 1.0) / period).cos()) * (lr - self.eta_min)
            + self.eta_min
    }
}

schedule! {
    /// Cosine annealing of the rate to `eta_min` in `T_0` steps, with warm restarts, each period
    /// `T_mult` times as long as the one before.
    "CosineAnnealingWarmRestarts" as CosineAnnealingWarmRestarts, row COSINE_ANNEALING_WARM_RESTARTS,
    check |options| {
        positive("CosineAnnealingWarmRestarts", "T_0", options.T_0)?;
        positive("CosineAnnealingWarmRestarts", "T_mult", options.T_mult)
    },
    begin |_, _, _| Ok(()), rate |options, now, _| Ok(options.rate(now).into()),
    derived |options, epoch| options.position(epoch).into();
    /// The number of steps to the first restart.
    T_0: i64,
    /// The factor of the period at a restart.
    T_mult: i64 = 1,
    /// The minimum rate.
    eta_min: f64 = 0.0,
}

impl CosineAnnealingWarmRestarts {
    /// The step in the current period, and the length of the period, by PyTorch's names.
    fn position(&self, epoch: i64) -> [(&'static str, i64); 2] {
        let (mut at, mut period) = (epoch, self.T_0);
        if self.T_mult == 1 {
            at %= period;
        }
        while at >= period {
            at -= period;
            period *= self.T_mult;
        }
        [("T_cur", at), ("T_i", period)]
    }

    fn rate(&self, now: &Now) -> f64 {
        let [(_, at), (_, period)] = self.position(now.epoch);
        self.eta_min + (now.base - self.eta_min) * (1.0 + (PI * at as f64 / period as f64).cos()) / 2.0
    }
}

schedule! {
    /// Anneals the rate to `swa_lr` in `anneal_epochs` steps and keeps it, for weights that are
    /// averaged from then on, as `torch.optim.swa_utils.SWALR` (Izmailov et al., 2018).
    "SWALR" as SWALR, row SWA_LR,
    check |options| options.check(),
    begin |options, optimizer, _| check_groups("SWALR", "swa_lr", &options.swa_lr, optimizer),
    rate |options, now, _| Ok(options.rate(now).into());
    /// The last rate, one for all groups or one each.
    swa_lr: Vec<f64>,
    /// The number of steps to it.
    anneal_epochs: i64 = 10,
    /// The curve: `"cos"` or `"linear"`.
    anneal_strategy: AnnealStrategy = AnnealStrategy::Cos,
}

impl SWALR {
    fn check(&self) -> Result<()> {
        match self.anneal_epochs < 0 {
            true => {
                let message = format!("anneal_epochs must not be negative: {}", self.anneal_epochs);
                Err(Error::argument("SWALR", message))
            }
            false => Ok(()),
        }
    }

    /// The share of the last rate after a fraction of the annealing.
    fn share(&self, steps: i64) -> f64 {
        let fraction = (steps as f64 / self.anneal_epochs.max(1) as f64).clamp(0.0, 1.0);
        match self.anneal_strategy {
            AnnealStrategy::Cos => (1.0 - (PI * fraction).cos()) / 2.0,
            AnnealStrategy::Linear => fraction,
        }
    }

    fn rate(&self, now: &Now) -> f64 {
        let target = of_group(&self.swa_lr, now.group);
        let step = if self.anneal_epochs == 0 { now.count.max(1) } else { now.count };
        let (before, share) = (self.share(step - 1), self.share(step));
        let first = if before == 1.0 { target } else { (now.lr - before * target) / (1.0 - before) };
        target * share + first * (1.0 - share)
    }
}
