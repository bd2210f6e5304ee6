/**
 * Files of a page that persist between visits, as bytes by name: in the origin private file system,
 * or in IndexedDB where a browser refuses that, as Safari does in private windows and WebKitGTK
 * without its feature.
 */
import { request } from '../core/database.js';

/** A stored file. */
export interface Kept {
  /** Its name. */
  name: string;
  /** Its bytes. */
  size: number;
}

/** A store of files. Errors are the browser's own. */
export interface PageFiles {
  /** Writes a file; an existing one remains intact until the new one is complete. */
  write(name: string, file: Blob): Promise<void>;
  read(name: string): Promise<Blob>;
  list(): Promise<Kept[]>;
  remove(name: string): Promise<void>;
}

const opened = new Map<string, Promise<PageFiles | undefined>>();

/**
 * The store of this page; undefined where the browser has none. `folder` names another store, with
 * separate files.
 */
export function pageFiles(folder = ''): Promise<PageFiles | undefined> {
  const files = opened.get(folder) ?? open(folder);
  opened.set(folder, files);
  return files;
}

async function open(folder: string): Promise<PageFiles | undefined> {
  try {
    const root = await privateFolder();
    return new PrivateFiles(folder === '' ? root : await root.getDirectoryHandle(folder, { create: true }));
  } catch (error) {
    if (typeof indexedDB === 'undefined') return undefined;
    console.warn(`lanthorn: files of this page are kept in IndexedDB, because there is no private file system here (${String(error)})`);
    return new DatabaseFiles(folder === '' ? 'lanthorn-files' : folder);
  }
}

async function privateFolder(): Promise<FileSystemDirectoryHandle> {
  const storage = (globalThis.navigator as Navigator | undefined)?.storage as Partial<StorageManager> | undefined;
  if (!storage?.getDirectory) throw new Error(globalThis.isSecureContext ? 'the browser has none' : 'it needs a page of a secure origin');
  const folder = await storage.getDirectory();
  // Safari before version 26 writes only from workers, by another interface.
  if (!('createWritable' in FileSystemFileHandle.prototype)) throw new Error('it cannot be written');
  return folder;
}

class PrivateFiles implements PageFiles {
  readonly #folder: FileSystemDirectoryHandle;

  constructor(folder: FileSystemDirectoryHandle) {
    this.#folder = folder;
  }

  async write(name: string, file: Blob): Promise<void> {
    const handle = await this.#folder.getFileHandle(name, { create: true });
    // The written data replaces the file when it is closed.
    const writable = await handle.createWritable();
    await writable.write(file).catch(async (error: unknown) => {
      await writable.abort();
      throw error;
    });
    await writable.close();
  }

  async read(name: string): Promise<Blob> {
    return (await this.#folder.getFileHandle(name)).getFile();
  }

  async list(): Promise<Kept[]> {
    const kept: Kept[] = [];
    // Not every library of types declares that a folder can be iterated.
    const handles = this.#folder as unknown as { values(): AsyncIterable<FileSystemHandle> };
    for await (const handle of handles.values()) {
      if (handle.kind === 'file') kept.push({ name: handle.name, size: (await (handle as FileSystemFileHandle).getFile()).size });
    }
    return kept;
  }

  remove(name: string): Promise<void> {
    return this.#folder.removeEntry(name);
  }
}

/** The names that the private file system refuses. */
const REFUSED = /^\.{0,2}$|[/\\]/;

/** Files as bytes, because a private window of Safari stores no `Blob` in a database. */
class DatabaseFiles implements PageFiles {
  readonly #store: readonly [database: string, store: string];

  constructor(database: string) {
    this.#store = [database, 'files'];
  }

  async write(name: string, file: Blob): Promise<void> {
    if (REFUSED.test(name)) throw new TypeError('Name is not allowed');
    const bytes = await file.arrayBuffer();
    await request(this.#store, 'readwrite', (store) => store.put(bytes, name));
  }

  async read(name: string): Promise<Blob> {
    const bytes = (await request(this.#store, 'readonly', (store) => store.get(name))) as ArrayBuffer | undefined;
    if (!bytes) throw new DOMException('there is no such file', 'NotFoundError');
    return new Blob([bytes]);
  }

  async list(): Promise<Kept[]> {
    const names = (await request(this.#store, 'readonly', (store) => store.getAllKeys())) as string[];
    return Promise.all(names.map(async (name) => ({ name, size: (await this.read(name)).size })));
  }

  async remove(name: string): Promise<void> {
    await this.read(name);
    await request(this.#store, 'readwrite', (store) => store.delete(name));
  }
}
