/** Elements of a tensor as text, as PyTorch prints them. */

/** More elements than this are shown in part: `EDGE` at both ends of a dimension. */
const THRESHOLD = 1000;
const EDGE = 3;
const OPENING = 'tensor(';
const DIGITS = 4;

export type Elements = ArrayLike<number | bigint>;

/** The text of a tensor; `facts` follow its elements. */
export function tensorInWords(elements: Elements, shape: readonly number[], dtype: string, facts: readonly string[]): string {
  const write = writerOf(elements, dtype);
  const isPart = elements.length > THRESHOLD;
  const nest = (depth: number, start: number, step: number): string => {
    if (depth === shape.length) {
      return write(elements[start]!);
    }
    const size = shape[depth]!;
    const inner = step / (size || 1);
    const all = Array.from({ length: size }, (_, index) => index);
    const item = (index: number) => nest(depth + 1, start + index * inner, inner);
    const items = isPart && size > 2 * EDGE ? [...all.slice(0, EDGE).map(item), '...', ...all.slice(-EDGE).map(item)] : all.map(item);
    const left = shape.length - depth;
    return `[${items.join(left === 1 ? ', ' : `,${'\n'.repeat(left - 1)}${' '.repeat(OPENING.length + depth + 1)}`)}]`;
  };
  return `${OPENING}${[nest(0, 0, elements.length), ...facts].join(', ')})`;
}

/** How all elements are written: with one width, and one number of digits. */
function writerOf(elements: Elements, dtype: string): (value: number | bigint) => string {
  const plain = dtype === 'bool' ? (value: number | bigint) => String(Boolean(value)) : String;
  const write = dtype.includes('float') ? writerOfFloats(elements as ArrayLike<number>) : plain;
  const shown = Array.from({ length: Math.min(elements.length, THRESHOLD) }, (_, index) => write(elements[index]! as number));
  const width = Math.max(0, ...shown.map(({ length }) => length));
  return (value) => write(value as number).padStart(width);
}

function writerOfFloats(elements: ArrayLike<number>): (value: number) => string {
  // The sample of a large tensor is its beginning.
  const some = Array.from({ length: Math.min(elements.length, THRESHOLD) }, (_, index) => elements[index]!);
  const sizes = some.filter(Number.isFinite).map(Math.abs).filter((size) => size > 0);
  const [least, most] = sizes.reduce(([low, high], size) => [Math.min(low, size), Math.max(high, size)], [Infinity, 0]);
  const isExtreme = most > 1e8 || least < 1e-4 || most / least > 1000;
  if (sizes.every(Number.isInteger)) {
    return (value) => special(value) ?? (most > 1e8 ? exponential(value) : `${value}.`);
  }
  return (value) => special(value) ?? (isExtreme ? exponential(value) : value.toFixed(DIGITS));
}

function special(value: number): string | undefined {
  return Number.isNaN(value) ? 'nan' : value === Infinity ? 'inf' : value === -Infinity ? '-inf' : undefined;
}

/** An exponent of at least two digits, as Python writes it. */
function exponential(value: number): string {
  return value.toExponential(DIGITS).replace(/e([+-])(\d)$/, 'e$10$2');
}
