/** A worker that executes requests on tensors in shared memory. */
import { L, W } from './package.mjs';

const commands = {
  async attach({ memory }) { await L.init({ memory }); return [L.getNumThreads(), W.attachment()]; },
  async read({ handle }) { return L.Tensor.fromHandle(handle).tolist(); },
  async add({ handle, value }) { L.noGrad(() => L.Tensor.fromHandle(handle).add_(value)); await L.synchronize(); },
  keep({ handle }) { globalThis.kept = L.Tensor.fromHandle(handle); },
  async keptSum() { return globalThis.kept.sum().item(); },
  async make({ values }) { globalThis.made = L.tensor(values).shareMemory_(); return globalThis.made.handle(); },
  async own() { await L.init({ device: 'cpu', threads: 2 }); return L.tensor([1, 2]).shareMemory_().handle(); },
  async churn({ milliseconds }) {
    const end = Date.now() + milliseconds;
    while (Date.now() < end) L.scope(() => { L.randn(64, 64).matmul(L.randn(64, 64)).sum().dataSync(); });
  },
  forever() { for (;;) L.scope(() => { L.randn(64, 64).matmul(L.randn(64, 64)).sum().dataSync(); }); },
  wait({ buffer, kind, options }) { return kind === 'barrier' ? new W.Barrier(buffer).wait(options) : new W[kind](buffer)[kind === 'Event' ? 'wait' : 'acquire'](options); },
  count({ buffer, lock, times }) {
    const words = new Int32Array(buffer);
    const guard = new W.Lock(lock);
    for (let time = 0; time < times; time++) guard.with(() => { words[0] = words[0] + 1; });
  },
  async receive({ message }) { return W.receive(message).tolist(); },
};

const run = async ({ id, command, ...given }, post) => {
  try {
    post({ id, result: await commands[command](given) });
  } catch (error) {
    post({ id, error: { kind: error.kind, message: error.message } });
  }
};

if (typeof postMessage === 'function') {
  addEventListener('message', ({ data }) => run(data, postMessage));
  postMessage({ id: 0 });
} else {
  const { parentPort } = await import('node:worker_threads');
  parentPort.on('message', (data) => run(data, (message) => parentPort.postMessage(message)));
  parentPort.postMessage({ id: 0 });
}
