// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Random parts and random sizes of pictures. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import { Random } from '../../../vision/host.js';
import type { InterpolationMode } from '../transforms/functional/meta.js';
import { paddingEnds, type ImagePadding } from '../transforms/functional/pad.js';
import { both } from '../transforms/geometry.js';
import { canvasOf, cropItem, padItem, resizeItem } from '../transforms/items.js';
import { Transform, checkProbability } from '../transforms/transform.js';
import type { TvTensor } from '../tv-tensors.js';

/**
 * A random part of pictures, as `torchvision.transforms.RandomCrop`.
 *
 * @example
 * const crop2 = new transforms.RandomCrop([4], [1], false, [0], 'constant');
 * crop2.forward(ones([3, 4, 8])).shape; // [3, 4, 4]
 */
export class RandomCrop extends Transform {
  /** @internal */
  readonly height!: number;
  /** @internal */
  readonly width!: number;
  /** @internal */
  readonly padding!: readonly number[];
  /** @internal */
  readonly padIfNeeded!: boolean;
  /** @internal */
  readonly fill!: readonly number[];
  /** @internal */
  readonly paddingMode!: ImagePadding;

  constructor(size: number | readonly number[], padding?: number | readonly number[] | null, padIfNeeded?: boolean, fill?: number | readonly number[], paddingMode?: ImagePadding);
  constructor(size: number | readonly number[], options?: { padding?: number | readonly number[] | null; padIfNeeded?: boolean; fill?: number | readonly number[]; paddingMode?: ImagePadding });
  constructor(options: { size: number | readonly number[]; padding?: number | readonly number[] | null; padIfNeeded?: boolean; fill?: number | readonly number[]; paddingMode?: ImagePadding });
  constructor(...args: unknown[]) {
    super();
    const [size, padding, padIfNeeded = false, fill = [0], paddingMode = 'constant'] = bind('RandomCrop size:ints padding:ints? padIfNeeded:bool? fill:numbers? paddingMode:=constant|edge|reflect|symmetric?', args) as [readonly number[], readonly number[] | undefined, boolean | undefined, readonly number[] | undefined, ImagePadding | undefined];
    Object.assign(this, RandomCrop.of(size, padding, padIfNeeded, fill, paddingMode));
  }

  /** @internal */
  static of(size: readonly number[], padding: readonly number[] | undefined, padIfNeeded: boolean, fill: readonly number[], paddingMode: ImagePadding): RandomCrop {
    const [height, width] = both('RandomCrop', size);
    let ends: readonly number[];
    if (padding !== undefined) ends = paddingEnds('RandomCrop', padding);
    else {
      ends = [0, 0, 0, 0];
    }
    return make(RandomCrop, { height, width, padding: ends, padIfNeeded, fill, paddingMode });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomCrop.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const [rows, columns] = canvasOf('RandomCrop', sample);
      const ends = [...this.padding];
      const [height, width] = [this.height, this.width];
      let down = rows + ends[2]! + ends[3]!;
      let across = columns + ends[0]! + ends[1]!;
      if (this.padIfNeeded && down < height) {
        const missing = height - down;
        ends[2]! += missing;
        ends[3]! += missing;
        down += 2 * missing;
      }
      if (this.padIfNeeded && across < width) {
        const missing = width - across;
        ends[0]! += missing;
        ends[1]! += missing;
        across += 2 * missing;
      }
      if (down < height || across < width) {
        const message = `a part of ${height} x ${width} is larger than the padded picture of ${down} x ${across}`;
        throw failure('shape', 'RandomCrop', message);
      }
      const top = random.below(down - height + 1);
      const left = random.below(across - width + 1);
      const made: TvTensor[] = [];
      for (const item of sample) {
        const wide = padItem('RandomCrop', item, ends, this.fill, this.paddingMode);
        made.push(cropItem(wide, top, left, this.height, this.width));
      }
      return made;
    });
  }
}

/**
 * A random rectangle of a relative area from `scale[0]` to `scale[1]` and a ratio of the width to
 * the height from `ratio[0]` to `ratio[1]`: its height and its width, or nothing after ten tries
 * that do not fit.
 */
export function rectangle(random: Random, rows: number, columns: number, scale: readonly number[], ratio: readonly number[]): [number, number] | undefined {
  const area = rows * columns;
  for (let step = 0; step < 10; step++) {
    const part = area * random.uniform(scale[0]!, scale[1]!);
    const aspect2 = Math.exp(random.uniform(Math.log(ratio[0]!), Math.log(ratio[1]!)));
    const width = Math.trunc(Math.floor(Math.sqrt(part * aspect2) + 0.5));
    const height = Math.trunc(Math.floor(Math.sqrt(part / aspect2) + 0.5));
    if (width > 0 && width <= columns && height > 0 && height <= rows) return [height, width];
  }
  return undefined;
}

/** Refuses a range that does not have two numbers in order. */
export function checkRange(op: string, name: string, range: readonly number[], low: number, high: number): void {
  if (range.length !== 2 || range[0]! > range[1]! || range[0]! < low || range[1]! > high) {
    throw failure('argument', op, `${name} must be two numbers in order, from ${low} to ${high}`);
  }
}

/**
 * A random part of pictures in a fixed size, as `torchvision.transforms.RandomResizedCrop`.
 *
 * @example
 * const mode = 'bilinear';
 * const crop2 = new transforms.RandomResizedCrop([4], [0.08, 1], [0.75, 4 / 3], mode, true);
 * crop2.forward(ones([3, 8, 8])).shape; // [3, 4, 4]
 */
export class RandomResizedCrop extends Transform {
  /** @internal */
  readonly height!: number;
  /** @internal */
  readonly width!: number;
  /** @internal */
  readonly scale!: readonly number[];
  /** @internal */
  readonly ratio!: readonly number[];
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly antialias!: boolean;

  constructor(size: number | readonly number[], scale?: number | readonly number[], ratio?: number | readonly number[], interpolation?: InterpolationMode, antialias?: boolean);
  constructor(size: number | readonly number[], options?: { scale?: number | readonly number[]; ratio?: number | readonly number[]; interpolation?: InterpolationMode; antialias?: boolean });
  constructor(options: { size: number | readonly number[]; scale?: number | readonly number[]; ratio?: number | readonly number[]; interpolation?: InterpolationMode; antialias?: boolean });
  constructor(...args: unknown[]) {
    super();
    const [size, scale = [0.08, 1], ratio = [3 / 4, 4 / 3], interpolation = 'bilinear', antialias = true] = bind('RandomResizedCrop size:ints scale:numbers? ratio:numbers? interpolation:=nearest|nearest_exact|bilinear|bicubic? antialias:bool?', args) as [readonly number[], readonly number[] | undefined, readonly number[] | undefined, InterpolationMode | undefined, boolean | undefined];
    Object.assign(this, RandomResizedCrop.of(size, scale, ratio, interpolation, antialias));
  }

  /** @internal */
  static of(size: readonly number[], scale: readonly number[], ratio: readonly number[], interpolation: InterpolationMode, antialias: boolean): RandomResizedCrop {
    const [height, width] = both('RandomResizedCrop', size);
    checkRange('RandomResizedCrop', 'scale', scale, 0, Infinity);
    checkRange('RandomResizedCrop', 'ratio', ratio, 0, Infinity);
    const [scale2, ratio2] = [scale, ratio];
    return make(
      RandomResizedCrop,
      { height, width, scale: scale2, ratio: ratio2, interpolation, antialias },
    );
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomResizedCrop.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const [rows, columns] = canvasOf('RandomResizedCrop', sample);
      const found = rectangle(random, rows, columns, this.scale, this.ratio);
      let size: [number, number];
      if (found !== undefined) size = found;
      else {
        size = largest(rows, columns, this.ratio);
      }
      const [height, width] = size;
      const isRandom = found !== undefined;
      const top = isRandom ? random.below(rows - height + 1) : Math.trunc((rows - height) / 2);
      const left = isRandom ? random.below(columns - width + 1) : Math.trunc((columns - width) / 2);
      const made: TvTensor[] = [];
      for (const item of sample) {
        const part = cropItem(item, top, left, height, width);
        made.push(resizeItem(part, this.height, this.width, this.interpolation, this.antialias));
      }
      return made;
    });
  }
}

/** The largest size in a picture with a ratio of the width to the height in a range. */
function largest(rows: number, columns: number, ratio: readonly number[]): [number, number] {
  const own = columns / rows;
  if (own < ratio[0]!) return [Math.trunc(Math.floor(columns / ratio[0]! + 0.5)), columns];
  if (own > ratio[1]!) return [rows, Math.trunc(Math.floor(rows * ratio[1]! + 0.5))];
  return [rows, columns];
}

/**
 * Pictures in the middle of a larger empty one with a probability, as
 * `torchvision.transforms.v2.RandomZoomOut`.
 *
 * @example
 * const zoom = new transforms.RandomZoomOut([0], [2, 2], 1);
 * zoom.forward(ones([3, 4, 8])).shape; // [3, 8, 16]
 */
export class RandomZoomOut extends Transform {
  /** @internal */
  readonly fill!: readonly number[];
  /** @internal */
  readonly sideRange!: readonly number[];
  /** @internal */
  readonly p!: number;

  constructor(fill?: number | readonly number[], sideRange?: number | readonly number[], p?: number);
  constructor(options?: { fill?: number | readonly number[]; sideRange?: number | readonly number[]; p?: number });
  constructor(...args: unknown[]) {
    super();
    const [fill = [0], sideRange = [1, 4], p = 0.5] = bind('RandomZoomOut fill:numbers? sideRange:numbers? p:number?', args) as [readonly number[] | undefined, readonly number[] | undefined, number | undefined];
    Object.assign(this, RandomZoomOut.of(fill, sideRange, p));
  }

  /** @internal */
  static of(fill: readonly number[], sideRange: readonly number[], p: number): RandomZoomOut {
    checkRange('RandomZoomOut', 'side_range', sideRange, 1, Infinity);
    checkProbability('RandomZoomOut', p);
    return make(RandomZoomOut, { fill, sideRange, p });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomZoomOut.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      if (!random.chance(this.p)) return sample;
      const [rows, columns] = canvasOf('RandomZoomOut', sample);
      const side = random.uniform(this.sideRange[0]!, this.sideRange[1]!);
      const across = Math.trunc(columns * side) - columns;
      const down = Math.trunc(rows * side) - rows;
      const left = Math.trunc(across * random.uniform(0, 1));
      const top = Math.trunc(down * random.uniform(0, 1));
      const ends: [number, number, number, number] = [
        Math.trunc(left),
        Math.trunc(across - left),
        Math.trunc(top),
        Math.trunc(down - top),
      ];
      const made: TvTensor[] = [];
      for (const item of sample) {
        made.push(padItem('RandomZoomOut', item, ends, this.fill, 'constant'));
      }
      return made;
    });
  }
}

/**
 * Pictures of a random size near a target, as `torchvision.transforms.v2.ScaleJitter`. The ratio
 * of the sides stays.
 *
 * @example
 * const jitter = new transforms.ScaleJitter([8, 8], [0.5, 0.5], 'bilinear', true);
 * jitter.forward(ones([3, 4, 8])).shape; // [3, 2, 4]
 */
export class ScaleJitter extends Transform {
  /** @internal */
  readonly targetSize!: readonly number[];
  /** @internal */
  readonly scaleRange!: readonly number[];
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly antialias!: boolean;

  constructor(targetSize: number | readonly number[], scaleRange?: number | readonly number[], interpolation?: InterpolationMode, antialias?: boolean);
  constructor(targetSize: number | readonly number[], options?: { scaleRange?: number | readonly number[]; interpolation?: InterpolationMode; antialias?: boolean });
  constructor(options: { targetSize: number | readonly number[]; scaleRange?: number | readonly number[]; interpolation?: InterpolationMode; antialias?: boolean });
  constructor(...args: unknown[]) {
    super();
    const [targetSize, scaleRange = [0.1, 2], interpolation = 'bilinear', antialias = true] = bind('ScaleJitter targetSize:ints scaleRange:numbers? interpolation:=nearest|nearest_exact|bilinear|bicubic? antialias:bool?', args) as [readonly number[], readonly number[] | undefined, InterpolationMode | undefined, boolean | undefined];
    Object.assign(this, ScaleJitter.of(targetSize, scaleRange, interpolation, antialias));
  }

  /** @internal */
  static of(targetSize: readonly number[], scaleRange: readonly number[], interpolation: InterpolationMode, antialias: boolean): ScaleJitter {
    if (targetSize.length !== 2) {
      throw failure('argument', 'ScaleJitter', 'target_size must be two numbers');
    }
    checkRange('ScaleJitter', 'scale_range', scaleRange, 0, Infinity);
    const [targetSize2, scaleRange2] = [targetSize, scaleRange];
    return make(
      ScaleJitter,
      { targetSize: targetSize2, scaleRange: scaleRange2, interpolation, antialias },
    );
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('ScaleJitter.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const [rows, columns] = canvasOf('ScaleJitter', sample);
      const scale = random.uniform(this.scaleRange[0]!, this.scaleRange[1]!);
      const down = this.targetSize[1]! / rows;
      const across = this.targetSize[0]! / columns;
      const factor = Math.min(down, across) * scale;
      const height = Math.trunc(rows * factor);
      const width = Math.trunc(columns * factor);
      const made: TvTensor[] = [];
      for (const item of sample) {
        made.push(resizeItem(
          item,
          Math.max(height, 1),
          Math.max(width, 1),
          this.interpolation,
          this.antialias,
        ));
      }
      return made;
    });
  }
}
