/** Gradients that are returned instead of accumulated. */
import { checkFlag, checkOptions } from '../core/check.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { grad as gradientOf } from '../func/transforms.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

/** Options of {@link grad}. */
export interface GradOptions {
  /** The gradients of the outputs, for outputs of more than one element. */
  gradOutputs?: Tensor | readonly Tensor[];
  /** Keep the graph for another backward pass. */
  retainGraph?: boolean;
  /** Record the computation, so that the gradients can be differentiated. */
  createGraph?: boolean;
}

/**
 * The gradients of `outputs` with respect to `inputs`, as `torch.autograd.grad`: an array with an
 * item for each input, null where there is none.
 *
 * @example
 * const [first] = grad(y, x, { createGraph: true });
 * const [second] = grad(first!, x);
 */
export function grad(outputs: Tensor | readonly Tensor[], inputs: Tensor | readonly Tensor[], options?: GradOptions): (Tensor | null)[];
/**
 * The gradient of a function, as a function of the same arguments: `func.grad`.
 *
 * @example
 * const slope = grad((x) => x.pow(3).sum());
 * await slope(tensor([2])).tolist(); // [12]
 */
export function grad<Args extends unknown[]>(fn: (...args: Args) => Tensor): (...args: Args) => Args[0];
export function grad(outputs: unknown, inputs?: unknown, options: GradOptions = {}): unknown {
  if (typeof outputs === 'function') return gradientOf(outputs as (...args: unknown[]) => Tensor);
  return gradients(outputs, inputs, options);
}

function gradients(outputs: unknown, inputs: unknown, options: GradOptions): (Tensor | null)[] {
  const { gradOutputs = [], retainGraph, createGraph } = checkOptions('grad', options, ['gradOutputs', 'retainGraph', 'createGraph']);
  const [retain, create] = [checkFlag('grad', 'retainGraph', retainGraph), checkFlag('grad', 'createGraph', createGraph)];
  const handles = (name: string, tensors: unknown) => {
    const list: unknown[] = Array.isArray(tensors) ? tensors : [tensors];
    return Uint32Array.from(list, (tensor) => handleOf('grad', name, tensor));
  };
  const [ends, starts, seeds] = [handles('outputs', outputs), handles('inputs', inputs), handles('gradOutputs', gradOutputs)];
  const found = enter((wasm) => wasm.gradOf(ends, starts, seeds, retain, create));
  return Array.from(found, (handle) => (handle === 0 ? null : Tensor.fromCore(handle)));
}

registerEntries([grad]);
