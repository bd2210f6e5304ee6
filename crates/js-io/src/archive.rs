//! Archives and files of several pickles, read in parts: directories and pickles.

use crate::{
    error::Thrown,
    parts::{OutlineHandle, PartHandle},
};
use lanthorn_io::{
    Format, format_of_archive,
    parts::Part,
    pytorch::{Entries, archive_outline, check_order, legacy_outline},
    zip::{Directory, Located},
};
use wasm_bindgen::prelude::wasm_bindgen;

/// The offset of the bytes that `locateDirectory` needs, in a file of this length.
#[wasm_bindgen(js_name = tailOf)]
pub fn tail_of(length: f64) -> f64 {
    Located::tail(length as u64) as f64
}

/// The directory of an archive.
#[wasm_bindgen(js_name = ArchiveHandle)]
pub struct ArchiveHandle {
    located: Located,
    length: u64,
    directory: Option<Directory>,
    format: Format,
    wide: bool,
}

fn unread() -> Thrown {
    Thrown::argument("the directory was not read".to_string())
}

#[wasm_bindgen(js_class = ArchiveHandle)]
impl ArchiveHandle {
    /// Locates the directory of a file of `length` bytes, of which these are the last.
    #[wasm_bindgen(constructor)]
    pub fn new(tail: &[u8], length: f64, wide: bool) -> Result<ArchiveHandle, Thrown> {
        let (length, format) = (length as u64, Format::PyTorch);
        Ok(ArchiveHandle { located: Located::find(tail, length, format)?, length, directory: None, format, wide })
    }

    /// The offset of the directory.
    #[wasm_bindgen(getter)]
    pub fn start(&self) -> f64 {
        self.located.range.start as f64
    }

    /// The offset after the directory.
    #[wasm_bindgen(getter)]
    pub fn end(&self) -> f64 {
        self.located.range.end as f64
    }

    /// Reads the directory, and returns whether the archive is npz.
    pub fn open(&mut self, bytes: &[u8]) -> Result<bool, Thrown> {
        let directory = Directory::parse(bytes, &self.located, self.length, Format::PyTorch)?;
        self.format = format_of_archive(&directory)?;
        self.directory = Some(directory);
        Ok(self.format == Format::Npz)
    }

    fn directory(&self) -> Result<&Directory, Thrown> {
        self.directory.as_ref().ok_or_else(unread)
    }

    /// The names of the arrays of npz.
    pub fn names(&self) -> Result<Vec<String>, Thrown> {
        let names = self.directory()?.entries().iter().map(|entry| &entry.name);
        Ok(names.map(|name| name.strip_suffix(".npy").unwrap_or(name).to_string()).collect())
    }

    /// The offsets of the arrays of npz.
    pub fn starts(&self) -> Result<Vec<f64>, Thrown> {
        Ok(self.directory()?.entries().iter().map(|entry| entry.start as f64).collect())
    }

    /// An array of npz, by its index among the names.
    pub fn array(&self, index: usize) -> Result<PartHandle, Thrown> {
        let entry = self.directory()?.entries().get(index).ok_or_else(unread)?;
        PartHandle::new(&Part::npz_entry(entry), self.wide)
    }

    /// The order of bytes of a checkpoint, if the archive has it.
    pub fn order(&self) -> Result<Option<PartHandle>, Thrown> {
        let order = Entries::find(self.directory()?)?.order;
        order.map(|entry| PartHandle::new(&Part::entry(entry, Format::PyTorch), self.wide)).transpose()
    }

    /// The pickle of a checkpoint.
    pub fn pickle(&self) -> Result<PartHandle, Thrown> {
        let entry = Entries::find(self.directory()?)?.pickle;
        PartHandle::new(&Part::entry(entry, Format::PyTorch), self.wide)
    }

    /// The tree of a checkpoint, by its pickle and its order of bytes. `tensors_only` leaves out
    /// values of other classes.
    pub fn outline(&self, pickle: &[u8], order: Option<Vec<u8>>, tensors_only: bool) -> Result<OutlineHandle, Thrown> {
        if let Some(order) = order {
            check_order(&order)?;
        }
        let outline = archive_outline(self.directory()?, pickle, self.length, tensors_only)?;
        Ok(OutlineHandle::new(outline, self.wide))
    }
}

/// The tree of a checkpoint from before version 1.6, by the beginning of its file of `length`
/// bytes. None if the bytes end before the pickles do, unless they are the `last` that are tried.
#[wasm_bindgen(js_name = legacyOutline)]
pub fn legacy(
    start: &[u8],
    length: f64,
    last: bool,
    tensors_only: bool,
    wide: bool,
) -> Result<Option<OutlineHandle>, Thrown> {
    let outline = legacy_outline(start, length as u64, last, tensors_only)?;
    Ok(outline.map(|outline| OutlineHandle::new(outline, wide)))
}
