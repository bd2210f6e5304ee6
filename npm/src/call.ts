/** Runs operations: by number, by the overload that takes the arguments, in place. */
import { arrange, encode, gather, isArray, kindOf } from './arguments.js';
import { checkFlag, describe, isPlainObject } from './check.js';
import { LanthornError } from './errors.js';
import { FLOAT, FLOATS, INT, INTS, OPTIONAL_TENSORS, PARTIAL_INTS, TENSORS } from './kinds.generated.js';
import { enter, enterAsync } from './runtime.js';
import { observer } from './observe.js';
import { overloadsOf, specOf, type Overload, type Spec, type SpecText } from './spec.js';
import { registerEntries } from './stack.js';
import type { Tensor } from './tensor.js';
import { TensorHandle } from './tensor-handle.js';
import { upload } from './upload.js';
import { VIEWS } from './views.js';

/**
 * The class of results. A method's are of its receiver's class; a function gives the class, because
 * the class imports this module and not the other way around.
 */
interface TensorClass {
  fromCore(handle: number): Tensor;
}

const classOf = (receiver: unknown): TensorClass => (receiver as Tensor).constructor as never;

function run(Result: TensorClass, op: number, spec: Spec, receiver: unknown, values: readonly unknown[]): Tensor {
  const requiresGrad = spec.makes === true && checkFlag(spec.name, 'requiresGrad', values.at(-1));
  const [words, strings] = encode(spec, spec.makes ? values.slice(0, -1) : values, receiver);
  const result = Result.fromCore(enter((wasm) => wasm.opCall(op, words, strings)));
  if (requiresGrad) result.requiresGrad_();
  observer?.(spec.name, [receiver, ...values], result);
  return result;
}

function runAny(Result: TensorClass, op: number, spec: Spec, returns: Returns, receiver: unknown, values: readonly unknown[]): unknown {
  const [words, strings] = encode(spec, values, receiver);
  const row = enter((wasm) => wasm.opCallAny(op, words, strings)) as Float64Array | Promise<Float64Array>;
  if (!(row instanceof Float64Array)) return enterAsync(() => row).then((words) => decode(Result, returns, words));
  const result = decode(Result, returns, row);
  observer?.(spec.name, [receiver, ...values], result);
  return result;
}

function runInPlace<T>(op: number, spec: Spec, receiver: T, values: readonly unknown[]): T {
  const [words, strings] = encode(spec, values, receiver);
  const isView = enter((wasm) => wasm.opCallInPlace(op, words, strings));
  if (isView) (receiver as Tensor).reshaped();
  observer?.(spec.name, values, receiver);
  return receiver;
}

/** Runs an operation. */
export function call(op: number, text: SpecText, receiver: unknown, args: readonly unknown[], Result = classOf(receiver)): Tensor {
  const spec = specOf(text);
  return run(Result, op, spec, receiver, gather(spec, args));
}

/** Runs an operation that returns something other than one tensor, or a promise. */
export function callAny(
  op: number, text: SpecText, returns: Returns, receiver: unknown, args: readonly unknown[], Result = classOf(receiver),
): unknown {
  const spec = specOf(text);
  return runAny(Result, op, spec, returns, receiver, gather(spec, args));
}

/** Runs the in-place form of an operation. */
export function callInPlace<T>(op: number, text: SpecText, receiver: T, args: readonly unknown[]): T {
  const spec = specOf(text);
  return runInPlace(op, spec, receiver, gather(spec, args));
}

/** The result of a call, where it is not one tensor: the names of several tensors. */
export type Returns = 'tensor' | 'tensors' | 'numbers' | 'boolean' | 'dtype' | readonly string[];

export function decode(Result: TensorClass, returns: Returns, words: Float64Array): unknown {
  if (returns === 'numbers') return Array.from(words);
  if (returns === 'boolean') return words[0] === 1;
  if (returns === 'dtype') return Object.keys(VIEWS)[words[0]!];
  const tensors = Array.from(words, (handle) => Result.fromCore(handle));
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

/** The kinds that a value may have been meant as: a number for a whole number, and so for lists. */
function meant(kind: number): number {
  if (kind === FLOAT) return (1 << FLOAT) | (1 << INT);
  if (kind === FLOATS || kind === PARTIAL_INTS) return (1 << kind) | (1 << INTS);
  if (kind === OPTIONAL_TENSORS) return (1 << kind) | (1 << TENSORS);
  return 1 << kind;
}

/** The number of leading arguments that an overload's parameters accept. */
function taken({ kinds }: Overload, values: readonly unknown[], meaning: (kind: number) => number): number {
  const odd = kinds.findIndex((set, index) => (set & meaning(kindOf(values[index]))) === 0);
  return odd < 0 ? kinds.length : odd;
}

/** Whether an overload accepts the arguments, if arrays are tensors where it takes tensors. */
function takesArrays({ kinds, spec }: Overload, values: readonly unknown[]): boolean {
  return kinds.every((set, index) => (spec.takesArray?.[index] && isArray(values[index])) || (set & (1 << kindOf(values[index]))) !== 0);
}

const exactly = (kind: number): number => 1 << kind;

/**
 * The first overload whose parameters accept the arguments, and the arguments in its order. If
 * there is none, the overload that accepts the most, for its error message.
 */
function resolve(overloads: readonly Overload[], args: readonly unknown[]): [Overload, unknown[]] {
  for (const overload of overloads) {
    const values = arrange(overload.spec, args);
    if (typeof values !== 'string' && taken(overload, values, exactly) === overload.kinds.length) return [overload, values];
  }
  for (const overload of overloads) {
    const values = arrange(overload.spec, args);
    if (typeof values !== 'string' && takesArrays(overload, values)) return [overload, values];
  }
  let [nearest, most] = [overloads[0]!, -1];
  for (const overload of overloads) {
    const values = arrange(overload.spec, args);
    const count = typeof values === 'string' ? -1 : taken(overload, values, meant);
    if (count > most) [nearest, most] = [overload, count];
  }
  return [nearest, gather(nearest.spec, args)];
}

/** Runs the overload that accepts the arguments. */
export function callOverload(text: string, receiver: unknown, args: readonly unknown[], Result = classOf(receiver)): unknown {
  const [{ op, spec, returns }, values] = resolve(overloadsOf(text), args);
  return returns === undefined ? run(Result, op, spec, receiver, values) : runAny(Result, op, spec, returns, receiver, values);
}

/** Runs the in-place form of the overload that accepts the arguments. */
export function callOverloadInPlace<T>(text: string, receiver: T, args: readonly unknown[]): T {
  const [{ op, spec }, values] = resolve(overloadsOf(text), args);
  return runInPlace(op, spec, receiver, values);
}

/**
 * A number in front of a tensor, `pow(2, x)`: a tensor without dimensions. A whole number takes the
 * type of the other tensor, a fraction a floating-point one.
 */
function ofNumber(value: number, other: Tensor): Tensor {
  const own = other.dtype === 'bool' ? 'int32' : other.dtype;
  const dtype = Number.isInteger(value) || own.includes('float') ? own : 'float32';
  return other.newFull([], value, { dtype });
}

/** The first argument of a function; a number in front of a tensor, `pow(2, x)`, becomes one. */
export function leading(input: unknown, [next]: readonly unknown[]): unknown {
  if (typeof input !== 'number') return input;
  const candidates = isPlainObject(next) ? Object.values(next) : [next];
  const other = candidates.find((value) => value instanceof TensorHandle);
  return other ? ofNumber(input, other as Tensor) : input;
}

/**
 * Calls a method of the first argument, which is a tensor or an array of numbers, and with
 * `takesNumber` may be a number in front of a tensor.
 */
export function callMethod(name: string, [input, ...args]: readonly unknown[], Result: TensorClass, takesNumber = false): unknown {
  const given = takesNumber ? leading(input, args) : input;
  const receiver = isArray(given) ? Result.fromCore(upload(given)) : given;
  if (receiver instanceof TensorHandle) return (receiver as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args);
  throw new LanthornError('argument', name, `the argument input takes a tensor; it is ${describe(input)}`);
}

// Each is called by a printed function, which users call.
registerEntries([call, callAny, callMethod, callInPlace, callOverload, callOverloadInPlace], 1);
