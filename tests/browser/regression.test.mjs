/** The chapter on linear regression in a real browser, on WebGPU (in software) and on the CPU. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, hasInk, SHORT, TRAINING, untilSaved, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

const number = (page, id) => page.locator(`#${id}`).innerText().then(Number);
const picture = (page, id) => page.locator(`#${id}`).evaluate((canvas) => canvas.toDataURL());
/** Waits for the first measurement, which brings the points. */
const untilMeasured = (page) => page.waitForFunction(() => window.lanthornDemo?.weight !== undefined, null, { timeout: SHORT });
const label = (page, id) => page.locator(`#${id}`).getAttribute('aria-label');

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('regression')) {
  describe(`the chapter on linear regression on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const address = (parameters) => site.address({ device, speed: 'fast', ...parameters }, 'regression');
    const withPage = (parameters, check) => visit(browser, address(parameters), check);

    test('finds the line of least squares, keeps visitors\' points, and goes on after a reload', () =>
      withPage({ rate: 0.1, steps: 60, seed: 1 }, async (page) => {
        await waitForState(page, 'ready', SHORT);
        await untilMeasured(page);
        assert.match(await label(page, 'line'), /^40 points .* y = -2\.00 x \+ 2\.50/);
        const before = await Promise.all(['line', 'surface'].map((id) => picture(page, id)));
        await page.click('#start');
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.equal(shown.made, 0, 'a steady step makes no buffer, bind group, pipeline or plan');
        const least = await number(page, 'least-number');
        assert.ok(shown.error < 1.05 * least && shown.error > 0.999 * least - 0.001, `error ${shown.error}, least ${least}`);
        assert.ok(Math.abs(shown.weight - 1.3) < 0.35, `weight ${shown.weight}`);
        assert.match(await page.locator('#best').innerText(), /y = 1\.\d\d x \+ 0\.\d\d/);
        const after = await Promise.all(['line', 'surface'].map((id) => picture(page, id)));
        assert.ok(after.every((each, index) => each !== before[index]), 'both pictures change');
        assert.ok(await hasInk(page, '#loss-curve canvas'), 'the loss curve is drawn');
        assert.match(await page.locator('#source').innerText(), /new nn\.Linear\(1, 1\)/);

        await page.fill('#point-x', '3');
        await page.fill('#point-y', '-4');
        await page.click('#add-point');
        await page.waitForFunction((least) => Number(document.getElementById('least-number').innerText) > 1.3 * least, least, { timeout: SHORT });
        await page.click('#step');
        await untilSaved(page, 61);
        await page.goto(address({ rate: 0.1, steps: 60, seed: 1 }));
        const resumed = await waitForState(page, 'ready', SHORT);
        await untilMeasured(page);
        assert.equal(resumed.step, 61);
        assert.match(await label(page, 'line'), /^41 points /);
      }));

    test('points are added and removed, and stay when the line is reset', () =>
      withPage({ seed: 2 }, async (page) => {
        await waitForState(page, 'ready', SHORT);
        await untilMeasured(page);
        const limit = await number(page, 'limit');
        const spot = { position: { x: 500, y: 30 } };
        await page.click('#line', spot);
        assert.match(await label(page, 'line'), /^41 points/);
        await page.waitForFunction((limit) => Number(document.getElementById('limit').innerText) < limit, limit, { timeout: SHORT });
        await page.click('#reset');
        await page.waitForFunction(() => document.getElementById('status').innerText.startsWith('Reset'), null, { timeout: SHORT });
        assert.match(await label(page, 'line'), /^41 points/);
        await page.click('#line', spot);
        assert.match(await label(page, 'line'), /^40 points/);

        await page.fill('#point-x', '99');
        await page.click('#add-point');
        assert.match(await page.locator('#point-form').innerText(), /x from -1\.5 to 3\.5/);
        for (let count = 40; count > 2; count -= 1) {
          await page.locator('#remove-point').evaluate((button) => button.click());
        }
        await page.click('#remove-point');
        assert.match(await page.locator('#point-form').innerText(), /2 points at least/);
        await page.selectOption('#noise', '3');
        await page.waitForFunction(() => /^40 points/.test(document.getElementById('line').ariaLabel), null, { timeout: SHORT });
      }));

    test('says that it diverged, and goes on with a smaller learning rate', () =>
      withPage({ rate: 1e30, steps: 50, autostart: 1 }, async (page) => {
        const { notice } = await waitForState(page, 'error', SHORT);
        assert.match(notice, /smaller learning rate/);
        await page.selectOption('#rate', '0.03');
        await page.getByRole('button', { name: 'Start again' }).click();
        await waitForState(page, 'ready', SHORT);
        await page.click('#step');
        await untilSaved(page, 1);
      }));
  });
}
