// Printed by `print-bindings` from the tables of the Rust core: change those, not this file.

/** Types, normalization, noise and erased parts. */
import { bind, failure, make } from '../../../library/support.js';
import { scope } from '../../../tensor/scope.js';
import type { Tensor, TensorLike } from '../../../tensor/tensor.js';
import type { DType } from '../../../core/types.js';
import { Random, floatTensor } from '../../../vision/host.js';
import { checkRange, rectangle } from '../transforms/crops.js';
import { erase, gaussianNoise, normalize } from '../transforms/functional/filter.js';
import { channelsOf, toDtype } from '../transforms/functional/meta.js';
import { firstPicture } from '../transforms/items.js';
import { Transform, checkProbability, withPictures } from '../transforms/transform.js';
import type { TvTensor } from '../tv-tensors.js';

/**
 * Pictures in another type, as `torchvision.transforms.v2.ToDtype`. Masks and boxes keep their
 * type.
 *
 * @example
 * const img = tensor([255], { dtype: 'uint8' }).reshape([1, 1, 1]);
 * await new transforms.ToDtype('float32', true).forward(img).item(); // 1
 */
export class ToDtype extends Transform {
  /** @internal */
  readonly dtype!: DType;
  /** @internal */
  readonly scale!: boolean;

  constructor(dtype: DType, scale?: boolean);
  constructor(dtype: DType, options?: { scale?: boolean });
  constructor(options: { dtype: DType; scale?: boolean });
  constructor(...args: unknown[]) {
    super();
    const [dtype, scale = false] = bind('ToDtype dtype:any scale:bool?', args) as [DType, boolean | undefined];
    Object.assign(this, ToDtype.of(dtype, scale));
  }

  /** @internal */
  static of(dtype: DType, scale: boolean): ToDtype {
    return make(ToDtype, { dtype, scale });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('ToDtype.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => withPictures(sample, (img) => toDtype(img, this.dtype, this.scale)));
  }
}

/**
 * Pictures in another type with values in its range, as
 * `torchvision.transforms.ConvertImageDtype`.
 *
 * @example
 * const img = tensor([255], { dtype: 'uint8' }).reshape([1, 1, 1]);
 * await new transforms.ConvertImageDtype('float32').forward(img).item(); // 1
 */
export class ConvertImageDtype extends Transform {
  /** @internal */
  readonly dtype!: DType;

  constructor(dtype?: DType);
  constructor(options?: { dtype?: DType });
  constructor(...args: unknown[]) {
    super();
    const [dtype = 'float32'] = bind('ConvertImageDtype dtype:any?', args) as [DType | undefined];
    Object.assign(this, ConvertImageDtype.of(dtype));
  }

  /** @internal */
  static of(dtype: DType): ConvertImageDtype {
    return make(ConvertImageDtype, { dtype });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('ConvertImageDtype.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => withPictures(sample, (img) => toDtype(img, this.dtype, true)));
  }
}

/**
 * Pictures of bytes as floats from 0 to 1, as `torchvision.transforms.ToTensor`. Pictures of
 * floats stay as they are.
 *
 * @example
 * const img = tensor([255], { dtype: 'uint8' }).reshape([1, 1, 1]);
 * await new transforms.ToTensor().forward(img).item(); // 1
 */
export class ToTensor extends Transform {
  constructor();
  constructor(...args: unknown[]) {
    super();
    Object.assign(this, ToTensor.of());
  }

  /** @internal */
  static of(): ToTensor {
    return make(ToTensor, {});
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('ToTensor.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => withPictures(
      sample,
      (img) => img.dtype === 'uint8' ? toDtype(img, 'float32', true) : img,
    ));
  }
}

/**
 * Pictures as they are, as `torchvision.transforms.v2.ToImage`, since a picture is a tensor
 * already.
 *
 * @example
 * new transforms.ToImage().forward(ones([3, 4, 4])).shape; // [3, 4, 4]
 */
export class ToImage extends Transform {
  constructor();
  constructor(...args: unknown[]) {
    super();
    Object.assign(this, ToImage.of());
  }

  /** @internal */
  static of(): ToImage {
    return make(ToImage, {});
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('ToImage.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return sample;
  }
}

/**
 * `(img - mean) / std` by channel, as `torchvision.transforms.Normalize`.
 *
 * @example
 * const img = full([1, 1, 1], 0.75, { dtype: 'float32' });
 * await new transforms.Normalize([0.5], [0.25]).forward(img).item(); // 1
 */
export class Normalize extends Transform {
  /** @internal */
  readonly mean!: readonly number[];
  /** @internal */
  readonly std!: readonly number[];

  constructor(mean: number | readonly number[], std: number | readonly number[]);
  constructor(options: { mean: number | readonly number[]; std: number | readonly number[] });
  constructor(...args: unknown[]) {
    super();
    const [mean, std] = bind('Normalize mean:numbers std:numbers', args) as [readonly number[], readonly number[]];
    Object.assign(this, Normalize.of(mean, std));
  }

  /** @internal */
  static of(mean: readonly number[], std: readonly number[]): Normalize {
    if (mean.length === 0 || std.length === 0 || std.includes(0)) {
      const message = 'mean and std must have one number or one for each channel, and std must not be 0';
      throw failure('argument', 'Normalize', message);
    }
    return make(Normalize, { mean, std });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('Normalize.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => withPictures(sample, (img) => normalize(img, this.mean, this.std)));
  }
}

/**
 * Pictures multiplied by a matrix, as `torchvision.transforms.LinearTransformation`: whitening.
 *
 * @example
 * const double = eye(4).mul(2);
 * const transform = new transforms.LinearTransformation(double, zeros([4]));
 * const made = transform.forward(ones([1, 2, 2]));
 * await made.tolist(); // [2, 2, 2, 2]
 */
export class LinearTransformation extends Transform {
  /** @internal */
  readonly transformationMatrix!: Tensor;
  /** @internal */
  readonly meanVector!: Tensor;

  constructor(transformationMatrix: TensorLike, meanVector: TensorLike);
  constructor(options: { transformationMatrix: TensorLike; meanVector: TensorLike });
  constructor(...args: unknown[]) {
    super();
    const [transformationMatrix, meanVector] = bind('LinearTransformation transformationMatrix:tensor meanVector:tensor', args) as [Tensor, Tensor];
    Object.assign(this, LinearTransformation.of(transformationMatrix, meanVector));
  }

  /** @internal */
  static of(transformationMatrix: Tensor, meanVector: Tensor): LinearTransformation {
    const [matrix, vector] = [transformationMatrix.shape, meanVector.shape];
    if (matrix.length !== 2 || matrix[0]! !== matrix[1]! || vector.length !== 1
      || vector[0]! !== matrix[0]!) {
      const message = `the matrix must be square and the vector must fit, not [${matrix.join(', ')}] and [${vector.join(', ')}]`;
      throw failure('shape', 'LinearTransformation', message);
    }
    const [transformationMatrix2, meanVector2] = [transformationMatrix, meanVector];
    return make(
      LinearTransformation,
      { transformationMatrix: transformationMatrix2, meanVector: meanVector2 },
    );
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('LinearTransformation.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const size = this.meanVector.shape[0]!;
      return withPictures(sample, (img) => {
        const flat = img.reshape([-1, size]);
        return flat.sub(this.meanVector).matmul(this.transformationMatrix).reshape(img.shape);
      });
    });
  }
}

/**
 * Pictures with noise of a normal distribution, as `torchvision.transforms.v2.GaussianNoise`. The
 * noise follows from the generator of the device.
 *
 * @example
 * const noise = new transforms.GaussianNoise(0, 0.1, true);
 * noise.forward(ones([3, 4, 4])).shape; // [3, 4, 4]
 */
export class GaussianNoise extends Transform {
  /** @internal */
  readonly mean!: number;
  /** @internal */
  readonly sigma!: number;
  /** @internal */
  readonly clip!: boolean;

  constructor(mean?: number, sigma?: number, clip?: boolean);
  constructor(options?: { mean?: number; sigma?: number; clip?: boolean });
  constructor(...args: unknown[]) {
    super();
    const [mean = 0, sigma = 0.1, clip = true] = bind('GaussianNoise mean:number? sigma:number? clip:bool?', args) as [number | undefined, number | undefined, boolean | undefined];
    Object.assign(this, GaussianNoise.of(mean, sigma, clip));
  }

  /** @internal */
  static of(mean: number, sigma: number, clip: boolean): GaussianNoise {
    if (sigma < 0) {
      throw failure('argument', 'GaussianNoise', `sigma must not be negative, and is ${sigma}`);
    }
    return make(GaussianNoise, { mean, sigma, clip });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, _random] = bind('GaussianNoise.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => withPictures(
      sample,
      (img) => gaussianNoise(img, this.mean, this.sigma, this.clip),
    ));
  }
}

/**
 * Pictures with a rectangle of other values with a probability, as
 * `torchvision.transforms.RandomErasing`.
 *
 * Source: Zhong et al., "Random Erasing Data Augmentation" (2017).
 *
 * @example
 * const erasing = new transforms.RandomErasing(1, [0.25, 0.25], [1, 1], [0]);
 * const made = erasing.forward(ones([1, 4, 4]));
 * await made.sum().item(); // 12
 */
export class RandomErasing extends Transform {
  /** @internal */
  readonly p!: number;
  /** @internal */
  readonly scale!: readonly number[];
  /** @internal */
  readonly ratio!: readonly number[];
  /** @internal */
  readonly value!: readonly number[];

  constructor(p?: number, scale?: number | readonly number[], ratio?: number | readonly number[], value?: number | readonly number[]);
  constructor(options?: { p?: number; scale?: number | readonly number[]; ratio?: number | readonly number[]; value?: number | readonly number[] });
  constructor(...args: unknown[]) {
    super();
    const [p = 0.5, scale = [0.02, 0.33], ratio = [0.3, 3.3], value = [0]] = bind('RandomErasing p:number? scale:numbers? ratio:numbers? value:numbers?', args) as [number | undefined, readonly number[] | undefined, readonly number[] | undefined, readonly number[] | undefined];
    Object.assign(this, RandomErasing.of(p, scale, ratio, value));
  }

  /** @internal */
  static of(p: number, scale: readonly number[], ratio: readonly number[], value: readonly number[]): RandomErasing {
    checkProbability('RandomErasing', p);
    checkRange('RandomErasing', 'scale', scale, 0, 1);
    checkRange('RandomErasing', 'ratio', ratio, 0, Infinity);
    return make(RandomErasing, { p, scale, ratio, value });
  }

  override apply(sample: readonly TvTensor[], random: Random): readonly TvTensor[];
  override apply(...args: unknown[]): readonly TvTensor[] {
    const [sample, random] = bind('RandomErasing.apply sample:list random:Random', args, { Random }) as [readonly TvTensor[], Random];
    return scope(() => {
      const img = firstPicture('RandomErasing', sample);
      const [channels, rank] = [channelsOf(img), img.ndim];
      const [rows, columns] = [img.shape[rank - 2]!, img.shape[rank - 1]!];
      if (this.value.length > 1 && this.value.length !== channels) {
        const message = `value must have one number or one for each of ${channels} channels`;
        throw failure('argument', 'RandomErasing', message);
      }
      if (!random.chance(this.p)) return sample;
      const size = rectangle(random, columns, rows, this.scale, this.ratio);
      if (size === undefined) return sample;
      const [width, height] = size;
      if (height === rows || width === columns) return sample;
      const top = random.below(rows - height + 1);
      const left = random.below(columns - width + 1);
      const [h, w] = [height, width];
      const numbers = [...this.value];
      let shape: readonly number[] = [numbers.length, 1, 1];
      if (numbers.length === 0) {
        shape = [channels, h, w];
        for (let step = 0; step < channels * height * width; step++) {
          numbers.push(random.normal());
        }
      }
      const values = floatTensor(numbers, shape, img);
      return withPictures(sample, (img2) => erase(img2, top, left, h, w, values));
    });
  }
}
