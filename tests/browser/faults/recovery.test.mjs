/**
 * A training that recovers automatically from the loss of its device, with the losses of an
 * undisturbed run. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchBrowser } from '../lib/browser.mjs';
import { inPage, openPackage, servePackage, withPackage } from '../lib/package-page.mjs';

let site;
let browser;
let undisturbed;
let expected;
const STEPS = 9;

before(async () => {
  site = await servePackage();
  browser = await launchBrowser({ webgpu: true });
  await withPackage(browser, site, async (page) => {
    undisturbed = await inPage(page, async (count) => {
      const { train } = await import('/tests/faults/training.mjs');
      await window.lanthorn.init({ device: 'webgpu' });
      return train(window.lanthorn, count);
    }, STEPS);
  });
  assert.equal(undisturbed.recoveries, 0);
  expected = undisturbed.losses;
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
      const { init, onDeviceLost } = window.lanthorn;
      await init({ device: 'webgpu' });
      const told = [];
      onDeviceLost((loss) => told.push(loss));
      onDeviceLost(() => { throw new Error('not called'); })();
      const resumptions = [];
      const breaks = [3, 4, 7];
      const disturb = (steps) => {
        if (steps === breaks[0]) {
          breaks.shift();
          window.gpuDevice.destroy();
        }
      };
      const watch = (...resumption) => resumptions.push(resumption);
      return { ...await train(window.lanthorn, count, { disturb, watch }), told, resumptions };
    }, STEPS);
    assert.equal(found.recoveries, 3);
    assert.deepEqual(found.losses, expected);
    assert.ok(found.tied);
    assert.ok(found.tensors <= undisturbed.tensors,
      `${found.tensors} tensors are left, ${undisturbed.tensors} without a loss`);
    assert.ok(found.hooked > STEPS, 'the hook of a parameter is called after a recovery too');
    assert.deepEqual(found.told.map(({ reason }) => reason), ['destroyed', 'destroyed', 'destroyed']);
    assert.deepEqual(found.resumptions, [['webgpu', 2], ['webgpu', 4], ['webgpu', 6]]);
  }, { beforehand: keepDevice }));

/** Kills the GPU process of the browser. */
async function crash(doomed) {
  const session = await doomed.newBrowserCDPSession();
  // The browser does not answer this call: the process that would is gone.
  session.send('Browser.crashGpuProcess').catch(() => {});
}

test('after crashes of the GPU process, until the browser refuses a device, and then on the CPU', async () => {
  // A separate browser, because a crash affects all of its pages.
  const doomed = await launchBrowser({ webgpu: true });
  try {
    const { page } = await openPackage(doomed, site);
    await page.exposeFunction('crash', () => crash(doomed));
    const found = await inPage(page, async (count) => {
      const { train } = await import('/tests/faults/training.mjs');
      const { init, onDeviceLost } = window.lanthorn;
      await init({ device: 'webgpu' });
      const [resumptions, refusals] = [[], []];
      let told = 0;
      onDeviceLost(() => { told += 1; });
      const result = await train(window.lanthorn, count, {
        // A crash at the fourth step, as long as there is a GPU; it may take until a later step to
        // be seen.
        disturb: (steps) => (steps === 3 && resumptions.at(-1)?.[0] !== 'cpu' ? window.crash() : undefined),
        watch: (...resumption) => resumptions.push(resumption),
        refused: ({ kind, message }) => refusals.push({ kind, message }),
      });
      return { ...result, told, resumptions, refusals };
    }, STEPS);
    assert.deepEqual(found.resumptions[0], ['webgpu', 2], 'the first crash is recovered from');
    assert.deepEqual(found.resumptions.at(-1), ['cpu', 2], 'in the end the CPU takes over');
    assert.ok(found.resumptions.length <= 4, 'it does not go on forever');
    assert.equal(found.told, found.resumptions.length, 'each loss is told once');
    assert.equal(found.refusals.length, 1);
    assert.equal(found.refusals[0].kind, 'device');
    assert.match(found.refusals[0].message, /^recover: .*recover\(\{ device: 'cpu' \}\)/);
    found.losses.forEach((loss, step) => assert.ok(Math.abs(loss - expected[step]) < 1e-3,
      `${loss} is not ${expected[step]} in step ${step}`));
    assert.ok(found.tied);
  } finally {
    await doomed.close();
  }
});

test('that is lost at once whenever it is opened is given up, and the CPU offered', () =>
  withPackage(browser, site, (page) =>
    inPage(page, async () => {
      const { autosave, init, nn, recover, tensor } = window.lanthorn;
      await init({ device: 'webgpu' });
      const net = new nn.Linear(2, 1);
      const before = await net.weight.data();
      const saved = autosave({ net });
      await saved.snapshot();
      let count = 0;
      let error;
      for (; count < 20 && error?.kind !== 'device'; count += 1) {
        window.gpuDevice.destroy();
        await recover().then(() => { error = undefined; }, (failure) => { error = failure; });
      }
      window.expect.ok(count === 4, `given up after ${count}`);
      window.expect.ok(/3 times|4 times/.test(error.message) && error.message.includes("recover({ device: 'cpu' })"),
        error.message);
      window.expect.ok((await recover({ device: 'cpu' })).device === 'cpu');
      window.expect.equal(await net.weight.data(), before);
      window.expect.ok((await net.call(tensor([[1, 2]])).data()).every(Number.isFinite), 'it computes');
      saved.stop();
    }), { beforehand: keepDevice }));

test('is refused with a reason where nothing was saved, and what cannot be saved is named', () =>
  withPackage(browser, site, (page) =>
    inPage(page, async () => {
      const { autosave, init, nn, ones, onDeviceLost, recover } = window.lanthorn;
      const { refuses, equal, ok } = window.expect;
      await refuses(() => autosave({ x: 1 }), 'argument', /x is/);
      await init({ device: 'webgpu' });
      await refuses(() => recover(), 'argument', /^recover: nothing was saved: call autosave/);
      await refuses(() => autosave({ net: new nn.Linear(1, 1), loader: {} }), 'argument', /^autosave: loader is/);
      await refuses(() => autosave({ x: ones(1) }, { every: 0 }), 'argument', /every/);
      await refuses(() => onDeviceLost(), 'argument', /^onDeviceLost/);
      // What belongs to no module is kept if it is given, and so is any object with a state.
      const [x, other, loader] = [ones(2), ones(2), { epoch: 3, stateDict() { return { epoch: this.epoch }; },
        loadStateDict({ epoch }) { this.epoch = epoch; } }];
      const saved = autosave({ x, loader });
      x.add_(1);
      await saved.snapshot();
      x.add_(1);
      loader.epoch = 9;
      window.gpuDevice.destroy();
      await refuses(() => x.data(), 'device_lost');
      await Promise.all([recover(), recover()]);
      equal(await x.data(), [2, 2]);
      ok(loader.epoch === 3);
      await refuses(() => other.data(), 'disposed', /earlier init/);
      saved.stop();
      await refuses(() => recover(), 'argument', /nothing was saved/);
    }), { beforehand: keepDevice }));
