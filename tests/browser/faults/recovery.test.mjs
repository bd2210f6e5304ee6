/**
 * A training that recovers from the loss of its device by itself, with the losses of an undisturbed run.
 * Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchChromium } from '../lib/chromium.mjs';
import { inPage, openPackage, servePackage, withPackage } from '../lib/package-page.mjs';

let site;
let browser;
let expected;
const STEPS = 9;

before(async () => {
  site = await servePackage();
  browser = await launchChromium({ webgpu: true });
  await withPackage(browser, site, async (page) => {
    expected = await inPage(page, async (count) => {
      const { train } = await import('/tests/faults/training.mjs');
      await window.lanthorn.init({ device: 'webgpu' });
      const { losses, recoveries } = await train(window.lanthorn, count);
      window.expect.equal(recoveries, 0);
      return losses;
    }, STEPS);
  });
  assert.ok(expected[STEPS - 1] < expected[0], `it trains: ${expected}`);
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** Keeps the page's device where a test can break it. */
const keepDevice = () => {
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (...args) {
    window.gpuDevice = await requestDevice.apply(this, args);
    return window.gpuDevice;
  };
};

test('after device.destroy(), three times, with the losses of an undisturbed run', () =>
  withPackage(browser, site, async (page) => {
    const found = await inPage(page, async (count) => {
      const { train } = await import('/tests/faults/training.mjs');
      const { init, onDeviceLost, memory } = window.lanthorn;
      await init({ device: 'webgpu' });
      const told = [];
      onDeviceLost((loss) => told.push(loss));
      onDeviceLost(() => { throw new Error('not called'); })();
      const places = [];
      const breaks = [3, 4, 7];
      const disturb = (steps) => {
        if (steps === breaks[0]) {
          breaks.shift();
          window.gpuDevice.destroy();
        }
      };
      const { losses, recoveries, tied, hooked, training } = await train(window.lanthorn, count, { disturb, watch: (device, steps) => places.push([device, steps]) });
      training.net.dispose();
      return { losses, recoveries, tied, hooked, told, places, memory: memory().bytes };
    }, STEPS);
    assert.equal(found.recoveries, 3);
    assert.deepEqual(found.losses, expected);
    assert.ok(found.tied);
    assert.ok(found.hooked > STEPS, 'the hook of a parameter is called after a recovery too');
    assert.deepEqual(found.told.map(({ reason }) => reason), ['destroyed', 'destroyed', 'destroyed']);
    assert.deepEqual(found.places, [['webgpu', 2], ['webgpu', 4], ['webgpu', 6]]);
  }, { beforehand: keepDevice }));
