/** The site's own TypeScript in Node, as its build loads it. */
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const path = (relative) => fileURLToPath(new URL(`../../../www/${relative}`, import.meta.url));

/** Vite, which the site is built by. */
export const vite = () => import(pathToFileURL(createRequire(path('package.json')).resolve('vite')).href);

/** The module `source` of www/. */
export async function loadSource(source) {
  const { runnerImport } = await vite();
  return (await runnerImport(path(source), { configFile: false, logLevel: 'error' })).module;
}
