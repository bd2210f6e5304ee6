/** Bytes of a URL, a file, or memory, read from front to back. */
import { describe } from './check.js';
import { LanthornError } from './errors.js';
import { FileOnDisk, isOnDisk } from './io-disk.js';
import type { LoadProgress } from './io-files.js';

/** The source of a file: a URL (in Node also a path), a `File` or `Blob`, or bytes. */
export type Source = string | URL | Blob | ArrayBuffer | ArrayBufferView;

/** The number of bytes in the first request: most headers, and all of a small file. */
const FIRST = 1 << 16;
/** A gap large enough for a separate request. */
const GAP = 1 << 20;
/** The largest piece that is passed on at once. */
const PIECE = 1 << 20;

/** A stream of bytes from an offset, and the total length according to its source. */
interface Opened {
  chunks: AsyncIterator<Uint8Array>;
  /** Ends the stream early. */
  cancel(): void;
}

/** A source of bytes that can be read from an offset. */
interface Origin {
  open(start: number): Promise<Opened>;
  /** Whether it can begin elsewhere than at the front. */
  seekable(): boolean;
  /** The total length, once known. */
  total(): number | undefined;
  beside(file: string): Origin;
}

function refuse(message: string): LanthornError {
  return new LanthornError('file', 'load', message);
}

/** A reader of a source, from its beginning. */
export function readingOf(source: Source, signal: AbortSignal | undefined, onProgress: ((progress: LoadProgress) => void) | undefined): Reading {
  return new Reading(originOf(source, signal), signal, onProgress);
}

function originOf(source: Source, signal: AbortSignal | undefined): Origin {
  if (typeof source === 'string' || source instanceof URL) return isOnDisk(source) ? new FileOnDisk(source, signal) : new Address(source, signal);
  if (source instanceof Blob) return new Stored(source.size, (start) => blobFrom(source, start));
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    const bytes = source instanceof ArrayBuffer ? new Uint8Array(source) : new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    return new Stored(bytes.length, (start) => ({ chunks: once(bytes.subarray(start)), cancel: () => undefined }));
  }
  throw new LanthornError('argument', 'load', `takes an address, a File, a Blob or bytes, not ${describe(source)}`);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function chunksOf(stream: ReadableStream<Uint8Array>): Opened {
  const reader = stream.getReader();
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const { done, value } = await reader.read();
    return done ? { done: true, value: undefined } : { done: false, value };
  };
  return { chunks: { next }, cancel: () => void reader.cancel().catch(() => undefined) };
}

/** A blob from an offset on. A file that was replaced since it was opened can no longer be read. */
function blobFrom(blob: Blob, start: number): Opened {
  const { chunks, cancel } = chunksOf(blob.slice(start).stream());
  const name = blob instanceof File ? blob.name : 'the file';
  const next = () => chunks.next().catch((cause: Error) => {
    throw new LanthornError('file', 'load', `${name} cannot be read, or changed while it was read (${cause.message})`, { cause });
  });
  return { chunks: { next }, cancel };
}

/** Bytes in memory. */
class Stored implements Origin {
  readonly #length: number;
  readonly #open: (start: number) => Opened;

  constructor(length: number, open: (start: number) => Opened) {
    this.#length = length;
    this.#open = open;
  }

  async open(start: number): Promise<Opened> {
    return this.#open(start);
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

/**
 * Bytes of a URL. The first request asks for a range, and its answer shows whether the server
 * supports ranges.
 */
class Address implements Origin {
  readonly #url: string | URL;
  readonly #signal: AbortSignal | undefined;
  #ranges = false;
  #total: number | undefined;
  #tag: string | null = null;

  constructor(url: string | URL, signal: AbortSignal | undefined) {
    this.#url = url;
    this.#signal = signal;
  }

  seekable(): boolean {
    return this.#ranges;
  }

  total(): number | undefined {
    return this.#total;
  }

  beside(file: string): Origin {
    const path = file.split('/').map(encodeURIComponent).join('/');
    return new Address(new URL(path, new URL(this.#url, globalThis.location?.href)), this.#signal);
  }

  async #fetch(range: string): Promise<Response> {
    const init: RequestInit = { headers: { Range: `bytes=${range}` } };
    if (this.#signal) init.signal = this.#signal;
    const response = await this.#told(() => fetch(this.#url, init));
    if (!response.ok) {
      void response.body?.cancel();
      throw refuse(`${this.#url}: the server answered ${response.status} ${response.statusText}`.trim());
    }
    return response;
  }

  /** Converts a network error; an abort is unchanged. */
  async #told<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw error instanceof LanthornError ? error : refuse(`${this.#url}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async open(start: number): Promise<Opened> {
    if (start > 0) return this.#range(start);
    const response = await this.#fetch(`0-${FIRST - 1}`);
    this.#ranges = response.status === 206;
    this.#tag = response.headers.get('etag');
    if (!this.#ranges) {
      // The decoded body has another length than the one sent.
      const length = response.headers.get('content-encoding') ? null : response.headers.get('content-length');
      this.#total = length === null ? undefined : Number(length);
      return this.#body(response, this.#total);
    }
    const range = /^bytes 0-(\d+)\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '');
    if (range && range[2] !== '*') this.#total = Number(range[2]);
    return this.#continued(this.#body(response, range ? Number(range[1]) + 1 : undefined));
  }

  async #range(start: number): Promise<Opened> {
    const response = await this.#fetch(`${start}-`);
    const given = response.headers.get('content-range');
    const changed = this.#tag !== null && response.headers.get('etag') !== this.#tag;
    if (response.status !== 206 || changed || (given !== null && !given.startsWith(`bytes ${start}-`))) {
      void response.body?.cancel();
      throw refuse(`${this.#url}: the file changed while it was read`);
    }
    return this.#body(response, this.#total === undefined ? undefined : this.#total - start);
  }

  /** The first range, and then the rest in a second request, if there is any. */
  #continued(first: Opened): Opened {
    let [current, read, isFirst] = [first, 0, true];
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      const result = await current.chunks.next();
      if (!result.done) {
        read += result.value.length;
        return result;
      }
      const isAll = this.#total === undefined ? read < FIRST : read >= this.#total;
      if (!isFirst || isAll) return result;
      isFirst = false;
      current = await this.#range(read);
      return next();
    };
    return { chunks: { next }, cancel: () => current.cancel() };
  }

  /** The bytes of a response, whose number must match the announced length. */
  #body(response: Response, expected: number | undefined): Opened {
    if (!response.body) return { chunks: once(new Uint8Array()), cancel: () => undefined };
    const { chunks, cancel } = chunksOf(response.body);
    let read = 0;
    const next = () => this.#told(async () => {
      const result = await chunks.next();
      read += result.done ? 0 : result.value.length;
      if (expected !== undefined && (read > expected || (result.done && read < expected))) {
        throw refuse(`${this.#url}: ${read} bytes arrived where ${expected} were announced`);
      }
      return result;
    });
    return { chunks: { next }, cancel };
  }
}

/** A forward cursor over a source. */
export class Reading {
  readonly #origin: Origin;
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: LoadProgress) => void) | undefined;
  #opened: Opened | undefined;
  /** Bytes that have arrived and were not taken. */
  #held: Uint8Array[] = [];
  #heldLength = 0;
  /** The offset of the first byte that was not taken. */
  #at = 0;
  #arrived = 0;

  constructor(origin: Origin, signal: AbortSignal | undefined, onProgress: ((progress: LoadProgress) => void) | undefined) {
    this.#origin = origin;
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  /** A second reader of the same file. */
  beside(file: string): Reading {
    return new Reading(this.#origin.beside(file), this.#signal, this.#onProgress);
  }

  /** Waits for more bytes; resolves to whether there are any. */
  async #more(): Promise<boolean> {
    this.#opened ??= await this.#origin.open(this.#at);
    const { done, value } = await this.#opened.chunks.next();
    this.#signal?.throwIfAborted();
    if (done) return false;
    this.#held.push(value);
    this.#heldLength += value.length;
    this.#arrived += value.length;
    this.#onProgress?.({ loaded: this.#arrived, total: this.#origin.total() });
    return true;
  }

  /** The next bytes, at most `count`, without consuming them. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.#heldLength < count && (await this.#more()));
    this.#held = [joined(this.#held, this.#heldLength)];
    return this.#held[0]!.subarray(0, count);
  }

  /**
   * The next bytes; `what` names them in errors. Memory is allocated as they arrive, not for a
   * length that a file claims.
   */
  async take(count: number, what: string): Promise<Uint8Array> {
    while (this.#heldLength < count) {
      if (!(await this.#more())) throw refuse(`the file ends within ${what}: ${this.#heldLength} of ${count} bytes are there`);
    }
    const all = joined(this.#held, this.#heldLength);
    this.#held = [all.subarray(count)];
    this.#heldLength -= count;
    this.#at += count;
    return all.subarray(0, count);
  }

  /** The next bytes in pieces, as they arrive: `count` of them, which `what` names in errors, or all that are left. */
  async *pieces(count = Infinity, what = 'the file'): AsyncGenerator<Uint8Array> {
    let left = count;
    while (left > 0) {
      if (this.#heldLength === 0 && !(await this.#more())) break;
      const [first, ...others] = this.#held as [Uint8Array, ...Uint8Array[]];
      const piece = first.subarray(0, Math.min(PIECE, left));
      this.#held = piece.length < first.length ? [first.subarray(piece.length), ...others] : others;
      this.#heldLength -= piece.length;
      this.#at += piece.length;
      left -= piece.length;
      yield piece;
    }
    if (left > 0 && left < Infinity) throw refuse(`the file ends within ${what}: ${count - left} of ${count} bytes are there`);
  }

  /** The total number of bytes, once known. */
  get total(): number | undefined {
    return this.#origin.total();
  }

  /** The offset of the next byte. */
  get position(): number {
    return this.#at;
  }

  /** All remaining bytes, up to a limit. */
  async rest(limit: number): Promise<Uint8Array> {
    do {
      if (Math.max(this.#heldLength, this.#origin.total() ?? 0) > limit) {
        throw refuse(`a file of more than ${limit} bytes; only safetensors and GGUF files can be larger`);
      }
    } while (await this.#more());
    return this.take(this.#heldLength, 'the file');
  }

  /** Skips to an offset; `what` names the bytes before it in errors. */
  async skipTo(place: number, what = 'a tensor'): Promise<void> {
    if (place - this.#at - this.#heldLength > GAP && this.#origin.seekable()) {
      await this.close();
      [this.#held, this.#heldLength, this.#at] = [[], 0, place];
    }
    while (this.#at < place) await this.take(Math.min(place - this.#at, GAP), what);
  }

  /** Checks the length of the file against its header. */
  expect(length: number): void {
    const total = this.#origin.total();
    if (total !== undefined && total !== length) throw refuse(`the file has ${total} bytes, its header tells of ${length}`);
  }

  /** Checks that no bytes are left. */
  async expectEnd(): Promise<void> {
    if ((await this.peek(1)).length > 0) throw refuse('the file has bytes behind its last tensor');
  }

  /** Ends reading. */
  async close(): Promise<void> {
    this.#opened?.cancel();
    this.#opened = undefined;
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
