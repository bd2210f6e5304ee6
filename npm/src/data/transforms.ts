/**
 * Transforms of images, with the names of `torchvision.transforms`, over host arrays `[C, H, W]` of
 * uint8 or float32. Random choices are drawn from the numbers of the sample, so they depend on
 * seed, epoch and index alone.
 */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { HostArray } from './host-array.js';
import { halfToEven, pixelsLike, sizes, type Image, type Transform } from './pixels.js';
import type { Random } from './random.js';
import { checkCount } from './sampler.js';

export type { Image, Pixels, Transform } from './pixels.js';
export { Resize, type ResizeOptions } from './resize.js';

/**
 * The part `[height, width]` whose pixel `(y, x)` is the image's pixel `at(y, x)` in a plane, or
 * `fill` where that is negative.
 */
function rearrange(image: Image, height: number, width: number, fill: number, at: (y: number, x: number) => number): Image {
  const [channels, rows, columns] = image.shape as [number, number, number];
  const data = pixelsLike('transforms', image, [channels, height, width]);
  // A Uint8Array would store the lower bits of a larger number.
  const around = data instanceof Uint8Array ? Math.min(Math.max(fill, 0), 255) : fill;
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to++) {
      const from = at(y, x);
      for (let channel = 0; channel < channels; channel++) {
        data[channel * height * width + to] = from < 0 ? around : image.data[channel * rows * columns + from]!;
      }
    }
  }
  return new HostArray(data, [channels, height, width]);
}

/**
 * The part `[height, width]` of an image whose upper left pixel is `(top, left)`, with `fill`
 * outside of the image.
 */
function crop(image: Image, top: number, left: number, height: number, width: number, fill = 0): Image {
  const [, rows, columns] = image.shape as [number, number, number];
  return rearrange(image, height, width, fill, (y, x) => {
    const [row, column] = [y + top, x + left];
    return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : -1;
  });
}

/** Transforms in sequence. */
export class Compose implements Transform {
  readonly #transforms: readonly Transform[];

  constructor(transforms: readonly Transform[]) {
    this.#transforms = transforms;
  }

  apply(image: Image, random: Random): Image {
    return this.#transforms.reduce((made, transform) => transform.apply(made, random), image);
  }
}

/** Converts uint8 from 0 to 255 into float32 from 0 to 1; float32 is unchanged. */
export class ToTensor implements Transform {
  apply(image: Image): Image {
    sizes('ToTensor', image);
    return image.data instanceof Uint8Array ? new HostArray(Float32Array.from(image.data, (value) => value / 255), image.shape) : image;
  }
}

/** `(x - mean) / std` by channel, for float32. */
export class Normalize implements Transform {
  readonly #mean: Float32Array;
  readonly #std: Float32Array;

  /** One number for each channel, or one for all. `std` must not be 0. */
  constructor(mean: readonly number[], std: readonly number[]) {
    this.#mean = Float32Array.from(mean);
    this.#std = Float32Array.from(std);
    if (this.#std.includes(0)) throw new LanthornError('argument', 'Normalize', 'a std of 0 would divide by zero');
    if (mean.length === 0 || mean.length !== std.length) {
      throw new LanthornError('argument', 'Normalize', `mean and std must be equally long, not ${mean.length} and ${std.length}`);
    }
  }

  apply(image: Image): Image {
    const [channels, height, width] = sizes('Normalize', image);
    if (!(image.data instanceof Float32Array)) throw new LanthornError('dtype', 'Normalize', 'takes a float32 image; put ToTensor before it');
    const count = this.#mean.length;
    if (count !== 1 && count !== channels) {
      throw new LanthornError('shape', 'Normalize', `${count} means do not fit an image of ${channels} channels`);
    }
    const [mean, std] = [this.#mean, this.#std];
    const normalized = image.data.map((value, place) => {
      const channel = count === 1 ? 0 : Math.floor(place / (height * width));
      return Math.fround(value - mean[channel]!) / std[channel]!;
    });
    return new HostArray(normalized, image.shape);
  }
}

/** The centre of an image, padded with zeros where the image is smaller. */
export class CenterCrop implements Transform {
  readonly #height: number;
  readonly #width: number;

  constructor(height: number, width = height) {
    this.#height = checkCount('CenterCrop', 'height', height);
    this.#width = checkCount('CenterCrop', 'width', width);
  }

  apply(image: Image): Image {
    const [, height, width] = sizes('CenterCrop', image);
    // torchvision rounds half to even when it crops, and down when it pads.
    const offset = (from: number, to: number) => (from >= to ? halfToEven((from - to) / 2) : -Math.floor((to - from) / 2));
    return crop(image, offset(height, this.#height), offset(width, this.#width), this.#height, this.#width);
  }
}

/** Options of {@link RandomCrop}. */
export interface RandomCropOptions {
  /** The number of pixels to pad on each side (default: 0). */
  padding?: number;
  /** The value of padded pixels (default: 0). */
  fill?: number;
}

/** A crop at a random position. The image with its padding must not be smaller. */
export class RandomCrop implements Transform {
  readonly #height: number;
  readonly #width: number;
  readonly #padding: number;
  readonly #fill: number;

  constructor(height: number, width = height, options: RandomCropOptions = {}) {
    const { padding = 0, fill = 0 } = checkOptions('RandomCrop', options, ['padding', 'fill']);
    this.#height = checkCount('RandomCrop', 'height', height);
    this.#width = checkCount('RandomCrop', 'width', width);
    this.#padding = checkCount('RandomCrop', 'padding', padding);
    this.#fill = fill;
  }

  apply(image: Image, random: Random): Image {
    const [, height, width] = sizes('RandomCrop', image);
    const place = (from: number, to: number) => {
      const room = from + 2 * this.#padding - to;
      if (room >= 0) return random.below(room + 1) - this.#padding;
      const message = `an image of ${height}×${width} with a padding of ${this.#padding} has no part of [${this.#height}, ${this.#width}]`;
      throw new LanthornError('shape', 'RandomCrop', message);
    };
    const top = place(height, this.#height);
    return crop(image, top, place(width, this.#width), this.#height, this.#width, this.#fill);
  }
}

function checkProbability(op: string, value: number): number {
  if (!(value >= 0 && value <= 1)) throw new LanthornError('argument', op, `a probability is from 0 to 1, not ${value}`);
  return value;
}

/** Flips an image horizontally with a probability. */
export class RandomHorizontalFlip implements Transform {
  readonly #probability: number;

  constructor(probability = 0.5) {
    this.#probability = checkProbability('RandomHorizontalFlip', probability);
  }

  apply(image: Image, random: Random): Image {
    const [, height, width] = sizes('RandomHorizontalFlip', image);
    if (!random.chance(this.#probability)) return image;
    return rearrange(image, height, width, 0, (y, x) => y * width + width - 1 - x);
  }
}

/** Flips an image vertically with a probability. */
export class RandomVerticalFlip implements Transform {
  readonly #probability: number;

  constructor(probability = 0.5) {
    this.#probability = checkProbability('RandomVerticalFlip', probability);
  }

  apply(image: Image, random: Random): Image {
    const [, height, width] = sizes('RandomVerticalFlip', image);
    if (!random.chance(this.#probability)) return image;
    return rearrange(image, height, width, 0, (y, x) => (height - 1 - y) * width + x);
  }
}
