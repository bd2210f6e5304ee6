//! Aggregations of values: sums, means, extremes.

mod values;

pub use values::{CatMetric, MaxMetric, MeanMetric, MinMetric, NanStrategy, SumMetric};
