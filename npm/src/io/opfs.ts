/**
 * Files of the page that persist between visits: in the origin private file system, or in IndexedDB
 * where a browser refuses that, which is a warning in the console.
 */
import { LanthornError } from '../core/errors.js';
import { formatOf, load as loadFile, save as saveFile, type Savable } from './files.js';
import type { LoadOptions } from './options.js';
import { pageFiles, type Kept, type PageFiles } from './page-files.js';
import type { Tensor } from '../tensor/tensor.js';

export type { Kept };

async function filesFor(op: string): Promise<PageFiles> {
  const files = await pageFiles();
  if (!files) throw new LanthornError('file', op, 'nothing is kept here between visits; it needs a page of a secure origin');
  return files;
}

/** Awaits an action on a file, and names the file in its errors. */
async function nameFile<T>(op: string, name: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    throw error instanceof Error ? new LanthornError('file', op, `${name}: ${error.message}`, { cause: error }) : error;
  }
}

/**
 * Calls an action when no other page of the origin writes the file, and for a writer none reads it:
 * a reader would fail when the file that it reads is replaced.
 */
async function withLock<T>(name: string, mode: LockMode, action: () => Promise<T>): Promise<T> {
  const release = await acquire(`lanthorn:${name}`, mode);
  // Not within the lock's callback, where stacks would not show the caller.
  try {
    return await action();
  } finally {
    release();
  }
}

/** Resolves when a lock is held, to the function that releases it. */
function acquire(lock: string, mode: LockMode): Promise<() => void> {
  const { locks } = navigator as { locks?: LockManager };
  return new Promise((resolve, reject) => {
    if (locks) locks.request(lock, { mode }, () => new Promise<void>((release) => resolve(release))).catch(reject);
    else resolve(() => undefined);
  });
}

/**
 * Stores the file of a value under a name, whose extension selects the format: `.safetensors`,
 * `.npz`, `.npy`, `.pt`. An existing file remains intact until the new one is complete.
 *
 * @example
 * await opfs.save('digits.pt', { model: net.stateDict(), epoch: 3 });
 */
export async function save(name: string, value: Savable): Promise<void> {
  const file = await saveFile(value, { format: formatOf(name) });
  const files = await filesFor('opfs.save');
  await withLock(name, 'exclusive', () => nameFile('opfs.save', name, files.write(name, file)));
}

/** Reads a stored file by name, as `load` does. */
export function load(name: `${string}.safetensors`, options?: LoadOptions): Promise<Record<string, Tensor>>;
export function load(name: `${string}.npy`, options?: LoadOptions): Promise<Tensor>;
// biome-ignore lint/suspicious/noExplicitAny: the file decides it.
export function load<T = any>(name: string, options?: LoadOptions): Promise<T>;
export async function load(name: string, options: LoadOptions = {}): Promise<unknown> {
  const files = await filesFor('opfs.load');
  return withLock(name, 'shared', async () => loadFile<unknown>(await nameFile('opfs.load', name, files.read(name)), options));
}

/** The stored files. */
export async function list(): Promise<Kept[]> {
  const kept = await (await filesFor('opfs.list')).list();
  return kept.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Removes a file. */
export async function remove(name: string): Promise<void> {
  const files = await filesFor('opfs.remove');
  await withLock(name, 'exclusive', () => nameFile('opfs.remove', name, files.remove(name)));
}
