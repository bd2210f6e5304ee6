/** The exports of the cores. */

/** The interface of both cores. */
export type Core = Omit<typeof import('../../wasm/lanthorn_cpu.js'), 'default' | 'initSync' | 'setMicrokernels'>;

/** The functions of the CPU core with threads that the other CPU core lacks. */
export type ThreadedCore = Core & Pick<typeof import('../../wasm/lanthorn_cpu_threads.js'),
  'numThreads' | 'setNumThreads' | 'setThreadStarter' | 'setMicrokernels' |
  'setMemorySpace' | 'memorySpace' | 'attachThread' | 'sharedBlocks' | 'releaseHolder' | 'cancelThread'>;
