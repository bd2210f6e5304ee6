//! Continuous relaxations of discrete distributions.

mod continuous_bernoulli;
mod relaxed_bernoulli;
mod relaxed_categorical;

pub use continuous_bernoulli::ContinuousBernoulli;
pub use relaxed_bernoulli::{LogitRelaxedBernoulli, RelaxedBernoulli};
pub use relaxed_categorical::{ExpRelaxedCategorical, RelaxedOneHotCategorical};
