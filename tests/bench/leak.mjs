/**
 * Trains a small network for 10,000 steps in headless Chromium and compares the memory in use at
 * step 1,000 and at the end: bytes of GPU buffers, the core's memory, the JS heap. Fails if any
 * grew by more than 1 %.
 *
 *   node tests/bench/leak.mjs [webgpu|cpu] [STEPS]
 */
import { launchBrowser } from '../browser/lib/browser.mjs';
import { grown, sampleGrowth } from '../browser/lib/leak.mjs';

const [device = 'webgpu', steps = '10000'] = process.argv.slice(2);
const milestones = [Number(steps) / 10, Number(steps)];
const browser = await launchBrowser({ webgpu: device === 'webgpu' });
try {
  const samples = await sampleGrowth(browser, device, milestones);
  console.table(Object.fromEntries(samples.map((sample, index) => [`step ${milestones[index]}`, sample])));
  const growth = grown(samples);
  console.log(growth.length === 0 ? 'nothing grew by more than 1 %' : `grew: ${growth.join(', ')}`);
  process.exitCode = growth.length === 0 ? 0 : 1;
} finally {
  await browser.close();
}
