/** Compiled functions, as `torch.compile`. */
import { checkFunction, isPlainObject } from '../core/check.js';
import type { Core } from '../core/core.js';
import { Module } from '../nn/module.js';
import { checkDepth, handlesOf, template, type Rebuild } from '../tensor/nested.js';
import { observer } from '../tensor/observe.js';
import { collect, hold, isRecording, type Guards } from '../core/recording.js';
import { enter } from '../core/runtime.js';
import { scope } from '../tensor/scope.js';
import { registerEntries } from '../core/stack.js';
import { Tensor } from '../tensor/tensor.js';
import { isTracing } from './tracing.js';

/** How the calls of a compiled function went. */
export interface CompileReport {
  /** The number of kernels of each recorded case. */
  recordings: number[];
  /** The calls that were replayed. */
  replays: number;
  /** The calls that called the function. */
  calls: number;
  /** Why calls could not be replayed, each reason once. */
  breaks: string[];
}

/** A compiled function. */
export interface Compiled<Args extends unknown[], Result> {
  (...args: Args): Result;
  /** How the calls went, and why some could not be replayed. */
  explain(): CompileReport;
  /** Drops all recordings, as `torch.compiler.reset`. */
  reset(): void;
}

/** The recordings of calls whose arguments other than tensors, and whose guards, are the same. */
interface Case {
  core: Core;
  handle: number;
  guards: Guards;
  /** How the results of each recording are put together. */
  results: Map<number, Rebuild>;
}

const registry = new FinalizationRegistry<{ core: Core; handle: number }>(({ core, handle }) => {
  try {
    core.compiledDispose(handle);
  } catch {
    // The core is gone, and the recordings with it.
  }
});

/** The bound of the cases of one function with the same arguments other than tensors. */
const MAX_CASES = 16;
/** The bound of the texts of arguments other than tensors. */
const MAX_KEYS = 256;
/** The bound of the results of one case: the core keeps half as many recordings. */
const MAX_RESULTS = 128;

const identities = new WeakMap<object, string>();
let named = 0;

/** A text for an object or a function that no other has. */
function identity(value: object): string {
  let known = identities.get(value);
  if (known === undefined) identities.set(value, (known = `#${(named += 1)}`));
  return known;
}

/** Takes an argument apart: its tensors, and a text of the rest, which is equal for equal arguments. */
function flatten(value: unknown, tensors: Tensor[], depth = 0): string {
  if (value instanceof Tensor) {
    tensors.push(value);
    return 'T';
  }
  checkDepth('compile', depth);
  if (Array.isArray(value)) return `[${value.map((item) => flatten(item, tensors, depth + 1)).join()}]`;
  if (isPlainObject(value)) {
    const entry = ([key, item]: [string, unknown]) => `${JSON.stringify(key)}:${flatten(item, tensors, depth + 1)}`;
    return `{${Object.entries(value).map(entry).join()}}`;
  }
  if (typeof value === 'object' && value !== null) return identity(value);
  if (typeof value === 'function') return identity(value);
  if (typeof value === 'string') return JSON.stringify(value);
  return Object.is(value, -0) ? '-0' : `${typeof value} ${String(value)}`;
}

/** Drops the oldest entries of a map beyond a bound. */
function limit<K, V>(map: Map<K, V>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

/** A function with its recordings. */
class Recorder {
  readonly #fn: (...args: unknown[]) => unknown;
  readonly #cases = new Map<string, Case[]>();
  /** The calls that the core does not count. */
  #calls = 0;
  readonly #breaks = new Set<string>();

  constructor(fn: (...args: unknown[]) => unknown) {
    this.#fn = fn;
  }

  call(args: unknown[]): unknown {
    // Within another recording, or a program that is exported, the function is part of it.
    if (isRecording() || isTracing()) return this.#fn(...args);
    if (this.#breaks.size > 0 || observer !== undefined) return this.#run(args);
    const tensors: Tensor[] = [];
    const key = flatten(args, tensors);
    const handles = handlesOf(tensors);
    const core = enter((wasm) => wasm);
    const cases = this.#cases.get(key) ?? [];
    for (const found of cases) {
      if (found.core !== core || !hold(found.guards)) continue;
      const replayed = enter((wasm) => wasm.compiledReplay(found.handle, handles));
      if (replayed === undefined) continue;
      const made = Array.from(replayed.subarray(1), (handle) => Tensor.fromCore(handle));
      return found.results.get(replayed[0]!)!(made);
    }
    this.#cases.set(key, cases);
    limit(this.#cases, MAX_KEYS);
    return this.#record(args, handles, core, cases);
  }

  #run(args: unknown[]): unknown {
    this.#calls += 1;
    return scope(() => this.#fn(...args));
  }

  #record(args: unknown[], handles: Uint32Array, core: Core, cases: Case[]): unknown {
    const into = cases.find((known) => known.core === core && hold(known.guards)) ?? this.#add(core, cases);
    const given = enter((wasm) => wasm.compiledStart(into.handle, handles, new Uint8Array()));
    if (given.some((handle, index) => handle !== handles[index])) {
      // Copies of views, for which the recording then fits all of that shape.
      const tensors: Tensor[] = [];
      const rebuild = template('compile', args, tensors);
      const replace = (tensor: Tensor, index: number): Tensor =>
        (given[index] === handles[index] ? tensor : Tensor.fromCore(given[index]!));
      args = rebuild(tensors.map(replace)) as unknown[];
    }
    const end = collect(into.guards);
    const tensors: Tensor[] = [];
    let result: unknown;
    let rebuild: Rebuild | undefined;
    let resultHandles: Uint32Array;
    try {
      result = scope(() => this.#fn(...args));
      if (!(result instanceof Promise)) rebuild = template('compile', result, tensors);
      resultHandles = handlesOf(tensors);
    } catch (error) {
      enter((wasm) => wasm.compiledAbort(into.handle));
      throw error;
    } finally {
      end();
    }
    if (rebuild === undefined) {
      enter((wasm) => wasm.compiledAbort(into.handle));
      this.#breaks.add('the function is async');
      return result;
    }
    const number = enter((wasm) => wasm.compiledFinish(into.handle, resultHandles));
    if (number !== undefined) into.results.set(number, rebuild);
    limit(into.results, MAX_RESULTS);
    return result;
  }

  #add(core: Core, cases: Case[]): Case {
    const handle = enter((wasm) => wasm.compiledNew(false));
    const made: Case = { core, handle, guards: new Map(), results: new Map() };
    registry.register(made, { core, handle });
    cases.unshift(made);
    // The registry drops what nothing refers to any more.
    cases.splice(MAX_CASES);
    return made;
  }

  explain(): CompileReport {
    const report: CompileReport = { recordings: [], replays: 0, calls: this.#calls, breaks: [...this.#breaks] };
    for (const { core, handle } of [...this.#cases.values()].flat()) {
      const [kernels, replays, calls, breaks] = core.compiledReport(handle) as [Uint32Array, number, number, string[]];
      report.recordings.push(...kernels);
      report.replays += replays;
      report.calls += calls;
      report.breaks.push(...breaks.filter((reason) => !report.breaks.includes(reason)));
    }
    return report;
  }

  reset(): void {
    this.#cases.clear();
    this.#breaks.clear();
    this.#calls = 0;
  }
}

/**
 * Compiles a function of tensors, or a module, as `torch.compile`: the kernels of its first call are
 * recorded, and later calls run them again by one call into the core, without calling the function. A
 * whole training step (forward, backward, the optimizer's step) can be compiled; if gradients can go
 * through the results, the backward pass is compiled too, for first derivatives.
 *
 * A call is replayed if everything is as it was, except the elements of tensors, the learning rate
 * and the other numbers of an optimizer, and random numbers. If an argument has another shape, type
 * or layout, or if another argument (a number, a string), the mode of a module or its set of
 * tensors changed, the function is called and recorded again: each case is recorded once. A call
 * that cannot be replayed, such as an async function or one with hooks, is an ordinary call;
 * `explain()` says why.
 *
 * The function runs in a {@link scope}: tensors that it makes and does not return are disposed of.
 * Other effects, such as counting or printing, happen only when it is called. A replay uses the
 * variables and arrays of JavaScript as the recorded call read them: pass changing data as a tensor
 * argument.
 *
 * @example
 * const step = compile((x, y) => {
 *   optimizer.zeroGrad();
 *   const loss = criterion.call(net.call(x), y);
 *   loss.backward();
 *   optimizer.step();
 *   return loss;
 * });
 * for await (const [x, y] of loader) losses.push(step(x, y));
 */
export function compile<M extends Module>(module: M): Compiled<Parameters<M['forward']>, ReturnType<M['forward']>>;
export function compile<Args extends Tensor[], Result>(fn: (...args: Args) => Result): Compiled<Args, Result>;
export function compile<Args extends unknown[], Result>(fn: (...args: Args) => Result): Compiled<Args, Result>;
export function compile(target: unknown): Compiled<unknown[], unknown> {
  if (!(target instanceof Module)) checkFunction('compile', target);
  const fn = target instanceof Module ? target.call.bind(target) : target;
  const recorder = new Recorder(fn as (...args: unknown[]) => unknown);
  const compiled = (...args: unknown[]): unknown => recorder.call(args);
  return Object.assign(compiled, { explain: () => recorder.explain(), reset: () => recorder.reset() });
}

registerEntries([compile]);
