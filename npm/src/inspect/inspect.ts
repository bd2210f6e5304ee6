/** Inspection: memory and counters, the recorded graph and its kernels, and times by kernel. */
import { aliveTensors, type AliveTensors } from './alive.js';
import { checkFunction, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { deviceInfo, enter, enterAsync } from '../core/runtime.js';
import { keepTuning } from '../core/tuning-store.js';

/** The memory of the device. */
export interface MemoryInfo {
  /** Tensors that JavaScript holds. */
  tensors: number;
  /** Bytes in buffers that hold values. */
  bytes: number;
  /** The maximum of `bytes` so far. */
  peakBytes: number;
  /** Bytes in pooled buffers. */
  pooledBytes: number;
  /** Buffers created for values so far. */
  buffersCreated: number;
  /** Kernels launched so far. */
  launches: number;
  /** Submissions so far. */
  submissions: number;
  /** Segments that ran an existing plan. */
  planHits: number;
  /** Segments that ran a plan made for other sizes, with their own. */
  planResizes: number;
  /** Segments that needed a new plan. */
  planMisses: number;
  /** Distinct kernels recorded. */
  kernels: number;
  /** Gradients of expressions derived. */
  derivatives: number;
}

/** Memory and counters of the device; 0 where the CPU has no such thing. */
export interface Stats extends MemoryInfo {
  /** Dispatches to the GPU: a launch may take several. */
  dispatches: number;
  /** Submissions to the GPU's queue. */
  submits: number;
  /** GPU buffers created, of any kind: values, uniforms, scratch, readback. */
  apiBuffers: number;
  /** Bind groups created. */
  bindGroups: number;
  /** Pipelines created. */
  pipelines: number;
  /** Programs compiled by the CPU. */
  programs: number;
  /** Classes of kernels with a tuned variant. */
  tuned: number;
}

/**
 * Memory and counters of the device since it was opened. A repeated training step creates no
 * buffer, bind group, pipeline or plan.
 *
 * @example
 * const before = stats();
 * trainStep();
 * console.log(stats().dispatches - before.dispatches, 'dispatches');
 */
export function stats(): Stats {
  return enter((wasm) => wasm.deviceStats()) as Stats;
}

/**
 * The memory of the device: tensors, bytes, and the buffers created for them. With `alive`, also the
 * live tensors by operation and size, and by where they were made if {@link recordMemoryHistory} is on.
 *
 * @example
 * for (const { op, shape, count, bytes } of memory({ alive: true }).alive.slice(0, 3)) console.log(op, shape, count, bytes);
 */
export function memory(options: { alive: true }): MemoryInfo & { alive: AliveTensors[] };
export function memory(options?: { alive?: boolean }): MemoryInfo;
export function memory(options: { alive?: boolean } = {}): MemoryInfo {
  const { alive } = checkOptions('memory', options, ['alive']);
  return alive ? { ...stats(), alive: aliveTensors() } as MemoryInfo : stats();
}

/**
 * Limits the total bytes of buffers; `Infinity` removes the limit. Pooled buffers are freed before
 * an allocation fails. A failed allocation is an error of kind `out_of_memory`, at the call that
 * uploads or at the `await` of a result; the device continues to work.
 *
 * @example
 * setMemoryLimit(512 * 1024 * 1024);
 */
export function setMemoryLimit(bytes: number): void {
  if (typeof bytes !== 'number' || !(bytes >= 0)) {
    throw new LanthornError('argument', 'setMemoryLimit', `takes a number of bytes, not ${typeof bytes === 'number' ? bytes : describe(bytes)}`);
  }
  enter((wasm) => wasm.setMemoryLimit(bytes));
}

/** Frees the pooled buffers, as `torch.cuda.empty_cache`. */
export function emptyCache(): void {
  enter((wasm) => wasm.emptyCache());
}

/** Runs `fn` and then `finish`, also if `fn` fails; the result of `fn` is held until then. */
async function between<T>(fn: () => unknown, finish: () => T): Promise<Awaited<T>> {
  const [outcome] = await Promise.allSettled([(async () => fn())()]);
  const finished = await finish();
  if (outcome.status === 'rejected') throw outcome.reason;
  return finished;
}

/** Recorded kernels and their plan; as a string, all of it for people. */
export interface Explanation {
  /** The recorded graph, one line per kernel. */
  recorded: string;
  /** The graph after the planner's passes, one line per launch. */
  rewritten: string;
  /** The kernels in launch order, with their WGSL on a GPU. */
  kernels: { op: string; kind: string; sources: string[] }[];
  toString(): string;
}

/**
 * Runs a function, and returns the recorded kernels and their plan. The function's result counts as
 * needed, other intermediate results do not.
 *
 * @example
 * console.log(`${await explain(() => x.matmul(w).add(b).relu())}`); // one kernel
 */
export async function explain(fn: () => unknown): Promise<Explanation> {
  checkFunction('explain', fn);
  enter((wasm) => wasm.explainStart());
  const noted = await between(fn, () => enter((wasm) => wasm.explainStop()));
  const { text, ...explanation } = noted as Explanation & { text: string };
  return { ...explanation, toString: () => text };
}

/** A kernel's row in a profile. */
export interface ProfileRow {
  op: string;
  /** The kernel's kind: `map`, `reduce`, `contract`. */
  kernel: string;
  /** The number of launches. */
  count: number;
  milliseconds: number;
  /** Its fraction of the total, from 0 to 1. */
  share: number;
}

/** The time by kernel; as a string, a table. */
export interface Profile {
  /** The kernels, the slowest first. */
  rows: ProfileRow[];
  /** A note on the reliability of the times, if there is one. */
  note: string | undefined;
  toString(): string;
  /** The launches in the JSON that chrome://tracing and Perfetto read. */
  toTrace(): string;
}

/** The active profiles: while there are some, steps appear on the timeline of DevTools. */
let marking = 0;

/**
 * Runs a part of training, and names it on the timeline of DevTools while a profile is active.
 * @internal
 */
export function marked<T>(name: string, step: () => T): T {
  if (marking === 0) return step();
  const start = performance.now();
  try {
    return step();
  } finally {
    performance.measure(`lanthorn: ${name}`, { start, end: performance.now() });
  }
}

/**
 * Runs a function, which may be async, and measures its kernels on the device: with timestamp
 * queries on a GPU that has them (a browser may round those to 0.1 ms), otherwise by submission.
 * Meanwhile the timeline of DevTools shows the profile, and each backward pass and optimizer step
 * in it.
 *
 * @example
 * const times = await profile(() => trainEpoch());
 * console.log(`${times}`); // op, kernel, count, total ms, share
 */
export async function profile(fn: () => unknown): Promise<Profile> {
  checkFunction('profile', fn);
  enter((wasm) => wasm.profileStart());
  marking += 1;
  const start = performance.now();
  const measured = await between(fn, () => {
    marking -= 1;
    performance.measure('lanthorn: profile', { start, end: performance.now() });
    return enterAsync((wasm) => wasm.profileStop());
  });
  const { table, trace, ...rest } = measured as Profile & { table: string; trace: string };
  return { ...rest, toString: () => table, toTrace: () => trace };
}

/** A kernel whose variants were measured. */
export interface TunedKernel {
  op: string;
  /**
   * The class of kernels that the choice applies to: kind, type, and sizes to the next power of
   * two.
   */
  class: string;
  /** The selected variant. */
  chosen: string;
  /** The time of each variant. */
  microseconds: Record<string, number>;
}

/** The measurements of {@link tune}; as a string, a table. */
export interface Tuned {
  kernels: TunedKernel[];
  /** Whether the choices were saved for the next page load. */
  kept: boolean;
  toString(): string;
}

/**
 * Runs a function, measures all variants of its kernels on this device, and uses the fastest from
 * then on, also after a reload of the page. Takes a few milliseconds per variant; on the CPU there
 * is nothing to choose.
 *
 * @example
 * const tuned = await tune(() => trainStep());
 * console.log(`${tuned}`); // op, class, chosen variant, times
 */
export async function tune(fn: () => unknown): Promise<Tuned> {
  checkFunction('tune', fn);
  enter((wasm) => wasm.tuneStart());
  const measured = await between(fn, () => enterAsync((wasm) => wasm.tuneStop()));
  const { text, ...rest } = measured as Omit<Tuned, 'kept'> & { text: string };
  const choices = enter((wasm) => wasm.tuningGet());
  const kept = choices !== '' && (await keepTuning(deviceInfo().adapter, choices));
  return { ...rest, kept, toString: () => text };
}
