//! Automatic augmentations.

use super::augmentations::{Augmentation, Limits, augment, augmentations, magnitude_of};
use super::items::canvas_of;
use super::policies::{cifar10_policy, imagenet_policy, svhn_policy};
use super::transform::{Transform, with_pictures};
use crate::host::{Random, to_float};
use crate::transforms::functional::InterpolationMode;
use crate::tv_tensors::{TvKind, TvTensor};
use lanthorn_tensor::{Error, Result, Tensor};

/// Refuses masks and boxes, which these transforms do not move.
fn check_sample(op: &str, sample: &[TvTensor]) -> Result<()> {
    for item in sample {
        if item.kind() == TvKind::Mask || item.kind() == TvKind::BoundingBoxes {
            return Err(Error::argument(op, "transforms pictures alone, without masks and boxes".to_string()));
        }
    }
    Ok(())
}

/// The limits of most augmentations, for a picture of this size.
fn usual_limits(across: f64, down: f64) -> Limits {
    Limits { shear: 0.3, across, down, angle: 30.0, factor: 0.9, bits: 4.0, most_bits: 8.0 }
}

/// The limits of translations by a part of the size.
fn limits_of(rows: usize, columns: usize) -> Limits {
    let part = 150.0 / 331.0;
    usual_limits(part * columns as f64, part * rows as f64)
}

/// A change with its magnitude.
struct Choice {
    change: Augmentation,
    magnitude: f64,
}

/// A picture with several changes in sequence.
fn augment_all(img: &Tensor, choices: &[Choice], mode: InterpolationMode, fill: Option<&[f64]>) -> Result<Tensor> {
    let mut made = img.clone();
    for choice in choices {
        made = augment(&made, choice.change, choice.magnitude, mode, fill)?;
    }
    Ok(made)
}

/// Pictures with several random changes of one magnitude, as `torchvision.transforms.RandAugment`.
///
/// Source: Cubuk et al., "RandAugment" (2019).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::transforms::{RandAugment, Transform, functional::InterpolationMode};
/// use lanthorn::{DType, Tensor};
/// let img = Tensor::ones([3, 8, 8])?.to(DType::U8)?;
/// let made = RandAugment::new(2, 9, 31, InterpolationMode::Nearest, None)?.forward(&img)?;
/// assert_eq!(made.shape()[..], [3, 8, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct RandAugment {
    num_ops: usize,
    magnitude: usize,
    num_magnitude_bins: usize,
    interpolation: InterpolationMode,
    fill: Option<Vec<f64>>,
}

impl RandAugment {
    /// `num_ops` changes of the magnitude with the number `magnitude` of `num_magnitude_bins`.
    /// `fill` is the value outside of a moved picture, one number or one for each channel.
    ///
    /// # Errors
    /// `argument` if `magnitude` is not below `num_magnitude_bins`.
    ///
    /// Defaults: num_ops = 2, magnitude = 9, num_magnitude_bins = 31, interpolation = 'nearest'.
    pub fn new(
        num_ops: usize,
        magnitude: usize,
        num_magnitude_bins: usize,
        interpolation: InterpolationMode,
        fill: Option<&[f64]>,
    ) -> Result<RandAugment> {
        if magnitude >= num_magnitude_bins {
            let message = format!("magnitude must be below {num_magnitude_bins} bins, and is {magnitude}");
            return Err(Error::argument("RandAugment", message));
        }
        let fill = fill.map(|list| list.to_vec());
        Ok(RandAugment { num_ops, magnitude, num_magnitude_bins, interpolation, fill })
    }
}

impl Transform for RandAugment {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        check_sample("RandAugment", sample)?;
        let (rows, columns) = canvas_of("RandAugment", sample)?;
        let (all, limits) = (augmentations(), limits_of(rows, columns));
        let mut choices = vec![];
        for _ in 0..self.num_ops {
            let change = all[random.below(all.len())];
            let magnitude = magnitude_of(random, change, self.magnitude, self.num_magnitude_bins, &limits);
            choices.push(Choice { change, magnitude });
        }
        with_pictures(sample, |img| augment_all(img, &choices, self.interpolation, self.fill.as_deref()))
    }
}

/// Pictures with one random change of a random magnitude, as
/// `torchvision.transforms.TrivialAugmentWide`.
///
/// Source: Mueller and Hutter, "TrivialAugment" (2021).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::transforms::functional::InterpolationMode;
/// use lanthorn::vision::transforms::{Transform, TrivialAugmentWide};
/// use lanthorn::{DType, Tensor};
/// let img = Tensor::ones([3, 8, 8])?.to(DType::U8)?;
/// let made = TrivialAugmentWide::new(31, InterpolationMode::Nearest, None)?.forward(&img)?;
/// assert_eq!(made.shape()[..], [3, 8, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct TrivialAugmentWide {
    num_magnitude_bins: usize,
    interpolation: InterpolationMode,
    fill: Option<Vec<f64>>,
}

impl TrivialAugmentWide {
    /// A change has one of `num_magnitude_bins` magnitudes. `fill` is the value outside of a moved
    /// picture, one number or one for each channel.
    ///
    /// # Errors
    /// `argument` if there are fewer than two magnitudes.
    ///
    /// Defaults: num_magnitude_bins = 31, interpolation = 'nearest'.
    pub fn new(
        num_magnitude_bins: usize,
        interpolation: InterpolationMode,
        fill: Option<&[f64]>,
    ) -> Result<TrivialAugmentWide> {
        if num_magnitude_bins < 2 {
            let message = format!("num_magnitude_bins must be at least 2, and is {num_magnitude_bins}");
            return Err(Error::argument("TrivialAugmentWide", message));
        }
        Ok(TrivialAugmentWide { num_magnitude_bins, interpolation, fill: fill.map(|list| list.to_vec()) })
    }
}

impl Transform for TrivialAugmentWide {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        check_sample("TrivialAugmentWide", sample)?;
        let limits =
            Limits { shear: 0.99, across: 32.0, down: 32.0, angle: 135.0, factor: 0.99, bits: 6.0, most_bits: 8.0 };
        let all = augmentations();
        let change = all[random.below(all.len())];
        let level = random.below(self.num_magnitude_bins);
        let magnitude = magnitude_of(random, change, level, self.num_magnitude_bins, &limits);
        with_pictures(sample, |img| augment(img, change, magnitude, self.interpolation, self.fill.as_deref()))
    }
}

/// The data on which a policy was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoAugmentPolicy {
    /// ImageNet.
    Imagenet,
    /// CIFAR-10.
    Cifar10,
    /// Street View House Numbers.
    Svhn,
}

/// Pictures with a random pair of changes of a learned policy, as
/// `torchvision.transforms.AutoAugment`.
///
/// Source: Cubuk et al., "AutoAugment" (2018).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::{DType, Tensor, vision::transforms::{AutoAugment, AutoAugmentPolicy, Transform}};
/// use lanthorn::vision::transforms::functional::InterpolationMode;
/// let img = Tensor::ones([3, 8, 8])?.to(DType::U8)?;
/// let augment = AutoAugment::new(AutoAugmentPolicy::Cifar10, InterpolationMode::Nearest, None);
/// assert_eq!(augment.forward(&img)?.shape()[..], [3, 8, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct AutoAugment {
    policy: AutoAugmentPolicy,
    interpolation: InterpolationMode,
    fill: Option<Vec<f64>>,
}

impl AutoAugment {
    /// The policy. `fill` is the value outside of a moved picture, one number or one for each
    /// channel.
    ///
    /// Defaults: policy = 'imagenet', interpolation = 'nearest'.
    pub fn new(policy: AutoAugmentPolicy, interpolation: InterpolationMode, fill: Option<&[f64]>) -> AutoAugment {
        AutoAugment { policy, interpolation, fill: fill.map(|list| list.to_vec()) }
    }
}

impl Transform for AutoAugment {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        check_sample("AutoAugment", sample)?;
        let (rows, columns) = canvas_of("AutoAugment", sample)?;
        let limits = limits_of(rows, columns);
        let pairs = match self.policy {
            AutoAugmentPolicy::Imagenet => imagenet_policy(),
            AutoAugmentPolicy::Cifar10 => cifar10_policy(),
            AutoAugmentPolicy::Svhn => svhn_policy(),
        };
        let pair = pairs[random.below(pairs.len())].to_vec();
        let mut choices = vec![];
        for step in &pair {
            if random.chance(step.p) {
                let magnitude = magnitude_of(random, step.change, step.magnitude, 10, &limits);
                choices.push(Choice { change: step.change, magnitude });
            }
        }
        with_pictures(sample, |img| augment_all(img, &choices, self.interpolation, self.fill.as_deref()))
    }
}

/// Pictures mixed with chains of random changes of them, as `torchvision.transforms.AugMix`.
///
/// Source: Hendrycks et al., "AugMix" (2020).
///
/// ```
/// # let device = lanthorn::cpu();
/// use lanthorn::vision::transforms::{AugMix, Transform, functional::InterpolationMode};
/// use lanthorn::{DType, Tensor};
/// let img = Tensor::ones([3, 8, 8])?.to(DType::U8)?;
/// let mix = AugMix::new(3, 3, -1, 1.0, true, InterpolationMode::Bilinear, None)?;
/// assert_eq!(mix.forward(&img)?.shape()[..], [3, 8, 8]);
/// # Ok::<(), lanthorn::Error>(())
/// ```
pub struct AugMix {
    severity: usize,
    mixture_width: usize,
    chain_depth: i64,
    alpha: f64,
    all_ops: bool,
    interpolation: InterpolationMode,
    fill: Option<Vec<f64>>,
}

impl AugMix {
    /// `mixture_width` chains of `chain_depth` changes, or of 1 to 3 if it is not positive. A
    /// change has one of the first `severity` of ten magnitudes. `alpha` is the parameter of the
    /// distributions of the shares. Without `all_ops` brightness, color, contrast and sharpness are
    /// left out.
    ///
    /// # Errors
    /// `argument` if `severity` is not from 1 to 10, or if `alpha` is not positive.
    ///
    /// Defaults: severity = 3, mixture_width = 3, chain_depth = -1, alpha = 1, all_ops = true,
    /// interpolation = 'bilinear'.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        severity: usize,
        mixture_width: usize,
        chain_depth: i64,
        alpha: f64,
        all_ops: bool,
        interpolation: InterpolationMode,
        fill: Option<&[f64]>,
    ) -> Result<AugMix> {
        if !(1..=10).contains(&severity) || alpha <= 0.0 {
            let message = format!("severity must be from 1 to 10 and alpha positive, not {severity} and {alpha}");
            return Err(Error::argument("AugMix", message));
        }
        let fill = fill.map(|list| list.to_vec());
        Ok(AugMix { severity, mixture_width, chain_depth, alpha, all_ops, interpolation, fill })
    }

    /// The changes of a chain.
    fn chain(&self, random: &Random, rows: usize, columns: usize) -> Vec<Choice> {
        let limits = Limits { most_bits: 4.0, ..usual_limits(columns as f64 / 3.0, rows as f64 / 3.0) };
        let mut all = vec![];
        for change in augmentations() {
            let is_color = change == Augmentation::Brightness
                || change == Augmentation::Color
                || change == Augmentation::Contrast
                || change == Augmentation::Sharpness;
            if change != Augmentation::Identity && (self.all_ops || !is_color) {
                all.push(change);
            }
        }
        let depth = if self.chain_depth > 0 { self.chain_depth as usize } else { random.below(3) + 1 };
        let mut choices = vec![];
        for _ in 0..depth {
            let change = all[random.below(all.len())];
            let magnitude = magnitude_of(random, change, random.below(self.severity), 10, &limits);
            choices.push(Choice { change, magnitude });
        }
        choices
    }

    /// A picture mixed with its chains, in proportion to the shares.
    fn mix_chains(&self, img: &Tensor, chains: &[Vec<Choice>], own: f64, shares: &[f64]) -> Result<Tensor> {
        let mut made = (to_float(img)? * own)?;
        for index in 0..chains.len() {
            let changed = augment_all(img, &chains[index], self.interpolation, self.fill.as_deref())?;
            made = (made + to_float(&changed)? * shares[index])?;
        }
        made.to(img.dtype())
    }
}

impl Transform for AugMix {
    fn apply(&self, sample: &[TvTensor], random: &Random) -> Result<Vec<TvTensor>> {
        check_sample("AugMix", sample)?;
        let (rows, columns) = canvas_of("AugMix", sample)?;
        let (first, second) = (random.gamma(self.alpha), random.gamma(self.alpha));
        let own = first / (first + second);
        let mut chains = vec![];
        let mut parts = vec![];
        let mut total = 0.0;
        for _ in 0..self.mixture_width {
            chains.push(self.chain(random, rows, columns));
            let part = random.gamma(self.alpha);
            parts.push(part);
            total += part;
        }
        let shares: Vec<f64> = parts.iter().map(|part| *part / total * (1.0 - own)).collect();
        with_pictures(sample, |img| self.mix_chains(img, &chains, own, &shares))
    }
}
