/** GGUF files, read tensor by tensor, so that a file is never in memory as a whole. */
import type { FileModule } from './io-module.js';
import type { Reading } from './io-source.js';
import { blocksOf, isBlockFormat, QuantizedTensor, type BlockFormat } from './quantized-tensor.js';
import { enter, isWide } from './runtime.js';
import { Tensor } from './tensor.js';
import type { DType } from './types.js';

/** The bytes that are first read to find the header; a header that is longer is looked for in twice as many. */
const FIRST = 2 ** 18;
/** The longest header, in bytes: a vocabulary is in it. */
const HEADER_LIMIT = 2 ** 28;

/** A row of the header: a tensor with the range of its bytes in the file. */
type Row = [name: string, kind: string, shape: number[], start: number, end: number];

/** What a file says before its tensors. */
export interface GgufHeader {
  /** The metadata, without the tokenizer's lists. */
  metadata: Readonly<Record<string, unknown>>;
  rows: Row[];
}

/** Makes tensors, and disposes of them if reading fails. */
export interface Making {
  add<T extends Tensor | QuantizedTensor>(made: T): T;
}

/** The header, without consuming it. */
export async function ggufHeader(files: FileModule, reading: Reading): Promise<GgufHeader> {
  for (let most = FIRST; ; most *= 2) {
    const start = await reading.peek(most);
    const isLast = start.length < most || most >= HEADER_LIMIT;
    const header = files.call((module) => module.ggufHeader(start, reading.total ?? NaN, isLast)) as GgufHeader | undefined;
    if (header) return header;
  }
}

/** A tensor whose bytes go to the device as they arrive. */
async function streamed(dtype: DType, shape: readonly number[], pieces: AsyncIterable<Uint8Array>): Promise<Tensor> {
  const upload = enter((wasm) => wasm.uploadBegin(dtype, Float64Array.from(shape)));
  try {
    for await (const piece of pieces) enter((wasm) => wasm.uploadPush(upload, piece));
    return Tensor.fromCore(enter((wasm) => wasm.uploadFinish(upload)));
  } catch (error) {
    enter((wasm) => wasm.uploadDispose(upload));
    throw error;
  }
}

/** Element types that every device has: their bytes need no conversion. */
const EVERYWHERE: ReadonlySet<string> = new Set<DType>(['float32', 'float16', 'bfloat16', 'int32']);

/** The tensors of a file, in its order; with `dequantize`, those in blocks become float32. */
export async function ggufTensors(
  files: FileModule, reading: Reading, header: GgufHeader, making: Making, dequantize: boolean,
): Promise<[string, Tensor | QuantizedTensor][]> {
  const rows = [...header.rows].sort((a, b) => a[3] - b[3]);
  const made = new Map<string, Tensor | QuantizedTensor>();
  for (const [name, kind, shape, start, end] of rows) {
    // Ranges without bytes may lie anywhere.
    if (end > start) await reading.skipTo(start);
    const pieces = () => reading.pieces(end - start, name);
    if (EVERYWHERE.has(kind)) made.set(name, making.add(await streamed(kind as DType, shape, pieces())));
    else if (isBlockFormat(kind) && !dequantize) made.set(name, making.add(await quantized(kind, shape, pieces())));
    else {
      const bytes = await reading.take(end - start, name);
      const [dtype, , numbers] = files.call((module) => module.ggufTensor(name, kind, Float64Array.from(shape), bytes, isWide())) as [DType, number[], Uint8Array];
      made.set(name, making.add(Tensor.fromCore(enter((wasm) => wasm.tensorFromBytes(dtype, numbers, Float64Array.from(shape))))));
    }
  }
  return header.rows.map(([name]) => [name, made.get(name)!]);
}

async function quantized(format: BlockFormat, shape: readonly number[], pieces: AsyncIterable<Uint8Array>): Promise<QuantizedTensor> {
  return new QuantizedTensor(await streamed('uint8', blocksOf(shape, format), pieces), format);
}
