/** The layout of elements in bytes, and the arrays for reading them. */
import type { DType, ElementsOf, TypedArray } from '../core/types.js';

type View = new (buffer: ArrayBuffer, byteOffset: number, length: number) => TypedArray | Uint16Array | BigInt64Array;

/** `Float16Array`, which not every runtime or compiler library has. */
const Float16: View | undefined = (globalThis as { Float16Array?: View }).Float16Array;

/**
 * The array type for the bytes of each type, in the core's order of types; halves are read as bits
 * where there is no array type for them.
 */
export const VIEWS: { readonly [T in DType]: View } = {
  bool: Uint8Array, uint8: Uint8Array, int32: Int32Array, int64: BigInt64Array,
  float16: Float16 ?? Uint16Array, bfloat16: Uint16Array, float32: Float32Array, float64: Float64Array,
};

/**
 * Whether an array has the bytes of a tensor of this type. bool must be checked for bytes other
 * than 0 and 1.
 */
export function isView(values: ArrayBufferView, dtype: DType): boolean {
  const view = VIEWS[dtype];
  return dtype !== 'bool' && view !== undefined && view !== Uint16Array && values instanceof view;
}

/** The element types of typed arrays. */
export const TYPED: readonly (readonly [new (...args: never[]) => ArrayBufferView, DType])[] = [
  [Float32Array, 'float32'], [Float64Array, 'float32'], [Int32Array, 'int32'], [Uint8Array, 'uint8'], [Uint8ClampedArray, 'uint8'],
  [Int8Array, 'int32'], [Int16Array, 'int32'], [Uint16Array, 'int32'], [BigInt64Array, 'int64'],
  ...(Float16 ? ([[Float16, 'float16']] as const) : []),
];

/** The size of an element, in bytes. */
export function itemsize(dtype: DType): number {
  return dtype === 'float16' || dtype === 'bfloat16' ? 2 : (VIEWS[dtype] as unknown as { BYTES_PER_ELEMENT: number }).BYTES_PER_ELEMENT;
}

/** The numbers in bytes of a type. */
export function numbers<D extends DType>(bytes: Uint8Array, dtype: D): ElementsOf<D> {
  const values = new VIEWS[dtype](bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / itemsize(dtype));
  // The table above has the array of each type.
  return (values instanceof Uint16Array ? widen(values, dtype) : values) as ElementsOf<D>;
}

/** Halves as float32, which represents each of them exactly. */
function widen(halves: Uint16Array, dtype: DType): Float32Array {
  if (dtype === 'float16') return Float32Array.from(halves, float16);
  const bits = Uint32Array.from(halves, (half) => half << 16);
  return new Float32Array(bits.buffer);
}

/** The float16 with these bits. */
function float16(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
