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
mod outline;
mod rebuild;
mod storage;
mod unpickle;
mod write;

pub use objects::{ObjectTensor, ObjectValue, Objects, objects};
pub use write::{save, save_with_pickle};

use crate::{
    Error, Format, Result, TensorData, Value,
    zip::{Archive, Directory, Entry},
};
use storage::{Contents, Storages};
use unpickle::{Leaf, Machine};

pub use outline::{archive_outline, legacy_outline};

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
fn budget(length: u64) -> u64 {
    (64 << 20) + length.saturating_mul(16)
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
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{DType, TensorData, Value, pytorch};
/// let weight = TensorData::new(DType::F32, vec![2], vec![0; 8]).unwrap();
/// let value = Value::dict([("model", Value::tensors([("weight", weight)])), ("step", Value::Int(7))]);
/// assert_eq!(pytorch::load(&pytorch::save(&value)?)?, value);
/// # Ok::<(), lanthorn::io::Error>(())
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
        return Err(refuse_tar());
    }
    if is_legacy(bytes) {
        let parsed = legacy::parse(bytes, bytes.len() as u64, left)?;
        let contents = parsed.storages.read_after(bytes, &parsed.ranges)?;
        return elements(parsed.tree, &contents);
    }
    let archive = Archive::open(bytes, FORMAT)?;
    let entries = Entries::find(archive.directory())?;
    if let Some(order) = entries.order {
        check_order(&archive.read(order)?)?;
    }
    let program = archive.read(entries.pickle)?;
    let prefix = format!("{}data/", entries.folder);
    let mut machine = Machine::new(&program, Storages::new(archive.directory(), &prefix));
    let root = machine.execute()?;
    let contents = machine.storages.read(&archive)?;
    elements(machine.tree(root, budget(bytes.len() as u64), left)?, &contents)
}

/// The tree with the elements of its tensors.
fn elements<'a>(tree: Value<Leaf>, contents: &Contents<'a>) -> Result<Value<TensorData<'a>>> {
    tree.try_map(&mut |_, leaf| match leaf {
        Leaf::View(view) => contents.tensor(&view),
        Leaf::Array(array) => array.tensor(),
    })
}

/// The error for an archive of PyTorch before version 0.1.10.
pub(crate) fn refuse_tar() -> Error {
    let what = "a tar archive, as PyTorch before 0.1.10 wrote; load it with a PyTorch that reads it, and save it again";
    Error::unsupported(FORMAT, what)
}

/// The entries of an archive that are read before its storages.
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{DType, Format, TensorData, Value, pytorch, zip::Archive};
/// let x = TensorData::new(DType::U8, vec![1], vec![7]).unwrap();
/// let file = pytorch::save(&Value::tensors([("x", x)]))?;
/// let archive = Archive::open(&file, Format::PyTorch)?;
/// let entries = pytorch::Entries::find(archive.directory())?;
/// assert_eq!(entries.folder, "archive/");
/// pytorch::check_order(&archive.read(entries.order.unwrap())?)?;
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
pub struct Entries<'d> {
    /// The folder of all entries, with its slash.
    pub folder: &'d str,
    /// The pickle.
    pub pickle: &'d Entry,
    /// The order of bytes; none in archives of before version 2.1.
    pub order: Option<&'d Entry>,
}

impl<'d> Entries<'d> {
    /// Finds the entries.
    ///
    /// # Errors
    ///
    /// `unsupported` if there is no pickle, `too_large` if it is one of more than a limit.
    pub fn find(directory: &'d Directory) -> Result<Entries<'d>> {
        let is_pickle = |entry: &&Entry| entry.name.split_once('/').is_some_and(|(_, name)| name == "data.pkl");
        let pickle = directory.entries().iter().find(is_pickle);
        let pickle = pickle.ok_or_else(|| Error::unsupported(FORMAT, "the zip archive holds no data.pkl"))?;
        if pickle.size > PICKLE_LIMIT {
            let message = format!("a pickle of {} bytes, more than {PICKLE_LIMIT}", pickle.size);
            return Err(Error::too_large(FORMAT, message));
        }
        let folder = pickle.name.strip_suffix("data.pkl").unwrap_or_default();
        Ok(Entries { folder, pickle, order: directory.find(&format!("{folder}byteorder")) })
    }
}

/// Checks the entry `byteorder`.
///
/// # Errors
///
/// `unsupported` for another order than little-endian.
pub fn check_order(order: &[u8]) -> Result<()> {
    match order {
        b"little" => Ok(()),
        _ => Err(Error::unsupported(FORMAT, "a checkpoint of a machine that is not little-endian")),
    }
}
