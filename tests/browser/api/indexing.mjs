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

  'arrays index like the lists of Python': async ({ arange }) => {
    const x = arange(0, 12).reshape(3, 4);
    const rows = [[0, 1, 2, 3], [8, 9, 10, 11]];
    equal(await x.at([0, 2]).tolist(), rows);
    equal(await x.at(new Int32Array([0, -1])).tolist(), rows);
    equal(await x.at(':', [1]).tolist(), [[1], [5], [9]]);
    equal(await x.at([[0, 1], [2, -1]]).tolist(), [[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 10, 11], [8, 9, 10, 11]]]);
    equal(await x.at([0, 1], [2, 3]).tolist(), [2, 7], 'index arrays go together');
    equal(x.at([]).shape, [0, 4]);
    equal(await x.at([true, false, true]).tolist(), rows, 'a mask of booleans');
    equal(await x.at('...', [true, false, true, false]).tolist(), [[0, 2], [4, 6], [8, 10]]);
    equal(await x.at([[true, false, false, true], [false, false, false, false], [false, true, false, false]]).tolist(), [0, 3, 9]);
    equal(await x.clone().set([[0, 2]], 9).at(':', 0).tolist(), [9, 4, 9]);
    equal(await x.clone().set([0, 2], 9).at(0).tolist(), [0, 1, 9, 3], 'a list of keys');
    equal(await x.clone().set(new Int32Array([1]), 9).at(1).tolist(), [9, 9, 9, 9]);
    equal(await x.clone().set([':', [true, false, false, true]], 9).at(0).tolist(), [9, 1, 2, 9]);
    await refuses(() => x.at(undefined), 'argument', /key 0 is missing/);
    await refuses(() => x.at([1.5]), 'index', /whole number, not 1.5/);
    await refuses(() => x.at('T'), 'argument', /"T"/);
    await refuses(() => x.at([true, false]), 'index', /mask of shape \[2\] does not fit shape \[3, 4\]/);
    await refuses(() => x.at(x.gt(3)), 'dtype', /await x.maskedSelect\(mask\)/);
    await refuses(() => x.at([7]).data(), 'index', /out of range/);
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
    await refuses(() => x.at(0, 0, 0), 'index', /^at: 3 indices/);
    await refuses(() => x.at('a:b'), 'argument', /a:b/);
    await refuses(() => x.set([0], ones(3)), 'shape', /\[3\]/);
    equal(await x.data(), [0, 0, 0, 0]);
  },
};
