/** Trees: tensors, and lists and records of trees, as functions take and return them. */
import { describe, isPlainObject } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

/** A tensor, or a list or record of trees. */
export type Tree = Tensor | readonly Tree[] | { readonly [name: string]: Tree };

/** The tensors of a tree, and a function that makes the same tree of other values. */
export interface Flat {
  tensors: Tensor[];
  rebuild(leaves: readonly unknown[]): unknown;
}

/**
 * The tensors of a value in order. With `strict` it holds nothing else; otherwise other values stay
 * where they are.
 */
export function flatten(op: string, name: string, value: unknown, strict: boolean): Flat {
  if (value instanceof Tensor) {
    handleOf(op, name, value);
    return { tensors: [value], rebuild: ([leaf]) => leaf };
  }
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) {
    if (strict) throw new LanthornError('argument', op, `${name} is a tensor, or a list or record of tensors, not ${describe(value)}`);
    return { tensors: [], rebuild: () => value };
  }
  const entries = Object.entries(value).map(([key, item]) => [key, flatten(op, isList ? `${name}[${key}]` : `${name}.${key}`, item, strict)] as const);
  const parts = together(entries.map(([, flat]) => flat));
  if (isList) return parts;
  const keys = entries.map(([key]) => key);
  const rebuild = (leaves: readonly unknown[]): unknown => Object.fromEntries((parts.rebuild(leaves) as unknown[]).map((part, at) => [keys[at]!, part]));
  return { tensors: parts.tensors, rebuild };
}

/** Trees as one list. */
export function together(flats: readonly Flat[]): Flat {
  return {
    tensors: flats.flatMap((flat) => flat.tensors),
    rebuild(leaves) {
      let start = 0;
      return flats.map((flat) => flat.rebuild(leaves.slice(start, start += flat.tensors.length)));
    },
  };
}

/** The value that a tree with fewer branches, a prefix, has for each tensor of a tree. */
export function broadcastPrefix(op: string, name: string, prefix: unknown, value: unknown): unknown[] {
  if (value instanceof Tensor) return [prefix];
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return [];
  const parts = value as Record<string, unknown>;
  if (prefix === null || typeof prefix !== 'object') return Object.keys(parts).flatMap((key) => broadcastPrefix(op, name, prefix, parts[key]));
  const given = prefix as Record<string, unknown>;
  const [wanted, found] = [Object.keys(parts), Object.keys(given)];
  if (Array.isArray(prefix) !== isList || wanted.some((key) => !(key in given)) || found.length !== wanted.length) {
    throw new LanthornError('argument', op, `${name} has the members [${found.join(', ')}], the tensors have [${wanted.join(', ')}]`);
  }
  return wanted.flatMap((key) => broadcastPrefix(op, name, given[key], parts[key]));
}

/** The core's handles of tensors. */
export function handles(tensors: readonly Tensor[]): Uint32Array {
  return Uint32Array.from(tensors, (tensor) => tensor.coreHandle);
}

/** Tensors of the core's handles. */
export function tensorsOf(found: Uint32Array): Tensor[] {
  return Array.from(found, (handle) => Tensor.fromCore(handle));
}

/** Refuses the promise of an async function, which would run after the transform. */
export function checkSync(op: string, result: unknown): void {
  if (!(result instanceof Promise)) return;
  result.catch(() => {});
  throw new LanthornError('argument', op, `the function must not be async; await outside of ${op}`);
}
