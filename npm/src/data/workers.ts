/** The page's side of a loader with workers: assigns batches to workers. */
import { LanthornError } from '../core/errors.js';
import { isMemoryShared, sharedMemory } from '../core/runtime.js';
import { endWorker, type Attachment } from '../workers/end.js';
import type { Request } from './fetch.js';
import { unpack, type Answer } from './serve.js';

/**
 * The URL of a worker's module, or a function that starts a worker: bundlers recognize
 * `() => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })`.
 */
export type WorkerSource = string | URL | (() => Worker);

/** The time limit for loading a worker's module. */
const STARTING = 60_000;

interface Job {
  resolve(batch: unknown): void;
  reject(error: unknown): void;
}

/**
 * Workers that make batches. Each makes one at a time; a waiting batch goes to the first free
 * worker.
 */
export class WorkerPool {
  readonly #workers: Worker[] = [];
  readonly #idle: Worker[] = [];
  /** The workers that are attached to the memory of this thread. */
  readonly #attached = new Map<Worker, Attachment>();
  readonly #waiting: { request: Request; job: Job }[] = [];
  readonly #running = new Map<number, { worker: Worker; job: Job }>();
  #last = 0;
  #failed: LanthornError | undefined;
  #starting: ReturnType<typeof setTimeout> | undefined;

  constructor(source: WorkerSource, count: number) {
    if (typeof source !== 'function' && typeof Worker === 'undefined') {
      throw new LanthornError('argument', 'DataLoader', 'there are no web workers here; leave workers out');
    }
    const start = typeof source === 'function' ? source : () => new Worker(source, { type: 'module' });
    const silent = () => this.#fail(`no worker answered within ${STARTING / 1000} s; its module calls serveDataset`);
    this.#starting = setTimeout(silent, STARTING);
    try {
      for (let place = 0; place < count; place++) this.#add(start());
    } catch (error) {
      this.terminate();
      throw new LanthornError('data', 'DataLoader', `a worker did not start: ${String(error)}`, { cause: error });
    }
  }

  #add(worker: Worker): void {
    this.#workers.push(worker);
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => this.#hear(worker, data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#fail(`a worker failed: ${event.message || 'its module did not load'}`);
    });
    worker.addEventListener('messageerror', () => this.#fail('a batch could not be read from its message'));
  }

  #hear(worker: Worker, answer: Answer): void {
    if (answer?.lanthorn === 'attached') {
      this.#attached.set(worker, answer);
      return;
    }
    if (answer?.lanthorn === 'ready') {
      clearTimeout(this.#starting);
    } else {
      const running = this.#running.get(answer?.job);
      // Modules may send other messages.
      if (!running) return;
      this.#running.delete(answer.job);
      if (answer.lanthorn === 'batch') {
        running.job.resolve(unpack(answer.batch));
      } else {
        const cause = Object.assign(new Error(answer.cause.message), answer.cause);
        running.job.reject(new LanthornError(answer.kind, answer.op, answer.message, { cause }));
      }
    }
    this.#idle.push(worker);
    this.#next();
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#idle.length > 0) {
      const worker = this.#idle.shift()!;
      const { request, job } = this.#waiting.shift()!;
      const id = ++this.#last;
      this.#running.set(id, { worker, job });
      worker.postMessage({ lanthorn: 'fetch', job: id, ...request, ...(isMemoryShared() && { memory: sharedMemory() }) });
    }
  }

  /** Fails current and later requests. */
  #fail(message: string): void {
    this.#failed ??= new LanthornError('data', 'DataLoader', message);
    for (const { job } of [...this.#running.values(), ...this.#waiting.splice(0)]) job.reject(this.#failed);
    this.terminate();
  }

  /** The batch of these samples. */
  run(request: Request): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#failed) return reject(this.#failed);
      this.#waiting.push({ request, job: { resolve, reject } });
      this.#next();
    });
  }

  /** Ends the workers, even in the middle of a batch. */
  terminate(): void {
    clearTimeout(this.#starting);
    for (const worker of this.#workers.splice(0)) {
      const attachment = this.#attached.get(worker);
      if (attachment) void endWorker(worker, attachment).catch(() => { /* The core is gone. */ });
      else worker.terminate();
    }
    this.#idle.length = 0;
    this.#running.clear();
  }
}
