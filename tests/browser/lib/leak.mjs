/**
 * Measures whether a long training grows: the bytes in use early and late. Runs from Node; needs
 * the package built into target/npm.
 */
import { servePackage, openPackage } from './package-page.mjs';

/** Counts the bytes of live GPU buffers. Runs in the page. */
export function countBuffers() {
  const sizes = new WeakMap();
  window.gpu = { bytes: 0, made: 0 };
  const { createBuffer } = GPUDevice.prototype;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = createBuffer.call(this, descriptor);
    sizes.set(buffer, descriptor.size);
    window.gpu.bytes += descriptor.size;
    window.gpu.made += 1;
    return buffer;
  };
  const { destroy } = GPUBuffer.prototype;
  GPUBuffer.prototype.destroy = function () {
    window.gpu.bytes -= sizes.get(this) ?? 0;
    sizes.delete(this);
    destroy.call(this);
  };
}

/** Keeps the core's memory where a page can read its size. Runs in the page. */
function keepWasm() {
  const { instantiate, instantiateStreaming } = WebAssembly;
  const kept = (loaded) => {
    // A module that imports the core's memory has none itself.
    window.wasmMemory ??= (loaded.instance ?? loaded).exports.memory;
    return loaded;
  };
  WebAssembly.instantiate = (...args) => instantiate.apply(WebAssembly, args).then(kept);
  WebAssembly.instantiateStreaming = (...args) => instantiateStreaming.apply(WebAssembly, args).then(kept);
}

/** Starts training a small network. Runs in the page. */
async function begin(device) {
  const { init, nn, optim, randn, tensor, manualSeed } = window.lanthorn;
  await init({ device });
  manualSeed(1);
  const net = new nn.Sequential(new nn.Linear(16, 32), new nn.ReLU(), new nn.Linear(32, 4));
  const optimizer = new optim.Adam(net.parameters(), { lr: 0.01 });
  const [x, y] = [randn(32, 16), tensor(Array.from({ length: 32 }, (_, row) => row % 4), { dtype: 'int32' })];
  const criterion = new nn.CrossEntropyLoss();
  window.training = { net, optimizer, x, y, criterion };
}

/** Runs steps, then returns the memory in use. Runs in the page. */
async function run(steps) {
  const { scope, stats } = window.lanthorn;
  const { net, optimizer, x, y, criterion } = window.training;
  for (let step = 0; step < steps; step += 1) {
    const loss = scope(() => {
      const loss = criterion.call(net.call(x), y);
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      return loss;
    });
    await loss.item();
    loss.dispose();
  }
  const { bytes, tensors, apiBuffers, planMisses } = stats();
  return { gpu: window.gpu?.bytes ?? 0, wasm: window.wasmMemory.buffer.byteLength, held: bytes, tensors, apiBuffers, planMisses };
}

/** The JS heap in bytes after a collection. */
async function heap(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

/**
 * Trains on `device` and returns the memory in use after each of the numbers of steps, which
 * increase.
 */
export async function sampleGrowth(browser, device, milestones) {
  const site = await servePackage();
  const { page, problems } = await openPackage(browser, site, `(${keepWasm})(); if (globalThis.GPUDevice) (${countBuffers})();`);
  try {
    await page.evaluate(begin, device);
    const samples = [];
    let done = 0;
    for (const milestone of milestones) {
      // In one call, because each call of the driver leaves memory in the page, which would count
      // as growth.
      const held = await page.evaluate(run, milestone - done);
      samples.push({ ...held, heap: await heap(page) });
      done = milestone;
    }
    if (problems.length > 0) throw new Error(problems.join('\n'));
    return samples;
  } finally {
    await page.close();
    await site.close();
  }
}

/**
 * The quantities that grew by more than one per cent from the first sample to the last, in words.
 */
export function grown([first, ...rest]) {
  const last = rest.at(-1);
  return Object.keys(first).filter((name) => last[name] > first[name] * 1.01).map((name) => `${name}: ${first[name]} -> ${last[name]}`);
}
