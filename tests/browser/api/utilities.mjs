/** Utilities of modules and of the graph, with the numbers of PyTorch 2.15. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

/** `scale * sin(0.7 i + k)` for element i. */
const pattern = ({ tensor }, shape, k, scale) => {
  const count = shape.reduce((product, size) => product * size, 1);
  return tensor(Array.from({ length: count }, (_, i) => scale * Math.sin(0.7 * i + k))).reshape(shape);
};

const near = async (got, want) => close(await got.flatten().tolist(), want, { absolute: 2e-5 });
/** The message of an error of the program, which its caller gets unchanged. */
const catchError = (run) => {
  try {
    run();
  } catch (error) {
    ok(error instanceof RangeError, `expected an error of the program, but it is ${error}`);
    return error.message;
  }
  throw new Error('expected it to throw');
};
const names = (module) => Object.keys(module.stateDict());
const exact = async (got, want) => equal(await got.flatten().tolist(), want);

/** The outputs, the last states and the gradient of the input for lengths 2, 4, 1. */
const PACKED = {
  LSTM: { output: [-0.052928, 0.081907, -0.102746, 0.083893, 0.083025, 0.000898, -0.034923, 0.067916, -0.071884, 0.07518, -0.025747, 0.041857, -0.020201, 9.7e-05], states: [[0.081812, 0.188068, 0.224737, -0.023662, -0.008619, 0.017089, -0.071884, -0.020201, 0.083025, 0.083893, 0.081907, 0.000898], [-0.671815, 0.264107, -0.591525, -0.244691, -0.502083, -0.420223, -0.880281, -0.743212, -0.8561, -0.834929, -0.106001, -0.415438, -0.002167, -0.631878, 0.303543, -0.546899, 0.390366, 0.181019, 0.416487, 0.456258, 0.410054, 0.45411, 0.007518, 0.003464]], grad: [0.00049, 0.001712, -0.00021, -0.000807, 0.0, 0.0, 0.0, 0.0, 6.8e-05, 0.000672, 0.000522, 0.000642, 0.000718, 0.00366, -0.00048, 0.000851, -7.7e-05, 3.2e-05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], padded: [-0.102746, 0.083893, -0.071884, 0.07518, -1.0, -1.0, -1.0, -1.0] },
  GRU: { output: [-0.141413, 0.161012, -0.470622, -0.698981, 0.106981, 0.175056, -0.425498, -0.455716, 0.047309, 0.283328, -0.346576, -0.676716, 0.130806, 0.277966, -0.384079, -0.652762, 0.096122, 0.351562, -0.129284, -0.226711, 0.216158, 0.316889, -0.19599, -0.638852, 0.224916, 0.327342, 0.021143, -0.508007], states: [[-0.554123, 0.383111, -0.520708, -0.387005, -0.385286, -0.603252, -0.249115, -0.391604, 0.120315, -0.17288, 0.398245, 0.228182, 0.096122, 0.351562, 0.224916, 0.327342, 0.047309, 0.283328, -0.425498, -0.455716, -0.470622, -0.698981, -0.346576, -0.676716]], grad: [-0.00698, -0.012601, -0.007488, -0.001041, 0.0, 0.0, 0.0, 0.0, 0.003455, 0.005997, 0.011569, 0.009869, -0.002762, -0.017974, 0.001923, -0.003911, 0.007749, 0.00546, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], padded: [0.106981, 0.175056, -0.425498, -0.455716, 0.096122, 0.351562, -0.129284, -0.226711] },
};

/** Shape, trained tensor, base, parameter and gradient. */
const ORTHOGONAL = {
  matrix_exp: [[4, 2], [0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764], [-0.920708, 0.035663, 0.384583, 0.055861, 0.33483, -0.366102, 0.780213, 0.380954, -0.197096, -0.668564, -0.486388, 0.526879, 0.036586, 0.646312, -0.082406, 0.757728], [-0.385465, 0.628572, -0.556844, -0.735824, -0.506831, 0.235069, -0.533352, 0.090573], [0.0, 0.0, -0.326037, 0.0, -0.260904, 0.734081, -0.376553, -1.400669]],
  cayley: [[3, 3], [0.479426, 0.932039, 0.9463, 0.515501, -0.157746, -0.756802, -0.999923, -0.772764, -0.182163], [], [0.568262, -0.615311, 0.546325, 0.088115, 0.705631, 0.70308, -0.818117, -0.351394, 0.455201], [0.0, 0.0, 0.0, -0.94541, 0.0, 0.0, -0.382363, 0.401838, 0.0]],
  householder: [[2, 3], [-1.0, 0.932039, 0.9463, 0.515501, -1.0, -0.756802], [-0.914926, -0.173897, 0.36424, 0.02824, -0.927796, -0.372017, 0.402633, -0.330082, 0.853775], [0.385059, -0.8882, 0.250661, -0.74618, -0.459455, -0.481785], [0.0, -0.056493, 0.162582, 0.0, 0.0, 1.147813]],
};

export const cases = {
  'packed sequences are what recurrent layers take and return': async (lib) => {
    const { nn, noGrad, zeros, ones, tensor } = lib;
    const { rnn } = nn.utils;
    for (const kind of ['LSTM', 'GRU']) {
      const layers = new nn[kind](2, 2, { numLayers: 2, bidirectional: true, ...(kind === 'LSTM' ? { projSize: 1 } : {}) });
      noGrad(() => layers.parameters().forEach((parameter, index) => parameter.copy_(pattern(lib, parameter.shape, index, 0.5))));
      const x = pattern(lib, [3, 4, 2], 0.3, 1).requiresGrad_();
      const packed = rnn.packPaddedSequence(x, [2, 4, 1], { batchFirst: true, enforceSorted: false });
      equal([packed.batchSizes, await packed.sortedIndices.tolist(), await packed.unsortedIndices.tolist()], [[3, 2, 1, 1], [1, 0, 2], [1, 0, 2]]);
      const h = pattern(lib, [4, 3, kind === 'LSTM' ? 1 : 2], 1, 0.5);
      const [output, states] = layers.call(packed, kind === 'LSTM' ? [h, pattern(lib, [4, 3, 2], 2, 0.5)] : h);
      const want = PACKED[kind];
      await near(output.data, want.output);
      for (const [index, state] of [states].flat().entries()) await near(state, want.states[index]);
      output.data.mul(pattern(lib, output.data.shape, 0.1, 0.5)).sum().backward();
      await near(x.grad, want.grad);
      const [padded, lengths] = rnn.padPackedSequence(output, { batchFirst: true, paddingValue: -1, totalLength: 5 });
      equal([lengths, padded.shape.slice(0, 2)], [[2, 4, 1], [3, 5]]);
      await near(padded.flatten().narrow(0, 0, 8), want.padded);
    }
    const layer = new nn.RNN(2, 3);
    const { output, hN } = layer.call(rnn.packSequence([ones(3, 2), ones(1, 2)]));
    equal([output.data.shape, hN.shape], [[4, 3], [1, 2, 3]]);
    const back = rnn.unpackSequence(rnn.packSequence([tensor([1]), tensor([2, 3, 4])], { enforceSorted: false }));
    equal(await Promise.all(back.map((part) => part.tolist())), [[1], [2, 3, 4]]);
    equal(rnn.unpadSequence(zeros(3, 2, 4), [3, 1]).map(({ shape }) => shape), [[3, 4], [1, 4]]);
    const [data, batchSizes] = rnn.packPaddedSequence(ones(3, 2), [3, 2]).to('float16');
    equal([data.dtype, batchSizes], ['float16', [2, 2, 1]]);
    await refuses(() => rnn.packPaddedSequence(ones(3, 2), [2, 3]), 'argument', /packPaddedSequence: .*enforceSorted: false/);
    await refuses(() => rnn.packPaddedSequence(ones(3, 2), [3]), 'shape', /1 lengths are given for 2 sequences/);
    await refuses(() => rnn.packPaddedSequence(ones(3, 2), [4, 1]), 'shape', /from 1 to 3, not 4/);
    await refuses(() => rnn.packPaddedSequence(ones(3, 2), tensor([3, 1])), 'argument', /await lengths.tolist/);
    await refuses(() => rnn.padPackedSequence(ones(3)), 'argument', /takes a PackedSequence/);
    await refuses(() => layer.call(new rnn.PackedSequence(ones(3, 2), [1, 2])), 'argument', /batch_?sizes/i);
  },

  'orthogonal parameters': async (lib) => {
    const { nn, noGrad, tensor, eye } = lib;
    for (const [map, [shape, original, base, weight, gradient]] of Object.entries(ORTHOGONAL)) {
      const useTrivialization = base.length > 0;
      const layer = nn.utils.parametrizations.orthogonal(new nn.Linear(shape[1], shape[0], { bias: false }), 'weight', map, { useTrivialization });
      const size = Math.max(...shape);
      const prefix = 'parametrizations.weight';
      equal(names(layer), [`${prefix}.original`, ...(useTrivialization ? [`${prefix}.0.base`] : [])]);
      layer.loadStateDict({
        [`${prefix}.original`]: tensor(original).reshape(shape), ...(useTrivialization ? { [`${prefix}.0.base`]: tensor(base).reshape(size, size) } : {}),
      });
      const value = layer.weight;
      await near(value, weight);
      value.mul(pattern(lib, shape, 0.4, 1)).sum().backward();
      await near(layer.parameters()[0].grad, gradient);
    }
    const wide = nn.utils.parametrizations.orthogonal(new nn.Linear(5, 3));
    await near(wide.weight.matmul(wide.weight.t()), (await eye(3).tolist()).flat());
    const other = wide.clone();
    await near(other.weight, (await wide.weight.tolist()).flat());
    noGrad(() => { wide.weight = other.weight.neg(); });
    await near(wide.weight, (await other.weight.neg().tolist()).flat());
    await refuses(() => nn.utils.parametrizations.orthogonal(new nn.Linear(2, 2), 'bias'), 'shape', /orthogonal: takes a matrix/);
    await refuses(() => nn.utils.parametrizations.orthogonal(new nn.Linear(2, 2), 'weight', 'expm'), 'argument', /matrix_exp/);
  },

  'parametrizations follow one another, are set and removed': async ({ nn, ones, tensor, full, optim, noGrad }) => {
    class Symmetric extends nn.Module {
      forward(x) { return x.triu().add(x.triu(1).t()); }
      rightInverse(x) { return x.triu(); }
    }
    class Product extends nn.Module {
      gain = new nn.Parameter(full([], 2));
      forward(a, b) { return a.mul(b).mul(this.gain); }
      rightInverse(x) { return [x.div(this.gain), x.onesLike()]; }
    }
    class Shift extends nn.Module { forward(x) { return x.add(1); } }
    const { parametrize } = nn.utils;
    const layer = new nn.Linear(2, 2);
    const weight = tensor([[1, 2], [2, 5]]);
    noGrad(() => layer.weight.copy_(weight));
    parametrize.registerParametrization(layer, 'weight', new Product());
    equal(names(layer), ['bias', 'parametrizations.weight.original0', 'parametrizations.weight.original1', 'parametrizations.weight.0.gain']);
    parametrize.registerParametrization(layer, 'weight', new Symmetric());
    await exact(layer.weight, [1, 2, 2, 5]);
    layer.weight = tensor([[3, 4], [4, 6]]);
    await exact(layer.weight, [3, 4, 4, 6]);
    equal(await layer.parametrizations.weight[0].call(ones(1), ones(1)).tolist(), [2]);
    layer.call(ones(1, 2)).sum().backward();
    ok(layer.parameters().every(({ grad }) => grad !== null), 'all are trained');
    new optim.SGD(layer.parameters(), { lr: 0.1 }).step();
    ok(parametrize.isParametrized(layer) && parametrize.isParametrized(layer, 'weight') && !parametrize.isParametrized(layer, 'bias'), 'it is parametrized');
    const copy = layer.clone();
    await exact(copy.weight, (await layer.weight.tolist()).flat());
    ok(copy.parameters().every((parameter, index) => parameter !== layer.parameters()[index]), 'a clone has separate tensors');
    const before = (await layer.weight.tolist()).flat();
    parametrize.removeParametrizations(layer, 'weight');
    await exact(layer.weight, before);
    equal([names(layer), parametrize.isParametrized(layer), parametrize.isParametrized(copy)], [['weight', 'bias'], false, true]);
    // A single trained tensor stays the same.
    for (const left of [true, false]) {
      const plain = new nn.Linear(2, 2, { bias: false });
      const [original] = plain.parameters();
      const values = (await original.tolist()).flat();
      parametrize.registerParametrization(plain, 'weight', new Shift());
      ok(plain.parameters()[0] === original, 'the tensor is trained');
      await refuses(() => { plain.weight = ones(2, 2); }, 'argument', /Shift has no rightInverse/);
      parametrize.removeParametrizations(plain, 'weight', left);
      ok(plain.weight === original, 'and is the parameter again');
      close((await original.tolist()).flat(), values.map((value) => value + (left ? 1 : 0)));
    }
    let calls = 0;
    class Counted extends nn.Module { forward(x) { calls += 1; return x; } }
    const counted = parametrize.registerParametrization(new nn.Linear(1, 1), 'weight', new Counted(), { unsafe: true });
    parametrize.cached(() => { counted.call(ones(1, 1)); counted.call(ones(1, 1)); });
    counted.call(ones(1, 1));
    equal(calls, 2);
    class Shorter extends nn.Module { forward(x) { return x.narrow(0, 0, 1); } }
    await refuses(() => parametrize.registerParametrization(copy, 'weight', new Shorter()), 'shape', /registerParametrization: .*unsafe/);
    await refuses(() => parametrize.registerParametrization(copy, 'weight', new Product()), 'argument', /one tensor/);
    await refuses(() => parametrize.registerParametrization(copy, 'scale', new Shift()), 'argument', /no parameter "scale"/);
    await refuses(() => parametrize.registerParametrization(copy, 'bias', Shift), 'argument', /a module/);
    await refuses(() => parametrize.removeParametrizations(copy, 'bias'), 'argument', /no parametrization of "bias"/);
    await refuses(() => parametrize.removeParametrizations(copy, 'weight', false), 'argument', /2 tensors/);
    equal(copy.parametrizations.weight.length, 2);
  },

  'the older norms have their names and are removed': async (lib) => {
    const { nn } = lib;
    const [x, layer] = [pattern(lib, [3, 4], 0, 1), new nn.Linear(4, 2)];
    const before = (await layer.call(x).tolist()).flat();
    nn.utils.weightNorm(layer);
    equal(names(layer), ['bias', 'weight_g', 'weight_v']);
    await near(layer.call(x), before);
    await near(layer.clone().call(x), before);
    layer.call(x).sum().backward();
    ok(layer.parameters().every(({ grad }) => grad !== null), 'all are trained');
    await near(nn.utils.removeWeightNorm(layer).call(x), before);
    nn.utils.spectralNorm(layer, 'weight', 3);
    equal(names(layer), ['bias', 'weight_orig', 'weight_u', 'weight_v']);
    for (let step = 0; step < 20; step += 1) layer.call(x);
    const after = (await layer.eval().call(x).tolist()).flat();
    await near(nn.utils.removeSpectralNorm(layer).call(x), after);
    equal(names(layer).toSorted(), ['bias', 'weight']);
    const lstm = nn.utils.weightNorm(new nn.LSTM(2, 3), 'weight_hh_l0');
    equal(lstm.call(pattern(lib, [4, 1, 2], 0, 1))[0].shape, [4, 1, 3]);
    await refuses(() => nn.utils.removeWeightNorm(layer), 'argument', /removeWeightNorm: .*no WeightNorm of "weight"/);
    await refuses(() => nn.utils.weightNorm(layer, 'scale'), 'argument', /no parameter "scale"/);
  },

  'pruning': async (lib) => {
    const { nn, noGrad, ones, zeros } = lib;
    const { prune } = nn.utils;
    const makeLayer = (shape, k, scale) => {
      const layer = new nn.Linear(shape[1], shape[0], { bias: false });
      noGrad(() => layer.weight.copy_(pattern(lib, shape, k, scale)));
      return layer;
    };
    const layer = makeLayer([3, 4], 0.3, 1);
    const [weight] = layer.parameters();
    prune.l1Unstructured(layer, 'weight', 0.5);
    equal(names(layer), ['weight_orig', 'weight_mask']);
    await exact(layer.weight_mask, [0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1]);
    prune.l1Unstructured(layer, 'weight', 0.25);
    await exact(layer.weight_mask, [0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1]);
    prune.lnStructured(layer, 'weight', 1, 2, 1);
    const mask = [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0];
    await exact(layer.weight_mask, mask);
    layer.call(ones(1, 4)).sum().backward();
    await exact(weight.grad, mask);
    ok(prune.isPruned(new nn.Sequential(layer)) && !prune.isPruned(new nn.Linear(1, 1)), 'it is pruned');
    await exact(layer.clone().weight.ne(0), mask.map(Boolean));
    prune.remove(layer, 'weight');
    ok(layer.weight === weight && !prune.isPruned(layer), 'the parameter again');
    await near(layer.weight, [0, 0, 0.991665, 0, 0, 0, -0.97753, 0, 0, 0, 0, 0]);
    const [one, other] = [makeLayer([2, 3], 0.3, 1), makeLayer([2, 2], 0.9, 0.7)];
    const both = [[one, 'weight'], [other, 'weight']];
    prune.globalUnstructured(both, prune.l1Unstructured, { amount: 0.3 });
    prune.globalUnstructured(both, prune.l1Unstructured, { amount: 3 });
    await exact(one.weight_mask, [0, 1, 1, 1, 0, 0]);
    await exact(other.weight_mask, [0, 1, 0, 0]);
    const random = prune.randomUnstructured(makeLayer([3, 4], 0, 1), 'weight', 5);
    equal(await random.weight_mask.sum().item(), 7);
    prune.randomStructured(random, 'weight', 1, 0);
    ok((await random.weight_mask.sum(1).tolist()).includes(0), 'a row is pruned');
    prune.customFromMask(random, 'weight', zeros(3, 4));
    equal(await random.weight_mask.sum().item(), 0);
    equal(await prune.identity(makeLayer([2, 2], 0, 1), 'weight').weight_mask.sum().item(), 4);
    const scored = prune.l1Unstructured(makeLayer([2, 2], 0, 1), 'weight', 1, lib.tensor([[4, 3], [2, 1]]));
    await exact(scored.weight_mask, [1, 1, 1, 0]);
    await refuses(() => prune.l1Unstructured(one, 'weight', 7), 'argument', /amount/);
    await refuses(() => prune.l1Unstructured(one, 'weight', 1.5), 'argument', /amount/);
    await refuses(() => prune.l1Unstructured(one, 'weight', -1), 'argument', /amount/);
    await refuses(() => prune.lnStructured(one, 'weight', 1, 2, 4), 'index', /dim/);
    await refuses(() => prune.customFromMask(one, 'weight', ones(2)), 'shape', /mask/);
    await refuses(() => prune.remove(layer, 'weight'), 'argument', /not pruned/);
    await refuses(() => prune.globalUnstructured(both, prune.lnStructured, { amount: 1 }), 'argument', /l1Unstructured/);
  },

  'a vector of parameters, fans, and empty modules': async ({ nn, arange, tensor, zeros }) => {
    const layer = new nn.Linear(2, 3);
    nn.utils.vectorToParameters(arange(9).float(), layer.parameters());
    equal(await nn.utils.parametersToVector(layer.parameters()).tolist(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    equal(nn.init._calculateFanInAndFanOut(zeros(4, 3, 5, 2)), [30, 40]);
    const [weight] = layer.parameters();
    ok(layer.toEmpty({ recurse: false }).parameters()[0] === weight && weight.isLeaf, 'the same tensors');
    await refuses(() => layer.toEmpty({ device: 'cuda' }), 'device', /toEmpty/);
    await refuses(() => nn.utils.vectorToParameters(arange(8).float(), layer.parameters()), 'shape', /9 elements/);
    await refuses(() => nn.utils.parametersToVector([]), 'argument', /no parameters/);
    await refuses(() => nn.init._calculateFanInAndFanOut(zeros(4)), 'shape', /2 dimensions/);
    const grads = [new nn.Parameter(tensor([3, 4]))];
    grads[0].square().sum().backward();
    equal(await nn.utils.clipGradNorm_(grads, 1, 1).item(), 14);
    close(await nn.utils.clipGradNorm_(grads, 1, { normType: 1, foreach: false }).item(), 1);
  },

  'hooks see several gradients of a pass at once': async ({ autograd, ones, tensor }) => {
    const [a, b, unused] = [2, 3, 1].map((value) => tensor([value], { requiresGrad: true }));
    const [sum, product] = [a.add(b), a.mul(5)];
    const [all, any] = [[], []];
    const hook = autograd.graph.registerMultiGradHook([sum, b, product, unused], (grads) => { all.push(grads.map((grad) => grad && grad.clone())); });
    const first = autograd.graph.registerMultiGradHook([sum, product], (grad) => { any.push(grad.shape); }, { mode: 'any' });
    sum.mul(product).backward({ retainGraph: true });
    sum.square().backward({ retainGraph: true });
    hook.remove();
    first.remove();
    sum.sum().backward({ retainGraph: true });
    const read = (grads) => Promise.all(grads.map((grad) => grad && grad.item()));
    equal(await Promise.all(all.map(read)), [[10, 10, 5, null], [10, 10, null, null]]);
    equal(any, [[1], [1]]);
    const failing = autograd.graph.registerMultiGradHook([a], () => { throw new RangeError('mine'); });
    equal(catchError(() => sum.sum().backward()), 'mine');
    failing.remove();
    await refuses(() => autograd.graph.registerMultiGradHook([ones(1)], () => {}), 'autograd', /tensor 0/);
    await refuses(() => autograd.graph.registerMultiGradHook([a], () => {}, { mode: 'some' }), 'argument', /mode/);
    await refuses(() => autograd.graph.registerMultiGradHook(a, () => {}), 'argument', /list of tensors/);
  },

  'hooks keep something else than a saved tensor': async ({ autograd, randn, scope, tensor }) => {
    const { savedTensorsHooks, saveOnCpu } = autograd.graph;
    const x = tensor([1, 2], { requiresGrad: true });
    const packed = [];
    const run = () => x.mul(1).exp().sin().sum();
    run().backward();
    const want = await x.grad.tolist();
    x.grad = null;
    // The value outlives the scope that it is made in.
    const y = scope((keep) => keep(savedTensorsHooks((saved) => { packed.push(saved.shape); return { half: saved.mul(0.5) }; }, ({ half }) => half.mul(2), run)));
    ok(packed.length >= 2 && packed.every((shape) => shape.length <= 1), 'tensors were packed');
    y.backward({ retainGraph: true });
    close(await x.grad.tolist(), want);
    y.backward();
    close(await x.grad.tolist(), want.map((value) => 2 * value));
    for (const waits of [false, true]) {
      x.grad = null;
      const loss = saveOnCpu(run);
      if (waits) await loss.item();
      loss.backward();
      close(await x.grad.tolist(), want);
    }
    equal(catchError(() => savedTensorsHooks(() => { throw new RangeError('pack'); }, (value) => value, run)), 'pack');
    const failing = savedTensorsHooks((saved) => saved, () => { throw new RangeError('unpack'); }, run);
    equal(catchError(() => failing.backward()), 'unpack');
    await refuses(() => savedTensorsHooks((saved) => saved, () => randn(3), run).backward(), 'autograd', /was unpacked as/);
    await refuses(() => savedTensorsHooks((saved) => saved, () => 1, run).backward(), 'argument', /unpack/);
    await refuses(() => savedTensorsHooks((saved) => saved, (saved) => saved, async () => run()), 'argument', /async/);
    await refuses(() => savedTensorsHooks(1, (saved) => saved, run), 'argument', /savedTensorsHooks/);
  },

  'the graph is walked from a result to its leaves': async ({ autograd, tensor }) => {
    const [x, w] = [tensor([2], { requiresGrad: true }), tensor([3], { requiresGrad: true })];
    const node = x.mul(w).add(1).gradFn;
    ok(node instanceof autograd.graph.Node && node.name() === 'add', 'a node');
    const [[product]] = node.nextFunctions;
    const leaves = product.nextFunctions.map(([leaf]) => leaf);
    equal([product.name(), ...leaves.map((leaf) => leaf.name())], ['mul', 'AccumulateGrad', 'AccumulateGrad']);
    ok(node.nextFunctions[0][0] === product && product.variable === null, 'a node is one object');
    equal(await Promise.all(leaves.map((leaf) => leaf.variable.item())), [2, 3]);
    ok(x.gradFn === null, 'a leaf has no node');
    const [single] = autograd.grad(x.mul(w), x);
    equal(await single.item(), 3);
  },

  'functions are wrapped in a mode': async ({ enableGrad, inferenceMode, isGradEnabled, noGrad, setGradEnabled, ones }) => {
    const object = { scale: 2, run: noGrad.wrap(function (x) { return [isGradEnabled(), x.mul(this.scale).requiresGrad]; }) };
    const x = ones(1).requiresGrad_();
    equal([object.run(x), isGradEnabled()], [[false, false], true]);
    const steps = noGrad.wrap(function* (first) { const sent = yield [first, isGradEnabled()]; yield [sent, isGradEnabled()]; return 3; });
    const running = steps(1);
    equal([running.next().value, isGradEnabled(), running.next(2).value, isGradEnabled(), running.next().value], [[1, false], true, [2, false], true, 3]);
    equal([...noGrad.wrap(function* () { yield isGradEnabled(); })()], [false]);
    const wrapped = setGradEnabled(false).wrap(() => [isGradEnabled(), enableGrad.wrap(isGradEnabled)(), inferenceMode.wrap(isGradEnabled)()]);
    equal([isGradEnabled(), wrapped(), isGradEnabled()], [true, [false, true, false], true]);
    await refuses(() => noGrad.wrap(async () => {}), 'argument', /noGrad.wrap: .*async/);
    await refuses(() => noGrad.wrap(() => Promise.resolve(1))(), 'argument', /async/);
    await refuses(() => noGrad.wrap(1), 'argument', /noGrad.wrap/);
  },

  'hooks see and replace the gradient of a result': async ({ nn, noGrad, ones, tensor }) => {
    const layer = new nn.Linear(2, 1, { bias: false });
    noGrad(() => layer.weight.copy_(tensor([[3, 5]])));
    const seen = [];
    const handles = [
      layer.registerFullBackwardPreHook((_, [grad]) => { seen.push(['before', grad.shape]); return grad.mul(10); }),
      layer.registerFullBackwardHook((_, [input], [output]) => { seen.push(['after', input.shape, output.shape]); }),
    ];
    const x = ones(1, 2).requiresGrad_();
    layer.call(x).sum().backward();
    equal(seen, [['before', [1, 1]], ['after', [1, 2], [1, 1]]]);
    equal([await x.grad.tolist(), await layer.weight.grad.tolist()], [[[30, 50]], [[10, 10]]]);
    handles.forEach((handle) => handle.remove());
    const gru = new nn.GRU(1, 1);
    gru.registerFullBackwardPreHook(() => {});
    await refuses(() => gru.call(ones(1, 1, 1))[0].sum().backward(), 'argument', /one result/);
  },

  'the rates of SWALR, and a module of averages': async ({ nn, optim, ones, tensor, noGrad }) => {
    const parameters = [1, 0.5].map((lr) => ({ params: [nn.parameter(ones(1))], lr }));
    const want = {
      cos: [[1, 0.5], [0.8681980515339464, 0.4560660171779821], [0.55, 0.35], [0.23180194846605365, 0.2439339828220179], [0.1, 0.2], [0.1, 0.2]],
      linear: [[1, 0.5], [0.775, 0.425], [0.55, 0.35], [0.325, 0.275], [0.1, 0.2], [0.1, 0.2]],
    };
    for (const [annealStrategy, rates] of Object.entries(want)) {
      const optimizer = new optim.SGD(parameters, { lr: 1 });
      const schedule = new optim.swaUtils.SWALR(optimizer, { swaLr: [0.1, 0.2], annealEpochs: 4, annealStrategy });
      for (const each of rates) {
        close(schedule.getLastLr(), each);
        optimizer.step();
        schedule.step();
      }
    }
    const net = new nn.Linear(1, 1, { bias: false });
    const mean = new optim.swaUtils.AveragedModel(net, { avgFn: (averaged, current, count) => averaged.add(current).mul(count) });
    for (const value of [1, 2, 3]) {
      noGrad(() => net.weight.copy_(tensor([[value]])));
      mean.updateParameters(net);
    }
    equal([await mean.call(ones(1, 1)).item(), await mean.module.weight.item(), mean.nAveraged], [12, 12, 3]);
    await refuses(() => new optim.swaUtils.SWALR(new optim.SGD(parameters, { lr: 1 }), { swaLr: 0.1, annealEpochs: -1 }), 'argument', /anneal_?epochs/i);
  },
};
