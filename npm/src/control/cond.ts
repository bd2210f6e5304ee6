/** One of two functions. */
import { checkFunction, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { flatten, handles, tensorsOf, type Flat, type Tree } from '../func/tree.js';
import { Tensor } from '../tensor/tensor.js';
import { callbackOf, tensorsLike } from './callback.js';

/**
 * The result of one of two functions, as `torch.cond`: of `trueFn` if `pred` is true. A tensor of
 * one element is read, and the result is a promise then; a boolean of JavaScript chooses at once.
 *
 * With a tensor both functions are called, because both must return tensors of the same form,
 * shapes and types; no kernel of the other one runs. It must not write to tensors that it captures.
 * Operands that only the other function uses have gradients of zeros, as in PyTorch.
 *
 * @example
 * const x = randn(4, { requiresGrad: true });
 * const y = await cond(x.sum().lt(0), (v) => v.neg(), (v) => v.exp(), [x]);
 * y.sum().backward();
 */
export function cond<Args extends readonly unknown[], Out extends Tree>(
  pred: Tensor, trueFn: (...operands: Args) => Out, falseFn: (...operands: Args) => Out, operands?: readonly [...Args],
): Promise<Out>;
export function cond<Args extends readonly unknown[], Out>(
  pred: boolean | number, trueFn: (...operands: Args) => Out, falseFn: (...operands: Args) => Out, operands?: readonly [...Args],
): Out;
export function cond(
  pred: Tensor | boolean | number, trueFn: (...operands: never[]) => unknown, falseFn: (...operands: never[]) => unknown, operands: readonly unknown[] = [],
): unknown {
  const op = 'cond';
  checkFunction(op, trueFn);
  checkFunction(op, falseFn);
  if (!Array.isArray(operands)) throw wrongArgument(op, 'operands', 'a list', describe(operands));
  if (typeof pred === 'boolean' || typeof pred === 'number') return (pred ? trueFn : falseFn)(...(operands as never[]));
  if (!(pred instanceof Tensor)) throw wrongArgument(op, 'pred', 'a tensor or a boolean', describe(pred));
  if (pred.numel !== 1) throw new LanthornError('argument', op, `pred is a tensor of one element, not of shape [${pred.shape.join(', ')}]`);
  return branch(op, pred, [trueFn, falseFn], operands);
}

async function branch(op: string, pred: Tensor, [trueFn, falseFn]: readonly [(...operands: never[]) => unknown, (...operands: never[]) => unknown], operands: readonly unknown[]): Promise<unknown> {
  const given = flatten(op, 'operands', operands, false);
  const truth = Boolean(await pred.item());
  const held: { result?: unknown; form?: Flat['rebuild'] } = {};
  const run = (fn: (...operands: never[]) => unknown) => (tensors: Tensor[]): unknown => fn(...(given.rebuild(tensors) as never[]));
  const taken = callbackOf(op, run(truth ? trueFn : falseFn), (result) => {
    const flat = flatten(op, "the function's result", result, true);
    held.form = flat.rebuild;
    held.result = result;
    return flat.tensors;
  });
  const other = callbackOf(op, run(truth ? falseFn : trueFn), (result) =>
    tensorsLike(op, 'the result of the other function', result, `the result of ${truth ? 'trueFn' : 'falseFn'}`, held.result));
  const found = enter((wasm) => wasm.condCall(taken, other, handles(given.tensors), truth));
  return held.form!(tensorsOf(found));
}

registerEntries([cond]);
