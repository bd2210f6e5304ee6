/** Gradients that are returned instead of accumulated. */
import { checkFlag, checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { grad as gradientOf } from '../func/transforms.js';
import { handles } from '../func/tree.js';
import { vmap } from '../func/vmap.js';
import { zerosLike } from '../generated/operations.js';
import { received } from '../tensor/callback.js';
import { handleOf, type Tensor } from '../tensor/tensor.js';

/** Options of {@link grad}. */
export interface GradOptions {
  /** The gradients of the outputs, for outputs of more than one element. */
  gradOutputs?: Tensor | readonly Tensor[];
  /** Keep the graph for another backward pass. */
  retainGraph?: boolean;
  /** Record the computation, so that the gradients can be differentiated. */
  createGraph?: boolean;
  /** Whether the outputs may not depend on an input, whose gradient is null then; default true. */
  allowUnused?: boolean;
  /** Zeros in place of null for an input on which no output depends. */
  materializeGrads?: boolean;
  /** Whether dimension 0 of `gradOutputs` counts gradients that are propagated as one batch. */
  isGradsBatched?: boolean;
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
export function grad<Args extends Tensor[]>(fn: (...args: Args) => Tensor): (...args: Args) => Args[0];
export function grad<Args extends unknown[]>(fn: (...args: Args) => Tensor): (...args: Args) => Args[0];
export function grad(outputs: unknown, inputs?: unknown, options: GradOptions = {}): unknown {
  if (typeof outputs === 'function') return gradientOf(outputs as (...args: unknown[]) => Tensor);
  return gradients(outputs, inputs, options);
}

const OPTIONS = ['gradOutputs', 'retainGraph', 'createGraph', 'allowUnused', 'materializeGrads', 'isGradsBatched'] as const;

function gradients(outputs: unknown, inputs: unknown, options: GradOptions): (Tensor | null)[] {
  const { gradOutputs = [], allowUnused = true, ...flags } = checkOptions('grad', options, OPTIONS);
  const flag = (name: 'retainGraph' | 'createGraph' | 'materializeGrads' | 'isGradsBatched') => checkFlag('grad', name, flags[name]);
  const [retain, create, materialize] = [flag('retainGraph'), flag('createGraph'), flag('materializeGrads')];
  const handlesOf = (name: string, tensors: unknown) => {
    const list: unknown[] = Array.isArray(tensors) ? tensors : [tensors];
    return Uint32Array.from(list, (tensor) => handleOf('grad', name, tensor));
  };
  const [ends, starts, seeds] = [handlesOf('outputs', outputs), handlesOf('inputs', inputs), handlesOf('gradOutputs', gradOutputs)];
  const propagate = (seeds: Uint32Array, retainAll: boolean): (Tensor | null)[] =>
    received(enter((wasm) => wasm.gradOf(ends, starts, seeds, retainAll, create)));
  const found = flag('isGradsBatched') ? propagateBatch(gradOutputs, starts.length, (seeds) => propagate(seeds, true)) : propagate(seeds, retain);
  return found.map((gradient, index) => {
    if (gradient !== null) return gradient;
    if (materialize) return zerosLike(([inputs].flat() as Tensor[])[index]!);
    if (allowUnused) return null;
    throw new LanthornError('autograd', 'grad', `no output depends on input ${index}; allowUnused: true returns null for it`);
  });
}

/** The gradients of many `gradOutputs`, with null for inputs without one. */
function propagateBatch(gradOutputs: Tensor | readonly Tensor[], count: number, propagate: (seeds: Uint32Array) => (Tensor | null)[]): (Tensor | null)[] {
  const isFound: boolean[] = [];
  const all = vmap((...seeds: Tensor[]) => {
    const found = propagate(handles(seeds));
    isFound.push(...found.map((gradient) => gradient !== null));
    return found.filter((gradient) => gradient !== null);
  })(...([gradOutputs].flat() as Tensor[]));
  return Array.from({ length: count }, (_, index) => (isFound[index] ? all.shift()! : null));
}

registerEntries([grad]);
