/** Addresses of hubs: `hf://owner/name/file`, and the names of models. */
import { LanthornError } from '../core/errors.js';
import { nodeModule } from '../core/source.js';

const SCHEME = /^hf:\/\//i;
/** The name of a repository, of which no part is a path. */
const REPOSITORY = /^[A-Za-z0-9_][\w.-]*\/[A-Za-z0-9_][\w.-]*$/;
/** Files whose relative addresses look like the names of repositories. */
const FILE = /\.(json|model|gguf|safetensors|bin|pt|pth|npz|npy|html?|m?js)$/i;

/** Whether a source is a file or a repository of a hub. */
export function isHubAddress(source: unknown): source is string | URL {
  return source instanceof URL ? source.protocol === 'hf:' : typeof source === 'string' && SCHEME.test(source);
}

/** Whether there is such a file or folder on a disk. */
async function isOnThisDisk(path: string): Promise<boolean> {
  if ((globalThis as { location?: unknown }).location !== undefined) return false;
  const { stat } = await nodeModule<{ stat(path: string): Promise<unknown> }>('node:fs/promises');
  return stat(path).then(() => true, () => false);
}

/**
 * The address of the repository that a source names: `owner/name` or `hf://owner/name`. In Node a
 * folder of that name comes first, as in transformers.
 */
export async function repositoryOf(source: unknown): Promise<string | undefined> {
  if (isHubAddress(source)) {
    const path = String(source).replace(SCHEME, '').replace(/\/+$/, '');
    return REPOSITORY.test(path.replace(/@[^/]*$/, '')) ? `hf://${path}` : undefined;
  }
  if (typeof source !== 'string' || !REPOSITORY.test(source) || FILE.test(source)) return undefined;
  return (await isOnThisDisk(source)) ? undefined : `hf://${source}`;
}

/** Whether an error says that there is no such file. */
export function isAbsent(error: unknown): boolean {
  return error instanceof LanthornError && error.kind === 'file' && /there is no such file|the server answered 404|there is no file/.test(error.message);
}
