/** Arrays as the inputs of a model. */
import { LanthornError } from './errors.js';
import { tensor } from './from-data.js';
import type { GraphValue } from './program-json.js';
import { deviceInfo } from './runtime.js';
import { Tensor } from './tensor.js';
import type { DType, NestedArray } from './types.js';

/** A value of an input: a tensor, nested arrays, a number, or a typed array of the input's sizes. */
export type Feed = Tensor | NestedArray | ArrayBufferView;

/** The element type of a tensor that a page makes for an input of a type of the file. */
function dtypeOf(named: string): DType {
  const isWide = deviceInfo().device === 'cpu';
  if (named === 'int64') return isWide ? 'int64' : 'int32';
  if (named === 'float64') return isWide ? 'float64' : 'float32';
  if (named === 'int8' || named === 'int16') return 'int32';
  // Elements of half precision are converted on the device.
  return named === 'float16' || named === 'bfloat16' ? 'float32' : named as DType;
}

/** The sizes of flat data: those of the input, where one that is not known follows from the others. */
function sizesOf(name: string, length: number, sizes: readonly (number | string)[]): number[] {
  const free = sizes.filter((size) => typeof size === 'string').length;
  const known = sizes.reduce<number>((product, size) => (typeof size === 'string' ? product : product * size), 1);
  const rest = length / known;
  const fits = free === 0 ? rest === 1 || length === known : free === 1 && Number.isInteger(rest);
  if (!fits) {
    throw new LanthornError('shape', 'run', `${name}: ${length} elements do not tell the sizes of [${sizes.join(', ')}]; pass a tensor`);
  }
  return sizes.map((size) => (typeof size === 'string' ? rest : size));
}

/** A value as the tensor of an input, of which the model says this. */
export function feedTensor(name: string, feed: Feed, described: GraphValue | undefined): Tensor {
  if (feed instanceof Tensor) return feed;
  if (described?.type !== 'tensor') return tensor(feed);
  const { dtype: named, sizes } = described;
  const dtype = dtypeOf(named);
  const shaped = ArrayBuffer.isView(feed) ? { shape: sizesOf(name, (feed as Uint8Array).length, sizes) } : {};
  // Typed arrays say their own type.
  const made = ArrayBuffer.isView(feed) ? tensor(feed, shaped) : tensor(feed, { dtype });
  const wanted = named === 'float16' || named === 'bfloat16' ? named : dtype;
  if (made.dtype === wanted) return made;
  const converted = made.to(wanted);
  made.dispose();
  return converted;
}
