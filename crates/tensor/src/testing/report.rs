//! The findings of a run.

use std::fmt;

/// Counts of checks, and what failed.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Checks that held.
    pub passed: usize,
    /// What did not hold, a line each.
    pub failures: Vec<String>,
}

impl Report {
    /// Counts a check, or notes why it failed.
    pub fn check(&mut self, what: impl fmt::Display, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(why) => self.failures.push(format!("{what}: {why}")),
        }
    }

    /// Adds another report to this one.
    pub fn extend(&mut self, other: Report) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
    }

    /// Panics with the failures if there are any, or if nothing was checked; for tests.
    pub fn assert_all(&self) {
        let shown = self.failures.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
        println!("{} checks passed", self.passed);
        assert!(self.failures.is_empty(), "{} passed, {} failed:\n{shown}", self.passed, self.failures.len());
        assert!(self.passed > 0, "nothing was checked");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "{failure}")?;
        }
        write!(f, "{} passed, {} failed", self.passed, self.failures.len())
    }
}
