/** The files of a model: a folder, a list of files, or files by name. */
import { describe, isPlainObject } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import type { HubOptions } from '../hub/settings.js';
import { isOnDisk } from '../io/disk.js';
import { isHubAddress } from '../io/hub-address.js';
import { readingOf, type Source } from '../io/source.js';

/**
 * A model's files: `owner/name` of a hub, the address of a folder (in Node also its path) or of a
 * GGUF file, files of a page (`<input webkitdirectory>`), sources by name, or the bytes of a GGUF
 * file.
 */
export type ModelSource = Source | Iterable<File> | ReadonlyMap<string, Source> | Readonly<Record<string, Source>>;

/** The most bytes of a file that is read as text. */
const TEXT_LIMIT = 2 ** 26;

/** Finds a model's files by name. */
export interface Files {
  /** The source of a file, if it is known to be there or cannot be known. */
  find(name: string): Source | undefined;
  /** The only file of the model, which is GGUF. */
  single?: Source;
}

const OP = 'fromPretrained';

/** The address of a file in a folder. */
function inside(folder: string | URL, name: string): string | URL {
  if (name.includes('\\') || name.split('/').some((part) => ['', '.', '..'].includes(part))) {
    throw new LanthornError('file', OP, `the model names the file ${JSON.stringify(name)}, which is not in its folder`);
  }
  if (typeof folder === 'string' && isOnDisk(folder) && !folder.startsWith('file:')) return `${folder.replace(/[\\/]+$/, '')}/${name}`;
  if (isHubAddress(folder)) return `${String(folder).replace(/\/+$/, '')}/${name}`;
  const base = new URL(folder, globalThis.location?.href);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return new URL(name.split('/').map(encodeURIComponent).join('/') + base.search, base);
}

const isBytes = (value: unknown): value is Blob | ArrayBuffer | ArrayBufferView =>
  value instanceof Blob || value instanceof ArrayBuffer || ArrayBuffer.isView(value);

/** Files by name; files of a page's folder have paths, whose last part counts. */
function listFiles(entries: Iterable<readonly [string, Source]>): Files {
  const named = new Map(Array.from(entries, ([name, source]) => [name.split('/').at(-1)!, source]));
  const gguf = [...named].filter(([name]) => name.toLowerCase().endsWith('.gguf'));
  const files: Files = { find: (name) => named.get(name.split('/').at(-1)!) };
  if (!named.has('config.json') && gguf.length === 1) files.single = gguf[0]![1];
  return files;
}

/** The files of a source. */
export function filesOf(source: ModelSource): Files {
  if (typeof source === 'string' || source instanceof URL) {
    const path = typeof source === 'string' ? source.replace(/[?#].*$/, '') : source.pathname;
    if (path.toLowerCase().endsWith('.gguf')) return { single: source, find: () => undefined };
    return { find: (name) => inside(source, name) };
  }
  if (isBytes(source)) return { single: source, find: () => undefined };
  if (source instanceof Map) return listFiles(source as ReadonlyMap<string, Source>);
  if (isPlainObject(source)) return listFiles(Object.entries(source as Record<string, Source>));
  if (typeof source === 'object' && source !== null && Symbol.iterator in source) {
    const files = Array.from(source as Iterable<File>);
    if (files.every((file) => file instanceof Blob && typeof file.name === 'string')) {
      return listFiles(files.map((file) => [file.name, file] as const));
    }
  }
  throw new LanthornError('argument', OP, `takes a folder, a GGUF file, files, or sources by name, not ${describe(source)}`);
}

/** The content of a JSON file. */
export async function readJson(source: Source, name: string, signal: AbortSignal | undefined, hub: HubOptions = {}): Promise<unknown> {
  const reading = readingOf(source, signal, undefined, hub);
  let text: string;
  try {
    text = new TextDecoder().decode(await reading.rest(TEXT_LIMIT));
  } finally {
    await reading.close();
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new LanthornError('file', name, `is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
