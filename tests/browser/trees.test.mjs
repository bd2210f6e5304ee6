/** The chapter on recursive networks in a real browser. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, SHORT, TRAINING, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

/**
 * On software WebGPU, where every batch has another graph, there is time for the beginning only, in
 * which the loss equals the CPU's.
 */
const BEGINNING = { steps: 4, batch: 4, depth: 2 };
const TRAINED = { webgpu: BEGINNING, cpu: { steps: 100, loss: 0.25, accuracy: 0.85, deeper: 0.7 } };

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('trees')) {
  describe(`the chapter on trees on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const { loss, accuracy, deeper, ...settings } = TRAINED[device];
    const address = (where, given) => site.address({ device: where, autostart: 1, seed: 1, ...given }, 'trees');

    test('learns from trees, and reads deeper ones', () =>
      visit(browser, address(device, settings), async (page) => {
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        if (device === 'cpu') {
          assert.ok(shown.loss < loss, `loss ${shown.loss}`);
          assert.ok(shown.accuracy >= accuracy, `share of sentences read correctly: ${shown.accuracy}`);
          assert.ok(shown.deeper >= deeper, `share of deeper ones: ${shown.deeper}`);
        } else {
          const expected = await lossOnCpu(browser, address('cpu', BEGINNING));
          assert.ok(Math.abs(shown.loss - expected) < 1e-4, `loss ${shown.loss}, on the CPU ${expected}`);
        }
        await says(page, 'very', /needs an opinion after it/);
        assert.equal(await page.locator('#tree circle').count(), 0);
        await says(page, 'very good', /It takes the sentence for/);
        assert.equal(await page.locator('#tree circle').count(), 3);
        assert.equal(await page.locator('#tree .silent').count(), 1, 'very alone says nothing');
        if (device === 'cpu') {
          await says(page, 'good', /for good/);
          await says(page, 'not good', /for bad/);
          await says(page, 'not very dull', /for good/);
          await says(page, 'good but awful', /for bad/);
          await says(page, 'not good and very dull', /for bad/);
        }
        await says(page, 'a good film', /does not know “a”, “film”/);
        await says(page, '', /no word yet/);
        await says(page, 'but good', /stands between two opinions/);
        await says(page, 'very '.repeat(30) + 'good', /up to 24 words/);
        await page.click('#another');
        await page.waitForFunction(() => document.querySelectorAll('#tree circle').length > 0, null, { timeout: SHORT });
      }));
  });
}

/** The loss of the same training on the CPU. */
async function lossOnCpu(browser, address) {
  let loss;
  await visit(browser, address, async (page) => {
    ({ loss } = await waitForState(page, 'done', TRAINING));
  });
  return loss;
}

/** Types a sentence, and waits for the page's answer. */
async function says(page, sentence, expected) {
  await page.fill('#sentence', sentence);
  await page.waitForFunction((pattern) => new RegExp(pattern).test(document.getElementById('said').textContent), expected.source, { timeout: SHORT });
}
