//! Whether constructors check the numbers that they are given.

use std::cell::Cell;

thread_local! {
    static IS_VALIDATED: Cell<bool> = const { Cell::new(true) };
}

/// Whether constructors check the numbers of the host that they are given; they do by default.
/// Tensors are checked by [`check_args`](crate::check_args), which reads them.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Normal, set_default_validate_args};
/// let error = Normal::new(0.0, -1.0).err().unwrap();
/// assert_eq!(error.to_string(), "Normal: scale must be greater than 0, and is -1");
/// set_default_validate_args(false);
/// assert!(Normal::new(0.0, -1.0).is_ok());
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn set_default_validate_args(is_validated: bool) {
    IS_VALIDATED.set(is_validated);
}

/// Whether constructors check numbers.
pub fn is_validated() -> bool {
    IS_VALIDATED.get()
}
