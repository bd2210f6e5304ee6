/** Folders of files: of a disk, of the user's choice in a page, or files by path. */
import { describe } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { nodeModule } from '../core/source.js';
import { hasDisk, folderAddress } from '../hub/storage.js';
import type { Source } from '../io/source.js';

/** The bytes of a file: a source, or an entry of an archive. */
export type FolderFile = Source | { bytes(): Promise<Uint8Array<ArrayBuffer>> };

/**
 * A folder: a path or a `file:` address in Node; in a page a folder that the user chose
 * (`showDirectoryPicker()`, `<input webkitdirectory>`), or files by path everywhere, for example
 * the entries of `readZip`.
 */
export type Folder =
  | string | URL | FileSystemDirectoryHandle | Iterable<File> | readonly { name: string; bytes(): Promise<Uint8Array<ArrayBuffer>> }[]
  | ReadonlyMap<string, FolderFile>;

/** The files of a folder by their paths in it. */
export type Files = Map<string, () => Promise<FolderFile>>;

interface Entry {
  name: string;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

interface FileSystem {
  readdir(path: URL, options: { withFileTypes: true }): Promise<Entry[]>;
  stat(path: URL): Promise<{ isDirectory(): boolean }>;
}

async function onDisk(op: string, root: string | URL): Promise<Files> {
  const { readdir, stat } = await nodeModule<FileSystem>('node:fs/promises');
  const base = await folderAddress(root);
  const files: Files = new Map();
  const visit = async (folder: string): Promise<void> => {
    const encoded = folder.split('/').map(encodeURIComponent).join('/');
    for (const entry of await readdir(new URL(encoded, base), { withFileTypes: true })) {
      const path = folder + entry.name;
      const url = new URL(encoded + encodeURIComponent(entry.name), base);
      // As in torchvision, links count as the folders that they name.
      if (entry.isDirectory() || (entry.isSymbolicLink() && (await stat(url)).isDirectory())) await visit(`${path}/`);
      else files.set(path, async () => url);
    }
  };
  try {
    await visit('');
  } catch (cause) {
    const told = (cause as { code?: string }).code === 'ENOENT' ? 'there is no such folder' : String((cause as Error).message);
    throw new LanthornError('file', op, `${String(root)}: ${told}`, { cause });
  }
  return files;
}

async function ofHandle(handle: FileSystemDirectoryHandle): Promise<Files> {
  const files: Files = new Map();
  const visit = async (folder: FileSystemDirectoryHandle, path: string): Promise<void> => {
    // Not every library of types declares that a folder can be iterated.
    for await (const item of (folder as unknown as { values(): AsyncIterable<FileSystemHandle> }).values()) {
      if (item.kind === 'directory') await visit(item as FileSystemDirectoryHandle, `${path}${item.name}/`);
      else files.set(path + item.name, () => (item as FileSystemFileHandle).getFile());
    }
  };
  await visit(handle, '');
  return files;
}

/** The path of a file below the folder that the user chose, whose own name comes first. */
const chosenPath = ({ name, webkitRelativePath }: File) => (webkitRelativePath ? webkitRelativePath.replace(/^[^/]*\//, '') : name);

/** The files of a folder. */
export async function filesOf(op: string, root: Folder): Promise<Files> {
  if (typeof root === 'string' || root instanceof URL) {
    if (hasDisk()) return onDisk(op, root);
    throw new LanthornError('argument', op, 'a page has no paths; give a folder that the user chose, or files by path');
  }
  if (root instanceof Map) return new Map(Array.from(root as ReadonlyMap<string, FolderFile>, ([path, file]) => [path, async () => file]));
  if (typeof root === 'object' && root !== null && 'kind' in root) return ofHandle(root);
  if (typeof root === 'object' && root !== null && Symbol.iterator in root) {
    const items = Array.from(root as Iterable<File | { name: string; bytes(): Promise<Uint8Array<ArrayBuffer>> }>);
    const odd = items.find((item) => typeof item?.name !== 'string');
    if (odd === undefined) return new Map(items.map((item) => [item instanceof Blob ? chosenPath(item) : item.name, async () => item]));
  }
  throw new LanthornError('argument', op, `takes a folder, files, or files by path, not ${describe(root)}`);
}

/** The source of a folder's file. */
export async function sourceOf(file: FolderFile): Promise<Source> {
  return typeof file === 'object' && 'bytes' in file && !(file instanceof Blob) ? file.bytes() : (file as Source);
}
