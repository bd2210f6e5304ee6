/** The module of the fused micro-kernels for shared memory, in base64. */
export declare const FUSED: string;
/** The code of a thread: src/core/thread.ts. */
export declare const THREAD: string;
