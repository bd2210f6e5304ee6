/** Downloads into the store: resumed after a break, repeated, and checked. */
import { checkFlag, checkFunction, checkOptions, describe, wrongArgument } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { FileOnDisk } from '../io/disk.js';
import type { LoadProgress } from '../io/options.js';
import { blobOrigin } from '../io/origin.js';
import { DownloadError } from './errors.js';
import { newDigest } from './digest.js';
import { withLock } from './lock.js';
import { downloads } from './storage.js';
import { isName, type Content, type FileStore, type Stored } from './store.js';
import { Transfer, type TransferOptions } from './transfer.js';

/** Options of {@link download}. */
export interface DownloadOptions {
  /** The name under which the file is stored (default: the address without its query). */
  name?: string;
  /** The MD5 of the file, in hexadecimal digits. */
  md5?: string;
  /** The SHA-256 of the file, in hexadecimal digits. */
  sha256?: string;
  /** Headers of the request. */
  headers?: Readonly<Record<string, string>>;
  /** How often a request is repeated after a break or an answer 429 or 503 (default: 4). */
  retries?: number;
  /** Whether the file is requested although it is stored (default: false). */
  forceDownload?: boolean;
  /** Whether the server is asked if the stored file changed, by its ETag (default: false). */
  refresh?: boolean;
  /** Ends the download; the bytes that have arrived are kept for the next one. */
  signal?: AbortSignal;
  /** Called repeatedly with the progress. */
  onProgress?: (progress: LoadProgress) => void;
}

/** A file that is wanted, and the function that names it in errors. */
export interface Wanted extends TransferOptions {
  op: string;
  name: string;
  md5?: string | undefined;
  sha256?: string | undefined;
  forceDownload?: boolean | undefined;
  refresh?: boolean | undefined;
}

/** The digest of stored bytes. */
async function digestOf(algorithm: 'md5' | 'sha256', content: Content, signal: AbortSignal | undefined): Promise<string> {
  const digest = newDigest(algorithm);
  const origin = content instanceof URL ? new FileOnDisk(content, signal) : blobOrigin(content);
  const opened = await origin.open(0);
  try {
    for (let read = await opened.chunks.next(); !read.done; read = await opened.chunks.next()) {
      signal?.throwIfAborted();
      digest.update(read.value);
    }
    return digest.hex();
  } finally {
    opened.cancel();
  }
}

/** The first bytes of a pointer of Git LFS. */
const POINTER = 'version https://git-lfs.github.com/spec/';
const POINTER_LIMIT = 1024;

async function isPointer(content: Content, size: number): Promise<boolean> {
  if (size > POINTER_LIMIT) return false;
  const origin = content instanceof URL ? new FileOnDisk(content, undefined) : blobOrigin(content);
  const opened = await origin.open(0);
  try {
    const { value } = await opened.chunks.next();
    return value !== undefined && new TextDecoder().decode(value).startsWith(POINTER);
  } finally {
    opened.cancel();
  }
}

/** Checks a file that arrived; one that is not the expected file is removed. */
async function verify(store: FileStore, stored: Stored, content: Content, wanted: Wanted, linked: string | undefined): Promise<void> {
  const refuse = async (reason: 'checksum' | 'pointer', message: string) => {
    await store.remove(stored.name);
    return new DownloadError(wanted.op, reason, String(wanted.url), message);
  };
  if (await isPointer(content, stored.size)) {
    throw await refuse('pointer', 'the server sent a pointer of Git LFS instead of the file; use an address that serves the file itself');
  }
  const expected = [['md5', wanted.md5], ['sha256', wanted.sha256 ?? linked]] as const;
  for (const [algorithm, value] of expected) {
    if (value === undefined) continue;
    const found = await digestOf(algorithm, content, wanted.signal);
    if (found !== value.toLowerCase()) throw await refuse('checksum', `the file has the ${algorithm} ${found}, and not ${value}: it is damaged, or another version`);
  }
}

/** The content of a stored file; a file that is not stored is downloaded first. */
export async function obtain(store: FileStore, wanted: Wanted): Promise<Content> {
  return withLock(store, wanted.name, wanted.signal, async () => {
    const found = await store.find(wanted.name);
    const transfer = new Transfer(store, wanted);
    if (found?.isComplete && !wanted.forceDownload && !(wanted.refresh && (await transfer.hasChanged(found)))) return store.content(found);
    if (found && (found.isComplete || wanted.forceDownload)) await store.remove(wanted.name);
    const stored = await transfer.run();
    // Verified before it counts as complete, so that a page that ends here verifies it again.
    await verify(store, stored, await store.content(stored), wanted, transfer.linkedSha256);
    return store.content(await store.finish(stored));
  });
}

function checkDigest(op: string, name: string, value: unknown, digits: number): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^[0-9a-f]*$/i.test(value) || value.length !== digits) {
    throw wrongArgument(op, name, `${digits} hexadecimal digits`, typeof value === 'string' ? JSON.stringify(value) : describe(value));
  }
  return value;
}

/** The name of a file by its address. */
function nameOf(url: URL): string {
  const path = decodeURIComponent(url.pathname).split('/').filter((part) => part !== '');
  return [url.host.replaceAll(':', '_') || 'local', ...path].join('/');
}

/**
 * Downloads a file, stores it, and returns its content: a `Blob` in a page, whose bytes stay in the
 * browser's storage, and the address of a file in Node. `load`, `Tokenizer.fromFile` and the
 * readers of `lanthorn/datasets` take both. A file that is stored is not requested again. After a
 * break the next download continues where the last one ended, if the file is the same.
 *
 * @throws a {@link DownloadError}, with the `reason`: a wrong checksum, full storage, a refused
 * origin, or an answer of the server.
 *
 * @example
 * import { download } from 'lanthorn/hub';
 *
 * const file = await download('https://example.org/weights.safetensors', {
 *   sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
 *   onProgress: ({ loaded, total }) => show(loaded, total),
 * });
 * net.loadStateDict(await load(file));
 */
export async function download(url: string | URL, options: DownloadOptions = {}): Promise<Content> {
  const op = 'download';
  const given = checkOptions<DownloadOptions>(op, options, ['name', 'md5', 'sha256', 'headers', 'retries', 'forceDownload', 'refresh', 'signal', 'onProgress']);
  const address = addressOf(op, url);
  const name = given.name ?? nameOf(address);
  if (!isName(name)) throw new LanthornError('argument', op, `${JSON.stringify(name)} is not the name of a file below a folder`);
  if (given.onProgress) checkFunction(op, given.onProgress);
  given.signal?.throwIfAborted();
  return obtain(await downloads(), {
    ...given, op, name, url: address,
    md5: checkDigest(op, 'md5', given.md5, 32),
    sha256: checkDigest(op, 'sha256', given.sha256, 64),
    forceDownload: checkFlag(op, 'forceDownload', given.forceDownload),
    refresh: checkFlag(op, 'refresh', given.refresh),
  });
}

/** An address of a server; relative ones are relative to the page. */
export function addressOf(op: string, url: string | URL): URL {
  try {
    const address = new URL(url, (globalThis as { location?: { href: string } }).location?.href);
    if (/^(https?|blob|data):$/.test(address.protocol)) return address;
  } catch {
    // Not an address: the error below.
  }
  throw new LanthornError('argument', op, `${String(url)} is not an address of a server`);
}
