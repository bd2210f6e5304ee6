/** Functions on modules and their gradients, as `torch.nn.utils`. */
import { checkFlag, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { noGrad } from '../autograd/mode.js';
import { enter } from '../core/runtime.js';
import { cat } from '../generated/operations.js';
import { handleOf, Tensor } from '../tensor/tensor.js';

export { removeSpectralNorm, removeWeightNorm, spectralNorm, weightNorm } from './norms.js';
export * as parametrizations from './parametrizations.js';
export * as parametrize from './parametrize.js';
export * as prune from './prune.js';
export * as rnn from './rnn.js';

function handles(op: string, tensors: Iterable<Tensor> | Tensor): Uint32Array {
  const list = tensors instanceof Tensor ? [tensors] : tensors;
  if (typeof list?.[Symbol.iterator] !== 'function') throw new LanthornError('argument', op, `takes a list of tensors, not ${describe(tensors)}`);
  return Uint32Array.from([...list], (tensor) => handleOf(op, 'parameters', tensor));
}

function number(op: string, name: string, value: unknown): number {
  if (typeof value !== 'number') throw wrongArgument(op, name, 'a number', describe(value));
  return value;
}

/** Options of a norm. */
export interface NormOptions {
  /** The order of the norm, `Infinity` for the largest element; default 2 */
  normType?: number;
  /** Accepted as in PyTorch, without an effect: all gradients are one computation. */
  foreach?: boolean | null;
}

/** Options of a norm, or its order alone. */
const normOptions = <T extends NormOptions>(options: T | number): T => (typeof options === 'number' ? { normType: options } as T : options);

/** The norm of tensors as if they were one vector: a tensor without dimensions. */
export function getTotalNorm(tensors: Iterable<Tensor> | Tensor, options: number | NormOptions = {}): Tensor {
  const { normType = 2 } = checkOptions('getTotalNorm', normOptions(options), ['normType', 'foreach']);
  const [list, order] = [handles('getTotalNorm', tensors), number('getTotalNorm', 'normType', normType)];
  return Tensor.fromCore(enter((wasm) => wasm.getTotalNorm(list, order)));
}

/**
 * Scales the gradients so that their norm, as one vector, is at most `maxNorm`, and returns the
 * norm before, without waiting for it. With `errorIfNonfinite` it waits, and throws if the norm is
 * not finite.
 *
 * @example
 * loss.backward();
 * nn.utils.clipGradNorm_(net.parameters(), 1);
 * optimizer.step();
 */
export function clipGradNorm_(parameters: Iterable<Tensor> | Tensor, maxNorm: number, options?: number | (NormOptions & { errorIfNonfinite?: false })): Tensor;
export function clipGradNorm_(parameters: Iterable<Tensor> | Tensor, maxNorm: number, options: NormOptions & { errorIfNonfinite: true }): Promise<Tensor>;
export function clipGradNorm_(
  parameters: Iterable<Tensor> | Tensor, maxNorm: number, options: number | (NormOptions & { errorIfNonfinite?: boolean }) = {},
): Tensor | Promise<Tensor> {
  const op = 'clipGradNorm_';
  const { normType = 2, errorIfNonfinite } = checkOptions(op, normOptions(options), ['normType', 'errorIfNonfinite', 'foreach']);
  const [list, most, order] = [handles(op, parameters), number(op, 'maxNorm', maxNorm), number(op, 'normType', normType)];
  if (!checkFlag(op, 'errorIfNonfinite', errorIfNonfinite)) return Tensor.fromCore(enter((wasm) => wasm.clipGradNorm(list, most, order)));
  const grads = Array.isArray(parameters) || parameters instanceof Tensor ? parameters : [...parameters];
  return clipIfFinite(grads as readonly Tensor[] | Tensor, list, most, order);
}

async function clipIfFinite(parameters: readonly Tensor[] | Tensor, list: Uint32Array, most: number, order: number): Promise<Tensor> {
  const grads = (parameters instanceof Tensor ? [parameters] : parameters).map((parameter) => parameter.grad).filter((grad) => grad !== null);
  const norm = getTotalNorm(grads, { normType: order });
  if (!Number.isFinite(await norm.item())) {
    throw new LanthornError('argument', 'clipGradNorm_', `the norm of order ${order} of the gradients is not finite, so they cannot be clipped`);
  }
  enter((wasm) => wasm.clipGradsWithNorm(list, most, norm.coreHandle));
  return norm;
}

/** Scales the gradients by a known norm, from {@link getTotalNorm}. */
export function clipGradsWithNorm_(parameters: Iterable<Tensor> | Tensor, maxNorm: number, totalNorm: Tensor): void {
  const op = 'clipGradsWithNorm_';
  const [list, most, norm] = [handles(op, parameters), number(op, 'maxNorm', maxNorm), handleOf(op, 'totalNorm', totalNorm)];
  enter((wasm) => wasm.clipGradsWithNorm(list, most, norm));
}

/** Clamps every element of the gradients to the range from `-clipValue` to `clipValue`. */
export function clipGradValue_(parameters: Iterable<Tensor> | Tensor, clipValue: number): void {
  const [list, most] = [handles('clipGradValue_', parameters), number('clipGradValue_', 'clipValue', clipValue)];
  enter((wasm) => wasm.clipGradValue(list, most));
}

/**
 * All parameters as one vector, as `torch.nn.utils.parameters_to_vector`.
 *
 * @example
 * const vector = nn.utils.parametersToVector(net.parameters());
 */
export function parametersToVector(parameters: Iterable<Tensor>): Tensor {
  const list = parametersOf('parametersToVector', parameters);
  if (list.length === 0) throw new LanthornError('argument', 'parametersToVector', 'there are no parameters');
  return cat(list.map((parameter) => parameter.reshape(-1)));
}

/**
 * Sets parameters to the parts of a vector, as `torch.nn.utils.vector_to_parameters`.
 *
 * @example
 * const vector = nn.utils.parametersToVector(net.parameters());
 * nn.utils.vectorToParameters(vector.mul(0.5), net.parameters());
 */
export function vectorToParameters(vector: Tensor, parameters: Iterable<Tensor>): void {
  const op = 'vectorToParameters';
  handleOf(op, 'vector', vector);
  const list = parametersOf(op, parameters);
  const count = list.reduce((sum, { numel }) => sum + numel, 0);
  if (vector.ndim !== 1 || vector.numel !== count) {
    throw new LanthornError('shape', op, `the parameters have ${count} elements, the vector has shape [${vector.shape.join(', ')}]`);
  }
  noGrad(() => {
    let start = 0;
    for (const parameter of list) {
      parameter.copy_(vector.narrow(0, start, parameter.numel).reshape(parameter.shape));
      start += parameter.numel;
    }
  });
}

function parametersOf(op: string, parameters: Iterable<Tensor>): Tensor[] {
  if (typeof parameters?.[Symbol.iterator] !== 'function') throw new LanthornError('argument', op, `takes a list of tensors, not ${describe(parameters)}`);
  const list = [...parameters];
  list.forEach((parameter, index) => handleOf(op, `number ${index}`, parameter));
  return list;
}
