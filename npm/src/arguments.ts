/**
 * The encoding of arguments as numbers: in the schema's order, each as the number of its kind and
 * its content. The counterpart of `arguments.rs` in the core, whose table of kinds is printed as
 * `kinds.generated.ts`.
 */
import { describe, isPlainObject } from './check.js';
import { LanthornError } from './errors.js';
import {
  BOOL, EMPTY, FLOAT, FLOATS, INT, INTS, MISSING, NULL, NULLS, OPTIONAL_TENSORS, PARTIAL_INTS, STR, TENSOR, TENSORS,
} from './kinds.generated.js';
import type { Spec } from './spec.js';
import { TensorHandle } from './tensor-handle.js';
import type { NestedArray } from './types.js';
import { upload } from './upload.js';

/** The parameters that are shapes: an error in them is of kind `shape`. */
const SIZES = ['size', 'shape'];

/** The kind of a value that cannot be an argument: its bit is in no set of kinds. */
const UNKNOWN = 31;

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
  return UNKNOWN;
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
    else return UNKNOWN;
  }
  const { length } = list;
  if (length === 0) return EMPTY;
  if (numbers === length) return whole === length ? INTS : FLOATS;
  if (tensors > 0) return tensors + nulls < length ? UNKNOWN : nulls > 0 ? OPTIONAL_TENSORS : TENSORS;
  if (nulls === length) return NULLS;
  return whole + nulls === length ? PARTIAL_INTS : UNKNOWN;
}

/**
 * The arguments in the schema's order, including the keywords of a trailing object; or a message
 * that refuses them. Not an error: while overloads are tried most refusals are never thrown, and
 * constructing an error costs more than a call.
 */
export function arrange(spec: Spec, args: readonly unknown[]): unknown[] | string {
  const { params, positional, spread } = spec;
  let count = args.length;
  while (count > 0 && args[count - 1] === undefined) count--;
  const options = count > 0 && isPlainObject(args[count - 1]) ? (args[--count] as Record<string, unknown>) : undefined;
  const values = new Array<unknown>(params.length).fill(undefined);
  if (spread >= 0 && spread < count && (typeof args[spread] === 'number' || args[spread] instanceof TensorHandle)) {
    for (let i = 0; i < spread; i++) values[i] = args[i];
    values[spread] = args.slice(spread, count);
  } else if (count > positional) {
    const rest = params.slice(positional).join(', ');
    const hint = rest ? `; give ${rest} in an object` : '';
    return `takes at most ${positional} positional arguments, ${count} were given${hint}`;
  } else {
    for (let i = 0; i < count; i++) values[i] = args[i];
  }
  if (options === undefined) return values;
  for (const [name, value] of Object.entries(options)) {
    const index = params.indexOf(name);
    if (index < 0) return `there is no argument ${JSON.stringify(name)}${params.length > 0 ? `; there are ${params.join(', ')}` : ''}`;
    if (values[index] !== undefined) return `the argument ${name} is given twice`;
    values[index] = value;
  }
  return values;
}

/** {@link arrange}, which throws a refusal. */
export function gather(spec: Spec, args: readonly unknown[]): unknown[] {
  const values = arrange(spec, args);
  if (typeof values === 'string') throw new LanthornError('argument', spec.name, values);
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

function pushList(kind: number, list: ArrayLike<unknown>, number: (item: unknown) => number): void {
  push(kind);
  push(list.length);
  for (let i = 0; i < list.length; i++) push(number(list[i]));
}

const handleOrNone = (item: unknown): number => (item === null ? -1 : (item as TensorHandle).coreHandle);
const numberOrNaN = (item: unknown): number => (item === null ? NaN : (item as number));

function refuse(op: string, param: string, what: string): never {
  throw new LanthornError('argument', op, `the argument ${param} cannot be ${what}`);
}

function refuseUnknown(op: string, param: string, value: unknown): never {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = Array.from(value as ArrayLike<unknown>);
    checkSizes(op, param, list);
    const isTensors = list.some((item) => item instanceof TensorHandle);
    const odd = list.findIndex((item) => typeof item !== 'number' && !(isTensors && (item === null || item instanceof TensorHandle)));
    if (odd >= 0) refuse(op, param, `a list with ${describe(list[odd])}`);
  }
  return refuse(op, param, typeof value === 'bigint' ? 'a BigInt; use a number' : describe(value));
}

/** Refuses the first size that is not a whole number. */
function checkSizes(op: string, param: string, list: ArrayLike<unknown>): void {
  if (!SIZES.includes(param)) return;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item !== 'number') return;
    if (!Number.isInteger(item)) {
      throw new LanthornError('shape', op, `a size must be a whole number, not ${item}, in [${Array.from(list).join(', ')}]`);
    }
  }
}

/** Whether a value is an array that a tensor can be made of. */
export const isArray = (value: unknown): value is NestedArray => Array.isArray(value) || ArrayBuffer.isView(value);

/** A tensor of an array of numbers, where a tensor is wanted. */
function asTensor(op: string, param: string, value: NestedArray): TensorHandle {
  const odd = Array.isArray(value) ? value.find((item: unknown) => item instanceof TensorHandle) : undefined;
  if (odd) refuse(op, param, 'an array of tensors; see stack');
  try {
    return new TensorHandle(upload(value));
  } catch (error) {
    if (!(error instanceof LanthornError)) throw error;
    throw new LanthornError(error.kind, op, `the argument ${param} takes a tensor or an array of numbers; ${error.message}`);
  }
}

function encodeOne(op: string, param: string, value: any): void {
  const kind = kindOf(value);
  switch (kind) {
    case MISSING: case NULL: case EMPTY:
      return push(kind);
    case TENSOR:
      push(kind);
      return push(value.coreHandle);
    case BOOL: case INT: case FLOAT:
      push(kind);
      return push(Number(value));
    case STR:
      push(kind);
      return push(texts.push(value) - 1);
    case TENSORS: case OPTIONAL_TENSORS:
      return pushList(kind, value, handleOrNone);
    case FLOATS:
      checkSizes(op, param, value);
    // falls through
    case INTS: case PARTIAL_INTS: case NULLS:
      return pushList(kind, value, numberOrNaN);
    default:
      return refuseUnknown(op, param, value);
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
    taken = taken.map((value, place) => (place === i ? made : value));
  }
  // The first argument of a function, which is the receiver of its operation.
  const first = isArray(receiver) ? asTensor(name, 'input', receiver) : receiver;
  used = 0;
  texts = [];
  if (first !== undefined) encodeOne(name, 'self', first);
  for (let i = 0; i < taken.length; i++) encodeOne(name, params[i]!, taken[i]);
  return [buffer.subarray(0, used), texts];
}
