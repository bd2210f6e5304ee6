/**
 * `autograd.Function`: the arguments of forward and backward, and errors of their results.
 */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

const leaf = (tensor, data) => tensor(data, { requiresGrad: true });

function catchError(action) {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('expected an exception');
}

/** A function class with these methods. */
function made({ autograd }, forward, backward, once = false) {
  return class Mine extends autograd.Function {
    static onceDifferentiable = once;
    static forward = forward;
    static backward = backward;
  };
}

const square = (ctx, x) => {
  ctx.saveForBackward(x);
  return x.mul(x);
};

export const cases = {
  'a derivative of one\'s own, of both orders': async (lanthorn) => {
    const { grad, tensor } = lanthorn;
    const Square = made(lanthorn, square, (ctx, g) => g.mul(ctx.savedTensors[0]).mul(2));
    const x = leaf(tensor, [3, -1]);
    const y = Square.apply(x);
    equal([y.gradFn.name(), y.requiresGrad], ['Mine', true]);
    const [first] = grad([y.sum()], [x], { createGraph: true });
    equal(await first.data(), [6, -2]);
    first.sum().backward();
    equal(await x.grad.data(), [2, 2]);
  },

  'several outputs, numbers among the arguments, and which gradients are wanted': async (lanthorn) => {
    const { tensor, zeros } = lanthorn;
    let [needs, missing] = [];
    const Two = made(lanthorn, (ctx, x, n, w) => {
      needs = ctx.needsInputGrad;
      ctx.n = n;
      const whole = w.mul(0);
      ctx.markNonDifferentiable(whole);
      ctx.setMaterializeGrads(false);
      return [x.mul(n), x.add(w), whole];
    }, (ctx, first, second, third) => {
      missing = [first === null, second === null, third === null];
      return [second?.mul(ctx.n) ?? null, null, null];
    });
    const [a, b, c] = Two.apply(leaf(tensor, [1, 2]), 4, zeros(2));
    equal([needs, [a, b, c].map((y) => y.requiresGrad)], [[true, false, false], [true, true, false]]);
    const x = leaf(tensor, [1, 2]);
    const [, used] = Two.apply(x, 4, zeros(2));
    used.sum().backward();
    equal([missing, await x.grad.data()], [[true, false, true], [4, 4]]);
  },

  'once differentiable': async (lanthorn) => {
    const { grad, tensor } = lanthorn;
    const Once = made(lanthorn, square, (ctx, g) => g.mul(ctx.savedTensors[0]).mul(2), true);
    const x = leaf(tensor, [3]);
    const [first] = grad([Once.apply(x).sum()], [x], { createGraph: true });
    equal(await first.data(), [6]);
    await refuses(() => first.sum().backward(), 'autograd', /^Mine: /, /only once/);
  },

  'an exception arrives as it was thrown, and recording goes on': async (lanthorn) => {
    const { tensor } = lanthorn;
    for (const exception of [new RangeError('mine'), 'a string', undefined, { an: 'object' }]) {
      const throws = () => { throw exception; };
      const x = leaf(tensor, [1]);
      ok(catchError(() => made(lanthorn, throws, square).apply(x)) === exception, 'of forward');
      const y = made(lanthorn, square, throws).apply(x);
      ok(catchError(() => y.sum().backward()) === exception, 'of backward');
      ok(x.mul(2).requiresGrad, 'recording is on');
      ok(x.grad === null, 'no gradient has arrived');
    }
  },

  'calling back into the library': async (lanthorn) => {
    const { tensor } = lanthorn;
    const other = leaf(tensor, [5]);
    // Recorded here, because backward itself does not record.
    const loss = other.mul(other).sum();
    const Nested = made(lanthorn, (ctx, x) => {
      equal(x.mul(2).requiresGrad, false, 'nothing is recorded in forward');
      return made(lanthorn, square, () => null).apply(x);
    }, (ctx, g) => {
      loss.backward();
      return g.mul(3);
    });
    const x = leaf(tensor, [2]);
    const y = Nested.apply(x);
    equal(await y.data(), [4]);
    y.sum().backward();
    equal([await x.grad.data(), await other.grad.data()], [[3], [10]]);
  },

  'a saved tensor that was changed, or a context that keeps no tensor': async (lanthorn) => {
    const { tensor } = lanthorn;
    const Square = made(lanthorn, square, (ctx, g) => g.mul(ctx.savedTensors[0]).mul(2));
    const x = leaf(tensor, [1]).mul(1);
    const y = Square.apply(x);
    x.add_(1);
    await refuses(() => y.sum().backward(), 'autograd', /in place|changed|version/);
    await refuses(() => made(lanthorn, (ctx) => ctx.saveForBackward(5), square).apply(x), 'argument', /saveForBackward/);
  },

  'what forward and backward may not give': async (lanthorn) => {
    const { ones, tensor } = lanthorn;
    const x = leaf(tensor, [1, 2]);
    const back = (given) => made(lanthorn, square, () => given).apply(x).sum();
    await refuses(() => made(lanthorn, () => 5, square).apply(x), 'argument', /^Mine: /, /tensor/);
    await refuses(() => made(lanthorn, () => [], square).apply(x), 'argument', /^Mine: /);
    await refuses(() => made(lanthorn, async () => x, square).apply(x), 'argument', /async/);
    await refuses(() => back([x, x]).backward(), 'autograd', /2 gradients for 1 input/);
    await refuses(() => back(ones(3)).backward(), 'autograd', /\[3\]/, /\[2\]/);
    await refuses(() => back('x').backward(), 'argument', /backward/);
    await refuses(() => lanthorn.autograd.Function.apply(x), 'argument', /forward is not implemented/);
  },

  'tensors made in it are let go of': async (lanthorn) => {
    const { scope, tensor } = lanthorn;
    const made_ = [];
    const Keeps = made(lanthorn, (ctx, x) => {
      const [temporary, kept] = [x.exp(), x.add(1)];
      made_.push(temporary, kept);
      ctx.kept = kept;
      return temporary.mul(2);
    }, (ctx, g) => g.mul(ctx.kept));
    await scope(async () => {
      const x = leaf(tensor, [1]);
      const y = Keeps.apply(x);
      equal(made_.map((t) => t.isDisposed), [true, false]);
      y.sum().backward();
      close([await y.data(), await x.grad.data()], [[2 * Math.E], [2]]);
    });
  },
};
