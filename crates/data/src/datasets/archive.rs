//! Files that are compressed by gzip, and archives of tar.

use super::read_file;
use flate2::read::MultiGzDecoder;
use lanthorn_tensor::{Error, Result};
use std::io::Read;
use std::path::Path;

/// The bytes of a file, decompressed if it is gzip.
///
/// # Errors
/// The compressed data end early or are damaged.
///
/// ```
/// assert_eq!(lanthorn::data::datasets::read_gzip(b"plain")?, b"plain");
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn read_gzip(file: &[u8]) -> Result<Vec<u8>> {
    if !file.starts_with(&[0x1f, 0x8b]) {
        return Ok(file.to_vec());
    }
    let mut bytes = Vec::new();
    MultiGzDecoder::new(file)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::file("read_gzip", format!("the compressed data end early or are damaged ({error})")))?;
    Ok(bytes)
}

/// The files with these names in an archive of tar that is compressed by gzip, whatever their
/// folders are.
pub(super) fn unpack(op: &'static str, path: &Path, names: &[&str]) -> Result<Vec<Vec<u8>>> {
    let bytes = read_file(op, path)?;
    let refuse = |error: std::io::Error| Error::file(op, format!("{}: {error}", path.display()));
    let mut found: Vec<Option<Vec<u8>>> = vec![None; names.len()];
    let mut archive = tar::Archive::new(MultiGzDecoder::new(&bytes[..]));
    for entry in archive.entries().map_err(refuse)? {
        let mut entry = entry.map_err(refuse)?;
        let name = entry.path().map_err(refuse)?.file_name().map(|name| name.to_string_lossy().into_owned());
        let Some(index) = names.iter().position(|&wanted| name.as_deref() == Some(wanted)) else { continue };
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(refuse)?;
        found[index] = Some(content);
    }
    let absent = |name: &str| Error::file(op, format!("{} has no file {name}", path.display()));
    found.into_iter().zip(names).map(|(content, name)| content.ok_or_else(|| absent(name))).collect()
}
