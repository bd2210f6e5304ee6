//! npz: a zip archive of npy files.

use crate::{Error, Format, Result, TensorData, Tensors, npy, safetensors::duplicate, zip};
use std::borrow::Cow;

const FORMAT: Format = Format::Npz;

/// Reads the arrays of a file, by their names without `.npy`.
///
/// # Errors
///
/// For a damaged archive, an entry that is no npy file, and the errors of [`npy::load`].
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{DType, TensorData, npz};
/// let tensor = TensorData::new(DType::F32, vec![2], vec![0; 8]).unwrap();
/// let file = npz::save(&[("weight".to_string(), tensor.clone())])?;
/// assert_eq!(npz::load(&file)?, [("weight".to_string(), tensor)]);
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
pub fn load(bytes: &[u8]) -> Result<Tensors<'_>> {
    let archive = zip::Archive::open(bytes, FORMAT)?;
    let read = |entry: &zip::Entry| {
        let name = entry.name.strip_suffix(".npy");
        let name =
            name.ok_or_else(|| Error::unsupported(FORMAT, format!("the entry {:?} is no npy file", entry.name)))?;
        let tensor = match archive.read(entry)? {
            Cow::Borrowed(bytes) => npy::load(bytes),
            Cow::Owned(bytes) => npy::load(&bytes).map(TensorData::into_owned),
        };
        Ok((name.to_string(), tensor.map_err(|error| error.concerning(&entry.name))?))
    };
    archive.entries().iter().map(read).collect()
}

/// Writes an uncompressed file of these arrays, like `numpy.savez`.
///
/// # Errors
///
/// For bfloat16, which NumPy lacks, and for a repeated name.
pub fn save(tensors: &[(String, TensorData)]) -> Result<Vec<u8>> {
    if let Some(name) = duplicate(tensors.iter().map(|(name, _)| name)) {
        return Err(Error::unsupported(FORMAT, format!("two arrays with the name {name:?}")));
    }
    let mut archive = zip::Writer::new(FORMAT);
    for (name, tensor) in tensors {
        let file = npy::save(tensor).map_err(|error| error.concerning(name))?;
        archive.add(&format!("{name}.npy"), &file)?;
    }
    archive.finish()
}
