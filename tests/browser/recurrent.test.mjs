/** The chapter on recurrent networks in a real browser, on WebGPU (in software) and on the CPU. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, hasInk, SHORT, TRAINING, untilSaved, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

/**
 * On software WebGPU there is time for the beginning only. Untrained, the network has a loss of
 * 0.46, and its error one step ahead is larger than the error of repeating the previous value.
 */
const TRAINED = { webgpu: { steps: 8, loss: 0.4, share: 0.95 }, cpu: { steps: 40, loss: 0.25, share: 0.75 } };

const label = (page, id) => page.locator(`#${id}`).getAttribute('aria-label');
/** Waits for the first measurement. */
const untilMeasured = (page) => page.waitForFunction(() => window.lanthornDemo?.alone !== undefined, null, { timeout: SHORT });
const untilLabel = (page, words) =>
  page.waitForFunction((words) => document.getElementById('alone').ariaLabel.includes(words), words, { timeout: SHORT });

/** Waits until another network has replaced the first. */
const untilReset = (page) =>
  page.waitForFunction(() => window.lanthornDemo.step === 0 && document.getElementById('status').innerText.startsWith('Reset'), null, { timeout: SHORT });

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('recurrent')) {
  describe(`the chapter on recurrent networks on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const address = (parameters) => site.address({ device, ...parameters }, 'recurrent');
    const withPage = (parameters, check) => visit(browser, address(parameters), check);
    const { steps, loss, share } = TRAINED[device];

    test(`learns sunspots, draws its forecasts${device === 'cpu' ? ', and goes on after a reload' : ''}`, () =>
      withPage({ steps, seed: 1 }, async (page) => {
        await waitForState(page, 'ready', SHORT);
        await untilMeasured(page);
        const before = await Promise.all(['ahead', 'alone'].map((id) => label(page, id)));
        await page.click('#start');
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.equal(shown.made, 0, 'a steady step makes no buffer, bind group, pipeline or plan');
        assert.ok(shown.loss < loss, `loss ${shown.loss}`);
        // These are errors of the data alone, and do not depend on any training.
        assert.ok(Math.abs(shown.lastValue - 32.898) < 1e-2, `error of the value before ${shown.lastValue}`);
        assert.ok(Math.abs(shown.naive - 45.96) < 1e-2, `error of the last season ${shown.naive}`);
        assert.ok(shown.oneStep < share * shown.lastValue, `error one step ahead ${shown.oneStep}`);
        const after = await Promise.all(['ahead', 'alone'].map((id) => label(page, id)));
        assert.ok(after.every((words, index) => words !== before[index]), 'both charts change');
        for (const id of ['ahead', 'alone', 'loss-curve']) {
          assert.ok(await hasInk(page, `#${id} canvas`), `${id} is drawn`);
        }
        const better = await page.locator('#errors tr').evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll('td')].findIndex((cell) => cell.className === 'better')));
        assert.deepEqual(better, [shown.oneStep < shown.lastValue ? 0 : 1, shown.alone < shown.naive ? 0 : 1]);
        assert.match(await page.locator('#source').innerText(), /class Forecaster extends nn\.Module/);

        await untilSaved(page, steps);
        if (device === 'webgpu') {
          return;
        }
        await page.goto(address({ steps, seed: 1 }));
        assert.equal((await waitForState(page, 'ready', SHORT)).step, steps);
        await untilMeasured(page);
        assert.equal(await page.evaluate(() => window.lanthornDemo.alone), shown.alone);
      }));

    test('an LSTM takes a step', { skip: device === 'cpu' }, () =>
      withPage({ cell: 'LSTM', series: 'waves', autostart: 1, steps: 1 }, async (page) => {
        const { loss } = await waitForState(page, 'done', TRAINING);
        assert.ok(loss > 0 && loss < 5, `loss ${loss}`);
        assert.match(await page.locator('#errors').innerText(), /the last 50 values/);
      }));

    // A page compiles its shaders first, which takes software WebGPU seconds: the rest is tested on
    // the CPU.
    test('begins anew with other series and networks', { skip: device === 'webgpu' }, () =>
      withPage({ series: 'logistic', cell: 'RNN', hidden: 4 }, async (page) => {
        await waitForState(page, 'ready', SHORT);
        await untilLabel(page, 'the logistic map');
        assert.match(await page.locator('#errors').innerText(), /the mean, for lack of a season/);
        await page.selectOption('#cell', 'LSTM');
        await untilReset(page);
        await page.click('#step');
        await untilSaved(page, 1);
        await page.selectOption('#series', 'damped');
        await untilLabel(page, 'damped oscillation');
        await untilReset(page);
        assert.match(await page.locator('#errors').innerText(), /the last 24 values/);
      }));

    test('says that it diverged', { skip: device === 'webgpu' }, () =>
      withPage({ rate: 1e30, cell: 'RNN', steps: 10, autostart: 1 }, async (page) => {
        const { notice } = await waitForState(page, 'error', SHORT);
        assert.match(notice, /smaller learning rate/);
      }));
  });
}
