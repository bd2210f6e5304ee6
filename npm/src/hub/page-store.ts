/**
 * A store in the browser's storage. A file is a manifest and parts of some megabytes, because a
 * file of the private file system is copied by each writer that adds to it, and because a download
 * that breaks keeps the parts that have arrived.
 */
import type { PageFiles } from '../io/page-files.js';
import { sha256 } from './digest.js';
import type { Content, Facts, FileStore, Stored, StoredFile } from './store.js';

const MANIFEST = '.json';

interface Manifest extends Stored {
  parts: number;
}

/** The name of a manifest or a part: the storage refuses long names. */
const idOf = (name: string) => sha256(name).slice(0, 40);

export class PageStore implements FileStore {
  readonly key = 'page';
  readonly #files: PageFiles;

  constructor(files: PageFiles) {
    this.#files = files;
  }

  async #manifest(id: string): Promise<Manifest | undefined> {
    let text: string;
    try {
      text = await (await this.#files.read(id + MANIFEST)).text();
    } catch {
      return undefined;
    }
    try {
      return JSON.parse(text) as Manifest;
    } catch {
      // The page ended while the manifest was written: the file counts as absent.
      return undefined;
    }
  }

  async #write(manifest: Manifest): Promise<Manifest> {
    await this.#files.write(idOf(manifest.name) + MANIFEST, new Blob([JSON.stringify(manifest)]));
    return manifest;
  }

  find(name: string): Promise<Stored | undefined> {
    return this.#manifest(idOf(name));
  }

  async content(stored: Stored): Promise<Content> {
    const { name, parts } = stored as Manifest;
    return new Blob(await Promise.all(Array.from({ length: parts }, (_, part) => this.#files.read(`${idOf(name)}.${part}`))));
  }

  async begin(name: string, facts: Facts): Promise<Stored> {
    await this.remove(name);
    const manifest: Manifest = { ...facts, name, size: 0, isComplete: false, parts: 0 };
    return this.#write(manifest);
  }

  async append(stored: Stored, bytes: Blob): Promise<Stored> {
    const manifest = stored as Manifest;
    await this.#files.write(`${idOf(manifest.name)}.${manifest.parts}`, bytes);
    return this.#write({ ...manifest, size: manifest.size + bytes.size, parts: manifest.parts + 1 });
  }

  finish(stored: Stored): Promise<Stored> {
    return this.#write({ ...(stored as Manifest), isComplete: true });
  }

  async list(): Promise<StoredFile[]> {
    const names = (await this.#files.list()).map(({ name }) => name).filter((name) => name.endsWith(MANIFEST));
    const manifests = await Promise.all(names.map((name) => this.#manifest(name.slice(0, -MANIFEST.length))));
    return manifests.filter((manifest) => manifest !== undefined).map(({ name, size, isComplete }) => ({ name, size, isComplete }));
  }

  async remove(name: string): Promise<void> {
    const id = idOf(name);
    const own = (await this.#files.list()).map((file) => file.name).filter((file) => file.startsWith(`${id}.`));
    // The manifest goes first: parts without one are never read, and go with the next removal.
    own.sort((one, other) => Number(other.endsWith(MANIFEST)) - Number(one.endsWith(MANIFEST)));
    for (const file of own) await this.#files.remove(file);
  }
}

/** Files of a program that has no storage: they end with it. */
export class MemoryFiles implements PageFiles {
  readonly #files = new Map<string, Blob>();

  async write(name: string, file: Blob): Promise<void> {
    this.#files.set(name, file);
  }

  async read(name: string): Promise<Blob> {
    const file = this.#files.get(name);
    if (!file) throw new DOMException('there is no such file', 'NotFoundError');
    return file;
  }

  async list(): Promise<{ name: string; size: number }[]> {
    return Array.from(this.#files, ([name, { size }]) => ({ name, size }));
  }

  async remove(name: string): Promise<void> {
    this.#files.delete(name);
  }
}
