/**
 * `lanthorn/program` in Node on the CPU, and in a real browser on WebGPU (in software) and on the CPU,
 * with files written by PyTorch. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { launchChromium } from './lib/chromium.mjs';
import { DEVICES, inPage, openPackage, PACKAGE, servePackage } from './lib/package-page.mjs';
import { cases } from './program/cases.mjs';

const MODELS = fileURLToPath(new URL('../models', import.meta.url));

describe('in Node', () => {
  const given = { device: 'cpu', read: (path) => readFile(`${MODELS}/${path}`) };
  before(async () => {
    setFlagsFromString('--expose-gc');
    globalThis.gc = runInNewContext('gc');
    const [lanthorn, io, program] = await Promise.all(['index', 'io', 'program'].map((name) => import(`${PACKAGE}/js/${name}.js`)));
    Object.assign(given, { lanthorn, io, program });
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
          io: await import('/npm/js/io.js'),
          program: await import('/npm/js/program.js'),
          device: wanted,
          read: async (path) => (await fetch(`/models/${path}`)).arrayBuffer(),
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
          const { cases } = await import('/tests/program/cases.mjs');
          await cases[name](window.given);
        }, name);
        assert.deepEqual(opened.problems.splice(0), []);
      });
    }
  });
}
