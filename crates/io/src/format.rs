//! Detection of a file's format by its content, because the extension may be wrong.

use crate::{Error, Result, TensorData, Value, gguf, npy, npz, pytorch, safetensors, zip};
use std::fmt;

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A JSON header and tensors: <https://huggingface.co/docs/safetensors>.
    Safetensors,
    /// The JSON file that maps each tensor to one of several safetensors files.
    SafetensorsIndex,
    /// The formats of `torch.save`: a zip archive of a pickle and storages, and the older formats.
    PyTorch,
    /// The format of `torch.export.save`, `.pt2`: a zip archive of a graph and storages.
    Program,
    /// The format of `torch.jit.save`: a zip archive of a module, its code and storages.
    TorchScript,
    /// NumPy's format for one array.
    Npy,
    /// NumPy's format for several arrays: a zip archive of npy files.
    Npz,
    /// ggml's format for quantized tensors and metadata.
    Gguf,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Safetensors => "safetensors",
            Format::SafetensorsIndex => "safetensors index",
            Format::PyTorch => "PyTorch checkpoint",
            Format::Program => "PyTorch program",
            Format::TorchScript => "TorchScript archive",
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Gguf => "GGUF",
        })
    }
}

/// Detects the format of a file, or returns `None` if it is unknown. The rest of the file may still
/// be malformed.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(gguf::MAGIC) {
        return Some(Format::Gguf);
    }
    if bytes.starts_with(npy::MAGIC) {
        return Some(Format::Npy);
    }
    if bytes.starts_with(b"PK") {
        return Some(archive_format(bytes));
    }
    if pytorch::is_legacy(bytes) || pytorch::is_tar(bytes) {
        return Some(Format::PyTorch);
    }
    if bytes.get(8) == Some(&b'{') {
        return Some(Format::Safetensors);
    }
    bytes.trim_ascii_start().starts_with(b"{").then_some(Format::SafetensorsIndex)
}

/// Reports a broken archive as a PyTorch checkpoint.
fn archive_format(bytes: &[u8]) -> Format {
    let archive = zip::Archive::open(bytes, Format::PyTorch);
    archive.map_or(Format::PyTorch, |archive| format_of_entries(archive.directory()))
}

/// The entries of an archive determine its format.
fn format_of_entries(directory: &zip::Directory) -> Format {
    let mut entries = directory.entries().iter();
    if entries.clone().any(|entry| entry.name.ends_with("/models/model.json")) {
        return Format::Program;
    }
    if entries.clone().any(|entry| entry.name.ends_with("/constants.pkl")) {
        return Format::TorchScript;
    }
    let arrays = entries.all(|entry| entry.name.ends_with(".npy"));
    if arrays { Format::Npz } else { Format::PyTorch }
}

/// Returns the format of an archive of tensors: [`Format::PyTorch`] or [`Format::Npz`].
///
/// # Errors
///
/// `unsupported` for an archive of a program.
pub fn format_of_archive(directory: &zip::Directory) -> Result<Format> {
    let format = format_of_entries(directory);
    match format {
        Format::Program | Format::TorchScript => Err(refuse_program(format)),
        _ => Ok(format),
    }
}

fn refuse_program(format: Format) -> Error {
    let what = if format == Format::Program { "a program" } else { "a module with code" };
    Error::unsupported(format, format!("{what} is no checkpoint; load it as a program"))
}

/// How a file is read in parts that begins with these bytes, of which 512 suffice: `safetensors`,
/// `gguf`, `npy`, `archive`, whose directory says more ([`format_of_archive`]), `legacy`, a
/// checkpoint from before version 1.6, or `index`, of safetensors files.
///
/// # Errors
///
/// A file of another format.
pub fn reading_of(start: &[u8]) -> Result<&'static str> {
    if start.starts_with(b"PK") {
        return Ok("archive");
    }
    if pytorch::is_tar(start) {
        return Err(pytorch::refuse_tar());
    }
    match detect(start) {
        Some(Format::Safetensors) => Ok("safetensors"),
        Some(Format::Gguf) => Ok("gguf"),
        Some(Format::Npy) => Ok("npy"),
        Some(Format::SafetensorsIndex) => Ok("index"),
        Some(Format::PyTorch) => Ok("legacy"),
        _ => Err(Error::unknown()),
    }
}

/// Reads a file like [`load`], and omits values of other classes than tensors and plain values from
/// a checkpoint: [`pytorch::load_tensors_only`]. Other formats have no such values.
///
/// # Errors
///
/// The errors of [`load`].
pub fn load_tensors_only(bytes: &[u8]) -> Result<(Value<TensorData<'_>>, Vec<pytorch::LeftOut>)> {
    match detect(bytes) {
        Some(Format::PyTorch) => pytorch::load_tensors_only(bytes),
        _ => Ok((load(bytes)?, vec![])),
    }
}

/// The content of a file of any format: the tree of a checkpoint, a dictionary of tensors, or the
/// single tensor of a npy file.
///
/// The tensors of a GGUF file are dequantized. An index of safetensors holds no tensors: read
/// [`safetensors::Index`] and the files that it names.
///
/// # Errors
///
/// For bytes of no known format, and for damaged or unsupported content.
pub fn load(bytes: &[u8]) -> Result<Value<TensorData<'_>>> {
    match detect(bytes) {
        Some(Format::Safetensors) => safetensors::load(bytes).map(Value::tensors),
        Some(Format::PyTorch) => pytorch::load(bytes),
        Some(format @ (Format::Program | Format::TorchScript)) => Err(refuse_program(format)),
        Some(Format::Npy) => npy::load(bytes).map(Value::Tensor),
        Some(Format::Npz) => npz::load(bytes).map(Value::tensors),
        Some(Format::Gguf) => gguf::load(bytes).map(Value::tensors),
        Some(Format::SafetensorsIndex) => {
            safetensors::Index::parse(bytes)?;
            Err(Error::unsupported(
                Format::SafetensorsIndex,
                "an index holds no tensors; load it by its path, beside its files",
            ))
        }
        None => Err(Error::unknown()),
    }
}
