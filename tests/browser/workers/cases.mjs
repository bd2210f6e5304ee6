/**
 * Tests of workers that run in Node and in an isolated page: functions that receive a function to
 * start a worker.
 */
import { L, W } from './package.mjs';
import { accuracy, network, parse } from './digits.mjs';

const check = (holds, what) => { if (!holds) throw new Error(`it does not hold: ${what}`); };
const equal = (found, wanted, what = '') => check(JSON.stringify(found) === JSON.stringify(wanted), `${what} ${JSON.stringify(found)} is ${JSON.stringify(wanted)}`);
const failure = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('no error');
};

/** A worker that takes commands. */
class Commanded {
  #waiting = new Map();
  #last = 0;
  constructor(worker) {
    this.worker = worker;
    let begun;
    this.ready = new Promise((resolve) => { begun = resolve; });
    const hear = ({ id, result, error }) => {
      if (id === 0) return begun();
      const { resolve, reject } = this.#waiting.get(id);
      error ? reject(Object.assign(new Error(error.message), error)) : resolve(result);
    };
    worker.on ? worker.on('message', hear) : worker.addEventListener('message', ({ data }) => hear(data));
  }
  async call(command, given = {}) {
    // A page's worker hears nothing before its module has run.
    await this.ready;
    const id = ++this.#last;
    this.worker.postMessage({ id, command, ...given });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }
}

async function attachWorker(start) {
  await L.init({ device: 'cpu', threads: 2 });
  const worker = new Commanded(start('sharing-worker.mjs'));
  const [threads, attachment] = await worker.call('attach', { memory: L.sharedMemory() });
  equal(threads, 1);
  worker.end = () => W.endWorker(worker.worker, attachment);
  return worker;
}

export const cases = {
  async 'a worker has the same elements without a copy, and its writes are seen'({ start }) {
    const worker = await attachWorker(start);
    const x = L.arange(6).to('float32').reshape([2, 3]).shareMemory_();
    check(x.isShared() && !L.ones(2).isShared(), 'isShared');
    equal(await worker.call('read', { handle: x.handle() }), [[0, 1, 2], [3, 4, 5]]);
    equal(await worker.call('read', { handle: x.T.select(0, 1).handle() }), [1, 4]);
    await worker.call('add', { handle: x.handle(), value: 10 });
    equal(await x.tolist(), [[10, 11, 12], [13, 14, 15]]);
    await worker.call('keep', { handle: x.handle() });
    L.noGrad(() => x.select(0, 0).fill_(1));
    await L.synchronize();
    equal(await worker.call('keptSum'), 45);
    const leaf = L.ones(2).requiresGrad_().shareMemory_();
    check(L.Tensor.fromHandle(leaf.handle()).requiresGrad, 'requiresGrad is sent');
    // A tensor of the worker, here.
    const made = L.Tensor.fromHandle(await worker.call('make', { values: [7, 8] }));
    equal(await made.tolist(), [7, 8]);
    await worker.end();
  },

  async 'large memory that grows after a worker attached is there for both'({ start }) {
    const worker = await attachWorker(start);
    for (let size = 1 << 18; size <= 1 << 23; size *= 2) {
      const x = L.ones(size).shareMemory_();
      await worker.call('add', { handle: x.handle(), value: 1 });
      equal(await x.sum().item(), 2 * size);
      await worker.call('keep', { handle: x.handle() });
      x.dispose();
      equal(await worker.call('keptSum'), 2 * size);
    }
    await worker.end();
  },

  async 'handles that lead nowhere are typed errors, and everything works on'({ start }) {
    const worker = await attachWorker(start);
    const gone = L.tensor([1]).shareMemory_();
    const [first, late] = [gone.handle(), gone.handle()];
    L.releaseHandle(first);
    gone.dispose();
    equal(await worker.call('read', { handle: late }), [1], 'a handle holds the memory');
    const x = L.tensor([1, 2]).shareMemory_();
    const released = x.handle();
    L.releaseHandle(released);
    x.dispose();
    await L.synchronize();
    const error = await failure(worker.call('read', { handle: released }));
    check(error.kind === 'disposed' && /let go/.test(error.message), error.message);
    const foreign = new Commanded(start('sharing-worker.mjs'));
    const other = await failure(Promise.resolve(await foreign.call('own')).then((handle) => L.Tensor.fromHandle(handle)));
    check(other.kind === 'device' && /another core/.test(other.message), other.message);
    const twice = await failure(foreign.call('attach', { memory: L.sharedMemory() }));
    check(twice.kind === 'device' && /of its own/.test(twice.message), twice.message);
    for (const wrong of [null, 3, {}, { ...released, shape: [2 ** 40] }, { ...released, strides: [1, 2] }, { ...released, block: -1 }, { ...released, dtype: 'float7' }]) {
      const refused = await failure((async () => L.Tensor.fromHandle(wrong))());
      check(['argument', 'shape', 'disposed'].includes(refused.kind), `${JSON.stringify(wrong)}: ${refused}`);
    }
    const computed = await failure((async () => L.ones(2).requiresGrad_().mul(2).shareMemory_())());
    equal(computed.kind, 'autograd');
    const private_ = await failure((async () => L.ones(2).handle())());
    check(private_.kind === 'device' && /share_?[mM]emory_/.test(private_.message), private_.message);
    const large = await failure((async () => L.zeros(2 ** 29).shareMemory_())());
    equal(large.kind, 'out_of_memory');
    const noMemory = await failure(L.init({ memory: {} }));
    equal(noMemory.kind, 'argument');
    const y = L.tensor([5]).shareMemory_();
    equal(await worker.call('read', { handle: y.handle() }), [5]);
    foreign.worker.terminate();
    await worker.end();
  },

  async 'a worker that is ended while it computes stops nobody, and lets go'({ start }) {
    const [worker, other] = [await attachWorker(start), await attachWorker(start)];
    const x = L.ones(1000).shareMemory_();
    const late = x.handle();
    await worker.call('keep', { handle: x.handle() });
    worker.call('forever').catch(() => {});
    await other.call('churn', { milliseconds: 200 });
    await worker.end();
    await other.call('churn', { milliseconds: 100 });
    equal(await x.sum().item(), 1000);
    // Only this thread holds the tensor now.
    L.releaseHandle(late);
    x.dispose();
    await L.synchronize();
    equal((await failure((async () => L.Tensor.fromHandle(late))())).kind, 'disposed');
    equal((await failure((async () => W.attachment())())).kind, 'device');
    await other.end();
  },

  async 'events, locks, semaphores and barriers'({ start }) {
    const [one, two] = [await attachWorker(start), await attachWorker(start)];
    const event = new W.Event();
    const waits = one.call('wait', { kind: 'Event', buffer: event.buffer, options: { timeout: 10_000 } });
    event.set();
    equal([await waits, await event.waitAsync()], [true, true]);
    event.clear();
    equal(await one.call('wait', { kind: 'Event', buffer: event.buffer, options: { timeout: 20 } }), false);
    equal(await event.waitAsync({ timeout: 20 }), false);
    const [words, lock] = [new SharedArrayBuffer(4), new W.Lock()];
    await Promise.all([one, two].map((worker) => worker.call('count', { buffer: words, lock: lock.buffer, times: 5000 })));
    equal(new Int32Array(words)[0], 10_000);
    equal(await lock.acquireAsync(), true);
    equal(await one.call('wait', { kind: 'Lock', buffer: lock.buffer, options: { timeout: 20 } }), false);
    lock.release();
    equal((await failure((async () => lock.release())())).kind, 'argument');
    const semaphore = new W.Semaphore(1);
    equal([await semaphore.acquireAsync(), await semaphore.acquireAsync({ timeout: 10 })], [true, false]);
    const next = semaphore.acquireAsync({ timeout: 10_000 });
    semaphore.release();
    equal(await next, true);
    const barrier = new W.Barrier(3);
    const round = () => Promise.all([...[one, two].map((worker) => worker.call('wait', { kind: 'barrier', buffer: barrier.buffer, options: { timeout: 10_000 } })), barrier.waitAsync({ timeout: 10_000 })]);
    for (let time = 0; time < 3; time++) equal((await round()).sort(), [0, 1, 2]);
    const late = await failure(one.call('wait', { kind: 'barrier', buffer: barrier.buffer, options: { timeout: 20 } }));
    check(late.kind === 'distributed' && /20 ms/.test(late.message), late.message);
    equal((await failure(barrier.waitAsync())).kind, 'distributed');
    equal((await failure((async () => new W.Barrier(0))())).kind, 'argument');
    await Promise.all([one.end(), two.end()]);
  },

  async 'transfer gives a handle, and receive takes a copy too'({ start }) {
    const worker = await attachWorker(start);
    const [message, list] = await W.transfer(L.tensor([1, 2]));
    equal([message.lanthorn, list.length], ['tensor', 0]);
    equal(await worker.call('receive', { message }), [1, 2]);
    await worker.end();
  },

  async 'Hogwild and data parallel training learn the digits'({ start, digits }) {
    await L.init({ device: 'cpu', threads: 2 });
    const { train, test } = parse(digits);
    const found = {};
    for (const name of ['hogwild', 'dataParallel']) {
      L.manualSeed(1);
      const model = network();
      const told = [];
      const begin = performance.now();
      const results = await W[name](model, {
        workers: 2, worker: () => start('digits-worker.mjs'), onMessage: (message, rank) => told.push([rank, message]),
        data: { train, steps: 300, batch: 64, lr: name === 'hogwild' ? 0.002 : 0.005 },
      });
      found[name] = [await accuracy(model, test), performance.now() - begin];
      check(results.length === 2 && results.every((loss) => loss < 1), `losses ${results}`);
      equal(told.map(([rank, message]) => [rank, message.rank, message.world, message.threads]).sort(), [[0, 0, 2, 1], [1, 1, 2, 1]]);
      check(found[name][0] >= 0.96, `${name} has an accuracy of ${found[name][0]}`);
    }
    return found;
  },

  async 'errors of workers reject, and the model works on'({ start, digits, ends }) {
    await L.init({ device: 'cpu', threads: 2 });
    const { train } = parse(digits);
    const model = network();
    const with_ = (fails, more = {}) => ({
      workers: 2, worker: () => start('digits-worker.mjs'), timeout: 20_000,
      data: { train, steps: 2000, batch: 64, lr: 0.001, fails: { rank: 1, step: 5, ...fails } }, ...more,
    });
    for (const train of [W.hogwild, W.dataParallel]) {
      const thrown = await failure(train(model, with_({ how: 'throw' })));
      check(thrown.kind === 'data' && /worker 1: no more of this/.test(thrown.message), thrown.message);
      const ended = await failure(train(model, with_({ how: ends })));
      check(ended.kind === 'distributed' && /worker 1 .*ended/.test(ended.message), ended.message);
    }
    const lost = await failure(W.hogwild(model, { worker: () => start('nothing-here.mjs'), timeout: 5000 }));
    equal(lost.kind, 'distributed');
    const other = await failure(W.hogwild(new L.nn.Linear(2, 3), with_({})));
    check(other.kind === 'argument' && /model has/.test(other.message), other.message);
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 300);
    equal((await failure(W.hogwild(model, with_({ rank: 9 }, { signal: abort.signal })))).message, 'enough');
    for (const wrong of [{ workers: 0 }, { worker: 3 }, { timeout: -1 }, { seed: 0.5 }, { wokers: 2 }]) {
      equal((await failure(W.hogwild(model, { ...with_({}), ...wrong }))).kind, 'argument', JSON.stringify(wrong));
    }
    check((await accuracy(model, train)) > 0, 'the model computes');
  },
};
