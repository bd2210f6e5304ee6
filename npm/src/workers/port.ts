/** Workers in the words that pages, Node, Deno and Bun have in common, from both sides. */
import { nodeModule } from '../core/source.js';
import { LanthornError, type ErrorKind } from '../core/errors.js';
import type { SharedMemory } from '../core/shared-memory.js';
import type { GroupStart } from './process-group.js';
import type { TensorMessage } from './transfer.js';

/** The data with which a worker is started. */
export interface Start {
  lanthorn: 'start';
  memory: SharedMemory;
  group: GroupStart;
  /** The parameters and buffers of the model by name, in shared memory. */
  state: Record<string, TensorMessage>;
  /** Whether the model's tensors are those in shared memory, or copies of them. */
  shares: boolean;
  seed: number;
  data: unknown;
}

/** A message of a worker. */
export type Told =
  | { lanthorn: 'ready'; alive?: string }
  | { lanthorn: 'attached'; holder: number; thread: number }
  | { lanthorn: 'message'; message: unknown }
  | { lanthorn: 'result'; result: unknown }
  | { lanthorn: 'failed'; kind: ErrorKind; op: string; message: string; cause: { name: string; message: string; stack: string | undefined } };

/** A worker of the page, or of Node's `worker_threads`. */
export type AnyWorker = Worker | NodeWorker;

/** The part of Node's `Worker` used here. */
export interface NodeWorker {
  on(event: string, listener: (value: never) => void): unknown;
  postMessage(message: unknown): void;
  terminate(): unknown;
}

/** How long a page's worker may take to end, once it is terminated: Chromium ends its script after two seconds. */
const ENDING = 3000;

/** The main thread's side of a worker. */
export class Port {
  readonly #worker: AnyWorker;
  readonly #ended: Promise<void>;

  /**
   * `heard` receives the worker's messages, and `failed` is called if it ended or a message could
   * not be read.
   */
  constructor(worker: AnyWorker, heard: (told: Told) => void, failed: (reason: string, cause?: unknown) => void) {
    this.#worker = worker;
    let ended: () => void;
    this.#ended = new Promise((resolve) => { ended = resolve; });
    if ('on' in worker) {
      worker.on('message', heard);
      worker.on('messageerror', () => failed('its message could not be read'));
      worker.on('error', (error: unknown) => failed(String(error), error));
      worker.on('exit', (code: unknown) => { ended(); failed(`it ended (${String(code)})`); });
      return;
    }
    worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if (data?.lanthorn === 'ready' && data.alive !== undefined) {
        // The worker has the lock of this name while it lives.
        void navigator.locks.request(data.alive, () => { ended(); failed('it ended'); });
      }
      heard(data);
    });
    worker.addEventListener('messageerror', () => failed('its message could not be read'));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      failed(event.message || 'its module did not load', event.error);
    });
  }

  post(message: unknown): void {
    this.#worker.postMessage(message);
  }

  /** Ends the worker, and resolves when it has. */
  async end(): Promise<void> {
    await this.#worker.terminate();
    await Promise.race([this.#ended, new Promise((resolve) => setTimeout(resolve, ENDING))]);
  }
}

/** The worker's side of its port. */
export interface Scope {
  post(told: Told): void;
  hear(listener: (message: unknown) => void): void;
}

/** The scope of the worker that this is. */
export async function workerScope(op: string): Promise<Scope> {
  if (typeof document !== 'undefined') throw new LanthornError('argument', op, 'is called in a worker, not in the page');
  const scope = globalThis as unknown as { postMessage?(message: unknown): void; addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void };
  if (typeof scope.postMessage === 'function') {
    return {
      post: (told) => scope.postMessage!(told),
      hear: (listener) => scope.addEventListener('message', ({ data }) => listener(data)),
    };
  }
  const { parentPort } = await nodeModule<{ parentPort: { postMessage(message: unknown): void; on(event: 'message', listener: (message: unknown) => void): void } | null }>('node:worker_threads');
  if (!parentPort) throw new LanthornError('argument', op, 'is called in a worker, not in the main thread');
  return {
    post: (told) => parentPort.postMessage(told),
    hear: (listener) => parentPort.on('message', listener),
  };
}
