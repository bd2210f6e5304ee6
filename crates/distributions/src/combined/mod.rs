//! Distributions that consist of other distributions.

mod independent;
mod mixture;
mod transformed;

pub use independent::Independent;
pub use mixture::MixtureSameFamily;
pub use transformed::TransformedDistribution;
