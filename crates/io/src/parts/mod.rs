//! Reads files in parts, so only one copy of the file and of its tensors exists.
//!
//! An [`Outline`] is the tree of a file without the elements of its tensors. [`Part`]s contain the
//! elements: a storage of a checkpoint, an array of an archive, or a tensor. A [`PartReader`] takes
//! the bytes of a part in chunks, and emits the elements of its *regions* in the types of a device.
//! A region is a range of a part that becomes one tensor in memory; tensors of a checkpoint that
//! share bytes are views of one region. Rejected: reading tensor by tensor, which copies shared
//! memory.

mod reader;
mod region;
mod unpack;

pub use reader::{PartReader, RegionShape};

use crate::{DType, TensorData, Value, gguf::Kind, pytorch::LeftOut, zip::Entry};
use std::ops::Range;

/// The content of a file, without the elements that its parts have.
pub struct Outline {
    /// The tree.
    pub value: Value<Content>,
    /// The omitted values of other classes.
    pub left: Vec<LeftOut>,
    /// The parts, in the order of their bytes.
    pub parts: Vec<Part>,
}

/// A tensor in the tree of an outline.
pub enum Content {
    /// The tensor with this index, which is among [`Part::tensors`].
    Index(usize),
    /// A tensor that is not in a part.
    Elements(TensorData<'static>),
}

/// A part of a file.
#[derive(Clone)]
pub struct Part {
    /// The offset in the file at which it begins.
    pub start: u64,
    /// The tensors in it.
    pub tensors: Vec<Placed>,
    stored: Stored,
    regions: Vec<Region>,
    name: String,
}

/// A tensor in a region: a view of it, or the region itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The index of the tensor in the outline.
    pub index: usize,
    /// The region of the part.
    pub region: usize,
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The first element in the region, and the strides in elements. `None` for a tensor that is
    /// the whole region.
    pub view: Option<(usize, Vec<usize>)>,
}

/// The encoding of a part's bytes.
#[derive(Clone)]
enum Stored {
    /// Plain bytes.
    Plain(u64),
    /// Plain bytes after the number of elements, in 8 bytes.
    Counted { count: u64, length: u64 },
    /// In an archive.
    Entry(Entry, crate::Format),
}

/// A range of the content of a part.
#[derive(Clone, Debug, PartialEq)]
struct Region {
    range: Range<u64>,
    kind: Kind,
    /// The shape of a region that is one tensor.
    shape: Option<Vec<usize>>,
    /// The name of a tensor in it.
    name: String,
}

impl Part {
    /// A tensor whose bytes are in a file as they are.
    ///
    /// ```
    /// # mod lanthorn { pub use lanthorn_io as io; }
    /// use lanthorn::io::{DType, gguf::Kind, parts::Part};
    /// let part = Part::tensor("x", Kind::Plain(DType::I64), vec![2], 100..116);
    /// let mut reader = part.reader(|dtype| dtype != DType::I64)?;
    /// let bytes = [5i64.to_le_bytes(), 6i64.to_le_bytes()].concat();
    /// let mut found = Vec::new();
    /// // The pieces may end within an element.
    /// for piece in [&bytes[..3], &bytes[3..]] {
    ///     reader.push(piece, &mut |_, elements| found.extend_from_slice(elements))?;
    /// }
    /// reader.finish()?;
    /// assert_eq!(found, [5i32.to_le_bytes(), 6i32.to_le_bytes()].concat());
    /// # Ok::<(), lanthorn::io::Error>(())
    /// ```
    pub fn tensor(name: &str, kind: Kind, shape: Vec<usize>, range: Range<u64>) -> Part {
        let length = range.end.saturating_sub(range.start);
        let placed = Placed { index: 0, region: 0, shape: shape.clone(), view: None };
        Part {
            start: range.start,
            tensors: vec![placed],
            stored: Stored::Plain(length),
            regions: vec![Region { range: 0..length, kind, shape: Some(shape), name: name.to_string() }],
            name: name.to_string(),
        }
    }

    /// The array of a npy file of this length. Its type and shape are known once its header was
    /// read.
    pub fn array(length: u64) -> Part {
        Part::unknown(0, Stored::Plain(length), "the array")
    }

    /// An array of an archive: an entry that is a npy file.
    pub fn npz_entry(entry: &Entry) -> Part {
        Part::unknown(entry.start, Stored::Entry(entry.clone(), crate::Format::Npz), &entry.name)
    }

    fn unknown(start: u64, stored: Stored, name: &str) -> Part {
        Part { start, tensors: Vec::new(), stored, regions: Vec::new(), name: name.to_string() }
    }

    /// An entry of an archive as bytes.
    pub fn entry(entry: &Entry, format: crate::Format) -> Part {
        let length = entry.size as u64;
        let kind = Kind::Plain(DType::U8);
        let region = Region { range: 0..length, kind, shape: Some(vec![entry.size]), name: entry.name.clone() };
        let stored = Stored::Entry(entry.clone(), format);
        Part { start: entry.start, tensors: Vec::new(), stored, regions: vec![region], name: entry.name.clone() }
    }
}

/// A tensor of a checkpoint that is to be read.
pub(crate) struct Viewed {
    pub index: usize,
    pub dtype: DType,
    /// The range of its bytes in the storage, from its first element to its last.
    pub extent: Range<usize>,
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    pub is_contiguous: bool,
    pub name: String,
}

/// Where a storage of a checkpoint is.
pub(crate) enum StoredAt<'d> {
    Entry(&'d Entry),
    /// Its number of elements, and the range of its bytes.
    Counted(u64, Range<u64>),
}

/// The part of a storage with the views of it: tensors that share bytes are in one region.
pub(crate) fn storage_part(at: StoredAt, mut views: Vec<Viewed>) -> Part {
    let (start, stored) = match at {
        StoredAt::Entry(entry) => (entry.start, Stored::Entry(entry.clone(), crate::Format::PyTorch)),
        StoredAt::Counted(count, range) => {
            (range.start - 8, Stored::Counted { count, length: range.end - range.start })
        }
    };
    views.sort_by_key(|view| (view.dtype.name(), view.extent.start, view.extent.end));
    let mut regions: Vec<(Region, Vec<Viewed>)> = Vec::new();
    for view in views {
        let extent = view.extent.start as u64..view.extent.end as u64;
        match regions.last_mut() {
            Some((region, shared)) if region.kind == Kind::Plain(view.dtype) && extent.start < region.range.end => {
                region.range.end = region.range.end.max(extent.end);
                shared.push(view);
            }
            _ => {
                let (kind, name) = (Kind::Plain(view.dtype), view.name.clone());
                regions.push((Region { range: extent, kind, shape: None, name }, vec![view]));
            }
        }
    }
    let mut tensors = Vec::new();
    for (number, (region, shared)) in regions.iter_mut().enumerate() {
        let is_whole = shared.len() == 1 && shared[0].is_contiguous;
        region.shape = is_whole.then(|| shared[0].shape.clone());
        for view in shared.drain(..) {
            let first = (view.extent.start as u64 - region.range.start) as usize / view.dtype.size();
            let strided = (!is_whole).then_some((first, view.strides));
            tensors.push(Placed { index: view.index, region: number, shape: view.shape, view: strided });
        }
    }
    let regions = regions.into_iter().map(|(region, _)| region).collect();
    Part { start, tensors, stored, regions, name: "a storage".to_string() }
}
