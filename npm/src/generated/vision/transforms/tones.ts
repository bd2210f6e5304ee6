// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Transforms of values that happen with a probability. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import { Random } from '../../../vision/host.js';
import { adjustSharpness } from '../transforms/functional/filter.js';
import {
  autocontrast, equalize, invert, posterize, solarize,
} from '../transforms/functional/tone.js';
import { Transform, checkProbability, withPictures } from '../transforms/transform.js';
import type { TvTensor } from '../tv-tensors.js';

/**
 * Inverted pictures with a probability, as `torchvision.transforms.RandomInvert`.
 *
 * @example
 * const made = new transforms.RandomInvert(1).forward(ones([3, 4, 4]));
 * made.shape; // [3, 4, 4]
 */
export class RandomInvert extends Transform {
  /** @internal */
  readonly p!: number;

  constructor(p?: number);
  constructor(options?: { p?: number });
  constructor(...args: unknown[]) {
    super();
    const [p = 0.5] = bind('RandomInvert p:number?', args) as [number | undefined];
    Object.assign(this, RandomInvert.of(p));
  }

  /** @internal */
  static of(p: number): RandomInvert {
    checkProbability('RandomInvert', p);
    return make(RandomInvert, { p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomInvert.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    if (!random.chance(this.p)) return sample;
    return withPictures(sample, invert);
  }
}

/**
 * Pictures with values that cover the whole range with a probability, as
 * `torchvision.transforms.RandomAutocontrast`.
 *
 * @example
 * const made = new transforms.RandomAutocontrast(1).forward(ones([3, 4, 4]));
 * made.shape; // [3, 4, 4]
 */
export class RandomAutocontrast extends Transform {
  /** @internal */
  readonly p!: number;

  constructor(p?: number);
  constructor(options?: { p?: number });
  constructor(...args: unknown[]) {
    super();
    const [p = 0.5] = bind('RandomAutocontrast p:number?', args) as [number | undefined];
    Object.assign(this, RandomAutocontrast.of(p));
  }

  /** @internal */
  static of(p: number): RandomAutocontrast {
    checkProbability('RandomAutocontrast', p);
    return make(RandomAutocontrast, { p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomAutocontrast.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    if (!random.chance(this.p)) return sample;
    return withPictures(sample, autocontrast);
  }
}

/**
 * Pictures with equally frequent values with a probability, as
 * `torchvision.transforms.RandomEqualize`.
 *
 * @example
 * const made = new transforms.RandomEqualize(1).forward(ones([3, 4, 4]));
 * made.shape; // [3, 4, 4]
 */
export class RandomEqualize extends Transform {
  /** @internal */
  readonly p!: number;

  constructor(p?: number);
  constructor(options?: { p?: number });
  constructor(...args: unknown[]) {
    super();
    const [p = 0.5] = bind('RandomEqualize p:number?', args) as [number | undefined];
    Object.assign(this, RandomEqualize.of(p));
  }

  /** @internal */
  static of(p: number): RandomEqualize {
    checkProbability('RandomEqualize', p);
    return make(RandomEqualize, { p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomEqualize.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    if (!random.chance(this.p)) return sample;
    return withPictures(sample, equalize);
  }
}

/**
 * Pictures with fewer bits with a probability, as `torchvision.transforms.RandomPosterize`.
 *
 * @example
 * const made = new transforms.RandomPosterize(2, 1).forward(ones([3, 4, 4]));
 * made.shape; // [3, 4, 4]
 */
export class RandomPosterize extends Transform {
  /** @internal */
  readonly bits!: number;
  /** @internal */
  readonly p!: number;

  constructor(bits: number, p?: number);
  constructor(bits: number, options?: { p?: number });
  constructor(options: { bits: number; p?: number });
  constructor(...args: unknown[]) {
    super();
    const [bits, p = 0.5] = bind('RandomPosterize bits:int p:number?', args) as [number, number | undefined];
    Object.assign(this, RandomPosterize.of(bits, p));
  }

  /** @internal */
  static of(bits: number, p: number): RandomPosterize {
    if (!(bits >= 0 && bits <= 8)) {
      throw failure('argument', 'RandomPosterize', `bits must be from 0 to 8, and is ${bits}`);
    }
    checkProbability('RandomPosterize', p);
    return make(RandomPosterize, { bits, p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomPosterize.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      if (!random.chance(this.p)) return sample;
      return withPictures(sample, (img) => posterize(img, this.bits));
    });
  }
}

/**
 * Pictures with the larger values inverted with a probability, as
 * `torchvision.transforms.RandomSolarize`.
 *
 * @example
 * const made = new transforms.RandomSolarize(0.5, 1).forward(ones([3, 4, 4]));
 * made.shape; // [3, 4, 4]
 */
export class RandomSolarize extends Transform {
  /** @internal */
  readonly threshold!: number;
  /** @internal */
  readonly p!: number;

  constructor(threshold: number, p?: number);
  constructor(threshold: number, options?: { p?: number });
  constructor(options: { threshold: number; p?: number });
  constructor(...args: unknown[]) {
    super();
    const [threshold, p = 0.5] = bind('RandomSolarize threshold:number p:number?', args) as [number, number | undefined];
    Object.assign(this, RandomSolarize.of(threshold, p));
  }

  /** @internal */
  static of(threshold: number, p: number): RandomSolarize {
    checkProbability('RandomSolarize', p);
    return make(RandomSolarize, { threshold, p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomSolarize.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      if (!random.chance(this.p)) return sample;
      return withPictures(sample, (img) => solarize(img, this.threshold));
    });
  }
}

/**
 * Sharper or softer pictures with a probability, as
 * `torchvision.transforms.RandomAdjustSharpness`.
 *
 * @example
 * const made = new transforms.RandomAdjustSharpness(2, 1).forward(ones([3, 4, 4]));
 * made.shape; // [3, 4, 4]
 */
export class RandomAdjustSharpness extends Transform {
  /** @internal */
  readonly sharpnessFactor!: number;
  /** @internal */
  readonly p!: number;

  constructor(sharpnessFactor: number, p?: number);
  constructor(sharpnessFactor: number, options?: { p?: number });
  constructor(options: { sharpnessFactor: number; p?: number });
  constructor(...args: unknown[]) {
    super();
    const [sharpnessFactor, p = 0.5] = bind('RandomAdjustSharpness sharpnessFactor:number p:number?', args) as [number, number | undefined];
    Object.assign(this, RandomAdjustSharpness.of(sharpnessFactor, p));
  }

  /** @internal */
  static of(sharpnessFactor: number, p: number): RandomAdjustSharpness {
    if (sharpnessFactor < 0) {
      const message = `sharpness_factor must not be negative, and is ${sharpnessFactor}`;
      throw failure('argument', 'RandomAdjustSharpness', message);
    }
    checkProbability('RandomAdjustSharpness', p);
    return make(RandomAdjustSharpness, { sharpnessFactor, p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomAdjustSharpness.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      if (!random.chance(this.p)) return sample;
      return withPictures(sample, (img) => adjustSharpness(img, this.sharpnessFactor));
    });
  }
}
