/**
 * A store in a folder of a disk, for Node, Deno and Bun. A complete file has its own name, so that
 * other programs find it; an incomplete one has the extension `.part`. Facts about a file are in
 * another file, whose name begins with a dot.
 */
import { nodeModule } from '../core/source.js';
import type { Content, Facts, FileStore, Stored, StoredFile } from './store.js';

interface Entry {
  name: string;
  isFile(): boolean;
  isDirectory(): boolean;
}

interface FileSystem {
  appendFile(path: URL, data: Uint8Array): Promise<void>;
  mkdir(path: URL, options: { recursive: true }): Promise<unknown>;
  readdir(path: URL, options: { withFileTypes: true }): Promise<Entry[]>;
  readFile(path: URL, encoding: 'utf8'): Promise<string>;
  rename(from: URL, to: URL): Promise<void>;
  rm(path: URL, options: { force: true }): Promise<void>;
  stat(path: URL): Promise<{ size: number; isFile(): boolean }>;
  writeFile(path: URL, data: string | Uint8Array): Promise<void>;
}

const PART = '.part';

/** The value of a promise, or undefined where the system has no such file. */
async function existing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT' || (error as { code?: string }).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

const encode = (name: string) => name.split('/').map(encodeURIComponent).join('/');

export class DiskStore implements FileStore {
  readonly #folder: URL;

  get key(): string {
    return this.#folder.href;
  }

  /** The address of the folder ends in a slash. */
  constructor(folder: URL) {
    this.#folder = folder;
  }

  #system(): Promise<FileSystem> {
    return nodeModule<FileSystem>('node:fs/promises');
  }

  #path(name: string): URL {
    return new URL(encode(name), this.#folder);
  }

  #factsPath(name: string): URL {
    return this.#path(name.replace(/[^/]*$/, (file) => `.${file}.json`));
  }

  async #facts(name: string): Promise<Facts> {
    const { readFile } = await this.#system();
    const text = await existing(readFile(this.#factsPath(name), 'utf8'));
    try {
      return { url: '', etag: null, total: null, ...(JSON.parse(text ?? '{}') as Partial<Facts>) };
    } catch {
      return { url: '', etag: null, total: null };
    }
  }

  async #size(path: URL): Promise<number | undefined> {
    const { stat } = await this.#system();
    const found = await existing(stat(path));
    return found?.isFile() ? found.size : undefined;
  }

  async find(name: string): Promise<Stored | undefined> {
    const whole = await this.#size(this.#path(name));
    const size = whole ?? (await this.#size(this.#path(name + PART)));
    if (size === undefined) return undefined;
    return { ...(await this.#facts(name)), name, size, isComplete: whole !== undefined };
  }

  async content({ name, isComplete }: Stored): Promise<Content> {
    return this.#path(isComplete ? name : name + PART);
  }

  async begin(name: string, facts: Facts): Promise<Stored> {
    const { mkdir, writeFile } = await this.#system();
    await mkdir(new URL('.', this.#path(name)), { recursive: true });
    await writeFile(this.#path(name + PART), new Uint8Array());
    await writeFile(this.#factsPath(name), JSON.stringify(facts));
    return { ...facts, name, size: 0, isComplete: false };
  }

  async append(stored: Stored, bytes: Blob): Promise<Stored> {
    const { appendFile } = await this.#system();
    await appendFile(this.#path(stored.name + PART), new Uint8Array(await bytes.arrayBuffer()));
    return { ...stored, size: stored.size + bytes.size };
  }

  async finish(stored: Stored): Promise<Stored> {
    const { rename } = await this.#system();
    await rename(this.#path(stored.name + PART), this.#path(stored.name));
    return { ...stored, isComplete: true };
  }

  async list(): Promise<StoredFile[]> {
    const { readdir } = await this.#system();
    const found: StoredFile[] = [];
    const visit = async (folder: string) => {
      for (const entry of (await existing(readdir(this.#path(folder), { withFileTypes: true }))) ?? []) {
        const name = folder + entry.name;
        if (entry.isDirectory()) await visit(`${name}/`);
        else if (entry.isFile() && !entry.name.startsWith('.')) {
          const isComplete = !name.endsWith(PART);
          const size = (await this.#size(this.#path(name))) ?? 0;
          found.push({ name: isComplete ? name : name.slice(0, -PART.length), size, isComplete });
        }
      }
    };
    await visit('');
    return found;
  }

  async remove(name: string): Promise<void> {
    const { rm } = await this.#system();
    for (const path of [this.#path(name), this.#path(name + PART), this.#factsPath(name)]) await rm(path, { force: true });
  }
}
