//! MNASNet.

use super::blocks::{check_pictures, init_biases, init_convolutions};
use lanthorn_nn::{
    BatchNorm2d, Conv2d, Dropout, Layer, Linear, Module, ReLU, Sequential,
    init::{self, FanMode, GainOf},
};
use lanthorn_tensor::{Error, Result, Tensor};

/// The weight of a batch in the running statistics of the norms.
const MOMENTUM: f64 = 1.0 - 0.9997;

/// The stacks: the kernel, the stride, the factor of expansion and the number of blocks.
const STACKS: &[(i64, i64, i64, i64)] =
    &[(3, 2, 3, 3), (5, 2, 3, 3), (5, 2, 6, 3), (3, 1, 6, 2), (5, 2, 6, 4), (3, 1, 6, 1)];

#[derive(Module)]
struct MnasBlock {
    layers: Sequential,
    is_residual: bool,
}

/// A convolution of `groups` with its norm.
fn conv_and_norm(inputs: i64, outputs: i64, kernel: i64, stride: i64, groups: i64) -> Result<Vec<Box<dyn Layer>>> {
    let conv = Conv2d::builder(inputs, outputs, kernel)
        .stride(stride)
        .padding(kernel / 2)
        .groups(groups)
        .bias(false)
        .build()?;
    let norm = BatchNorm2d::builder(outputs).momentum(MOMENTUM).build()?;
    Ok(vec![Box::new(conv), Box::new(norm)])
}

impl MnasBlock {
    fn new(inputs: i64, outputs: i64, kernel: i64, stride: i64, expansion: i64) -> Result<MnasBlock> {
        let hidden = inputs * expansion;
        let mut layers = conv_and_norm(inputs, hidden, 1, 1, 1)?;
        layers.push(Box::new(ReLU));
        layers.extend(conv_and_norm(hidden, hidden, kernel, stride, hidden)?);
        layers.push(Box::new(ReLU));
        layers.extend(conv_and_norm(hidden, outputs, 1, 1, 1)?);
        Ok(MnasBlock { layers: Sequential::new(layers), is_residual: inputs == outputs && stride == 1 })
    }
}

impl Layer for MnasBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let output = self.layers.forward(input)?;
        if self.is_residual { output + input } else { Ok(output) }
    }
}

/// The multiple of 8 that is nearest to a number of channels, at most a tenth below it.
fn scaled_channels(channels: f64) -> i64 {
    let nearest = ((channels + 4.0) as i64 / 8 * 8).max(8);
    if nearest as f64 >= 0.9 * channels { nearest } else { nearest + 8 }
}

/// A network of Tan et al. (2018), of the form B1.
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `alpha` scales the numbers of
/// channels.
///
/// # Errors
///
/// `argument` if `alpha` is not positive or `dropout` not from 0 to 1; `shape` for an input that is
/// not a batch of pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::MNASNet};
/// let model = MNASNet::new(0.5, 10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 158);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct MNASNet {
    /// The convolutions.
    pub layers: Sequential,
    /// A dropout, and the linear layer.
    pub classifier: Sequential,
}

impl MNASNet {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000, dropout = 0.2.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`MNASNet`] does not take.
    pub fn new(alpha: f64, num_classes: i64, dropout: f64) -> Result<MNASNet> {
        if alpha <= 0.0 {
            return Err(Error::argument("MNASNet", format!("alpha is positive, not {alpha}")));
        }
        let mut depths: Vec<i64> = Vec::new();
        for depth in [32.0, 16.0, 24.0, 40.0, 80.0, 96.0, 192.0, 320.0] {
            depths.push(scaled_channels(depth * alpha));
        }
        let mut layers = conv_and_norm(3, depths[0], 3, 2, 1)?;
        layers.push(Box::new(ReLU));
        layers.extend(conv_and_norm(depths[0], depths[0], 3, 1, depths[0])?);
        layers.push(Box::new(ReLU));
        layers.extend(conv_and_norm(depths[0], depths[1], 1, 1, 1)?);
        for index in 0..STACKS.len() {
            let (kernel, stride, expansion, count) = STACKS[index];
            let (inputs, outputs) = (depths[index + 1], depths[index + 2]);
            let mut stack: Vec<Box<dyn Layer>> =
                vec![Box::new(MnasBlock::new(inputs, outputs, kernel, stride, expansion)?)];
            for _ in 1..count {
                stack.push(Box::new(MnasBlock::new(outputs, outputs, kernel, 1, expansion)?));
            }
            layers.push(Box::new(Sequential::new(stack)));
        }
        layers.extend(conv_and_norm(depths[7], 1280, 1, 1, 1)?);
        layers.push(Box::new(ReLU));
        let model = MNASNet {
            layers: Sequential::new(layers),
            classifier: Sequential::new(vec![
                Box::new(Dropout::new(dropout)?),
                Box::new(Linear::new(1280, num_classes)?),
            ]),
        };
        init_convolutions(&model)?;
        for (_, parameter) in model.named_parameters() {
            if parameter.rank() == 2 {
                init::kaiming_uniform_(&parameter, 0.0, FanMode::FanOut, GainOf::Sigmoid)?;
            }
        }
        init_biases(&model, "bias")?;
        Ok(model)
    }
}

impl Layer for MNASNet {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("MNASNet", input)?;
        self.classifier.forward(&self.layers.forward(input)?.mean([2, 3], false)?)
    }
}

/// MNASNet of Tan et al. (2018) with 0.5 times the channels.
///
/// Defaults: num_classes = 1000, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`MNASNet`] does not take.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::mnasnet0_5};
/// let model = mnasnet0_5(10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 158);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mnasnet0_5(num_classes: i64, dropout: f64) -> Result<MNASNet> {
    MNASNet::new(0.5, num_classes, dropout)
}

/// MNASNet of Tan et al. (2018) with 0.75 times the channels.
///
/// Defaults: num_classes = 1000, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`MNASNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::mnasnet0_75};
/// let model = mnasnet0_75(10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 158);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mnasnet0_75(num_classes: i64, dropout: f64) -> Result<MNASNet> {
    MNASNet::new(0.75, num_classes, dropout)
}

/// MNASNet of Tan et al. (2018) with 1.0 times the channels.
///
/// Defaults: num_classes = 1000, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`MNASNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::mnasnet1_0};
/// let model = mnasnet1_0(10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 158);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mnasnet1_0(num_classes: i64, dropout: f64) -> Result<MNASNet> {
    MNASNet::new(1.0, num_classes, dropout)
}

/// MNASNet of Tan et al. (2018) with 1.3 times the channels.
///
/// Defaults: num_classes = 1000, dropout = 0.2.
///
/// # Errors
///
/// `argument` for values that [`MNASNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::mnasnet1_3};
/// let model = mnasnet1_3(10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 158);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn mnasnet1_3(num_classes: i64, dropout: f64) -> Result<MNASNet> {
    MNASNet::new(1.3, num_classes, dropout)
}
