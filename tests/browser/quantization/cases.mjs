/** `lanthorn/quantization`, in a page and in Node. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';
import { badInput } from './bad-input.mjs';
import { distance, goldenModel, net } from './lib.mjs';
import { training } from './training-cases.mjs';

/** The configurations, with the largest error of a layer of normally distributed weights. */
export const configs = ({ BlockWeightOnly, Int4WeightOnly, Int8DynamicActivationInt8Weight, Int8WeightOnly }) => [
  [Int8WeightOnly(), 0.01],
  [Int8WeightOnly({ groupSize: 32 }), 0.01],
  [Int8DynamicActivationInt8Weight(), 0.01],
  [Int4WeightOnly({ groupSize: 32 }), 0.12],
  [Int4WeightOnly({ groupSize: 64 }), 0.12],
  ...[['q8_0', 0.01], ['q5_1', 0.06], ['q5_0', 0.07], ['q4_1', 0.12], ['q4_0', 0.13]].map(([format, error]) => [BlockWeightOnly({ format }), error]),
];

/** Checks that integers are equal, except a few whose numbers are in the middle of two integers. */
function sameIntegers(found, wanted, message) {
  const different = found.flat().filter((value, index) => value !== wanted.flat()[index]);
  ok(different.length <= wanted.length, `${message}: ${different.length} of ${wanted.flat().length} integers differ`);
}

/** The integers of 4 bits in bytes: the first half of a group is in the low bits. */
function unpack(bytes, groupSize) {
  return bytes.map((row) => {
    const found = [];
    for (let start = 0; start < row.length; start += groupSize / 2) {
      const group = row.slice(start, start + groupSize / 2);
      found.push(...group.map((byte) => byte % 16), ...group.map((byte) => byte >> 4));
    }
    return found;
  });
}

export const cases = {
  'integers, scales and results of 8 bits are those of torchao': async (given) => {
    const { golden, lanthorn: { tensor }, quantization: { Int8DynamicActivationInt8Weight, Int8WeightOnly, quantize_ } } = given;
    for (const [name, config] of [['int8_weight_only', Int8WeightOnly()], ['int8_dynamic', Int8DynamicActivationInt8Weight()]]) {
      const model = await quantize_(goldenModel(given), config);
      const state = model.stateDict();
      equal(Object.keys(state).toSorted(), ['0.bias', '0.parametrizations.weight.qdata', '0.parametrizations.weight.scale']);
      const { qdata, scale, y } = golden[name];
      close(await state['0.parametrizations.weight.scale'].tolist(), scale, { absolute: 0, relative: 1e-6 });
      sameIntegers((await state['0.parametrizations.weight.qdata'].tolist()).map((row) => row.map((byte) => byte - 128)), qdata, name);
      // A step at the middle of two integers is one part in 255 of a weight.
      close(await model.call(tensor(golden.linear.x)).tolist(), y, { absolute: 0.1, relative: 0 });
      model.dispose();
    }
  },

  'integers, scales and results of 4 bits are those of torchao': async (given) => {
    const { golden, lanthorn: { tensor }, quantization: { Int4WeightOnly, quantize_ } } = given;
    const { integers, scale, zero_point, y } = golden.int4_group_64;
    const model = await quantize_(goldenModel(given), Int4WeightOnly({ groupSize: 64 }));
    const state = model.stateDict();
    equal(Object.keys(state).toSorted(), ['0.bias', ...['qdata', 'scale', 'zero_point'].map((name) => `0.parametrizations.weight.${name}`)]);
    close((await state['0.parametrizations.weight.scale'].tolist()).flat(), scale, { absolute: 0, relative: 1e-6 });
    close((await state['0.parametrizations.weight.zero_point'].tolist()).flat(), zero_point, { absolute: 1e-6, relative: 1e-5 });
    equal(unpack(await state['0.parametrizations.weight.qdata'].tolist(), 64), integers);
    close(await model.call(tensor(golden.linear.x)).tolist(), y, { absolute: 1e-4, relative: 1e-5 });
    model.dispose();

    // Blocks have their scales and smallest elements in float16.
    const blocks = await quantize_(goldenModel(given), Int4WeightOnly({ groupSize: 32 }));
    const bytes = await blocks.stateDict()['0.parametrizations.weight.qdata'].tolist();
    const numbers = bytes.map((row) => [...row.slice(4, 20), ...row.slice(24, 40)]);
    sameIntegers(unpack(numbers, 32), golden.int4_group_32.integers, 'blocks');
    close(await blocks.call(tensor(golden.linear.x)).tolist(), golden.int4_group_32.y, { absolute: 0.05, relative: 1e-3 });
    blocks.dispose();
  },

  'groups of 128, the default of 4 bits, are blocks': async (given) => {
    const { lanthorn: { nn, manualSeed, randn }, quantization: { Int4WeightOnly, quantizationReport, quantize_ } } = given;
    manualSeed(4);
    const [model, x] = [new nn.Sequential(new nn.Linear(256, 24)), randn([3, 256])];
    const before = model.call(x);
    await quantize_(model, Int4WeightOnly());
    equal(Object.keys(model.stateDict()).toSorted(), ['0.bias', '0.parametrizations.weight.qdata']);
    // Two blocks a row: 64 bytes of integers, a scale and a smallest element.
    equal(model.stateDict()['0.parametrizations.weight.qdata'].shape, [24, 2 * 68]);
    ok(await distance(model.call(x), before) < 0.2);
    const [{ relativeError, bytesAfter }] = quantizationReport(model);
    ok(relativeError > 0.05 && relativeError < 0.15 && bytesAfter === 24 * 136, `${relativeError}, ${bytesAfter} bytes`);
    model.dispose();
  },

  'results stay close, and the report has sizes and errors': async (given) => {
    const { lanthorn: { manualSeed, randn }, quantization } = given;
    for (const [config, most] of configs(quantization)) {
      const model = net(given).eval();
      manualSeed(1);
      const x = randn([2, 3, 4, 4]);
      const before = model.call(x);
      await quantization.quantize_(model, config);
      ok(await distance(model.call(x), before) < 2 * most + 0.01, `${config}`);
      const report = quantization.quantizationReport(model);
      equal(report.map(({ name }) => name), config.name === 'Int8WeightOnly' && config.groupSize === null ? ['0', '3', '5'] : ['3', '5']);
      for (const { bytesBefore, bytesAfter, relativeError, scheme } of report) {
        ok(relativeError > 0 && relativeError < most, `${scheme}: ${relativeError}`);
        ok(bytesAfter < bytesBefore * (scheme.includes('8') ? 0.5 : 0.3), `${scheme}: ${bytesBefore} to ${bytesAfter} bytes`);
      }
      ok(String(model).includes(`weight=${config}`), String(model));
      model.dispose();
    }
  },

  'numbers beyond float16 have scales of another type': async (given) => {
    const { lanthorn: { nn, tensor }, quantization: { BlockWeightOnly, Int4WeightOnly, Int8WeightOnly, quantize_ } } = given;
    for (const largest of [1e5, 3e9]) {
      const numbers = Array.from({ length: 256 }, (_, index) => largest * (index < 2 ? 1 - 2 * index : Math.cos(index * 0.7)));
      for (const [config, most] of [
        ...[32, 64, 128, 256].map((groupSize) => [Int4WeightOnly({ groupSize }), (largest * 2 * 0.55) / 15]),
        [Int8WeightOnly({ groupSize: 32 }), (largest * 0.55) / 127], [Int8WeightOnly(), (largest * 0.55) / 127],
      ]) {
        const layer = new nn.Linear(256, 1, { bias: false });
        layer.loadStateDict({ weight: tensor([numbers]) });
        await quantize_(layer, config);
        const found = (await layer.weight.tolist())[0];
        const error = Math.max(...found.map((number, index) => Math.abs(number - numbers[index])));
        ok(error <= most, `${config} up to ${largest}: ${error}`);
        layer.dispose();
      }
    }
    // A step of rounding at the end of float16 is no infinity.
    for (const dtype of ['float16', 'bfloat16']) {
      for (const config of [Int4WeightOnly({ groupSize: 32 }), Int4WeightOnly({ groupSize: 64 }), Int8WeightOnly({ groupSize: 32 }), Int8WeightOnly()]) {
        const layer = new nn.Linear(64, 1, { bias: false });
        layer.loadStateDict({ weight: tensor([Array.from({ length: 64 }, (_, index) => (index % 2 === 0 ? 65504 : -65504))]) });
        await quantize_(layer.to(dtype), config);
        const found = (await layer.weight.to('float32').tolist())[0];
        ok(found.every((number, index) => Math.abs(number - (index % 2 === 0 ? 65504 : -65504)) <= 600), `${config} of ${dtype}: ${found.slice(0, 2)}`);
        layer.dispose();
      }
    }
    const layer = new nn.Linear(32, 1, { bias: false });
    layer.loadStateDict({ weight: tensor([new Array(32).fill(1e6)]) });
    await refuses(() => quantize_(layer, BlockWeightOnly({ format: 'q4_0' })), 'limit', /beyond float16/);
    layer.dispose();
  },

  'what is quantized is a buffer, and the filter chooses': async (given) => {
    const { lanthorn: { nn, tensor }, quantization: { BlockWeightOnly, Int4WeightOnly, Int8WeightOnly, quantize_ } } = given;
    const model = net(given);
    await quantize_(model, Int8WeightOnly(), (module, name) => module instanceof nn.Linear && name !== '5');
    equal(model.parameters().length, 5);
    equal(Array.from(model.namedBuffers(), ([name]) => name), ['3.parametrizations.weight.qdata', '3.parametrizations.weight.scale']);
    equal(model[3].weight.shape, [64, 128]);
    ok(!model[3].weight.requiresGrad);
    model.dispose();

    // Embeddings decode the rows that they read.
    for (const config of [Int8WeightOnly(), Int4WeightOnly({ groupSize: 32 }), BlockWeightOnly({ format: 'q4_0' })]) {
      const table = new nn.Embedding(10, 32);
      const ids = tensor([[1, 2], [9, 1]], { dtype: 'int32' });
      const before = table.call(ids);
      await quantize_(table, config, () => true);
      const found = table.call(ids);
      equal(found.shape, [2, 2, 32]);
      ok(await distance(found, before) < 0.15);
      equal(await found.tolist(), await table.weight.indexSelect(0, ids.reshape([-1])).reshape([2, 2, 32]).tolist());
      table.dispose();
    }
  },

  'tied weights are kept for the other module': async (given) => {
    const { lanthorn: { nn, tensor }, quantization: { Int8WeightOnly, quantize_ } } = given;
    class Tied extends nn.Module {
      table = new nn.Embedding(6, 8);
      head = new nn.Linear(8, 6, { bias: false });
    }
    const model = new Tied();
    model.head.weight = model.table.weight;
    await quantize_(model, Int8WeightOnly());
    equal(model.table.call(tensor([1], { dtype: 'int32' })).shape, [1, 8]);
    equal(Object.keys(model.stateDict()).filter((name) => name.startsWith('table')), ['table.weight']);
    model.dispose();
  },

  'dequantize gives the rounded weights back, and nothing is left': async (given) => {
    const { lanthorn: { randn, stats }, quantization } = given;
    (await quantization.quantize_(net(given), quantization.Int8WeightOnly())).dispose();
    const start = await settled(stats);
    for (const [config] of configs(quantization)) {
      const model = net(given);
      const names = Array.from(model.namedParameters(), ([name]) => name);
      await quantization.quantize_(model, config);
      const x = randn([2, 3, 4, 4]);
      const found = model.call(x);
      const rounded = await model[3].weight.tolist();
      quantization.dequantize(model);
      equal(Array.from(model.namedParameters(), ([name]) => name), names);
      equal(await model[3].weight.tolist(), rounded);
      ok(model.parameters().every(({ requiresGrad }) => requiresGrad));
      if (config.name !== 'Int8DynamicActivationInt8Weight') close(await model.call(x).tolist(), await found.tolist());
      model.dispose();
      x.dispose();
      found.dispose();
    }
    equal(await settled(stats), start, 'tensors');
  },

  'a state dict goes through a file into a model of the same configuration': async (given) => {
    const { io, lanthorn: { randn }, quantization } = given;
    for (const [config] of configs(quantization)) {
      const [model, other] = [net(given), net(given)];
      for (const tensor of other.parameters()) tensor.detach().mul_(0.5);
      await quantization.quantize_(model, config);
      await quantization.quantize_(other, config);
      const file = await io.save(model.stateDict());
      other.loadStateDict(await io.load(file));
      const x = randn([2, 3, 4, 4]);
      equal(await other.call(x).tolist(), await model.call(x).tolist());
      model.dispose();
      other.dispose();
    }
  },

  'a compiled model reads the bytes': async (given) => {
    const { lanthorn: { compile, noGrad, randn }, quantization: { Int4WeightOnly, quantize_ } } = given;
    const model = await quantize_(net(given).eval(), Int4WeightOnly({ groupSize: 32 }));
    const fast = compile((x) => noGrad(() => model.call(x)));
    for (let round = 0; round < 3; round += 1) {
      const x = randn([2, 3, 4, 4]);
      close(await fast(x).tolist(), await noGrad(() => model.call(x)).tolist());
    }
    model.dispose();
  },

  'a model that a scope returns keeps its buffers, and a snapshot has them': async (given) => {
    const { device, lanthorn: { autosave, randn, recover, scope }, quantization: { Int4WeightOnly, quantize_ } } = given;
    const model = await scope(async () => quantize_(net(given).eval(), Int4WeightOnly({ groupSize: 64 })));
    const x = randn([2, 3, 4, 4]);
    const before = await model.call(x).tolist();
    const saved = autosave({ model, x });
    await saved.snapshot();
    await recover({ device });
    close(await model.call(x).tolist(), before);
    saved.stop();
    model.dispose();
  },

  'half types': async (given) => {
    const { lanthorn: { randn }, quantization: { BlockWeightOnly, Int4WeightOnly, Int8WeightOnly, quantize_ } } = given;
    for (const config of [Int8WeightOnly(), Int4WeightOnly({ groupSize: 32 }), BlockWeightOnly()]) {
      const model = net(given).half();
      const x = randn([2, 3, 4, 4]).to('float16');
      const before = model.call(x);
      await quantize_(model, config);
      const after = model.call(x);
      equal(after.dtype, 'float16');
      ok(await distance(after.to('float32'), before.to('float32')) < 0.25);
      model.dispose();
    }
  },

  ...training,
  ...badInput,
};
