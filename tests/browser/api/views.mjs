/**
 * Views share memory; in-place operations change it, and version checks guard tensors saved for
 * backward.
 */
import { equal, ok, refuses } from '../lib/expect.mjs';

export const cases = {
  'a change is seen through every view': async ({ tensor }) => {
    const x = tensor([[1, 2, 3], [4, 5, 6]]);
    const [row, transposed, flat] = [x.select(0, 1), x.t(), x.view(6)];
    row.mul_(10);
    equal(await x.tolist(), [[1, 2, 3], [40, 50, 60]]);
    equal(await transposed.tolist(), [[1, 40], [2, 50], [3, 60]]);
    transposed.select(0, 0).add_(0.5);
    equal(await flat.data(), [1.5, 2, 3, 40.5, 50, 60]);
    x.slice(1, 0, 3, 2).copy_(tensor(0));
    equal(await row.data(), [0, 50, 0]);
  },

  'copies do not share': async ({ tensor }) => {
    const x = tensor([[1, 2], [3, 4]]);
    const [copy, packed] = [x.clone(), x.t().contiguous()];
    x.add_(1);
    equal(await copy.tolist(), [[1, 2], [3, 4]]);
    equal(await packed.tolist(), [[1, 3], [2, 4]]);
  },

  'the in-place form returns its tensor': async ({ tensor }) => {
    const x = tensor([1, -2]);
    ok(x.relu_() === x, 'the tensor itself');
    equal(await x.add_(1).mul_(tensor([2, 3])).data(), [4, 3]);
    equal(await x.copy_(tensor([7])).data(), [7, 7], 'broadcast');
    equal(await tensor([1, 2], { dtype: 'int32' }).copy_(tensor([1.7, -1.7])).data(), [1, -1], 'converted');
  },

  'the in-place form of a view is the same tensor in another shape': async ({ tensor, noGrad }) => {
    const x = tensor([[1, 2, 3], [4, 5, 6]]);
    const [before, row] = [x.shape, x.select(0, 0)];
    ok(x.t_() === x, 'the tensor itself');
    equal([before, x.shape, x.ndim], [[2, 3], [3, 2], 2]);
    equal(await x.tolist(), [[1, 4], [2, 5], [3, 6]]);
    row.mul_(10);
    equal(await x.unsqueeze_(0).swapaxes_(1, 2).tolist(), [[[10, 20, 30], [4, 5, 6]]]);
    equal(x.squeeze_().shape, [2, 3]);
    equal(await x.asStrided_([2, 2], [1, 2]).tolist(), [[10, 30], [20, 4]]);
    await refuses(() => x.transpose_(0, 2), 'index', /^transpose/);
    equal(x.shape, [2, 2], 'as before the error');
    const leaf = tensor([[1, 2], [3, 4]], { requiresGrad: true });
    const y = leaf.mul(2).t_();
    y.select(0, 1).mul_(3);
    y.sum().backward();
    equal(await leaf.grad.tolist(), [[2, 6], [2, 6]]);
    await refuses(() => leaf.t_(), 'autograd', /^t_: /, /leaf/);
    noGrad(() => { leaf.t_(); });
    equal([await leaf.tolist(), leaf.isLeaf, leaf.requiresGrad], [[[1, 3], [2, 4]], true, true]);
  },

  'the data that a tensor was made of is copied': async ({ tensor }) => {
    const source = new Float32Array([1, 2]);
    const x = tensor(source);
    source[0] = 9;
    equal(await x.data(), [1, 2]);
    const read = await x.data();
    read[0] = 9;
    equal(await x.data(), [1, 2]);
  },

  'gradients flow through in-place operations': async ({ tensor }) => {
    const x = tensor([1, 2], { requiresGrad: true });
    const y = x.mul(3);
    y.mul_(2);
    y.select(0, 0).mul_(10);
    y.sum().backward();
    equal(await x.grad.data(), [60, 6]);
  },

  'backward refuses a saved tensor that was changed since': async ({ tensor }) => {
    const x = tensor([1, 2], { requiresGrad: true });
    const h = x.mul(2);
    const loss = h.mul(h).sum();
    h.add_(1);
    await refuses(() => loss.backward(), 'autograd', /mul/, /in.place/);
    ok(x.grad === null, 'nothing was added');
  },

  'a change through a view counts too': async ({ tensor }) => {
    const x = tensor([1, 2], { requiresGrad: true });
    const h = x.mul(2);
    const loss = h.mul(h).sum();
    h.select(0, 0).zerosLike();
    h.slice(0, 1).add_(1);
    await refuses(() => loss.backward(), 'autograd', /mul/);
  },

  'a change that backward does not need is no error': async ({ tensor }) => {
    const x = tensor([1, 2], { requiresGrad: true });
    const h = x.mul(2);
    const loss = h.add(h).sum();
    h.add_(1);
    loss.backward();
    equal(await x.grad.data(), [4, 4]);
  },
};
