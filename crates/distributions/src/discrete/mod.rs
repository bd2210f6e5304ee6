//! Distributions of integers and of choices.

pub(crate) mod bernoulli;
mod binomial;
pub(crate) mod categorical;
mod geometric;
mod multinomial;
mod negative_binomial;
mod one_hot_categorical;

pub use bernoulli::Bernoulli;
pub use binomial::Binomial;
pub use categorical::Categorical;
pub use geometric::Geometric;
pub use multinomial::Multinomial;
pub use negative_binomial::NegativeBinomial;
pub use one_hot_categorical::{OneHotCategorical, OneHotCategoricalStraightThrough};
