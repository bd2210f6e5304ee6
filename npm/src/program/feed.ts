/** Arrays as the inputs of a model. */
import { LanthornError } from '../core/errors.js';
import { tensor } from '../tensor/from-data.js';
import type { GraphValue } from './json.js';
import { isWide } from '../core/runtime.js';
import type { Tensor } from '../tensor/tensor.js';
import type { DType, NestedItem } from '../core/types.js';

/** A value of an input: a tensor, nested arrays, a number, or a typed array of the input's sizes. */
export type Feed = Tensor | NestedItem;

/** The element type of a page's tensor for an input, whose type is the file's. */
function dtypeOf(named: string): DType {
  if (named === 'int64') return isWide() ? 'int64' : 'int32';
  if (named === 'float64') return isWide() ? 'float64' : 'float32';
  if (named === 'int8' || named === 'int16') return 'int32';
  // Elements of half precision are converted on the device.
  return named === 'float16' || named === 'bfloat16' ? 'float32' : named as DType;
}

/**
 * The sizes of flat data: the sizes of the input, of which an unknown one follows from the others.
 */
function sizesOf(name: string, length: number, sizes: readonly (number | string)[]): number[] {
  const free = sizes.filter((size) => typeof size === 'string').length;
  const known = sizes.reduce<number>((product, size) => (typeof size === 'string' ? product : product * size), 1);
  const rest = length / known;
  const fits = free === 0 ? length === known : free === 1 && Number.isInteger(rest);
  if (!fits) {
    throw new LanthornError('shape', 'run', `${name}: ${length} elements do not tell the sizes of [${sizes.join(', ')}]; pass a tensor`);
  }
  return sizes.map((size) => (typeof size === 'string' ? rest : size));
}

/** An array as the tensor of an input, of which the model says this. */
export function feedTensor(name: string, feed: Exclude<Feed, Tensor>, described: GraphValue | undefined): Tensor {
  if (described?.type !== 'tensor') return tensor(feed);
  const { dtype: named, sizes } = described;
  const dtype = dtypeOf(named);
  if (dtype === 'int32' && feed instanceof BigInt64Array) checkRange(name, feed);
  const shape = ArrayBuffer.isView(feed) ? { shape: sizesOf(name, (feed as Uint8Array).length, sizes) } : {};
  const made = tensor(feed, { dtype, ...shape });
  if (dtype === named || (named !== 'float16' && named !== 'bfloat16')) return made;
  const converted = made.to(named);
  made.dispose();
  return converted;
}

/** Refuses 64-bit integers that the device's 32 bits do not hold. */
function checkRange(name: string, values: BigInt64Array): void {
  const odd = values.find((value) => BigInt.asIntN(32, value) !== value);
  if (odd !== undefined) throw new LanthornError('dtype', 'run', `${name}: the device has integers of 32 bits, which do not hold ${odd}`);
}
