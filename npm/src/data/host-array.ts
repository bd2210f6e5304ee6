/**
 * Arrays on the host: samples and batches consist of them until they become tensors. They can be
 * sent to another thread.
 */
import { LanthornError } from '../core/errors.js';
import type { DType, TypedArray } from '../core/types.js';

const TYPES = [[Float32Array, 'float32'], [Float64Array, 'float64'], [Int32Array, 'int32'], [Uint8Array, 'uint8']] as const;

/** The element type of a typed array. */
export function dtypeOf(op: string, data: unknown): DType {
  const known = TYPES.find(([type]) => data instanceof type);
  if (!known) throw new LanthornError('dtype', op, 'takes a Float32Array, Float64Array, Int32Array or Uint8Array');
  return known[1];
}

/**
 * An array in row-major order.
 *
 * @example
 * new HostArray(new Uint8Array(3 * 32 * 32), [3, 32, 32]);
 */
export class HostArray<T extends TypedArray = TypedArray> {
  /** The elements. */
  readonly data: T;
  /** The sizes; `[]` for a single number. */
  readonly shape: readonly number[];
  /** The element type; `bool` is stored in a `Uint8Array`. */
  readonly dtype: DType;

  /**
   * The product of `shape` must be the number of elements of `data`; the default is one dimension.
   */
  constructor(data: T, shape: readonly number[] = [data.length], dtype: DType = dtypeOf('HostArray', data)) {
    const elements = shape.reduce((product, size) => product * size, 1);
    if (elements !== data.length || shape.some((size) => !Number.isInteger(size) || size < 0)) {
      throw new LanthornError('shape', 'HostArray', `shape [${shape.join(', ')}] does not fit ${data.length} elements`);
    }
    this.data = data;
    this.shape = shape;
    this.dtype = dtype;
  }

  /** `array[index]`: the subarray at this index of the first dimension, sharing memory. */
  row(index: number): HostArray<T> {
    const [count, ...shape] = this.shape;
    if (count === undefined) throw new LanthornError('shape', 'HostArray', 'a single number has no rows');
    if (!Number.isInteger(index) || index < 0 || index >= count) {
      throw new LanthornError('index', 'HostArray', `index ${index} is out of range for ${count} rows`);
    }
    const size = this.data.length / count;
    return new HostArray(this.data.subarray(index * size, (index + 1) * size) as T, shape, this.dtype);
  }
}

/**
 * The arrays stacked along a new first dimension, as `torch.stack` does. All must have the same
 * shape and type.
 */
export function stack(arrays: readonly HostArray[]): HostArray {
  const [first] = arrays;
  if (!first) throw new LanthornError('shape', 'stack', 'there is nothing to stack');
  const data = new (first.data.constructor as new (length: number) => TypedArray)(first.data.length * arrays.length);
  for (const [place, { data: part, shape, dtype }] of arrays.entries()) {
    if (shape.length !== first.shape.length || shape.some((size, d) => size !== first.shape[d])) {
      throw new LanthornError('shape', 'stack', `arrays must have one shape: [${first.shape.join(', ')}] at 0, [${shape.join(', ')}] at ${place}`);
    }
    if (dtype !== first.dtype) throw new LanthornError('dtype', 'stack', `arrays must have one type: ${first.dtype} at 0, ${dtype} at ${place}`);
    data.set(part, place * first.data.length);
  }
  return new HostArray(data, [arrays.length, ...first.shape], first.dtype);
}
