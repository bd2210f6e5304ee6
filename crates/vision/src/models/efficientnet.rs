//! EfficientNet of both versions.

use super::blocks::{
    BlockActivation, ConvNorm, SqueezeExcite, StochasticDepth, check_pictures, init_biases, init_convolutions,
    make_divisible,
};
use lanthorn_nn::{AdaptiveAvgPool2d, Dropout, Layer, Linear, Module, Sequential, init};
use lanthorn_tensor::{Error, Result, Tensor};

/// The stages: the factor of expansion, the kernel, the stride, the channels of the input and of
/// the result, the number of blocks, and whether the first two convolutions are one.
const STAGES_B: &[(f64, i64, i64, i64, i64, i64, bool)] = &[
    (1.0, 3, 1, 32, 16, 1, false),
    (6.0, 3, 2, 16, 24, 2, false),
    (6.0, 5, 2, 24, 40, 2, false),
    (6.0, 3, 2, 40, 80, 3, false),
    (6.0, 5, 1, 80, 112, 3, false),
    (6.0, 5, 2, 112, 192, 4, false),
    (6.0, 3, 1, 192, 320, 1, false),
];
const STAGES_S: &[(f64, i64, i64, i64, i64, i64, bool)] = &[
    (1.0, 3, 1, 24, 24, 2, true),
    (4.0, 3, 2, 24, 48, 4, true),
    (4.0, 3, 2, 48, 64, 4, true),
    (4.0, 3, 2, 64, 128, 6, false),
    (6.0, 3, 1, 128, 160, 9, false),
    (6.0, 3, 2, 160, 256, 15, false),
];
const STAGES_M: &[(f64, i64, i64, i64, i64, i64, bool)] = &[
    (1.0, 3, 1, 24, 24, 3, true),
    (4.0, 3, 2, 24, 48, 5, true),
    (4.0, 3, 2, 48, 80, 5, true),
    (4.0, 3, 2, 80, 160, 7, false),
    (6.0, 3, 1, 160, 176, 14, false),
    (6.0, 3, 2, 176, 304, 18, false),
    (6.0, 3, 1, 304, 512, 5, false),
];
const STAGES_L: &[(f64, i64, i64, i64, i64, i64, bool)] = &[
    (1.0, 3, 1, 32, 32, 4, true),
    (4.0, 3, 2, 32, 64, 7, true),
    (4.0, 3, 2, 64, 96, 7, true),
    (4.0, 3, 2, 96, 192, 10, false),
    (6.0, 3, 1, 192, 224, 19, false),
    (6.0, 3, 2, 224, 384, 25, false),
    (6.0, 3, 1, 384, 640, 7, false),
];

#[derive(Module)]
struct EfficientNetBlock {
    block: Sequential,
    stochastic_depth: StochasticDepth,
    is_residual: bool,
}

impl EfficientNetBlock {
    /// A block with these channels of the input, inside and of the result.
    fn new(
        channels: (i64, i64, i64),
        kernel: i64,
        stride: i64,
        is_fused: bool,
        probability: f64,
        norm: (f64, f64),
    ) -> Result<EfficientNetBlock> {
        let (inputs, hidden, outputs) = channels;
        let (eps, momentum) = norm;
        let activation = Some(BlockActivation::Silu);
        let mut layers: Vec<Box<dyn Layer>> = Vec::new();
        if is_fused {
            let first = ConvNorm { stride, eps, momentum, activation, ..ConvNorm::new(inputs, hidden, kernel) };
            layers.push(Box::new(first.layers()?));
        } else {
            if hidden != inputs {
                let first = ConvNorm { eps, momentum, activation, ..ConvNorm::new(inputs, hidden, 1) };
                layers.push(Box::new(first.layers()?));
            }
            let groups = hidden;
            let middle =
                ConvNorm { stride, groups, eps, momentum, activation, ..ConvNorm::new(hidden, hidden, kernel) };
            layers.push(Box::new(middle.layers()?));
            let squeezed = (inputs / 4).max(1);
            layers.push(Box::new(SqueezeExcite::new(hidden, squeezed, BlockActivation::Silu, false)?));
        }
        if !(is_fused && hidden == inputs) {
            let last = ConvNorm { eps, momentum, activation: None, ..ConvNorm::new(hidden, outputs, 1) };
            layers.push(Box::new(last.layers()?));
        }
        Ok(EfficientNetBlock {
            block: Sequential::new(layers),
            stochastic_depth: StochasticDepth::new(probability)?,
            is_residual: stride == 1 && inputs == outputs,
        })
    }
}

impl Layer for EfficientNetBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let output = self.block.forward(input)?;
        if self.is_residual { self.stochastic_depth.forward(&output)? + input } else { Ok(output) }
    }
}

/// A network of Tan and Le (2019, 2021).
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. A row of
/// `inverted_residual_setting` is a stage: the factor of expansion, the kernel, the stride, the
/// channels of the input and of the result, the number of blocks, and whether the first two
/// convolutions of a block are one. `last_channel` is the number of channels before the linear
/// layer, 4 times the channels of the last stage without one.
///
/// # Errors
///
/// `argument` without stages, and if a probability is not from 0 to 1; `shape` for an input that is
/// not a batch of pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::EfficientNet};
/// let model = EfficientNet::new(&[(4.0, 3, 2, 8, 16, 1, false)], 0.2, 0.2, 10, None, 1e-5, 0.1)?;
/// assert_eq!(model.named_parameters().len(), 21);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct EfficientNet {
    /// The convolutions.
    pub features: Sequential,
    /// The mean over the picture.
    pub avgpool: AdaptiveAvgPool2d,
    /// A dropout, and the linear layer.
    pub classifier: Sequential,
}

impl EfficientNet {
    /// A network with new parameters. Its norms have `eps` and `momentum`.
    ///
    /// Defaults: stochastic_depth_prob = 0.2, num_classes = 1000, eps = 1e-5, momentum = 0.1.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`EfficientNet`] does not take.
    pub fn new(
        inverted_residual_setting: &[(f64, i64, i64, i64, i64, i64, bool)],
        dropout: f64,
        stochastic_depth_prob: f64,
        num_classes: i64,
        last_channel: Option<i64>,
        eps: f64,
        momentum: f64,
    ) -> Result<EfficientNet> {
        if inverted_residual_setting.is_empty() {
            return Err(Error::argument("EfficientNet", "inverted_residual_setting takes at least one stage"));
        }
        let activation = Some(BlockActivation::Silu);
        let mut total = 0;
        for (_, _, _, _, _, count, _) in inverted_residual_setting {
            total += *count;
        }
        let stem = inverted_residual_setting[0].3;
        let first = ConvNorm { stride: 2, eps, momentum, activation, ..ConvNorm::new(3, stem, 3) };
        let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(first.layers()?)];
        let mut done = 0;
        let mut last = stem;
        for (expansion, kernel, stride, inputs, outputs, count, is_fused) in inverted_residual_setting {
            let mut stage: Vec<Box<dyn Layer>> = Vec::new();
            for index in 0..*count {
                let taken = if index == 0 { *inputs } else { *outputs };
                let own_stride = if index == 0 { *stride } else { 1 };
                let hidden = make_divisible(taken as f64 * *expansion, 8);
                let probability = stochastic_depth_prob * done as f64 / total as f64;
                let channels = (taken, hidden, *outputs);
                let norm = (eps, momentum);
                let block = EfficientNetBlock::new(channels, *kernel, own_stride, *is_fused, probability, norm)?;
                stage.push(Box::new(block));
                done += 1;
            }
            layers.push(Box::new(Sequential::new(stage)));
            last = *outputs;
        }
        let width = last_channel.unwrap_or(4 * last);
        layers.push(Box::new(ConvNorm { eps, momentum, activation, ..ConvNorm::new(last, width, 1) }.layers()?));
        let model = EfficientNet {
            features: Sequential::new(layers),
            avgpool: AdaptiveAvgPool2d::new([1, 1])?,
            classifier: Sequential::new(vec![
                Box::new(Dropout::new(dropout)?),
                Box::new(Linear::new(width, num_classes)?),
            ]),
        };
        init_convolutions(&model)?;
        let bound = 1.0 / (num_classes as f64).sqrt();
        for (_, parameter) in model.named_parameters() {
            if parameter.rank() == 2 {
                init::uniform_(&parameter, -bound, bound)?;
            }
        }
        init_biases(&model, "bias")?;
        Ok(model)
    }
}

impl Layer for EfficientNet {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("EfficientNet", input)?;
        let output = self.avgpool.forward(&self.features.forward(input)?)?;
        self.classifier.forward(&output.flatten(1, -1)?)
    }
}

/// A network of the first version with the channels and the numbers of blocks scaled.
fn scale(width_mult: f64, depth_mult: f64, dropout: f64, norm: (f64, f64), num_classes: i64) -> Result<EfficientNet> {
    let mut stages: Vec<(f64, i64, i64, i64, i64, i64, bool)> = Vec::new();
    for (expansion, kernel, stride, inputs, outputs, count, is_fused) in STAGES_B {
        let taken = make_divisible(*inputs as f64 * width_mult, 8);
        let made = make_divisible(*outputs as f64 * width_mult, 8);
        let deep = (*count as f64 * depth_mult).ceil() as i64;
        stages.push((*expansion, *kernel, *stride, taken, made, deep, *is_fused));
    }
    EfficientNet::new(&stages, dropout, 0.2, num_classes, None, norm.0, norm.1)
}

/// EfficientNet-B0 of Tan and Le (2019).
///
/// Defaults: num_classes = 1000, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_b0};
/// let model = efficientnet_b0(10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 213);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_b0(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    scale(1.0, 1.0, dropout, (1e-5, 0.1), num_classes)
}

/// EfficientNet-B1 of Tan and Le (2019).
///
/// Defaults: num_classes = 1000, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_b1};
/// let model = efficientnet_b1(10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 301);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_b1(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    scale(1.0, 1.1, dropout, (1e-5, 0.1), num_classes)
}

/// EfficientNet-B2 of Tan and Le (2019).
///
/// Defaults: num_classes = 1000, dropout = 0.3.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_b2};
/// let model = efficientnet_b2(10, 0.3)?;
/// assert_eq!(model.named_parameters().len(), 301);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_b2(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    scale(1.1, 1.2, dropout, (1e-5, 0.1), num_classes)
}

/// EfficientNet-B3 of Tan and Le (2019).
///
/// Defaults: num_classes = 1000, dropout = 0.3.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_b3};
/// let model = efficientnet_b3(10, 0.3)?;
/// assert_eq!(model.named_parameters().len(), 340);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_b3(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    scale(1.2, 1.4, dropout, (1e-5, 0.1), num_classes)
}

/// EfficientNet-B4 of Tan and Le (2019).
///
/// Defaults: num_classes = 1000, dropout = 0.4.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_b4};
/// let model = efficientnet_b4(10, 0.4)?;
/// assert_eq!(model.named_parameters().len(), 418);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_b4(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    scale(1.4, 1.8, dropout, (1e-5, 0.1), num_classes)
}

/// EfficientNet-B5 of Tan and Le (2019).
///
/// Defaults: num_classes = 1000, dropout = 0.4.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_b5};
/// let model = efficientnet_b5(10, 0.4)?;
/// assert_eq!(model.named_parameters().len(), 506);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_b5(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    scale(1.6, 2.2, dropout, (0.001, 0.01), num_classes)
}

/// EfficientNet-B6 of Tan and Le (2019).
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_b6};
/// let model = efficientnet_b6(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 584);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_b6(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    scale(1.8, 2.6, dropout, (0.001, 0.01), num_classes)
}

/// EfficientNet-B7 of Tan and Le (2019).
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_b7};
/// let model = efficientnet_b7(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 711);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_b7(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    scale(2.0, 3.1, dropout, (0.001, 0.01), num_classes)
}

/// EfficientNetV2-S of Tan and Le (2021).
///
/// Defaults: num_classes = 1000, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_v2_s};
/// let model = efficientnet_v2_s(10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 452);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_v2_s(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    EfficientNet::new(STAGES_S, dropout, 0.2, num_classes, Some(1280), 0.001, 0.1)
}

/// EfficientNetV2-M of Tan and Le (2021).
///
/// Defaults: num_classes = 1000, dropout = 0.3.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_v2_m};
/// let model = efficientnet_v2_m(10, 0.3)?;
/// assert_eq!(model.named_parameters().len(), 649);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_v2_m(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    EfficientNet::new(STAGES_M, dropout, 0.2, num_classes, Some(1280), 0.001, 0.1)
}

/// EfficientNetV2-L of Tan and Le (2021).
///
/// Defaults: num_classes = 1000, dropout = 0.4.
///
/// # Errors
///
/// `argument` for values that [`EfficientNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::efficientnet_v2_l};
/// let model = efficientnet_v2_l(10, 0.4)?;
/// assert_eq!(model.named_parameters().len(), 897);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn efficientnet_v2_l(num_classes: i64, dropout: f64) -> Result<EfficientNet> {
    EfficientNet::new(STAGES_L, dropout, 0.2, num_classes, Some(1280), 0.001, 0.1)
}
