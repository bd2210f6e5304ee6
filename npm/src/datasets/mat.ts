/**
 * Numeric arrays in files of MATLAB, version 5 (MAT-File Format, The MathWorks): elements of a type
 * and a size, of which those that are compressed contain another one.
 */
import { LanthornError } from '../core/errors.js';
import { inflateZlib } from './bytes.js';

/** An array, column by column. */
export interface MatArray {
  name: string;
  shape: readonly number[];
  data: ArrayLike<number>;
}

const OP = 'SVHN.open';
const HEADER = 128;
const [MATRIX, COMPRESSED] = [14, 15];

type Reader = [width: number, read: (view: DataView, at: number) => number];

const TYPES: Readonly<Record<number, Reader>> = {
  1: [1, (view, at) => view.getInt8(at)],
  2: [1, (view, at) => view.getUint8(at)],
  3: [2, (view, at) => view.getInt16(at, true)],
  4: [2, (view, at) => view.getUint16(at, true)],
  5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getUint32(at, true)],
  7: [4, (view, at) => view.getFloat32(at, true)],
  9: [8, (view, at) => view.getFloat64(at, true)],
};

const refuse = (message: string) => new LanthornError('file', OP, message);

interface Element {
  type: number;
  start: number;
  size: number;
  /** The offset of the next element. */
  next: number;
}

/** The tag of the element at an offset. A small element has its size and its data in the tag. */
function elementAt(view: DataView, at: number): Element {
  if (at + 8 > view.byteLength) throw refuse('the file ends within a tag');
  const [first, second] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
  if (first >>> 16 !== 0) return { type: first & 0xffff, start: at + 4, size: first >>> 16, next: at + 8 };
  const start = at + 8;
  if (start + second > view.byteLength) throw refuse(`the file ends within an element of ${second} bytes`);
  const padding = first === COMPRESSED ? 0 : (8 - (second % 8)) % 8;
  return { type: first, start, size: second, next: start + second + padding };
}

function numbersOf(view: DataView, { type, start, size }: Element): ArrayLike<number> {
  if (type === 2) return new Uint8Array(view.buffer, view.byteOffset + start, size);
  const reader = TYPES[type];
  if (!reader) throw refuse(`an array has the element type ${type}, which is not known`);
  const [width, read] = reader;
  return Float64Array.from({ length: Math.floor(size / width) }, (_, index) => read(view, start + index * width));
}

/** The array of a matrix: flags, sizes, name and elements. */
function matrixOf(view: DataView, at: number): MatArray {
  const flags = elementAt(view, at);
  const sizes = elementAt(view, flags.next);
  const name = elementAt(view, sizes.next);
  const shape = Array.from(numbersOf(view, sizes));
  const text = new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + name.start, name.size));
  const data = numbersOf(view, elementAt(view, name.next));
  const count = shape.reduce((product, size) => product * size, 1);
  if (data.length !== count) throw refuse(`${text} has ${data.length} elements, and its shape [${shape.join(', ')}] has ${count}`);
  return { name: text, shape, data };
}

/** The arrays of a file, by their names. */
export async function readMat(file: Uint8Array): Promise<Map<string, MatArray>> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < HEADER || view.getUint16(126, true) !== 0x4d49) throw refuse('the file is not a MATLAB file of version 5');
  const arrays = new Map<string, MatArray>();
  for (let at = HEADER; at < file.length;) {
    const element = elementAt(view, at);
    at = element.next;
    const bytes = file.subarray(element.start, element.start + element.size);
    const plain = element.type === COMPRESSED ? await inflateZlib(OP, bytes) : file.subarray(element.start - 8, element.next);
    const inner = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
    const matrix = elementAt(inner, 0);
    if (matrix.type !== MATRIX) throw refuse(`an element has the type ${matrix.type}, and is no array`);
    const made = matrixOf(inner, matrix.start);
    arrays.set(made.name, made);
  }
  return arrays;
}
