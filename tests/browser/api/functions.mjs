/** Functions for methods, options of factories, arrays for tensors, and gradients of functions. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'a method is a function of the package, and of nn.functional': async (lanthorn) => {
    const { tensor, nn, relu, matmul, max, softmax, crossEntropy } = lanthorn;
    const x = tensor([[-1, 2], [3, -4]]);
    equal(await relu(x).tolist(), [[0, 2], [3, 0]]);
    equal(await matmul(x, x).tolist(), await x.matmul(x).tolist());
    equal(await max(x).item(), 3);
    equal(await max(x, 1).values.tolist(), [2, 3], 'an overload');
    equal(await lanthorn.var(tensor([1, 3])).item(), 2, 'a reserved word');
    close(await nn.functional.softmax(x, 1).sum(1).tolist(), [1, 1]);
    close(await nn.functional.crossEntropy(x, tensor([1, 0], { dtype: 'int32' })).item(), await crossEntropy(x, tensor([1, 0], { dtype: 'int32' })).item());
    equal(await nn.functional.embedding(tensor([1], { dtype: 'int32' }), x).tolist(), [[3, -4]], "PyTorch's order");
    ok(nn.functional.softmax === softmax && nn.functional.add === undefined, "only PyTorch's");
    await refuses(() => relu(5), 'argument', /^relu: /, /input takes a tensor/);
    await refuses(() => relu(), 'argument', /^relu: /);
  },

  'a number is the first argument, as in PyTorch': async ({ tensor, pow, sub, div, mul, maximum, special, isin, bucketize, bitwiseLeftShift }) => {
    const x = tensor([1, 2, 3], { requiresGrad: true });
    const powers = pow(2, x);
    close(await powers.tolist(), [2, 4, 8]);
    powers.sum().backward();
    close(await x.grad.tolist(), [2, 4, 8].map((power) => power * Math.LN2));
    close(await sub(1, x).tolist(), [0, -1, -2]);
    close(await div(6, x).tolist(), [6, 3, 2]);
    const whole = tensor([1, 2], { dtype: 'int32' });
    ok(pow(2, whole).dtype === 'int32' && mul(0.5, whole).dtype === 'float32' && mul(2, tensor([true])).dtype === 'int32', 'types');
    close(await pow(2, { exponent: x }).tolist(), [2, 4, 8]);
    close(await special.xlog1py(2, x).tolist(), [2 * Math.log1p(1), 2 * Math.log1p(2), 2 * Math.log1p(3)]);
    close(await special.xlogy(0, tensor([0, Infinity, NaN])).tolist(), [0, 0, NaN], 'a factor of 0');
    close(await special.xlogy(2, whole).tolist(), [0, 2 * Math.LN2]);
    equal(await bitwiseLeftShift(1, whole).tolist(), [2, 4]);
    ok(await isin(2, whole).item(), 'an element');
    equal(await bucketize(2, x.detach()).item(), 1);
    await refuses(() => special.xlog1py(2, 3), 'argument', /^special\.xlog1py: /);
    await refuses(() => maximum(2, x), 'argument', /^maximum: /, /input takes a tensor/);
    await refuses(() => pow(2, 3), 'argument', /^pow: /, /input takes a tensor/);
  },

  'errors have the name that was called': async ({ nn, ones }) => {
    const x = ones(1, 1, 2, 2);
    for (const fail of [() => nn.functional.unfold(x, 3), () => new nn.Unfold(3).call(x)]) await refuses(fail, 'shape', /^unfold: /);
    await refuses(() => nn.functional.unfold(x, 'a'), 'argument', /^unfold: /);
    const columns = ones(1, 3, 4);
    for (const fail of [() => nn.functional.fold(columns, 4, 2), () => new nn.Fold(4, 2).call(columns)]) await refuses(fail, 'shape', /^fold: /);
  },

  'arrays are tensors where tensors are taken': async ({ tensor, nn, matmul, where, linalg }) => {
    const x = tensor([[1, 2], [3, 4]]);
    equal(await x.matmul([[1], [1]]).tolist(), [[3], [7]]);
    equal(await x.add([10, 20]).tolist(), [[11, 22], [13, 24]]);
    equal(await x.max([[2, 2], [2, 5]]).tolist(), [[2, 2], [3, 5]], 'among overloads');
    equal(await x.mul(new Float32Array([0, 1])).tolist(), [[0, 2], [0, 4]]);
    equal(await matmul([[1, 2]], [[3], [4]]).tolist(), [[11]]);
    equal(await where([true, false], [1, 1], [2, 2]).tolist(), [1, 2]);
    equal(await linalg.det([[2, 0], [0, 3]]).item(), 6);
    equal(new nn.Linear(2, 3).call([[1, 2]]).shape, [1, 3]);
    equal(x.sum([0, 1]).shape, [], 'a list of dimensions is one still');
    await refuses(() => x.matmul([[1], [2, 3]]), 'shape', /^matmul: /, /other/, /ragged/);
  },

  'a tensor of tensors': async ({ tensor, ones }) => {
    const [x, y] = [tensor([1, 2], { requiresGrad: true }), tensor([3, 4])];
    const both = tensor([x, y]);
    equal(await both.tolist(), [[1, 2], [3, 4]]);
    ok(!both.requiresGrad, 'it is a copy');
    equal(await tensor([ones([]), ones([]).mul(2)]).tolist(), [1, 2], 'of numbers');
    ok(tensor(x, { dtype: 'int32', requiresGrad: false }).dtype === 'int32', 'of one tensor');
    await refuses(() => tensor([x, 1]), 'argument', /^tensor: data\[1\] is a number/);
  },

  'what makes a tensor takes requiresGrad': async ({ zeros, ones, full, rand, randn, eye, arange, linspace, ones: like }) => {
    const options = { requiresGrad: true };
    const made = [zeros(2, options), ones([2, 3], options), full([2], 1.5, options), rand(2, options), randn([2], options), eye(2, options), arange(0, 2, 0.5, options), linspace(0, 1, 3, options), like(2).zerosLike(options)];
    made.forEach((x, index) => ok(x.requiresGrad && x.isLeaf, `number ${index}`));
    ok(zeros(2, { dtype: 'float16', requiresGrad: true }).dtype === 'float16' && !zeros(2, { requiresGrad: false }).requiresGrad, 'with others');
    await refuses(() => zeros(2, { requiresGrad: 1 }), 'argument', /^zeros: /, /requiresGrad/);
    await refuses(() => zeros(2, { dtype: 'int32', requiresGrad: true }), 'dtype', /int32/);
  },

  'einsum takes tensors one by one': async ({ einsum, tensor }) => {
    const x = tensor([[1, 2], [3, 4]]);
    equal(await einsum('ij,jk->ik', x, x).tolist(), await x.matmul(x).tolist());
    equal(await einsum('ii', x).item(), 5);
    equal(await einsum('ij,jk->ik', [x, x]).tolist(), await x.matmul(x).tolist());
  },

  'iteration gives rows': async ({ tensor }) => {
    const rows = [...tensor([[1, 2], [3, 4]])];
    equal(await Promise.all(rows.map((row) => row.tolist())), [[1, 2], [3, 4]]);
    const [first] = tensor([5, 6]);
    equal(await first.item(), 5);
    await refuses(() => [...tensor(1)], 'shape', /0-d/);
  },

  'modes of gradients': async ({ tensor, noGrad, enableGrad, setGradEnabled, isGradEnabled }) => {
    const x = tensor([2], { requiresGrad: true });
    const isRecorded = () => x.mul(2).requiresGrad;
    ok(isGradEnabled() && isRecorded(), 'at first');
    equal(noGrad(() => [isGradEnabled(), isRecorded(), enableGrad(isRecorded)]), [false, false, true]);
    const mode = setGradEnabled(false);
    await x.data();
    ok(!isRecorded(), 'it holds across await');
    mode.restore();
    ok(isRecorded(), 'until it is restored');
  },

  'the gradient of a function': async ({ tensor, grad }) => {
    const cube = (x, scale = 1) => x.pow(3).mul(scale).sum();
    equal(await grad(cube)(tensor([1, 2])).tolist(), [3, 12]);
    equal(await grad(cube)(tensor([1, 2]), 2).tolist(), [6, 24], 'other arguments');
    equal(await grad((x) => grad(cube)(x).sum())(tensor([1, 2])).tolist(), [6, 12], 'of a gradient');
    equal(await grad(() => tensor(1, { requiresGrad: true }))(tensor([1, 2])).tolist(), [0, 0], 'of a constant');
    await refuses(() => grad((x) => x.mul(2))(tensor([1, 2])), 'autograd', /one element/);
    await refuses(() => grad(() => 5)(tensor([1])), 'argument', /^grad: /, /result/);
  },

  'dtypes and isTensor': ({ tensor, isTensor, float16, float32, int32, bool, zeros }) => {
    ok(zeros(1, { dtype: float16 }).dtype === 'float16' && tensor([1], { dtype: int32 }).dtype === int32, 'types by name');
    ok(float32 === 'float32' && bool === 'bool', 'they are strings');
    ok(isTensor(zeros(1)) && !isTensor([1]) && !isTensor(null), 'isTensor');
  },
};
