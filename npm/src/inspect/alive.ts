/** The tensors that are alive: how many, and where they were made. */
import { enter } from '../core/runtime.js';
import { callSite, locateAt } from '../core/stack.js';
import type { DType } from '../core/types.js';

/** This many tensors at a time count as a leak. */
const TOO_MANY = 100_000;

let count = 0;
let isWarned = false;
/** Where the tensors with these handles were made, while that is recorded. */
let history: Map<number, Error> | undefined;

/** Notes a new tensor; `constructor` is the function that made it. */
export function born(handle: number, constructor: Function): void {
  count += 1;
  history?.set(handle, callSite(constructor));
  if (count < TOO_MANY || isWarned) return;
  isWarned = true;
  console.warn(`lanthorn: ${TOO_MANY} tensors are alive. Dropped ones are collected when the program awaits a result, such as loss.item(); \
a loop that awaits nothing should run each step in scope(). memory({ alive: true }) tells which they are.`);
}

/** Notes the end of a tensor. */
export function gone(handle: number): void {
  count -= 1;
  history?.delete(handle);
}

/**
 * Records where tensors are made from now on, or stops that and forgets it, as
 * `torch.cuda.memory._record_memory_history`. It slows every operation down.
 *
 * @example
 * recordMemoryHistory();
 * trainStep();
 * console.table(memory({ alive: true }).alive);
 */
export function recordMemoryHistory(enabled = true): void {
  history = enabled ? (history ?? new Map()) : undefined;
}

/** Tensors of the same origin, type and shape that are alive. */
export interface AliveTensors {
  /** The operation that wrote them last; `upload` for data of the program. */
  op: string;
  dtype: DType;
  shape: number[];
  /** How many there are. */
  count: number;
  /** The bytes of their storages. Views share one, which is counted once. */
  bytes: number;
  /** The stack of the call that made them, if {@link recordMemoryHistory} is on. */
  stack?: string;
}

function stackOf(handle: number): string | undefined {
  const site = history?.get(handle);
  if (!site) return undefined;
  const made = new Error('made here');
  locateAt(made, site);
  return made.stack;
}

/** The live tensors by operation, type, shape and call site, in descending order of their bytes. */
export function aliveTensors(): AliveTensors[] {
  const groups = new Map<string, AliveTensors>();
  for (const [handle, op, dtype, shape, bytes] of enter((wasm) => wasm.aliveTensors()) as [number, string, DType, number[], number][]) {
    const stack = stackOf(handle);
    const key = [op, dtype, shape, stack].join();
    const group = groups.get(key) ?? { op, dtype, shape, count: 0, bytes: 0, ...(stack === undefined ? {} : { stack }) };
    group.count += 1;
    group.bytes += bytes;
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.bytes - a.bytes);
}
