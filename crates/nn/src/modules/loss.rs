//! Losses as modules: ops with the arguments of their constructors.

use crate::{
    Buffer, Layer, Linear, Module, VarBuilder,
    table::{Constructor, ModuleSpec, documentation, tensors},
};
use lanthorn_macros::{Builder, functional};
use lanthorn_tensor::{
    Error, Ints, Reduction, Result, Tensor,
    ops::{Args, Output},
};

/// Cross entropy of logits `[N, C, ..]` with class indices (int32) or class probabilities.
#[functional(
    "CrossEntropyLoss(Tensor? weight=None, *, int ignore_index=-100, str{none|mean|sum} reduction=\"mean\", float label_smoothing=0.0) -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "cross_entropy"
)]
pub struct CrossEntropyLoss;

/// Squared differences of two tensors of the same shape.
#[functional(
    "MSELoss(*, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "mse_loss"
)]
pub struct MSELoss;

/// Absolute differences of two tensors of the same shape.
#[functional(
    "L1Loss(*, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "l1_loss"
)]
pub struct L1Loss;

/// Absolute differences, squared below `beta`.
#[functional(
    "SmoothL1Loss(*, str{none|mean|sum} reduction=\"mean\", float beta=1.0) -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "smooth_l1_loss"
)]
pub struct SmoothL1Loss;

/// Half of the squared differences, and `delta` times the absolute ones above `delta`.
#[functional(
    "HuberLoss(*, str{none|mean|sum} reduction=\"mean\", float delta=1.0) -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "huber_loss"
)]
pub struct HuberLoss;

/// Binary cross entropy of probabilities, with targets of the same shape.
#[functional(
    "BCELoss(Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "binary_cross_entropy"
)]
pub struct BCELoss;

/// Binary cross entropy of logits, with targets of the same shape.
#[functional(
    "BCEWithLogitsLoss(Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\", Tensor? pos_weight=None) -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "binary_cross_entropy_with_logits"
)]
pub struct BCEWithLogitsLoss;

/// Negative log likelihood of log probabilities `[N, C, ..]` with class indices (int32).
#[functional(
    "NLLLoss(Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\", int ignore_index=-100) -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "nll_loss"
)]
pub struct NLLLoss;

/// Kullback-Leibler divergence of log probabilities from target probabilities; `reduction` may also
/// be `"batchmean"`.
#[functional(
    "KLDivLoss(*, str{none|batchmean|mean|sum} reduction=\"mean\", bool log_target=False) -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "kl_div"
)]
pub struct KLDivLoss;

/// Negative log likelihood of Poisson distributions.
#[functional(
    "PoissonNLLLoss(*, bool log_input=True, bool full=False, float eps=1e-8, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor log_input, Tensor target) -> Tensor",
    op = "poisson_nll_loss"
)]
pub struct PoissonNLLLoss;

/// `log(1 + exp(-target * input))`, for targets 1 and -1.
#[functional(
    "SoftMarginLoss(*, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "soft_margin_loss"
)]
pub struct SoftMarginLoss;

/// The distance for similar pairs (1), and its shortfall below `margin` for dissimilar pairs (-1).
#[functional(
    "HingeEmbeddingLoss(float margin=1.0, *, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "hinge_embedding_loss"
)]
pub struct HingeEmbeddingLoss;

/// The sum over the other classes of the shortfall of the target's score (class index, int32) below
/// the margin. `[N, C]` and `[N]`.
#[functional(
    "MultiMarginLoss(Scalar p=1, Scalar margin=1, Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "multi_margin_loss"
)]
pub struct MultiMarginLoss;

/// The shortfall of the target classes' scores below the margin over the others (class indices,
/// int32, up to the first negative one). `[N, C]` both.
#[functional(
    "MultiLabelMarginLoss(*, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "multilabel_margin_loss"
)]
pub struct MultiLabelMarginLoss;

/// The mean over classes of binary cross entropies of logits. `[N, C]` both.
#[functional(
    "MultiLabelSoftMarginLoss(Tensor? weight=None, *, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input, Tensor target) -> Tensor",
    op = "multilabel_soft_margin_loss"
)]
pub struct MultiLabelSoftMarginLoss;

/// One minus the cosine for similar pairs (1), and the excess of the cosine over `margin` for
/// dissimilar pairs (-1).
#[functional(
    "CosineEmbeddingLoss(float margin=0.0, *, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input1, Tensor input2, Tensor target) -> Tensor",
    op = "cosine_embedding_loss"
)]
pub struct CosineEmbeddingLoss;

/// The shortfall of the required margin by which `input1` (target 1) or `input2` (target -1) should
/// be larger.
#[functional(
    "MarginRankingLoss(float margin=0.0, *, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input1, Tensor input2, Tensor target) -> Tensor",
    op = "margin_ranking_loss"
)]
pub struct MarginRankingLoss;

/// The shortfall of the margin by which the negative should be farther from the anchor than the
/// positive. `[N, D]` or `[D]` each.
#[functional(
    "TripletMarginLoss(float margin=1.0, float p=2.0, float eps=1e-6, bool swap=False, *, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor anchor, Tensor positive, Tensor negative) -> Tensor",
    op = "triplet_margin_loss"
)]
pub struct TripletMarginLoss;

/// Negative log likelihood of normal distributions with means `input` and variances `var`.
#[functional(
    "GaussianNLLLoss(*, bool full=False, float eps=1e-6, str{none|mean|sum} reduction=\"mean\") -> Module",
    "forward(Tensor input, Tensor target, Tensor var) -> Tensor",
    op = "gaussian_nll_loss"
)]
pub struct GaussianNLLLoss;

/// Connectionist temporal classification. `log_probs: [T, N, C]` or `[T, C]`, `targets: [N, S]` or
/// all concatenated.
#[functional(
    "CTCLoss(int blank=0, str{none|mean|sum} reduction=\"mean\", bool zero_infinity=False) -> Module",
    "forward(Tensor log_probs, Tensor targets, Tensor|int[] input_lengths, Tensor|int[] target_lengths) -> Tensor",
    op = "ctc_loss"
)]
pub struct CTCLoss;

/// The [`CrossEntropyLoss`] of a linear layer's logits, `num_classes` for each of `out_features`.
///
/// Parameters: `linear.weight: [num_classes * out_features, in_features]`.
#[derive(Module, Builder)]
#[builder(
    "LinearCrossEntropyLoss(int in_features, int num_classes, *, int[] out_features=[], bool bias=False, str{none|mean|sum} reduction=\"mean\", Tensor? weight=None, int? ignore_index=None, float label_smoothing=0.0) -> Module",
    out_features = "The sizes of the positions that have a class each.",
    bias = "Whether the linear layer has a bias.",
    reduction = "The reduction of the losses.",
    weight = "The weight of each class.",
    ignore_index = "The class that has no loss; without one, -100.",
    label_smoothing = "The part of a target that is spread over all classes, from 0 to 1."
)]
#[module("forward(Tensor input, Tensor target) -> Tensor")]
pub struct LinearCrossEntropyLoss {
    weight: Option<Buffer>,
    linear: Linear,
    num_classes: i64,
    out_features: Ints,
    reduction: Reduction,
    ignore_index: i64,
    label_smoothing: f64,
}

impl LinearCrossEntropyLoss {
    fn make(options: LinearCrossEntropyLossBuilder, vars: &mut VarBuilder<'_>) -> Result<LinearCrossEntropyLoss> {
        let LinearCrossEntropyLossBuilder { num_classes, label_smoothing, .. } = options;
        let refused = |message: String| Error::argument("LinearCrossEntropyLoss", message);
        if let Some(weight) = &options.weight
            && weight.shape().to_vec() != [num_classes as usize]
        {
            return Err(refused(format!("weight must have shape [{num_classes}], not {}", weight.shape())));
        }
        if !(0.0..=1.0).contains(&label_smoothing) {
            return Err(refused(format!("label_smoothing must be from 0 to 1, not {label_smoothing}")));
        }
        let outputs = options.out_features.iter().product::<i64>() * num_classes;
        let linear = Linear::builder(options.in_features, outputs).bias(options.bias);
        Ok(LinearCrossEntropyLoss {
            weight: options.weight,
            linear: vars.child("linear", |vars| Linear::make(linear, vars))?,
            num_classes,
            out_features: options.out_features,
            reduction: options.reduction,
            ignore_index: options.ignore_index.unwrap_or(-100),
            label_smoothing,
        })
    }

    /// `input: [N, in_features]` or `[in_features]`; `target: [N, *out_features]` class indices, or
    /// `[N, num_classes, *out_features]` probabilities.
    ///
    /// # Errors
    ///
    /// `shape` if the features are others, or the target does not fit.
    pub fn forward(&self, input: &Tensor, target: &Tensor) -> Result<Tensor> {
        let logits = self.linear.forward(input)?;
        let batch = &logits.shape()[..logits.rank() - 1];
        let sizes =
            batch.iter().map(|&size| size as i64).chain([self.num_classes]).chain(self.out_features.iter().copied());
        let logits = logits.reshape(sizes.collect::<Vec<_>>())?;
        logits.cross_entropy_with(target, self.weight.as_ref(), self.reduction, self.ignore_index, self.label_smoothing)
    }
}

/// [`TripletMarginLoss`] with any distance, as `torch.nn.TripletMarginWithDistanceLoss`. It is in
/// no table, because a schema has no argument type for functions.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::nn::TripletMarginWithDistanceLoss;
/// use lanthorn::Tensor;
/// let criterion = TripletMarginWithDistanceLoss { margin: 3.5, ..TripletMarginWithDistanceLoss::new(|x, y| x.sub(y)?.abs()?.amax(-1, false)) };
/// let [a, p, n] = [0.0f32, 1.0, 4.0].map(|value| Tensor::full_with([2, 3], value, None, Some(&device)));
/// assert_eq!(pollster::block_on(criterion.forward(&a?, &p?, &n?)?.item())?, 0.5);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct TripletMarginWithDistanceLoss {
    /// The distance of two tensors, `[N, D]` each, as `[N]`.
    pub distance_function: Box<Distance>,
    /// The margin by which the negative should be farther.
    pub margin: f64,
    /// Whether the distance between negative and positive is used where it is smaller.
    pub swap: bool,
    /// The reduction of the losses.
    pub reduction: Reduction,
}

/// A distance of two tensors.
pub type Distance = dyn Fn(&Tensor, &Tensor) -> Result<Tensor>;

impl TripletMarginWithDistanceLoss {
    /// The module with PyTorch's defaults: margin 1, no swap, mean.
    pub fn new(
        distance_function: impl Fn(&Tensor, &Tensor) -> Result<Tensor> + 'static,
    ) -> TripletMarginWithDistanceLoss {
        let distance_function = Box::new(distance_function);
        TripletMarginWithDistanceLoss { distance_function, margin: 1.0, swap: false, reduction: Reduction::Mean }
    }

    /// The loss of an anchor, a positive and a negative.
    ///
    /// # Errors
    ///
    /// The error of the distance function, and `shape` if its results do not broadcast.
    pub fn forward(&self, anchor: &Tensor, positive: &Tensor, negative: &Tensor) -> Result<Tensor> {
        let TripletMarginWithDistanceLoss { distance_function, margin, swap, reduction } = self;
        Tensor::triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function,
            *margin,
            *swap,
            *reduction,
        )
    }
}

impl Module for TripletMarginWithDistanceLoss {
    fn signature(&self) -> &'static str {
        "forward(Tensor anchor, Tensor positive, Tensor negative) -> Tensor"
    }

    fn call(&self, inputs: &Args<'_>) -> Result<Output> {
        Ok(self.forward(inputs.tensor(0), inputs.tensor(1), inputs.tensor(2))?.into())
    }
}

pub(crate) static MODULES: &[ModuleSpec] = &[
    ModuleSpec {
        text: LinearCrossEntropyLoss::SCHEMA,
        forward: LinearCrossEntropyLoss::FORWARD,
        tensors: tensors(LinearCrossEntropyLoss::TENSORS),
        doc: documentation("The cross entropy of a linear layer's logits, `num_classes` for each of `out_features`."),
        make: Constructor::Type(LinearCrossEntropyLoss::from_args),
    },
    CrossEntropyLoss::SPEC,
    MSELoss::SPEC,
    L1Loss::SPEC,
    SmoothL1Loss::SPEC,
    HuberLoss::SPEC,
    BCELoss::SPEC,
    BCEWithLogitsLoss::SPEC,
    NLLLoss::SPEC,
    KLDivLoss::SPEC,
    PoissonNLLLoss::SPEC,
    SoftMarginLoss::SPEC,
    HingeEmbeddingLoss::SPEC,
    MultiMarginLoss::SPEC,
    MultiLabelMarginLoss::SPEC,
    MultiLabelSoftMarginLoss::SPEC,
    CosineEmbeddingLoss::SPEC,
    MarginRankingLoss::SPEC,
    TripletMarginLoss::SPEC,
    GaussianNLLLoss::SPEC,
    CTCLoss::SPEC,
];
