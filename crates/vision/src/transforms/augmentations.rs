//! The changes that automatic augmentations choose from, and their magnitudes.

use crate::host::Random;
use crate::transforms::functional::{
    InterpolationMode, adjust_brightness, adjust_contrast, adjust_saturation, adjust_sharpness, affine, autocontrast,
    equalize, invert, max_value, posterize, rotate, solarize,
};
use lanthorn_tensor::{Result, Tensor};
use std::f64::consts::PI;

/// A change of an automatic augmentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Augmentation {
    /// No change.
    Identity,
    /// A shear along x.
    ShearX,
    /// A shear along y.
    ShearY,
    /// A translation along x.
    TranslateX,
    /// A translation along y.
    TranslateY,
    /// A rotation.
    Rotate,
    /// A brighter or darker picture.
    Brightness,
    /// More or less color.
    Color,
    /// More or less contrast.
    Contrast,
    /// A sharper or softer picture.
    Sharpness,
    /// Fewer bits.
    Posterize,
    /// The larger values inverted.
    Solarize,
    /// Values that cover the whole range.
    AutoContrast,
    /// Equally frequent values.
    Equalize,
    /// Inverted values.
    Invert,
}

/// The largest magnitudes of changes: the sine of a shear, a translation along x and y in pixels,
/// an angle in degrees, a change of a factor, and the bits that posterize removes.
pub(crate) struct Limits {
    pub(crate) shear: f64,
    pub(crate) across: f64,
    pub(crate) down: f64,
    pub(crate) angle: f64,
    pub(crate) factor: f64,
    pub(crate) bits: f64,
    pub(crate) most_bits: f64,
}

/// The changes of `RandAugment`, without the inversion of values.
pub(crate) fn augmentations() -> Vec<Augmentation> {
    vec![
        Augmentation::Identity,
        Augmentation::ShearX,
        Augmentation::ShearY,
        Augmentation::TranslateX,
        Augmentation::TranslateY,
        Augmentation::Rotate,
        Augmentation::Brightness,
        Augmentation::Color,
        Augmentation::Contrast,
        Augmentation::Sharpness,
        Augmentation::Posterize,
        Augmentation::Solarize,
        Augmentation::AutoContrast,
        Augmentation::Equalize,
    ]
}

/// Whether a change has a direction, which is random.
fn is_signed(change: Augmentation) -> bool {
    change == Augmentation::ShearX
        || change == Augmentation::ShearY
        || change == Augmentation::TranslateX
        || change == Augmentation::TranslateY
        || change == Augmentation::Rotate
        || change == Augmentation::Brightness
        || change == Augmentation::Color
        || change == Augmentation::Contrast
        || change == Augmentation::Sharpness
}

/// The magnitude with the number `level` of `bins`, with a random direction if the change has one.
pub(crate) fn magnitude_of(random: &Random, change: Augmentation, level: usize, bins: usize, limits: &Limits) -> f64 {
    let last = (bins.max(2) - 1) as f64;
    let part = level as f64 / last;
    let most = match change {
        Augmentation::ShearX | Augmentation::ShearY => limits.shear,
        Augmentation::TranslateX => limits.across,
        Augmentation::TranslateY => limits.down,
        Augmentation::Rotate => limits.angle,
        _ => limits.factor,
    };
    if change == Augmentation::Posterize {
        return half_to_even(limits.most_bits - part * limits.bits);
    }
    if change == Augmentation::Solarize {
        return 1.0 - part;
    }
    if is_signed(change) && random.chance(0.5) { -part * most } else { part * most }
}

/// A number rounded to the nearest integer, and to an even one in the middle.
fn half_to_even(x: f64) -> f64 {
    let low = x.floor();
    if x - low == 0.5 && low % 2.0 == 0.0 { low } else { (x + 0.5).floor() }
}

/// A picture changed by a magnitude.
pub(crate) fn augment(
    img: &Tensor,
    change: Augmentation,
    magnitude: f64,
    mode: InterpolationMode,
    fill: Option<&[f64]>,
) -> Result<Tensor> {
    let corner = [0.0, 0.0];
    let shear = magnitude.atan() * 180.0 / PI;
    match change {
        Augmentation::Identity => Ok(img.clone()),
        Augmentation::ShearX => affine(img, 0.0, &[0.0, 0.0], 1.0, &[shear, 0.0], mode, fill, Some(&corner)),
        Augmentation::ShearY => affine(img, 0.0, &[0.0, 0.0], 1.0, &[0.0, shear], mode, fill, Some(&corner)),
        Augmentation::TranslateX => affine(img, 0.0, &[magnitude.trunc(), 0.0], 1.0, &[0.0, 0.0], mode, fill, None),
        Augmentation::TranslateY => affine(img, 0.0, &[0.0, magnitude.trunc()], 1.0, &[0.0, 0.0], mode, fill, None),
        Augmentation::Rotate => rotate(img, magnitude, mode, false, None, fill),
        Augmentation::Brightness => adjust_brightness(img, 1.0 + magnitude),
        Augmentation::Color => adjust_saturation(img, 1.0 + magnitude),
        Augmentation::Contrast => adjust_contrast(img, 1.0 + magnitude),
        Augmentation::Sharpness => adjust_sharpness(img, 1.0 + magnitude),
        Augmentation::Posterize => posterize(img, magnitude as i64),
        Augmentation::Solarize => solarize(img, max_value(img.dtype()) * magnitude),
        Augmentation::AutoContrast => autocontrast(img),
        Augmentation::Equalize => equalize(img),
        Augmentation::Invert => invert(img),
    }
}
