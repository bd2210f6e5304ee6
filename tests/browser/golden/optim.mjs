/**
 * Checks optimizers, schedules and clipping through the package's public API. Runs in the page.
 *
 * The same checks as the native runner's (crates/conformance/src/golden/optim.rs): all parameters
 * after every step, the state, errors.
 */
import { Loader, readTensors, Refused, Skipped } from './file.mjs';
import { differs } from './tolerance.mjs';

/** Switches of PyTorch's implementation that do not affect the numbers. */
const SWITCHES = ['foreach', 'fused', 'capturable', 'differentiable'];

const camel = (name) => name.replace(/_([a-z0-9])/gi, (_, letter) => letter.toUpperCase());

async function read(base, name) {
  const fetchFile = (ending) => fetch(`${base}/${encodeURIComponent(name)}.${ending}`);
  const [json, bytes] = [await fetchFile('json'), await fetchFile('safetensors')];
  if (!json.ok) throw new Error(`${name}.json: ${json.status}`);
  // Schedules need no tensors.
  return { name, document: await json.json(), tensors: bytes.ok ? readTensors(await bytes.arrayBuffer()) : {} };
}

/** One file: its checks, each `{ sample, aspect, outcome, reason }`. */
export async function checkOptim({ base, name, strict }) {
  const file = await read(base, name);
  const checks = [];
  const add = async (sample, aspect, check) => {
    try {
      await window.lanthorn.scope(check);
      checks.push({ sample, aspect, outcome: 'passed' });
    } catch (error) {
      checks.push({ sample, aspect, outcome: error instanceof Skipped ? 'skipped' : 'failed', reason: error?.message ?? String(error) });
    }
  };
  const trial = new Trial(window.lanthorn, file, strict);
  const { document } = file;
  if (name === 'schedulers') {
    for (const [index, schedule] of document.entries()) await add(index, 'value', () => trial.schedule(schedule));
  } else if (name === 'clip') {
    for (const [index, clip] of document.entries()) await add(index, 'value', () => trial.clip(clip));
  } else {
    for (const [index, trajectory] of document.trajectories.entries()) {
      let state = () => { throw new Error('the trajectory was not followed to its end'); };
      await add(index, 'value', async () => {
        if (trajectory.unstable) throw new Skipped('PyTorch disagrees with itself here');
        const optimizer = await trial.trajectory(document.optimizer, trajectory);
        // Outside of the scope that the steps ran in, the state belongs to the optimizer.
        state = () => trial.state(optimizer, trajectory);
      });
      if (!trajectory.problem) await add(index, 'state', () => state());
    }
    for (const [index, error] of document.errors.entries()) await add(index, 'error', () => trial.refusal(document.optimizer, error));
  }
  return checks;
}

/** Options in JavaScript; a tensor of one element is a number. */
export function optionsOf(kwargs, loader) {
  const value = (json) => {
    if (json?.$ === 'tensor') {
      const { values } = loader.file.tensors[json.ref];
      return values.length === 1 ? values[0] : loader.tensor(json.ref);
    }
    // A list of options holds numbers; a tensor in it is refused.
    return loader.value(json);
  };
  const odd = Object.keys(kwargs).find((name) => SWITCHES.includes(name));
  if (odd) throw new Refused(`there is no option ${odd}`);
  return Object.fromEntries(Object.entries(kwargs).map(([name, json]) => [camel(name), value(json)]));
}

class Trial {
  constructor(lanthorn, file, strict) {
    Object.assign(this, { lanthorn, file, strict, loader: new Loader(lanthorn, file, 'float32') });
  }

  allowed([, rel, excess] = [0, 0, 0]) {
    return { atol: Math.max(1e-5, 4 * excess), rtol: Math.max(1.3e-6, 4 * rel, this.strict ? 0 : 64 * 2 ** -24) };
  }

  options(kwargs) {
    return optionsOf(kwargs, this.loader);
  }

  optimizer(name, { kwargs, groups }, parameters) {
    const given = groups?.map((group) => ({ params: group.params.map((index) => parameters[index]), ...this.options(group.kwargs) })) ?? parameters;
    return new this.lanthorn.optim[name](given, this.options(kwargs));
  }

  async compare(tensors, names, allowed, what) {
    for (const [index, tensor] of tensors.entries()) {
      const why = differs(await tensor.data(), this.file.tensors[names[index]].values, allowed);
      if (why) throw new Error(`${what} ${index}: ${why}`);
    }
  }

  async trajectory(name, trajectory) {
    const allowed = this.allowed(trajectory.f32_err);
    const parameters = trajectory.params.map((ref) => this.loader.tensor(ref, { requiresGrad: true }));
    const optimizer = this.optimizer(name, trajectory, parameters);
    for (const [step, after] of trajectory.after.entries()) {
      if (trajectory.problem) {
        const loss = await optimizer.step(() => this.loss(optimizer, parameters, trajectory.problem));
        const why = differs([await loss.item()], [this.loader.value(trajectory.losses[step])], allowed);
        if (why) throw new Error(`loss of step ${step}: ${why}`);
      } else {
        for (const [index, grad] of trajectory.grads[step].entries()) parameters[index].grad = grad && this.loader.tensor(grad);
        optimizer.step();
      }
      await this.compare(parameters, after, allowed, `after step ${step}, parameter`);
    }
    return optimizer;
  }

  /** Half the squared distance of `A x` from `b`. */
  loss(optimizer, parameters, { A, b }) {
    optimizer.zeroGrad();
    const x = this.lanthorn.cat(parameters.map((parameter) => parameter.reshape(-1)));
    const loss = this.loader.tensor(A).mv(x).sub(this.loader.tensor(b)).square().sum().mul(0.5);
    loss.backward();
    return loss;
  }

  async state(optimizer, trajectory) {
    const { state } = optimizer.stateDict();
    for (const [index, want] of trajectory.state.entries()) {
      const got = state[index] ?? {};
      const [own, theirs] = [got, want].map((entries) => Object.keys(entries).sort().join());
      if (own !== theirs) throw new Error(`the state of parameter ${index} has ${own}, expected ${theirs}`);
      for (const name of Object.keys(want)) await this.compare([got[name]], [want[name]], this.allowed(trajectory.f32_err), `state ${name} of parameter ${index}:`);
    }
  }

  refusal(name, { kwargs, error_regex: says }) {
    const parameter = this.lanthorn.zeros(name === 'Muon' ? [2, 2] : [2]).requiresGrad_();
    try {
      this.optimizer(name, { kwargs }, [parameter]);
    } catch (error) {
      if (error instanceof Refused || error.name === 'LanthornError') return;
      throw error;
    }
    throw new Error(`must throw; PyTorch says ${JSON.stringify(says)}`);
  }

  schedule({ scheduler: name, kwargs, base_lr: lr, lrs, momentum, metrics = [], lrs_after: after, of = [], milestones }) {
    const { SGD, lrScheduler } = this.lanthorn.optim;
    const optimizer = new SGD([this.lanthorn.zeros(1).requiresGrad_()], { lr, momentum: 0.9 });
    const make = ([part, options]) => new lrScheduler[part](optimizer, Object.fromEntries(Object.entries(options).map(([key, value]) => [camel(key), value])));
    const scheduler = name === 'SequentialLR' ? new lrScheduler.SequentialLR(optimizer, of.map(make), milestones) : make([name, kwargs]);
    const [group] = optimizer.paramGroups;
    const [rates, momenta] = [[], []];
    for (const step of (lrs ?? []).keys()) {
      rates.push(group.lr);
      momenta.push(group.momentum);
      optimizer.step();
      if (step + 1 < lrs.length) scheduler.step();
    }
    for (const metric of metrics) {
      scheduler.step(metric);
      rates.push(group.lr);
    }
    const digits = { atol: 1e-15, rtol: 1e-12 };
    const why = differs(rates, lrs ?? after, digits) ?? (momentum && differs(momenta, momentum, digits));
    if (why) throw new Error(why);
  }

  async clip({ fn, kwargs, grads, after, returns }) {
    const { utils } = this.lanthorn.nn;
    const parameters = grads.map((ref) => {
      const parameter = this.lanthorn.zeros(ref ? this.file.tensors[ref].shape : []).requiresGrad_();
      if (ref) parameter.grad = this.loader.tensor(ref);
      return parameter;
    });
    const { maxNorm, clipValue, ...options } = this.options(kwargs);
    const allowed = this.allowed();
    if (fn === 'clip_grad_value_') {
      utils.clipGradValue_(parameters, clipValue);
    } else {
      const norm = utils.clipGradNorm_(parameters, maxNorm, options);
      const why = differs([await norm.item()], [this.loader.value(returns)], allowed);
      if (why) throw new Error(`norm: ${why}`);
    }
    const clipped = parameters.filter((_, index) => after[index]).map((parameter) => parameter.grad);
    await this.compare(clipped, after.filter(Boolean), allowed, 'gradient');
  }
}
