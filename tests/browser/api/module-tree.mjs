/**
 * Modules as objects: hyperparameters that calls read, containers that are written to, clones, lazy
 * modules.
 */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'hyperparameters are properties, with the defaults of PyTorch': ({ nn, ones }) => {
    const conv = new nn.Conv2d(3, 8, 3, { padding: 'same' });
    equal([conv.inChannels, conv.outChannels, conv.kernelSize, conv.stride, conv.padding, conv.dilation, conv.groups, conv.paddingMode],
      [3, 8, [3, 3], [1, 1], 'same', [1, 1], 1, 'zeros']);
    const linear = new nn.Linear(4, 2, { bias: false });
    equal([linear.inFeatures, linear.outFeatures, linear.bias], [4, 2, undefined]);
    const norm = new nn.BatchNorm2d(3, { momentum: null });
    equal([norm.numFeatures, norm.eps, norm.momentum, norm.affine, norm.trackRunningStats], [3, 1e-5, null, true, true]);
    equal([new nn.LayerNorm(4).normalizedShape, new nn.MaxPool2d(2).kernelSize, new nn.ZeroPad2d(1).padding], [[4], 2, [1, 1, 1, 1]]);
    const lstm = new nn.LSTM(3, 5, 2, { bidirectional: true });
    equal([lstm.inputSize, lstm.hiddenSize, lstm.numLayers, lstm.bias, lstm.bidirectional, lstm.projSize], [3, 5, 2, true, true, 0]);
    const attention = new nn.MultiheadAttention(8, 2);
    equal([attention.embedDim, attention.numHeads, attention.batchFirst, attention.outProj.inFeatures], [8, 2, false, 8]);
    equal([new nn.CrossEntropyLoss({ weight: ones(2) }).reduction, new nn.CrossEntropyLoss().weight, new nn.Softmax(1).dim], ['mean', null, 1]);
  },

  'a call reads the hyperparameters that a module has then': async ({ nn, ones, tensor, full }) => {
    const dropout = new nn.Dropout(1);
    equal(await dropout.call(ones(2)).tolist(), [0, 0]);
    dropout.p = 0;
    equal(await dropout.call(ones(2)).tolist(), [1, 1]);
    equal(String(dropout), 'Dropout(p=0)');
    dropout.p = 2;
    await refuses(() => dropout.call(ones(2)), 'argument', /^Dropout: /, /from 0 to 1, not 2/);
    dropout.p = 'much';
    await refuses(() => dropout.call(ones(2)), 'argument', /^Dropout: the argument p takes a number/);
    const norm = new nn.BatchNorm1d(1);
    norm.momentum = 0.5;
    norm.call(tensor([[1], [3]]));
    close(await norm.runningMean.tolist(), [1]);
    norm.eval();
    norm.eps = 8;
    norm.runningVar = full([1], 1);
    close(await norm.call(tensor([[4]])).tolist(), [[1]]);
    const conv = new nn.Conv1d(1, 1, 2, { bias: false });
    conv.loadStateDict({ weight: ones(1, 1, 2) });
    conv.stride = 2;
    conv.padding = [1];
    equal(await conv.call(tensor([[[1, 2]]])).tolist(), [[[1, 2]]]);
    const elu = new nn.ELU();
    elu.alpha = 3;
    close(await elu.call(tensor([-1])).tolist(), [3 * Math.expm1(-1)]);
    const loss = new nn.MSELoss();
    loss.reduction = 'sum';
    equal(await loss.call(tensor([1, 2]), tensor([0, 0])).item(), 5);
    const pool = new nn.MaxPool1d(2);
    pool.returnIndices = true;
    equal(pool.call(tensor([[1, 2, 3, 4]])).length, 2);
    const lstm = new nn.LSTM(2, 3);
    lstm.batchFirst = true;
    equal(lstm.call(ones(4, 5, 2))[0].shape, [4, 5, 3]);
  },

  'a compiled call follows hyperparameters and containers': async ({ nn, compile, ones, tensor }) => {
    const dropout = new nn.Dropout(0);
    const net = new nn.Sequential(new nn.ReLU(), dropout);
    const run = compile(net);
    for (let time = 0; time < 3; time += 1) equal(await run(tensor([-1, 2])).tolist(), [0, 2]);
    dropout.p = 1;
    equal(await run(tensor([-1, 2])).tolist(), [0, 0]);
    dropout.p = 0;
    net[0] = new nn.Identity();
    equal(await run(tensor([-1, 2])).tolist(), [-1, 2]);
    net.append(new nn.Softmax(0));
    close(await run(ones(2)).tolist(), [0.5, 0.5]);
    net.pop();
    equal(await run(ones(2)).tolist(), [1, 1]);
  },

  'a sequence is appended to, inserted into and shortened': async ({ nn, tensor, zeros }) => {
    const net = new nn.Sequential(new nn.Linear(2, 2), new nn.ReLU());
    net.append(new nn.Linear(2, 1, { bias: false })).insert(0, new nn.Flatten()).extend([new nn.Tanh()]);
    const types = () => [...net].map((module) => module.constructor.name);
    equal(types(), ['Flatten', 'Linear', 'ReLU', 'Linear', 'Tanh']);
    equal(Object.keys(net.stateDict()), ['1.weight', '1.bias', '3.weight']);
    equal(net.call(zeros([3, 2])).shape, [3, 1]);
    ok(net.pop().constructor === nn.Tanh && net.length === 4, 'the last one is gone');
    net[3] = new nn.Linear(2, 5);
    equal([net.call(zeros([3, 2])).shape, net.parameters().length], [[3, 5], 4]);
    delete net[2];
    equal([types(), net.length, net[2] === net.at(-1)], [['Flatten', 'Linear', 'Linear'], 3, true]);
    equal(String(net).split('\n').at(-2), '  (2): Linear(inFeatures=2, outFeatures=5)');
    net.eval();
    ok(!net[1].training && !net[2].training, 'eval reaches the new ones');
    net[3] = new nn.ReLU();
    ok(await net.call(tensor([[1, 2]])).min().item() >= 0, 'the new one is called');
    net[1] = 5;
    await refuses(() => net.call(zeros([1, 2])), 'argument', /^Sequential: takes modules, but argument 1 is a number/);
    net[1] = new nn.Linear(2, 2);
    await refuses(() => net.insert(9, new nn.ReLU()), 'index', /cannot insert at 9 in 4/);
    await refuses(() => net.append(1), 'argument', /takes modules/);
    await refuses(() => new nn.Sequential().pop(), 'index', /no member -1 of 0/);
  },

  'named sequences keep their names and order': ({ nn, zeros }) => {
    const net = new nn.Sequential({ hidden: new nn.Linear(2, 3), output: new nn.Linear(3, 1) });
    ok(net.hidden === net[0] && net.output === net.at(1), 'by name and by index');
    net.append(new nn.Linear(1, 4));
    equal([...net.namedParameters()].map(([name]) => name), ['hidden.weight', 'hidden.bias', 'output.weight', 'output.bias', '2.weight', '2.bias']);
    net.output = new nn.Linear(3, 1, { bias: false });
    net[0] = new nn.Linear(2, 3, { bias: false });
    equal([...net.namedParameters()].map(([name]) => name), ['hidden.weight', 'output.weight', '2.weight', '2.bias']);
    equal(net.call(zeros([5, 2])).shape, [5, 4]);
  },

  'lists and dictionaries are written to as properties': async ({ nn, ones, zeros }) => {
    const list = new nn.ModuleList([new nn.ReLU()]);
    list[0] = new nn.Linear(1, 2);
    list.insert(1, new nn.Tanh());
    equal([list.length, [...list.namedParameters()].map(([name]) => name)], [2, ['0.weight', '0.bias']]);
    const dict = new nn.ModuleDict({ a: new nn.ReLU() });
    dict.a = new nn.Linear(1, 1);
    dict.b = new nn.Linear(1, 2, { bias: false });
    equal([...dict.keys(), dict.size, dict.has('b'), dict.get('a') === dict.a], ['a', 'b', 2, true, true]);
    equal(Object.keys(dict.stateDict()), ['a.weight', 'a.bias', 'b.weight']);
    delete dict.a;
    equal([[...dict.keys()], dict.pop('b').outFeatures, dict.length], [['b'], 2, 0]);
    await refuses(() => dict.set('keys', new nn.ReLU()), 'argument', /there is a property keys already/);
    const parameters = new nn.ParameterList([ones(1)]);
    parameters[0] = zeros(2);
    parameters[1] = ones(3);
    equal([...parameters.namedParameters()].map(([name, { shape, requiresGrad }]) => [name, shape, requiresGrad]), [['0', [2], true], ['1', [3], true]]);
    const scales = new nn.ParameterDict();
    scales.gain = ones(1);
    ok(scales.parameters()[0] === scales.gain && scales.gain.requiresGrad, 'a tensor becomes a parameter');
  },

  'a parameter can be made without gradients': async ({ nn, ones }) => {
    class Scaled extends nn.Module {
      scale = new nn.Parameter(ones(2), { requiresGrad: false });
      shift = new nn.Parameter(ones(2));
      forward(x) { return x.mul(this.scale).add(this.shift); }
    }
    const module = new Scaled();
    equal([...module.namedParameters()].map(([name, { requiresGrad }]) => [name, requiresGrad]), [['scale', false], ['shift', true]]);
    ok(module.scale instanceof nn.Parameter && !(ones(1) instanceof nn.Parameter), 'instanceof');
    ok(nn.parameter(ones(1), { requiresGrad: false }).requiresGrad === false, 'the function too');
    await refuses(() => new nn.Parameter(1), 'argument', /parameter/);
    await refuses(() => new nn.Parameter(ones(1), { grad: false }), 'argument', /"grad"/);
  },

  'a clone has separate tensors, and keeps ties between them': async ({ nn, ones, noGrad }) => {
    class Net extends nn.Module {
      embedding = new nn.Embedding(3, 2);
      head = new nn.Linear(2, 3, { bias: false });
      layers = [new nn.Sequential(new nn.Linear(2, 2), new nn.BatchNorm1d(2))];
      note = { steps: 3, lists: [1, 2] };
      constructor() {
        super();
        this.head.weight = this.embedding.weight;
        this.layers[0][0].weight.requiresGrad = false;
      }
      forward(ids) { return this.head.call(this.layers[0].call(this.embedding.call(ids))); }
    }
    const net = new Net().eval();
    const copy = net.clone();
    ok(copy instanceof Net && copy !== net && copy.layers[0] !== net.layers[0] && !copy.training, 'another module of the class');
    equal(Object.keys(copy.stateDict()), Object.keys(net.stateDict()));
    ok(copy.head.weight === copy.embedding.weight && copy.head.weight !== net.head.weight, 'tied weights stay tied');
    equal([...copy.namedParameters()].map(([, { requiresGrad }]) => requiresGrad), [...net.namedParameters()].map(([, { requiresGrad }]) => requiresGrad));
    noGrad(() => { net.head.weight.zero_(); });
    ok(await copy.head.weight.abs().sum().item() > 0, 'separate memory');
    copy.note.lists.push(3);
    copy.layers[0].append(new nn.ReLU());
    equal([net.note.lists, net.layers[0].length, copy.layers[0].length], [[1, 2], 2, 3]);
    const seen = [];
    const layer = new nn.Linear(1, 1);
    layer.registerForwardHook((module) => { seen.push(module); });
    const other = layer.clone();
    other.call(ones(1, 1));
    ok(seen.length === 1 && seen[0] === other, 'a hook is called with the clone');
    const normed = nn.utils.parametrizations.weightNorm(new nn.Linear(2, 2));
    const again = normed.clone();
    close(await again.call(ones(1, 2)).tolist(), await normed.call(ones(1, 2)).tolist());
    ok(again.parameters().every((parameter, index) => parameter !== normed.parameters()[index]), 'computed weights have separate sources');
    const transformer = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8 }).eval();
    close(await transformer.clone().call(ones(3, 1, 4)).data(), await transformer.call(ones(3, 1, 4)).data());
  },

  'a class that extends a layer has a separate forward': async ({ nn, conv2d, ones, full }) => {
    class Standardized extends nn.Conv2d {
      gain = new nn.Parameter(full([1], 2));
      forward(x) {
        return conv2d(x, this.weight.mul(this.gain), this.bias, { stride: this.stride, padding: this.padding, groups: this.groups });
      }
    }
    const layer = new Standardized(1, 1, 3, { padding: 1, stride: 2 });
    layer.loadStateDict({ weight: ones(1, 1, 3, 3), bias: ones(1), gain: full([1], 2) });
    const y = layer.call(ones(1, 1, 3, 3));
    equal(await y.tolist(), [[[[9, 9], [9, 9]]]]);
    y.sum().backward();
    ok(layer.parameters().length === 3 && layer.parameters().every(({ grad }) => grad !== null), 'all are trained');
    class Doubled extends nn.Linear {
      forward(x) { return super.forward(x).mul(2); }
    }
    const doubled = new Doubled(1, 1, { bias: false });
    doubled.loadStateDict({ weight: ones(1, 1) });
    equal(await doubled.call(full([1, 1], 3)).tolist(), [[6]]);
    ok(doubled.clone() instanceof Doubled && String(doubled).startsWith('Doubled(inFeatures=1'), 'it keeps its class');
  },

  'a lazy layer takes its inputs from the first call': async ({ nn, ones, manualSeed, optim }) => {
    manualSeed(5);
    const net = new nn.Sequential(new nn.LazyConv2d(4, 3), new nn.LazyBatchNorm2d(), new nn.ReLU(), new nn.Flatten(), new nn.LazyLinear(2));
    await refuses(() => net.parameters(), 'argument', /^LazyConv2d: has no parameters before its first call/);
    await refuses(() => net.stateDict(), 'argument', /LazyConv2d/);
    equal([net[0].inChannels, net[4].inFeatures], [0, 0]);
    const untouched = net.clone();
    equal(net.call(ones(2, 3, 5, 5)).shape, [2, 2]);
    equal([...net].map((module) => module.constructor.name), ['Conv2d', 'BatchNorm2d', 'ReLU', 'Flatten', 'Linear']);
    equal([net[0].inChannels, net[1].numFeatures, net[4].inFeatures, net[4].weight.shape], [3, 4, 36, [2, 36]]);
    ok(new optim.SGD(net.parameters(), { lr: 0.1 }) && net.parameters().length === 6, 'it is trained');
    equal(untouched.call(ones(1, 1, 5, 5)).shape, [1, 2], 'a clone from before takes its own');
    equal(new nn.LazyConvTranspose1d(2, 3).call(ones(4, 7)).shape, [2, 9]);
    equal(new nn.LazyInstanceNorm1d({ affine: true }).call(ones(2, 3, 4)).shape, [2, 3, 4]);
    equal(new nn.LazyLinear(3, { bias: false }).call(ones(4)).shape, [3]);
    class Mine extends nn.LazyLinear { forward(x) { return super.forward(x).relu(); } }
    const mine = new Mine(2);
    ok(await mine.call(ones(1, 3)).min().item() >= 0 && mine.constructor === Mine && mine.inFeatures === 3, 'a class that extends one');
    await refuses(() => new nn.LazyConv1d(2, 3).call(ones(1)), 'shape', /LazyConv1d/);
  },

  'the modules of a transformer are called, so they can be changed': async ({ nn, ones, zeros }) => {
    const layer = new nn.TransformerEncoderLayer(4, 2, { dimFeedforward: 8, dropout: 0.5 });
    equal([layer.linear1.outFeatures, layer.dropout.p, layer.selfAttn.dropout, layer.normFirst], [8, 0.5, 0.5, false]);
    const seen = [];
    layer.linear1.registerForwardHook((_, __, output) => { seen.push(output.shape); });
    layer.call(ones(3, 1, 4));
    equal(seen, [[3, 1, 8]]);
    for (const module of layer.modules()) if (module instanceof nn.Dropout) module.p = 0;
    layer.selfAttn.dropout = 0;
    close(await layer.call(ones(3, 1, 4)).data(), await layer.eval().call(ones(3, 1, 4)).data());
    const encoder = new nn.TransformerEncoder(layer, 2, { norm: new nn.LayerNorm(4) });
    ok(encoder.layers[0] !== layer && encoder.layers[1] instanceof nn.TransformerEncoderLayer && encoder.numLayers === 2, 'copies');
    encoder.layers.append(layer);
    equal(encoder.call(zeros([3, 1, 4])).shape, [3, 1, 4]);
    equal(seen.length, 6, 'clones have the hook');
    class Twice extends nn.Module { forward(x) { return x.mul(2); } }
    const own = new nn.TransformerDecoderLayer(4, 2, { dimFeedforward: 8, activation: new Twice() });
    equal(own.call(ones(2, 1, 4), ones(3, 1, 4)).shape, [2, 1, 4]);
    equal(new nn.TransformerEncoderLayer(4, 2, { activation: (x) => x.silu() }).call(ones(2, 4)).shape, [2, 4]);
    await refuses(() => new nn.TransformerEncoder(1, 2), 'argument', /^TransformerEncoder: the argument encoderLayer takes a module/);
    await refuses(() => new nn.TransformerEncoderLayer(4, 2, { activation: 'tanh' }), 'argument', /TransformerEncoderLayer/, /"tanh"/);
  },
};
