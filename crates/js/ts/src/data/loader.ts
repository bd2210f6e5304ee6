/** Batches of a data set, prepared ahead. */
import { checkOptions, describe } from '../check.js';
import { LanthornError } from '../errors.js';
import { defaultCollate, holdsTensor, toTensors, type Collated } from './collate.js';
import type { Dataset, IterableDataset } from './dataset.js';
import { concerning, fetchSamples, type Request } from './fetch.js';
import { Preparation } from './preparation.js';
import { keyOf, Random } from './random.js';
import { BatchSampler, checkCount, RandomSampler, SequentialSampler, type BatchOrder, type Sampler } from './sampler.js';
import { WorkerPool, type WorkerSource } from './workers.js';

/** How a {@link DataLoader} makes batches. */
export interface DataLoaderOptions<S, B> {
  /** Samples a batch; by default 1. */
  batchSize?: number;
  /** Whether every epoch has a random order; by default not. */
  shuffle?: boolean;
  /** The order, in place of `shuffle`. */
  sampler?: Sampler;
  /** The batches themselves, in place of `batchSize`, `shuffle`, `sampler` and `dropLast`. */
  batchSampler?: BatchOrder;
  /** Whether a last batch that is smaller is left out; by default not. */
  dropLast?: boolean;
  /** Makes a batch of samples when the batch is taken; by default {@link defaultCollate}, with tensors for arrays. */
  collate?: (samples: S[]) => B;
  /** How many batches are prepared ahead; by default 2, and 2 for each worker. */
  prefetch?: number;
  /** How many web workers make batches; by default none. */
  workers?: number;
  /** The module of the workers, which calls `serveDataset`, or what starts one. */
  workerUrl?: WorkerSource;
  /** The seed of the order and of what is random about samples; by default 0. */
  seed?: number;
  /** Ends an iteration: the batch that is waited for rejects with the signal's reason. */
  signal?: AbortSignal;
}

const OPTIONS = ['batchSize', 'shuffle', 'sampler', 'batchSampler', 'dropLast', 'collate', 'prefetch', 'workers', 'workerUrl', 'seed', 'signal'] as const;

/** Where a loader is, to be kept in a checkpoint: what comes next follows from it. */
export interface LoaderState {
  /** The seed of the order and of what is random about samples. */
  seed: number;
  /** The current epoch, from 0. */
  epoch: number;
  /** How many batches of the epoch have been handed out. */
  position: number;
}

/** What an event `progress` has in its `detail`. */
export interface LoaderProgress {
  /** The epoch, from 0. */
  epoch: number;
  /** How many of its batches have been handed out. */
  position: number;
  /** How many it has; undefined for an iterable data set. */
  batches: number | undefined;
  /** Since the iteration began. */
  seconds: number;
}

/** A batch that is prepared, and what is left to do when it is taken: whatever makes tensors, so that they belong to the scope of who takes it. */
type Finish = () => unknown;

/**
 * Batches of a data set, as `torch.utils.data.DataLoader`; each `for await` is an epoch. Samples are fetched while the device computes. An event `progress` comes
 * before each batch.
 *
 * @example
 * const loader = new DataLoader(new TensorDataset(images, labels), { batchSize: 64, shuffle: true, seed: 1 });
 * for await (const [x, y] of loader) criterion.call(net.call(x), y).backward();
 */
export class DataLoader<S, B = Collated<S>> extends EventTarget implements AsyncIterable<B> {
  /** How many batches an epoch has; undefined for an iterable data set, which does not know. */
  readonly length: number | undefined;
  readonly #dataset: Dataset<S> | IterableDataset<S>;
  readonly #options: Partial<DataLoaderOptions<S, B>>;
  readonly #batchSize: number;
  readonly #prefetch: number;
  readonly #sampler: BatchOrder | undefined;
  #state: LoaderState;
  /** Whether the next iteration goes on where the state is, and not at the start of the next epoch. */
  #restored = false;

  constructor(dataset: Dataset<S> | IterableDataset<S> | { readonly length: number }, options: DataLoaderOptions<S, B> = {}) {
    super();
    const given = checkOptions('DataLoader', options, OPTIONS);
    const refused = (message: string) => new LanthornError('argument', 'DataLoader', message);
    const { batchSize = 1, shuffle = false, sampler, batchSampler, dropLast = false, collate, workers = 0, workerUrl, seed = 0 } = given;
    if (typeof dataset !== 'object' || dataset === null) throw refused(`takes a data set, not ${describe(dataset)}`);
    keyOf('DataLoader', seed);
    this.#batchSize = checkCount('DataLoader', 'batchSize', batchSize, 1);
    checkCount('DataLoader', 'workers', workers);
    this.#prefetch = checkCount('DataLoader', 'prefetch', given.prefetch ?? 2 * Math.max(workers, 1));
    if (shuffle && sampler) throw refused('takes a sampler or shuffle, not both');
    if (batchSampler) {
      if (given.batchSize !== undefined || shuffle || sampler || dropLast) throw refused('takes a batchSampler or batchSize, shuffle, sampler and dropLast, not both');
      if (typeof batchSampler.batches !== 'function') throw refused('a batchSampler has a length and a method batches');
      checkCount('DataLoader', "the batchSampler's length", batchSampler.length);
    }
    if (workers > 0 && workerUrl === undefined) throw refused('workers need a workerUrl, the address of a module that calls serveDataset');
    if (workers > 0 && collate) throw refused('with workers a collate is given to serveDataset');
    if ('iterate' in dataset) {
      if (shuffle || sampler || batchSampler) throw refused('an iterable data set has its own order: it takes neither shuffle nor a sampler');
      if (workers > 0) throw refused('an iterable data set has one order: it takes no workers');
    } else {
      if (!(Number.isInteger(dataset.length) && dataset.length >= 0)) throw refused('a data set has a length, or a method iterate');
      if (workers === 0 && typeof (dataset as Dataset<S>).get !== 'function') throw refused('without workers a data set has a method get');
      const order = sampler ?? (shuffle ? new RandomSampler(dataset.length) : new SequentialSampler(dataset.length));
      this.#sampler = batchSampler ?? new BatchSampler(order, batchSize, dropLast);
    }
    this.#dataset = dataset as Dataset<S> | IterableDataset<S>;
    this.#options = given;
    this.length = this.#sampler?.length;
    this.#state = { seed, epoch: 0, position: 0 };
  }

  /** Seed, epoch, and how many batches of it were handed out. Those prepared ahead do not count. */
  stateDict(): LoaderState {
    return { ...this.#state };
  }

  /** Goes to a state that {@link DataLoader.stateDict} gave: the next iteration goes on there, with the same batches as without the interruption. */
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

  /** The batches of an epoch: of the next one if the last was left in its middle, of the rest of one after {@link DataLoader.loadStateDict}. */
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

  /** What prepares one batch after another, and what ends it. After the last batch it prepares undefined. */
  #open(): { prepare(): Preparation<Finish | undefined>; close(): void } {
    if (!this.#sampler) return this.#openStream(this.#dataset as IterableDataset<S>);
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
    const dataset = this.#dataset as Dataset<S>;
    const { indices } = request;
    if (dataset.getBatch && !this.#options.collate) {
      return () => toTensors(told(indices, () => dataset.getBatch!(indices)));
    }
    return this.#batch(await fetchSamples(dataset, request), indices);
  }

  /** What is left to do with samples: only what makes no tensors is done ahead. */
  #batch(samples: S[], indices: readonly number[]): Finish {
    const { collate } = this.#options;
    if (collate) return () => told(indices, () => collate(samples));
    if (holdsTensor(samples[0])) return () => toTensors(told(indices, () => defaultCollate(samples)));
    const batch = told(indices, () => defaultCollate(samples));
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
    // One batch after another: they come from one iterator.
    let last: Promise<unknown> = Promise.resolve();
    const inTurn = () => {
      const reading = last.then(read);
      last = reading.catch(() => {});
      return reading;
    };
    // A source that is silent must not hold up who leaves it.
    const close = () => void samples.return().catch(() => {});
    return { prepare: () => new Preparation(inTurn, true), close };
  }
}

/** Runs what a user gave, and says which samples it was about if it throws. */
function told<T>(indices: readonly number[], action: () => T): T {
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
