/** Tensors from JavaScript data. */
import { checkFlag, checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { stack } from '../generated/operations.js';
import { pictureOf } from './picture.js';
import { isPixelSource, type PixelSource } from './planes.js';
import { registerEntries } from '../core/stack.js';
import { Tensor } from './tensor.js';
import type { DType, NestedItem, Typed, TypedArray } from '../core/types.js';
import { upload } from './upload.js';

/** Options of {@link tensor}. */
export interface TensorOptions<D extends DType = DType> {
  /** The sizes, for flat data. */
  shape?: readonly number[];
  /**
   * The element type (default: the type of a typed array, bool for booleans, otherwise the type of
   * `getDefaultDtype`).
   */
  dtype?: D;
  /** Whether the tensor requires a gradient. */
  requiresGrad?: boolean;
}

/** An array on the host with its shape and type: a `HostArray` of `lanthorn/data`. */
export interface ShapedArray {
  readonly data: TypedArray;
  readonly shape: readonly number[];
  readonly dtype: DType;
}

/** What {@link tensor} takes. */
type Data = NestedItem | readonly Tensor[] | PixelSource | ShapedArray;

function isHostArray(data: unknown): data is ShapedArray {
  const { data: elements, shape, dtype } = (data ?? {}) as Partial<ShapedArray>;
  return ArrayBuffer.isView(elements) && Array.isArray(shape) && typeof dtype === 'string';
}

/**
 * A tensor from nested arrays, a typed array or an array of typed arrays, a number, or an array of
 * tensors of one shape, whose elements are copied outside of the graph; {@link stack} keeps them in
 * it. A picture becomes its bytes, as `fromPixels`, and a `HostArray` its elements in its shape.
 *
 * @example
 * tensor([[1, 2], [3, 4]]);
 * tensor(new Int32Array([3, 1]));
 * tensor(pixels, { shape: [28, 28] });
 */
export function tensor<D extends DType = DType>(data: Data, options?: TensorOptions<D>): Typed<D> & Tensor;
export function tensor(data: Data, options: TensorOptions = {}): Tensor {
  if (data instanceof Tensor || (Array.isArray(data) && data.some((item) => item instanceof Tensor))) return fromTensors(data, options);
  if (isHostArray(data)) return tensor(data.data, { shape: data.shape, dtype: data.dtype, ...options });
  if (isPixelSource(data)) return fromTensors(pictureOf('tensor', data, 'rgb'), options);
  const { shape, dtype, requiresGrad } = checkOptions('tensor', options, ['shape', 'dtype', 'requiresGrad']);
  const made = Tensor.fromCore(upload(data as NestedItem, shape, dtype));
  return checkFlag('tensor', 'requiresGrad', requiresGrad) ? made.requiresGrad_() : made;
}

/** A copy of a tensor, or of several in an array. */
function fromTensors(data: Tensor | readonly unknown[], options: TensorOptions): Tensor {
  const { shape, dtype, requiresGrad } = checkOptions('tensor', options, ['shape', 'dtype', 'requiresGrad']);
  const list: readonly unknown[] = Array.isArray(data) ? data : [data];
  const odd = list.findIndex((item) => !(item instanceof Tensor));
  if (odd >= 0) throw new LanthornError('argument', 'tensor', `data[${odd}] is ${describe(list[odd])}, where other items are tensors`);
  const stacked = (data instanceof Tensor ? data : stack(list as Tensor[])).detach();
  const converted = dtype ? stacked.to(dtype) : stacked;
  const made = (shape ? converted.reshape(shape) : converted).clone();
  return checkFlag('tensor', 'requiresGrad', requiresGrad) ? made.requiresGrad_() : made;
}

registerEntries([tensor]);
