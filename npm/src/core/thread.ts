/**
 * A thread of the CPU's kernels: an instance of the core on the memory of its page. The package has
 * this file as text, from which workers are made in any bundle (see thread-pool.ts), so it imports nothing.
 */

/** The data with which a thread is started. */
export interface ThreadStart {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** The micro-kernels of another module, and the position of the first in the table of functions. */
  fused?: { module: WebAssembly.Module; names: string[]; position: number };
  number: number;
  /** The address of a word, into which {@link DEAD} is stored if the thread dies. */
  state: number;
}

/** A message of a thread. */
export type ThreadEvent = 'running' | 'ended';

/** The state of a thread that died; `DEAD` of the core. */
const DEAD = 3;

type Exports = Record<string, WebAssembly.ExportValue>;

/** The core's imports, none of which a kernel calls: only a panic does, which ends the thread. */
function importsOf(module: WebAssembly.Module, memory: WebAssembly.Memory): WebAssembly.Imports {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const called = (): void => {
      if (!name.startsWith('__wbindgen_init')) throw new Error(`a thread called ${name}`);
    };
    (imports[from] ??= {})[name] = kind === 'memory' ? memory : called;
  }
  return imports;
}

/** The core's table of functions. */
function tableOf(exports: Exports): WebAssembly.Table {
  const isTable = ([name, value]: [string, unknown]): boolean => value instanceof WebAssembly.Table && name !== '__wbindgen_externrefs';
  return Object.entries(exports).find(isTable)![1] as WebAssembly.Table;
}

/**
 * Runs parts of kernels until the pool has fewer threads. Reports when it begins, and when it has
 * ended.
 */
function run({ module, memory, fused, number, state }: ThreadStart, tell: (event: ThreadEvent) => void): void {
  try {
    const exports = new WebAssembly.Instance(module, importsOf(module, memory)).exports as Exports & {
      __wbindgen_start(stack?: number): void;
      __wbindgen_thread_destroy(): void;
      threadRun(number: number): void;
    };
    exports.__wbindgen_start();
    if (fused) {
      const table = tableOf(exports);
      const kernels = new WebAssembly.Instance(fused.module, { env: { memory } }).exports;
      if (table.grow(fused.names.length) !== fused.position) throw new Error('the tables of functions differ');
      fused.names.forEach((name, number) => table.set(fused.position + number, kernels[name]));
    }
    tell('running');
    exports.threadRun(number);
    exports.__wbindgen_thread_destroy();
    tell('ended');
  } catch (error) {
    Atomics.store(new Int32Array(memory.buffer), state >> 2, DEAD);
    throw error;
  }
}

interface NodeThreads {
  workerData: ThreadStart;
  parentPort: { postMessage(message: unknown): void };
}

declare function require(name: 'node:worker_threads'): NodeThreads;

if (typeof postMessage === 'function') {
  globalThis.onmessage = ({ data }: MessageEvent<ThreadStart>) => {
    run(data, (event) => postMessage(event));
  };
} else {
  const { workerData, parentPort } = require('node:worker_threads');
  run(workerData, (event) => parentPort.postMessage(event));
}
