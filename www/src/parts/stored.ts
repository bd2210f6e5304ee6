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

/** The database and the store of the package's files where it has no private file system. */
const DATABASE = `${PREFIX}-files`;
const STORE = 'files';

/** The names of the stored files, of which most are checkpoints. */
export async function storedFiles(): Promise<string[]> {
  const names = await Promise.all([privateFiles(), databaseFiles()]);
  return names.flat();
}

/** The names of files in the private file system. */
async function privateFiles(): Promise<string[]> {
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

/** The names of files in the package's database, which is not made if there is none. */
function databaseFiles(): Promise<string[]> {
  return new Promise((resolve) => {
    const opening = indexedDB.open(DATABASE);
    opening.onupgradeneeded = () => opening.transaction?.abort();
    // A browser without databases, or without this one, has no files in it.
    opening.onerror = () => resolve([]);
    opening.onsuccess = () => {
      const database = opening.result;
      const keys = database.transaction(STORE).objectStore(STORE).getAllKeys();
      keys.onsuccess = () => resolve(keys.result.map(String));
      keys.onerror = () => resolve([]);
      database.close();
    };
  });
}

/** Deletes all stored files, texts and databases of the site. */
export async function forgetAll(): Promise<void> {
  for (const name of await privateFiles()) {
    await (await navigator.storage.getDirectory()).removeEntry(name);
  }
  for (const storage of [localStorage, sessionStorage]) {
    Object.keys(storage).filter((key) => key.startsWith(PREFIX)).forEach((key) => storage.removeItem(key));
  }
  const databases = (await indexedDB.databases?.().catch(() => [])) ?? [];
  const named = databases.map(({ name }) => name ?? '').filter((name) => name.startsWith(PREFIX));
  await Promise.all([...new Set([PREFIX, DATABASE, ...named])].map(deleteDatabase));
}

/** Resolves when a database is deleted, or will be when another page has closed it. */
function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = request.onblocked = () => resolve();
    request.onerror = () => reject(request.error ?? new Error(`the database ${name} could not be deleted`));
  });
}
