//! The options of a case, by their names in torchmetrics.

use lanthorn_metrics::*;
use lanthorn_tensor::Operand;
use serde_json::Value;

/// The options of a case.
pub struct Given<'a>(pub &'a Value);

impl Given<'_> {
    pub fn number(&self, name: &str, default: f64) -> f64 {
        self.0[name].as_f64().unwrap_or(default)
    }

    pub fn count(&self, name: &str, default: usize) -> usize {
        self.0[name].as_u64().map_or(default, |value| value as usize)
    }

    pub fn optional_count(&self, name: &str) -> Option<usize> {
        self.0[name].as_u64().map(|value| value as usize)
    }

    pub fn task(&self) -> Task {
        match self.0["task"].as_str().unwrap() {
            "binary" => Task::Binary,
            "multiclass" => Task::Multiclass,
            _ => Task::Multilabel,
        }
    }

    pub fn threshold(&self) -> f64 {
        self.number("threshold", 0.5)
    }

    pub fn thresholds(&self) -> Option<Operand> {
        self.0["thresholds"].as_f64().map(Operand::from)
    }

    pub fn classes(&self) -> Option<usize> {
        self.optional_count("num_classes")
    }

    pub fn labels(&self) -> Option<usize> {
        self.optional_count("num_labels")
    }

    pub fn average(&self, default: &str) -> Average {
        match self.0["average"].as_str().unwrap_or(default) {
            "micro" => Average::Micro,
            "macro" => Average::Macro,
            "weighted" => Average::Weighted,
            _ => Average::None,
        }
    }

    pub fn multidim(&self) -> MultidimAverage {
        if self.0["multidim_average"] == "samplewise" { MultidimAverage::Samplewise } else { MultidimAverage::Global }
    }

    pub fn top_k(&self) -> usize {
        self.count("top_k", 1)
    }

    pub fn ignore(&self) -> Option<i64> {
        self.0["ignore_index"].as_i64()
    }

    pub fn zero_division(&self) -> f64 {
        self.number("zero_division", 0.0)
    }

    pub fn max_fpr(&self) -> Option<f64> {
        self.0["max_fpr"].as_f64()
    }

    pub fn normalize(&self) -> Normalize {
        match self.0["normalize"].as_str() {
            Some("true") => Normalize::True,
            Some("pred") => Normalize::Pred,
            Some("all") => Normalize::All,
            _ => Normalize::None,
        }
    }

    pub fn weights(&self) -> KappaWeights {
        match self.0["weights"].as_str() {
            Some("linear") => KappaWeights::Linear,
            Some("quadratic") => KappaWeights::Quadratic,
            _ => KappaWeights::None,
        }
    }

    pub fn flag(&self, name: &str) -> bool {
        self.0[name].as_bool().unwrap_or(false)
    }

    pub fn norm(&self) -> CalibrationNorm {
        match self.0["norm"].as_str() {
            Some("l2") => CalibrationNorm::L2,
            Some("max") => CalibrationNorm::Max,
            _ => CalibrationNorm::L1,
        }
    }

    pub fn mode(&self) -> MulticlassMode {
        if self.0["multiclass_mode"].is_null() { MulticlassMode::CrammerSinger } else { MulticlassMode::OneVsAll }
    }

    pub fn gaussian(&self) -> bool {
        self.0["gaussian_kernel"].as_bool().unwrap_or(true)
    }

    pub fn data_range(&self) -> Option<f64> {
        self.0["data_range"].as_f64()
    }

    pub fn images(&self) -> ImageReduction {
        if self.0["reduction"].is_null() { ImageReduction::ElementwiseMean } else { ImageReduction::None }
    }

    pub fn normalize_similarity(&self) -> SimilarityNormalize {
        if self.0["normalize"].is_null() { SimilarityNormalize::Relu } else { SimilarityNormalize::Simple }
    }

    pub fn is_squared(&self) -> bool {
        self.0["squared"].as_bool().unwrap_or(true)
    }

    pub fn outputs(&self) -> usize {
        self.count("num_outputs", 1)
    }

    pub fn multioutput(&self) -> Multioutput {
        match self.0["multioutput"].as_str() {
            Some("raw_values") => Multioutput::RawValues,
            Some("variance_weighted") => Multioutput::VarianceWeighted,
            _ => Multioutput::UniformAverage,
        }
    }

    pub fn reduction(&self, default: &str) -> Reduction {
        match self.0["reduction"].as_str().unwrap_or(default) {
            "mean" => Reduction::Mean,
            "sum" => Reduction::Sum,
            _ => Reduction::None,
        }
    }
}
