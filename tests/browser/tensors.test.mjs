/**
 * The chapter on tensors in a real browser: its console, which runs a visitor's code in a worker, and
 * the shapes that broadcast.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, SHORT, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('tensors')) {
  describe(`the tensors chapter on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const withPage = (check) => visit(browser, site.address({ device }, 'tensors'), async (page) => {
      await waitForState(page, 'ready', SHORT);
      await untilRuns(page, 1);
      await check(page);
    });

    test('evaluates what is typed, and keeps its variables', () =>
      withPage(async (page) => {
        assert.equal(await page.evaluate(() => window.lanthornDemo.device), device);
        assert.match(await lastRun(page), /tensor\(\[\[ 0, {2}1, {2}2, {2}3\]/);
        assert.match(await lastRun(page), new RegExp(`shape \\[3, 4\\], int32, on ${device}`));
        assert.equal(await page.locator('#picture .cells span').count(), 12);

        assert.equal(await type(page, 'const x = tensor([[1, 2.5], [3, 4]]);'), 'const x = tensor([[1, 2.5], [3, 4]]);');
        assert.match(await type(page, 'console.log("sum", x.sum()); await x.mean().item()'), /sum tensor\(10\.5000\)\n2\.625$/);
        assert.match(await type(page, 'x.topk(1)'), /values: shape \[2, 1\], float32/);
        assert.equal(await page.locator('#picture .numbers').count(), 2, 'values and indices are drawn');
        assert.match(await type(page, 'x.matmul(zeros([4, 5]))'), /LanthornError, shape: matmul: inner dimensions differ: \[2, 2\] x \[4, 5\]/);
        assert.match(await type(page, 'y'), /ReferenceError: y is not defined/);
        assert.match(await type(page, 'if ('), /SyntaxError/);
        assert.match(await type(page, `'${'a'.repeat(1_000_000)}'`), /up to 100000 can be run/);
        await page.press('#code', 'ArrowUp');
        await page.press('#code', 'ArrowUp');
        assert.equal(await page.inputValue('#code'), 'if (', 'the history');
      }));

    test('runs the examples, and stops code that does not end', () =>
      withPage(async (page) => {
        await page.locator('#examples button', { hasText: 'Views share memory' }).click();
        await untilRuns(page, 2);
        assert.match(await lastRun(page), /\[7\., 7\., 7\., 7\.\]/);
        await page.locator('#examples button', { hasText: 'Indexing' }).click();
        await untilRuns(page, 3);
        assert.match(await lastRun(page), /\[ 5, {2}7, {2}9\]/);

        await page.fill('#code', 'for (;;) {}');
        await page.press('#code', 'Enter');
        await page.click('#stop');
        await untilRuns(page, 4);
        assert.match(await lastRun(page), /Stopped\. The worker was replaced/);
        assert.match(await type(page, 'ones([2]).add(1)'), /tensor\(\[2\., 2\.\]\)/);
        assert.match(await type(page, ' '), /There is no code yet/);
      }));

    test('broadcasts two shapes, or says why not', () =>
      withPage(async (page) => {
        await untilVerdict(page, /The sum has the shape \[3, 4\]/);
        assert.equal(await page.locator('#operands .copied').count(), 9 + 8, 'a is repeated in 3 columns, b in 2 rows');
        assert.match(await page.locator('#operands .cells').last().innerText(), /32\s*$/);
        await page.fill('#shape-a', '2, 3');
        await page.fill('#shape-b', '[2]');
        await untilVerdict(page, /lanthorn says: add: shapes \[2, 3\] and \[2\] do not broadcast together/);
        assert.equal(await page.locator('#rule .unfit').innerText(), '3 ≠ 2');
        await page.fill('#shape-b', 'two');
        await untilVerdict(page, /A shape is up to 3 numbers/);
        await page.fill('#shape-b', '');
        await untilVerdict(page, /The sum has the shape \[2, 3\]/);
      }));
  });
}

/** Runs `source` in the console; resolves to the text of its run. */
async function type(page, source) {
  const runs = await page.evaluate(() => window.lanthornDemo.runs);
  await page.fill('#code', source);
  await page.press('#code', 'Enter');
  if (source.trim() !== '') {
    await untilRuns(page, runs + 1);
  }
  return lastRun(page);
}

function untilRuns(page, count) {
  return page.waitForFunction((wanted) => window.lanthornDemo?.runs >= wanted, count, { timeout: SHORT, polling: 20 });
}

async function lastRun(page) {
  return (await page.locator('#transcript > :last-child').innerText()).trim();
}

function untilVerdict(page, words) {
  return page.waitForFunction((pattern) => new RegExp(pattern).test(document.getElementById('verdict').textContent), words.source, { timeout: SHORT, polling: 20 });
}
