/** The memory of a core, to which a worker attaches. */
import { checkOptions, describe } from './check.js';
import type { Fused } from './fuse.js';
import { LanthornError } from './errors.js';

/** The memory of a core with its compiled module: plain data that `postMessage` sends to a worker. */
export interface SharedMemory {
  lanthorn: 'memory';
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** The identity of the memory. */
  space: number;
  /** The micro-kernels of another module, and their position in the table of functions. */
  fused?: Fused;
}

/** Checks the memory that a program passes to `init`. */
export function checkMemory(given: unknown): SharedMemory {
  const wrong = (what: string): never => {
    throw new LanthornError('argument', 'init', `the option memory is what sharedMemory() gave in another thread, ${what}`);
  };
  if (typeof given !== 'object' || given === null || (given as SharedMemory).lanthorn !== 'memory') return wrong(`not ${describe(given)}`);
  const { module, memory } = given as SharedMemory;
  if (!(module instanceof WebAssembly.Module) || !(memory instanceof WebAssembly.Memory)) return wrong('which postMessage sends whole');
  checkOptions('init', given, ['lanthorn', 'module', 'memory', 'space', 'fused']);
  return given as SharedMemory;
}
