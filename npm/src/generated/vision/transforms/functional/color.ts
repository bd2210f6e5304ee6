// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Brightness, contrast, saturation, hue, and gray. */
import { bind, failure } from '../../../../library/support.js';
import { scope } from '../../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../../tensor/tensor.js';
import * as torch from '../../../operations.js';
import { isFloat, toFloat } from '../../../../vision/host.js';
import { channelsOf, checkImage, maxValue, scaleTo } from '../../transforms/functional/meta.js';

/** Refuses a picture that has neither one nor three channels. */
export function checkChannels(op: string, img: Tensor): void {
  checkImage(op, img);
  const channels = channelsOf(img);
  if (channels !== 1 && channels !== 3) {
    throw failure('shape', op, `img must have 1 or 3 channels, and has ${channels}`);
  }
}

/** Refuses a negative factor. */
export function checkFactor(op: string, name: string, factor: number): void {
  if (factor >= 0) return;
  throw failure('argument', op, `${name} must not be negative, and is ${factor}`);
}

/** Values limited to the range of the picture's type, and in that type. */
export function limitTo(made: Tensor, img: Tensor): Tensor {
  return scope(() => made.clampMin(0).clampMax(maxValue(img.dtype)).to(img.dtype));
}

/** The luminance of a color picture as a float tensor with one channel. */
function luminance(img: Tensor): Tensor {
  return scope(() => {
    const parts = toFloat(img).unbind(-3);
    const gray2 = parts[0]!.mul(0.2989).add(parts[1]!.mul(0.587));
    return gray2.add(parts[2]!.mul(0.114)).unsqueeze(-3);
  });
}

/** The luminance as a picture has it: whole numbers for integers. */
function wholeLuminance(img: Tensor): Tensor {
  return scope(() => {
    const gray2 = luminance(img);
    if (isFloat(img.dtype)) return gray2;
    return gray2.floor();
  });
}

/** `ratio` parts of a picture, and the rest of another one. */
function blendWith(img: Tensor, other2: Tensor, ratio: number): Tensor {
  return scope(() => {
    const made = toFloat(img).mul(ratio).add(other2.mul(1 - ratio));
    return limitTo(made, img);
  });
}

/**
 * A picture in shades of gray, as `torchvision.transforms.functional.rgb_to_grayscale`: 0.2989 of
 * red, 0.587 of green and 0.114 of blue.
 *
 * `img` has one or three channels, and the result has `numOutputChannels`, 1 or 3.
 *
 * @throws `shape` if `img` has another number of channels; `argument` if `numOutputChannels` is not 1 or
 * 3.
 *
 * @example
 * const img = tensor([0, 1, 0]).reshape([3, 1, 1]);
 * await transforms.functional.rgbToGrayscale(img, 1).item(); // 0.587
 */
export function rgbToGrayscale(img: TensorLike, numOutputChannels?: number): Tensor;
export function rgbToGrayscale(img: TensorLike, options?: { numOutputChannels?: number }): Tensor;
export function rgbToGrayscale(...args: unknown[]): Tensor {
  const [img, numOutputChannels = 1] = bind('rgbToGrayscale img:tensor numOutputChannels:int?', args) as [Tensor, number | undefined];
  return gray('rgb_to_grayscale', img, numOutputChannels);
}

/**
 * `rgbToGrayscale` by its name in v1: `torchvision.transforms.functional.to_grayscale`.
 *
 * @throws The errors of `rgbToGrayscale`.
 *
 * @example
 * const img = ones([3, 2, 2]);
 * transforms.functional.toGrayscale(img, 3).shape; // [3, 2, 2]
 */
export function toGrayscale(img: TensorLike, numOutputChannels?: number): Tensor;
export function toGrayscale(img: TensorLike, options?: { numOutputChannels?: number }): Tensor;
export function toGrayscale(...args: unknown[]): Tensor {
  const [img, numOutputChannels = 1] = bind('toGrayscale img:tensor numOutputChannels:int?', args) as [Tensor, number | undefined];
  return gray('to_grayscale', img, numOutputChannels);
}

function gray(op: string, img: Tensor, numOutputChannels: number): Tensor {
  return scope(() => {
    checkChannels(op, img);
    if (numOutputChannels !== 1 && numOutputChannels !== 3) {
      const message = `num_output_channels must be 1 or 3, and is ${numOutputChannels}`;
      throw failure('argument', op, message);
    }
    const one = channelsOf(img) === 1 ? img : luminance(img).to(img.dtype);
    if (numOutputChannels === 1) return one;
    return torch.cat([one, one, one], -3);
  });
}

/**
 * A picture with three channels, as `torchvision.transforms.v2.functional.grayscale_to_rgb`. A
 * picture with three or more channels stays as it is.
 *
 * @throws `shape` if `img` has two channels or fewer than three dimensions.
 *
 * @example
 * const img = ones([1, 2, 2]);
 * transforms.functional.grayscaleToRgb(img).shape; // [3, 2, 2]
 */
export function grayscaleToRgb(img: TensorLike): Tensor;
export function grayscaleToRgb(...args: unknown[]): Tensor {
  const [img] = bind('grayscaleToRgb img:tensor', args) as [Tensor];
  checkImage('grayscale_to_rgb', img);
  if (channelsOf(img) >= 3) return img;
  return gray('grayscale_to_rgb', img, 3);
}

/**
 * A brighter or darker picture, as `torchvision.transforms.functional.adjust_brightness`: its
 * values multiplied by `brightnessFactor`.
 *
 * @throws `shape` if `img` does not have one or three channels; `argument` if the factor is negative.
 *
 * @example
 * const img = full([1, 1, 1], 0.25, { dtype: 'float32' });
 * await transforms.functional.adjustBrightness(img, 2).item(); // 0.5
 */
export function adjustBrightness(img: TensorLike, brightnessFactor: number): Tensor;
export function adjustBrightness(...args: unknown[]): Tensor {
  const [img, brightnessFactor] = bind('adjustBrightness img:tensor brightnessFactor:number', args) as [Tensor, number];
  return scope(() => {
    checkChannels('adjust_brightness', img);
    checkFactor('adjust_brightness', 'brightness_factor', brightnessFactor);
    return limitTo(toFloat(img).mul(brightnessFactor), img);
  });
}

/**
 * A picture with more or less contrast, as `torchvision.transforms.functional.adjust_contrast`:
 * the distance of its values from the mean of its luminance multiplied by `contrastFactor`.
 *
 * @throws `shape` if `img` does not have one or three channels; `argument` if the factor is negative.
 *
 * @example
 * const img = tensor([0.25, 0.75]).reshape([1, 1, 2]);
 * await transforms.functional.adjustContrast(img, 0).tolist(); // [0.5, 0.5]
 */
export function adjustContrast(img: TensorLike, contrastFactor: number): Tensor;
export function adjustContrast(...args: unknown[]): Tensor {
  const [img, contrastFactor] = bind('adjustContrast img:tensor contrastFactor:number', args) as [Tensor, number];
  return scope(() => {
    checkChannels('adjust_contrast', img);
    checkFactor('adjust_contrast', 'contrast_factor', contrastFactor);
    const light = channelsOf(img) === 3 ? wholeLuminance(img) : toFloat(img);
    return blendWith(img, light.mean([-3, -2, -1], true), contrastFactor);
  });
}

/**
 * A picture with more or less color, as `torchvision.transforms.functional.adjust_saturation`: 0
 * is gray, 1 is the picture.
 *
 * @throws `shape` if `img` does not have one or three channels; `argument` if the factor is negative.
 *
 * @example
 * const img = tensor([0, 1, 0]).reshape([3, 1, 1]);
 * const gray2 = transforms.functional.adjustSaturation(img, 0);
 * await gray2.select(0, 0).item(); // 0.587
 */
export function adjustSaturation(img: TensorLike, saturationFactor: number): Tensor;
export function adjustSaturation(...args: unknown[]): Tensor {
  const [img, saturationFactor] = bind('adjustSaturation img:tensor saturationFactor:number', args) as [Tensor, number];
  return scope(() => {
    checkChannels('adjust_saturation', img);
    checkFactor('adjust_saturation', 'saturation_factor', saturationFactor);
    if (channelsOf(img) === 1) return img;
    return blendWith(img, wholeLuminance(img), saturationFactor);
  });
}

/**
 * A picture with its colors turned, as `torchvision.transforms.functional.adjust_hue`:
 * `hueFactor` of a full turn, from -0.5 to 0.5.
 *
 * @throws `shape` if `img` does not have one or three channels; `argument` if the factor is not from -0.5
 * to 0.5.
 *
 * @example
 * const red = tensor([1, 0, 0]).reshape([3, 1, 1]);
 * const cyan = transforms.functional.adjustHue(red, 0.5);
 * await cyan.tolist(); // [0, 1, 1]
 */
export function adjustHue(img: TensorLike, hueFactor: number): Tensor;
export function adjustHue(...args: unknown[]): Tensor {
  const [img, hueFactor] = bind('adjustHue img:tensor hueFactor:number', args) as [Tensor, number];
  return scope(() => {
    checkChannels('adjust_hue', img);
    if (!(hueFactor >= -0.5 && hueFactor <= 0.5)) {
      const message = `hue_factor must be from -0.5 to 0.5, and is ${hueFactor}`;
      throw failure('argument', 'adjust_hue', message);
    }
    if (channelsOf(img) === 1 || img.numel === 0) return img;
    const color = scaleTo('adjust_hue', img, isFloat(img.dtype) ? img.dtype : 'float32');
    const turned = hsvToRgb(turnHsv(color, hueFactor));
    return scaleTo('adjust_hue', turned, img.dtype);
  });
}

/** Hue, saturation and value, from 0 to 1 each, with the hue turned. */
function turnHsv(color: Tensor, turn: number): readonly Tensor[] {
  return scope(() => {
    const parts = color.unbind(-3);
    const [red, green] = [parts[0]!, parts[1]!];
    const [least, most] = [color.amin(-3), color.amax(-3)];
    const range = most.sub(least);
    const isGray = range.eq(0);
    const saturation = range.div(torch.where(isGray, 1, most));
    const divisor = torch.where(isGray, 1, range);
    const far = most.unsqueeze(-3).sub(color).div(divisor.unsqueeze(-3)).unbind(-3);
    const [isRed, isGreen] = [most.eq(red), most.eq(green)];
    const fromRed = far[2]!.sub(far[1]!);
    const fromGreen = far[0]!.add(2).sub(far[2]!);
    const fromBlue = far[1]!.add(4).sub(far[0]!);
    const other2 = torch.where(isGreen, fromGreen, fromBlue);
    const sixths = torch.where(isRed, fromRed, other2);
    const hue = sixths.mul(1 / 6).add(1).fmod(1);
    return [hue.add(turn).remainder(1), saturation, most];
  });
}

/**
 * The color of hue, saturation and value: each channel is the value without a share of the
 * saturation, by the distance of the hue to the channel's.
 */
function hsvToRgb(hsv: readonly Tensor[]): Tensor {
  return scope(() => {
    const [saturation, value] = [hsv[1]!, hsv[2]!];
    const sixths = hsv[0]!.mul(6);
    const sector = sixths.floor();
    const part = sixths.sub(sector);
    const sector2 = sector.remainder(6);
    const shaded = saturation.mul(part);
    const q = shaded.rsub(1).mul(value);
    const rest = saturation.rsub(1);
    const t = shaded.add(rest).mul(value);
    const p = rest.mul(value);
    const red = bySector(sector2, [value, q, p, p, t, value]);
    const green = bySector(sector2, [t, value, value, q, p, p]);
    const blue = bySector(sector2, [p, p, t, value, value, q]);
    return torch.stack([red, green, blue], -3).clampMin(0).clampMax(1);
  });
}

/** The value of the sector, from 0 to 5, that each pixel is in. */
function bySector(sector: Tensor, values: readonly Tensor[]): Tensor {
  return scope(() => {
    let chosen = values[5]!;
    for (let index = 0; index < 5; index++) {
      chosen = torch.where(sector.eq(index), values[index]!, chosen);
    }
    return chosen;
  });
}
