//! Networks of 3 × 3 convolutions by the Visual Geometry Group.

use super::blocks::{check_pictures, init_biases, init_convolutions, init_linears};
use lanthorn_nn::{
    AdaptiveAvgPool2d, BatchNorm2d, Conv2d, Dropout, Layer, Linear, MaxPool2d, Module, ReLU, Sequential,
};
use lanthorn_tensor::{Result, Tensor};

/// The channels of the convolutions; 0 is a pooling.
const VGG_11: &[i64] = &[64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0];
const VGG_13: &[i64] = &[64, 64, 0, 128, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0];
const VGG_16: &[i64] = &[64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0];
const VGG_19: &[i64] = &[64, 64, 0, 128, 128, 0, 256, 256, 256, 256, 0, 512, 512, 512, 512, 0, 512, 512, 512, 512, 0];

/// A network of Simonyan and Zisserman (2014): convolutions, and three linear layers.
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. The result of `features` has
/// 512 channels.
///
/// # Errors
///
/// `shape` for an input that is not a batch of pictures; `argument` if `dropout` is not from 0 to
/// 1.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::{Conv2d, Module, Sequential}, vision::models::VGG};
/// let features = Sequential::new(vec![Box::new(Conv2d::new(3, 512, 3)?)]);
/// let model = VGG::new(features, 10, true, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 8);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct VGG {
    /// The convolutions with their rectifiers and poolings.
    pub features: Sequential,
    /// The mean over 7 × 7 parts of the picture.
    pub avgpool: AdaptiveAvgPool2d,
    /// The linear layers.
    pub classifier: Sequential,
}

impl VGG {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000, init_weights = true, dropout = 0.5.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`VGG`] does not take.
    pub fn new(features: Sequential, num_classes: i64, init_weights: bool, dropout: f64) -> Result<VGG> {
        let model = VGG {
            features,
            avgpool: AdaptiveAvgPool2d::new([7, 7])?,
            classifier: Sequential::new(vec![
                Box::new(Linear::new(512 * 7 * 7, 4096)?),
                Box::new(ReLU),
                Box::new(Dropout::new(dropout)?),
                Box::new(Linear::new(4096, 4096)?),
                Box::new(ReLU),
                Box::new(Dropout::new(dropout)?),
                Box::new(Linear::new(4096, num_classes)?),
            ]),
        };
        if init_weights {
            init_convolutions(&model)?;
            init_linears(&model, 0.01)?;
            init_biases(&model, "bias")?;
        }
        Ok(model)
    }
}

impl Layer for VGG {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("VGG", input)?;
        let output = self.avgpool.forward(&self.features.forward(input)?)?;
        self.classifier.forward(&output.flatten(1, -1)?)
    }
}

fn vgg(channels: &[i64], batch_norm: bool, num_classes: i64, dropout: f64) -> Result<VGG> {
    let mut layers: Vec<Box<dyn Layer>> = Vec::new();
    let mut inputs = 3;
    for outputs in channels {
        if *outputs == 0 {
            layers.push(Box::new(MaxPool2d::builder(2).stride(2).build()?));
        } else {
            layers.push(Box::new(Conv2d::builder(inputs, *outputs, 3).padding(1).build()?));
            if batch_norm {
                layers.push(Box::new(BatchNorm2d::new(*outputs)?));
            }
            layers.push(Box::new(ReLU));
            inputs = *outputs;
        }
    }
    VGG::new(Sequential::new(layers), num_classes, true, dropout)
}

/// VGG-11 of Simonyan and Zisserman (2014).
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`VGG`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vgg11};
/// let model = vgg11(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 22);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vgg11(num_classes: i64, dropout: f64) -> Result<VGG> {
    vgg(VGG_11, false, num_classes, dropout)
}

/// [`vgg11`] with a batch norm after each convolution.
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`VGG`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vgg11_bn};
/// let model = vgg11_bn(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 38);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vgg11_bn(num_classes: i64, dropout: f64) -> Result<VGG> {
    vgg(VGG_11, true, num_classes, dropout)
}

/// VGG-13 of Simonyan and Zisserman (2014).
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`VGG`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vgg13};
/// let model = vgg13(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 26);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vgg13(num_classes: i64, dropout: f64) -> Result<VGG> {
    vgg(VGG_13, false, num_classes, dropout)
}

/// [`vgg13`] with a batch norm after each convolution.
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`VGG`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vgg13_bn};
/// let model = vgg13_bn(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 46);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vgg13_bn(num_classes: i64, dropout: f64) -> Result<VGG> {
    vgg(VGG_13, true, num_classes, dropout)
}

/// VGG-16 of Simonyan and Zisserman (2014).
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`VGG`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vgg16};
/// let model = vgg16(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 32);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vgg16(num_classes: i64, dropout: f64) -> Result<VGG> {
    vgg(VGG_16, false, num_classes, dropout)
}

/// [`vgg16`] with a batch norm after each convolution.
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`VGG`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vgg16_bn};
/// let model = vgg16_bn(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 58);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vgg16_bn(num_classes: i64, dropout: f64) -> Result<VGG> {
    vgg(VGG_16, true, num_classes, dropout)
}

/// VGG-19 of Simonyan and Zisserman (2014).
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`VGG`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vgg19};
/// let model = vgg19(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 38);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vgg19(num_classes: i64, dropout: f64) -> Result<VGG> {
    vgg(VGG_19, false, num_classes, dropout)
}

/// [`vgg19`] with a batch norm after each convolution.
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`VGG`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vgg19_bn};
/// let model = vgg19_bn(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 70);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vgg19_bn(num_classes: i64, dropout: f64) -> Result<VGG> {
    vgg(VGG_19, true, num_classes, dropout)
}
