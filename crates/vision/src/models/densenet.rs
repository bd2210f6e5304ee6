//! Networks whose layers take the results of all layers before them.

use super::blocks::{check_pictures, init_biases};
use lanthorn_nn::{
    AvgPool2d, BatchNorm2d, Conv2d, Layer, Linear, MaxPool2d, Module, ReLU, Sequential, TrainingFlag,
    init::{self, FanMode, GainOf},
};
use lanthorn_tensor::{Error, Result, Tensor};

/// A layer that appends `growth_rate` channels.
#[derive(Module)]
struct DenseLayer {
    norm1: BatchNorm2d,
    relu1: ReLU,
    conv1: Conv2d,
    norm2: BatchNorm2d,
    relu2: ReLU,
    conv2: Conv2d,
    drop_rate: f64,
    training: TrainingFlag,
}

impl DenseLayer {
    fn new(inputs: i64, growth_rate: i64, bn_size: i64, drop_rate: f64) -> Result<DenseLayer> {
        let inner = bn_size * growth_rate;
        Ok(DenseLayer {
            norm1: BatchNorm2d::new(inputs)?,
            relu1: ReLU,
            conv1: Conv2d::builder(inputs, inner, 1).bias(false).build()?,
            norm2: BatchNorm2d::new(inner)?,
            relu2: ReLU,
            conv2: Conv2d::builder(inner, growth_rate, 3).padding(1).bias(false).build()?,
            drop_rate,
            training: TrainingFlag::default(),
        })
    }
}

impl Layer for DenseLayer {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let inner = self.conv1.forward(&self.relu1.forward(&self.norm1.forward(input)?)?)?;
        let mut added = self.conv2.forward(&self.relu2.forward(&self.norm2.forward(&inner)?)?)?;
        if self.drop_rate > 0.0 {
            added = added.dropout(self.drop_rate, self.training.get())?;
        }
        Tensor::cat(&[input.clone(), added], 1)
    }
}

/// A network of Huang et al. (2016).
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. A layer appends `growth_rate`
/// channels, and has `bn_size` times as many inside. `block_config` has the number of layers of
/// each block.
///
/// # Errors
///
/// `argument` if `drop_rate` is not from 0 to 1; `shape` for an input that is not a batch of
/// pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::DenseNet};
/// let model = DenseNet::new(8, &[2, 2], 16, 4, 0.0, 10)?;
/// assert_eq!(model.named_parameters().len(), 34);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct DenseNet {
    /// The stem, and the blocks with transitions between them.
    pub features: Sequential,
    /// The linear layer.
    pub classifier: Linear,
}

impl DenseNet {
    /// A network with new parameters.
    ///
    /// Defaults: growth_rate = 32, num_init_features = 64, bn_size = 4, drop_rate = 0, num_classes
    /// = 1000.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`DenseNet`] does not take.
    pub fn new(
        growth_rate: i64,
        block_config: &[i64],
        num_init_features: i64,
        bn_size: i64,
        drop_rate: f64,
        num_classes: i64,
    ) -> Result<DenseNet> {
        if !(0.0..=1.0).contains(&drop_rate) {
            let message = format!("drop_rate is a probability from 0 to 1, not {drop_rate}");
            return Err(Error::argument("DenseNet", message));
        }
        let stem = Conv2d::builder(3, num_init_features, 7).stride(2).padding(3).bias(false).build()?;
        let mut features: Vec<(String, Box<dyn Layer>)> = vec![
            ("conv0".to_string(), Box::new(stem)),
            ("norm0".to_string(), Box::new(BatchNorm2d::new(num_init_features)?)),
            ("relu0".to_string(), Box::new(ReLU)),
            ("pool0".to_string(), Box::new(MaxPool2d::builder(3).stride(2).padding(1).build()?)),
        ];
        let mut channels = num_init_features;
        for index in 0..block_config.len() {
            let mut layers: Vec<(String, Box<dyn Layer>)> = Vec::new();
            for layer in 0..block_config[index] {
                let made = DenseLayer::new(channels, growth_rate, bn_size, drop_rate)?;
                layers.push((format!("denselayer{}", layer + 1), Box::new(made)));
                channels += growth_rate;
            }
            features.push((format!("denseblock{}", index + 1), Box::new(Sequential::with_names(layers))));
            if index + 1 != block_config.len() {
                features.push((format!("transition{}", index + 1), Box::new(transition(channels)?)));
                channels = half(channels);
            }
        }
        features.push(("norm5".to_string(), Box::new(BatchNorm2d::new(channels)?)));
        let model =
            DenseNet { features: Sequential::with_names(features), classifier: Linear::new(channels, num_classes)? };
        for (_, parameter) in model.named_parameters() {
            if parameter.rank() == 4 {
                init::kaiming_normal_(&parameter, 0.0, FanMode::FanIn, GainOf::Relu)?;
            }
        }
        init_biases(&model, "classifier.bias")?;
        Ok(model)
    }
}

fn half(channels: i64) -> i64 {
    channels / 2
}

/// The layers between two blocks, which halve the channels and the sides.
fn transition(channels: i64) -> Result<Sequential> {
    let conv = Conv2d::builder(channels, half(channels), 1).bias(false).build()?;
    let layers: Vec<(String, Box<dyn Layer>)> = vec![
        ("norm".to_string(), Box::new(BatchNorm2d::new(channels)?)),
        ("relu".to_string(), Box::new(ReLU)),
        ("conv".to_string(), Box::new(conv)),
        ("pool".to_string(), Box::new(AvgPool2d::builder(2).stride(2).build()?)),
    ];
    Ok(Sequential::with_names(layers))
}

impl Layer for DenseNet {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("DenseNet", input)?;
        let output = self.features.forward(input)?.relu()?.adaptive_avg_pool2d([1, 1])?;
        self.classifier.forward(&output.flatten(1, -1)?)
    }
}

/// DenseNet-121 of Huang et al. (2016).
///
/// Defaults: num_classes = 1000, drop_rate = 0.
///
/// # Errors
///
/// `argument` for values that [`DenseNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::densenet121};
/// let model = densenet121(10, 0.0)?;
/// assert_eq!(model.named_parameters().len(), 364);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn densenet121(num_classes: i64, drop_rate: f64) -> Result<DenseNet> {
    DenseNet::new(32, &[6, 12, 24, 16], 64, 4, drop_rate, num_classes)
}

/// DenseNet-161 of Huang et al. (2016).
///
/// Defaults: num_classes = 1000, drop_rate = 0.
///
/// # Errors
///
/// `argument` for values that [`DenseNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::densenet161};
/// let model = densenet161(10, 0.0)?;
/// assert_eq!(model.named_parameters().len(), 484);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn densenet161(num_classes: i64, drop_rate: f64) -> Result<DenseNet> {
    DenseNet::new(48, &[6, 12, 36, 24], 96, 4, drop_rate, num_classes)
}

/// DenseNet-169 of Huang et al. (2016).
///
/// Defaults: num_classes = 1000, drop_rate = 0.
///
/// # Errors
///
/// `argument` for values that [`DenseNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::densenet169};
/// let model = densenet169(10, 0.0)?;
/// assert_eq!(model.named_parameters().len(), 508);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn densenet169(num_classes: i64, drop_rate: f64) -> Result<DenseNet> {
    DenseNet::new(32, &[6, 12, 32, 32], 64, 4, drop_rate, num_classes)
}

/// DenseNet-201 of Huang et al. (2016).
///
/// Defaults: num_classes = 1000, drop_rate = 0.
///
/// # Errors
///
/// `argument` for values that [`DenseNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::densenet201};
/// let model = densenet201(10, 0.0)?;
/// assert_eq!(model.named_parameters().len(), 604);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn densenet201(num_classes: i64, drop_rate: f64) -> Result<DenseNet> {
    DenseNet::new(32, &[6, 12, 48, 32], 64, 4, drop_rate, num_classes)
}
