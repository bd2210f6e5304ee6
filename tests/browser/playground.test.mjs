/** The playground in a real browser: programs run, stop and are shared. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hasInk, SHORT, visit } from './lib/chapter.mjs';
import { launchChromium } from './lib/chromium.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of ['webgpu', 'cpu']) {
  describe(`the playground on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchChromium({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const address = (hash = '') => `${site.origin}/playground/index.html?device=${device}${hash}`;
    const withPage = (check, hash) => visit(browser, address(hash), async (page) => {
      await waitForState(page, 'ready', SHORT);
      await check(page);
    });

    test('runs every example, and shows lines, curves and images', () =>
      withPage(async (page) => {
        assert.equal(await page.evaluate(() => window.lanthornDemo.device), device);
        assert.match(await run(page), /tensor\(54\., gradFn=/);
        for (const [name, expected] of [['Learn XOR', /tensor\(\[0, 1, 1, 0\]\)/], ['Fit a curve', /200 0\.0\d+/]]) {
          await page.selectOption('#example', name);
          assert.match(await run(page), expected, name);
          assert.ok(await hasInk(page, '#output .plot canvas'), 'a curve is drawn');
        }
        await page.selectOption('#example', 'Edges of an image');
        await run(page);
        assert.deepEqual(await page.locator('#output canvas').evaluateAll((all) => all.map(({ width, height }) => [width, height])), [[64, 64], [64, 64]]);
        const [circle, edges] = await page.locator('#output canvas').evaluateAll((all) => all.map((canvas) => canvas.toDataURL()));
        assert.notEqual(circle, edges);
      }));

    test('says what is wrong and where, stops what does not end, and goes on', () =>
      withPage(async (page) => {
        await write(page, 'const a = zeros([2, 3]);\na.matmul(a);');
        assert.match(await run(page), /LanthornError, shape: matmul: inner dimensions differ: \[2, 3\] x \[2, 3\].*line 2/);
        await write(page, 'draw(zeros([2]));\nplot(zeros([2, 2]));');
        assert.match(await run(page), /draw takes an image \[height, width\][^]*plot takes tensors of one dimension/);
        await write(page, 'for (;;) {}');
        await page.click('#run');
        await page.click('#stop');
        await page.waitForFunction(() => /Stopped/.test(document.getElementById('output').innerText), null, { timeout: SHORT });
        await waitForState(page, 'ready', SHORT);
        await write(page, 'ones([2]).add(1)');
        assert.match(await run(page), /tensor\(\[2\., 2\.\]\)/);
      }));

    test('passes a program on in a link', () =>
      withPage(async (page) => {
        await write(page, 'console.log("Wörter, 字", 6 * 7)');
        await page.click('#share');
        await page.waitForFunction(() => location.hash.startsWith('#code='), null, { timeout: SHORT });
        const hash = await page.evaluate(() => location.hash);
        await page.goto('about:blank');
        await page.goto(address(hash));
        await waitForState(page, 'ready', SHORT);
        await page.waitForFunction(() => /Wörter/.test(document.querySelector('.cm-content').innerText), null, { timeout: SHORT });
        assert.match(await run(page), /Wörter, 字 42/);
        await page.evaluate(() => (location.hash = '#code=nothing'));
        await page.waitForFunction(() => /has no program that can be read/.test(document.getElementById('output').innerText), null, { timeout: SHORT });
      }));
  });
}

/** Replaces the program, through the editor as a person would. */
async function write(page, source) {
  await page.click('.cm-content');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(source);
}

/** Runs the program by the keyboard, and resolves to its output. */
async function run(page) {
  const before = await page.evaluate(() => window.lanthornDemo.runs);
  await page.click('.cm-content');
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.waitForFunction((count) => window.lanthornDemo.runs > count, before, { timeout: 60_000 });
  return page.locator('#output').innerText();
}
