/**
 * Parts of files, whose elements go to the device as they arrive: neither a file nor its tensors
 * are in memory twice. The module of readers accepts a part in pieces and returns the elements of
 * its regions, converted for the device; tensors that share bytes are views of one region.
 */
import type { ArchiveHandle, OutlineHandle, PartHandle } from '../../wasm/lanthorn_io.js';
import type { FileModule } from './module.js';
import type { Reading } from './reading.js';
import type { QuantizedTensor } from '../tensor/quantized-tensor.js';
import { enter, isWide } from '../core/runtime.js';
import { Tensor } from '../tensor/tensor.js';
import type { DType } from '../core/types.js';

export type { ArchiveHandle, OutlineHandle, PartHandle };

/** Makes tensors, and disposes of them if reading fails. */
export interface Making {
  add<T extends Tensor | QuantizedTensor>(made: T): T;
}

/** A tensor in a region; one that is the whole region has neither strides nor an offset. */
type Placed = [index: number, region: number, shape: number[], strides?: number[], offset?: number];

/** Tensors whose bytes arrive in pieces. */
class Uploads {
  readonly #handles: number[] = [];

  begin(index: number, dtype: DType, shape: readonly number[]): void {
    this.#handles[index] ??= enter((wasm) => wasm.uploadBegin(dtype, Float64Array.from(shape)));
  }

  has(index: number): boolean {
    return this.#handles[index] !== undefined;
  }

  push(index: number, bytes: Uint8Array): void {
    enter((wasm) => wasm.uploadPush(this.#handles[index]!, bytes));
  }

  /** Ends an upload. */
  finish(index: number): Tensor {
    const handle = this.#handles[index]!;
    delete this.#handles[index];
    return Tensor.fromCore(enter((wasm) => wasm.uploadFinish(handle)));
  }

  /** Drops the uploads that have not ended. */
  dispose(): void {
    for (const handle of this.#handles) if (handle !== undefined) enter((wasm) => wasm.uploadDispose(handle));
  }
}

/** A tensor whose bytes go to the device as they arrive. */
export async function streamed(dtype: DType, shape: readonly number[], pieces: AsyncIterable<Uint8Array>): Promise<Tensor> {
  const uploads = new Uploads();
  try {
    uploads.begin(0, dtype, shape);
    for await (const piece of pieces) uploads.push(0, piece);
    return uploads.finish(0);
  } finally {
    uploads.dispose();
  }
}

/** Element types that every device has: their bytes need no conversion. */
const EVERYWHERE: ReadonlySet<string> = new Set<DType>(['float32', 'float16', 'bfloat16', 'int32']);

/** A tensor of these bytes of a file: plain elements, or blocks, which become float32. */
export async function tensorPart(
  files: FileModule, reading: Reading, making: Making, name: string, kind: string, shape: readonly number[], start: number, end: number,
): Promise<Tensor> {
  // Ranges without bytes may lie anywhere.
  if (end > start) await reading.skipTo(start);
  if (EVERYWHERE.has(kind)) return making.add(await streamed(kind as DType, shape, reading.pieces(end - start, name)));
  const part = files.call(({ PartHandle }) => PartHandle.tensor(name, kind, Float64Array.from(shape), start, end, isWide()));
  const [[, tensor]] = (await readPart(files, reading, making, part, name)) as [[number, Tensor]];
  return tensor;
}

/** The bytes of elements in a piece of a part, with their regions. */
function* elementsIn(files: FileModule, part: PartHandle, piece: Uint8Array): Generator<[region: number, bytes: Uint8Array]> {
  const rows = files.call(() => part.push(piece)) as (number | Uint8Array | [start: number, end: number])[];
  for (let row = 0; row < rows.length; row += 2) {
    const bytes = rows[row + 1] as Uint8Array | [start: number, end: number];
    yield [rows[row] as number, Array.isArray(bytes) ? piece.subarray(...bytes) : bytes];
  }
}

/** The tensors of a part, with their indices. Frees the part. */
export async function readPart(
  files: FileModule, reading: Reading, making: Making, part: PartHandle, what: string,
): Promise<[index: number, tensor: Tensor][]> {
  const uploads = new Uploads();
  const begin = (index: number) => {
    const [dtype, shape] = part.regions()[index] as [DType, number[]];
    uploads.begin(index, dtype, shape);
  };
  try {
    if (part.remaining() > 0) await reading.skipTo(part.start);
    for (let wanted = part.remaining(); wanted > 0; wanted = part.remaining()) {
      for await (const piece of reading.pieces(wanted, what)) {
        for (const [region, bytes] of elementsIn(files, part, piece)) {
          if (!uploads.has(region)) begin(region);
          uploads.push(region, bytes);
        }
      }
    }
    files.call(() => part.finish());
    const regions = part.regions().map((_, index) => {
      begin(index);
      return making.add(uploads.finish(index));
    });
    return viewRegions(regions, part.tensors() as Placed[], making);
  } finally {
    uploads.dispose();
    part.free();
  }
}

/** The tensors in regions. */
function viewRegions(regions: readonly Tensor[], tensors: readonly Placed[], making: Making): [number, Tensor][] {
  const viewed = new Set<Tensor>();
  const made = tensors.map(([index, region, shape, strides, offset]): [number, Tensor] => {
    const whole = regions[region]!;
    if (!strides) return [index, whole];
    viewed.add(whole);
    return [index, making.add(whole.asStrided(shape, strides, offset!))];
  });
  for (const whole of viewed) whole.dispose();
  return made;
}

/** The content of a part, without consuming bytes: a small entry of an archive. Frees the part. */
export async function contentOf(files: FileModule, reading: Reading, part: PartHandle, what: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  try {
    let at = part.start;
    for (let wanted = part.remaining(); wanted > 0; wanted = part.remaining()) {
      const bytes = await reading.part(at, at + wanted, what);
      at += wanted;
      for (const [, content] of elementsIn(files, part, bytes)) pieces.push(content);
    }
    files.call(() => part.finish());
    return new Uint8Array(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  } finally {
    part.free();
  }
}
