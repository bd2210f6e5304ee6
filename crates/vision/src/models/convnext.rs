//! ConvNeXt.

use super::blocks::{PermuteLayer, StochasticDepth, check_pictures, init_biases, init_truncated};
use lanthorn_nn::{
    AdaptiveAvgPool2d, Conv2d, Flatten, GELU, Layer, LayerNorm, Linear, Module, Parameter, Sequential, parameter,
};
use lanthorn_tensor::{Error, Result, Tensor};

/// A layer norm over the channels of pictures.
#[derive(Module)]
struct LayerNorm2d {
    weight: Parameter,
    bias: Parameter,
    channels: i64,
}

impl LayerNorm2d {
    fn new(channels: i64) -> Result<LayerNorm2d> {
        Ok(LayerNorm2d {
            weight: parameter(&Tensor::ones([channels])?)?,
            bias: parameter(&Tensor::zeros([channels])?)?,
            channels,
        })
    }
}

impl Layer for LayerNorm2d {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let last = input.permute([0, 2, 3, 1])?;
        let normed = last.layer_norm([self.channels], Some(&self.weight), Some(&self.bias), 1e-6)?;
        normed.permute([0, 3, 1, 2])
    }
}

#[derive(Module)]
struct ConvNeXtBlock {
    layer_scale: Parameter,
    block: Sequential,
    stochastic_depth: StochasticDepth,
}

impl ConvNeXtBlock {
    fn new(channels: i64, layer_scale: f64, probability: f64) -> Result<ConvNeXtBlock> {
        Ok(ConvNeXtBlock {
            layer_scale: parameter(&Tensor::full([channels, 1, 1], layer_scale)?)?,
            block: Sequential::new(vec![
                Box::new(Conv2d::builder(channels, channels, 7).padding(3).groups(channels).build()?),
                Box::new(PermuteLayer::new(&[0, 2, 3, 1])),
                Box::new(LayerNorm::builder(channels).eps(1e-6).build()?),
                Box::new(Linear::new(channels, 4 * channels)?),
                Box::new(GELU::builder().build()?),
                Box::new(Linear::new(4 * channels, channels)?),
                Box::new(PermuteLayer::new(&[0, 3, 1, 2])),
            ]),
            stochastic_depth: StochasticDepth::new(probability)?,
        })
    }
}

impl Layer for ConvNeXtBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let scaled = (self.block.forward(input)? * &self.layer_scale)?;
        self.stochastic_depth.forward(&scaled)? + input
    }
}

/// A network of Liu et al. (2022).
///
/// Pictures `[n, 3, height, width]` of at least 32 × 32 become logits `[n, num_classes]`. A row of
/// `block_setting` is a stage: its channels, the channels of the next stage or 0 for none, and the
/// number of blocks.
///
/// # Errors
///
/// `argument` without stages, and if the probability is not from 0 to 1; `shape` for an input that
/// is not a batch of pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, nn::Layer, vision::models::ConvNeXt};
/// let model = ConvNeXt::new(&[(8, 16, 1), (16, 0, 1)], 0.0, 1e-6, 10)?;
/// let logits = model.forward(&Tensor::zeros([2, 3, 32, 32])?)?;
/// assert_eq!(logits.shape().to_vec(), [2, 10]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct ConvNeXt {
    /// The convolutions.
    pub features: Sequential,
    /// The mean over the picture.
    pub avgpool: AdaptiveAvgPool2d,
    /// A layer norm, and the linear layer.
    pub classifier: Sequential,
}

impl ConvNeXt {
    /// A network with new parameters.
    ///
    /// Defaults: stochastic_depth_prob = 0, layer_scale = 1e-6, num_classes = 1000.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`ConvNeXt`] does not take.
    pub fn new(
        block_setting: &[(i64, i64, i64)],
        stochastic_depth_prob: f64,
        layer_scale: f64,
        num_classes: i64,
    ) -> Result<ConvNeXt> {
        if block_setting.is_empty() {
            return Err(Error::argument("ConvNeXt", "block_setting takes at least one stage"));
        }
        let mut total = 0;
        for (_, _, count) in block_setting {
            total += *count;
        }
        let stem = block_setting[0].0;
        let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(Sequential::new(vec![
            Box::new(Conv2d::builder(3, stem, 4).stride(4).build()?),
            Box::new(LayerNorm2d::new(stem)?),
        ]))];
        let mut done = 0;
        let mut width = stem;
        for (channels, next, count) in block_setting {
            let mut stage: Vec<Box<dyn Layer>> = Vec::new();
            for _ in 0..*count {
                let probability = stochastic_depth_prob * done as f64 / (total as f64 - 1.0).max(1.0);
                stage.push(Box::new(ConvNeXtBlock::new(*channels, layer_scale, probability)?));
                done += 1;
            }
            layers.push(Box::new(Sequential::new(stage)));
            width = *channels;
            if *next != 0 {
                layers.push(Box::new(Sequential::new(vec![
                    Box::new(LayerNorm2d::new(*channels)?),
                    Box::new(Conv2d::builder(*channels, *next, 2).stride(2).build()?),
                ])));
                width = *next;
            }
        }
        let model = ConvNeXt {
            features: Sequential::new(layers),
            avgpool: AdaptiveAvgPool2d::new([1, 1])?,
            classifier: Sequential::new(vec![
                Box::new(LayerNorm2d::new(width)?),
                Box::new(Flatten::builder().build()?),
                Box::new(Linear::new(width, num_classes)?),
            ]),
        };
        init_truncated(&model, 0.02)?;
        init_biases(&model, "bias")?;
        Ok(model)
    }
}

impl Layer for ConvNeXt {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("ConvNeXt", input)?;
        self.classifier.forward(&self.avgpool.forward(&self.features.forward(input)?)?)
    }
}

fn convnext(widths: [i64; 4], depth: i64, probability: f64, num_classes: i64) -> Result<ConvNeXt> {
    let stages =
        [(widths[0], widths[1], 3), (widths[1], widths[2], 3), (widths[2], widths[3], depth), (widths[3], 0, 3)];
    ConvNeXt::new(&stages, probability, 1e-6, num_classes)
}

/// ConvNeXt (tiny) of Liu et al. (2022).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.1.
///
/// # Errors
///
/// `argument` for values that [`ConvNeXt`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::convnext_tiny};
/// let model = convnext_tiny(10, 0.1)?;
/// assert_eq!(model.named_parameters().len(), 182);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn convnext_tiny(num_classes: i64, stochastic_depth_prob: f64) -> Result<ConvNeXt> {
    convnext([96, 192, 384, 768], 9, stochastic_depth_prob, num_classes)
}

/// ConvNeXt (small) of Liu et al. (2022).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.4.
///
/// # Errors
///
/// `argument` for values that [`ConvNeXt`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::convnext_small};
/// let model = convnext_small(10, 0.4)?;
/// assert_eq!(model.named_parameters().len(), 344);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn convnext_small(num_classes: i64, stochastic_depth_prob: f64) -> Result<ConvNeXt> {
    convnext([96, 192, 384, 768], 27, stochastic_depth_prob, num_classes)
}

/// ConvNeXt (base) of Liu et al. (2022).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.5.
///
/// # Errors
///
/// `argument` for values that [`ConvNeXt`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::convnext_base};
/// let model = convnext_base(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 344);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn convnext_base(num_classes: i64, stochastic_depth_prob: f64) -> Result<ConvNeXt> {
    convnext([128, 256, 512, 1024], 27, stochastic_depth_prob, num_classes)
}

/// ConvNeXt (large) of Liu et al. (2022).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.5.
///
/// # Errors
///
/// `argument` for values that [`ConvNeXt`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::convnext_large};
/// let model = convnext_large(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 344);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn convnext_large(num_classes: i64, stochastic_depth_prob: f64) -> Result<ConvNeXt> {
    convnext([192, 384, 768, 1536], 27, stochastic_depth_prob, num_classes)
}
