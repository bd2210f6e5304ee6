/** Gradients. */
import { close, equal, numbers, ok, refuses, rows } from '../lib/expect.mjs';

const leaf = (tensor, data) => tensor(data, { requiresGrad: true });

export const cases = {
  'a checkpoint computes its function again in the backward pass': async ({ autograd, manualSeed, nn, rand, randn, tensor }) => {
    manualSeed(2);
    const [model, x] = [new nn.Sequential(new nn.Linear(4, 8), new nn.GELU(), new nn.Linear(8, 4), new nn.Dropout(0.5)), randn(3, 4)];
    let calls = 0;
    const run = (checkpointed) => {
      manualSeed(3);
      const block = (h, { scale }) => { calls += 1; return { out: model.call(h).mul(scale).add(rand(3, 4)) }; };
      const { out } = checkpointed ? autograd.checkpoint(block, x, { scale: tensor(2) }) : block(x, { scale: tensor(2) });
      model.zeroGrad();
      out.square().sum().backward();
      return Promise.all([out, ...model.parameters().map((parameter) => parameter.grad)].map((part) => part.flatten().tolist()));
    };
    equal(await run(true), await run(false));
    equal(calls, 3);
    const blocks = [1, 2, 3, 4, 5].map((factor) => (h) => h.mul(factor).sin());
    const input = leaf(tensor, [1, 2]);
    autograd.checkpointSequential(blocks, 2, input).sum().backward();
    const plain = leaf(tensor, [1, 2]);
    blocks.reduce((h, block) => block(h), plain).sum().backward();
    equal(await input.grad.tolist(), await plain.grad.tolist());
    await refuses(() => autograd.checkpointSequential(blocks, 6, input), 'argument', /checkpointSequential: segments/);
    await refuses(() => autograd.checkpoint(async (h) => h, input), 'argument', /checkpoint: .*async/);
  },

  'backward adds to the gradients of the leaves': async ({ tensor }) => {
    const x = leaf(tensor, [1, 2, 3]);
    x.mul(x).sum().backward();
    equal(await x.grad.data(), [2, 4, 6]);
    x.sum().backward();
    equal(await x.grad.data(), [3, 5, 7]);
    x.grad = null;
    ok(x.grad === null, 'the gradient is dropped');
    x.mul(3).backward(tensor([1, 10, 100]));
    equal(await x.grad.data(), [3, 30, 300]);
  },

  'gradients of broadcast, matrix products and reductions': async ({ tensor }) => {
    const [a, b] = [rows(numbers(6, 3), 3), rows(numbers(12, 4), 4)];
    const [x, w, bias] = [leaf(tensor, a), leaf(tensor, b), leaf(tensor, [1, 2, 3, 4])];
    x.matmul(w).add(bias).sum().backward();
    close(await x.grad.tolist(), a.map(() => b.map((row) => row.reduce((sum, value) => sum + value))));
    close(await w.grad.tolist(), b.map((row, k) => row.map(() => a[0][k] + a[1][k])));
    equal(await bias.grad.data(), [2, 2, 2, 2]);
  },

  'gradients agree with differences': async ({ tensor }) => {
    const values = numbers(6, 8);
    const functions = {
      softmax: (x) => x.reshape(2, 3).softmax(1).mul(tensor([1, 2, 4])).sum(),
      gelu: (x) => x.gelu().sum(),
      variance: (x) => x.var(),
      crossEntropy: (x) => x.reshape(2, 3).crossEntropy(tensor([2, 0], { dtype: 'int32' })),
      selection: (x) => x.indexSelect(0, tensor([1, 1, 4], { dtype: 'int32' })).mul(tensor([1, 2, 3])).sum(),
      views: (x) => x.reshape(2, 3).t().slice(0, 1).mul(x.reshape(3, 2).narrow(0, 0, 2)).sum(),
      tanh: (x) => x.tanh().mul(x.sin()).sum(),
    };
    for (const [name, f] of Object.entries(functions)) {
      const x = leaf(tensor, values);
      f(x).backward();
      const h = 1e-2;
      const differences = [];
      for (let index = 0; index < values.length; index += 1) {
        const at = (shift) => f(tensor(values.map((value, other) => value + (other === index ? shift : 0)))).item();
        differences.push(((await at(h)) - (await at(-h))) / (2 * h));
      }
      close(await x.grad.data(), differences, { absolute: 4e-3, relative: 1e-2 }, name);
    }
  },

  'grad answers for inputs without a path, and for many gradients at once': async ({ tensor, grad, inferenceMode }) => {
    const [x, other] = [leaf(tensor, [1, 2]), leaf(tensor, [3])];
    const y = x.square();
    const options = { gradOutputs: tensor([1, 1]), retainGraph: true };
    equal(grad(y, [x, other], options).map((found) => found === null), [false, true]);
    equal(await grad(y, [other], { ...options, materializeGrads: true })[0].tolist(), [0]);
    await refuses(() => grad(y, [x, other], { ...options, allowUnused: false }), 'autograd', /grad: .*input 1.*allowUnused/);
    const [rows, none] = grad(y, [x, other], { gradOutputs: tensor([[1, 0], [0, 1], [1, 1]]), isGradsBatched: true });
    equal(await rows.tolist(), [[2, 0], [0, 4], [2, 4]]);
    ok(none === null, 'an input without a path has no gradient');
    ok(!inferenceMode(() => x.mul(2)).requiresGrad, 'inference records no graph');
  },

  'grad gives first, second and third derivatives': async ({ tensor, grad }) => {
    const x = leaf(tensor, [1, 2, -3]);
    const y = x.pow(4).sum();
    const [first] = grad([y], [x], { createGraph: true });
    const [second] = grad([first.sum()], [x], { createGraph: true });
    const [third] = grad([second.sum()], [x]);
    close(await first.data(), [4, 32, -108]);
    close(await second.data(), [12, 48, 108]);
    close(await third.data(), [24, 48, -72]);
    ok(x.grad === null, 'grad leaves the leaf alone');
  },

  'higher derivatives of a function that is not a polynomial': async ({ tensor, grad }) => {
    const at = 0.7;
    const x = leaf(tensor, at);
    let derivative = x.sin();
    for (const expected of [Math.cos(at), -Math.sin(at), -Math.cos(at)]) {
      [derivative] = grad([derivative], [x], { createGraph: true });
      close(await derivative.item(), expected);
    }
    const t = leaf(tensor, at);
    const [first] = grad([t.tanh()], [t], { createGraph: true });
    first.backward();
    const tanh = Math.tanh(at);
    close(await t.grad.item(), -2 * tanh * (1 - tanh * tanh));
  },

  'grad gives null where there is no way': async ({ tensor, grad }) => {
    const [x, unused] = [leaf(tensor, [1]), leaf(tensor, [1])];
    const [one, none] = grad([x.mul(2).sum()], [x, unused]);
    equal(await one.data(), [2]);
    ok(none === null, 'an input that was not used');
    const [weighted] = grad([x.mul(2)], [x], { gradOutputs: [tensor([5])] });
    equal(await weighted.data(), [10]);
  },

  'retainGraph allows a second backward': async ({ tensor }) => {
    const x = leaf(tensor, [3]);
    const y = x.mul(x).sum();
    y.backward(null, { retainGraph: true });
    y.backward({ retainGraph: true });
    y.backward();
    equal(await x.grad.data(), [18]);
  },

  'noGrad and detach record nothing': async ({ tensor, noGrad }) => {
    const x = leaf(tensor, [2]);
    const outside = noGrad(() => x.mul(x));
    ok(!outside.requiresGrad && outside.gradFn === null, 'inside noGrad');
    ok(x.mul(x).requiresGrad, 'after noGrad');
    let thrown;
    try {
      noGrad(() => { throw new RangeError('mine'); });
    } catch (error) {
      thrown = error;
    }
    ok(thrown instanceof RangeError, 'what is thrown inside comes out');
    ok(x.mul(x).requiresGrad, 'after noGrad that threw');
    x.mul(x.detach()).sum().backward();
    equal(await x.grad.data(), [2], 'a detached tensor is a constant');
    noGrad(() => { x.add_(1); });
    equal(await x.data(), [3]);
  },

  'hooks see and replace gradients, and can be removed': async ({ tensor }) => {
    const x = leaf(tensor, [1, 2]);
    const middle = x.mul(2);
    let seen;
    const handle = middle.registerHook((gradient) => {
      seen = gradient;
      return gradient.mul(10);
    });
    middle.sum().backward({ retainGraph: true });
    equal(await seen.data(), [1, 1]);
    equal(await x.grad.data(), [20, 20]);
    handle.remove();
    handle.remove();
    x.grad = null;
    middle.sum().backward();
    equal(await x.grad.data(), [2, 2]);
  },

  'hooks of a leaf run in their order': async ({ tensor }) => {
    const x = leaf(tensor, [1]);
    x.registerHook((gradient) => gradient.add(1));
    x.registerHook((gradient) => gradient.mul(10));
    x.sum().backward();
    equal(await x.grad.data(), [20]);
  },

  'retainGrad keeps the gradient of what is no leaf': async ({ tensor }) => {
    const x = leaf(tensor, [1, 2]);
    const [kept, lost] = [x.mul(3), x.mul(4)];
    kept.retainGrad();
    kept.mul(lost).sum().backward();
    equal(await kept.grad.data(), [4, 8]);
    ok(lost.grad === null && !lost.isLeaf, 'one that was not asked for');
  },

  'a graph of 10,000 operations is walked and dropped': async ({ tensor, scope }) => {
    const x = leaf(tensor, [1]);
    scope(() => {
      let y = x;
      for (let time = 0; time < 10_000; time += 1) {
        y = y.add(1);
      }
      y.sum().backward();
    });
    equal(await x.grad.data(), [1]);
  },
};
