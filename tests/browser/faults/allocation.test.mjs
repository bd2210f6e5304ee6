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

/** What a training says of the failure of one of its buffers, and whether it works afterwards. Runs in the page. */
const failOnce = async (number, expected) => {
  const { losses } = await import('/tests/faults/allocation.mjs');
  Object.assign(window.allocation, { count: 0, failAt: number });
  const error = await losses(window.lanthorn).then((value) => ({ message: `no error, but ${value}` }), (failure) => failure);
  window.allocation.failAt = 0;
  // What nobody asked for is told here.
  await window.lanthorn.synchronize().catch(() => {});
  window.expect.equal(await losses(window.lanthorn), expected, `after the failure of buffer ${number}`);
  return { number, name: error.name, kind: error.kind, message: error.message };
};

/** Every failure is an error of its kind that says what was wanted. */
function assertTyped(failures) {
  for (const { number, name, kind, message } of failures) {
    assert.deepEqual([name, kind], ['LanthornError', 'out_of_memory'], `buffer ${number}: ${message}`);
    assert.match(message, /\d+ bytes/);
  }
}

const beforehand = `(${failingBuffers})(); (${countBuffers})(); window.failOnce = ${failOnce};`;

test('whichever buffer of a training fails: an error, then the same training works, and nothing is left', () =>
  withPackage(browser, site, async (page) => {
    const found = await inPage(page, async () => {
      const { losses } = await import('/tests/faults/allocation.mjs');
      const { emptyCache, init, memory, synchronize } = window.lanthorn;
      await init({ device: 'webgpu' });
      const expected = await losses(window.lanthorn);
      const rest = async () => {
        await synchronize();
        emptyCache();
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 0));
        return { tensors: memory().tensors, held: memory().bytes, gpu: window.gpu.bytes };
      };
      await rest();
      window.allocation.count = 0;
      window.expect.equal(await losses(window.lanthorn), expected, 'without a failure');
      const total = window.allocation.count;
      const idle = await rest();
      const failures = [];
      for (let number = 1; number <= total; number += 1) {
        failures.push(await window.failOnce(number, expected));
        const now = await rest();
        for (const [name, held] of Object.entries(now)) {
          window.expect.ok(held <= idle[name], `buffer ${number} leaves ${held} of ${name}, not ${idle[name]}`);
        }
      }
      return { total, failures };
    });
    assert.ok(found.total > 20 && found.failures.length === found.total, `${found.total} buffers`);
    assertTyped(found.failures);
  }, { beforehand }));

test('on a new device too, where the first buffers are those of the runtime itself', () =>
  withPackage(browser, site, async (page) => {
    const begin = async () => {
      await window.lanthorn.init({ device: 'cpu' });
      await window.lanthorn.init({ device: 'webgpu' });
      window.allocation.count = 0;
    };
    await page.evaluate(`window.begin = ${begin}`);
    const { total, expected } = await inPage(page, async () => {
      const { losses } = await import('/tests/faults/allocation.mjs');
      await window.begin();
      return { expected: await losses(window.lanthorn), total: window.allocation.count };
    });
    assert.ok(total > 20, `${total} buffers`);
    const failures = [];
    for (let number = 1; number <= total; number += isWhole ? 1 : 7) {
      failures.push(await inPage(page, async (given) => {
        await window.begin();
        return window.failOnce(...given);
      }, [number, expected]));
    }
    assertTyped(failures);
  }, { beforehand }));
