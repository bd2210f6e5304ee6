/** What samples come from, with `torch.utils.data`'s names. */
import { LanthornError } from '../errors.js';
import { tensor } from '../from-data.js';
import { Tensor } from '../tensor.js';
import type { TypedArray } from '../types.js';
import { HostArray, stack } from './host-array.js';
import { permutation, type Random } from './random.js';

/** Samples by index. */
export interface Dataset<S> {
  /** How many samples there are. */
  readonly length: number;
  /** The sample at an index. What is random about it is drawn from `random`, which follows from seed, epoch and index. */
  get(index: number, random: Random): S | Promise<S>;
  /** A batch at once, where that is quicker than its samples one by one: what a loader makes of them without a `collate` of its own. */
  getBatch?(indices: readonly number[]): unknown;
}

/** Samples that come one after another. Their order is theirs: there is no sampler. */
export interface IterableDataset<S> {
  /** The samples of one epoch. What is random about them is drawn from `random`, which follows from seed and epoch. */
  iterate(random: Random): Iterable<S> | AsyncIterable<S>;
}

function outOfRange(op: string, index: number, length: number): LanthornError {
  return new LanthornError('index', op, `index ${index} is out of range for ${length} samples`);
}

/** What {@link TensorDataset} takes rows of. */
export type Rows = Tensor | HostArray | TypedArray;

/** A row. */
export type Row<R> = R extends HostArray<infer T> ? HostArray<T> : R extends TypedArray ? HostArray<R> : R;

/**
 * The rows of tensors or arrays that are equally long: a sample has a row of each. Tensors stay on the device; a batch of theirs is one `indexSelect`.
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

/** The data set of what `map` makes of the samples: the place for transforms. */
export class MapDataset<S, const T> implements Dataset<T> {
  readonly #dataset: Dataset<S>;
  readonly #map: (sample: S, random: Random) => T | Promise<T>;

  constructor(dataset: Dataset<S>, map: (sample: S, random: Random) => T | Promise<T>) {
    this.#dataset = dataset;
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

/** Some samples of a data set, in an order of their own. */
export class Subset<S> implements Dataset<S> {
  /** Where the samples are in the data set. */
  readonly indices: readonly number[];
  readonly getBatch?: (indices: readonly number[]) => unknown;
  readonly #dataset: Dataset<S>;

  /** Every index must be below the data set's length. */
  constructor(dataset: Dataset<S>, indices: ArrayLike<number>) {
    this.#dataset = dataset;
    this.indices = Array.from(indices);
    const odd = this.indices.find((index) => !(Number.isInteger(index) && index >= 0 && index < dataset.length));
    if (odd !== undefined) throw outOfRange('Subset', odd, dataset.length);
    if (dataset.getBatch) this.getBatch = (places) => dataset.getBatch!(places.map((place) => this.#place(place)));
  }

  get length(): number {
    return this.indices.length;
  }

  get(index: number, random: Random): S | Promise<S> {
    return this.#dataset.get(this.#place(index), random);
  }

  #place(index: number): number {
    const place = this.indices[index];
    if (place === undefined) throw outOfRange('Subset', index, this.length);
    return place;
  }
}

/**
 * Parts that have every sample once, in the order of {@link permutation} for this seed. Lengths are counts, whose sum is the data set's length, or fractions,
 * whose sum is one: what rounding down leaves then goes to the first parts, a sample each.
 */
export function randomSplit<S>(dataset: Dataset<S>, lengths: readonly number[], seed = 0): Subset<S>[] {
  const order = permutation(seed, 0, dataset.length);
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

/** Data sets one after another. */
export class ConcatDataset<S> implements Dataset<S> {
  readonly length: number;
  readonly #datasets: readonly Dataset<S>[];

  constructor(datasets: readonly Dataset<S>[]) {
    if (datasets.length === 0) throw new LanthornError('argument', 'ConcatDataset', 'there must be one data set at least');
    this.#datasets = datasets;
    this.length = datasets.reduce((total, { length }) => total + length, 0);
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

/** Data sets side by side, in a list or by name: a sample has one of each. */
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
