/** Checkpoints of PyTorch and archives of NumPy, read storage by storage and array by array. */
import type { LeftOut, Loaded, LoadOptions } from './options.js';
import type { FileModule } from './module.js';
import { contentOf, readPart, type ArchiveHandle, type Making, type OutlineHandle } from './parts.js';
import type { Reading } from './reading.js';
import { enter, isWide } from '../core/runtime.js';
import { Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';

type TensorsOnly = NonNullable<LoadOptions['tensorsOnly']>;

/** The bytes that are first read to find the pickles of an old file; twice as many, if they are not enough. */
const FIRST = 2 ** 18;
/** The most bytes that the pickles of an old file have. */
const PICKLES_LIMIT = 2 ** 27;

/** The key of a tensor in the tree of a checkpoint: a map of this key alone, which no dictionary of a file is. */
const TENSOR = 'tensor';
/** A tensor in a tree: its index, or its elements. */
type Content = number | [dtype: DType, shape: number[], bytes: Uint8Array];

/** A checkpoint, or the arrays of npz: an archive. */
export async function loadArchive(files: FileModule, reading: Reading, making: Making, tensorsOnly: TensorsOnly): Promise<Loaded> {
  const length = await reading.length();
  const tail = files.call((module) => module.tailOf(length));
  const last = await reading.part(tail, length, 'the directory');
  const archive = files.call(({ ArchiveHandle }) => new ArchiveHandle(last, length, isWide()));
  try {
    const { start, end } = archive;
    const directory = start >= tail ? last.subarray(start - tail, end - tail) : await reading.part(start, end, 'the directory');
    const isNpz = files.call(() => archive.open(directory));
    if (isNpz) return await loadArrays(files, reading, making, archive);
    const order = files.call(() => archive.order());
    const orderText = order && (await contentOf(files, reading, order, 'the order of bytes'));
    const pickle = await contentOf(files, reading, files.call(() => archive.pickle()), 'data.pkl');
    const outline = files.call(() => archive.outline(pickle, orderText, tensorsOnly !== false));
    return await loadOutline(files, reading, making, outline, tensorsOnly);
  } finally {
    archive.free();
  }
}

async function loadArrays(files: FileModule, reading: Reading, making: Making, archive: ArchiveHandle): Promise<Record<string, Tensor>> {
  const [names, starts] = files.call(() => [archive.names(), archive.starts()] as const);
  const order = names.map((_, index) => index).sort((a, b) => starts[a]! - starts[b]!);
  const made: Tensor[] = [];
  for (const index of order) {
    const part = files.call(() => archive.array(index));
    const [[, tensor]] = (await readPart(files, reading, making, part, names[index]!)) as [[number, Tensor]];
    made[index] = tensor;
  }
  reading.complete();
  return Object.fromEntries(names.map((name, index) => [name, made[index]!]));
}

/** A checkpoint from before version 1.6. */
export async function loadLegacy(files: FileModule, reading: Reading, making: Making, tensorsOnly: TensorsOnly): Promise<Loaded> {
  const length = await reading.length();
  for (let most = FIRST; ; most *= 2) {
    const start = await reading.peek(most);
    const isLast = start.length < most || most >= PICKLES_LIMIT;
    const outline = files.call((module) => module.legacyOutline(start, length, isLast, tensorsOnly !== false, isWide()));
    if (outline) return loadOutline(files, reading, making, outline, tensorsOnly);
  }
}

/** The array of a npy file. */
export async function loadArray(files: FileModule, reading: Reading, making: Making): Promise<Tensor> {
  const length = await reading.length();
  const part = files.call(({ PartHandle }) => PartHandle.array(length, isWide()));
  const [[, tensor]] = (await readPart(files, reading, making, part, 'the array')) as [[number, Tensor]];
  return tensor;
}

/** The tree of a checkpoint with its tensors. Frees the outline. */
async function loadOutline(
  files: FileModule, reading: Reading, making: Making, outline: OutlineHandle, tensorsOnly: TensorsOnly,
): Promise<Loaded> {
  try {
    const made: Tensor[] = [];
    for (let index = 0; index < outline.length; index += 1) {
      const part = files.call(() => outline.part(index));
      for (const [tensor, view] of await readPart(files, reading, making, part, 'a storage')) made[tensor] = view;
    }
    reading.complete();
    const loaded = withTensors(files.call(() => outline.value()), made, making);
    if (tensorsOnly !== false) tellLeft(outline.left() as [path: string, type: string][], tensorsOnly);
    return loaded;
  } finally {
    outline.free();
  }
}

function tellLeft(rows: readonly [path: string, type: string][], tensorsOnly: TensorsOnly): void {
  const left = rows.map(([path, type]): LeftOut => ({ path, type }));
  if (typeof tensorsOnly === 'function') tensorsOnly(left);
  else if (left.length > 0) console.warn(`load: left out ${left.map(({ path, type }) => `${path} (${type})`).join(', ')}`);
}

/** A tree with its tensors. */
function withTensors(value: unknown, made: readonly Tensor[], making: Making): Loaded {
  const within = (item: unknown) => withTensors(item, made, making);
  if (Array.isArray(value)) return value.map(within);
  if (value instanceof Map) {
    const content = value.get(TENSOR) as Content | undefined;
    if (typeof content === 'number') return made[content]!;
    if (content) {
      const [dtype, shape, bytes] = content;
      return making.add(Tensor.fromCore(enter((wasm) => wasm.tensorFromBytes(dtype, bytes, Float64Array.from(shape)))));
    }
    return new Map(Array.from(value, ([key, item]) => [within(key), within(item)]));
  }
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, within(item)]));
  }
  return value as Loaded;
}
