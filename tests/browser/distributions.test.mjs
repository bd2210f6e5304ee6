/**
 * `lanthorn/distributions` in Node on the CPU, and in a real browser on WebGPU (in software) and on
 * the CPU, against PyTorch (`tests/golden/distributions.json`). Needs the package built into
 * target/npm.
 */
import { readFile } from 'node:fs/promises';
import { cases } from './distributions/cases.mjs';
import { describeEnvironments } from './lib/environments.mjs';
import { PACKAGE } from './lib/package-page.mjs';

const golden = JSON.parse(await readFile(new URL('../golden/distributions.json', import.meta.url), 'utf8'));

describeEnvironments({
  cases,
  address: '/tests/distributions/cases.mjs',
  givenInNode: async () => {
    const [lanthorn, distributions] = await Promise.all(['index', 'distributions/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    return { lanthorn, distributions, golden };
  },
  givenInPage: async (golden) => ({ distributions: await import('/npm/js/distributions/index.js'), golden }),
  argument: golden,
});
