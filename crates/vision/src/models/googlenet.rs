//! GoogLeNet.

use super::blocks::{BasicConv, basic_conv, check_pictures, init_truncated, transform_channels};
use lanthorn_nn::{AdaptiveAvgPool2d, Dropout, Layer, Linear, MaxPool2d, Module, Sequential};
use lanthorn_tensor::{Result, Tensor};

/// Four branches, whose channels are joined.
#[derive(Module)]
pub struct GoogLeNetBlock {
    branch1: BasicConv,
    branch2: Sequential,
    branch3: Sequential,
    branch4: Sequential,
}

impl GoogLeNetBlock {
    /// `outputs` has the channels: of the first branch, inside and of the second, inside and of the
    /// third, and of the fourth.
    fn new(inputs: i64, outputs: [i64; 6]) -> Result<GoogLeNetBlock> {
        Ok(GoogLeNetBlock {
            branch1: basic_conv(inputs, outputs[0], 1, 1, 0)?,
            branch2: Sequential::new(vec![
                Box::new(basic_conv(inputs, outputs[1], 1, 1, 0)?),
                Box::new(basic_conv(outputs[1], outputs[2], 3, 1, 1)?),
            ]),
            branch3: Sequential::new(vec![
                Box::new(basic_conv(inputs, outputs[3], 1, 1, 0)?),
                Box::new(basic_conv(outputs[3], outputs[4], 3, 1, 1)?),
            ]),
            branch4: Sequential::new(vec![
                Box::new(MaxPool2d::builder(3).stride(1).padding(1).ceil_mode(true).build()?),
                Box::new(basic_conv(inputs, outputs[5], 1, 1, 0)?),
            ]),
        })
    }
}

impl Layer for GoogLeNetBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let (first, second) = (self.branch1.forward(input)?, self.branch2.forward(input)?);
        let (third, fourth) = (self.branch3.forward(input)?, self.branch4.forward(input)?);
        Tensor::cat(&[first, second, third, fourth], 1)
    }
}

/// A classifier of a result inside of the network.
#[derive(Module)]
pub struct GoogLeNetAux {
    conv: BasicConv,
    fc1: Linear,
    fc2: Linear,
    dropout: Dropout,
}

impl GoogLeNetAux {
    fn new(inputs: i64, num_classes: i64, dropout: f64) -> Result<GoogLeNetAux> {
        Ok(GoogLeNetAux {
            conv: basic_conv(inputs, 128, 1, 1, 0)?,
            fc1: Linear::new(2048, 1024)?,
            fc2: Linear::new(1024, num_classes)?,
            dropout: Dropout::new(dropout)?,
        })
    }
}

impl Layer for GoogLeNetAux {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let output = self.conv.forward(&input.adaptive_avg_pool2d([4, 4])?)?.flatten(1, -1)?;
        self.fc2.forward(&self.dropout.forward(&self.fc1.forward(&output)?.relu()?)?)
    }
}

/// The network of Szegedy et al. (2014).
///
/// Pictures `[n, 3, height, width]` of at least 15 × 15 become logits `[n, num_classes]`. With
/// `aux_logits` two results inside of the network have classifiers, for training:
/// [`GoogLeNet::forward_with_aux`]. `transform_input` changes the normalization of the input to the
/// one that the published weights expect.
///
/// # Errors
///
/// `argument` if a dropout is not from 0 to 1; `shape` for an input that is not a batch of
/// pictures.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::GoogLeNet};
/// let model = GoogLeNet::new(10, true, false, 0.2, 0.7)?;
/// assert_eq!(model.named_parameters().len(), 187);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct GoogLeNet {
    /// The first convolution.
    pub conv1: BasicConv,
    /// The first pooling.
    pub maxpool1: MaxPool2d,
    /// The second convolution.
    pub conv2: BasicConv,
    /// The third convolution.
    pub conv3: BasicConv,
    /// The second pooling.
    pub maxpool2: MaxPool2d,
    /// Block 3a.
    pub inception3a: GoogLeNetBlock,
    /// Block 3b.
    pub inception3b: GoogLeNetBlock,
    /// The pooling after block 3b.
    pub maxpool3: MaxPool2d,
    /// Block 4a.
    pub inception4a: GoogLeNetBlock,
    /// Block 4b.
    pub inception4b: GoogLeNetBlock,
    /// Block 4c.
    pub inception4c: GoogLeNetBlock,
    /// Block 4d.
    pub inception4d: GoogLeNetBlock,
    /// Block 4e.
    pub inception4e: GoogLeNetBlock,
    /// The pooling after block 4e.
    pub maxpool4: MaxPool2d,
    /// Block 5a.
    pub inception5a: GoogLeNetBlock,
    /// Block 5b.
    pub inception5b: GoogLeNetBlock,
    /// The classifier after block 4a, for training.
    pub aux1: Option<GoogLeNetAux>,
    /// The classifier after block 4d, for training.
    pub aux2: Option<GoogLeNetAux>,
    /// The mean over the picture.
    pub avgpool: AdaptiveAvgPool2d,
    /// The dropout before the linear layer.
    pub dropout: Dropout,
    /// The linear layer.
    pub fc: Linear,
    transform_input: bool,
}

impl GoogLeNet {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000, aux_logits = true, transform_input = false, dropout = 0.2,
    /// dropout_aux = 0.7.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`GoogLeNet`] does not take.
    pub fn new(
        num_classes: i64,
        aux_logits: bool,
        transform_input: bool,
        dropout: f64,
        dropout_aux: f64,
    ) -> Result<GoogLeNet> {
        let mut aux1: Option<GoogLeNetAux> = None;
        let mut aux2: Option<GoogLeNetAux> = None;
        if aux_logits {
            aux1 = Some(GoogLeNetAux::new(512, num_classes, dropout_aux)?);
            aux2 = Some(GoogLeNetAux::new(528, num_classes, dropout_aux)?);
        }
        let model = GoogLeNet {
            conv1: basic_conv(3, 64, 7, 2, 3)?,
            maxpool1: MaxPool2d::builder(3).stride(2).ceil_mode(true).build()?,
            conv2: basic_conv(64, 64, 1, 1, 0)?,
            conv3: basic_conv(64, 192, 3, 1, 1)?,
            maxpool2: MaxPool2d::builder(3).stride(2).ceil_mode(true).build()?,
            inception3a: GoogLeNetBlock::new(192, [64, 96, 128, 16, 32, 32])?,
            inception3b: GoogLeNetBlock::new(256, [128, 128, 192, 32, 96, 64])?,
            maxpool3: MaxPool2d::builder(3).stride(2).ceil_mode(true).build()?,
            inception4a: GoogLeNetBlock::new(480, [192, 96, 208, 16, 48, 64])?,
            inception4b: GoogLeNetBlock::new(512, [160, 112, 224, 24, 64, 64])?,
            inception4c: GoogLeNetBlock::new(512, [128, 128, 256, 24, 64, 64])?,
            inception4d: GoogLeNetBlock::new(512, [112, 144, 288, 32, 64, 64])?,
            inception4e: GoogLeNetBlock::new(528, [256, 160, 320, 32, 128, 128])?,
            maxpool4: MaxPool2d::builder(2).stride(2).ceil_mode(true).build()?,
            inception5a: GoogLeNetBlock::new(832, [256, 160, 320, 32, 128, 128])?,
            inception5b: GoogLeNetBlock::new(832, [384, 192, 384, 48, 128, 128])?,
            aux1,
            aux2,
            avgpool: AdaptiveAvgPool2d::new([1, 1])?,
            dropout: Dropout::new(dropout)?,
            fc: Linear::new(1024, num_classes)?,
            transform_input,
        };
        init_truncated(&model, 0.01)?;
        Ok(model)
    }

    /// The result of block 4a.
    fn first_part(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("GoogLeNet", input)?;
        let transformed = if self.transform_input { transform_channels(input)? } else { input.clone() };
        let mut output = self.maxpool1.forward(&self.conv1.forward(&transformed)?)?;
        output = self.maxpool2.forward(&self.conv3.forward(&self.conv2.forward(&output)?)?)?;
        output = self.inception3b.forward(&self.inception3a.forward(&output)?)?;
        self.inception4a.forward(&self.maxpool3.forward(&output)?)
    }

    /// The result of block 4d for the result of block 4a.
    fn second_part(&self, input: &Tensor) -> Result<Tensor> {
        self.inception4d.forward(&self.inception4c.forward(&self.inception4b.forward(input)?)?)
    }

    /// The logits for the result of block 4d.
    fn last_part(&self, input: &Tensor) -> Result<Tensor> {
        let mut output = self.maxpool4.forward(&self.inception4e.forward(input)?)?;
        output = self.inception5b.forward(&self.inception5a.forward(&output)?)?;
        output = self.avgpool.forward(&output)?.flatten(1, -1)?;
        self.fc.forward(&self.dropout.forward(&output)?)
    }

    /// The logits, and the logits of the second and of the first classifier inside of the network,
    /// if it has them.
    ///
    /// # Errors
    ///
    /// `shape` for an input that is not a batch of pictures.
    pub fn forward_with_aux(&self, input: &Tensor) -> Result<(Tensor, Option<Tensor>, Option<Tensor>)> {
        let first = self.first_part(input)?;
        let second = self.second_part(&first)?;
        let mut logits1: Option<Tensor> = None;
        if let Some(aux1) = &self.aux1 {
            logits1 = Some(aux1.forward(&first)?);
        }
        let mut logits2: Option<Tensor> = None;
        if let Some(aux2) = &self.aux2 {
            logits2 = Some(aux2.forward(&second)?);
        }
        Ok((self.last_part(&second)?, logits2, logits1))
    }
}

impl Layer for GoogLeNet {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.last_part(&self.second_part(&self.first_part(input)?)?)
    }
}

/// GoogLeNet of Szegedy et al. (2014).
///
/// Defaults: num_classes = 1000, aux_logits = true, transform_input = false.
///
/// # Errors
///
/// `argument` for values that [`GoogLeNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::googlenet};
/// let model = googlenet(10, true, false)?;
/// assert_eq!(model.named_parameters().len(), 187);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn googlenet(num_classes: i64, aux_logits: bool, transform_input: bool) -> Result<GoogLeNet> {
    GoogLeNet::new(num_classes, aux_logits, transform_input, 0.2, 0.7)
}
