//! SqueezeNet.

use super::blocks::{check_pictures, init_biases};
use lanthorn_nn::{
    AdaptiveAvgPool2d, Conv2d, Dropout, Layer, MaxPool2d, Module, ReLU, Sequential,
    init::{self, FanMode, GainOf},
};
use lanthorn_tensor::{Error, Result, Tensor};

/// The channels of the modules: of the input, of the squeezed input and of each expansion; zeros
/// are a pooling.
const FIRES_1_0: &[(i64, i64, i64)] = &[
    (0, 0, 0),
    (96, 16, 64),
    (128, 16, 64),
    (128, 32, 128),
    (0, 0, 0),
    (256, 32, 128),
    (256, 48, 192),
    (384, 48, 192),
    (384, 64, 256),
    (0, 0, 0),
    (512, 64, 256),
];
const FIRES_1_1: &[(i64, i64, i64)] = &[
    (0, 0, 0),
    (64, 16, 64),
    (128, 16, 64),
    (0, 0, 0),
    (128, 32, 128),
    (256, 32, 128),
    (0, 0, 0),
    (256, 48, 192),
    (384, 48, 192),
    (384, 64, 256),
    (512, 64, 256),
];

#[derive(Module)]
struct Fire {
    squeeze: Conv2d,
    squeeze_activation: ReLU,
    expand1x1: Conv2d,
    expand1x1_activation: ReLU,
    expand3x3: Conv2d,
    expand3x3_activation: ReLU,
}

impl Fire {
    fn new(inputs: i64, squeezed: i64, expanded: i64) -> Result<Fire> {
        Ok(Fire {
            squeeze: Conv2d::new(inputs, squeezed, 1)?,
            squeeze_activation: ReLU,
            expand1x1: Conv2d::new(squeezed, expanded, 1)?,
            expand1x1_activation: ReLU,
            expand3x3: Conv2d::builder(squeezed, expanded, 3).padding(1).build()?,
            expand3x3_activation: ReLU,
        })
    }
}

impl Layer for Fire {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let squeezed = self.squeeze_activation.forward(&self.squeeze.forward(input)?)?;
        let one = self.expand1x1_activation.forward(&self.expand1x1.forward(&squeezed)?)?;
        let three = self.expand3x3_activation.forward(&self.expand3x3.forward(&squeezed)?)?;
        Tensor::cat(&[one, three], 1)
    }
}

/// The network of Iandola et al. (2016) of the version `"1_0"` or `"1_1"`.
///
/// Pictures `[n, 3, height, width]` of at least 21 × 21 become logits `[n, num_classes]`.
///
/// # Errors
///
/// `argument` for another version, and if `dropout` is not from 0 to 1; `shape` for an input that
/// is not a batch of pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, nn::Layer, vision::models::SqueezeNet};
/// let model = SqueezeNet::new("1_1", 10, 0.5)?;
/// let logits = model.forward(&Tensor::zeros([2, 3, 32, 32])?)?;
/// assert_eq!(logits.shape().to_vec(), [2, 10]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct SqueezeNet {
    /// The convolutions.
    pub features: Sequential,
    /// A convolution to the classes, and the mean over the picture.
    pub classifier: Sequential,
}

impl SqueezeNet {
    /// A network with new parameters.
    ///
    /// Defaults: version = '1_0', num_classes = 1000, dropout = 0.5.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`SqueezeNet`] does not take.
    pub fn new(version: &str, num_classes: i64, dropout: f64) -> Result<SqueezeNet> {
        if version != "1_0" && version != "1_1" {
            return Err(Error::argument("SqueezeNet", format!("version takes 1_0 or 1_1, not {version}")));
        }
        let is_first = version == "1_0";
        let (channels, kernel) = if is_first { (96, 7) } else { (64, 3) };
        let stem = Conv2d::builder(3, channels, kernel).stride(2).build()?;
        let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(stem), Box::new(ReLU)];
        let fires = if is_first { FIRES_1_0 } else { FIRES_1_1 };
        for (inputs, squeezed, expanded) in fires {
            if *inputs == 0 {
                layers.push(Box::new(MaxPool2d::builder(3).stride(2).ceil_mode(true).build()?));
            } else {
                layers.push(Box::new(Fire::new(*inputs, *squeezed, *expanded)?));
            }
        }
        let model = SqueezeNet {
            features: Sequential::new(layers),
            classifier: Sequential::new(vec![
                Box::new(Dropout::new(dropout)?),
                Box::new(Conv2d::new(512, num_classes, 1)?),
                Box::new(ReLU),
                Box::new(AdaptiveAvgPool2d::new([1, 1])?),
            ]),
        };
        for (name, parameter) in model.named_parameters() {
            if name == "classifier.1.weight" {
                init::normal_(&parameter, 0.0, 0.01)?;
            } else if parameter.rank() == 4 {
                init::kaiming_uniform_(&parameter, 0.0, FanMode::FanIn, GainOf::Relu)?;
            }
        }
        init_biases(&model, "bias")?;
        Ok(model)
    }
}

impl Layer for SqueezeNet {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("SqueezeNet", input)?;
        self.classifier.forward(&self.features.forward(input)?)?.flatten(1, -1)
    }
}

/// SqueezeNet 1.0 of Iandola et al. (2016).
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`SqueezeNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::squeezenet1_0};
/// let model = squeezenet1_0(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 52);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn squeezenet1_0(num_classes: i64, dropout: f64) -> Result<SqueezeNet> {
    SqueezeNet::new("1_0", num_classes, dropout)
}

/// SqueezeNet 1.1, which needs fewer operations than [`squeezenet1_0`].
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`SqueezeNet`] does not take.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::squeezenet1_1};
/// let model = squeezenet1_1(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 52);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn squeezenet1_1(num_classes: i64, dropout: f64) -> Result<SqueezeNet> {
    SqueezeNet::new("1_1", num_classes, dropout)
}
