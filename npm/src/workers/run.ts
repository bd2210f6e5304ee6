/** The main thread's side of a training by several workers. */
import { checkFunction, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { Module } from '../nn/module.js';
import { sharedMemory, synchronize } from '../core/runtime.js';
import { releaseHandle } from '../tensor/shared-handle.js';
import type { Tensor } from '../tensor/tensor.js';
import { end, type Attachment } from './end.js';
import { Port, type AnyWorker, type Start, type Told } from './port.js';
import { planGroup, } from './process-group.js';

/** Options of {@link hogwild} and {@link dataParallel}. */
export interface TrainingOptions {
  /** The number of workers; by default 2. */
  workers?: number;
  /**
   * Starts a worker, whose module calls `serveTraining`: `() => new Worker(new URL('./worker.js',
   * import.meta.url), { type: 'module' })`, which every bundler recognizes; in Node the `Worker` of
   * `node:worker_threads`.
   */
  worker: (rank: number) => AnyWorker;
  /** What each worker is given: anything that `postMessage` sends, or a function of the rank that makes it. */
  data?: unknown;
  /** The seed of the workers; 0 by default. */
  seed?: number;
  /** A message of a worker while it trains. */
  onMessage?(message: unknown, rank: number): void;
  /** Ends the workers; the promise rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The longest that a worker may take to start, and to wait for the others, in milliseconds; one minute by default. */
  timeout?: number;
}

const KNOWN = ['workers', 'worker', 'data', 'seed', 'onMessage', 'signal', 'timeout'];
const MAX_WORKERS = 64;

/**
 * Trains one model by several workers without locks, as Hogwild: the model moves to shared memory, and each worker
 * reads and writes the same parameters. Resolves to the workers' results; the model is trained then. The worker's
 * module calls `serveTraining`. It needs memory that workers share: `init({ device: 'cpu', threads: 2 })`.
 *
 * It is an error of kind `distributed` if a worker ends before it is done, and the worker's own error if it throws;
 * the other workers are ended then, and the model stays as they left it.
 *
 * @example
 * const losses = await hogwild(model, {
 *   workers: 4,
 *   worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
 * });
 */
export function hogwild<T = unknown>(model: Module, options: TrainingOptions): Promise<T[]> {
  return run('hogwild', model, options, true) as Promise<T[]>;
}

/**
 * Trains a model by several workers that step together, as `DistributedDataParallel`: each has a
 * copy of the model and different batches, and `backward` of the worker's context sets all
 * gradients to their mean. Resolves to the workers' results; the model has the trained parameters
 * then. Options and errors are as of {@link hogwild}.
 *
 * @example
 * await dataParallel(model, {
 *   workers: 2,
 *   worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
 *   data: (rank) => parts[rank],
 * });
 */
export function dataParallel<T = unknown>(model: Module, options: TrainingOptions): Promise<T[]> {
  return run('dataParallel', model, options, false) as Promise<T[]>;
}

function check(op: string, model: unknown, given: TrainingOptions) {
  if (!(model instanceof Module)) throw new LanthornError('argument', op, `takes a module, not ${describe(model)}`);
  const { workers = 2, worker, data, seed = 0, onMessage, signal, timeout = 60_000 } = checkOptions(op, given, KNOWN);
  checkFunction(op, worker);
  if (onMessage !== undefined) checkFunction(op, onMessage);
  if (!Number.isInteger(workers) || workers < 1 || workers > MAX_WORKERS) {
    throw new LanthornError('argument', op, `the number of workers is a whole number from 1 to ${MAX_WORKERS}, not ${String(workers)}`);
  }
  if (!Number.isSafeInteger(seed) || seed < 0) throw new LanthornError('argument', op, `a seed is a whole number from 0 on, not ${String(seed)}`);
  if (typeof timeout !== 'number' || !(timeout > 0)) throw new LanthornError('argument', op, `a time limit is a number of milliseconds, not ${String(timeout)}`);
  return { workers, worker: worker!, data, seed, onMessage, signal, timeout };
}

async function run(op: string, model: Module, given: TrainingOptions, shares: boolean): Promise<unknown[]> {
  const options = check(op, model, given);
  const memory = sharedMemory();
  options.signal?.throwIfAborted();
  model.shareMemory();
  await synchronize();
  const named = new Map<string, Tensor>([...model.namedParameters(), ...model.namedBuffers()]);
  const elements = [...named.values()].reduce((sum, { numel }) => sum + numel, 0);
  const group = planGroup(options.workers, elements, options.timeout);
  const starts: Start[] = [];
  const members: Member[] = [];
  try {
    const results = Array.from({ length: options.workers }, (_, rank) => {
      const data = typeof options.data === 'function' ? options.data(rank) : options.data;
      const state = Object.fromEntries([...named].map(([name, tensor]) => [name, tensor.handle()]));
      const start: Start = { lanthorn: 'start', memory, group: group.join(rank), state, shares, seed: options.seed, data };
      starts.push(start);
      const member = new Member(op, rank, start, options.timeout, options.onMessage);
      members.push(member);
      member.open(options.worker);
      return member.result;
    });
    return await rejectOnAbort(Promise.all(results), options.signal);
  } finally {
    group.barrier.abort();
    await Promise.all(members.map((member) => member.end()));
    starts.forEach(release);
    group.slots.dispose();
  }
}

/** A promise that ends early, if the signal says so. */
function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

/** Releases the handles that a worker did not receive. */
function release({ group, state }: Start): void {
  releaseHandle(group.slots);
  for (const message of Object.values(state)) if (message.lanthorn === 'tensor') releaseHandle(message);
}

/** A worker of a training. */
class Member {
  readonly result: Promise<unknown>;
  readonly #op: string;
  readonly #rank: number;
  readonly #start: Start;
  readonly #timeout: number;
  readonly #onMessage: ((message: unknown, rank: number) => void) | undefined;
  #port: Port | undefined;
  #attached: Attachment | undefined;
  #starting: ReturnType<typeof setTimeout> | undefined;
  #resolve!: (result: unknown) => void;
  #reject!: (error: unknown) => void;
  #isDone = false;

  constructor(op: string, rank: number, start: Start, timeout: number, onMessage: ((message: unknown, rank: number) => void) | undefined) {
    [this.#op, this.#rank, this.#start, this.#timeout, this.#onMessage] = [op, rank, start, timeout, onMessage];
    this.result = new Promise((resolve, reject) => { [this.#resolve, this.#reject] = [resolve, reject]; });
    // The first error is the one that is reported; others are of no interest.
    this.result.catch(() => {});
  }

  open(make: (rank: number) => AnyWorker): void {
    this.#starting = setTimeout(() => this.#fail(`did not start within ${this.#timeout} ms; its module calls serveTraining`), this.#timeout);
    try {
      this.#port = new Port(make(this.#rank), (told) => this.#hear(told), (reason, cause) => this.#fail(`failed: ${reason}`, cause));
    } catch (error) {
      this.#fail(`did not start: ${String(error)}`, error);
    }
  }

  #fail(reason: string, cause?: unknown): void {
    this.#isDone = true;
    clearTimeout(this.#starting);
    this.#reject(new LanthornError('distributed', this.#op, `worker ${this.#rank} ${reason}`, { cause }));
  }

  #hear(told: Told): void {
    switch (told?.lanthorn) {
      case 'ready':
        clearTimeout(this.#starting);
        try {
          this.#port!.post(this.#start);
        } catch (error) {
          this.#fail(`cannot be given its data: ${String(error)}`, error);
        }
        break;
      case 'attached':
        this.#attached = { holder: told.holder, thread: told.thread };
        break;
      case 'message':
        this.#onMessage?.(told.message, this.#rank);
        break;
      case 'result':
        this.#isDone = true;
        this.#resolve(told.result);
        break;
      case 'failed': {
        this.#isDone = true;
        const cause = Object.assign(new Error(told.cause.message), told.cause);
        const message = told.message.startsWith(`${told.op}: `) ? told.message.slice(told.op.length + 2) : told.message;
        this.#reject(new LanthornError(told.kind, told.op, `worker ${this.#rank}: ${message}`, { cause }));
        break;
      }
      // Modules may send other messages.
    }
  }

  /** Ends the worker, and releases its tensors in shared memory. */
  async end(): Promise<void> {
    clearTimeout(this.#starting);
    await end(this.#op, this.#port, this.#attached, this.#isDone);
  }
}
