/**
 * A device that is lost in the middle of training: pending promises reject, nothing hangs, and
 * training resumes from a checkpoint with the same losses. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchBrowser } from './lib/browser.mjs';
import { inPage, openPackage, useBrowser } from './lib/package-page.mjs';

const opened = useBrowser({ webgpu: true });

const STEPS = 6;

/** The losses of an undisturbed run. */
async function trainUndisturbed() {
  let losses;
  await opened.withPage(async (page) => {
    losses = await inPage(page, async (count) => {
      const { createTraining, train } = await import('/tests/lib/recovery.mjs');
      await window.lanthorn.init({ device: 'webgpu' });
      return train(createTraining(window.lanthorn), count);
    }, 2 * STEPS);
  });
  return losses;
}

/**
 * Trains, breaks the device with `lose`, checks the reported errors, and resumes from a checkpoint.
 */
async function loseAndRecover(page, lose) {
  const losses = await inPage(page, async (count) => {
    window.recovery = await import('/tests/lib/recovery.mjs');
    await window.lanthorn.init({ device: 'webgpu' });
    window.training = window.recovery.createTraining(window.lanthorn);
    const first = await window.recovery.train(window.training, count);
    window.saved = await window.recovery.checkpoint(window.training.net);
    window.failures = window.recovery.trainUntilLost(window.training);
    return first;
  }, STEPS);
  await lose();
  const begun = Date.now();
  const failures = await inPage(page, () => window.failures);
  assert.ok(failures.length > 0);
  for (const { name, kind, message } of failures) {
    assert.equal(name, 'LanthornError');
    assert.equal(kind, 'device_lost', message);
    assert.match(message, /lost/);
  }
  await inPage(page, async () => {
    const { refuses } = window.expect;
    const x = window.training.net.parameters()[0];
    await refuses(() => x.add(1).data(), 'device_lost', /lost/);
    await refuses(() => window.lanthorn.tensor([1]).data(), 'device_lost', /lost/);
    await refuses(() => window.lanthorn.synchronize(), 'device_lost', /lost/);
  });
  const rest = await inPage(page, async (count) => {
    window.training = await window.recovery.recover(window.lanthorn, window.saved);
    return window.recovery.train(window.training, count);
  }, STEPS);
  assert.ok(Date.now() - begun < 5000, `recovered within 5 s, not ${Date.now() - begun} ms`);
  return [...losses, ...rest];
}

/** Keeps the page's device where the test can break it. */
const keepDevice = () => {
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = async function (...args) {
    window.gpuDevice = await requestDevice.apply(this, args);
    return window.gpuDevice;
  };
};

test('by device.destroy(): awaits reject, and training goes on from a checkpoint as if nothing had been', async () => {
  const expected = await trainUndisturbed();
  await opened.withPage(async (page) => {
    const losses = await loseAndRecover(page, () => page.evaluate(() => window.gpuDevice.destroy()));
    assert.deepEqual(losses, expected);
  }, { beforehand: keepDevice });
});

test('again and again', () =>
  opened.withPage(async (page) => {
    for (let time = 0; time < 3; time += 1) {
      await loseAndRecover(page, () => page.evaluate(() => window.gpuDevice.destroy()));
    }
  }, { beforehand: keepDevice }));

test('by a crash of the GPU process', async () => {
  const expected = await trainUndisturbed();
  // A separate browser, because the crash affects all of its pages.
  const doomed = await launchBrowser({ webgpu: true });
  try {
    const { page } = await openPackage(doomed, opened.site);
    const losses = await loseAndRecover(page, async () => {
      const session = await doomed.newBrowserCDPSession();
      // The browser does not answer this call: the process that would is gone.
      session.send('Browser.crashGpuProcess').catch(() => {});
    });
    assert.deepEqual(losses, expected);
  } finally {
    await doomed.close();
  }
});

test('the CPU can take over', () =>
  opened.withPage(async (page) => {
    await inPage(page, async () => {
      const { createTraining, train, checkpoint, recover } = await import('/tests/lib/recovery.mjs');
      await window.lanthorn.init({ device: 'webgpu' });
      const training = createTraining(window.lanthorn);
      const [first] = await train(training, 1);
      const saved = await checkpoint(training.net);
      window.gpuDevice.destroy();
      const [next] = await train(await recover(window.lanthorn, saved, 'cpu'), 1);
      window.expect.ok(next < first, `the loss went from ${first} to ${next}`);
    });
  }, { beforehand: keepDevice }));
