/**
 * The entry `lanthorn/inline-threads`: what `lanthorn/inline` is, with the core of the CPU for several
 * threads.
 *
 * @example
 * import 'lanthorn/inline-threads';
 * import { init } from 'lanthorn';
 * await init({ device: 'cpu', threads: 2 });
 */
import './inline.js';
import { inline } from './core/inlined.js';

inline({ cpuThreads: () => import('../wasm/lanthorn_cpu_threads_inline.js') });
