/** Looking inside: memory and counters, the recorded graph and its kernels, and where the time goes. */
import { checkFunction, describe } from './check.js';
import { LanthornError } from './errors.js';
import { deviceInfo, enter, enterAsync } from './runtime.js';
import { keepTuning } from './tuning-store.js';

/** What the device holds. */
export interface MemoryInfo {
  /** Tensors that JavaScript holds. */
  tensors: number;
  /** Bytes in buffers that hold values. */
  bytes: number;
  /** The most that `bytes` has been. */
  peakBytes: number;
  /** Bytes in buffers that wait to be used again. */
  pooledBytes: number;
  /** Buffers of values made so far. */
  buffersCreated: number;
  /** Kernels launched so far. */
  launches: number;
  /** Submissions so far. */
  submissions: number;
  /** Windows of work that ran a plan made before. */
  planHits: number;
  /** Windows of work whose plan had to be made. */
  planMisses: number;
}

/** What the device holds and has done; what the CPU does without is 0. */
export interface Stats extends MemoryInfo {
  /** Dispatches to the GPU: a launch may take several. */
  dispatches: number;
  /** Submissions to the GPU's queue. */
  submits: number;
  /** GPU buffers made, of any kind: values, uniforms, scratch, readback. */
  apiBuffers: number;
  /** Bind groups made. */
  bindGroups: number;
  /** Pipelines made. */
  pipelines: number;
}

/**
 * What the device holds and has done since it was taken. A training step that repeats itself makes no buffer, bind group, pipeline or plan.
 *
 * @example
 * const before = stats();
 * trainStep();
 * console.log(stats().dispatches - before.dispatches, 'dispatches');
 */
export function stats(): Stats {
  return enter((wasm) => wasm.deviceStats()) as Stats;
}

/** What the device holds: tensors, bytes, and what was made for them. */
export function memory(): MemoryInfo {
  return stats();
}

/**
 * Limits the bytes that buffers take together; `Infinity` takes the limit away. Buffers that wait for reuse are given back before work is refused. What
 * does not fit is an error of kind `out_of_memory`, at the call that uploads or at the `await` of a result, and everything else works on.
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

/** Gives the buffers that wait for reuse back to the device, as `torch.cuda.empty_cache`. */
export function emptyCache(): void {
  enter((wasm) => wasm.emptyCache());
}

/** Runs `fn` and then `finish`, also where `fn` fails; what it returns is held until then. */
async function between<T>(fn: () => unknown, finish: () => T): Promise<Awaited<T>> {
  const [outcome] = await Promise.allSettled([(async () => fn())()]);
  const finished = await finish();
  if (outcome.status === 'rejected') throw outcome.reason;
  return finished;
}

/** What became of recorded work; as a string, all of it for people. */
export interface Explanation {
  /** The graph as it was recorded, a line a piece of work. */
  recorded: string;
  /** The graph after the planner's rewriting, a line a launch. */
  rewritten: string;
  /** The kernels in the order that they run in, with their WGSL on a GPU. */
  kernels: { op: string; kind: string; sources: string[] }[];
  toString(): string;
}

/**
 * Runs a function, and says what it recorded and what became of that. What it returns counts as needed, other intermediate results do not.
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

/** A kernel's part of a profile. */
export interface ProfileRow {
  op: string;
  /** The kernel's kind: `map`, `reduce`, `contract`. */
  kernel: string;
  /** How often it ran. */
  count: number;
  milliseconds: number;
  /** Its part of the sum, from 0 to 1. */
  share: number;
}

/** Where the time went; as a string, a table. */
export interface Profile {
  /** The kernels, the one that took longest first. */
  rows: ProfileRow[];
  /** What to know when reading the times, if anything. */
  note: string | undefined;
  toString(): string;
  /** The launches in the JSON that chrome://tracing and Perfetto read. */
  toTrace(): string;
}

/** The profiles being taken: while there are some, steps stand on the timeline of DevTools. */
let marking = 0;

/**
 * Runs a part of training, and shows it under a name on the timeline of DevTools while a profile is taken.
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
 * Runs a function, which may be async, and says what its kernels took on the device: by timestamp queries on a GPU that has them (a browser may round
 * those to 0.1 ms), else by submission. Meanwhile the profile, and each backward and optimizer step in it, stand on the timeline of DevTools.
 *
 * @example
 * const profile = await profile(() => trainEpoch());
 * console.log(`${profile}`); // op, kernel, count, total ms, share
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
  /** The kernels that the choice holds for: kind, type, and sizes to the next power of two. */
  class: string;
  /** The variant used from now on. */
  chosen: string;
  /** The time of each variant. */
  microseconds: Record<string, number>;
}

/** What {@link tune} measured; as a string, a table. */
export interface Tuned {
  kernels: TunedKernel[];
  /** Whether the choices were kept for the next page load. */
  kept: boolean;
  toString(): string;
}

/**
 * Runs a function, measures every way in which the device can run the kernels that it used, and uses the fastest from then on, after a reload of the page
 * too. Takes some milliseconds a variant; on the CPU there is nothing to choose.
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
