//! Archives of `torch.export.save`.
//!
//! An archive is a zip file with the graph in JSON and raw storages. [`lanthorn_io::zip`] sets the
//! limits. The reader runs no code of the file, and reads its pickles as data.

mod complex;
mod convert;
mod metas;
mod numbers;
mod pairs;
mod save;
mod schema;
mod state;

use crate::{Error, ExportedProgram, Result, json::Json};
use lanthorn_io::{Format, zip::Archive};

pub use save::save;

/// The major version of the schema that the reader supports.
const SCHEMA_MAJOR: i64 = 8;

/// The deepest nesting of blocks.
const MAX_DEPTH: usize = 24;

/// Whether the bytes are an archive of `torch.export.save`.
pub fn detect(bytes: &[u8]) -> bool {
    lanthorn_io::detect(bytes) == Some(Format::Program)
}

/// Reads a program.
///
/// # Errors
///
/// [`Error::MissingOperators`] with all unknown operators; [`Error::File`], [`Error::Malformed`],
/// [`Error::Limit`] and [`Error::Unsupported`] for other invalid files.
pub fn load(bytes: &[u8]) -> Result<ExportedProgram> {
    let archive = Archive::open(bytes, Format::Program)?;
    let files = Files::new(&archive)?;
    let model = files.json::<schema::Model>("models/model.json")?;
    let version = &model.schema_version;
    if version.major != SCHEMA_MAJOR {
        let found = format!("{}.{}", version.major, version.minor);
        let message = format!("version {found} of the schema of exported programs; version {SCHEMA_MAJOR} can be read");
        return Err(Error::unsupported(message));
    }
    let mut state = state::Reader::new(&files, bytes.len())?;
    let program = convert::program(model, &mut state)?;
    program.check_graph()?;
    Ok(program)
}

/// The entries below the root folder of an archive.
struct Files<'a> {
    archive: &'a Archive<'a>,
    root: String,
}

impl<'a> Files<'a> {
    fn new(archive: &'a Archive<'a>) -> Result<Files<'a>> {
        let roots = archive.entries().iter().filter_map(|entry| entry.name.strip_suffix("models/model.json"));
        if let Some(root) = roots.min_by_key(|root| root.len()) {
            return Ok(Files { archive, root: root.to_string() });
        }
        let old = archive.entries().iter().any(|entry| entry.name.ends_with("serialized_exported_program.json"));
        Err(Error::unsupported(match old {
            true => "an archive of an older version of PyTorch; export the program again",
            false => "an archive without models/model.json, which is no exported program",
        }))
    }

    /// Returns the content of an entry, if it exists.
    fn find(&self, name: &str) -> Result<Option<std::borrow::Cow<'a, [u8]>>> {
        let entry = self.archive.find(&format!("{}{name}", self.root));
        Ok(entry.map(|entry| self.archive.read(entry)).transpose()?)
    }

    fn json<T: schema::Read>(&self, name: &str) -> Result<T> {
        let bytes = self.find(name)?.ok_or_else(|| Error::malformed(format!("the archive has no {name}")))?;
        let text = std::str::from_utf8(&bytes).map_err(|_| Error::malformed(format!("{name}: not UTF-8")))?;
        T::read(&Json::parse(text)?)
    }
}
