//! Losses as modules.

use crate::{
    Loss,
    table::{Built, ModuleSpec},
};
use lanthorn_tensor::{
    Error, Result, Tensor,
    ops::{Arg, Args, Op},
};

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
            weight: args.optional_tensor(0).cloned(),
            reduction: args.str(1).to_string(),
            ignore_index: args.int(2),
            label_smoothing: args.float(3),
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
    build: |args| Ok(Built::Loss(Box::new(MSELoss { reduction: args.str(0).to_string() }))),
};

/// A loss that is an op and its arguments, whichever: all of those below.
///
/// ```
/// # let device = lanthorn_tensor::Device::new(lanthorn_cpu::CpuBackend::new());
/// use lanthorn_nn::{FunctionalLoss, Loss};
/// use lanthorn_tensor::{Scalar, Tensor, ops::Arg};
/// let loss = FunctionalLoss::new("huber_loss", vec![Arg::Str("sum".into()), Arg::Scalar(Scalar::Float(0.5))])?;
/// let value = loss.forward(&Tensor::ones([2])?, &Tensor::zeros([2])?)?;
/// assert_eq!(pollster::block_on(value.item())?, 0.75);
/// # Ok::<(), lanthorn_tensor::Error>(())
/// ```
pub struct FunctionalLoss {
    op: &'static Op,
    /// What comes after input and target.
    rest: Vec<Arg>,
}

impl FunctionalLoss {
    /// The op of this name, with the arguments that follow an input and a target.
    pub fn new(name: &str, rest: Vec<Arg>) -> Result<FunctionalLoss> {
        let op = Op::find(name).ok_or_else(|| Error::argument("FunctionalLoss", format!("there is no op {name:?}")))?;
        Ok(FunctionalLoss { op, rest })
    }
}

impl Loss for FunctionalLoss {
    fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        let args = [input, target].map(|tensor| Arg::Tensor(tensor.clone()));
        self.op.run(&[&args[..], &self.rest].concat())?.into_tensor(self.op.name())
    }
}

/// The loss whose constructor takes what its op does after input and target.
fn functional(name: &str, args: &Args<'_>) -> Result<Built> {
    Ok(Built::Loss(Box::new(FunctionalLoss::new(name, args.to_vec())?)))
}

pub(crate) static L1: ModuleSpec = ModuleSpec {
    text: "L1Loss(*, str reduction=\"mean\") -> Loss",
    doc: "Absolute differences of two tensors of one shape.",
    build: |args| functional("l1_loss", args),
};

pub(crate) static SMOOTH_L1: ModuleSpec = ModuleSpec {
    text: "SmoothL1Loss(*, str reduction=\"mean\", float beta=1.0) -> Loss",
    doc: "Absolute differences, and squared ones below `beta`.",
    build: |args| functional("smooth_l1_loss", args),
};

pub(crate) static HUBER: ModuleSpec = ModuleSpec {
    text: "HuberLoss(*, str reduction=\"mean\", float delta=1.0) -> Loss",
    doc: "Half of squared differences, and absolute ones times `delta` above it.",
    build: |args| functional("huber_loss", args),
};

pub(crate) static BCE: ModuleSpec = ModuleSpec {
    text: "BCELoss(Tensor? weight=None, *, str reduction=\"mean\") -> Loss",
    doc: "Cross entropy of two outcomes by their probabilities, both of one shape.",
    build: |args| functional("binary_cross_entropy", args),
};

pub(crate) static BCE_WITH_LOGITS: ModuleSpec = ModuleSpec {
    text: "BCEWithLogitsLoss(Tensor? weight=None, *, str reduction=\"mean\", Tensor? pos_weight=None) -> Loss",
    doc: "Cross entropy of two outcomes by logits, of probabilities of the same shape.",
    build: |args| functional("binary_cross_entropy_with_logits", args),
};

pub(crate) static NLL: ModuleSpec = ModuleSpec {
    text: "NLLLoss(Tensor? weight=None, *, str reduction=\"mean\", int ignore_index=-100) -> Loss",
    doc: "Negative log likelihood of class indices (int32) under log probabilities `[N, C, ..]`.",
    build: |args| functional("nll_loss", args),
};

pub(crate) static KL_DIV: ModuleSpec = ModuleSpec {
    text: "KLDivLoss(*, str reduction=\"mean\", bool log_target=False) -> Loss",
    doc: "Divergence of log probabilities from probabilities; `reduction` may also be `\"batchmean\"`.",
    build: |args| functional("kl_div", args),
};

pub(crate) static POISSON_NLL: ModuleSpec = ModuleSpec {
    text: "PoissonNLLLoss(*, bool log_input=True, bool full=False, float eps=1e-8, str reduction=\"mean\") -> Loss",
    doc: "Negative log likelihood of counts under Poisson distributions.",
    build: |args| functional("poisson_nll_loss", args),
};

pub(crate) static SOFT_MARGIN: ModuleSpec = ModuleSpec {
    text: "SoftMarginLoss(*, str reduction=\"mean\") -> Loss",
    doc: "`log(1 + exp(-target * input))`, for targets 1 and -1.",
    build: |args| functional("soft_margin_loss", args),
};

pub(crate) static HINGE_EMBEDDING: ModuleSpec = ModuleSpec {
    text: "HingeEmbeddingLoss(float margin=1.0, *, str reduction=\"mean\") -> Loss",
    doc: "Distances of what is alike (1), and what `margin` is above them of what is not (-1).",
    build: |args| functional("hinge_embedding_loss", args),
};

pub(crate) static MULTI_MARGIN: ModuleSpec = ModuleSpec {
    text: "MultiMarginLoss(Scalar p=1, Scalar margin=1, Tensor? weight=None, *, str reduction=\"mean\") -> Loss",
    doc: "What the target's class (int32) lacks of its margin above the others. `[N, C]` and `[N]`.",
    build: |args| functional("multi_margin_loss", args),
};

pub(crate) static MULTI_LABEL_MARGIN: ModuleSpec = ModuleSpec {
    text: "MultiLabelMarginLoss(*, str reduction=\"mean\") -> Loss",
    doc: "What the target's classes (int32, up to the first negative) lack of their margin above the others. `[N, C]` both.",
    build: |args| functional("multilabel_margin_loss", args),
};

pub(crate) static MULTI_LABEL_SOFT_MARGIN: ModuleSpec = ModuleSpec {
    text: "MultiLabelSoftMarginLoss(Tensor? weight=None, *, str reduction=\"mean\") -> Loss",
    doc: "The mean over classes of the cross entropies of two outcomes by logits. `[N, C]` both.",
    build: |args| functional("multilabel_soft_margin_loss", args),
};
