/** Errors for invalid arguments. */
import { LanthornError } from './errors.js';
import { registerHelpers } from './stack.js';

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
  if (odd !== undefined) {
    throw new LanthornError('argument', op, `there is no argument ${JSON.stringify(odd)}; there are ${known.join(', ')}`);
  }
  return options;
}

/** An optional boolean. */
export function checkFlag(op: string, name: string, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw new LanthornError('argument', op, `the argument ${name} takes true or false, not ${describe(value)}`);
  return value;
}

/** A callback. */
export function checkFunction(op: string, value: unknown): void {
  if (typeof value !== 'function') throw new LanthornError('argument', op, `takes a function, but the argument is ${describe(value)}`);
}

registerHelpers([checkOptions, checkFlag, checkFunction]);
