/**
 * The chapter on saliency and feature inversion in a real browser, on WebGPU (in software) and on
 * the CPU.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, SHORT, TRAINING, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';
import { drawDigit, isReadAs } from './lib/strokes.mjs';

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('saliency')) {
  describe(`the saliency chapter on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());

    test('says which pixels decide, and grows an image that is read as wanted', () =>
      visit(browser, site.address({ device, autostart: 1, steps: 100, seed: 1 }, 'saliency'), async (page) => {
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.ok(shown.accuracy >= 0.9, `accuracy ${shown.accuracy}`);
        await drawDigit(page, 0);
        assert.ok(await isReadAs(page, 0));
        await words(page, 'attribution-words', /^For 0, \d+ % likely/);

        const seen = new Set([await picture(page, 'attribution')]);
        for (const method of ['smooth', 'integrated']) {
          await page.selectOption('#method', method);
          await untilChanged(page, 'attribution', [...seen].at(-1));
          seen.add(await picture(page, 'attribution'));
        }
        assert.equal(seen.size, 3, 'each method has a map of its own');
        // Pixels without ink have no integrated gradients: the corner of a 0 is blank.
        assert.deepEqual(await corner(page), [21, 19, 31]);
        await page.selectOption('#digit', '6');
        await words(page, 'attribution-words', /^For 6,/);

        await page.selectOption('#target', 'digit 3');
        const blank = await picture(page, 'inversion');
        await page.click('#grow');
        await untilChanged(page, 'inversion', blank);
        await page.waitForFunction(() => Number(document.getElementById('inversion').dataset.steps) >= 40, null, { timeout: SHORT });
        assert.equal(await page.locator('#inversion').getAttribute('data-digit'), '3');
        // The growth may have ended already.
        await page.locator('#grow').evaluate((button) => button.textContent === 'Stop' && button.click());
        assert.equal(await page.locator('#grow').innerText(), 'Grow an image');

        await page.click('#clear');
        await words(page, 'attribution-words', /^Draw a digit/);
      }));
  });
}

function words(page, id, expected) {
  const isThere = ([element, pattern]) => new RegExp(pattern).test(document.getElementById(element).textContent);
  return page.waitForFunction(isThere, [id, expected.source], { timeout: SHORT });
}

function picture(page, id) {
  return page.locator(`#${id}`).evaluate((canvas) => canvas.toDataURL());
}

function untilChanged(page, id, old) {
  return page.waitForFunction(([name, before]) => document.getElementById(name).toDataURL() !== before, [id, old], { timeout: SHORT });
}

/** The colour of the first pixel of the map. */
function corner(page) {
  return page.locator('#attribution').evaluate((canvas) => [...canvas.getContext('2d').getImageData(0, 0, 1, 1).data.slice(0, 3)]);
}
