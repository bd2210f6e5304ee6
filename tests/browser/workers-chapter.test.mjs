/** The chapter on workers: both ways of training, how they end, and a page that is not isolated. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SHORT, visit } from './lib/chapter.mjs';
import { launchBrowser, missing, withoutProtocol } from './lib/browser.mjs';
import { readDemo, SITE, waitForState } from './lib/site.mjs';
import { ISOLATED, serveFolder } from './lib/static-server.mjs';

/** Of a test that counts the workers of a page. */
const withoutWorkers = missing({ webkit: 'WebDriver has no workers of a page' });

let site;
let plain;
let browser;
before(async () => {
  site = await serveFolder(SITE, {}, ISOLATED);
  plain = await serveFolder(SITE);
  browser = await launchBrowser({ webgpu: false });
});
after(async () => {
  await browser?.close();
  await site?.close();
  await plain?.close();
});

const address = ({ origin }, parameters = {}) => `${origin}/chapters/workers/index.html?${new URLSearchParams(parameters)}`;
const words = (page, selector) => page.locator(selector).innerText();

/** Opens the chapter in an isolated page, and waits until it can train. */
const visitReady = (parameters, check) =>
  visit(browser, address(site, parameters), async (page) => {
    await waitForState(page, 'ready', SHORT);
    await check(page);
  });

/** Waits until the page measures this accuracy, and a speed, while the workers still train. */
const untilAccurate = (page, least) =>
  page.waitForFunction(
    (least) => {
      const { accuracy, updates } = window.lanthornDemo;
      return accuracy > least && updates > 0 && document.documentElement.dataset.state === 'training';
    },
    least,
    { timeout: SHORT, polling: 20 },
  );

/** Ends the workers in mid-training. */
async function stop(page) {
  await page.click('#stop');
  const shown = await waitForState(page, 'ready', SHORT);
  assert.match(shown.status, /^Stopped: the workers have ended\./);
  return shown;
}

async function start(page, button = '#start') {
  await page.click(button);
  await page.waitForFunction(() => document.documentElement.dataset.state === 'training', null, { timeout: SHORT, polling: 20 });
}

for (const [way, name] of [['dataParallel', 'Data parallel'], ['hogwild', 'Hogwild']]) {
  test(`${name}: two workers train the network that the page measures meanwhile`, { skip: withoutWorkers }, () =>
    visitReady({ way, steps: 10000 }, async (page) => {
      // Threads of the page's own core.
      const others = page.workers().length;
      const picture = () => page.locator('#weights').evaluate((canvas) => canvas.toDataURL());
      const untrained = await picture();
      await start(page);
      await untilAccurate(page, 0.85);
      assert.equal(page.workers().length, others + 2);
      const { step, updates, samples } = await stop(page);
      assert.ok(step < 10000, 'it was stopped');
      assert.notEqual(await picture(), untrained);
      assert.equal(page.workers().length, others);
      // In step, both workers' batches of 32 are one update.
      const batches = way === 'hogwild' ? 1 : 2;
      assert.ok(updates > 0 && Math.abs(samples / updates / (32 * batches) - 1) < 1e-6, `${samples} samples, ${updates} updates`);
      assert.match(await words(page, '#speeds'), new RegExp(`^2\\s+${name}\\s+32\\s[\\d,\\s]+\\s[89]\\d\\.\\d %$`));
    }));
}

test('several workers train on a machine with one core, and the page says that they take turns', { skip: withoutProtocol }, () =>
  visit(browser, 'about:blank', async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setHardwareConcurrencyOverride', { hardwareConcurrency: 1 });
    for (const way of ['dataParallel', 'hogwild']) {
      await page.goto(address(site, { way, steps: 60 }));
      await waitForState(page, 'ready', SHORT);
      assert.equal(await page.evaluate(() => navigator.hardwareConcurrency), 1);
      assert.match(await words(page, '#cores'), /reports one core: several workers take turns/);
      await start(page);
      assert.ok((await waitForState(page, 'done', SHORT)).accuracy > 0.3);
    }
  }));

test('one worker makes the same steps in both ways, and a reset begins with the same network', () =>
  visitReady({ workers: 1, steps: 60 }, async (page) => {
    const found = [];
    for (const way of ['dataParallel', 'hogwild']) {
      await page.selectOption('#way', way);
      await start(page);
      const { loss, accuracy } = await waitForState(page, 'done', SHORT);
      found.push([loss, accuracy]);
      await page.click('#reset');
      assert.equal((await waitForState(page, 'ready', SHORT)).step, 0);
    }
    assert.deepEqual(found[0], found[1]);
  }));

test('wrong settings are said, and steps that are too large offer a new network', () =>
  visitReady({ way: 'hogwild', steps: 10000 }, async (page) => {
    for (const [field, value, said] of [['rate', 'fast', /Learning rate: “fast” is not a number above 0/], ['batch', '0.5', /Batch: “0.5” is not a whole number/]]) {
      const before = await page.inputValue(`#${field}`);
      await page.fill(`#${field}`, value);
      await page.click('#start');
      assert.match(await words(page, '#notice'), said);
      assert.equal((await page.evaluate(readDemo)).state, 'ready');
      await page.fill(`#${field}`, before);
    }
    await page.fill('#rate', '1e30');
    await start(page);
    const { notice } = await waitForState(page, 'error', SHORT);
    assert.match(notice, /no longer a number[\s\S]*smaller learning rate/);
    assert.ok(await page.locator('#start').isDisabled());
    await page.click('#notice button');
    await waitForState(page, 'ready', SHORT);
    await page.fill('#rate', '0.1');
    await start(page);
    await untilAccurate(page, 0.5);
    await stop(page);
  }));

test('a worker that fails ends the others, and training goes on from there', { skip: withoutWorkers }, () =>
  visitReady({ way: 'dataParallel', workers: 2, steps: 10000 }, async (page) => {
    const others = page.workers().length;
    await start(page);
    await page.click('#fail');
    const { notice, status, step } = await waitForState(page, 'error', SHORT);
    assert.match(notice, /A worker ended with an error[\s\S]*worker 1: step \d+ failed on request/);
    assert.match(status, /All workers have ended/);
    assert.equal(page.workers().length, others);
    await start(page, '#notice button');
    assert.equal(await page.locator('#notice').isVisible(), false);
    await page.waitForFunction((before) => window.lanthornDemo.step > before, step, { timeout: SHORT, polling: 20 });
    await stop(page);
    assert.equal(page.workers().length, others);
  }));

test('a page that is not isolated says what its server has to send', () =>
  visit(browser, address(plain), async (page) => {
    await waitForState(page, 'ready', SHORT);
    assert.match(await words(page, '#isolation'), /Cross-Origin-Opener-Policy: same-origin\s+Cross-Origin-Embedder-Policy: require-corp/);
    assert.ok(await page.locator('#start').isDisabled());
    assert.match(await words(page, '#train-source'), /Tensor\.fromHandle/);
  }));
