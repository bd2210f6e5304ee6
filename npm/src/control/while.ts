/** A function that is repeated while a predicate is true. */
import { checkFunction, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { flatten, handles, tensorsOf, type Tree } from '../func/tree.js';
import { Tensor } from '../tensor/tensor.js';
import { callbackOf, tensorsLike } from './callback.js';

/** The only element of a predicate, as a boolean. */
async function isTrue(op: string, handle: number): Promise<boolean> {
  const pred = Tensor.fromCore(handle);
  if (pred.numel !== 1) throw new LanthornError('argument', op, `the predicate is a tensor of one element, not of shape [${pred.shape.join(', ')}]`);
  const value = await pred.item();
  pred.dispose();
  return value !== 0;
}

/**
 * Repeats a function while a predicate of its tensors is true, as
 * `torch._higher_order_ops.while_loop`. `bodyFn` takes the carried tensors and returns a list like
 * them; `condFn` returns a tensor of one element, which is read after each step, so the result is a
 * promise. The kernels of both are recorded once.
 *
 * Where gradients go through the results, the steps run a second time, as a {@link scan} of as many
 * steps, whose gradients they then have.
 *
 * @example
 * // The square root of 2 by Newton's method.
 * const [root] = await whileLoop(
 *   (x) => x.square().sub(2).abs().gt(1e-6),
 *   (x) => [x.add(x.reciprocal().mul(2)).div(2)],
 *   [tensor(1)],
 * );
 */
export async function whileLoop<Carried extends readonly Tree[]>(
  condFn: (...carried: Carried) => Tensor, bodyFn: (...carried: Carried) => readonly [...Carried], carriedInputs: readonly [...Carried],
): Promise<[...Carried]> {
  const op = 'whileLoop';
  checkFunction(op, condFn);
  checkFunction(op, bodyFn);
  if (!Array.isArray(carriedInputs)) throw wrongArgument(op, 'carriedInputs', 'a list', describe(carriedInputs));
  const start = flatten(op, 'carriedInputs', carriedInputs, true);
  const spread = (tensors: Tensor[]): Carried => start.rebuild(tensors) as never;
  const goesOn = callbackOf(op, (tensors) => condFn(...spread(tensors)), (pred: unknown) => {
    if (!(pred instanceof Tensor)) throw new LanthornError('argument', op, `condFn returns a tensor of one element, not ${describe(pred)}`);
    return [pred];
  });
  const body = callbackOf(op, (tensors) => bodyFn(...spread(tensors)), (result) =>
    tensorsLike(op, 'the result of bodyFn', result, 'carriedInputs', carriedInputs));
  const handle = enter((wasm) => wasm.loopNew(goesOn, body, handles(start.tensors)));
  try {
    let pred = enter((wasm) => wasm.loopStart(handle));
    while (await isTrue(op, pred)) pred = enter((wasm) => wasm.loopStep(handle));
    return start.rebuild(tensorsOf(enter((wasm) => wasm.loopFinish(handle)))) as [...Carried];
  } catch (error) {
    enter((wasm) => wasm.loopAbort(handle));
    throw error;
  }
}

registerEntries([whileLoop]);
