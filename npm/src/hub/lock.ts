/** One download of a file at a time, also among the pages of an origin. */
import type { FileStore } from './store.js';

/** The last download of each file of this thread. */
const running = new Map<string, Promise<unknown>>();

/** Calls `action` when no other download of this name runs. */
export async function withLock<T>(store: FileStore, name: string, signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
  const key = `${store.key} ${name}`;
  const before = running.get(key);
  const run = (async () => {
    await before?.catch(() => undefined);
    signal?.throwIfAborted();
    return withPages(name, signal, action);
  })();
  running.set(key, run);
  try {
    return await run;
  } finally {
    if (running.get(key) === run) running.delete(key);
  }
}

/** The same among pages, which have locks in common. */
async function withPages<T>(name: string, signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
  const locks = (globalThis.navigator as { locks?: LockManager } | undefined)?.locks;
  if (!locks || (globalThis as { location?: unknown }).location === undefined) return action();
  const options: LockOptions = signal ? { signal } : {};
  return locks.request(`lanthorn-downloads:${name}`, options, action) as Promise<T>;
}
