/** PyTorch's recorded answers, whose format is described in tests/golden/README.md. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A value of Python; `$` is its type. */
export type Recorded = null | boolean | number | string | readonly Recorded[] | RecordedObject;

export interface RecordedObject {
  $: string;
  v?: Recorded;
  ref?: string;
  dtype?: string;
  shape?: readonly number[];
  strides?: readonly number[];
  cls?: string;
  config?: { v: Readonly<Record<string, Recorded>> };
}

export interface Sample {
  id: number;
  args: readonly Recorded[];
  kwargs: Readonly<Record<string, Recorded>>;
  arg_names?: readonly string[] | null;
  dtype?: string;
  out: Recorded;
  unstable?: boolean;
  compare?: string;
  ties?: boolean;
  f32_err?: unknown;
  ctor_args: readonly Recorded[];
  ctor_kwargs: Readonly<Record<string, Recorded>>;
  fwd_args: readonly Recorded[];
  fwd_kwargs: Readonly<Record<string, Recorded>>;
}

export interface OperationDocument {
  op: string;
  aliases: readonly string[];
  category: string;
  samples: readonly Sample[];
}

export interface StoredTensor {
  dtype: string;
  shape: readonly number[];
  values: ArrayLike<number | bigint>;
}

export type Tensors = Readonly<Record<string, StoredTensor>>;

/** A file of answers; its tensors are read at the first use. */
export interface GoldenFile<Document> {
  name: string;
  document: Document;
  tensors: () => Tensors;
}

/** The tests' translation of a sample into a call, whose arguments are of the tests' own types. */
export interface GoldenCalls {
  prepare(lanthorn: object, document: OperationDocument, sample: Sample, loader: object): {
    name: string; given: unknown[]; rest: unknown[]; aliases: readonly string[];
  };
  find(lanthorn: object, name: string, aliases: readonly string[], given: readonly unknown[]): { call: (rest: readonly unknown[]) => unknown } | undefined;
  readTensors(buffer: ArrayBuffer): Tensors;
}

/** The answers in the folder `tests/golden`. */
export class Golden {
  constructor(private readonly folder: string, readonly calls: GoldenCalls) {}

  /** The files of a kind: `ops`, `modules` or `optim`. */
  files<Document>(kind: string): GoldenFile<Document>[] {
    const names = readdirSync(join(this.folder, kind)).filter((file) => file.endsWith('.json') && file !== 'index.json');
    return names.sort().map((file) => this.read<Document>(kind, file.slice(0, -'.json'.length)));
  }

  private read<Document>(kind: string, name: string): GoldenFile<Document> {
    const path = join(this.folder, kind, name);
    let held: Tensors | undefined;
    const tensors = () => (held ??= existsSync(`${path}.safetensors`) ? this.calls.readTensors(bytesOf(`${path}.safetensors`)) : {});
    return { name, document: JSON.parse(readFileSync(`${path}.json`, 'utf8')) as Document, tensors };
  }
}

function bytesOf(path: string): ArrayBuffer {
  const bytes = readFileSync(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

/** Whether it is a tensor of the file. */
export function isTensor(value: Recorded): value is RecordedObject & { ref: string; shape: readonly number[] } {
  return typeof value === 'object' && value !== null && '$' in value && value.$ === 'tensor';
}

/** The tensors and other values of a result, in order. */
export function leavesOf(value: Recorded): Recorded[] {
  if (Array.isArray(value)) {
    return value.flatMap(leavesOf);
  }
  const { $: type, v } = (typeof value === 'object' && value !== null ? value : {}) as Partial<RecordedObject>;
  return type === 'tuple' && Array.isArray(v) ? v.flatMap(leavesOf) : [value];
}

export function elementsOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
