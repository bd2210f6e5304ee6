//! ShuffleNet of the second version.

use super::blocks::{ConvNorm, check_pictures};
use lanthorn_nn::{BatchNorm2d, Conv2d, Layer, Linear, MaxPool2d, Module, ReLU, Sequential};
use lanthorn_tensor::{Error, Result, Tensor};

#[derive(Module)]
struct ShuffleUnit {
    branch1: Sequential,
    branch2: Sequential,
    stride: i64,
}

fn depthwise(channels: i64, stride: i64) -> Result<Conv2d> {
    Conv2d::builder(channels, channels, 3).stride(stride).padding(1).bias(false).groups(channels).build()
}

fn pointwise(inputs: i64, outputs: i64) -> Result<Conv2d> {
    Conv2d::builder(inputs, outputs, 1).bias(false).build()
}

impl ShuffleUnit {
    fn new(inputs: i64, outputs: i64, stride: i64) -> Result<ShuffleUnit> {
        let half = outputs / 2;
        let mut first: Vec<Box<dyn Layer>> = Vec::new();
        if stride > 1 {
            first.push(Box::new(depthwise(inputs, stride)?));
            first.push(Box::new(BatchNorm2d::new(inputs)?));
            first.push(Box::new(pointwise(inputs, half)?));
            first.push(Box::new(BatchNorm2d::new(half)?));
            first.push(Box::new(ReLU));
        }
        let taken = if stride > 1 { inputs } else { half };
        let second = Sequential::new(vec![
            Box::new(pointwise(taken, half)?),
            Box::new(BatchNorm2d::new(half)?),
            Box::new(ReLU),
            Box::new(depthwise(half, stride)?),
            Box::new(BatchNorm2d::new(half)?),
            Box::new(pointwise(half, half)?),
            Box::new(BatchNorm2d::new(half)?),
            Box::new(ReLU),
        ]);
        Ok(ShuffleUnit { branch1: Sequential::new(first), branch2: second, stride })
    }
}

impl Layer for ShuffleUnit {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        if self.stride == 1 {
            let halves = input.chunk(2, 1)?;
            let joined = Tensor::cat(&[halves[0].clone(), self.branch2.forward(&halves[1])?], 1)?;
            return shuffle_channels(&joined);
        }
        let joined = Tensor::cat(&[self.branch1.forward(input)?, self.branch2.forward(input)?], 1)?;
        shuffle_channels(&joined)
    }
}

/// The channels of the halves, one of the first, then one of the second.
fn shuffle_channels(input: &Tensor) -> Result<Tensor> {
    let shape = input.shape();
    let (batch, channels, height, width) = (shape[0] as i64, shape[1] as i64, shape[2] as i64, shape[3] as i64);
    let halves = input.reshape([batch, 2, channels / 2, height, width])?;
    halves.transpose(1, 2)?.reshape([batch, channels, height, width])
}

/// A network of Ma et al. (2018).
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `stages_repeats` has the
/// number of units of three stages, and `stages_out_channels` the channels of the stem, of the
/// stages and of the last convolution.
///
/// # Errors
///
/// `argument` if the lists have not three and five numbers; `shape` for an input that is not a
/// batch of pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::ShuffleNetV2};
/// let model = ShuffleNetV2::new(&[1, 1, 1], &[8, 16, 32, 64, 64], 10)?;
/// assert_eq!(model.named_parameters().len(), 53);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct ShuffleNetV2 {
    /// The stem.
    pub conv1: Sequential,
    /// The pooling after the stem.
    pub maxpool: MaxPool2d,
    /// The first stage.
    pub stage2: Sequential,
    /// The second stage.
    pub stage3: Sequential,
    /// The third stage.
    pub stage4: Sequential,
    /// The last convolution.
    pub conv5: Sequential,
    /// The linear layer.
    pub fc: Linear,
}

fn units(inputs: i64, outputs: i64, count: i64) -> Result<Sequential> {
    let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(ShuffleUnit::new(inputs, outputs, 2)?)];
    for _ in 1..count {
        layers.push(Box::new(ShuffleUnit::new(outputs, outputs, 1)?));
    }
    Ok(Sequential::new(layers))
}

impl ShuffleNetV2 {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`ShuffleNetV2`] does not take.
    pub fn new(stages_repeats: &[i64], stages_out_channels: &[i64], num_classes: i64) -> Result<ShuffleNetV2> {
        if stages_repeats.len() != 3 {
            let message = format!("stages_repeats takes 3 numbers, not {:?}", stages_repeats);
            return Err(Error::argument("ShuffleNetV2", message));
        }
        if stages_out_channels.len() != 5 {
            let message = format!("stages_out_channels takes 5 numbers, not {:?}", stages_out_channels);
            return Err(Error::argument("ShuffleNetV2", message));
        }
        let channels = stages_out_channels;
        Ok(ShuffleNetV2 {
            conv1: ConvNorm { stride: 2, ..ConvNorm::new(3, channels[0], 3) }.layers()?,
            maxpool: MaxPool2d::builder(3).stride(2).padding(1).build()?,
            stage2: units(channels[0], channels[1], stages_repeats[0])?,
            stage3: units(channels[1], channels[2], stages_repeats[1])?,
            stage4: units(channels[2], channels[3], stages_repeats[2])?,
            conv5: ConvNorm::new(channels[3], channels[4], 1).layers()?,
            fc: Linear::new(channels[4], num_classes)?,
        })
    }
}

impl Layer for ShuffleNetV2 {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("ShuffleNetV2", input)?;
        let mut output = self.maxpool.forward(&self.conv1.forward(input)?)?;
        output = self.stage4.forward(&self.stage3.forward(&self.stage2.forward(&output)?)?)?;
        output = self.conv5.forward(&output)?.mean([2, 3], false)?;
        self.fc.forward(&output)
    }
}

/// ShuffleNet v2 of Ma et al. (2018) with 0.5 times the channels.
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ShuffleNetV2`] does not take.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::shufflenet_v2_x0_5};
/// let model = shufflenet_v2_x0_5(10)?;
/// assert_eq!(model.named_parameters().len(), 170);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn shufflenet_v2_x0_5(num_classes: i64) -> Result<ShuffleNetV2> {
    ShuffleNetV2::new(&[4, 8, 4], &[24, 48, 96, 192, 1024], num_classes)
}

/// ShuffleNet v2 of Ma et al. (2018) with 1.0 times the channels.
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ShuffleNetV2`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::shufflenet_v2_x1_0};
/// let model = shufflenet_v2_x1_0(10)?;
/// assert_eq!(model.named_parameters().len(), 170);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn shufflenet_v2_x1_0(num_classes: i64) -> Result<ShuffleNetV2> {
    ShuffleNetV2::new(&[4, 8, 4], &[24, 116, 232, 464, 1024], num_classes)
}

/// ShuffleNet v2 of Ma et al. (2018) with 1.5 times the channels.
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ShuffleNetV2`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::shufflenet_v2_x1_5};
/// let model = shufflenet_v2_x1_5(10)?;
/// assert_eq!(model.named_parameters().len(), 170);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn shufflenet_v2_x1_5(num_classes: i64) -> Result<ShuffleNetV2> {
    ShuffleNetV2::new(&[4, 8, 4], &[24, 176, 352, 704, 1024], num_classes)
}

/// ShuffleNet v2 of Ma et al. (2018) with 2.0 times the channels.
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ShuffleNetV2`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::shufflenet_v2_x2_0};
/// let model = shufflenet_v2_x2_0(10)?;
/// assert_eq!(model.named_parameters().len(), 170);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn shufflenet_v2_x2_0(num_classes: i64) -> Result<ShuffleNetV2> {
    ShuffleNetV2::new(&[4, 8, 4], &[24, 244, 488, 976, 2048], num_classes)
}
