// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Transforms of pictures, and of the masks and boxes that belong to them, as
 * `torchvision.transforms`.
 *
 * Names of v1 and v2 are in one set, with the semantics of v2 where they differ: a transform takes
 * tensors, or a sample of `TvTensor` whose parts are transformed
 * alike. `forwardBatch` transforms each picture of a batch with a separate seed.
 */
export * as functional from '../transforms/functional/index.js';
export { Random } from '../../../vision/host.js';
export {
  AugMix, AutoAugment, RandAugment, TrivialAugmentWide, type AutoAugmentPolicy,
} from '../transforms/auto.js';
export {
  ColorJitter, GaussianBlur, Grayscale, RGB, RandomChannelPermutation, RandomGrayscale,
  RandomPhotometricDistort,
} from '../transforms/color.js';
export { RandomCrop, RandomResizedCrop, RandomZoomOut, ScaleJitter } from '../transforms/crops.js';
export {
  CenterCrop, FiveCrop, Pad, RandomHorizontalFlip, RandomVerticalFlip, Resize, TenCrop,
} from '../transforms/geometry.js';
export { RandomIoUCrop } from '../transforms/iou-crop.js';
export { CutMix, MixUp } from '../transforms/mix.js';
export {
  RandomAdjustSharpness, RandomAutocontrast, RandomEqualize, RandomInvert, RandomPosterize,
  RandomSolarize,
} from '../transforms/tones.js';
export {
  Compose, Lambda, RandomApply, RandomChoice, RandomOrder, Transform,
} from '../transforms/transform.js';
export {
  ConvertImageDtype, GaussianNoise, LinearTransformation, Normalize, RandomErasing, ToDtype,
  ToImage, ToTensor,
} from '../transforms/values.js';
export {
  ElasticTransform, RandomAffine, RandomPerspective, RandomRotation,
} from '../transforms/warps.js';
