// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Random colors, tones and sharpness. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import { Random } from '../../../vision/host.js';
import { checkRange } from '../transforms/crops.js';
import {
  adjustBrightness, adjustContrast, adjustHue, adjustSaturation, grayscaleToRgb,
  rgbToGrayscale,
} from '../transforms/functional/color.js';
import { gaussianBlur } from '../transforms/functional/filter.js';
import { channelsOf, permuteChannels } from '../transforms/functional/meta.js';
import { firstPicture } from '../transforms/items.js';
import { Transform, checkProbability, withPictures } from '../transforms/transform.js';
import type { TvTensor } from '../tv-tensors.js';

/** A range about a center from one number, or from two; the center alone is no change. */
function factors(name: string, given: readonly number[] | undefined, center: number, low: number, high: number): readonly number[] | undefined {
  if (given === undefined) return undefined;
  let range: readonly number[] = [...given];
  if (given.length === 1) {
    if (given[0]! < 0) {
      throw failure('argument', 'ColorJitter', `${name} must not be negative, and is ${given[0]!}`);
    }
    const least = low === 0 ? Math.max(center - given[0]!, 0) : center - given[0]!;
    range = [least, center + given[0]!];
  }
  checkRange('ColorJitter', name, range, low, high);
  return range[0]! === center && range[1]! === center ? undefined : range;
}

/** A random number of a range, or the number for no change. */
function pick(random: Random, range: readonly number[] | undefined, center: number): number {
  if (range !== undefined) return random.uniform(range[0]!, range[1]!);
  return center;
}

/**
 * Pictures with random brightness, contrast, saturation and hue in a random order, as
 * `torchvision.transforms.ColorJitter`.
 *
 * @example
 * const jitter = new transforms.ColorJitter([0.2], [0.2], undefined, [0.1]);
 * jitter.forward(ones([3, 4, 4])).shape; // [3, 4, 4]
 */
export class ColorJitter extends Transform {
  /** @internal */
  readonly brightness!: readonly number[] | undefined;
  /** @internal */
  readonly contrast!: readonly number[] | undefined;
  /** @internal */
  readonly saturation!: readonly number[] | undefined;
  /** @internal */
  readonly hue!: readonly number[] | undefined;

  constructor(brightness?: number | readonly number[] | null, contrast?: number | readonly number[] | null, saturation?: number | readonly number[] | null, hue?: number | readonly number[] | null);
  constructor(options?: { brightness?: number | readonly number[] | null; contrast?: number | readonly number[] | null; saturation?: number | readonly number[] | null; hue?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [brightness, contrast, saturation, hue] = bind('ColorJitter brightness:numbers? contrast:numbers? saturation:numbers? hue:numbers?', args) as [readonly number[] | undefined, readonly number[] | undefined, readonly number[] | undefined, readonly number[] | undefined];
    Object.assign(this, ColorJitter.of(brightness, contrast, saturation, hue));
  }

  /** @internal */
  static of(brightness: readonly number[] | undefined, contrast: readonly number[] | undefined, saturation: readonly number[] | undefined, hue: readonly number[] | undefined): ColorJitter {
    return make(
      ColorJitter,
      {
        brightness: factors('brightness', brightness, 1, 0, Infinity),
        contrast: factors('contrast', contrast, 1, 0, Infinity),
        saturation: factors('saturation', saturation, 1, 0, Infinity),
        hue: factors('hue', hue, 0, -0.5, 0.5),
      },
    );
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('ColorJitter.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const change = make(
        Change,
        {
          order: random.permutation(4),
          brightness: pick(random, this.brightness, 1),
          contrast: pick(random, this.contrast, 1),
          saturation: pick(random, this.saturation, 1),
          hue: pick(random, this.hue, 0),
        },
      );
      return withPictures(sample, (img) => recolor(img, change));
    });
  }
}

/** The factors of a picture's color, and the order of the changes. */
export class Change {
  /** @internal */
  readonly order!: readonly number[];
  /** @internal */
  readonly brightness!: number;
  /** @internal */
  readonly contrast!: number;
  /** @internal */
  readonly saturation!: number;
  /** @internal */
  readonly hue!: number;
}

/** A picture with its colors changed. A factor without an effect is left out. */
function recolor(img: Tensor, change: Change): Tensor {
  return scope(() => {
    let made = img;
    for (const step of change.order) {
      if (step === 0 && change.brightness !== 1) made = adjustBrightness(made, change.brightness);
      else if (step === 1 && change.contrast !== 1) made = adjustContrast(made, change.contrast);
      else if (step === 2 && change.saturation !== 1) made = adjustSaturation(made, change.saturation);
      else if (step === 3 && change.hue !== 0) made = adjustHue(made, change.hue);
    }
    return made;
  });
}

/**
 * Pictures with random colors and channels, each change with a probability, as
 * `torchvision.transforms.v2.RandomPhotometricDistort`.
 *
 * Source: Liu et al., "SSD: Single Shot MultiBox Detector" (2016).
 *
 * @example
 * const [light, wide, hue] = [[0.875, 1.125], [0.5, 1.5], [-0.05, 0.05]];
 * const distort = new transforms.RandomPhotometricDistort(light, wide, wide, hue, 0.5);
 * distort.forward(ones([3, 4, 4])).shape; // [3, 4, 4]
 */
export class RandomPhotometricDistort extends Transform {
  /** @internal */
  readonly brightness!: readonly number[];
  /** @internal */
  readonly contrast!: readonly number[];
  /** @internal */
  readonly saturation!: readonly number[];
  /** @internal */
  readonly hue!: readonly number[];
  /** @internal */
  readonly p!: number;

  constructor(brightness?: number | readonly number[], contrast?: number | readonly number[], saturation?: number | readonly number[], hue?: number | readonly number[], p?: number);
  constructor(options?: { brightness?: number | readonly number[]; contrast?: number | readonly number[]; saturation?: number | readonly number[]; hue?: number | readonly number[]; p?: number });
  constructor(...args: unknown[]) {
    super();
    const [brightness = [0.875, 1.125], contrast = [0.5, 1.5], saturation = [0.5, 1.5], hue = [-0.05, 0.05], p = 0.5] = bind('RandomPhotometricDistort brightness:numbers? contrast:numbers? saturation:numbers? hue:numbers? p:number?', args) as [readonly number[] | undefined, readonly number[] | undefined, readonly number[] | undefined, readonly number[] | undefined, number | undefined];
    Object.assign(this, RandomPhotometricDistort.of(brightness, contrast, saturation, hue, p));
  }

  /** @internal */
  static of(brightness: readonly number[], contrast: readonly number[], saturation: readonly number[], hue: readonly number[], p: number): RandomPhotometricDistort {
    const op = 'RandomPhotometricDistort';
    checkRange(op, 'brightness', brightness, 0, Infinity);
    checkRange(op, 'contrast', contrast, 0, Infinity);
    checkRange(op, 'saturation', saturation, 0, Infinity);
    checkRange(op, 'hue', hue, -0.5, 0.5);
    checkProbability(op, p);
    const [brightness2, contrast2] = [brightness, contrast];
    const [saturation2, hue2] = [saturation, hue];
    return make(
      RandomPhotometricDistort,
      { brightness: brightness2, contrast: contrast2, saturation: saturation2, hue: hue2, p },
    );
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomPhotometricDistort.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const order = random.chance(0.5) ? [0, 1, 2, 3] : [0, 2, 3, 1];
      const change = make(
        Change,
        {
          order,
          brightness: pickByChance(random, this.brightness, 1, this.p),
          contrast: pickByChance(random, this.contrast, 1, this.p),
          saturation: pickByChance(random, this.saturation, 1, this.p),
          hue: pickByChance(random, this.hue, 0, this.p),
        },
      );
      const channels = channelsOf(firstPicture('RandomPhotometricDistort', sample));
      const positions = random.chance(this.p) ? random.permutation(channels) : [];
      return withPictures(sample, (img) => {
        const made = recolor(img, change);
        if (positions.length === 0) return made;
        return permuteChannels(made, positions);
      });
    });
  }
}

/** A random number of a range with a probability, or the number for no change. */
function pickByChance(random: Random, range: readonly number[], center: number, p: number): number {
  if (random.chance(p)) return random.uniform(range[0]!, range[1]!);
  return center;
}

/**
 * Pictures with their channels in a random order, as
 * `torchvision.transforms.v2.RandomChannelPermutation`.
 *
 * @example
 * const img = tensor([1, 2, 4]).reshape([3, 1, 1]);
 * const made = new transforms.RandomChannelPermutation().forward(img);
 * await made.sum().item(); // 7
 */
export class RandomChannelPermutation extends Transform {
  constructor();
  constructor(...args: unknown[]) {
    super();
    Object.assign(this, RandomChannelPermutation.of());
  }

  /** @internal */
  static of(): RandomChannelPermutation {
    return make(RandomChannelPermutation, {});
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomChannelPermutation.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const channels = channelsOf(firstPicture('RandomChannelPermutation', sample));
      const positions = random.permutation(channels);
      return withPictures(sample, (img) => permuteChannels(img, positions));
    });
  }
}

/**
 * Pictures in shades of gray, as `torchvision.transforms.Grayscale`.
 *
 * @example
 * const gray = new transforms.Grayscale(1).forward(ones([3, 4, 4]));
 * gray.shape; // [1, 4, 4]
 */
export class Grayscale extends Transform {
  /** @internal */
  readonly numOutputChannels!: number;

  constructor(numOutputChannels?: number);
  constructor(options?: { numOutputChannels?: number });
  constructor(...args: unknown[]) {
    super();
    const [numOutputChannels = 1] = bind('Grayscale numOutputChannels:int?', args) as [number | undefined];
    Object.assign(this, Grayscale.of(numOutputChannels));
  }

  /** @internal */
  static of(numOutputChannels: number): Grayscale {
    if (numOutputChannels !== 1 && numOutputChannels !== 3) {
      const message = `num_output_channels must be 1 or 3, and is ${numOutputChannels}`;
      throw failure('argument', 'Grayscale', message);
    }
    return make(Grayscale, { numOutputChannels });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('Grayscale.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => withPictures(sample, (img) => rgbToGrayscale(img, this.numOutputChannels)));
  }
}

/**
 * Pictures in shades of gray with a probability, as `torchvision.transforms.RandomGrayscale`. The
 * number of channels stays.
 *
 * @example
 * const gray = new transforms.RandomGrayscale(1).forward(ones([3, 4, 4]));
 * gray.shape; // [3, 4, 4]
 */
export class RandomGrayscale extends Transform {
  /** @internal */
  readonly p!: number;

  constructor(p?: number);
  constructor(options?: { p?: number });
  constructor(...args: unknown[]) {
    super();
    const [p = 0.1] = bind('RandomGrayscale p:number?', args) as [number | undefined];
    Object.assign(this, RandomGrayscale.of(p));
  }

  /** @internal */
  static of(p: number): RandomGrayscale {
    checkProbability('RandomGrayscale', p);
    return make(RandomGrayscale, { p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomGrayscale.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      if (!random.chance(this.p)) return sample;
      return withPictures(sample, (img) => rgbToGrayscale(img, channelsOf(img)));
    });
  }
}

/**
 * Pictures with three channels, as `torchvision.transforms.v2.RGB`.
 *
 * @example
 * new transforms.RGB().forward(ones([1, 4, 4])).shape; // [3, 4, 4]
 */
export class RGB extends Transform {
  constructor();
  constructor(...args: unknown[]) {
    super();
    Object.assign(this, RGB.of());
  }

  /** @internal */
  static of(): RGB {
    return make(RGB, {});
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('RGB.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return withPictures(sample, grayscaleToRgb);
  }
}

/**
 * Blurred pictures, as `torchvision.transforms.GaussianBlur`.
 *
 * @example
 * const blur = new transforms.GaussianBlur([3], [0.1, 2]);
 * blur.forward(ones([3, 4, 4])).shape; // [3, 4, 4]
 */
export class GaussianBlur extends Transform {
  /** @internal */
  readonly kernelSize!: readonly number[];
  /** @internal */
  readonly sigma!: readonly number[];

  constructor(kernelSize: number | readonly number[], sigma?: number | readonly number[]);
  constructor(kernelSize: number | readonly number[], options?: { sigma?: number | readonly number[] });
  constructor(options: { kernelSize: number | readonly number[]; sigma?: number | readonly number[] });
  constructor(...args: unknown[]) {
    super();
    const [kernelSize, sigma = [0.1, 2]] = bind('GaussianBlur kernelSize:ints sigma:numbers?', args) as [readonly number[], readonly number[] | undefined];
    Object.assign(this, GaussianBlur.of(kernelSize, sigma));
  }

  /** @internal */
  static of(kernelSize: readonly number[], sigma: readonly number[]): GaussianBlur {
    const isOdd = kernelSize.every((size) => size % 2 === 1);
    if (kernelSize.length !== 1 && kernelSize.length !== 2 || !isOdd) {
      const message = `kernel_size must be one or two odd numbers, and is [${kernelSize.join(', ')}]`;
      throw failure('argument', 'GaussianBlur', message);
    }
    const range = sigma.length === 1 ? [sigma[0]!, sigma[0]!] : sigma;
    checkRange('GaussianBlur', 'sigma', range, 1e-12, Infinity);
    return make(GaussianBlur, { kernelSize, sigma: range });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('GaussianBlur.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const sigma = random.uniform(this.sigma[0]!, this.sigma[1]!);
      return withPictures(sample, (img) => gaussianBlur(img, this.kernelSize, [sigma]));
    });
  }
}
