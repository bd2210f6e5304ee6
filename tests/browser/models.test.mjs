/**
 * `lanthorn/models` in Node on the CPU, and in a real browser on WebGPU (in software) and on the CPU,
 * against transformers (`tests/models/lm`). Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { launchChromium } from './lib/chromium.mjs';
import { DEVICES, inPage, openPackage, PACKAGE, servePackage } from './lib/package-page.mjs';
import { cases } from './models/cases.mjs';

const FOLDER = fileURLToPath(new URL('../models/lm', import.meta.url));

/**
 * What the console may tell: a folder with shards has no file for all weights, and a reader that has what it
 * wants ends its request.
 */
const EXPECTED = /404|net::ERR_ABORTED/;

describe('in Node', () => {
  const given = { device: 'cpu', folder: FOLDER };
  before(async () => {
    setFlagsFromString('--expose-gc');
    globalThis.gc = runInNewContext('gc');
    const [lanthorn, models] = await Promise.all(['index', 'models/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    Object.assign(given, { lanthorn, models });
    const { readFile } = await import('node:fs/promises');
    given.read = async (path) => new Uint8Array(await readFile(`${FOLDER}/${path}`));
    await lanthorn.init({ device: 'cpu' });
  });
  for (const [name, check] of Object.entries(cases)) test(name, () => check(given));
});

for (const device of DEVICES) {
  describe(`on ${device}`, () => {
    let site, browser, opened;
    before(async () => {
      site = await servePackage();
      browser = await launchChromium({ webgpu: device === 'webgpu', flags: ['--js-flags=--expose-gc'] });
      opened = await openPackage(browser, site);
      const info = await inPage(opened.page, async (wanted) => {
        window.given = {
          lanthorn: window.lanthorn,
          models: await import('/npm/js/models/index.js'),
          device: wanted,
          folder: '/models/lm',
          read: async (path) => new Uint8Array(await (await fetch(`/models/lm/${path}`)).arrayBuffer()),
        };
        return window.lanthorn.init({ device: wanted });
      }, device);
      assert.equal(info.device, device);
    });
    after(async () => {
      await browser?.close();
      await site?.close();
    });

    for (const name of Object.keys(cases)) {
      test(name, async () => {
        await inPage(opened.page, async (name) => {
          const { cases } = await import('/tests/models/cases.mjs');
          await cases[name](window.given);
        }, name);
        assert.deepEqual(opened.problems.splice(0).filter((problem) => !EXPECTED.test(problem)), []);
      });
    }
  });
}
