//! `lanthorn conformance`: compares the operations with PyTorch's recorded answers.

use clap::{Args, ValueEnum};
use lanthorn::{Device, Error, Result};
use lanthorn_conformance::golden::{self, KNOWN_MISSES, Strictness, known};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The strictness of the comparison.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Tolerance {
    /// PyTorch's tolerance and four times PyTorch's own error.
    Strict,
    /// Additionally up to 512 units in the last place, depending on the op.
    Device,
}

/// The arguments of `conformance`.
#[derive(Args)]
pub struct Arguments {
    /// A folder of golden files, or the folder that contains them as `ops` and `modules`.
    #[arg(long, value_name = "DIR")]
    golden: PathBuf,
    /// The device: cpu, wgpu, cuda (cuda:1 for the second GPU), or cuda-host for CUDA's kernels on
    /// the processor; the last two require builds with the features of those names.
    #[arg(long, default_value = "cpu")]
    device: String,
    /// Only files whose name, `OP` or `OP__VARIANT`, matches; `*` and `?` are wildcards. Can be
    /// given several times.
    #[arg(long, value_name = "GLOB")]
    filter: Vec<String>,
    /// Writes every check with its outcome to a file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The allowed deviation; by default strict on the CPU and device elsewhere.
    #[arg(long)]
    tolerance: Option<Tolerance>,
    /// Prints every failed check, not only the worst of each file.
    #[arg(long)]
    verbose: bool,
    /// A list of known misses that replaces the project's list.
    #[arg(long, value_name = "FILE")]
    known_misses: Option<PathBuf>,
    /// Prints only the lines of the list that should be removed.
    #[arg(long)]
    stale: bool,
}

/// Runs the checks and returns whether all passed.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let device = || pollster::block_on(lanthorn::device(&arguments.device));
    // `cuda:1` shares the known misses of `cuda`.
    let kind = arguments.device.split(':').next().unwrap_or_default();
    let tolerance =
        arguments.tolerance.unwrap_or(if arguments.device == "cpu" { Tolerance::Strict } else { Tolerance::Device });
    let strictness = match tolerance {
        Tolerance::Strict => Strictness::Strict,
        Tolerance::Device => Strictness::Device,
    };
    let list = match &arguments.known_misses {
        Some(path) => fs::read_to_string(path).map_err(|error| wrong(path, error))?,
        None => KNOWN_MISSES.to_string(),
    };
    let known = known::parse(&list, kind).map_err(|why| Error::argument("conformance", why))?;
    if !arguments.stale {
        describe(&device()?, &arguments.golden, tolerance);
    }
    let wanted =
        |name: &str| arguments.filter.is_empty() || arguments.filter.iter().any(|filter| golden::selects(filter, name));
    let report = golden::check(&arguments.golden, &device, strictness, &known, wanted);
    let report = report.map_err(|why| Error::argument("conformance", why))?;
    if arguments.stale {
        report.stale().for_each(|line| println!("{line}"));
        return Ok(true);
    }
    if let Some(path) = &arguments.json {
        let json = report.to_json(&arguments.device, &format!("{tolerance:?}").to_lowercase());
        fs::write(path, json.to_string()).map_err(|error| wrong(path, error))?;
    }
    if arguments.verbose {
        report.failures().iter().for_each(|line| println!("{line}"));
    }
    println!("{report}");
    if report.passed_count() + report.failed_count() + report.skipped_count() == 0 {
        return Err(Error::argument("conformance", "no file matches the filter"));
    }
    Ok(report.failed_count() == 0)
}

fn describe(device: &Device, directory: &Path, tolerance: Tolerance) {
    println!(
        "device: {} ({}); tolerance: {tolerance:?}; {}",
        device.name(),
        device.capabilities().description,
        directory.display()
    );
}

fn wrong(path: &Path, error: std::io::Error) -> Error {
    Error::argument("conformance", format!("{}: {error}", path.display()))
}
