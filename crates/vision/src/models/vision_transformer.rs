//! Vision transformers.

use super::blocks::{check_pictures, mlp_layers};
use lanthorn_nn::{
    Conv2d, Dropout, Layer, LayerNorm, Linear, Module, Parameter, Sequential, TrainingFlag, init, parameter,
};
use lanthorn_tensor::{Error, Result, Tensor};

/// Attention of a sequence to itself, with the names of `torch.nn.MultiheadAttention`.
#[derive(Module)]
pub struct SelfAttention {
    in_proj_weight: Parameter,
    in_proj_bias: Parameter,
    out_proj: Linear,
    heads: i64,
    channels: i64,
    dropout: f64,
    training: TrainingFlag,
}

impl SelfAttention {
    fn new(channels: i64, heads: i64, dropout: f64) -> Result<SelfAttention> {
        let attention = SelfAttention {
            in_proj_weight: parameter(&Tensor::zeros([3 * channels, channels])?)?,
            in_proj_bias: parameter(&Tensor::zeros([3 * channels])?)?,
            out_proj: Linear::new(channels, channels)?,
            heads,
            channels,
            dropout,
            training: TrainingFlag::default(),
        };
        init::xavier_uniform_(&attention.in_proj_weight, 1.0)?;
        for (name, parameter) in attention.named_parameters() {
            if name == "out_proj.bias" {
                init::zeros_(&parameter)?;
            }
        }
        Ok(attention)
    }
}

impl Layer for SelfAttention {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let (batch, length) = (input.shape()[0] as i64, input.shape()[1] as i64);
        let projected = input.linear(&self.in_proj_weight, Some(&self.in_proj_bias))?;
        let parts = projected.reshape([batch, length, 3, self.heads, self.channels / self.heads])?;
        let parts = parts.permute([2, 0, 3, 1, 4])?;
        let (query, key, value) = (parts.select(0, 0)?, parts.select(0, 1)?, parts.select(0, 2)?);
        let rate = if self.training.get() { self.dropout } else { 0.0 };
        let output = Tensor::scaled_dot_product_attention(&query, &key, &value, None, rate, false)?;
        let joined = output.transpose(1, 2)?.reshape([batch, length, self.channels])?;
        self.out_proj.forward(&joined)
    }
}

/// A layer of the transformer: attention and two linear layers, each after a layer norm.
#[derive(Module)]
pub struct ViTBlock {
    ln_1: LayerNorm,
    self_attention: SelfAttention,
    dropout: Dropout,
    ln_2: LayerNorm,
    mlp: Sequential,
}

impl ViTBlock {
    fn new(channels: i64, heads: i64, hidden: i64, dropout: f64, attention_dropout: f64) -> Result<ViTBlock> {
        Ok(ViTBlock {
            ln_1: LayerNorm::builder(channels).eps(1e-6).build()?,
            self_attention: SelfAttention::new(channels, heads, attention_dropout)?,
            dropout: Dropout::new(dropout)?,
            ln_2: LayerNorm::builder(channels).eps(1e-6).build()?,
            mlp: mlp_layers(channels, hidden, dropout)?,
        })
    }
}

impl Layer for ViTBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let attended = self.self_attention.forward(&self.ln_1.forward(input)?)?;
        let middle = (self.dropout.forward(&attended)? + input)?;
        let output = self.mlp.forward(&self.ln_2.forward(&middle)?)?;
        middle + output
    }
}

/// The embedding of positions, the layers and a layer norm.
#[derive(Module)]
pub struct ViTEncoder {
    pos_embedding: Parameter,
    dropout: Dropout,
    layers: Sequential,
    ln: LayerNorm,
}

impl Layer for ViTEncoder {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let embedded = self.dropout.forward(&(input + &self.pos_embedding)?)?;
        self.ln.forward(&self.layers.forward(&embedded)?)
    }
}

/// A transformer of Dosovitskiy et al. (2020) over the patches of a picture.
///
/// Pictures `[n, 3, image_size, image_size]` become logits `[n, num_classes]`. Each patch of
/// `patch_size` × `patch_size` pixels becomes a vector of `hidden_dim` numbers.
///
/// # Errors
///
/// `argument` if `patch_size` does not divide `image_size` or `num_heads` not `hidden_dim`, and if
/// a dropout is not from 0 to 1; `shape` for pictures of another size.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{Tensor, nn::Layer, vision::models::VisionTransformer};
/// let model = VisionTransformer::new(32, 8, 1, 2, 16, 32, 0.0, 0.0, 10)?;
/// let logits = model.forward(&Tensor::zeros([2, 3, 32, 32])?)?;
/// assert_eq!(logits.shape().to_vec(), [2, 10]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct VisionTransformer {
    /// The token before the patches, whose result is classified.
    pub class_token: Parameter,
    /// The convolution that makes vectors of the patches.
    pub conv_proj: Conv2d,
    /// The transformer.
    pub encoder: ViTEncoder,
    /// The linear layer `head`.
    pub heads: Sequential,
    image_size: i64,
    patch_size: i64,
    hidden_dim: i64,
}

impl VisionTransformer {
    /// A network with new parameters.
    ///
    /// Defaults: dropout = 0, attention_dropout = 0, num_classes = 1000.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`VisionTransformer`] does not take.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        image_size: i64,
        patch_size: i64,
        num_layers: i64,
        num_heads: i64,
        hidden_dim: i64,
        mlp_dim: i64,
        dropout: f64,
        attention_dropout: f64,
        num_classes: i64,
    ) -> Result<VisionTransformer> {
        if patch_size < 1 || image_size % patch_size != 0 {
            let message = format!("patch_size {patch_size} does not divide image_size {image_size}");
            return Err(Error::argument("VisionTransformer", message));
        }
        if num_heads < 1 || hidden_dim % num_heads != 0 {
            let message = format!("num_heads {num_heads} does not divide hidden_dim {hidden_dim}");
            return Err(Error::argument("VisionTransformer", message));
        }
        let side = image_size / patch_size;
        let mut layers: Vec<(String, Box<dyn Layer>)> = Vec::new();
        for index in 0..num_layers {
            let block = ViTBlock::new(hidden_dim, num_heads, mlp_dim, dropout, attention_dropout)?;
            layers.push((format!("encoder_layer_{index}"), Box::new(block)));
        }
        let encoder = ViTEncoder {
            pos_embedding: parameter(&Tensor::zeros([1, side * side + 1, hidden_dim])?)?,
            dropout: Dropout::new(dropout)?,
            layers: Sequential::with_names(layers),
            ln: LayerNorm::builder(hidden_dim).eps(1e-6).build()?,
        };
        init::normal_(&encoder.pos_embedding, 0.0, 0.02)?;
        let head = Linear::new(hidden_dim, num_classes)?;
        let heads: Vec<(String, Box<dyn Layer>)> = vec![("head".to_string(), Box::new(head))];
        let model = VisionTransformer {
            class_token: parameter(&Tensor::zeros([1, 1, hidden_dim])?)?,
            conv_proj: Conv2d::builder(3, hidden_dim, patch_size).stride(patch_size).build()?,
            encoder,
            heads: Sequential::with_names(heads),
            image_size,
            patch_size,
            hidden_dim,
        };
        let std = (1.0 / (3 * patch_size * patch_size) as f64).sqrt();
        for (name, parameter) in model.named_parameters() {
            if name == "conv_proj.weight" {
                init::trunc_normal_(&parameter, 0.0, std, -2.0, 2.0)?;
            } else if name == "conv_proj.bias" || name.starts_with("heads.") {
                init::zeros_(&parameter)?;
            }
        }
        Ok(model)
    }
}

impl Layer for VisionTransformer {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("VisionTransformer", input)?;
        let (batch, size) = (input.shape()[0] as i64, self.image_size);
        if input.shape()[2] as i64 != size || input.shape()[3] as i64 != size {
            let message = format!("takes pictures of {size} by {size} pixels, not shape {:?}", input.shape());
            return Err(Error::shape("VisionTransformer", message));
        }
        let side = size / self.patch_size;
        let patches = self.conv_proj.forward(input)?.reshape([batch, self.hidden_dim, side * side])?;
        let token = self.class_token.expand([batch, -1, -1])?;
        let sequence = Tensor::cat(&[token, patches.permute([0, 2, 1])?], 1)?;
        self.heads.forward(&self.encoder.forward(&sequence)?.select(1, 0)?)
    }
}

fn transformer(
    patch: i64,
    layers: i64,
    heads: i64,
    hidden: i64,
    num_classes: i64,
    image: i64,
) -> Result<VisionTransformer> {
    VisionTransformer::new(image, patch, layers, heads, hidden, 4 * hidden, 0.0, 0.0, num_classes)
}

/// ViT-B/16 of Dosovitskiy et al. (2020).
///
/// Defaults: num_classes = 1000, image_size = 224.
///
/// # Errors
///
/// `argument` for values that [`VisionTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vit_b_16};
/// let model = vit_b_16(10, 224)?;
/// assert_eq!(model.named_parameters().len(), 152);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vit_b_16(num_classes: i64, image_size: i64) -> Result<VisionTransformer> {
    transformer(16, 12, 12, 768, num_classes, image_size)
}

/// ViT-B/32 of Dosovitskiy et al. (2020).
///
/// Defaults: num_classes = 1000, image_size = 224.
///
/// # Errors
///
/// `argument` for values that [`VisionTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vit_b_32};
/// let model = vit_b_32(10, 224)?;
/// assert_eq!(model.named_parameters().len(), 152);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vit_b_32(num_classes: i64, image_size: i64) -> Result<VisionTransformer> {
    transformer(32, 12, 12, 768, num_classes, image_size)
}

/// ViT-L/16 of Dosovitskiy et al. (2020).
///
/// Defaults: num_classes = 1000, image_size = 224.
///
/// # Errors
///
/// `argument` for values that [`VisionTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vit_l_16};
/// let model = vit_l_16(10, 224)?;
/// assert_eq!(model.named_parameters().len(), 296);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vit_l_16(num_classes: i64, image_size: i64) -> Result<VisionTransformer> {
    transformer(16, 24, 16, 1024, num_classes, image_size)
}

/// ViT-L/32 of Dosovitskiy et al. (2020).
///
/// Defaults: num_classes = 1000, image_size = 224.
///
/// # Errors
///
/// `argument` for values that [`VisionTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vit_l_32};
/// let model = vit_l_32(10, 224)?;
/// assert_eq!(model.named_parameters().len(), 296);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vit_l_32(num_classes: i64, image_size: i64) -> Result<VisionTransformer> {
    transformer(32, 24, 16, 1024, num_classes, image_size)
}

/// ViT-H/14 of Dosovitskiy et al. (2020).
///
/// Defaults: num_classes = 1000, image_size = 224.
///
/// # Errors
///
/// `argument` for values that [`VisionTransformer`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::vit_h_14};
/// let model = vit_h_14(10, 224)?;
/// assert_eq!(model.named_parameters().len(), 392);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn vit_h_14(num_classes: i64, image_size: i64) -> Result<VisionTransformer> {
    transformer(14, 32, 16, 1280, num_classes, image_size)
}
