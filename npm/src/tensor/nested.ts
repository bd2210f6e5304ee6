/** Tensors in nested arrays and objects: the arguments and results of functions. */
import { isPlainObject } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { Tensor } from './tensor.js';

/** The deepest nesting of an argument or a result, which may contain itself. */
const DEEPEST = 64;

/** Inserts tensors into the slots of a value. */
export type Rebuild = (tensors: readonly Tensor[]) => unknown;

/** Refuses a value that is nested deeper than arguments and results may be. */
export function checkDepth(op: string, depth: number): void {
  if (depth <= DEEPEST) return;
  throw new LanthornError('argument', op, `arguments and results are nested at most ${DEEPEST} deep`);
}

/** Takes a value apart: adds its tensors to a list, and returns the structure without them. */
export function template(op: string, value: unknown, tensors: Tensor[], depth = 0): Rebuild {
  if (value instanceof Tensor) {
    const index = tensors.push(value) - 1;
    return (made) => made[index];
  }
  checkDepth(op, depth);
  if (Array.isArray(value)) {
    const items = value.map((item) => template(op, item, tensors, depth + 1));
    return (made) => items.map((item) => item(made));
  }
  if (isPlainObject(value)) {
    const items = Object.entries(value).map(([key, item]) => [key, template(op, item, tensors, depth + 1)] as const);
    return (made) => Object.fromEntries(items.map(([key, item]) => [key, item(made)]));
  }
  return () => value;
}

/** The handles of tensors. */
export function handlesOf(tensors: readonly Tensor[]): Uint32Array {
  return Uint32Array.from(tensors, (tensor) => tensor.coreHandle);
}
