/** Runs operations: by number, by the overload that takes the arguments, in place. */
import { arrange, encode, gather, kindOf, type Spec } from './arguments.js';
import { FLOAT, FLOATS, INT, INTS, OPTIONAL_TENSORS, PARTIAL_INTS, TENSORS } from './kinds.generated.js';
import { enter, enterAsync } from './runtime.js';
import { registerEntries } from './stack.js';
import { Tensor } from './tensor.js';
import { VIEWS } from './views.js';

function run(op: number, spec: Spec, receiver: unknown, values: readonly unknown[]): Tensor {
  const [words, strings] = encode(spec, values, receiver);
  return Tensor.fromHandle(enter((wasm) => wasm.opCall(op, words, strings)));
}

function runAny(op: number, spec: Spec, returns: Returns, receiver: unknown, values: readonly unknown[]): unknown {
  const [words, strings] = encode(spec, values, receiver);
  const result = enter((wasm) => wasm.opCallAny(op, words, strings)) as Float64Array | Promise<Float64Array>;
  if (result instanceof Float64Array) return decode(returns, result);
  return enterAsync(() => result).then((row) => decode(returns, row));
}

function runInPlace<T>(op: number, spec: Spec, receiver: T, values: readonly unknown[]): T {
  const [words, strings] = encode(spec, values, receiver);
  const isView = enter((wasm) => wasm.opCallInPlace(op, words, strings));
  if (isView && receiver instanceof Tensor) receiver.reshaped();
  return receiver;
}

/** Runs an operation. */
export function call(op: number, spec: Spec, receiver: unknown, args: readonly unknown[]): Tensor {
  return run(op, spec, receiver, gather(spec, args));
}

/** Runs an operation that returns something other than one tensor, or a promise. */
export function callAny(op: number, spec: Spec, returns: Returns, receiver: unknown, args: readonly unknown[]): unknown {
  return runAny(op, spec, returns, receiver, gather(spec, args));
}

/** Runs the in-place form of an operation. */
export function callInPlace<T>(op: number, spec: Spec, receiver: T, args: readonly unknown[]): T {
  return runInPlace(op, spec, receiver, gather(spec, args));
}

/** The result of a call, where it is not one tensor: the names of several tensors. */
export type Returns = 'tensor' | 'tensors' | 'numbers' | 'boolean' | 'dtype' | readonly string[];

export function decode(returns: Returns, words: Float64Array): unknown {
  if (returns === 'numbers') return Array.from(words);
  if (returns === 'boolean') return words[0] === 1;
  if (returns === 'dtype') return Object.keys(VIEWS)[words[0]!];
  const tensors = Array.from(words, (handle) => Tensor.fromHandle(handle));
  if (returns === 'tensor') return tensors[0];
  return returns === 'tensors' ? tensors : named(returns, tensors);
}

/**
 * Several results by index and by name. A result whose name ends in `?` may be missing, and is then
 * null; `states[2]` is an array of two.
 */
function named(returns: readonly string[], tensors: readonly Tensor[]): unknown {
  const left = [...tensors];
  const values: unknown[] = returns.map((name) => {
    const count = /\[(\d+)\]$/.exec(name)?.[1];
    return count === undefined ? (left.shift() ?? null) : left.splice(0, Number(count));
  });
  values.push(...left);
  return Object.assign(values, Object.fromEntries(returns.map((name, index) => [name.replace(/\?$|\[\d+\]$/, ''), values[index]])));
}

/** One of the operations that share a name. */
export interface Overload {
  op: number;
  spec: Spec;
  /**
   * The kinds of arguments that each parameter accepts: bit `k` is set for the kind of number `k`.
   */
  kinds: readonly number[];
  returns?: Returns;
}

/** The kinds that a value may have been meant as: a number for a whole number, and so for lists. */
function meant(kind: number): number {
  if (kind === FLOAT) return (1 << FLOAT) | (1 << INT);
  if (kind === FLOATS || kind === PARTIAL_INTS) return (1 << kind) | (1 << INTS);
  if (kind === OPTIONAL_TENSORS) return (1 << kind) | (1 << TENSORS);
  return 1 << kind;
}

/** The number of leading arguments that an overload's parameters accept. */
function taken(kinds: readonly number[], values: readonly unknown[], meaning: (kind: number) => number): number {
  const odd = kinds.findIndex((set, index) => (set & meaning(kindOf(values[index]))) === 0);
  return odd < 0 ? kinds.length : odd;
}

const exactly = (kind: number): number => 1 << kind;

/**
 * The first overload whose parameters accept the arguments, and the arguments in its order. If
 * there is none, the overload that accepts the most, for its error message.
 */
function resolve(overloads: readonly Overload[], args: readonly unknown[]): [Overload, unknown[]] {
  for (const overload of overloads) {
    const values = arrange(overload.spec, args);
    if (typeof values !== 'string' && taken(overload.kinds, values, exactly) === overload.kinds.length) return [overload, values];
  }
  let [nearest, most] = [overloads[0]!, -1];
  for (const overload of overloads) {
    const values = arrange(overload.spec, args);
    const count = typeof values === 'string' ? -1 : taken(overload.kinds, values, meant);
    if (count > most) [nearest, most] = [overload, count];
  }
  return [nearest, gather(nearest.spec, args)];
}

/** Runs the overload that accepts the arguments. */
export function callOverload(overloads: readonly Overload[], receiver: unknown, args: readonly unknown[]): unknown {
  const [{ op, spec, returns }, values] = resolve(overloads, args);
  return returns === undefined ? run(op, spec, receiver, values) : runAny(op, spec, returns, receiver, values);
}

/** Runs the in-place form of the overload that accepts the arguments. */
export function callOverloadInPlace<T>(overloads: readonly Overload[], receiver: T, args: readonly unknown[]): T {
  const [{ op, spec }, values] = resolve(overloads, args);
  return runInPlace(op, spec, receiver, values);
}

// Each is called by a printed function, which users call.
registerEntries([call, callAny, callInPlace, callOverload, callOverloadInPlace], 1);
