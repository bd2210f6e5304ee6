/**
 * Memory and limits: a GPU that has none left in the middle of a step, tensors beyond a
 * dispatch, a binding or a buffer, and the end of the CPU's memory. Needs the package built into
 * target/npm.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { countBuffers } from '../lib/leak.mjs';
import { offerTheLeast } from '../lib/least-limits.mjs';
import { inPage, useBrowser } from '../lib/package-page.mjs';
import { rotate } from '../lib/rotation.mjs';
import { failingBuffers } from './allocation.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** A rotation lets one buffer in `EVERY` fail. */
const EVERY = 12;

const opened = useBrowser({ webgpu: true, flags: ['--js-flags=--expose-gc'] });

/**
 * The error of a training in which one buffer cannot be created, and whether the training works
 * afterwards. Runs in the page.
 */
const failOnce = async (number, expected) => {
  const { losses } = await import('/tests/faults/allocation.mjs');
  Object.assign(window.allocation, { count: 0, failAt: number });
  const error = await losses(window.lanthorn).then((value) => ({ message: `no error, but ${value}` }),
    (failure) => failure);
  const made = window.allocation.count;
  window.allocation.failAt = 0;
  // Pending failures are reported here.
  await window.lanthorn.synchronize().catch(() => {});
  window.expect.equal(await losses(window.lanthorn), expected, `after the failure of buffer ${number}`);
  return { number, made, name: error.name, kind: error.kind, message: error.message };
};

/**
 * Every failure is an error of its kind that names the request. The number of buffers of a training
 * varies by one, because earlier buffers return to the pool at different times, so the last number
 * may belong to no buffer.
 */
function assertTyped(failures) {
  const reached = failures.filter(({ number, made }) => made >= number);
  assert.ok(reached.length >= failures.length - 1, `${reached.length} of ${failures.length} buffers were made`);
  for (const { number, made, name, kind, message } of reached) {
    assert.deepEqual([name, kind], ['LanthornError', 'out_of_memory'], `buffer ${number} of ${made}: ${message}`);
    assert.match(message, /\d+ bytes/);
  }
}

const beforehand = `(${failingBuffers})(); (${countBuffers})(); window.failOnce = ${failOnce};`;

test('whichever buffer of a training fails: an error, then the same training works, and nothing is left', () =>
  opened.withPage(async (page) => {
    const found = await inPage(page, async () => {
      const { losses } = await import('/tests/faults/allocation.mjs');
      const { emptyCache, init, memory, synchronize } = window.lanthorn;
      await init({ device: 'webgpu' });
      const expected = await losses(window.lanthorn);
      const rest = async () => {
        await synchronize();
        emptyCache();
        globalThis.gc();
        await new Promise((resolve) => setTimeout(resolve, 0));
        return { tensors: memory().tensors, held: memory().bytes, gpu: window.gpu.bytes };
      };
      await rest();
      window.allocation.count = 0;
      window.expect.equal(await losses(window.lanthorn), expected, 'without a failure');
      const total = window.allocation.count;
      const idle = await rest();
      const failures = [];
      for (let number = 1; number <= total; number += 1) {
        failures.push(await window.failOnce(number, expected));
        const now = await rest();
        for (const [name, held] of Object.entries(now)) {
          window.expect.ok(held <= idle[name], `buffer ${number} leaves ${held} of ${name}, not ${idle[name]}`);
        }
      }
      return { total, failures };
    });
    assert.ok(found.total > 20 && found.failures.length === found.total, `${found.total} buffers`);
    assertTyped(found.failures);
  }, { beforehand }));

test('on a new device too, where the first buffers are those of the runtime itself', () =>
  opened.withPage(async (page) => {
    const begin = async () => {
      await window.lanthorn.init({ device: 'cpu' });
      await window.lanthorn.init({ device: 'webgpu' });
      window.allocation.count = 0;
    };
    await page.evaluate(`window.begin = ${begin}`);
    const { total, expected } = await inPage(page, async () => {
      const { losses } = await import('/tests/faults/allocation.mjs');
      await window.begin();
      return { expected: await losses(window.lanthorn), total: window.allocation.count };
    });
    assert.ok(total > 20, `${total} buffers`);
    const failures = [];
    const numbers = rotate(Array.from({ length: total }, (_, index) => index + 1), EVERY);
    for (const number of numbers) {
      failures.push(await inPage(page, async (given) => {
        await window.begin();
        return window.failOnce(...given);
      }, [number, expected]));
    }
    assertTyped(failures);
  }, { beforehand }));

test('more elements than a dispatch has workgroups for, than a binding and than a buffer', () =>
  opened.withPage((page) =>
    inPage(page, async () => {
      const { arange, emptyCache, init, ones, rand, scope, stats, zeros } = window.lanthorn;
      const { close, equal, ok, refuses } = window.expect;
      await init({ device: 'webgpu' });
      equal(window.asked.features, [], 'the device is the least');
      /** Both ends, the middle, and the sum of a large tensor. */
      const ends = async (x, at) => Promise.all(at.map((index) => x.slice(0, index, index + 1).item()));
      const many = 65_536 * 256 + 1;
      await scope(async () => {
        const x = arange(many, { dtype: 'int32' });
        const y = x.add(1);
        equal(await ends(y, [0, 65_535 * 256, many - 2, many - 1]), [1, 65_535 * 256 + 1, many - 1, many]);
        equal(await ends(zeros(many).fill_(7), [0, many - 1]), [7, 7]);
        equal(await x.ge(0).sum().item(), many);
        equal(await x.eq(many - 1).sum().item(), 1, 'exactly one is the last');
      });
      emptyCache();
      // 40 million numbers are 160 MB: more than the least device binds. 80 million are more
      // than it allocates.
      for (const count of [40e6, 80e6]) {
        const before = stats().dispatches;
        await refuses(() => ones(count).mul(2).sum().item(), 'limit', /bytes/, /134217728/);
        ok(stats().dispatches === before, 'before anything is dispatched');
      }
      await refuses(() => rand(20_000, 2048).matmul(ones(2048, 1)).data(), 'limit', /bytes/);
      await refuses(() => ones(1024, 1024).matmul(zeros(1024, 40_000)).data(), 'limit', /bytes/);
      close(await ones(3, 4).matmul(ones(4, 2)).data(), [4, 4, 4, 4, 4, 4], {}, 'afterwards');
      // Up to the limit it works, and its last element is right.
      await scope(async () => equal(await ends(ones(32 << 20).mul(3), [0, (32 << 20) - 1]), [3, 3]));
    }), { beforehand: offerTheLeast }));

test('large tensors are right where the device has room for them', () =>
  opened.withPage((page) =>
    inPage(page, async () => {
      const { emptyCache, init, ones, scope } = window.lanthorn;
      const { equal } = window.expect;
      await init({ device: 'webgpu' });
      await scope(async () => {
        const x = ones(40e6).mul(3).add(1);
        equal(await Promise.all([x.slice(0, 0, 1).item(), x.slice(0, 40e6 - 1).item()]), [4, 4]);
      });
      emptyCache();
      await scope(async () => {
        const x = ones(40_960, 1024);
        const product = x.matmul(ones(1024, 1).mul(0.5));
        equal(await Promise.all([product.at(0).item(), product.at(-1).item()]), [512, 512],
          'a product with a factor of 160 MiB');
      });
      emptyCache();
    })));

test('expressions and joins of more tensors than a kernel binds', () =>
  opened.withPage((page) =>
    inPage(page, async (devices) => {
      const { cat, init, stack, tensor } = window.lanthorn;
      const { equal } = window.expect;
      for (const device of devices) {
        await init({ device });
        const parts = Array.from({ length: 64 }, (_, index) => tensor([index, -index], { requiresGrad: true }));
        const flat = parts.flatMap((_, index) => [index, -index]);
        equal(await cat(parts).data(), flat, 'cat');
        equal(await stack(parts, 1).at(0).data(), parts.map((_, index) => index), 'stack');
        let chain = parts[0];
        for (const part of parts.slice(1, 20)) chain = chain.mul(0.5).add(part);
        let expected = [0, 0];
        for (let index = 1; index < 20; index += 1) {
          expected = [expected[0] * 0.5 + index, expected[1] * 0.5 - index];
        }
        window.expect.close(await chain.data(), expected, {}, `a chain of 20 on ${device}`);
        chain.sum().backward();
        const gradients = await Promise.all(parts.slice(0, 20).map((part) => part.grad.at(0).item()));
        equal(gradients, Array.from({ length: 20 }, (_, index) => 0.5 ** (19 - index)), 'its gradients');
        parts.forEach((part) => { part.grad = null; });
        cat(parts).mul(2).sum().backward();
        equal(await Promise.all(parts.map((part) => part.grad.sum().item())), parts.map(() => 4),
          'gradients of a join');
      }
    }, ['webgpu', 'cpu'])));

test('memory of the CPU to its end: an error of that kind, and work goes on', () => {
  // In a separate process, because WebAssembly never frees memory.
  const { status, stdout, stderr } = spawnSync(process.execPath, [here('exhaust.mjs')], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /^[34]\d{3} MiB, then out_of_memory/);
});
