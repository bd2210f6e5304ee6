/**
 * The functions of `torch.nn.functional`: `nn.functional.relu(x)`. Those here have another order of
 * arguments than the operations of the same name.
 */
import * as operations from './operations.generated.js';
import type { Tensor } from './tensor.js';
import type { TensorLike } from './types.js';

export * from './functional.generated.js';
export { tripletMarginWithDistanceLoss } from './functional.js';

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
