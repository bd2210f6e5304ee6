/** Activation checkpointing, as `torch.utils.checkpoint`. */
import { checkFunction, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { flatten, handles, tensorsOf, type Flat, type Tree } from '../func/tree.js';
import { received, runCallback, shared } from '../tensor/callback.js';
import type { Tensor } from '../tensor/tensor.js';

/**
 * The result of a function without the intermediate tensors that its gradients need: the backward
 * pass computes the function again, as `torch.utils.checkpoint.checkpoint`. The memory of a deep
 * network then grows with its number of checkpoints, for the time of one more forward pass. Random
 * numbers are the same both times. The function returns a tensor, or a list or record of tensors;
 * it must not be async.
 *
 * @example
 * class Deep extends nn.Module {
 *   blocks = new nn.ModuleList([new nn.Linear(8, 8), new nn.Linear(8, 8)]);
 *   forward(x) {
 *     for (const block of this.blocks) x = autograd.checkpoint((h) => block.call(h), x);
 *     return x;
 *   }
 * }
 */
export function checkpoint<Args extends unknown[], Out extends Tree>(fn: (...args: Args) => Out, ...args: Args): Out {
  checkFunction('checkpoint', fn);
  const inputs = flatten('checkpoint', 'the arguments', args, false);
  const held: { out?: Flat } = {};
  const given = handles(inputs.tensors);
  const run = runOf(fn, inputs.rebuild, held);
  const outputs = enter((wasm) => wasm.checkpointCall(given, run));
  return held.out!.rebuild(tensorsOf(outputs)) as Out;
}

/** The function as the core calls it, so that the graph does not keep the arguments' tensors. */
function runOf<Args extends unknown[]>(fn: (...args: Args) => unknown, rebuild: Flat['rebuild'], held: { out?: Flat }) {
  return (inputs: Uint32Array): Uint32Array =>
    runCallback('checkpoint', undefined, () => fn(...(rebuild(received(inputs)) as Args)), (result) => {
      const out = flatten('checkpoint', "the function's result", result, true);
      held.out = { tensors: [], rebuild: out.rebuild };
      return Uint32Array.from(shared('checkpoint', 'of the result', out.tensors));
    });
}

/** A module, or a function of one tensor. */
export type CheckpointStep = ((x: Tensor) => Tensor) | { call(x: Tensor): Tensor };

/**
 * The result of modules or functions one after another, in `segments` checkpointed parts, as
 * `torch.utils.checkpoint.checkpoint_sequential`; the last part is not checkpointed.
 *
 * @example
 * const layers = new nn.Sequential(new nn.Linear(8, 8), new nn.Linear(8, 8));
 * const y = autograd.checkpointSequential(layers, 2, randn(4, 8));
 */
export function checkpointSequential(steps: Iterable<CheckpointStep>, segments: number, input: Tensor): Tensor {
  const op = 'checkpointSequential';
  if (typeof (steps as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] !== 'function') {
    throw new LanthornError('argument', op, `takes a list of modules or functions, not ${describe(steps)}`);
  }
  const all = Array.from(steps, (step) => (typeof step === 'function' ? step : (x: Tensor) => step.call(x)));
  if (!Number.isInteger(segments) || segments < 1 || segments > all.length) {
    throw new LanthornError('argument', op, `segments is a whole number from 1 to ${all.length}, not ${describe(segments)}`);
  }
  const size = Math.floor(all.length / segments);
  let x = input;
  for (let part = 0; part < segments - 1; part += 1) {
    const steps = all.slice(part * size, (part + 1) * size);
    x = checkpoint((h: Tensor) => steps.reduce((value, step) => step(value), h), x);
  }
  return all.slice((segments - 1) * size).reduce((value, step) => step(value), x);
}

registerEntries([checkpoint, checkpointSequential]);
