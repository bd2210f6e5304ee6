//! Outlines of checkpoints, whose storages are read one after another.

use super::{
    FORMAT, LeftOut, budget, legacy,
    storage::Storages,
    unpickle::{Leaf, Machine},
};
use crate::{
    Error, Result, TensorData, Value,
    parts::{Content, Outline, Part, StoredAt, Viewed, storage_part},
    zip::Directory,
};
use std::collections::HashMap;

/// The outline of a checkpoint in an archive of `length` bytes, by its directory and its pickle.
/// `tensors_only` leaves out values of other classes.
///
/// # Errors
///
/// As [`load`](super::load), and [`load_tensors_only`](super::load_tensors_only).
///
/// ```
/// # mod lanthorn { pub use lanthorn_io as io; }
/// use lanthorn::io::{DType, Format, TensorData, Value, pytorch, zip::Archive};
/// let weight = TensorData::new(DType::F32, vec![2], vec![0; 8]).unwrap();
/// let file = pytorch::save(&Value::tensors([("weight", weight)]))?;
/// let archive = Archive::open(&file, Format::PyTorch)?;
/// let pickle = archive.read(archive.find("archive/data.pkl").unwrap())?;
/// let outline = pytorch::archive_outline(archive.directory(), &pickle, file.len() as u64, false)?;
/// assert_eq!((outline.parts.len(), outline.parts[0].tensors[0].shape.as_slice()), (1, &[2][..]));
/// # Ok::<(), lanthorn::io::Error>(())
/// ```
pub fn archive_outline(directory: &Directory, pickle: &[u8], length: u64, tensors_only: bool) -> Result<Outline> {
    let prefix = format!("{}data/", super::Entries::find(directory)?.folder);
    let mut machine = Machine::new(pickle, Storages::new(directory, &prefix));
    let root = machine.execute()?;
    let mut left = Vec::new();
    let tree = machine.tree(root, budget(length), tensors_only.then_some(&mut left))?;
    let at = |index: usize| {
        let entry = machine.storages.list()[index].entry.as_ref().and_then(|name| directory.find(name));
        entry.map(StoredAt::Entry)
    };
    outline(tree, left, machine.storages.list().len(), at)
}

/// The outline of a checkpoint from before version 1.6, of `length` bytes, by its beginning. None
/// if the bytes end before the pickles do, unless they are the `last` that are tried.
///
/// # Errors
///
/// As [`load`](super::load), and [`load_tensors_only`](super::load_tensors_only).
pub fn legacy_outline(start: &[u8], length: u64, last: bool, tensors_only: bool) -> Result<Option<Outline>> {
    let mut left: Vec<LeftOut> = Vec::new();
    let parsed = match legacy::parse(start, length, tensors_only.then_some(&mut left)) {
        Err(error) if error.is_malformed() && !last => return Ok(None),
        parsed => parsed?,
    };
    let storages = &parsed.storages;
    let ranges: HashMap<_, _> = parsed.ranges.iter().cloned().collect();
    let at = |index: usize| {
        let range = ranges.get(&index).cloned();
        range.map(|range| StoredAt::Counted(storages.count(index), range))
    };
    outline(parsed.tree, left, storages.list().len(), at).map(Some)
}

/// The outline of a tree: the parts of its storages, and the tensors in them.
fn outline<'d>(
    tree: Value<Leaf>,
    left: Vec<LeftOut>,
    storages: usize,
    at: impl Fn(usize) -> Option<StoredAt<'d>>,
) -> Result<Outline> {
    let mut views: Vec<Vec<Viewed>> = (0..storages).map(|_| Vec::new()).collect();
    let mut count = 0;
    let value = tree.try_map(&mut |path, leaf| -> Result<Content> {
        let view = match leaf {
            Leaf::Array(array) => return Ok(Content::Elements(array.tensor()?)),
            Leaf::View(view) => view,
        };
        if view.extent().is_empty() {
            let empty = TensorData::new(view.dtype(), view.shape().to_vec(), Vec::new());
            let wrong = || Error::malformed(FORMAT, 0u64, "a tensor outside of its storage");
            return Ok(Content::Elements(empty.ok_or_else(wrong)?));
        }
        count += 1;
        views[view.storage()].push(Viewed {
            index: count - 1,
            dtype: view.dtype(),
            extent: view.extent(),
            shape: view.shape().to_vec(),
            strides: view.strides(),
            is_contiguous: view.is_contiguous(),
            name: path.to_string(),
        });
        Ok(Content::Index(count - 1))
    })?;
    let mut parts: Vec<Part> = Vec::new();
    for (index, views) in views.into_iter().enumerate().filter(|(_, views)| !views.is_empty()) {
        let absent = || Error::malformed(FORMAT, 0u64, "a storage of a tensor is missing");
        parts.push(storage_part(at(index).ok_or_else(absent)?, views));
    }
    parts.sort_by_key(|part| part.start);
    Ok(Outline { value, left, parts })
}
