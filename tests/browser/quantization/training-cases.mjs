/** Gradients, adapters, observers, static quantization and quantization-aware training. */
import { close, equal, ok } from '../lib/expect.mjs';
import { distance, goldenModel, net } from './lib.mjs';

export const training = {
  'fake quantization and its gradients are those of PyTorch': async ({ golden, lanthorn }) => {
    const { x, grad, calls } = golden.fake_quantize;
    const names = {
      fake_quantize_per_tensor_affine: 'fakeQuantizePerTensorAffine',
      fake_quantize_per_channel_affine: 'fakeQuantizePerChannelAffine',
      fake_quantize_learnable_per_tensor_affine: 'fakeQuantizeLearnablePerTensorAffine',
      fake_quantize_learnable_per_channel_affine: 'fakeQuantizeLearnablePerChannelAffine',
    };
    for (const { op, tensors, arguments: others, y, grad: wanted, grads } of calls) {
      const given = lanthorn.tensor(x).requiresGrad_();
      const isLearned = grads.length > 0;
      const leaves = tensors.map((values, index) => (isLearned || index === 0
        ? lanthorn.tensor(values).requiresGrad_(isLearned) : lanthorn.tensor(values, { dtype: 'int32' })));
      const found = lanthorn[names[op]](given, ...leaves, ...others);
      found.mul(lanthorn.tensor(grad)).sum().backward();
      close(await found.tolist(), y, undefined, op);
      close(await given.grad.tolist(), wanted, undefined, `${op}, gradient`);
      for (const [index, values] of grads.entries()) close(await leaves[index].grad.tolist(), values, undefined, `${op}, gradient ${index}`);
    }
  },

  'gradients go through quantized weights, and an adapter is trained': async (given) => {
    const { lanthorn: { manualSeed, nn, optim, randn }, quantization: { BlockWeightOnly, Int4WeightOnly, Int8WeightOnly, quantize_ } } = given;
    for (const config of [Int8WeightOnly(), Int4WeightOnly({ groupSize: 32 }), Int4WeightOnly({ groupSize: 64 }), BlockWeightOnly({ format: 'q4_0' })]) {
      manualSeed(5);
      class Adapted extends nn.Module {
        base = new nn.Linear(64, 64);
        down = new nn.Linear(64, 4, { bias: false });
        up = new nn.Linear(4, 64, { bias: false });
        head = new nn.Linear(64, 1);
        forward(x) { return this.head.call(this.base.call(x).add(this.up.call(this.down.call(x))).tanh()); }
      }
      const model = new Adapted();
      await quantize_(model, config, (_, name) => name === 'base' || name === 'head');
      model.base.bias.requiresGrad_(false);
      const bytes = await model.base.stateDict()['parametrizations.weight.qdata'].tolist();
      const trained = model.parameters().filter(({ requiresGrad }) => requiresGrad);
      equal(trained.length, 3);
      const optimizer = new optim.AdamW(trained, { lr: 0.02 });
      const [x, y] = [randn([32, 64]), randn([32, 1]).mul(0.1)];
      const losses = [];
      for (let step = 0; step < 30; step += 1) {
        optimizer.zeroGrad();
        const loss = model.call(x).sub(y).square().mean();
        loss.backward();
        optimizer.step();
        losses.push(await loss.item());
      }
      ok(losses.at(-1) < 0.5 * losses[0], `${config}: ${losses[0]} to ${losses.at(-1)}`);
      equal(await model.base.stateDict()['parametrizations.weight.qdata'].tolist(), bytes);
      const input = randn([2, 64]).requiresGrad_();
      model.base.call(input).sum().backward();
      close(await input.grad.tolist(), await model.base.weight.sum(0).expand([2, 64]).tolist(), { absolute: 1e-4, relative: 1e-4 });
      model.dispose();
    }
  },

  'observers are those of PyTorch': async ({ golden, lanthorn: { tensor }, quantization }) => {
    const { batches, results } = golden.observers;
    const options = { MovingAverageMinMaxObserver: { averagingConstant: 0.1 }, HistogramObserver: { bins: 256 }, PerChannelMinMaxObserver: { chAxis: 1 } };
    equal(results.length, 8);
    for (const { observer: name, qscheme, quant_min: quantMin, quant_max: quantMax, scale, zero_point } of results) {
      const observer = new quantization[name]({ qscheme, quantMin, quantMax, ...options[name] });
      for (const batch of batches) observer.call(tensor(batch));
      const found = await observer.calculateQParams();
      const message = `${name} ${qscheme}`;
      close(await found.scale.reshape([-1]).tolist(), scale, { absolute: 0, relative: 1e-5 }, message);
      equal(await found.zeroPoint.reshape([-1]).tolist(), zero_point, message);
      observer.dispose();
    }
  },

  'static quantization rounds inputs to the grid that was observed': async (given) => {
    const { io, golden, lanthorn: { randn, tensor }, quantization: { convert, HistogramObserver, MinMaxObserver, prepare } } = given;
    for (const observer of [() => new MinMaxObserver(), () => new HistogramObserver({ bins: 512 })]) {
      const make = async () => {
        const model = prepare(net(given).eval(), { observer });
        const calibration = Array.from({ length: 4 }, () => randn([8, 3, 4, 4]));
        const before = calibration.map((x) => model.call(x));
        return [await convert(model), calibration, before];
      };
      const [model, calibration, before] = await make();
      for (const [index, x] of calibration.entries()) ok(await distance(model.call(x), before[index]) < 0.08);
      const names = Object.keys(model.stateDict());
      ok(names.includes('3.parametrizations.weight.input_scale') && names.includes('3.parametrizations.weight.input_zero_point'));
      const [other] = await make();
      other.loadStateDict(await io.load(await io.save(model.stateDict())));
      equal(await other.call(calibration[0]).tolist(), await model.call(calibration[0]).tolist());
      for (const one of [model, other]) one.dispose();
    }
    // A number outside of the observed range is clamped.
    const model = prepare(goldenModel(given), { observer: () => new MinMaxObserver() });
    model.call(tensor(golden.linear.x).clamp(-1, 1));
    await convert(model);
    const [far, end] = [100, 1].map((value) => model.call(tensor([Array(64).fill(value)])));
    ok(await distance(far, end) < 0.05);
    model.dispose();
  },

  'quantization-aware training ends in the model that was trained': async (given) => {
    const { lanthorn: { manualSeed, optim, randn }, quantization } = given;
    const { Int4WeightOnly, Int8DynamicActivationInt8Weight, Int8WeightOnly, QATConfig, quantizationReport, quantize_ } = quantization;
    for (const config of [Int8WeightOnly(), Int8WeightOnly({ groupSize: 32 }), Int8DynamicActivationInt8Weight(), Int4WeightOnly({ groupSize: 32 }), Int4WeightOnly({ groupSize: 64 })]) {
      const model = net(given);
      const optimizer = new optim.Adam(model.parameters(), { lr: 0.003 });
      await quantize_(model, new QATConfig(config, { step: 'prepare' }));
      ok(Object.keys(model.stateDict()).includes('3.parametrizations.weight.original'));
      equal(model.parameters().length, 6);
      manualSeed(2);
      const [x, y] = [randn([16, 3, 4, 4]), randn([16, 4])];
      const losses = [];
      for (let step = 0; step < 25; step += 1) {
        optimizer.zeroGrad();
        const loss = model.call(x).sub(y).square().mean();
        loss.backward();
        optimizer.step();
        losses.push(await loss.item());
      }
      ok(losses.at(-1) < 0.5 * losses[0], `${config}: ${losses[0]} to ${losses.at(-1)}`);
      model.eval();
      const before = model.call(x);
      await quantize_(model, new QATConfig(config, { step: 'convert' }));
      ok(await distance(model.call(x), before) < 1e-2, `${config}`);
      ok(quantizationReport(model).length >= 2);
      model.dispose();
    }
  },

  'FakeQuantize follows its observer until that is disabled': async ({ lanthorn: { linspace, tensor }, quantization: { FakeQuantize, MinMaxObserver, PerChannelMinMaxObserver } }) => {
    const round = new FakeQuantize({ observer: new MinMaxObserver({ quantMin: 0, quantMax: 3 }) });
    const x = tensor([-1, 0.4, 2]).requiresGrad_();
    const y = round.call(x);
    equal(await y.tolist(), [-1, 0, 2]);
    y.sum().backward();
    equal(await x.grad.tolist(), [1, 1, 1]);
    round.disableObserver();
    equal(await round.call(tensor([-9, 9])).tolist(), [-1, 2]);
    equal(await round.disableFakeQuant().call(tensor([-9, 9])).tolist(), [-9, 9]);
    equal(Object.keys(round.stateDict()).toSorted(), ['observer.maxVal', 'observer.minVal', 'scale', 'zeroPoint']);
    // A scale that is not a whole number.
    const even = new FakeQuantize();
    close(await even.call(linspace(-1, 1, 5)).tolist(), [-1, -0.5, 0, 0.5, 1], { absolute: 0.01, relative: 0 });
    const channels = new FakeQuantize({ observer: new PerChannelMinMaxObserver({ qscheme: 'per_channel_symmetric' }) });
    equal((await channels.call(tensor([[1, 0.5], [100, 50]])).tolist()).length, 2);
    equal(channels.scale.shape, [2]);
  },
};
