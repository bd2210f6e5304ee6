/**
 * The chapter on transformers in a real browser, on WebGPU (in software) and on the CPU. Needs the
 * site built into target/www.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, hasInk, SHORT, TRAINING, untilSaved, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

/**
 * On the CPU it learns to add. On software WebGPU there is time for the beginning only, in which it
 * learns the form of an answer: an untrained network has a loss of 2.56, the logarithm of 13
 * characters.
 */
const TRAINED = { webgpu: { steps: 50, loss: 1.6 }, cpu: { steps: 500, loss: 0.15, accuracy: 0.9 } };
/** The steps before an interruption, and at the end. */
const INTERRUPTED = { webgpu: [2, 4], cpu: [6, 12] };

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('transformer')) {
  describe(`the chapter on transformers on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const address = (parameters) => site.address({ device, ...parameters }, 'transformer');
    const withPage = (parameters, check) => visit(browser, address(parameters), check);

    const { steps, loss, accuracy } = TRAINED[device];
    const [interruption, end] = INTERRUPTED[device];

    test('trains, and shows its answers and what it looks at', () =>
      withPage({ autostart: 1, steps, seed: 1 }, async (page) => {
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.ok(shown.loss < loss, `loss ${shown.loss}`);
        if (accuracy) {
          assert.ok(shown.accuracy >= accuracy, `share of right sums ${shown.accuracy}`);
        }
        assert.equal(shown.made, 0, 'a steady step makes no buffer, bind group, pipeline or plan');
        if (device === 'webgpu') {
          assert.equal(shown.submits, 1, 'a steady step is one submission');
        }
        assert.ok(await hasInk(page, '#loss-curve canvas'), 'the loss curve is drawn');
        assert.match(await page.locator('#source').innerText(), /class GPT extends nn\.Module/);
        await checkSamples(page);
        await checkAnswer(page, 38, 45);
        await checkMaps(page, 8);
      }));

    test('goes on from a checkpoint, after a reload, as if it had never stopped', () =>
      withPage({ autostart: 1, steps: end, seed: 3 }, async (page) => {
        const whole = await waitForState(page, 'done', TRAINING);
        await untilSaved(page, end);
        await page.goto(address({ autostart: 1, steps: interruption, seed: 3 }));
        await waitForState(page, 'done', TRAINING);
        await untilSaved(page, interruption);
        await page.goto(address({ steps: end - interruption, seed: 3 }));
        assert.equal((await waitForState(page, 'ready', SHORT)).step, interruption);
        await page.click('#start');
        const resumed = await waitForState(page, 'done', TRAINING);
        assert.equal(resumed.step, end);
        assert.equal(resumed.loss, whole.loss);
        assert.equal(resumed.accuracy, whole.accuracy);
      }));

    test('begins anew with another order or number of layers, and refuses what is no sum', () =>
      withPage({ autostart: 1, steps: interruption }, async (page) => {
        await waitForState(page, 'done', TRAINING);
        await page.selectOption('#order', 'usual');
        await page.waitForFunction(() => window.lanthornDemo.step === 0, null, { timeout: SHORT });
        await page.selectOption('#layers', '1');
        await page.waitForFunction(() => document.querySelectorAll('#maps figure').length === 4, null, { timeout: SHORT });
        await page.fill('#first', '100');
        assert.match(await page.locator('#verdict').innerText(), /from 0 to 99/);
        await checkAnswer(page, 3, 4);
        await checkMaps(page, 4);
      }));
  });
}

/** Twelve sums, each marked as right or wrong. */
async function checkSamples(page) {
  const samples = await page.locator('#samples li').evaluateAll((items) =>
    items.map((item) => ({ right: item.className === 'right', words: item.firstChild.data, said: item.querySelector('b').innerText })));
  assert.equal(samples.length, 12);
  for (const { right, words, said } of samples) {
    const [, first, second] = /^(\d+) \+ (\d+) = $/.exec(words);
    assert.equal(said === String(Number(first) + Number(second)), right, `${words}${said}`);
  }
}

/** Asks for a sum and waits for its answer, which must be marked correctly. */
async function checkAnswer(page, first, second) {
  await page.fill('#first', String(first));
  await page.fill('#second', String(second));
  const begun = `${first}+${second}=`;
  // The answer also appears in the labels of the attention maps: first the empty corner, then the
  // characters of the sum.
  await page.waitForFunction(
    (begun) => {
      const labels = [...document.querySelectorAll('#maps .map')].at(-1)?.querySelectorAll('b') ?? [];
      return [...labels].map((label) => label.textContent).join('').startsWith(begun);
    },
    begun,
    { timeout: SHORT },
  );
  const { answer, mark } = await page.locator('#answer').evaluate((output) => ({ answer: output.innerText, mark: output.dataset.mark }));
  assert.equal(mark === 'right', answer === String(first + second), `${begun}${answer}, marked ${mark}`);
}

/** The maps of all heads: nothing after the query character, and rows that sum to 1. */
async function checkMaps(page, count) {
  const maps = await page.locator('#maps .map').evaluateAll((found) =>
    found.map((map) => {
      const size = Number(map.style.getPropertyValue('--count'));
      const rows = Array.from({ length: size }, (_, row) => [...map.children].slice((row + 1) * (size + 1) + 1, (row + 2) * (size + 1)));
      return {
        words: map.ariaLabel,
        rows: rows.map((row) => row.map((cell) => (cell.localName === 'i' ? Number(cell.style.getPropertyValue('--weight')) : undefined))),
      };
    }));
  assert.equal(maps.length, count);
  for (const { words, rows } of maps) {
    assert.match(words, /= looks most at ., \d+ %/);
    rows.forEach((row, index) => {
      assert.equal(row.length, rows.length);
      const looks = row.slice(0, index + 1);
      assert.ok(looks.every((weight) => weight >= 0 && weight <= 1), `weights ${row}`);
      assert.ok(row.slice(index + 1).every((weight) => weight === undefined), `row ${index} looks ahead: ${row}`);
      const sum = looks.reduce((total, weight) => total + weight, 0);
      assert.ok(Math.abs(sum - 1) < 2e-3, `row ${index} sums to ${sum}`);
    });
  }
}
