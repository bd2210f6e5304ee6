//! PyTorch's recorded answers: every op on PyTorch's own samples, its first and second gradients,
//! its in-place form, and the calls that must throw.
//!
//! The runner reads a folder of golden files ([`file`]), binds each call to the op table ([`call`],
//! [`names`]), runs it on a device ([`run`]), and compares the results with the file within a
//! tolerance ([`tolerance`], [`comparison`], [`factors`]). A list names the known deviations with
//! their reasons ([`known`]); all other deviations are failures. If the table lacks an op, all of
//! its checks fail.
//!
//! Rejected: generating Rust tests from the files. The runner accepts any folder in the format,
//! also from outside of this project.

pub mod call;
pub mod comparison;
pub mod e2e;
pub mod factors;
pub mod file;
pub mod glob;
pub mod index;
pub mod known;
pub mod module;
pub mod names;
pub mod optim;
pub mod report;
pub mod run;
pub mod tensors;
pub mod tolerance;

pub use file::{GoldenFile, folders, names as files};
pub use known::{KNOWN_MISSES, KnownMiss};
pub use report::GoldenReport;
pub use run::{MakeDevice, Runner, Share};
pub use tolerance::Strictness;

use std::path::Path;

/// Runs one file of a folder.
type RunFile = fn(&Path, &str, &MakeDevice<'_>, Strictness) -> Result<Vec<run::Check>, String>;

/// The files other than the files of ops and modules, by folder.
const FOLDERS: &[(&str, RunFile)] = &[("optim", optim::run), ("e2e", e2e::run)];

/// Runs the files of `directory` whose name `wanted` accepts.
pub fn check(
    directory: &Path,
    make: &MakeDevice<'_>,
    strictness: Strictness,
    known: &[KnownMiss],
    wanted: impl Fn(&str) -> bool,
) -> Result<GoldenReport, String> {
    check_share(directory, make, strictness, known, wanted, Share::WHOLE)
}

/// Runs a share of the files of ops and modules, and the other files, of `directory` whose name
/// `wanted` accepts.
pub fn check_share(
    directory: &Path,
    make: &MakeDevice<'_>,
    strictness: Strictness,
    known: &[KnownMiss],
    wanted: impl Fn(&str) -> bool,
    share: Share,
) -> Result<GoldenReport, String> {
    let mut report = GoldenReport::default();
    for (folder, run) in FOLDERS {
        let folder = directory.join(folder);
        if !folder.is_dir() {
            continue;
        }
        for name in files(&folder)?.iter().filter(|name| wanted(name)) {
            match run(&folder, name, make, strictness) {
                Ok(checks) => report.add(name, checks, known),
                Err(why) => report.add_broken(why),
            }
        }
    }
    let mut runner = Runner::new(make, strictness).map_err(|error| error.to_string())?;
    for folder in folders(directory) {
        for name in files(&folder)?.iter().filter(|name| wanted(name)) {
            match GoldenFile::read(&folder, name) {
                Ok(file) => report.add(&file.name, runner.run(&file, share), known),
                Err(why) => report.add_broken(why),
            }
        }
    }
    Ok(report)
}

/// Whether a filter selects a file: `*` and `?` are wildcards for its name, with or without the
/// prefix of PyTorch's module or the variant.
pub fn selects(filter: &str, name: &str) -> bool {
    let op = name.split("__").find(|part| !part.is_empty()).unwrap_or(name);
    let base = name.find("__").filter(|&at| at > 0).map_or(name, |at| &name[..at]);
    [name, base, base.rsplit('.').next().unwrap_or(base), op].iter().any(|text| glob::matches(filter, text))
}

#[cfg(test)]
mod tests {
    use super::selects;

    #[test]
    fn a_filter_is_a_name_or_a_pattern() {
        assert!(selects("div", "div__floor_rounding") && selects("div__*", "div__floor_rounding"));
        assert!(
            selects("silu", "nn.functional.silu")
                && selects("linalg.*", "linalg.qr")
                && selects("__radd__", "__radd__")
        );
        assert!(!selects("div", "divide") && !selects("norm", "normalize"));
    }
}
