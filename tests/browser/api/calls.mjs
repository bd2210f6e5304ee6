/** The ways to write calls. */
import { close, equal, ok } from '../lib/expect.mjs';

export const cases = {
  'keywords go in a trailing object': async ({ tensor, nn }) => {
    const x = tensor([[1, 2], [3, 4]]);
    equal(await x.sum({ dim: 1, keepdim: true }).tolist(), [[3], [7]]);
    equal(await x.sum(1, { keepdim: true }).tolist(), [[3], [7]]);
    equal(await x.sum(1, true).tolist(), [[3], [7]]);
    equal(await x.add(x, { alpha: 10 }).tolist(), [[11, 22], [33, 44]]);
    ok(x.sum({ dtype: 'int32' }).dtype === 'int32', 'a dtype as a keyword');
    equal(new nn.Linear(3, 2, { bias: false }).parameters().map((parameter) => parameter.shape), [[2, 3]]);
    equal(await x.sum({}).item(), 10);
    equal(await x.sum(undefined).item(), 10);
    equal(await x.sum(null).item(), 10);
    equal(await x.add(1, undefined).tolist(), [[2, 3], [4, 5]]);
  },

  'sizes may be spread or in an array': async ({ zeros, ones, rand, arange }) => {
    for (const made of [zeros(2, 3), zeros([2, 3]), ones(2, 3), rand(2, 3), rand(new Int32Array([2, 3]))]) {
      equal(made.shape, [2, 3]);
    }
    equal(zeros(4).shape, [4]);
    equal(zeros([]).shape, []);
    equal(arange(0, 6).reshape(2, 3).shape, [2, 3]);
    equal(arange(0, 6).reshape([3, -1]).shape, [3, 2]);
    equal(arange(0, 6).reshape(1, 2, 3).permute(2, 0, 1).shape, [3, 1, 2]);
    ok(zeros(2, 3, { dtype: 'int32' }).dtype === 'int32', 'spread sizes with keywords');
  },

  'other names of an operation': async ({ tensor, concat }) => {
    const x = tensor([4, -2]);
    equal(await x.subtract(1).data(), [3, -3]);
    equal(await x.absolute().data(), [4, 2]);
    equal(await x.clip(0, 3).data(), [3, 0]);
    equal(await x.greaterEqual(0).tolist(), [true, false]);
    equal(await concat([x, x]).data(), [4, -2, 4, -2]);
  },

  'one name has several operations': async ({ arange, atleast1d, normal, ones, tensor, where }) => {
    const x = tensor([[1, 5], [3, 2]]);
    equal(await x.max().item(), 5);
    equal(await x.max(1).values.tolist(), [5, 3]);
    equal(await x.max({ dim: 0, keepdim: true }).indices.tolist(), [[1, 0]]);
    equal(await x.max([[2, 2], [2, 2]]).tolist(), [[2, 5], [3, 2]]);
    equal(await x.clamp([2, 3], { max: [2, 4] }).tolist(), [[2, 4], [2, 3]]);
    equal(await x.clone().clamp_([[2], [3]]).tolist(), [[2, 5], [3, 3]]);
    equal(await (await tensor([7, 8]).repeatInterleave(new Int32Array([1, 2]))).tolist(), [7, 8, 8]);
    equal(await where([true, false], [1, 2], 0).tolist(), [1, 0]);
    close(await Promise.all([x.std(true), x.std(null, false), x.std({ correction: 0 })].map((made) => made.item())), [1.7078251, 1.4790199, 1.4790199]);
    equal([atleast1d(ones([])), ...atleast1d([ones([]), ones(2)]), ...atleast1d(ones(3), ones([]))].map(({ shape }) => shape), [[1], [1], [2], [3], [1]]);
    equal(atleast1d([1, 2]).shape, [2]);
    ok(arange(3, { dtype: 'float32', requiresGrad: true }).requiresGrad && !arange(3).requiresGrad, 'an option of JavaScript');
    equal([normal(0, 1, [2, 3]).shape, normal([0, 5], [1, 1]).shape], [[2, 3], [2]]);
  },

  'what a tensor says of itself': ({ tensor, Tensor }, device) => {
    const x = tensor([[1, 2, 3]]);
    ok(x instanceof Tensor, 'its class');
    equal([x.ndim, x.numel, x.shape], [2, 3, [1, 3]]);
    ok(x.dtype === 'float32' && x.isLeaf && !x.requiresGrad && x.gradFn === null && x.grad === null, 'its state');
    ok(`${x}`.endsWith(`shape=[1, 3], dtype=float32, device=${device})`), `${x}`);
    ok(x.device === device && x.dim() === 2, 'its device');
    equal([x.size(), x.size(-1), x.stride(), x.T.stride(), x.stride(0)], [[1, 3], 3, [3, 1], [1, 3], 3]);
    ok(x.isContiguous() && tensor([[1, 2], [3, 4]]).isContiguous() && !tensor([[1, 2], [3, 4]]).T.isContiguous(), 'its memory');
    ok(Object.isFrozen(x.shape), 'its shape cannot be changed from outside');
  },

  'the forms of torch.nn.functional and torch.autograd': async ({ arange, float, grad, int, meshgrid, nn, tensor, zeros }) => {
    const { dropout, softmax, unfold } = nn.functional;
    const image = arange(0, 16, { dtype: 'float32' }).reshape(1, 1, 4, 4);
    equal(unfold(image, 3).shape, [1, 9, 4]);
    equal(await unfold(image, 2, { stride: 2 }).select(1, 0).tolist(), [[0, 2, 8, 10]]);
    equal(image.unfold(2, 2, 2).shape, [1, 1, 2, 4, 2], 'the method takes a dimension');
    equal(await dropout(tensor([1, 2]), 0.5, { training: false }).tolist(), [1, 2]);
    equal(await dropout(tensor([1, 2]), { p: 1 }).tolist(), [0, 0]);
    close(await softmax(tensor([[0, 0], [0, 0]])).tolist(), [[0.5, 0.5], [0.5, 0.5]]);
    close(await new nn.Softmax().call(tensor([[0, Math.log(3)]])).tolist(), [[0.25, 0.75]]);
    close(await new nn.LogSoftmax().call(zeros(2, 1, 1)).tolist(), [[[-Math.log(2)]], [[-Math.log(2)]]], {}, 'three dimensions: along the first');
    const [rows, columns] = meshgrid(tensor([1, 2]), tensor([3, 4, 5]), { indexing: 'xy' });
    equal(await rows.tolist(), [[1, 2], [1, 2], [1, 2]]);
    equal(await columns.tolist(), [[3, 3], [4, 4], [5, 5]]);
    equal(meshgrid(tensor([1, 2]), tensor([3])).map(({ shape }) => shape), [[2, 1], [2, 1]]);
    const x = tensor([3], { requiresGrad: true });
    equal(await grad(x.square().sum(), x)[0].tolist(), [6]);
    equal(await tensor([[2, 1]]).sort(1, { stable: true }).values.tolist(), [[1, 2]]);
    ok(zeros(2, { dtype: int }).dtype === 'int32' && zeros(2, { dtype: float }).dtype === 'float32', 'names of types');
  },
};
