// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Tensors with their kinds, as `torchvision.tv_tensors`.
 *
 * A transform of a sample changes each tensor as its kind requires: a mask is not interpolated,
 * and boxes move with the picture. A tensor with its kind is one type rather than a class for each
 * kind, because a sample is then a list in both languages.
 */
export { TvTensor, boundingBoxes, image, mask, other, video, type TvKind } from '../tv-tensors.js';
