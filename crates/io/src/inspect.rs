//! Listing of a file's content.

use crate::{Error, Format, Result, TensorData, Value, detect, gguf, npy, npz, pytorch, safetensors};

/// The tensors of a file, and its metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The file's format.
    pub format: Format,
    /// The tensors, in the file's order.
    pub tensors: Vec<Listed>,
    /// Everything else: text by name.
    pub metadata: Vec<(String, String)>,
}

/// A tensor in a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The name; in a checkpoint, the path of keys joined by dots.
    pub name: String,
    /// The element type as stored: `float32`, `Q4_K`.
    pub dtype: String,
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// Its size in the file, in bytes.
    pub bytes: u64,
}

/// Lists the tensors of a file of any format.
///
/// # Errors
///
/// As [`load`](crate::load).
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{DType, TensorData, npy};
/// let file = npy::save(&TensorData::new(DType::I32, vec![2, 3], vec![0; 24]).unwrap())?;
/// let listing = lanthorn::io::inspect(&file)?;
/// assert_eq!((listing.tensors[0].dtype.as_str(), listing.tensors[0].bytes), ("int32", 24));
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
pub fn inspect(bytes: &[u8]) -> Result<Listing> {
    let format = detect(bytes).ok_or_else(Error::unknown)?;
    let (tensors, metadata) = match format {
        Format::Safetensors => {
            let header = safetensors::read_header(bytes)?;
            let listed = header.entries.into_iter().map(|entry| Listed {
                name: entry.name,
                dtype: entry.dtype.to_string(),
                shape: entry.shape,
                bytes: entry.range.end - entry.range.start,
            });
            (listed.collect(), header.metadata)
        }
        Format::SafetensorsIndex => {
            let index = safetensors::Index::parse(bytes)?;
            let files = index.shards.into_iter().map(|(file, tensors)| (file, format!("{} tensors", tensors.len())));
            (Vec::new(), files.collect())
        }
        Format::PyTorch => list_value(&pytorch::load(bytes)?),
        Format::Program => {
            return Err(Error::unsupported(Format::Program, "a program is no checkpoint; inspect it as a program"));
        }
        Format::TorchScript => {
            return Err(Error::unsupported(Format::TorchScript, "a module with code; inspect it as a program"));
        }
        Format::Npy => (vec![list_tensor("", &npy::load(bytes)?)], Vec::new()),
        Format::Npz => (npz::load(bytes)?.iter().map(|(name, tensor)| list_tensor(name, tensor)).collect(), Vec::new()),
        Format::Gguf => {
            let header = gguf::Header::parse(bytes)?;
            let listed = header.tensors.into_iter().map(|entry| Listed {
                name: entry.name,
                dtype: entry.kind.to_string(),
                bytes: entry.range.end - entry.range.start,
                shape: entry.shape,
            });
            (listed.collect(), header.metadata.into_iter().map(|(name, value)| (name, value.short())).collect())
        }
    };
    Ok(Listing { format, tensors, metadata })
}

/// Runs [`inspect`] after [`load_tensors_only`](crate::load_tensors_only), and returns the skipped
/// values too.
///
/// # Errors
///
/// The errors of [`inspect`].
pub fn inspect_tensors_only(bytes: &[u8]) -> Result<(Listing, Vec<pytorch::LeftOut>)> {
    if detect(bytes) != Some(Format::PyTorch) {
        return Ok((inspect(bytes)?, vec![]));
    }
    let (value, left) = pytorch::load_tensors_only(bytes)?;
    let (tensors, metadata) = list_value(&value);
    Ok((Listing { format: Format::PyTorch, tensors, metadata }, left))
}

fn list_tensor(name: &str, tensor: &TensorData) -> Listed {
    Listed {
        name: name.to_string(),
        dtype: tensor.dtype().to_string(),
        shape: tensor.shape().to_vec(),
        bytes: tensor.bytes().len() as u64,
    }
}

fn list_value(value: &Value<TensorData>) -> (Vec<Listed>, Vec<(String, String)>) {
    let (mut tensors, mut others) = (Vec::new(), Vec::new());
    value.for_each_leaf(&mut |path, leaf| match leaf {
        Value::Tensor(tensor) => tensors.push(list_tensor(path, tensor)),
        leaf => others.push((path.to_string(), leaf.short())),
    });
    (tensors, others)
}
