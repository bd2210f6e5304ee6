/** Attention over keys of which the last are the queries' own, or over a cache. */
import { full, scaledDotProductAttention } from '../generated/operations.js';
import type { Tensor } from '../tensor/tensor.js';

/** Options of {@link attend}. */
export interface AttendOptions {
  /**
   * The number of valid keys of each row, int32 `[batch]`, queries included: query `i` of `L` sees the
   * keys `0..=keyLengths - L + i`. Without it all keys are valid.
   */
  keyLengths?: Tensor | null;
  /** The number of the last keys that a query sees, its own included; null for all. */
  window?: number | null;
  /** The bound of scores: `softCap * tanh(score / softCap)`. */
  softCap?: number | null;
  /** The factor of scores. */
  scale: number;
}

/**
 * Causal attention of `query: [batch, heads, L, headDim]` to `key` and `value: [batch, kvHeads, S, headDim]`;
 * neighbouring query heads share a key head.
 */
export function attend(query: Tensor, key: Tensor, value: Tensor, options: AttendOptions): Tensor {
  const { keyLengths = null, window = null, softCap = null, scale } = options;
  const [length, keys] = [query.shape[2]!, key.shape[2]!];
  // All keys are valid, and the queries are the last of them.
  const lengths = keyLengths ?? (length === keys ? null : full([1], keys, { dtype: 'int32' }));
  return scaledDotProductAttention(query, key, value, { isCausal: true, scale, enableGqa: true, keyLengths: lengths, window, softCap });
}
