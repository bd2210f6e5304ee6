/** The keys and values of the tokens that a model has seen. */
import { checkOptions } from '../core/check.js';
import { dispose } from '../core/dispose-symbol.js';
import { LanthornError } from '../core/errors.js';
import { zeros } from '../generated/operations.js';
import { scope } from '../tensor/scope.js';
import type { Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';
import type { DecoderConfig } from './config.js';

/** The tensors of a cache, which a compiled function takes as arguments. */
export interface CacheTensors {
  /** By layer: `[batch, kvHeads, slots, headDim]`. */
  keys: Tensor[];
  values: Tensor[];
  /** The number of tokens of each row, int32 `[batch]`. */
  position: Tensor;
}

/** Options of {@link KVCache}. */
export interface CacheOptions {
  /** The number of rows (default: 1). */
  batch?: number;
  /** The most tokens of a row (default: those that the model was made for). */
  capacity?: number;
  /** The type of the elements (default: float32). */
  dtype?: DType;
}

/** Slots are allocated in multiples of this, so that rows of scores are loaded as vectors. */
const SLOT_MULTIPLE = 8;

/**
 * The keys and values of the tokens so far, for every layer and row. All memory is allocated at once,
 * and the position of the next token is data: no plan or buffer depends on it.
 *
 * @example
 * const cache = new KVCache(model.config, { capacity: 512 });
 * const logits = model.call(ids, { cache });
 * cache.dispose();
 */
export class KVCache {
  /** The number of rows. */
  readonly batch: number;
  /** The most tokens of a row. */
  readonly capacity: number;
  /** @internal */
  readonly tensors: CacheTensors;
  #lengths: number[];

  constructor(config: DecoderConfig, options: CacheOptions = {}) {
    const { batch = 1, capacity = config.maxPositions, dtype = 'float32' } = checkOptions('KVCache', options, ['batch', 'capacity', 'dtype']);
    for (const [name, value] of Object.entries({ batch, capacity })) {
      if (!Number.isInteger(value) || value < 1) throw new LanthornError('argument', 'KVCache', `${name} takes a positive integer, not ${String(value)}`);
    }
    if (capacity > config.maxPositions && config.ropes.length === 0) {
      throw new LanthornError('argument', 'KVCache', `the model has ${config.maxPositions} learned positions, fewer than a capacity of ${capacity}`);
    }
    const slots = Math.ceil(capacity / SLOT_MULTIPLE) * SLOT_MULTIPLE;
    const make = () => config.layers.map(() => zeros([batch, config.kvHeads, slots, config.headDim], { dtype }));
    this.batch = batch;
    this.capacity = capacity;
    // Within a scope of the program the cache is the program's to keep.
    this.tensors = scope(() => ({ keys: make(), values: make(), position: zeros([batch], { dtype: 'int32' }) }));
    this.#lengths = Array.from({ length: batch }, () => 0);
  }

  /** The number of tokens of each row. */
  get lengths(): readonly number[] {
    return this.#lengths;
  }

  /** @internal Refuses tokens that do not fit, before anything is changed. */
  check(op: string, counts: readonly number[]): void {
    if (this.tensors.position.isDisposed) throw new LanthornError('disposed', op, 'the cache was disposed of');
    if (counts.length !== this.batch) throw new LanthornError('shape', op, `the cache has ${this.batch} rows, the ids have ${counts.length}`);
    counts.forEach((count, row) => {
      const length = this.#lengths[row]! + count;
      if (length > this.capacity) {
        throw new LanthornError('limit', op, `row ${row} would have ${length} tokens, and the cache holds ${this.capacity}; make it with a larger capacity`);
      }
    });
  }

  /** @internal Counts tokens that were written. */
  advance(counts: readonly number[]): void {
    this.#lengths = this.#lengths.map((length, row) => length + counts[row]!);
  }

  /**
   * Forgets the tokens of each row behind its first `length`; the memory is kept.
   *
   * @throws a LanthornError of kind `argument`, if `length` is not an integer from 0.
   */
  crop(length: number): void {
    if (!Number.isInteger(length) || length < 0) throw new LanthornError('argument', 'KVCache', `crop takes an integer from 0, not ${String(length)}`);
    if (this.#lengths.every((own) => own <= length)) return;
    this.#lengths = this.#lengths.map((own) => Math.min(own, length));
    this.tensors.position.clamp_(null, length);
  }

  /** Forgets all tokens; the memory is kept. */
  reset(): void {
    this.tensors.position.zero_();
    this.#lengths = this.#lengths.map(() => 0);
  }

  /** Frees the memory. */
  dispose(): void {
    const { keys, values, position } = this.tensors;
    for (const tensor of [...keys, ...values, position]) tensor.dispose();
  }

  /** As {@link KVCache.dispose}. */
  [dispose](): void {
    this.dispose();
  }
}
