/** A training holds late what it held early. The long form is tests/bench/leak.mjs. Needs the package built into target/npm. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchChromium } from './lib/chromium.mjs';
import { grown, sampleGrowth } from './lib/leak.mjs';

for (const [device, milestones] of [['cpu', [300, 1500]], ['webgpu', [150, 600]]]) {
  test(`${milestones[1]} steps on ${device} hold what ${milestones[0]} did`, async () => {
    const browser = await launchChromium({ webgpu: device === 'webgpu' });
    try {
      const samples = await sampleGrowth(browser, device, milestones);
      assert.ok(samples[0].wasm > 0 && samples[0].held > 0 && samples[0].heap > 0, 'what is measured is there');
      assert.ok(device === 'cpu' || samples[0].gpu > 0, 'so are the buffers of the GPU');
      assert.deepEqual(grown(samples), []);
    } finally {
      await browser.close();
    }
  });
}
