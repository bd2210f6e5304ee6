/**
 * The public API in a real browser, on WebGPU (in software) and on the CPU. Needs the package built
 * into target/npm.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchBrowser, withoutWebGPU } from './lib/browser.mjs';
import { describeCases, DEVICES, inPage, openPackage, servePackage } from './lib/package-page.mjs';

/** Why counts of live tensors differ in WebKit. */
const LATE = 'WebKit collects tensors of earlier tests late';

await describeCases('api', ['values', 'selection', 'calls', 'autograd', 'func', 'anomaly', 'views', 'results', 'indexing', 'numbers', 'linalg', 'modules', 'module-tree', 'sequences', 'utilities', 'training', 'compile', 'optimizers', 'lifetime', 'reads', 'random', 'inspect', 'printing', 'functions', 'sharing', 'pixels', 'buffers', 'data'], {
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
