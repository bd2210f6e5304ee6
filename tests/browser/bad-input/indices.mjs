/**
 * Indices and dimensions out of range. Indices are data, so the read is refused; an index is never
 * clamped into the range. A GPU does not report which index it was.
 */
import { equal, refuses } from '../lib/expect.mjs';

const index = (tensor, values) => tensor(values, { dtype: 'int32' });

export const cases = {
  'gather': async ({ tensor }) => {
    const x = tensor([[1, 2], [3, 4]]);
    for (const odd of [2, -1, 2 ** 31 - 1, -(2 ** 31)]) {
      await refuses(() => x.gather(0, index(tensor, [[0, odd]])).data(), 'index', /gather/, /out of range/, /size 2/);
    }
    equal(await x.gather(0, index(tensor, [[1, 0]])).tolist(), [[3, 2]]);
  },

  'indexSelect': async ({ tensor }) => {
    const x = tensor([[1, 2], [3, 4], [5, 6]]);
    for (const odd of [3, -1]) {
      await refuses(() => x.indexSelect(0, index(tensor, [0, odd])).data(), 'index', /index/, /out of range/, /size 3/);
    }
    equal(await x.indexSelect(0, index(tensor, [2])).tolist(), [[5, 6]]);
  },

  'embedding': async ({ tensor, embedding }) => {
    await refuses(() => embedding(tensor([[1], [2]]), index(tensor, [5])).data(), 'index', /out of range/, /size 2/);
  },

  'scatterAdd leaves its neighbours alone': async ({ tensor, zeros }) => {
    const x = zeros(3);
    await refuses(() => x.scatterAdd(0, index(tensor, [3]), tensor([1])).data(), 'index', /out of range/, /size 3/);
    equal(await x.data(), [0, 0, 0]);
  },

  'labels of no class': async ({ tensor, ones }) => {
    await refuses(() => ones(1, 3).crossEntropy(index(tensor, [3])).item(), 'index', /out of range/, /size 3/);
    await refuses(() => ones(1, 3).nllLoss(index(tensor, [-1])).item(), 'index', /out of range/, /size 3/);
  },

  'what was computed from a refused index is refused too': async ({ tensor }) => {
    const x = tensor([1, 2]);
    const bad = x.indexSelect(0, index(tensor, [7]));
    const derived = bad.mul(2).sum();
    await refuses(() => derived.item(), 'index', /out of range/);
    await refuses(() => bad.data(), 'index', /out of range/);
    await refuses(() => derived.item(), 'index', /out of range/);
  },

  'reads beside a refused one are answered': async ({ tensor }) => {
    const x = tensor([1, 2]);
    const good = x.add(1);
    const bad = x.indexSelect(0, index(tensor, [9]));
    const [one, other, third] = await Promise.allSettled([good.data(), bad.data(), x.mul(3).data()]);
    equal([one.status, other.status, third.status], ['fulfilled', 'rejected', 'fulfilled']);
    equal([one.value, third.value], [[2, 3], [3, 6]]);
    equal(other.reason.kind, 'index');
  },

  'dimensions': async ({ ones, cat }) => {
    const x = ones(2, 3);
    for (const [name, call] of Object.entries({
      sum: () => x.sum(2),
      softmax: () => x.softmax(-3),
      transpose: () => x.transpose(0, 2),
      unsqueeze: () => x.unsqueeze(4),
      slice: () => x.slice(2, 0, 1),
      argmax: () => x.argmax(5),
      cat: () => cat([x, x], 2),
    })) {
      await refuses(call, 'index', new RegExp(`^${name}: `), /out of range/, /\[2, 3\]/);
    }
    await refuses(() => x.select(0, 2), 'index', /^select: /, /2/, /\[2, 3\]/);
    await refuses(() => x.narrow(1, 2, 2), 'index', /^narrow: /, /\[2, 3\]/);
    await refuses(() => x.permute(0, 0), 'argument', /^permute: /);
    await refuses(() => x.sum([0, 0]), 'argument', /^sum: /);
  },
};
