/**
 * What breaks under a page: no WebGPU, a core that does not load or panics, a device that is lost in the middle of training. Each is told by a
 * LanthornError of its own kind, and where there is a way on, it is taken here. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launchChromium } from './lib/chromium.mjs';
import { DEVICES, inPage, openPackage, servePackage } from './lib/package-page.mjs';

let site;
const browsers = {};
before(async () => {
  site = await servePackage();
  for (const device of DEVICES) {
    browsers[device] = await launchChromium({ webgpu: device === 'webgpu' });
  }
});
after(async () => {
  await Promise.all(Object.values(browsers).map((browser) => browser.close()));
  await site?.close();
});

/** Runs `check` in a fresh page of the browser for `device`. The console may only complain about what `expected` matches. */
async function withPackage(device, check, { beforehand, expected } = {}) {
  const { page, problems } = await openPackage(browsers[device], site, beforehand);
  try {
    await check(page);
    assert.deepEqual(problems.filter((problem) => !expected?.test(problem)), []);
  } finally {
    await page.close();
  }
}

describe('before init()', () => {
  test('everything says what is missing', () =>
    withPackage('cpu', (page) =>
      inPage(page, async () => {
        const { tensor, zeros, nn, manualSeed, memory, synchronize, noGrad, grad, scope } = window.lanthorn;
        for (const early of [() => tensor([1]), () => zeros(2), () => new nn.Linear(1, 1), () => manualSeed(1), () => memory(), () => noGrad(() => 1), () => grad([], [])]) {
          await window.expect.refuses(early, 'device', /not initialized: await init\(\) first/);
        }
        const waiting = synchronize();
        window.expect.ok(waiting instanceof Promise, 'what answers later rejects');
        await window.expect.refuses(() => waiting, 'device', /not initialized/);
        window.expect.equal(scope(() => 5), 5);
        await window.lanthorn.init({ device: 'cpu' });
        window.expect.equal(await tensor([1]).add(1).data(), [2]);
      })));

  test('a call that does not wait for it says so too', () =>
    withPackage('cpu', (page) =>
      inPage(page, async () => {
        const { init, tensor } = window.lanthorn;
        const first = init({ device: 'cpu' });
        await window.expect.refuses(() => tensor([1]), 'device', /await init\(\) first/);
        const second = init({ device: 'cpu' });
        window.expect.ok((await first) === (await second), 'two calls at once take one device');
        window.expect.equal(await tensor([1]).data(), [1]);
      })));
});

describe('where there is no WebGPU', () => {
  const refused = (page) =>
    inPage(page, async () => {
      const { init, tensor } = window.lanthorn;
      const error = await window.expect.refuses(() => init({ device: 'webgpu' }), 'device', /WebGPU|webgpu|adapter/i);
      await window.expect.refuses(() => tensor([1]), 'device', /not initialized/);
      const info = await init();
      window.expect.ok(info.device === 'cpu', `auto took ${info.device}`);
      window.expect.equal(await tensor([1, 2]).add(1).data(), [2, 3]);
      await window.expect.refuses(() => init({ device: 'webgpu' }), 'device');
      window.expect.equal(await tensor([1, 2]).add(1).data(), [2, 3], 'after a second refusal');
      return error.message;
    });

  test('webgpu is refused, auto takes the CPU', () => withPackage('cpu', refused));

  for (const [name, beforehand] of Object.entries({
    'navigator.gpu is undefined': () => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }),
    'there is no adapter': () => { GPU.prototype.requestAdapter = async () => null; },
    'the adapter gives no device': () => { GPUAdapter.prototype.requestDevice = async () => { throw new DOMException('no device today', 'OperationError'); }; },
  })) {
    test(name, () => withPackage('webgpu', refused, { beforehand }));
  }
});

describe('a core that does not load', () => {
  const loads = (page) =>
    inPage(page, async () => {
      const { init, tensor } = window.lanthorn;
      await init({ device: 'cpu' });
      window.expect.equal(await tensor([1]).add(1).data(), [2], 'loading it again');
    });

  test('because it is not there', () =>
    withPackage('cpu', async (page) => {
      await inPage(page, async () => {
        const { init, tensor } = window.lanthorn;
        await window.expect.refuses(() => init({ device: 'cpu', wasmUrl: '/nothing.wasm' }), 'device', /^init: /, /did not load/, /wasmUrl/);
        await window.expect.refuses(() => tensor([1]), 'device', /not initialized/);
      });
      await loads(page);
    }, { expected: /404/ }));

  test('because it is something else', () =>
    withPackage('cpu', async (page) => {
      await inPage(page, async () => {
        const { init } = window.lanthorn;
        await window.expect.refuses(() => init({ device: 'cpu', wasmUrl: '/index.html' }), 'device', /did not load/);
        const whole = await (await fetch('/npm/wasm/lanthorn_bg.wasm')).arrayBuffer();
        await window.expect.refuses(() => init({ device: 'cpu', wasmModule: whole.slice(0, 1000) }), 'device', /did not load/);
      });
      await loads(page);
    }));

  test('and one that is given by address or as a module loads', async () => {
    for (const way of ['address', 'bytes', 'module']) {
      await withPackage('cpu', (page) =>
        inPage(page, async (given) => {
          const { init, tensor } = window.lanthorn;
          const address = new URL('/npm/wasm/lanthorn_bg.wasm', location.href);
          const bytes = () => fetch(address).then((response) => response.arrayBuffer());
          const options = given === 'address' ? { wasmUrl: address } : { wasmModule: given === 'bytes' ? await bytes() : await WebAssembly.compile(await bytes()) };
          await init({ device: 'cpu', ...options });
          window.expect.equal(await tensor([1]).data(), [1]);
        }, way));
    }
  });
});

describe('a panic in the core', () => {
  for (const device of DEVICES) {
    test(`is shown once, and every later call on ${device} says so`, async () => {
      const { page, problems } = await openPackage(browsers[device], site);
      try {
        await inPage(page, async (wanted) => {
          const { init, tensor, zeros, nn, optim, memory, synchronize, manualSeed, noGrad, grad } = window.lanthorn;
          const { refuses, ok } = window.expect;
          const core = await import('/npm/wasm/lanthorn.js');
          await init({ device: wanted });
          const x = tensor([1, 2], { requiresGrad: true });
          const optimizer = new optim.SGD([x], { lr: 1 });
          const pending = x.mul(2).data();
          let trap;
          try {
            core.panicForTest();
          } catch (error) {
            trap = error;
          }
          ok(trap instanceof WebAssembly.RuntimeError, `the panic itself: ${trap}`);
          for (const later of [
            () => tensor([1]), () => zeros(1), () => x.add(1), () => x.add_(1), () => x.data(), () => x.item(), () => x.tolist(), () => x.grad, () => x.sum().backward(),
            () => new nn.Linear(1, 1), () => optimizer.step(), () => optimizer.zeroGrad(), () => memory(), () => synchronize(), () => manualSeed(1), () => noGrad(() => 1),
            () => grad([x], [x]), () => init({ device: wanted }), () => init({ device: 'cpu' }), () => pending,
          ]) {
            await refuses(later, 'poisoned', /panicked for a test/, /reload/);
          }
          x.dispose();
          x[Symbol.dispose]();
        }, device);
        const shown = problems.filter((problem) => /panicked for a test/.test(problem));
        assert.equal(shown.length, 1, problems.join('\n'));
        assert.deepEqual(problems.filter((problem) => !shown.includes(problem)), []);
      } finally {
        await page.close();
      }
    });
  }
});

describe('a device that is lost', () => {
  const STEPS = 6;

  /** The losses of a run that nothing disturbs. */
  const undisturbed = () =>
    inPageOf('webgpu', async (count) => {
      const { createTraining, train } = await import('/tests/lib/recovery.mjs');
      await window.lanthorn.init({ device: 'webgpu' });
      return train(createTraining(window.lanthorn), count);
    }, 2 * STEPS);

  async function inPageOf(device, action, argument) {
    let result;
    await withPackage(device, async (page) => { result = await inPage(page, action, argument); });
    return result;
  }

  /** Trains, breaks the device by `lose`, checks what is told, and goes on from a checkpoint. */
  async function loseAndRecover(page, lose) {
    const losses = await inPage(page, async (count) => {
      window.recovery = await import('/tests/lib/recovery.mjs');
      await window.lanthorn.init({ device: 'webgpu' });
      window.training = window.recovery.createTraining(window.lanthorn);
      const first = await window.recovery.train(window.training, count);
      window.saved = await window.recovery.checkpoint(window.training.net);
      window.failures = window.recovery.trainUntilLost(window.training);
      return first;
    }, STEPS);
    await lose();
    const begun = Date.now();
    const failures = await inPage(page, () => window.failures);
    assert.ok(failures.length > 0);
    for (const { name, kind, message } of failures) {
      assert.equal(name, 'LanthornError');
      assert.equal(kind, 'device_lost', message);
      assert.match(message, /lost/);
    }
    await inPage(page, async () => {
      const { refuses } = window.expect;
      const x = window.training.net.parameters()[0];
      await refuses(() => x.add(1).data(), 'device_lost', /lost/);
      await refuses(() => window.lanthorn.tensor([1]).data(), 'device_lost', /lost/);
      await refuses(() => window.lanthorn.synchronize(), 'device_lost', /lost/);
    });
    const rest = await inPage(page, async (count) => {
      window.training = await window.recovery.recover(window.lanthorn, window.saved);
      return window.recovery.train(window.training, count);
    }, STEPS);
    assert.ok(Date.now() - begun < 5000, `recovered within 5 s, not ${Date.now() - begun} ms`);
    return [...losses, ...rest];
  }

  /** Keeps the page's device where the test can break it. */
  const keepDevice = () => {
    const { requestDevice } = GPUAdapter.prototype;
    GPUAdapter.prototype.requestDevice = async function (...args) {
      window.gpuDevice = await requestDevice.apply(this, args);
      return window.gpuDevice;
    };
  };

  test('by device.destroy(): awaits reject, and training goes on from a checkpoint as if nothing had been', async () => {
    const expected = await undisturbed();
    await withPackage('webgpu', async (page) => {
      const losses = await loseAndRecover(page, () => page.evaluate(() => window.gpuDevice.destroy()));
      assert.deepEqual(losses, expected);
    }, { beforehand: keepDevice });
  });

  test('again and again', () =>
    withPackage('webgpu', async (page) => {
      for (let time = 0; time < 3; time += 1) {
        await loseAndRecover(page, () => page.evaluate(() => window.gpuDevice.destroy()));
      }
    }, { beforehand: keepDevice }));

  test('by a crash of the GPU process', async () => {
    const expected = await undisturbed();
    // A browser of its own: the crash is felt by all of its pages.
    const browser = await launchChromium({ webgpu: true });
    try {
      const { page } = await openPackage(browser, site);
      const losses = await loseAndRecover(page, async () => {
        const session = await browser.newBrowserCDPSession();
        // The browser does not answer this one: the process that would is gone.
        session.send('Browser.crashGpuProcess').catch(() => {});
      });
      assert.deepEqual(losses, expected);
    } finally {
      await browser.close();
    }
  });

  test('the CPU can take over', () =>
    withPackage('webgpu', async (page) => {
      await inPage(page, async () => {
        const { createTraining, train, checkpoint, recover } = await import('/tests/lib/recovery.mjs');
        await window.lanthorn.init({ device: 'webgpu' });
        const training = createTraining(window.lanthorn);
        const [first] = await train(training, 1);
        const saved = await checkpoint(training.net);
        window.gpuDevice.destroy();
        const [next] = await train(await recover(window.lanthorn, saved, 'cpu'), 1);
        window.expect.ok(next < first, `the loss went from ${first} to ${next}`);
      });
    }, { beforehand: keepDevice }));
});
