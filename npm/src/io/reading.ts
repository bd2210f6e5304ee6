/** A forward cursor over the bytes of a source, which also reads ranges elsewhere. */
import type { LoadProgress } from './options.js';
import { blobOrigin, refuse, type Opened, type Origin } from './origin.js';

/** A gap large enough for a separate request. */
const GAP = 1 << 20;
/** The largest piece that is passed on at once. */
const PIECE = 1 << 20;

export class Reading {
  #origin: Origin;
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: ((progress: LoadProgress) => void) | undefined;
  #opened: Opened | undefined;
  /** Bytes that have arrived and were not taken. */
  #held: Uint8Array[] = [];
  #heldLength = 0;
  /** Whether the last of the held chunks is overwritten by the next one. */
  #isLent = false;
  /** The offset of the first byte that was not taken. */
  #at = 0;
  #arrived = 0;
  /** Whether the bytes arrived before, and are read from where they are kept. */
  #isKept = false;

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
    this.#opened ??= await this.#origin.open(this.#at + this.#heldLength);
    if (this.#isLent && this.#held.length > 0) this.#held.push(this.#held.pop()!.slice());
    const { done, value } = await this.#opened.chunks.next();
    this.#signal?.throwIfAborted();
    if (done) return false;
    this.#isLent = this.#opened.isReused ?? false;
    this.#held.push(value);
    this.#heldLength += value.length;
    if (!this.#isKept && !this.#origin.isStored?.()) this.#tell(this.#arrived + value.length);
    return true;
  }

  #tell(arrived: number): void {
    this.#arrived = arrived;
    this.#onProgress?.({ loaded: arrived, total: this.#origin.total() });
  }

  /** The next `count` bytes, which have arrived, as one chunk; `count` is at most their number. */
  #front(count: number): Uint8Array {
    const [first] = this.#held;
    const isLast = this.#held.length === 1;
    if (!first || count === 0) return new Uint8Array();
    if (first.length >= count && !(isLast && this.#isLent)) return first.subarray(0, count);
    const front = new Uint8Array(count);
    this.#copy(front, 0);
    return front;
  }

  /** Copies held bytes from an index among them. */
  #copy(target: Uint8Array, start: number): void {
    let [at, copied] = [0, 0];
    for (const chunk of this.#held) {
      const piece = chunk.subarray(Math.max(0, start - at), Math.max(0, start + target.length - at));
      target.set(piece, copied);
      copied += piece.length;
      at += chunk.length;
      if (copied === target.length) break;
    }
  }

  /** Takes the next bytes out of the first chunk, at most `count`. */
  #shift(count: number): Uint8Array {
    const first = this.#held[0]!;
    const piece = first.length > count ? first.subarray(0, count) : first;
    if (piece.length === first.length) this.#held.shift();
    else this.#held[0] = first.subarray(count);
    this.#heldLength -= piece.length;
    this.#at += piece.length;
    return piece;
  }

  #drop(count: number): void {
    for (let left = count; left > 0;) left -= this.#shift(left).length;
  }

  /** The next bytes, at most `count`, without consuming them. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.#heldLength < count && (await this.#more()));
    return this.#front(Math.min(count, this.#heldLength));
  }

  /**
   * The next bytes; `what` names them in errors. Memory is allocated as they arrive, not for a
   * length that a file claims.
   */
  async take(count: number, what: string): Promise<Uint8Array> {
    while (this.#heldLength < count) {
      if (!(await this.#more())) throw refuse(`the file ends within ${what}: ${this.#heldLength} of ${count} bytes are there`);
    }
    const taken = this.#front(count);
    this.#drop(count);
    return taken;
  }

  /**
   * The next bytes in pieces, as they arrive: `count` of them, which `what` names in errors, or all
   * that are left. A piece is valid until the next one is asked for.
   */
  async *pieces(count = Infinity, what = 'the file'): AsyncGenerator<Uint8Array> {
    let left = count;
    while (left > 0) {
      if (this.#heldLength === 0 && !(await this.#more())) break;
      const piece = this.#shift(Math.min(PIECE, left));
      left -= piece.length;
      yield piece;
    }
    if (left > 0 && left < Infinity) throw refuse(`the file ends within ${what}: ${count - left} of ${count} bytes are there`);
  }

  /** The bytes of a range that does not begin before the next byte, without consuming them; `what` names them in errors. */
  async part(start: number, end: number, what: string): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    if (end <= this.#at + this.#heldLength) {
      this.#copy(bytes, start - this.#at);
      return bytes;
    }
    const opened = await this.#origin.open(start, end);
    try {
      for (let read = 0; read < bytes.length;) {
        const { done, value } = await opened.chunks.next();
        this.#signal?.throwIfAborted();
        if (done) throw refuse(`the file ends within ${what}: ${read} of ${bytes.length} bytes are there`);
        bytes.set(value.subarray(0, bytes.length - read), read);
        read += value.length;
      }
      return bytes;
    } finally {
      opened.cancel();
    }
  }

  /**
   * The length of the file, of which nothing was taken; from then on any {@link part} can be read. The
   * bytes of a source that does not tell its length, or cannot be read elsewhere than at its front,
   * become a blob, which browsers keep outside of the page.
   */
  async length(): Promise<number> {
    await this.peek(1);
    const total = this.#origin.total();
    if (total !== undefined && this.#origin.seekable()) return total;
    const blob = await this.#blob();
    await this.close();
    [this.#origin, this.#isKept] = [blobOrigin(blob), true];
    [this.#held, this.#heldLength, this.#at] = [[], 0, 0];
    return blob.size;
  }

  /** The remaining bytes as a blob. */
  async #blob(): Promise<Blob> {
    const blobs: Blob[] = [];
    for await (const piece of this.pieces()) blobs.push(new Blob([piece as Uint8Array<ArrayBuffer>]));
    return new Blob(blobs);
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
        throw refuse(`a file of more than ${limit} bytes`);
      }
    } while (await this.#more());
    return this.take(this.#heldLength, 'the file');
  }

  /** Skips to an offset; `what` names the bytes before it in errors. */
  async skipTo(offset: number, what = 'a tensor'): Promise<void> {
    if (offset - this.#at - this.#heldLength > GAP && this.#origin.seekable()) {
      await this.close();
      [this.#held, this.#heldLength, this.#at] = [[], 0, offset];
    }
    const count = offset - this.#at;
    for await (const piece of this.pieces(count, what)) void piece;
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

  /**
   * Reports that no more bytes are needed: bytes that were not read, or that are in other files,
   * count as loaded.
   */
  complete(): void {
    const total = this.#origin.total();
    if (total !== undefined && total > this.#arrived) this.#tell(total);
  }

  /** Ends reading. */
  async close(): Promise<void> {
    this.#opened?.cancel();
    this.#opened = undefined;
  }
}
