//! Quantization: weights of 8 and 4 bits, rounded inputs, observers, and training with rounded weights,
//! with the names of torchao and `torch.ao.quantization`.
//!
//! [`Quantized`](crate::Quantized) is a layer whose weight is computed from bytes and scales before every
//! call, a parametrization. There is no dtype of 8 or 4 bits with a sign: integers are bytes of a uint8
//! tensor, and an expression decodes them. Groups of 32 neighbours are blocks of a GGUF format, which
//! products read in place. Rejected: layers of their own for quantized weights, of which each would be
//! another copy of a layer.

mod config;
mod fake_quantize;
mod histogram;
mod observer;
mod scheme;

pub use config::QuantizationConfig;
pub use fake_quantize::FakeQuantize;
pub use histogram::HistogramObserver;
pub use observer::{
    MinMaxObserver, MovingAverageMinMaxObserver, Observer, PerChannelMinMaxObserver, QParams, QRange, QScheme,
};
pub(crate) use scheme::{Packed, Scheme, fake_tokens};
