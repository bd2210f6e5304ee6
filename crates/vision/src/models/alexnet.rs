//! AlexNet.

use super::blocks::check_pictures;
use lanthorn_nn::{AdaptiveAvgPool2d, Conv2d, Dropout, Layer, Linear, MaxPool2d, Module, ReLU, Sequential};
use lanthorn_tensor::{Result, Tensor};

/// The network of Krizhevsky (2014): five convolutions, and three linear layers.
///
/// Pictures `[n, 3, height, width]` of at least 63 × 63 become logits `[n, num_classes]`.
///
/// # Errors
///
/// `shape` for an input that is not a batch of pictures; `argument` if `dropout` is not from 0 to
/// 1.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::AlexNet};
/// let model = AlexNet::new(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 16);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct AlexNet {
    /// The convolutions with their rectifiers and poolings.
    pub features: Sequential,
    /// The mean over 6 × 6 parts of the picture.
    pub avgpool: AdaptiveAvgPool2d,
    /// The linear layers.
    pub classifier: Sequential,
}

impl AlexNet {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000, dropout = 0.5.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`AlexNet`] does not take.
    pub fn new(num_classes: i64, dropout: f64) -> Result<AlexNet> {
        Ok(AlexNet {
            features: Sequential::new(vec![
                Box::new(Conv2d::builder(3, 64, 11).stride(4).padding(2).build()?),
                Box::new(ReLU),
                Box::new(MaxPool2d::builder(3).stride(2).build()?),
                Box::new(Conv2d::builder(64, 192, 5).padding(2).build()?),
                Box::new(ReLU),
                Box::new(MaxPool2d::builder(3).stride(2).build()?),
                Box::new(Conv2d::builder(192, 384, 3).padding(1).build()?),
                Box::new(ReLU),
                Box::new(Conv2d::builder(384, 256, 3).padding(1).build()?),
                Box::new(ReLU),
                Box::new(Conv2d::builder(256, 256, 3).padding(1).build()?),
                Box::new(ReLU),
                Box::new(MaxPool2d::builder(3).stride(2).build()?),
            ]),
            avgpool: AdaptiveAvgPool2d::new([6, 6])?,
            classifier: Sequential::new(vec![
                Box::new(Dropout::new(dropout)?),
                Box::new(Linear::new(256 * 6 * 6, 4096)?),
                Box::new(ReLU),
                Box::new(Dropout::new(dropout)?),
                Box::new(Linear::new(4096, 4096)?),
                Box::new(ReLU),
                Box::new(Linear::new(4096, num_classes)?),
            ]),
        })
    }
}

impl Layer for AlexNet {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("AlexNet", input)?;
        let output = self.avgpool.forward(&self.features.forward(input)?)?;
        self.classifier.forward(&output.flatten(1, -1)?)
    }
}

/// AlexNet of Krizhevsky (2014).
///
/// Defaults: num_classes = 1000, dropout = 0.5.
///
/// # Errors
///
/// `argument` for values that [`AlexNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::alexnet};
/// let model = alexnet(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 16);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn alexnet(num_classes: i64, dropout: f64) -> Result<AlexNet> {
    AlexNet::new(num_classes, dropout)
}
