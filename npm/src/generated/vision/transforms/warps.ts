// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Random rotations, affine and perspective maps, and elastic deformations. */
import { bind, failure, make, mapValue } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor } from '../../../tensor/tensor.js';
import * as torch from '../../operations.js';
import { Random, floatTensor } from '../../../vision/host.js';
import { checkRange } from '../transforms/crops.js';
import { gaussianBlur } from '../transforms/functional/filter.js';
import type { InterpolationMode } from '../transforms/functional/meta.js';
import { relativeCenter } from '../transforms/functional/warp.js';
import { inverseAffine, perspectiveCoefficients } from '../transforms/functional/warp-matrix.js';
import { canvasOf, deformItem, mapItem, projectItem } from '../transforms/items.js';
import { Transform, checkProbability } from '../transforms/transform.js';
import type { TvTensor } from '../tv-tensors.js';

/** A range from one number, `-x` to `x`, or from two. */
function rangeOf(op: string, name: string, given: readonly number[]): readonly number[] {
  if (given.length === 1 && given[0]! >= 0) return [-given[0]!, given[0]!];
  if (given.length !== 2 || given[0]! > given[1]!) {
    const message = `${name} must be a number that is not negative, or two numbers in order`;
    throw failure('argument', op, message);
  }
  return given;
}

/** Refuses an interpolation that a map does not have. */
function checkMode(op: string, interpolation: InterpolationMode): void {
  if (interpolation === 'nearest' || interpolation === 'bilinear') return;
  throw failure('argument', op, 'interpolation must be nearest or bilinear');
}

/**
 * Pictures rotated by a random angle, as `torchvision.transforms.RandomRotation`.
 *
 * @example
 * const mode = 'bilinear';
 * const rotation = new transforms.RandomRotation([15], mode, false, undefined, [0.5]);
 * rotation.forward(ones([3, 4, 8])).shape; // [3, 4, 8]
 */
export class RandomRotation extends Transform {
  /** @internal */
  readonly degrees!: readonly number[];
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly expand!: boolean;
  /** @internal */
  readonly center!: readonly number[] | undefined;
  /** @internal */
  readonly fill!: readonly number[] | undefined;

  constructor(degrees: number | readonly number[], interpolation?: InterpolationMode, expand?: boolean, center?: number | readonly number[] | null, fill?: number | readonly number[] | null);
  constructor(degrees: number | readonly number[], options?: { interpolation?: InterpolationMode; expand?: boolean; center?: number | readonly number[] | null; fill?: number | readonly number[] | null });
  constructor(options: { degrees: number | readonly number[]; interpolation?: InterpolationMode; expand?: boolean; center?: number | readonly number[] | null; fill?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [degrees, interpolation = 'nearest', expand = false, center, fill] = bind('RandomRotation degrees:numbers interpolation:=nearest|nearest_exact|bilinear|bicubic? expand:bool? center:numbers? fill:numbers?', args, {}, { fill: [0] }) as [readonly number[], InterpolationMode | undefined, boolean | undefined, readonly number[] | undefined, readonly number[] | undefined];
    Object.assign(this, RandomRotation.of(degrees, interpolation, expand, center, fill));
  }

  /** @internal */
  static of(degrees: readonly number[], interpolation: InterpolationMode, expand: boolean, center: readonly number[] | undefined, fill: readonly number[] | undefined): RandomRotation {
    checkMode('RandomRotation', interpolation);
    const degrees2 = rangeOf('RandomRotation', 'degrees', degrees);
    const [center2, fill2] = [mapValue(center, (list) => list), mapValue(fill, (list) => list)];
    return make(
      RandomRotation,
      { degrees: degrees2, interpolation, expand, center: center2, fill: fill2 },
    );
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomRotation.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const [rows, columns] = canvasOf('RandomRotation', sample);
      const angle = random.uniform(this.degrees[0]!, this.degrees[1]!);
      const middle = relativeCenter('RandomRotation', rows, columns, this.center);
      const matrix = inverseAffine(middle, -angle, [0, 0], 1, [0, 0]);
      const made: TvTensor[] = [];
      for (const item of sample) {
        const fill = this.fill;
        made.push(mapItem('RandomRotation', item, matrix, this.interpolation, this.expand, fill));
      }
      return made;
    });
  }
}

/**
 * Pictures by a random affine map, as `torchvision.transforms.RandomAffine`.
 *
 * @example
 * const mode = 'nearest';
 * const shift = [0.1, 0.1];
 * const map = new transforms.RandomAffine([10], shift, undefined, undefined, mode, undefined, undefined);
 * map.forward(ones([3, 4, 8])).shape; // [3, 4, 8]
 */
export class RandomAffine extends Transform {
  /** @internal */
  readonly degrees!: readonly number[];
  /** @internal */
  readonly translate!: readonly number[];
  /** @internal */
  readonly scale!: readonly number[];
  /** @internal */
  readonly shear!: readonly number[];
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly fill!: readonly number[] | undefined;
  /** @internal */
  readonly center!: readonly number[] | undefined;

  constructor(degrees: number | readonly number[], translate?: number | readonly number[] | null, scale?: number | readonly number[] | null, shear?: number | readonly number[] | null, interpolation?: InterpolationMode, fill?: number | readonly number[] | null, center?: number | readonly number[] | null);
  constructor(degrees: number | readonly number[], options?: { translate?: number | readonly number[] | null; scale?: number | readonly number[] | null; shear?: number | readonly number[] | null; interpolation?: InterpolationMode; fill?: number | readonly number[] | null; center?: number | readonly number[] | null });
  constructor(options: { degrees: number | readonly number[]; translate?: number | readonly number[] | null; scale?: number | readonly number[] | null; shear?: number | readonly number[] | null; interpolation?: InterpolationMode; fill?: number | readonly number[] | null; center?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [degrees, translate, scale, shear, interpolation = 'nearest', fill, center] = bind('RandomAffine degrees:numbers translate:numbers? scale:numbers? shear:numbers? interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers? center:numbers?', args, {}, { fill: [0] }) as [readonly number[], readonly number[] | undefined, readonly number[] | undefined, readonly number[] | undefined, InterpolationMode | undefined, readonly number[] | undefined, readonly number[] | undefined];
    Object.assign(this, RandomAffine.of(degrees, translate, scale, shear, interpolation, fill, center));
  }

  /** @internal */
  static of(degrees: readonly number[], translate: readonly number[] | undefined, scale: readonly number[] | undefined, shear: readonly number[] | undefined, interpolation: InterpolationMode, fill: readonly number[] | undefined, center: readonly number[] | undefined): RandomAffine {
    checkMode('RandomAffine', interpolation);
    const degrees2 = rangeOf('RandomAffine', 'degrees', degrees);
    const translate2 = listOr(translate, [0, 0]);
    if (translate2.length !== 2 || translate2.some((part) => part < 0 || part > 1)) {
      const message = 'translate must be two numbers from 0 to 1';
      throw failure('argument', 'RandomAffine', message);
    }
    const scale2 = listOr(scale, [1, 1]);
    checkRange('RandomAffine', 'scale', scale2, 1e-12, Infinity);
    const given = listOr(shear, [0, 0, 0, 0]);
    let shear2: readonly number[] = [...given];
    if (given.length !== 4) {
      const along = rangeOf('RandomAffine', 'shear', given);
      shear2 = [along[0]!, along[1]!, 0, 0];
    }
    const [fill2, center2] = [mapValue(fill, (list) => list), mapValue(center, (list) => list)];
    return make(
      RandomAffine,
      {
        degrees: degrees2,
        translate: translate2,
        scale: scale2,
        shear: shear2,
        interpolation,
        fill: fill2,
        center: center2,
      },
    );
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomAffine.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const [rows, columns] = canvasOf('RandomAffine', sample);
      const angle = random.uniform(this.degrees[0]!, this.degrees[1]!);
      const x = drawShift(random, this.translate[0]!, columns);
      const y = drawShift(random, this.translate[1]!, rows);
      const scale = random.uniform(this.scale[0]!, this.scale[1]!);
      const shearX = random.uniform(this.shear[0]!, this.shear[1]!);
      const shearY = random.uniform(this.shear[2]!, this.shear[3]!);
      const middle = relativeCenter('RandomAffine', rows, columns, this.center);
      const matrix = inverseAffine(middle, angle, [x, y], scale, [shearX, shearY]);
      const made: TvTensor[] = [];
      for (const item of sample) {
        const fill = this.fill;
        made.push(mapItem('RandomAffine', item, matrix, this.interpolation, false, fill));
      }
      return made;
    });
  }
}

/** A list, or a default for none. */
function listOr(given: readonly number[] | undefined, default_: readonly number[]): readonly number[] {
  if (given !== undefined) return given;
  return default_;
}

/** A random whole number of pixels, at most a part of a length in either direction. */
function drawShift(random: Random, part: number, length: number): number {
  const most = part * length;
  return Math.floor(random.uniform(-most, most) + 0.5);
}

/**
 * Pictures in a random perspective with a probability, as
 * `torchvision.transforms.RandomPerspective`.
 *
 * @example
 * const view = new transforms.RandomPerspective(0.5, 1, 'bilinear', [0]);
 * view.forward(ones([3, 4, 8])).shape; // [3, 4, 8]
 */
export class RandomPerspective extends Transform {
  /** @internal */
  readonly distortionScale!: number;
  /** @internal */
  readonly p!: number;
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly fill!: readonly number[] | undefined;

  constructor(distortionScale?: number, p?: number, interpolation?: InterpolationMode, fill?: number | readonly number[] | null);
  constructor(options?: { distortionScale?: number; p?: number; interpolation?: InterpolationMode; fill?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [distortionScale = 0.5, p = 0.5, interpolation = 'bilinear', fill] = bind('RandomPerspective distortionScale:number? p:number? interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers?', args, {}, { fill: [0] }) as [number | undefined, number | undefined, InterpolationMode | undefined, readonly number[] | undefined];
    Object.assign(this, RandomPerspective.of(distortionScale, p, interpolation, fill));
  }

  /** @internal */
  static of(distortionScale: number, p: number, interpolation: InterpolationMode, fill: readonly number[] | undefined): RandomPerspective {
    checkProbability('RandomPerspective', p);
    checkMode('RandomPerspective', interpolation);
    if (!(distortionScale >= 0 && distortionScale <= 1)) {
      const message = `distortion_scale must be from 0 to 1, and is ${distortionScale}`;
      throw failure('argument', 'RandomPerspective', message);
    }
    return make(
      RandomPerspective,
      { distortionScale, p, interpolation, fill: mapValue(fill, (list) => list) },
    );
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomPerspective.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      if (!random.chance(this.p)) return sample;
      const [rows, columns] = canvasOf('RandomPerspective', sample);
      const across = Math.trunc(this.distortionScale * Math.trunc(columns / 2)) + 1;
      const down = Math.trunc(this.distortionScale * Math.trunc(rows / 2)) + 1;
      const [right, bottom] = [columns - 1, rows - 1];
      const starts: [readonly number[], readonly number[], readonly number[], readonly number[]] = [
        [0, 0],
        [right, 0],
        [right, bottom],
        [0, bottom],
      ];
      const ends: (readonly number[])[] = [];
      for (const corner of starts) {
        const [x, y] = [random.below(across), random.below(down)];
        const movedX = corner[0]! > 0 ? right - x : x;
        const movedY = corner[1]! > 0 ? bottom - y : y;
        ends.push([movedX, movedY]);
      }
      const map = perspectiveCoefficients('RandomPerspective', starts, ends);
      const made: TvTensor[] = [];
      for (const item of sample) {
        made.push(projectItem('RandomPerspective', item, map, this.interpolation, this.fill));
      }
      return made;
    });
  }
}

/**
 * Pictures with randomly displaced pixels, as `torchvision.transforms.ElasticTransform`.
 *
 * @example
 * const mode = 'bilinear';
 * const elastic2 = new transforms.ElasticTransform([50], [0.25], mode, [0]);
 * elastic2.forward(ones([3, 4, 8])).shape; // [3, 4, 8]
 */
export class ElasticTransform extends Transform {
  /** @internal */
  readonly alpha!: readonly number[];
  /** @internal */
  readonly sigma!: readonly number[];
  /** @internal */
  readonly interpolation!: InterpolationMode;
  /** @internal */
  readonly fill!: readonly number[] | undefined;

  constructor(alpha?: number | readonly number[], sigma?: number | readonly number[], interpolation?: InterpolationMode, fill?: number | readonly number[] | null);
  constructor(options?: { alpha?: number | readonly number[]; sigma?: number | readonly number[]; interpolation?: InterpolationMode; fill?: number | readonly number[] | null });
  constructor(...args: unknown[]) {
    super();
    const [alpha = [50], sigma = [5], interpolation = 'bilinear', fill] = bind('ElasticTransform alpha:numbers? sigma:numbers? interpolation:=nearest|nearest_exact|bilinear|bicubic? fill:numbers?', args, {}, { fill: [0] }) as [readonly number[] | undefined, readonly number[] | undefined, InterpolationMode | undefined, readonly number[] | undefined];
    Object.assign(this, ElasticTransform.of(alpha, sigma, interpolation, fill));
  }

  /** @internal */
  static of(alpha: readonly number[], sigma: readonly number[], interpolation: InterpolationMode, fill: readonly number[] | undefined): ElasticTransform {
    checkMode('ElasticTransform', interpolation);
    const [alpha2, sigma2] = [
      two('ElasticTransform', 'alpha', alpha),
      two('ElasticTransform', 'sigma', sigma),
    ];
    return make(
      ElasticTransform,
      { alpha: alpha2, sigma: sigma2, interpolation, fill: mapValue(fill, (list) => list) },
    );
  }

  /** @internal */
  displacements(random: Random, rows: number, columns: number, index: number, like: Tensor): Tensor {
    return scope(() => {
      const numbers: number[] = [];
      for (let step = 0; step < rows * columns; step++) {
        numbers.push(random.uniform(-1, 1));
      }
      const made = floatTensor(numbers, [1, 1, rows, columns], like);
      const sigma = this.sigma[index]!;
      if (sigma === 0) return made;
      const size = Math.trunc(8 * sigma + 1);
      const odd = size % 2 === 0 ? size + 1 : size;
      return gaussianBlur(made, [odd], this.sigma);
    });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('ElasticTransform.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const [rows, columns] = canvasOf('ElasticTransform', sample);
      const like = sample[0]!.data;
      const x = this.displacements(random, rows, columns, 0, like).mul(this.alpha[0]! / columns);
      const y = this.displacements(random, rows, columns, 1, like).mul(this.alpha[1]! / rows);
      const displacement = torch.cat([x, y], 1).permute([0, 2, 3, 1]);
      const made: TvTensor[] = [];
      for (const item of sample) {
        const fill = this.fill;
        made.push(deformItem('ElasticTransform', item, displacement, this.interpolation, fill));
      }
      return made;
    });
  }
}

/** Two numbers from one or two. */
function two(op: string, name: string, given: readonly number[]): readonly number[] {
  if (given.length === 0 || given.length > 2 || given.some((value) => value < 0)) {
    const message = `${name} must be one or two numbers that are not negative`;
    throw failure('argument', op, message);
  }
  return [given[0]!, given[given.length - 1]!];
}
