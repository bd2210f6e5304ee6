/** The encoding of arguments as numbers: the counterpart of `arguments.rs` in the core. */
import { describe } from './check.js';
import { LanthornError } from './errors.js';
import { enter, enterAsync } from './runtime.js';
import { Tensor } from './tensor.js';
import { VIEWS } from './views.js';

/** The description of an operation in a generated method. */
export interface Spec {
  name: string;
  /** The names of the parameters, positional ones first, without the receiver. */
  params: readonly string[];
  positional: number;
  /** The index of a list that may be passed as separate numbers, or -1. */
  spread: number;
}

/** The parameters that are shapes: an error in them is of kind `shape`. */
const SIZES = ['size', 'shape'];

const NONE = 0, TENSOR = 1, TENSORS = 2, BOOL = 3, NUMBER = 4, INTS = 5, STRING = 6, FLOATS = 7, OPTIONAL_TENSORS = 8, PARTIAL_INTS = 9,
  MODULE = 10, NULL = 11;

/**
 * The key under which a module of the core has its handle; modules written in JavaScript have none.
 */
export const moduleHandle: unique symbol = Symbol('module');

/** Whether a value is a module. */
function isModule(value: unknown): value is { [moduleHandle]: number | undefined } {
  return typeof value === 'object' && value !== null && moduleHandle in value;
}

function isOptions(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Tensor) && !isModule(value) && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/** The arguments in the schema's order, including the keywords of a trailing object. */
export function gather(spec: Spec, args: readonly unknown[]): unknown[] {
  let given = [...args];
  while (given.length > 0 && given[given.length - 1] === undefined) given.pop();
  const options = given.length > 0 && isOptions(given[given.length - 1]) ? (given.pop() as Record<string, unknown>) : {};
  if (spec.spread >= 0 && typeof given[spec.spread] === 'number') given = [...given.slice(0, spec.spread), given.slice(spec.spread)];
  if (given.length > spec.positional) {
    const rest = spec.params.slice(spec.positional).join(', ');
    const hint = rest ? `; give ${rest} in an object` : '';
    throw new LanthornError('argument', spec.name, `takes at most ${spec.positional} positional arguments, ${given.length} were given${hint}`);
  }
  const values: unknown[] = spec.params.map((_, place) => given[place]);
  for (const [name, value] of Object.entries(options)) {
    const place = spec.params.indexOf(name);
    if (place < 0) throw new LanthornError('argument', spec.name, `there is no argument ${JSON.stringify(name)}; there are ${spec.params.join(', ')}`);
    if (values[place] !== undefined) throw new LanthornError('argument', spec.name, `the argument ${name} is given twice`);
    values[place] = value;
  }
  return values;
}

/** One row of numbers, and the strings that it refers to by index. */
export function encode(name: string, params: readonly string[], values: readonly unknown[]): [Float64Array, string[]] {
  const words: number[] = [];
  const strings: string[] = [];
  values.forEach((value, place) => {
    const refuse = (what: string): never => {
      throw new LanthornError('argument', name, `the argument ${params[place]} cannot be ${what}`);
    };
    if (value === undefined) words.push(NONE);
    else if (value === null) words.push(NULL);
    else if (value instanceof Tensor) words.push(TENSOR, value.handle);
    else if (isModule(value)) words.push(MODULE, value[moduleHandle] ?? refuse('a module that was written in JavaScript'));
    else if (typeof value === 'boolean') words.push(BOOL, Number(value));
    else if (typeof value === 'number') words.push(NUMBER, value);
    else if (typeof value === 'string') words.push(STRING, strings.push(value) - 1);
    else if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const list = Array.from(value as ArrayLike<unknown>);
      if (list.length > 0 && list.every((item) => item instanceof Tensor)) {
        words.push(TENSORS, list.length, ...list.map((item) => (item as Tensor).handle));
      } else if (list.some((item) => item instanceof Tensor) && list.every((item) => item === null || item instanceof Tensor)) {
        words.push(OPTIONAL_TENSORS, list.length, ...list.map((item) => (item as Tensor | null)?.handle ?? -1));
      } else if (!SIZES.includes(params[place]!) && list.every((item) => typeof item === 'number') && !list.every(Number.isInteger)) {
        words.push(FLOATS, list.length, ...(list as number[]));
      } else if (list.includes(null) && list.every((item) => item === null || Number.isInteger(item))) {
        words.push(PARTIAL_INTS, list.length, ...list.map((item) => (item as number | null) ?? NaN));
      } else {
        for (const item of list) {
          if (typeof item === 'number' && !Number.isInteger(item) && SIZES.includes(params[place]!)) {
            throw new LanthornError('shape', name, `a size must be a whole number, not ${item}, in [${list.join(', ')}]`);
          }
          if (typeof item !== 'number') refuse(`a list with ${describe(item)}`);
        }
        words.push(INTS, list.length, ...(list as number[]));
      }
    } else refuse(typeof value === 'bigint' ? 'a BigInt; use a number' : describe(value));
  });
  return [new Float64Array(words), strings];
}

function prepare(spec: Spec, receiver: unknown, args: readonly unknown[]): [Float64Array, string[]] {
  const values = gather(spec, args);
  return receiver === undefined ? encode(spec.name, spec.params, values) : encode(spec.name, ['self', ...spec.params], [receiver, ...values]);
}

/** Runs an operation. */
export function call(op: number, spec: Spec, receiver: unknown, args: readonly unknown[]): Tensor {
  const [words, strings] = prepare(spec, receiver, args);
  return Tensor.fromHandle(enter((wasm) => wasm.opCall(op, words, strings)));
}

/** Runs the in-place form of an operation. */
export function callInPlace<T>(op: number, spec: Spec, receiver: T, args: readonly unknown[]): T {
  const [words, strings] = prepare(spec, receiver, args);
  const isView = enter((wasm) => wasm.opCallInPlace(op, words, strings));
  if (isView && receiver instanceof Tensor) receiver.reshaped();
  return receiver;
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
  return Object.assign(values, Object.fromEntries(returns.map((name, place) => [name.replace(/\?$|\[\d+\]$/, ''), values[place]])));
}

/** Runs an operation that returns something other than one tensor, or a promise. */
export function callAny(op: number, spec: Spec, returns: Returns, receiver: unknown, args: readonly unknown[]): unknown {
  const [words, strings] = prepare(spec, receiver, args);
  const result = enter((wasm) => wasm.opCallAny(op, words, strings)) as Float64Array | Promise<Float64Array>;
  if (result instanceof Float64Array) return decode(returns, result);
  return enterAsync(() => result).then((row) => decode(returns, row));
}

/** One of the operations that share a name. */
export interface Overload {
  op: number;
  spec: Spec;
  /** A letter for the kind of each parameter; a lower-case letter is optional. */
  types: string;
  returns?: Returns;
}

/** Whether a parameter of this kind accepts a value. */
function takes(letter: string, value: unknown): boolean {
  if (value === undefined || value === null) return letter === letter.toLowerCase();
  const kinds = letter.toUpperCase();
  if (value instanceof Tensor) return 'TOE'.includes(kinds);
  if (typeof value === 'boolean') return 'BSO'.includes(kinds);
  if (typeof value === 'number') return 'NIGSOPE'.includes(kinds);
  if (typeof value === 'string') return 'DP'.includes(kinds);
  if (!Array.isArray(value)) return ArrayBuffer.isView(value) && 'IGPE'.includes(kinds);
  if (value.some((item) => item instanceof Tensor)) return kinds === 'L';
  if (value.every((item) => typeof item === 'number')) return 'IGPEL'.includes(kinds);
  return kinds === 'G' && value.every((item) => item === null || typeof item === 'number');
}

/** Whether an overload's parameters accept these arguments. */
function fits({ spec, types }: Overload, args: readonly unknown[]): boolean {
  try {
    const values = gather(spec, args);
    return [...types].every((letter, place) => takes(letter, values[place]));
  } catch {
    return false;
  }
}

/**
 * The first overload whose parameters accept the arguments; if there is none, the first, for its
 * error message.
 */
function choose(overloads: readonly Overload[], args: readonly unknown[]): Overload {
  return overloads.find((overload) => fits(overload, args)) ?? overloads[0]!;
}

/** Runs the overload that accepts the arguments. */
export function callOverload(overloads: readonly Overload[], receiver: unknown, args: readonly unknown[]): unknown {
  const { op, spec, returns } = choose(overloads, args);
  return returns === undefined ? call(op, spec, receiver, args) : callAny(op, spec, returns, receiver, args);
}

/** Runs the in-place form of the overload that accepts the arguments. */
export function callOverloadInPlace<T>(overloads: readonly Overload[], receiver: T, args: readonly unknown[]): T {
  const { op, spec } = choose(overloads, args);
  return callInPlace(op, spec, receiver, args);
}
