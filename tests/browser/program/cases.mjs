/** `lanthorn/program` on small programs of PyTorch, in a page and in Node. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';
import { exportCases } from './export-cases.mjs';
import { onnxCases } from './onnx-cases.mjs';

/** Of each model the file, its recorded values, and the bound of its errors relative to the largest value. */
const MODELS = [
  ['buffer_mutation', 'static.pt2', 'io'],
  ['buffer_mutation', 'core.pt2', 'io'],
  ['espcn', 'dynamic.pt2', 'io-dynamic'],
  // The gradients of biases before a batch norm are rounding errors.
  ['pointnet', 'train.pt2', 'io-train', 2e-3],
  ['torch_cond', 'static.pt2', 'io'],
  ['torch_cond', 'dynamic.pt2', 'io-dynamic'],
  ['torch_while', 'static.pt2', 'io'],
  ['torch_while', 'core.pt2', 'io'],
  ['script_types', 'scripted.pt', 'io'],
  ['script_modules', 'scripted.pt', 'io'],
  ['script_beam_search', 'scripted.pt', 'io'],
  ['tree_lstm', 'scripted.pt', 'io'],
  ['gat_scatter', 'traced.pt', 'io'],
];

/** The tensors in a nested result by path; `0` for a single one. */
function leaves(value, Tensor, path = '', found = {}) {
  if (value instanceof Tensor) found[path || '0'] = value;
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) leaves(item, Tensor, path ? `${path}.${key}` : key, found);
  }
  return found;
}

async function near(actual, expected, within, name) {
  equal(actual.shape, expected.shape, name);
  const [found, wanted] = [Array.from(await actual.data(), Number), Array.from(await expected.data(), Number)];
  const largest = wanted.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-3);
  close(found, wanted, { absolute: within * largest, relative: 0 }, name);
}

async function check([model, file, values, within = 1e-5], { lanthorn, io, program, read }) {
  const loaded = await program.load(await read(`${model}/${file}`));
  const recorded = await io.load(await read(`${model}/${values}.safetensors`));
  const entries = Object.entries(recorded);
  const inputs = Object.fromEntries(entries.flatMap(([name, value]) => (name.startsWith('inputs.') ? [[name.slice(7), value]] : [])));
  const results = leaves(await loaded.call(inputs), lanthorn.Tensor);
  ok(Object.keys(results).length > 0, model);
  let loss;
  for (const [path, result] of Object.entries(results)) {
    await near(result, recorded[`outputs.${path}`], within, `${model} ${path}`);
    if (!result.dtype.startsWith('float')) continue;
    const mean = result.square().mean();
    loss = loss ? loss.add(mean) : mean;
  }
  const grads = entries.filter(([name]) => name.startsWith('grads.'));
  if (grads.length > 0) loss.backward();
  const parameters = Object.fromEntries(loaded.namedParameters());
  for (const [name, expected] of grads) await near(parameters[name.slice(6)].grad, expected, within, `${model} ${name}`);
  const buffers = Object.fromEntries(loaded.namedBuffers());
  for (const [name, expected] of entries.filter(([name]) => name.startsWith('buffers.'))) {
    await near(buffers[name.slice(8)], expected, within, `${model} ${name}`);
  }
  loaded.dispose();
}

/** The elements of the results of a call, of the gradients of parameters, and of buffers. */
async function elements(net, inputs, { lanthorn }) {
  lanthorn.manualSeed(5);
  const results = Object.values(leaves(await net.call(inputs), lanthorn.Tensor));
  net.parameters().forEach((parameter) => { parameter.grad = null; });
  const open = results.filter((result) => result.requiresGrad);
  const means = open.map((result) => result.square().mean());
  if (means.length > 0) means.reduce((sum, mean) => sum.add(mean)).backward();
  const gradients = net.parameters().flatMap(({ grad }) => grad ?? []);
  const tensors = [...results, ...gradients, ...[...net.namedBuffers()].map(([, buffer]) => buffer)];
  return Promise.all(tensors.map(async (tensor) => Array.from(await tensor.data(), Number)));
}

const LOOPS = `
def endless(x: int):
    while True:
        x += 1
    return x

def halved(x, again: bool):
    with torch.no_grad():
        y = x * 0.5
        while again:
            y = y * 0.5
    return y

def reading(x):
    while bool(x.sum() > 0):
        x = x + 1
    return x
`;

const KEPT = `
def same(x):
    return [x, x]

def later(x):
    if bool(x.sum() > 0):
        x = x + 1
    return x
`;

const SCRIPT = `
def scaled(x, factor: int):
    if factor > 2:
        raise ValueError("too much")
    return x * factor

def sign(x):
    if x.sum() > 0:
        return {"sign": 1, "x": x}
    return {"sign": -1, "x": -x}

def wrong(x):
    return x.reshape([7])

def endless(x):
    while True:
        x = x + 1
    return x
`;

export const cases = Object.fromEntries(MODELS.map((model) => [`${model[0]}/${model[1]} gives PyTorch's values`, (given) => check(model, given)]));

Object.assign(cases, exportCases, {
  'a program computes the same bits planned and interpreted': async (given) => {
    const { io, program, read } = given;
    const files = [...MODELS.filter(([, file]) => file.endsWith('.pt2')), ['training_conv', 'model.onnx', 'data']];
    for (const [model, file, values] of files) {
      const bytes = await read(`${model}/${file}`);
      const [planned, interpreted] = [await program.load(bytes), await program.load(bytes)];
      interpreted.planned = false;
      const recorded = await io.load(await read(`${model}/${values}.safetensors`));
      const named = Object.entries(recorded).filter(([name]) => name.startsWith('inputs.'));
      const inputs = Object.fromEntries(named.map(([name, value]) => [name.slice(7), value]));
      if (named.length === 0) inputs[planned.inputs[0]] = recorded.inputs.select(0, 0);
      for (let call = 0; call < 4; call += 1) {
        const [found, wanted] = [await elements(planned, inputs, given), await elements(interpreted, inputs, given)];
        equal(found, wanted, `${model}/${file}, call ${call}`);
      }
      const parts = planned.explain();
      ok(parts.some(({ replays, kernels }) => replays === 2 && kernels.length === 1), `${model}/${file}: ${JSON.stringify(parts)}`);
      equal([planned.planned, interpreted.planned, interpreted.explain()], [true, false, []]);
      for (const each of [planned, interpreted, ...Object.values(recorded)]) each.dispose();
    }
  },

  'higher derivatives of a planned program repeat it': async ({ lanthorn, program, read }) => {
    const file = await read('espcn/dynamic.pt2');
    const nets = [await program.load(file), await program.load(file)];
    nets[1].planned = false;
    const image = lanthorn.linspace(-1, 1, 20).reshape(1, 1, 5, 4);
    const differentiate = async (net) => {
      const x = image.detach().requiresGrad_();
      const [first] = lanthorn.grad(net.call(x).square().sum(), [x], { createGraph: true });
      const [second] = lanthorn.grad(first.square().sum(), [x]);
      return [await first.detach().flatten().tolist(), await second.flatten().tolist()];
    };
    for (let call = 0; call < 4; call += 1) {
      const [[first, second], [wanted, wantedSecond]] = [await differentiate(nets[0]), await differentiate(nets[1])];
      equal(first, wanted);
      close(second, wantedSecond, { absolute: 1e-5, relative: 1e-5 });
      ok(second.some((value) => value !== 0), 'there are second derivatives');
    }
    equal(nets[0].explain().map(({ replays }) => replays), [2]);
    for (const each of [...nets, image]) each.dispose();
  },

  'arguments that a program keeps or returns outlive the tensors of the page': async ({ lanthorn, program }) => {
    const { same, later } = await program.jit.script(KEPT);
    const x = lanthorn.tensor([1, 2]);
    const [one, other] = same(x);
    const waits = program.withSignal(new AbortController().signal, () => later(x));
    x.dispose();
    one.dispose();
    equal([await other.tolist(), await (await waits).tolist()], [[1, 2], [2, 3]]);
    other.dispose();
  },

  'parameters and buffers have the names of PyTorch, and are saved and loaded': async ({ program, read }) => {
    const file = await read('pointnet/train.pt2');
    const [one, other] = [await program.load(file), await program.load(file)];
    const state = one.stateDict();
    ok('stn.conv1.weight' in state && 'bn1.running_mean' in state, Object.keys(state).join());
    one.parameters()[0].detach().fill_(3);
    equal(other.loadStateDict(one.stateDict()).missingKeys, []);
    equal(await other.parameters()[0].detach().max().item(), 3);
    equal(one.train(false).training, false);
    for (const each of [one, other]) each.dispose();
    await refuses(() => one.call(), 'disposed', /used after dispose/);
  },

  'the last layer is trained, also by a compiled step': async ({ lanthorn, io, program, read }) => {
    const { compile, nn, optim, scope, tensor } = lanthorn;
    const { 'inputs.points': points } = await io.load(await read('pointnet/io-train.safetensors'));
    const train = async (wrap) => {
      const net = await program.load(await read('pointnet/train.pt2'));
      const last = [...net.requiresGrad_(false).namedParameters()].filter(([name]) => name.startsWith('fc.'));
      const optimizer = new optim.SGD(last.map(([, parameter]) => parameter.requiresGrad_()), { lr: 0.1 });
      const labels = tensor(Int32Array.of(1, 4), { dtype: 'int32' });
      const step = wrap((x, y) => {
        optimizer.zeroGrad();
        const loss = nn.functional.crossEntropy(net.call(x)[0], y);
        loss.backward();
        optimizer.step();
        return loss;
      });
      const losses = [];
      for (let i = 0; i < 3; i += 1) losses.push(await step(points, labels).item());
      net.dispose();
      return [losses, step];
    };
    const [eager] = await train((step) => (...args) => scope(() => step(...args)));
    ok(eager[1] < eager[0] && eager[2] < eager[1], `the loss falls: ${eager}`);
    const [compiled, step] = await train(compile);
    equal(compiled, eager);
    equal(step.explain().breaks, []);
    ok(step.explain().replays > 0, 'a step is replayed');
  },

  'the losses of 20 steps are those of PyTorch': async ({ lanthorn, io, program, read }) => {
    const { compile, nn, optim, scope } = lanthorn;
    const json = new TextDecoder().decode(await read('training_conv/training.json'));
    const { optimizer: rule, options: { lr, ...options }, error, losses } = JSON.parse(json);
    const { inputs, targets } = await io.load(await read('training_conv/data.safetensors'));
    const train = async (wrap) => {
      const net = await program.load(await read('training_conv/train.pt2'));
      const optimizer = new optim[rule](net.parameters(), { lr, ...options });
      const step = wrap((x, y) => {
        optimizer.zeroGrad();
        const loss = nn.functional.crossEntropy(net.call(x), y);
        loss.backward();
        optimizer.step();
        return loss;
      });
      const found = [];
      for (let i = 0; i < losses.length; i += 1) {
        const batch = i % inputs.shape[0];
        found.push(await step(inputs.select(0, batch), targets.select(0, batch)).item());
      }
      net.dispose();
      return found;
    };
    const eager = await train((step) => (...args) => scope(() => step(...args)));
    // Twice PyTorch's own error in float32.
    close(eager, losses, { absolute: 0, relative: 2 * error });
    equal(await train(compile), eager);
  },

  'a parameter that is replaced is that of the next call': async ({ lanthorn, program, read }) => {
    const net = await program.load(await read('espcn/dynamic.pt2'));
    const x = lanthorn.ones(1, 1, 8, 8);
    const before = await net.call(x).abs().max().item();
    for (const [name, value] of net.namedParameters()) net.replaceTensor(name, lanthorn.nn.parameter(value.detach().mul(0)));
    equal([before > 0, await net.call(x).abs().max().item()], [true, 0]);
    net.dispose();
  },

  'a call leaves no tensor but its results': async ({ lanthorn, program, read }) => {
    const [x, before] = [lanthorn.ones(1, 1, 8, 8), await settled(lanthorn.memory)];
    const net = await program.load(await read('espcn/dynamic.pt2'));
    const loaded = lanthorn.memory().tensors;
    lanthorn.noGrad(() => net.call(x)).dispose();
    equal(lanthorn.memory().tensors, loaded);
    net.dispose();
    equal(lanthorn.memory().tensors, before);
  },

  'a graph is shown as text and as nodes': async ({ program, read }) => {
    const net = await program.load(await read('espcn/dynamic.pt2'));
    ok(/aten\.conv2d/.test(String(net)), String(net));
    const { inputs, state, graph: { nodes } } = JSON.parse(JSON.stringify(net));
    equal(inputs, ['x']);
    const first = nodes.find(({ op }) => op.startsWith('aten.conv2d'));
    equal([first.inputs[0].name, first.inputs[0].value, first.outputs], ['input', 'x', ['conv2d']]);
    equal(state[first.inputs[1].value], 'c1.weight');
    net.dispose();
  },

  'methods of a module are called': async ({ lanthorn, program, read }) => {
    const module = await program.jit.load(await read('script_types/scripted.pt'));
    equal(module.methods, ['activate', 'forward', 'pick']);
    equal(await module.callMethod('activate', lanthorn.tensor([-1, 2]), 'none').tolist(), [-1, 2]);
    await refuses(() => module.callMethod('absent'), 'argument', /no method absent/);
    module.dispose();
  },

  'functions are compiled from text, and gradients go through': async ({ lanthorn, program }) => {
    const { scaled, sign } = await program.jit.script(SCRIPT);
    const x = lanthorn.tensor([1, -3], { requiresGrad: true });
    const y = scaled(x, { factor: 2 });
    y.square().sum().backward();
    equal([await y.tolist(), await x.grad.tolist()], [[2, -6], [8, -24]]);
    const result = await sign(x);
    equal([result.sign, await result.x.tolist()], [-1, [-1, 3]]);
  },

  'an error of a script tells its line and column': async ({ lanthorn, program }) => {
    await refuses(() => program.jit.script('def f(x):\n    return x +\n'), 'argument', /syntax error: .*line 2, column 15/s);
    const { endless, scaled, wrong } = await program.jit.script(SCRIPT, { maxSteps: 1000 });
    await refuses(() => scaled(lanthorn.ones(2), 5), 'argument', /ValueError: too much.*line 4, column 9/s);
    await refuses(() => wrong(lanthorn.ones(3)), 'shape', /reshape: .*line 13, column 13/s);
    await refuses(() => endless(1), 'limit', /more steps than its limit/);
    await refuses(() => program.jit.script(SCRIPT, { maxSteps: 0 }), 'argument', /maxSteps/);
  },

  'a signal stops calls that wait and calls that do not, and the script works afterwards': async ({ lanthorn, program }) => {
    const { endless, halved, reading } = await program.jit.script(LOOPS, { maxSteps: 1e12 });
    const x = lanthorn.ones(2);
    for (const call of [() => endless(1), () => halved(x, true), () => reading(x)]) {
      const controller = new AbortController();
      let isRecording;
      setTimeout(() => {
        isRecording = lanthorn.ones(1, { requiresGrad: true }).mul(2).requiresGrad;
        controller.abort(new RangeError('enough'));
      }, 30);
      const failed = await program.withSignal(controller.signal, call).catch((error) => error);
      equal([failed.name, failed.message, isRecording], ['RangeError', 'enough', true]);
    }
    const result = program.withSignal(new AbortController().signal, () => halved(x, false));
    ok(result instanceof Promise);
    equal([await (await result).tolist(), await halved(x, false).tolist()], [[0.5, 0.5], [0.5, 0.5]]);
    equal(await program.withSignal(AbortSignal.abort('before'), () => endless(1)).catch((reason) => reason), 'before');
    await refuses(() => program.withSignal({}, () => 1), 'argument', /takes an AbortSignal/);
  },

  'a program describes its values, its symbols and the modules of its nodes, also when it is saved': async ({ program, read }) => {
    const net = await program.load(await read('espcn/dynamic.pt2'));
    const json = net.toJSON();
    const { values, nodes } = json.graph;
    const sizes = { sizes: [1, 1, 's53', 's0'], example: [1, 1, 10, 12] };
    equal(values.x, { type: 'tensor', dtype: 'float32', sizes: sizes.sizes, requiresGrad: false, example: sizes.example });
    equal(values.p_c3_bias, { type: 'tensor', dtype: 'float32', sizes: [9], requiresGrad: true });
    equal(json.symbols.s0, { min: 2, max: 128, example: 12 });
    equal(nodes[0].modules.map(({ path }) => path), ['', 'c1']);
    equal(nodes[0].modules[1].class, 'torch.nn.modules.conv.Conv2d');
    const again = await program.load(await net.save());
    equal(again.toJSON(), json);
    for (const each of [net, again]) each.dispose();
  },

  'damaged archives and wrong inputs are refused': async ({ lanthorn, program, read }) => {
    const file = new Uint8Array(await read('torch_while/static.pt2'));
    await refuses(() => program.load(file.subarray(0, 9000)), 'file');
    await refuses(() => program.load(new Uint8Array(64)), 'file', /no program/);
    await refuses(() => program.jit.load(file), 'file', /torch\.export/);
    const damaged = file.slice();
    damaged[damaged.length >> 1] ^= 0x55;
    await refuses(() => program.load(damaged), 'file');
    await refuses(() => program.load(3), 'argument');
    const net = await program.load(await read('espcn/dynamic.pt2'));
    await refuses(() => net.call(), 'argument', /the program takes/);
    await refuses(() => net.call(lanthorn.ones(2)), 'argument', /x: takes 4 dimensions/);
    await refuses(() => net.call([lanthorn.ones(1, 1, 8, 8)]), 'argument', /the program takes/);
    await refuses(() => net.call(new Float32Array(3)), 'argument', /a program takes tensors/);
    const itself = [];
    itself.push(itself);
    await refuses(() => net.call(itself), 'argument', /contain themselves/);
    net.dispose();
  },
}, onnxCases);
