/** The lifetime of tensors: scopes, with the garbage collector as a fallback. */
import { checkFunction } from './check.js';
import type { TensorHandle } from './tensor-handle.js';

/** The open scopes, the innermost last. */
const open: Set<TensorHandle>[] = [];

/** Registers a new tensor in the innermost open scope. */
export function track(tensor: TensorHandle): void {
  open[open.length - 1]?.add(tensor);
}

/** The tensors in a value: in arrays, maps, and objects' own properties. */
function* tensorsIn(value: unknown, seen = new Set<unknown>()): Generator<unknown> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  yield value;
  if (ArrayBuffer.isView(value)) return;
  // A module has tensors that are no properties.
  const { ownTensors } = value as { ownTensors?: unknown };
  if (typeof ownTensors === 'function') for (const [, tensor] of ownTensors.call(value) as Iterable<[string, unknown]>) yield tensor;
  const parts = value instanceof Map ? value.values() : Array.isArray(value) || value instanceof Set ? value : Object.values(value);
  for (const part of parts) yield* tensorsIn(part, seen);
}

/** Disposes of a scope's tensors, and passes those in `result` to the enclosing scope. */
function close(scope: Set<TensorHandle>, result: unknown): void {
  const place = open.indexOf(scope);
  open.splice(place, 1);
  const kept = new Set(tensorsIn(result));
  for (const tensor of scope) {
    if (kept.has(tensor)) open[place - 1]?.add(tensor);
    else tensor.dispose();
  }
}

/**
 * Runs `fn` and disposes of the tensors created in it, except those that it returns (also inside
 * arrays and objects, and so a module's parameters if the module is returned) or passes to `keep`.
 *
 * `fn` may be async: the scope then lasts until its promise settles, across every `await`. Scopes
 * may be nested. The language cannot distinguish two overlapping async scopes that are not nested
 * (in a `Promise.all`): give them one scope.
 *
 * @example
 * const value = await scope(async () => {
 *   const loss = criterion.call(net.call(x), y);
 *   loss.backward();
 *   optimizer.step();
 *   return loss.item();
 * });
 */
export function scope<T>(fn: (keep: <U>(value: U) => U) => T): T {
  checkFunction('scope', fn);
  const mine = new Set<TensorHandle>();
  const kept: unknown[] = [];
  const keep = <U>(value: U): U => { kept.push(value); return value; };
  open.push(mine);
  let result: T;
  try {
    result = fn(keep);
  } catch (error) {
    close(mine, undefined);
    throw error;
  }
  if (!(result instanceof Promise)) {
    close(mine, [result, kept]);
    return result;
  }
  return result.then(
    (value) => { close(mine, [value, kept]); return value; },
    (error) => { close(mine, undefined); throw error; },
  ) as T;
}
