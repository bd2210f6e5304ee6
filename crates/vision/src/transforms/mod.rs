//! Transforms of pictures, and of the masks and boxes that belong to them, as
//! `torchvision.transforms`.
//!
//! Names of v1 and v2 are in one set, with the semantics of v2 where they differ: a transform takes
//! tensors, or a sample of [`TvTensor`](crate::tv_tensors::TvTensor) whose parts are transformed
//! alike. `forward_batch` transforms each picture of a batch with a separate seed.

mod augmentations;
mod auto;
mod color;
mod crops;
pub mod functional;
mod geometry;
mod iou_crop;
mod items;
mod mix;
mod policies;
mod tones;
mod transform;
mod values;
mod warps;

pub use crate::host::Random;
pub use auto::{AugMix, AutoAugment, AutoAugmentPolicy, RandAugment, TrivialAugmentWide};
pub use color::{
    ColorJitter, GaussianBlur, Grayscale, RGB, RandomChannelPermutation, RandomGrayscale, RandomPhotometricDistort,
};
pub use crops::{RandomCrop, RandomResizedCrop, RandomZoomOut, ScaleJitter};
pub use geometry::{CenterCrop, FiveCrop, Pad, RandomHorizontalFlip, RandomVerticalFlip, Resize, TenCrop};
pub use iou_crop::RandomIoUCrop;
pub use mix::{CutMix, MixUp};
pub use tones::{
    RandomAdjustSharpness, RandomAutocontrast, RandomEqualize, RandomInvert, RandomPosterize, RandomSolarize,
};
pub use transform::{Compose, Lambda, RandomApply, RandomChoice, RandomOrder, Transform};
pub use values::{
    ConvertImageDtype, GaussianNoise, LinearTransformation, Normalize, RandomErasing, ToDtype, ToImage, ToTensor,
};
pub use warps::{ElasticTransform, RandomAffine, RandomPerspective, RandomRotation};
