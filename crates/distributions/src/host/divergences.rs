//! The Kullback-Leibler divergences that programs register.

use crate::Distribution;
use lanthorn_tensor::{Result, Tensor};
use std::{cell::RefCell, collections::HashMap};

/// Computes the divergence of two distributions.
pub type Divergence = fn(&dyn Distribution, &dyn Distribution) -> Result<Tensor>;

thread_local! {
    static TABLE: RefCell<HashMap<(String, String), Divergence>> = RefCell::default();
}

/// Registers the divergence of two distributions by their [names](Distribution::name), for
/// [`kl_divergence`](crate::kl_divergence) on this thread. It takes precedence over the crate's
/// table.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::distributions::{Cauchy, Distribution, Normal, kl_divergence, register_kl};
/// let (p, q) = (Normal::new(0.0, 1.0)?, Cauchy::new(0.0, 1.0)?);
/// assert!(kl_divergence(&p, &q).is_err());
/// register_kl("Normal", "Cauchy", |p, _| p.mean());
/// assert_eq!(pollster::block_on(kl_divergence(&p, &q)?.item())?, 0.0);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn register_kl(p: &str, q: &str, divergence: Divergence) {
    TABLE.with_borrow_mut(|table| table.insert((p.to_string(), q.to_string()), divergence));
}

/// The registered divergence, or `None`.
pub(crate) fn registered_kl(p: &dyn Distribution, q: &dyn Distribution) -> Result<Option<Tensor>> {
    let names = (p.name().to_string(), q.name().to_string());
    let registered = TABLE.with_borrow(|table| table.get(&names).copied());
    registered.map(|divergence| divergence(p, q)).transpose()
}
