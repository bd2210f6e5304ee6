/** Bytes of sources: whole, from an offset, and decompressed. */
import { LanthornError } from '../core/errors.js';
import { bytesOrigin, type Opened, type Origin } from '../io/origin.js';
import { Reading, readingOf, type Source } from '../io/source.js';

/** The largest file that is read as a whole. */
const LIMIT = 2 ** 31 - 1;

/** All bytes of a source. */
export async function bytesOf(source: Source, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const reading = readingOf(source, signal, undefined);
  try {
    // The bytes of a disk are read into a buffer that the next read overwrites.
    return (await reading.rest(LIMIT)).slice();
  } finally {
    await reading.close();
  }
}

/** The bytes of a source as a blob, which browsers keep outside of the page's memory. */
export async function blobOf(source: Source, signal?: AbortSignal): Promise<Blob> {
  return source instanceof Blob ? source : new Blob([await bytesOf(source, signal)]);
}

/** Bytes that arrive from a generator, as a source of one reading. */
function streamOrigin(chunks: AsyncIterator<Uint8Array>): Origin {
  const opened: Opened = { chunks, cancel: () => void chunks.return?.() };
  return {
    open: async () => opened,
    seekable: () => false,
    total: () => undefined,
    beside: () => { throw new LanthornError('file', 'load', 'a compressed file is a single file'); },
  };
}

const isGzip = (start: Uint8Array) => start[0] === 0x1f && start[1] === 0x8b;

async function* inflate(reading: Reading, op: string, format: CompressionFormat): AsyncGenerator<Uint8Array> {
  const pieces = reading.pieces();
  const compressed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value.slice());
      } catch (error) {
        controller.error(error);
      }
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
  const reader = compressed.pipeThrough(new DecompressionStream(format)).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } catch (cause) {
    if (cause instanceof LanthornError || (cause as { name?: string })?.name === 'AbortError') throw cause;
    throw new LanthornError('file', op, `the compressed data end early or are damaged (${cause instanceof Error ? cause.message : String(cause)})`, { cause });
  } finally {
    await reader.cancel().catch(() => undefined);
    await reading.close();
  }
}

/** A reading of a source that is decompressed, if it is gzip. */
export async function plainReading(op: string, source: Source, signal?: AbortSignal): Promise<Reading> {
  const reading = readingOf(source, signal, undefined);
  if (!isGzip(await reading.peek(2))) return reading;
  return new Reading(streamOrigin(inflate(reading, op, 'gzip')), signal, undefined);
}

/**
 * The bytes of a file, decompressed if it is gzip.
 *
 * @throws a LanthornError of kind `file`, if the compressed data end early or are damaged.
 *
 * @example
 * const labels = readIdx(await readGzip('train-labels-idx1-ubyte.gz'));
 */
export async function readGzip(source: Source): Promise<Uint8Array<ArrayBuffer>> {
  const reading = await plainReading('readGzip', source);
  try {
    return (await reading.rest(LIMIT)).slice();
  } finally {
    await reading.close();
  }
}

/** Bytes of an archive's entry that are compressed by deflate. */
export async function inflateRaw(op: string, bytes: Uint8Array): Promise<Uint8Array> {
  const reading = new Reading(bytesOrigin(bytes), undefined, undefined);
  const plain = new Reading(streamOrigin(inflate(reading, op, 'deflate-raw')), undefined, undefined);
  return plain.rest(LIMIT);
}

/** Bytes that are compressed by zlib. */
export async function inflateZlib(op: string, bytes: Uint8Array): Promise<Uint8Array> {
  const reading = new Reading(bytesOrigin(bytes), undefined, undefined);
  const plain = new Reading(streamOrigin(inflate(reading, op, 'deflate')), undefined, undefined);
  return plain.rest(LIMIT);
}
