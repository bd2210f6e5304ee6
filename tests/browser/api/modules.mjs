/** Modules: parameters by name, state dicts, modes. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

/** A network with a child, a list of children and a parameter. */
function createNet({ nn, ones }) {
  class Net extends nn.Module {
    scale = nn.parameter(ones(1));
    hidden = new nn.Linear(3, 4);
    layers = [new nn.Linear(4, 4), new nn.ReLU(), new nn.Linear(4, 2, { bias: false })];
    constant = ones(2);
    note = 'not a tensor';

    forward(x) {
      return this.layers.reduce((value, layer) => layer.call(value), this.hidden.call(x).mul(this.scale));
    }
  }
  return new Net();
}

const NAMES = ['scale', 'hidden.weight', 'hidden.bias', 'layers.0.weight', 'layers.0.bias', 'layers.2.weight'];

export const cases = {
  'parameters are found by name': ({ nn, ...rest }) => {
    const net = createNet({ nn, ...rest });
    const named = new Map(net.namedParameters());
    equal([...named.keys()], NAMES);
    equal(named.get('hidden.weight').shape, [4, 3]);
    ok(net.parameters().every((parameter) => parameter.requiresGrad && parameter.isLeaf), 'they are leaves that want gradients');
    const sequential = new nn.Sequential(new nn.Linear(2, 3), new nn.Tanh(), new nn.Sequential(new nn.Linear(3, 1)));
    equal([...sequential.namedParameters()].map(([name]) => name), ['0.weight', '0.bias', '2.0.weight', '2.0.bias']);
  },

  'a parameter that is used twice is named once': ({ nn, ones }) => {
    class Shared extends nn.Module {
      one = new nn.Linear(2, 2);
      two = this.one;
      a = nn.parameter(ones(1));
      b = this.a;
      forward(x) { return this.two.call(this.one.call(x)); }
    }
    equal([...new Shared().namedParameters()].map(([name]) => name), ['a', 'one.weight', 'one.bias']);
  },

  'a frozen parameter is still a parameter': ({ nn, ones }) => {
    class One extends nn.Module {
      weight = nn.parameter(ones(2));
      forward(x) { return x.mul(this.weight); }
    }
    const one = new One();
    one.weight.requiresGrad = false;
    equal(Object.keys(one.stateDict()), ['weight']);
  },

  'forward computes what its layers say': async ({ nn, tensor }) => {
    const linear = new nn.Linear(2, 2);
    linear.loadStateDict({ weight: tensor([[1, 2], [3, 4]]), bias: tensor([10, 20]) });
    equal(await linear.call(tensor([[1, 1], [0, 2]])).tolist(), [[13, 27], [14, 28]]);
    const x = tensor([-1, 2]);
    equal(await new nn.ReLU().call(x).data(), [0, 2]);
    close(await new nn.Tanh().call(x).data(), [-1, 2].map(Math.tanh));
    close(await new nn.Sigmoid().call(x).data(), [-1, 2].map((value) => 1 / (1 + Math.exp(-value))));
    equal(new nn.Flatten().call(tensor([[[1, 2], [3, 4]]])).shape, [1, 4]);
    close(await new nn.MSELoss().call(x, tensor([0, 0])).item(), 2.5);
    close(await new nn.CrossEntropyLoss({ reduction: 'sum' }).call(tensor([[0, 0]]), tensor([1], { dtype: 'int32' })).item(), Math.LN2);
  },

  'a state dict goes from one network to another': async (lanthorn) => {
    const [from, to] = [createNet(lanthorn), createNet(lanthorn)];
    const x = lanthorn.rand(5, 3);
    const expected = await from.call(x).tolist();
    const state = from.stateDict();
    equal(Object.keys(state), NAMES);
    ok(Object.values(state).every((value) => !value.requiresGrad), 'they are outside the graph');
    to.loadStateDict(state);
    equal(await to.call(x).tolist(), expected);
    ok(to.hidden.weight.requiresGrad && to.hidden.weight.isLeaf, 'parameters stay parameters');
    lanthorn.noGrad(() => { from.hidden.weight.mul_(0); });
    equal(await state['hidden.weight'].sum().item(), 0, 'the state shares memory with its network');
    equal(await to.call(x).tolist(), expected, 'and not with the one that loaded it');
  },

  'training and evaluation differ where a module says so': async (lanthorn) => {
    const { nn, tensor } = lanthorn;
    const net = new nn.Sequential(new nn.BatchNorm1d(2), new nn.Dropout({ p: 0.5 }));
    const x = tensor([[1, 10], [3, 30]]);
    const state = Object.keys(net.stateDict());
    equal(state, ['0.weight', '0.bias', '0.running_mean', '0.running_var', '0.num_batches_tracked']);
    net.call(x);
    close(await net.stateDict()['0.running_mean'].data(), [0.2, 2]);
    net.eval();
    const before = await net.stateDict()['0.running_mean'].data();
    const [first, second] = [await net.call(x).tolist(), await net.call(x).tolist()];
    equal(first, second, 'nothing is dropped');
    equal(await net.stateDict()['0.running_mean'].data(), before, 'and nothing learned');
    net.train();
    const kept = await net.call(lanthorn.rand(50, 2)).data();
    ok(kept.some((value) => value === 0), 'dropout works again');
  },

  'a module of my own has buffers': async (lanthorn) => {
    const { nn, tensor } = lanthorn;
    class Scaled extends nn.Module {
      scale = nn.buffer(tensor([2]));
      weight = nn.parameter(tensor([3]));
      forward(x) { return x.mul(this.scale).mul(this.weight); }
    }
    const module = new Scaled();
    equal(Object.keys(module.stateDict()), ['weight', 'scale']);
    equal(module.parameters().length, 1);
    module.loadStateDict({ weight: tensor([1]), scale: tensor([5]) });
    equal(await module.call(tensor([1])).data(), [5]);
  },

  'a state dict survives the way through plain arrays': async (lanthorn) => {
    const [from, to] = [createNet(lanthorn), createNet(lanthorn)];
    const saved = {};
    for (const [name, value] of Object.entries(from.stateDict())) {
      saved[name] = { shape: value.shape, data: Array.from(await value.data()) };
    }
    const read = JSON.parse(JSON.stringify(saved));
    to.loadStateDict(Object.fromEntries(Object.entries(read).map(([name, { shape, data }]) => [name, lanthorn.tensor(data.length ? data : [], { shape })])));
    const x = lanthorn.rand(2, 3);
    equal(await to.call(x).tolist(), await from.call(x).tolist());
  },

  'a state dict that does not fit is refused whole': async (lanthorn) => {
    const net = createNet(lanthorn);
    const before = await net.hidden.bias.data();
    const state = { ...net.stateDict(), 'hidden.bias': lanthorn.ones(4) };
    const { scale, ...missing } = state;
    await refuses(() => net.loadStateDict(missing), 'argument', /loadStateDict/, /missing: scale/);
    await refuses(() => net.loadStateDict({ ...state, extra: lanthorn.ones(1) }), 'argument', /unexpected: extra/);
    await refuses(() => net.loadStateDict({ ...state, scale: lanthorn.ones(2) }), 'argument', /scale/, /\[2\]/, /\[1\]/);
    await refuses(() => net.loadStateDict({ ...state, scale: 1 }), 'argument', /scale/);
    await refuses(() => net.loadStateDict(null), 'argument', /loadStateDict/);
    equal(await net.hidden.bias.data(), before, 'nothing was changed');
  },

  'train and eval reach every module': (lanthorn) => {
    const net = createNet(lanthorn);
    ok(net.training && net.layers[0].training, 'at first');
    ok(net.eval() === net && !net.training && !net.hidden.training && !net.layers[1].training, 'eval');
    net.train();
    ok(net.training && net.layers[2].training, 'train');
  },

  'zeroGrad drops every gradient': (lanthorn) => {
    const net = createNet(lanthorn);
    net.call(lanthorn.ones(1, 3)).sum().backward();
    ok(net.parameters().every((parameter) => parameter.grad !== null), 'after backward');
    net.zeroGrad();
    ok(net.parameters().every((parameter) => parameter.grad === null), 'after zeroGrad');
  },

  'new layers start as PyTorch starts them': async ({ nn, manualSeed }) => {
    manualSeed(3);
    const { weight, bias } = new nn.Linear(100, 50);
    for (const parameter of [weight, bias]) {
      const values = Array.from(await parameter.data());
      ok(values.every((value) => Math.abs(value) <= 0.1), 'within 1/sqrt(in_features)');
      ok(Math.max(...values) > 0.08 && Math.min(...values) < -0.08, 'spread over that range');
    }
  },

  'hooks see and change what goes in and comes out': async ({ nn, tensor, ones }) => {
    const layer = new nn.Linear(2, 1, { bias: false });
    layer.loadStateDict({ weight: tensor([[2, 3]]) });
    const seen = [];
    const handles = [
      layer.registerForwardPreHook((module, [x]) => { seen.push(['pre', module === layer]); return [x.mul(10)]; }),
      layer.registerForwardHook((_, [x], output) => { seen.push(['after', x.shape]); return output.add(1); }),
      layer.registerFullBackwardHook((_, [gradInput], [gradOutput]) => { seen.push(['back', gradInput.shape, gradOutput.shape]); return [gradInput.mul(0.5)]; }),
    ];
    const x = tensor([[1, 1]], { requiresGrad: true });
    const y = layer.call(x);
    equal(await y.tolist(), [[51]]);
    y.sum().backward();
    equal(await x.grad.tolist(), [[10, 15]]);
    equal(seen, [['pre', true], ['after', [1, 2]], ['back', [1, 2], [1, 1]]]);
    handles.forEach((handle) => handle.remove());
    equal(await layer.call(x).tolist(), [[5]]);
    await refuses(() => layer.registerForwardHook(1), 'argument', /takes a function/);
    await ones(1).data();
  },

  'containers name what they hold': async ({ nn, ones, zeros }) => {
    const list = new nn.ModuleList([new nn.Linear(2, 2)]).push(new nn.Tanh()).extend([new nn.Linear(2, 1, { bias: false })]);
    equal([...list.namedParameters()].map(([name]) => name), ['0.weight', '0.bias', '2.weight']);
    equal([list.length, list.at(-1) === list[2], [...list].length], [3, true, 3]);
    await refuses(() => list.at(3), 'index', /no member 3 of 3/);
    await refuses(() => list.call(ones(1)), 'argument', /no result/);
    const dict = new nn.ModuleDict({ a: new nn.Linear(1, 1, { bias: false }) }).set('b', new nn.PReLU());
    equal([...dict.namedParameters()].map(([name]) => name), ['a.weight', 'b.weight']);
    await refuses(() => dict.get('c'), 'argument', /there are a, b/);
    class Net extends nn.Module {
      weights = new nn.ParameterList([ones(2), zeros(2)]);
      named = new nn.ParameterDict({ scale: ones(1) });
      forward(x) { return x.mul(this.weights[0]).add(this.weights.at(1)).mul(this.named.get('scale')); }
    }
    const net = new Net();
    equal([...net.namedParameters()].map(([name]) => name), ['weights.0', 'weights.1', 'named.scale']);
    equal(await net.call(ones(2)).tolist(), [1, 1]);
    const named = new nn.Sequential({ first: new nn.Linear(2, 2), act: new nn.ReLU() });
    equal([...named.namedParameters()].map(([name]) => name), ['first.weight', 'first.bias']);
    equal(named.call(ones(1, 2)).shape, [1, 2]);
  },

  'what is registered is found, and loading need not be strict': async ({ nn, ones, zeros }) => {
    class Net extends nn.Module { forward(x) { return x; } }
    const net = new Net();
    net.registerParameter('scale', ones(1));
    net.registerBuffer('mean', zeros(2));
    net.registerBuffer('cache', zeros(2), { persistent: false });
    net.registerModule('inner', new nn.Linear(1, 1, { bias: false }));
    equal(Object.keys(net.stateDict()), ['scale', 'mean', 'inner.weight'], 'in the order of PyTorch');
    await refuses(() => net.registerBuffer('mean', zeros(1)), 'argument', /already/);
    await refuses(() => net.registerModule('a.b', null), 'argument', /without dots/);
    const result = net.loadStateDict({ mean: ones(2), other: ones(1) }, { strict: false });
    equal(result, { missingKeys: ['scale', 'inner.weight'], unexpectedKeys: ['other'] });
    await refuses(() => net.loadStateDict({ mean: ones(3) }, { strict: false }), 'argument', /shape \[3\]/);
    const visited = [];
    net.apply((module) => visited.push(module.constructor.name));
    equal(visited, ['Linear', 'Net']);
    net.requiresGrad_(false);
    equal(net.parameters().map((parameter) => parameter.requiresGrad), [false, false]);
  },

  'initializers fill in place': async ({ nn, zeros }) => {
    const weight = zeros(4, 4);
    ok(nn.init.eye_(weight) === weight, 'the tensor is given back');
    equal(await weight.sum().item(), 4);
    equal(await nn.init.constant_(weight, 3).mean().item(), 3);
    const q = nn.init.orthogonal_(weight);
    close(await q.matmul(q.mT).flatten().data(), [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    const bound = Math.sqrt(6 / 4);
    ok((await nn.init.kaimingUniform_(weight, { nonlinearity: 'relu' }).data()).every((value) => Math.abs(value) <= bound), 'within the bound');
    close([nn.init.calculateGain('tanh')], [5 / 3]);
    await refuses(() => nn.init.calculateGain('sine'), 'argument', /no nonlinearity/);
    await refuses(() => nn.init.xavierNormal_(zeros(3)), 'shape', /2 dimensions/);
  },

  'a summary counts and runs the model once': ({ nn, ones }) => {
    const net = new nn.Sequential(new nn.Linear(4, 300), new nn.BatchNorm1d(300), new nn.Dropout());
    const found = nn.summary(net, ones(2, 4));
    equal([found.parameters, found.trainable, found.buffers], [2100, 2100, 601]);
    equal(found.rows.map(({ name, type, outputShapes }) => [name, type, outputShapes[0]]), [
      ['', 'Sequential', [2, 300]], ['0', 'Linear', [2, 300]], ['1', 'BatchNorm1d', [2, 300]], ['2', 'Dropout', [2, 300]],
    ]);
    ok(/parameters: 2,100, 2,100 of them trained; buffers: 601/.test(String(found)), String(found));
    equal(net.modules().map((module) => module.training), [true, true, true, true]);
  },

  // The numbers of PyTorch 2.15 for this matrix and these vectors.
  'spectral norm takes a step of the power method in training': async ({ nn, ones, tensor }) => {
    const layer = new nn.Linear(2, 3, { bias: false });
    nn.utils.parametrizations.spectralNorm(layer);
    equal([...layer.namedParameters()].map(([name]) => name), ['parametrizations.weight.original'], 'parameters');
    equal([...layer.namedBuffers()].map(([name]) => name), ['parametrizations.weight.0._u', 'parametrizations.weight.0._v'], 'buffers');
    layer.loadStateDict({
      'parametrizations.weight.original': tensor([[1, 2], [3, 4], [5, 6]]),
      'parametrizations.weight.0._u': tensor([1, 0, 0]),
      'parametrizations.weight.0._v': tensor([1, 0]),
    });
    const expected = [[0.31567711, 0.7365799, 1.1574827]];
    const output = layer.call(ones(1, 2));
    close(await output.tolist(), expected);
    output.mul(tensor([1, 2, 3])).sum().backward();
    close(await layer.parameters()[0].grad.tolist(), [[0.04697041, 0.03199048], [0.03568552, -0.00925426], [0.02440065, -0.05049899]]);
    close(await layer.buffers()[0].tolist(), [0.16903085, 0.50709254, 0.84515423]);
    layer.eval();
    close(await layer.call(ones(1, 2)).tolist(), expected);
    close(await layer.buffers()[0].tolist(), [0.16903085, 0.50709254, 0.84515423]);
    const transposed = nn.utils.parametrizations.spectralNorm(new nn.ConvTranspose1d(2, 3, 4).eval());
    equal(transposed.buffers().map(({ shape }) => shape), [[3], [8]], 'one row for each output');
    const before = await transposed.buffers()[0].tolist();
    transposed.call(ones(1, 2, 5));
    equal(await transposed.buffers()[0].tolist(), before, 'nothing moves outside of training');
    await refuses(() => nn.utils.parametrizations.spectralNorm(new nn.Linear(2, 2), 'weight', 0), 'argument', /nPowerIterations/);
    await refuses(() => nn.utils.parametrizations.spectralNorm(new nn.ReLU()), 'argument', /no parameter "weight"/);
  },

  'a triplet loss takes any distance': async ({ nn, full }) => {
    const distanceFunction = (x, y) => x.sub(y).abs().amax(-1);
    const criterion = new nn.TripletMarginWithDistanceLoss({ distanceFunction, margin: 3.5 });
    const [a, p, n] = [0, 1, 4].map((value) => full([2, 3], value));
    equal(await criterion.call(a, p, n).item(), 0.5);
    equal(await new nn.TripletMarginWithDistanceLoss({ reduction: 'sum' }).call(a, p, n).item(), 0);
    await refuses(() => new nn.TripletMarginWithDistanceLoss({ distance: distanceFunction }), 'argument', /"distance"/);
  },

  'weight norm takes a weight apart and computes the same': async ({ nn, ones, tensor }) => {
    const layer = new nn.Linear(2, 2);
    layer.loadStateDict({ weight: tensor([[3, 4], [0, 2]]), bias: tensor([0, 1]) });
    nn.utils.parametrizations.weightNorm(layer);
    const state = layer.stateDict();
    equal(Object.keys(state), ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1']);
    close(await state['parametrizations.weight.original0'].flatten().data(), [5, 2]);
    close(await layer.call(ones(1, 2)).flatten().data(), [7, 3]);
    layer.call(ones(1, 2)).sum().backward();
    ok(layer.parameters().every((parameter) => parameter.grad !== null), 'all have gradients');
    await refuses(() => nn.utils.parametrizations.weightNorm(layer, 'weight'), 'argument', /no parameter "weight"/);
  },

  'modules within a built-in one are its properties': ({ nn, ones }) => {
    const model = new nn.Transformer({ dModel: 4, nhead: 2, numEncoderLayers: 2, numDecoderLayers: 1, dimFeedforward: 8, dropout: 0 });
    equal(model.encoder.layers.length, 2);
    const names = [...model.namedParameters()].map(([name]) => name);
    ok(names.includes('encoder.layers.1.linear1.weight') && names.includes('decoder.layers.0.multihead_attn.in_proj_weight'), names.join());
    equal(model.encoder.layers[0].linear1.call(ones(1, 4)).shape, [1, 8]);
    equal(model.call(ones(3, 1, 4), ones(2, 1, 4)).shape, [2, 1, 4]);
  },

  'a warning names a module in a #private field once': async ({ nn, randn }) => {
    class Hidden extends nn.Module {
      #inner = new nn.Linear(2, 2);
      outer = new nn.Sequential(new nn.Linear(2, 2));
      forward(x) { return this.outer.call(this.#inner.call(x)); }
    }
    const { warn } = console;
    const warnings = [];
    console.warn = (text) => { warnings.push(text); };
    try {
      const net = new Hidden();
      for (let time = 0; time < 2; time += 1) net.call(randn(1, 2));
    } finally {
      console.warn = warn;
    }
    ok(warnings.length === 1 && /forward calls a Linear .* #private field/.test(warnings[0]), warnings.join());
  },

  'modules and tensors are not cloned without their elements': async ({ nn, tensor }) => {
    for (const value of [tensor([1]), new nn.Linear(2, 2), { weights: [tensor([1])] }]) {
      let message = 'it was cloned';
      try {
        structuredClone(value);
      } catch (error) {
        message = error.message;
      }
      // Of V8 with the text of the function.
      ok(/transfer\(\) of lanthorn\/workers|Function object could not be cloned|object can not be cloned/.test(message), message);
    }
  },
};
