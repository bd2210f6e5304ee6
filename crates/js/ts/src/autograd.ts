/** Gradients without the leaves' `grad`, and code that records no graph. */
import { enter } from './runtime.js';
import { Tensor } from './tensor.js';

/**
 * Runs `fn` without recording a graph, as `torch.no_grad`. `fn` must not be async: what runs while it waits would not be recorded
 * either.
 */
export function noGrad<T>(fn: () => T): T {
  const before = enter((wasm) => wasm.setGradEnabled(false));
  try {
    return fn();
  } finally {
    enter((wasm) => wasm.setGradEnabled(before));
  }
}

/** How {@link grad} treats the graph. */
export interface GradOptions {
  /** The gradients of the outputs, for those of more than one element. */
  gradOutputs?: readonly Tensor[];
  /** Keep the graph for another backward. */
  retainGraph?: boolean;
  /** Record the computation, so that the gradients can be differentiated. */
  createGraph?: boolean;
}

/**
 * The gradients of `outputs` with respect to `inputs`, as `torch.autograd.grad`; null where there is none.
 *
 * @example
 * const [first] = grad([y], [x], { createGraph: true });
 * const [second] = grad([first], [x]);
 */
export function grad(outputs: readonly Tensor[], inputs: readonly Tensor[], options: GradOptions = {}): (Tensor | null)[] {
  const { gradOutputs = [], retainGraph = false, createGraph = false } = options;
  const handles = (tensors: readonly Tensor[]) => Uint32Array.from(tensors, (tensor) => tensor.handle);
  const found = enter((wasm) => wasm.gradOf(handles(outputs), handles(inputs), handles(gradOutputs), retainGraph, createGraph));
  return Array.from(found, (handle) => (handle === 0 ? null : Tensor.fromHandle(handle)));
}
