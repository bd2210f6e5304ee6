/** Runs operations: by number, by the overload that takes the arguments, in place. */
import { asTensor, encode, encodeCall, gather, isArray, split } from './arguments.js';
import { checkFlag, describe, isPlainObject, wrongArgument } from '../core/check.js';
import { checkGenerator, withGenerator } from '../core/generator.js';
import type { Core } from '../core/core.js';
import { LanthornError } from '../core/errors.js';
import { enter, enterAsync } from '../core/runtime.js';
import { observer } from './observe.js';
import { overloadsOf, specOf, type Returns, type Spec, type SpecText } from './spec.js';
import { registerEntries } from '../core/stack.js';
import { TensorHandle } from './tensor-handle.js';
import type { DType, NestedArray } from '../core/types.js';
import { upload } from './upload.js';
import { VIEWS } from './views.js';

/**
 * The class of results. A method's results are of its receiver's class; a function passes the
 * class, because the class imports this module and not the other way around.
 */
interface TensorClass<T> {
  fromCore(handle: number): T;
}

/** The members of the class of results that are used here. */
interface Result {
  readonly dtype: DType;
  reshaped(): void;
  requiresGrad_(): unknown;
  newFull(size: number[], value: number, options: { dtype: DType }): unknown;
}

const classOf = <T>(receiver: unknown): TensorClass<T> => (receiver as object).constructor as never;

function run<T>(Class: TensorClass<T>, op: number, spec: Spec, receiver: unknown, values: readonly unknown[]): T {
  const requiresGrad = spec.makes === true && checkFlag(spec.name, 'requiresGrad', values.at(-1));
  const [words, strings] = encode(spec, spec.makes ? values.slice(0, -1) : values, receiver);
  const result = Class.fromCore(enter((wasm) => wasm.opCall(op, words, strings), spec.name));
  if (requiresGrad) (result as Result).requiresGrad_();
  observer?.(spec.name, [receiver, ...values], result);
  return result;
}

function runAny(Class: TensorClass<unknown>, op: number, spec: Spec, returns: Returns, receiver: unknown, values: readonly unknown[]): unknown {
  const [words, strings] = encode(spec, values, receiver);
  const row = enter((wasm) => wasm.opCallAny(op, words, strings), spec.name) as Float64Array | Promise<Float64Array>;
  if (!(row instanceof Float64Array)) return enterAsync(() => row, undefined, spec.name).then((words) => decode(Class, returns, words));
  const result = decode(Class, returns, row);
  observer?.(spec.name, [receiver, ...values], result);
  return result;
}

function runInPlace<T>(op: number, spec: Spec, receiver: T, values: readonly unknown[]): T {
  const [words, strings] = encode(spec, values, receiver);
  const isView = enter((wasm) => wasm.opCallInPlace(op, words, strings), spec.name);
  if (isView) (receiver as Result).reshaped();
  observer?.(spec.name, values, receiver);
  return receiver;
}

/** Runs an operation. */
export function call<T>(op: number, text: SpecText, receiver: unknown, args: readonly unknown[], Class = classOf<T>(receiver)): T {
  const spec = specOf(text);
  return run(Class, op, spec, receiver, gather(spec, args));
}

/** Runs an operation that returns something other than one tensor, or a promise. */
export function callAny(
  op: number, text: SpecText, returns: Returns, receiver: unknown, args: readonly unknown[], Class = classOf(receiver),
): unknown {
  const spec = specOf(text);
  return runAny(Class, op, spec, returns, receiver, gather(spec, args));
}

/** Runs the in-place form of an operation. */
export function callInPlace<T>(op: number, text: SpecText, receiver: T, args: readonly unknown[]): T {
  const spec = specOf(text);
  return runInPlace(op, spec, receiver, gather(spec, args));
}

export function decode(Class: TensorClass<unknown>, returns: Returns, words: Float64Array, first = 0): unknown {
  if (returns === 'numbers') return Array.from(words.subarray(first));
  if (returns === 'boolean') return words[first] === 1;
  if (returns === 'dtype') return Object.keys(VIEWS)[words[first]!];
  const tensors: unknown[] = [];
  for (let i = first; i < words.length; i++) tensors.push(Class.fromCore(words[i]!));
  if (returns === 'tensor') return tensors[0];
  return returns === 'tensors' ? tensors : nameResults(returns, tensors);
}

/**
 * Several results by index and by name. A result whose name ends in `?` may be missing, and is then
 * null; `states[2]` is an array of two.
 */
function nameResults(returns: readonly string[], tensors: readonly unknown[]): unknown {
  const left = [...tensors];
  const values: unknown[] = returns.map((name) => {
    const count = /\[(\d+)\]$/.exec(name)?.[1];
    return count === undefined ? (left.shift() ?? null) : left.splice(0, Number(count));
  });
  values.push(...left);
  return Object.assign(values, Object.fromEntries(returns.map((name, index) => [name.replace(/\?$|\[\d+\]$/, ''), values[index]])));
}

type Encoded = (wasm: Core, words: Float64Array, strings: string[]) => unknown;

/**
 * Calls the core with arguments as they are given. It selects the overload that takes them, and
 * answers with an array if an overload takes tensors of arrays among them: for each the position
 * and the parameter's name.
 */
function select(name: string, receiver: unknown, args: readonly unknown[], run: Encoded): unknown {
  const first = isArray(receiver) ? asTensor(name, 'input', receiver) : receiver;
  const enterWith = (given: readonly unknown[]): unknown => {
    const [words, strings] = encodeCall(given, first);
    return enter((wasm) => run(wasm, words, strings), name);
  };
  const answer = enterWith(args);
  return Array.isArray(answer) ? enterWith(withTensors(name, args, answer, first === undefined ? 0 : 1)) : answer;
}

/** The arguments with tensors of the arrays at these positions, which count the receiver. */
function withTensors(op: string, args: readonly unknown[], arrays: readonly unknown[], receivers: number): unknown[] {
  const [count, options = {}] = split(args);
  const entries = [...args.slice(0, count).map((value): [string, unknown] => ['', value]), ...Object.entries(options)];
  for (let i = 0; i < arrays.length; i += 2) {
    const entry = entries[(arrays[i] as number) - receivers]!;
    entry[1] = asTensor(op, arrays[i + 1] as string, entry[1] as NestedArray);
  }
  return [...entries.slice(0, count).map(([, value]) => value), Object.fromEntries(entries.slice(count))];
}

/** Runs the overload that accepts the arguments, of those that share the name of operation `op`. */
export function callOverload(op: number, text: string, receiver: unknown, args: readonly unknown[], Class = classOf(receiver)): unknown {
  const { name, returns } = overloadsOf(text);
  const answer = select(name, receiver, args, (wasm, words, strings) => wasm.opCallOverload(op, words, strings));
  const decodeRow = (row: Float64Array): unknown => decode(Class, returns[row[0]!]!, row, 1);
  if (answer instanceof Promise) return enterAsync(() => answer as Promise<Float64Array>, undefined, name).then(decodeRow);
  const result = typeof answer === 'number' ? Class.fromCore(answer) : decodeRow(answer as Float64Array);
  observer?.(name, [receiver, ...args], result);
  return result;
}

/** Runs the in-place form of the overload that accepts the arguments. */
export function callOverloadInPlace<T>(op: number, name: string, receiver: T, args: readonly unknown[]): T {
  const isView = select(name, receiver, args, (wasm, words, strings) => wasm.opCallOverloadInPlace(op, words, strings));
  if (isView === true) (receiver as Result).reshaped();
  observer?.(name, args, receiver);
  return receiver;
}

/**
 * A number in front of a tensor, `pow(2, x)`: a tensor without dimensions. A whole number takes the
 * type of the other tensor, a fraction a floating-point one.
 */
function ofNumber(value: number, other: Result): unknown {
  const own = other.dtype === 'bool' ? 'int32' : other.dtype;
  const dtype = Number.isInteger(value) || own.includes('float') ? own : 'float32';
  return other.newFull([], value, { dtype });
}

/** The first argument of a function; a number in front of a tensor, `pow(2, x)`, becomes one. */
export function leading(input: unknown, [next]: readonly unknown[]): unknown {
  if (typeof input !== 'number') return input;
  const candidates = isPlainObject(next) ? Object.values(next) : [next];
  const other = candidates.find((value) => value instanceof TensorHandle);
  return other ? ofNumber(input, other as unknown as Result) : input;
}

/**
 * Calls a method of the first argument, which is a tensor or an array of numbers, and with
 * `takesNumber` may be a number in front of a tensor.
 */
export function callMethod(name: string, [input, ...args]: readonly unknown[], Class: TensorClass<unknown>, takesNumber = false): unknown {
  const given = takesNumber ? leading(input, args) : input;
  const receiver = isArray(given) ? Class.fromCore(upload(given)) : given;
  if (receiver instanceof TensorHandle) return (receiver as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args);
  throw wrongArgument(name, 'input', 'a tensor', describe(input));
}

/** Runs a random operation with the generator that the options at the end of its arguments name. */
export function drawing<T>(name: string, args: readonly unknown[], run: (args: readonly unknown[]) => T): T {
  const [count, options] = split(args);
  if (options === undefined || !('generator' in options)) return run(args);
  const { generator, ...others } = options;
  return withGenerator(checkGenerator(name, generator), () => run([...args.slice(0, count), others]));
}

/**
 * Runs a function of the package that calls the operation `from`, and gives its errors the name
 * under which users call the function.
 */
export function callAs<T>(name: string, from: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof LanthornError)) throw error;
    throw new LanthornError(error.kind, name, error.message.replaceAll(from, name), { cause: error.cause });
  }
}

// Each is called by a printed function, which users call.
registerEntries([call, callAny, callMethod, callInPlace, callOverload, callOverloadInPlace, drawing], 1);
