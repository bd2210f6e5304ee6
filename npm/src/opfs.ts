/** Private files of the page that persist between visits: the origin private file system. */
import { LanthornError } from './errors.js';
import { formatOf, load as loadFile, save as saveFile, type LoadOptions, type Savable } from './io-files.js';
import type { Tensor } from './tensor.js';

/** A stored file. */
export interface Kept {
  /** Its name. */
  name: string;
  /** Its bytes. */
  size: number;
}

async function folder(op: string): Promise<FileSystemDirectoryHandle> {
  const storage = (globalThis.navigator as Navigator | undefined)?.storage as Partial<StorageManager> | undefined;
  if (!storage?.getDirectory) throw new LanthornError('file', op, 'there is no origin-private file system here; it needs a page of a secure origin');
  return storage.getDirectory();
}

function told(op: string, name: string, error: unknown): unknown {
  const known = error instanceof DOMException && error.name !== 'AbortError' || error instanceof TypeError;
  return known ? new LanthornError('file', op, `${name}: ${error.message}`) : error;
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
  try {
    const handle = await (await folder('opfs.save')).getFileHandle(name, { create: true });
    // The written data replaces the file when it is closed.
    const writable = await handle.createWritable();
    await writable.write(file).catch(async (error: unknown) => {
      await writable.abort();
      throw error;
    });
    await writable.close();
  } catch (error) {
    throw told('opfs.save', name, error);
  }
}

/** Reads a stored file by name, as `load` does. */
export function load(name: `${string}.safetensors`, options?: LoadOptions): Promise<Record<string, Tensor>>;
export function load(name: `${string}.npy`, options?: LoadOptions): Promise<Tensor>;
export function load<T = any>(name: string, options?: LoadOptions): Promise<T>;
export async function load(name: string, options: LoadOptions = {}): Promise<unknown> {
  let file: File;
  try {
    file = await (await (await folder('opfs.load')).getFileHandle(name)).getFile();
  } catch (error) {
    throw told('opfs.load', name, error);
  }
  return loadFile(file, options);
}

/** The stored files. */
export async function list(): Promise<Kept[]> {
  const kept: Kept[] = [];
  // Not every library of types declares that a folder can be iterated.
  const handles = (await folder('opfs.list')) as unknown as { values(): AsyncIterable<FileSystemHandle> };
  for await (const handle of handles.values()) {
    if (handle.kind === 'file') kept.push({ name: handle.name, size: (await (handle as FileSystemFileHandle).getFile()).size });
  }
  return kept.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Removes a file. */
export async function remove(name: string): Promise<void> {
  try {
    await (await folder('opfs.remove')).removeEntry(name);
  } catch (error) {
    throw told('opfs.remove', name, error);
  }
}
