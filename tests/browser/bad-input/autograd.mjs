/** Gradients that cannot be computed. */
import { equal, ok, refuses } from '../lib/expect.mjs';

const leaf = (tensor, data) => tensor(data, { requiresGrad: true });

export const cases = {
  'backward twice without retainGraph': async ({ tensor }) => {
    const x = leaf(tensor, [2, 3]);
    const y = x.mul(x).sum();
    y.backward();
    await refuses(() => y.backward(), 'autograd', /^backward: /, /earlier backward/, /retainGraph/);
    equal(await x.grad.data(), [4, 6], 'the gradient of the first');
  },

  'backward of more than one element': async ({ tensor, ones }) => {
    const x = leaf(tensor, [1, 2, 3]);
    await refuses(() => x.mul(2).backward(), 'autograd', /^backward: /, /one element/, /\[3\]/);
    await refuses(() => x.mul(2).backward(ones(2)), 'shape', /^backward: /, /\[2\]/, /\[3\]/);
    ok(x.grad === null, 'nothing was added');
  },

  'backward where there is no graph': async ({ ones }) => {
    await refuses(() => ones(1).backward(), 'autograd', /^backward: /, /require/);
    await refuses(() => ones(1).mul(2).backward(), 'autograd', /^backward: /, /require/);
  },

  'grad of what needs none': async ({ tensor, grad, ones }) => {
    const x = leaf(tensor, [1]);
    await refuses(() => grad([x.mul(2)], [ones(1)]), 'autograd', /^grad: /, /require/);
    await refuses(() => grad([ones(1)], [x]), 'autograd', /^grad: /);
    await refuses(() => grad([leaf(tensor, [1, 2]).mul(2)], [x]), 'autograd', /^grad: /, /\[2\]/);
  },

  'in-place on a leaf': async ({ tensor, noGrad }) => {
    const x = leaf(tensor, [1, 2]);
    await refuses(() => x.add_(1), 'autograd', /^add_: /, /leaf/, /noGrad/);
    await refuses(() => x.select(0, 0).mul_(2), 'autograd', /^mul_: /, /leaf/);
    await refuses(() => x.copy_(tensor([5, 5])), 'autograd', /^copy_: /, /leaf/);
    equal(await x.data(), [1, 2], 'it is as it was');
    noGrad(() => x.add_(1));
    equal(await x.data(), [2, 3]);
  },

  'in-place change of a saved tensor': async ({ tensor, noGrad }) => {
    const x = leaf(tensor, [1, 2]);
    const w = leaf(tensor, [3, 4]);
    const loss = x.mul(w).sum();
    noGrad(() => w.add_(1));
    await refuses(() => loss.backward(), 'autograd', /mul/, /in.place/);
    ok(x.grad === null && w.grad === null, 'nothing was added');
  },

  'in-place on what is expanded': async ({ ones }) => {
    await refuses(() => ones(1, 3).expand(2, 3).add_(1), 'argument', /^add_: /, /expand/);
  },

  'a gradient that does not fit its tensor': async ({ tensor, ones }) => {
    const x = leaf(tensor, [1, 2]);
    await refuses(() => { x.grad = ones(3); }, 'shape', /\[3\]/, /\[2\]/);
  },

  'a gradient of another type than its tensor': async ({ tensor }) => {
    const x = leaf(tensor, [1, 2]);
    await refuses(() => { x.grad = tensor([1, 2], { dtype: 'int32' }); }, 'dtype', /int32/, /float32/);
  },

  'asking for gradients where there can be none': async ({ tensor }) => {
    await refuses(() => tensor([1], { dtype: 'int32' }).requiresGrad_(), 'dtype', /int32/);
    await refuses(() => tensor([true]).requiresGrad_(), 'dtype', /bool/);
    await refuses(() => leaf(tensor, [1]).mul(2).requiresGrad_(false), 'autograd', /detach/);
    await refuses(() => tensor([1]).registerHook(() => {}), 'autograd', /gradient/);
  },

  'optimizing what is no leaf': async ({ tensor, optim }) => {
    await refuses(() => new optim.SGD([leaf(tensor, [1]).mul(2)]), 'argument', /^SGD: /, /leaves/);
    await refuses(() => new optim.SGD(leaf(tensor, [1])), 'argument', /^SGD: /, /array/);
  },
};
