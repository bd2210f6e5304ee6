/**
 * `lanthorn/models` in Node on the CPU, and in a real browser on WebGPU (in software) and on the CPU,
 * against transformers (`tests/models/lm`). Needs the package built into target/npm.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeEnvironments } from './lib/environments.mjs';
import { PACKAGE } from './lib/package-page.mjs';
import { cases } from './models/cases.mjs';

const FOLDER = fileURLToPath(new URL('../models/lm', import.meta.url));

describeEnvironments({
  cases,
  address: '/tests/models/cases.mjs',
  givenInNode: async () => {
    const [lanthorn, models, io] = await Promise.all(['index', 'models/index', 'io/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    return { lanthorn, models, io, folder: FOLDER, read: async (path) => new Uint8Array(await readFile(`${FOLDER}/${path}`)) };
  },
  givenInPage: async () => ({
    models: await import('/npm/js/models/index.js'),
    io: await import('/npm/js/io/index.js'),
    folder: '/models/lm',
    read: async (path) => new Uint8Array(await (await fetch(`/models/lm/${path}`)).arrayBuffer()),
  }),
  // A folder with shards has no file for all weights, and a reader aborts its request after the bytes
  // that it needs.
  expected: /404|net::ERR_ABORTED/,
});
