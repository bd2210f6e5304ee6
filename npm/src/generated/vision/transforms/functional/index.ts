// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/**
 * Transforms of pictures as functions, as `torchvision.transforms.v2.functional`.
 *
 * A picture is a tensor `[.., C, H, W]` of uint8 from 0 to 255, or of floats from 0 to 1. Results
 * have the type of the picture.
 */
export {
  adjustBrightness, adjustContrast, adjustHue, adjustSaturation, grayscaleToRgb,
  rgbToGrayscale, toGrayscale,
} from '../../transforms/functional/color.js';
export {
  centerCrop, crop, fiveCrop, hflip, horizontalFlip, tenCrop, verticalFlip, vflip,
} from '../../transforms/functional/crop.js';
export {
  adjustSharpness, erase, gaussianBlur, gaussianNoise, normalize,
} from '../../transforms/functional/filter.js';
export {
  convertImageDtype, getDimensions, getImageNumChannels, getImageSize, getNumChannels,
  getSize, permuteChannels, toDtype, type InterpolationMode,
} from '../../transforms/functional/meta.js';
export { pad, type ImagePadding } from '../../transforms/functional/pad.js';
export { resize, resizedCrop } from '../../transforms/functional/resize.js';
export {
  adjustGamma, autocontrast, equalize, invert, posterize, solarize,
} from '../../transforms/functional/tone.js';
export {
  affine, elastic, elasticTransform, perspective, rotate,
} from '../../transforms/functional/warp.js';
