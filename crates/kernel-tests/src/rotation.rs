//! The part of a long table that a test run takes.
//!
//! The suite sets `LANTHORN_ROTATION` to a number that grows by one with every commit. Where a run
//! takes one part in N of a table, N neighbouring commits run the whole table. Without the variable
//! a table is whole.
//!
//! A page has no environment: there the variable's value at build time counts.

/// The number of this run's part, or `None` where the run takes whole tables.
///
/// # Panics
/// If `LANTHORN_ROTATION` is no whole number.
pub fn rotation() -> Option<usize> {
    let built = option_env!("LANTHORN_ROTATION").map(str::to_string);
    let number = if cfg!(target_arch = "wasm32") { built } else { std::env::var("LANTHORN_ROTATION").ok() }?;
    Some(number.parse().unwrap_or_else(|_| panic!("LANTHORN_ROTATION is {number:?}, expected a whole number")))
}

/// Whether this run takes row `index` of a table of which it takes one row in `every`.
///
/// ```
/// // Of four neighbouring rows exactly one belongs to a part.
/// let taken = (0..4).filter(|&index| lanthorn_kernel_tests::rotation::takes(index, 4)).count();
/// assert!(taken == 1 || taken == 4);
/// ```
pub fn takes(index: usize, every: usize) -> bool {
    rotation().is_none_or(|number| index % every == number % every)
}

/// Whether this run takes the row of this name, of a table of which it takes one row in `every`.
pub fn takes_name(name: &str, every: usize) -> bool {
    takes(name.bytes().fold(0, |hash, byte| (hash * 31 + usize::from(byte)) % 1_000_003), every)
}
