//! Variants of kernels, of which a device prefers the fastest.

use crate::{
    Kernel, Result,
    backend::{Alias, Compiled},
};

/// A kernel that a device can run by several variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// The class of kernels that share one choice: kind, element type, and sizes rounded up to a
    /// power of two. It has no leading or trailing spaces.
    pub class: String,
    /// The names of the variants; the one in use comes first.
    pub variants: Vec<&'static str>,
}

/// A backend with several variants of some kernels.
pub trait Tuner {
    /// The variants by which this device can run a kernel, if there may be several.
    fn tunable(&self, kernel: &Kernel) -> Option<Tunable>;

    /// Compiles a kernel by one of the variants that [`Tuner::tunable`] names, as
    /// [`Backend::compile`](crate::Backend::compile) does.
    ///
    /// # Errors
    ///
    /// As for [`Backend::compile`](crate::Backend::compile).
    fn compile_variant(&self, op: &'static str, kernel: &Kernel, aliases: &[Alias], variant: &str) -> Result<Compiled>;

    /// Compiles the kernels of a class by this variant from now on. Unknown names are ignored.
    fn prefer(&self, class: &str, variant: &str);

    /// The variants preferred so far, as (class, variant).
    fn preferences(&self) -> Vec<(String, &'static str)>;
}
