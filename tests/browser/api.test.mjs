/**
 * The public API in a real browser, on WebGPU (in software) and on the CPU. Needs the package built
 * into target/npm.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { launchBrowser, withoutWebGPU } from './lib/browser.mjs';
import { describeCases, DEVICES, inPage, openPackage, servePackage } from './lib/package-page.mjs';

/** Why counts of live tensors differ in WebKit. */
const LATE = 'WebKit collects tensors of earlier tests late';

await describeCases('api', ['values', 'selection', 'calls', 'autograd', 'func', 'control', 'anomaly', 'views', 'results', 'indexing', 'numbers', 'linalg', 'modules', 'module-tree', 'sequences', 'utilities', 'training', 'compile', 'optimizers', 'lifetime', 'reads', 'random', 'inspect', 'printing', 'functions', 'sharing', 'pixels', 'buffers', 'data'], {
  misses: {
    webkit: {
      'large products fuse multiplication and addition on the CPU': 'WebKit has no relaxed SIMD',
      'async scopes nest, and let go when they reject': LATE,
      'an async scope lasts across every await': LATE,
      'a video is read at its current frame': 'WebKitGTK decodes no video',
    },
  },
});

test('a seed gives the same bits on every device', { skip: withoutWebGPU }, async () => {
  const site = await servePackage();
  const browser = await launchBrowser({ webgpu: true });
  try {
    const { page } = await openPackage(browser, site);
    const sample = async (device) => {
      const { sample: take } = await import('/tests/api/random.mjs');
      const info = await window.lanthorn.init({ device });
      return { device: info.device, numbers: await take(window.lanthorn) };
    };
    const [one, other] = [await inPage(page, sample, DEVICES[0]), await inPage(page, sample, DEVICES[1])];
    assert.deepEqual([one.device, other.device], DEVICES);
    assert.equal(one.numbers.rand.length, 1000);
    assert.deepEqual(one.numbers, other.numbers);
  } finally {
    await browser.close();
    await site.close();
  }
});

test("scans, loops and branches have PyTorch's results and gradients", async () => {
  const rows = JSON.parse(await readFile(new URL('../golden/control.json', import.meta.url), 'utf8'));
  const site = await servePackage();
  const browser = await launchBrowser({ webgpu: !withoutWebGPU });
  try {
    const { page } = await openPackage(browser, site);
    const run = async ([device, rows]) => {
      const { compare } = await import('/tests/api/control.mjs');
      await window.lanthorn.init({ device });
      await compare(window.lanthorn, rows);
    };
    for (const device of DEVICES) if (device !== 'webgpu' || !withoutWebGPU) await inPage(page, run, [device, rows]);
  } finally {
    await browser.close();
    await site.close();
  }
});
