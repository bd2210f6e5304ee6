//! The report of a run: a table printed during the run with the measured limits, or JSON.

use super::{Arithmetic, Measured, Workload};
use lanthorn::Device;
use serde_json::{Map, Value, json};

/// The outcome of a workload.
pub(super) enum Outcome {
    Measured(Measured),
    /// The device does not support it.
    Skipped(String),
    Failed(String),
}

/// The outcomes of a run.
pub(super) struct Report {
    device: String,
    description: String,
    prints: bool,
    outcomes: Vec<(&'static str, Arithmetic, Outcome)>,
}

/// Returns the rate in 1e9 per second for a time in milliseconds, or an empty text if the work is
/// not counted.
fn rate(work: f64, milliseconds: f64) -> String {
    if work > 0.0 { format!("{:.1}", work / milliseconds / 1e6) } else { String::new() }
}

impl Report {
    /// Creates an empty report. If `prints`, it prints each outcome as a row.
    pub(super) fn new(device: &Device, prints: bool) -> Report {
        let description = device.capabilities().description.clone();
        if prints {
            println!("{} ({description})", device.name());
            println!(
                "{:<18} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8} {:>12}",
                "workload", "median ms", "least ms", "GB/s", "GFLOP/s", "dispatches", "submits", "result"
            );
        }
        Report { device: device.name().to_string(), description, prints, outcomes: vec![] }
    }

    pub(super) fn add(&mut self, workload: &Workload, outcome: Outcome) {
        if self.prints {
            let name = workload.name;
            match &outcome {
                Outcome::Measured(measured) => {
                    let (median, Measured { times, dispatches, submits, last, bytes, operations }) =
                        (measured.median(), measured);
                    let (moved, computed) = (rate(*bytes, median), rate(*operations, median));
                    println!(
                        "{name:<18} {median:>10.3} {:>10.3} {moved:>10} {computed:>10} {dispatches:>10} {submits:>8} {last:>12.6}",
                        times[0]
                    );
                }
                Outcome::Skipped(why) => println!("{name:<18} skipped: {why}"),
                Outcome::Failed(why) => println!("{name:<18} failed: {why}"),
            }
        }
        self.outcomes.push((workload.name, workload.arithmetic, outcome));
    }

    pub(super) fn has_failures(&self) -> bool {
        self.outcomes.iter().any(|(_, _, outcome)| matches!(outcome, Outcome::Failed(_)))
    }

    /// Returns the measured limits of the device in 1e9 per second: bytes of a copy, and operations
    /// of the largest product of each kind.
    fn limits(&self) -> Vec<(&'static str, f64)> {
        let measured = self.outcomes.iter().filter_map(|(name, arithmetic, outcome)| match outcome {
            Outcome::Measured(measured) => Some((*name, *arithmetic, measured)),
            _ => None,
        });
        let mut limits: Vec<(&'static str, f64)> = vec![];
        for (name, arithmetic, measured) in measured {
            let (key, work) = match arithmetic {
                Arithmetic::Float32 if name == "copy" => ("bandwidth", measured.bytes),
                _ if !name.starts_with("matmul") => continue,
                Arithmetic::Float32 => ("float32", measured.operations),
                Arithmetic::Tf32 => ("tf32", measured.operations),
                Arithmetic::Bfloat16 => ("bfloat16", measured.operations),
            };
            // The products of a kind are ordered by size.
            limits.retain(|(known, _)| *known != key);
            limits.push((key, work / measured.median() / 1e6));
        }
        limits
    }

    pub(super) fn print_limits(&self) {
        for (key, limit) in self.limits() {
            let unit = if key == "bandwidth" { "GB/s" } else { "GFLOP/s" };
            println!("limit: {key} {limit:.1} {unit}");
        }
    }

    /// Returns `{device, description, limits: {bandwidth, float32, ..}, workloads: [{name, ms,
    /// bytes, operations, arithmetic} | {name, skipped} | {name, failed}]}`.
    pub(super) fn to_json(&self) -> Value {
        let limits: Map<String, Value> =
            self.limits().into_iter().map(|(key, limit)| (key.to_string(), json!(limit))).collect();
        let workload = |(name, arithmetic, outcome): &(&str, Arithmetic, Outcome)| match outcome {
            Outcome::Measured(measured) => json!({
                "name": name,
                "ms": measured.median(),
                "bytes": measured.bytes,
                "operations": measured.operations,
                "arithmetic": format!("{arithmetic:?}").to_lowercase(),
            }),
            Outcome::Skipped(why) => json!({ "name": name, "skipped": why }),
            Outcome::Failed(why) => json!({ "name": name, "failed": why }),
        };
        let workloads: Vec<Value> = self.outcomes.iter().map(workload).collect();
        json!({ "device": self.device, "description": self.description, "limits": limits, "workloads": workloads })
    }
}
