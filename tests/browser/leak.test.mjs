/**
 * Training uses as much memory late as early. The long form is tests/bench/leak.mjs. Needs the
 * package built into target/npm.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchBrowser } from './lib/browser.mjs';
import { grown, sampleGrowth } from './lib/leak.mjs';
import { DEVICES } from './lib/package-page.mjs';
import { rotate } from './lib/rotation.mjs';

// Before the first sample the page's engine still compiles hot code, which grows its heap.
const MILESTONES = [1000, 2000];

for (const device of rotate(DEVICES, DEVICES.length)) {
  test(`${MILESTONES[1]} steps on ${device} hold what ${MILESTONES[0]} did`, async () => {
    const browser = await launchBrowser({ webgpu: device === 'webgpu' });
    try {
      const samples = await sampleGrowth(browser, device, MILESTONES);
      assert.ok(samples[0].wasm > 0 && samples[0].held > 0 && samples[0].heap > 0, 'what is measured is there');
      assert.ok(device === 'cpu' || samples[0].gpu > 0, 'so are the buffers of the GPU');
      assert.deepEqual(grown(samples), []);
    } finally {
      await browser.close();
    }
  });
}
