/** The built text of workers, which WebKit evaluates twice if a chunk imports its entry. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Resolves to the entries of workers among the scripts of a built folder, and to the chunks that
 * import one, each as `CHUNK imports ENTRY`.
 */
export async function readWorkers(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  const entries = names.filter((name) => /worker-[\w-]{8}\.js$/.test(name));
  const importers = await Promise.all(names.map(async (name) => {
    const text = await readFile(join(folder, name), 'utf8');
    const imported = [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*["'`]\.\/([^"'`]+)["'`]/g)].map(([, file]) => file);
    return imported.filter((file) => entries.includes(file)).map((file) => `${name} imports ${file}`);
  }));
  return { entries, importers: importers.flat() };
}
