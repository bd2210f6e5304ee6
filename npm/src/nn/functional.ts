/**
 * The functions of `torch.nn.functional`: `nn.functional.relu(x)`. Those here have another order of
 * arguments than the operations of the same name.
 */
import { gather } from '../tensor/arguments.js';
import { callAs } from '../tensor/call.js';
import { checkFlag } from '../core/check.js';
import * as operations from '../generated/operations.js';
import { specOf } from '../tensor/spec.js';
import { registerEntries } from '../core/stack.js';
import type { Tensor, TensorLike } from '../tensor/tensor.js';

export * from '../generated/functional.js';
export { tripletMarginWithDistanceLoss } from '../tensor/functional.js';

/** The rows of `weight` that the indices `input` name; see {@link operations.embedding}. */
export function embedding(
  input: TensorLike,
  weight: TensorLike,
  options?: Parameters<typeof operations.embedding>[2],
): Tensor {
  return operations.embedding(weight, input, options);
}

/** The options of {@link embeddingBag}, with the beginning of each bag where `input` is a vector. */
export type EmbeddingBagOptions = Extract<Parameters<typeof operations.embeddingBag>[2], { offsets?: unknown }>;

/** Sums, means or maxima of rows of `weight`; see {@link operations.embeddingBag}. */
export function embeddingBag(input: TensorLike, weight: TensorLike, options?: EmbeddingBagOptions): Tensor {
  return operations.embeddingBag(weight, input, options);
}

const DROPOUT = specOf('dropout input p training inplace');

/**
 * Sets elements to 0 with probability `p` and scales the others by `1 / (1 - p)`, while `training`;
 * with `inplace`, of the input itself.
 */
export function dropout(input: TensorLike, p?: number, training?: boolean, inplace?: boolean): Tensor;
export function dropout(input: TensorLike, options?: { p?: number; training?: boolean; inplace?: boolean }): Tensor;
export function dropout(...args: unknown[]): Tensor {
  const [input, p, training, inplace] = gather(DROPOUT, args);
  const method = (checkFlag('dropout', 'inplace', inplace) ? operations.dropout_ : operations.dropout) as (...args: unknown[]) => Tensor;
  return method(input, p, training);
}

const UNFOLD = specOf('unfold input kernelSize dilation padding stride');

/** The options of {@link unfold}. */
export interface UnfoldOptions {
  dilation?: number | readonly number[];
  padding?: number | readonly number[];
  stride?: number | readonly number[];
}

/**
 * The sliding blocks of images `[N, C, H, W]` as columns `[N, C * kernel, blocks]`;
 * {@link operations.unfold}, which takes a dimension, is `Tensor.unfold`.
 */
export function unfold(input: TensorLike, kernelSize: number | readonly number[], options?: UnfoldOptions): Tensor;
export function unfold(
  input: TensorLike, kernelSize: number | readonly number[],
  dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[],
): Tensor;
export function unfold(...args: unknown[]): Tensor {
  const [input, ...others] = gather(UNFOLD, args);
  return callAs('unfold', 'im2col', () => (operations.im2col as (...args: unknown[]) => Tensor)(input, ...others));
}

registerEntries([dropout, unfold]);
