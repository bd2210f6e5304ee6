/** Element types. float64 is on the CPU only. */
export type DType = 'float32' | 'float64' | 'int32' | 'uint8' | 'bool';

/** A number given to an operation; a whole one counts as an integer in type promotion. */
export type Scalar = number | boolean;

/** Numbers nested to any depth, every row as long as its neighbours. */
export type NestedArray = number | boolean | readonly NestedArray[];

/** What the elements of a tensor arrive in. */
export type TypedArray = Float32Array | Float64Array | Int32Array | Uint8Array;
