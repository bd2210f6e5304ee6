// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The changes that automatic augmentations choose from, and their magnitudes. */
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import type { Random } from '../../../vision/host.js';
import {
  adjustBrightness, adjustContrast, adjustSaturation,
} from '../transforms/functional/color.js';
import { adjustSharpness } from '../transforms/functional/filter.js';
import { maxValue, type InterpolationMode } from '../transforms/functional/meta.js';
import {
  autocontrast, equalize, invert, posterize, solarize,
} from '../transforms/functional/tone.js';
import { affine, rotate } from '../transforms/functional/warp.js';

/** A change of an automatic augmentation. */
export type Augmentation = 'identity' | 'shear_x' | 'shear_y' | 'translate_x' | 'translate_y' | 'rotate' | 'brightness' | 'color' | 'contrast' | 'sharpness' | 'posterize' | 'solarize' | 'auto_contrast' | 'equalize' | 'invert';

/**
 * The largest magnitudes of changes: the sine of a shear, a translation along x and y in pixels,
 * an angle in degrees, a change of a factor, and the bits that posterize removes.
 */
export class Limits {
  /** @internal */
  readonly shear!: number;
  /** @internal */
  readonly across!: number;
  /** @internal */
  readonly down!: number;
  /** @internal */
  readonly angle!: number;
  /** @internal */
  readonly factor!: number;
  /** @internal */
  readonly bits!: number;
  /** @internal */
  readonly mostBits!: number;
}

/** The changes of `RandAugment`, without the inversion of values. */
export function augmentations(): readonly Augmentation[] {
  return [
    'identity',
    'shear_x',
    'shear_y',
    'translate_x',
    'translate_y',
    'rotate',
    'brightness',
    'color',
    'contrast',
    'sharpness',
    'posterize',
    'solarize',
    'auto_contrast',
    'equalize',
  ];
}

/** Whether a change has a direction, which is random. */
function isSigned(change: Augmentation): boolean {
  return change === 'shear_x' || change === 'shear_y' || change === 'translate_x'
    || change === 'translate_y'
    || change === 'rotate'
    || change === 'brightness'
    || change === 'color'
    || change === 'contrast'
    || change === 'sharpness';
}

/**
 * The magnitude with the number `level` of `bins`, with a random direction if the change has one.
 */
export function magnitudeOf(random: Random, change: Augmentation, level: number, bins: number, limits: Limits): number {
  const last = Math.max(bins, 2) - 1;
  const part = level / last;
  let most: number;
  switch (change) {
    case 'shear_x': case 'shear_y': {
      most = limits.shear;
      break;
    }
    case 'translate_x': {
      most = limits.across;
      break;
    }
    case 'translate_y': {
      most = limits.down;
      break;
    }
    case 'rotate': {
      most = limits.angle;
      break;
    }
    default: {
      most = limits.factor;
      break;
    }
  }
  if (change === 'posterize') return halfToEven(limits.mostBits - part * limits.bits);
  if (change === 'solarize') return 1 - part;
  if (isSigned(change) && random.chance(0.5)) return -part * most;
  return part * most;
}

/** A number rounded to the nearest integer, and to an even one in the middle. */
function halfToEven(x: number): number {
  const low = Math.floor(x);
  if (x - low === 0.5 && low % 2 === 0) return low;
  return Math.floor(x + 0.5);
}

/** A picture changed by a magnitude. */
export function augment(img: Tensor, change: Augmentation, magnitude: number, mode: InterpolationMode, fill: readonly number[] | undefined): Tensor {
  return scope(() => {
    const corner: [number, number] = [0, 0];
    const shear = Math.atan(magnitude) * 180 / Math.PI;
    switch (change) {
      case 'identity': return img;
      case 'shear_x': return affine(img, 0, [0, 0], 1, [shear, 0], mode, fill, corner);
      case 'shear_y': return affine(img, 0, [0, 0], 1, [0, shear], mode, fill, corner);
      case 'translate_x': return affine(img, 0, [Math.trunc(magnitude), 0], 1, [0, 0], mode, fill);
      case 'translate_y': return affine(img, 0, [0, Math.trunc(magnitude)], 1, [0, 0], mode, fill);
      case 'rotate': return rotate(img, magnitude, mode, false, undefined, fill);
      case 'brightness': return adjustBrightness(img, 1 + magnitude);
      case 'color': return adjustSaturation(img, 1 + magnitude);
      case 'contrast': return adjustContrast(img, 1 + magnitude);
      case 'sharpness': return adjustSharpness(img, 1 + magnitude);
      case 'posterize': return posterize(img, Math.trunc(magnitude));
      case 'solarize': return solarize(img, maxValue(img.dtype) * magnitude);
      case 'auto_contrast': return autocontrast(img);
      case 'equalize': return equalize(img);
      default: return invert(img);
    }
  });
}
