/** Sources of bytes that can be read from an offset: blobs, and bytes in memory. */
import { LanthornError } from '../core/errors.js';

/** The size of the buffer that the bytes of a stream are read into. */
const BUFFER = 1 << 18;

/** A stream of bytes from an offset. */
export interface Opened {
  chunks: Pick<AsyncIterator<Uint8Array>, 'next'>;
  /** Whether a chunk is overwritten by the next one. */
  isReused?: boolean;
  /** Ends the stream early. */
  cancel(): void;
}

/** A source of bytes that can be read from an offset. */
export interface Origin {
  open(start: number, end?: number): Promise<Opened>;
  /** Whether it can begin elsewhere than at the front. */
  seekable(): boolean;
  /** The total length, once known. */
  total(): number | undefined;
  beside(file: string): Origin;
  /** Whether the bytes are stored here, and do not arrive from a server. */
  isStored?(): boolean;
}

export function refuse(message: string): LanthornError {
  return new LanthornError('file', 'load', message);
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A reader into a buffer of the caller, if the stream has such readers. */
function openBuffered(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: 'byob' });
  } catch {
    return undefined;
  }
}

/**
 * Readers with a pending read. Chromium collects the byte stream of a blob that nothing else refers
 * to, and then its pending read never settles.
 */
const READING = new Set<ReadableStreamBYOBReader>();

async function readInto(reader: ReadableStreamBYOBReader, buffer: ArrayBuffer) {
  READING.add(reader);
  try {
    return await reader.read(new Uint8Array(buffer));
  } finally {
    READING.delete(reader);
  }
}

/**
 * The chunks of a response or a blob. They are read into one buffer, where the stream allows it:
 * otherwise the chunks of a large file wait for the collector. In Chromium a blob of 384 MiB left
 * 270 MB of them.
 */
export function bodyOf(stream: ReadableStream<Uint8Array>): Opened {
  const reader = openBuffered(stream);
  if (!reader) return chunksOf(stream);
  let buffer = new ArrayBuffer(BUFFER);
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const read = await readInto(reader, buffer);
    // A cancelled stream returns no buffer.
    if (read.value) buffer = read.value.buffer as ArrayBuffer;
    return resultOf(read);
  };
  return { chunks: { next }, isReused: true, cancel: () => void reader.cancel().catch(() => undefined) };
}

function chunksOf(stream: ReadableStream<Uint8Array>): Opened {
  const reader = stream.getReader();
  return { chunks: { next: async () => resultOf(await reader.read()) }, cancel: () => void reader.cancel().catch(() => undefined) };
}

function resultOf({ done, value }: ReadableStreamReadResult<Uint8Array>): IteratorResult<Uint8Array> {
  return done ? { done: true, value: undefined } : { done: false, value };
}

/** A blob from an offset on. A file that was replaced since it was opened can no longer be read. */
function blobFrom(blob: Blob, start: number, end = blob.size): Opened {
  const opened = bodyOf(blob.slice(start, end).stream());
  const name = blob instanceof File ? blob.name : 'the file';
  const next = () => opened.chunks.next().catch((cause: Error) => {
    throw new LanthornError('file', 'load', `${name} cannot be read, or changed while it was read (${cause.message})`, { cause });
  });
  return { ...opened, chunks: { next } };
}

/** Bytes in memory. */
class Stored implements Origin {
  readonly #length: number;
  readonly #open: (start: number, end?: number) => Opened;

  constructor(length: number, open: (start: number, end?: number) => Opened) {
    this.#length = length;
    this.#open = open;
  }

  async open(start: number, end?: number): Promise<Opened> {
    return this.#open(start, end);
  }

  seekable(): boolean {
    return true;
  }

  total(): number {
    return this.#length;
  }

  beside(file: string): Origin {
    throw refuse(`the file names a file ${file} beside it; load it by its address`);
  }
}

/** A source of the bytes of a blob. */
export function blobOrigin(blob: Blob): Origin {
  return new Stored(blob.size, (start, end) => blobFrom(blob, start, end));
}

/** A source of bytes in memory. */
export function bytesOrigin(bytes: Uint8Array): Origin {
  return new Stored(bytes.length, (start, end) => ({ chunks: once(bytes.subarray(start, end)), cancel: () => undefined }));
}
