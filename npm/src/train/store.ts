/** Stores of checkpoints: a folder of a disk, the storage of a page, or memory. */
import { nodeModule } from '../core/source.js';
import { LanthornError } from '../core/errors.js';
import { pageFiles } from '../io/page-files.js';

/** Files by name. */
export interface Store {
  /** Writes a file, in place of one of the same name. */
  write(name: string, file: Blob): Promise<void>;
  /** Reads a file. */
  read(name: string): Promise<Blob>;
  /** Removes a file. */
  remove(name: string): Promise<void>;
}

interface FileSystem {
  mkdir(path: string, options: { recursive: boolean }): Promise<unknown>;
  writeFile(path: string, data: Uint8Array): Promise<void>;
  readFile(path: string): Promise<Uint8Array<ArrayBuffer>>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { force: boolean }): Promise<void>;
}

/**
 * A folder of the disk, in Node, Deno and Bun. A file has its name when all of it is written, so
 * that an interrupted program leaves the file before.
 *
 * @example
 * const store = directory('checkpoints');
 */
export function directory(path: string): Store {
  const fileSystem = () => nodeModule<FileSystem>('node:fs/promises');
  const at = (name: string) => `${path}/${name}`;
  return {
    async write(name, file) {
      const { mkdir, writeFile, rename } = await fileSystem();
      await mkdir(path, { recursive: true });
      await writeFile(at(`${name}.part`), new Uint8Array(await file.arrayBuffer()));
      await rename(at(`${name}.part`), at(name));
    },
    async read(name) {
      return new Blob([await (await fileSystem()).readFile(at(name))]);
    },
    async remove(name) {
      await (await fileSystem()).rm(at(name), { force: true });
    },
  };
}

/**
 * The storage of a page's origin, which is kept between visits.
 *
 * @example
 * const store = pageStorage('digits-');
 */
export function pageStorage(prefix = ''): Store {
  const files = async () => {
    const found = await pageFiles();
    if (!found) throw new LanthornError('file', 'pageStorage', 'nothing is kept here between visits; it needs a page of a secure origin');
    return found;
  };
  return {
    write: async (name, file) => (await files()).write(prefix + name, file),
    read: async (name) => (await files()).read(prefix + name),
    remove: async (name) => (await files()).remove(prefix + name),
  };
}

/**
 * Files in memory.
 *
 * @example
 * const store = memory();
 */
export function memory(): Store {
  const files = new Map<string, Blob>();
  return {
    async write(name, file) {
      files.set(name, file);
    },
    async read(name) {
      const file = files.get(name);
      if (!file) throw new LanthornError('file', 'memory', `there is no file ${name}`);
      return file;
    },
    async remove(name) {
      files.delete(name);
    },
  };
}
