/**
 * A training with everything that a snapshot has to keep: moments, running means, dropout, a
 * schedule, a tied weight, inner modules, parametrizations, groups, and an optimizer and a schedule
 * of the program. Runs in the page and in Node.
 */

/** Its objects, and a function that runs step number `steps` and returns the loss. */
export function createTraining(lanthorn) {
  const { nn, optim, noGrad, randn, manualSeed, tensor, zeros, zerosLike } = lanthorn;
  manualSeed(7);
  class Net extends nn.Module {
    table = new nn.Embedding(6, 8);
    attention = new nn.MultiheadAttention(8, 2, { dropout: 0.1, batchFirst: true });
    body = new nn.Sequential(nn.utils.parametrizations.weightNorm(new nn.Linear(8, 8)), new nn.BatchNorm1d(8),
      new nn.Dropout(0.2), new nn.Tanh());
    head = new nn.Linear(8, 6, { bias: false });
    shift = nn.parameter(zeros(6));
    mask = zeros(6);
    constructor() {
      super();
      this.head.weight = this.table.weight;
    }
    forward(x) {
      const words = this.table.call(x);
      const inner = this.attention.call(words, words, words)[0].mean(1);
      return this.head.call(this.body.call(inner)).add(this.shift).add(this.mask);
    }
  }
  class Momentum extends optim.Optimizer {
    step() {
      noGrad(() => {
        for (const { params, lr } of this.paramGroups) {
          for (const p of params) {
            const state = this.state.get(p);
            state.count = (state.count ?? 0) + 1;
            state.velocity ??= zerosLike(p);
            state.velocity.mul_(0.9).add_(p.grad);
            p.sub_(state.velocity, { alpha: lr / state.count });
          }
        }
      });
    }
  }
  class Fall extends optim.lrScheduler.LRScheduler {
    getLr() { return this.baseLrs.map((lr) => lr / (1 + this.lastEpoch)); }
  }
  const net = new Net();
  const [first, ...others] = net.parameters().filter((parameter) => parameter !== net.shift);
  const ofShift = new Momentum([net.shift], { lr: 0.05 });
  const fall = new Fall(ofShift);
  const optimizer = new optim.AdamW([{ params: [first], lr: 0.02 }, { params: others }], { lr: 0.01 });
  const schedule = new optim.lrScheduler.SequentialLR(optimizer, [
    new optim.lrScheduler.LinearLR(optimizer, { totalIters: 3 }),
    new optim.lrScheduler.LambdaLR(optimizer, (step) => 0.9 ** step),
  ], [3]);
  const criterion = new nn.CrossEntropyLoss({ weight: tensor([1, 2, 1, 1, 0.5, 1]) });
  const x = tensor(Array.from({ length: 24 }, (_, i) => (i * 5) % 6), { shape: [8, 3], dtype: 'int32' });
  const y = tensor(Array.from({ length: 8 }, (_, i) => i % 6), { dtype: 'int32' });
  let [hooked, noise] = [0, randn(1)];
  net.shift.registerHook(() => { hooked += 1; });
  const step = () => {
    const loss = criterion.call(net.call(x), y);
    for (const one of [optimizer, ofShift]) one.zeroGrad();
    loss.backward();
    for (const one of [optimizer, ofShift, schedule, fall]) one.step();
    return loss;
  };
  noise.dispose();
  return { state: { net, optimizer, schedule, ofShift, fall, criterion, x, y }, net, step, hooked: () => hooked };
}

/**
 * The losses of steps 0 to `count`, with whatever `disturb` does before a step. The training
 * recovers automatically. If the device cannot be opened again, `refused` is called, and the
 * training continues on the CPU.
 */
export async function train(lanthorn, count, { every = 2, disturb = () => {}, watch = () => {}, refused } = {}) {
  const { autosave, recover, scope } = lanthorn;
  const training = createTraining(lanthorn);
  const saved = autosave(training.state, { every });
  const losses = [];
  let recoveries = 0;
  while (saved.steps < count) {
    try {
      await disturb(saved.steps, recoveries);
      const loss = scope(training.step);
      const number = saved.steps;
      saved.step();
      losses[number] = await loss.item();
      loss.dispose();
    } catch (error) {
      if (error.kind !== 'device_lost') throw error;
      recoveries += 1;
      const info = await recover().catch((failure) => {
        if (!refused) throw failure;
        refused(failure);
        return recover({ device: 'cpu' });
      });
      watch(info.device, saved.steps);
    }
  }
  const tied = training.net.head.weight === training.net.table.weight;
  saved.stop();
  return { losses, recoveries, tied, hooked: training.hooked(), tensors: lanthorn.memory().tensors };
}
