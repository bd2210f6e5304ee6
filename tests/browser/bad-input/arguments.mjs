/** Arguments of the wrong type, too many, too few, or under the wrong name. */
import { equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'an unknown keyword': async ({ ones, nn, optim, tensor, init, grad }) => {
    const x = ones(2, 3);
    await refuses(() => x.sum({ dims: 1 }), 'argument', /^sum: /, /"dims"/, /dim, keepdim, dtype/);
    await refuses(() => new nn.Linear(2, 3, { bia: true }), 'argument', /^Linear: /, /"bia"/, /bias/);
    await refuses(() => new optim.SGD(new nn.Linear(1, 1).parameters(), { learningRate: 1 }), 'argument', /^SGD: /, /"learningRate"/, /lr/);
    await refuses(() => new optim.Adam(new nn.Linear(1, 1).parameters(), { beta: 1 }), 'argument', /^Adam: /, /"beta"/, /betas/);
    await refuses(() => tensor([1], { type: 'int32' }), 'argument', /^tensor: /, /"type"/, /dtype/);
    await refuses(() => x.sum().backward(null, { retain: true }), 'argument', /^backward: /, /"retain"/, /retainGraph/);
    await refuses(() => grad([x], [x], { create: true }), 'argument', /^grad: /, /"create"/, /createGraph/);
    await refuses(() => init({ devise: 'cpu' }), 'argument', /^init: /, /"devise"/, /device/);
  },

  'keys that mean something to JavaScript': async ({ ones, tensor, nn }) => {
    const hostile = JSON.parse('{"__proto__": {"keepdim": true}, "constructor": 1}');
    await refuses(() => ones(2).sum(hostile), 'argument', /^sum: /, /"__proto__"/);
    await refuses(() => tensor([1], hostile), 'argument', /^tensor: /, /"__proto__"/);
    await refuses(() => new nn.Linear(1, 1).loadStateDict(hostile), 'argument', /unexpected: __proto__, constructor/);
    await refuses(() => ones(2).sum({ toString: 1 }), 'argument', /"toString"/);
    ok({}.keepdim === undefined, 'nothing was written into Object.prototype');
  },

  'too many, too few, twice': async ({ ones, nn }) => {
    const x = ones(2, 3);
    await refuses(() => x.relu(1), 'argument', /^relu: /, /at most 0 positional arguments, 1 were given/);
    await refuses(() => x.add(x, 2), 'argument', /^add: /, /give alpha in an object/);
    await refuses(() => x.add(), 'argument', /^add: /, /other is missing/);
    await refuses(() => x.add(null), 'argument', /^add: /, /other is missing/);
    await refuses(() => x.sum(1, { dim: 1 }), 'argument', /^sum: /, /dim is given twice/);
    await refuses(() => new nn.Linear(2), 'argument', /^Linear: /, /missing/);
    await refuses(() => new nn.CrossEntropyLoss().call(x), 'argument', /target/);
  },

  'no overload takes the arguments': async ({ ones, normal, randint, zeros }) => {
    const x = ones(2, 3);
    await refuses(() => x.std({ dims: 0 }), 'argument', /^std: there is no argument "dims"; there are dim, correction, keepdim$/);
    await refuses(() => x.std(0, { dim: 0 }), 'argument', /^std: the argument dim is given twice$/);
    await refuses(() => x.std({ correction: 'x' }), 'argument', /^std: the argument correction takes a number, not the string "x"$/);
    await refuses(() => x.clamp(() => 1), 'argument', /^clamp: the argument min takes a number, not a function$/);
    await refuses(() => x.clamp_(1n), 'argument', /^clamp_: the argument min takes a number, not a BigInt; use a number$/);
    await refuses(() => x.clamp([[1], ['x']]), 'argument', /^clamp: the argument min takes a tensor or an array of numbers/, /data\[1\]\[0\] is a string/);
    await refuses(() => x.maxPool1d(2, { returnIndices: 1 }), 'argument', /^maxPool1d: the argument returnIndices takes true or false, not the number 1$/);
    await refuses(() => randint(0, 5, [2.5]), 'shape', /^randint: a size must be a whole number, not 2\.5, in \[2\.5\]$/);
    await refuses(() => randint(0, 5, [2], { requiresGrad: 1 }), 'argument', /^randint: the argument requiresGrad takes true or false/);
    await refuses(() => normal(zeros(2), ones(2), { requiresGrad: true }), 'argument', /^normal: /, /mean/);
    await refuses(() => x.std({ requiresGrad: true }), 'argument', /^std: there is no argument "requiresGrad"/);
  },

  'an error has the names of the call': async ({ linalg, nn, ones, signal, special, vstack, zeros }) => {
    const [x, F] = [ones(2, 3), nn.functional];
    await refuses(() => F.fold(zeros(1, 4), { kernelSize: 2 }), 'argument', /^fold: the argument outputSize is missing: fold\(Tensor input, int\[\] outputSize, /);
    await refuses(() => F.unfold(zeros(3), 2), 'shape', /^unfold: /);
    await refuses(() => F.unfold(zeros(1, 1, 4, 4)), 'argument', /^unfold: the argument kernelSize is missing: unfold\(Tensor input, /);
    await refuses(() => new nn.Unfold(), 'argument', /^Unfold: the argument kernelSize is missing: Unfold\(int\[\] kernelSize, /);
    await refuses(() => new nn.Unfold(2).call(zeros(3)), 'shape', /^unfold: /);
    await refuses(() => x.at(0, 0, 0), 'index', /^at: 3 indices/);
    await refuses(() => x.set(0, zeros(4)), 'shape', /^set: /);
    await refuses(() => new nn.Linear(1, 1).call(zeros(1), { bias: 1 }), 'argument', /^Linear: there is no argument "bias"; there are input$/);
    await refuses(() => linalg.matmul(x, x), 'shape', /^linalg\.matmul: /, /\[2, 3\]/);
    await refuses(() => special.expit('x'), 'argument', /^special\.expit: the argument input takes a tensor, not the string "x"$/);
    await refuses(() => signal.windows.hann('x'), 'argument', /^signal\.windows\.hann: /);
    await refuses(() => x.subtract(zeros(2)), 'shape', /^subtract: /);
    await refuses(() => x.subtract_(zeros(2)), 'shape', /^subtract_: /);
    await refuses(() => x.clip_(() => 1), 'argument', /^clip_: the argument min takes a number, not a function$/);
    await refuses(() => x.swapaxes(0, 5), 'index', /^swapaxes: /);
    await refuses(() => x.argwhere(1), 'argument', /^argwhere: /);
    await refuses(() => vstack([zeros(2, 3), zeros(2, 4)]), 'shape', /^vstack: /);
    const missing = await refuses(() => x.maxPool2d(), 'argument', /^maxPool2d: the argument kernelSize is missing: maxPool2d\(Tensor input, int\[\] kernelSize, /);
    ok(missing.cause.message.startsWith('maxPool2d: the argument kernelSize is missing'), missing.cause.message);
  },

  'what is no tensor, where one has to be': async ({ ones, nn, cat, grad, optim }) => {
    const x = ones(2, 3);
    for (const odd of [5, 'x', null, undefined, {}, [x], 1n, Symbol('x'), () => x]) {
      await refuses(() => x.matmul(odd), 'argument', /^matmul: /, /other/);
      await refuses(() => x.copy_(odd), 'argument', /^copy_: /, /source/);
      await refuses(() => new nn.Linear(3, 3).call(odd), 'argument', /input/);
      await refuses(() => grad([odd], [x]), 'argument', /^grad: /, /outputs/);
      await refuses(() => new optim.SGD([odd]), 'argument', /^SGD: /, /parameters/);
    }
    for (const odd of [5, 'x', {}]) {
      await refuses(() => grad(odd, [x]), 'argument', /^grad: /, /outputs/);
    }
    await refuses(() => new optim.SGD(5), 'argument', /^SGD: /, /parameters/);
    await refuses(() => new optim.SGD([]), 'argument', /^SGD: /, /no parameters/);
    await refuses(() => cat([x, 5]), 'argument', /^cat: /);
    await refuses(() => cat([]), 'argument', /^cat: /, /at least one/);
    await refuses(() => cat(x), 'argument', /^cat: /);
    await refuses(() => { x.grad = 5; }, 'argument', /grad/);
    await refuses(() => x.sum().backward(5), 'argument', /^backward: /, /gradient/);
    await refuses(() => new nn.Sequential(new nn.ReLU(), (value) => value), 'argument', /^Sequential: /, /argument 1/, /function/);
  },

  'numbers that are none': async ({ ones, nn, optim, manualSeed, full }) => {
    const x = ones(2, 3);
    await refuses(() => x.add(1n), 'argument', /^add: /, /other/, /BigInt; use a number/);
    await refuses(() => x.add('1'), 'argument', /^add: /, /other/, /string/);
    await refuses(() => x.add(['1']), 'argument', /^add: /, /other/, /data\[0\] is a string/);
    await refuses(() => x.sum(1.5), 'argument', /^sum: /, /dim/, /1\.5/);
    await refuses(() => x.sum(NaN), 'argument', /^sum: /, /dim/, /NaN/);
    await refuses(() => x.sum('0'), 'argument', /^sum: /, /dim/);
    await refuses(() => x.sum([0, , 1]), 'argument', /^sum: /, /dim/);
    await refuses(() => x.sum([0n]), 'argument', /^sum: /, /dim/);
    await refuses(() => x.transpose(0, 0.5), 'argument', /^transpose: /, /dim1/i);
    await refuses(() => full([2], 'x'), 'argument', /^full: /, /fill/);
    await refuses(() => x.sum({ keepdim: 'yes' }), 'argument', /^sum: /, /keepdim/);
    await refuses(() => new nn.Linear('2', 3), 'argument', /^Linear: /, /string/);
    await refuses(() => new nn.Linear(-2, 3), 'argument', /^Linear: /, /-2/);
    await refuses(() => new nn.Linear(2.5, 3), 'argument', /^Linear: /, /2\.5/);
    const parameters = new nn.Linear(1, 1).parameters();
    for (const lr of [-1, NaN, '0.1', 1n]) {
      await refuses(() => new optim.SGD(parameters, { lr }), 'argument', /^SGD: /);
    }
    const optimizer = new optim.SGD(parameters, { lr: 1 });
    await refuses(() => { optimizer.lr = -1; }, 'argument', /-1/);
    await refuses(() => { optimizer.lr = NaN; }, 'argument', /NaN/);
    for (const seed of [-1, 0.5, NaN, '1', 1n, undefined, 2 ** 53]) {
      await refuses(() => manualSeed(seed), 'argument', /^manualSeed: /, /whole number/);
    }
  },

  'data that no tensor can be made of': async ({ tensor }) => {
    await refuses(() => tensor(), 'argument', /^tensor: /, /missing/);
    await refuses(() => tensor(null), 'argument', /null/);
    await refuses(() => tensor('1'), 'argument', /string/);
    await refuses(() => tensor({ length: 1, 0: 1 }), 'argument', /object/);
    await refuses(() => tensor(1n), 'argument', /bigint/);
    await refuses(() => tensor([1, '2']), 'argument', /data\[1\]/, /string/);
    await refuses(() => tensor([[1, 2], [3, 4n]]), 'argument', /data\[1\]\[1\]/, /bigint/);
    await refuses(() => tensor([1, , 3]), 'argument', /data\[1\]/, /missing/);
    await refuses(() => tensor([1, null]), 'argument', /data\[1\]/, /null/);
    await refuses(() => tensor(new BigUint64Array(2)), 'dtype', /BigUint64Array/);
    await refuses(() => tensor(new Uint32Array(2)), 'dtype', /Uint32Array/);
    await refuses(() => tensor(new DataView(new ArrayBuffer(4))), 'dtype', /DataView/);
    await refuses(() => tensor(new ArrayBuffer(4)), 'argument', /object/);
    await refuses(() => tensor([1], 'int32'), 'argument', /options/);
    await refuses(() => tensor([1], { shape: 1 }), 'argument', /shape/);
    await refuses(() => tensor([1], { shape: ['1'] }), 'argument', /shape/);
    await refuses(() => tensor([1], { requiresGrad: 'yes' }), 'argument', /requiresGrad/);
  },

  'an array whose buffer went elsewhere': async ({ tensor }) => {
    const gone = new Float32Array([1, 2]);
    structuredClone(gone, { transfer: [gone.buffer] });
    await refuses(() => tensor(gone), 'argument', /^tensor: /, /detached/);
    await refuses(() => tensor(gone, { shape: [2] }), 'argument', /detached/);
    equal(await tensor(new Float32Array(0)).data(), [], 'one that is only empty');
  },

  'buffers that are shared or can be resized': async ({ tensor }) => {
    const resizable = new ArrayBuffer(8, { maxByteLength: 16 });
    new Float32Array(resizable).set([1, 2]);
    equal(await tensor(new Float32Array(resizable)).data(), [1, 2]);
    const shrunk = new Float32Array(resizable, 0, 2);
    resizable.resize(4);
    await refuses(() => tensor(shrunk, { shape: [2] }), 'shape', /0 were given/);
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    const shared = new Float32Array(memory.buffer, 0, 2);
    shared.set([3, 4]);
    equal(await tensor(shared).data(), [3, 4]);
  },

  'element types that do not fit': async ({ tensor, ones }) => {
    const whole = tensor([[1]], { dtype: 'int32' });
    await refuses(() => tensor([1], { dtype: 'float99' }), 'dtype', /^tensor: /, /"float99"/, /float32/);
    await refuses(() => ones(1).to('complex64'), 'argument', /^to: /, /float32/, /complex64/);
    await refuses(() => whole.matmul(ones(1, 1)), 'dtype', /^matmul: /, /int32/, /float32/, /to\(\)/);
    await refuses(() => ones(2).gather(0, tensor([0.5])), 'dtype', /^gather: /, /int32/, /float32/);
    await refuses(() => ones(2).indexSelect(0, tensor([true])), 'dtype', /index/i, /bool/);
    await refuses(() => whole.mean(), 'dtype', /mean/, /int32/);
    await refuses(() => whole.add_(0.5), 'dtype', /^add_: /, /int32/);
    await refuses(() => tensor([1], { dtype: 'int32', requiresGrad: true }), 'dtype', /int32/);
  },

  'truth values are not subtracted': async ({ tensor }) => {
    await refuses(() => tensor([true]).sub(tensor([true])), 'dtype', /^sub: /, /bool/);
  },

  'what is no function': async ({ scope, noGrad, ones }) => {
    await refuses(() => scope(5), 'argument', /^scope: /, /function/);
    await refuses(() => noGrad(undefined), 'argument', /^noGrad: /, /function/);
    await refuses(() => noGrad(async () => {}), 'argument', /^noGrad: /, /async/);
    await refuses(() => ones(1).requiresGrad_().registerHook('x'), 'argument', /^registerHook: /, /function/);
    ok(ones(1).requiresGrad_().mul(2).requiresGrad, 'gradients are recorded as before');
  },

  'an approximation that does not exist': async ({ ones }) => {
    await refuses(() => ones(2).gelu({ approximate: 'roughly' }), 'argument', /^gelu: /, /roughly/, /tanh/);
  },

  'options that are out of their range': async ({ tensor, ones, nn }) => {
    await refuses(() => ones(2).mseLoss(ones(2), { reduction: 'most' }), 'argument', /most/, /mean/);
    await refuses(() => new nn.MSELoss({ reduction: 'most' }).call(ones(1), ones(1)), 'argument', /most/);
    await refuses(() => ones(4).slice(0, 0, 4, 0), 'argument', /^slice: /, /step/);
    await refuses(() => tensor([1]).mul(2).var({ correction: 'x' }), 'argument', /^var: /, /correction/);
  },
};
