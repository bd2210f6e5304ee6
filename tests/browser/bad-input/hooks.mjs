/** Exceptions thrown by hooks, and their return values. */
import { equal, ok, refuses } from '../lib/expect.mjs';

const leaf = (tensor, data) => tensor(data, { requiresGrad: true });

function catchError(action) {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('expected an exception');
}

export const cases = {
  'an exception arrives as it was thrown': async ({ tensor }) => {
    class Mine extends Error {}
    for (const exception of [new Mine('mine'), new TypeError('mine'), 'a string', 42, null, undefined, { an: 'object' }]) {
      const x = leaf(tensor, [1]);
      x.registerHook(() => { throw exception; });
      let caught = 'nothing was thrown';
      try {
        x.mul(2).sum().backward();
      } catch (error) {
        caught = error;
      }
      ok(caught === exception, `thrown: ${String(exception)}; caught: ${String(caught)}`);
    }
  },

  'and the next backward works': async ({ tensor }) => {
    const x = leaf(tensor, [1, 2]);
    const handle = x.registerHook(() => { throw new RangeError('mine'); });
    ok(catchError(() => x.mul(3).sum().backward()) instanceof RangeError, 'the first');
    handle.remove();
    x.grad = null;
    x.mul(3).sum().backward();
    equal(await x.grad.data(), [3, 3]);
    await refuses(() => x.matmul(5), 'argument', /^matmul: /);
  },

  'an error of ours that a hook met arrives as such': async ({ tensor, ones }) => {
    const x = leaf(tensor, [1, 2]);
    x.registerHook((gradient) => gradient.add(ones(3)));
    await refuses(() => x.sum().backward(), 'shape', /^add: /);
  },

  'a hook that returns what is no gradient': async ({ tensor }) => {
    for (const odd of [5, 'x', {}, Promise.resolve()]) {
      const x = leaf(tensor, [1]);
      x.registerHook(() => odd);
      await refuses(() => x.sum().backward(), 'argument', /registerHook/, /tensor/);
    }
  },

  'a hook that returns a gradient of another shape': async ({ tensor, ones }) => {
    const x = leaf(tensor, [1]);
    x.registerHook(() => ones(3));
    await refuses(() => x.sum().backward(), 'shape', /\[3\]/, /\[1\]/);
  },

  'a hook that computes, and calls backward itself': async ({ tensor }) => {
    const [x, other] = [leaf(tensor, [1]), leaf(tensor, [4])];
    const loss = other.mul(other).sum();
    x.registerHook((gradient) => {
      loss.backward();
      return gradient.add(1);
    });
    x.sum().backward();
    equal([await x.grad.data(), await other.grad.data()], [[2], [8]]);
  },

  'a hook that removes itself, and one that disposes of its gradient': async ({ tensor }) => {
    const x = leaf(tensor, [1]);
    const handle = x.registerHook((gradient) => {
      handle.remove();
      gradient.dispose();
    });
    x.sum().backward();
    x.sum().backward();
    equal(await x.grad.data(), [2]);
  },
};
