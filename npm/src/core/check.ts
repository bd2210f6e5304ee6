/** Errors for invalid arguments. */
import { TEXTS } from '../generated/kinds.js';
import { LanthornError } from './errors.js';
import { registerHelpers } from './stack.js';

/** A text of the core with its parts in braces filled in. */
export const fill = (text: string, parts: Readonly<Record<string, unknown>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(parts[name]));

/** The error of an argument that is not what its parameter takes; `found` describes it. */
export function wrongArgument(op: string, name: string, accepted: string, found: string | number): LanthornError {
  return new LanthornError('argument', op, fill(TEXTS.wrong, { name, accepted, found }));
}

/** The error of an argument by a name that no parameter has. */
export function unknownArgument(op: string, name: string, known: readonly string[]): LanthornError {
  const hint = known.length > 0 ? fill(TEXTS.known, { names: known.join(', ') }) : '';
  return new LanthornError('argument', op, fill(TEXTS.unknown, { name: JSON.stringify(name) }) + hint);
}

/** Whether an object has no class, also one of another realm. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Whether a value is an object without a class. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && isPlain(value);
}

/** A description of a value, for a message. */
export function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (typeof (value as { then?: unknown }).then === 'function') return 'a promise: await it';
  const name = isPlain(value) ? undefined : value.constructor?.name;
  return name ? `an object of class ${name}` : 'an object';
}

/** An object of keywords, all of them known. */
export function checkOptions<T extends object>(op: string, options: T | null | undefined, known: readonly string[]): Partial<T> {
  if (options === undefined || options === null) return {};
  if (typeof options !== 'object' || Array.isArray(options) || !isPlain(options)) {
    throw new LanthornError('argument', op, `options are given in an object, not as ${describe(options)}`);
  }
  const odd = Object.keys(options).find((name) => !known.includes(name));
  if (odd !== undefined) throw unknownArgument(op, odd, known);
  return options;
}

/** An optional boolean. */
export function checkFlag(op: string, name: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw wrongArgument(op, name, 'true or false', describe(value));
  return value;
}

/** A callback. */
export function checkFunction(op: string, value: unknown): void {
  if (typeof value !== 'function') throw new LanthornError('argument', op, `takes a function, but the argument is ${describe(value)}`);
}

registerHelpers([checkOptions, checkFlag, checkFunction, unknownArgument, wrongArgument]);
