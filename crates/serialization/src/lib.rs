//! Reads tensors of a device from files, and writes them: `torch.load` and `torch.save`.
//!
//! [`lanthorn_io`] parses bytes into named elements; this module makes tensors of them. A file may
//! hold element types that the device does not support: [`TensorData::convert_for_device`]
//! documents their conversion. Files are written with the tensors' own types.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

use lanthorn_io::{self as io, Format, TensorData};
use lanthorn_nn::StateDict;
use lanthorn_tensor::{DType, Device, Error, Result, Tensor};
use std::future::Future;

/// A tree of plain values and tensors, as a checkpoint holds it: [`lanthorn_io::Value`] with
/// tensors of a device.
pub type Value = io::Value<Tensor>;

/// The content of a file, on a device: the tree of a checkpoint, a dictionary of tensors, or the
/// single tensor of a npy file.
///
/// The format is detected from the content: safetensors, PyTorch, npy, npz or GGUF.
///
/// # Errors
///
/// `file` for bytes of no known format or damaged ones, and `dtype` for a type that no tensor has.
///
/// ```
/// # pollster::block_on(async {
/// let device = lanthorn::cpu();
/// let weight = lanthorn::Tensor::from_slice(&[1.0f32, 2.0], [2], &device)?;
/// let value = lanthorn::Value::tensors([("weight", weight)]);
/// let bytes = lanthorn::to_bytes(&value, lanthorn::io::Format::PyTorch).await?;
/// let state = lanthorn::state_dict_of(&lanthorn::from_bytes(&bytes, &device)?)?;
/// assert_eq!(state["weight"].to_vec::<f32>().await?, [1.0, 2.0]);
/// # Ok::<(), lanthorn::Error>(()) }).unwrap();
/// ```
pub fn from_bytes(bytes: &[u8], device: &Device) -> Result<Value> {
    io::load(bytes)
        .map_err(|error| convert_error("load", error))?
        .try_map(&mut |path, data| tensor_of(path, data, device))
}

/// [`from_bytes`] of a checkpoint that also holds values of other classes, as configurations and
/// whole modules. Those are left out of dictionaries, and are `None` in lists; the second result
/// has their paths and classes.
///
/// # Errors
///
/// As [`from_bytes`].
pub fn from_bytes_tensors_only(bytes: &[u8], device: &Device) -> Result<(Value, Vec<io::pytorch::LeftOut>)> {
    let (value, left) = io::load_tensors_only(bytes).map_err(|error| convert_error("load", error))?;
    Ok((value.try_map(&mut |path, data| tensor_of(path, data, device))?, left))
}

/// The bytes of a file of this value.
///
/// safetensors and npz take a dictionary of tensors, npy takes one tensor, PyTorch's format takes
/// any value; GGUF is read only. The tensors are captured at the time of the call.
///
/// # Errors
///
/// `file` for a value that the format does not hold, and the error of a device that cannot read a
/// tensor.
pub fn to_bytes(value: &Value, format: Format) -> impl Future<Output = Result<Vec<u8>>> + use<> {
    // All reads start together, so that the caller waits for the device once.
    let mut reads = Vec::new();
    let tree = value.clone().try_map(&mut |_, tensor: Tensor| {
        reads.push((stored_type(tensor.dtype()), tensor.shape().to_vec(), tensor.to_bytes()));
        Ok::<usize, Error>(reads.len() - 1)
    });
    async move {
        let mut tensors = Vec::new();
        for (dtype, shape, read) in reads {
            tensors.push(TensorData::new(dtype, shape, read.await?));
        }
        let incomplete = || Error::kernel("save", "a read gave other bytes than its tensor has");
        let tree = tree?.try_map(&mut |_, index: usize| tensors[index].take().ok_or_else(incomplete))?;
        encode(tree, format)
    }
}

fn encode(tree: io::Value<TensorData>, format: Format) -> Result<Vec<u8>> {
    let file = match format {
        Format::PyTorch => io::pytorch::save(&tree),
        Format::Safetensors => io::safetensors::save(&into_entries(tree, format)?, &[]),
        Format::Npz => io::npz::save(&into_entries(tree, format)?),
        Format::Npy => match tree {
            io::Value::Tensor(tensor) => io::npy::save(&tensor),
            _ => return Err(Error::file("save", "npy holds one tensor; save a dictionary as npz")),
        },
        Format::Gguf | Format::SafetensorsIndex | Format::Program | Format::TorchScript => {
            return Err(Error::file("save", format!("{format} is only read")));
        }
    };
    file.map_err(|error| convert_error("save", error))
}

/// The entries of a dictionary of tensors.
fn into_entries<T>(value: io::Value<T>, format: Format) -> Result<Vec<(String, T)>> {
    let other = || {
        Error::file(
            "save",
            format!("{format} holds a dictionary of tensors; save other values in PyTorch's format (.pt)"),
        )
    };
    let io::Value::Dict(entries) = value else { return Err(other()) };
    let entries = entries.into_iter().map(|entry| match entry {
        (io::Value::Str(name), io::Value::Tensor(tensor)) => Ok((name, tensor)),
        _ => Err(other()),
    });
    entries.collect()
}

/// The state dict in a value, for [`load_state_dict`](lanthorn_nn::load_state_dict).
///
/// For a checkpoint, pass the entry of the model.
///
/// # Errors
///
/// `file` if the value holds anything but tensors by name.
pub fn state_dict_of(value: &Value) -> Result<StateDict> {
    let entries = value.as_dict().ok_or_else(|| Error::file("load", "a state dict is a dictionary of tensors"))?;
    let entries = entries.iter().map(|(name, value)| match (name, value) {
        (Value::Str(name), Value::Tensor(tensor)) => Ok((name.clone(), tensor.clone())),
        (name, value) => {
            let message =
                format!("a state dict holds tensors by name, and not {} under {}", value.short(), name.short());
            Err(Error::file("load", message))
        }
    });
    entries.collect()
}

fn convert_error(op: &str, error: io::Error) -> Error {
    if error.is_unsupported_dtype() { Error::dtype(op, error.to_string()) } else { Error::file(op, error.to_string()) }
}

fn stored_type(dtype: DType) -> io::DType {
    match dtype {
        DType::Bool => io::DType::Bool,
        DType::U8 => io::DType::U8,
        DType::I32 => io::DType::I32,
        DType::I64 => io::DType::I64,
        DType::F16 => io::DType::F16,
        DType::BF16 => io::DType::BF16,
        DType::F32 => io::DType::F32,
        DType::F64 => io::DType::F64,
    }
}

/// A tensor of a file on a device, in a type that the device supports; errors name it by `name`.
///
/// ```
/// let data = lanthorn::io::TensorData::new(lanthorn::io::DType::U8, vec![2], vec![3, 4]).unwrap();
/// let tensor = lanthorn::tensor_of("counts", data, &lanthorn::cpu())?;
/// assert_eq!(tensor.shape().to_vec(), [2]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
///
/// # Errors
///
/// `dtype` if the device has no type for the elements; `file` if a number does not fit in the type
/// that it has; an error of the device.
pub fn tensor_of(name: &str, tensor: TensorData, device: &Device) -> Result<Tensor> {
    let sizes = tensor.shape().iter().map(|&size| i64::try_from(size));
    let sizes: Vec<i64> = sizes
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| Error::shape("load", "a size of more than 63 bits"))?;
    let available = &device.capabilities().dtypes;
    let known = |dtype: io::DType| DType::from_name(dtype.name()).filter(|dtype| available.contains(dtype));
    let tensor = tensor
        .convert_for_device(&|dtype| known(dtype).is_some())
        .map_err(|error| convert_error("load", error.concerning(name)))?;
    let dtype =
        known(tensor.dtype()).ok_or_else(|| Error::dtype("load", format!("the device has no {}", tensor.dtype())))?;
    Tensor::from_bytes(dtype, tensor.bytes(), sizes, device).map_err(|error| error.concerning(name).in_op("load"))
}

#[cfg(not(target_arch = "wasm32"))]
mod paths {
    use super::*;
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    fn to_file_error<'p>(op: &'p str, path: &'p Path) -> impl Fn(std::io::Error) -> Error + 'p {
        move |error| Error::file(op, format!("{}: {error}", path.display()))
    }

    /// [`from_bytes`] of a file, on the default device. The index of a sharded safetensors model
    /// loads as one file with all its tensors.
    ///
    /// # Errors
    ///
    /// As [`from_bytes`], and `file` for a file that cannot be read. The message names the path.
    ///
    /// ```
    /// # pollster::block_on(async {
    /// # let name = format!("lanthorn-load-example-{}.safetensors", std::process::id());
    /// # let path = std::env::temp_dir().join(name);
    /// let device = lanthorn::cpu();
    /// device.set_default();
    /// let net = lanthorn::nn::Linear::new(4, 2)?;
    /// lanthorn::save(&path, &lanthorn::nn::state_dict(&net)).await?;
    /// lanthorn::nn::load_state_dict(&net, &lanthorn::state_dict_of(&lanthorn::load(&path)?)?)?;
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), lanthorn::Error>(()) }).unwrap();
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Value> {
        load_with(path, &Device::default_device()?)
    }

    /// [`load`] on a device.
    ///
    /// # Errors
    ///
    /// As [`load`].
    pub fn load_with(path: impl AsRef<Path>, device: &Device) -> Result<Value> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(to_file_error("load", path))?;
        let concerning = |error: Error| error.concerning(path.display());
        if io::detect(&bytes) == Some(Format::SafetensorsIndex) {
            return load_shards(path, &bytes, device).map_err(concerning);
        }
        from_bytes(&bytes, device).map_err(concerning)
    }

    fn load_shards(path: &Path, index: &[u8], device: &Device) -> Result<Value> {
        let index = io::safetensors::Index::parse(index).map_err(|error| convert_error("load", error))?;
        let mut tensors = Vec::new();
        for (file, _) in &index.shards {
            let shard = path.with_file_name(file);
            let bytes = fs::read(&shard).map_err(to_file_error("load", &shard))?;
            let held = io::safetensors::load(&bytes).map_err(|error| convert_error("load", error).concerning(file))?;
            index
                .check(file, held.iter().map(|(name, _)| name.as_str()))
                .map_err(|error| convert_error("load", error))?;
            for (name, tensor) in held {
                let tensor = tensor_of(&name, tensor, device)?;
                tensors.push((name, tensor));
            }
        }
        Ok(Value::tensors(tensors))
    }

    /// Writes a state dict or another value, in the format of the path's extension: `.safetensors`,
    /// `.npz`, `.npy`, `.pt` or `.pth`.
    ///
    /// The file is written under a temporary name and renamed when it is complete, so that an older
    /// file remains intact until then.
    ///
    /// # Errors
    ///
    /// As [`to_bytes`], and `file` for an unknown extension or a file that cannot be written.
    pub async fn save(path: impl AsRef<Path>, value: impl Into<Value>) -> Result<()> {
        let path = path.as_ref();
        let format = format_of(path)?;
        let bytes = to_bytes(&value.into(), format).await?;
        write_atomically(path, &bytes)
    }

    /// Writes a file completely or not at all: under a temporary name, which is renamed at the end.
    ///
    /// ```
    /// let name = format!("lanthorn-write-example-{}", std::process::id());
    /// let path = std::env::temp_dir().join(name);
    /// # use lanthorn_serialization::write_atomically;
    /// write_atomically(&path, b"text")?;
    /// assert_eq!(std::fs::read(&path).unwrap(), b"text");
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), lanthorn::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// `file` if the folder cannot be written.
    pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.partial", std::process::id()));
        let partial: PathBuf = path.with_file_name(name);
        fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path)).map_err(|error| {
            // The incomplete file is useless; an error in removing it adds nothing.
            let _ = fs::remove_file(&partial);
            to_file_error("save", path)(error)
        })
    }

    fn format_of(path: &Path) -> Result<Format> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "safetensors" => Ok(Format::Safetensors),
            "npz" => Ok(Format::Npz),
            "npy" => Ok(Format::Npy),
            "pt" | "pth" => Ok(Format::PyTorch),
            _ => {
                let message = format!("{}: end the name in .safetensors, .npz, .npy, .pt or .pth", path.display());
                Err(Error::argument("save", message))
            }
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub use paths::{load, load_with, save, write_atomically};
