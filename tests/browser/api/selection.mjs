/** Selecting elements, joining tensors, changing shapes. */
import { close, equal, numbers, rows } from '../lib/expect.mjs';

const index = (tensor, values) => tensor(values, { dtype: 'int32' });

export const cases = {
  'gather, indexSelect and embedding': async ({ tensor, embedding }) => {
    const table = rows(numbers(12), 3);
    const x = tensor(table);
    equal(await x.indexSelect(0, index(tensor, [3, 0, 3])).tolist(), [table[3], table[0], table[3]]);
    equal(await x.indexSelect(1, index(tensor, [2])).tolist(), table.map((row) => [row[2]]));
    equal(await x.gather(1, index(tensor, [[0], [1], [2], [1]])).tolist(), [0, 1, 2, 1].map((column, row) => [table[row][column]]));
    equal(await embedding(x, index(tensor, [[1, 2], [2, 0]])).tolist(), [[table[1], table[2]], [table[2], table[0]]]);
  },

  'scatterAdd adds all values of one index': async ({ zeros, tensor }) => {
    const indices = index(tensor, [[0, 1, 0, 0], [2, 2, 2, 2]]);
    equal(await zeros(2, 3).scatterAdd(1, indices, tensor([[1, 2, 3, 4], [5, 6, 7, 8]])).tolist(), [[8, 2, 0], [0, 0, 26]]);
  },

  'scatterAdd into one element, many times': async ({ zeros, ones }) => {
    const count = 5000;
    equal(await zeros(3).scatterAdd(0, zeros([count], { dtype: 'int32' }), ones(count)).data(), [count, 0, 0]);
  },

  'slices, rows and ranges': async ({ tensor, arange }) => {
    const x = arange(0, 24).reshape(4, 6);
    equal(await x.slice(0, 1, 3).tolist(), [[6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17]]);
    equal(await x.slice({ dim: 1, start: 1, step: 2 }).tolist(), [[1, 3, 5], [7, 9, 11], [13, 15, 17], [19, 21, 23]]);
    equal(await x.slice(0, -1).tolist(), [[18, 19, 20, 21, 22, 23]]);
    equal(await x.slice(0, 3, 100).shape, [1, 6]);
    equal(await x.select(1, -1).data(), [5, 11, 17, 23]);
    equal(await x.narrow(1, 2, 2).select(0, 0).data(), [2, 3]);
    equal(await tensor([1, 2, 3]).slice(0, 2, 1).data(), []);
  },

  'shapes are changed': async ({ arange, ones }) => {
    const x = arange(0, 6).reshape(2, 3);
    equal(await x.t().tolist(), [[0, 3], [1, 4], [2, 5]]);
    equal(await x.t().reshape(-1).data(), [0, 3, 1, 4, 2, 5]);
    equal(await x.view(3, 2).tolist(), [[0, 1], [2, 3], [4, 5]]);
    equal(x.unsqueeze(0).shape, [1, 2, 3]);
    equal(x.unsqueeze(-1).squeeze().shape, [2, 3]);
    equal(ones(1, 2, 1).squeeze(0).shape, [2, 1]);
    equal(arange(0, 24).reshape(2, 3, 4).permute(2, 0, 1).shape, [4, 2, 3]);
    equal(await arange(0, 24).reshape(2, 3, 4).permute(2, 0, 1).select(0, 1).tolist(), [[1, 5, 9], [13, 17, 21]]);
    equal(arange(0, 24).reshape(2, 3, 4).flatten(1).shape, [2, 12]);
    equal(await arange(0, 3).expand(2, 3).tolist(), [[0, 1, 2], [0, 1, 2]]);
    equal(await ones(2, 3).sumToSize(1, 3).tolist(), [[2, 2, 2]]);
  },

  'views go into operations like copies of themselves': async ({ tensor }) => {
    const x = tensor(rows(numbers(35), 7));
    const views = { transposed: x.t(), sliced: x.slice(1, 1, 6, 2), selected: x.select(0, 2), expanded: x.select(1, 3).unsqueeze(1).expand(5, 4) };
    for (const [name, view] of Object.entries(views)) {
      const copy = tensor(await view.tolist());
      close(await view.mul(2).add(view).tolist(), await copy.mul(2).add(copy).tolist(), {}, name);
      close(await view.sum(0).tolist(), await copy.sum(0).tolist(), {}, `${name}, summed`);
      close(await view.softmax(-1).tolist(), await copy.softmax(-1).tolist(), {}, `${name}, softmax`);
      const other = tensor(rows(numbers(3 * view.shape.at(-1), 4), 3));
      close(await view.matmul(other).tolist(), await copy.matmul(other).tolist(), {}, `${name}, matmul`);
    }
  },

  'tensors are put together': async ({ cat, stack, tensor }) => {
    const [a, b] = [tensor([[1, 2]]), tensor([[3, 4], [5, 6]])];
    equal(await cat([a, b]).tolist(), [[1, 2], [3, 4], [5, 6]]);
    equal(await cat([a, a], 1).tolist(), [[1, 2, 1, 2]]);
    equal(await cat([a, a], { dim: -1 }).tolist(), [[1, 2, 1, 2]]);
    equal(await stack([a, a], 1).tolist(), [[[1, 2], [1, 2]]]);
    const many = Array.from({ length: 64 }, (_, position) => tensor([position, -position]));
    equal(await cat(many).data(), many.flatMap((_, position) => [position, -position]), 'more than a kernel can bind');
    equal(await stack(many, 1).tolist(), [many.map((_, position) => position), many.map((_, position) => -position)]);
  },

  'one expression of many tensors': async ({ tensor }) => {
    let total = tensor([0.5, 1]);
    for (let position = 1; position <= 20; position += 1) {
      total = total.add(tensor([position, -position]));
    }
    equal(await total.data(), [210.5, -209]);
  },

  'more elements than one dispatch has workgroups for': async ({ ones }) => {
    const count = 65_536 * 256 + 1;
    const x = ones(count).mul(3);
    equal(await x.slice(0, 0, 2).data(), [3, 3]);
    equal(await x.slice(0, count - 2).data(), [3, 3]);
  },
};
