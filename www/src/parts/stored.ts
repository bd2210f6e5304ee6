/**
 * Everything that the pages of this site store in the browser. A host may have other sites, so the
 * names begin with `lanthorn`.
 */

const PREFIX = 'lanthorn';
/** The formats of the package: checkpoints of chapters, and files of programs in the playground. */
const FILE = /\.(?:pt|safetensors|npz|npy)$/;

/** A text that stays in this browser, such as a draft; `undefined` where nothing can be stored. */
export function storedText(name: string): string | undefined {
  try {
    return localStorage.getItem(`${PREFIX}:${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a text; false where the browser stores nothing. */
export function storeText(name: string, text: string): boolean {
  try {
    localStorage.setItem(`${PREFIX}:${name}`, text);
    return true;
  } catch {
    return false;
  }
}

/** The names of the stored files, of which most are checkpoints. */
export async function storedFiles(): Promise<string[]> {
  try {
    const folder = (await navigator.storage.getDirectory()) as unknown as { keys(): AsyncIterable<string> };
    const names: string[] = [];
    for await (const name of folder.keys()) {
      names.push(name);
    }
    return names.filter((name) => FILE.test(name));
  } catch {
    // A browser without private files has none.
    return [];
  }
}

/** Deletes all stored files, texts and databases of the site. */
export async function forgetAll(): Promise<void> {
  for (const name of await storedFiles()) {
    await (await navigator.storage.getDirectory()).removeEntry(name);
  }
  for (const storage of [localStorage, sessionStorage]) {
    Object.keys(storage).filter((key) => key.startsWith(PREFIX)).forEach((key) => storage.removeItem(key));
  }
  const databases = (await indexedDB.databases?.().catch(() => [])) ?? [];
  const names = new Set([PREFIX, ...databases.map(({ name }) => name ?? '').filter((name) => name.startsWith(PREFIX))]);
  await Promise.all([...names].map(deleteDatabase));
}

/** Resolves when a database is deleted, or will be when another page has closed it. */
function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onblocked = () => resolve();
    request.onerror = () => reject(request.error ?? new Error(`the database ${name} could not be deleted`));
  });
}
