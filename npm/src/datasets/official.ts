/** Files of published data sets: stored, given by the program, or downloaded. */
import { LanthornError } from '../core/errors.js';
import { addressOf, obtain } from '../hub/download.js';
import { DownloadError } from '../hub/errors.js';
import { downloads, hasDisk } from '../hub/storage.js';
import type { LoadProgress } from '../io/options.js';
import type { Source } from '../io/source.js';
import { filesOf, sourceOf, type Folder } from './folder-source.js';

/** Options of published data sets. */
export interface OfficialOptions {
  /** Whether files that are not stored are downloaded (default: false, an error). */
  download?: boolean;
  /**
   * The address of a folder that has the files by their official names (default: the publishers'
   * addresses). Many publishers' servers refuse pages of other origins.
   */
  mirror?: string | URL;
  /** Whether the checksums are verified (default: true). A mirror may have other files. */
  verify?: boolean;
  /** Ends loading; the bytes that have arrived are kept for the next time. */
  signal?: AbortSignal;
  /** Called repeatedly with the progress of the file that is downloaded. */
  onProgress?: (progress: LoadProgress & { file: string }) => void;
}

/** The names of the options of {@link OfficialOptions}. */
export const OFFICIAL_OPTIONS = ['download', 'mirror', 'verify', 'signal', 'onProgress'] as const;

/** A published file. */
export interface Resource {
  /** Its name. */
  file: string;
  /** The addresses of the folders that have it, in the order in which they are tried. */
  mirrors: readonly string[];
  md5?: string;
  sha256?: string;
}

/** The root of a data set: a folder of the storage, or a {@link Folder} that has the files. */
export type Root = Folder;

/** A folder with a slash at its end, so that a file's name follows. */
function inFolder(op: string, folder: string | URL, file: string): URL {
  const base = addressOf(op, folder);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return new URL(encodeURIComponent(file) + base.search, base);
}

/** Finds the files of one data set. */
export class Official {
  readonly #op: string;
  readonly #root: Root;
  readonly #folder: string;
  readonly #options: OfficialOptions;

  /** `folder` is the data set's own folder in the root. */
  constructor(op: string, root: Root, folder: string, options: OfficialOptions) {
    this.#op = op;
    this.#root = root;
    this.#folder = folder;
    this.#options = options;
  }

  /** Names under which a file may be there already: of an archive, also without its extension. */
  async find(resource: Resource, unpacked: readonly string[] = []): Promise<Source> {
    const names = [...unpacked, resource.file];
    return typeof this.#root === 'string' || this.#root instanceof URL ? this.#findStored(resource, names) : this.#findGiven(resource, names);
  }

  async #findGiven(resource: Resource, names: readonly string[]): Promise<Source> {
    const files = await filesOf(this.#op, this.#root);
    for (const name of names) {
      const path = Array.from(files.keys()).find((each) => each === name || each.endsWith(`/${name}`));
      if (path !== undefined) return sourceOf(await files.get(path)!());
    }
    throw new LanthornError('file', this.#op, `there is no file ${resource.file} in the folder`);
  }

  async #findStored(resource: Resource, names: readonly string[]): Promise<Source> {
    const root = this.#root as string | URL;
    const store = await downloads(root);
    const prefix = hasDisk() ? this.#folder : `${String(root).replace(/^\/+|\/+$/g, '')}/${this.#folder}`;
    for (const name of names) {
      const stored = await store.find(prefix + name);
      if (stored?.isComplete) return store.content(stored);
    }
    if (!this.#options.download) throw new LanthornError('file', this.#op, `there is no file ${resource.file} in ${String(root)}; with download: true it is downloaded`);
    return this.#download(store, prefix, resource);
  }

  /** Tries one mirror after the other, as torchvision does. */
  async #download(store: Awaited<ReturnType<typeof downloads>>, prefix: string, resource: Resource): Promise<Source> {
    const { mirror, verify = true, signal, onProgress } = this.#options;
    const folders = mirror === undefined ? resource.mirrors : [mirror];
    let failure: unknown;
    for (const folder of folders) {
      try {
        return await obtain(store, {
          op: this.#op, name: prefix + resource.file, url: inFolder(this.#op, folder, resource.file), signal,
          onProgress: onProgress && ((progress) => onProgress({ ...progress, file: resource.file })),
          ...(verify && { md5: resource.md5, sha256: resource.sha256 }),
        });
      } catch (error) {
        if (!(error instanceof DownloadError) || error.reason === 'storage') throw error;
        failure = error;
      }
    }
    throw failure;
  }
}
