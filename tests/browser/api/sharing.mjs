/** Parameters that are shared, replaced, converted and frozen. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

function createTied({ nn }) {
  class Model extends nn.Module {
    embedding = new nn.Embedding(5, 3);
    head = new nn.Linear(3, 5, { bias: false });
    constructor() {
      super();
      this.head.weight = this.embedding.weight;
    }
    forward(x) { return this.head.call(this.embedding.call(x)); }
  }
  return new Model();
}

export const cases = {
  'a weight of two layers is one parameter with two names': async ({ tensor, nn, optim }) => {
    const model = createTied({ nn });
    ok(model.head.weight === model.embedding.weight, 'one tensor');
    equal([...model.namedParameters()].map(([name]) => name), ['embedding.weight']);
    equal(Object.keys(model.stateDict()), ['embedding.weight', 'head.weight']);
    const table = tensor([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1]]);
    model.loadStateDict({ 'embedding.weight': table, 'head.weight': table });
    const x = tensor([0, 3], { dtype: 'int32' });
    equal(await model.call(x).tolist(), [[1, 0, 0, 1, 0], [1, 1, 0, 2, 1]], 'the core computes with it');
    model.call(x).sum().backward();
    equal(await model.embedding.weight.grad.tolist(), [[4, 4, 2], [2, 1, 0], [2, 1, 0], [4, 4, 2], [2, 1, 0]], 'both uses add up');
    new optim.SGD(model.parameters(), { lr: 1 }).step();
    equal(await model.head.weight.at(0).tolist(), [-3, -4, -2], 'a step changes both');
    await refuses(() => model.loadStateDict({ 'embedding.weight': table }), 'argument', /missing: head\.weight/);
  },

  'a parameter is replaced by a parameter': async ({ nn, ones, tensor }) => {
    const layer = new nn.Linear(2, 1);
    layer.weight = nn.parameter(ones(1, 2));
    layer.bias = nn.parameter(tensor([5]));
    equal(await layer.call(tensor([[1, 2]])).tolist(), [[8]]);
    equal([...layer.namedParameters()].map(([name, parameter]) => [name, parameter.requiresGrad]), [['weight', true], ['bias', true]]);
    ok(layer.parameters()[0] === layer.weight, 'it is registered');
    await refuses(() => { layer.weight = ones(1, 2); }, 'argument', /^Linear\.weight: /, /nn\.parameter/);
    await refuses(() => { layer.weight = [1, 2]; }, 'argument', /^Linear\.weight: /);
    class Scaled extends nn.Linear { scale = nn.parameter(ones(1)); }
    equal(Object.keys(new Scaled(1, 1).stateDict()), ['weight', 'bias', 'scale'], 'a parameter beside those of the core');
  },

  'a buffer is a property by its name in JavaScript': async ({ nn, ones, tensor }) => {
    const norm = new nn.BatchNorm1d(2);
    equal([...norm.namedBuffers()].map(([name]) => name), ['running_mean', 'running_var', 'num_batches_tracked']);
    equal(await norm.runningMean.tolist(), [0, 0]);
    norm.runningMean = tensor([1, 1]);
    norm.eval();
    close(await norm.call(ones(1, 2)).tolist(), [[0, 0]], {}, 'the core computes with it');
  },

  'a module is converted to another type': async ({ nn, ones, tensor }, device) => {
    const model = createTied({ nn }).to('float16');
    ok(model.head.weight.dtype === 'float16' && model.head.weight === model.embedding.weight, 'what is shared stays shared');
    ok(model.parameters().every((parameter) => parameter.requiresGrad && parameter.isLeaf), 'they are parameters');
    ok(model.call(tensor([0], { dtype: 'int32' })).dtype === 'float16', 'the core computes with them');
    const norm = new nn.Sequential(new nn.BatchNorm1d(2), new nn.Linear(2, 2).requiresGrad_(false)).bfloat16();
    equal([...norm.namedBuffers()].map(([, { dtype }]) => dtype), ['bfloat16', 'bfloat16', 'int32'], 'counters are not converted');
    equal(norm.parameters().map((parameter) => parameter.requiresGrad), [true, true, false, false]);
    class Own extends nn.Module {
      scale = nn.parameter(ones(1));
      list = [nn.parameter(ones(2))];
      named = new nn.ParameterDict({ a: ones(1) });
    }
    const own = new Own().half();
    equal([own.scale.dtype, own.list[0].dtype, own.named.get('a').dtype, own.float().scale.dtype], ['float16', 'float16', 'float16', 'float32']);
    await refuses(() => model.to('int32'), 'dtype', /^to: /, /float32/, /"int32"/);
    if (device === 'cpu') ok(new nn.Linear(1, 1).double().weight.dtype === 'float64', 'double');
  },

  'an optimizer leaves frozen parameters alone': async ({ nn, optim, ones, tensor }) => {
    const net = new nn.Sequential(new nn.Linear(1, 1, { bias: false }), new nn.Linear(1, 1, { bias: false }));
    net.at(0).requiresGrad_(false);
    const frozen = await net.at(0).weight.item();
    for (const make of [optim.Adam, optim.SGD, optim.AdamW]) {
      const optimizer = new make(net.parameters(), { lr: 0.1 });
      const before = await net.at(1).weight.item();
      net.call(ones(1, 1)).sum().backward();
      optimizer.step();
      equal(await net.at(0).weight.item(), frozen);
      ok((await net.at(1).weight.item()) !== before, 'the other is trained');
      optimizer.zeroGrad();
    }
    const plain = tensor([1]);
    const optimizer = new optim.Adam([plain], { lr: 0.1 });
    optimizer.step();
    equal(await plain.item(), 1);
    plain.requiresGrad_().sum().backward();
    optimizer.step();
    close(await plain.item(), 0.9, {}, 'once it requires a gradient it is trained');
  },
};
