//! Writes the generated TypeScript into a folder, or compares it with the files there:
//!
//! ```text
//! print-bindings [--check] FOLDER
//! ```

use std::{env, fs, io, path::Path};

/// The generated files: each name, and its text.
fn files() -> io::Result<Vec<(String, String)>> {
    let namespaces = lanthorn_bindings::NAMESPACES.iter();
    let mut files: Vec<(&str, String)> =
        namespaces.map(|(name, prefix)| (*name, lanthorn_bindings::namespace(name, prefix))).collect();
    files.extend([
        ("block-formats", lanthorn_bindings::block_formats()),
        ("families", lanthorn_bindings::families()),
        ("functional", lanthorn_bindings::functional()),
        ("generation-options", lanthorn_bindings::generation_options()),
        ("init", lanthorn_bindings::initializers()),
        ("kinds", lanthorn_bindings::kinds()),
        ("methods", lanthorn_bindings::methods()),
        ("modules", lanthorn_bindings::modules()),
        ("operations", lanthorn_bindings::operations()),
        ("optim", lanthorn_bindings::optim::optimizers()),
        ("quantization", lanthorn_bindings::quantization::quantization()),
        ("quantization-types", lanthorn_bindings::quantization::types()),
        ("schedules", lanthorn_bindings::optim::schedules()),
        ("table", lanthorn_bindings::table()),
    ]);
    let mut files: Vec<(String, String)> = files.into_iter().map(|(name, text)| (format!("{name}.ts"), text)).collect();
    for (name, part) in lanthorn_bindings::libraries::LIBRARIES {
        let modules = lanthorn_bindings::libraries::library(name, *part)?;
        files.extend(modules.into_iter().map(|(path, text)| (format!("{name}/{path}"), text)));
    }
    Ok(files)
}

/// The paths of the files in a folder and the folders in it.
fn paths_below(folder: &Path, prefix: &str) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            paths.extend(paths_below(&entry.path(), &format!("{path}/"))?);
        } else {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// The names of files that differ from the generated ones, or that nothing generates.
fn stale(folder: &Path, files: &[(String, String)]) -> io::Result<Vec<String>> {
    let mut stale = paths_below(folder, "")?;
    stale.retain(|name| files.iter().all(|(known, _)| known != name));
    let is_current = |name: &str, text: &str| fs::read_to_string(folder.join(name)).is_ok_and(|found| found == text);
    stale.extend(files.iter().filter(|(name, text)| !is_current(name, text)).map(|(name, _)| name.clone()));
    Ok(stale)
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (is_check, folder) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--check", folder] => (true, Path::new(folder)),
        [folder] => (false, Path::new(folder)),
        _ => return Err(io::Error::other("usage: print-bindings [--check] FOLDER")),
    };
    let files = files()?;
    if is_check {
        let stale = stale(folder, &files)?;
        let folder = folder.display();
        return match stale.is_empty() {
            true => Ok(()),
            false => Err(io::Error::other(format!(
                "{} of {folder} differ from the printed files: run `cargo run -p lanthorn-bindings -- {folder}`",
                stale.join(", ")
            ))),
        };
    }
    fs::create_dir_all(folder)?;
    // An unchanged file keeps its time, so that a watching compiler skips it.
    for name in stale(folder, &files)? {
        match files.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => {
                let path = folder.join(&name);
                fs::create_dir_all(path.parent().unwrap_or(folder))?;
                fs::write(path, text)?;
            }
            None => fs::remove_file(folder.join(&name))?,
        }
    }
    Ok(())
}
