/**
 * Parameter groups, states, closures, schedules, clipping, averaged weights, and mixed precision.
 */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

/** A parameter, and a function that sets its gradient to the gradient of its square. */
function square(tensor, values) {
  const x = tensor(values, { requiresGrad: true });
  return [x, () => x.square().sum().backward()];
}

/** SGD with momentum, as a program writes it. */
const momentumOf = ({ optim, noGrad, zerosLike }) => class Momentum extends optim.Optimizer {
  constructor(params, lr = 0.1) { super(params, { lr, momentum: 0.5 }); }

  step() {
    noGrad(() => {
      for (const { params, lr, momentum } of this.paramGroups) {
        for (const p of params) {
          if (!p.grad) continue;
          const state = this.state.get(p);
          state.step = (state.step ?? 0) + 1;
          state.buf ??= zerosLike(p);
          state.buf.mul_(momentum).add_(p.grad);
          p.sub_(state.buf, { alpha: lr });
        }
      }
    });
  }
};

/** A linear warm-up, whose constructor sets the fields for `getLr` after `super`. */
const warmUpOf = ({ optim }) => class WarmUp extends optim.lrScheduler.LRScheduler {
  constructor(optimizer, steps) {
    super(optimizer);
    this.groups = optimizer.paramGroups.length;
    this.steps = steps;
  }

  getLr() { return this.baseLrs.map((lr) => lr * Math.min(1, (this.lastEpoch + 1) / this.steps)); }
};

export const cases = {
  'a class has its name in a bundle, which renames classes': async ({ optim, nn }) => {
    const classes = [...Object.entries(optim), ...Object.entries(optim.lrScheduler), ...Object.entries(nn)].filter(([name, value]) =>
      /^[A-Z]/.test(name) && typeof value === 'function' && !['Optimizer', 'LRScheduler', 'Module', 'BuiltinModule'].includes(name));
    ok(classes.length > 120, `${classes.length} classes`);
    // The name of a class in the source is not writable; a static member is.
    const renamed = classes.filter(([name, value]) => value.name !== name || !Object.getOwnPropertyDescriptor(value, 'name').writable);
    equal(renamed.map(([name]) => name), []);
  },

  'a string option is one of a closed set': async ({ optim, tensor }) => {
    const x = tensor([[1, 2]], { requiresGrad: true });
    const optimizer = new optim.SGD([x], { lr: 0.1, momentum: 0.9 });
    const { CyclicLR, OneCycleLR, ReduceLROnPlateau } = optim.lrScheduler;
    await refuses(() => new CyclicLR(optimizer, 0.1, 0.2, { mode: 'square' }), 'argument', /the argument mode takes "triangular", "triangular2" or "exp_range", not the string "square"/);
    await refuses(() => new OneCycleLR(optimizer, 0.1, { totalSteps: 5, annealStrategy: 'sine' }), 'argument', /the argument annealStrategy takes "cos" or "linear"/);
    await refuses(() => new ReduceLROnPlateau(optimizer, { mode: 'least' }), 'argument', /the argument mode takes "min" or "max"/);
    await refuses(() => new ReduceLROnPlateau(optimizer, { thresholdMode: 'ratio' }), 'argument', /the argument thresholdMode takes "rel" or "abs"/);
    await refuses(() => new optim.Muon([x], { adjustLrFn: 'rows' }), 'argument', /the argument adjustLrFn takes "original", "match_rms_adamw" or "spectral_unclamped"/);
    const muon = new optim.Muon([x], { adjustLrFn: 'match_rms_adamw' });
    equal(muon.paramGroups[0].adjustLrFn, 'match_rms_adamw');
    await refuses(() => { muon.paramGroups[0].adjustLrFn = 'rows'; }, 'argument', /the argument adjustLrFn takes "original"/);
    equal(muon.paramGroups[0].adjustLrFn, 'match_rms_adamw', 'as before');
    equal(muon.stateDict().param_groups[0].adjust_lr_fn, 'match_rms_adamw');
    equal(new ReduceLROnPlateau(optimizer, { mode: 'max' }).stateDict().mode, 'max');
  },

  'a program extends Optimizer': async (api) => {
    const { tensor, optim, amp, scope, compile } = api;
    const Momentum = momentumOf(api);
    const groups = () => [{ params: [tensor([1, 2], { requiresGrad: true })] }, { params: [tensor([3], { requiresGrad: true })], lr: 0.25, kind: 'b' }];
    const train = async (optimizer, run = (fn) => fn()) => {
      for (let step = 0; step < 4; step += 1) {
        await run(() => {
          optimizer.zeroGrad();
          for (const p of optimizer.paramGroups.flatMap(({ params }) => params)) p.square().sum().backward();
          optimizer.step();
        });
        for (const group of optimizer.paramGroups) group.lr *= 0.5;
      }
      return Promise.all(optimizer.paramGroups.map(({ params }) => params[0].tolist()));
    };
    const own = new Momentum(groups());
    const [first, second] = groups();
    const expected = await train(new optim.SGD([first, { params: second.params, lr: second.lr }], { lr: 0.1, momentum: 0.5 }));
    equal(await train(own), expected, 'as SGD');
    equal(await train(new Momentum(groups()), scope), expected, 'in scopes, which the state outlives');
    const compiled = new Momentum(groups());
    let inner;
    const call = compile(() => inner());
    equal(await train(compiled, (fn) => { inner = fn; return call(); }), expected, 'in a compiled function');
    const { state, param_groups: saved } = own.stateDict();
    equal(saved, [{ lr: 0.00625, momentum: 0.5, params: [0] }, { lr: 0.015625, momentum: 0.5, kind: 'b', params: [1] }], 'groups in PyTorch\'s form');
    equal([state[1].step, Object.keys(state[0])], [4, ['step', 'buf']], 'state');
    const other = new Momentum(groups());
    await other.loadStateDict({ state, param_groups: saved });
    const [p] = other.paramGroups[0].params;
    equal([other.lr, other.paramGroups[1].kind, other.state.get(p).step], [0.00625, 'b', 4], 'loaded');
    equal(await other.state.get(p).buf.tolist(), await state[0].buf.tolist(), 'a copy');
    other.zeroGrad({ setToNone: false });
    p.grad = tensor([1, 1]);
    other.zeroGrad({ setToNone: false });
    equal([await p.grad.tolist(), other.defaults], [[0, 0], { lr: 0.1, momentum: 0.5 }], 'zeros, defaults');
    const [x, backward] = square(tensor, [1]);
    const scaled = new Momentum([x], 0.25);
    const scaler = new amp.GradScaler({ initScale: 8 });
    scaler.scale(x.square().sum()).backward();
    equal([await scaler.step(scaled), await x.item()], [true, 0.5], 'scaled');
    await scaler.update();
    x.grad = tensor([Infinity]);
    equal([await scaler.step(scaled), await x.item()], [false, 0.5], 'skipped');
    backward();
    class Bare extends optim.Optimizer {}
    await refuses(() => new Bare([x], { lr: 1 }).step(), 'argument', /Bare\.step/);
    await refuses(() => new Bare([x]), 'argument', /defaults/);
    await refuses(() => new Momentum([]), 'argument', /no parameters/);
    await refuses(() => new optim.lrScheduler.StepLR(new Bare([x], {}), 2), 'argument', /no lr/);
    await refuses(() => other.loadStateDict({ state: {}, param_groups: saved.map((group) => ({ ...group, lr: 'x' })) }), 'argument', /lr/);
    equal(other.lr, 0.00625, 'nothing was changed');
    other.state.get(p).at = new Date(0);
    await refuses(() => other.stateDict(), 'argument', /state of parameter 0\.at/);
  },

  'schedules act on an optimizer of a program': async (api) => {
    const { tensor, optim, optim: { lrScheduler: S } } = api;
    const constructors = [
      (o) => new S.StepLR(o, { stepSize: 2 }), (o) => new S.MultiStepLR(o, [1, 3]), (o) => new S.LinearLR(o), (o) => new S.CosineAnnealingLR(o, 3),
      (o) => new S.CyclicLR(o, 0.1, 1, 3), (o) => new S.OneCycleLR(o, 1, 8), (o) => new S.LambdaLR(o, { lrLambda: (step) => 0.9 ** step }),
      (o) => new S.SequentialLR(o, [new S.ConstantLR(o), new S.ExponentialLR(o, 0.5)], [3]), (o) => new S.ChainedScheduler([new S.ConstantLR(o), new S.ExponentialLR(o, 0.5)]),
    ];
    class Own extends optim.Optimizer { step() {} }
    for (const [options, Builtin] of [[{ lr: 0.1, momentum: 0.5 }, optim.SGD], [{ lr: 0.1, betas: [0.9, 0.99] }, optim.Adam]]) {
      for (const construct of constructors) {
        const rates = (optimizer) => {
          const schedule = construct(optimizer);
          return Array.from({ length: 7 }, () => {
            const [{ lr, momentum, betas }] = optimizer.paramGroups;
            schedule.step();
            return [lr, momentum, betas];
          });
        };
        const params = () => [tensor([1], { requiresGrad: true })];
        equal(rates(new Own(params(), options)), rates(new Builtin(params(), options)), String(construct));
      }
    }
  },

  'a program extends LRScheduler': async (api) => {
    const { tensor, optim, optim: { lrScheduler: S } } = api;
    const [Momentum, WarmUp] = [momentumOf(api), warmUpOf(api)];
    const fresh = (Class) => new Class([tensor([1], { requiresGrad: true })], 1);
    const rates = (optimizer, schedule, count) => Array.from({ length: count }, () => {
      const { lr } = optimizer;
      schedule.step();
      return lr;
    });
    for (const Class of [Momentum, optim.SGD]) {
      let optimizer = fresh(Class);
      const schedule = new WarmUp(optimizer, 4);
      equal([schedule.lastEpoch, schedule.baseLrs, schedule.optimizer === optimizer], [0, [1], true], 'properties');
      equal(rates(optimizer, schedule, 5), [0.25, 0.5, 0.75, 1, 1], 'rates');
      const state = schedule.stateDict();
      equal([state.last_epoch, state.steps, schedule.getLastLr()], [5, 4, [1]], 'state');
      const other = new WarmUp(fresh(Class), 9);
      other.loadStateDict(state);
      equal([other.lastEpoch, other.steps], [5, 4], 'loaded');
      optimizer = fresh(Class);
      equal(rates(optimizer, new S.SequentialLR(optimizer, [new WarmUp(optimizer, 4), new S.ExponentialLR(optimizer, 0.5)], [4]), 7), [0.25, 0.5, 0.75, 1, 1, 0.5, 0.25], 'SequentialLR');
      optimizer = fresh(Class);
      const chained = new S.ChainedScheduler([new WarmUp(optimizer, 4), new S.ExponentialLR(optimizer, 0.5)]);
      equal(rates(optimizer, chained, 3), [0.25, 0.25, 0.375], 'ChainedScheduler');
      equal(chained.stateDict()._schedulers[0].steps, 4, 'the field of a part');
    }
    class Floor extends S.StepLR {
      least = 0.3;
      getLr() { return super.getLr().map((lr) => Math.max(lr, this.least)); }
    }
    const optimizer = fresh(optim.SGD);
    equal(rates(optimizer, new Floor(optimizer, { stepSize: 1, gamma: 0.5 }), 4), [1, 0.5, 0.3, 0.3], 'a built-in rule, changed');
    for (const [getLr, message] of [[undefined, /not implemented/], [() => 5, /a number/], [() => [NaN], /NaN for group 0/], [() => [1, 2], /an array with 2/], [async () => [1], /promise/]]) {
      class Bad extends S.LRScheduler {}
      if (getLr) Bad.prototype.getLr = getLr;
      await refuses(() => new Bad(fresh(optim.SGD)).step(), 'argument', message);
    }
    class Steps extends WarmUp { step() {} }
    await refuses(() => new S.ChainedScheduler([new Steps(fresh(optim.SGD), 2)]), 'argument', /getLr/);
    const failed = await Promise.resolve().then(() => new (class extends WarmUp { getLr() { throw new RangeError('mine'); } })(fresh(optim.SGD), 1).step()).catch((error) => error);
    ok(failed instanceof RangeError, `an error in getLr arrives unchanged: ${failed}`);
  },

  'the parameters of a group can be replaced': async (api) => {
    const { tensor, optim } = api;
    for (const Class of [momentumOf(api), optim.SGD]) {
      const [a, b] = [1, 1].map((value) => tensor([value], { requiresGrad: true }));
      const optimizer = new Class([a], 0.1);
      equal([optimizer.paramGroups[0].params.length, optimizer.paramGroups[0].params[0] === a], [1, true], 'params');
      optimizer.paramGroups[0].params = [a, b];
      b.grad = tensor([1]);
      optimizer.step();
      close(await b.data(), [0.9], {}, 'a parameter that was added');
      await refuses(() => { optimizer.paramGroups[0].params = [a, a]; }, 'argument', /twice/);
    }
  },

  'groups have options of their own': async ({ tensor, optim }) => {
    const [a, b] = [tensor([1], { requiresGrad: true }), tensor([1], { requiresGrad: true })];
    const optimizer = new optim.SGD([{ params: [a] }, { params: [b], lr: 0.25 }], 0.5);
    equal(optimizer.paramGroups.map(({ lr, momentum }) => [lr, momentum]), [[0.5, 0], [0.25, 0]], 'options');
    a.add(b).sum().backward();
    optimizer.step();
    equal([await a.item(), await b.item()], [0.5, 0.75], 'values');
    for (const group of optimizer.paramGroups) group.lr *= 2;
    equal(optimizer.paramGroups.map(({ lr }) => lr), [1, 0.5], 'changed options');
    const c = tensor([1], { requiresGrad: true });
    optimizer.addParamGroup({ params: [c], weightDecay: 0.125 });
    equal(optimizer.paramGroups[2].weightDecay, 0.125, 'a group that was added');
    await refuses(() => optimizer.addParamGroup({ params: [c] }), 'argument', /twice/);
    await refuses(() => optimizer.addParamGroup({ params: [tensor([1], { requiresGrad: true })], beta: 1 }), 'argument', /"beta"/);
    await refuses(() => { optimizer.paramGroups[0].momentum = -1; }, 'argument', /momentum/, /-1/);
  },

  'a state goes on where it was taken': async ({ tensor, optim }) => {
    const run = async (interrupted) => {
      const [x, backward] = square(tensor, [3, -2]);
      let optimizer = new optim.AdamW([x], { lr: 0.1, amsgrad: true });
      for (let step = 0; step < 6; step += 1) {
        if (interrupted && step === 3) {
          const state = optimizer.stateDict();
          equal(Object.keys(state.state[0]), ['step', 'exp_avg', 'exp_avg_sq', 'max_exp_avg_sq'], 'names');
          equal([await state.state[0].step.item(), state.state[0].step.shape], [3, []], 'the count is a tensor');
          equal([state.param_groups[0].weight_decay, state.param_groups[0].params], [0.01, [0]], 'the group');
          optimizer = new optim.AdamW([x]);
          await optimizer.loadStateDict(state);
        }
        optimizer.zeroGrad();
        backward();
        optimizer.step();
      }
      return x.tolist();
    };
    equal(await run(true), await run(false), 'the same bits');
    const [x] = square(tensor, [1]);
    await refuses(() => new optim.SGD([x]).loadStateDict({ state: {}, param_groups: [] }), 'argument', /groups/);
  },

  'L-BFGS evaluates a closure': async ({ tensor, optim }) => {
    const x = tensor([-1.2, 1], { requiresGrad: true });
    const optimizer = new optim.LBFGS([x], { lineSearchFn: 'strong_wolfe', maxIter: 60, maxEval: 100 });
    let evaluations = 0;
    const first = await optimizer.step(async () => {
      evaluations += 1;
      optimizer.zeroGrad();
      const [a, b] = [x.at(0), x.at(1)];
      // Rosenbrock's function.
      const loss = b.sub(a.square()).square().mul(100).add(a.neg().add(1).square());
      loss.backward();
      return loss;
    });
    close(await first.item(), 24.2, {}, 'the first loss');
    close(await x.data(), [1, 1], { absolute: 1e-3, relative: 0 }, 'the minimum');
    ok(evaluations > 10, `${evaluations} evaluations`);
    await refuses(() => optimizer.step(), 'argument', /closure/);
    await refuses(() => optimizer.step(() => 1), 'argument', /loss/);
    const failed = await optimizer.step(() => { throw new RangeError('mine'); }).catch((error) => error);
    ok(failed instanceof RangeError, `what a closure throws arrives as it is: ${failed}`);
  },

  'schedules of functions and of schedules': async ({ tensor, optim }) => {
    const { LambdaLR, SequentialLR, ChainedScheduler, ExponentialLR, ConstantLR, ReduceLROnPlateau } = optim.lrScheduler;
    const fresh = () => new optim.SGD([tensor([1], { requiresGrad: true })], 1);
    const rates = (optimizer, scheduler, count) => Array.from({ length: count }, () => {
      const { lr } = optimizer;
      optimizer.step();
      scheduler.step();
      return lr;
    });
    let optimizer = fresh();
    equal(rates(optimizer, new LambdaLR(optimizer, (step) => 1 / 2 ** step), 3), [1, 0.5, 0.25], 'LambdaLR');
    optimizer = fresh();
    const parts = [new ConstantLR(optimizer, 0.5, 2), new ExponentialLR(optimizer, 0.5)];
    equal(rates(optimizer, new SequentialLR(optimizer, parts, [2]), 4), [0.5, 0.5, 1, 0.5], 'SequentialLR');
    optimizer = fresh();
    const chained = new ChainedScheduler([new ExponentialLR(optimizer, 0.5), new ExponentialLR(optimizer, { gamma: 0.25 })]);
    equal(rates(optimizer, chained, 2), [1, 0.125], 'ChainedScheduler');
    equal(chained.getLastLr(), [0.015625], 'getLastLr');
    const state = chained.stateDict();
    equal(state._schedulers.map(({ last_epoch, gamma }) => [last_epoch, gamma]), [[2, 0.5], [2, 0.25]], 'stateDict');
    chained.loadStateDict(state);
    const measured = new ReduceLROnPlateau(optimizer, { patience: 0, factor: 0.5 });
    measured.step(1);
    measured.step(1);
    equal(optimizer.lr, 0.0078125, 'ReduceLROnPlateau');
    await refuses(() => measured.step(), 'argument', /measured/);
    await refuses(() => new LambdaLR(optimizer, 5), 'argument', /function/);
    await refuses(() => new ExponentialLR({}, 0.5), 'argument', /optimizer/);
  },

  'a schedule begins after the steps of another run': async ({ tensor, optim }) => {
    const { ExponentialLR, LambdaLR, StepLR, CosineAnnealingWarmRestarts } = optim.lrScheduler;
    const make = () => new optim.SGD([tensor([1], { requiresGrad: true })], { lr: 1 });
    for (const on of [
      (optimizer, lastEpoch) => new StepLR(optimizer, 2, 0.5, lastEpoch),
      (optimizer, lastEpoch) => new ExponentialLR(optimizer, { gamma: 0.5, lastEpoch }),
      (optimizer, lastEpoch) => new LambdaLR(optimizer, (step) => 0.5 ** step, lastEpoch),
    ]) {
      const [first, second] = [make(), make()];
      const whole = on(first, -1);
      for (let step = 0; step < 3; step += 1) whole.step();
      await second.loadStateDict(first.stateDict());
      const resumed = on(second, 2);
      for (let step = 3; step < 8; step += 1) {
        equal(second.lr, first.lr, `${whole.constructor.name} at ${step}`);
        whole.step();
        resumed.step();
      }
      await refuses(() => on(make(), 2), 'argument', /no "initial_lr"/);
    }
    await refuses(() => new LambdaLR(make(), () => 1, 0.5), 'argument', /lastEpoch/);
    const restarts = new CosineAnnealingWarmRestarts(make(), 3, 2);
    for (let step = 0; step < 4; step += 1) restarts.step();
    const { T_cur: at, T_i: period } = restarts.stateDict();
    equal([at, period], [1, 6], 'T_cur and T_i');
  },

  'gradients are clipped, and an infinite norm is seen where one asks': async ({ tensor, nn }) => {
    const x = tensor([1, 1], { requiresGrad: true });
    x.grad = tensor([3, 4]);
    close(await nn.utils.clipGradNorm_([x], 1).item(), 5, {}, 'the norm before');
    close(await x.grad.data(), [0.6, 0.8], { absolute: 1e-5, relative: 0 }, 'the gradient');
    nn.utils.clipGradValue_(x, 0.7);
    close(await x.grad.data(), [0.6, 0.7], { absolute: 1e-5, relative: 0 }, 'clipped by value');
    x.grad = tensor([Infinity, 1]);
    await refuses(() => nn.utils.clipGradNorm_([x], 1, { errorIfNonfinite: true }), 'argument', /finite/);
    equal((await x.grad.tolist())[1], 1, 'nothing was changed');
  },

  'means of weights': async ({ nn, optim, ones }) => {
    const net = new nn.Linear(1, 1, { bias: false });
    const set = (value) => net.loadStateDict({ weight: ones(1, 1).mul(value) });
    for (const [options, expected] of [[{ decay: 0.5 }, [1, 2, 4]], [{}, [1, 2, 11 / 3]]]) {
      set(1);
      const mean = new optim.swaUtils.AveragedModel(net, options);
      const means = [];
      for (const value of [1, 3, 6 + (options.decay ? 0 : 1)]) {
        set(value);
        mean.update(net);
        means.push((await mean.stateDict().weight.data())[0]);
      }
      close(means, expected, {}, JSON.stringify(options));
    }
  },

  'running statistics of averaged weights': async ({ nn, optim, tensor }) => {
    const net = new nn.Sequential(new nn.BatchNorm1d(1, { momentum: 0.5 }), new nn.Linear(1, 1));
    const [norm] = net.children();
    net.call(tensor([[100], [300]]));
    net.eval();
    const batches = [tensor([[1], [3]]), [tensor([[5], [9]]), 'a label']];
    await optim.swaUtils.updateBn(batches, net);
    // The means of the batches' means, 2 and 7, and of their variances, 2 and 8.
    equal([await norm.runningMean.tolist(), await norm.runningVar.tolist()], [[4.5], [5]]);
    equal([norm.momentum, net.training, await norm.numBatchesTracked.item()], [0.5, false, 2]);
    await refuses(() => optim.swaUtils.updateBn(['a label'], net), 'argument', /updateBn/);
    equal(norm.momentum, 0.5);
  },

  'a scaler skips steps whose gradients are infinite': async ({ tensor, optim, amp }) => {
    const [x] = square(tensor, [1]);
    const optimizer = new optim.SGD([x], 0.25);
    const scaler = new amp.GradScaler({ initScale: 8, growthInterval: 1 });
    scaler.scale(x.square().sum()).backward();
    equal(await scaler.step(optimizer), true, 'a step');
    await scaler.update();
    equal([await x.item(), scaler.getScale()], [0.5, 16], 'value and scale');
    x.grad = tensor([Infinity]);
    equal(await scaler.step(optimizer), false, 'no step');
    await scaler.update();
    equal([await x.item(), scaler.getScale()], [0.5, 8], 'value and scale');
    await refuses(() => scaler.update(), 'argument', /unscaled/);
  },

  'autocast lowers products and widens sums': async ({ ones, autocast }) => {
    const w = ones(3, 3).requiresGrad_();
    const [product, loss] = autocast({ dtype: 'bfloat16' }, () => {
      const product = w.matmul(w);
      return [product, product.sum()];
    });
    equal([product.dtype, loss.dtype], ['bfloat16', 'float32'], 'types');
    loss.backward();
    equal(w.grad.dtype, 'float32', 'the gradient');
    equal(w.matmul(w).dtype, 'float32', 'outside');
    await refuses(() => autocast({ dtype: 'int32' }, () => 1), 'dtype', /int32/);
    await refuses(() => autocast({}, async () => 1), 'argument', /async/);
  },
};
