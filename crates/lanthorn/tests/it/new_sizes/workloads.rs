//! Programs whose sizes change from step to step: a decoder that generates text, and training with
//! batches of many sizes.
//!
//! The test beside this file counts the plans and pipelines that they create, and the example
//! `new_sizes` also prints the host time of a step.

use lanthorn::{
    Approximate, DType, Device, Result, Tensor,
    nn::{BatchNorm2d, Conv2d, CrossEntropyLoss, Embedding, Layer, LayerNorm, Linear, Module, ReLU, Sequential},
    no_grad,
    optim::{Sgd, SgdOptions},
};

/// One step of a workload, by its number. It returns the step's result, which has not been read.
pub type Step = Box<dyn FnMut(usize) -> Result<Tensor>>;

/// A workload by name.
pub struct Workload {
    pub name: &'static str,
    pub make: fn(&Device) -> Result<Step>,
    /// The number of steps with different sizes: tokens of a text, or sizes of a batch.
    pub sizes: usize,
}

/// All workloads.
pub const WORKLOADS: [Workload; 6] = [
    Workload { name: "decoder, cat cache", make: |device| decoder(device, CacheKind::Cat), sizes: TOKENS },
    Workload { name: "decoder, narrow cache", make: |device| decoder(device, CacheKind::Narrow), sizes: TOKENS },
    Workload { name: "decoder, masked cache", make: |device| decoder(device, CacheKind::Masked), sizes: TOKENS },
    Workload { name: "MLP training", make: mlp, sizes: BATCHES },
    Workload { name: "CNN training", make: cnn, sizes: BATCHES },
    Workload { name: "ResNet training", make: resnet, sizes: BATCHES },
];

/// The number of tokens that a decoder generates.
const TOKENS: usize = 200;

/// The batch sizes for training.
const BATCHES: usize = 50;

/// The storage of the keys and values of earlier tokens.
#[derive(Clone, Copy, PartialEq)]
enum CacheKind {
    /// Each token is concatenated to a tensor that grows.
    Cat,
    /// Each token is written into a tensor of full length, of which the used part is read.
    Narrow,
    /// Each token is written into a tensor of full length, which is read whole with a mask.
    Masked,
}

/// One layer of the decoder.
struct Block {
    ln_1: LayerNorm,
    qkv: Linear,
    projection: Linear,
    ln_2: LayerNorm,
    up: Linear,
    down: Linear,
    /// Keys and values: `[1, heads, length, width / heads]`.
    cache: Option<[Tensor; 2]>,
}

const WIDTH: i64 = 32;
const HEADS: i64 = 4;
const VOCABULARY: i64 = 65;

impl Block {
    fn new(kind: CacheKind, device: &Device) -> Result<Block> {
        let empty = || Tensor::zeros_with([1, HEADS, TOKENS as i64, WIDTH / HEADS], DType::F32, Some(device));
        Ok(Block {
            ln_1: LayerNorm::new([WIDTH])?,
            qkv: Linear::new(WIDTH, 3 * WIDTH)?,
            projection: Linear::new(WIDTH, WIDTH)?,
            ln_2: LayerNorm::new([WIDTH])?,
            up: Linear::new(WIDTH, 4 * WIDTH)?,
            down: Linear::new(4 * WIDTH, WIDTH)?,
            cache: if kind == CacheKind::Cat { None } else { Some([empty()?, empty()?]) },
        })
    }

    /// The keys or values up to position `at`, of which `new` is the last.
    fn cached(&mut self, index: usize, new: Tensor, at: usize, kind: CacheKind) -> Result<Tensor> {
        let Some(cache) = &mut self.cache else { return Ok(new) };
        let cache = &mut cache[index];
        match kind {
            CacheKind::Cat => *cache = Tensor::cat(&[cache.clone(), new], 2)?,
            CacheKind::Narrow | CacheKind::Masked => cache.narrow(2, at as i64, 1)?.copy_(&new)?,
        }
        if kind == CacheKind::Narrow { cache.narrow(2, 0, at as i64 + 1) } else { Ok(cache.clone()) }
    }

    fn forward(&mut self, input: &Tensor, at: usize, mask: Option<&Tensor>, kind: CacheKind) -> Result<Tensor> {
        let qkv = self.qkv.forward(&self.ln_1.forward(input)?)?;
        let qkv = qkv.reshape([1, 1, 3, HEADS, WIDTH / HEADS])?.permute([2, 0, 3, 1, 4])?;
        let (query, key, value) = (qkv.select(0, 0)?, qkv.select(0, 1)?, qkv.select(0, 2)?);
        let (keys, values) = match self.cache {
            Some(_) => (self.cached(0, key, at, kind)?, self.cached(1, value, at, kind)?),
            None => {
                self.cache = Some([key.clone_tensor()?, value.clone_tensor()?]);
                (key, value)
            }
        };
        let mixed = Tensor::scaled_dot_product_attention(&query, &keys, &values, mask, 0.0, false)?;
        let h = input.add(&self.projection.forward(&mixed.transpose(1, 2)?.reshape([1, 1, WIDTH])?)?)?;
        h.add(&self.down.forward(&self.up.forward(&self.ln_2.forward(&h)?)?.gelu_with(Approximate::Tanh)?)?)
    }
}

/// A decoder of two layers. A step computes the logits of the token that follows a token; the token
/// is the step's number modulo the vocabulary.
fn decoder(device: &Device, kind: CacheKind) -> Result<Step> {
    let (tokens, positions) = (Embedding::new(VOCABULARY, WIDTH)?, Embedding::new(TOKENS as i64, WIDTH)?);
    let mut blocks = [Block::new(kind, device)?, Block::new(kind, device)?];
    let ln_f = LayerNorm::new([WIDTH])?;
    let device = device.clone();
    Ok(Box::new(move |at| {
        no_grad(|| {
            let at = at % TOKENS;
            if at == 0 && kind == CacheKind::Cat {
                blocks.iter_mut().for_each(|block| block.cache = None);
            }
            let ids = |id: usize| Tensor::from_slice(&[id as i32], [1, 1], &device);
            let mask: Vec<f32> = (0..TOKENS).map(|key| if key <= at { 0.0 } else { f32::NEG_INFINITY }).collect();
            let mask = Tensor::from_slice(&mask, [1, 1, 1, TOKENS as i64], &device)?;
            let mask = (kind == CacheKind::Masked).then_some(&mask);
            let h = tokens.forward(&ids(at % VOCABULARY as usize)?)?.add(&positions.forward(&ids(at)?)?)?;
            let h = blocks.iter_mut().try_fold(h, |h, block| block.forward(&h, at, mask, kind))?;
            ln_f.forward(&h)?.linear(&tokens.parameters()[0], None)
        })
    }))
}

/// The batch sizes 1 to 50 in an order that goes up and down.
pub fn batch_size(step: usize) -> i64 {
    ((step + 1) * 37 % (BATCHES + 1)) as i64
}

/// Numbers in `[-1, 1)` from a linear congruential generator.
fn numbers(shape: &[i64], seed: u32, device: &Device) -> Result<Tensor> {
    let count = shape.iter().product::<i64>() as usize;
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let words = std::iter::successors(Some(seed), next).skip(1).take(count);
    let numbers: Vec<f32> = words.map(|word| word as f32 / 2_147_483_648.0 - 1.0).collect();
    Tensor::from_slice(&numbers, shape, device)
}

/// Steps of gradient descent with momentum on batches of images of this shape.
fn train(device: &Device, model: impl Layer + 'static, image: &'static [i64]) -> Result<Step> {
    let optimizer = Sgd::new(model.parameters(), SgdOptions { lr: 0.01, momentum: 0.9, ..Default::default() })?;
    let (criterion, device) = (CrossEntropyLoss::default(), device.clone());
    Ok(Box::new(move |step| {
        let batch = batch_size(step % BATCHES);
        let shape: Vec<i64> = std::iter::once(batch).chain(image.iter().copied()).collect();
        let classes: Vec<i32> = (0..batch as i32).map(|row| row % 10).collect();
        let (x, y) = (numbers(&shape, step as u32, &device)?, Tensor::from_slice(&classes, [batch], &device)?);
        optimizer.zero_grad()?;
        let loss = criterion.forward(&model.forward(&x)?, &y)?;
        loss.backward()?;
        optimizer.step()?;
        Ok(loss.detach())
    }))
}

fn mlp(device: &Device) -> Result<Step> {
    let linear =
        |inputs, outputs| -> Result<Box<dyn lanthorn::nn::Layer>> { Ok(Box::new(Linear::new(inputs, outputs)?)) };
    let layers = vec![linear(64, 48)?, Box::new(ReLU), linear(48, 32)?, Box::new(ReLU), linear(32, 10)?];
    train(device, Sequential::new(layers), &[64])
}

/// A convolution that keeps or halves the image size.
fn conv(inputs: i64, outputs: i64, stride: i64) -> Result<Conv2d> {
    Conv2d::builder(inputs, outputs, 3).stride(stride).padding(1).bias(false).build()
}

#[derive(Module)]
struct Cnn {
    conv1: Conv2d,
    conv2: Conv2d,
    fc: Linear,
}

impl Layer for Cnn {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let h = self.conv1.forward(input)?.relu()?.max_pool2d(2, 2, 0, 1, false)?;
        let h = self.conv2.forward(&h)?.relu()?;
        self.fc.forward(&h.flatten(1, -1)?)
    }
}

fn cnn(device: &Device) -> Result<Step> {
    train(device, Cnn { conv1: conv(1, 8, 1)?, conv2: conv(8, 8, 2)?, fc: Linear::new(32, 10)? }, &[1, 8, 8])
}

/// Two convolutions with a residual connection.
#[derive(Module)]
struct Residual {
    conv1: Conv2d,
    bn1: BatchNorm2d,
    conv2: Conv2d,
    bn2: BatchNorm2d,
    around: Option<Conv2d>,
}

impl Residual {
    fn new(inputs: i64, outputs: i64, stride: i64) -> Result<Residual> {
        let changes = inputs != outputs;
        Ok(Residual {
            conv1: conv(inputs, outputs, stride)?,
            bn1: BatchNorm2d::new(outputs)?,
            conv2: conv(outputs, outputs, 1)?,
            bn2: BatchNorm2d::new(outputs)?,
            around: changes.then(|| conv(inputs, outputs, stride)).transpose()?,
        })
    }
}

impl Layer for Residual {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let h = self.bn1.forward(&self.conv1.forward(input)?)?.relu()?;
        let h = self.bn2.forward(&self.conv2.forward(&h)?)?;
        let around = self.around.as_ref().map_or_else(|| Ok(input.clone()), |around| around.forward(input))?;
        h.add(&around)?.relu()
    }
}

#[derive(Module)]
struct ResNet {
    conv1: Conv2d,
    bn1: BatchNorm2d,
    blocks: Vec<Residual>,
    fc: Linear,
}

impl Layer for ResNet {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let h = self.bn1.forward(&self.conv1.forward(input)?)?.relu()?;
        let h = self.blocks.iter().try_fold(h, |h, block| block.forward(&h))?;
        self.fc.forward(&h.mean([-2, -1], false)?)
    }
}

fn resnet(device: &Device) -> Result<Step> {
    let blocks = vec![Residual::new(8, 8, 1)?, Residual::new(8, 16, 2)?];
    train(
        device,
        ResNet { conv1: conv(3, 8, 1)?, bn1: BatchNorm2d::new(8)?, blocks, fc: Linear::new(16, 10)? },
        &[3, 8, 8],
    )
}
