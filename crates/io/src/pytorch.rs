//! PyTorch checkpoints: the formats that `torch.save` writes and `torch.load(weights_only=True)`
//! reads.
//!
//! A zip archive holds a pickle, `data.pkl`, and the bytes of every storage, `data/N`; files from
//! before version 1.6 hold pickles and storages one after the other (`legacy`). A pickle is a
//! program. Here it runs on a machine that can make plain containers, numbers, text and tensors,
//! and nothing else (`unpickle`, `rebuild`, `numpy`). A class or function that it names and that is
//! not on a list of those that checkpoints need makes an opaque value, which is refused by name or
//! left out ([`load_tensors_only`]). Rejected: a general pickle library, whose objects would have
//! to be searched for tensors afterwards.

mod legacy;
mod numpy;
mod objects;
mod rebuild;
mod storage;
mod unpickle;
mod write;

pub use objects::{ObjectTensor, ObjectValue, Objects, objects};
pub use write::{save, save_with_pickle};

use crate::{Error, Format, Result, TensorData, Value, zip::Archive};
use storage::Storages;
use unpickle::Machine;

pub(crate) use legacy::{detect as is_legacy, is_tar};

const FORMAT: Format = Format::PyTorch;

/// The largest pickle in bytes; it holds no tensor elements.
const PICKLE_LIMIT: usize = 64 << 20;

/// A value of a checkpoint that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Where it was: keys and indices joined by dots.
    pub path: String,
    /// The qualified name of its class, or of the function that makes it.
    pub class: String,
}

/// How many bytes more than a file its content may take: this stops nested repetitions and expanded
/// scalars.
fn budget(length: usize) -> u64 {
    (64 << 20) + 16 * length as u64
}

/// The content of a checkpoint. Tensors that are contiguous in the file borrow from it; strided and
/// expanded ones are gathered. NumPy's numbers and arrays are numbers and tensors, and sets are
/// lists.
///
/// # Errors
///
/// `malformed` and `too_large`; `unsupported` for a value of another class, with its name and path.
///
/// ```
/// use lanthorn_io::{DType, TensorData, Value, pytorch};
/// let weight = TensorData::new(DType::F32, vec![2], vec![0; 8]).unwrap();
/// let value = Value::dict([("model", Value::tensors([("weight", weight)])), ("step", Value::Int(7))]);
/// assert_eq!(pytorch::load(&pytorch::save(&value)?)?, value);
/// # Ok::<(), lanthorn_io::Error>(())
/// ```
pub fn load(bytes: &[u8]) -> Result<Value<TensorData<'_>>> {
    read(bytes, None)
}

/// [`load`] of a checkpoint that also holds values of other classes: optimizers, configurations,
/// whole modules. Those are left out of dictionaries, and are `None` in lists and tuples, which
/// keep their indices. Their code does not run. The second result lists them.
///
/// # Errors
///
/// `malformed` and `too_large`.
pub fn load_tensors_only(bytes: &[u8]) -> Result<(Value<TensorData<'_>>, Vec<LeftOut>)> {
    let mut left = Vec::new();
    let value = read(bytes, Some(&mut left))?;
    Ok((value, left))
}

fn read<'a>(bytes: &'a [u8], left: Option<&mut Vec<LeftOut>>) -> Result<Value<TensorData<'a>>> {
    if is_tar(bytes) {
        let what =
            "a tar archive, as PyTorch before 0.1.10 wrote; load it with a PyTorch that reads it, and save it again";
        return Err(Error::unsupported(FORMAT, what));
    }
    if is_legacy(bytes) {
        return legacy::load(bytes, left);
    }
    let archive = Archive::open(bytes, FORMAT)?;
    let pickle =
        archive.entries().iter().find(|entry| entry.name.split_once('/').is_some_and(|(_, name)| name == "data.pkl"));
    let pickle = pickle.ok_or_else(|| Error::unsupported(FORMAT, "the zip archive holds no data.pkl"))?;
    let folder = pickle.name.strip_suffix("data.pkl").unwrap_or_default();
    if let Some(order) = archive.find(&format!("{folder}byteorder"))
        && archive.read(order)?.as_ref() != b"little"
    {
        return Err(Error::unsupported(FORMAT, "a checkpoint of a machine that is not little-endian"));
    }
    if pickle.size > PICKLE_LIMIT {
        return Err(Error::too_large(FORMAT, format!("a pickle of {} bytes, more than {PICKLE_LIMIT}", pickle.size)));
    }
    let program = archive.read(pickle)?;
    let prefix = format!("{folder}data/");
    let mut machine = Machine::new(&program, Storages::new(&archive, &prefix));
    let root = machine.execute()?;
    machine.tree(root, budget(bytes.len()), left)
}
