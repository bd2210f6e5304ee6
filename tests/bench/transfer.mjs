/**
 * Ten million floats to the GPU and back, beside WebGPU's own calls with one copy, in one run.
 *
 *   node tests/bench/transfer.mjs [ROUNDS]
 */
import { launchBrowser } from '../browser/lib/browser.mjs';
import { openPackage, servePackage } from '../browser/lib/package-page.mjs';

const rounds = Number(process.argv[2] ?? 8);
const site = await servePackage();
const browser = await launchBrowser({ webgpu: true });
const { page } = await openPackage(browser, site);
const times = await page.evaluate(async (count) => {
  const { init, gpuDevice, tensor } = window.lanthorn;
  await init({ device: 'webgpu' });
  const device = gpuDevice();
  const numbers = Float32Array.from({ length: 10_000_000 }, (_, index) => index);
  const done = () => device.queue.onSubmittedWorkDone();
  const ours = async () => {
    const start = performance.now();
    const x = tensor(numbers);
    await done();
    const written = performance.now();
    const back = await x.data();
    const read = performance.now();
    if (back[9_999_999] !== numbers[9_999_999]) throw new Error('other numbers came back');
    x.dispose();
    return [written - start, read - written];
  };
  const theirs = async () => {
    const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const start = performance.now();
    const buffer = device.createBuffer({ size: numbers.byteLength, usage: STORAGE | COPY_SRC | COPY_DST });
    device.queue.writeBuffer(buffer, 0, numbers);
    await done();
    const written = performance.now();
    const staging = device.createBuffer({ size: numbers.byteLength, usage: MAP_READ | COPY_DST });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, numbers.byteLength);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const back = new Float32Array(staging.getMappedRange()).slice();
    const read = performance.now();
    if (back[9_999_999] !== numbers[9_999_999]) throw new Error('other numbers came back');
    staging.destroy();
    buffer.destroy();
    return [written - start, read - written];
  };
  const all = { ours: [], theirs: [] };
  for (let round = 0; round < count; round++) {
    all.theirs.push(await theirs());
    all.ours.push(await ours());
  }
  return all;
}, rounds);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
for (const [index, way] of ['in', 'out'].entries()) {
  const [a, b] = [times.ours, times.theirs].map((all) => median(all.map((row) => row[index])));
  console.log(`${way}: ${a.toFixed(1)} ms, WebGPU's own calls ${b.toFixed(1)} ms, ratio ${(a / b).toFixed(2)}`);
}
await browser.close();
await site.close();
