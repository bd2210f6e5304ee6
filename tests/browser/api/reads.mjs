/**
 * Reading back: many reads at once, each of which returns the value at its position in the program.
 */
import { equal, ok } from '../lib/expect.mjs';

export const cases = {
  '100 reads of many tensors at once': async ({ tensor }) => {
    const made = Array.from({ length: 100 }, (_, index) => tensor([index, 1]).mul(2));
    const read = await Promise.all(made.map((x) => x.data()));
    equal(read, made.map((_, index) => [2 * index, 2]));
  },

  '100 reads of one tensor at once': async ({ tensor }) => {
    const x = tensor([1, 2, 3]).add(1);
    for (const read of await Promise.all(Array.from({ length: 100 }, () => x.data()))) {
      equal(read, [2, 3, 4]);
    }
  },

  'a read sees the value at the time of the call, also if it is changed later': async ({ tensor }) => {
    const x = tensor([0, 0]);
    const reading = [];
    for (let time = 0; time < 20; time += 1) {
      reading.push(x.data());
      x.add_(1);
    }
    equal(await Promise.all(reading), reading.map((_, time) => [time, time]));
    equal(await x.data(), [20, 20]);
  },

  'a read through a view does so too': async ({ tensor }) => {
    const x = tensor([[1, 2], [3, 4]]);
    const row = x.select(0, 0);
    const before = row.data();
    x.mul_(10);
    const after = row.data();
    equal([await before, await after], [[1, 2], [10, 20]]);
  },

  'reads during training see the losses of their steps': async ({ tensor, optim }) => {
    const x = tensor([8], { requiresGrad: true });
    const optimizer = new optim.SGD([x], { lr: 0.25 });
    const losses = [];
    for (let time = 0; time < 8; time += 1) {
      const loss = x.mul(x).sum();
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      losses.push(loss.item());
    }
    equal(await Promise.all(losses), losses.map((_, time) => (8 / 2 ** time) ** 2));
  },

  'synchronize waits for everything': async ({ tensor, synchronize }) => {
    const x = tensor([1]).add(1);
    await Promise.all([synchronize(), synchronize()]);
    equal(await x.data(), [2]);
  },

  'tolist nests, and truth values come as such': async ({ tensor, zeros }) => {
    equal(await tensor([[true, false]]).tolist(), [[true, false]]);
    equal(await tensor([true, false]).data(), [1, 0]);
    equal(await tensor(7).tolist(), 7);
    equal(await zeros(2, 0).tolist(), [[], []]);
    equal(await tensor([[[1], [2]]]).tolist(), [[[1], [2]]]);
  },

  'what is read belongs to the reader': async ({ tensor }) => {
    const x = tensor([1, 2]);
    const [one, other] = await Promise.all([x.data(), x.data()]);
    one[0] = 5;
    equal(other, [1, 2]);
    structuredClone(one, { transfer: [one.buffer] });
    ok(one.length === 0, 'its buffer can be transferred');
    equal(await x.data(), [1, 2]);
  },

  'reads return to the event loop': async ({ nn, optim, randn, scope }) => {
    const net = new nn.Linear(32, 32);
    const optimizer = new optim.SGD(net.parameters(), { lr: 0.01 });
    const x = randn(32, 32);
    const step = () => scope(async () => {
      const loss = net.call(x).square().mean();
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      return loss.item();
    });
    let messages = 0;
    let steps = 0;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      messages += 1;
      port2.postMessage(null);
    };
    port2.postMessage(null);
    for (const begin = performance.now(); performance.now() - begin < 300; steps += 1) await step();
    port1.close();
    ok(messages > 5, `${messages} messages in ${steps} steps`);
  },
};
