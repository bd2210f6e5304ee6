import type { Tensor } from '../tensor/tensor.js';

/**
 * Element types. float64 and int64 exist on the CPU only. float16 and bfloat16 are computed in
 * float32, and rounded where an operation stores its result.
 */
export type DType = 'float32' | 'float64' | 'float16' | 'bfloat16' | 'int32' | 'int64' | 'uint8' | 'bool';

/** A number passed to an operation; a whole number counts as an integer in type promotion. */
export type Scalar = number | boolean;

/** A tensor, or an array of numbers that one is made of. */
export type TensorLike = Tensor | ArrayBufferView | readonly NestedArray[];

/** Numbers nested to any depth, with rows of equal length. */
export type NestedArray = number | boolean | readonly NestedArray[];

/**
 * The array type of a tensor's elements. bfloat16 is read as a `Float32Array`, and so is float16
 * where the runtime has no `Float16Array`. int64 is read as a `BigInt64Array`, which is not in this
 * type, so that the others are arrays of numbers: `data<BigInt64Array>()`.
 */
export type TypedArray = Float32Array | Float64Array | Int32Array | Uint8Array;
