/** Reading and writing files of tensors. */
import { checkOptions, describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { HUB_OPTIONS, hubOptionsOf } from '../hub/settings.js';
import { loadArchive, loadArray, loadLegacy } from './checkpoint.js';
import { ggufHeader, ggufTensors } from './gguf.js';
import { fileModule, type FileModule } from './module.js';
import type { LoadOptions } from './options.js';
import { tensorPart, type Making } from './parts.js';
import { readingOf, type Reading, type Source } from './source.js';
import type { QuantizedTensor } from '../tensor/quantized-tensor.js';
import { enter, enterAsync } from '../core/runtime.js';
import { Tensor } from '../tensor/tensor.js';

/** A value that can be written: {@link Loaded}, with readonly objects and arrays. */
export type Savable =
  | Tensor | null | undefined | boolean | number | bigint | string | Uint8Array | readonly Savable[]
  | { readonly [name: string]: Savable } | ReadonlyMap<string | number, Savable>;

/** The formats that can be written. */
export type Format = 'safetensors' | 'pt' | 'npz' | 'npy';

/** Options of {@link save}. */
export interface SaveOptions {
  /** The format (default: safetensors for tensors by name, otherwise PyTorch's). */
  format?: Format;
}

/** The largest index of safetensors files, in bytes. */
const INDEX_LIMIT = 2 ** 28;

/** The key of a tensor's elements in a tree that is written: a map of this key alone. */
const TENSOR = 'tensor';

/** Tensors that are disposed of on failure. */
class Made implements Making {
  readonly #made: (Tensor | QuantizedTensor)[] = [];

  add<T extends Tensor | QuantizedTensor>(made: T): T {
    this.#made.push(made);
    return made;
  }

  undo(): void {
    for (const tensor of this.#made) tensor.dispose();
  }
}

/**
 * Reads a file from a URL, a `File` or `Blob`, or bytes; in Node, Deno and Bun also from a path. The
 * format is detected from the content. `hf://owner/name/file` is a file of a hub, which is stored
 * and not requested again; `hf://owner/name@revision/file` names a revision.
 *
 * A file is read in pieces that go to the device as they arrive, so that it is never in memory as a
 * whole; only a checkpoint or npz from a server without ranges is, and its bytes are let go one storage
 * after the other. Tensors of a checkpoint that share memory in PyTorch share it here. Element
 * types that the device does not support are converted: float64 to float32, int64 to int32 (an
 * error if a number does not fit), int16 and int8 to int32; quantized tensors of GGUF become
 * float32, unless `dequantize` is false. If loading fails or is aborted, no tensors are left.
 *
 * The compiler knows the result's type of an address that ends in `.safetensors` or `.npy`. Of
 * others, whose files decide it, `T` names the type; {@link Loaded} lists the possible values.
 *
 * @example
 * const state = await load('model.safetensors', { onProgress: ({ loaded }) => show(loaded) });
 * net.loadStateDict(state);
 * const { epoch } = await load<{ epoch: number }>('checkpoint.pt');
 */
export function load(source: `${string}.safetensors`, options?: LoadOptions): Promise<Record<string, Tensor>>;
export function load(source: `${string}.npy`, options?: LoadOptions): Promise<Tensor>;
// biome-ignore lint/suspicious/noExplicitAny: the file decides it.
export function load<T = any>(source: Source, options?: LoadOptions): Promise<T>;
export async function load(source: Source, options: LoadOptions = {}): Promise<unknown> {
  const checked = checkOptions('load', options, ['signal', 'onProgress', 'names', 'dequantize', 'tensorsOnly', ...HUB_OPTIONS]);
  const { names, dequantize = true, tensorsOnly = false } = checked;
  return read(source, checked, async (files, reading, making) => {
    const start = await reading.peek(512);
    const format = files.call((module) => module.formatOf(start));
    if (format === 'safetensors') return loadParts(files, reading, making, names);
    if (format === 'index') return loadShards(files, reading, making, names);
    if (names) throw new LanthornError('argument', 'load', 'only safetensors files can be loaded by names');
    if (format === 'archive') return loadArchive(files, reading, making, tensorsOnly);
    if (format === 'legacy') return loadLegacy(files, reading, making, tensorsOnly);
    if (format === 'npy') return loadArray(files, reading, making);
    return Object.fromEntries(await ggufTensors(files, reading, await ggufHeader(files, reading), making, dequantize));
  });
}

/** The contents of a GGUF file. */
export interface Gguf {
  /** The metadata, without the lists of its tokenizer, which `Tokenizer.fromFile` of `lanthorn/tokenizer` reads. */
  metadata: Readonly<Record<string, unknown>>;
  /** The tensors by name. */
  tensors: Record<string, Tensor | QuantizedTensor>;
}

/**
 * Reads a GGUF file with its metadata, as {@link load} reads its tensors; quantized ones stay in their blocks,
 * unless `dequantize` is true.
 *
 * @example
 * const { metadata, tensors } = await loadGguf('model.gguf');
 * console.log(metadata['general.architecture'], tensors['output.weight'].shape);
 */
export async function loadGguf(source: Source, options: Omit<LoadOptions, 'names' | 'tensorsOnly'> = {}): Promise<Gguf> {
  const checked = checkOptions<LoadOptions>('loadGguf', options, ['signal', 'onProgress', 'dequantize', ...HUB_OPTIONS]);
  const { dequantize = false } = checked;
  return read(source, checked, async (files, reading, making) => {
    const header = await ggufHeader(files, reading);
    return { metadata: header.metadata, tensors: Object.fromEntries(await ggufTensors(files, reading, header, making, dequantize)) };
  });
}

/** Reads a source; the tensors are disposed of if that fails. */
async function read<T>(
  source: Source, options: Partial<LoadOptions>,
  run: (files: FileModule, reading: Reading, making: Making) => Promise<T>,
): Promise<T> {
  const { signal, onProgress } = options;
  signal?.throwIfAborted();
  enter(() => undefined);
  const making = new Made();
  const reading = readingOf(source, signal, onProgress, hubOptionsOf(options));
  try {
    const loaded = await run(await fileModule(), reading, making);
    signal?.throwIfAborted();
    return loaded;
  } catch (error) {
    making.undo();
    throw error;
  } finally {
    await reading.close();
  }
}

type Row = [name: string, dtype: string, shape: number[], start: number, end: number];

async function loadParts(files: FileModule, reading: Reading, making: Making, names: readonly string[] | undefined): Promise<Record<string, Tensor>> {
  const lead = await reading.take(8, 'the length of the header');
  const length = files.call((module) => module.headerLength(lead));
  const json = await reading.take(length, 'the header');
  const rows = files.call((module) => module.parseHeader(json)) as Row[];
  const end = rows.at(-1)?.[4] ?? 8 + length;
  reading.expect(end);
  const wanted = names && new Set(names);
  const absent = names?.filter((name) => !rows.some((row) => row[0] === name));
  if (absent?.length) throw new LanthornError('argument', 'load', `the file has no tensor ${absent.join(', ')}`);
  const entries: [string, Tensor][] = [];
  for (const [name, dtype, shape, start, end] of rows) {
    if (wanted && !wanted.has(name)) continue;
    entries.push([name, await tensorPart(files, reading, making, name, dtype, shape, start, end)]);
  }
  if (!wanted) await reading.expectEnd();
  return Object.fromEntries(entries);
}

/** The files of an index are located relative to it, so it must have an address. */
async function loadShards(
  files: FileModule, index: Reading, making: Making, names: readonly string[] | undefined,
): Promise<Record<string, Tensor>> {
  const json = await index.rest(INDEX_LIMIT);
  const shards = files.call((module) => module.parseIndex(json)) as { file: string; names: string[] }[];
  const state: [string, Tensor][] = [];
  for (const shard of shards) {
    const wanted = names ? shard.names.filter((name) => names.includes(name)) : shard.names;
    if (wanted.length === 0) continue;
    const reading = index.beside(shard.file);
    try {
      // Every tensor of the index must be present.
      state.push(...Object.entries(await loadParts(files, reading, making, wanted)));
    } finally {
      await reading.close();
    }
  }
  return Object.fromEntries(state);
}

/**
 * The bytes of a file: tensors by name as safetensors, npz or in PyTorch's format, one tensor as
 * npy, and any tree of plain values in PyTorch's format, which `torch.load(weights_only=True)`
 * reads. The tensors are captured at the time of the call.
 *
 * @example
 * const file = await save(net.stateDict());
 */
export async function save(value: Savable, options: SaveOptions = {}): Promise<Blob> {
  const { format } = checkOptions('save', options, ['format']);
  const reads: Promise<void>[] = [];
  const tree = toElements(value, reads, 0);
  // Every read is awaited, so that no rejection goes unnoticed.
  const failed = (await Promise.allSettled(reads)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  const files = await fileModule();
  const bytes = files.call((module) => module.write(tree, format ?? (isStateDict(value) ? 'safetensors' : 'pt')));
  return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'application/octet-stream' });
}

function isStateDict(value: Savable): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Tensor) && !Array.isArray(value)
    && Object.values(value).every((item) => item instanceof Tensor) && !(value instanceof Map);
}

/** The value with elements in place of tensors; they are filled when all `reads` are done. */
function toElements(value: Savable, reads: Promise<void>[], depth: number): unknown {
  if (depth > 100) throw new LanthornError('argument', 'save', 'values lie more than 100 deep in one another, or contain themselves');
  const within = (item: Savable) => toElements(item, reads, depth + 1);
  if (value instanceof Tensor) {
    const elements: [string, readonly number[], Uint8Array | undefined] = [value.dtype, value.shape, undefined];
    reads.push(enterAsync((wasm) => wasm.tensorRead(value.coreHandle)).then((bytes) => { elements[2] = bytes as Uint8Array; }));
    return new Map([[TENSOR, elements]]);
  }
  if (Array.isArray(value)) return value.map(within);
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]: [string | number, Savable]) => [key, within(item)]));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) throw new LanthornError('argument', 'save', `cannot write ${describe(value)}`);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, within(item as Savable)]));
}

/** The format for a file's extension. */
export function formatOf(name: string): Format {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  if (ending === 'safetensors' || ending === 'npz' || ending === 'npy' || ending === 'pt') return ending;
  if (ending === 'pth') return 'pt';
  throw new LanthornError('argument', 'save', `${name}: end the name in .safetensors, .npz, .npy, .pt or .pth`);
}

/**
 * Offers the file of a value to the user as a download. The extension selects the format.
 *
 * @example
 * await download(net.stateDict(), 'digits.safetensors');
 */
export async function download(value: Savable, name: string): Promise<void> {
  const file = await save(value, { format: formatOf(name) });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The download has begun when the click's task is done.
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
