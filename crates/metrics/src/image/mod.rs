//! Pictures: noise, similarity and variation.

mod image_metrics;
pub(crate) mod similarity;

pub use image_metrics::{
    MultiScaleStructuralSimilarityIndexMeasure, PeakSignalNoiseRatio, StructuralSimilarityIndexMeasure, TotalVariation,
};
pub use similarity::{ImageReduction, SimilarityNormalize};
