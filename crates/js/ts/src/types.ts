/** Element types. float64 and int64 are on the CPU only. float16 and bfloat16 are computed with as float32, and rounded where an operation stores its result. */
export type DType = 'float32' | 'float64' | 'float16' | 'bfloat16' | 'int32' | 'int64' | 'uint8' | 'bool';

/** A number given to an operation; a whole one counts as an integer in type promotion. */
export type Scalar = number | boolean;

/** Numbers nested to any depth, every row as long as its neighbours. */
export type NestedArray = number | boolean | readonly NestedArray[];

/**
 * What the elements of a tensor arrive in. bfloat16 comes as a `Float32Array`, and so does float16 where the runtime has no `Float16Array`. int64 comes as a
 * `BigInt64Array`, which is not in this type, so that the others are arrays of numbers: `data<BigInt64Array>()`.
 */
export type TypedArray = Float32Array | Float64Array | Int32Array | Uint8Array;
