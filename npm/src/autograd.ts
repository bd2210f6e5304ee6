/** Gradients that are returned instead of accumulated, and code without a graph. */
import { checkFlag, checkFunction, checkOptions } from './check.js';
import { LanthornError } from './errors.js';
import { enter } from './runtime.js';
import { handleOf, Tensor } from './tensor.js';

/**
 * Runs `fn` without recording a graph, as `torch.no_grad`. `fn` must not be async, because other
 * code that runs while it waits would not be recorded either.
 */
export function noGrad<T>(fn: () => T): T {
  checkFunction('noGrad', fn);
  const before = enter((wasm) => wasm.setGradEnabled(false));
  try {
    const result = fn();
    if (result instanceof Promise) throw new LanthornError('argument', 'noGrad', 'the function must not be async; await outside of noGrad');
    return result;
  } finally {
    enter((wasm) => wasm.setGradEnabled(before));
  }
}

/** Options of {@link grad}. */
export interface GradOptions {
  /** The gradients of the outputs, for outputs of more than one element. */
  gradOutputs?: readonly Tensor[];
  /** Keep the graph for another backward pass. */
  retainGraph?: boolean;
  /** Record the computation, so that the gradients can be differentiated. */
  createGraph?: boolean;
}

/**
 * The gradients of `outputs` with respect to `inputs`, as `torch.autograd.grad`; null where there
 * is none.
 *
 * @example
 * const [first] = grad([y], [x], { createGraph: true });
 * const [second] = grad([first], [x]);
 */
export function grad(outputs: readonly Tensor[], inputs: readonly Tensor[], options: GradOptions = {}): (Tensor | null)[] {
  const { gradOutputs = [], retainGraph, createGraph } = checkOptions('grad', options, ['gradOutputs', 'retainGraph', 'createGraph']);
  const [retain, create] = [checkFlag('grad', 'retainGraph', retainGraph), checkFlag('grad', 'createGraph', createGraph)];
  const handles = (name: string, tensors: readonly Tensor[]) => {
    if (!Array.isArray(tensors)) throw new LanthornError('argument', 'grad', `the argument ${name} takes an array of tensors`);
    return Uint32Array.from(tensors, (tensor) => handleOf('grad', name, tensor));
  };
  const [ends, starts, seeds] = [handles('outputs', outputs), handles('inputs', inputs), handles('gradOutputs', gradOutputs)];
  const found = enter((wasm) => wasm.gradOf(ends, starts, seeds, retain, create));
  return Array.from(found, (handle) => (handle === 0 ? null : Tensor.fromHandle(handle)));
}
