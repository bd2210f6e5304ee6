/** Functions that printed libraries call: `lanthorn-transpile` prints calls of them. */
import { LanthornError, type ErrorKind } from '../core/errors.js';
import { inJavaScript, VERBATIM } from '../core/runtime.js';
import { registerHelpers } from '../core/stack.js';

export { bind } from './bind.js';

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

registerHelpers([failure]);
