/** A function over slices, with a carry. */
import { checkFlag, checkFunction, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { flatten, handles, tensorsOf, type Flat, type Tree } from '../func/tree.js';
import { callbackOf, tensorsLike } from './callback.js';

/** Options of {@link scan}. */
export interface ScanOptions {
  /** The dimension of the slices; default 0. */
  dim?: number;
  /** Whether the last slice is the first; default false. */
  reverse?: boolean;
  /** The number of steps, where `xs` is null. */
  length?: number;
}

const NOTHING: Flat = { tensors: [], rebuild: () => null };

/** A dimension. */
export function checkDim(op: string, dim: unknown): number {
  if (!Number.isInteger(dim)) throw wrongArgument(op, 'dim', 'a whole number', describe(dim));
  return dim as number;
}

/**
 * Runs a function over slices, with a carry from each step to the next, as
 * `torch._higher_order_ops.scan`. The function gets the carry and the slices of `xs` along `dim`,
 * and returns the next carry, like `init`, and an output, or null. The result is the last carry,
 * and the outputs of all steps stacked along `dim` (along dimension 0, if an output has too few).
 * `init`, `xs` and outputs are tensors, or lists and records of tensors. With `xs` null, `length`
 * is the number of steps.
 *
 * The function is called twice for any number of steps, and each step replays its kernels.
 * Gradients go to `init`, `xs`, and the tensors and modules that the function uses, and have
 * gradients. The backward pass computes each step again from its carry, with the same random
 * numbers.
 *
 * A function that {@link compile} records and that runs a scan is called each time: its steps are
 * replayed, and it is not. Within `func.vmap`, and in a program that is exported, each step is
 * ordinary operations.
 *
 * @example
 * const cell = new nn.RNNCell(3, 8);
 * const [last, states] = scan((h, x) => {
 *   const next = cell.call(x, h);
 *   return [next, next];
 * }, zeros(2, 8), randn(100, 2, 3));
 * states.shape; // [100, 2, 8]
 */
export function scan<Carry extends Tree, X extends Tree | null, Y extends Tree | null>(
  combineFn: (carry: Carry, x: X) => readonly [Carry, Y], init: Carry, xs: X, options?: ScanOptions,
): [Carry, Y] {
  const op = 'scan';
  checkFunction(op, combineFn);
  const { dim = 0, reverse, length } = checkOptions<ScanOptions>(op, options, ['dim', 'reverse', 'length']);
  if (length !== undefined && !(Number.isInteger(length) && length >= 0)) throw wrongArgument(op, 'length', 'a whole number of at least 0', describe(length));
  const start = flatten(op, 'init', init, true);
  const slices = xs === null ? NOTHING : flatten(op, 'xs', xs, true);
  const held: { form: Flat['rebuild'] } = { form: NOTHING.rebuild };
  const carries = start.tensors.length;
  const call = callbackOf(op, (tensors) =>
    combineFn(start.rebuild(tensors.slice(0, carries)) as Carry, slices.rebuild(tensors.slice(carries)) as X), (result) => {
    if (!Array.isArray(result) || result.length !== 2) {
      throw new LanthornError('argument', op, `the function returns [carry, output], not ${describe(result)}`);
    }
    const next = tensorsLike(op, 'the carry that the function returned', result[0], 'init', init);
    const output = result[1] === null || result[1] === undefined ? NOTHING : flatten(op, 'the output', result[1], true);
    held.form = output.rebuild;
    return [...next, ...output.tensors];
  });
  const found = tensorsOf(enter((wasm) =>
    wasm.scanCall(handles(start.tensors), handles(slices.tensors), checkDim(op, dim), checkFlag(op, 'reverse', reverse), length ?? NaN, call)));
  return [start.rebuild(found.slice(0, carries)) as Carry, held.form(found.slice(carries)) as Y];
}

registerEntries([scan]);
