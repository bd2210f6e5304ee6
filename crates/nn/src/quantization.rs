//! Quantization: weights of 8 and 4 bits, rounded inputs, observers, and training with rounded
//! weights, with the names of torchao and `torch.ao.quantization`.
//!
//! [`Quantized`](crate::Quantized) is a layer whose weight is computed from bytes and scales before
//! every call, a parametrization. There is no dtype of 8 or 4 bits with a sign: integers are bytes
//! of a uint8 tensor, and an expression decodes them. Groups of 32 neighbours are blocks of a GGUF
//! format, which products read in place. Rejected: layers of their own for quantized weights, of
//! which each would be another copy of a layer.
//!
//! JavaScript's configurations and observers are printed from [`CONFIGS`] and [`OBSERVERS`]. A
//! language has its own tree of modules, so it replaces weights and calls observers;
//! [`QuantizationConfig`] and [`ObserverRule`] compute.

mod config;
mod fake_quantize;
mod grid;
mod histogram;
mod observer;
mod observer_table;
mod scheme;

pub use config::{BLOCK, CONFIGS, ConfigSpec, PackedWeight, QuantizationConfig};
pub use fake_quantize::FakeQuantize;
pub use grid::{QParams, QRange, QScheme};
pub use histogram::HistogramObserver;
pub use observer::{MinMaxObserver, MovingAverageMinMaxObserver, NOTHING_OBSERVED, Observer, PerChannelMinMaxObserver};
pub use observer_table::{OBSERVERS, OPTION_DOCS, ObserverRule, ObserverSpec};
pub use scheme::PACKED_NAMES;
