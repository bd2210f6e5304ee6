/** Errors that suggest the right call. */
import { ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'a promise where a value is taken': async ({ ones, cat, tensor }) => {
    const x = ones(2, 2);
    await refuses(() => x.matmul(x.data()), 'argument', /^matmul: /, /other/, /a promise: await it/);
    await refuses(() => x.add(x.sum().item()), 'argument', /^add: /, /await it/);
    await refuses(() => x.sum(x.sum().item()), 'argument', /^sum: /, /await it/);
    await refuses(() => cat([x, x.nonzero()]), 'argument', /^cat: /, /await it/);
    await refuses(() => tensor(x.tolist()), 'argument', /^tensor: /, /await it/);
  },

  'operators on tensors': async ({ ones }) => {
    const [x, y] = [ones(1), ones(1)];
    await refuses(() => x < 0.1, 'argument', /x\.lt\(y\)/, /await x\.item\(\)/);
    await refuses(() => x * y, 'argument', /x\.mul\(y\)/);
    await refuses(() => -x, 'argument', /x\.neg\(\)/);
    await refuses(() => x + y, 'argument', /x\.add\(y\)/);
    await refuses(() => x == 1, 'argument', /x\.eq\(y\)/);
    ok(`${x}`.startsWith('Tensor('), 'but it has a text');
  },

  'float labels of classes': async ({ ones, tensor, nn }) => {
    const [loss, x] = [new nn.CrossEntropyLoss(), ones(2, 3)];
    const [labels, numbers] = [tensor([0, 2], { dtype: 'int32' }), tensor([0, 2])];
    for (const each of [loss, new nn.NLLLoss(), new nn.MultiMarginLoss()]) {
      ok(await each.call(x, numbers).item() === await each.call(x, labels).item(), String(each));
    }
    await refuses(() => loss.call(x, tensor([0, 0.5])).item(), 'index');
    await refuses(() => loss.call(x, ones(2, 4)), 'shape', /probabilities of shape/);
    await refuses(() => loss.call(x, tensor([true, false])), 'dtype', /int32/);
  },

  'no word of Python': async ({ ones, nn, tensor, optim }) => {
    const x = ones(2).requiresGrad_();
    const y = x.mul(x).sum();
    y.backward();
    const freed = await refuses(() => y.backward(), 'autograd', /retainGraph/);
    ok(!freed.message.includes('_'), freed.message);
    ok(/retain_graph/.test(freed.cause.message), 'the cause is the error of the core');
    await refuses(() => ones(1, 2, 4).groupNorm(3), 'argument', /^groupNorm: numGroups must divide/);
    await refuses(() => ones(2).indexSelect(0, ones(1, 1).int()), 'shape', /^indexSelect: /);
    await refuses(() => ones(2).div(2, { roundingMode: 'up' }), 'argument', /^div: the argument roundingMode takes "trunc" or "floor", not the string "up"/);
    await refuses(() => nn.init.kaimingUniform_(ones(2, 2), { mode: 'fan_up' }), 'argument', /"fan_in" or "fan_out", not the string "fan_up"/);
    await refuses(() => new optim.LBFGS([x], { lineSearchFn: 'weak' }), 'argument', /the argument lineSearchFn takes "strong_wolfe", not the string "weak"/);
    await refuses(() => tensor([[1, 0], [0, 0]]).inverse().data(), 'linalg', /^linalg\.inv: /);
  },

  'elements are not assigned as data': async ({ ones, nn }) => {
    const layer = new nn.Linear(1, 1);
    await refuses(() => { layer.weight.data = ones(1, 1); }, 'argument', /^data: cannot be assigned/, /x\.copy_\(y\)/, /nn\.parameter/);
    ok((await layer.weight.data()).length === 1, 'it is the method that it was');
  },

  'a gradient mode does not hold across await by itself': async ({ noGrad, enableGrad, ones, setGradEnabled }) => {
    await refuses(() => noGrad(async () => {}), 'argument', /^noGrad: /, /setGradEnabled\(false\)/);
    await refuses(() => enableGrad(async () => {}), 'argument', /^enableGrad: /, /setGradEnabled\(true\)/);
    await refuses(() => setGradEnabled('no'), 'argument', /true or false/);
    ok(ones(1).requiresGrad_().mul(2).requiresGrad, 'the mode is as before');
  },

  'modules where they are not found': async ({ nn, zeros }) => {
    const warnings = [];
    const { warn } = console;
    console.warn = (text) => warnings.push(text);
    try {
      class Hidden extends nn.Module {
        first = new nn.Linear(1, 1);
        layers = { a: new nn.Linear(1, 1) };
        byName = new Map([['a', new nn.Linear(1, 1)]]);
        scales = { a: nn.parameter(zeros(1)) };
        known = { first: this.first };
        options = { width: 3 };
      }
      const net = new Hidden();
      ok(net.parameters().length === 2 && net.parameters().length === 2, 'those of the property alone');
    } finally {
      console.warn = warn;
    }
    ok(warnings.length === 3, warnings.join('\n'));
    ok(/Hidden\.layers .* nn\.ModuleDict/.test(warnings[0]), warnings[0]);
    ok(/Hidden\.byName .* nn\.ModuleDict/.test(warnings[1]), warnings[1]);
    ok(/Hidden\.scales .* nn\.ParameterDict/.test(warnings[2]), warnings[2]);
  },
};
