//! Programs whose sizes change from step to step make a few plans and no pipeline for a new size.

#[path = "new_sizes/workloads.rs"]
mod workloads;

use lanthorn::{Device, Result, Stats};
use pollster::block_on;
use workloads::{WORKLOADS, Workload};

/// The most plans that a workload makes, whatever its sizes are. Beside the general one there are some for sizes that
/// a pass treats in a way of its own: a batch or a text of one, and what is too small to fuse.
const MAX_PLANS: u64 = 8;

/// Runs a workload at the sizes from `range`, and gives the counts after each step.
fn run(device: &Device, workload: &Workload, sizes: impl Iterator<Item = usize>) -> Result<Vec<Stats>> {
    device.set_default();
    device.manual_seed(1);
    let mut step = (workload.make)(device)?;
    // What the initialization of weights recorded is no part of the steps.
    block_on(device.synchronize())?;
    let mut stats = vec![device.stats()];
    for size in sizes {
        let result = step(size)?;
        assert!(block_on(result.sum((), false)?.item())?.is_finite(), "{} at {size}", workload.name);
        stats.push(device.stats());
    }
    Ok(stats)
}

fn check(name: &str, stats: &[Stats]) {
    let (first, third, last) = (stats[0], stats[3], stats[stats.len() - 1]);
    let plans = last.plan_misses - first.plan_misses;
    assert!(plans <= MAX_PLANS, "{name}: {plans} plans");
    assert_eq!(last.api.pipelines, third.api.pipelines, "{name}: pipelines after the third size");
    let resizes = last.plan_resizes - first.plan_resizes;
    assert!(resizes + plans >= stats.len() as u64 - 1, "{name}: {resizes} sizes took a known plan");
}

#[test]
fn a_decoder_and_training_steps_make_few_plans() -> Result<()> {
    for workload in &WORKLOADS {
        let stats = run(&lanthorn::cpu(), workload, 0..workload.sizes)?;
        check(workload.name, &stats);
    }
    Ok(())
}
