/** Where downloaded files are stored, and their list. */
import { LanthornError } from '../core/errors.js';
import { nodeModule } from '../core/source.js';
import { pageFiles } from '../io/page-files.js';
import { DiskStore } from './disk-store.js';
import { MemoryFiles, PageStore } from './page-store.js';
import { hubSettings } from './settings.js';
import type { FileStore, StoredFile } from './store.js';

/** The folder of the private file system, and the database, that have the files of a page. */
const FOLDER = 'lanthorn-downloads';

let pageStore: Promise<FileStore> | undefined;

async function openPageStore(): Promise<FileStore> {
  const files = await pageFiles(FOLDER);
  if (!files) console.warn('lanthorn: downloads end with this page, which has no storage; it needs a secure origin');
  return new PageStore(files ?? new MemoryFiles());
}

/** Whether programs here have folders on a disk. */
export function hasDisk(): boolean {
  return (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined
    && (globalThis as { document?: unknown }).document === undefined;
}

/** The address of a folder on disk, which ends in a slash. */
export async function folderAddress(folder: string | URL): Promise<URL> {
  const { pathToFileURL } = await nodeModule<{ pathToFileURL(path: string): URL }>('node:url');
  const url = folder instanceof URL || folder.startsWith('file:') ? new URL(folder) : pathToFileURL(folder);
  if (url.protocol !== 'file:') throw new LanthornError('argument', 'storage', `${url} is not a folder on disk`);
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

async function cacheFolder(): Promise<URL> {
  const { cacheDir } = hubSettings();
  if (cacheDir !== undefined) return folderAddress(cacheDir);
  const { homedir } = await nodeModule<{ homedir(): string }>('node:os');
  return folderAddress(`${homedir()}/.cache/lanthorn/downloads`);
}

/**
 * The store of downloads: of this origin's storage in a page, and the folder `cacheDir` in Node.
 * `root` names another folder on disk; in a page, names of files begin with it instead.
 */
export async function downloads(root?: string | URL): Promise<FileStore> {
  if (hasDisk()) return new DiskStore(root === undefined ? await cacheFolder() : await folderAddress(root));
  return (pageStore ??= openPageStore());
}

/**
 * The downloaded files of this origin, or of the folder `cacheDir` in Node, by name.
 *
 * @example
 * for (const { name, size } of await listDownloads()) console.log(name, size);
 */
export async function listDownloads(): Promise<StoredFile[]> {
  const files = await (await downloads()).list();
  return files.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * The bytes that the downloaded files take.
 *
 * @example
 * const megabytes = (await downloadSize()) / 2 ** 20;
 */
export async function downloadSize(): Promise<number> {
  return (await listDownloads()).reduce((sum, { size }) => sum + size, 0);
}

/**
 * Removes the downloaded files whose name is `name`, or begins with it and a slash; all files by
 * default. Resolves to their number.
 *
 * @example
 * await removeDownloads('data/MNIST');
 */
export async function removeDownloads(name = ''): Promise<number> {
  if (typeof name !== 'string') throw new LanthornError('argument', 'removeDownloads', 'takes the name of a file or a folder');
  const folder = name.replace(/\/*$/, '/');
  const store = await downloads();
  const files = (await store.list()).filter((file) => name === '' || file.name === name || file.name.startsWith(folder));
  for (const file of files) await store.remove(file.name);
  return files.length;
}
