//! Metrics of one batch, as `torchmetrics.functional`.

mod regression;

pub use regression::mean_absolute_error;
