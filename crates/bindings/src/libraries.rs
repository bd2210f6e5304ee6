//! The libraries that are written in Rust over tensors, printed as TypeScript.

use super::HEADER;
use lanthorn_nn::{
    init::{FanMode, GainOf, INITS},
    table::{ModuleSpec, all},
};
use lanthorn_tensor::{Choice, GridMode, GridPadding, InterpolateMode, MatrixTriangle, PadMode, Reduction, Side, ops};
use lanthorn_transpile::{Library, Operations, typescript};
use std::{any::type_name, fmt::Debug, io, path::Path};

/// The printed libraries: the folder of each crate, which is also the folder of its modules, and
/// the folder in its `src` that is printed, unless all of it is.
pub const LIBRARIES: &[(&str, Option<&str>)] = &[
    ("audio", None),
    ("distributions", None),
    ("einops", None),
    ("metrics", None),
    ("models", Some("decoder")),
    ("vision", None),
];

/// Where printed modules import from, relative to `generated/LIBRARY`.
const PATHS: typescript::Paths = typescript::Paths {
    header: HEADER,
    tensor: "../../tensor/tensor.js",
    types: "../../core/types.js",
    errors: "../../core/errors.js",
    scope: "../../tensor/scope.js",
    support: "../../library/support.js",
    modules: "../../library/modules.js",
    nn: "../../nn/index.js",
    operations: "../operations.js",
    namespaces: "../*.js",
    host: "../../LIBRARY/host.js",
};

/// The modules of a library: the path of each file and its text.
///
/// # Errors
///
/// A file that cannot be read, and a construct outside of the printed subset of Rust, with its
/// position.
pub fn library(name: &str, part: Option<&str>) -> io::Result<Vec<(String, String)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let src = Path::new(name).join("src");
    let mut files = Vec::new();
    match part {
        None => read_folder(&root, &src, &mut files)?,
        Some(part) => {
            read_folder(&root, &src.join(part), &mut files)?;
            read_file(&root, &src.join("lib.rs"), &mut files)?;
        }
    }
    let choices = [
        choices::<GridMode>(),
        choices::<GridPadding>(),
        choices::<FanMode>(),
        choices::<GainOf>(),
        choices::<InterpolateMode>(),
        choices::<MatrixTriangle>(),
        choices::<PadMode>(),
        choices::<Reduction>(),
        choices::<Side>(),
    ];
    let initializers = INITS.iter().filter_map(|spec| spec.text.split_once('('));
    let operations = Operations::new(ops::built_in().map(|op| op.schema().clone()))
        .with_choices(choices.concat())
        .with_modules(all().map(ModuleSpec::schema))
        .with_initializers(initializers.map(|(name, _)| name.to_string()));
    let printed = Library::parse(&files, operations).and_then(|library| typescript::print(&library, &PATHS));
    let modules = printed.map_err(|error| io::Error::other(format!("crates/{error}")))?;
    // Files of the package import from a part of a crate by file.
    let is_printed = |(path, _): &(String, String)| part.is_none() || path != "index.ts";
    let modules = modules.into_iter().filter(is_printed);
    Ok(modules.map(|(path, text)| (path, text.replace("LIBRARY", name))).collect())
}

/// The values of an enum of arguments, each with its text.
fn choices<C: Choice + Debug>() -> Vec<(String, String)> {
    let ty = type_name::<C>().rsplit("::").next().unwrap_or_default();
    C::ALL.iter().map(|value| (format!("{ty}::{value:?}"), value.name().to_string())).collect()
}

/// The Rust files of a folder below `root`, each with its path.
fn read_folder(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    let mut paths: Vec<_> =
        std::fs::read_dir(root.join(folder))?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    for path in paths {
        let name = folder.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            read_folder(root, &name, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            read_file(root, &name, files)?;
        }
    }
    Ok(())
}

fn read_file(root: &Path, name: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    files.push((name.to_string_lossy().replace('\\', "/"), std::fs::read_to_string(root.join(name))?));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_is_in_the_subset() {
        for (name, part) in LIBRARIES {
            let modules = library(name, *part).unwrap();
            let one = part.map_or("index.ts".to_string(), |part| format!("{part}/config.ts"));
            assert!(modules.iter().any(|(path, _)| *path == one), "{name}");
        }
    }
}
