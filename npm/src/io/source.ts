/** Bytes of a URL, a file, or memory, read from front to back. */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { HubOptions } from '../hub/settings.js';
import { FileOnDisk, isOnDisk } from './disk.js';
import { isHubAddress } from './hub-address.js';
import type { LoadProgress } from './options.js';
import { blobOrigin, bytesOrigin, bodyOf, once, refuse, type Opened, type Origin } from './origin.js';
import { Reading } from './reading.js';

export { Reading } from './reading.js';

/**
 * The source of a file: a URL (in Node also a path), a file of a hub as `hf://owner/name/file`, a
 * `File` or `Blob`, or bytes.
 */
export type Source = string | URL | Blob | ArrayBuffer | ArrayBufferView;

/** The number of bytes in the first request: most headers, and all of a small file. */
const FIRST = 1 << 16;

type OnProgress = ((progress: LoadProgress) => void) | undefined;

/** A reader of a source, from its beginning; `hub` has the options of a hub's file. */
export function readingOf(source: Source, signal: AbortSignal | undefined, onProgress: OnProgress, hub: HubOptions = {}): Reading {
  const origin = isHubAddress(source) ? new HubFile(String(source), hub, signal, onProgress) : originOf(source, signal);
  return new Reading(origin, signal, onProgress);
}

function originOf(source: Source, signal: AbortSignal | undefined): Origin {
  if (typeof source === 'string' || source instanceof URL) return isOnDisk(source) ? new FileOnDisk(source, signal) : new Address(source, signal);
  if (source instanceof Blob) return blobOrigin(source);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    return bytesOrigin(source instanceof ArrayBuffer ? new Uint8Array(source) : new Uint8Array(source.buffer, source.byteOffset, source.byteLength));
  }
  throw new LanthornError('argument', 'load', `takes an address, a File, a Blob or bytes, not ${describe(source)}`);
}

/** A file of a hub. The code of hubs is loaded with the first one. */
class HubFile implements Origin {
  readonly #address: string;
  readonly #hub: HubOptions;
  readonly #signal: AbortSignal | undefined;
  readonly #onProgress: OnProgress;
  #found: Origin | undefined;

  constructor(address: string, hub: HubOptions, signal: AbortSignal | undefined, onProgress: OnProgress) {
    this.#address = address;
    this.#hub = hub;
    this.#signal = signal;
    this.#onProgress = onProgress;
  }

  async open(start: number, end?: number): Promise<Opened> {
    this.#found ??= await this.#find();
    return this.#found.open(start, end);
  }

  async #find(): Promise<Origin> {
    const { locate } = await import('../hub/repository.js');
    const found = await locate('load', this.#address, this.#hub, this.#signal, this.#onProgress);
    return 'headers' in found ? new Address(found.url, this.#signal, found.headers) : originOf(found.content, this.#signal);
  }

  seekable(): boolean {
    return this.#found?.seekable() ?? false;
  }

  total(): number | undefined {
    return this.#found?.total();
  }

  isStored(): boolean {
    return this.#found !== undefined && !(this.#found instanceof Address);
  }

  beside(file: string): Origin {
    return new HubFile(this.#address.replace(/[^/]*$/, () => file), this.#hub, this.#signal, this.#onProgress);
  }
}

/**
 * Bytes of a URL. The first request asks for a range, and its answer shows whether the server
 * supports ranges.
 */
class Address implements Origin {
  readonly #url: string | URL;
  readonly #signal: AbortSignal | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  #ranges = false;
  #total: number | undefined;
  #tag: string | null = null;

  constructor(url: string | URL, signal: AbortSignal | undefined, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#signal = signal;
    this.#headers = headers;
  }

  seekable(): boolean {
    return this.#ranges;
  }

  total(): number | undefined {
    return this.#total;
  }

  beside(file: string): Origin {
    const path = file.split('/').map(encodeURIComponent).join('/');
    return new Address(new URL(path, new URL(this.#url, globalThis.location?.href)), this.#signal, this.#headers);
  }

  async #fetch(range: string): Promise<Response> {
    const init: RequestInit = { headers: { ...this.#headers, Range: `bytes=${range}` } };
    if (this.#signal) init.signal = this.#signal;
    const response = await this.#reportErrors(() => fetch(this.#url, init));
    if (!response.ok) {
      void response.body?.cancel();
      throw refuse(`${this.#url}: the server answered ${response.status} ${response.statusText}`.trim());
    }
    return response;
  }

  /** Converts a network error; an abort is unchanged. */
  async #reportErrors<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw error instanceof LanthornError ? error : refuse(`${this.#url}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async open(start: number, end?: number): Promise<Opened> {
    if (start > 0 || end !== undefined) return this.#range(start, end);
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
    return this.#continueFrom(this.#body(response, range ? Number(range[1]) + 1 : undefined));
  }

  async #range(start: number, end?: number): Promise<Opened> {
    const response = await this.#fetch(`${start}-${end === undefined ? '' : end - 1}`);
    const given = response.headers.get('content-range');
    const changed = this.#tag !== null && response.headers.get('etag') !== this.#tag;
    if (response.status !== 206 || changed || (given !== null && !given.startsWith(`bytes ${start}-`))) {
      void response.body?.cancel();
      throw refuse(`${this.#url}: the file changed while it was read`);
    }
    const last = end ?? this.#total;
    return this.#body(response, last === undefined ? undefined : last - start);
  }

  /** The first range, and then the rest in a second request, if there is any. */
  #continueFrom(first: Opened): Opened {
    let [current, read, isFirst] = [first, 0, true];
    const continued: Opened = { chunks: { next: () => next() }, isReused: first.isReused ?? false, cancel: () => current.cancel() };
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
    return continued;
  }

  /** The bytes of a response, whose number must match the announced length. */
  #body(response: Response, expected: number | undefined): Opened {
    if (!response.body) return { chunks: once(new Uint8Array()), cancel: () => undefined };
    const opened = bodyOf(response.body);
    const { chunks } = opened;
    let read = 0;
    const next = () => this.#reportErrors(async () => {
      const result = await chunks.next();
      read += result.done ? 0 : result.value.length;
      if (expected !== undefined && (read > expected || (result.done && read < expected))) {
        throw refuse(`${this.#url}: ${read} bytes arrived where ${expected} were announced`);
      }
      return result;
    });
    return { ...opened, chunks: { next } };
  }
}
