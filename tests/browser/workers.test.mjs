/** Workers that share tensors, in Node and in pages that are cross-origin isolated. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nodeOfThreads } from '../packaging/lib/tools.mjs';
import { BROWSER, launchBrowser, missing } from './lib/browser.mjs';
import { inPage, openPackage, servePackage, useBrowser } from './lib/package-page.mjs';
import { rotate } from './lib/rotation.mjs';
import { ISOLATED } from './lib/static-server.mjs';

const digits = await readFile(new URL('../../crates/data/digits/digits.bin', import.meta.url));
const NAMES = Object.keys((await import('./workers/cases.mjs')).cases);

test('in Node, of a version that shares memory', { skip: BROWSER === 'webkit' }, async () => {
  const file = fileURLToPath(new URL('./workers/in-node.mjs', import.meta.url));
  // Without the variable that makes a program report to the runner of this file.
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(await nodeOfThreads(), ['--test', file], { encoding: 'utf8', env });
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`pass ${NAMES.length}$`, 'm'), stdout);
});

describe('in a page that is cross-origin isolated', () => {
  const used = useBrowser({ webgpu: false }, ISOLATED);
  // Node runs all cases, and a rotation one in two in a page.
  for (const name of rotate(NAMES, 2)) {
    test(name, { timeout: 120_000 }, async (context) => {
      await used.withPage(async (page) => {
        const found = await inPage(page, async ([name, base64]) => {
          const { cases } = await import('/tests/workers/cases.mjs');
          const start = (file) => new Worker(`/tests/workers/${file}`, { type: 'module' });
          const digits = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer;
          return cases[name]({ start, digits, ends: 'close' });
        }, [name, digits.toString('base64')]);
        if (found) context.diagnostic(JSON.stringify(found));
      }, { expected: /404|nothing-here/ });
    });
  }
});

test('a worker of a page answers messages while it trains on the CPU', { timeout: 60_000 }, async (context) => {
  const site = await servePackage();
  const browser = await launchBrowser({ webgpu: false });
  try {
    const { page } = await openPackage(browser, site);
    const { waits, steps } = await inPage(page, async () => {
      const worker = new Worker('/tests/workers/answering-worker.mjs', { type: 'module' });
      const next = () => new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
      });
      const after = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      await next();
      const waits = [];
      let steps = 0;
      for (let number = 0; number < 100; number++) {
        // Not in step with the worker.
        await after(10 + (number * 7) % 13);
        const sent = performance.now();
        worker.postMessage(number);
        steps = (await next()).steps;
        waits.push(performance.now() - sent);
      }
      worker.terminate();
      return { waits: waits.sort((a, b) => a - b), steps };
    });
    const [median, nearlyAll] = [waits[50], waits[95]];
    context.diagnostic(`median ${median.toFixed(1)} ms, 95 % within ${nearlyAll.toFixed(1)} ms, ${steps} steps`);
    assert.ok(steps > 100, `it trained: ${steps} steps`);
    assert.ok(median < 20, `the median is ${median} ms`);
  } finally {
    await browser.close();
    await site.close();
  }
});

describe('a data loader in a page that is cross-origin isolated', () => {
  const used = useBrowser({ webgpu: false }, ISOLATED);
  test('its workers deliver batches in shared memory, the same as without workers', async () => {
    await used.withPage(async (page) => {
      const found = await inPage(page, async () => {
        const { L } = await import('/tests/workers/package.mjs');
        const { DataLoader } = await import('/npm/js/data/index.js');
        const { dataset } = await import('/tests/data/numbered.mjs');
        await L.init({ device: 'cpu', threads: 2 });
        const epoch = async (loader) => {
          const rows = [];
          for await (const { image, drawn, name } of loader) {
            rows.push([await image.tolist(), await drawn.tolist(), name, image.isShared()]);
            image.dispose();
            drawn.dispose();
          }
          return rows;
        };
        const options = { batchSize: 4, shuffle: true, seed: 3 };
        const alone = await epoch(new DataLoader(dataset, options));
        const loader = new DataLoader({ length: dataset.length }, { ...options, workers: 2, workerUrl: '/tests/data/numbered.mjs' });
        const shared = await epoch(loader);
        // An epoch that is left: prepared batches are given up, and workers end.
        for await (const batch of loader) { batch.image.dispose(); break; }
        await new Promise((resolve) => setTimeout(resolve, 500));
        return { alone, shared, sum: await L.ones(3).sum().item() };
      });
      assert.equal(found.alone.length, 6);
      const without = (rows) => rows.map((row) => row.slice(0, 3));
      assert.deepEqual(without(found.shared), without(found.alone));
      assert.deepEqual([...new Set(found.alone.map((row) => row[3])), ...new Set(found.shared.map((row) => row[3]))], [false, true]);
      assert.equal(found.sum, 3);
    });
  });
});

describe('in a page that is not isolated', () => {
  const used = useBrowser({ webgpu: false });
  const skip = missing({ webkit: 'WebKitGTK is started with shared memory in every page' });
  test('there is no shared memory, which the errors say, and transfer copies', { skip }, async () => {
    await used.withPage(async (page) => {
      const found = await inPage(page, async () => {
        const { L, W } = await import('/tests/workers/package.mjs');
        await L.init({ device: 'cpu' });
        const failures = [];
        for (const call of [() => L.sharedMemory(), () => L.ones(2).shareMemory_(), () => new W.Lock(), () => W.hogwild(new L.nn.Linear(1, 1), { worker() {} })]) {
          await (async () => call())().catch(({ kind, message }) => failures.push(`${kind}: ${message}`));
        }
        const [message, list] = await W.transfer(L.tensor([1, 2]));
        return { failures, sent: [message.lanthorn, list.length], received: await W.receive(structuredClone(message, { transfer: list })).tolist() };
      });
      assert.equal(found.failures.length, 4);
      for (const failure of found.failures) assert.match(failure, /^device: .*shared/);
      assert.deepEqual([found.sent, found.received], [['copy', 1], [1, 2]]);
    });
  });
});
