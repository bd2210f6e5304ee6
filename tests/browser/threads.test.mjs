/** Threads of the CPU's kernels in pages that are cross-origin isolated and in others. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BROWSER } from './lib/browser.mjs';
import { claimedFeatures, findFeatures, rowOf } from './lib/features.mjs';
import { inPage, useBrowser } from './lib/package-page.mjs';
import { ISOLATED } from './lib/static-server.mjs';

/** Features that depend on the system, or on how a test starts the browser. */
const SWITCHED = { chromium: ['WebGPU'], firefox: ['WebGPU'], webkit: ['WebGPU', 'private file system'] };

/** Keeps the page's workers in `window.workers`, in the order in which they start. */
function keepWorkers() {
  window.workers = [];
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      window.workers.push(this);
      this.hasBegun = new Promise((begun) => this.addEventListener('message', begun, { once: true }));
    }
  };
}

/** Kernels of every kind that is computed in parallel, each large enough, as one checksum of bits each. */
async function bitsOf(threads) {
  const L = window.lanthorn;
  L.setNumThreads(threads);
  L.manualSeed(3);
  const { conv2d, scaledDotProductAttention, layerNorm } = L.nn.functional;
  const [a, b] = [L.randn(513, 700), L.randn(700, 301)];
  const [image, weight] = [L.randn(3, 32, 40, 40), L.randn(48, 32, 3, 3)];
  const query = L.randn(1, 8, 200, 32);
  const model = new L.nn.Sequential(new L.nn.Linear(256, 512), new L.nn.GELU(), new L.nn.Linear(512, 10));
  const optimizer = new L.optim.Adam(model.parameters(), { lr: 1e-3 });
  const [x, y] = [L.randn(512, 256), L.randint(0, 10, [512])];
  for (let step = 0; step < 3; step++) {
    optimizer.zeroGrad();
    L.nn.functional.crossEntropy(model.call(x), y).backward();
    optimizer.step();
  }
  const results = {
    product: a.matmul(b),
    convolution: conv2d(image, weight, null, { padding: 1 }),
    pointwise: a.exp().mul(2).add(1),
    sum: a.mul(a).sum(0),
    softmax: a.softmax(1),
    norm: layerNorm(a, [700]),
    attention: scaledDotProductAttention(query, query, query, { isCausal: true }),
    scan: a.cumsum(1),
    sort: L.randn(400_000).sort()[0],
    gather: a.indexSelect(1, L.randint(0, 700, [2000])),
    training: [...model.parameters()][0],
  };
  const bits = {};
  for (const [name, result] of Object.entries(results)) {
    const words = new Uint32Array((await result.detach().data()).buffer);
    bits[name] = words.reduce((sum, word) => (Math.imul(sum, 31) + word) | 0, 17);
  }
  return bits;
}

describe('in a page that is cross-origin isolated', () => {
  const used = useBrowser({ webgpu: false, flags: ['--js-flags=--expose-gc'] }, ISOLATED);

  test("the README's table of browsers is right about this one", () =>
    used.withPage(async (page) => {
      const [name, version] = rowOf(BROWSER, await used.browser.version());
      const [claimed, found] = [claimedFeatures(name, version), await page.evaluate(findFeatures)];
      assert.deepEqual(Object.keys(claimed), Object.keys(found));
      for (const feature of SWITCHED[BROWSER]) claimed[feature] = found[feature];
      assert.deepEqual(found, claimed, `${name} ${version}`);
    }));

  test('every kind of kernel has the same bits with 1, 2, 3 and 8 threads', async () => {
    await used.withPage(async (page) => {
      await page.evaluate(`window.bitsOf = ${bitsOf}`);
      const one = await inPage(page, async () => {
        await window.lanthorn.init({ device: 'cpu', threads: 1 });
        return window.bitsOf(1);
      });
      assert.equal(Object.keys(one).length, 11);
      for (const threads of [2, 3, 8]) {
        const [count, bits] = await inPage(page, async (wanted) => {
          await window.lanthorn.init({ device: 'cpu', threads: wanted });
          await window.bitsOf(wanted);
          await Promise.all(window.workers.map((worker) => worker.hasBegun));
          return [window.workers.length, await window.bitsOf(wanted)];
        }, threads);
        assert.ok(count >= threads - 1, `${count} workers for ${threads} threads`);
        assert.deepEqual(bits, one, `${threads} threads`);
      }
    }, { beforehand: keepWorkers });
  });

  test('by default there are as many threads as the machine wants, and they start when they are of use', async () => {
    await used.withPage(async (page) => {
      const [before, after, threads, wanted] = await inPage(page, async () => {
        const L = window.lanthorn;
        await L.init({ device: 'cpu' });
        await L.tensor([1, 2, 3]).sum().item();
        const idle = window.workers.length;
        const a = L.rand(600, 600);
        await a.matmul(a).sum().item();
        const processors = navigator.hardwareConcurrency;
        return [idle, window.workers.length, L.getNumThreads(), processors <= 4 ? processors : Math.min(Math.ceil(processors / 2), 8)];
      });
      assert.equal(before, 0, 'no worker for small kernels');
      assert.equal(threads, wanted);
      assert.equal(after, wanted - 1);
    }, { beforehand: keepWorkers });
  });

  test('a loop that awaits nothing but results has its threads too', async () => {
    await used.withPage(async (page) => {
      const began = await inPage(page, async () => {
        const L = window.lanthorn;
        await L.init({ device: 'cpu', threads: 3 });
        const a = L.ones(256, 256);
        let began = 0;
        // A page's own task would be needed for them to hear anything.
        for (let step = 0; step < 300 && began < 2; step++) {
          await L.scope(() => a.matmul(a).sum().item());
          window.workers.forEach((worker) => { worker.hasBegun.then(() => { worker.isHeard = true; }); });
          began = window.workers.filter((worker) => worker.isHeard).length;
        }
        return began;
      });
      assert.equal(began, 2);
    }, { beforehand: keepWorkers });
  });

  test('five hundred times more threads and fewer, and results stay right', async () => {
    await used.withPage(async (page) => {
      const wrong = await inPage(page, async () => {
        const L = window.lanthorn;
        await L.init({ device: 'cpu', threads: 2 });
        const a = L.ones(192, 192);
        let failures = 0;
        for (let round = 0; round < 500; round++) {
          L.setNumThreads(1 + (round % 4));
          const sum = await L.scope(() => a.matmul(a).sum().item());
          if (sum !== 192 ** 3) failures += 1;
          if (round % 10 === 9) await Promise.all(window.workers.map((worker) => worker.hasBegun));
        }
        return failures;
      });
      assert.equal(wrong, 0);
    }, { beforehand: keepWorkers });
  });

  test('a worker that is killed is missed by nobody', async () => {
    await used.withPage(async (page) => {
      const sums = await inPage(page, async () => {
        const L = window.lanthorn;
        await L.init({ device: 'cpu', threads: 2 });
        const a = L.ones(512, 512);
        const sum = () => L.scope(() => a.matmul(a).sum().item());
        const found = [await sum()];
        await window.workers[0].hasBegun;
        window.workers[0].terminate();
        for (let time = 0; time < 5; time++) found.push(await sum());
        return found;
      });
      assert.deepEqual(sums, Array(6).fill(512 ** 3));
    }, { beforehand: keepWorkers });
  });

  test('where no worker starts, there is one thread and a word about it', async () => {
    await used.withPage(async (page) => {
      const [sum, threads] = await inPage(page, async () => {
        const L = window.lanthorn;
        await L.init({ device: 'cpu', threads: 4 });
        const a = L.ones(512, 512);
        return [await a.matmul(a).sum().item(), L.getNumThreads()];
      });
      assert.deepEqual([sum, threads], [512 ** 3, 1]);
    }, {
      beforehand: () => { window.Worker = class { constructor() { throw new Error('no workers today'); } }; },
      expected: /one thread, because no worker starts here \(Error: no workers today\)/,
    });
  });

  test('init changes the number of threads, and goes to the core with threads and back', async () => {
    await used.withPage(async (page) => {
      const counts = await inPage(page, async () => {
        const L = window.lanthorn;
        const found = [];
        for (const threads of [1, 3, undefined, 2, 1]) {
          await L.init({ device: 'cpu', threads });
          found.push(L.getNumThreads());
        }
        L.setNumThreads(5);
        return [...found, L.getNumThreads()];
      });
      assert.deepEqual(counts, [1, 3, 3, 2, 1, 5]);
    });
  });

  test('tensors of one core that are collected late take none of another with them', async () => {
    await used.withPage(async (page) => {
      const values = await inPage(page, async () => {
        const L = window.lanthorn;
        await L.init({ device: 'cpu', threads: 1 });
        (() => { for (let number = 0; number < 500; number++) L.tensor([number]); })();
        await L.init({ device: 'cpu', threads: 2 });
        const kept = Array.from({ length: 500 }, (_, number) => L.tensor([number]));
        for (let time = 0; time < 5; time++) {
          gc();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return Promise.all(kept.map((tensor) => tensor.item()));
      });
      assert.deepEqual(values, values.map((_, number) => number));
      assert.equal(values.length, 500);
    });
  });

  test('a number of threads that cannot be is an error', async () => {
    await used.withPage(async (page) => {
      const messages = await inPage(page, async () => {
        const L = window.lanthorn;
        const found = [];
        for (const threads of [0, -1, 1.5, 65, '2']) {
          await L.init({ device: 'cpu', threads }).catch((error) => found.push(`${error.kind} ${error.message}`));
        }
        await L.init({ device: 'cpu' });
        try { L.setNumThreads(0); } catch (error) { found.push(`${error.kind} ${error.message}`); }
        return found;
      });
      assert.equal(messages.length, 6);
      for (const message of messages) assert.match(message, /^argument .*from 1 to 64, not/);
    });
  });
});

describe('in a page that is not cross-origin isolated', () => {
  const used = useBrowser({ webgpu: false });

  test('there is one thread, and one word about it where more were asked for', async () => {
    await used.withPage(async (page) => {
      const words = [];
      page.on('console', (message) => words.push(message.text()));
      const counts = await inPage(page, async () => {
        const L = window.lanthorn;
        await L.init({ device: 'cpu' });
        const found = [L.getNumThreads()];
        await L.init({ device: 'cpu', threads: 4 });
        L.setNumThreads(2);
        return [...found, L.getNumThreads(), await L.ones(3).sum().item()];
      });
      assert.deepEqual(counts, [1, 1, 3]);
      assert.equal(words.filter((word) => /one thread.*cross-origin isolated/.test(word)).length, 1);
    }, { expected: /one thread/ });
  });
});
