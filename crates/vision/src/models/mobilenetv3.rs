//! MobileNet of the third version.

use super::blocks::{
    BlockActivation, ConvNorm, SqueezeExcite, check_pictures, init_biases, init_convolutions, init_linears,
    make_divisible,
};
use lanthorn_nn::{AdaptiveAvgPool2d, Dropout, Hardswish, Layer, Linear, Module, Sequential};
use lanthorn_tensor::{Result, Tensor};

/// The blocks: the channels of the input, the kernel, the channels inside and of the result,
/// whether channels are scaled, whether the activation is a hard swish, and the stride.
const LARGE: &[(i64, i64, i64, i64, bool, bool, i64)] = &[
    (16, 3, 16, 16, false, false, 1),
    (16, 3, 64, 24, false, false, 2),
    (24, 3, 72, 24, false, false, 1),
    (24, 5, 72, 40, true, false, 2),
    (40, 5, 120, 40, true, false, 1),
    (40, 5, 120, 40, true, false, 1),
    (40, 3, 240, 80, false, true, 2),
    (80, 3, 200, 80, false, true, 1),
    (80, 3, 184, 80, false, true, 1),
    (80, 3, 184, 80, false, true, 1),
    (80, 3, 480, 112, true, true, 1),
    (112, 3, 672, 112, true, true, 1),
    (112, 5, 672, 160, true, true, 2),
    (160, 5, 960, 160, true, true, 1),
    (160, 5, 960, 160, true, true, 1),
];
const SMALL: &[(i64, i64, i64, i64, bool, bool, i64)] = &[
    (16, 3, 16, 16, true, false, 2),
    (16, 3, 72, 24, false, false, 2),
    (24, 3, 88, 24, false, false, 1),
    (24, 5, 96, 40, true, true, 2),
    (40, 5, 240, 40, true, true, 1),
    (40, 5, 240, 40, true, true, 1),
    (40, 5, 120, 48, true, true, 1),
    (48, 5, 144, 48, true, true, 1),
    (48, 5, 288, 96, true, true, 2),
    (96, 5, 576, 96, true, true, 1),
    (96, 5, 576, 96, true, true, 1),
];

/// The table of blocks of a [`MobileNetV3`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MobileNetV3Size {
    /// 15 blocks.
    Large,
    /// 11 blocks.
    Small,
}

#[derive(Module)]
struct MobileNetV3Block {
    block: Sequential,
    is_residual: bool,
}

/// A convolution with the norms of this network.
fn conv_norm(inputs: i64, outputs: i64, kernel: i64, activation: Option<BlockActivation>) -> ConvNorm {
    ConvNorm { eps: 0.001, momentum: 0.01, activation, ..ConvNorm::new(inputs, outputs, kernel) }
}

impl MobileNetV3Block {
    /// A block of channels of the input, inside and of the result.
    fn new(
        channels: (i64, i64, i64),
        kernel: i64,
        is_scaled: bool,
        activation: BlockActivation,
        stride: i64,
        dilation: i64,
    ) -> Result<MobileNetV3Block> {
        let (inputs, hidden, outputs) = channels;
        let mut layers: Vec<Box<dyn Layer>> = Vec::new();
        if hidden != inputs {
            layers.push(Box::new(conv_norm(inputs, hidden, 1, Some(activation)).layers()?));
        }
        let own_stride = if dilation > 1 { 1 } else { stride };
        let depthwise = ConvNorm {
            stride: own_stride,
            dilation,
            groups: hidden,
            ..conv_norm(hidden, hidden, kernel, Some(activation))
        };
        layers.push(Box::new(depthwise.layers()?));
        if is_scaled {
            let squeezed = make_divisible((hidden / 4) as f64, 8);
            layers.push(Box::new(SqueezeExcite::new(hidden, squeezed, BlockActivation::Relu, true)?));
        }
        layers.push(Box::new(conv_norm(hidden, outputs, 1, None).layers()?));
        Ok(MobileNetV3Block { block: Sequential::new(layers), is_residual: stride == 1 && inputs == outputs })
    }
}

impl Layer for MobileNetV3Block {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let output = self.block.forward(input)?;
        if self.is_residual { output + input } else { Ok(output) }
    }
}

/// The convolutions: a stem, the blocks of the table, and a last one. With `reduced_tail` the last
/// blocks have half of the channels, and with `dilated` they are dilated instead of having a
/// stride.
pub(crate) fn mobilenet_v3_features(
    size: MobileNetV3Size,
    width_mult: f64,
    reduced_tail: bool,
    dilated: bool,
) -> Result<Sequential> {
    let rows = if size == MobileNetV3Size::Large { LARGE } else { SMALL };
    let hard = BlockActivation::Hardswish;
    let stem = make_divisible(16.0 * width_mult, 8);
    let mut layers: Vec<Box<dyn Layer>> =
        vec![Box::new(ConvNorm { stride: 2, ..conv_norm(3, stem, 3, Some(hard)) }.layers()?)];
    let first_of_tail = rows.len() - 3;
    let mut last = stem;
    for index in 0..rows.len() {
        let (inputs, kernel, hidden, outputs, is_scaled, is_hard, stride) = rows[index];
        let is_tail = index >= first_of_tail;
        let divider = if is_tail && reduced_tail { 2 } else { 1 };
        // The first block of the tail takes and expands the channels before it.
        let inner = if index > first_of_tail { divider } else { 1 };
        let adjusted_inputs = make_divisible((inputs / inner) as f64 * width_mult, 8);
        let adjusted_hidden = make_divisible((hidden / inner) as f64 * width_mult, 8);
        last = make_divisible((outputs / divider) as f64 * width_mult, 8);
        let activation = if is_hard { hard } else { BlockActivation::Relu };
        let dilation = if is_tail && dilated { 2 } else { 1 };
        let channels = (adjusted_inputs, adjusted_hidden, last);
        let block = MobileNetV3Block::new(channels, kernel, is_scaled, activation, stride, dilation)?;
        layers.push(Box::new(block));
    }
    layers.push(Box::new(conv_norm(last, 6 * last, 1, Some(hard)).layers()?));
    Ok(Sequential::new(layers))
}

/// The network of Howard et al. (2019).
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `width_mult` scales the
/// numbers of channels. With `reduced_tail` the last blocks have half of the channels, and with
/// `dilated` they are dilated instead of having a stride.
///
/// # Errors
///
/// `shape` for an input that is not a batch of pictures; `argument` if `dropout` is not from 0 to
/// 1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::{MobileNetV3, MobileNetV3Size}};
/// let model = MobileNetV3::new(MobileNetV3Size::Small, 10, 1.0, false, false, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 142);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct MobileNetV3 {
    /// The convolutions.
    pub features: Sequential,
    /// The mean over the picture.
    pub avgpool: AdaptiveAvgPool2d,
    /// The linear layers.
    pub classifier: Sequential,
}

impl MobileNetV3 {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000, width_mult = 1, reduced_tail = false, dilated = false, dropout
    /// = 0.2.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`MobileNetV3`] does not take.
    pub fn new(
        size: MobileNetV3Size,
        num_classes: i64,
        width_mult: f64,
        reduced_tail: bool,
        dilated: bool,
        dropout: f64,
    ) -> Result<MobileNetV3> {
        let divider = if reduced_tail { 2 } else { 1 };
        let (tail, hidden) = if size == MobileNetV3Size::Large { (160, 1280) } else { (96, 1024) };
        let inputs = 6 * make_divisible((tail / divider) as f64 * width_mult, 8);
        let inner = make_divisible((hidden / divider) as f64 * width_mult, 8);
        let model = MobileNetV3 {
            features: mobilenet_v3_features(size, width_mult, reduced_tail, dilated)?,
            avgpool: AdaptiveAvgPool2d::new([1, 1])?,
            classifier: Sequential::new(vec![
                Box::new(Linear::new(inputs, inner)?),
                Box::new(Hardswish),
                Box::new(Dropout::new(dropout)?),
                Box::new(Linear::new(inner, num_classes)?),
            ]),
        };
        init_convolutions(&model)?;
        init_linears(&model, 0.01)?;
        init_biases(&model, "bias")?;
        Ok(model)
    }
}

impl Layer for MobileNetV3 {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("MobileNetV3", input)?;
        let output = self.avgpool.forward(&self.features.forward(input)?)?;
        self.classifier.forward(&output.flatten(1, -1)?)
    }
}

/// MobileNet v3 (large) of Howard et al. (2019).
///
/// Defaults: num_classes = 1000, width_mult = 1, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`MobileNetV3`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::mobilenet_v3_large};
/// let model = mobilenet_v3_large(10, 1.0, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 174);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mobilenet_v3_large(num_classes: i64, width_mult: f64, dropout: f64) -> Result<MobileNetV3> {
    MobileNetV3::new(MobileNetV3Size::Large, num_classes, width_mult, false, false, dropout)
}

/// MobileNet v3 (small) of Howard et al. (2019).
///
/// Defaults: num_classes = 1000, width_mult = 1, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`MobileNetV3`] does not take.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::mobilenet_v3_small};
/// let model = mobilenet_v3_small(10, 1.0, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 142);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mobilenet_v3_small(num_classes: i64, width_mult: f64, dropout: f64) -> Result<MobileNetV3> {
    MobileNetV3::new(MobileNetV3Size::Small, num_classes, width_mult, false, false, dropout)
}
