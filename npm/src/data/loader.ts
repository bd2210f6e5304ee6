/** The loader: prepares batches of a data set ahead. */
import { checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { defaultCollate, holdsTensor, toTensors, type Collated } from './collate.js';
import { datasetOf, type Dataset, type IterableDataset } from './dataset.js';
import { concerning, fetchSamples, type Request } from './fetch.js';
import { Preparation } from './preparation.js';
import type { Generator } from '../core/generator.js';
import { keyOf, Random, seedOf } from './random.js';
import { BatchSampler, checkCount, RandomSampler, SequentialSampler, type BatchOrder, type Sampler } from './sampler.js';
import { WorkerPool, type WorkerSource } from './workers.js';

/** Options of a {@link DataLoader}. */
export interface DataLoaderOptions<S, B> {
  /** Samples per batch (default: 1). */
  batchSize?: number;
  /** Whether every epoch has a random order (default: false). */
  shuffle?: boolean;
  /** The order, instead of `shuffle`. */
  sampler?: Sampler;
  /** The batches themselves, instead of `batchSize`, `shuffle`, `sampler` and `dropLast`. */
  batchSampler?: BatchOrder;
  /** Whether a smaller last batch is left out (default: false). */
  dropLast?: boolean;
  /**
   * Collates samples when the batch is taken (default: {@link defaultCollate}, with tensors in
   * place of arrays).
   */
  collate?: (samples: S[]) => B;
  /** PyTorch's name of `collate`. */
  collateFn?: (samples: S[]) => B;
  /** The number of batches prepared ahead (default: 2, and 2 for each worker). */
  prefetch?: number;
  /** The number of web workers that prepare batches (default: none). */
  workers?: number;
  /**
   * PyTorch's name of `workers`. Without a `workerUrl` this thread prepares the batches, which are
   * the same.
   */
  numWorkers?: number;
  /** The module of the workers, which calls `serveDataset`, or a function that starts one. */
  workerUrl?: WorkerSource;
  /** The seed of the order and of the random choices of samples (default: 0). */
  seed?: number;
  /** The source of the seed, instead of `seed`. */
  generator?: Generator | null;
  /** Ends an iteration: the pending batch rejects with the signal's reason. */
  signal?: AbortSignal;
}

const OPTIONS = ['batchSize', 'shuffle', 'sampler', 'batchSampler', 'dropLast', 'collate', 'prefetch', 'workers', 'workerUrl', 'seed', 'generator', 'signal', 'collateFn', 'numWorkers'] as const;

/** The position of a loader, for checkpoints: all later batches follow from it. */
export interface LoaderState {
  /** The seed of the order and of the random choices of samples. */
  seed: number;
  /** The current epoch, from 0. */
  epoch: number;
  /** The number of batches of the epoch that have been returned. */
  position: number;
}

/** The `detail` of a `progress` event. */
export interface LoaderProgress {
  /** The epoch, from 0. */
  epoch: number;
  /** The number of its batches that have been returned. */
  position: number;
  /** The number of its batches; undefined for an iterable data set. */
  batches: number | undefined;
  /** The time since the iteration began. */
  seconds: number;
}

/** Options with the package's names in place of PyTorch's. */
function withOwnNames<S, B>({ collateFn, numWorkers, ...own }: Partial<DataLoaderOptions<S, B>>): Partial<DataLoaderOptions<S, B>> {
  const given = own as Partial<DataLoaderOptions<S, B>>;
  if (given.collate !== undefined && collateFn !== undefined) throw new LanthornError('argument', 'DataLoader', 'takes collate or collateFn, not both');
  if (given.workers !== undefined && numWorkers !== undefined) throw new LanthornError('argument', 'DataLoader', 'takes workers or numWorkers, not both');
  if (collateFn !== undefined) given.collate = collateFn;
  if (numWorkers !== undefined) given.workers = own.workerUrl === undefined ? Math.min(numWorkers, 0) : numWorkers;
  return given;
}

/**
 * A prepared batch, and the remaining work when it is taken: everything that makes tensors, so that
 * they belong to the taker's scope.
 */
type Finish = () => unknown;

/**
 * Batches of a data set, as in `torch.utils.data.DataLoader`; each `for await` is an epoch. Samples
 * are fetched while the device computes. A `progress` event precedes each batch.
 *
 * @example
 * const loader = new DataLoader(new TensorDataset(images, labels), { batchSize: 64, shuffle: true, seed: 1 });
 * for await (const [x, y] of loader) criterion.call(net.call(x), y).backward();
 */
export class DataLoader<S, B = Collated<S>> extends EventTarget implements AsyncIterable<B> {
  /**
   * The number of batches of an epoch; undefined for an iterable data set, whose length is unknown.
   */
  readonly length: number | undefined;
  /** The data set. */
  readonly dataset: Dataset<S> | IterableDataset<S>;
  readonly #options: Partial<DataLoaderOptions<S, B>>;
  readonly #batchSize: number;
  readonly #prefetch: number;
  readonly #sampler: BatchOrder | undefined;
  #state: LoaderState;
  /** Whether the next iteration resumes at the state instead of starting the next epoch. */
  #restored = false;

  constructor(dataset: Dataset<S> | IterableDataset<S> | readonly S[] | { readonly length: number }, options: DataLoaderOptions<S, B> = {}) {
    super();
    const source = datasetOf(dataset) as Dataset<S> | IterableDataset<S> | { readonly length: number };
    const given = withOwnNames(checkOptions('DataLoader', options, OPTIONS));
    const refuse = (message: string) => new LanthornError('argument', 'DataLoader', message);
    const { batchSize = 1, shuffle = false, sampler, batchSampler, dropLast = false, collate, workers = 0, workerUrl } = given;
    if (typeof source !== 'object' || source === null) throw refuse(`takes a data set, not ${describe(source)}`);
    const seed = seedOf('DataLoader', given);
    this.#batchSize = checkCount('DataLoader', 'batchSize', batchSize, 1);
    checkCount('DataLoader', 'workers', workers);
    this.#prefetch = checkCount('DataLoader', 'prefetch', given.prefetch ?? 2 * Math.max(workers, 1));
    if (shuffle && sampler) throw refuse('takes a sampler or shuffle, not both');
    if (batchSampler) {
      if (given.batchSize !== undefined || shuffle || sampler || dropLast) throw refuse('takes a batchSampler or batchSize, shuffle, sampler and dropLast, not both');
      if (typeof batchSampler.batches !== 'function') throw refuse('a batchSampler has a length and a method batches');
      checkCount('DataLoader', "the batchSampler's length", batchSampler.length);
    }
    if (workers > 0 && workerUrl === undefined) throw refuse('workers need a workerUrl, the address of a module that calls serveDataset');
    if (workers > 0 && collate) throw refuse('with workers a collate is given to serveDataset');
    if ('iterate' in source) {
      if (shuffle || sampler || batchSampler) throw refuse('an iterable data set has its own order: it takes neither shuffle nor a sampler');
      if (workers > 0) throw refuse('an iterable data set has one order: it takes no workers');
    } else {
      if (!(Number.isInteger(source.length) && source.length >= 0)) throw refuse('a data set has a length, or a method iterate');
      if (workers === 0 && typeof (source as Dataset<S>).get !== 'function') throw refuse('without workers a data set has a method get');
      const order = sampler ?? (shuffle ? new RandomSampler(source.length) : new SequentialSampler(source.length));
      this.#sampler = batchSampler ?? new BatchSampler(order, batchSize, dropLast);
    }
    this.dataset = source as Dataset<S> | IterableDataset<S>;
    this.#options = given;
    this.length = this.#sampler?.length;
    this.#state = { seed, epoch: 0, position: 0 };
  }

  /**
   * Seed, epoch, and the number of its batches that have been returned. Prepared batches do not
   * count.
   */
  stateDict(): LoaderState {
    return { ...this.#state };
  }

  /**
   * Restores a state from {@link DataLoader.stateDict}: the next iteration resumes there, with the
   * same batches as without the interruption.
   */
  loadStateDict(state: LoaderState): void {
    const { seed, epoch, position } = state;
    keyOf('DataLoader', seed);
    checkCount('DataLoader', 'epoch', epoch);
    checkCount('DataLoader', 'position', position);
    if (this.length !== undefined && position > this.length) {
      throw new LanthornError('argument', 'DataLoader', `position ${position} is beyond the ${this.length} batches of an epoch`);
    }
    this.#state = { seed, epoch, position };
    this.#restored = true;
  }

  /**
   * The batches of an epoch: of the next epoch if the last iteration ended in its middle, of the
   * rest of an epoch after {@link DataLoader.loadStateDict}.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<B, void, undefined> {
    if (!this.#restored && this.#state.position > 0) this.#advance();
    this.#restored = false;
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const begun = performance.now();
    const { prepare, close } = this.#open();
    const ahead: Preparation<Finish | undefined>[] = [];
    const fill = (count: number) => {
      while (ahead.length < count) ahead.push(prepare());
    };
    try {
      for (;;) {
        fill(1);
        const finish = await abortable(ahead.shift()!.result(), signal);
        if (!finish) break;
        fill(this.#prefetch);
        const batch = finish() as B;
        this.#state.position++;
        const { epoch, position } = this.#state;
        const detail: LoaderProgress = { epoch, position, batches: this.length, seconds: (performance.now() - begun) / 1000 };
        this.dispatchEvent(new CustomEvent('progress', { detail }));
        yield batch;
        signal?.throwIfAborted();
      }
      this.#advance();
    } finally {
      for (const preparation of ahead) preparation.cancel();
      close();
    }
  }

  #advance(): void {
    this.#state = { seed: this.#state.seed, epoch: this.#state.epoch + 1, position: 0 };
  }

  /**
   * The producer of batches, and the function that ends it. After the last batch it returns
   * undefined.
   */
  #open(): { prepare(): Preparation<Finish | undefined>; close(): void } {
    if (!this.#sampler) return this.#openStream(this.dataset as IterableDataset<S>);
    const { seed, epoch, position } = this.#state;
    const all = this.#sampler.batches(seed, epoch);
    if (all.length !== this.length) throw new LanthornError('argument', 'DataLoader', `the batchSampler gave ${all.length} batches for an epoch of ${this.length}`);
    const batches = all.slice(position).map((indices) => Array.from(indices));
    const { workers = 0, workerUrl } = this.#options;
    const pool = workers > 0 && batches.length > 0 ? new WorkerPool(workerUrl!, Math.min(workers, batches.length)) : undefined;
    const make = async (indices: number[] | undefined): Promise<Finish | undefined> => {
      if (!indices) return undefined;
      const request: Request = { indices, seed, epoch };
      if (!pool) return this.#fetch(request);
      const batch = await pool.run(request);
      return () => toTensors(batch);
    };
    const prepare = () => {
      const indices = batches.shift();
      return new Preparation(() => make(indices), pool !== undefined);
    };
    return { prepare, close: () => pool?.terminate() };
  }

  async #fetch(request: Request): Promise<Finish> {
    const dataset = this.dataset as Dataset<S>;
    const { indices } = request;
    if (dataset.getBatch && !this.#options.collate) {
      return () => toTensors(nameIndices(indices, () => dataset.getBatch!(indices)));
    }
    return this.#batch(await fetchSamples(dataset, request), indices);
  }

  /** The remaining work on samples: only work that makes no tensors is done ahead. */
  #batch(samples: S[], indices: readonly number[]): Finish {
    const { collate } = this.#options;
    if (collate) return () => nameIndices(indices, () => collate(samples));
    if (holdsTensor(samples[0])) return () => toTensors(nameIndices(indices, () => defaultCollate(samples)));
    const batch = nameIndices(indices, () => defaultCollate(samples));
    return () => toTensors(batch);
  }

  #openStream(dataset: IterableDataset<S>): { prepare(): Preparation<Finish | undefined>; close(): void } {
    const { seed, epoch, position } = this.#state;
    const samples = each(dataset.iterate(new Random(seed, epoch, 0)));
    let place = 0;
    const skipped = position * this.#batchSize;
    const read = async (): Promise<Finish | undefined> => {
      const batch: S[] = [];
      const first = Math.max(place, skipped);
      while (batch.length < this.#batchSize) {
        const { done, value } = await samples.next().catch((error: unknown) => { throw concerning(`sample ${place}`, error); });
        if (done) break;
        if (place++ >= skipped) batch.push(value);
      }
      if (batch.length === 0 || (this.#options.dropLast && batch.length < this.#batchSize)) return undefined;
      return this.#batch(batch, batch.map((_, at) => first + at));
    };
    // One batch after another, because they come from one iterator.
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = () => {
      const reading = last.then(read);
      last = reading.catch(() => {});
      return reading;
    };
    // A silent source must not delay the end of the iteration.
    const close = () => void samples.return().catch(() => {});
    return { prepare: () => new Preparation(inTurn, true), close };
  }
}

/** Runs the user's code; an exception is reported with its samples. */
function nameIndices<T>(indices: readonly number[], action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw concerning(`samples [${indices.join(', ')}]`, error);
  }
}

/** The items of either kind of iterable. */
async function* each<S>(items: Iterable<S> | AsyncIterable<S>): AsyncGenerator<S, void, undefined> {
  yield* items;
}

/** A promise that rejects when the signal says so. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
