/** Storage of kernel variant choices between page loads: a text for each adapter in IndexedDB. */
import { request } from './database.js';

const STORE = ['lanthorn', 'tuning'] as const;

/** The choices stored for an adapter; none if there are none, or no storage. */
export async function keptTuning(adapter: string): Promise<string> {
  try {
    const kept: unknown = await request(STORE, 'readonly', (store) => store.get(adapter));
    return typeof kept === 'string' ? kept : '';
  } catch {
    return '';
  }
}

/** Stores the choices for an adapter; resolves to whether there is storage. */
export async function keepTuning(adapter: string, choices: string): Promise<boolean> {
  try {
    await request(STORE, 'readwrite', (store) => store.put(choices, adapter));
    return true;
  } catch {
    return false;
  }
}
