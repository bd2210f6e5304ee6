/**
 * Failures at startup and fatal failures: no WebGPU, a core that does not load, a panic in the
 * core. Each is reported as a LanthornError of a specific kind, and where a recovery is possible,
 * it is tried here. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launchBrowser } from './lib/browser.mjs';
import { DEVICES, inPage, openPackage, servePackage, withPackage as withPackageIn } from './lib/package-page.mjs';

let site;
const browsers = {};
before(async () => {
  site = await servePackage();
  for (const device of DEVICES) {
    browsers[device] = await launchBrowser({ webgpu: device === 'webgpu' });
  }
});
after(async () => {
  await Promise.all(Object.values(browsers).map((browser) => browser.close()));
  await site?.close();
});

/** Runs `check` in a fresh page of the browser for this device. */
const withPackage = (device, check, options) => withPackageIn(browsers[device], site, check, options);

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

test('a second init() keeps the device in use, and only another device ends its tensors', () =>
  withPackage('webgpu', (page) =>
    inPage(page, async () => {
      const { init, tensor } = window.lanthorn;
      await init({ device: 'cpu' });
      const x = tensor([1, 2]);
      window.expect.ok((await init()).device === 'cpu', 'the device in use');
      window.expect.equal(await x.data(), [1, 2]);
      window.expect.ok((await init({ device: 'auto' })).device === 'webgpu', 'auto');
      await window.expect.refuses(() => x.data(), 'disposed', /earlier init/);
      const y = tensor([3]);
      await init({ device: 'webgpu' });
      window.expect.equal(await y.data(), [3], 'auto had taken the same device');
    })));

describe('a page loads the core of its device alone', () => {
  const cores = { webgpu: '/npm/wasm/lanthorn_webgpu_bg.wasm', cpu: '/npm/wasm/lanthorn_cpu_bg.wasm' };
  /** The cores that a page downloads in successive calls of init(). */
  const fetchedFiles = async (browser, devices, options, delay) => {
    const seen = [];
    await withPackage(browser, async (page) => {
      if (delay) await page.route('**/lanthorn_webgpu_bg.wasm', delay);
      page.on('requestfinished', (request) => /lanthorn_(webgpu|cpu).*\.wasm$/.test(request.url()) && seen.push(new URL(request.url()).pathname));
      await inPage(page, async (wanted) => {
        for (const device of wanted) {
          await window.lanthorn.init({ device });
          window.expect.equal(await window.lanthorn.tensor([1]).add(1).data(), [2], device);
        }
      }, devices);
    }, options);
    return seen;
  };

  test('auto and webgpu that of WebGPU', async () => {
    for (const device of ['auto', 'webgpu']) assert.deepEqual(await fetchedFiles('webgpu', [device]), [cores.webgpu], device);
  });

  test('auto without an adapter, and cpu, that of the CPU', async () => {
    // The browser may say that there is none when a download has begun, which then ends.
    const expected = /lanthorn_webgpu_bg\.wasm net::ERR_ABORTED/;
    assert.deepEqual(await fetchedFiles('cpu', ['auto'], { expected }), [cores.cpu]);
    assert.deepEqual(await fetchedFiles('webgpu', ['cpu']), [cores.cpu]);
    const beforehand = () => { GPU.prototype.requestAdapter = async () => null; };
    assert.deepEqual(await fetchedFiles('webgpu', ['auto'], { beforehand }), [cores.cpu]);
    const slowly = () => { GPU.prototype.requestAdapter = () => new Promise((resolve) => { setTimeout(resolve, 20, null); }); };
    const slow = (route) => setTimeout(() => route.continue(), 200);
    assert.deepEqual(await fetchedFiles('webgpu', ['auto'], { beforehand: slowly, expected }, slow), [cores.cpu]);
  });

  test('and each once', async () => {
    assert.deepEqual(await fetchedFiles('webgpu', ['cpu', 'webgpu', 'cpu', 'webgpu']), [cores.cpu, cores.webgpu]);
  });
});

test('what belongs to one device is never taken for something of another, there and back', () =>
  withPackage('webgpu', (page) =>
    inPage(page, async () => {
      const { init, tensor, nn, optim, grad, memory, synchronize } = window.lanthorn;
      const { refuses, equal, ok } = window.expect;
      const make = () => {
        const x = tensor([1, 2], { requiresGrad: true });
        const net = new nn.Linear(2, 1);
        const optimizer = new optim.SGD(net.parameters(), { lr: 1 });
        return { x, net, optimizer, schedule: new optim.lrScheduler.StepLR(optimizer, 1) };
      };
      const earlier = [];
      for (const device of ['cpu', 'webgpu', 'cpu', 'webgpu']) {
        await init({ device });
        ok(memory().tensors === 0, `nothing is left on ${device}`);
        const mine = make();
        const fresh = memory().tensors;
        for (const { x, net, optimizer, schedule } of earlier) {
          for (const use of [
            () => x.data(), () => x.add(1), () => mine.x.add(x), () => x.sum(), () => x.grad, () => net.call(mine.x), () => mine.net.call(x),
            () => optimizer.step(), () => optimizer.zeroGrad(), () => schedule.step(), () => grad([x], [x]),
          ]) {
            await refuses(use, 'disposed', /earlier init/);
          }
        }
        ok(memory().tensors === fresh, 'what is refused leaves nothing behind');
        await synchronize();
        equal(await mine.x.mul(2).data(), [2, 4]);
        mine.net.call(mine.x).backward();
        mine.optimizer.step();
        earlier.push(mine);
      }
      await init({ device: 'cpu' });
      const kept = make();
      const before = memory().tensors;
      for (const gone of earlier.flatMap(Object.values)) gone.dispose();
      ok(memory().tensors === before, 'letting go of what is gone takes nothing away');
      kept.net.call(kept.x).backward();
      kept.optimizer.step();
      kept.schedule.step();
    })));

test('what the first device was still to answer arrives after the second one is taken', () =>
  withPackage('webgpu', (page) =>
    inPage(page, async () => {
      const { init, tensor } = window.lanthorn;
      for (const [first, second] of [['cpu', 'webgpu'], ['webgpu', 'cpu']]) {
        await init({ device: first });
        const pending = tensor([1, 2]).mul(3).data();
        await init({ device: second });
        window.expect.equal(await pending, [3, 6], first);
        window.expect.equal(await tensor([1]).data(), [1], second);
      }
    })));

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

  test("because the page's policy forbids WebAssembly, which the error names", () =>
    withPackage('cpu', async (page) => {
      await page.evaluate(() => {
        const policy = Object.assign(document.createElement('meta'), { httpEquiv: 'Content-Security-Policy', content: "script-src 'self' 'unsafe-inline'" });
        document.head.append(policy);
      });
      await inPage(page, () => window.expect.refuses(() => window.lanthorn.init({ device: 'cpu' }), 'device', /^init: /, /'wasm-unsafe-eval'/, /script-src/));
    }, { expected: /Content Security Policy/ }));

  test('because a development server answers with its page, which the error explains', () =>
    withPackage('cpu', (page) =>
      inPage(page, () => window.expect.refuses(() => window.lanthorn.init({ device: 'cpu', wasmUrl: '/index.html' }), 'device', /HTML page/, /optimizeDeps: \{ exclude: \['lanthorn'\] \}/))));

  test('because it is something else', () =>
    withPackage('cpu', async (page) => {
      await inPage(page, async () => {
        const { init } = window.lanthorn;
        await window.expect.refuses(() => init({ device: 'cpu', wasmUrl: '/index.html' }), 'device', /did not load/);
        const whole = await (await fetch('/npm/wasm/lanthorn_cpu_bg.wasm')).arrayBuffer();
        await window.expect.refuses(() => init({ device: 'cpu', wasmModule: whole.slice(0, 1000) }), 'device', /did not load/);
      });
      await loads(page);
    }));

  test('an argument that names one core where either may be taken is refused', () =>
    withPackage('webgpu', (page) =>
      inPage(page, async () => {
        const { init } = window.lanthorn;
        const address = new URL('/npm/wasm/lanthorn_cpu_bg.wasm', location.href);
        await window.expect.refuses(() => init({ wasmUrl: address }), 'argument', /^init: wasmUrl/, /auto/);
        await window.expect.refuses(() => init({ device: 'auto', wasmModule: new Uint8Array() }), 'argument', /^init: wasmModule/);
        const wasmUrl = { cpu: '/nothing.wasm', webgpu: new URL('/npm/wasm/lanthorn_webgpu_bg.wasm', location.href) };
        window.expect.ok((await init({ wasmUrl })).device === 'webgpu', 'an address for each');
      })));

  test('and one that is given by address or as a module loads', async () => {
    for (const way of ['address', 'bytes', 'module']) {
      await withPackage('cpu', (page) =>
        inPage(page, async (given) => {
          const { init, tensor } = window.lanthorn;
          const address = new URL('/npm/wasm/lanthorn_cpu_bg.wasm', location.href);
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
          const core = await import(`/npm/wasm/lanthorn_${wanted}.js`);
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
