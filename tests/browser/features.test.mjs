/**
 * The chapter on feature extraction in a real browser, on WebGPU (in software) and on the CPU.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, SHORT, TRAINING, untilSaved, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

/** 120 steps of the trunk, and then some of the heads. */
const STEPS = 155;

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('features')) {
  describe(`the features chapter on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());

    test('a new head on a frozen trunk learns from a few images, and the features are on a plane', () =>
      visit(browser, site.address({ device, autostart: 1, steps: STEPS, seed: 1 }, 'features'), async (page) => {
        await words(page, 'map-words', /By PCA/);
        const before = await picture(page);
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.ok(shown.known >= 0.95, `accuracy on 0 to 4: ${shown.known}`);
        assert.ok(shown.accuracy >= 0.72, `accuracy of the new head: ${shown.accuracy}`);
        assert.ok(shown.scratch > 0.3, `accuracy from scratch: ${shown.scratch}`);
        assert.equal(shown.made, 0, 'a steady step makes nothing');
        assert.equal(await page.locator('#phase').innerText(), 'frozen');
        await page.waitForFunction((old) => document.getElementById('map').toDataURL() !== old, before, { timeout: SHORT });

        await page.locator('#number').fill('7');
        assert.match(await page.locator('#image-words').innerText(), /^Image 7 is a \d\. The (first|new) head reads \d\.$/);
        await page.selectOption('#method', 'tsne');
        await words(page, 'map-words', /By t-SNE, after \d+/);
        await untilSaved(page, STEPS);
      }));

    if (device === 'cpu') {
      test('resumes behind the frozen trunk', () =>
        visit(browser, site.address({ device, autostart: 1, steps: 125, seed: 2 }, 'features'), async (page) => {
          await waitForState(page, 'done', TRAINING);
          await untilSaved(page, 125);
          await page.goto(site.address({ device, seed: 2 }, 'features'));
          const shown = await waitForState(page, 'ready', SHORT);
          assert.equal(shown.step, 125);
          await words(page, 'phase', /frozen/);
          await page.click('#step');
          await page.waitForFunction(() => window.lanthornDemo.step === 126, null, { timeout: SHORT });
          // Other images are another training.
          await page.selectOption('#images', '20');
          await words(page, 'status', /Reset/);
        }));

      test('says what a learning rate without bounds does', () =>
        visit(browser, site.address({ device, autostart: 1, steps: 20, seed: 1, rate: '1e30' }, 'features'), async (page) => {
          const { notice } = await waitForState(page, 'error', SHORT);
          assert.match(notice, /Choose a smaller learning rate/);
        }));
    }
  });
}

function words(page, id, expected) {
  const isThere = ([element, pattern]) => new RegExp(pattern).test(document.getElementById(element).textContent);
  return page.waitForFunction(isThere, [id, expected.source], { timeout: SHORT });
}

function picture(page) {
  return page.locator('#map').evaluate((canvas) => canvas.toDataURL());
}
