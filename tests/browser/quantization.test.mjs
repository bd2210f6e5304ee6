/**
 * `lanthorn/quantization` in Node on the CPU, and in a real browser on WebGPU (in software) and on the CPU,
 * against torchao and PyTorch (`tests/golden/quantization.json`). Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { launchChromium } from './lib/chromium.mjs';
import { DEVICES, inPage, openPackage, PACKAGE, servePackage } from './lib/package-page.mjs';
import { cases } from './quantization/cases.mjs';

const golden = JSON.parse(await readFile(new URL('../golden/quantization.json', import.meta.url), 'utf8'));

describe('in Node', () => {
  const given = { device: 'cpu', golden };
  before(async () => {
    setFlagsFromString('--expose-gc');
    globalThis.gc = runInNewContext('gc');
    const [lanthorn, io, quantization] = await Promise.all(['index', 'io', 'quantization/index'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    Object.assign(given, { lanthorn, io, quantization });
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
      const info = await inPage(opened.page, async ({ device, golden }) => {
        const [io, quantization] = await Promise.all([import('/npm/js/io.js'), import('/npm/js/quantization/index.js')]);
        window.given = { lanthorn: window.lanthorn, io, quantization, device, golden };
        return window.lanthorn.init({ device });
      }, { device, golden });
      assert.equal(info.device, device);
    });
    after(async () => {
      await browser?.close();
      await site?.close();
    });

    for (const name of Object.keys(cases)) {
      test(name, async () => {
        await inPage(opened.page, async (name) => {
          const { cases } = await import('/tests/quantization/cases.mjs');
          await cases[name](window.given);
        }, name);
        assert.deepEqual(opened.problems.splice(0), []);
      });
    }
  });
}
