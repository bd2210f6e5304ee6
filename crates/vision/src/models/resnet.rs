//! Residual networks, and their forms with groups of channels and with more channels.

use super::blocks::{check_pictures, init_convolutions};
use lanthorn_nn::{AdaptiveAvgPool2d, BatchNorm2d, Conv2d, Layer, Linear, MaxPool2d, Module, ReLU, Sequential, init};
use lanthorn_tensor::{Error, Result, Tensor};

/// The residual block of a [`ResNet`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResNetBlock {
    /// Two 3 × 3 convolutions.
    Basic,
    /// A 3 × 3 convolution between two 1 × 1 convolutions, of which the last has 4 times the
    /// channels.
    Bottleneck,
}

/// The sizes of a network's stages.
#[derive(Clone)]
pub(crate) struct ResNetConfig {
    pub block: ResNetBlock,
    pub layers: Vec<i64>,
    pub groups: i64,
    pub width_per_group: i64,
    /// Whether stages 2, 3 and 4 have dilated convolutions instead of a stride.
    pub dilates: Vec<bool>,
}

fn conv3x3(inputs: i64, outputs: i64, stride: i64, groups: i64, dilation: i64) -> Result<Conv2d> {
    Conv2d::builder(inputs, outputs, 3)
        .stride(stride)
        .padding(dilation)
        .dilation(dilation)
        .groups(groups)
        .bias(false)
        .build()
}

fn conv1x1(inputs: i64, outputs: i64, stride: i64) -> Result<Conv2d> {
    Conv2d::builder(inputs, outputs, 1).stride(stride).bias(false).build()
}

#[derive(Module)]
struct BasicBlock {
    conv1: Conv2d,
    bn1: BatchNorm2d,
    relu: ReLU,
    conv2: Conv2d,
    bn2: BatchNorm2d,
    downsample: Option<Sequential>,
}

impl BasicBlock {
    fn new(inputs: i64, planes: i64, stride: i64, downsample: Option<Sequential>) -> Result<BasicBlock> {
        Ok(BasicBlock {
            conv1: conv3x3(inputs, planes, stride, 1, 1)?,
            bn1: BatchNorm2d::new(planes)?,
            relu: ReLU,
            conv2: conv3x3(planes, planes, 1, 1, 1)?,
            bn2: BatchNorm2d::new(planes)?,
            downsample,
        })
    }
}

impl Layer for BasicBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let mut output = self.relu.forward(&self.bn1.forward(&self.conv1.forward(input)?)?)?;
        output = self.bn2.forward(&self.conv2.forward(&output)?)?;
        let mut identity = input.clone();
        if let Some(downsample) = &self.downsample {
            identity = downsample.forward(input)?;
        }
        self.relu.forward(&(output + identity)?)
    }
}

#[derive(Module)]
struct Bottleneck {
    conv1: Conv2d,
    bn1: BatchNorm2d,
    conv2: Conv2d,
    bn2: BatchNorm2d,
    conv3: Conv2d,
    bn3: BatchNorm2d,
    relu: ReLU,
    downsample: Option<Sequential>,
}

impl Bottleneck {
    fn new(
        config: &ResNetConfig,
        inputs: i64,
        planes: i64,
        stride: i64,
        dilation: i64,
        downsample: Option<Sequential>,
    ) -> Result<Bottleneck> {
        let width = (planes as f64 * (config.width_per_group as f64 / 64.0)) as i64 * config.groups;
        Ok(Bottleneck {
            conv1: conv1x1(inputs, width, 1)?,
            bn1: BatchNorm2d::new(width)?,
            conv2: conv3x3(width, width, stride, config.groups, dilation)?,
            bn2: BatchNorm2d::new(width)?,
            conv3: conv1x1(width, planes * 4, 1)?,
            bn3: BatchNorm2d::new(planes * 4)?,
            relu: ReLU,
            downsample,
        })
    }
}

impl Layer for Bottleneck {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let mut output = self.relu.forward(&self.bn1.forward(&self.conv1.forward(input)?)?)?;
        output = self.relu.forward(&self.bn2.forward(&self.conv2.forward(&output)?)?)?;
        output = self.bn3.forward(&self.conv3.forward(&output)?)?;
        let mut identity = input.clone();
        if let Some(downsample) = &self.downsample {
            identity = downsample.forward(input)?;
        }
        self.relu.forward(&(output + identity)?)
    }
}

/// The channels of a block's result by the channels of its first convolution.
fn expansion(block: ResNetBlock) -> i64 {
    if block == ResNetBlock::Basic { 1 } else { 4 }
}

/// The dilation after stage `stage`, from 0.
fn dilation_after(config: &ResNetConfig, stage: usize) -> i64 {
    let mut dilation = 1;
    for index in 0..stage {
        if config.dilates[index] {
            dilation *= 2;
        }
    }
    dilation
}

/// The blocks of a stage, from 0.
fn stage_layers(config: &ResNetConfig, stage: usize) -> Result<Sequential> {
    let planes = [64, 128, 256, 512][stage];
    let outputs = planes * expansion(config.block);
    let inputs = if stage == 0 { 64 } else { outputs / 2 };
    let stride = if stage == 0 || config.dilates[stage - 1] { 1 } else { 2 };
    let mut layers: Vec<Box<dyn Layer>> = Vec::new();
    for index in 0..config.layers[stage] {
        let is_first = index == 0;
        let (inputs, stride) = (if is_first { inputs } else { outputs }, if is_first { stride } else { 1 });
        let mut downsample: Option<Sequential> = None;
        if stride != 1 || inputs != outputs {
            let norm = BatchNorm2d::new(outputs)?;
            downsample = Some(Sequential::new(vec![Box::new(conv1x1(inputs, outputs, stride)?), Box::new(norm)]));
        }
        if config.block == ResNetBlock::Basic {
            layers.push(Box::new(BasicBlock::new(inputs, planes, stride, downsample)?));
        } else {
            let dilation = dilation_after(config, if is_first && stage > 0 { stage - 1 } else { stage });
            layers.push(Box::new(Bottleneck::new(config, inputs, planes, stride, dilation, downsample)?));
        }
    }
    Ok(Sequential::new(layers))
}

/// The stages of a network without its classifier, whose results other models take.
#[derive(Module)]
pub struct ResNetBackbone {
    pub conv1: Conv2d,
    pub bn1: BatchNorm2d,
    pub relu: ReLU,
    pub maxpool: MaxPool2d,
    pub layer1: Sequential,
    pub layer2: Sequential,
    pub layer3: Sequential,
    pub layer4: Sequential,
}

impl ResNetBackbone {
    pub(crate) fn new(config: &ResNetConfig) -> Result<ResNetBackbone> {
        let stages = ResNetBackbone {
            conv1: Conv2d::builder(3, 64, 7).stride(2).padding(3).bias(false).build()?,
            bn1: BatchNorm2d::new(64)?,
            relu: ReLU,
            maxpool: MaxPool2d::builder(3).stride(2).padding(1).build()?,
            layer1: stage_layers(config, 0)?,
            layer2: stage_layers(config, 1)?,
            layer3: stage_layers(config, 2)?,
            layer4: stage_layers(config, 3)?,
        };
        init_convolutions(&stages)?;
        Ok(stages)
    }

    /// The results of the third and of the fourth stage.
    pub(crate) fn features(&self, input: &Tensor) -> Result<Vec<Tensor>> {
        let mut output = self.relu.forward(&self.bn1.forward(&self.conv1.forward(input)?)?)?;
        output = self.layer1.forward(&self.maxpool.forward(&output)?)?;
        let third = self.layer3.forward(&self.layer2.forward(&output)?)?;
        let fourth = self.layer4.forward(&third)?;
        Ok(vec![third, fourth])
    }
}

impl Layer for ResNetBackbone {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        Ok(self.features(input)?[1].clone())
    }
}

/// A residual network of He et al. (2015): a stem, four stages of blocks, and a linear classifier.
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `layers` has the number of
/// blocks of each stage. With `zero_init_residual` each block begins as the identity.
/// `replace_stride_with_dilation` says for each of the last three stages whether its convolutions
/// are dilated instead of having a stride.
///
/// # Errors
///
/// `argument` if `layers` has not four numbers, or if basic blocks have groups, another width or
/// dilations; `shape` for an input that is not a batch of pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, nn::Layer, vision::models::{ResNet, ResNetBlock}};
/// let model = ResNet::new(ResNetBlock::Basic, &[1, 1, 1, 1], 10, false, 1, 64, None)?;
/// let logits = model.forward(&Tensor::zeros([2, 3, 32, 32])?)?;
/// assert_eq!(logits.shape().to_vec(), [2, 10]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct ResNet {
    /// The first convolution.
    pub conv1: Conv2d,
    /// The norm after the first convolution.
    pub bn1: BatchNorm2d,
    /// The rectifier after the norm.
    pub relu: ReLU,
    /// The pooling after the stem.
    pub maxpool: MaxPool2d,
    /// The first stage.
    pub layer1: Sequential,
    /// The second stage.
    pub layer2: Sequential,
    /// The third stage.
    pub layer3: Sequential,
    /// The fourth stage.
    pub layer4: Sequential,
    /// The mean over the picture.
    pub avgpool: AdaptiveAvgPool2d,
    /// The classifier.
    pub fc: Linear,
}

impl ResNet {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000, zero_init_residual = false, groups = 1, width_per_group = 64.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`ResNet`] does not take.
    pub fn new(
        block: ResNetBlock,
        layers: &[i64],
        num_classes: i64,
        zero_init_residual: bool,
        groups: i64,
        width_per_group: i64,
        replace_stride_with_dilation: Option<&[bool]>,
    ) -> Result<ResNet> {
        let dilates = replace_stride_with_dilation.unwrap_or(&[false, false, false]).to_vec();
        if layers.len() != 4 {
            return Err(Error::argument("ResNet", format!("layers takes 4 numbers, not {:?}", layers)));
        }
        if dilates.len() != 3 {
            let message = format!("replace_stride_with_dilation takes 3 values, not {:?}", dilates);
            return Err(Error::argument("ResNet", message));
        }
        if block == ResNetBlock::Basic && (groups != 1 || width_per_group != 64) {
            return Err(Error::argument("ResNet", "basic blocks take groups 1 and width_per_group 64"));
        }
        if block == ResNetBlock::Basic && dilates.contains(&true) {
            return Err(Error::argument("ResNet", "basic blocks take no replace_stride_with_dilation"));
        }
        let config = ResNetConfig { block, layers: layers.to_vec(), groups, width_per_group, dilates };
        let stages = ResNetBackbone::new(&config)?;
        let model = ResNet {
            conv1: stages.conv1,
            bn1: stages.bn1,
            relu: stages.relu,
            maxpool: stages.maxpool,
            layer1: stages.layer1,
            layer2: stages.layer2,
            layer3: stages.layer3,
            layer4: stages.layer4,
            avgpool: AdaptiveAvgPool2d::new([1, 1])?,
            fc: Linear::new(512 * expansion(block), num_classes)?,
        };
        if zero_init_residual {
            let last = if block == ResNetBlock::Basic { "bn2.weight" } else { "bn3.weight" };
            for (name, parameter) in model.named_parameters() {
                if name.ends_with(last) {
                    init::zeros_(&parameter)?;
                }
            }
        }
        Ok(model)
    }
}

impl Layer for ResNet {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("ResNet", input)?;
        let mut output = self.relu.forward(&self.bn1.forward(&self.conv1.forward(input)?)?)?;
        output = self.layer1.forward(&self.maxpool.forward(&output)?)?;
        output = self.layer3.forward(&self.layer2.forward(&output)?)?;
        output = self.avgpool.forward(&self.layer4.forward(&output)?)?;
        self.fc.forward(&output.flatten(1, -1)?)
    }
}

fn network(block: ResNetBlock, layers: &[i64], groups: i64, width: i64, num_classes: i64) -> Result<ResNet> {
    ResNet::new(block, layers, num_classes, false, groups, width, None)
}

/// ResNet-18 of He et al. (2015).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::resnet18};
/// let model = resnet18(10)?;
/// assert_eq!(model.named_parameters().len(), 62);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resnet18(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Basic, &[2, 2, 2, 2], 1, 64, num_classes)
}

/// ResNet-34 of He et al. (2015).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::resnet34};
/// let model = resnet34(10)?;
/// assert_eq!(model.named_parameters().len(), 110);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resnet34(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Basic, &[3, 4, 6, 3], 1, 64, num_classes)
}

/// ResNet-50 of He et al. (2015), with the stride at the 3 × 3 convolutions.
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::resnet50};
/// let model = resnet50(10)?;
/// assert_eq!(model.named_parameters().len(), 161);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resnet50(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Bottleneck, &[3, 4, 6, 3], 1, 64, num_classes)
}

/// ResNet-101 of He et al. (2015), with the stride at the 3 × 3 convolutions.
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::resnet101};
/// let model = resnet101(10)?;
/// assert_eq!(model.named_parameters().len(), 314);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resnet101(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Bottleneck, &[3, 4, 23, 3], 1, 64, num_classes)
}

/// ResNet-152 of He et al. (2015), with the stride at the 3 × 3 convolutions.
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::resnet152};
/// let model = resnet152(10)?;
/// assert_eq!(model.named_parameters().len(), 467);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resnet152(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Bottleneck, &[3, 8, 36, 3], 1, 64, num_classes)
}

/// ResNeXt-50 32×4d of Xie et al. (2016).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::resnext50_32x4d};
/// let model = resnext50_32x4d(10)?;
/// assert_eq!(model.named_parameters().len(), 161);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resnext50_32x4d(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Bottleneck, &[3, 4, 6, 3], 32, 4, num_classes)
}

/// ResNeXt-101 32×8d of Xie et al. (2016).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::resnext101_32x8d};
/// let model = resnext101_32x8d(10)?;
/// assert_eq!(model.named_parameters().len(), 314);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resnext101_32x8d(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Bottleneck, &[3, 4, 23, 3], 32, 8, num_classes)
}

/// ResNeXt-101 64×4d of Xie et al. (2016).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::resnext101_64x4d};
/// let model = resnext101_64x4d(10)?;
/// assert_eq!(model.named_parameters().len(), 314);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn resnext101_64x4d(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Bottleneck, &[3, 4, 23, 3], 64, 4, num_classes)
}

/// Wide ResNet-50-2 of Zagoruyko and Komodakis (2016).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::wide_resnet50_2};
/// let model = wide_resnet50_2(10)?;
/// assert_eq!(model.named_parameters().len(), 161);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn wide_resnet50_2(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Bottleneck, &[3, 4, 6, 3], 1, 128, num_classes)
}

/// Wide ResNet-101-2 of Zagoruyko and Komodakis (2016).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`ResNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::wide_resnet101_2};
/// let model = wide_resnet101_2(10)?;
/// assert_eq!(model.named_parameters().len(), 314);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn wide_resnet101_2(num_classes: i64) -> Result<ResNet> {
    network(ResNetBlock::Bottleneck, &[3, 4, 23, 3], 1, 128, num_classes)
}
