/**
 * Memory and limits: a GPU that has none left in the middle of a step, tensors beyond a dispatch, a
 * binding or a buffer, and the end of the CPU's memory. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchChromium } from '../lib/chromium.mjs';
import { countBuffers } from '../lib/leak.mjs';
import { inPage, servePackage, withPackage } from '../lib/package-page.mjs';
import { failingBuffers } from './allocation.mjs';

/** All of the long tests, or a sample: LANTHORN_FAULTS=all. */
const isWhole = process.env.LANTHORN_FAULTS === 'all';

let site;
let browser;
before(async () => {
  site = await servePackage();
  browser = await launchChromium({ webgpu: true, flags: ['--js-flags=--expose-gc'] });
});
after(async () => {
  await browser?.close();
  await site?.close();
});

test('whichever buffer of a training fails: an error, then the same training works, and nothing is left', () =>
  withPackage(browser, site, async (page) => {
    const found = await inPage(page, async (every) => {
      const { losses } = await import('/tests/faults/allocation.mjs');
      const { emptyCache, init, memory, synchronize } = window.lanthorn;
      const { allocation, expect } = window;
      await init({ device: 'webgpu' });
      const expected = await losses(window.lanthorn);
      const rest = async () => {
        await synchronize();
        emptyCache();
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 0));
        return { tensors: memory().tensors, held: memory().bytes };
      };
      const idle = await rest();
      allocation.count = 0;
      expect.equal(await losses(window.lanthorn), expected, 'without a failure');
      const total = allocation.count;
      const [errors, bytes] = [[], []];
      for (let number = 1; number <= total; number += every) {
        await rest();
        [allocation.count, allocation.failAt] = [0, number];
        const error = await losses(window.lanthorn).then((value) => ({ value }), (failure) => failure);
        allocation.failAt = 0;
        errors.push({ number, name: error.name, kind: error.kind, message: error.message, value: error.value });
        await synchronize().catch(() => {});
        expect.equal(await losses(window.lanthorn), expected, `after the failure of buffer ${number}`);
        const now = await rest();
        expect.ok(now.tensors === idle.tensors && now.held === idle.held, `buffer ${number} leaves ${JSON.stringify(now)}, not ${JSON.stringify(idle)}`);
        bytes.push(window.gpu.bytes);
      }
      return { total, errors, bytes };
    }, isWhole ? 1 : 3);
    console.log(JSON.stringify(found, null, 0).slice(0, 5000));
    assert.ok(found.total > 20, `${found.total} buffers`);
    for (const { number, name, kind, message, value } of found.errors) {
      assert.equal(name, 'LanthornError', `buffer ${number}: ${message ?? value}`);
      assert.equal(kind, 'out_of_memory', `buffer ${number}: ${message}`);
    }
    assert.ok(found.bytes.at(-1) <= found.bytes[0], `bytes of live buffers: ${found.bytes}`);
  }, { beforehand: `(${failingBuffers})(); (${countBuffers})();` }));
