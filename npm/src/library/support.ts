/**
 * Functions that printed libraries call: `lanthorn-transpile` prints calls of them, and nothing
 * else of the package checks arguments in this way.
 */
import { describe, wrongArgument } from '../core/check.js';
import { LanthornError, type ErrorKind } from '../core/errors.js';
import { inJavaScript, VERBATIM } from '../core/runtime.js';
import { registerHelpers } from '../core/stack.js';
import { gather, isArray, uploadArray } from '../tensor/arguments.js';
import type { Spec } from '../tensor/spec.js';
import { Tensor } from '../tensor/tensor.js';

/** A class that an argument is an object of, by its name in a description. */
type Classes = Readonly<Record<string, abstract new (...args: never[]) => object>>;

/** The parameters of a function: their names, their kinds, and whether a call may omit each. */
interface Signature {
  spec: Spec;
  kinds: readonly string[];
  optional: readonly boolean[];
}

const signatures = new Map<string, Signature>();

/** `Normal.logProb value:tensor` or `Bernoulli probs:param? logits:param?`. */
function parse(text: string): Signature {
  const [name = '', ...params] = text.split(' ');
  const parts = params.map((param) => param.replace('?', '').split(':'));
  return {
    spec: { name, params: parts.map(([param]) => param!), positional: params.length, spread: -1 },
    kinds: parts.map(([, kind]) => kind!),
    optional: params.map((param) => param.endsWith('?')),
  };
}

/** The accepted values of each kind, for a message. */
const EXPECTED: Readonly<Record<string, string>> = {
  bool: 'true or false',
  function: 'a function',
  int: 'an integer',
  ints: 'an integer or an array of integers',
  list: 'an array',
  number: 'a number',
  numbers: 'a number or an array of numbers',
  param: 'a tensor, an array of numbers or a number',
  string: 'a string',
  tensor: 'a tensor or an array of numbers',
  tensors: 'an array of tensors',
};

function isOfKind(kind: string, value: unknown): boolean {
  switch (kind) {
    case 'any': return true;
    case 'bool': return typeof value === 'boolean';
    case 'function': return typeof value === 'function';
    case 'int': return Number.isInteger(value);
    case 'list': return Array.isArray(value);
    case 'number': return typeof value === 'number';
    case 'string': return typeof value === 'string';
    case 'tensors': return Array.isArray(value) && value.every((item) => item instanceof Tensor);
    default: return false;
  }
}

/** A string of a closed set. */
function choice(op: string, param: string, texts: readonly string[], value: unknown): unknown {
  if (texts.some((text) => text === value)) return value;
  throw wrongArgument(op, param, `one of ${texts.map((text) => `'${text}'`).join(', ')}`, typeof value === 'string' ? JSON.stringify(value) : describe(value));
}

/** An argument in the form that the printed code takes. */
function convert(op: string, param: string, kind: string, value: unknown, classes: Classes): unknown {
  if (value instanceof Tensor && (kind === 'tensor' || kind === 'param')) return value;
  if (kind === 'param' && typeof value === 'number') return value;
  if ((kind === 'tensor' || kind === 'param') && isArray(value)) return Tensor.fromCore(uploadArray(op, param, value));
  if (kind === 'ints' || kind === 'numbers') {
    const list = Array.isArray(value) ? value : [value];
    if (list.every((item) => (kind === 'ints' ? Number.isInteger(item) : typeof item === 'number'))) return list;
  }
  if (kind.startsWith('=')) return choice(op, param, kind.slice(1).split('|'), value);
  const Class = classes[kind];
  if (Class ? value instanceof Class : isOfKind(kind, value)) return value;
  const expected = EXPECTED[kind] ?? `an object of class ${kind}`;
  throw wrongArgument(op, param, expected, describe(value));
}

/**
 * The arguments of a call in the order of a description, `Normal.logProb value:tensor`: by position
 * or in an object at the end, checked, and with tensors of arrays. An optional argument that is
 * missing is undefined, or its default, if null is another value.
 */
export function bind(
  text: string,
  args: readonly unknown[],
  classes: Classes = {},
  defaults: Readonly<Record<string, unknown>> = {},
): unknown[] {
  let signature = signatures.get(text);
  if (!signature) signatures.set(text, (signature = parse(text)));
  const { spec, kinds, optional } = signature;
  return gather(spec, args).map((value, index) => {
    const name = spec.params[index]!;
    if (value === undefined && optional[index]) return defaults[name];
    if (value === null && optional[index]) return undefined;
    return convert(spec.name, name, kinds[index]!, value, classes);
  });
}

/** An object of a class with these fields, without a call of the constructor. */
export function make<T extends object>(Class: { readonly prototype: T }, fields: Partial<T>): T {
  return Object.assign(Object.create(Class.prototype) as T, fields);
}

/** An error whose message names arguments and functions as JavaScript does. */
export function failure(kind: ErrorKind, op: string, message: string): LanthornError {
  if (VERBATIM.includes(kind)) return new LanthornError(kind, op, message);
  // `Normal.log_prob` is a member, which the core's messages do not have.
  const members = message.replace(/(?<=\w\.)[a-z]+(?:_[a-z0-9]+)+/g, (name) => inJavaScript(name));
  return new LanthornError(kind, inJavaScript(op), inJavaScript(members));
}

/** The function's value of a value; undefined for undefined. */
export function mapValue<T, U>(value: T | undefined, map: (value: T) => U): U | undefined {
  return value === undefined ? undefined : map(value);
}

/** Pairs of elements with the same index, up to the end of the shorter list. */
export function zip<T, U>(left: readonly T[], right: readonly U[]): [T, U][] {
  return left.slice(0, right.length).map((item, index) => [item, right[index]!]);
}

/** A value of a JSON file. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A value of a JSON file as a value of one type; undefined for a value of another type. */
export const asFlag = (value: Json | undefined): boolean | undefined => (typeof value === 'boolean' ? value : undefined);
export const asInteger = (value: Json | undefined): number | undefined => (Number.isInteger(value) ? (value as number) : undefined);
export const asList = (value: Json | undefined): readonly Json[] | undefined => (Array.isArray(value) ? (value as readonly Json[]) : undefined);
export const asNumber = (value: Json | undefined): number | undefined => (Number.isFinite(value) ? (value as number) : undefined);
export const asText = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
export function asObject(value: Json | undefined): Readonly<Record<string, Json>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, Json>>) : undefined;
}

/** The value of a name, which a map itself has. */
export function getOwn<T>(map: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** The names of a map with their values, in the order of the names. */
export function sortedEntries<T>(map: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1));
}

registerHelpers([bind, failure]);
