/** Tables of comma-separated values. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { HostArray } from './host-array.js';

/** The type of a column: integers that fit int32, numbers, or any text. */
export type ColumnType = 'int' | 'float' | 'text';

/** The values of a column. An empty field among numbers is NaN. */
export type Column = Int32Array | Float64Array | readonly string[];

/** Options of {@link readCsv}. */
export interface CsvOptions {
  /**
   * Whether the first line has the names of the columns (default: true). Without it they are `0`,
   * `1`, and so on.
   */
  header?: boolean;
  /** The delimiter between fields (default: a comma). */
  delimiter?: string;
  /**
   * The types of columns by name. Every other column gets the narrowest type that holds all its
   * fields.
   */
  types?: Readonly<Record<string, ColumnType>>;
  /** Fields that are NaN among numbers, as an empty one is: `['NA', '?']` (default: none). */
  naValues?: readonly string[];
}

function refuse(message: string): LanthornError {
  return new LanthornError('file', 'readCsv', message);
}

/**
 * Reads a table. Rows must be equally long, and the names of columns must be unique.
 *
 * @example
 * const table = readCsv(await (await fetch('iris.csv')).text());
 * const dataset = new TensorDataset(table.numbers('length', 'width'), table.labels('kind').labels);
 */
export function readCsv(source: string | ArrayBuffer | Uint8Array, options: CsvOptions = {}): Table {
  const { header = true, delimiter = ',', types = {}, naValues = [] } = checkOptions('readCsv', options, ['header', 'delimiter', 'types', 'naValues']);
  if (typeof delimiter !== 'string' || delimiter.length !== 1) throw new LanthornError('argument', 'readCsv', 'a delimiter is one character');
  if (!Array.isArray(naValues) || !naValues.every((value) => typeof value === 'string')) throw new LanthornError('argument', 'readCsv', 'naValues is an array of strings');
  const records = parse(decode(source), delimiter);
  const width = records[0]?.length ?? 0;
  const odd = records.findIndex((record) => record.length !== width);
  if (odd >= 0) throw refuse(`record ${odd} has ${records[odd]!.length} fields where the first has ${width}`);
  const names = (header && records.shift()) || Array.from({ length: width }, (_, column) => String(column));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw refuse(`two columns have the name ${JSON.stringify(twice)}`);
  const unknown = Object.keys(types).find((name) => !names.includes(name));
  if (unknown !== undefined) throw missing(unknown, names);
  const absent = new Set(['', ...naValues as readonly string[]]);
  const columns = names.map((name, at) => columnOf(name, records.map((record) => record[at]!), absent, Object.hasOwn(types, name) ? types[name] : undefined));
  return new Table(names, columns, records.length);
}

function decode(source: string | ArrayBuffer | Uint8Array): string {
  if (typeof source === 'string') return source.replace(/^\ufeff/, '');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(source);
  } catch {
    throw refuse('the file is not UTF-8');
  }
}

/**
 * The fields of the records, by RFC 4180; a quote inside an unquoted field, and text after a
 * closing quote, are kept. Empty lines are skipped.
 */
function parse(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === '\n' || text[at] === '\r') {
      at++;
      continue;
    }
    const record: string[] = [];
    for (let more = true; more; ) {
      const [field, end] = fieldAt(text, at, delimiter);
      record.push(field);
      more = text[end] === delimiter;
      at = end + 1;
    }
    records.push(record);
  }
  return records;
}

/** The field that begins here, and the index after it. */
function fieldAt(text: string, start: number, delimiter: string): [field: string, end: number] {
  let field = '';
  let at = start;
  if (text[at] === '"') {
    for (at++; at < text.length; at++) {
      if (text[at] !== '"') field += text[at];
      else if (text[at + 1] === '"') field += text[at++];
      else break;
    }
    at++;
  }
  const from = Math.min(at, text.length);
  let end = from;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end++;
  return [field + text.slice(from, end), end];
}

const NUMBER = /^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity|nan)$/i;

function whole(field: string): number | undefined {
  const value = /^[+-]?\d+$/.test(field.trim()) ? Number(field) : NaN;
  return value === (value | 0) ? value : undefined;
}

function float(field: string, absent: ReadonlySet<string>): number | undefined {
  const text = field.trim();
  if (absent.has(text)) return NaN;
  if (!NUMBER.test(text)) return undefined;
  if (/nan$/i.test(text)) return NaN;
  if (/inf/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return Number(text);
}

function columnOf(name: string, fields: string[], absent: ReadonlySet<string>, type?: ColumnType): Column {
  if (type === 'text') return fields;
  const all = (parse: (field: string) => number | undefined, what: string): number[] | LanthornError => {
    const values: number[] = [];
    for (const [row, field] of fields.entries()) {
      const value = parse(field);
      if (value === undefined) return refuse(`column ${JSON.stringify(name)}: row ${row} has ${JSON.stringify(field)}, which is no ${what}`);
      values.push(value);
    }
    return values;
  };
  const ints = type === 'float' ? undefined : all(whole, 'whole number within int32');
  if (Array.isArray(ints)) return Int32Array.from(ints);
  const floats = type === 'int' ? ints! : all((field) => float(field, absent), 'number');
  if (Array.isArray(floats)) return Float64Array.from(floats);
  if (type !== undefined) throw floats;
  return fields;
}

function missing(name: string, names: readonly string[]): LanthornError {
  return new LanthornError('argument', 'Table', `there is no column ${JSON.stringify(name)}; there are ${JSON.stringify(names)}`);
}

/** Named columns of equal length. */
export class Table {
  /** The names of the columns, from left to right. */
  readonly names: readonly string[];
  /** The number of rows. */
  readonly length: number;
  readonly #columns: readonly Column[];

  /** @internal */
  constructor(names: readonly string[], columns: readonly Column[], length: number) {
    this.names = names;
    this.#columns = columns;
    this.length = length;
  }

  /** The column with this name. */
  column(name: string): Column {
    const column = this.#columns[this.names.indexOf(name)];
    if (!column) throw missing(name, this.names);
    return column;
  }

  /** Numeric columns side by side, float32 `[rows, columns]`. */
  numbers(...names: string[]): HostArray<Float32Array> {
    const data = new Float32Array(this.length * names.length);
    for (const [at, name] of names.entries()) {
      const column = this.column(name);
      if (Array.isArray(column)) throw new LanthornError('dtype', 'Table', `column ${JSON.stringify(name)} is text; labels() numbers it`);
      for (let row = 0; row < this.length; row++) data[row * names.length + at] = column[row] as number;
    }
    return new HostArray(data, [this.length, names.length]);
  }

  /**
   * A column as class indices, int32 `[rows]`, and the classes: its distinct values in ascending
   * order, text by code points.
   */
  labels(name: string): { labels: HostArray<Int32Array>; classes: string[] } {
    const column = this.column(name);
    if (column instanceof Float64Array) throw new LanthornError('dtype', 'Table', `column ${JSON.stringify(name)} has fractions, which are no classes`);
    const classes = column instanceof Int32Array ? [...new Set(column)].sort((one, other) => one - other).map(String) : [...new Set(column)].sort(byCodePoints);
    const numbers = new Map(classes.map((text, number) => [text, number]));
    return { labels: new HostArray(Int32Array.from(column as ArrayLike<unknown> as readonly unknown[], (value) => numbers.get(String(value))!)), classes };
  }
}

/** The order of code points, which differs from the order of UTF-16 units. */
export function byCodePoints(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  for (let at = 0; at < left.length && at < right.length; at++) {
    const difference = left[at]!.codePointAt(0)! - right[at]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
