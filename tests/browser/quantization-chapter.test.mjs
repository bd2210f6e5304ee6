/**
 * The chapter on quantization in a real browser, on WebGPU (in software) and on the CPU.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { devicesOf, SHORT, TRAINING, visit } from './lib/chapter.mjs';
import { launchBrowser } from './lib/browser.mjs';
import { serveSite, waitForState } from './lib/site.mjs';

let site;
before(async () => {
  site = await serveSite();
});
after(() => site?.close());

for (const device of devicesOf('quantization')) {
  describe(`the quantization chapter on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());

    test('compares six formats, and training with 2 bits makes a network that stands them', () =>
      visit(browser, site.address({ device, autostart: 1, steps: 100, seed: 1 }, 'quantization'), async (page) => {
        const shown = await waitForState(page, 'done', TRAINING);
        assert.equal(shown.device, device);
        assert.ok(shown.accuracy >= 0.9, `accuracy ${shown.accuracy}`);
        assert.equal(shown.made, 0, 'a steady step makes nothing');
        const rows = await untilCompared(page);
        assert.ok(rows.length >= 5 && rows.length <= 6, `${rows.length} formats`);
        const row = (name) => rows.find(({ format }) => format === name);
        assert.equal(row('float32').difference, 0);
        for (const [format, share] of [['int8', 0.3], ['int8 dynamic', 0.3], ['int4', 0.2], ['2 bits', 0.1]]) {
          assert.ok(row(format).bytes < share * row('float32').bytes, `${format} takes ${row(format).bytes} bytes`);
          assert.ok(row(format).difference > 0, `${format} changes scores`);
        }
        for (const format of ['int8', 'int8 dynamic', 'int4']) {
          assert.ok(row(format).accuracy > shown.accuracy - 0.03, `${format} reads ${row(format).accuracy}`);
        }
        assert.ok(row('int4').difference > row('int8').difference);

        // int4 has 16 levels for 32 weights, 2 bits have three.
        await words(page, 'histogram-words', /in int4\. The first 32 weights use (\d|1\d) levels/);
        const before = await picture(page);
        await page.selectOption('#format', '2 bits');
        await words(page, 'histogram-words', /use [123] levels/);
        assert.notEqual(await picture(page), before);

        await page.selectOption('#aware', '2');
        await page.click('#start');
        await page.waitForFunction(() => window.lanthornDemo.step === 200 && document.documentElement.dataset.state === 'done', null, { timeout: TRAINING });
        const old = row('2 bits').accuracy;
        await page.waitForFunction((value) => Number(document.querySelector('[data-format="2 bits"]').dataset.accuracy) !== value, old, { timeout: SHORT });
        const aware = (await untilCompared(page)).find(({ format }) => format === '2 bits').accuracy;
        assert.ok(aware >= 0.85 && aware > old, `2 bits: ${old} without, ${aware} with training for them`);
      }));
  });
}

/** The rows of the table, when there are any. */
async function untilCompared(page) {
  await page.waitForFunction(() => document.querySelector('#formats [data-accuracy]'), null, { timeout: SHORT });
  const rows = await page.locator('#formats [data-accuracy]').evaluateAll((all) => all.map(({ dataset }) => ({ ...dataset })));
  return rows.map(({ format, ...numbers }) => ({ format, ...Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)])) }));
}

function words(page, id, expected) {
  const isThere = ([element, pattern]) => new RegExp(pattern).test(document.getElementById(element).textContent);
  return page.waitForFunction(isThere, [id, expected.source], { timeout: SHORT });
}

function picture(page) {
  return page.locator('#histogram').evaluate((canvas) => canvas.toDataURL());
}
