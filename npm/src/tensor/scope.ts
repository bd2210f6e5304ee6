/** The lifetime of tensors: scopes, with the garbage collector as a fallback. */
import { checkFunction } from '../core/check.js';
import { LanthornError } from '../core/errors.js';

/** A tensor: this module frees it, and its class imports this module. */
interface Tracked {
  dispose(): void;
}

/** The tensors of a call of {@link scope}, until its result is there. */
interface Scope {
  readonly tensors: Set<Tracked>;
  /** Values whose tensors outlive this scope and those around it. */
  readonly retained: Set<object>;
  /** The scope that the call is in. */
  readonly parent: Scope | undefined;
  isOpen: boolean;
  /** Whether the scope has tensors of another one, which began earlier and ended first. */
  isMixed: boolean;
}

/** Finds the scope of the running code. */
interface Tracker {
  current(): Scope | undefined;
  begin(scope: Scope): void;
  end(scope: Scope): void;
}

/** A variable that follows the call across each `await`. */
interface AsyncVariable {
  get(): Scope | undefined;
  run<A, T>(scope: Scope, fn: (argument: A) => T, argument: A): T;
}

/** Node's class AsyncLocalStorage. */
type StorageClass = new () => { getStore(): Scope | undefined; run: AsyncVariable['run'] };

/** The runtime's variables: AsyncContext, or AsyncLocalStorage of Node, Deno, Bun and edge runtimes. */
function asyncVariable(): AsyncVariable | undefined {
  const host = globalThis as {
    AsyncContext?: { Variable: new () => AsyncVariable };
    AsyncLocalStorage?: StorageClass;
    process?: { getBuiltinModule?: (name: string) => { AsyncLocalStorage: StorageClass } | undefined };
  };
  if (host.AsyncContext?.Variable) return new host.AsyncContext.Variable();
  const Storage = host.AsyncLocalStorage ?? host.process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage;
  if (!Storage) return undefined;
  const storage = new Storage();
  return { get: () => storage.getStore(), run: storage.run.bind(storage) };
}

/** Each scope follows its own call. */
function followCalls(variable: AsyncVariable): Tracker {
  return {
    current() {
      let scope = variable.get();
      while (scope && !scope.isOpen) scope = scope.parent;
      return scope;
    },
    begin() {},
    end() {},
  };
}

/**
 * The scope that began last is the current one. Scopes that overlap and are not nested then have
 * tensors of one another. The second is refused where that can be known: when it begins in the same
 * run of code as the first, and when the first ends before it.
 */
function followOrder(): Tracker {
  const open: Scope[] = [];
  return {
    current: () => open.at(-1),
    begin: (scope) => void open.push(scope),
    end(scope) {
      const [, ...later] = open.splice(open.indexOf(scope));
      open.push(...later);
      for (const other of later) other.isMixed = true;
    },
  };
}

const variable = asyncVariable();
const tracker: Tracker = variable ? followCalls(variable) : followOrder();
let openScopes = 0;
/** The scope whose function has returned a promise and runs no continuation yet. */
let begun: Scope | undefined;

/** Registers a new tensor in the scope of the running code. */
export function track(tensor: Tracked): void {
  if (openScopes > 0) tracker.current()?.tensors.add(tensor);
}

/** Has the tensors of a value, as they are at the end of a scope, outlive the scopes of the running code. */
export function retain(value: object): void {
  if (openScopes === 0) return;
  for (let scope = tracker.current(); scope; scope = scope.parent) scope.retained.add(value);
}

/** The tensors in a value: in arrays, maps, and objects' own properties. */
export function* tensorsIn(value: unknown, seen = new Set<unknown>()): Generator<unknown> {
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
function close(scope: Scope, result: unknown): void {
  scope.isOpen = false;
  openScopes--;
  tracker.end(scope);
  const kept = new Set(tensorsIn(result));
  const retained = new Set(tensorsIn(scope.retained));
  let outer = scope.parent;
  while (outer && !outer.isOpen) outer = outer.parent;
  for (const tensor of scope.tensors) {
    if (retained.has(tensor)) continue;
    if (scope.isMixed || kept.has(tensor)) outer?.tensors.add(tensor);
    else tensor.dispose();
  }
}

const overlap = (): LanthornError =>
  new LanthornError('argument', 'scope', 'two async scopes overlap and are not nested, so that their tensors cannot be told apart: await the first one, or give both one scope');

/**
 * Runs `fn` and disposes of the tensors created in it, except those that it returns (also inside
 * arrays and objects, and so a module's parameters if the module is returned) or passes to `keep`.
 *
 * `fn` may be async: the scope then lasts until its promise settles, across every `await`. Scopes
 * may be nested. Async scopes that overlap without being nested (requests of a server, a
 * `Promise.all`) are independent of each other in Node, Deno, Bun, and where there is AsyncContext.
 * In browsers without it the second one rejects, because its tensors cannot be distinguished from
 * the first one's: use one scope for both.
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
  const mine: Scope = { tensors: new Set(), retained: new Set(), parent: tracker.current(), isOpen: true, isMixed: false };
  // A scope that has just begun runs no continuation yet: this call is not nested in that scope.
  const isBeside = begun?.isOpen === true;
  if (isBeside && fn.constructor.name === 'AsyncFunction') return Promise.reject(overlap()) as T;
  // Before `fn` runs, whose continuations are later microtasks.
  if (!variable) queueMicrotask(() => { if (begun === mine) begun = undefined; });
  const kept: unknown[] = [];
  const keep = <U>(value: U): U => { kept.push(value); return value; };
  openScopes++;
  let result: T;
  try {
    tracker.begin(mine);
    // No function of the package between, for the stacks of errors.
    result = variable ? variable.run(mine, fn, keep) : fn(keep);
  } catch (error) {
    close(mine, undefined);
    throw error;
  }
  if (!(result instanceof Promise)) {
    close(mine, [result, kept]);
    return result;
  }
  if (isBeside) mine.isMixed = true;
  if (!variable) begun = mine;
  return result.then(
    (value) => {
      close(mine, [value, kept]);
      if (mine.isMixed) throw overlap();
      return value;
    },
    (error) => { close(mine, undefined); throw error; },
  ) as T;
}
