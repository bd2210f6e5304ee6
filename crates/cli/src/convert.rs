//! `lanthorn convert INPUT OUTPUT`: converts a program to a `.pt2` that PyTorch loads or to an ONNX
//! model, or the tensors of a file to another format.

use lanthorn::onnx::external::Folder;
use lanthorn::program::{ExportedProgram, StateKind, passes, pt2};
use lanthorn::{Error, Result, io, io::TensorData};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The arguments of `convert`.
#[derive(clap::Args)]
pub struct Arguments {
    /// A program (.pt2, .onnx), or a file of tensors: a checkpoint, safetensors, npy, npz or GGUF.
    /// The content determines the format.
    input: PathBuf,
    /// The file to write: .pt2 or .onnx for a program, or .safetensors, .npz, .pt, .pth for
    /// tensors. For a program these are its parameters and buffers by their names.
    output: PathBuf,
    /// Removes unnecessary computation from a program: constants, equal calls, unused results.
    #[arg(long)]
    optimize: bool,
    /// If a checkpoint has values of other classes, writes the tensors and plain values, and lists
    /// the other values.
    #[arg(long)]
    tensors_only: bool,
}

type Tree<'a> = io::Value<TensorData<'a>>;

/// Converts the file, and describes the result.
pub fn run(arguments: &Arguments) -> Result<()> {
    let refused = |path: &Path, message: String| Error::file("convert", format!("{}: {message}", path.display()));
    let read = |error: String| refused(&arguments.input, error);
    let write = |error: String| refused(&arguments.output, error);
    let bytes = fs::read(&arguments.input).map_err(|error| read(error.to_string()))?;
    let to_program = matches!(ending(&arguments.output).as_str(), "pt2" | "onnx");
    let program = if pt2::detect(&bytes) {
        Some(pt2::load(&bytes).map_err(|error| read(error.to_string()))?)
    } else if lanthorn::onnx::detect(&bytes) {
        let model = lanthorn::onnx::read(bytes.clone(), &Folder::of(&arguments.input));
        Some(model.map_err(|error| read(error.to_string()))?)
    } else {
        None
    };
    let (converted, what) = if let Some(mut program) = program {
        if arguments.optimize {
            passes::optimize(&mut program.graph);
        }
        if to_program {
            let what = format!("{} operations, {} tensors", program.graph.node_count(), program.tensors.len());
            (encode(&program, &arguments.output).map_err(|error| write(error.to_string()))?, what)
        } else {
            let in_state_dict = |kind| kind != StateKind::Constant && kind != StateKind::Buffer { persistent: false };
            let named = program.named(in_state_dict);
            let named = named.map(|(name, index)| (name, program.tensors[program.state[index].tensor].clone()));
            tensors(&Tree::tensors(named), &arguments.output)?
        }
    } else if to_program {
        let message = "only a program (.pt2, .onnx) becomes one; trace a module in JavaScript or Rust to export it";
        return Err(read(message.to_string()));
    } else {
        let loaded = match arguments.tensors_only {
            true => io::load_tensors_only(&bytes),
            false => io::load(&bytes).map(|tree| (tree, vec![])),
        };
        let (tree, left) = loaded.map_err(|error| read(error.to_string()))?;
        for io::pytorch::LeftOut { path, class } in left {
            eprintln!("left out: {path} {class}");
        }
        tensors(&tree, &arguments.output)?
    };
    fs::write(&arguments.output, converted).map_err(|error| write(error.to_string()))?;
    println!("{}: {what}", arguments.output.display());
    Ok(())
}

/// Writes the program in the format of the path's extension.
fn encode(program: &ExportedProgram, path: &Path) -> lanthorn::program::Result<Vec<u8>> {
    if ending(path) == "onnx" { lanthorn::onnx::save(program) } else { pt2::save(program) }
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Writes a file of tensors in the format of the path's extension, and describes its content.
fn tensors(tree: &Tree<'_>, path: &Path) -> Result<(Vec<u8>, String)> {
    let refused = |message: String| Error::file("convert", format!("{}: {message}", path.display()));
    let ending = ending(path);
    let bytes = match ending.as_str() {
        "pt" | "pth" => io::pytorch::save(tree),
        "safetensors" => io::safetensors::save(&tensors_of(tree, path)?, &[("format".to_string(), "pt".to_string())]),
        "npz" => io::npz::save(&tensors_of(tree, path)?),
        _ => return Err(refused("end the name in .pt2, .onnx, .safetensors, .npz, .pt or .pth".to_string())),
    };
    let count = tree.as_dict().map_or(1, <[_]>::len);
    Ok((bytes.map_err(|error| refused(error.to_string()))?, format!("{count} entries")))
}

/// Returns the tensors of a dictionary of tensors.
fn tensors_of<'a>(tree: &Tree<'a>, path: &Path) -> Result<Vec<(String, TensorData<'a>)>> {
    let refused = |found: String| {
        let message = format!("{}: takes tensors by name, and not {found}; .pt takes any checkpoint", path.display());
        Error::file("convert", message)
    };
    let entries = tree.as_dict().ok_or_else(|| refused(tree.short()))?;
    let entries = entries.iter().map(|(name, value)| match (name, value) {
        (io::Value::Str(name), io::Value::Tensor(tensor)) => Ok((name.clone(), tensor.clone())),
        (name, value) => Err(refused(format!("{} under {}", value.short(), name.short()))),
    });
    entries.collect()
}
