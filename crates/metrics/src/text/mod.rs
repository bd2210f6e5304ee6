//! Texts of the host: edits and translations.

pub(crate) mod bleu;
pub(crate) mod distance;
mod text_metrics;

pub use text_metrics::{BLEUScore, CharErrorRate, EditDistance, WordErrorRate};
