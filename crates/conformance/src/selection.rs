//! The operations that a check of a change runs.
//!
//! `LANTHORN_OPS` is a list of names with commas. If it is set, the checks of this crate run only
//! these operations; otherwise they run all. `pkg-scripts/check` sets it to the operations of the
//! changed files.

use lanthorn::{
    ops::{self, Op},
    testing::Report,
};

/// Whether `LANTHORN_OPS` is set.
pub fn is_active() -> bool {
    std::env::var_os("LANTHORN_OPS").is_some()
}

/// Whether `LANTHORN_OPS` selects the operation of this name, with or without its overload's name.
pub fn selects(name: &str) -> bool {
    let Ok(names) = std::env::var("LANTHORN_OPS") else { return true };
    let base = name.split('.').next().unwrap_or(name);
    names.split(',').any(|selected| selected == name || selected == base)
}

/// Whether `LANTHORN_OPS` selects the op of a golden file, by the file's name without PyTorch's
/// module and without the variant: `linalg.qr`, `div__floor_rounding`.
pub fn selects_file(name: &str) -> bool {
    let base = name.find("__").filter(|&at| at > 0).map_or(name, |at| &name[..at]);
    selects(base.rsplit('.').next().unwrap_or(base))
}

/// The operations of the table that `LANTHORN_OPS` selects; without the variable all of them.
pub fn ops() -> impl Iterator<Item = &'static Op> {
    ops::all().filter(|op| selects(op.name()))
}

/// Panics as [`Report::assert_all`] does, unless `LANTHORN_OPS` selects no operation that was to
/// be checked.
pub fn assert_all(report: &Report) {
    if !(is_active() && report.passed == 0 && report.failures.is_empty()) {
        report.assert_all();
    }
}
