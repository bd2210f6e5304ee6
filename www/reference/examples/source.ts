/** Values as JavaScript source. */
import { elementsOf, type StoredTensor } from './golden';

/** More elements than this are drawn at random instead of being written. */
const MAX_WRITTEN = 30;
const WIDTH = 96;

const DTYPES: Readonly<Record<string, string>> = {
  F32: 'float32', F64: 'float64', F16: 'float16', I64: 'int32', I32: 'int32', I16: 'int32', I8: 'int32', U8: 'uint8', BOOL: 'bool',
};

/** Code that is inserted unchanged. */
export class Code {
  constructor(readonly text: string) {}
}

/** Converts a name from PyTorch's case to JavaScript's. */
export function camel(name: string): string {
  return name.replace(/(?<=.)_([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
}

/** How tensors are written: with all their digits, or rounded and, if they are large, at random. */
export interface Style {
  isExact: boolean;
}

/**
 * An expression that creates the tensor. If it has more than `count` elements, the first ones as a
 * vector.
 */
export function tensorSource({ dtype, shape, values }: StoredTensor, { isExact }: Style, count = Infinity): string {
  const type = DTYPES[dtype] ?? 'float32';
  const numbers = Array.from(values, Number);
  const isPart = !isExact && numbers.length > count;
  if (!isExact && !isPart && numbers.length > MAX_WRITTEN) {
    return randomSource(type, shape, numbers);
  }
  const taken = isPart ? numbers.slice(0, count) : numbers;
  const sizes = isPart ? [count] : shape;
  const write = (value: number) => (type === 'bool' ? String(value !== 0) : numberSource(isExact || !type.startsWith('float') ? value : round(value)));
  const literal = nest(taken.map(write), sizes, 0);
  const isInferred = type === 'float32' || type === 'bool';
  return `tensor(${literal}${isInferred ? '' : `, { dtype: '${type}' }`})`;
}

function randomSource(type: string, shape: readonly number[], values: readonly number[]): string {
  const sizes = `[${shape.join(', ')}]`;
  const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  if (type === 'bool') {
    return `rand(${sizes}).lt(0.5)`;
  }
  if (!type.startsWith('float')) {
    return `randint(${least}, ${most + 1}, ${sizes}${type === 'int32' ? '' : `, { dtype: '${type}' }`})`;
  }
  const isUnit = least >= 0 && most <= 1;
  return `${isUnit ? 'rand' : 'randn'}(${sizes}${type === 'float32' ? '' : `, { dtype: '${type}' }`})`;
}

/** Whether the expression depends on the seed. */
export function isRandom(source: string): boolean {
  return /\brand(?:n|int)?\(/.test(source);
}

/** Rounds to two decimals, and smaller values to one significant digit. */
function round(value: number): number {
  const near = Number(value.toFixed(2));
  return near === 0 ? Number(value.toPrecision(1)) : near;
}

function numberSource(value: number): string {
  return Object.is(value, -0) ? '0' : String(value);
}

/** Brackets around the items of each dimension; lines that are too long are broken. */
function nest(items: readonly string[], shape: readonly number[], depth: number): string {
  const [size, ...inner] = shape;
  if (size === undefined) {
    return items[0] ?? '';
  }
  const step = elementsOf(inner);
  const parts = Array.from({ length: size }, (_, index) => nest(items.slice(index * step, (index + 1) * step), inner, depth + 1));
  const line = `[${parts.join(', ')}]`;
  if (inner.length === 0 || (line.length + 2 * depth <= WIDTH && !line.includes('\n'))) {
    return line;
  }
  const space = '  '.repeat(depth + 1);
  return `[\n${parts.map((part) => `${space}${part},\n`).join('')}${'  '.repeat(depth)}]`;
}

/** A number, a text, a list or options. */
export function valueSource(value: unknown): string {
  if (value instanceof Code) {
    return value.text;
  }
  if (Array.isArray(value)) {
    return `[${value.map(valueSource).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    return optionsSource(value as Record<string, unknown>);
  }
  return typeof value === 'string' ? `'${value}'` : String(value);
}

export function optionsSource(options: Readonly<Record<string, unknown>>): string {
  // `{ weight }` if a variable has the option's name.
  const entries = Object.entries(options).map(([name, value]) => (valueSource(value) === name ? name : `${name}: ${valueSource(value)}`));
  return `{ ${entries.join(', ')} }`;
}

/** Whether a tensor is written element by element. */
export function isWritten(shape: readonly number[]): boolean {
  return elementsOf(shape) <= MAX_WRITTEN;
}
