/** Files of a hub by their addresses, `hf://owner/name@revision/file`. */
import { LanthornError } from '../core/errors.js';
import type { LoadProgress } from '../io/options.js';
import { addressOf, obtain } from './download.js';
import { DownloadError } from './errors.js';
import { checkHub, type CheckedHub, type HubOptions } from './settings.js';
import { downloads } from './storage.js';
import { isName, type Content } from './store.js';

/** A file of a repository. */
interface RepositoryFile {
  /** `owner/name`, after `datasets/` or `spaces/` if it is no model. */
  repo: string;
  revision: string;
  file: string;
}

const ADDRESS = /^hf:\/\/((?:datasets\/|spaces\/)?[\w.-]+\/[\w.-]+)(?:@([^/]+))?\/(.+)$/i;

function parse(op: string, address: string, hub: CheckedHub): RepositoryFile {
  const [, repo, revision, file] = ADDRESS.exec(address) ?? [];
  if (repo === undefined || file === undefined || !isName(file)) {
    throw new LanthornError('argument', op, `${address} is not an address of a hub's file: hf://owner/name/file, or hf://owner/name@revision/file`);
  }
  return { repo, revision: revision === undefined ? hub.revision : decodeURIComponent(revision), file };
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** The address of the server that has a file. */
function serverAddress(op: string, { repo, revision, file }: RepositoryFile, { endpoint, pathTemplate }: CheckedHub): URL {
  const parts: Record<string, string> = { repo: encodePath(repo), revision: encodeURIComponent(revision), file: encodePath(file) };
  const path = pathTemplate.replace(/\{(repo|revision|file)\}/g, (_, name: string) => parts[name]!);
  return addressOf(op, `${endpoint}/${path.replace(/^\/+/, '')}`);
}

/** A stored file, or the address from which it is read while it arrives. */
export type Located = { content: Content } | { url: URL; headers: Record<string, string> };

/** Finds a file of a hub: stored, or downloaded first. */
export async function locate(
  op: string, address: string, options: HubOptions, signal: AbortSignal | undefined, onProgress: ((progress: LoadProgress) => void) | undefined,
): Promise<Located> {
  const hub = checkHub(op, options);
  const found = parse(op, address, hub);
  const url = serverAddress(op, found, hub);
  const headers: Record<string, string> = hub.token === undefined ? {} : { Authorization: `Bearer ${hub.token}` };
  const name = ['hub', url.host.replaceAll(':', '_') || 'local', found.repo, found.revision, found.file].join('/');
  const store = await downloads();
  if (hub.localFilesOnly) {
    const stored = await store.find(name);
    if (stored?.isComplete) return { content: await store.content(stored) };
    throw new DownloadError(op, 'absent', address, 'there is no such file in the storage, and localFilesOnly is true');
  }
  if (!hub.cache) return { url, headers };
  const { forceDownload, refresh } = hub;
  return { content: await obtain(store, { op, name, url, headers, forceDownload, refresh, signal, onProgress }) };
}
