/** The ways to write calls. */
import { equal, ok } from '../lib/expect.mjs';

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
};
