/**
 * The file format of MNIST (LeCun, Cortes and Burges): two zero bytes, a type, the number of
 * dimensions, the sizes and the elements, all big-endian.
 */
import { LanthornError } from '../core/errors.js';
import type { TypedArray } from '../core/types.js';
import { HostArray } from './host-array.js';

/** More dimensions than any such file has. */
const MAX_DIMENSIONS = 8;

type Reader = [width: number, array: new (length: number) => TypedArray, read: (view: DataView, at: number) => number];

const TYPES: Readonly<Record<number, Reader>> = {
  0x08: [1, Uint8Array, (view, at) => view.getUint8(at)],
  0x09: [1, Int32Array, (view, at) => view.getInt8(at)],
  0x0b: [2, Int32Array, (view, at) => view.getInt16(at)],
  0x0c: [4, Int32Array, (view, at) => view.getInt32(at)],
  0x0d: [4, Float32Array, (view, at) => view.getFloat32(at)],
  0x0e: [8, Float64Array, (view, at) => view.getFloat64(at)],
};

/**
 * The array in an IDX file. Signed bytes and 16-bit integers become int32. A file that ends early,
 * or has bytes after its elements, is refused before anything is allocated.
 */
export function readIdx(file: ArrayBuffer | Uint8Array): HostArray {
  const refuse = (message: string) => new LanthornError('file', 'readIdx', message);
  const view = file instanceof Uint8Array ? new DataView(file.buffer, file.byteOffset, file.byteLength) : new DataView(file);
  if (view.byteLength >= 4 && view.getUint16(0) === 0x1f8b) throw refuse('the file is compressed with gzip; decompress it first');
  if (view.byteLength < 4 || view.getUint16(0) !== 0) throw refuse('the file does not begin with the two zero bytes of the format');
  const rank = view.getUint8(3);
  if (rank === 0 || rank > MAX_DIMENSIONS) throw refuse(`${rank} dimensions are not from 1 to ${MAX_DIMENSIONS}`);
  const start = 4 + 4 * rank;
  if (view.byteLength < start) throw refuse('the file ends in its header');
  const shape = Array.from({ length: rank }, (_, d) => view.getUint32(4 + 4 * d));
  const type = TYPES[view.getUint8(2)];
  if (!type) throw refuse(`there is no element type ${view.getUint8(2)}`);
  const [width, TypedArrayOf, read] = type;
  const elements = shape.reduce((product, size) => product * size, 1);
  // A product too large to be exact is too large for any file.
  if (elements * width !== view.byteLength - start) {
    throw refuse(`${view.byteLength - start} bytes do not fit the shape [${shape.join(', ')}] of ${width} bytes an element`);
  }
  const data = new TypedArrayOf(elements);
  for (let place = 0; place < elements; place++) data[place] = read(view, start + place * width);
  return new HostArray(data, shape);
}
