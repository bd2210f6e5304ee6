//! Networks of the design space RegNet.

use super::blocks::{
    BlockActivation, ConvNorm, SqueezeExcite, check_pictures, init_biases, init_convolutions, init_linears,
    make_divisible,
};
use lanthorn_nn::{AdaptiveAvgPool2d, Layer, Linear, Module, ReLU, Sequential};
use lanthorn_tensor::{Error, Result, Tensor};

#[derive(Module)]
struct RegNetBlock {
    proj: Option<Sequential>,
    f: Sequential,
    activation: ReLU,
}

impl RegNetBlock {
    fn new(inputs: i64, outputs: i64, stride: i64, group_width: i64, se_ratio: Option<f64>) -> Result<RegNetBlock> {
        let mut proj: Option<Sequential> = None;
        if inputs != outputs || stride != 1 {
            proj = Some(ConvNorm { stride, activation: None, ..ConvNorm::new(inputs, outputs, 1) }.layers()?);
        }
        let groups = outputs / group_width;
        let middle = ConvNorm { stride, groups, ..ConvNorm::new(outputs, outputs, 3) };
        let mut layers: Vec<(String, Box<dyn Layer>)> = vec![
            ("a".to_string(), Box::new(ConvNorm::new(inputs, outputs, 1).layers()?)),
            ("b".to_string(), Box::new(middle.layers()?)),
        ];
        if let Some(ratio) = se_ratio {
            let squeezed = round_to_even(ratio * inputs as f64) as i64;
            let block = SqueezeExcite::new(outputs, squeezed, BlockActivation::Relu, false)?;
            layers.push(("se".to_string(), Box::new(block)));
        }
        let last = ConvNorm { activation: None, ..ConvNorm::new(outputs, outputs, 1) };
        layers.push(("c".to_string(), Box::new(last.layers()?)));
        Ok(RegNetBlock { proj, f: Sequential::with_names(layers), activation: ReLU })
    }
}

impl Layer for RegNetBlock {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let mut identity = input.clone();
        if let Some(proj) = &self.proj {
            identity = proj.forward(input)?;
        }
        self.activation.forward(&(identity + self.f.forward(input)?)?)
    }
}

/// The nearest integer, of two the even one, as PyTorch rounds.
fn round_to_even(value: f64) -> f64 {
    let nearest = (value + 0.5).floor();
    if nearest - value == 0.5 && nearest % 2.0 != 0.0 { nearest - 1.0 } else { nearest }
}

/// The width and the number of blocks of each stage: widths grow by `w_a` a block from `w_0`, and
/// are rounded to `w_0` times a power of `w_m`.
fn stage_sizes(depth: i64, w_0: i64, w_a: f64, w_m: f64) -> Vec<(i64, i64)> {
    let mut stages: Vec<(i64, i64)> = Vec::new();
    let mut current = 0;
    let mut count = 0;
    for index in 0..depth {
        let ratio = (index as f64 * w_a + w_0 as f64) / w_0 as f64;
        let capacity = round_to_even(ratio.ln() / w_m.ln());
        let width = round_to_even(w_0 as f64 * w_m.powf(capacity) / 8.0) as i64 * 8;
        if width != current && count > 0 {
            stages.push((current, count));
            count = 0;
        }
        current = width;
        count += 1;
    }
    stages.push((current, count));
    stages
}

/// A network of Radosavovic et al. (2020).
///
/// Pictures `[n, 3, height, width]` become logits `[n, num_classes]`. The widths of `depth` blocks
/// grow by `w_a` a block from `w_0`, rounded to `w_0` times a power of `w_m`. A group of a
/// convolution has `group_width` channels. With `se_ratio` channels are scaled by squeeze and
/// excitation.
///
/// # Errors
///
/// `argument` if `w_a` is negative, `w_0` not a positive multiple of 8 or `w_m` not above 1;
/// `shape` for an input that is not a batch of pictures.
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::RegNet};
/// let model = RegNet::new(3, 24, 36.0, 2.5, 8, None, 10)?;
/// assert_eq!(model.named_parameters().len(), 41);
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Module)]
pub struct RegNet {
    /// The stem.
    pub stem: Sequential,
    /// The stages of blocks.
    pub trunk_output: Sequential,
    /// The mean over the picture.
    pub avgpool: AdaptiveAvgPool2d,
    /// The linear layer.
    pub fc: Linear,
}

impl RegNet {
    /// A network with new parameters.
    ///
    /// Defaults: num_classes = 1000.
    ///
    /// # Errors
    ///
    /// `argument` for values that [`RegNet`] does not take.
    pub fn new(
        depth: i64,
        w_0: i64,
        w_a: f64,
        w_m: f64,
        group_width: i64,
        se_ratio: Option<f64>,
        num_classes: i64,
    ) -> Result<RegNet> {
        if w_a < 0.0 || w_0 <= 0 || w_m <= 1.0 || w_0 % 8 != 0 {
            let message = format!("there are no widths for w_0 {w_0}, w_a {w_a} and w_m {w_m}");
            return Err(Error::argument("RegNet", message));
        }
        let mut stages: Vec<(String, Box<dyn Layer>)> = Vec::new();
        let mut inputs = 32;
        for (width, count) in stage_sizes(depth, w_0, w_a, w_m) {
            let group = group_width.min(width);
            let outputs = make_divisible(width as f64, group);
            let stage = stages.len() + 1;
            let mut blocks: Vec<(String, Box<dyn Layer>)> = Vec::new();
            for index in 0..count {
                let stride = if index == 0 { 2 } else { 1 };
                let block = RegNetBlock::new(inputs, outputs, stride, group, se_ratio)?;
                blocks.push((format!("block{stage}-{index}"), Box::new(block)));
                inputs = outputs;
            }
            stages.push((format!("block{stage}"), Box::new(Sequential::with_names(blocks))));
        }
        let model = RegNet {
            stem: ConvNorm { stride: 2, ..ConvNorm::new(3, 32, 3) }.layers()?,
            trunk_output: Sequential::with_names(stages),
            avgpool: AdaptiveAvgPool2d::new([1, 1])?,
            fc: Linear::new(inputs, num_classes)?,
        };
        init_convolutions(&model)?;
        init_linears(&model, 0.01)?;
        init_biases(&model, "fc.bias")?;
        Ok(model)
    }
}

impl Layer for RegNet {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        check_pictures("RegNet", input)?;
        let output = self.trunk_output.forward(&self.stem.forward(input)?)?;
        self.fc.forward(&self.avgpool.forward(&output)?.flatten(1, -1)?)
    }
}

/// RegNet-Y of 400 MF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_y_400mf};
/// let model = regnet_y_400mf(10)?;
/// assert_eq!(model.named_parameters().len(), 225);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_y_400mf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(16, 48, 27.89, 2.09, 8, Some(0.25), num_classes)
}

/// RegNet-Y of 800 MF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_y_800mf};
/// let model = regnet_y_800mf(10)?;
/// assert_eq!(model.named_parameters().len(), 199);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_y_800mf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(14, 56, 38.84, 2.4, 16, Some(0.25), num_classes)
}

/// RegNet-Y of 1.6 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_y_1_6gf};
/// let model = regnet_y_1_6gf(10)?;
/// assert_eq!(model.named_parameters().len(), 368);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_y_1_6gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(27, 48, 20.71, 2.65, 24, Some(0.25), num_classes)
}

/// RegNet-Y of 3.2 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_y_3_2gf};
/// let model = regnet_y_3_2gf(10)?;
/// assert_eq!(model.named_parameters().len(), 290);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_y_3_2gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(21, 80, 42.63, 2.66, 24, Some(0.25), num_classes)
}

/// RegNet-Y of 8 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_y_8gf};
/// let model = regnet_y_8gf(10)?;
/// assert_eq!(model.named_parameters().len(), 238);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_y_8gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(17, 192, 76.82, 2.19, 56, Some(0.25), num_classes)
}

/// RegNet-Y of 16 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_y_16gf};
/// let model = regnet_y_16gf(10)?;
/// assert_eq!(model.named_parameters().len(), 251);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_y_16gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(18, 200, 106.23, 2.48, 112, Some(0.25), num_classes)
}

/// RegNet-Y of 32 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_y_32gf};
/// let model = regnet_y_32gf(10)?;
/// assert_eq!(model.named_parameters().len(), 277);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_y_32gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(20, 232, 115.89, 2.53, 232, Some(0.25), num_classes)
}

/// RegNet-Y of 128 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_y_128gf};
/// let model = regnet_y_128gf(10)?;
/// assert_eq!(model.named_parameters().len(), 368);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_y_128gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(27, 456, 160.83, 2.52, 264, Some(0.25), num_classes)
}

/// RegNet-X of 400 MF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_x_400mf};
/// let model = regnet_x_400mf(10)?;
/// assert_eq!(model.named_parameters().len(), 215);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_x_400mf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(22, 24, 24.48, 2.54, 16, None, num_classes)
}

/// RegNet-X of 800 MF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_x_800mf};
/// let model = regnet_x_800mf(10)?;
/// assert_eq!(model.named_parameters().len(), 161);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_x_800mf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(16, 56, 35.73, 2.28, 16, None, num_classes)
}

/// RegNet-X of 1.6 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_x_1_6gf};
/// let model = regnet_x_1_6gf(10)?;
/// assert_eq!(model.named_parameters().len(), 179);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_x_1_6gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(18, 80, 34.01, 2.25, 24, None, num_classes)
}

/// RegNet-X of 3.2 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_x_3_2gf};
/// let model = regnet_x_3_2gf(10)?;
/// assert_eq!(model.named_parameters().len(), 242);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_x_3_2gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(25, 88, 26.31, 2.25, 48, None, num_classes)
}

/// RegNet-X of 8 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_x_8gf};
/// let model = regnet_x_8gf(10)?;
/// assert_eq!(model.named_parameters().len(), 224);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_x_8gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(23, 80, 49.56, 2.88, 120, None, num_classes)
}

/// RegNet-X of 16 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_x_16gf};
/// let model = regnet_x_16gf(10)?;
/// assert_eq!(model.named_parameters().len(), 215);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_x_16gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(22, 216, 55.59, 2.1, 128, None, num_classes)
}

/// RegNet-X of 32 GF operations, of Radosavovic et al. (2020).
///
/// Defaults: num_classes = 1000.
///
/// # Errors
///
/// `argument` for values that [`RegNet`] does not take.
///
/// ```no_run
/// # let device = lanthorn::cpu();
/// use lanthorn::{nn::Module, vision::models::regnet_x_32gf};
/// let model = regnet_x_32gf(10)?;
/// assert_eq!(model.named_parameters().len(), 224);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub fn regnet_x_32gf(num_classes: i64) -> Result<RegNet> {
    RegNet::new(23, 320, 69.86, 2.0, 168, None, num_classes)
}
