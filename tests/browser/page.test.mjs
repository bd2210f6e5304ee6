/**
 * The demo site in a real browser: on WebGPU (in software), on the CPU, and without WebGPU. Needs
 * the site built into target/www and a Chromium; without either it fails.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasInk, SHORT, TRAINING, untilStep, visit } from './lib/chapter.mjs';
import { DEVICES, launchBrowser, withoutProtocol } from './lib/browser.mjs';
import { openHiddenTab } from './lib/hidden-tab.mjs';
import { isTaken } from './lib/rotation.mjs';
import { readDemo, serveSite, waitForState } from './lib/site.mjs';
import { drawDigit, isReadAs } from './lib/strokes.mjs';

const MIN_ACCURACY = 0.96;
const TEST_IMAGES = 355;
/** More steps than any test waits for. */
const ENDLESS = 1_000_000;

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

/** Opens the chapter, runs `check`, and fails on any message in the browser's console. */
const withPage = (browser, parameters, check, beforehand) => visit(browser, site.address(parameters), check, beforehand);

for (const device of DEVICES) {
  describe(`the digits chapter on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    // A rotation tests one in three of the controls on software WebGPU.
    let controls = 0;
    const testControl = (title, run) => {
      if (device === 'cpu' || isTaken(controls++, 3)) test(title, run);
    };

    test('trains, shows what it learnt, and reads a drawn digit', () =>
      withPage(browser, { device, autostart: 1, steps: 600, seed: 1 }, async (page) => {
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.equal(shown.step, 600);
        assert.ok(shown.loss < 0.5, `loss ${shown.loss}`);
        assert.ok(shown.accuracy >= MIN_ACCURACY, `accuracy ${shown.accuracy}`);

        assert.ok(await hasInk(page, '#loss-curve canvas'), 'the loss curve is drawn');
        assert.ok(await hasInk(page, '#accuracy-curve canvas'), 'the accuracy curve is drawn');

        const counts = await page.locator('#confusion tbody td').allInnerTexts();
        assert.equal(counts.length, 100);
        const total = counts.reduce((sum, count) => sum + Number(count), 0);
        const right = counts.filter((_, index) => index % 11 === 0).reduce((sum, count) => sum + Number(count), 0);
        assert.equal(total, TEST_IMAGES);
        assert.ok(Math.abs(right / total - shown.accuracy) < 1e-6, 'the matrix and the accuracy agree');
        assert.equal(await page.locator('#mistakes figure').count(), Math.min(24, total - right));
        assert.match(await page.locator('#source').innerText(), /loss\.backward\(\)/);

        for (const digit of [0, 1, 4, 7]) {
          await drawDigit(page, digit);
          assert.ok(await isReadAs(page, digit), `a drawn ${digit}: ${await page.locator('#verdict').innerText()}`);
        }
        const shares = (await page.locator('#bars span').allInnerTexts()).map(parseFloat);
        assert.equal(shares.length, 10);
        assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) < 2, `probabilities ${shares}`);
        await page.click('#clear');
        assert.match(await page.locator('#verdict').innerText(), /^Draw a digit/);
        await page.click('#example');
        await page.waitForFunction(() => document.getElementById('verdict').dataset.digit !== undefined, null, { timeout: SHORT });
      }));

    testControl('stays responsive while it trains, and can be paused, stepped, continued and reset', () =>
      withPage(browser, { device, autostart: 1, steps: ENDLESS }, async (page) => {
        await untilStep(page, 20);
        const from = await page.evaluate(readDemo);
        // Another process may stop the page for a moment; what training stops, it stops every time.
        let gaps = await page.evaluate(timerGaps);
        for (let more = 0; more < 2 && gaps.longest >= 500; more += 1) gaps = await page.evaluate(timerGaps);
        const to = await page.evaluate(readDemo);
        assert.equal(to.state, 'training');
        assert.ok(gaps.median < 50, `the page answers within ${gaps.median} ms, half of the time`);
        assert.ok(gaps.longest < 500, `the page answers within ${gaps.longest} ms, always`);

        // A busy machine may finish no step while the timers are measured.
        await untilStep(page, from.step + 1);

        await drawDigit(page, 1);
        await page.waitForFunction(() => document.getElementById('verdict').dataset.digit !== undefined, null, { timeout: SHORT });
        assert.equal((await page.evaluate(readDemo)).state, 'training');

        await page.click('#pause');
        const paused = await waitForState(page, 'ready', SHORT);
        assert.match(paused.status, /^Paused at step \d+/);
        await sleep(400);
        assert.equal((await page.evaluate(readDemo)).step, paused.step, 'a paused network does not move');

        await page.click('#step');
        await untilStep(page, paused.step + 1);
        assert.equal((await waitForState(page, 'ready', SHORT)).step, paused.step + 1);

        assert.equal(await page.locator('#start').innerText(), 'Continue');
        await page.click('#start');
        await untilStep(page, paused.step + 10);
        await page.click('#reset');
        const fresh = await waitForState(page, 'ready', SHORT);
        assert.equal(fresh.step, 0);
        assert.ok(fresh.accuracy < 0.5, `an untrained network: ${fresh.accuracy}`);
        assert.equal(await page.locator('#start').innerText(), 'Start');
      }));

    testControl('takes a new learning rate, a new batch and a new device in the middle of training', () =>
      withPage(browser, { device, autostart: 1, steps: ENDLESS }, async (page) => {
        await untilStep(page, 5);
        await page.selectOption('#rate', '0.001');
        await page.selectOption('#batch', '128');
        const { step } = await page.evaluate(readDemo);
        await untilStep(page, step + 20);
        // Each choice ends the worker in the middle of a step and starts another.
        for (const choice of ['cpu', 'auto', 'cpu', device]) {
          await page.selectOption('#device', choice);
          await waitForState(page, 'ready', SHORT);
          await page.click('#start');
          await untilStep(page, 3);
        }
        assert.equal((await page.evaluate(readDemo)).device, device);
      }));

    testControl('gives the same losses for the same seed', () =>
      withPage(browser, { device, autostart: 1, steps: 40, seed: 5 }, async (page) => {
        const first = await waitForState(page, 'done', TRAINING);
        await page.click('#reset');
        await waitForState(page, 'ready', SHORT);
        await page.selectOption('#steps', '40');
        await page.click('#start');
        const second = await waitForState(page, 'done', TRAINING);
        assert.equal(second.loss, first.loss);
        assert.equal(second.accuracy, first.accuracy);
      }));

    testControl('survives being reloaded in the middle of training', () =>
      withPage(browser, { device, autostart: 1, steps: ENDLESS }, async (page) => {
        for (let time = 0; time < 3; time += 1) {
          await untilStep(page, 5);
          await page.reload();
        }
        await untilStep(page, 5);
      }));

    testControl('trains on where animation frames never come', () =>
      withPage(browser, { device, autostart: 1, steps: 200 }, async (page) => {
        assert.equal((await waitForState(page, 'done', TRAINING)).step, 200);
      }, () => {
        window.requestAnimationFrame = () => 0;
      }));
  });
}

test('a crash of the GPU process is explained, and training can start again', { skip: withoutProtocol }, async () => {
  const browser = await launchBrowser({ webgpu: true });
  try {
    const page = await browser.newPage();
    await page.goto(site.address({ device: 'webgpu', autostart: 1, steps: ENDLESS }));
    await untilStep(page, 5);
    const session = await browser.newBrowserCDPSession();
    // The browser does not answer this call: the process that would is gone.
    session.send('Browser.crashGpuProcess').catch(() => {});
    const failed = await waitForState(page, 'error', SHORT);
    assert.match(failed.notice, /graphics device was lost/);
    await page.getByRole('button', { name: 'Start again' }).click();
    assert.equal((await waitForState(page, 'ready', SHORT)).device, 'webgpu');
    await page.click('#start');
    await untilStep(page, 20);
  } finally {
    await browser.close();
  }
});

describe('a hidden tab', { skip: withoutProtocol }, () => {
  for (const device of ['webgpu', 'cpu']) {
    test(`trains to the end on ${device}`, async () => {
      const browser = await launchBrowser({ webgpu: device === 'webgpu', slowHiddenTabs: true });
      try {
        const tab = await openHiddenTab(browser, site.address({ device, autostart: 1, steps: 600 }));
        const deadline = Date.now() + TRAINING;
        let shown;
        // The first requests may come before the page has run any of its code.
        do {
          await sleep(200);
          shown = await tab.evaluate('({ ...window.lanthornDemo, state: document.documentElement?.dataset.state, visibility: document.visibilityState })');
        } while (!['done', 'error'].includes(shown.state) && Date.now() < deadline);
        assert.equal(shown.visibility, 'hidden');
        assert.equal(shown.state, 'done');
        assert.ok(shown.accuracy >= MIN_ACCURACY, `accuracy ${shown.accuracy}`);
      } finally {
        await browser.close();
      }
    });
  }
});

/** WebKitGTK has no WebGPU at all. */
const LACK = DEVICES.includes('webgpu') ? 'WebGPU has no graphics adapter here' : 'this browser has no WebGPU';

describe('a browser without a WebGPU adapter', () => {
  let browser;
  before(async () => {
    browser = await launchBrowser({ webgpu: false });
  });
  after(() => browser?.close());

  test('trains on the CPU by itself, and says so', () =>
    withPage(browser, { device: 'auto', autostart: 1, steps: 600 }, async (page) => {
      const shown = await waitForState(page, 'done', TRAINING);
      assert.equal(shown.device, 'cpu');
      assert.ok(shown.accuracy >= MIN_ACCURACY, `accuracy ${shown.accuracy}`);
      assert.equal(await page.locator('#fallback').innerText(), `On the CPU: ${LACK}.`);
      assert.match(await page.locator('#badge').innerText(), /^CPU/);
    }));

  test('explains why WebGPU cannot be had where it is asked for, and offers the CPU', () =>
    withPage(browser, { device: 'webgpu' }, async (page) => {
      const failed = await waitForState(page, 'error', SHORT);
      assert.match(failed.notice, /WebGPU could not be started here/);
      await page.getByRole('button', { name: 'Train on the CPU' }).click();
      assert.equal((await waitForState(page, 'ready', SHORT)).device, 'cpu');
      assert.equal(await page.locator('#notice').isVisible(), false);
    }));
});

/** The delay of a timer of 0 ms while the page is busy. Runs in the page. */
async function timerGaps() {
  const gaps = [];
  for (let time = 0; time < 60; time += 1) {
    const begun = performance.now();
    await new Promise((resolve) => setTimeout(resolve));
    gaps.push(performance.now() - begun);
  }
  gaps.sort((one, other) => one - other);
  return { median: gaps[gaps.length >> 1], longest: gaps.at(-1) };
}
