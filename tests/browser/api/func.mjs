/** Functions of functions: derivatives and batches. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'gradients have the form of their arguments': async ({ func, tensor }) => {
    const loss = ({ w, b: [b] }, x) => x.matmul(w).add(b).square().sum();
    const parameters = { w: tensor([1, 2]), b: [tensor(1)] };
    const found = func.grad(loss)(parameters, tensor([[1, 1], [2, 0]]));
    equal(await found.w.tolist(), [20, 8]);
    equal(await found.b[0].tolist(), 14);
    const [[byX, byW], value] = func.gradAndValue((x, w) => x.mul(w).sum(), { argnums: [0, 1] })(tensor([1, 2]), tensor([3, 4]));
    equal([await byX.tolist(), await byW.tolist(), await value.item()], [[3, 4], [1, 2], 11]);
    const [slope, aux] = func.grad((x) => [x.square().sum(), x.add(1)], { hasAux: true })(tensor([3]));
    equal([await slope.tolist(), await aux.tolist()], [[6], [4]]);
    equal(await func.grad(func.grad((x) => x.pow(3).sum()))(tensor(2)).item(), 12);
  },

  'vmap runs a function of one sample on many': async ({ func, rand, manualSeed, tensor }) => {
    const [rows, weight] = [tensor([[1, 2], [3, 4], [5, 6]]), tensor([10, 1])];
    equal(await func.vmap((a, b) => a.matmul(b))(rows, rows).tolist(), [5, 25, 61]);
    equal(await func.vmap((a, b) => a.matmul(b), { inDims: [0, null] })(rows, weight).tolist(), [12, 34, 56]);
    const columns = func.vmap((column) => ({ sorted: column.sort(0, true)[0] }), { inDims: 1, outDims: { sorted: 1 }, chunkSize: 1 })(rows);
    equal(await columns.sorted.tolist(), [[5, 6], [3, 4], [1, 2]]);
    const outer = func.vmap(func.vmap((a, b) => a.mul(b), { inDims: [null, 0] }), { inDims: [0, null] })(tensor([1, 2]), tensor([3, 4, 5]));
    equal(await outer.tolist(), [[3, 4, 5], [6, 8, 10]]);
    manualSeed(5);
    const same = await func.vmap((x) => x.add(rand(2)), { randomness: 'same' })(tensor([0, 0])).tolist();
    equal(same[0], same[1]);
    const different = await func.vmap((x) => x.add(rand(2)), { randomness: 'different' })(tensor([0, 0])).tolist();
    ok(different[0][0] !== different[1][0], 'samples have numbers of their own');
  },

  'a module is a function of its parameters': async ({ func, manualSeed, nn, randn, tensor }) => {
    manualSeed(1);
    const model = new nn.Sequential(new nn.Conv2d(1, 2, 3), new nn.ReLU(), new nn.Flatten(), new nn.Linear(8, 3));
    const [images, labels] = [randn(4, 1, 4, 4), tensor([0, 2, 1, 0], { dtype: 'int32' })];
    const loss = (parameters, image, label) =>
      nn.functional.crossEntropy(func.functionalCall(model, parameters, [image.unsqueeze(0)]), label.unsqueeze(0));
    const parameters = Object.fromEntries(model.namedParameters());
    const ofEach = func.vmap(func.grad(loss), { inDims: [null, 0, 0] })(parameters, images, labels);
    nn.functional.crossEntropy(model.call(images), labels).backward();
    for (const [name, parameter] of model.namedParameters()) {
      equal(ofEach[name].shape, [4, ...parameter.shape], name);
      close(await ofEach[name].mean(0).flatten().tolist(), await parameter.grad.flatten().tolist(), { absolute: 1e-5 }, name);
    }
    ok(parameters['0.weight'] === [...model.modules()][1].weight, 'the module has its own parameters again');
    const ensemble = [0, 1, 2].map(() => new nn.Linear(2, 1));
    const [stacked, buffers] = func.stackModuleState(ensemble);
    const x = tensor([[1, 2], [3, 4]]);
    const all = func.vmap((p, b) => func.functionalCall(ensemble[0], [p, b], [x]))(stacked, buffers);
    for (const [index, member] of ensemble.entries()) close(await all.select(0, index).tolist(), await member.call(x).tolist());
    await refuses(() => func.functionalCall(model, { '3.wight': parameters['3.weight'] }, [images]), 'argument', /functionalCall: .*"3\.wight".*3\.weight/);
  },

  'products with the Jacobian, and whole ones': async ({ func, tensor }) => {
    const x = tensor([1, 2]);
    const [y, pullback] = func.vjp((v) => ({ square: v.square(), sum: v.sum() }), x);
    equal([await y.square.tolist(), await y.sum.item()], [[1, 4], 3]);
    const product = pullback({ square: tensor([1, 10]), sum: tensor(100) });
    equal(await product.tolist(), [102, 140]);
    pullback.dispose();
    await refuses(() => pullback({ square: x, sum: tensor(1) }), 'disposed', /derivative/);
    const [, tangent] = func.jvp((a, b) => a.mul(b), [x, tensor([3, 4])], [tensor([1, 0]), tensor([0, 1])]);
    equal(await tangent.tolist(), [3, 2]);
    const [, push] = func.linearize((v) => v.pow(3), x);
    equal(await push(tensor([1, 1])).tolist(), [3, 12]);
    push.dispose();
    const cumulative = (v) => v.cumprod(0);
    equal(await func.jacrev(cumulative)(x).tolist(), [[1, 0], [2, 1]]);
    equal(await func.jacfwd(cumulative)(x).tolist(), [[1, 0], [2, 1]]);
    const both = func.jacrev((a, b) => a.outer(b), { argnums: [0, 1], chunkSize: 2 })(x, tensor([3, 4, 5]));
    equal(both.map((part) => part.shape), [[2, 3, 2], [2, 3, 3]]);
    equal(await func.hessian((v) => v.pow(3).sum())(x).tolist(), [[6, 0], [0, 12]]);
    const [value, [curvature]] = func.hvp((v) => v.pow(3).sum(), [x], [tensor([1, -1])]);
    equal([await value.item(), await curvature.tolist()], [9, [6, -12]]);
  },

  'mistakes within transforms are errors': async ({ func, tensor }) => {
    const x = tensor([[1, 2], [3, 4]]);
    await refuses(() => func.vmap((a, b) => a.add(b))(x, tensor([1, 2, 3])), 'shape', /vmap: .*2 samples.*3/);
    await refuses(() => func.vmap((a) => a, { inDims: null })(x), 'argument', /vmap: .*samples/);
    await refuses(() => func.vmap((a) => a.bernoulli())(x), 'argument', /bernoulli: .*randomness/);
    await refuses(() => func.vmap(async (a) => a)(x), 'argument', /vmap: .*async/);
    await refuses(() => func.vmap((a) => [a, 1])(x), 'argument', /vmap: .*result\[1\].*number/);
    await refuses(() => func.grad((a) => a)(x), 'autograd', /grad: .*one element/);
    await refuses(() => func.grad((a) => a.sum(), { argnums: 1 })(x), 'argument', /grad: argnums/);
    await refuses(() => func.jvp((a) => a, [x], [tensor([1])]), 'shape', /jvp: tangent 0/);
    let kept;
    func.vmap((a) => { kept = a; return a; })(x);
    await refuses(() => kept.data(), 'argument', /vmap/);
    let read;
    func.vmap((a) => { read = a.sum().item(); return a; })(x);
    await refuses(() => read, 'argument', /sample/);
    let thrown;
    try {
      func.vmap(() => { throw new RangeError('mine'); })(x);
    } catch (error) {
      thrown = error;
    }
    equal(thrown.message, 'mine');
    equal(await x.add(1).tolist(), [[2, 3], [4, 5]]);
  },
};
