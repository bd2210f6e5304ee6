/** The form of the arguments: shapes, types and contents, as the program declares them. */
import { byId, make } from '../../parts/dom';
import { readImage, SCALES } from './image';
import type { Argument, Description, InputInfo } from './protocol';

const DTYPES = ['float32', 'int32', 'bool'];
const INTEGER = /^u?int/;
/** The bound of indices if the program declares none. */
const BELOW = 2;
/** The shape of a tensor that a script module takes; it declares none. */
const UNKNOWN = '1, 8';

/** Reads an argument from its row; rejects with a description of a wrong value. */
type Reader = () => Promise<Argument>;

export class Inputs {
  private readonly rows = byId('input-rows', HTMLElement);
  private readers: readonly Reader[] = [];
  private takers: readonly ((picture: File) => void)[] = [];

  constructor(run: (values: readonly Argument[]) => void, refuse: (words: string) => void) {
    byId('inputs', HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      Promise.all(this.readers.map((read) => read())).then(run, (error: unknown) => refuse(error instanceof Error ? error.message : String(error)));
    });
  }

  /** Sets the first input that accepts a picture; false if there is none. */
  takeImage(picture: File): boolean {
    const [take] = this.takers;
    take?.(picture);
    return take !== undefined;
  }

  show({ inputs, format, tuning }: Description): void {
    const digits = 'images' in tuning ? [tuning.images.least, ...tuning.images.shape] : undefined;
    const built = inputs.map((input) => (input.other === undefined ? tensorRow(input, digits) : valueRow(input)));
    this.rows.replaceChildren(...built.map(({ element }) => element));
    this.readers = built.map(({ read }) => read);
    this.takers = built.flatMap(({ takeImage }) => takeImage ?? []);
    byId('inputs-words', HTMLElement).textContent = wordsOn(inputs.length, format);
  }
}

function wordsOn(count: number, format: Description['format']): string {
  if (count === 0) {
    return 'It takes no arguments.';
  }
  return format !== 'torchscript'
    ? 'As the file declares them. A size with a name may be changed.'
    : 'A script module declares no shapes: give those that the model takes. Those that are filled in were found by trying.';
}

interface Row {
  element: HTMLElement;
  read: Reader;
  takeImage?: (picture: File) => void;
}

function tensorRow({ name, tensor, below, guess }: InputInfo, digits: readonly number[] | undefined): Row {
  const declared = tensor?.shape.map(({ size, symbol }) => symbol ?? size).join(', ');
  const suggested = tensor?.shape.map(({ size }) => size) ?? digits ?? guess?.shape;
  const shape = make('input', { type: 'text', value: suggested?.join(', ') ?? UNKNOWN });
  shape.readOnly = tensor !== undefined && tensor.shape.every(({ symbol }) => symbol === undefined);
  const known = tensor?.dtype ?? guess?.dtype ?? 'float32';
  const dtype = select(DTYPES.includes(known) ? DTYPES : [known, ...DTYPES], known);
  dtype.disabled = tensor !== undefined;
  const limit = make('input', { type: 'number', min: '1', value: String(below ?? BELOW), ariaLabel: `${name}: integers below` });
  const limited = make('label', { className: 'field' }, ['Integers below', limit]);
  const fill = select(['random', 'zeros', 'ones'], 'random');
  const image = imageFields(suggested ?? []);
  if (image) {
    fill.add(new Option('an image', 'image'));
  }
  fill.add(new Option('values', 'values'));
  const values = make('input', { type: 'text', placeholder: '0.5, 1, -2', ariaLabel: `${name}: values` });
  const typed = make('label', { className: 'field' }, ['Values, row by row', values]);
  const update = () => {
    typed.hidden = fill.value !== 'values';
    limited.hidden = !(INTEGER.test(dtype.value) && fill.value === 'random');
    image?.element.toggleAttribute('hidden', fill.value !== 'image');
  };
  for (const each of [dtype, fill]) {
    each.addEventListener('change', update);
  }
  update();
  const fields = make('div', { className: 'fields' }, [
    make('label', { className: 'field' }, ['Shape', shape]),
    make('label', { className: 'field' }, ['Type', dtype]),
    make('label', { className: 'field' }, ['Content', fill]),
    limited,
    typed,
  ]);
  const read = async (): Promise<Argument> => {
    const sizes = parseShape(name, shape.value);
    if (fill.value === 'image' && image) {
      return { shape: sizes, dtype: 'float32', data: await image.read(name, sizes) };
    }
    if (fill.value === 'values') {
      return { shape: sizes, dtype: dtype.value, data: parseValues(name, values.value, sizes) };
    }
    return { shape: sizes, dtype: dtype.value, fill: fill.value as 'random', below: Math.max(1, Math.trunc(Number(limit.value)) || 1) };
  };
  const ranges = tensor?.shape.flatMap(({ symbol, least, most }) => (symbol === undefined ? [] : [`${symbol} ${rangeInWords(least, most)}`])) ?? [];
  const title = make('p', {}, [
    make('code', { textContent: name }),
    ` ${tensor ? `${tensor.dtype} [${declared}]` : 'a tensor'}`,
    make('span', { className: 'soft', textContent: ranges.length > 0 ? `, ${[...new Set(ranges)].join(', ')}` : '' }),
  ]);
  const element = make('div', { className: 'input' }, [title, fields, ...(image ? [image.element] : [])]);
  const takeImage = (picture: File) => {
    fill.value = 'image';
    update();
    image?.take(picture);
  };
  return image ? { element, read, takeImage } : { element, read };
}

/** An argument that is no tensor, as JSON. */
function valueRow({ name, other, value }: InputInfo): Row {
  const suggested = /^(int|float)/.test(other ?? '') ? '1' : 'null';
  const field = make('input', { type: 'text', value: value ?? suggested, ariaLabel: `${name} as JSON` });
  const read = async (): Promise<Argument> => {
    try {
      return field.value.trim() === '' ? {} : { value: JSON.parse(field.value) as unknown };
    } catch {
      throw new Error(`${name}: write a value as JSON, such as 3, true, "text" or [1, 2]`);
    }
  };
  const title = make('p', {}, [make('code', { textContent: name }), ` ${other}`]);
  return { element: make('div', { className: 'input' }, [title, make('label', { className: 'field' }, ['Value', field])]), read };
}

/** The choice of a picture, for inputs of one or three channels. */
function imageFields(shape: readonly number[]) {
  if (shape.length !== 4 || (shape[1] !== 1 && shape[1] !== 3)) {
    return undefined;
  }
  const file = make('input', { type: 'file', accept: 'image/*', ariaLabel: 'A picture' });
  const take = (picture: File) => {
    const transfer = new DataTransfer();
    transfer.items.add(picture);
    file.files = transfer.files;
  };
  const scale = select(Object.keys(SCALES), Object.keys(SCALES)[0]!);
  const element = make('div', { className: 'fields' }, [
    make('label', { className: 'field' }, ['Picture, resized to the input', file]),
    make('label', { className: 'field' }, ['Values', scale]),
  ]);
  const read = (name: string, sizes: readonly number[]): Promise<Float32Array> => {
    const [chosen] = file.files ?? [];
    if (!chosen) {
      throw new Error(`${name}: choose a picture`);
    }
    return readImage(chosen, sizes, SCALES[scale.value]!);
  };
  return { element, read, take };
}

function rangeInWords(least = 1, most = Infinity): string {
  return Number.isFinite(most) ? `from ${least} to ${most}` : `from ${least}`;
}

function parseShape(name: string, text: string): number[] {
  const sizes = text.trim() === '' ? [] : text.split(/[\s,x×]+/).filter(Boolean).map(Number);
  if (!sizes.every((size) => Number.isSafeInteger(size) && size >= 0)) {
    throw new Error(`${name}: a shape is whole numbers with commas between them, not “${text}”`);
  }
  return sizes;
}

function parseValues(name: string, text: string, shape: readonly number[]): Float32Array {
  const numbers = text.split(/[\s,[\]]+/).filter(Boolean).map(Number);
  const count = shape.reduce((product, size) => product * size, 1);
  if (numbers.length !== count || numbers.some(Number.isNaN)) {
    throw new Error(`${name}: the shape [${shape.join(', ')}] takes ${count} numbers with commas between them; ${numbers.length} are given`);
  }
  return Float32Array.from(numbers);
}

function select(values: readonly string[], chosen: string): HTMLSelectElement {
  return make('select', {}, values.map((value) => new Option(value, value, value === chosen, value === chosen)));
}
