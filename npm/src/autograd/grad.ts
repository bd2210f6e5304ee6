/** Gradients that are returned instead of accumulated, and code without a graph. */
import { checkFlag, checkFunction, checkOptions, describe } from '../core/check.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { zerosLike } from '../generated/operations.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

/** Whether operations are recorded for gradients, as `torch.is_grad_enabled`. */
export function isGradEnabled(): boolean {
  return enter((wasm) => wasm.isGradEnabled());
}

/** A mode that ends when it is disposed of. */
export interface GradMode {
  /** Restores the mode before. */
  restore(): void;
  [dispose](): void;
}

/**
 * Sets whether operations are recorded for gradients, as `torch.set_grad_enabled`, until it is set
 * again. It holds across every `await`, for all code that runs meanwhile.
 *
 * @example
 * const mode = setGradEnabled(false);
 * try {
 *   for await (const [x, y] of loader) correct += await net.call(x).argmax(1).eq(y).sum().item();
 * } finally {
 *   mode.restore();
 * }
 */
export function setGradEnabled(enabled: boolean): GradMode {
  if (typeof enabled !== 'boolean') {
    throw new LanthornError('argument', 'setGradEnabled', `takes true or false, not ${describe(enabled)}`);
  }
  const before = enter((wasm) => wasm.setGradEnabled(enabled));
  const restore = (): void => void enter((wasm) => wasm.setGradEnabled(before));
  return { restore, [dispose]: restore };
}

/** Runs `fn` in a mode. */
function runIn<T>(op: string, enabled: boolean, fn: () => T): T {
  checkFunction(op, fn);
  const mode = setGradEnabled(enabled);
  try {
    const result = fn();
    if (result instanceof Promise) {
      result.catch(() => {});
      const instead = `use const mode = setGradEnabled(${enabled}), which holds across await until mode.restore()`;
      throw new LanthornError('argument', op, `the function must not be async; await outside of ${op}, or ${instead}`);
    }
    return result;
  } finally {
    mode.restore();
  }
}

/**
 * Runs `fn` without recording a graph, as `torch.no_grad`. `fn` must not be async, because other
 * code that runs while it waits would not be recorded either; {@link setGradEnabled} is for that.
 */
export function noGrad<T>(fn: () => T): T {
  return runIn('noGrad', false, fn);
}

/** Runs `fn` and records a graph, as `torch.enable_grad`, also inside of {@link noGrad}. */
export function enableGrad<T>(fn: () => T): T {
  return runIn('enableGrad', true, fn);
}

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
 * The gradient of a function with respect to its first argument, as a function of the same
 * arguments, as `torch.func.grad`. The function returns one number.
 *
 * @example
 * const slope = grad((x) => x.pow(3).sum());
 * await slope(tensor([2])).tolist(); // [12]
 */
export function grad<Rest extends unknown[]>(fn: (x: Tensor, ...rest: Rest) => Tensor): (x: Tensor, ...rest: Rest) => Tensor;
export function grad(outputs: unknown, inputs?: unknown, options: GradOptions = {}): unknown {
  if (typeof outputs === 'function') return gradientOf(outputs as (x: Tensor, ...rest: unknown[]) => Tensor);
  return gradients(outputs, inputs, options);
}

function gradientOf(fn: (x: Tensor, ...rest: unknown[]) => Tensor): (x: Tensor, ...rest: unknown[]) => Tensor {
  return (x, ...rest) => enableGrad(() => {
    handleOf('grad', 'x', x);
    // A view, so that derivatives of higher order pass through it.
    const input = x.requiresGrad ? x.reshape(x.shape) : x.detach().requiresGrad_();
    const output: unknown = fn(input, ...rest);
    handleOf('grad', "the function's result", output);
    return gradients([output], [input], { createGraph: x.requiresGrad })[0] ?? zerosLike(x);
  });
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
