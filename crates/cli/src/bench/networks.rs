//! The networks of the GPU workloads, written with the crate's modules.

use lanthorn::{
    Approximate, Result, Tensor,
    nn::{BatchNorm2d, Conv2d, Embedding, Layer, LayerNorm, Linear, Module, init},
};

/// A convolution that keeps or halves the image size. It has no bias, because a batch norm follows.
fn conv(inputs: i64, outputs: i64, kernel_size: i64, stride: i64) -> Result<Conv2d> {
    Conv2d::builder(inputs, outputs, kernel_size).stride(stride).padding(kernel_size / 2).bias(false).build()
}

/// Two convolutions with a residual connection (He et al., 2015).
#[derive(Module)]
struct BasicBlock {
    conv1: Conv2d,
    bn1: BatchNorm2d,
    conv2: Conv2d,
    bn2: BatchNorm2d,
    /// The convolution of the residual, if the stride is not 1 or the number of channels changes.
    downsample: Option<Conv2d>,
    norm: Option<BatchNorm2d>,
}

impl BasicBlock {
    fn new(inputs: i64, outputs: i64, stride: i64, changes: bool) -> Result<BasicBlock> {
        Ok(BasicBlock {
            conv1: conv(inputs, outputs, 3, stride)?,
            bn1: BatchNorm2d::new(outputs)?,
            conv2: conv(outputs, outputs, 3, 1)?,
            bn2: BatchNorm2d::new(outputs)?,
            downsample: changes.then(|| conv(inputs, outputs, 1, stride)).transpose()?,
            norm: changes.then(|| BatchNorm2d::new(outputs)).transpose()?,
        })
    }
}

impl Layer for BasicBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let h = self.bn1.forward(&self.conv1.forward(input)?)?.relu()?;
        let h = self.bn2.forward(&self.conv2.forward(&h)?)?;
        let around = match (&self.downsample, &self.norm) {
            (Some(downsample), Some(norm)) => norm.forward(&downsample.forward(input)?)?,
            _ => input.clone(),
        };
        h.add(&around)?.relu()
    }
}

/// A ResNet-18 for `[N, 3, H, W]`, whose stages have one, two, four and eight times `width`
/// channels (64 in the paper).
#[derive(Module)]
pub(super) struct ResNet18 {
    conv1: Conv2d,
    bn1: BatchNorm2d,
    blocks: Vec<BasicBlock>,
    fc: Linear,
}

impl ResNet18 {
    pub(super) fn new(width: i64, classes: i64) -> Result<ResNet18> {
        let mut blocks = Vec::new();
        for stage in 0..4 {
            let outputs = width << stage;
            let (inputs, stride) = if stage == 0 { (width, 1) } else { (outputs / 2, 2) };
            blocks.push(BasicBlock::new(inputs, outputs, stride, stage > 0)?);
            blocks.push(BasicBlock::new(outputs, outputs, 1, false)?);
        }
        let (conv1, bn1) = (conv(3, width, 7, 2)?, BatchNorm2d::new(width)?);
        Ok(ResNet18 { conv1, bn1, blocks, fc: Linear::new(8 * width, classes)? })
    }

    /// Returns the multiplications and additions in the products of a forward pass over images of
    /// `size` × `size`.
    pub(super) fn operations(width: i64, classes: i64, batch: i64, size: i64) -> f64 {
        let halved = |size: i64| (size + 1) / 2;
        let product = |inputs: i64, outputs: i64, kernel_size: i64, size: i64| {
            2.0 * [batch, inputs, outputs, kernel_size, kernel_size, size, size]
                .map(|size| size as f64)
                .iter()
                .product::<f64>()
        };
        let mut side = halved(size);
        let mut sum = product(3, width, 7, side);
        side = halved(side);
        for stage in 0..4 {
            let outputs = width << stage;
            let mut inputs = outputs;
            if stage > 0 {
                (inputs, side) = (outputs / 2, halved(side));
                sum += product(inputs, outputs, 1, side);
            }
            sum += product(inputs, outputs, 3, side) + 3.0 * product(outputs, outputs, 3, side);
        }
        sum + product(8 * width, classes, 1, 1)
    }
}

impl Layer for ResNet18 {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let h = self.bn1.forward(&self.conv1.forward(input)?)?.relu()?.max_pool2d(3, 2, 1, 1, false)?;
        let h = self.blocks.iter().try_fold(h, |h, block| block.forward(&h))?;
        self.fc.forward(&h.mean([-2, -1], false)?)
    }
}

/// A block of GPT-2 (Radford et al., 2019): causal attention and two linear layers, each after a
/// layer norm.
#[derive(Module)]
struct GptBlock {
    ln_1: LayerNorm,
    qkv: Linear,
    projection: Linear,
    ln_2: LayerNorm,
    up: Linear,
    down: Linear,
    #[module(skip)]
    heads: i64,
}

impl GptBlock {
    fn new(width: i64, heads: i64) -> Result<GptBlock> {
        Ok(GptBlock {
            ln_1: LayerNorm::new([width])?,
            qkv: Linear::new(width, 3 * width)?,
            projection: Linear::new(width, width)?,
            ln_2: LayerNorm::new([width])?,
            up: Linear::new(width, 4 * width)?,
            down: Linear::new(4 * width, width)?,
            heads,
        })
    }
}

impl Layer for GptBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let sizes = input.shape().to_i64();
        let (batch, length, width) = (sizes[0], sizes[1], sizes[2]);
        let qkv = self.qkv.forward(&self.ln_1.forward(input)?)?;
        let qkv = qkv.reshape([batch, length, 3, self.heads, width / self.heads])?.permute([2, 0, 3, 1, 4])?;
        let [query, key, value] = [qkv.select(0, 0)?, qkv.select(0, 1)?, qkv.select(0, 2)?];
        let mixed = Tensor::scaled_dot_product_attention(&query, &key, &value, None, 0.0, true)?;
        let h = input.add(&self.projection.forward(&mixed.transpose(1, 2)?.reshape([batch, length, width])?)?)?;
        h.add(&self.down.forward(&self.up.forward(&self.ln_2.forward(&h)?)?.gelu_with(Approximate::Tanh)?)?)
    }
}

/// GPT-2, from indices `[N, length]` to logits `[N, length, vocabulary]`; the token table is also
/// the weight of the last product.
#[derive(Module)]
pub(super) struct Gpt {
    tokens: Embedding,
    positions: Embedding,
    blocks: Vec<GptBlock>,
    ln_f: LayerNorm,
}

impl Gpt {
    pub(super) fn new(vocabulary: i64, length: i64, width: i64, heads: i64, layers: i64) -> Result<Gpt> {
        let (tokens, positions) = (Embedding::new(vocabulary, width)?, Embedding::new(length, width)?);
        for parameter in tokens.parameters().iter().chain(&positions.parameters()) {
            init::normal_(parameter, 0.0, 0.02)?;
        }
        let blocks = (0..layers).map(|_| GptBlock::new(width, heads)).collect::<Result<_>>()?;
        Ok(Gpt { tokens, positions, blocks, ln_f: LayerNorm::new([width])? })
    }
}

impl Layer for Gpt {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let h = self.tokens.forward(input)?.add(&self.positions.parameters()[0])?;
        let h = self.blocks.iter().try_fold(h, |h, block| block.forward(&h))?;
        self.ln_f.forward(&h)?.linear(&self.tokens.parameters()[0], None)
    }
}
