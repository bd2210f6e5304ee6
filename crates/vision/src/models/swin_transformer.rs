//! Transformers over shifted windows of a picture, of both versions.

use super::blocks::{PermuteLayer, StochasticDepth, check_pictures, mlp_layers};
use lanthorn_nn::{
    AdaptiveAvgPool2d, Buffer, Conv2d, Flatten, Layer, LayerNorm, Linear, Module, Parameter, ReLU, Sequential,
    TrainingFlag, buffer, init, parameter,
};
use lanthorn_tensor::{Error, PadMode, Result, Tensor};

/// Attention inside of windows, with a bias for the distance of two positions.
#[derive(Module)]
struct WindowAttention {
    qkv: Linear,
    proj: Linear,
    relative_position_bias_table: Option<Parameter>,
    relative_position_index: Buffer,
    logit_scale: Option<Parameter>,
    cpb_mlp: Option<Sequential>,
    relative_coords_table: Option<Buffer>,
    channels: i64,
    heads: i64,
    window: i64,
    shift: i64,
    dropout: f64,
    training: TrainingFlag,
}

/// The number of each pair of positions of a window by their distance.
fn pair_numbers(window: i64) -> Result<Tensor> {
    let positions = Tensor::arange(0, window, 1)?;
    let rows = positions.unsqueeze(1)?.expand([window, window])?.reshape([-1])?;
    let columns = positions.unsqueeze(0)?.expand([window, window])?.reshape([-1])?;
    let down = ((rows.unsqueeze(1)? - rows.unsqueeze(0)?)? + (window - 1))?;
    let right = ((columns.unsqueeze(1)? - columns.unsqueeze(0)?)? + (window - 1))?;
    ((down * (2 * window - 1))? + right)?.reshape([-1])
}

/// The distances of two positions of a window on a logarithmic scale, `[1, 2w - 1, 2w - 1, 2]`.
fn distances(window: i64) -> Result<Tensor> {
    let side = 2 * window - 1;
    let steps = (Tensor::arange(0, side, 1)?.float()? - (window - 1))?;
    let scaled = (steps * (8.0 / (window as f64 - 1.0).max(1.0)))?;
    let curved = (scaled.sign()? * ((scaled.abs()? + 1.0)?.log2()? * (1.0 / 3.0))?)?;
    let down = curved.unsqueeze(1)?.expand([side, side])?;
    let right = curved.unsqueeze(0)?.expand([side, side])?;
    Tensor::stack(&[down, right], 2)?.unsqueeze(0)
}

/// The part of a side that a position is in: before, in and after the last shifted window.
fn side_parts(size: i64, window: i64, shift: i64) -> Result<Tensor> {
    let positions = Tensor::arange(0, size, 1)?;
    positions.ge(size - window)?.float()? + positions.ge(size - shift)?.float()?
}

/// Windows `[n windows, window * window, channels]` of pictures `[n, height, width, channels]`.
fn split_windows(input: &Tensor, window: i64) -> Result<Tensor> {
    let shape = input.shape();
    let (height, width, channels) = (shape[1] as i64, shape[2] as i64, shape[3] as i64);
    let parts = input.reshape([-1, height / window, window, width / window, window, channels])?;
    parts.permute([0, 1, 3, 2, 4, 5])?.reshape([-1, window * window, channels])
}

/// The scores that keep positions apart which a shift brought into one window.
fn shift_mask(height: i64, width: i64, window: i64, shifts: (i64, i64)) -> Result<Tensor> {
    let down = if shifts.0 > 0 { side_parts(height, window, shifts.0)? } else { Tensor::zeros([height])? };
    let right = if shifts.1 > 0 { side_parts(width, window, shifts.1)? } else { Tensor::zeros([width])? };
    let parts = ((down.unsqueeze(1)? * 3.0)? + right.unsqueeze(0)?)?;
    let windows = split_windows(&parts.reshape([1, height, width, 1])?, window)?.reshape([-1, window * window])?;
    let differences = (windows.unsqueeze(1)? - windows.unsqueeze(2)?)?;
    differences.ne(0.0)?.float()? * -100.0
}

impl WindowAttention {
    fn new(
        channels: i64,
        heads: i64,
        window: i64,
        shift: i64,
        dropout: f64,
        is_second: bool,
    ) -> Result<WindowAttention> {
        let side = 2 * window - 1;
        let mut table: Option<Parameter> = None;
        let mut scale: Option<Parameter> = None;
        let mut mlp: Option<Sequential> = None;
        let mut coordinates: Option<Buffer> = None;
        if is_second {
            scale = Some(parameter(&Tensor::full([heads, 1, 1], 10.0f64.ln())?)?);
            mlp = Some(Sequential::new(vec![
                Box::new(Linear::new(2, 512)?),
                Box::new(ReLU),
                Box::new(Linear::builder(512, heads).bias(false).build()?),
            ]));
            coordinates = Some(buffer(&distances(window)?));
        } else {
            let made = parameter(&Tensor::zeros([side * side, heads])?)?;
            init::trunc_normal_(&made, 0.0, 0.02, -2.0, 2.0)?;
            table = Some(made);
        }
        Ok(WindowAttention {
            qkv: Linear::new(channels, 3 * channels)?,
            proj: Linear::new(channels, channels)?,
            relative_position_bias_table: table,
            relative_position_index: buffer(&pair_numbers(window)?),
            logit_scale: scale,
            cpb_mlp: mlp,
            relative_coords_table: coordinates,
            channels,
            heads,
            window,
            shift,
            dropout,
            training: TrainingFlag::default(),
        })
    }

    /// The bias of each pair of positions, `[1, heads, positions, positions]`.
    fn position_bias(&self) -> Result<Tensor> {
        let count = self.window * self.window;
        let order = [2, 0, 1];
        if let Some(table) = &self.relative_position_bias_table {
            let picked = table.index_select(0, &self.relative_position_index)?;
            return picked.reshape([count, count, self.heads])?.permute(order)?.unsqueeze(0);
        }
        let mut table = Tensor::zeros([1])?;
        if let Some(mlp) = &self.cpb_mlp
            && let Some(coordinates) = &self.relative_coords_table
        {
            table = mlp.forward(coordinates)?.reshape([-1, self.heads])?;
        }
        let picked = table.index_select(0, &self.relative_position_index)?;
        let bias = picked.reshape([count, count, self.heads])?.permute(order)?.unsqueeze(0)?;
        bias.sigmoid()? * 16.0
    }

    /// The projections of windows to queries, keys and values. Keys of the second version have no
    /// bias.
    fn project(&self, windows: &Tensor) -> Result<Tensor> {
        let output = self.qkv.forward(windows)?;
        if self.logit_scale.is_none() {
            return Ok(output);
        }
        let zero = Tensor::zeros([1, 1, self.channels])?;
        let bias = self.qkv.forward(&zero)?;
        let length = self.channels;
        let middle = bias.narrow(2, length, length)?;
        let none = Tensor::zeros([1, 1, length])?;
        output - Tensor::cat(&[none.clone(), middle, none], 2)?
    }

    /// The scores of each pair of positions of a window, without the bias.
    fn scores(&self, query: &Tensor, key: &Tensor) -> Result<Tensor> {
        if let Some(scale) = &self.logit_scale {
            let cosines =
                query.normalize(2.0, -1, 1e-12)?.matmul(&key.normalize(2.0, -1, 1e-12)?.transpose(-2, -1)?)?;
            return cosines * scale.clamp_max(100.0f64.ln())?.exp()?;
        }
        let factor = ((self.channels / self.heads) as f64).powf(-0.5);
        (query * factor)?.matmul(&key.transpose(-2, -1)?)
    }

    /// The results of windows; a mask keeps positions apart.
    fn attend(&self, windows: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
        let count = self.window * self.window;
        let parts = self.project(windows)?.reshape([-1, count, 3, self.heads, self.channels / self.heads])?;
        let parts = parts.permute([2, 0, 3, 1, 4])?;
        let mut scores = self.scores(&parts.select(0, 0)?, &parts.select(0, 1)?)?;
        scores = (scores + self.position_bias()?)?;
        if let Some(mask) = mask {
            let number = mask.shape()[0] as i64;
            let grouped = scores.reshape([-1, number, self.heads, count, count])?;
            scores = (grouped + mask.unsqueeze(1)?.unsqueeze(0)?)?.reshape([-1, self.heads, count, count])?;
        }
        let weights = scores.softmax(-1)?.dropout(self.dropout, self.training.get())?;
        let joined = weights.matmul(&parts.select(0, 2)?)?.transpose(1, 2)?.reshape([-1, count, self.channels])?;
        self.proj.forward(&joined)?.dropout(self.dropout, self.training.get())
    }
}

impl Layer for WindowAttention {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let (window, shape) = (self.window, input.shape());
        let (batch, height, width) = (shape[0] as i64, shape[1] as i64, shape[2] as i64);
        let (below, beside) = ((window - height % window) % window, (window - width % window) % window);
        let (tall, wide) = (height + below, width + beside);
        let mut padded = input.pad([0, 0, 0, beside, 0, below], PadMode::Constant, None)?;
        // A window that covers the picture is not shifted.
        let down = if window >= tall { 0 } else { self.shift };
        let right = if window >= wide { 0 } else { self.shift };
        let mut mask: Option<Tensor> = None;
        if down + right > 0 {
            padded = padded.roll([-down, -right], [1, 2])?;
            mask = Some(shift_mask(tall, wide, window, (down, right))?);
        }
        let output = self.attend(&split_windows(&padded, window)?, mask.as_ref())?;
        let parts = output.reshape([batch, tall / window, wide / window, window, window, self.channels])?;
        let mut joined = parts.permute([0, 1, 3, 2, 4, 5])?.reshape([batch, tall, wide, self.channels])?;
        if down + right > 0 {
            joined = joined.roll([down, right], [1, 2])?;
        }
        joined.narrow(1, 0, height)?.narrow(2, 0, width)
    }
}

#[derive(Module)]
struct SwinBlock {
    norm1: LayerNorm,
    attn: WindowAttention,
    stochastic_depth: StochasticDepth,
    norm2: LayerNorm,
    mlp: Sequential,
    is_second: bool,
}

impl Layer for SwinBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        if self.is_second {
            let attended = self.norm1.forward(&self.attn.forward(input)?)?;
            let middle = (self.stochastic_depth.forward(&attended)? + input)?;
            let output = self.norm2.forward(&self.mlp.forward(&middle)?)?;
            return self.stochastic_depth.forward(&output)? + middle;
        }
        let attended = self.attn.forward(&self.norm1.forward(input)?)?;
        let middle = (self.stochastic_depth.forward(&attended)? + input)?;
        let output = self.mlp.forward(&self.norm2.forward(&middle)?)?;
        self.stochastic_depth.forward(&output)? + middle
    }
}

/// Four neighbouring positions as one with twice the channels.
#[derive(Module)]
struct PatchMerging {
    reduction: Linear,
    norm: LayerNorm,
    is_second: bool,
}

impl PatchMerging {
    fn new(channels: i64, is_second: bool) -> Result<PatchMerging> {
        let normed = if is_second { 2 * channels } else { 4 * channels };
        Ok(PatchMerging {
            reduction: Linear::builder(4 * channels, 2 * channels).bias(false).build()?,
            norm: LayerNorm::new(normed)?,
            is_second,
        })
    }
}

impl Layer for PatchMerging {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let shape = input.shape();
        let (odd_height, odd_width) = ((shape[1] % 2) as i64, (shape[2] % 2) as i64);
        let padded = input.pad([0, 0, 0, odd_width, 0, odd_height], PadMode::Constant, None)?;
        let (even, odd) = (padded.slice(1, Some(0), None, 2)?, padded.slice(1, Some(1), None, 2)?);
        let (first, second) = (even.slice(2, Some(0), None, 2)?, odd.slice(2, Some(0), None, 2)?);
        let (third, fourth) = (even.slice(2, Some(1), None, 2)?, odd.slice(2, Some(1), None, 2)?);
        let joined = Tensor::cat(&[first, second, third, fourth], -1)?;
        if self.is_second {
            return self.norm.forward(&self.reduction.forward(&joined)?);
        }
        self.reduction.forward(&self.norm.forward(&joined)?)
    }
}

/// A transformer of Liu et al. (2021), of the second version with `is_second`.
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. `depths` and `num_heads` have
/// a number for each stage. The sides of patches and windows are `patch_size` and `window_size`.
///
/// # Errors
///
/// `argument` if the lists have other lengths, and if the probability is not from 0 to 1; `shape`
/// for an input that is not a batch of pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, nn::Layer, vision::models::SwinTransformer};
/// let model = SwinTransformer::new(4, 8, &[1], &[2], 4, 4.0, 0.0, 0.0, 10, false)?;
/// let logits = model.forward(&Tensor::zeros([2, 3, 32, 32])?)?;
/// assert_eq!(logits.shape().to_vec(), [2, 10]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct SwinTransformer {
    /// The embedding of patches, and the stages with mergings between them.
    pub features: Sequential,
    /// The layer norm after the stages.
    pub norm: LayerNorm,
    permute: PermuteLayer,
    /// The mean over the picture.
    pub avgpool: AdaptiveAvgPool2d,
    flatten: Flatten,
    /// The linear layer.
    pub head: Linear,
}

impl SwinTransformer {
    /// A network with new parameters.
    ///
    /// Defaults: mlp_ratio = 4, dropout = 0, stochastic_depth_prob = 0.1, num_classes = 1000,
    /// is_second = false.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`SwinTransformer`] does not take.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        patch_size: i64,
        embed_dim: i64,
        depths: &[i64],
        num_heads: &[i64],
        window_size: i64,
        mlp_ratio: f64,
        dropout: f64,
        stochastic_depth_prob: f64,
        num_classes: i64,
        is_second: bool,
    ) -> Result<SwinTransformer> {
        if depths.is_empty() || depths.len() != num_heads.len() {
            let message = format!("takes depths and num_heads of one length, not {:?} and {:?}", depths, num_heads);
            return Err(Error::argument("SwinTransformer", message));
        }
        let mut total = 0;
        for depth in depths {
            total += *depth;
        }
        let mut layers: Vec<Box<dyn Layer>> = vec![Box::new(Sequential::new(vec![
            Box::new(Conv2d::builder(3, embed_dim, patch_size).stride(patch_size).build()?),
            Box::new(PermuteLayer::new(&[0, 2, 3, 1])),
            Box::new(LayerNorm::new(embed_dim)?),
        ]))];
        let mut done = 0;
        let mut channels = embed_dim;
        for index in 0..depths.len() {
            let mut stage: Vec<Box<dyn Layer>> = Vec::new();
            for layer in 0..depths[index] {
                let shift = if layer % 2 == 0 { 0 } else { window_size / 2 };
                let probability = stochastic_depth_prob * done as f64 / (total as f64 - 1.0).max(1.0);
                let hidden = (channels as f64 * mlp_ratio) as i64;
                stage.push(Box::new(SwinBlock {
                    norm1: LayerNorm::new(channels)?,
                    attn: WindowAttention::new(channels, num_heads[index], window_size, shift, dropout, is_second)?,
                    stochastic_depth: StochasticDepth::new(probability)?,
                    norm2: LayerNorm::new(channels)?,
                    mlp: mlp_layers(channels, hidden, dropout)?,
                    is_second,
                }));
                done += 1;
            }
            layers.push(Box::new(Sequential::new(stage)));
            if index + 1 < depths.len() {
                layers.push(Box::new(PatchMerging::new(channels, is_second)?));
                channels *= 2;
            }
        }
        let model = SwinTransformer {
            features: Sequential::new(layers),
            norm: LayerNorm::new(channels)?,
            permute: PermuteLayer::new(&[0, 3, 1, 2]),
            avgpool: AdaptiveAvgPool2d::new([1, 1])?,
            flatten: Flatten::builder().build()?,
            head: Linear::new(channels, num_classes)?,
        };
        // Of all linear layers, whose weights alone have two dimensions and this ending.
        for (name, parameter) in model.named_parameters() {
            if name.ends_with(".weight") && parameter.rank() == 2 {
                init::trunc_normal_(&parameter, 0.0, 0.02, -2.0, 2.0)?;
            } else if name.ends_with(".bias") && name != "features.0.0.bias" {
                init::zeros_(&parameter)?;
            }
        }
        Ok(model)
    }
}

impl Layer for SwinTransformer {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("SwinTransformer", input)?;
        let output = self.permute.forward(&self.norm.forward(&self.features.forward(input)?)?)?;
        self.head.forward(&self.flatten.forward(&self.avgpool.forward(&output)?)?)
    }
}

/// A network with patches of 4 × 4 pixels.
fn swin(
    width: i64,
    depth: i64,
    heads: i64,
    probability: f64,
    num_classes: i64,
    is_second: bool,
) -> Result<SwinTransformer> {
    let (depths, window) = ([2, 2, depth, 2], if is_second { 8 } else { 7 });
    let all_heads = [heads, 2 * heads, 4 * heads, 8 * heads];
    SwinTransformer::new(4, width, &depths, &all_heads, window, 4.0, 0.0, probability, num_classes, is_second)
}

/// Swin-T of Liu et al. (2021).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.2.
///
/// # Errors
///
/// `argument` for values that [`SwinTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::swin_t};
/// let model = swin_t(10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 173);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn swin_t(num_classes: i64, stochastic_depth_prob: f64) -> Result<SwinTransformer> {
    swin(96, 6, 3, stochastic_depth_prob, num_classes, false)
}

/// Swin-S of Liu et al. (2021).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.3.
///
/// # Errors
///
/// `argument` for values that [`SwinTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::swin_s};
/// let model = swin_s(10, 0.3)?;
/// assert_eq!(model.named_parameters().len(), 329);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn swin_s(num_classes: i64, stochastic_depth_prob: f64) -> Result<SwinTransformer> {
    swin(96, 18, 3, stochastic_depth_prob, num_classes, false)
}

/// Swin-B of Liu et al. (2021).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.5.
///
/// # Errors
///
/// `argument` for values that [`SwinTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::swin_b};
/// let model = swin_b(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 329);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn swin_b(num_classes: i64, stochastic_depth_prob: f64) -> Result<SwinTransformer> {
    swin(128, 18, 4, stochastic_depth_prob, num_classes, false)
}

/// Swin-T of the second version, of Liu et al. (2021).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.2.
///
/// # Errors
///
/// `argument` for values that [`SwinTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::swin_v2_t};
/// let model = swin_v2_t(10, 0.2)?;
/// assert_eq!(model.named_parameters().len(), 209);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn swin_v2_t(num_classes: i64, stochastic_depth_prob: f64) -> Result<SwinTransformer> {
    swin(96, 6, 3, stochastic_depth_prob, num_classes, true)
}

/// Swin-S of the second version, of Liu et al. (2021).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.3.
///
/// # Errors
///
/// `argument` for values that [`SwinTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::swin_v2_s};
/// let model = swin_v2_s(10, 0.3)?;
/// assert_eq!(model.named_parameters().len(), 401);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn swin_v2_s(num_classes: i64, stochastic_depth_prob: f64) -> Result<SwinTransformer> {
    swin(96, 18, 3, stochastic_depth_prob, num_classes, true)
}

/// Swin-B of the second version, of Liu et al. (2021).
///
/// Defaults: num_classes = 1000, stochastic_depth_prob = 0.5.
///
/// # Errors
///
/// `argument` for values that [`SwinTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::swin_v2_b};
/// let model = swin_v2_b(10, 0.5)?;
/// assert_eq!(model.named_parameters().len(), 401);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn swin_v2_b(num_classes: i64, stochastic_depth_prob: f64) -> Result<SwinTransformer> {
    swin(128, 18, 4, stochastic_depth_prob, num_classes, true)
}
