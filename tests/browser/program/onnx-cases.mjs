/** `lanthorn/program` on models of ONNX that PyTorch exported (`tests/models/training.py`). */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

/**
 * The bytes of a file in which each occurrence of a text is replaced by another of the same length.
 */
function replaceText(file, from, to) {
  const bytes = new Uint8Array(file).slice();
  const [wanted, other] = [from, to].map((text) => new TextEncoder().encode(text));
  for (let at = 0; at + wanted.length <= bytes.length; at += 1) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) bytes.set(other, at);
  }
  return bytes;
}

/** A field of a protocol buffer: a number, a text, or a message of fields. */
function field(number, value) {
  if (typeof value === 'number') return [number << 3, value];
  const payload = typeof value === 'string' ? [...new TextEncoder().encode(value)] : value.flat();
  return [(number << 3) | 2, payload.length, ...payload];
}

/** A node of a graph. */
function nodeOf(operator, inputs, output, ...more) {
  return field(1, [...inputs.map((name) => field(1, name)), field(2, output), field(4, operator), ...more]);
}

/** A model of nodes from `x` to `y`, with the type of `x` and more fields of the model. */
function modelOf(nodes, type = [], ...more) {
  const given = typeof nodes === 'string' ? [nodeOf(nodes, ['x'], 'y')] : nodes;
  const graph = [...given, field(2, 'g'), field(11, [field(1, 'x'), ...type]), field(12, [field(1, 'y')])];
  return Uint8Array.from([field(1, 8), field(8, [field(2, 17)]), field(7, graph), ...more].flat());
}

/** Trains a model as PyTorch trained it, and returns the losses. */
async function train({ lanthorn, io, program, read }, folder, wrap, planned = true) {
  const { nn, optim } = lanthorn;
  const recorded = JSON.parse(new TextDecoder().decode(await read(`${folder}/onnx.json`)));
  const { inputs, targets } = await io.load(await read(`${folder}/data.safetensors`));
  const { optimizer: rule, options: { lr, weight_decay: weightDecay, ...options } } = recorded;
  const net = await program.load(await read(`${folder}/model.onnx`));
  net.planned = planned;
  const optimizer = new optim[rule](net.parameters(), { lr, ...options, ...(weightDecay === undefined ? {} : { weightDecay }) });
  const step = wrap((x, y) => {
    optimizer.zeroGrad();
    const loss = nn.functional.crossEntropy(net.call(x), y);
    loss.backward();
    optimizer.step();
    return loss;
  });
  const losses = [];
  for (let i = 0; i < recorded.losses.length; i += 1) {
    const [x, y] = [inputs, targets].map((all) => all.select(0, i % all.shape[0]));
    const loss = step(x, y);
    losses.push(await loss.item());
    for (const each of [x, y, loss]) each.dispose();
  }
  for (const each of [net, optimizer, inputs, targets]) each.dispose();
  return { losses, recorded, step };
}

export const onnxCases = {
  'a model of ONNX gives the results of PyTorch, also for another number of examples': async ({ lanthorn, io, program, read }) => {
    const { inputs } = await io.load(await read('training_encoder/data.safetensors'));
    const model = await program.load(await read('training_encoder/model.onnx'));
    equal([model.inputs, model.outputs, model instanceof program.OnnxModel], [['input'], ['logits'], true]);
    const x = inputs.select(0, 1);
    const { logits } = JSON.parse(new TextDecoder().decode(await read('training_encoder/onnx.json')));
    const found = model.call(x);
    close(await found.tolist(), logits, { absolute: 1e-5, relative: 0 });
    const [fewer, few] = lanthorn.noGrad(() => [x.narrow(0, 0, 3)].flatMap((part) => [part, model.call(part)]));
    equal(few.shape, [3, 3]);
    for (const each of [model, inputs, x, found, fewer, few]) each.dispose();
  },

  'an encoder and a convolutional net of ONNX are trained with the losses of PyTorch': async (given) => {
    const { compile, scope } = given.lanthorn;
    for (const folder of ['training_encoder', 'training_conv']) {
      const runInScope = (step) => (...args) => scope(() => step(...args));
      const { losses: planned } = await train(given, folder, runInScope);
      // A planned call is not fused with the loss, as an interpreted one is.
      const { losses: eager, recorded } = await train(given, folder, runInScope, false);
      // Twice PyTorch's own error in float32.
      for (const losses of [planned, eager]) close(losses, recorded.losses, { absolute: 0, relative: 2 * recorded.error }, folder);
      const { losses: compiled, step } = await train(given, folder, compile);
      equal(compiled, eager, folder);
      ok(step.explain().replays > 0, 'a step is replayed');
    }
  },

  'run takes arrays by names, and gives results by names': async ({ device, lanthorn, program, read }) => {
    const model = await program.load(await read('training_encoder/model.onnx'));
    const tokens = Array.from({ length: 20 }, (_, index) => (index * 7) % 30);
    const { logits } = await model.run({ input: BigInt64Array.from(tokens, BigInt) });
    const before = lanthorn.memory().tensors;
    equal([logits.shape, logits.requiresGrad], [[2, 3], false]);
    const nested = await model.run({ input: [tokens.slice(0, 10), tokens.slice(10)] });
    const given = await model.run({ input: lanthorn.tensor(Int32Array.from(tokens), { shape: [2, 10] }) });
    equal(await nested.logits.tolist(), await logits.tolist());
    equal(await given.logits.tolist(), await logits.tolist());
    for (const result of [nested.logits, given.logits]) result.dispose();
    // What other cases have left may be collected meanwhile.
    ok(lanthorn.memory().tensors - before <= 1, 'calls leave no tensors but their results and one that is given');
    await refuses(() => model.run({ inputs: [tokens] }), 'argument', /no input inputs; the inputs are input/);
    await refuses(() => model.run({}), 'argument', /no value for input/);
    await refuses(() => model.run({ input: new Int32Array(15) }), 'shape', /15 elements do not tell the sizes/);
    await refuses(() => model.call(lanthorn.ones(2)), 'argument', /input: takes 2 dimensions/);
    if (device === 'webgpu') await refuses(() => model.run({ input: new BigInt64Array(10).fill(2n ** 40n) }), 'dtype', /do not hold 1099511627776/);
    model.dispose();
    await refuses(() => model.run({ input: [tokens] }), 'disposed', /used after dispose/);
  },

  'a model whose sizes depend on elements is waited for': async ({ device, lanthorn, program }) => {
    const model = await program.load(modelOf('NonZero'));
    const { y } = await model.run({ x: [[0, 3], [1, 0]] });
    equal([await y.tolist(), y.shape], [[[0, 1], [1, 0]], [2, 2]]);
    const called = model.call(lanthorn.tensor([0, 5]));
    equal(called instanceof Promise, device === 'webgpu', 'a GPU is waited for');
    equal(await (await called).tolist(), [[1]]);
    equal(lanthorn.tensor([1], { requiresGrad: true }).mul(2).requiresGrad, true, 'the mode of the page is as before');
    model.dispose();
  },

  'weights have the names of the initializers, and are saved and loaded': async ({ io, program, read }) => {
    const file = await read('training_conv/model.onnx');
    const [one, other] = [await program.load(file), await program.load(file)];
    equal(Object.keys(one.stateDict()).sort(), [
      'block.conv.bias', 'block.conv.weight', 'head.bias', 'head.weight', 'stem.0.bias', 'stem.0.weight', 'wide.0.bias', 'wide.0.weight',
    ]);
    ok(one.parameters().every((parameter) => parameter.requiresGrad), 'weights are trained');
    one.parameters()[0].detach().fill_(3);
    const saved = await io.save(one.stateDict());
    equal(other.loadStateDict(await io.load(saved)).missingKeys, []);
    equal(await other.parameters()[0].detach().max().item(), 3);
    const { format, graph } = JSON.parse(JSON.stringify(one));
    equal([format, graph.nodes[0].op, graph.values.input.sizes.slice(1)], ['onnx', 'onnx.Conv.1', [1, 8, 8]]);
    for (const each of [one, other]) each.dispose();
  },

  'weights outside of the file are those of the files that are given': async ({ lanthorn, program, read }) => {
    const [file, data] = [await read('training_encoder/external.onnx'), await read('training_encoder/external.data')];
    const before = lanthorn.memory().tensors;
    const whole = await program.load(await read('training_encoder/model.onnx'));
    const model = await program.load(file, { externalData: { 'external.data': new Blob([data]) } });
    const x = lanthorn.zeros(1, 10, { dtype: 'int32' });
    equal(await model.call(x).tolist(), await whole.call(x).tolist());
    await refuses(() => program.load(file), 'file', /external\.data/);
    await refuses(() => program.load(file, { externalData: { 'external.data': new Uint8Array(data).subarray(0, 5000) } }), 'file', /ends within external\.data/);
    await refuses(() => program.load(file, { externalData: [] }), 'argument', /externalData is an object/);
    const outside = replaceText(file, 'external.data', '../../data.00');
    await refuses(() => program.load(outside, { externalData: { '../../data.00': data } }), 'file', /leaves the model's folder|external/);
    for (const each of [model, whole, x]) each.dispose();
    ok(lanthorn.memory().tensors - before <= 4, 'what was refused left nothing');
  },

  'models as converters write them: out of order, with notes, numbers and labels': async ({ program }) => {
    const number = field(2, [field(1, [field(1, 1), field(2, [])])]);
    const nodes = [nodeOf('Relu', ['a'], 'y'), nodeOf('Neg', ['x'], 'a')];
    const model = await program.load(modelOf(nodes, [number], field(14, [field(1, 'stride'), field(2, '32')])));
    equal({ ...model.metadata }, { stride: '32' });
    for (const x of [-2.5, [-2.5], Float32Array.of(-2.5)]) {
      const { y } = await model.run({ x });
      equal([y.shape, await y.item()], [[], 2.5]);
      y.dispose();
    }
    model.dispose();
    const labels = field(5, [field(1, 'classlabels_int64s'), field(8, 7), field(8, 3)]);
    const maps = nodeOf('ZipMap', ['x'], 'y', labels, field(7, 'ai.onnx.ml'));
    const classifier = await program.load(modelOf([maps], [], field(8, [field(1, 'ai.onnx.ml'), field(2, 3)])));
    const { y } = await classifier.run({ x: [[0.25, 0.75], [1, 0]] });
    equal(y.map((row) => [...row]), [[[7, 0.25], [3, 0.75]], [[7, 1], [3, 0]]]);
    classifier.dispose();
    await refuses(() => program.load(modelOf([nodeOf('Abs', ['y'], 'a'), nodeOf('Neg', ['a'], 'y')])), 'file', /is in a cycle of nodes/);
    const graph = Uint8Array.from([0x0a, 0x20, ...field(1, 'input'), ...field(2, 'Placeholder')]);
    await refuses(() => program.load(graph), 'file', /a frozen graph of TensorFlow/);
    await refuses(() => program.load(Uint8Array.from([8, 1, 0x12, 9, 0x0a, 7, ...Array(7).fill(1)])), 'file', /a SavedModel of TensorFlow/);
  },

  'damaged models and unknown operators are refused': async ({ lanthorn, program, read }) => {
    const file = new Uint8Array(await read('training_conv/model.onnx'));
    const before = lanthorn.memory().tensors;
    for (let end = 1; end < file.length; end += 97) await refuses(() => program.load(file.subarray(0, end)), 'file');
    const unknown = replaceText(replaceText(file, 'MaxPool', 'MinPool'), 'ReduceMean', 'ReduceBean');
    await refuses(() => program.load(unknown), 'file', /MinPool.*ReduceBean/s);
    await refuses(() => program.load(new TextEncoder().encode('<!doctype html>')), 'file', /no program/);
    ok(lanthorn.memory().tensors <= before, 'what was refused left nothing');
    // The module works on.
    const model = await program.load(file);
    equal(model.call(lanthorn.ones(2, 1, 8, 8)).shape, [2, 4]);
    model.dispose();
  },

  'a trained model is written, with its weights as they are now': async ({ lanthorn, program, read }) => {
    const x = lanthorn.ones(2, 1, 8, 8);
    const model = await program.load(await read('training_conv/model.onnx'));
    const optimizer = new lanthorn.optim.SGD(model.parameters(), { lr: 0.1 });
    model.call(x).square().mean().backward();
    optimizer.step();
    const bytes = await program.exportOnnx(model);
    const again = await program.load(bytes);
    equal([again.inputs, again.outputs], [model.inputs, model.outputs]);
    equal(Object.keys(again.stateDict()).sort(), Object.keys(model.stateDict()).sort());
    equal(await again.call(x).tolist(), await model.call(x).tolist());
    // Elements outside of the file are in it then.
    const outside = await program.load(await read('training_encoder/external.onnx'), { externalData: { 'external.data': await read('training_encoder/external.data') } });
    const whole = await program.load(await program.exportOnnx(outside));
    const tokens = lanthorn.zeros(3, 10, { dtype: 'int32' });
    equal(await whole.call(tokens).tolist(), await outside.call(tokens).tolist());
    for (const each of [model, again, outside, whole, optimizer]) each.dispose();
  },

  'modules and programs of PyTorch are written as models of ONNX': async ({ lanthorn, program, read }) => {
    const { nn, randn } = lanthorn;
    const net = new nn.Sequential(new nn.Conv2d(1, 3, 3, { padding: 1 }), new nn.BatchNorm2d(3), new nn.ReLU(), new nn.Flatten(), new nn.Linear(48, 5)).eval();
    const exported = await program.exportProgram(net, [randn(2, 1, 4, 4)], { dynamicShapes: [{ 0: program.Dim('batch') }] });
    const model = await program.load(await program.exportOnnx(exported));
    const x = randn(7, 1, 4, 4);
    close(await model.call(x).tolist(), await net.call(x).tolist(), { absolute: 1e-5, relative: 0 });
    const [batch, ...sizes] = model.toJSON().graph.values[model.inputs[0]].sizes;
    equal([typeof batch, sizes], ['string', [1, 4, 4]], 'the batch has any size');
    ok('4.weight' in model.stateDict(), Object.keys(model.stateDict()).join());
    const loaded = await program.load(await read('espcn/dynamic.pt2'));
    const converted = await program.load(await program.exportOnnx(loaded));
    const image = randn(1, 1, 9, 6);
    close(await converted.call(image).flatten().tolist(), await loaded.call(image).flatten().tolist(), { absolute: 1e-5, relative: 0 });
    const script = await program.jit.load(await read('script_types/scripted.pt'));
    await refuses(() => program.exportOnnx(script), 'argument', /a program of one graph/);
    await refuses(() => program.exportOnnx(net), 'argument', /exportProgram makes one/);
    for (const each of [net, exported, model, loaded, converted, script]) each.dispose();
  },
};
