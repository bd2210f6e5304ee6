//! Memory in a file that several processes map.
//!
//! The file is in the memory file system where there is one. It begins with a header: a magic
//! number, the identity of the process that made it, the number of the block, and the number of
//! names that other processes have opened. The process that made it removes it when it lets go;
//! processes that have mapped it keep the memory. Files of processes that were killed are removed
//! by the next process that makes one.

use lanthorn_ir::{Error, Result};
use memmap2::{MmapOptions, MmapRaw};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Once,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
};

const MAGIC: u64 = u64::from_le_bytes(*b"lanthorn");
/// The bytes of the header, after which the elements are aligned.
const HEADER: usize = 64;
/// The prefix of the names of files, before the id of the process.
const PREFIX: &str = "lanthorn-";

/// A file in memory. The process that created it removes it in the end; other processes keep their
/// maps.
pub struct SharedFile {
    map: MmapRaw,
    path: PathBuf,
    /// Whether this process made the file, and removes it.
    is_own: bool,
}

/// The words of the header, in order.
#[derive(Clone, Copy)]
enum Word {
    Magic,
    Space,
    Block,
    Opened,
}

impl SharedFile {
    /// A new file of `bytes` zeros. `space` and `block` are in its name and its header: a random
    /// number of the process, and the number of the file in it.
    ///
    /// # Errors
    /// `out_of_memory`, in the name of `op`, where there is no room for it.
    pub fn create(op: &str, bytes: usize, space: u64, block: u64) -> Result<SharedFile> {
        static CLEANED: Once = Once::new();
        CLEANED.call_once(remove_stale);
        let path = folder().join(format!("{PREFIX}{}-{space:016x}-{block}", std::process::id()));
        let failed = |error: io::Error| {
            let _ = fs::remove_file(&path);
            let message = format!("no shared memory of {bytes} bytes in {}: {error}", path.display());
            Error::out_of_memory(op, message)
        };
        let total = HEADER.checked_add(bytes.max(1)).ok_or_else(|| failed(io::ErrorKind::OutOfMemory.into()))?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).map_err(failed)?;
        // Zeros are written, because a file with a hole fails at the first store where the disk is
        // full.
        fill(&file, total).map_err(failed)?;
        let map = MmapOptions::new().len(total).map_raw(&file).map_err(failed)?;
        let mapped = SharedFile { map, path, is_own: true };
        mapped.word(Word::Space).store(space, SeqCst);
        mapped.word(Word::Block).store(block, SeqCst);
        mapped.word(Word::Magic).store(MAGIC, SeqCst);
        Ok(mapped)
    }

    /// The file that another process has made.
    ///
    /// # Errors
    /// In the name of `op`: `argument` for a file that is none of these, or another one; `disposed`
    /// if it was removed; `device` if it cannot be mapped.
    pub fn open(op: &str, path: &str, bytes: usize, space: u64, block: u64) -> Result<SharedFile> {
        let given = Path::new(path);
        // A handle comes from outside: it names no other file than one of shared memory.
        let is_ours = given.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX));
        if !is_ours || given.parent() != Some(&folder()) {
            return Err(Error::argument(op, format!("{path:?} is no file of shared memory")));
        }
        let gone = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Error::disposed(op, "the process that shared the tensor let go of it"),
            _ => Error::device(op, format!("the shared memory {path:?} cannot be opened: {error}")),
        };
        let file = OpenOptions::new().read(true).write(true).open(given).map_err(gone)?;
        let total = HEADER.saturating_add(bytes.max(1));
        let wrong = || Error::argument(op, format!("the file {path:?} is not the memory that the handle names"));
        if file.metadata().map_err(gone)?.len() != total as u64 {
            return Err(wrong());
        }
        let map = MmapOptions::new().len(total).map_raw(&file).map_err(gone)?;
        let mapped = SharedFile { map, path: given.to_path_buf(), is_own: false };
        let is = |word, value| mapped.word(word).load(SeqCst) == value;
        let matches = is(Word::Magic, MAGIC) && is(Word::Space, space) && is(Word::Block, block);
        if matches { Ok(mapped) } else { Err(wrong()) }
    }

    fn word(&self, word: Word) -> &AtomicU64 {
        // SAFETY: the header has 8 such words, the map is aligned to a page and lives as long as
        // `self`, and the header is used through atomics alone.
        unsafe { AtomicU64::from_ptr(self.map.as_mut_ptr().cast::<u64>().add(word as usize)) }
    }

    fn bytes(&self) -> usize {
        self.map.len() - HEADER
    }

    /// Copies bytes into the memory.
    ///
    /// # Panics
    /// If they do not fit.
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(
            offset.checked_add(bytes.len()).is_some_and(|end| end <= self.bytes()),
            "a write outside of the memory"
        );
        // SAFETY: the range is in the map. Other processes may store there at the same time, which
        // may leave any mixture of bytes, and the slice belongs to this process.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start().add(offset), bytes.len()) }
    }

    /// Copies bytes out of the memory.
    ///
    /// # Panics
    /// If the file has fewer bytes.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) {
        assert!(offset.checked_add(bytes.len()).is_some_and(|end| end <= self.bytes()), "a read outside of the memory");
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(self.start().add(offset), bytes.as_mut_ptr(), bytes.len()) }
    }

    /// The first byte, aligned for every element type.
    pub fn start(&self) -> *mut u8 {
        // SAFETY: the map is longer than its header.
        unsafe { self.map.as_mut_ptr().add(HEADER) }
    }

    /// The path, by which another process opens it.
    pub fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// Notes in the header that a process opened it.
    pub fn note_opened(&self) {
        if !self.is_own {
            self.word(Word::Opened).fetch_add(1, SeqCst);
        }
    }

    /// How often other processes have noted so since the last call.
    pub fn take_opened(&self) -> usize {
        if self.is_own { self.word(Word::Opened).swap(0, SeqCst) as usize } else { 0 }
    }
}

impl Drop for SharedFile {
    fn drop(&mut self) {
        if self.is_own {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn fill(mut file: &File, bytes: usize) -> io::Result<()> {
    let zeros = vec![0u8; bytes.min(1 << 20)];
    let mut left = bytes;
    while left > 0 {
        let count = left.min(zeros.len());
        file.write_all(&zeros[..count])?;
        left -= count;
    }
    Ok(())
}

/// The folder of shared memory: a file system in memory where there is one.
fn folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() }
}

/// Removes the files of processes that have ended, where the system lists processes.
fn remove_stale() {
    if !Path::new("/proc/self").exists() {
        return;
    }
    for entry in fs::read_dir(folder()).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
