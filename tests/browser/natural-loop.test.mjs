/**
 * A training loop without scope and dispose keeps its memory bounded, in pages and in Node. The
 * long form is tests/bench/natural.mjs. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { launchBrowser } from './lib/browser.mjs';
import { DEVICES, PACKAGE, inPage, servePackage, withPackage } from './lib/package-page.mjs';
import { rotate } from './lib/rotation.mjs';
import { models, run } from './loops/natural.mjs';

/** Twice the bytes that the intermediates of these steps may occupy before they are collected. */
const BOUND = 1 << 30;
/** Their intermediates take 1.6 GB in all. */
const STEPS = 80;

let site;
before(async () => {
  site = await servePackage();
});
after(() => site?.close());

for (const device of rotate(DEVICES, DEVICES.length)) {
  test(`in a page on ${device}`, async () => {
    const browser = await launchBrowser({ webgpu: device === 'webgpu' });
    try {
      await withPackage(browser, site, async (page) => {
        const found = await inPage(page, async ([device, steps]) => {
          await window.lanthorn.init({ device });
          const { models, run } = await import('/tests/loops/natural.mjs');
          return run(window.lanthorn, models.wide(window.lanthorn), steps, false);
        }, [device, STEPS]);
        assert.ok(found.peak < BOUND, `${found.peak} bytes were live at a time`);
      });
    } finally {
      await browser.close();
    }
  });
}

test('in Node', async () => {
  const lanthorn = await import(`${PACKAGE}/js/index.js`);
  await lanthorn.init({ device: 'cpu', wasmModule: await readFile(`${PACKAGE}/wasm/lanthorn_cpu_bg.wasm`) });
  const found = await run(lanthorn, models.wide(lanthorn), STEPS, false);
  assert.ok(found.peak < BOUND, `${found.peak} bytes were live at a time`);
  for (const name of rotate(['mlp', 'cnn', 'resnet', 'gpt'], 4)) {
    const { peak } = await run(lanthorn, models[name](lanthorn), 3, false);
    assert.ok(peak < BOUND, name);
  }
});
