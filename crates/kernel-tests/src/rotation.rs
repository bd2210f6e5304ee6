//! The part of a long table that a test run tests.
//!
//! The suite sets `LANTHORN_ROTATION` to a number that grows by one with every commit. If a run
//! tests one part in N of a table, N consecutive commits test the whole table. Without the variable
//! each run tests the whole table.
//!
//! A page has no environment. It uses the variable's value at build time.

/// The number of this run's part, or `None` if the run tests whole tables.
///
/// # Panics
/// If `LANTHORN_ROTATION` is not an integer.
pub fn rotation() -> Option<usize> {
    let built = option_env!("LANTHORN_ROTATION").map(str::to_string);
    let number = if cfg!(target_arch = "wasm32") { built } else { std::env::var("LANTHORN_ROTATION").ok() }?;
    Some(number.parse().unwrap_or_else(|_| panic!("LANTHORN_ROTATION is {number:?}, expected a whole number")))
}

/// Whether this run tests row `index` of a table, of which each run tests one row in `every`.
///
/// ```
/// // Exactly one of four consecutive rows belongs to a part.
/// let taken = (0..4).filter(|&index| lanthorn_kernel_tests::rotation::takes(index, 4)).count();
/// assert!(taken == 1 || taken == 4);
/// ```
pub fn takes(index: usize, every: usize) -> bool {
    rotation().is_none_or(|number| index % every == number % every)
}

/// Whether this run tests the row of this name, of a table of which each run tests one row in
/// `every`.
pub fn takes_name(name: &str, every: usize) -> bool {
    takes(name.bytes().fold(0, |hash, byte| (hash * 31 + usize::from(byte)) % 1_000_003), every)
}
