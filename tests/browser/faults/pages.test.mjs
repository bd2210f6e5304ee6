/**
 * Pages and workers that are throttled, frozen, reloaded, left or ended while they train, and pages
 * with two copies of the package. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../lib/browser.mjs';
import { openPackage, PACKAGE, inPage, withPackage as withPackageOf } from '../lib/package-page.mjs';
import { rotation } from '../lib/rotation.mjs';
import { serveFolder } from '../lib/static-server.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const STEPS = 40;
/** Rotations take few. */
const [RELOADS, WORKERS] = rotation === undefined ? [20, 12] : [5, 4];

let site;
let browser;
let expected;
before(async () => {
  // The package at two addresses: two copies of it.
  site = await serveFolder(here('../pages'), { npm: PACKAGE, copy: PACKAGE, tests: here('..') });
  browser = await launchBrowser({ webgpu: true });
  await withPackage(async (page) => {
    await page.evaluate(train, STEPS);
    expected = await inPage(page, () => window.training);
  });
  assert.equal(expected.length, STEPS);
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const withPackage = (check, options) => withPackageOf(browser, site, check, options);

/** Begins a training in the page, and keeps the promise of its losses. */
async function train(steps) {
  const { createTraining } = await import('/tests/lib/recovery.mjs');
  await window.lanthorn.init({ device: 'webgpu' });
  const training = createTraining(window.lanthorn);
  window.losses = [];
  window.training = (async () => {
    for (let step = 0; step < steps; step += 1) window.losses.push(await training.step().item());
    return window.losses;
  })();
}

test('a page that is throttled twentyfold trains on, with the same losses', () =>
  withPackage(async (page) => {
    const session = await page.context().newCDPSession(page);
    await page.evaluate(train, STEPS);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 20 });
    assert.deepEqual(await inPage(page, () => window.training), expected);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  }));

test('a page that is frozen in mid-training, again and again, goes on where it was', () =>
  withPackage(async (page) => {
    const session = await page.context().newCDPSession(page);
    await page.evaluate(train, STEPS);
    for (let time = 0; time < 3; time += 1) {
      await session.send('Page.setWebLifecycleState', { state: 'frozen' });
      await new Promise((resolve) => setTimeout(resolve, 200));
      await session.send('Page.setWebLifecycleState', { state: 'active' });
    }
    assert.deepEqual(await inPage(page, () => window.training), expected);
  }));

test(`a page that is reloaded ${RELOADS} times in mid-training trains as the first time`, async () => {
  const { page, problems } = await openPackage(browser, site);
  try {
    for (let time = 0; time < RELOADS; time += 1) {
      await page.evaluate(async () => { window.lanthorn = await import('/npm/js/index.js'); });
      await page.evaluate(train, 10_000);
      if (time % 2 === 0) await page.waitForFunction(() => window.losses.length > 2);
      await page.reload();
    }
    await page.evaluate(async () => { window.lanthorn = await import('/npm/js/index.js'); });
    await page.evaluate(train, STEPS);
    assert.deepEqual(await inPage(page, () => window.training), expected);
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
  }
});

test('a page that was left in mid-training works when its user comes back', async () => {
  const { page, problems } = await openPackage(browser, site);
  try {
    await page.evaluate(train, 10_000);
    await page.waitForFunction(() => window.losses.length > 2);
    await page.goto('about:blank');
    await page.goBack();
    // A page from the browser's cache of pages continues; otherwise it is a new page, which starts
    // over.
    const isKept = await page.evaluate(() => window.losses !== undefined);
    if (!isKept) await page.evaluate(async () => { window.lanthorn = await import('/npm/js/index.js'); });
    await page.evaluate(train, STEPS);
    assert.deepEqual(await inPage(page, () => window.training), expected);
    assert.deepEqual(problems, []);
  } finally {
    await page.close();
  }
});

test(`${WORKERS} workers that are ended in the middle of a step leave the page and the next worker alone`, () =>
  withPackage(async (page) => {
    const found = await inPage(page, async ([steps, workers]) => {
      const { createTraining, train } = await import('/tests/lib/recovery.mjs');
      await window.lanthorn.init({ device: 'webgpu' });
      const mine = createTraining(window.lanthorn);
      /** The first losses of a worker, which is ended right after it reported the last of them. */
      const losses = (device, count) => new Promise((resolve, reject) => {
        const worker = new Worker('/tests/faults/worker.mjs', { type: 'module' });
        const told = [];
        worker.onerror = (event) => reject(new Error(event.message));
        worker.onmessage = ({ data }) => {
          if (data.device !== device) reject(new Error(`the worker took ${data.device}`));
          told.push(data.loss);
          if (told.length < count) return;
          worker.terminate();
          resolve(told);
        };
        worker.postMessage({ device });
      });
      const during = [];
      for (let time = 0; time < workers; time += 1) {
        await losses(time % 3 === 2 ? 'cpu' : 'webgpu', 1 + (time % 2));
        during.push(...(await train(mine, 1)));
      }
      return { during, next: await losses('webgpu', steps), after: await train(mine, 1) };
    }, [STEPS, WORKERS]);
    assert.deepEqual([...found.during, ...found.after], expected.slice(0, WORKERS + 1));
    assert.deepEqual(found.next, expected);
  }));

test('two copies of the package on a page share nothing, and refuse tensors of each other', () =>
  withPackage((page) =>
    inPage(page, async (steps) => {
      const { createTraining, train } = await import('/tests/lib/recovery.mjs');
      const { equal, ok } = window.expect;
      const [one, other] = [window.lanthorn, await import('/copy/js/index.js')];
      ok(one.Tensor !== other.Tensor, 'two copies');
      const [first, second] = await Promise.all([one.init({ device: 'webgpu' }), other.init({ device: 'webgpu' })]);
      equal([first.device, second.device], ['webgpu', 'webgpu']);
      ok(window.devices.length === 2 && window.devices[0] !== window.devices[1], 'two devices');
      const [mine, its] = [createTraining(one), createTraining(other)];
      const [a, b] = [[], []];
      for (let step = 0; step < 6; step += 1) {
        const [x, y] = await Promise.all([train(mine, 1), train(its, 1)]);
        a.push(...x);
        b.push(...y);
      }
      equal(a, steps);
      equal(b, steps);
      const [x, y] = [one.tensor([1, 2]), other.tensor([3, 4])];
      for (const use of [() => x.add(y), () => y.add(x), () => one.cat([x, y]), () => one.tensor([y]),
        () => mine.net.call(y), () => new one.optim.SGD([y], { lr: 1 })]) {
        let error;
        try {
          use();
        } catch (thrown) {
          error = thrown;
        }
        ok(/LanthornError/.test(error?.name) && error.kind === 'argument', `refused as ${error}`);
      }
      // The loss of one device is that copy's alone.
      const told = [[], []];
      [one, other].forEach((copy, index) => copy.onDeviceLost(({ reason }) => told[index].push(reason)));
      window.devices[0].destroy();
      await new Promise((resolve) => setTimeout(resolve, 100));
      const [gone, left] = await Promise.allSettled([x.add(1).data(), y.add(1).data()]);
      ok([gone, left].filter(({ status }) => status === 'fulfilled').length === 1, 'one goes on');
      equal(told.map(({ length }) => length), gone.status === 'rejected' ? [1, 0] : [0, 1]);
      ok((gone.status === 'rejected' ? gone : left).reason.kind === 'device_lost', 'the other says why it does not');
    }, expected.slice(0, 6)), {
    beforehand: () => {
      const { requestDevice } = GPUAdapter.prototype;
      window.devices = [];
      GPUAdapter.prototype.requestDevice = async function (...args) {
        const device = await requestDevice.apply(this, args);
        window.devices.push(device);
        return device;
      };
    },
  }));
