/**
 * Threads of the CPU's kernels: workers on the core's memory, which must be shared. Only pages with
 * threads load this module.
 *
 * It imports no module that others import. Bundlers put those into the entry of a worker, and
 * WebKit evaluates an entry a second time if a chunk imports it.
 */
import type { ThreadedCore } from './core.js';
import type { nodeModule } from './source.js';
import type { ThreadEvent, ThreadStart } from './thread.js';
import { FUSED, THREAD } from '../../wasm/lanthorn_thread.js';
import type { fuse } from './fuse.js';

/** The state of a thread that died; `DEAD` of the core. */
const DEAD = 3;

/** Sizes of the core's memory in pages of 64 KiB: at first, and the most there may ever be. */
const INITIAL_PAGES = 128;
const MAX_PAGES = [65536, 32768, 16384];

/** The milliseconds in which a thread is expected to begin. */
const START_MS = 1000;

/** Memory that workers share, as large as the browser allows it to become. */
export function sharedMemory(): WebAssembly.Memory {
  for (const maximum of MAX_PAGES.slice(0, -1)) {
    try {
      return new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum, shared: true });
    } catch {
      // There is no room for this many addresses.
    }
  }
  return new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAX_PAGES.at(-1)!, shared: true });
}

/** A worker, in the words that pages and Node have in common. */
interface Thread {
  /** Calls `told` with the thread's messages, and `failed` if it ends by an error. */
  hear(told: (event: ThreadEvent) => void, failed: (reason: string) => void): void;
  terminate(): void;
}

/** Functions of the modules that load this one. */
export interface Helpers {
  fuse: typeof fuse;
  nodeModule: typeof nodeModule;
}

/** The threads of a core. */
export class Threads {
  readonly #core: ThreadedCore;
  readonly #start: ThreadData;
  readonly #thread: (start: ThreadStart) => Thread;
  #hasWarned = false;
  /** Threads that have not begun yet, and when they are no longer expected. */
  #starting = 0;
  #expectedUntil = 0;

  private constructor(core: ThreadedCore, start: ThreadData, thread: (start: ThreadStart) => Thread) {
    this.#core = core;
    this.#start = start;
    this.#thread = thread;
  }

  /** The module and the memory that threads are started with. */
  get data(): ThreadData {
    return this.#start;
  }

  /** The threads of a core, none of which runs yet: the first kernel that is large enough starts them. */
  static async of(core: ThreadedCore, module: WebAssembly.Module, memory: WebAssembly.Memory, { fuse, nodeModule }: Helpers): Promise<Threads> {
    const fused = await fuse(FUSED, memory, core.setMicrokernels);
    const start = { module, memory, ...(fused && { fused }) };
    const node = typeof Worker === 'function' ? undefined : await nodeModule<NodeThreads>('node:worker_threads');
    const threads = new Threads(core, start, (given) => (node ? nodeThread(node, given) : webThread(given)));
    core.setThreadStarter((number: number, state: number) => threads.#add(number, state));
    return threads;
  }

  get count(): number {
    return this.#core.numThreads();
  }

  set count(threads: number) {
    this.#core.setNumThreads(threads);
  }

  /**
   * Whether threads have not begun yet. A browser starts a worker when the page's own task ends, and a loop
   * that awaits only results of the CPU never ends one.
   */
  get areStarting(): boolean {
    return this.#starting > 0 && performance.now() < this.#expectedUntil;
  }

  #add(number: number, state: number): void {
    let hasBegun = false;
    this.#starting += 1;
    this.#expectedUntil = performance.now() + START_MS;
    const failed = (reason: string): void => {
      Atomics.store(new Int32Array(this.#start.memory.buffer), state >> 2, DEAD);
      if (hasBegun) {
        console.error(`lanthorn: a thread died (${reason})`);
        return;
      }
      this.#starting -= 1;
      // The next one would not start either.
      this.count = 1;
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      console.warn(`lanthorn: one thread, because no worker starts here (${reason})`);
    };
    try {
      const thread = this.#thread({ ...this.#start, number, state });
      thread.hear((event) => {
        if (!hasBegun) this.#starting -= 1;
        hasBegun = true;
        if (event === 'ended') thread.terminate();
      }, failed);
    } catch (error) {
      failed(String(error));
    }
  }

  /** Ends the threads. They end by themselves, because one that is stopped might hold the allocator's lock. */
  end(): void {
    this.count = 1;
  }
}

/** What all threads are started with. */
export type ThreadData = Omit<ThreadStart, 'number' | 'state'>;

/** The part of Node's `worker_threads` used here. */
interface NodeThreads {
  Worker: new (code: string, options: object) => {
    on(event: string, listener: (value: unknown) => void): void;
    unref(): void;
    terminate(): unknown;
  };
}

function nodeThread({ Worker }: NodeThreads, start: ThreadStart): Thread {
  const worker = new Worker(THREAD, { eval: true, workerData: start, name: `lanthorn-${start.number}` });
  return {
    terminate: () => void worker.terminate(),
    hear(told, failed) {
      worker.on('message', (event) => told(event as ThreadEvent));
      worker.on('error', (error) => failed(String(error)));
      // A program ends without its threads.
      worker.unref();
    },
  };
}

function webThread(start: ThreadStart): Thread {
  // Not a file, which few bundlers would find.
  const url = URL.createObjectURL(new Blob([THREAD], { type: 'text/javascript' }));
  const worker = new Worker(url, { type: 'module', name: `lanthorn-${start.number}` });
  worker.postMessage(start);
  return {
    terminate: () => worker.terminate(),
    hear(told, failed) {
      worker.addEventListener('message', ({ data }: MessageEvent<ThreadEvent>) => {
        URL.revokeObjectURL(url);
        told(data);
      });
      worker.addEventListener('error', ({ message }) => failed(message || 'its worker did not load'));
    },
  };
}
