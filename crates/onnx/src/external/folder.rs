//! The folder of a model.

use super::{Reason, Source, range};
use std::{
    borrow::Cow,
    fs::{self, File},
    io::{ErrorKind, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// Reads regular files of a folder. It follows symbolic links that stay in the folder. A process
/// that can change the folder during a read can substitute any file.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A folder by its path.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder { path: path.into() }
    }

    /// The folder of a model's file.
    pub fn of(model: &Path) -> Folder {
        match model.parent() {
            Some(parent) if parent != Path::new("") => Folder::new(parent),
            _ => Folder::new("."),
        }
    }
}

impl Source for Folder {
    fn read(&self, location: &str, offset: u64, length: usize) -> Result<Cow<'_, [u8]>, Reason> {
        let root = self.path.canonicalize().map_err(reason)?;
        let path = root.join(location).canonicalize().map_err(reason)?;
        if !path.starts_with(&root) {
            return Err(Reason::OutsideFolder);
        }
        // Opening a pipe would block until a writer opens it.
        if !fs::metadata(&path).map_err(reason)?.is_file() {
            return Err(Reason::NotAFile);
        }
        let mut file = File::open(&path).map_err(reason)?;
        let range = range(offset, length, file.metadata().map_err(reason)?.len())?;
        file.seek(SeekFrom::Start(range.start)).map_err(reason)?;
        let mut bytes = vec![0; length];
        file.read_exact(&mut bytes).map_err(reason)?;
        Ok(Cow::Owned(bytes))
    }
}

fn reason(error: std::io::Error) -> Reason {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Reason::Missing,
        _ => Reason::Io(error),
    }
}
