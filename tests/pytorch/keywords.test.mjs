/**
 * PyTorch's keywords, positions and types of arguments, on the CPU in Node. Needs the package built
 * into target/npm.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { PACKAGE } from '../browser/lib/package-page.mjs';

const lanthorn = await import(`${PACKAGE}/js/index.js`);
const {
  Generator, arange, defaultGenerator, finfo, getDefaultDtype, getRngState, iinfo, init, initialSeed, isTensor, long, manualSeed, nn, ones, pow,
  rand, randperm, setDefaultDtype, tensor, unravelIndex, zeros,
} = lanthorn;
const { DataLoader, RandomSampler, defaultCollate, randomSplit } = await import(`${PACKAGE}/js/data/index.js`);

before(() => init({ device: 'cpu' }));

const list = (x) => x.tolist();

describe('a generator', () => {
  test('has its own sequence, and keeps the state of the device', async () => {
    manualSeed(5);
    const state = getRngState();
    const generator = new Generator().manualSeed(2024);
    const first = await list(rand(4, { generator }));
    const second = await list(rand(4, { generator }));
    assert.notDeepEqual(first, second);
    assert.deepEqual(getRngState(), state);
    const again = new Generator().manualSeed(2024);
    assert.deepEqual(await list(rand(4, { generator: again })), first);
    assert.deepEqual(again.getState(), { seed: 2024n, offset: 1 });
    again.setState({ seed: 2024n, offset: 0 });
    assert.deepEqual(await list(rand(4, { generator: again })), first);
    manualSeed(2024);
    assert.deepEqual(await list(rand(4)), first, 'the same bits as the device');
  });

  test('is taken by every operation that draws', async () => {
    const draws = {
      randperm: (options) => randperm(5, options),
      bernoulli: (options) => ones(5).mul(0.5).bernoulli(options),
      multinomial: (options) => ones(5).multinomial(3, false, options),
      normal_: (options) => zeros(5).normal_(0, 1, options),
      uniform_: (options) => zeros(5).uniform_({ from: 1, to: 2, ...options }),
      random_: (options) => zeros(5).random_(9, options),
      randnLike: (options) => zeros(5).randnLike(options),
      gumbelSoftmax: (options) => nn.functional.gumbelSoftmax(zeros(2, 3), 1, options),
      normalInit: (options) => nn.init.normal_(zeros(5), 0, 1, options),
      kaimingUniform_: (options) => nn.init.kaimingUniform_(zeros(3, 3), options),
      rrelu: (options) => nn.functional.rrelu(ones(5).neg(), { training: true, ...options }),
    };
    for (const [name, draw] of Object.entries(draws)) {
      const [a, b] = [new Generator().manualSeed(1), new Generator().manualSeed(1)];
      assert.deepEqual(await list(draw({ generator: a })), await list(draw({ generator: b })), name);
      assert.ok(a.getState().offset > 0, name);
    }
    assert.throws(() => rand(3, { generator: 7 }), /generator takes a Generator, not a number/);
  });

  test('seeds samplers, loaders and parts', async () => {
    const of = (seed) => new Generator().manualSeed(seed);
    const order = (seed) => [...new RandomSampler(9, { generator: of(seed) }).indices(0, 0)];
    assert.deepEqual(order(3), order(3));
    assert.notDeepEqual(order(3), order(4));
    const parts = (seed) => randomSplit([...Array(9).keys()], [4, 5], of(seed)).map(({ indices }) => indices);
    assert.deepEqual(parts(3), parts(3));
    assert.notDeepEqual(parts(3), parts(4));
    const loader = (seed) => new DataLoader([...Array(9).keys()], { shuffle: true, batchSize: 9, generator: of(seed) });
    const read = async (seed) => { for await (const batch of loader(seed)) return list(batch); };
    assert.deepEqual(await read(3), await read(3));
    assert.notDeepEqual(await read(3), await read(4));
  });

  test('of the device is the default one', () => {
    manualSeed(11);
    assert.equal(initialSeed(), 11);
    defaultGenerator.manualSeed(-1);
    assert.equal(initialSeed(), 2n ** 64n - 1n);
    const seed = new Generator().seed();
    assert.ok(Number.isSafeInteger(seed));
    manualSeed(0);
  });
});

describe('types', () => {
  test('have limits, names and a default', async () => {
    assert.deepEqual([finfo('float32').eps, finfo('float16').max, finfo('bfloat16').tiny], [2 ** -23, 65504, 2 ** -126]);
    assert.equal(finfo('float32').max, 3.4028234663852886e38);
    assert.equal(finfo('double').max, Number.MAX_VALUE);
    assert.deepEqual([iinfo('int32').max, iinfo(long).min], [2 ** 31 - 1, -(2n ** 63n)]);
    assert.throws(() => finfo('int32'), /floating-point/);
    setDefaultDtype('float64');
    try {
      const made = [zeros(2), rand(2), tensor([1, 2]), arange(0, 1, 0.5), tensor([1], { dtype: 'int32' }).mul(0.5), new nn.Linear(2, 2).weight];
      assert.deepEqual(made.map(({ dtype }) => dtype), made.map(() => 'float64'));
      assert.equal(getDefaultDtype(), 'float64');
    } finally {
      setDefaultDtype('float32');
    }
    assert.throws(() => setDefaultDtype('int32'), /floating-point/);
    const x = tensor([1.5, 2]);
    assert.deepEqual([x.type(), x.type('torch.IntTensor').dtype, x.type('int32').dtype, x.typeAs(tensor([1], { dtype: 'int32' })).dtype],
      ['torch.FloatTensor', 'int32', 'int32', 'int32']);
    assert.deepEqual([x.elementSize(), x.itemsize, x.nbytes, x.nelement(), x.ndimension(), x.isFloatingPoint(), x.isSigned()], [4, 4, 8, 2, 1, true, true]);
    assert.equal(zeros(2, { dtype: long }).dtype, 'int64');
    assert.deepEqual(await list(x.newTensor([3])), [3]);
  });
});

describe('layers and functions', () => {
  test('take positions, types and inplace', async () => {
    const layer = new nn.Linear(4, 3, false, { dtype: 'float16' });
    assert.deepEqual([layer.bias, layer.weight.dtype], [undefined, 'float16']);
    const x = () => tensor([-1, 2]);
    for (const relu of [new nn.ReLU(true), new nn.ReLU({ inplace: true }), new nn.ReLU6(true), (input) => nn.functional.relu(input, true),
      (input) => nn.functional.relu6(input, { inplace: true }), (input) => lanthorn.relu_(input)]) {
      const input = x();
      const result = relu instanceof nn.Module ? relu.call(input) : relu(input);
      assert.deepEqual([await list(input), result === input], [[0, 2], true]);
    }
    const leaky = x();
    new nn.LeakyReLU(0.5, true).call(leaky);
    assert.deepEqual(await list(leaky), [-0.5, 2]);
    const kept = x();
    assert.deepEqual([await list(new nn.ReLU().call(kept)), await list(kept)], [[0, 2], [-1, 2]]);
    assert.equal(String(new nn.ReLU(true)), 'ReLU(inplace=true)');
    assert.equal(new nn.ReLU(true).clone().inplace, true);
    const dropped = ones(64);
    new nn.Dropout(0.5, true).call(dropped);
    assert.ok((await list(dropped)).every((value) => value === 0 || value === 2));
    const leaf = tensor([1], { requiresGrad: true });
    const inner = leaf.mul(3);
    new nn.ReLU(true).call(inner).sum().backward();
    assert.deepEqual(await list(leaf.grad), [3]);
    assert.throws(() => new nn.ReLU(true).call(leaf), /in place/);
    assert.throws(() => new nn.Linear(2, 2, { inplace: true }), /inplace/);
    assert.deepEqual(await list(nn.functional.dropout(kept, { training: false })), [-1, 2]);
    const lazy = new nn.LazyLinear(2, { dtype: 'float16' });
    lazy.call(zeros(1, 3, { dtype: 'float16' }));
    assert.equal(lazy.weight.dtype, 'float16');
  });

  test("take NumPy's and PyTorch's keywords", async () => {
    const x = tensor([[1, 0], [0, 2]]);
    assert.deepEqual(await list(x.sum({ axis: 1, keepdims: true })), [[1], [2]]);
    assert.deepEqual(await list(x.max({ axis: 1 }).values), [1, 2]);
    assert.deepEqual((await Promise.all((await x.nonzero({ asTuple: true })).map(list))), [[0, 1], [0, 1]]);
    assert.ok(isTensor(await x.nonzero()));
    assert.deepEqual(await list(pow(2, tensor([1, 3]))), [2, 8]);
    assert.deepEqual(await list(zeros(3).scatter(0, tensor([1], { dtype: 'int32' }), { value: 2 })), [0, 2, 0]);
    assert.equal(x.mm(x, 'float64').dtype, 'float64');
    assert.equal(await nn.functional.mseLoss(tensor([1, 2]), zeros(2), { weight: tensor([1, 3]) }).item(), 13 / 4);
    assert.deepEqual(await Promise.all(unravelIndex(tensor([5], { dtype: 'int32' }), [2, 3]).map(list)), [[1], [2]]);
    assert.deepEqual([await x.equal(x.clone()), await x.allclose(x.add(1e-9)), await x.equal(x.add(1))], [true, true, false]);
    const resized = arange(4);
    resized.resize_(2, 3);
    assert.deepEqual([resized.shape, await list(resized)], [[2, 3], [[0, 1, 2], [3, 0, 0]]]);
    const diagonal = zeros(2, 2);
    diagonal.fillDiagonal_(3);
    assert.deepEqual(await list(diagonal), [[3, 0], [0, 3]]);
  });
});

describe('a loader', () => {
  test("takes PyTorch's names, and collates whole numbers to integers", async () => {
    const loader = new DataLoader([1, 2, 3], { batchSize: 2, numWorkers: 2, collateFn: (samples) => samples.length });
    const sizes = [];
    for await (const size of loader) sizes.push(size);
    assert.deepEqual(sizes, [2, 1]);
    assert.deepEqual([defaultCollate([1, 2]).dtype, defaultCollate([1, 2.5]).dtype], ['int32', 'float32']);
    assert.throws(() => new DataLoader([1], { collate: () => 1, collateFn: () => 1 }), /not both/);
  });
});
