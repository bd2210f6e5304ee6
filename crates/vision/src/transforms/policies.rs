//! The policies of `AutoAugment`: pairs of changes, each with a probability and a magnitude from 0
//! to 9.
//!
//! Source: Cubuk et al., "AutoAugment: Learning Augmentation Policies from Data" (2018), as
//! torchvision has them.

use super::augmentations::Augmentation;

/// A change with its probability and its magnitude.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub(crate) change: Augmentation,
    pub(crate) p: f64,
    pub(crate) magnitude: usize,
}

fn step(change: Augmentation, p: f64, magnitude: usize) -> Step {
    Step { change, p, magnitude }
}

/// The pairs that were found on ImageNet.
pub(crate) fn imagenet_policy() -> Vec<[Step; 2]> {
    vec![
        [step(Augmentation::Posterize, 0.4, 8), step(Augmentation::Rotate, 0.6, 9)],
        [step(Augmentation::Solarize, 0.6, 5), step(Augmentation::AutoContrast, 0.6, 0)],
        [step(Augmentation::Equalize, 0.8, 0), step(Augmentation::Equalize, 0.6, 0)],
        [step(Augmentation::Posterize, 0.6, 7), step(Augmentation::Posterize, 0.6, 6)],
        [step(Augmentation::Equalize, 0.4, 0), step(Augmentation::Solarize, 0.2, 4)],
        [step(Augmentation::Equalize, 0.4, 0), step(Augmentation::Rotate, 0.8, 8)],
        [step(Augmentation::Solarize, 0.6, 3), step(Augmentation::Equalize, 0.6, 0)],
        [step(Augmentation::Posterize, 0.8, 5), step(Augmentation::Equalize, 1.0, 0)],
        [step(Augmentation::Rotate, 0.2, 3), step(Augmentation::Solarize, 0.6, 8)],
        [step(Augmentation::Equalize, 0.6, 0), step(Augmentation::Posterize, 0.4, 6)],
        [step(Augmentation::Rotate, 0.8, 8), step(Augmentation::Color, 0.4, 0)],
        [step(Augmentation::Rotate, 0.4, 9), step(Augmentation::Equalize, 0.6, 0)],
        [step(Augmentation::Equalize, 0.0, 0), step(Augmentation::Equalize, 0.8, 0)],
        [step(Augmentation::Invert, 0.6, 0), step(Augmentation::Equalize, 1.0, 0)],
        [step(Augmentation::Color, 0.6, 4), step(Augmentation::Contrast, 1.0, 8)],
        [step(Augmentation::Rotate, 0.8, 8), step(Augmentation::Color, 1.0, 2)],
        [step(Augmentation::Color, 0.8, 8), step(Augmentation::Solarize, 0.8, 7)],
        [step(Augmentation::Sharpness, 0.4, 7), step(Augmentation::Invert, 0.6, 0)],
        [step(Augmentation::ShearX, 0.6, 5), step(Augmentation::Equalize, 1.0, 0)],
        [step(Augmentation::Color, 0.4, 0), step(Augmentation::Equalize, 0.6, 0)],
        [step(Augmentation::Equalize, 0.4, 0), step(Augmentation::Solarize, 0.2, 4)],
        [step(Augmentation::Solarize, 0.6, 5), step(Augmentation::AutoContrast, 0.6, 0)],
        [step(Augmentation::Invert, 0.6, 0), step(Augmentation::Equalize, 1.0, 0)],
        [step(Augmentation::Color, 0.6, 4), step(Augmentation::Contrast, 1.0, 8)],
        [step(Augmentation::Equalize, 0.8, 0), step(Augmentation::Equalize, 0.6, 0)],
    ]
}

/// The pairs that were found on CIFAR-10.
pub(crate) fn cifar10_policy() -> Vec<[Step; 2]> {
    vec![
        [step(Augmentation::Invert, 0.1, 0), step(Augmentation::Contrast, 0.2, 6)],
        [step(Augmentation::Rotate, 0.7, 2), step(Augmentation::TranslateX, 0.3, 9)],
        [step(Augmentation::Sharpness, 0.8, 1), step(Augmentation::Sharpness, 0.9, 3)],
        [step(Augmentation::ShearY, 0.5, 8), step(Augmentation::TranslateY, 0.7, 9)],
        [step(Augmentation::AutoContrast, 0.5, 0), step(Augmentation::Equalize, 0.9, 0)],
        [step(Augmentation::ShearY, 0.2, 7), step(Augmentation::Posterize, 0.3, 7)],
        [step(Augmentation::Color, 0.4, 3), step(Augmentation::Brightness, 0.6, 7)],
        [step(Augmentation::Sharpness, 0.3, 9), step(Augmentation::Brightness, 0.7, 9)],
        [step(Augmentation::Equalize, 0.6, 0), step(Augmentation::Equalize, 0.5, 0)],
        [step(Augmentation::Contrast, 0.6, 7), step(Augmentation::Sharpness, 0.6, 5)],
        [step(Augmentation::Color, 0.7, 7), step(Augmentation::TranslateX, 0.5, 8)],
        [step(Augmentation::Equalize, 0.3, 0), step(Augmentation::AutoContrast, 0.4, 0)],
        [step(Augmentation::TranslateY, 0.4, 3), step(Augmentation::Sharpness, 0.2, 6)],
        [step(Augmentation::Brightness, 0.9, 6), step(Augmentation::Color, 0.2, 8)],
        [step(Augmentation::Solarize, 0.5, 2), step(Augmentation::Invert, 0.0, 0)],
        [step(Augmentation::Equalize, 0.2, 0), step(Augmentation::AutoContrast, 0.6, 0)],
        [step(Augmentation::Equalize, 0.2, 0), step(Augmentation::Equalize, 0.6, 0)],
        [step(Augmentation::Color, 0.9, 9), step(Augmentation::Equalize, 0.6, 0)],
        [step(Augmentation::AutoContrast, 0.8, 0), step(Augmentation::Solarize, 0.2, 8)],
        [step(Augmentation::Brightness, 0.1, 3), step(Augmentation::Color, 0.7, 0)],
        [step(Augmentation::Solarize, 0.4, 5), step(Augmentation::AutoContrast, 0.9, 0)],
        [step(Augmentation::TranslateY, 0.9, 9), step(Augmentation::TranslateY, 0.7, 9)],
        [step(Augmentation::AutoContrast, 0.9, 0), step(Augmentation::Solarize, 0.8, 3)],
        [step(Augmentation::Equalize, 0.8, 0), step(Augmentation::Invert, 0.1, 0)],
        [step(Augmentation::TranslateY, 0.7, 9), step(Augmentation::AutoContrast, 0.9, 0)],
    ]
}

/// The pairs that were found on SVHN.
pub(crate) fn svhn_policy() -> Vec<[Step; 2]> {
    vec![
        [step(Augmentation::ShearX, 0.9, 4), step(Augmentation::Invert, 0.2, 0)],
        [step(Augmentation::ShearY, 0.9, 8), step(Augmentation::Invert, 0.7, 0)],
        [step(Augmentation::Equalize, 0.6, 0), step(Augmentation::Solarize, 0.6, 6)],
        [step(Augmentation::Invert, 0.9, 0), step(Augmentation::Equalize, 0.6, 0)],
        [step(Augmentation::Equalize, 0.6, 0), step(Augmentation::Rotate, 0.9, 3)],
        [step(Augmentation::ShearX, 0.9, 4), step(Augmentation::AutoContrast, 0.8, 0)],
        [step(Augmentation::ShearY, 0.9, 8), step(Augmentation::Invert, 0.4, 0)],
        [step(Augmentation::ShearY, 0.9, 5), step(Augmentation::Solarize, 0.2, 6)],
        [step(Augmentation::Invert, 0.9, 0), step(Augmentation::AutoContrast, 0.8, 0)],
        [step(Augmentation::Equalize, 0.6, 0), step(Augmentation::Rotate, 0.9, 3)],
        [step(Augmentation::ShearX, 0.9, 4), step(Augmentation::Solarize, 0.3, 3)],
        [step(Augmentation::ShearY, 0.8, 8), step(Augmentation::Invert, 0.7, 0)],
        [step(Augmentation::Equalize, 0.9, 0), step(Augmentation::TranslateY, 0.6, 6)],
        [step(Augmentation::Invert, 0.9, 0), step(Augmentation::Equalize, 0.6, 0)],
        [step(Augmentation::Contrast, 0.3, 3), step(Augmentation::Rotate, 0.8, 4)],
        [step(Augmentation::Invert, 0.8, 0), step(Augmentation::TranslateY, 0.0, 2)],
        [step(Augmentation::ShearY, 0.7, 6), step(Augmentation::Solarize, 0.4, 8)],
        [step(Augmentation::Invert, 0.6, 0), step(Augmentation::Rotate, 0.8, 4)],
        [step(Augmentation::ShearY, 0.3, 7), step(Augmentation::TranslateX, 0.9, 3)],
        [step(Augmentation::ShearX, 0.1, 6), step(Augmentation::Invert, 0.6, 0)],
        [step(Augmentation::Solarize, 0.7, 2), step(Augmentation::TranslateY, 0.6, 7)],
        [step(Augmentation::ShearY, 0.8, 4), step(Augmentation::Invert, 0.8, 0)],
        [step(Augmentation::ShearX, 0.7, 9), step(Augmentation::TranslateY, 0.8, 3)],
        [step(Augmentation::ShearY, 0.8, 5), step(Augmentation::AutoContrast, 0.7, 0)],
        [step(Augmentation::ShearX, 0.7, 2), step(Augmentation::Invert, 0.1, 0)],
    ]
}
