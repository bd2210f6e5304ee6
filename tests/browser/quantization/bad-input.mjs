/** Models and configurations that do not fit: typed errors that name the layer, and the model works on. */
import { equal, refuses } from '../lib/expect.mjs';
import { net } from './lib.mjs';

export const badInput = {
  'configurations that are wrong are errors': async ({ quantization: q }) => {
    await refuses(() => q.Int4WeightOnly({ groupSize: 48 }), 'argument', /groupSize takes 32, 64, 128, 256, not 48/);
    await refuses(() => q.Int4WeightOnly({ groups: 48 }), 'argument', /there is no argument "groups"/);
    await refuses(() => q.Int8WeightOnly({ groupSize: 0.5 }), 'argument', /groupSize/);
    await refuses(() => q.BlockWeightOnly({ format: 'q4_k' }), 'argument', /format takes q4_0.*not "q4_k"/);
    await refuses(() => new q.QATConfig(q.BlockWeightOnly(), { step: 'prepare' }), 'argument', /not trained in blocks/);
    await refuses(() => new q.QATConfig(q.Int8WeightOnly(), { step: 'run' }), 'argument', /step takes/);
    await refuses(() => new q.MinMaxObserver({ qscheme: 'per_channel_affine' }), 'argument', /qscheme/);
    await refuses(() => new q.MinMaxObserver({ quantMin: 3, quantMax: 3 }), 'argument', /quantMin and quantMax/);
    await refuses(() => new q.HistogramObserver({ bins: 0 }), 'argument', /bins/);
    await refuses(() => new q.FakeQuantize({ observer: new q.HistogramObserver() }), 'argument', /awaited/);
    for (const name of ['MinMaxObserver', 'HistogramObserver', 'PerChannelMinMaxObserver']) {
      await refuses(() => new q[name]().calculateQParams(), 'argument', /has observed no numbers/);
    }
  },

  'a model that does not fit is an error that names the layer, and is as it was': async (given) => {
    const { lanthorn: { nn, noGrad, randn }, quantization: q } = given;
    const model = net(given);
    const x = randn([2, 3, 4, 4]);
    const before = await model.call(x).tolist();
    const check = async (action, ...patterns) => {
      await refuses(action, 'argument', ...patterns);
      equal(await model.call(x).tolist(), before);
      equal(model.buffers().length, 0);
    };
    await check(() => q.quantize_(model, { groupSize: 32 }), /takes a configuration such as Int8WeightOnly\(\)/);
    await check(() => q.quantize_(model, 'int8'), /takes a configuration/);
    await check(() => q.quantize_({}, q.Int8WeightOnly()), /takes a module/);
    await check(() => q.quantize_(model, q.Int8WeightOnly(), 3), /takes a function/);
    await check(() => q.quantize_(model, q.Int8WeightOnly(), () => false), /no layer that is quantized/);
    await check(() => q.quantize_(model, q.Int4WeightOnly({ groupSize: 128 })), /the layer "5" has 64 input features, which groupSize 128 does not divide/);
    await check(() => q.quantize_(model, q.BlockWeightOnly(), () => true), /the layer "0" has 27 input features, which the 32 numbers of a block do not divide/);
    await check(() => q.quantize_(model, q.Int8DynamicActivationInt8Weight(), () => true), /the layer "0" is a Conv2d/);
    await check(() => q.dequantize(model), /no layer/);
    await check(() => q.convert(model), /no layer/);
    await check(() => q.quantize_(model, new q.QATConfig(q.Int8WeightOnly(), { step: 'convert' }), () => true), /the layer "0" was not prepared/);
    await check(() => q.quantize_(new nn.Linear(20, 2), q.Int4WeightOnly({ groupSize: 32 })), /the Linear has 20 input features/);

    const broken = net(given);
    noGrad(() => broken[5].bias && broken[5].weight.mul_(NaN));
    await refuses(() => q.quantize_(broken, q.Int8WeightOnly()), 'argument', /the layer "5" has a weight with NaN or infinity/);
    equal(broken.buffers().length, 0);

    const normed = new nn.Sequential(nn.utils.parametrizations.weightNorm(new nn.Linear(8, 8)));
    await refuses(() => q.quantize_(normed, q.Int8WeightOnly()), 'argument', /the layer "0" has no parameter weight/);

    await q.quantize_(model, q.Int8WeightOnly());
    await refuses(() => q.quantize_(model, q.Int8WeightOnly()), 'argument', /the layer "0" is quantized already, by Int8WeightOnly\(\)/);
    await refuses(() => q.prepare(model), 'argument', /the layer "0" is quantized already/);
    await refuses(() => { model[3].weight = nn.parameter(randn([64, 128])); }, 'argument', /is computed \(Int8WeightOnly\(\)\)/);
    equal((await model.call(x).tolist()).length, 2);
  },

  'weights of 0 are quantized to 0': async (given) => {
    const { lanthorn: { nn, noGrad, ones }, quantization: q } = given;
    for (const config of [q.Int8WeightOnly(), q.Int4WeightOnly({ groupSize: 32 }), q.BlockWeightOnly({ format: 'q4_0' })]) {
      const layer = new nn.Linear(32, 2, { bias: false });
      noGrad(() => layer.weight.zero_());
      await q.quantize_(layer, config);
      equal(await layer.call(ones([1, 32])).tolist(), [[0, 0]]);
      equal(q.quantizationReport(layer)[0].relativeError, 0);
    }
  },

  'a file of another configuration is refused': async (given) => {
    const { quantization: q } = given;
    const [one, other] = [await q.quantize_(net(given), q.Int8WeightOnly()), await q.quantize_(net(given), q.Int4WeightOnly({ groupSize: 64 }))];
    await refuses(() => other.loadStateDict(one.stateDict()), 'argument', /missing: .*3\.parametrizations\.weight\.zero_point/);
  },

  'static quantization needs calibration data': async (given) => {
    const { lanthorn: { full, randn }, quantization: q } = given;
    const model = q.prepare(net(given), { observer: () => new q.MinMaxObserver() });
    await refuses(() => q.prepare(model), 'argument', /the layer "0" is prepared already/);
    await refuses(() => q.convert(model), 'argument', /the layer "0" has observed no numbers/);
    model.call(full([1, 3, 4, 4], NaN));
    await refuses(() => q.convert(model), 'argument', /the layer "0" has observed NaN or infinity/);
    const other = net(given);
    await refuses(() => q.prepare(other, { observer: () => 3 }), 'argument', /the layer "0" needs an observer/);
    await refuses(() => q.prepare(other, { observer: () => new q.PerChannelMinMaxObserver() }), 'argument', /whole tensors/);
    equal(other.call(randn([1, 3, 4, 4])).shape, [1, 4]);
  },
};
