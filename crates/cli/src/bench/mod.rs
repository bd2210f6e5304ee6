//! `lanthorn bench`: runs the workloads of the side-by-side benchmark natively, and workloads at
//! the sizes of a GPU and of language models.
//!
//! A run ends after reading an element of its result, so no work is left queued. The report has the
//! median of at least five runs: on a machine with other work, all outliers are on one side.

mod decoder;
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

/// The set of workloads.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sizes {
    /// The workloads of the benchmark in the page.
    Page,
    /// Workloads that keep a large GPU busy.
    Gpu,
    /// A token and a prompt of a language model, in float32 and in blocks of 8 and 4 bits.
    Models,
}

impl Sizes {
    fn workloads(self) -> &'static [Workload] {
        match self {
            Sizes::Page => workloads::WORKLOADS,
            Sizes::Gpu => gpu::WORKLOADS,
            Sizes::Models => decoder::WORKLOADS,
        }
    }
}

/// The arguments of `bench`.
#[derive(Args)]
pub struct Arguments {
    /// The names of workloads; all of them if none is named.
    cases: Vec<String>,
    /// The device: cpu, wgpu, cuda (in a build with that feature; cuda:1 for the second GPU), or
    /// auto for wgpu where there is an adapter.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// The workloads of the page, at the sizes of a GPU, or of language models.
    #[arg(long, default_value = "page")]
    sizes: Sizes,
    /// Divides the sizes of the GPU's and the models' workloads, to run them elsewhere.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(i64).range(1..))]
    shrink: i64,
    /// Seconds per workload.
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Prints one JSON object: the device, its measured limits, and for each workload the median in
    /// milliseconds, the bytes and the operations.
    #[arg(long)]
    json: bool,
    /// Prints the time of a run by kernel.
    #[arg(long, conflicts_with = "json")]
    profile: bool,
}

/// The arithmetic of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    Float32,
    /// float32 whose products use 10 bits of the fraction, like PyTorch's `allow_tf32`.
    Tf32,
    Bfloat16,
}

/// A run, which returns the element that is read at its end.
type Run = Box<dyn Fn() -> Result<Tensor>>;

/// A workload, with the minimum of work that a device must do.
struct Task {
    run: Run,
    /// Bytes read and written; 0 if they are not counted.
    bytes: f64,
    /// Multiplications and additions of products.
    operations: f64,
}

/// The constructor of a workload.
enum Constructor {
    /// Built for a device, with its number of operations.
    Page(fn(&Device) -> Result<Run>, f64),
    /// Built for the default device, with its bytes and operations.
    Counted(fn(Shrink) -> Result<Task>),
}

/// A workload by name.
struct Workload {
    name: &'static str,
    arithmetic: Arithmetic,
    make: Constructor,
}

impl Workload {
    fn make(&self, device: &Device, shrink: Shrink) -> Result<Task> {
        match self.make {
            Constructor::Page(make, operations) => Ok(Task { run: make(device)?, bytes: 0.0, operations }),
            Constructor::Counted(make) => make(shrink),
        }
    }
}

/// Warm-up runs: the second replays the plan that the first made.
const WARM_UP: usize = 3;

/// The minimum of measured runs, and the exclusive maximum.
const RUNS: std::ops::Range<usize> = 5..1000;

/// The measurements of a workload.
struct Measured {
    /// Milliseconds of each run, ascending.
    times: Vec<f64>,
    /// Kernels per run.
    dispatches: u64,
    submits: u64,
    /// The element that the last run read.
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
    let before = device.inspect().stats();
    let (end, mut times, mut last) = (Instant::now() + Duration::from_secs_f64(seconds), vec![], 0.0);
    while times.len() < RUNS.start || (times.len() < RUNS.end && Instant::now() < end) {
        let begin = Instant::now();
        last = run()?.item().await?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    let (after, runs) = (device.inspect().stats(), times.len() as u64);
    if !f64::is_finite(last) {
        return Err(Error::argument("bench", format!("the result is {last}")));
    }
    times.sort_by(f64::total_cmp);
    let per_run = |after: u64, before: u64| (after - before) / runs;
    let dispatches = per_run(after.launches, before.launches);
    Ok(Measured { times, dispatches, submits: per_run(after.submissions, before.submissions), last, bytes, operations })
}

/// Prints the kernels of one run in order, with their microseconds.
async fn print_profile(task: Task, device: &Device) -> Result<()> {
    for _ in 0..WARM_UP {
        (task.run)()?.item().await?;
    }
    device.inspect().start_profile();
    (task.run)()?.item().await?;
    let profile = device.inspect().stop_profile().await?;
    for span in &profile.spans {
        println!("{:>24.1} us  {} ({})", span.duration, span.op, span.kind);
    }
    profile.note.into_iter().for_each(|note| println!("{note}"));
    Ok(())
}

/// Measures the workloads, and prints a table or JSON. Returns false if a name is unknown or a
/// workload failed.
pub async fn run(arguments: &Arguments) -> Result<bool> {
    let all = arguments.sizes.workloads();
    let known = |name: &&String| all.iter().any(|workload| workload.name == **name);
    if let Some(odd) = arguments.cases.iter().find(|name| !known(name)) {
        let names: Vec<&str> = all.iter().map(|workload| workload.name).collect();
        eprintln!("there is no workload {odd:?}; there are {}", names.join(", "));
        return Ok(false);
    }
    if arguments.shrink != 1 && arguments.sizes == Sizes::Page {
        eprintln!("--shrink is for --sizes gpu and models: the page's workloads have the sizes of the other engines'");
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
        // Frees the pooled buffers, so they do not count against the next workload.
        device.memory().empty_cache();
    }
    if arguments.json {
        println!("{}", report.to_json());
    } else if arguments.sizes == Sizes::Gpu {
        report.print_limits();
    }
    Ok(!report.has_failures())
}
