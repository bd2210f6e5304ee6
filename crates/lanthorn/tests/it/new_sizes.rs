//! Programs whose sizes change from step to step make a few plans and no pipeline for a new size.

mod workloads;

use lanthorn::{Device, Result, Stats};
use lanthorn_kernel_tests::rotation;
use pollster::block_on;
use workloads::{WORKLOADS, Workload};

/// The maximum number of plans of a workload, whatever its sizes are. Beside the general plan there
/// are some for sizes that a pass treats specially: a batch or a text of one, and sizes too small
/// to fuse.
const MAX_PLANS: u64 = 8;

/// The steps after which a workload makes no pipeline. Kernels have variants for sizes that are 1,
/// divisible by four or larger than a workgroup, and these are met among the first sizes of every
/// workload.
const SETTLED: usize = 8;

/// Runs a workload at the sizes from `range`, and returns the counts after each step.
fn run(device: &Device, workload: &Workload, sizes: impl Iterator<Item = usize>) -> Result<Vec<Stats>> {
    device.set_default();
    device.manual_seed(1);
    let mut step = (workload.make)(device)?;
    // The kernels recorded by the initialization of weights are not part of the steps.
    block_on(device.synchronize())?;
    let mut stats = vec![device.inspect().stats()];
    for size in sizes {
        let result = step(size)?;
        assert!(block_on(result.sum((), false)?.item())?.is_finite(), "{} at {size}", workload.name);
        stats.push(device.inspect().stats());
    }
    Ok(stats)
}

/// A message if a workload creates too many plans or pipelines.
fn complaint(name: &str, stats: &[Stats]) -> Option<String> {
    let (first, last) = (stats[0], stats[stats.len() - 1]);
    let plans = last.plan_misses - first.plan_misses;
    let pipelines = last.api.pipelines - stats[SETTLED].api.pipelines;
    let known = last.plan_hits + last.plan_resizes - first.plan_hits - first.plan_resizes;
    // Each step uses at least one plan for its flush.
    let all = known + plans >= stats.len() as u64 - 1;
    (plans > MAX_PLANS || pipelines > 0 || !all)
        .then(|| format!("{name}: {plans} plans, {pipelines} pipelines after step {SETTLED}, {known} known plans"))
}

#[test]
fn a_decoder_and_training_steps_make_few_plans() -> Result<()> {
    let mut complaints = Vec::new();
    for workload in &WORKLOADS {
        let stats = run(&lanthorn::cpu(), workload, 0..workload.sizes)?;
        complaints.extend(complaint(workload.name, &stats));
    }
    assert_eq!(complaints, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_sample_of_them_makes_few_plans_and_no_pipelines_on_a_gpu() -> Result<()> {
    let mut complaints = Vec::new();
    let samples = [("decoder, cat cache", 24), ("decoder, narrow cache", 24), ("MLP training", 12)];
    // A rotation runs one of them.
    for (_, (name, sizes)) in samples.into_iter().enumerate().filter(|(index, _)| rotation::takes(*index, 3)) {
        let workload = WORKLOADS.iter().find(|workload| workload.name == name).expect("a workload of this name");
        let stats = run(&block_on(lanthorn::wgpu())?, workload, 0..sizes)?;
        complaints.extend(complaint(workload.name, &stats));
    }
    assert_eq!(complaints, Vec::<String>::new());
    Ok(())
}
