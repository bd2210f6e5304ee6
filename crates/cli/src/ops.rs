//! `lanthorn ops`: prints the table of operations, or their reference page.

use clap::Args;
use lanthorn::{
    DType, Device, Error, Policy, Result, Tensor,
    ops::{Op, OpKind, all},
};
use lanthorn_conformance::golden::{self, KNOWN_MISSES, Strictness, known};
use pollster::block_on;
use std::{
    collections::BTreeMap,
    fmt::Write,
    path::{Path, PathBuf},
};

/// The arguments of `ops`.
#[derive(Args)]
pub struct Arguments {
    /// Only operations whose name matches; `*` and `?` are wildcards.
    #[arg(value_name = "GLOB")]
    name: Option<String>,
    /// Compares each operation with PyTorch's recorded answers and shows how many checks pass.
    #[arg(long, value_name = "DIR")]
    golden: Option<PathBuf>,
    /// Prints the reference page, with the documentation and examples, in Markdown.
    #[arg(long)]
    markdown: bool,
}

/// The properties of an op that the table shows next to its schema.
struct Row {
    op: &'static Op,
    /// The kernels of its first sample.
    kernels: String,
    derivative: &'static str,
}

/// Prints the table.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let device = lanthorn::cpu();
    device.set_default();
    let wanted = |op: &&'static Op| arguments.name.as_ref().is_none_or(|glob| golden::selects(glob, op.name()));
    let rows: Vec<Row> = all().filter(wanted).map(|op| row(op, &device)).collect();
    let results = arguments.golden.as_deref().map(results).transpose()?;
    print!("{}", if arguments.markdown { page(&rows, results.as_ref()) } else { table(&rows, results.as_ref()) });
    Ok(true)
}

fn kind(op: &Op) -> &'static str {
    match op.kind {
        OpKind::Pointwise => "pointwise",
        OpKind::Leaf => "leaf",
        OpKind::Composite => "composite",
    }
}

/// Runs the op's first sample and records its kernels.
fn row(op: &'static Op, device: &Device) -> Row {
    let mut found = Row { op, kernels: "-".into(), derivative: "none" };
    let Some(sample) = (op.samples)().into_iter().next() else { return found };
    let mut kept = Vec::new();
    let mut differentiable = false;
    let explained = device.inspect().explain(|| {
        let args = sample.make(DType::F32, device, |x: Tensor| {
            if x.dtype().is_floating_point() { x.requires_grad_(true) } else { Ok(x) }
        })?;
        let output = block_on(op.run_async(&args))?;
        differentiable = output.tensors().iter().any(Tensor::requires_grad);
        kept.extend(output.tensors().to_vec());
        Ok(kept)
    });
    if differentiable {
        found.derivative = match op.kind {
            OpKind::Pointwise => "formula",
            OpKind::Leaf => "own",
            OpKind::Composite => "autograd",
        };
    }
    let mut kinds: Vec<&str> = Vec::new();
    for kernel in explained.into_iter().flat_map(|explanation| explanation.kernels) {
        if !kinds.contains(&kernel.kind) {
            kinds.push(kernel.kind);
        }
    }
    found.kernels = if kinds.is_empty() { "view".into() } else { kinds.join("+") };
    found
}

/// Counts the passed checks and all checks of each op's golden files.
fn results(directory: &Path) -> Result<Results> {
    let fail = |why: String| Error::argument("ops", why);
    let known = known::parse(KNOWN_MISSES, "cpu").map_err(fail)?;
    let report =
        golden::check(directory, &|| Ok(lanthorn::cpu()), Strictness::Strict, &known, |_| true).map_err(fail)?;
    let mut results = BTreeMap::new();
    for (file, passed, count) in report.by_file() {
        // `div__floor_rounding` is a variant of `div`.
        let name = file.find("__").filter(|&at| at > 0).map_or(file, |at| &file[..at]);
        if let Some(op) = golden::names::find(name, &[]).0.first() {
            let (all_passed, all): &mut (usize, usize) = results.entry(op.base_name()).or_default();
            (*all_passed, *all) = (*all_passed + passed, *all + count);
        }
    }
    Ok(results)
}

/// For each op, the number of passed checks and of all checks.
type Results = BTreeMap<&'static str, (usize, usize)>;

fn table(rows: &[Row], results: Option<&Results>) -> String {
    let mut text = String::new();
    let mut line = |name: &str, kind: &str, kernels: &str, derivative: &str, golden: &str, schema: &str| {
        let golden = if results.is_some() { format!("{golden:<10} ") } else { String::new() };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name:<30} {kind:<10} {kernels:<22} {derivative:<11} {golden}{schema}");
    };
    line("name", "kind", "kernels", "derivative", "golden", "schema");
    for row in rows {
        let golden = results.and_then(|results| results.get(row.op.base_name()));
        let golden = golden.map_or("-".into(), |(passed, all)| format!("{passed}/{all}"));
        line(row.op.name(), kind(row.op), &row.kernels, row.derivative, &golden, row.op.text);
    }
    let count = |wanted: OpKind| rows.iter().filter(|row| row.op.kind == wanted).count();
    let [pointwise, leaves, composites] = [OpKind::Pointwise, OpKind::Leaf, OpKind::Composite].map(count);
    let _ =
        writeln!(text, "{} operations: {pointwise} pointwise, {leaves} leaves, {composites} composites", rows.len());
    text
}

const HEADER: &str = "# Operations

`lanthorn ops --markdown --golden tests/golden` prints this page from the table. To change it, change
the documentation of the operations. Every operation runs on every backend: the CPU natively and in
WebAssembly, and WebGPU natively and in the browser.

In JavaScript, names are in camel case (`index_select` is `indexSelect`), operations with the prefix
`fft_`, `linalg_`, `special_` or `signal_windows_` are functions of `fft`, `linalg`, `special` and
`signal.windows`, and arguments after `*` go into an object.

- *Pointwise* operations are one formula, from which kernels and derivative are generated. *Leaves*
  have their own lowering and derivative. *Composites* are written in other operations, or are a
  case of a leaf (`max_pool1d`, `linalg_inv`).
- *Kernels* are the kernels of the operation's first sample.
- *PyTorch's answers* counts values, gradients of first and second order, in-place forms and errors,
  on the CPU, within PyTorch's tolerance.
- *Autocast* is the type that autocast converts the operation's tensors to.
";

fn page(rows: &[Row], results: Option<&Results>) -> String {
    let mut page = HEADER.to_string();
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| row.op.name());
    for row in sorted {
        let Row { op, kernels, derivative } = row;
        let aliases = op.aliases.iter().map(|alias| format!("`{alias}`")).collect::<Vec<_>>().join(", ");
        let also = if aliases.is_empty() { String::new() } else { format!(" Also {aliases}.") };
        let autocast = match op.autocast {
            Policy::Keep => "",
            Policy::Lower => " Autocast: half type.",
            Policy::Widen => " Autocast: float32.",
        };
        let in_place = if op.in_place.is_some() { format!(" In place: `{}_`.", op.name()) } else { String::new() };
        let waits = if op.is_async() { " The result is awaited." } else { "" };
        let _ = writeln!(page, "\n## `{}`\n`{}`\n", op.name(), op.text);
        let golden = results.and_then(|results| results.get(op.base_name()));
        let golden = golden.map_or(String::new(), |(passed, all)| format!(" PyTorch's answers: {passed} of {all}."));
        let _ = writeln!(
            page,
            "{}. Kernels: {kernels}. Derivative: {derivative}.{golden}{autocast}{in_place}{waits}{also}\n",
            capital(kind(op))
        );
        // Lines that rustdoc hides are not part of the example.
        let mut fenced = false;
        for line in op.doc.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)) {
            let opens = line.starts_with("```");
            fenced ^= opens;
            let shown = if opens && fenced { "```rust" } else { line };
            if !(fenced && (line.starts_with("# ") || line == "#")) {
                let _ = writeln!(page, "{}", shown.replace("](Tensor::", "](#"));
            }
        }
    }
    page
}

fn capital(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}
