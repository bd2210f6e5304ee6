/** The types of elements, and of numbers and arrays that tensors are made of. */

/**
 * Element types. float64 and int64 exist on the CPU only. float16 and bfloat16 are computed in
 * float32, and rounded where an operation stores its result.
 */
export type DType = 'float32' | 'float64' | 'float16' | 'bfloat16' | 'int32' | 'int64' | 'uint8' | 'bool';

/** A number passed to an operation; a whole number counts as an integer in type promotion. */
export type Scalar = number | boolean;

/** Numbers nested to any depth, with rows of equal length. */
export type NestedArray = number | boolean | readonly NestedArray[];

/** An item of an array of elements. The last level of nested arrays may be typed arrays. */
export type NestedItem = NestedArray | ArrayBufferView | readonly NestedItem[];

/** The arrays of numbers that elements are read into, and tensors are made of. */
export type TypedArray = Float32Array | Float64Array | Int32Array | Uint8Array;

/**
 * The array of a tensor's elements, by their type. float16 is a `Float16Array` where the runtime has
 * that class.
 */
export interface Elements {
  float32: Float32Array;
  float64: Float64Array;
  float16: Float32Array;
  bfloat16: Float32Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  bool: Uint8Array;
}

/**
 * The array of the elements of a type. A type that the compiler does not know is taken for a type of
 * numbers; the array of an int64 tensor is then a `BigInt64Array` all the same.
 */
export type ElementsOf<D extends DType = DType> = DType extends D ? TypedArray : Elements[D];

/**
 * A tensor whose type of elements the compiler knows: `zeros(3, { dtype: int64 })` and `x.long()` are
 * a `Typed<'int64'> & Tensor`, and their data is a `BigInt64Array`.
 */
export interface Typed<D extends DType> {
  /** The element type. */
  readonly dtype: D;
  /** The elements, once they are computed. */
  data(): Promise<ElementsOf<D>>;
  /** The elements without waiting; on the CPU only. */
  dataSync(): ElementsOf<D>;
}
