//! `lanthorn optimizers`: prints the tables of optimizers and schedules, or their reference page.

use crate::reference::prose;
use clap::Args;
use lanthorn::{
    Error, Result,
    optim::{schedule::SCHEDULES, table::OPTIMIZERS},
};
use lanthorn_conformance::golden;
use std::fmt::Write;

/// The arguments of `optimizers`.
#[derive(Args)]
pub struct Arguments {
    /// Only optimizers and schedules whose name matches; `*` and `?` are wildcards.
    #[arg(value_name = "GLOB")]
    name: Option<String>,
    /// Prints the reference page in Markdown.
    #[arg(long)]
    markdown: bool,
}

/// A row of one of the tables.
struct Row {
    name: &'static str,
    /// The constructor in PyTorch's notation, with `first` before the options.
    constructor: String,
    doc: &'static [&'static str],
    /// The names of the options, with their documentation.
    options: Vec<(String, &'static str)>,
}

fn optimizers() -> Vec<Row> {
    let row = |spec: &&'static lanthorn::optim::table::OptimizerSpec| {
        let schema = spec.schema();
        let names = schema.params.iter().skip(1).map(|param| param.name.clone());
        Row {
            name: spec.name,
            constructor: schema.to_string().trim_end_matches(" -> Optimizer").to_string(),
            doc: spec.doc,
            options: names.zip(spec.option_docs.iter().copied()).collect(),
        }
    };
    OPTIMIZERS.iter().map(row).collect()
}

fn schedules() -> Vec<Row> {
    let row = |spec: &&'static lanthorn::optim::schedule::ScheduleSpec| {
        let schema = spec.schema();
        let names = schema.params.iter().map(|param| param.name.clone());
        let text = schema.to_string();
        Row {
            name: spec.name,
            constructor: text.trim_end_matches(" -> Scheduler").replacen('(', "(Optimizer optimizer, ", 1),
            doc: spec.doc,
            options: names.zip(spec.option_docs()).collect(),
        }
    };
    SCHEDULES.iter().map(row).collect()
}

/// Prints the tables.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let text = match arguments.markdown {
        true => page(arguments),
        false => table(arguments),
    };
    print!("{}", text.map_err(|error| Error::argument("optimizers", error.to_string()))?);
    Ok(true)
}

fn filter_rows(arguments: &Arguments, rows: Vec<Row>) -> Vec<Row> {
    rows.into_iter().filter(|row| arguments.name.as_ref().is_none_or(|glob| golden::selects(glob, row.name))).collect()
}

fn table(arguments: &Arguments) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for row in filter_rows(arguments, optimizers().into_iter().chain(schedules()).collect()) {
        writeln!(text, "{}", row.constructor)?;
    }
    Ok(text)
}

fn page(arguments: &Arguments) -> Result<String, std::fmt::Error> {
    let mut text = HEAD.to_string();
    for (heading, rows) in [(OPTIMIZERS_HEAD, optimizers()), (SCHEDULES_HEAD, schedules())] {
        writeln!(text, "\n{heading}")?;
        for Row { name, constructor, doc, options } in filter_rows(arguments, rows) {
            writeln!(text, "\n### {name}\n\n{}\n\n```text\n{constructor}\n```\n", prose(doc.iter().copied()))?;
            for (option, doc) in options {
                writeln!(text, "- `{option}`: {}", prose(doc.lines()))?;
            }
        }
    }
    Ok(text)
}

const HEAD: &str = "# Optimizers and schedules

`lanthorn optimizers --markdown` prints this page from the tables. To change it, change the
documentation of the optimizers. Names, defaults and arithmetic are PyTorch's; in JavaScript the
names of options are in camel case. Every optimizer runs on every backend, and is compared with the
trajectories of PyTorch in `tests/golden/optim`.
";

const OPTIMIZERS_HEAD: &str = "## Optimizers

`optim.NAME` in JavaScript, `optim::NAME` in Rust (there `Sgd`, `Asgd`, `RmsProp` and `Lbfgs`) with the
options as a struct, `NAMEOptions`. A group of parameters can have other options, and options can
change at any step without recompiling. `LBFGS` takes its loss as a closure.";

const SCHEDULES_HEAD: &str = "## Schedules of the learning rate

`optim.lrScheduler.NAME` in JavaScript, `optim::schedule::NAME { .. }.on(&optimizer)` in Rust, where
`.after(&optimizer, last_epoch)` has the argument `last_epoch`. Functions and other schedules make
`LambdaLR`, `MultiplicativeLR`, `SequentialLR` and `ChainedScheduler`: in Rust `Scheduler::lambda`,
`multiplicative`, `sequential` and `chained`.";
