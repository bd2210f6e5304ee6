/**
 * The models of `lanthorn/vision` in Node on the CPU, and in a real browser, against torchvision
 * (`tests/golden/vision-models.json`). Needs the package built into target/npm.
 */
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { BROWSER } from './lib/browser.mjs';
import { describeEnvironments } from './lib/environments.mjs';
import { PACKAGE } from './lib/package-page.mjs';
import { rotate } from './lib/rotation.mjs';
import { cases, checkLarge, LARGE } from './vision-models/cases.mjs';

const { answers } = JSON.parse(await readFile(new URL('../golden/vision-models.json', import.meta.url), 'utf8'));
const golden = { answers };

async function importGiven() {
  const [lanthorn, vision] = await Promise.all(['index', 'vision/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
  return { lanthorn, vision, golden };
}

describe('large models, one of six by rotation', { skip: BROWSER !== 'chromium' }, () => {
  let given;
  before(async () => {
    given = await importGiven();
    await given.lanthorn.init({ device: 'cpu' });
  });
  for (const name of rotate(Object.keys(LARGE), 6)) {
    test(`${name} has the logits and gradients of torchvision`, () => checkLarge(given, name));
  }
});

describeEnvironments({
  cases,
  address: '/tests/vision-models/cases.mjs',
  givenInNode: importGiven,
  givenInPage: async (golden) => ({ vision: await import('/npm/js/vision/index.js'), golden }),
  argument: golden,
});
