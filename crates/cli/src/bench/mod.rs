//! `lanthorn bench`: the side-by-side benchmark's workloads, natively.
//!
//! A run ends when a number of its result has been read, so nothing is left queued. The median of at least five runs is printed: a
//! machine with other work has outliers on one side only.

mod workloads;

use clap::Args;
use lanthorn::{Device, Result};
use std::time::{Duration, Instant};

/// What `bench` takes.
#[derive(Args)]
pub struct Arguments {
    /// Which workloads, by name; all of them when none is named.
    cases: Vec<String>,
    /// Where: cpu, wgpu, cuda (in a build with that feature; cuda:1 for the second one), or auto for wgpu where there is an adapter.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// Seconds a workload.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Print one object of JSON: the median of each workload in milliseconds, by name.
    #[arg(long)]
    json: bool,
    /// Say where the time of a run goes, kernel by kernel.
    #[arg(long, conflicts_with = "json")]
    profile: bool,
}

/// Runs before the first that counts: the second one replays the plan that the first one made.
const WARM_UP: usize = 3;

/// The fewest and the most runs that count.
const RUNS: std::ops::Range<usize> = 5..1000;

/// What was measured of a workload.
struct Measured {
    /// Milliseconds a run, ascending.
    times: Vec<f64>,
    /// Kernels a run.
    dispatches: u64,
    submits: u64,
    /// The number that the last run read.
    last: f64,
}

impl Measured {
    fn median(&self) -> f64 {
        let middle = self.times.len() / 2;
        if self.times.len() % 2 == 1 { self.times[middle] } else { (self.times[middle - 1] + self.times[middle]) / 2.0 }
    }
}

async fn measure(workload: &workloads::Workload, device: &Device, seconds: f64) -> Result<Measured> {
    let run = (workload.make)(device)?;
    for _ in 0..WARM_UP {
        run()?.item().await?;
    }
    let before = device.stats();
    let (end, mut times, mut last) = (Instant::now() + Duration::from_secs_f64(seconds), vec![], 0.0);
    while times.len() < RUNS.start || (times.len() < RUNS.end && Instant::now() < end) {
        let begin = Instant::now();
        last = run()?.item().await?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    let (after, runs) = (device.stats(), times.len() as u64);
    times.sort_by(f64::total_cmp);
    let per_run = |after: u64, before: u64| (after - before) / runs;
    let dispatches = per_run(after.launches, before.launches);
    Ok(Measured { times, dispatches, submits: per_run(after.submissions, before.submissions), last })
}

/// The kernels of one run, in order, with the microseconds of each.
async fn print_profile(workload: &workloads::Workload, device: &Device) -> Result<()> {
    let run = (workload.make)(device)?;
    for _ in 0..WARM_UP {
        run()?.item().await?;
    }
    device.start_profile();
    run()?.item().await?;
    let profile = device.stop_profile().await?;
    for span in &profile.spans {
        println!("{:>24.1} us  {} ({})", span.duration, span.op, span.kind);
    }
    profile.note.into_iter().for_each(|note| println!("{note}"));
    Ok(())
}

/// Measures the workloads and prints a table, or JSON; `false` if there is no workload of a name.
pub async fn run(arguments: &Arguments) -> Result<bool> {
    let known = |name: &&String| workloads::WORKLOADS.iter().any(|workload| workload.name == **name);
    if let Some(odd) = arguments.cases.iter().find(|name| !known(name)) {
        let names: Vec<&str> = workloads::WORKLOADS.iter().map(|workload| workload.name).collect();
        eprintln!("there is no workload {odd:?}; there are {}", names.join(", "));
        return Ok(false);
    }
    let device = lanthorn::device(&arguments.device).await?;
    device.set_default();
    let description = device.capabilities().description.clone();
    if !arguments.json {
        println!("{} ({description})", device.name());
        println!(
            "{:<12} {:>10} {:>10} {:>10} {:>10} {:>8} {:>12}",
            "workload", "median ms", "least ms", "GFLOP/s", "dispatches", "submits", "result"
        );
    }
    let mut medians = Vec::new();
    for workload in workloads::WORKLOADS {
        if !arguments.cases.is_empty() && !arguments.cases.iter().any(|name| name == workload.name) {
            continue;
        }
        let measured = measure(workload, &device, arguments.seconds).await?;
        let median = measured.median();
        if !arguments.json {
            let rate = workload.operations.map(|operations| format!("{:.1}", operations / median / 1e6)).unwrap_or_default();
            let Measured { times, dispatches, submits, last } = &measured;
            println!(
                "{:<12} {median:>10.3} {:>10.3} {rate:>10} {dispatches:>10} {submits:>8} {last:>12.6}",
                workload.name, times[0]
            );
        }
        if arguments.profile {
            print_profile(workload, &device).await?;
        }
        medians.push(format!("\"{}\":{median:.4}", workload.name));
    }
    if arguments.json {
        println!("{{{}}}", medians.join(","));
    }
    Ok(true)
}
