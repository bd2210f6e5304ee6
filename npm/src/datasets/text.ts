/** Texts and tables: lines, JSON lines, news, and columns of a table. */
import { checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { readCsv, type Table } from '../data/csv.js';
import type { Dataset } from '../data/dataset.js';
import { HostArray, stack } from '../data/host-array.js';
import type { Source } from '../io/source.js';
import { readGzip } from './bytes.js';
import { Official, OFFICIAL_OPTIONS, type OfficialOptions, type Root } from './official.js';

async function textOf(op: string, source: Source): Promise<string> {
  const bytes = await readGzip(source);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new LanthornError('file', op, 'the file is not UTF-8', { cause });
  }
}

const splitLines = (text: string): string[] => {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/**
 * The lines of a file, which may be compressed by gzip. An array of lines is a data set.
 *
 * @throws a LanthornError of kind `file`, if the file is not UTF-8.
 *
 * @example
 * const lines = await readLines('names.txt');
 */
export async function readLines(source: Source): Promise<string[]> {
  return splitLines(await textOf('readLines', source));
}

/**
 * The values of a file of JSON lines: a value on each line; empty lines are left out. The file may
 * be compressed by gzip.
 *
 * @throws a LanthornError of kind `file`, which names the line that is no JSON.
 *
 * @example
 * const reviews = await readJsonLines('reviews.jsonl');
 */
export async function readJsonLines<T = unknown>(source: Source): Promise<T[]> {
  const values: T[] = [];
  for (const [index, line] of splitLines(await textOf('readJsonLines', source)).entries()) {
    if (line.trim() === '') continue;
    try {
      values.push(JSON.parse(line) as T);
    } catch (cause) {
      throw new LanthornError('file', 'readJsonLines', `line ${index + 1} is no JSON: ${(cause as Error).message}`, { cause });
    }
  }
  return values;
}

/** Options of {@link AG_NEWS.open}. */
export interface AgNewsOptions extends OfficialOptions {
  /** The part (default: `train`). */
  split?: 'train' | 'test';
}

const AG_NEWS_MD5 = { train: 'b1a00f826fdfbd249f79597b59e1dc12', test: 'd52ea96a97a2d943681189a97654912d' } as const;

/** News of four classes (Zhang, Zhao and LeCun), with torchtext's name. */
export class AG_NEWS implements Dataset<[label: number, text: string]> {
  /** The names of the classes; class 1 is the first. */
  static readonly classes: readonly string[] = ['World', 'Sports', 'Business', 'Sci/Tech'];
  /** The number of texts. */
  readonly length: number;
  readonly #rows: readonly (readonly [number, string])[];

  private constructor(rows: readonly (readonly [number, string])[]) {
    this.length = rows.length;
    this.#rows = rows;
  }

  /**
   * Reads a part of the data set, `train.csv` or `test.csv`, as `MNIST.open` does. A sample is
   * `[label, text]`, with the labels 1 to 4 of torchtext, and the title before the text.
   *
   * @throws a `DownloadError` with the reason, or a LanthornError of kind `file`, if a file is
   * missing or damaged.
   *
   * @example
   * const news = await AG_NEWS.open('data', { split: 'test', download: true });
   */
  static async open(root: Root, options: AgNewsOptions = {}): Promise<AG_NEWS> {
    const op = 'AG_NEWS.open';
    const given = checkOptions<AgNewsOptions>(op, options, ['split', ...OFFICIAL_OPTIONS]);
    const { split = 'train' } = given;
    if (!Object.hasOwn(AG_NEWS_MD5, split)) throw new LanthornError('argument', op, `split is train or test, not ${split}`);
    const mirrors = ['https://raw.githubusercontent.com/mhjabreel/CharCnn_Keras/master/data/ag_news_csv/'];
    const file = await new Official(op, root, 'AG_NEWS/', given).find({ file: `${split}.csv`, mirrors, md5: AG_NEWS_MD5[split] });
    const table = readCsv(await textOf(op, file), { header: false, types: { 0: 'int', 1: 'text', 2: 'text' } });
    const [labels, titles, texts] = ['0', '1', '2'].map((name) => table.column(name)) as [Int32Array, string[], string[]];
    return new AG_NEWS(Array.from(labels, (label, row) => [label, `${titles[row]} ${texts[row]}`] as const));
  }

  /** The label and the text at an index. */
  get(index: number): [label: number, text: string] {
    const row = this.#rows[index];
    if (!row) throw new LanthornError('index', 'AG_NEWS', `index ${index} is out of range for ${this.length} samples`);
    return [...row];
  }
}

/** Options of {@link TabularDataset}. */
export interface TabularOptions {
  /** The column with the target. */
  target: string;
  /** The columns with the inputs (default: all others that are numbers). */
  features?: readonly string[];
  /** Whether the target is a class (default: whether its column is text or whole numbers). */
  isClass?: boolean;
}

/**
 * Rows of a table: inputs float32 `[features]`, and a class or a float32 number.
 *
 * @example
 * const table = readCsv('length,kind\\n5.1,setosa\\n7,versicolor');
 * const flowers = new TabularDataset(table, { target: 'kind' });
 */
export class TabularDataset implements Dataset<[HostArray<Float32Array>, HostArray]> {
  /** The number of rows. */
  readonly length: number;
  /** The names of the columns with the inputs. */
  readonly features: readonly string[];
  /** The names of the classes; empty if the target is a number. */
  readonly classes: readonly string[];
  readonly #inputs: HostArray<Float32Array>;
  readonly #targets: HostArray;

  constructor(table: Table, options: TabularOptions) {
    const op = 'TabularDataset';
    const { target, features, isClass } = checkOptions<TabularOptions>(op, options, ['target', 'features', 'isClass']);
    if (target === undefined) throw new LanthornError('argument', op, `target is the name of a column, not ${describe(target)}`);
    const column = table.column(target);
    this.length = table.length;
    this.features = features ?? table.names.filter((name) => name !== target && !Array.isArray(table.column(name)));
    this.#inputs = table.numbers(...this.features);
    if (isClass ?? !(column instanceof Float64Array)) {
      const { labels, classes } = table.labels(target);
      [this.#targets, this.classes] = [labels, classes];
    } else {
      [this.#targets, this.classes] = [new HostArray(table.numbers(target).data), []];
    }
  }

  /** The inputs and the target of a row. */
  get(index: number): [HostArray<Float32Array>, HostArray] {
    if (!(Number.isInteger(index) && index >= 0 && index < this.length)) {
      throw new LanthornError('index', 'TabularDataset', `index ${index} is out of range for ${this.length} samples`);
    }
    return [this.#inputs.row(index), this.#targets.row(index)];
  }

  /** A whole batch. */
  getBatch(indices: readonly number[]): [HostArray, HostArray] {
    return [stack(indices.map((index) => this.#inputs.row(index))), stack(indices.map((index) => this.#targets.row(index)))];
  }
}
