/** Python's indexing syntax. */
import { equal, refuses } from '../lib/expect.mjs';

export const cases = {
  'ranges, numbers, dots and new dimensions': async ({ arange }) => {
    const x = arange(0, 24).reshape(2, 3, 4);
    equal(await x.at(1, 2, 3).item(), 23);
    equal(await x.at('1:, ..., ::2').tolist(), [[[12, 14], [16, 18], [20, 22]]]);
    equal(await x.at(0, '...', -1).data(), [3, 7, 11]);
    equal(x.at(null, '...', null, 0).shape, [1, 2, 3, 1]);
    equal(await x.at(1, '-1:').tolist(), [[20, 21, 22, 23]]);
  },

  'index tensors pick elements': async ({ arange, tensor }) => {
    const x = arange(0, 12).reshape(3, 4);
    const [rows, columns] = [tensor([2, 0], { dtype: 'int32' }), tensor([1, -1], { dtype: 'int32' })];
    equal(await x.at(rows).tolist(), [[8, 9, 10, 11], [0, 1, 2, 3]]);
    equal(await x.at(rows, columns).data(), [9, 3]);
    equal(await x.at(':', columns).tolist(), [[1, 3], [5, 7], [9, 11]]);
    equal(await (await x.index([x.gt(9)])).data(), [10, 11]);
  },

  'assignment': async ({ zeros, tensor, ones }) => {
    const x = zeros(3, 3);
    x.set([0, '1:'], 5).set(['2'], tensor([1, 2, 3])).set([tensor([1], { dtype: 'int32' }), 0], 7);
    equal(await x.tolist(), [[0, 5, 5], [7, 0, 0], [1, 2, 3]]);
    x.set([x.gt(4)], 0);
    equal(await x.tolist(), [[0, 0, 0], [0, 0, 0], [1, 2, 3]]);
    x.at(1).fill_(9);
    equal(await x.at(1).data(), [9, 9, 9], 'a view writes into its tensor');
    const w = ones(3).requiresGrad_();
    const y = w.mul(2).set(0, 0);
    y.sum().backward();
    equal(await w.grad.data(), [0, 2, 2]);
  },

  'what does not fit is refused': async ({ zeros, ones }) => {
    const x = zeros(2, 2);
    await refuses(() => x.at(2), 'index', /2/);
    await refuses(() => x.at(0, 0, 0), 'index', /index/);
    await refuses(() => x.at('a:b'), 'argument', /a:b/);
    await refuses(() => x.set([0], ones(3)), 'shape', /\[3\]/);
    equal(await x.data(), [0, 0, 0, 0]);
  },
};
