/** Shapes that do not match, and invalid shapes. */
import { equal, refuses } from '../lib/expect.mjs';

export const cases = {
  'shapes that do not fit each other': async ({ tensor, ones, cat, stack }) => {
    const [a, b] = [ones(2, 3), ones(2, 4)];
    await refuses(() => a.add(b), 'shape', /^add: /, /\[2, 3\]/, /\[2, 4\]/, /broadcast/);
    await refuses(() => a.matmul(b), 'shape', /^matmul: /, /\[2, 3\]/, /\[2, 4\]/, /inner dimensions/);
    await refuses(() => cat([a, b]), 'shape', /^cat: /, /\[2, 3\]/, /\[2, 4\]/);
    await refuses(() => stack([a, b]), 'shape', /^stack: /, /\[2, 3\]/, /\[2, 4\]/);
    await refuses(() => a.reshape(4, 2), 'shape', /^reshape: /, /\[2, 3\]/, /\[4, 2\]/, /6 elements/);
    await refuses(() => a.reshape(-1, 4), 'shape', /^reshape: /, /\[2, 3\]/);
    await refuses(() => a.reshape(-1, -1), 'shape', /^reshape: /);
    await refuses(() => a.expand(2, 4), 'shape', /^expand: /, /\[2, 3\]/);
    await refuses(() => a.add_(ones(2, 2, 3)), 'shape', /^add_: /, /\[2, 3\]/, /\[2, 2, 3\]/);
    await refuses(() => a.mseLoss(b), 'shape', /\[2, 3\]/, /\[2, 4\]/);
    await refuses(() => a.crossEntropy(tensor([1, 2, 0], { dtype: 'int32' })), 'shape', /\[2, 3\]/, /\[3\]/);
    equal(await a.sum().item(), 6, 'the tensor is as it was');
  },

  'a copy that does not fit speaks in its own name': async ({ ones }) => {
    await refuses(() => ones(2, 3).copy_(ones(2, 4)), 'shape', /^copy_: /, /\[2, 3\]/, /\[2, 4\]/);
  },

  'a view that would have to be a copy': async ({ ones }) => {
    await refuses(() => ones(2, 3).t().view(6), 'shape', /^view: /, /reshape/);
  },

  'layers that do not fit their input': async ({ nn, ones }) => {
    await refuses(() => new nn.Linear(4, 2).call(ones(2, 3)), 'shape', /^linear: /, /\[2, 3\]/, /\[2, 4\]/);
    await refuses(() => new nn.Sequential(new nn.Linear(3, 4), new nn.Linear(3, 4)).call(ones(2, 3)), 'shape', /\[2, 4\]/, /\[4, 3\]/);
  },

  'nested arrays that are ragged': async ({ tensor }) => {
    await refuses(() => tensor([[1, 2], [3]]), 'shape', /^tensor: /, /ragged/, /data\[1\]/, /1 items/, /2 items/);
    await refuses(() => tensor([[1], 2]), 'shape', /ragged/, /data\[1\]/);
    await refuses(() => tensor([1, [2]]), 'shape', /data\[1\]/);
    await refuses(() => tensor([[[1, 2]], [[1, 2, 3]]]), 'shape', /data\[1\]\[0\]/);
    await refuses(() => tensor([Float32Array.of(1, 2), Float32Array.of(3)]), 'shape', /ragged/, /data\[1\] has 1 items/);
    await refuses(() => tensor([Int8Array.of(1), Int16Array.of(300)]), 'dtype', /^tensor: /, /data\[1\]/, /Int16Array/, /Int8Array/);
    await refuses(() => tensor([Float32Array.of(1), [2]]), 'dtype', /data\[1\]/);
  },

  'data that does not fill its shape': async ({ tensor }) => {
    await refuses(() => tensor([1, 2, 3], { shape: [2, 2] }), 'shape', /^tensor: /, /\[2, 2\]/, /takes 4 elements, 3 were given/);
    await refuses(() => tensor(new Float32Array(3), { shape: [] }), 'shape', /takes 1 elements, 3 were given/);
  },

  'negative sizes': async ({ tensor, zeros, rand }) => {
    await refuses(() => zeros(-1, 2), 'shape', /^zeros: /, /negative size -1/, /\[-1, 2\]/);
    await refuses(() => rand([2, -3]), 'shape', /^rand: /, /\[2, -3\]/);
    await refuses(() => tensor([], { shape: [-1, 0] }), 'shape', /^tensor: /, /\[-1, 0\]/);
  },

  'fractional sizes, and those that are no number': async ({ tensor, zeros, ones }) => {
    for (const size of [2.5, NaN, Infinity, -Infinity]) {
      await refuses(() => zeros(size, 2), 'shape', /^zeros: /, /whole number/, new RegExp(String(size)));
      await refuses(() => ones(4).reshape([2, size]), 'shape', /^reshape: /, /whole number/);
      await refuses(() => tensor([1], { shape: [size] }), 'shape', /^tensor: /, /whole number/, new RegExp(String(size)));
    }
  },

  'sizes beyond everything': async ({ tensor, zeros, rand, ones }) => {
    await refuses(() => zeros(65536, 65536), 'shape', /^zeros: /, /\[65536, 65536\]/, /too large/, /at most \d+ elements/);
    await refuses(() => rand(65536, 65536).sum().item(), 'shape', /^rand: /, /too large/);
    await refuses(() => zeros(2 ** 53), 'shape', /^zeros: /, /too large/);
    await refuses(() => zeros(2 ** 53, 2 ** 53), 'shape', /^zeros: /, /too large/);
    await refuses(() => zeros(2 ** 31), 'shape', /too large/);
    await refuses(() => zeros(2 ** 32), 'shape', /too large/);
    await refuses(() => zeros(1e300), 'shape', /^zeros: /);
    await refuses(() => tensor([1], { shape: [65536, 65536] }), 'shape', /^tensor: /, /too large/);
    await refuses(() => tensor([1], { shape: [2 ** 53] }), 'shape', /^tensor: /, /9007199254740992/);
    await refuses(() => ones(65536, 1).add(ones(65536)), 'shape', /^add: /, /\[65536, 65536\]/, /too large/);
    await refuses(() => ones(1).expand(65536, 65536), 'shape', /^expand: /, /too large/);
    // As wide as the whole range in one step, so that a 32-bit product would be 0.
    await refuses(() => zeros(65536, 65536, 0, 1).add(1).data(), 'shape', /too large/);
  },

  'more dimensions than there may be': async ({ ones, tensor }) => {
    await refuses(() => ones(Array(1000).fill(1)), 'shape', /^ones: /, /1000 dimensions/, /at most \d+/);
    let deep = 1;
    for (let level = 0; level < 100_000; level += 1) {
      deep = [deep];
    }
    await refuses(() => tensor(deep), 'shape', /^tensor: /, /nested/);
    const cycle = [];
    cycle.push(cycle);
    await refuses(() => tensor(cycle), 'shape', /^tensor: /, /nested/);
  },

  'item() of many elements': async ({ ones, zeros }) => {
    await refuses(() => ones(2, 3).item(), 'shape', /^item: /, /\[2, 3\]/, /6 elements/, /data\(\)/);
    await refuses(() => zeros(0).item(), 'shape', /^item: /, /\[0\]/);
    equal(await ones(1, 1, 1).item(), 1);
  },

  'more memory than there is': async ({ ones, synchronize }, device) => {
    // 4 GB: within the limit of elements, larger than a buffer can be here.
    const kind = device === 'cpu' ? 'out_of_memory' : 'limit';
    await refuses(() => ones(32768, 32768).clone().data(), kind, /bytes/);
    await synchronize();
  },
};
