/** Pictures with classes, in the memory of the host. */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { Dataset } from '../data/dataset.js';
import { HostArray, stack } from '../data/host-array.js';
import type { Random } from '../data/random.js';

/** A picture, uint8 `[C, H, W]`. */
export type Picture = HostArray<Uint8Array>;

/**
 * A transform: an object with a method `apply`, as in `lanthorn/data`, or a function. Random
 * choices are drawn from `random`.
 */
export type TransformOf<S, T> = { apply(value: S, random: Random): T } | ((value: S, random: Random) => T);

/** Transforms of samples. */
export interface TransformOptions<T, L, S = Picture, G = number> {
  /** The transform of the picture (default: none). */
  transform?: TransformOf<S, T | Promise<T>>;
  /** The transform of the label (default: none). */
  targetTransform?: TransformOf<G, L>;
}

/** The names of the options of {@link TransformOptions}. */
export const TRANSFORM_OPTIONS = ['transform', 'targetTransform'] as const;

/** The function of a transform. */
export function functionOf<S, T>(op: string, name: string, transform: TransformOf<S, T> | undefined): ((value: S, random: Random) => T) | undefined {
  if (transform === undefined || transform === null) return undefined;
  if (typeof transform === 'function') return transform;
  if (typeof transform.apply === 'function') return (value, random) => transform.apply(value, random);
  throw new LanthornError('argument', op, `${name} is a function, or an object with a method apply, not ${describe(transform)}`);
}

/** Samples `[transform(picture), targetTransform(label)]` of a data set with these transforms. */
export class Transforms<T, L, S = Picture, G = number> {
  readonly #transform: ((value: S, random: Random) => T | Promise<T>) | undefined;
  readonly #targetTransform: ((value: G, random: Random) => L) | undefined;

  constructor(op: string, options: TransformOptions<T, L, S, G>) {
    this.#transform = functionOf(op, 'transform', options.transform);
    this.#targetTransform = functionOf(op, 'targetTransform', options.targetTransform);
  }

  get isEmpty(): boolean {
    return !this.#transform && !this.#targetTransform;
  }

  apply(picture: S, label: G, random: Random): [T, L] | Promise<[T, L]> {
    const target = (this.#targetTransform ? this.#targetTransform(label, random) : label) as L;
    const made = (this.#transform ? this.#transform(picture, random) : picture) as T | Promise<T>;
    return made instanceof Promise ? made.then((value): [T, L] => [value, target]) : [made, target];
  }
}

/** A data set whose pictures are in the memory of the host. */
export class VisionDataset<T = Picture, L = number> implements Dataset<[T, L]> {
  /** The number of pictures. */
  readonly length: number;
  /** The pictures, uint8 `[N, C, H, W]`. */
  readonly data: HostArray<Uint8Array>;
  /** The labels, int32 `[N]`. */
  readonly targets: HostArray<Int32Array>;
  /** The names of the classes. */
  readonly classes: readonly string[];
  /** A whole batch; only without transforms. */
  readonly getBatch?: (indices: readonly number[]) => [HostArray, HostArray];
  readonly #transforms: Transforms<T, L>;
  readonly #op: string;

  /** @internal */
  constructor(op: string, data: HostArray<Uint8Array>, targets: HostArray<Int32Array>, classes: readonly string[], options: TransformOptions<T, L>) {
    const [count] = data.shape;
    if (targets.shape.length !== 1 || targets.shape[0] !== count) {
      throw new LanthornError('file', op, `there are ${count} pictures and [${targets.shape.join(', ')}] labels`);
    }
    this.#op = op;
    this.length = count!;
    this.data = data;
    this.targets = targets;
    this.classes = classes;
    this.#transforms = new Transforms(op, options);
    if (this.#transforms.isEmpty) {
      this.getBatch = (indices) => [stack(indices.map((index) => this.data.row(index))), new HostArray(Int32Array.from(indices, (index) => this.#label(index)))];
    }
  }

  /** The indices of the classes by their names. */
  get classToIdx(): Record<string, number> {
    return Object.fromEntries(this.classes.map((name, index) => [name, index]));
  }

  #label(index: number): number {
    const label = this.targets.data[index];
    if (label === undefined) throw new LanthornError('index', this.#op, `index ${index} is out of range for ${this.length} samples`);
    return label;
  }

  /** The picture at an index and its label, after their transforms. */
  get(index: number, random: Random): [T, L] | Promise<[T, L]> {
    return this.#transforms.apply(this.data.row(index), this.#label(index), random);
  }
}
