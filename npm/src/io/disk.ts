/** Files of Node, Deno and Bun, by their paths and `file:` addresses. */
import { nodeModule } from '../core/source.js';
import { LanthornError } from '../core/errors.js';
import type { Opened } from './origin.js';

/** The part of an open file that is used. */
interface Handle {
  stat(): Promise<{ size: number }>;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

interface FileSystem {
  open(path: string | URL): Promise<Handle>;
}

/**
 * The bytes that are read at once, into one buffer. Four times Node's own number: a large file is read
 * in half the time.
 */
const CHUNK = 1 << 18;

/** A name with at least two letters before the colon: `C:` is a drive of Windows. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;

/**
 * Whether an address names a file on a disk: a path, in a program without a page to which it is
 * relative.
 */
export function isOnDisk(source: string | URL): boolean {
  if (source instanceof URL) return source.protocol === 'file:';
  return source.startsWith('file:') || (!SCHEME.test(source) && (globalThis as { location?: unknown }).location === undefined);
}

function refuse(path: string | URL, error: unknown): LanthornError {
  const { code, message } = error as { code?: string; message?: string };
  const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : (message ?? String(error));
  return new LanthornError('file', 'load', `${String(path)}: ${reason}`, { cause: error });
}

/** Bytes of a file on a disk. */
export class FileOnDisk {
  readonly #path: string | URL;
  readonly #signal: AbortSignal | undefined;
  #total: number | undefined;

  constructor(path: string | URL, signal: AbortSignal | undefined) {
    this.#path = typeof path === 'string' && path.startsWith('file:') ? new URL(path) : path;
    this.#signal = signal;
  }

  seekable(): boolean {
    return true;
  }

  total(): number | undefined {
    return this.#total;
  }

  /** A file in the same folder or below it: its path is part of a file's contents, so it must not lead elsewhere. */
  beside(file: string): FileOnDisk {
    const names = file.split('/');
    if (file.includes('\\') || names.some((name) => ['', '.', '..'].includes(name))) {
      throw refuse(this.#path, new Error(`it names the file ${JSON.stringify(file)}, which is not in its folder`));
    }
    if (this.#path instanceof URL) return new FileOnDisk(new URL(names.map(encodeURIComponent).join('/'), this.#path), this.#signal);
    return new FileOnDisk(this.#path.replace(/[^\\/]*$/, () => file), this.#signal);
  }

  async open(start: number, end = Infinity): Promise<Opened> {
    const { open } = await nodeModule<FileSystem>('node:fs/promises');
    let handle: Handle;
    try {
      handle = await open(this.#path);
      this.#total = (await handle.stat()).size;
    } catch (error) {
      throw refuse(this.#path, error);
    }
    const buffer = new Uint8Array(CHUNK);
    let [at, closed] = [start, false];
    const cancel = () => {
      if (!closed) void handle.close().catch(() => undefined);
      closed = true;
    };
    const next = async (): Promise<IteratorResult<Uint8Array>> => {
      this.#signal?.throwIfAborted();
      try {
        const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK, end - at), at);
        at += bytesRead;
        return bytesRead === 0 ? { done: true, value: undefined } : { done: false, value: buffer.subarray(0, bytesRead) };
      } catch (error) {
        throw refuse(this.#path, error);
      }
    };
    return { chunks: { next }, isReused: true, cancel };
  }
}
