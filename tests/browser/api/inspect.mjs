/** Inspection: counters, a memory limit, the graph and its kernels, the profile. */
import { equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'variants are measured, and the choices outlast the page': async ({ ones, tune }, device) => {
    const x = ones(48, 48);
    const tuned = await tune(() => x.matmul(x).softmax(1));
    if (device === 'cpu') return equal(tuned.kernels, [], 'nothing to choose');
    const { class: kind, chosen, microseconds } = tuned.kernels.find((kernel) => kernel.op === 'matmul');
    equal(kind, 'contract/float32/1x64x64x64', 'the class');
    ok(Object.keys(microseconds).length > 1 && microseconds[chosen] > 0, 'measured');
    ok(`${tuned}`.includes(chosen), 'a table');
    equal((await x.matmul(x).data())[0], 48, 'afterwards');
    await refuses(() => tune(5), 'argument', /^tune: /);
    // A page served over http can store them.
    equal(tuned.kept, globalThis.indexedDB !== undefined, 'kept');
    if (!tuned.kept) return;
    const opening = indexedDB.open('lanthorn');
    const database = await new Promise((resolve) => (opening.onsuccess = () => resolve(opening.result)));
    const request = database.transaction('tuning').objectStore('tuning').getAll();
    const [kept] = await new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    database.close();
    ok(kept.includes(`${kind} ${chosen}\n`), kept);
  },

  'a repeated step makes nothing': async ({ ones, scope, stats }, device) => {
    const x = ones(8, 8);
    const step = async () => {
      const sum = scope(() => x.matmul(x).relu().sum());
      await sum.item();
      sum.dispose();
    };
    for (let time = 0; time < 5; time += 1) await step();
    const before = stats();
    await step();
    const after = stats();
    for (const made of ['buffersCreated', 'apiBuffers', 'bindGroups', 'pipelines', 'planMisses']) {
      equal(after[made], before[made], made);
    }
    ok(after.planHits > before.planHits && after.launches > before.launches, 'it ran');
    ok(device === 'cpu' || (after.dispatches > before.dispatches && after.submits === before.submits + 1), 'in one submission');
  },

  'pipelines compile while the page goes on, and what waits for them is one submission': async ({ linspace, stats }, device) => {
    if (device === 'cpu') return;
    const { createComputePipeline, createComputePipelineAsync } = GPUDevice.prototype;
    const count = { asked: 0, compiled: 0, made: 0, early: 0 };
    GPUDevice.prototype.createComputePipelineAsync = async function (descriptor) {
      count.asked += 1;
      const pipeline = await createComputePipelineAsync.call(this, descriptor);
      count.compiled += 1;
      return pipeline;
    };
    GPUDevice.prototype.createComputePipeline = function (descriptor) {
      count.made += 1;
      count.early += count.made > count.compiled ? 1 : 0;
      return createComputePipeline.call(this, descriptor);
    };
    try {
      const before = stats();
      // Kernels that no other test has.
      const x = linspace(0, 1, 5 * 7 * 3).reshape(5, 7, 3);
      const y = x.sinh().cumsum(1).sub(x.cosh().sum(2, { keepdim: true })).amax(0);
      const read = y.mul(0).add(1).data();
      // Other browsers would compile twice, so pipelines are made at once, and a flush with new
      // pipelines has several submissions.
      const isAhead = navigator.userAgentData !== undefined;
      ok(isAhead ? count.asked > 0 && count.made === 0 : count.asked === 0 && count.made > 0, `asked for or made at once: ${JSON.stringify(count)}`);
      equal(await read, new Array(21).fill(1), 'the result');
      if (isAhead) {
        equal(count.made, count.asked, 'all of them compiled ahead');
        equal(count.early, 0, 'made before it was compiled');
        equal(stats().submits - before.submits, 1, 'submissions');
      }
      Object.defineProperty(navigator, 'userAgentData', { value: undefined, configurable: true });
      const [asked, made] = [count.asked, count.made];
      const other = x.sinh().cumprod(1).add(x.cosh()).amin(0).mul(0).add(2).data();
      ok(count.made > made && count.asked === asked, `made at once: ${JSON.stringify(count)}`);
      equal(await other, new Array(21).fill(2), 'elsewhere');
    } finally {
      delete navigator.userAgentData;
      Object.assign(GPUDevice.prototype, { createComputePipeline, createComputePipelineAsync });
    }
  },

  'a limit refuses what does not fit, and work goes on': async ({ ones, tensor, memory, setMemoryLimit, emptyCache, synchronize }) => {
    await synchronize();
    emptyCache();
    equal(memory().pooledBytes, 0, 'an empty cache');
    setMemoryLimit(memory().bytes + 1024 * 1024);
    try {
      await refuses(() => ones(1024, 1024).exp().data(), 'out_of_memory', /exp|ones/, /\[1024, 1024\]/, /limit/);
      await refuses(() => tensor(new Float32Array(1 << 20)), 'out_of_memory', /^tensor: /, /limit/);
      equal(await tensor([1, 2]).add(1).data(), [2, 3], 'afterwards');
    } finally {
      setMemoryLimit(Infinity);
    }
    equal((await ones(1024, 1024).sum().item()), 1 << 20, 'without the limit');
    for (const odd of [-1, NaN, '1', undefined]) {
      await refuses(() => setMemoryLimit(odd), 'argument', /^setMemoryLimit: /);
    }
  },

  'explain shows the graph before and after, and its kernels': async ({ ones, explain }, device) => {
    const x = ones(4, 4);
    const explained = await explain(() => x.mul(2).exp().add(1));
    equal(explained.recorded.match(/ map /g).length, 3, 'recorded');
    equal(explained.rewritten.match(/^%/gm).length, 1, 'rewritten');
    equal(explained.kernels.length, 1, 'kernels');
    ok(explained.kernels[0].kind === 'map' && `${explained}`.includes('rewritten:'), `${explained}`);
    ok(device === 'cpu' || explained.kernels[0].sources.every((source) => source.includes('@compute')), 'WGSL');
    await refuses(() => explain(5), 'argument', /^explain: /);
    const error = await explain(() => { throw new Error('of the user'); }).catch((caught) => caught);
    equal(error.message, 'of the user');
    equal((await explain(async () => 5)).kernels, []);
  },

  'products use subgroups where the adapter has them': async ({ ones, explain }, device) => {
    if (device === 'cpu') return;
    const adapter = await navigator.gpu.requestAdapter();
    const [x, y] = [ones(32, 32), ones(32, 32)];
    const { kernels } = await explain(() => x.matmul(y));
    equal(kernels.some(({ sources }) => sources.some((source) => source.includes('quadSwapX'))), adapter.features.has('subgroups'), 'quads');
    ok(`${GPUAdapter.prototype.requestDevice}`.includes('[native code]'), 'adapters are the browser\'s own again');
  },

  'a profile counts and times kernels': async ({ ones, profile, nn, optim }) => {
    const net = new nn.Linear(32, 32);
    const optimizer = new optim.SGD(net.parameters(), { lr: 0.01 });
    const x = ones(16, 32);
    const step = async () => {
      const loss = net.call(x).square().mean();
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      await loss.item();
    };
    await step();
    const measured = await profile(async () => {
      for (let time = 0; time < 3; time += 1) await step();
    });
    ok(measured.rows.length > 0 && measured.rows.every((row) => row.count % 3 === 0), `${measured}`);
    ok(measured.rows.some((row) => row.kernel === 'contract') || measured.note !== undefined, `${measured}`);
    const shares = measured.rows.reduce((sum, row) => sum + row.share, 0);
    ok(shares === 0 || Math.abs(shares - 1) < 1e-6, `shares of ${shares}`);
    const { traceEvents } = JSON.parse(measured.toTrace());
    equal(traceEvents.length, measured.rows.reduce((sum, row) => sum + row.count, 0));
    ok(traceEvents.every(({ ph, ts, dur }) => ph === 'X' && ts >= 0 && dur >= 0), 'a trace');
    const marks = performance.getEntriesByType('measure').map(({ name }) => name);
    for (const name of ['lanthorn: profile', 'lanthorn: backward', 'lanthorn: SGD.step']) {
      ok(marks.includes(name), `${name} among ${marks}`);
    }
    performance.clearMeasures();
    await step();
    equal(performance.getEntriesByType('measure').length, 0, 'no marks without a profile');
    await refuses(() => profile(), 'argument', /^profile: /);
  },
};
