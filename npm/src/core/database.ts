/** Databases of the browser (IndexedDB), each with one store. */

/** Resolves to the result of a request. */
function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB refused'));
  });
}

/** The result of a request to the store of a database, both of which are made at the first use. */
export async function request<T>(
  [database, store]: readonly [database: string, store: string], mode: IDBTransactionMode, use: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(database, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  const opened = await resultOf(opening);
  try {
    const transaction = opened.transaction(store, mode);
    const completed = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error('IndexedDB refused'));
    });
    const [result] = await Promise.all([resultOf(use(transaction.objectStore(store))), completed]);
    return result;
  } finally {
    opened.close();
  }
}
