//! Inception of the third version.

use super::blocks::{BasicConv, basic_conv, check_pictures, init_truncated, transform_channels};
use lanthorn_nn::{AdaptiveAvgPool2d, Dropout, Layer, Linear, MaxPool2d, Module, init};
use lanthorn_tensor::{Result, Tensor};

/// The mean over 3 × 3 windows.
fn pool_mean(input: &Tensor) -> Result<Tensor> {
    input.avg_pool2d([3, 3], [1, 1], [1, 1], false, true, None)
}

/// The maximum over 3 × 3 windows of every second position.
fn pool_max(input: &Tensor) -> Result<Tensor> {
    input.max_pool2d([3, 3], [2, 2], [0, 0], [1, 1], false)
}

/// A block of 35 × 35 positions.
#[derive(Module)]
pub struct InceptionA {
    branch1x1: BasicConv,
    branch5x5_1: BasicConv,
    branch5x5_2: BasicConv,
    branch3x3dbl_1: BasicConv,
    branch3x3dbl_2: BasicConv,
    branch3x3dbl_3: BasicConv,
    branch_pool: BasicConv,
}

impl InceptionA {
    fn new(inputs: i64, pool_features: i64) -> Result<InceptionA> {
        Ok(InceptionA {
            branch1x1: basic_conv(inputs, 64, 1, 1, 0)?,
            branch5x5_1: basic_conv(inputs, 48, 1, 1, 0)?,
            branch5x5_2: basic_conv(48, 64, 5, 1, 2)?,
            branch3x3dbl_1: basic_conv(inputs, 64, 1, 1, 0)?,
            branch3x3dbl_2: basic_conv(64, 96, 3, 1, 1)?,
            branch3x3dbl_3: basic_conv(96, 96, 3, 1, 1)?,
            branch_pool: basic_conv(inputs, pool_features, 1, 1, 0)?,
        })
    }
}

impl Layer for InceptionA {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let first = self.branch1x1.forward(input)?;
        let second = self.branch5x5_2.forward(&self.branch5x5_1.forward(input)?)?;
        let mut third = self.branch3x3dbl_2.forward(&self.branch3x3dbl_1.forward(input)?)?;
        third = self.branch3x3dbl_3.forward(&third)?;
        let pooled = self.branch_pool.forward(&pool_mean(input)?)?;
        Tensor::cat(&[first, second, third, pooled], 1)
    }
}

/// A block from 35 × 35 to 17 × 17 positions.
#[derive(Module)]
pub struct InceptionB {
    branch3x3: BasicConv,
    branch3x3dbl_1: BasicConv,
    branch3x3dbl_2: BasicConv,
    branch3x3dbl_3: BasicConv,
}

impl InceptionB {
    fn new(inputs: i64) -> Result<InceptionB> {
        Ok(InceptionB {
            branch3x3: basic_conv(inputs, 384, 3, 2, 0)?,
            branch3x3dbl_1: basic_conv(inputs, 64, 1, 1, 0)?,
            branch3x3dbl_2: basic_conv(64, 96, 3, 1, 1)?,
            branch3x3dbl_3: basic_conv(96, 96, 3, 2, 0)?,
        })
    }
}

impl Layer for InceptionB {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let first = self.branch3x3.forward(input)?;
        let mut second = self.branch3x3dbl_2.forward(&self.branch3x3dbl_1.forward(input)?)?;
        second = self.branch3x3dbl_3.forward(&second)?;
        Tensor::cat(&[first, second, pool_max(input)?], 1)
    }
}

/// A block of 17 × 17 positions.
#[derive(Module)]
pub struct InceptionC {
    branch1x1: BasicConv,
    branch7x7_1: BasicConv,
    branch7x7_2: BasicConv,
    branch7x7_3: BasicConv,
    branch7x7dbl_1: BasicConv,
    branch7x7dbl_2: BasicConv,
    branch7x7dbl_3: BasicConv,
    branch7x7dbl_4: BasicConv,
    branch7x7dbl_5: BasicConv,
    branch_pool: BasicConv,
}

impl InceptionC {
    fn new(inputs: i64, inner: i64) -> Result<InceptionC> {
        Ok(InceptionC {
            branch1x1: basic_conv(inputs, 192, 1, 1, 0)?,
            branch7x7_1: basic_conv(inputs, inner, 1, 1, 0)?,
            branch7x7_2: BasicConv::new(inner, inner, [1, 7], 1, [0, 3])?,
            branch7x7_3: BasicConv::new(inner, 192, [7, 1], 1, [3, 0])?,
            branch7x7dbl_1: basic_conv(inputs, inner, 1, 1, 0)?,
            branch7x7dbl_2: BasicConv::new(inner, inner, [7, 1], 1, [3, 0])?,
            branch7x7dbl_3: BasicConv::new(inner, inner, [1, 7], 1, [0, 3])?,
            branch7x7dbl_4: BasicConv::new(inner, inner, [7, 1], 1, [3, 0])?,
            branch7x7dbl_5: BasicConv::new(inner, 192, [1, 7], 1, [0, 3])?,
            branch_pool: basic_conv(inputs, 192, 1, 1, 0)?,
        })
    }
}

impl Layer for InceptionC {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let first = self.branch1x1.forward(input)?;
        let mut second = self.branch7x7_2.forward(&self.branch7x7_1.forward(input)?)?;
        second = self.branch7x7_3.forward(&second)?;
        let mut third = self.branch7x7dbl_2.forward(&self.branch7x7dbl_1.forward(input)?)?;
        third = self.branch7x7dbl_4.forward(&self.branch7x7dbl_3.forward(&third)?)?;
        third = self.branch7x7dbl_5.forward(&third)?;
        let pooled = self.branch_pool.forward(&pool_mean(input)?)?;
        Tensor::cat(&[first, second, third, pooled], 1)
    }
}

/// A block from 17 × 17 to 8 × 8 positions.
#[derive(Module)]
pub struct InceptionD {
    branch3x3_1: BasicConv,
    branch3x3_2: BasicConv,
    branch7x7x3_1: BasicConv,
    branch7x7x3_2: BasicConv,
    branch7x7x3_3: BasicConv,
    branch7x7x3_4: BasicConv,
}

impl InceptionD {
    fn new(inputs: i64) -> Result<InceptionD> {
        Ok(InceptionD {
            branch3x3_1: basic_conv(inputs, 192, 1, 1, 0)?,
            branch3x3_2: basic_conv(192, 320, 3, 2, 0)?,
            branch7x7x3_1: basic_conv(inputs, 192, 1, 1, 0)?,
            branch7x7x3_2: BasicConv::new(192, 192, [1, 7], 1, [0, 3])?,
            branch7x7x3_3: BasicConv::new(192, 192, [7, 1], 1, [3, 0])?,
            branch7x7x3_4: basic_conv(192, 192, 3, 2, 0)?,
        })
    }
}

impl Layer for InceptionD {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let first = self.branch3x3_2.forward(&self.branch3x3_1.forward(input)?)?;
        let mut second = self.branch7x7x3_2.forward(&self.branch7x7x3_1.forward(input)?)?;
        second = self.branch7x7x3_4.forward(&self.branch7x7x3_3.forward(&second)?)?;
        Tensor::cat(&[first, second, pool_max(input)?], 1)
    }
}

/// A block of 8 × 8 positions.
#[derive(Module)]
pub struct InceptionE {
    branch1x1: BasicConv,
    branch3x3_1: BasicConv,
    branch3x3_2a: BasicConv,
    branch3x3_2b: BasicConv,
    branch3x3dbl_1: BasicConv,
    branch3x3dbl_2: BasicConv,
    branch3x3dbl_3a: BasicConv,
    branch3x3dbl_3b: BasicConv,
    branch_pool: BasicConv,
}

impl InceptionE {
    fn new(inputs: i64) -> Result<InceptionE> {
        Ok(InceptionE {
            branch1x1: basic_conv(inputs, 320, 1, 1, 0)?,
            branch3x3_1: basic_conv(inputs, 384, 1, 1, 0)?,
            branch3x3_2a: BasicConv::new(384, 384, [1, 3], 1, [0, 1])?,
            branch3x3_2b: BasicConv::new(384, 384, [3, 1], 1, [1, 0])?,
            branch3x3dbl_1: basic_conv(inputs, 448, 1, 1, 0)?,
            branch3x3dbl_2: basic_conv(448, 384, 3, 1, 1)?,
            branch3x3dbl_3a: BasicConv::new(384, 384, [1, 3], 1, [0, 1])?,
            branch3x3dbl_3b: BasicConv::new(384, 384, [3, 1], 1, [1, 0])?,
            branch_pool: basic_conv(inputs, 192, 1, 1, 0)?,
        })
    }
}

impl Layer for InceptionE {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let first = self.branch1x1.forward(input)?;
        let second = self.branch3x3_1.forward(input)?;
        let third = self.branch3x3dbl_2.forward(&self.branch3x3dbl_1.forward(input)?)?;
        let (wide, high) = (self.branch3x3_2a.forward(&second)?, self.branch3x3_2b.forward(&second)?);
        let (wide3, high3) = (self.branch3x3dbl_3a.forward(&third)?, self.branch3x3dbl_3b.forward(&third)?);
        let pooled = self.branch_pool.forward(&pool_mean(input)?)?;
        Tensor::cat(&[first, wide, high, wide3, high3, pooled], 1)
    }
}

/// A classifier of a result inside of the network.
#[derive(Module)]
pub struct InceptionAux {
    conv0: BasicConv,
    conv1: BasicConv,
    fc: Linear,
}

impl InceptionAux {
    fn new(inputs: i64, num_classes: i64) -> Result<InceptionAux> {
        Ok(InceptionAux {
            conv0: basic_conv(inputs, 128, 1, 1, 0)?,
            conv1: basic_conv(128, 768, 5, 1, 0)?,
            fc: Linear::new(768, num_classes)?,
        })
    }
}

impl Layer for InceptionAux {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let pooled = input.avg_pool2d([5, 5], [3, 3], [0, 0], false, true, None)?;
        let output = self.conv1.forward(&self.conv0.forward(&pooled)?)?.adaptive_avg_pool2d([1, 1])?;
        self.fc.forward(&output.flatten(1, -1)?)
    }
}

/// The network of Szegedy et al. (2015).
///
/// Pictures `[n, 3, height, width]` of at least 75 × 75, made for 299 × 299, become logits
/// `[n, num_classes]`. With `aux_logits` a result inside of the network has a classifier, for
/// training: [`Inception3::forward_with_aux`]. `transform_input` changes the normalization of the
/// input to the one that the published weights expect.
///
/// # Errors
///
/// `argument` if `dropout` is not from 0 to 1; `shape` for an input that is not a batch of
/// pictures.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::Inception3};
/// let model = Inception3::new(10, true, false, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 292);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct Inception3 {
    /// Convolution 1a.
    #[module(name = "Conv2d_1a_3x3")]
    pub conv2d_1a_3x3: BasicConv,
    /// Convolution 2a.
    #[module(name = "Conv2d_2a_3x3")]
    pub conv2d_2a_3x3: BasicConv,
    /// Convolution 2b.
    #[module(name = "Conv2d_2b_3x3")]
    pub conv2d_2b_3x3: BasicConv,
    /// The first pooling.
    pub maxpool1: MaxPool2d,
    /// Convolution 3b.
    #[module(name = "Conv2d_3b_1x1")]
    pub conv2d_3b_1x1: BasicConv,
    /// Convolution 4a.
    #[module(name = "Conv2d_4a_3x3")]
    pub conv2d_4a_3x3: BasicConv,
    /// The second pooling.
    pub maxpool2: MaxPool2d,
    /// Block 5b.
    #[module(name = "Mixed_5b")]
    pub mixed_5b: InceptionA,
    /// Block 5c.
    #[module(name = "Mixed_5c")]
    pub mixed_5c: InceptionA,
    /// Block 5d.
    #[module(name = "Mixed_5d")]
    pub mixed_5d: InceptionA,
    /// Block 6a.
    #[module(name = "Mixed_6a")]
    pub mixed_6a: InceptionB,
    /// Block 6b.
    #[module(name = "Mixed_6b")]
    pub mixed_6b: InceptionC,
    /// Block 6c.
    #[module(name = "Mixed_6c")]
    pub mixed_6c: InceptionC,
    /// Block 6d.
    #[module(name = "Mixed_6d")]
    pub mixed_6d: InceptionC,
    /// Block 6e.
    #[module(name = "Mixed_6e")]
    pub mixed_6e: InceptionC,
    /// The classifier after block 6e, for training.
    #[module(name = "AuxLogits")]
    pub aux_logits: Option<InceptionAux>,
    /// Block 7a.
    #[module(name = "Mixed_7a")]
    pub mixed_7a: InceptionD,
    /// Block 7b.
    #[module(name = "Mixed_7b")]
    pub mixed_7b: InceptionE,
    /// Block 7c.
    #[module(name = "Mixed_7c")]
    pub mixed_7c: InceptionE,
    /// The mean over the picture.
    pub avgpool: AdaptiveAvgPool2d,
    /// The dropout before the linear layer.
    pub dropout: Dropout,
    /// The linear layer.
    pub fc: Linear,
    transform_input: bool,
}

impl Inception3 {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000, aux_logits = true, transform_input = false, dropout = 0.5.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`Inception3`] does not take.
    pub fn new(num_classes: i64, aux_logits: bool, transform_input: bool, dropout: f64) -> Result<Inception3> {
        let mut classifier: Option<InceptionAux> = None;
        if aux_logits {
            classifier = Some(InceptionAux::new(768, num_classes)?);
        }
        let model = Inception3 {
            conv2d_1a_3x3: basic_conv(3, 32, 3, 2, 0)?,
            conv2d_2a_3x3: basic_conv(32, 32, 3, 1, 0)?,
            conv2d_2b_3x3: basic_conv(32, 64, 3, 1, 1)?,
            maxpool1: MaxPool2d::builder(3).stride(2).build()?,
            conv2d_3b_1x1: basic_conv(64, 80, 1, 1, 0)?,
            conv2d_4a_3x3: basic_conv(80, 192, 3, 1, 0)?,
            maxpool2: MaxPool2d::builder(3).stride(2).build()?,
            mixed_5b: InceptionA::new(192, 32)?,
            mixed_5c: InceptionA::new(256, 64)?,
            mixed_5d: InceptionA::new(288, 64)?,
            mixed_6a: InceptionB::new(288)?,
            mixed_6b: InceptionC::new(768, 128)?,
            mixed_6c: InceptionC::new(768, 160)?,
            mixed_6d: InceptionC::new(768, 160)?,
            mixed_6e: InceptionC::new(768, 192)?,
            aux_logits: classifier,
            mixed_7a: InceptionD::new(768)?,
            mixed_7b: InceptionE::new(1280)?,
            mixed_7c: InceptionE::new(2048)?,
            avgpool: AdaptiveAvgPool2d::new([1, 1])?,
            dropout: Dropout::new(dropout)?,
            fc: Linear::new(2048, num_classes)?,
            transform_input,
        };
        init_truncated(&model, 0.1)?;
        for (name, parameter) in model.named_parameters() {
            if name == "AuxLogits.fc.weight" {
                init::trunc_normal_(&parameter, 0.0, 0.001, -2.0, 2.0)?;
            }
        }
        Ok(model)
    }

    /// The result of block 6e.
    fn first_part(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("Inception3", input)?;
        let transformed = if self.transform_input { transform_channels(input)? } else { input.clone() };
        let mut output = self.conv2d_2a_3x3.forward(&self.conv2d_1a_3x3.forward(&transformed)?)?;
        output = self.maxpool1.forward(&self.conv2d_2b_3x3.forward(&output)?)?;
        output = self.conv2d_4a_3x3.forward(&self.conv2d_3b_1x1.forward(&output)?)?;
        output = self.mixed_5b.forward(&self.maxpool2.forward(&output)?)?;
        output = self.mixed_5d.forward(&self.mixed_5c.forward(&output)?)?;
        output = self.mixed_6b.forward(&self.mixed_6a.forward(&output)?)?;
        self.mixed_6e.forward(&self.mixed_6d.forward(&self.mixed_6c.forward(&output)?)?)
    }

    /// The logits for the result of block 6e.
    fn last_part(&self, input: &Tensor) -> Result<Tensor> {
        let output = self.mixed_7c.forward(&self.mixed_7b.forward(&self.mixed_7a.forward(input)?)?)?;
        let pooled = self.dropout.forward(&self.avgpool.forward(&output)?)?;
        self.fc.forward(&pooled.flatten(1, -1)?)
    }

    /// The logits, and the logits of the classifier inside of the network, if it has one.
    ///
    /// # Errors
    ///
    /// `shape` for an input that is not a batch of pictures.
    pub fn forward_with_aux(&self, input: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
        let first = self.first_part(input)?;
        let mut inner: Option<Tensor> = None;
        if let Some(classifier) = &self.aux_logits {
            inner = Some(classifier.forward(&first)?);
        }
        Ok((self.last_part(&first)?, inner))
    }
}

impl Layer for Inception3 {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        self.last_part(&self.first_part(input)?)
    }
}

/// Inception v3 of Szegedy et al. (2015).
///
/// Defaults: num_classes = 1000, aux_logits = true, transform_input = false.
///
/// # Errors
///
/// `argument` for values that [`Inception3`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::inception_v3};
/// let model = inception_v3(10, true, false)?;
/// assert_eq!(model.named_parameters().len(), 292);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn inception_v3(num_classes: i64, aux_logits: bool, transform_input: bool) -> Result<Inception3> {
    Inception3::new(num_classes, aux_logits, transform_input, 0.5)
}
