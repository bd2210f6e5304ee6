//! PyTorch checkpoints: the format that `torch.save` writes and `torch.load(weights_only=True)`
//! reads.
//!
//! A zip archive holds a pickle, `data.pkl`, and the bytes of every storage, `data/N`. A pickle is
//! a program. Here it runs on a machine that can make plain containers, numbers, text and tensors,
//! and nothing else (`unpickle`, `rebuild`). Every class and function that it names must be on a
//! list of those that checkpoints need, and is refused by name otherwise. Rejected: a general
//! pickle library, whose objects would have to be searched for tensors afterwards.

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

/// The first bytes of files written by PyTorch before version 1.6.
pub(crate) const LEGACY_MAGIC: &[u8] = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

const FORMAT: Format = Format::PyTorch;

/// The largest pickle in bytes; it holds no tensor elements.
const PICKLE_LIMIT: usize = 64 << 20;

/// The content of a checkpoint. Tensors that are contiguous in the file borrow from it; strided and
/// expanded ones are gathered.
///
/// ```
/// use lanthorn_io::{DType, TensorData, Value, pytorch};
/// let weight = TensorData::new(DType::F32, vec![2], vec![0; 8]).unwrap();
/// let value = Value::dict([("model", Value::tensors([("weight", weight)])), ("step", Value::Int(7))]);
/// assert_eq!(pytorch::load(&pytorch::save(&value)?)?, value);
/// # Ok::<(), lanthorn_io::Error>(())
/// ```
pub fn load(bytes: &[u8]) -> Result<Value<TensorData<'_>>> {
    if bytes.starts_with(LEGACY_MAGIC) {
        return Err(Error::unsupported(
            FORMAT,
            "a file of PyTorch before 1.6; load it with torch.load and save it again",
        ));
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
    // The result may not be much larger than the file: this stops nested repetitions and expanded
    // scalars.
    let budget = (64 << 20) + 16 * bytes.len() as u64;
    let prefix = format!("{folder}data/");
    Machine::new(&program, Storages::new(&archive, &prefix)).run(budget)
}
