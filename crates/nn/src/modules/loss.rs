//! Losses as modules.

use crate::{
    Loss,
    table::{Built, ModuleSpec},
};
use lanthorn_tensor::{Result, Tensor};

/// [`Tensor::cross_entropy`] as a module. `input: [N, C, ..]` logits, `target: [N, ..]` class indices or `[N, C, ..]` probabilities.
pub struct CrossEntropyLoss {
    weight: Option<Tensor>,
    reduction: String,
    ignore_index: i64,
    label_smoothing: f64,
}

impl Default for CrossEntropyLoss {
    /// Unweighted, the mean, nothing ignored but -100, no smoothing.
    fn default() -> CrossEntropyLoss {
        CrossEntropyLoss { weight: None, reduction: "mean".into(), ignore_index: -100, label_smoothing: 0.0 }
    }
}

impl Loss for CrossEntropyLoss {
    fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        let weight = self.weight.as_ref();
        input.cross_entropy_with(target, weight, &self.reduction, self.ignore_index, self.label_smoothing)
    }
}

pub(crate) static CROSS_ENTROPY: ModuleSpec = ModuleSpec {
    text: "CrossEntropyLoss(Tensor? weight=None, *, str reduction=\"mean\", int ignore_index=-100, float label_smoothing=0.0) -> Loss",
    doc: "Cross entropy of class indices (int32) or class probabilities under logits `[N, C, ..]`.",
    build: |args| {
        Ok(Built::Loss(Box::new(CrossEntropyLoss {
            weight: args.optional_tensor(0)?.cloned(),
            reduction: args.str(1)?.to_string(),
            ignore_index: args.int(2)?,
            label_smoothing: args.float(3)?,
        })))
    },
};

/// [`Tensor::mse_loss`] as a module.
pub struct MSELoss {
    reduction: String,
}

impl Default for MSELoss {
    /// The mean.
    fn default() -> MSELoss {
        MSELoss { reduction: "mean".into() }
    }
}

impl Loss for MSELoss {
    fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        input.mse_loss_with(target, &self.reduction)
    }
}

pub(crate) static MSE: ModuleSpec = ModuleSpec {
    text: "MSELoss(*, str reduction=\"mean\") -> Loss",
    doc: "Squared differences of two tensors of one shape.",
    build: |args| Ok(Built::Loss(Box::new(MSELoss { reduction: args.str(0)?.to_string() }))),
};
