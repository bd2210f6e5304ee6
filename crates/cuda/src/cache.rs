//! Results of compilers, stored on disk: a file for each text, named by a hash of everything that
//! the result depends on.
//!
//! The file starts with the text itself, and is not used for another text. If two texts share a
//! hash, the only effect is a compilation. Files are written under another name and renamed, so
//! that processes that compile the same text at the same time see complete files only. If a file
//! cannot be read or written, the text is compiled.

use std::{
    fs,
    hash::{DefaultHasher, Hasher},
    path::PathBuf,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

/// A folder of results.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Opens the folder in an environment variable, or the folder `name` in the user's cache
    /// folder.
    pub(crate) fn open(variable: &str, name: &str) -> Cache {
        let usual = || dirs::cache_dir().map(|folder| folder.join("lanthorn").join(name));
        let folder = std::env::var_os(variable).map(PathBuf::from).or_else(usual);
        Cache { folder: folder.filter(|folder| fs::create_dir_all(folder).is_ok()) }
    }

    /// The path of the result for a text; none if results cannot be stored.
    pub(crate) fn path(&self, text: &str, ending: &str) -> Option<PathBuf> {
        // Two 64-bit hashes distinguish as many files as a disk holds.
        let hash = |seed: u8| {
            let mut hasher = DefaultHasher::new();
            hasher.write_u8(seed);
            hasher.write(text.as_bytes());
            hasher.finish()
        };
        self.folder.as_ref().map(|folder| folder.join(format!("{:016x}{:016x}.{ending}", hash(0), hash(1))))
    }

    /// Reads the stored result for a text.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn get(&self, text: &str, ending: &str) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path(text, ending)?).ok()?;
        let size = u64::from_le_bytes(*bytes.first_chunk()?);
        let rest = &bytes[8..];
        let size = usize::try_from(size).ok()?;
        (rest.get(..size)? == text.as_bytes()).then(|| rest[size..].to_vec())
    }

    /// Stores the result for a text.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn put(&self, text: &str, ending: &str, result: &[u8]) {
        let Some(path) = self.path(text, ending) else { return };
        let bytes = [&(text.len() as u64).to_le_bytes(), text.as_bytes(), result].concat();
        let new = unused_name(&path);
        // A result that is not stored is compiled again later.
        let _ = fs::write(&new, bytes).and_then(|()| fs::rename(&new, path));
    }
}

/// An unused name next to a file.
pub(crate) fn unused_name(path: &std::path::Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    path.with_extension(format!("{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_finds_its_own_result_alone() {
        let folder = std::env::temp_dir().join(format!("lanthorn-cuda-cache-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let cache = Cache { folder: Some(folder.clone()) };
        assert_eq!(cache.get("a", "ptx"), None);
        cache.put("a", "ptx", b"one");
        assert_eq!(cache.get("a", "ptx").unwrap(), b"one");
        assert_eq!(cache.get("b", "ptx"), None);
        // Stores another text's file under this text's name, as if their hashes were equal.
        fs::copy(cache.path("a", "ptx").unwrap(), cache.path("b", "ptx").unwrap()).unwrap();
        assert_eq!(cache.get("b", "ptx"), None);
        fs::write(cache.path("a", "ptx").unwrap(), b"short").unwrap();
        assert_eq!(cache.get("a", "ptx"), None);
        fs::remove_dir_all(folder).unwrap();
        assert_eq!(Cache { folder: None }.path("a", "ptx"), None);
    }
}
