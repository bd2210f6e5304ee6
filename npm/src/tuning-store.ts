/** Storage of kernel variant choices between page loads: a text for each adapter in IndexedDB. */

const DATABASE = 'lanthorn';
const STORE = 'tuning';

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB refused'));
  });
}

async function within<T>(mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await settled(opening);
  try {
    return await settled(use(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

/** The choices stored for an adapter; none if there are none, or no storage. */
export async function keptTuning(adapter: string): Promise<string> {
  try {
    const kept: unknown = await within('readonly', (store) => store.get(adapter));
    return typeof kept === 'string' ? kept : '';
  } catch {
    return '';
  }
}

/** Stores the choices for an adapter; resolves to whether there is storage. */
export async function keepTuning(adapter: string, choices: string): Promise<boolean> {
  try {
    await within('readwrite', (store) => store.put(choices, adapter));
    return true;
  } catch {
    return false;
  }
}
