/** The recording of a compiled function that is under way, and what of JavaScript it depends on. */
import { enter } from './runtime.js';

/** Properties of objects, with the values that they had while a call was recorded. */
export type Guards = Map<object, Map<string, unknown>>;

/** The key of a container's names: a module that is a list or a dictionary of its properties. */
export const members: unique symbol = Symbol('members');

/** The guards of the recording under way. */
let guards: Guards | undefined;

/** Counts the replacements of the tensors of modules. */
const replaced = { count: 0 };

/** Whether a call is being recorded. */
export const isRecording = (): boolean => guards !== undefined;

/** Notes that the call that is being recorded depends on a property of an object. */
export function note(object: object, key: string): void {
  if (guards === undefined) return;
  const known = guards.get(object) ?? new Map<string, unknown>();
  guards.set(object, known);
  if (!known.has(key)) known.set(key, (object as Record<string, unknown>)[key]);
}

/**
 * Notes that the call depends on all properties of an object that are not computed, also in arrays
 * and containers of modules.
 */
export function noteAll(object: object): void {
  if (guards === undefined || guards.has(object)) return;
  guards.set(object, new Map());
  if (members in object) note(object, 'length');
  for (const [key, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
    if (!('value' in descriptor)) continue;
    note(object, key);
    const value: unknown = descriptor.value;
    if (Array.isArray(value) || (typeof value === 'object' && value !== null && members in value)) noteAll(value as object);
  }
}

/** Whether the guards still hold. */
export function hold(known: Guards): boolean {
  for (const [object, values] of known) {
    for (const [key, value] of values) if ((object as Record<string, unknown>)[key] !== value) return false;
  }
  return true;
}

/** Makes the call that is being recorded one that is not replayed. */
export function breakGraph(reason: string): void {
  if (guards !== undefined) enter((wasm) => wasm.compiledBreak(reason));
}

/** Notes that a module has another tensor now. */
export function noteReplaced(): void {
  replaced.count += 1;
  breakGraph('it replaces a tensor of a module');
}

/** Adds the guards of a call to the given ones, until the returned function is called. */
export function collect(into: Guards): () => void {
  guards = into;
  into.set(replaced, new Map([['count', replaced.count]]));
  return () => { guards = undefined; };
}
