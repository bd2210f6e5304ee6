//! `lanthorn bench`: the side-by-side benchmark's workloads, natively, and those at the sizes of a GPU.
//!
//! A run ends when a number of its result has been read, so nothing is left queued. The median of at least five runs is printed: a
//! machine with other work has outliers on one side only.

mod device;
mod gpu;
mod networks;
mod report;
mod workloads;

use clap::{Args, ValueEnum};
use device::Devices;
use gpu::Shrink;
use lanthorn::{Device, Error, Result, Tensor};
use report::{Outcome, Report};
use std::time::{Duration, Instant};

/// Whose workloads.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sizes {
    /// Those of the benchmark in the page.
    Page,
    /// Those that keep a large GPU busy.
    Gpu,
}

impl Sizes {
    fn workloads(self) -> &'static [Workload] {
        match self {
            Sizes::Page => workloads::WORKLOADS,
            Sizes::Gpu => gpu::WORKLOADS,
        }
    }
}

/// What `bench` takes.
#[derive(Args)]
pub struct Arguments {
    /// Which workloads, by name; all of them when none is named.
    cases: Vec<String>,
    /// Where: cpu, wgpu, cuda (in a build with that feature; cuda:1 for the second one), or auto for wgpu where there is an adapter.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// The workloads of the page, or those at the sizes of a GPU.
    #[arg(long, default_value = "page")]
    sizes: Sizes,
    /// Divide the sizes of a GPU's workloads, to try them elsewhere.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    shrink: i64,
    /// Seconds a workload.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Print one object of JSON: the device, its measured limits, and of each workload the median in milliseconds, the bytes and the operations.
    #[arg(long)]
    json: bool,
    /// Say where the time of a run goes, kernel by kernel.
    #[arg(long, conflicts_with = "json")]
    profile: bool,
}

/// What products are computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    Float32,
    /// float32 of which products take ten bits of the fraction, as with PyTorch's `allow_tf32`.
    Tf32,
    Bfloat16,
}

/// One run: it gives the number that is read at its end.
type Run = Box<dyn Fn() -> Result<Tensor>>;

/// What is run, and the least that a device has to do for it.
struct Task {
    run: Run,
    /// Bytes that are read and written, 0 where they were not counted.
    bytes: f64,
    /// Multiplications and additions of products.
    operations: f64,
}

/// How a workload is made.
enum Make {
    /// On a device, with its number of operations.
    Page(fn(&Device) -> Result<Run>, f64),
    /// On the default device.
    Gpu(fn(Shrink) -> Result<Task>),
}

/// A workload by name.
struct Workload {
    name: &'static str,
    arithmetic: Arithmetic,
    make: Make,
}

impl Workload {
    fn make(&self, device: &Device, shrink: Shrink) -> Result<Task> {
        match self.make {
            Make::Page(make, operations) => Ok(Task { run: make(device)?, bytes: 0.0, operations }),
            Make::Gpu(make) => make(shrink),
        }
    }
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
    bytes: f64,
    operations: f64,
}

impl Measured {
    fn median(&self) -> f64 {
        let middle = self.times.len() / 2;
        if self.times.len() % 2 == 1 { self.times[middle] } else { (self.times[middle - 1] + self.times[middle]) / 2.0 }
    }
}

async fn measure(task: Task, device: &Device, seconds: f64) -> Result<Measured> {
    let Task { run, bytes, operations } = task;
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
    if !f64::is_finite(last) {
        return Err(Error::argument("bench", format!("the result is {last}")));
    }
    times.sort_by(f64::total_cmp);
    let per_run = |after: u64, before: u64| (after - before) / runs;
    let dispatches = per_run(after.launches, before.launches);
    Ok(Measured { times, dispatches, submits: per_run(after.submissions, before.submissions), last, bytes, operations })
}

/// The kernels of one run, in order, with the microseconds of each.
async fn print_profile(task: Task, device: &Device) -> Result<()> {
    for _ in 0..WARM_UP {
        (task.run)()?.item().await?;
    }
    device.start_profile();
    (task.run)()?.item().await?;
    let profile = device.stop_profile().await?;
    for span in &profile.spans {
        println!("{:>24.1} us  {} ({})", span.duration, span.op, span.kind);
    }
    profile.note.into_iter().for_each(|note| println!("{note}"));
    Ok(())
}

/// Measures the workloads and prints a table, or JSON; `false` if there is no workload of a name, or one failed.
pub async fn run(arguments: &Arguments) -> Result<bool> {
    let all = arguments.sizes.workloads();
    let known = |name: &&String| all.iter().any(|workload| workload.name == **name);
    if let Some(odd) = arguments.cases.iter().find(|name| !known(name)) {
        let names: Vec<&str> = all.iter().map(|workload| workload.name).collect();
        eprintln!("there is no workload {odd:?}; there are {}", names.join(", "));
        return Ok(false);
    }
    if arguments.shrink != 1 && arguments.sizes == Sizes::Page {
        eprintln!("--shrink is for --sizes gpu: the page's workloads have the sizes of the other engines'");
        return Ok(false);
    }
    let shrink = Shrink(arguments.shrink);
    let mut devices = Devices::open(&arguments.device).await?;
    let mut report = Report::new(devices.plain(), !arguments.json);
    for workload in all {
        if !arguments.cases.is_empty() && !arguments.cases.iter().any(|name| name == workload.name) {
            continue;
        }
        let device = match devices.with(workload.arithmetic)? {
            Ok(device) => device,
            Err(why) => {
                report.add(workload, Outcome::Skipped(why));
                continue;
            }
        };
        device.set_default();
        device.manual_seed(1);
        let measured = match workload.make(&device, shrink) {
            Ok(task) => measure(task, &device, arguments.seconds).await,
            Err(error) => Err(error),
        };
        let failed = measured.is_err();
        report.add(workload, measured.map_or_else(|error| Outcome::Failed(error.to_string()), Outcome::Measured));
        if arguments.profile && !failed {
            print_profile(workload.make(&device, shrink)?, &device).await?;
        }
        // What the pool keeps of one workload is not taken from the next.
        device.empty_cache();
    }
    if arguments.json {
        println!("{}", report.to_json());
    } else if arguments.sizes == Sizes::Gpu {
        report.print_limits();
    }
    Ok(!report.has_failures())
}
