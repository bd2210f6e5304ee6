/** How many threads the CPU's kernels may have here. The threads themselves are in thread-pool.ts. */
import { LanthornError } from './errors.js';

/** The maximum number of threads; `MAX_THREADS` of the core. */
const MAX_THREADS = 64;

/**
 * Whether workers can share memory here: in Node from version 22 on, Deno and Bun, and in pages
 * that are cross-origin isolated. In threads of Node 20, code that V8 recompiles while it runs
 * loses variables (measured: `--no-wasm-dynamic-tiering` prevents it, and so does Node 22).
 */
export function canShareMemory(): boolean {
  const isIsolated = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated ?? true;
  const hasWorkers = typeof Worker === 'function' || nodeVersion() >= 22;
  return isIsolated && typeof SharedArrayBuffer === 'function' && hasWorkers;
}

/** The major version of Node, or 0 elsewhere. */
function nodeVersion(): number {
  return parseInt((globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node ?? '0');
}

/** The default number of threads: the number of processors, or half of it above four, at most 8. */
export function defaultThreads(): number {
  const processors = globalThis.navigator?.hardwareConcurrency ?? 1;
  return processors <= 4 ? processors : Math.min(Math.ceil(processors / 2), 8);
}

/** Checks a number of threads from the program. */
export function checkThreads(op: string, threads: unknown): number {
  if (!Number.isInteger(threads) || (threads as number) < 1 || (threads as number) > MAX_THREADS) {
    throw new LanthornError('argument', op, `the number of threads is a whole number from 1 to ${MAX_THREADS}, not ${String(threads)}`);
  }
  return threads as number;
}

/** Says once why there is only one thread. */
export function tellOfOneThread(): void {
  if (told) return;
  told = true;
  console.warn(`lanthorn: one thread. ${canShareMemory()
    ? 'init() took a core without threads: give it threads, or the address of the core cpuThreads'
    : 'Threads share memory, for which a page is cross-origin isolated, and Node has version 22 or later: see Threads in the README'}`);
}
let told = false;
