// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** The trait of transforms, and transforms of transforms. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Random } from '../../../vision/host.js';
import { image, type TvTensor } from '../tv-tensors.js';

/** A transform of pictures, and of the masks and boxes that belong to them. */
export abstract class Transform {
  /**
   * The sample transformed, with the choices that `random` makes. All tensors of a sample are
   * transformed alike.
   *
   * @throws The errors of the transform's function.
   */
  abstract apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];

  /**
   * A picture transformed, or a batch of pictures, all alike. Choices follow from the generator
   * of the device, which `manualSeed` seeds.
   *
   * @throws `shape` if `img` has fewer than three dimensions, and the errors of the transform's
   * function.
   */
  forward(img: TensorLike): Tensor;
  forward(...args: unknown[]): Tensor {
    const [img] = bind('Transform.forward img:tensor', args) as [Tensor];
    return scope(() => {
      const made = this.apply([image(img)], Random.drawFrom(img));
      return made[0]!.data;
    });
  }

  /**
   * A sample of pictures, masks and boxes transformed. Choices follow from the generator of the
   * device, which `manualSeed` seeds.
   *
   * @throws `argument` if the sample is empty, and the errors of the transform's function.
   */
  forwardSample(sample: readonly TvTensor[]): readonly TvTensor[];
  forwardSample(...args: unknown[]): readonly TvTensor[] {
    const [sample] = bind('Transform.forwardSample sample:list', args) as [readonly TvTensor[]];
    return scope(() => {
      if (sample.length === 0) {
        throw failure('argument', 'forward_sample', 'sample must have a tensor');
      }
      return this.apply(sample, Random.drawFrom(sample[0]!.data));
    });
  }

  /**
   * A batch `[N, C, H, W]` of pictures transformed, each with the choices of its seed.
   *
   * @throws `shape` if there is not a seed for each picture, and the errors of the transform's function.
   */
  forwardBatch(imgs: TensorLike, seeds: number | readonly number[]): Tensor;
  forwardBatch(...args: unknown[]): Tensor {
    const [imgs, seeds] = bind('Transform.forwardBatch imgs:tensor seeds:ints', args) as [Tensor, readonly number[]];
    return scope(() => {
      if (imgs.ndim < 4 || imgs.shape[0]! !== seeds.length) {
        const [shape, count] = [imgs.shape, seeds.length];
        const message = `imgs must have shape [${count}, C, H, W] for ${count} seeds, and has [${shape.join(', ')}]`;
        throw failure('shape', 'forward_batch', message);
      }
      const made: Tensor[] = [];
      for (let index = 0; index < seeds.length; index++) {
        const own = imgs.select(0, index);
        const changed = this.apply([image(own)], Random.fromSeed(seeds[index]!));
        made.push(changed[0]!.data);
      }
      return torch.stack(made);
    });
  }
}

/** Whether an element of a sample is a picture or a video. */
export function isPicture(item: TvTensor): boolean {
  return item.kind === 'image' || item.kind === 'video';
}

/** The sample with its pictures changed by a function. */
export function withPictures(sample: readonly TvTensor[], change: (a: Tensor) => Tensor): readonly TvTensor[] {
  return scope(() => {
    const made: TvTensor[] = [];
    for (const item of sample) {
      made.push(isPicture(item) ? item.withData(change(item.data)) : item);
    }
    return made;
  });
}

/** Refuses a number that is no probability. */
export function checkProbability(op: string, p: number): void {
  if (p >= 0 && p <= 1) return;
  throw failure('argument', op, `p must be a probability from 0 to 1, and is ${p}`);
}

/**
 * Transforms in sequence, as `torchvision.transforms.Compose`.
 *
 * @example
 * const scale = new transforms.ToDtype('float32', true);
 * const center = new transforms.Normalize([0.5], [0.5]);
 * const both2 = new transforms.Compose([scale, center]);
 * const img = tensor([255], { dtype: 'uint8' }).reshape([1, 1, 1]);
 * await both2.forward(img).item(); // 1
 */
export class Compose extends Transform {
  /** @internal */
  readonly transforms!: readonly Transform[];

  constructor(transforms: readonly Transform[]);
  constructor(options: { transforms: readonly Transform[] });
  constructor(...args: unknown[]) {
    super();
    const [transforms] = bind('Compose transforms:list', args) as [readonly Transform[]];
    Object.assign(this, Compose.of(transforms));
  }

  /** @internal */
  static of(transforms: readonly Transform[]): Compose {
    return make(Compose, { transforms });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('Compose.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      let made: readonly TvTensor[] = [...sample];
      for (const transform of this.transforms) {
        made = transform.apply(made, random);
      }
      return made;
    });
  }
}

/**
 * Transforms in sequence with a probability, as `torchvision.transforms.RandomApply`.
 *
 * @example
 * const never = new transforms.RandomApply([new transforms.RandomHorizontalFlip(1)], 0);
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * await never.forward(img).tolist(); // [1, 2]
 */
export class RandomApply extends Transform {
  /** @internal */
  readonly transforms!: readonly Transform[];
  /** @internal */
  readonly p!: number;

  constructor(transforms: readonly Transform[], p?: number);
  constructor(transforms: readonly Transform[], options?: { p?: number });
  constructor(options: { transforms: readonly Transform[]; p?: number });
  constructor(...args: unknown[]) {
    super();
    const [transforms, p = 0.5] = bind('RandomApply transforms:list p:number?', args) as [readonly Transform[], number | undefined];
    Object.assign(this, RandomApply.of(transforms, p));
  }

  /** @internal */
  static of(transforms: readonly Transform[], p: number): RandomApply {
    checkProbability('RandomApply', p);
    return make(RandomApply, { transforms, p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomApply.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    let made: readonly TvTensor[] = [...sample];
    if (random.chance(this.p)) {
      for (const transform of this.transforms) {
        made = transform.apply(made, random);
      }
    }
    return made;
  }
}

/**
 * One of several transforms, as `torchvision.transforms.RandomChoice`.
 *
 * @example
 * const one = new transforms.RandomChoice([new transforms.RandomHorizontalFlip(1)], undefined);
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * await one.forward(img).tolist(); // [2, 1]
 */
export class RandomChoice extends Transform {
  /** @internal */
  readonly transforms!: readonly Transform[];
  /** @internal */
  readonly p!: readonly number[];

  constructor(transforms: readonly Transform[], p?: number | readonly number[] | null);
  constructor(transforms: readonly Transform[], options?: { p?: number | readonly number[] | null });
  constructor(options: { transforms: readonly Transform[]; p?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [transforms, p] = bind('RandomChoice transforms:list p:numbers?', args) as [readonly Transform[], readonly number[] | undefined];
    Object.assign(this, RandomChoice.of(transforms, p));
  }

  /** @internal */
  static of(transforms: readonly Transform[], p: readonly number[] | undefined): RandomChoice {
    const equal = Array.from({ length: transforms.length }, () => 1);
    let weights: readonly number[];
    if (p !== undefined) weights = p;
    else {
      weights = equal;
    }
    if (transforms.length === 0 || weights.length !== transforms.length) {
      const [count, given] = [transforms.length, weights.length];
      const message = `p must have a probability for each of ${count} transforms, and has ${given}`;
      throw failure('argument', 'RandomChoice', message);
    }
    return make(RandomChoice, { transforms, p: weights });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomChoice.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      let total = 0;
      for (const weight of this.p) {
        total += weight;
      }
      let rest = random.uniform(0, total);
      let chosen = 0;
      while (chosen + 1 < this.p.length && rest >= this.p[chosen]!) {
        rest -= this.p[chosen]!;
        chosen += 1;
      }
      return this.transforms[chosen]!.apply(sample, random);
    });
  }
}

/**
 * Transforms in a random order, as `torchvision.transforms.RandomOrder`.
 *
 * @example
 * const flip = new transforms.RandomHorizontalFlip(1);
 * const twice = new transforms.RandomOrder([flip, flip]);
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * await twice.forward(img).tolist(); // [1, 2]
 */
export class RandomOrder extends Transform {
  /** @internal */
  readonly transforms!: readonly Transform[];

  constructor(transforms: readonly Transform[]);
  constructor(options: { transforms: readonly Transform[] });
  constructor(...args: unknown[]) {
    super();
    const [transforms] = bind('RandomOrder transforms:list', args) as [readonly Transform[]];
    Object.assign(this, RandomOrder.of(transforms));
  }

  /** @internal */
  static of(transforms: readonly Transform[]): RandomOrder {
    return make(RandomOrder, { transforms });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomOrder.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      let made: readonly TvTensor[] = [...sample];
      for (const index of random.permutation(this.transforms.length)) {
        made = this.transforms[index]!.apply(made, random);
      }
      return made;
    });
  }
}

/**
 * A function of the program as a transform of pictures, as `torchvision.transforms.Lambda`.
 *
 * @example
 * const double = new transforms.Lambda((img) => img.mul(2));
 * await double.forward(ones([1, 1, 1])).item(); // 2
 */
export class Lambda extends Transform {
  /** @internal */
  readonly lambd!: (a: Tensor) => Tensor;

  constructor(lambd: (a: Tensor) => Tensor);
  constructor(options: { lambd: (a: Tensor) => Tensor });
  constructor(...args: unknown[]) {
    super();
    const [lambd] = bind('Lambda lambd:function', args) as [(a: Tensor) => Tensor];
    Object.assign(this, Lambda.of(lambd));
  }

  /** @internal */
  static of(lambd: (a: Tensor) => Tensor): Lambda {
    return make(Lambda, { lambd });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('Lambda.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const lambd = this.lambd;
      return withPictures(sample, (img) => lambd(img));
    });
  }
}
