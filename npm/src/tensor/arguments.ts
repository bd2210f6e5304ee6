/**
 * The encoding of arguments as numbers, which `docs/calls.md` describes: each is the number of its
 * kind and its content. The counterpart of `lanthorn-call`, whose kinds are printed as
 * `generated/kinds.ts`.
 */
import { describe, fill, isPlainObject, unknownArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import {
  ARRAY, BOOL, EMPTY, FLOAT, FLOATS, FOREIGN, INT, INTS, MISSING, NAME, NULL, NULLS, OPTIONAL_TENSORS, PARTIAL_INTS,
  STR, TENSOR, TENSORS, TEXTS,
} from '../generated/kinds.js';
import type { Spec } from './spec.js';
import { TensorHandle } from './tensor-handle.js';
import type { NestedArray } from '../core/types.js';
import { upload } from './upload.js';

/** The kind of a value, by the core's table of kinds. */
export function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'undefined': return MISSING;
    case 'number': return Number.isInteger(value) && Math.abs(value) <= 2 ** 53 ? INT : FLOAT;
    case 'boolean': return BOOL;
    case 'string': return STR;
    case 'object':
      if (value instanceof TensorHandle) return TENSOR;
      if (value === null) return NULL;
      if (Array.isArray(value) || ArrayBuffer.isView(value)) return kindOfList(value as ArrayLike<unknown>);
  }
  return FOREIGN;
}

function kindOfList(list: ArrayLike<unknown>): number {
  let [tensors, nulls, whole, numbers] = [0, 0, 0, 0];
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item === 'number') {
      numbers++;
      if (Number.isInteger(item)) whole++;
    } else if (item === null) nulls++;
    else if (item instanceof TensorHandle) tensors++;
    else return ARRAY;
  }
  const { length } = list;
  if (length === 0) return EMPTY;
  if (numbers === length) return whole === length ? INTS : FLOATS;
  if (tensors > 0) return tensors + nulls < length ? ARRAY : nulls > 0 ? OPTIONAL_TENSORS : TENSORS;
  if (nulls === length) return NULLS;
  return whole + nulls === length ? PARTIAL_INTS : ARRAY;
}

/** The number of arguments by position, and the object at the end with those by name. */
export function split(args: readonly unknown[]): [count: number, options: Record<string, unknown> | undefined] {
  let count = args.length;
  while (count > 0 && args[count - 1] === undefined) count--;
  const options = count > 0 && isPlainObject(args[count - 1]) ? (args[--count] as Record<string, unknown>) : undefined;
  return [count, options];
}

/** NumPy's names of parameters, which PyTorch accepts, too. */
const OTHER_NAMES: Readonly<Record<string, string>> = { __proto__: null as never, axis: 'dim', keepdims: 'keepdim', x2: 'other' };

/** The arguments in the schema's order, including the keywords of a trailing object. */
export function gather(spec: Spec, args: readonly unknown[]): unknown[] {
  const { name: op, params, positional, spread } = spec;
  const [count, options] = split(args);
  const values = new Array<unknown>(params.length).fill(undefined);
  if (spread >= 0 && spread < count && (typeof args[spread] === 'number' || args[spread] instanceof TensorHandle)) {
    for (let i = 0; i < spread; i++) values[i] = args[i];
    values[spread] = args.slice(spread, count);
  } else if (count > positional) {
    const names = params.slice(positional).join(', ');
    const hint = names && fill(TEXTS.byName, { names, form: 'in an object' });
    throw new LanthornError('argument', op, fill(TEXTS.tooMany, { limit: positional, count }) + hint);
  } else {
    for (let i = 0; i < count; i++) values[i] = args[i];
  }
  if (options === undefined) return values;
  for (const [name, value] of Object.entries(options)) {
    const index = params.indexOf(name in OTHER_NAMES && !params.includes(name) ? OTHER_NAMES[name]! : name);
    if (index < 0) throw unknownArgument(op, name, params);
    if (values[index] !== undefined) throw new LanthornError('argument', op, fill(TEXTS.twice, { name }));
    values[index] = value;
  }
  return values;
}

/**
 * The numbers of the current call. The core copies them when it is entered, so one buffer serves
 * every call.
 */
let buffer = new Float64Array(64);
let used = 0;
let texts: string[] = [];

function push(number: number): void {
  if (used === buffer.length) {
    const longer = new Float64Array(2 * used);
    longer.set(buffer);
    buffer = longer;
  }
  buffer[used++] = number;
}

function pushText(text: string): void {
  push(texts.push(text) - 1);
}

function pushList(list: ArrayLike<unknown>, number: (item: unknown) => number): void {
  push(list.length);
  for (let i = 0; i < list.length; i++) push(number(list[i]));
}

const handleOrNone = (item: unknown): number => (item === null ? -1 : (item as TensorHandle).coreHandle);
const numberOrNaN = (item: unknown): number => (item === null ? NaN : (item as number));

/** A value that no parameter accepts as it is, in words for the core's message. */
function inWords(value: unknown): string {
  if (isArray(value)) {
    const list: unknown[] = Array.from(value as ArrayLike<unknown>);
    const isTensors = list.some((item) => item instanceof TensorHandle);
    const odd = list.findIndex((item) => typeof item !== 'number' && !(isTensors && (item === null || item instanceof TensorHandle)));
    if (odd >= 0) return `a list with ${describe(list[odd])}`;
  }
  return typeof value === 'bigint' ? 'a BigInt; use a number' : describe(value);
}

/** Whether a value is an array that a tensor can be made of. */
export const isArray = (value: unknown): value is NestedArray => Array.isArray(value) || ArrayBuffer.isView(value);

/** A tensor of an array of numbers, where a tensor is wanted. */
export const asTensor = (op: string, param: string, value: NestedArray): TensorHandle => new TensorHandle(uploadArray(op, param, value));

/** The handle of a new tensor of an array of numbers; errors name the argument. */
export function uploadArray(op: string, param: string, value: NestedArray): number {
  const odd = Array.isArray(value) ? value.find((item: unknown) => item instanceof TensorHandle) : undefined;
  if (odd) throw new LanthornError('argument', op, `the argument ${param} cannot be an array of tensors; see stack`);
  try {
    return upload(value);
  } catch (error) {
    if (!(error instanceof LanthornError)) throw error;
    throw new LanthornError(error.kind, op, `the argument ${param} takes a tensor or an array of numbers; ${error.message}`);
  }
}

function encodeOne(value: unknown): void {
  const kind = kindOf(value);
  push(kind);
  switch (kind) {
    case MISSING: case NULL: case EMPTY: return;
    case TENSOR: return push((value as TensorHandle).coreHandle);
    case BOOL: case INT: case FLOAT: return push(Number(value));
    case STR: return pushText(value as string);
    case TENSORS: case OPTIONAL_TENSORS: return pushList(value as unknown[], handleOrNone);
    case ARRAY: case FOREIGN: return pushText(inWords(value));
    default: return pushList(value as unknown[], numberOrNaN);
  }
}

/**
 * One row of numbers, and the strings that it refers to by index. The row is valid until the next
 * call.
 */
export function encode(spec: Spec, values: readonly unknown[], receiver?: unknown): [Float64Array, string[]] {
  const { name, params, takesArray } = spec;
  let taken = values;
  for (let i = 0; i < values.length; i++) {
    const given = values[i];
    if (!takesArray?.[i] || !isArray(given)) continue;
    // Before the row is begun, because making a tensor is a call too.
    const made = asTensor(name, params[i]!, given);
    taken = taken.map((value, index) => (index === i ? made : value));
  }
  // The first argument of a function, which is the receiver of its operation.
  const first = isArray(receiver) ? asTensor(name, 'input', receiver) : receiver;
  used = 0;
  texts = [];
  if (first !== undefined) encodeOne(first);
  for (const value of taken) encodeOne(value);
  return [buffer.subarray(0, used), texts];
}

/**
 * {@link encode} for the arguments of a call as they are, the ones in an object at the end with
 * their names: the core selects the overload that takes them.
 */
export function encodeCall(args: readonly unknown[], receiver?: unknown): [Float64Array, string[]] {
  const [count, options] = split(args);
  used = 0;
  texts = [];
  if (receiver !== undefined) encodeOne(receiver);
  for (let i = 0; i < count; i++) encodeOne(args[i]);
  if (options !== undefined) {
    for (const [name, value] of Object.entries(options)) {
      push(NAME);
      pushText(name);
      encodeOne(value);
    }
  }
  return [buffer.subarray(0, used), texts];
}
