/**
 * The chapter on convolutional networks in a real browser, on WebGPU (in software) and on the CPU.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, hasInk, SHORT, TRAINING, untilStep, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';
import { drawDigit, isReadAs } from './lib/strokes.mjs';

const MIN_ACCURACY = 0.96;

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('convolution')) {
  describe(`the convolution chapter on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const withPage = (parameters, check) => visit(browser, site.address({ device, ...parameters }, 'convolution'), check);

    test('trains, and reads a drawn digit', () =>
      withPage({ autostart: 1, steps: 200, seed: 1 }, async (page) => {
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.equal(shown.step, 200);
        assert.ok(shown.loss < 0.5, `loss ${shown.loss}`);
        assert.ok(shown.accuracy >= MIN_ACCURACY, `accuracy ${shown.accuracy}`);
        assert.ok(await hasInk(page, '#loss-curve canvas'), 'the loss curve is drawn');
        assert.match(await page.locator('#source').innerText(), /new nn\.Conv2d/);
        for (const digit of [0, 1, 4, 7]) {
          await drawDigit(page, digit);
          assert.ok(await isReadAs(page, digit), `a drawn ${digit}: ${await page.locator('#verdict').innerText()}`);
        }
      }));

    test('shows filters that change while it trains, and maps that change with the drawing', () =>
      withPage({ seed: 2, steps: 2000 }, async (page) => {
        await waitForState(page, 'ready', SHORT);
        // A test image replaces the drawing at first.
        await page.waitForFunction(() => document.getElementById('verdict').dataset.digit !== undefined, null, { timeout: SHORT });
        assert.equal(await page.locator('#filters canvas').count(), 8);
        assert.equal(await page.locator('#first canvas').count(), 8);
        assert.equal(await page.locator('#second canvas').count(), 16);
        const untrained = await pictures(page, '#filters');
        await page.click('#start');
        await untilStep(page, 30);
        await page.click('#pause');
        await waitForState(page, 'ready', SHORT);
        assert.notDeepEqual(await pictures(page, '#filters'), untrained, 'the filters have changed');

        await drawDigit(page, 1);
        await isReadAs(page, 1);
        const ofOne = await pictures(page, '#first');
        await drawDigit(page, 0);
        await isReadAs(page, 0);
        assert.notDeepEqual(await pictures(page, '#first'), ofOne, 'another digit, other maps');
        await page.click('#clear');
        const [blank, ...others] = await pictures(page, '#first');
        assert.ok(others.every((picture) => picture === blank), 'no digit, no maps');
      }));
  });
}

/** The content of the canvases under `selector`, a string each. */
function pictures(page, selector) {
  return page.locator(`${selector} canvas`).evaluateAll((all) => all.map((canvas) => canvas.toDataURL()));
}
