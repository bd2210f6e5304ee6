/** Data sets: sources of samples, with the names of `torch.utils.data`. */
import { LanthornError } from '../core/errors.js';
import { tensor } from '../tensor/from-data.js';
import { Tensor } from '../tensor/tensor.js';
import type { TypedArray } from '../core/types.js';
import { HostArray, stack } from './host-array.js';
import { Generator } from '../core/generator.js';
import { permutation, seedOf, type Random, type Seeding } from './random.js';

/** Samples by index. */
export interface Dataset<S> {
  /** The number of samples. */
  readonly length: number;
  /**
   * The sample at an index. Random choices are drawn from `random`, which is determined by seed,
   * epoch and index.
   */
  get(index: number, random: Random): S | Promise<S>;
  /**
   * A whole batch, if that is faster than its samples one by one. A loader without `collate` uses
   * it.
   */
  getBatch?(indices: readonly number[]): unknown;
}

/** Samples that arrive in sequence. The source decides on the order: there is no sampler. */
export interface IterableDataset<S> {
  /**
   * The samples of one epoch. Random choices are drawn from `random`, which is determined by seed
   * and epoch.
   */
  iterate(random: Random): Iterable<S> | AsyncIterable<S>;
}

/** A data set, or an array of samples. */
export type Samples<S> = Dataset<S> | readonly S[];

/** The data set of an array of samples; any other value is returned. */
export function datasetOf<S>(samples: Samples<S>): Dataset<S>;
export function datasetOf<T>(samples: T): T;
export function datasetOf(samples: unknown): unknown {
  if (!Array.isArray(samples)) return samples;
  const get = (index: number): unknown => {
    if (!(index in samples)) throw outOfRange('DataLoader', index, samples.length);
    return samples[index];
  };
  return { get length() { return samples.length; }, get };
}

function outOfRange(op: string, index: number, length: number): LanthornError {
  return new LanthornError('index', op, `index ${index} is out of range for ${length} samples`);
}

/** The columns of a {@link TensorDataset}. */
export type Rows = Tensor | HostArray | TypedArray;

/** A row. */
export type Row<R> = R extends HostArray<infer T> ? HostArray<T> : R extends TypedArray ? HostArray<R> : R;

/**
 * The rows of tensors or arrays with equal first dimensions: a sample has one row of each. Tensors
 * stay on the device; a batch of them is one `indexSelect`.
 *
 * @example
 * new TensorDataset(new HostArray(pixels, [1000, 1, 28, 28]), Int32Array.from(labels));
 */
export class TensorDataset<const R extends readonly Rows[] = readonly Rows[]> implements Dataset<{ -readonly [K in keyof R]: Row<R[K]> }> {
  readonly length: number;
  readonly #columns: readonly (Tensor | HostArray)[];

  constructor(...rows: R) {
    this.#columns = rows.map((row) => (row instanceof Tensor || row instanceof HostArray ? row : new HostArray(row)));
    const [length] = this.#columns[0]?.shape ?? [];
    if (length === undefined || this.#columns.some(({ shape }) => shape[0] !== length)) {
      const shapes = this.#columns.map(({ shape }) => `[${shape.join(', ')}]`).join(', ');
      throw new LanthornError('shape', 'TensorDataset', `arrays must have one first dimension, their shapes are ${shapes || 'none'}`);
    }
    this.length = length;
  }

  get(index: number): { -readonly [K in keyof R]: Row<R[K]> } {
    if (!(index >= 0 && index < this.length)) throw outOfRange('TensorDataset', index, this.length);
    return this.#columns.map((column) => (column instanceof Tensor ? column.select(0, index) : column.row(index))) as never;
  }

  getBatch(indices: readonly number[]): (Tensor | HostArray)[] {
    let places: Tensor | undefined;
    const batch = this.#columns.map((column) => {
      if (column instanceof HostArray) return stack(indices.map((index) => column.row(index)));
      places ??= tensor(Int32Array.from(indices));
      return column.indexSelect(0, places);
    });
    places?.dispose();
    return batch;
  }
}

/** The data set with `map` applied to every sample, for example a transform. */
export class MapDataset<S, const T> implements Dataset<T> {
  readonly #dataset: Dataset<S>;
  readonly #map: (sample: S, random: Random) => T | Promise<T>;

  constructor(dataset: Samples<S>, map: (sample: S, random: Random) => T | Promise<T>) {
    this.#dataset = datasetOf(dataset);
    this.#map = map;
  }

  get length(): number {
    return this.#dataset.length;
  }

  get(index: number, random: Random): T | Promise<T> {
    const sample = this.#dataset.get(index, random);
    return sample instanceof Promise ? sample.then((value) => this.#map(value, random)) : this.#map(sample, random);
  }
}

/** A selection of the samples of a data set, in the order of its indices. */
export class Subset<S> implements Dataset<S> {
  /** The indices of the samples in the data set. */
  readonly indices: readonly number[];
  readonly getBatch?: (indices: readonly number[]) => unknown;
  /** The data set that the samples are selected from. */
  readonly dataset: Dataset<S>;

  /** Every index must be below the data set's length. */
  constructor(samples: Samples<S>, indices: ArrayLike<number>) {
    const dataset = datasetOf(samples);
    this.dataset = dataset;
    this.indices = Array.from(indices);
    const odd = this.indices.find((index) => !(Number.isInteger(index) && index >= 0 && index < dataset.length));
    if (odd !== undefined) throw outOfRange('Subset', odd, dataset.length);
    if (dataset.getBatch) this.getBatch = (places) => dataset.getBatch!(places.map((place) => this.#place(place)));
  }

  get length(): number {
    return this.indices.length;
  }

  get(index: number, random: Random): S | Promise<S> {
    return this.dataset.get(this.#place(index), random);
  }

  #place(index: number): number {
    const place = this.indices[index];
    if (place === undefined) throw outOfRange('Subset', index, this.length);
    return place;
  }
}

/**
 * Disjoint parts that together have every sample once: consecutive pieces of the {@link
 * permutation} of this seed, or of a seed that the generator draws. Lengths are counts, whose sum
 * is the data set's length, or fractions, whose sum is one. Fractional lengths are rounded down;
 * the samples left over go to the first parts, one each.
 */
export function randomSplit<S>(samples: Samples<S>, lengths: readonly number[], seed: number | Generator | Seeding = 0): Subset<S>[] {
  const dataset = datasetOf(samples);
  const source = typeof seed === 'number' ? { seed } : seed instanceof Generator ? { generator: seed } : seed;
  const order = permutation(seedOf('randomSplit', source), 0, dataset.length);
  let at = 0;
  return countsOf(lengths, dataset.length).map((count) => new Subset(dataset, order.subarray(at, (at += count))));
}

function countsOf(lengths: readonly number[], length: number): readonly number[] {
  const sum = lengths.reduce((total, part) => total + part, 0);
  if (lengths.every((part) => Number.isInteger(part) && part >= 0) && sum === length) return lengths;
  if (Math.abs(sum - 1) > 1e-6 || !lengths.every((part) => part >= 0 && part <= 1)) {
    throw new LanthornError('argument', 'randomSplit', `lengths [${lengths.join(', ')}] sum neither to the data set's ${length} samples nor, as fractions, to 1`);
  }
  const counts = lengths.map((share) => Math.floor(length * share));
  const rest = length - counts.reduce((total, count) => total + count, 0);
  for (let place = 0; place < rest; place++) counts[place % counts.length]! += 1;
  return counts;
}

/** Data sets concatenated. */
export class ConcatDataset<S> implements Dataset<S> {
  readonly length: number;
  readonly #datasets: readonly Dataset<S>[];

  constructor(datasets: readonly Samples<S>[]) {
    if (datasets.length === 0) throw new LanthornError('argument', 'ConcatDataset', 'there must be one data set at least');
    this.#datasets = datasets.map((samples) => datasetOf(samples));
    this.length = this.#datasets.reduce((total, { length }) => total + length, 0);
  }

  get(index: number, random: Random): S | Promise<S> {
    let place = index;
    for (const dataset of place >= 0 ? this.#datasets : []) {
      if (place < dataset.length) return dataset.get(place, random);
      place -= dataset.length;
    }
    throw outOfRange('ConcatDataset', index, this.length);
  }
}

/** Data sets zipped, in a list or by name: a sample has one of each. */
export class StackDataset<const D extends readonly Dataset<unknown>[] | Readonly<Record<string, Dataset<unknown>>>>
  implements Dataset<{ -readonly [K in keyof D]: D[K] extends Dataset<infer S> ? S : never }> {
  readonly length: number;
  readonly #datasets: D;

  constructor(datasets: D) {
    const lengths = Object.values(datasets).map(({ length }) => length);
    if (lengths.length === 0 || lengths.some((length) => length !== lengths[0])) {
      throw new LanthornError('argument', 'StackDataset', `data sets must be equally long, they have [${lengths.join(', ')}] samples`);
    }
    this.#datasets = datasets;
    this.length = lengths[0]!;
  }

  async get(index: number, random: Random): Promise<{ -readonly [K in keyof D]: D[K] extends Dataset<infer S> ? S : never }> {
    const parts = await Promise.all(Object.values(this.#datasets).map((dataset) => dataset.get(index, random)));
    if (Array.isArray(this.#datasets)) return parts as never;
    return Object.fromEntries(Object.keys(this.#datasets).map((name, place) => [name, parts[place]])) as never;
  }
}
