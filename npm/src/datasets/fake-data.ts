/** Pictures of random numbers, for tests of programs. */
import { checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { Dataset } from '../data/dataset.js';
import { HostArray } from '../data/host-array.js';
import { Random } from '../data/random.js';
import { TRANSFORM_OPTIONS, Transforms, type Picture, type TransformOptions } from './vision-dataset.js';

/** Options of {@link FakeData}. */
export interface FakeDataOptions<T = Picture, L = number> extends TransformOptions<T, L> {
  /** Added to the index that the random numbers of a sample follow from (default: 0). */
  randomOffset?: number;
}

/**
 * Pictures of random bytes with random classes, which are the same in every run.
 *
 * @example
 * const data = new FakeData(64, [3, 32, 32], 10);
 * const [picture, label] = await data.get(0, new Random(0, 0, 0));
 */
export class FakeData<T = Picture, L = number> implements Dataset<[T, L]> {
  /** The number of pictures. */
  readonly length: number;
  /** The sizes `[C, H, W]` of a picture. */
  readonly imageSize: readonly [number, number, number];
  /** The number of classes. */
  readonly numClasses: number;
  readonly #offset: number;
  readonly #transforms: Transforms<T, L>;

  constructor(size = 1000, imageSize: readonly [number, number, number] = [3, 224, 224], numClasses = 10, options: FakeDataOptions<T, L> = {}) {
    const given = checkOptions<FakeDataOptions<T, L>>('FakeData', options, ['randomOffset', ...TRANSFORM_OPTIONS]);
    const count = (name: string, value: unknown) => {
      if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrongArgument('FakeData', name, 'a whole number from 0', typeof value === 'number' ? value : describe(value));
      return value as number;
    };
    if (!Array.isArray(imageSize) || imageSize.length !== 3) throw wrongArgument('FakeData', 'imageSize', 'sizes [C, H, W]', describe(imageSize));
    this.length = count('size', size);
    this.imageSize = [count('imageSize', imageSize[0]), count('imageSize', imageSize[1]), count('imageSize', imageSize[2])];
    this.numClasses = count('numClasses', numClasses);
    this.#offset = count('randomOffset', given.randomOffset ?? 0);
    this.#transforms = new Transforms('FakeData', given);
  }

  /** The picture at an index and its label, after their transforms. */
  get(index: number, random: Random): [T, L] | Promise<[T, L]> {
    if (!(Number.isInteger(index) && index >= 0 && index < this.length)) {
      throw new LanthornError('index', 'FakeData', `index ${index} is out of range for ${this.length} samples`);
    }
    const own = new Random(0, 0, index + this.#offset);
    const [channels, height, width] = this.imageSize;
    const bytes = Uint8Array.from({ length: channels * height * width }, () => own.word() >>> 24);
    return this.#transforms.apply(new HostArray(bytes, this.imageSize), own.below(Math.max(1, this.numClasses)), random);
  }
}
