/** Prefixes by an associative function. */
import { checkFlag, checkFunction, checkOptions, describe, wrongArgument } from '../core/check.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { flatten, handles, tensorsOf, type Tree } from '../func/tree.js';
import { callbackOf, tensorsLike } from './callback.js';
import { checkDim } from './scan.js';

/** Options of {@link associativeScan}. */
export interface AssociativeScanOptions {
  /** Whether the last slice is the first; default false. */
  reverse?: boolean;
  /**
   * The arguments of the function. `pointwise` (default): many elements at once, along dimension 0,
   * so it has pointwise operations only. `generic`: one element, so it has any operations.
   */
  combineMode?: 'pointwise' | 'generic';
}

const MODES = ['pointwise', 'generic'];

/**
 * All prefixes of slices, combined by an associative function, as
 * `torch._higher_order_ops.associative_scan`: slice `i` of the result along `dim` combines slices
 * 0 to `i`. An element is a slice of `xs`, which is a tensor, or a list or record of tensors; the
 * function takes two elements and returns one like them. It is called twice for each doubling of
 * the number of slices, on many elements at once. Gradients also go to captured tensors.
 *
 * @example
 * // h = a h + b at 1,000 steps, in 20 calls of the function.
 * const xs = { a: rand(1000, 8), b: randn(1000, 8) };
 * const then = (x, y) => ({ a: x.a.mul(y.a), b: x.b.mul(y.a).add(y.b) });
 * const states = associativeScan(then, xs, 0).b;
 */
export function associativeScan<T extends Tree>(combineFn: (x: T, y: T) => T, xs: T, dim: number, options?: AssociativeScanOptions): T {
  const op = 'associativeScan';
  checkFunction(op, combineFn);
  const { reverse, combineMode = 'pointwise' } = checkOptions<AssociativeScanOptions>(op, options, ['reverse', 'combineMode']);
  if (!MODES.includes(combineMode)) throw wrongArgument(op, 'combineMode', MODES.join(', '), describe(combineMode));
  const elements = flatten(op, 'xs', xs, true);
  const count = elements.tensors.length;
  const call = callbackOf(op, (tensors) =>
    combineFn(elements.rebuild(tensors.slice(0, count)) as T, elements.rebuild(tensors.slice(count)) as T),
  (result) => tensorsLike(op, 'the combination', result, 'xs', xs));
  return elements.rebuild(tensorsOf(enter((wasm) =>
    wasm.associativeScanCall(handles(elements.tensors), checkDim(op, dim), checkFlag(op, 'reverse', reverse), combineMode === 'generic', call)))) as T;
}

registerEntries([associativeScan]);
