/** Compiled functions beside the same functions, called. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

/** A network with a layer of JavaScript, modes, running statistics and random numbers. */
function network({ manualSeed, nn, randn }) {
  manualSeed(7);
  class Net extends nn.Module {
    first = new nn.Linear(6, 8);
    norm = new nn.BatchNorm1d(8);
    drop = new nn.Dropout(0.25);
    scale = nn.parameter(randn(8));
    last = new nn.Linear(8, 3);
    forward(x) {
      const h = this.drop.call(this.norm.call(this.first.call(x)).mul(this.scale).relu());
      return this.last.call(this.training ? h : h.mul(2));
    }
  }
  return new Net();
}

/** The losses of steps whose learning rate and mode change, and the final state. */
async function train(lanthorn, makeOptimizer, compiled) {
  const { manualSeed, nn, randn, scope, tensor } = lanthorn;
  const net = network(lanthorn);
  const optimizer = makeOptimizer(net.parameters());
  const criterion = new nn.CrossEntropyLoss();
  const step = (x, y) => {
    optimizer.zeroGrad();
    const loss = criterion.call(net.call(x), y);
    loss.backward();
    optimizer.step();
    return loss;
  };
  const run = compiled ? lanthorn.compile(step) : (x, y) => scope(() => step(x, y));
  const y = tensor(Int32Array.of(0, 2, 1, 0, 1), { dtype: 'int32' });
  manualSeed(11);
  const losses = [];
  for (let number = 0; number < 10; number += 1) {
    optimizer.lr = 0.05 / (1 + number);
    net.train(number % 4 !== 3);
    const x = randn(5, 6);
    const loss = run(x, y);
    losses.push(await loss.item());
    loss.dispose();
    x.dispose();
  }
  const state = await Promise.all(Object.values(net.stateDict()).map(async (value) => Array.from(await value.data(), Number)));
  const grads = await Promise.all(net.parameters().map(async ({ grad }) => Array.from(await grad.data())));
  net.dispose();
  return { losses, state, grads, report: compiled ? run.explain() : undefined };
}

async function same(lanthorn, makeOptimizer, most) {
  const [eager, compiled] = [await train(lanthorn, makeOptimizer, false), await train(lanthorn, makeOptimizer, true)];
  equal(compiled.losses, eager.losses, 'losses');
  equal(compiled.state, eager.state, 'parameters and buffers');
  equal(compiled.grads, eager.grads, 'gradients');
  ok(compiled.report.calls <= most, `each case is recorded once: ${JSON.stringify(compiled.report)}`);
  equal(compiled.report.calls + compiled.report.replays, 10);
}

export const cases = {
  'a training step with SGD': (lanthorn) => same(lanthorn, (parameters) => new lanthorn.optim.SGD(parameters, { lr: 0.1 }), 2),

  'a training step with AdamW, whose first step is another': (lanthorn) =>
    same(lanthorn, (parameters) => new lanthorn.optim.AdamW(parameters, { lr: 0.1 }), 3),

  'a module, with results in an object and numbers among the arguments': async ({ compile, nn, noGrad, randn, tensor }) => {
    const linear = new nn.Linear(3, 2);
    const forward = compile(linear);
    const x = randn(4, 3);
    const expected = Array.from(await linear.call(x).data());
    for (let i = 0; i < 3; i += 1) equal(Array.from(await noGrad(() => forward(x)).data()), expected);
    equal(forward.explain().replays, 2);

    const parts = compile(({ left, right: [first, times] }, name) => ({ sum: left.add(first).mul(times), name, list: [left.neg(), null] }));
    const [a, b] = [tensor([1, 2]), tensor([3, 4])];
    for (const times of [2, 3, 2, 3]) {
      const { sum, name, list } = parts({ left: a, right: [b, times] }, 'parts');
      equal([await sum.tolist(), name, await list[0].tolist(), list[1]], [[4 * times, 6 * times], 'parts', [-1, -2], null]);
    }
    equal([parts.explain().recordings.length, parts.explain().replays], [2, 2]);
    parts.reset();
    equal([parts.explain().recordings.length, parts.explain().replays, parts.explain().calls], [0, 0, 0]);
  },

  'other sizes, types and layouts are recorded apart': async ({ compile, tensor }) => {
    const sum = compile((x) => x.mul(x).sum());
    const x = tensor([[1, 2, 3], [4, 5, 6]]);
    for (const each of [x, x, x.t(), x.t(), x.to('int32'), x.to('int32'), x.slice(1, 0, 2), x.slice(1, 0, 2)]) {
      equal(Number(await sum(each).item()), each.shape.join() === '2,2' ? 46 : 91);
    }
    equal([sum.explain().recordings.length, sum.explain().replays], [4, 4]);
  },

  'a module that has another tensor or another number is recorded again': async ({ compile, nn, noGrad, tensor }) => {
    class Scaled extends nn.Module {
      weight = nn.parameter(tensor([2]));
      times = 1;
      forward(x) { return x.mul(this.weight).mul(this.times); }
    }
    const scaled = new Scaled();
    const linear = new nn.Linear(1, 1, { bias: false });
    linear.weight = nn.parameter(tensor([[1]]));
    const f = compile((x) => noGrad(() => linear.call(scaled.call(x))));
    const x = tensor([[3]]);
    const now = async () => (await f(x).data())[0];
    equal([await now(), await now()], [6, 6]);
    scaled.times = 10;
    equal([await now(), await now()], [60, 60]);
    scaled.weight = nn.parameter(tensor([5]));
    equal([await now(), await now()], [150, 150]);
    linear.weight = nn.parameter(tensor([[2]]));
    equal([await now(), await now()], [300, 300]);
    noGrad(() => linear.weight.mul_(2));
    equal(await now(), 600, 'a write is data');
    equal([f.explain().calls, f.explain().replays], [4, 5]);
  },

  'hooks, reads and async functions are ordinary calls': async ({ compile, nn, noGrad, tensor }) => {
    const linear = new nn.Linear(2, 2);
    const seen = [];
    const hook = linear.registerForwardHook((module, inputs, output) => { seen.push(output.shape.join()); });
    const f = compile((x) => noGrad(() => linear.call(x)));
    const x = tensor([[1, 2]]);
    for (let i = 0; i < 3; i += 1) f(x);
    equal(seen, ['1,2', '1,2', '1,2']);
    ok(f.explain().breaks[0].includes('hook'), 'it is told');
    hook.remove();
    for (let i = 0; i < 3; i += 1) f(x);
    equal([seen.length, f.explain().replays], [3, 2]);

    const doubled = compile(async (y) => {
      const total = await y.sum().item();
      return y.mul(total);
    });
    for (const scale of [1, 2, 3]) equal(await (await doubled(tensor([scale, scale]))).tolist(), [2 * scale * scale, 2 * scale * scale]);
    equal([doubled.explain().replays, doubled.explain().calls > 0], [0, true]);
  },

  'an error of the function is its own, and the next call works': async ({ compile, tensor }) => {
    const add = compile((x, y) => x.add(y));
    const [x, y] = [tensor([1, 2, 3]), tensor([1, 2])];
    for (let i = 0; i < 2; i += 1) {
      await refuses(() => add(x, y), 'shape', /\[3\]/);
      equal(await add(x, x).tolist(), [2, 4, 6]);
    }
    await refuses(() => compile(3), 'argument', /function/);
    const gone = tensor([1]);
    gone.dispose();
    await refuses(() => add(gone, x), 'disposed');
    equal(await add(x, x).tolist(), [2, 4, 6]);
    // Neither results that cannot be taken apart nor a disposed argument leave the recording open.
    const cyclic = compile((x) => { const all = [x]; all.push(all); return all; });
    await refuses(() => cyclic(x), 'argument', /nested at most/);
    await refuses(() => compile((x) => { const y = x.mul(2); y.dispose(); return y; })(x), 'disposed');
    const taken = tensor([1, 2]);
    equal(await compile((x) => { const y = x.mul(2); x.dispose(); return y; })(taken).tolist(), [2, 4]);
    const double = compile((x) => x.mul(2));
    for (let i = 0; i < 3; i += 1) equal(await double(x).tolist(), [2, 4, 6]);
    equal([double.explain().calls, double.explain().replays], [1, 2]);
  },

  'tensors that the function makes are disposed of, and nothing piles up': async ({ compile, memory, tensor }) => {
    const x = tensor([1, 2, 3]);
    let kept;
    const f = compile((y) => {
      kept = y.exp();
      return kept.add(1);
    });
    f(x).dispose();
    ok(kept.isDisposed, 'as in a scope');
    f(x).dispose();
    const before = memory().tensors;
    for (let i = 0; i < 20; i += 1) f(x).dispose();
    equal(memory().tensors, before);
  },

  'gradients go through a compiled forward pass': async ({ compile, nn, optim, randn, manualSeed, scope }) => {
    const train = async (wrap) => {
      manualSeed(5);
      const net = new nn.Sequential(new nn.Linear(4, 8), new nn.ReLU(), new nn.Linear(8, 2));
      const forward = wrap(net);
      const optimizer = new optim.SGD(net.parameters(), { lr: 0.1, momentum: 0.9 });
      const losses = [];
      for (let i = 0; i < 5; i += 1) {
        const loss = scope(() => {
          optimizer.zeroGrad();
          const loss = forward(randn(3, 4)).square().mean();
          loss.backward();
          optimizer.step();
          return loss.detach();
        });
        losses.push(await loss.item());
      }
      return [losses, forward.explain?.()];
    };
    const [expected] = await train((net) => (x) => net.call(x));
    const [losses, report] = await train(compile);
    close(losses, expected);
    equal([report.calls, report.replays], [1, 4]);
  },

  'two steps on the way to a read are one after another': async ({ compile, noGrad, ones, rand, manualSeed }) => {
    const w = ones(3);
    const grow = compile((by) => noGrad(() => { w.mul_(by); return w.sum(); }));
    const by = ones(3).mul(2);
    const sums = [1, 2, 3, 4].map(() => grow(by));
    equal(await Promise.all(sums.map((sum) => sum.item())), [6, 12, 24, 48]);
    manualSeed(3);
    const draw = compile(() => rand(4));
    const drawn = [];
    for (let i = 0; i < 3; i += 1) drawn.push(await draw().tolist());
    manualSeed(3);
    for (const expected of drawn) equal(await rand(4).tolist(), expected);
  },
};
