//! The report of a run: a line for each file that fails, and the counts.

use super::{
    known::{KnownMiss, find},
    run::{Check, Outcome},
};
use crate::selection;
use serde_json::{Value as Json, json};
use std::{collections::BTreeMap, fmt};

/// The checks of one file.
#[derive(Debug)]
struct FileReport {
    name: String,
    checks: Vec<Check>,
}

/// All checks, with the list of known misses applied.
#[derive(Debug, Default)]
pub struct GoldenReport {
    files: Vec<FileReport>,
    /// Files that could not be read.
    broken: Vec<String>,
    /// Lines of the list, with the numbers of their checks that fail and pass.
    misses: BTreeMap<String, (usize, usize)>,
}

impl GoldenReport {
    /// Adds the checks of a file. A listed check that fails is skipped; a listed check that passes
    /// has failed.
    pub fn add(&mut self, name: &str, mut checks: Vec<Check>, known: &[KnownMiss]) {
        for check in &mut checks {
            let Some(miss) = find(known, &format!("{name}/{}/{}", check.sample, check.aspect)) else { continue };
            let (failing, passing) = self.misses.entry(miss.line.clone()).or_default();
            match &check.outcome {
                Outcome::Failed(..) => {
                    *failing += 1;
                    check.outcome = Outcome::Skipped(format!("known miss: {}", miss.reason));
                }
                Outcome::Passed => {
                    *passing += 1;
                    let why = format!("passes now; remove it from the list of known misses: {}", miss.line);
                    check.outcome = Outcome::Failed(why, 0.0);
                }
                Outcome::Skipped(_) => {}
            }
        }
        self.files.push(FileReport { name: name.into(), checks });
    }

    /// Records a file that could not be read.
    pub fn add_broken(&mut self, why: String) {
        self.broken.push(why);
    }

    fn count(&self, is: fn(&Outcome) -> bool) -> usize {
        self.files.iter().flat_map(|file| &file.checks).filter(|check| is(&check.outcome)).count()
    }

    /// Each file's name with the numbers of its passed checks and of all checks that were not
    /// skipped.
    pub fn by_file(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        self.files.iter().map(|file| {
            let passed = file.checks.iter().filter(|check| check.outcome == Outcome::Passed).count();
            let failed = file.checks.iter().filter(|check| matches!(check.outcome, Outcome::Failed(..))).count();
            (file.name.as_str(), passed, passed + failed)
        })
    }

    /// The number of passed checks.
    pub fn passed_count(&self) -> usize {
        self.count(|outcome| *outcome == Outcome::Passed)
    }

    /// The number of failed checks and of files that could not be read.
    pub fn failed_count(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(..))) + self.broken.len()
    }

    /// The number of skipped checks.
    pub fn skipped_count(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Skipped(_)))
    }

    /// Lines of the list with checks that pass, which should be removed or made more specific.
    pub fn stale(&self) -> impl Iterator<Item = &str> {
        self.misses.iter().filter(|(_, (_, passing))| *passing > 0).map(|(line, _)| line.as_str())
    }

    /// Every failed check, one line each.
    pub fn failures(&self) -> Vec<String> {
        let mut lines = self.broken.clone();
        for file in &self.files {
            for check in &file.checks {
                if let Outcome::Failed(why, _) = &check.outcome {
                    lines.push(format!("{}/{}/{}: {why}", file.name, check.sample, check.aspect));
                }
            }
        }
        lines
    }

    /// How often each reason for skipping was given.
    fn skips(&self) -> BTreeMap<&str, usize> {
        let mut skips = BTreeMap::new();
        for check in self.files.iter().flat_map(|file| &file.checks) {
            if let Outcome::Skipped(why) = &check.outcome {
                *skips.entry(why.as_str()).or_default() += 1;
            }
        }
        skips
    }

    /// The whole report, for programs.
    pub fn to_json(&self, device: &str, tolerance: &str) -> Json {
        let files = self.files.iter().map(|file| {
            let checks = file.checks.iter().map(|check| {
                let (outcome, why) = match &check.outcome {
                    Outcome::Passed => ("passed", None),
                    Outcome::Failed(why, _) => ("failed", Some(why)),
                    Outcome::Skipped(why) => ("skipped", Some(why)),
                };
                let mut line = json!({"sample": check.sample, "aspect": check.aspect.to_string(), "outcome": outcome});
                if let Some(why) = why {
                    line["reason"] = why.as_str().into();
                }
                line
            });
            json!({"name": file.name, "checks": checks.collect::<Vec<_>>()})
        });
        json!({
            "device": device,
            "tolerance": tolerance,
            "passed": self.passed_count(),
            "failed": self.failed_count(),
            "skipped": self.skipped_count(),
            "unreadable": self.broken,
            "files": files.collect::<Vec<_>>(),
        })
    }

    /// Panics with the failures if there are any, or if nothing was checked though `LANTHORN_OPS`
    /// selects no operations; for tests.
    pub fn assert_all(&self) {
        println!("{self}");
        let stale: Vec<&str> = self.stale().collect();
        assert!(
            self.failed_count() == 0,
            "golden values do not agree:\n{self}\nto be removed from known_misses.txt:\n{}",
            stale.join("\n")
        );
        assert!(self.passed_count() > 0 || selection::is_active(), "nothing was checked");
    }
}

impl fmt::Display for GoldenReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for why in &self.broken {
            writeln!(f, "{why}")?;
        }
        for file in &self.files {
            let failed = file.checks.iter().filter_map(|check| match &check.outcome {
                Outcome::Failed(why, off) => Some((check, why, *off)),
                _ => None,
            });
            let count = failed.clone().count();
            if let Some((check, why, _)) = failed.max_by(|a, b| a.2.total_cmp(&b.2)) {
                let of = file.checks.len();
                writeln!(
                    f,
                    "{}: {count} of {of} failed; worst: sample {}, {}: {why}",
                    file.name, check.sample, check.aspect
                )?;
            }
        }
        for (why, count) in self.skips() {
            writeln!(f, "skipped {count}: {why}")?;
        }
        write!(f, "{} passed, {} failed, {} skipped", self.passed_count(), self.failed_count(), self.skipped_count())
    }
}
