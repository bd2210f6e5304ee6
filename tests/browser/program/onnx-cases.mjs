/** `lanthorn/program` on models of ONNX that PyTorch exported (`tests/models/training.py`). */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

/** The bytes of a file, changed at each place of a text to another of the same length. */
function replaced(file, from, to) {
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

/** A model of one node from `x` to `y`, of which nothing else is known. */
function modelOf(operator) {
  const node = field(1, [field(1, 'x'), field(2, 'y'), field(4, operator)]);
  const graph = [node, field(2, 'g'), field(11, [field(1, 'x')]), field(12, [field(1, 'y')])];
  return Uint8Array.from([field(1, 8), field(8, [field(2, 17)]), field(7, graph)].flat());
}

/** Trains a model as PyTorch trained it, and gives the losses. */
async function train({ lanthorn, io, program, read }, folder, wrap) {
  const { nn, optim } = lanthorn;
  const recorded = JSON.parse(new TextDecoder().decode(await read(`${folder}/onnx.json`)));
  const { inputs, targets } = await io.load(await read(`${folder}/data.safetensors`));
  const { optimizer: rule, options: { lr, weight_decay: weightDecay, ...options } } = recorded;
  const net = await program.load(await read(`${folder}/model.onnx`));
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
      const { losses: eager, recorded } = await train(given, folder, (step) => (...args) => scope(() => step(...args)));
      // Twice PyTorch's own error in float32.
      close(eager, recorded.losses, { absolute: 0, relative: 2 * recorded.error }, folder);
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
    equal(lanthorn.memory().tensors - before, 1, 'calls leave no tensors but their results and one that is given');
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
    const outside = replaced(file, 'external.data', '../../data.00');
    await refuses(() => program.load(outside, { externalData: { '../../data.00': data } }), 'file', /leaves the model's folder|external/);
    for (const each of [model, whole, x]) each.dispose();
    ok(lanthorn.memory().tensors - before <= 4, 'what was refused left nothing');
  },

  'damaged models and unknown operators are refused': async ({ lanthorn, program, read }) => {
    const file = new Uint8Array(await read('training_conv/model.onnx'));
    const before = lanthorn.memory().tensors;
    for (let end = 1; end < file.length; end += 97) await refuses(() => program.load(file.subarray(0, end)), 'file');
    const unknown = replaced(replaced(file, 'MaxPool', 'MinPool'), 'ReduceMean', 'ReduceBean');
    await refuses(() => program.load(unknown), 'file', /MinPool.*ReduceBean/s);
    await refuses(() => program.load(new TextEncoder().encode('<!doctype html>')), 'file', /no program/);
    equal(lanthorn.memory().tensors, before);
    // The module works on.
    const model = await program.load(file);
    equal(model.call(lanthorn.ones(2, 1, 8, 8)).shape, [2, 4]);
    model.dispose();
  },
};
