/** Optimizers, against their formulas and on a small problem. */
import { close, equal, ok } from '../lib/expect.mjs';

const XOR = [[0, 0], [0, 1], [1, 0], [1, 1]];

/** Takes steps with the gradient 2x of x^2, with the update repeated in plain JavaScript. */
async function follow({ tensor }, create, update, steps = 6) {
  const x = tensor([3, -1.5], { requiresGrad: true });
  const optimizer = create([x]);
  let expected = [3, -1.5];
  const states = expected.map(() => ({}));
  for (let step = 1; step <= steps; step += 1) {
    optimizer.zeroGrad();
    x.mul(x).sum().backward();
    optimizer.step();
    expected = expected.map((value, index) => update(value, 2 * value, states[index], step));
    close(await x.data(), expected, {}, `step ${step}`);
  }
}

export const cases = {
  'SGD': (lanthorn) => follow(lanthorn, (parameters) => new lanthorn.optim.SGD(parameters, { lr: 0.1 }), (x, gradient) => x - 0.1 * gradient),

  'SGD with momentum, Nesterov and weight decay': (lanthorn) =>
    follow(
      lanthorn,
      (parameters) => new lanthorn.optim.SGD(parameters, { lr: 0.05, momentum: 0.9, nesterov: true, weightDecay: 0.1 }),
      (x, gradient, state) => {
        const g = gradient + 0.1 * x;
        state.velocity = state.velocity === undefined ? g : 0.9 * state.velocity + g;
        return x - 0.05 * (g + 0.9 * state.velocity);
      },
    ),

  'Adam': (lanthorn) =>
    follow(
      lanthorn,
      (parameters) => new lanthorn.optim.Adam(parameters, { lr: 0.1, betas: [0.8, 0.99] }),
      (x, gradient, state, step) => {
        state.m = 0.8 * (state.m ?? 0) + 0.2 * gradient;
        state.v = 0.99 * (state.v ?? 0) + 0.01 * gradient * gradient;
        return x - (0.1 * (state.m / (1 - 0.8 ** step))) / (Math.sqrt(state.v / (1 - 0.99 ** step)) + 1e-8);
      },
    ),

  'a learning rate that is changed is used': async ({ tensor, optim }) => {
    const x = tensor([1], { requiresGrad: true });
    const optimizer = new optim.SGD([x], { lr: 0.5 });
    let expected = 1;
    for (const lr of [0.5, 0.25, 0.125, 0.0625]) {
      optimizer.lr = lr;
      ok(optimizer.lr === lr, 'it can be read');
      optimizer.zeroGrad();
      x.sum().backward();
      optimizer.step();
      expected -= lr;
      equal(await x.data(), [expected]);
    }
  },

  'a parameter without a gradient is left alone': async ({ tensor, optim }) => {
    const [used, unused] = [tensor([1], { requiresGrad: true }), tensor([1], { requiresGrad: true })];
    const optimizer = new optim.Adam([used, unused], { lr: 0.1 });
    used.sum().backward();
    optimizer.step();
    equal(await unused.data(), [1]);
    close(await used.data(), [0.9]);
  },

  'a step from no gradient changes nothing': async ({ tensor, optim }) => {
    const x = tensor([1, 2], { requiresGrad: true });
    new optim.SGD([x], { lr: 1 }).step();
    equal(await x.data(), [1, 2]);
  },

  ...Object.fromEntries(
    ['SGD', 'Adam'].map((name) => [
      `${name} learns XOR`,
      async ({ nn, optim, tensor, manualSeed, scope }) => {
        manualSeed(4);
        const net = new nn.Sequential(new nn.Linear(2, 16), new nn.Tanh(), new nn.Linear(16, 2));
        const optimizer = new optim[name](net.parameters(), name === 'SGD' ? { lr: 0.5, momentum: 0.9 } : { lr: 0.05 });
        const criterion = new nn.CrossEntropyLoss();
        const [x, y] = [tensor(XOR), tensor([0, 1, 1, 0], { dtype: 'int32' })];
        const step = () => scope(() => {
          const loss = criterion.call(net.call(x), y);
          optimizer.zeroGrad();
          loss.backward();
          optimizer.step();
          return loss;
        });
        const first = await step().item();
        for (let time = 0; time < 150; time += 1) {
          step().dispose();
        }
        const last = await step().item();
        ok(first > 0.4 && last < 0.02, `the loss went from ${first} to ${last}`);
        equal(await net.call(x).argmax(1).data(), [0, 1, 1, 0]);
      },
    ]),
  ),

  'a loss that is no number is seen': async ({ nn, optim, tensor }) => {
    const net = new nn.Linear(2, 2);
    const optimizer = new optim.SGD(net.parameters(), { lr: 1e30 });
    let loss;
    for (let time = 0; time < 4; time += 1) {
      loss = new nn.MSELoss().call(net.call(tensor(XOR)), tensor([[1, 0], [0, 1], [1, 1], [0, 0]]));
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
    }
    ok(!Number.isFinite(await loss.item()), 'neither 0 nor a hang');
  },

  'a step that repeats itself makes no new plans and no new buffers': async ({ nn, optim, tensor, memory, scope }) => {
    const net = new nn.Sequential(new nn.Linear(2, 8), new nn.ReLU(), new nn.Linear(8, 2));
    const optimizer = new optim.Adam(net.parameters(), { lr: 0.01 });
    const [x, y] = [tensor(XOR), tensor([0, 1, 1, 0], { dtype: 'int32' })];
    const train = async (steps) => {
      for (let time = 0; time < steps; time += 1) {
        await scope(async () => {
          const loss = net.call(x).crossEntropy(y);
          optimizer.zeroGrad();
          loss.backward();
          optimizer.step();
          return loss.item();
        });
      }
    };
    await train(10);
    const before = memory();
    await train(40);
    const after = memory();
    equal(after.planMisses, before.planMisses, 'plans made');
    equal(after.buffersCreated, before.buffersCreated, 'buffers made');
    // The count falls if the garbage collector frees tensors of earlier cases in between.
    ok(after.tensors <= before.tensors && after.bytes <= before.bytes, `held ${after.bytes} bytes, ${before.bytes} before`);
    ok(after.planHits > before.planHits, 'plans used again');
  },
};
