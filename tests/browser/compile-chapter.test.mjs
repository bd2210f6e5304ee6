/** The chapter on compile in a real browser, on WebGPU (in software) and on the CPU: graphs, kernels, times and recordings. */
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

const nodes = (page) => page.locator('#graph .node.operator').count();

/** Presses a button that calls the compiled step, and resolves to the state then. */
async function call(page, change) {
  await page.click(`[data-change=${change}]`);
  return waitForState(page, 'ready', SHORT);
}

for (const device of devicesOf('compile')) {
  describe(`the compile chapter on ${device}`, () => {
    let browser;
    before(async () => {
      browser = await launchBrowser({ webgpu: device === 'webgpu' });
    });
    after(() => browser?.close());

    test('a step is shown as exported, recorded and fused, and recorded again where it must be', () =>
      visit(browser, site.address({ device }, 'compile'), async (page) => {
        const shown = await waitForState(page, 'ready', SHORT);
        assert.equal(shown.device, device);
        assert.ok(shown.kernels < shown.recorded / 4, `${shown.recorded} recorded kernels become ${shown.kernels}`);
        // On the CPU this is a difference of two times, which is 0 where the machine is busy.
        assert.ok(shown.compiledHost < shown.eagerHost || (device === 'cpu' && shown.eagerHost === 0), `host time: eager ${shown.eagerHost} ms, compiled ${shown.compiledHost} ms`);
        assert.equal(await nodes(page), shown.kernels);
        assert.equal(await page.locator('#kernels > li').count(), shown.kernels);
        const first = page.locator('#kernels > li').first();
        assert.match(await first.innerText(), /matmul → add → relu\s+contract · forward[\s\S]*\d (µs|ms)/);
        await first.locator('summary').first().click();
        assert.match(await first.innerText(), /m \[64\], n \[128\], k \[64\]/);
        assert.equal(await first.getByText('WGSL').count() > 0, device === 'webgpu');

        await page.click('[data-graph=traced]');
        assert.equal(await nodes(page), shown.operations);
        await page.locator('#graph .node', { hasText: 'hidden.weight' }).click();
        assert.match(await page.locator('#node-details').innerText(), /aten\.linear\.default[\s\S]*model\.hidden\.weight float32 \[128, 64\]/);
        await page.click('[data-graph=recorded]');
        assert.match(await page.locator('#graph-words').innerText(), new RegExp(`^${shown.recorded} operators`));

        // Another learning rate is data; another shape or mode is recorded again.
        assert.equal(shown.recordings, 1);
        assert.equal((await call(page, 'rate')).replays, shown.replays + 1);
        assert.match(await page.locator('#called').innerText(), /The learning rate 0\.0005: replayed\. Loss \d/);
        assert.equal((await call(page, 'batch')).recordings, 2);
        assert.match(await page.locator('#called').innerText(), /A batch of 48: recorded anew/);
        assert.equal((await call(page, 'mode')).recordings, 3);
        const again = await call(page, 'nothing');
        assert.deepEqual([again.recordings, again.replays], [3, shown.replays + 2]);
        assert.match(await page.locator('#report').innerText(), /breaks: none/);
      }));
  });
}

test('every network is measured', async () => {
  const browser = await launchBrowser({ webgpu: false });
  try {
    await visit(browser, site.address({ device: 'cpu' }, 'compile'), async (page) => {
      for (const [network, operator] of [['conv', 'conv2d'], ['attention', 'scaled_dot_product_attention']]) {
        await waitForState(page, 'ready', SHORT);
        await page.locator('#network').selectOption(network);
        await page.waitForFunction((name) => window.lanthornDemo.network === name, network, { timeout: SHORT });
        const { kernels, recorded } = await waitForState(page, 'ready', SHORT);
        assert.ok(kernels < recorded / 2, `${network}: ${recorded} recorded kernels become ${kernels}`);
        await page.click('[data-graph=traced]');
        assert.ok((await page.locator('#graph .node', { hasText: operator.slice(0, 12) }).count()) > 0);
      }
    });
  } finally {
    await browser.close();
  }
});
