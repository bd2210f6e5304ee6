/**
 * The models of `lanthorn/vision` in Node on the CPU, and in a real browser, against torchvision
 * (`tests/golden/vision-models.json`). Needs the package built into target/npm.
 */
import { readFile } from 'node:fs/promises';
import { describeEnvironments } from './lib/environments.mjs';
import { PACKAGE } from './lib/package-page.mjs';
import { cases } from './vision-models/cases.mjs';

const { answers } = JSON.parse(await readFile(new URL('../golden/vision-models.json', import.meta.url), 'utf8'));
const golden = { answers };

describeEnvironments({
  cases,
  address: '/tests/vision-models/cases.mjs',
  givenInNode: async () => {
    const [lanthorn, vision] = await Promise.all(['index', 'vision/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    return { lanthorn, vision, golden };
  },
  givenInPage: async (golden) => ({ vision: await import('/npm/js/vision/index.js'), golden }),
  argument: golden,
});
