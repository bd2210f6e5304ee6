/**
 * The part of `lanthorn/vision` that each language writes itself; the counterpart of
 * `crates/vision/src/host`. The rest is printed from Rust.
 */
import type { DType } from '../core/types.js';
import { arange as range, full } from '../generated/operations.js';
import { tensor } from '../tensor/from-data.js';
import type { Tensor } from '../tensor/tensor.js';

export { Random } from './random.js';

const FLOATS: readonly DType[] = ['float16', 'bfloat16', 'float32', 'float64'];

/** Whether a type is floating point. */
export const isFloat = (dtype: DType): boolean => FLOATS.includes(dtype);

/** A floating-point tensor as it is, and any other in float32. */
export const toFloat = (x: Tensor): Tensor => (isFloat(x.dtype) ? x : x.to('float32'));

/** The floating-point type of computations with a tensor. */
const floatLike = (like: Tensor) => ({ dtype: isFloat(like.dtype) ? like.dtype : ('float32' as const) });

/** Numbers in the floating-point type of computations with `like`. */
export function floatTensor(values: readonly number[], shape: readonly number[], like: Tensor): Tensor {
  return tensor(Float32Array.from(values)).reshape([...shape]).to(floatLike(like).dtype);
}

/** Indices as a tensor of int32. */
export const indexTensor = (indices: readonly number[], _like: Tensor): Tensor => tensor(Int32Array.from(indices));

/** The numbers from 0 up to `end`, which is excluded, in a floating-point type. */
export const arange = (end: number, like: Tensor): Tensor => range(0, end, 1, floatLike(like));

/** Ones in a floating-point type. */
export const ones = (shape: readonly number[], like: Tensor): Tensor => full([...shape], 1, floatLike(like));

/** The elements of a tensor in float32, in order. */
export const readNumbers = async (x: Tensor): Promise<number[]> => Array.from(await x.to('float32').data(), Number);
