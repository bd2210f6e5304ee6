//! A profile: launches measured on the device, as a table and as a trace.

use crate::plan::Plan;
use lanthorn_ir::backend::Timing;
use rustc_hash::FxHashMap;
use std::fmt::{self, Display, Formatter, Write};

/// The times of the launches between [`Inspector::start_profile`](crate::Inspector::start_profile) and
/// [`Inspector::stop_profile`](crate::Inspector::stop_profile). Printing it shows a table by kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// Measured spans in order of execution.
    pub spans: Vec<Span>,
    /// A limitation of the measurement.
    pub note: Option<&'static str>,
}

/// A launch, or a whole submission if the device cannot measure launches.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The op of the kernel.
    pub op: &'static str,
    /// The kernel's kind.
    pub kind: &'static str,
    /// The start in microseconds after the start of the first span.
    pub start: f64,
    /// The duration in microseconds.
    pub duration: f64,
}

/// All spans of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileRow {
    /// The op.
    pub op: &'static str,
    /// The kernel's kind.
    pub kind: &'static str,
    /// The number of launches.
    pub count: usize,
    /// The sum of durations in microseconds.
    pub total: f64,
    /// The share of the sum of all spans, from 0 to 1.
    pub share: f64,
}

/// The launches of each submission, as (op, kind).
#[derive(Default)]
pub(crate) struct LaunchLog(FxHashMap<u64, Vec<(&'static str, &'static str)>>);

impl LaunchLog {
    pub fn note(&mut self, submission: u64, plan: Option<&Plan>) {
        let steps = plan.map_or(&[][..], |plan| &plan.template.steps);
        self.0.insert(submission, steps.iter().map(|step| (step.op, step.kernel.kind())).collect());
    }

    pub fn finish(&self, mut timings: Vec<Timing>) -> Profile {
        timings.sort_by(|a, b| a.start.total_cmp(&b.start));
        let first = timings.first().map_or(0.0, |timing| timing.start);
        let coarse = timings.iter().any(|timing| timing.launch.is_none());
        let spans = timings.iter().map(|timing| {
            let launches = self.0.get(&timing.submission);
            let launch = launches.zip(timing.launch).and_then(|(launches, launch)| launches.get(launch));
            let (op, kind) = launch.copied().unwrap_or(("all", "submission"));
            Span { op, kind, start: timing.start - first, duration: timing.duration }
        });
        let note =
            coarse.then_some("the device has no timestamp queries: whole submissions are measured, with their waiting");
        Profile { spans: spans.collect(), note }
    }
}

impl Profile {
    /// The spans by op and kind, the longest first.
    pub fn rows(&self) -> Vec<ProfileRow> {
        let mut rows: Vec<ProfileRow> = Vec::new();
        let all: f64 = self.spans.iter().map(|span| span.duration).sum();
        for span in &self.spans {
            let at = rows.iter().position(|row| (row.op, row.kind) == (span.op, span.kind)).unwrap_or_else(|| {
                rows.push(ProfileRow { op: span.op, kind: span.kind, count: 0, total: 0.0, share: 0.0 });
                rows.len() - 1
            });
            rows[at].count += 1;
            rows[at].total += span.duration;
        }
        rows.iter_mut().for_each(|row| row.share = if all > 0.0 { row.total / all } else { 0.0 });
        rows.sort_by(|a, b| b.total.total_cmp(&a.total));
        rows
    }

    /// The spans in the format of `chrome://tracing` and Perfetto (the Trace Event Format, JSON).
    pub fn to_trace(&self) -> String {
        let events = self.spans.iter().map(|span| {
            let Span { op, kind, start, duration } = span;
            format!(r#"{{"name":{op:?},"cat":{kind:?},"ph":"X","ts":{start:.3},"dur":{duration:.3},"pid":1,"tid":1}}"#)
        });
        format!("{{\"traceEvents\":[{}]}}", events.collect::<Vec<_>>().join(","))
    }
}

impl Display for Profile {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut table = format!("{:<28} {:<16} {:>7} {:>12} {:>7}\n", "op", "kernel", "count", "total ms", "share");
        for row in self.rows() {
            let (total, share) = (row.total / 1000.0, row.share * 100.0);
            writeln!(table, "{:<28} {:<16} {:>7} {total:>12.3} {share:>6.1}%", row.op, row.kind, row.count)?;
        }
        f.write_str(&table)?;
        self.note.map_or(Ok(()), |note| writeln!(f, "({note})"))
    }
}
