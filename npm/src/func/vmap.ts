/** A function of one sample as a function of many. */
import { checkFunction, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { enter } from '../core/runtime.js';
import { registerEntries } from '../core/stack.js';
import { cat } from '../generated/operations.js';
import { Tensor } from '../tensor/tensor.js';
import { broadcastPrefix, checkSync, flatten, handles, tensorsOf } from './tree.js';

/**
 * The dimension of the samples, or null where all samples share a tensor; or a list or record of
 * these.
 */
export type Dims = number | null | readonly Dims[] | { readonly [name: string]: Dims };

/** Options of {@link vmap}. */
export interface VmapOptions {
  /**
   * The dimension of the samples: a number for all arguments, or a list with an entry for each
   * argument; null for an argument that all samples share. Default 0.
   */
  inDims?: Dims;
  /** The dimension of the samples in the results, as `inDims`; default 0. */
  outDims?: Dims;
  /** What random operations do: fail (default), draw different numbers for samples, or the same. */
  randomness?: 'error' | 'different' | 'same';
  /** The largest number of samples that are computed together. */
  chunkSize?: number;
}

const RANDOMNESS = ['error', 'different', 'same'] as const;

function dimOf(op: string, name: string, value: unknown): number {
  if (value === null) return NaN;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongArgument(op, name, 'a whole number or null', describe(value));
  return value;
}

/**
 * A function of one sample as a function of many, as `torch.func.vmap`: the operations run once,
 * over all samples. Within the function a tensor has the shape of one sample, and cannot be read.
 * Arguments and results are tensors, or lists and records of tensors.
 *
 * @example
 * const dot = func.vmap((a, b) => a.matmul(b));
 * dot(randn(100, 8), randn(100, 8)).shape; // [100]
 * // The gradient for each sample, with a weight that all samples share.
 * const square = (w, x) => w.matmul(x).square();
 * const gradients = func.vmap(func.grad(square), { inDims: [null, 0] })(randn(8), randn(100, 8));
 */
export function vmap<Args extends Tensor[], Out>(fn: (...args: Args) => Out, options?: VmapOptions): (...args: Args) => Out;
export function vmap<Args extends unknown[], Out>(fn: (...args: Args) => Out, options?: VmapOptions): (...args: Args) => Out;
export function vmap<Args extends unknown[], Out>(fn: (...args: Args) => Out, options: VmapOptions = {}): (...args: Args) => Out {
  checkFunction('vmap', fn);
  const { inDims = 0, outDims = 0, randomness = 'error', chunkSize } = checkOptions('vmap', options, ['inDims', 'outDims', 'randomness', 'chunkSize']);
  const mode = RANDOMNESS.indexOf(randomness);
  if (mode < 0) throw wrongArgument('vmap', 'randomness', RANDOMNESS.join(', '), describe(randomness));
  if (chunkSize !== undefined && !(Number.isInteger(chunkSize) && chunkSize >= 1)) throw wrongArgument('vmap', 'chunkSize', 'a whole number of at least 1', describe(chunkSize));
  return (...args) => {
    const inputs = flatten('vmap', 'the arguments', args, false);
    const dims = broadcastPrefix('vmap', 'inDims', inDims, args).map((dim) => dimOf('vmap', 'inDims', dim));
    const run = (tensors: readonly Tensor[]): Out => runOver(fn, tensors, dims, outDims, mode, (leaves) => inputs.rebuild(leaves) as Args);
    const first = dims.findIndex((dim) => !Number.isNaN(dim));
    const size = inputs.tensors[first]?.shape.at(dims[first]!) ?? 0;
    if (chunkSize === undefined || size <= chunkSize) return run(inputs.tensors);
    const chunks: Out[] = [];
    for (let start = 0; start < size; start += chunkSize) {
      const part = (tensor: Tensor, at: number): Tensor => Number.isNaN(dims[at]!) ? tensor : tensor.slice(dims[at]!, start, start + chunkSize);
      chunks.push(run(inputs.tensors.map(part)));
    }
    const parts = chunks.map((chunk) => flatten('vmap', "the function's result", chunk, true));
    const along = broadcastPrefix('vmap', 'outDims', outDims, chunks[0]).map((dim) => dimOf('vmap', 'outDims', dim));
    const whole = parts[0]!.tensors.map((_, at) => cat(parts.map((part) => part.tensors[at]!), along[at]!));
    return parts[0]!.rebuild(whole) as Out;
  };
}

function runOver<Args extends unknown[], Out>(
  fn: (...args: Args) => Out, tensors: readonly Tensor[], dims: readonly number[], outDims: Dims, randomness: number, rebuild: (leaves: readonly Tensor[]) => Args,
): Out {
  const [handle, ...samples] = enter((wasm) => wasm.vmapStart(handles(tensors), Float64Array.from(dims), randomness));
  try {
    const returned = fn(...rebuild(samples.map((sample) => Tensor.fromCore(sample))));
    checkSync('vmap', returned);
    const out = flatten('vmap', "the function's result", returned, true);
    const along = broadcastPrefix('vmap', 'outDims', outDims, returned).map((dim) => {
      if (dim === null) throw new LanthornError('argument', 'vmap', 'outDims is the dimension of the samples in a result, not null');
      return dimOf('vmap', 'outDims', dim);
    });
    return out.rebuild(tensorsOf(enter((wasm) => wasm.vmapOutputs(handle!, handles(out.tensors), Float64Array.from(along))))) as Out;
  } finally {
    enter((wasm) => wasm.vmapEnd(handle!));
  }
}

registerEntries([vmap]);
