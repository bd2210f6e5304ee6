//! `lanthorn inspect FILE`: lists the tensors of a file, or says why it is refused.

use lanthorn::{Error, Result, io};
use std::path::PathBuf;

/// The most characters of a cell of the table: a formatter's width is limited, and so is a terminal's.
const CELL_LIMIT: usize = 120;

/// The most characters of a value of the metadata.
const VALUE_LIMIT: usize = 4000;

/// A text of a file, escaped because it may contain terminal control sequences, and shortened.
fn printable(text: &str, limit: usize) -> String {
    io::shorten(&io::shorten(text, limit).escape_debug().to_string(), limit).into_owned()
}

#[derive(clap::Args)]
pub struct Arguments {
    /// A file of safetensors, PyTorch, npy, npz or GGUF, detected by its content.
    file: PathBuf,
    /// Also prints everything in the file that is not a tensor.
    #[arg(long)]
    metadata: bool,
}

pub fn run(arguments: &Arguments) -> Result<bool> {
    let path = arguments.file.display();
    let bytes = std::fs::read(&arguments.file).map_err(|error| Error::file("inspect", format!("{path}: {error}")))?;
    let listing = io::inspect(&bytes).map_err(|error| Error::file("inspect", format!("{path}: {error}")))?;
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
    let total: u64 = listing.tensors.iter().map(|tensor| tensor.bytes).sum();
    println!("{}: {} tensors, {total} bytes", listing.format, listing.tensors.len());
    Ok(true)
}
