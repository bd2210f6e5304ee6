/** Values of a visitor's code as text, with the tensors in them. */
import { isTensor, noGrad, type Tensor } from 'lanthorn';
import { type Elements, tensorInWords } from './numbers';
import { FORGOTTEN_AWAIT } from './promises';
import { MAX_ELEMENTS, type Shown, type TensorView } from './protocol';

const MAX_TENSORS = 8;
const MAX_ITEMS = 100;
const MAX_DEPTH = 4;
const MAX_CHARACTERS = 10_000;

/** A value at the time of this call: its tensors are copied, and read later. */
export function snapshot(values: readonly unknown[]): () => Promise<Shown> {
  const copies = new Map<Tensor, Tensor>();
  for (const tensor of tensorsIn(values, 0)) {
    if (!tensor.isDisposed) {
      copies.set(tensor, noGrad(() => tensor.detach().clone()));
    }
  }
  return async () => {
    const writer = new Writer(copies);
    const parts: string[] = [];
    for (const value of values) {
      parts.push(typeof value === 'string' ? value : await writer.write(value, '', 0));
    }
    copies.forEach((copy) => copy.dispose());
    return { text: cut(parts.join(' ')), tensors: writer.views };
  };
}

/** The result of a run; a text is in quotes. */
export async function showResult(value: unknown): Promise<Shown | undefined> {
  if (value === undefined) {
    return undefined;
  }
  const writer = new Writer(new Map());
  return { text: cut(await writer.write(value, '', 0)), tensors: writer.views };
}

function* tensorsIn(value: unknown, depth: number): Generator<Tensor> {
  if (isTensor(value)) {
    yield value as Tensor;
  } else if (depth < MAX_DEPTH && isTree(value)) {
    for (const item of Object.values(value).slice(0, MAX_ITEMS)) {
      yield* tensorsIn(item, depth + 1);
    }
  }
}

/** Whether it is an array or an object of values, without a text form. */
function isTree(value: unknown): value is object {
  return Array.isArray(value) || (typeof value === 'object' && value !== null && value.toString === Object.prototype.toString);
}

class Writer {
  readonly views: TensorView[] = [];

  /** `copies` are read in place of the tensors they were made of. */
  constructor(private readonly copies: ReadonlyMap<Tensor, Tensor>) {}

  async write(value: unknown, label: string, depth: number): Promise<string> {
    if (isTensor(value)) {
      return this.tensor(value as Tensor, label);
    }
    if (typeof value === 'string') {
      return `'${value}'`;
    }
    if (typeof value === 'function') {
      return `[${/^class\b/.test(String(value)) ? 'class' : 'function'} ${value.name || 'without a name'}]`;
    }
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
      const items = value as unknown as ArrayLike<number>;
      const first = Array.from({ length: Math.min(items.length, MAX_ITEMS) }, (_, index) => items[index]);
      return `${value.constructor.name} [${first.join(', ')}${more(items.length)}]`;
    }
    if (value instanceof Promise) {
      return FORGOTTEN_AWAIT;
    }
    if (value instanceof Error) {
      return `${value.name}: ${value.message}`;
    }
    return isTree(value) ? this.tree(value, label, depth) : String(value);
  }

  private async tree(value: object, label: string, depth: number): Promise<string> {
    if (depth === MAX_DEPTH) {
      return Array.isArray(value) ? '[…]' : '{…}';
    }
    const all = Object.entries(value);
    // The results of an operation with several are a list with names, and are shown by those.
    const isList = Array.isArray(value) && all.length <= value.length;
    const entries = Array.isArray(value) && !isList ? all.slice(value.length) : all;
    const items: string[] = [];
    for (const [name, item] of entries.slice(0, MAX_ITEMS)) {
      const text = await this.write(item, isList ? `${label}[${name}]` : label ? `${label}.${name}` : name, depth + 1);
      items.push(isList ? text : `${name}: ${text}`);
    }
    const inner = items.join(items.some((item) => item.includes('\n') || item.length > 60) ? ',\n' : ', ') + more(entries.length);
    return isList ? `[${inner}]` : inner === '' ? '{}' : `{ ${inner} }`;
  }

  private async tensor(tensor: Tensor, label: string): Promise<string> {
    if (tensor.isDisposed && !this.copies.has(tensor)) {
      return 'tensor(disposed)';
    }
    const { shape, dtype, device, requiresGrad } = tensor;
    const gradFn = tensor.gradFn?.name() ?? null;
    const elements: Elements = await (this.copies.get(tensor) ?? tensor).data();
    if (this.views.length < MAX_TENSORS) {
      const values = elements.length > MAX_ELEMENTS ? undefined : Float64Array.from(elements as ArrayLike<number>, Number);
      this.views.push({ label, shape: [...shape], dtype, device, gradFn, requiresGrad, values });
    }
    const facts = [
      ...(elements.length === 0 ? [`size=[${shape.join(', ')}]`] : []),
      ...(['float32', 'int32', 'bool'].includes(dtype) ? [] : [`dtype=${dtype}`]),
      ...(gradFn !== null ? [`gradFn=${gradFn}`] : requiresGrad ? ['requiresGrad=true'] : []),
    ];
    return tensorInWords(elements, shape, dtype, facts);
  }
}

function more(count: number): string {
  return count > MAX_ITEMS ? `, … ${count - MAX_ITEMS} more` : '';
}

function cut(text: string): string {
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}… ${text.length - MAX_CHARACTERS} more characters` : text;
}
