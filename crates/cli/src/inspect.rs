//! `lanthorn inspect FILE`: lists the tensors of a file, prints a program, or explains why the file
//! is rejected.

use lanthorn::onnx::external::Folder;
use lanthorn::program::{ExportedProgram, InputKind, Native, StateKind, graph::Size, pt2};
use lanthorn::script::ScriptModule;
use lanthorn::{Error, Result, io};
use std::path::PathBuf;

/// The longest cell of the table in characters. The formatter limits widths, and so does a
/// terminal.
const CELL_LIMIT: usize = 120;

/// The longest value of the metadata in characters.
const VALUE_LIMIT: usize = 4000;

/// Escapes a text of a file, because it may contain terminal control sequences, and shortens it.
fn printable(text: &str, limit: usize) -> String {
    io::shorten(&io::shorten(text, limit).escape_debug().to_string(), limit).into_owned()
}

#[derive(clap::Args)]
pub struct Arguments {
    /// A file of safetensors, PyTorch (a checkpoint, an exported program or TorchScript), ONNX,
    /// npy, npz or GGUF. The content determines the format.
    file: PathBuf,
    /// Also prints everything in the file that is not a tensor.
    #[arg(long)]
    metadata: bool,
    /// If a checkpoint has values of other classes, lists the tensors and plain values, and then
    /// the other values.
    #[arg(long)]
    tensors_only: bool,
}

/// Prints a program's inputs, results, state and graph.
fn inspect_program(program: &ExportedProgram, format: &str) -> Result<bool> {
    for state in &program.state {
        let tensor = &program.tensors[state.tensor];
        let kind = match state.kind {
            StateKind::Parameter => "parameter",
            StateKind::Buffer { .. } => "buffer",
            StateKind::Constant => "constant",
        };
        println!("{kind} {}  {}  {:?}", printable(&state.name, CELL_LIMIT), tensor.dtype(), tensor.shape());
    }
    let users = program.inputs.iter().enumerate().filter(|(_, input)| !matches!(input.kind, InputKind::State(_)));
    for (name, (index, _)) in program.input_names().iter().zip(users) {
        let meta = program.input_meta(index);
        let sizes = meta.iter().flat_map(|meta| &meta.sizes).map(Size::to_string).collect::<Vec<_>>().join(", ");
        let dtype = meta.map_or("value", |meta| meta.dtype.name());
        println!("input {}  {dtype}  [{sizes}]", printable(name, CELL_LIMIT));
    }
    for name in program.output_names() {
        println!("output {}", printable(&name, CELL_LIMIT));
    }
    for (symbol, range) in &program.ranges {
        println!("{}: {range}", printable(symbol, CELL_LIMIT));
    }
    for line in program.graph.to_string().lines() {
        println!("{}", printable(line, VALUE_LIMIT));
    }
    println!("{format}: {} operations, {} tensors", program.graph.node_count(), program.tensors.len());
    Ok(true)
}

/// Prints the tensors and methods of a TorchScript module.
fn inspect_script(path: &str, bytes: &[u8]) -> Result<bool> {
    let device = pollster::block_on(lanthorn::device("cpu"))?;
    let module = ScriptModule::load(bytes, Native::new(&device));
    let module = module.map_err(|error| Error::file("inspect", format!("{path}: {error}")))?;
    let (parameters, buffers) = (module.named_parameters(), module.named_buffers());
    let kinds = [("parameter", &parameters), ("buffer", &buffers)];
    for (kind, (name, tensor)) in kinds.iter().flat_map(|(kind, named)| named.iter().map(move |named| (kind, named))) {
        println!("{kind} {}  {}  {}", printable(name, CELL_LIMIT), tensor.dtype(), tensor.shape());
    }
    for method in module.methods() {
        let parameters = module.parameters_of(&method).unwrap_or_default().join(", ");
        println!("method {}", printable(&format!("{method}({parameters})"), CELL_LIMIT));
    }
    if !module.missing_operators().is_empty() {
        println!("not available: {}", printable(&module.missing_operators().join(", "), VALUE_LIMIT));
    }
    let class = printable(module.class_name(), CELL_LIMIT);
    println!("TorchScript module {class}: {} tensors", parameters.len() + buffers.len());
    Ok(true)
}

pub fn run(arguments: &Arguments) -> Result<bool> {
    let path = arguments.file.display();
    let bytes = std::fs::read(&arguments.file).map_err(|error| Error::file("inspect", format!("{path}: {error}")))?;
    let refused = |error: lanthorn::program::Error| Error::file("inspect", format!("{path}: {error}"));
    if pt2::detect(&bytes) {
        let program = pt2::load(&bytes).map_err(refused)?;
        return inspect_program(&program, "PyTorch program");
    }
    if lanthorn::onnx::detect(&bytes) {
        let program = lanthorn::onnx::read(bytes, &Folder::of(&arguments.file)).map_err(refused)?;
        return inspect_program(&program, "ONNX model");
    }
    if lanthorn::script::detect(&bytes) {
        return inspect_script(&path.to_string(), &bytes);
    }
    let (listing, left) = match arguments.tensors_only {
        true => io::inspect_tensors_only(&bytes),
        false => io::inspect(&bytes).map(|listing| (listing, vec![])),
    }
    .map_err(|error| Error::file("inspect", format!("{path}: {error}")))?;
    let rows: Vec<[String; 4]> = listing
        .tensors
        .iter()
        .map(|tensor| {
            let shape = format!("{:?}", tensor.shape);
            [&tensor.name, &tensor.dtype, &shape, &tensor.bytes.to_string()].map(|text| printable(text, CELL_LIMIT))
        })
        .collect();
    let header = ["name", "dtype", "shape", "bytes"].map(str::to_string);
    let width = |column: usize| rows.iter().chain([&header]).map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    for [name, dtype, shape, bytes] in [&header].into_iter().chain(&rows) {
        println!("{name:0$}  {dtype:1$}  {shape:2$}  {bytes:>3$}", widths[0], widths[1], widths[2], widths[3]);
    }
    if arguments.metadata {
        for (name, value) in &listing.metadata {
            println!("{}: {}", printable(name, CELL_LIMIT), printable(value, VALUE_LIMIT));
        }
    }
    for io::pytorch::LeftOut { path, class } in &left {
        println!("left out: {} {}", printable(path, CELL_LIMIT), printable(class, CELL_LIMIT));
    }
    let total: u64 = listing.tensors.iter().map(|tensor| tensor.bytes).sum();
    println!("{}: {} tensors, {total} bytes", listing.format, listing.tensors.len());
    Ok(true)
}
