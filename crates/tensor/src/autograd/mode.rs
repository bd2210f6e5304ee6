//! Whether ops record a graph.

use std::cell::Cell;

thread_local! {
    static ENABLED: Cell<bool> = const { Cell::new(true) };
}

/// Whether ops record a graph on this thread, as `torch.is_grad_enabled`.
pub fn is_grad_enabled() -> bool {
    ENABLED.get()
}

/// Switches recording on or off and returns the previous mode, for callers that cannot use a
/// closure.
pub fn set_grad_enabled(enabled: bool) -> bool {
    ENABLED.replace(enabled)
}

/// Runs `f` without recording a graph, as `torch.no_grad`.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// use lanthorn::{is_grad_enabled, no_grad};
/// assert!(!no_grad(is_grad_enabled));
/// assert!(is_grad_enabled());
/// ```
pub fn no_grad<T>(f: impl FnOnce() -> T) -> T {
    with_mode(false, f)
}

/// Runs `f` with recording on, also within [`no_grad`], as `torch.enable_grad`: backward of a
/// function may need another graph.
///
/// ```
/// # use lanthorn_tensor as lanthorn;
/// use lanthorn::{autograd::enable_grad, is_grad_enabled, no_grad};
/// assert!(no_grad(|| enable_grad(is_grad_enabled)));
/// ```
pub fn enable_grad<T>(f: impl FnOnce() -> T) -> T {
    with_mode(true, f)
}

/// Runs `f` with recording on or off, and restores the previous mode, also when `f` unwinds.
pub(crate) fn with_mode<T>(enabled: bool, f: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            ENABLED.set(self.0);
        }
    }
    let _restore = Restore(ENABLED.replace(enabled));
    f()
}
