// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Automatic augmentations. */
import { bind, failure, make, mapValue } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import { Random, toFloat } from '../../../vision/host.js';
import {
  Limits, augment, augmentations, magnitudeOf, type Augmentation,
} from '../transforms/augmentations.js';
import type { InterpolationMode } from '../transforms/functional/meta.js';
import { canvasOf } from '../transforms/items.js';
import { cifar10Policy, imagenetPolicy, svhnPolicy, type Step } from '../transforms/policies.js';
import { Transform, withPictures } from '../transforms/transform.js';
import type { TvTensor } from '../tv-tensors.js';

/** Refuses masks and boxes, which these transforms do not move. */
function checkSample(op: string, sample: readonly TvTensor[]): void {
  for (const item of sample) {
    if (item.kind === 'mask' || item.kind === 'bounding_boxes') {
      throw failure('argument', op, 'transforms pictures alone, without masks and boxes');
    }
  }
}

/** The limits of most augmentations, for a picture of this size. */
function usualLimits(across: number, down: number): Limits {
  return make(Limits, { shear: 0.3, across, down, angle: 30, factor: 0.9, bits: 4, mostBits: 8 });
}

/** The limits of translations by a part of the size. */
function limitsOf(rows: number, columns: number): Limits {
  const part = 150 / 331;
  return usualLimits(part * columns, part * rows);
}

/** A change with its magnitude. */
export class Choice {
  /** @internal */
  readonly change!: Augmentation;
  /** @internal */
  readonly magnitude!: number;
}

/** A picture with several changes in sequence. */
function augmentAll(img: Tensor, choices: readonly Choice[], mode: InterpolationMode, fill: readonly number[] | undefined): Tensor {
  return scope(() => {
    let made = img;
    for (const choice of choices) {
      made = augment(made, choice.change, choice.magnitude, mode, fill);
    }
    return made;
  });
}

/**
 * Pictures with several random changes of one magnitude, as `torchvision.transforms.RandAugment`.
 *
 * Source: Cubuk et al., "RandAugment" (2019).
 *
 * @example
 * const img = ones([3, 8, 8]).to('uint8');
 * const made = new transforms.RandAugment(2, 9, 31, 'nearest', undefined).forward(img);
 * made.shape; // [3, 8, 8]
 */
export class RandAugment extends Transform {
  /** @internal */
  readonly numOps!: number;
  /** @internal */
  readonly magnitude!: number;
  /** @internal */
  readonly numMagnitudeBins!: number;
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly fill!: readonly number[] | undefined;

  constructor(numOps?: number, magnitude?: number, numMagnitudeBins?: number, interpolation?: InterpolationMode, fill?: number | readonly number[] | null);
  constructor(options?: { numOps?: number; magnitude?: number; numMagnitudeBins?: number; interpolation?: InterpolationMode; fill?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [numOps = 2, magnitude = 9, numMagnitudeBins = 31, interpolation = 'nearest', fill] = bind('RandAugment numOps:int? magnitude:int? numMagnitudeBins:int? interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers?', args) as [number | undefined, number | undefined, number | undefined, InterpolationMode | undefined, readonly number[] | undefined];
    Object.assign(this, RandAugment.of(numOps, magnitude, numMagnitudeBins, interpolation, fill));
  }

  /** @internal */
  static of(numOps: number, magnitude: number, numMagnitudeBins: number, interpolation: InterpolationMode, fill: readonly number[] | undefined): RandAugment {
    if (magnitude >= numMagnitudeBins) {
      const message = `magnitude must be below ${numMagnitudeBins} bins, and is ${magnitude}`;
      throw failure('argument', 'RandAugment', message);
    }
    const fill2 = mapValue(fill, (list) => list);
    return make(RandAugment, { numOps, magnitude, numMagnitudeBins, interpolation, fill: fill2 });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandAugment.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      checkSample('RandAugment', sample);
      const [rows, columns] = canvasOf('RandAugment', sample);
      const [all, limits] = [augmentations(), limitsOf(rows, columns)];
      const choices: Choice[] = [];
      for (let step = 0; step < this.numOps; step++) {
        const change = all[random.below(all.length)]!;
        const magnitude = magnitudeOf(
          random,
          change,
          this.magnitude,
          this.numMagnitudeBins,
          limits,
        );
        choices.push(make(Choice, { change, magnitude }));
      }
      return withPictures(sample, (img) => augmentAll(img, choices, this.interpolation, this.fill));
    });
  }
}

/**
 * Pictures with one random change of a random magnitude, as
 * `torchvision.transforms.TrivialAugmentWide`.
 *
 * Source: Mueller and Hutter, "TrivialAugment" (2021).
 *
 * @example
 * const img = ones([3, 8, 8]).to('uint8');
 * const made = new transforms.TrivialAugmentWide(31, 'nearest', undefined).forward(img);
 * made.shape; // [3, 8, 8]
 */
export class TrivialAugmentWide extends Transform {
  /** @internal */
  readonly numMagnitudeBins!: number;
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly fill!: readonly number[] | undefined;

  constructor(numMagnitudeBins?: number, interpolation?: InterpolationMode, fill?: number | readonly number[] | null);
  constructor(options?: { numMagnitudeBins?: number; interpolation?: InterpolationMode; fill?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [numMagnitudeBins = 31, interpolation = 'nearest', fill] = bind('TrivialAugmentWide numMagnitudeBins:int? interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers?', args) as [number | undefined, InterpolationMode | undefined, readonly number[] | undefined];
    Object.assign(this, TrivialAugmentWide.of(numMagnitudeBins, interpolation, fill));
  }

  /** @internal */
  static of(numMagnitudeBins: number, interpolation: InterpolationMode, fill: readonly number[] | undefined): TrivialAugmentWide {
    if (numMagnitudeBins < 2) {
      const message = `num_magnitude_bins must be at least 2, and is ${numMagnitudeBins}`;
      throw failure('argument', 'TrivialAugmentWide', message);
    }
    return make(
      TrivialAugmentWide,
      { numMagnitudeBins, interpolation, fill: mapValue(fill, (list) => list) },
    );
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('TrivialAugmentWide.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      checkSample('TrivialAugmentWide', sample);
      const limits = make(
        Limits,
        { shear: 0.99, across: 32, down: 32, angle: 135, factor: 0.99, bits: 6, mostBits: 8 },
      );
      const all = augmentations();
      const change = all[random.below(all.length)]!;
      const level = random.below(this.numMagnitudeBins);
      const magnitude = magnitudeOf(random, change, level, this.numMagnitudeBins, limits);
      return withPictures(
        sample,
        (img) => augment(img, change, magnitude, this.interpolation, this.fill),
      );
    });
  }
}

/** The data on which a policy was found. */
export type AutoAugmentPolicy = 'imagenet' | 'cifar10' | 'svhn';

/**
 * Pictures with a random pair of changes of a learned policy, as
 * `torchvision.transforms.AutoAugment`.
 *
 * Source: Cubuk et al., "AutoAugment" (2018).
 *
 * @example
 * const img = ones([3, 8, 8]).to('uint8');
 * const augment2 = new transforms.AutoAugment('cifar10', 'nearest', undefined);
 * augment2.forward(img).shape; // [3, 8, 8]
 */
export class AutoAugment extends Transform {
  /** @internal */
  readonly policy!: AutoAugmentPolicy;
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly fill!: readonly number[] | undefined;

  constructor(policy?: AutoAugmentPolicy, interpolation?: InterpolationMode, fill?: number | readonly number[] | null);
  constructor(options?: { policy?: AutoAugmentPolicy; interpolation?: InterpolationMode; fill?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [policy = 'imagenet', interpolation = 'nearest', fill] = bind('AutoAugment policy:=imagenet|cifar10|svhn? interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers?', args) as [AutoAugmentPolicy | undefined, InterpolationMode | undefined, readonly number[] | undefined];
    Object.assign(this, AutoAugment.of(policy, interpolation, fill));
  }

  /** @internal */
  static of(policy: AutoAugmentPolicy, interpolation: InterpolationMode, fill: readonly number[] | undefined): AutoAugment {
    return make(AutoAugment, { policy, interpolation, fill: mapValue(fill, (list) => list) });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('AutoAugment.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      checkSample('AutoAugment', sample);
      const [rows, columns] = canvasOf('AutoAugment', sample);
      const limits = limitsOf(rows, columns);
      let pairs: readonly [Step, Step][];
      const policy = this.policy;
      if (policy === 'imagenet') pairs = imagenetPolicy();
      else if (policy === 'cifar10') pairs = cifar10Policy();
      else {
        pairs = svhnPolicy();
      }
      const pair = pairs[random.below(pairs.length)]!;
      const choices: Choice[] = [];
      for (const step of pair) {
        if (random.chance(step.p)) {
          const magnitude = magnitudeOf(random, step.change, step.magnitude, 10, limits);
          choices.push(make(Choice, { change: step.change, magnitude }));
        }
      }
      return withPictures(sample, (img) => augmentAll(img, choices, this.interpolation, this.fill));
    });
  }
}

/**
 * Pictures mixed with chains of random changes of them, as `torchvision.transforms.AugMix`.
 *
 * Source: Hendrycks et al., "AugMix" (2020).
 *
 * @example
 * const img = ones([3, 8, 8]).to('uint8');
 * const mix = new transforms.AugMix(3, 3, -1, 1, true, 'bilinear', undefined);
 * mix.forward(img).shape; // [3, 8, 8]
 */
export class AugMix extends Transform {
  /** @internal */
  readonly severity!: number;
  /** @internal */
  readonly mixtureWidth!: number;
  /** @internal */
  readonly chainDepth!: number;
  /** @internal */
  readonly alpha!: number;
  /** @internal */
  readonly allOps!: boolean;
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly fill!: readonly number[] | undefined;

  constructor(severity?: number, mixtureWidth?: number, chainDepth?: number, alpha?: number, allOps?: boolean, interpolation?: InterpolationMode, fill?: number | readonly number[] | null);
  constructor(options?: { severity?: number; mixtureWidth?: number; chainDepth?: number; alpha?: number; allOps?: boolean; interpolation?: InterpolationMode; fill?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [severity = 3, mixtureWidth = 3, chainDepth = -1, alpha = 1, allOps = true, interpolation = 'bilinear', fill] = bind('AugMix severity:int? mixtureWidth:int? chainDepth:int? alpha:number? allOps:bool? interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers?', args) as [number | undefined, number | undefined, number | undefined, number | undefined, boolean | undefined, InterpolationMode | undefined, readonly number[] | undefined];
    Object.assign(this, AugMix.of(severity, mixtureWidth, chainDepth, alpha, allOps, interpolation, fill));
  }

  /** @internal */
  static of(severity: number, mixtureWidth: number, chainDepth: number, alpha: number, allOps: boolean, interpolation: InterpolationMode, fill: readonly number[] | undefined): AugMix {
    if (!(severity >= 1 && severity <= 10) || alpha <= 0) {
      const message = `severity must be from 1 to 10 and alpha positive, not ${severity} and ${alpha}`;
      throw failure('argument', 'AugMix', message);
    }
    const fill2 = mapValue(fill, (list) => list);
    return make(
      AugMix,
      { severity, mixtureWidth, chainDepth, alpha, allOps, interpolation, fill: fill2 },
    );
  }

  /** @internal */
  chain(random: Random, rows: number, columns: number): readonly Choice[] {
    return scope(() => {
      const limits = make(Limits, { ...usualLimits(columns / 3, rows / 3), mostBits: 4 });
      const all: Augmentation[] = [];
      for (const change of augmentations()) {
        const isColor = change === 'brightness' || change === 'color' || change === 'contrast'
          || change === 'sharpness';
        if (change !== 'identity' && (this.allOps || !isColor)) all.push(change);
      }
      const depth = this.chainDepth > 0 ? this.chainDepth : random.below(3) + 1;
      const choices: Choice[] = [];
      for (let step = 0; step < depth; step++) {
        const change = all[random.below(all.length)]!;
        const magnitude = magnitudeOf(random, change, random.below(this.severity), 10, limits);
        choices.push(make(Choice, { change, magnitude }));
      }
      return choices;
    });
  }

  /** @internal */
  mixChains(img: Tensor, chains: readonly (readonly Choice[])[], own: number, shares: readonly number[]): Tensor {
    return scope(() => {
      let made = toFloat(img).mul(own);
      for (let index = 0; index < chains.length; index++) {
        const changed = augmentAll(img, chains[index]!, this.interpolation, this.fill);
        made = made.add(toFloat(changed).mul(shares[index]!));
      }
      return made.to(img.dtype);
    });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('AugMix.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      checkSample('AugMix', sample);
      const [rows, columns] = canvasOf('AugMix', sample);
      const [first, second] = [random.gamma(this.alpha), random.gamma(this.alpha)];
      const own = first / (first + second);
      const chains: (readonly Choice[])[] = [];
      const parts: number[] = [];
      let total = 0;
      for (let step = 0; step < this.mixtureWidth; step++) {
        chains.push(this.chain(random, rows, columns));
        const part = random.gamma(this.alpha);
        parts.push(part);
        total += part;
      }
      const shares = parts.map((part) => part / total * (1 - own));
      return withPictures(sample, (img) => this.mixChains(img, chains, own, shares));
    });
  }
}
