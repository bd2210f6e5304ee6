// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Transforms of sizes, and flips. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import { Random } from '../../../vision/host.js';
import { fiveCrop, tenCrop } from '../transforms/functional/crop.js';
import type { InterpolationMode } from '../transforms/functional/meta.js';
import { paddingEnds, type ImagePadding } from '../transforms/functional/pad.js';
import { computeSize } from '../transforms/functional/resize.js';
import { canvasOf, cropItem, flipItem, padItem, resizeItem } from '../transforms/items.js';
import { Transform, checkProbability } from '../transforms/transform.js';
import type { TvTensor } from '../tv-tensors.js';

/**
 * Pictures of another size, as `torchvision.transforms.Resize`.
 *
 * @example
 * const resize2 = new transforms.Resize([2], 'bilinear', undefined, true);
 * resize2.forward(ones([3, 4, 8])).shape; // [3, 2, 4]
 */
export class Resize extends Transform {
  /** @internal */
  readonly size!: readonly number[];
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly maxSize!: number | undefined;
  /** @internal */
  readonly antialias!: boolean;

  constructor(size: number | readonly number[], interpolation?: InterpolationMode, maxSize?: number | null, antialias?: boolean);
  constructor(size: number | readonly number[], options?: { interpolation?: InterpolationMode; maxSize?: number | null; antialias?: boolean });
  constructor(options: { size: number | readonly number[]; interpolation?: InterpolationMode; maxSize?: number | null; antialias?: boolean });
  constructor(...args: unknown[]) {
    super();
    const [size, interpolation = 'bilinear', maxSize, antialias = true] = bind('Resize size:ints interpolation:=nearest|nearest_exact|bilinear|bicubic? maxSize:int? antialias:bool?', args) as [readonly number[], InterpolationMode | undefined, number | undefined, boolean | undefined];
    Object.assign(this, Resize.of(size, interpolation, maxSize, antialias));
  }

  /** @internal */
  static of(size: readonly number[], interpolation: InterpolationMode, maxSize: number | undefined, antialias: boolean): Resize {
    computeSize('Resize', 1, 1, maxSize, size);
    return make(Resize, { size, interpolation, maxSize, antialias });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('Resize.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const [height, width] = canvasOf('Resize', sample);
      const [rows, columns] = computeSize('Resize', height, width, this.maxSize, this.size);
      const made: TvTensor[] = [];
      for (const item of sample) {
        made.push(resizeItem(item, rows, columns, this.interpolation, this.antialias));
      }
      return made;
    });
  }
}

/** The height and the width of a size, or one number for both. */
export function both(op: string, size: readonly number[]): [number, number] {
  if (size.length !== 1 && size.length !== 2) {
    throw failure('argument', op, 'size must be one number or the height and the width');
  }
  return [size[0]!, size[size.length - 1]!];
}

/**
 * The part in the middle of pictures, as `torchvision.transforms.CenterCrop`.
 *
 * @example
 * const middle = new transforms.CenterCrop([2]).forward(ones([3, 4, 8]));
 * middle.shape; // [3, 2, 2]
 */
export class CenterCrop extends Transform {
  /** @internal */
  readonly height!: number;
  /** @internal */
  readonly width!: number;

  constructor(size: number | readonly number[]);
  constructor(options: { size: number | readonly number[] });
  constructor(...args: unknown[]) {
    super();
    const [size] = bind('CenterCrop size:ints', args) as [readonly number[]];
    Object.assign(this, CenterCrop.of(size));
  }

  /** @internal */
  static of(size: readonly number[]): CenterCrop {
    const [height, width] = both('CenterCrop', size);
    return make(CenterCrop, { height, width });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('CenterCrop.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const [rows, columns] = canvasOf('CenterCrop', sample);
      const [top, left] = [offset(rows, this.height), offset(columns, this.width)];
      const made: TvTensor[] = [];
      for (const item of sample) {
        made.push(cropItem(item, top, left, this.height, this.width));
      }
      return made;
    });
  }
}

/**
 * Half of the difference of two sizes, rounded to the nearest even integer for a crop, and away
 * from zero for a border.
 */
function offset(from: number, to: number): number {
  const room = from - to;
  if (room < 0) return -Math.trunc((-room) / 2);
  const half = Math.trunc(room / 2);
  if (room % 2 === 0 || half % 2 === 0) return half;
  return half + 1;
}

/**
 * Pictures with a border, as `torchvision.transforms.Pad`. The border of a mask is 0.
 *
 * @example
 * const pad2 = new transforms.Pad([1], [0], 'constant');
 * pad2.forward(ones([3, 4, 8])).shape; // [3, 6, 10]
 */
export class Pad extends Transform {
  /** @internal */
  readonly ends!: readonly number[];
  /** @internal */
  readonly fill!: readonly number[];
  /** @internal */
  readonly paddingMode!: ImagePadding;

  constructor(padding: number | readonly number[], fill?: number | readonly number[], paddingMode?: ImagePadding);
  constructor(padding: number | readonly number[], options?: { fill?: number | readonly number[]; paddingMode?: ImagePadding });
  constructor(options: { padding: number | readonly number[]; fill?: number | readonly number[]; paddingMode?: ImagePadding });
  constructor(...args: unknown[]) {
    super();
    const [padding, fill = [0], paddingMode = 'constant'] = bind('Pad padding:ints fill:numbers? paddingMode:=constant|edge|reflect|symmetric?', args) as [readonly number[], readonly number[] | undefined, ImagePadding | undefined];
    Object.assign(this, Pad.of(padding, fill, paddingMode));
  }

  /** @internal */
  static of(padding: readonly number[], fill: readonly number[], paddingMode: ImagePadding): Pad {
    return make(Pad, { ends: paddingEnds('Pad', padding), fill, paddingMode });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('Pad.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const made: TvTensor[] = [];
      for (const item of sample) {
        made.push(padItem('Pad', item, this.ends, this.fill, this.paddingMode));
      }
      return made;
    });
  }
}

/**
 * Pictures mirrored from left to right with a probability, as
 * `torchvision.transforms.RandomHorizontalFlip`.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 1, 2]);
 * const flipped = new transforms.RandomHorizontalFlip(1).forward(img);
 * await flipped.tolist(); // [2, 1]
 */
export class RandomHorizontalFlip extends Transform {
  /** @internal */
  readonly p!: number;

  constructor(p?: number);
  constructor(options?: { p?: number });
  constructor(...args: unknown[]) {
    super();
    const [p = 0.5] = bind('RandomHorizontalFlip p:number?', args) as [number | undefined];
    Object.assign(this, RandomHorizontalFlip.of(p));
  }

  /** @internal */
  static of(p: number): RandomHorizontalFlip {
    checkProbability('RandomHorizontalFlip', p);
    return make(RandomHorizontalFlip, { p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomHorizontalFlip.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return flipByChance(sample, random, this.p, true);
  }
}

/** The sample mirrored with a probability. */
function flipByChance(sample: readonly TvTensor[], random: Random, p: number, isHorizontal: boolean): readonly TvTensor[] {
  return scope(() => {
    if (!random.chance(p)) return sample;
    const made: TvTensor[] = [];
    for (const item of sample) {
      made.push(flipItem(item, isHorizontal));
    }
    return made;
  });
}

/**
 * Pictures mirrored from top to bottom with a probability, as
 * `torchvision.transforms.RandomVerticalFlip`.
 *
 * @example
 * const img = tensor([1, 2]).reshape([1, 2, 1]);
 * const flipped = new transforms.RandomVerticalFlip(1).forward(img);
 * await flipped.tolist(); // [2, 1]
 */
export class RandomVerticalFlip extends Transform {
  /** @internal */
  readonly p!: number;

  constructor(p?: number);
  constructor(options?: { p?: number });
  constructor(...args: unknown[]) {
    super();
    const [p = 0.5] = bind('RandomVerticalFlip p:number?', args) as [number | undefined];
    Object.assign(this, RandomVerticalFlip.of(p));
  }

  /** @internal */
  static of(p: number): RandomVerticalFlip {
    checkProbability('RandomVerticalFlip', p);
    return make(RandomVerticalFlip, { p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomVerticalFlip.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return flipByChance(sample, random, this.p, false);
  }
}

/**
 * The four corners and the middle of a picture, as `torchvision.transforms.FiveCrop`. It has
 * several results, so it is no step of `Compose`.
 *
 * @example
 * const parts = new transforms.FiveCrop([2]).forward(ones([3, 4, 8]));
 * parts.length; // 5
 */
export class FiveCrop {
  /** @internal */
  readonly size!: readonly number[];

  constructor(size: number | readonly number[]);
  constructor(options: { size: number | readonly number[] });
  constructor(...args: unknown[]) {
    const [size] = bind('FiveCrop size:ints', args) as [readonly number[]];
    Object.assign(this, FiveCrop.of(size));
  }

  /** @internal */
  static of(size: readonly number[]): FiveCrop {
    const [height, width] = both('FiveCrop', size);
    return make(FiveCrop, { size: [height, width] });
  }

  /**
   * The parts: upper left, upper right, lower left, lower right, middle.
   *
   * @throws `argument` if the size is larger than the picture.
   */
  forward(img: TensorLike): readonly Tensor[];
  forward(...args: unknown[]): readonly Tensor[] {
    const [img] = bind('FiveCrop.forward img:tensor', args) as [Tensor];
    return fiveCrop(img, this.size);
  }
}

/**
 * `FiveCrop` of a picture and of its mirror image, as `torchvision.transforms.TenCrop`.
 *
 * @example
 * const parts = new transforms.TenCrop([2], false).forward(ones([3, 4, 8]));
 * parts.length; // 10
 */
export class TenCrop {
  /** @internal */
  readonly size!: readonly number[];
  /** @internal */
  readonly verticalFlip!: boolean;

  constructor(size: number | readonly number[], verticalFlip?: boolean);
  constructor(size: number | readonly number[], options?: { verticalFlip?: boolean });
  constructor(options: { size: number | readonly number[]; verticalFlip?: boolean });
  constructor(...args: unknown[]) {
    const [size, verticalFlip = false] = bind('TenCrop size:ints verticalFlip:bool?', args) as [readonly number[], boolean | undefined];
    Object.assign(this, TenCrop.of(size, verticalFlip));
  }

  /** @internal */
  static of(size: readonly number[], verticalFlip2: boolean): TenCrop {
    const [height, width] = both('TenCrop', size);
    return make(TenCrop, { size: [height, width], verticalFlip: verticalFlip2 });
  }

  /**
   * The parts of the picture, and of its mirror image.
   *
   * @throws `argument` if the size is larger than the picture.
   */
  forward(img: TensorLike): readonly Tensor[];
  forward(...args: unknown[]): readonly Tensor[] {
    const [img] = bind('TenCrop.forward img:tensor', args) as [Tensor];
    return tenCrop(img, this.size, this.verticalFlip);
  }
}
