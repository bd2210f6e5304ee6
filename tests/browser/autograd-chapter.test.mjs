/**
 * The chapter on autograd in a real browser: the graph of an expression, and the derivatives of a
 * curve.
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

for (const device of devicesOf('autograd')) {
  describe(`the autograd chapter on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());
    const withPage = (check) => visit(browser, site.address({ device }, 'autograd'), async (page) => {
      await waitForState(page, 'ready', SHORT);
      await check(page);
    });

    test('draws the graph, and takes gradients back through it', () =>
      withPage(async (page) => {
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await page.fill('#expression', 'x * y + x ** 2');
        await until(page, 'verdict', /The result is 3\./);
        assert.equal(await page.locator('#graph .box').count(), 5);
        assert.match(await page.locator('#source').innerText(), /const v1 = x\.mul\(y\);\nconst v2 = x\.pow\(2\);\nconst v3 = v1\.add\(v2\);/);
        await page.click('#step');
        await until(page, 'verdict', /The gradient of v3 is 1: it is the result/);
        assert.equal(await page.locator('#graph .gradient:not(:empty)').count(), 1);
        await page.click('#backward');
        await page.waitForFunction(() => document.querySelectorAll('#graph .gradient:not(:empty)').length === 5, null, { timeout: SHORT });
        // y + 2 x of x = 1.5, y = 0.5.
        await until(page, 'verdict', /The gradient of x is 3\.5: from v1 and v2, added up/);
        assert.match(await page.getAttribute('#graph', 'aria-label'), /y: value 0\.5, gradient 1\.5/);

        await page.locator('#value-x').fill('2');
        await until(page, 'verdict', /The result is 5\./);
        for (const [wrong, words] of [['', /There is no expression yet/], ['x +', /ends too early/], ['2 * 3', /There is no variable/], ['foo(x)', /“foo” is not known/], ['x $ y', /cannot be read/], ['x'.repeat(1_000_000), /up to 200/]]) {
          await page.fill('#expression', wrong);
          await until(page, 'verdict', words);
        }
        await page.fill('#expression', 'x');
        await until(page, 'verdict', /The result is 2\./);
      }));

    test('differentiates a curve three times', () =>
      withPage(async (page) => {
        await page.fill('#function', 'x ** 3');
        // At -4 and 4: 3 x², 6 x, and 6.
        await untilLabelled(page, /f from -64\.00 to 64\.00; first from 48\.00 to 48\.00; second from -24\.00 to 24\.00; third from 6\.00 to 6\.00/);
        await page.fill('#function', '2 * x');
        await untilLabelled(page, /first from 2\.00 to 2\.00; second from 0\.00 to 0\.00; third from 0\.00/);
        await page.fill('#function', 'x * y');
        await until(page, 'curve-verdict', /“y” is not known/);
      }));
  });
}

function until(page, id, words) {
  return page.waitForFunction(([element, pattern]) => new RegExp(pattern).test(document.getElementById(element).textContent), [id, words.source], { timeout: SHORT, polling: 20 })
    .catch(async () => assert.match(await page.locator(`#${id}`).innerText(), words));
}

function untilLabelled(page, words) {
  return page.waitForFunction((pattern) => new RegExp(pattern).test(document.getElementById('curve').ariaLabel), words.source, { timeout: SHORT, polling: 20 })
    .catch(async () => assert.match(await page.getAttribute('#curve', 'aria-label'), words));
}
