//! MobileNet of the second version.

use super::blocks::{
    BlockActivation, ConvNorm, check_pictures, init_biases, init_convolutions, init_linears, make_divisible,
};
use lanthorn_nn::{BatchNorm2d, Conv2d, Dropout, Layer, Linear, Module, Sequential};
use lanthorn_tensor::{Result, Tensor};

/// The stages: the factor of expansion, the channels, the number of blocks, the stride of the
/// first.
const STAGES: &[(i64, i64, i64, i64)] =
    &[(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)];

#[derive(Module)]
struct MobileNetV2Block {
    conv: Sequential,
    is_residual: bool,
}

impl MobileNetV2Block {
    fn new(inputs: i64, outputs: i64, stride: i64, expansion: i64) -> Result<MobileNetV2Block> {
        let hidden = inputs * expansion;
        let activation = Some(BlockActivation::Relu6);
        let mut layers: Vec<Box<dyn Layer>> = Vec::new();
        if expansion != 1 {
            layers.push(Box::new(ConvNorm { activation, ..ConvNorm::new(inputs, hidden, 1) }.layers()?));
        }
        let depthwise = ConvNorm { activation, stride, groups: hidden, ..ConvNorm::new(hidden, hidden, 3) };
        layers.push(Box::new(depthwise.layers()?));
        layers.push(Box::new(Conv2d::builder(hidden, outputs, 1).bias(false).build()?));
        layers.push(Box::new(BatchNorm2d::new(outputs)?));
        Ok(MobileNetV2Block { conv: Sequential::new(layers), is_residual: stride == 1 && inputs == outputs })
    }
}

impl Layer for MobileNetV2Block {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let output = self.conv.forward(input)?;
        if self.is_residual { input + output } else { Ok(output) }
    }
}

/// The network of Sandler et al. (2018), with inverted residual blocks.
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `width_mult` scales the
/// numbers of channels.
///
/// # Errors
///
/// `shape` for an input that is not a batch of pictures; `argument` if `dropout` is not from 0 to
/// 1.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::MobileNetV2};
/// let model = MobileNetV2::new(10, 0.25, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 158);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct MobileNetV2 {
    /// The convolutions.
    pub features: Sequential,
    /// A dropout, and the linear layer.
    pub classifier: Sequential,
}

impl MobileNetV2 {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000, width_mult = 1, dropout = 0.2.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`MobileNetV2`] does not take.
    pub fn new(num_classes: i64, width_mult: f64, dropout: f64) -> Result<MobileNetV2> {
        let activation = Some(BlockActivation::Relu6);
        let mut inputs = make_divisible(32.0 * width_mult, 8);
        let last = make_divisible(1280.0 * width_mult.max(1.0), 8);
        let mut layers: Vec<Box<dyn Layer>> =
            vec![Box::new(ConvNorm { activation, stride: 2, ..ConvNorm::new(3, inputs, 3) }.layers()?)];
        for (expansion, channels, count, stride) in STAGES {
            let outputs = make_divisible(*channels as f64 * width_mult, 8);
            for index in 0..*count {
                let stride = if index == 0 { *stride } else { 1 };
                layers.push(Box::new(MobileNetV2Block::new(inputs, outputs, stride, *expansion)?));
                inputs = outputs;
            }
        }
        layers.push(Box::new(ConvNorm { activation, ..ConvNorm::new(inputs, last, 1) }.layers()?));
        let model = MobileNetV2 {
            features: Sequential::new(layers),
            classifier: Sequential::new(vec![
                Box::new(Dropout::new(dropout)?),
                Box::new(Linear::new(last, num_classes)?),
            ]),
        };
        init_convolutions(&model)?;
        init_linears(&model, 0.01)?;
        init_biases(&model, "bias")?;
        Ok(model)
    }
}

impl Layer for MobileNetV2 {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("MobileNetV2", input)?;
        let output = self.features.forward(input)?.adaptive_avg_pool2d([1, 1])?;
        self.classifier.forward(&output.flatten(1, -1)?)
    }
}

/// MobileNet v2 of Sandler et al. (2018).
///
/// Defaults: num_classes = 1000, width_mult = 1, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`MobileNetV2`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::mobilenet_v2};
/// let model = mobilenet_v2(10, 1.0, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 158);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mobilenet_v2(num_classes: i64, width_mult: f64, dropout: f64) -> Result<MobileNetV2> {
    MobileNetV2::new(num_classes, width_mult, dropout)
}
