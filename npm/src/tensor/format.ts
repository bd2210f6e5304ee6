/**
 * Tensors as text, in the form of PyTorch's `print(x)`. Elements are shown where they can be read
 * without waiting, which is on the CPU.
 */
import type { DType } from '../core/types.js';

/** The members of the class `Tensor` that are shown. */
interface Shown {
  readonly isDisposed: boolean;
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly device: string;
  readonly requiresGrad: boolean;
  readonly gradFn: { name(): string } | null;
  dataSync(): ArrayLike<number | bigint>;
}

/** More elements than this are shown in part. */
const THRESHOLD = 1000;

/** The beginning of the text; the lines after the first are indented by its length. */
const OPENING = 'Tensor(';

/** The number of elements at both ends of a dimension of which a part is shown. */
const EDGE = 3;

/** An element; NaN and the infinities as JavaScript writes them. */
function element(value: number | bigint, dtype: string): string {
  if (dtype === 'bool') return value ? 'true' : 'false';
  if (typeof value === 'bigint' || Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(dtype === 'float64' ? 8 : 5)));
}

/** Nested brackets with a line per row, indented below the first. */
function brackets(tensor: Shown): string {
  const { shape, dtype } = tensor;
  const data = tensor.dataSync();
  const isPart = data.length > THRESHOLD;
  const build = (d: number, start: number, step: number): string => {
    if (d === shape.length) return element(data[start]!, dtype);
    const [size, inner] = [shape[d]!, step / (shape[d]! || 1)];
    const item = (index: number): string => build(d + 1, start + index * inner, inner);
    const all = Array.from({ length: size }, (_, index) => index);
    const isCut = isPart && size > 2 * EDGE;
    const left = isCut ? [...all.slice(0, EDGE).map(item), '...', ...all.slice(-EDGE).map(item)] : all.map(item);
    const depth = shape.length - d;
    return `[${left.join(depth === 1 ? ', ' : `,${'\n'.repeat(depth - 1)}${' '.repeat(OPENING.length + d + 1)}`)}]`;
  };
  return build(0, 0, data.length);
}

/** A tensor as text: its elements, if they can be read without waiting, and its properties. */
export function formatTensor(tensor: Shown): string {
  if (tensor.isDisposed) return 'Tensor(disposed)';
  try {
    return describeTensor(tensor);
  } catch (error) {
    // It belongs to an earlier device; printing must not fail.
    return `Tensor(${(error as Error).message})`;
  }
}

function describeTensor(tensor: Shown): string {
  const { shape, dtype, device, requiresGrad, gradFn } = tensor;
  const facts = [`shape=[${shape.join(', ')}]`, `dtype=${dtype}`, `device=${device}`];
  if (gradFn !== null) facts.push(`gradFn=${gradFn.name()}`);
  else if (requiresGrad) facts.push('requiresGrad=true');
  if (device === 'cpu') {
    try {
      facts.unshift(brackets(tensor));
    } catch {
      // The computation failed, which reading it reports.
    }
  }
  const [first, ...others] = facts;
  return `${OPENING}${first}${first!.includes('\n') ? `,\n${' '.repeat(OPENING.length)}` : ', '}${others.join(', ')})`;
}
