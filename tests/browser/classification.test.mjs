/** The chapter on a first neural network in a real browser, on WebGPU (in software) and on the CPU. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, SHORT, TRAINING, untilSaved, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

/** On software WebGPU there is time for the beginning only; a guess would be right for half of the points. */
const TRAINED = { webgpu: { steps: 40, accuracy: 0.85 }, cpu: { steps: 120, accuracy: 0.95 } };

const label = (page) => page.locator('#plane').getAttribute('aria-label');
const pictures = (page) => page.locator('#plane, #neurons canvas').evaluateAll((all) => all.map((canvas) => canvas.toDataURL()));
/** Waits for the first measurement, which brings the points. */
const untilMeasured = (page) => page.waitForFunction(() => window.lanthornDemo?.accuracy !== undefined, null, { timeout: SHORT });
/** Waits until the picture is of this many points, and has been measured with them. */
const untilPoints = (page, count) =>
  page.waitForFunction((start) => document.getElementById('plane').ariaLabel.startsWith(start), `${count} points`, { timeout: SHORT });

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('classification')) {
  describe(`the chapter on a first neural network on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const address = (parameters) => site.address({ device, speed: 'fast', ...parameters }, 'classification');
    const withPage = (parameters, check) => visit(browser, address(parameters), check);
    const { steps, accuracy } = TRAINED[device];

    test('divides the moons, keeps the points of a visitor, and goes on after a reload', () =>
      withPage({ steps, seed: 1 }, async (page) => {
        await waitForState(page, 'ready', SHORT);
        await untilMeasured(page);
        const before = await pictures(page);
        assert.equal(before.length, 9, 'the plane and eight neurons');
        await page.click('#start');
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.equal(shown.made, 0, 'a steady step makes no buffer, bind group, pipeline or plan');
        assert.ok(shown.accuracy >= accuracy, `accuracy ${shown.accuracy}`);
        assert.ok(shown.heldOutAccuracy >= accuracy - 0.05, `held-out accuracy ${shown.heldOutAccuracy}`);
        const after = await pictures(page);
        assert.ok(after.every((picture, index) => picture !== before[index]), 'all pictures change');
        assert.match(await page.locator('#source').innerText(), /class MLP extends nn\.Module/);

        await page.selectOption('#point-class', '1');
        await page.click('#plane', { position: { x: 20, y: 20 } });
        await untilPoints(page, 201);
        await page.click('#step');
        await untilSaved(page, steps + 1);
        await page.goto(address({ steps, seed: 1 }));
        assert.equal((await waitForState(page, 'ready', SHORT)).step, steps + 1);
        await untilPoints(page, 201);
      }));

    test('begins anew with other data and sizes, and says what is wrong with a point', () =>
      withPage({ shape: 'blobs', width: 3, activation: 'none', layers: 1, seed: 2 }, async (page) => {
        await waitForState(page, 'ready', SHORT);
        await untilMeasured(page);
        assert.match(await label(page), /^200 points, blue and orange and green/);
        assert.equal(await page.locator('#neurons canvas').count(), 3);
        await page.selectOption('#point-class', '2');
        await page.fill('#point-x', '0.5');
        await page.click('#add-point');
        await untilPoints(page, 201);
        await page.fill('#point-y', '');
        await page.click('#add-point');
        assert.match(await page.locator('#point-form').innerText(), /two numbers: x from -1\.6 to 1\.6/);
        await page.selectOption('#shape', 'spirals');
        await page.waitForFunction(() => document.getElementById('plane').ariaLabel.startsWith('200 points, blue and orange,'), null, { timeout: SHORT });
        assert.equal(await page.locator('#point-class').inputValue(), '0', 'there is no third class');
        await page.selectOption('#width', '16');
        await page.waitForFunction(() => document.querySelectorAll('#neurons canvas').length === 16, null, { timeout: SHORT });
      }));

    // The same on every device.
    test('says that it diverged', { skip: device === 'webgpu' }, () =>
      withPage({ rate: 1e30, activation: 'ReLU', steps: 20, autostart: 1 }, async (page) => {
        const { notice } = await waitForState(page, 'error', SHORT);
        assert.match(notice, /smaller learning rate/);
      }));
  });
}
