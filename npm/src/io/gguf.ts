/** GGUF files, read tensor by tensor, so that a file is never in memory as a whole. */
import type { FileModule } from './module.js';
import { streamed, tensorPart, type Making } from './parts.js';
import type { Reading } from './reading.js';
import { blocksOf, isBlockFormat, QuantizedTensor, type BlockFormat } from '../tensor/quantized-tensor.js';
import type { Tensor } from '../tensor/tensor.js';

/** The bytes that are first read to find the header; a header that is longer is looked for in twice as many. */
const FIRST = 2 ** 18;
/** The longest header, in bytes: a vocabulary is in it. */
const HEADER_LIMIT = 2 ** 28;

/** A row of the header: a tensor with the range of its bytes in the file. */
type Row = [name: string, kind: string, shape: number[], start: number, end: number];

/** The header of a file. */
export interface GgufHeader {
  /** The metadata, without the tokenizer's lists. */
  metadata: Readonly<Record<string, unknown>>;
  rows: Row[];
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

/** The tensors of a file, in its order; with `dequantize`, those in blocks become float32. */
export async function ggufTensors(
  files: FileModule, reading: Reading, header: GgufHeader, making: Making, dequantize: boolean,
): Promise<[string, Tensor | QuantizedTensor][]> {
  const rows = [...header.rows].sort((a, b) => a[3] - b[3]);
  const made = new Map<string, Tensor | QuantizedTensor>();
  for (const [name, kind, shape, start, end] of rows) {
    if (dequantize || !isBlockFormat(kind)) {
      made.set(name, await tensorPart(files, reading, making, name, kind, shape, start, end));
      continue;
    }
    // Ranges without bytes may lie anywhere.
    if (end > start) await reading.skipTo(start);
    made.set(name, making.add(await quantized(kind, shape, reading.pieces(end - start, name))));
  }
  return header.rows.map(([name]) => [name, made.get(name)!]);
}

async function quantized(format: BlockFormat, shape: readonly number[], pieces: AsyncIterable<Uint8Array>): Promise<QuantizedTensor> {
  return new QuantizedTensor(await streamed('uint8', blocksOf(shape, format), pieces), format);
}
