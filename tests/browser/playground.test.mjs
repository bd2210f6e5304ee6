/** The playground in a real browser: programs run, stop and are shared. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hasInk, SHORT, visit } from './lib/chapter.mjs';
import { DEVICES, launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of DEVICES) {
  describe(`the playground on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
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

    test('names a forgotten await, and the line of a syntax error', () =>
      withPage(async (page) => {
        const AWAIT = 'a promise: write await before the call that returns it';
        for (const [source, expected] of [
          ['const x = ones([2]).sum();\nconsole.log("sum", x.item(), [x.data()]);', `sum ${AWAIT} [${AWAIT}]`],
          ['const x = ones([2]).sum();\n\nconsole.log(2 * x.item());', `TypeError: ${AWAIT} (line 3)`],
          ['const x = ones([2]).sum();\nif (x.item() > 1) console.log("more");', `TypeError: ${AWAIT} (line 2)`],
          ['const x = ones([2]).sum();\n`${x.item()}`', `TypeError: ${AWAIT} (line 2)`],
          ['const x = [1];\nplot([ones([2]).sum().item()]);', /is a promise: await it.* \(line 2\)$/],
          ['const a = 1;\nconst b = ;\nconst c = 2;', /^SyntaxError: Unexpected token.* \(line 2\)$/],
          ['import { nn } from "lanthorn";\nfor (let i = 0; i < 2; i++) {\n  console.log(i;\n}', /^SyntaxError: .* \(line 3\)$/],
          ['const open = () => {\n  ones([2]);\n', /^SyntaxError: .* \(line 2\)$/],
          ['let kept = 5;\nfunction twice(x) {\n  return x.missing();\n}', ''],
          ['// It was declared in the run before.\ntwice(kept)', /TypeError: .*missing.* \(line 2\)$/],
        ]) {
          await write(page, source);
          const output = (await run(page)).replace(/\s+/g, ' ').trim();
          if (typeof expected === 'string') assert.ok(output.includes(expected), `${source}: ${output}`);
          else assert.match(output, expected, source);
        }
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

test('shows twenty lines, and where the keyboard is; a reload keeps the text, and a link does not replace it', async () => {
  const browser = await launchBrowser({ webgpu: false });
  try {
    const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
    const open = (parameters = '') => page.goto(`${site.origin}/playground/index.html?device=cpu${parameters}`).then(() => waitForState(page, 'ready', SHORT));
    const text = () => page.locator('.cm-content').innerText();
    await open();
    await write(page, Array.from({ length: 24 }, (_, line) => `zeros([${line}]);`).join('\n'));
    await page.evaluate(() => {
      document.querySelector('.cm-scroller').scrollTo(0, 0);
      scrollTo(0, 0);
    });
    const whole = await page.locator('.cm-line').evaluateAll((lines) => {
      const editor = document.getElementById('editor').getBoundingClientRect();
      const inside = ({ top, bottom }) => top >= editor.top && bottom <= Math.min(editor.bottom, innerHeight);
      return lines.filter((line) => inside(line.getBoundingClientRect())).length;
    });
    assert.ok(whole >= 20, `${whole} lines are visible`);
    assert.match(await page.locator('#editor').evaluate((element) => getComputedStyle(element).outline), /solid 3px/);

    await open();
    assert.match(await text(), /zeros\(\[23\]\)/);
    assert.match(await page.locator('#took').innerText(), /draft is back/);
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#code='), null, { timeout: SHORT });
    const hash = await page.evaluate(() => location.hash);
    await write(page, 'ones([1])');
    await page.waitForFunction(() => location.hash === '', null, { timeout: SHORT });
    await page.goto('about:blank');
    await open(hash);
    await page.waitForFunction(() => /zeros/.test(document.querySelector('.cm-content').innerText), null, { timeout: SHORT });
    await page.goto('about:blank');
    await open();
    assert.match(await text(), /ones\(\[1\]\)/);
  } finally {
    await browser.close();
  }
});

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
