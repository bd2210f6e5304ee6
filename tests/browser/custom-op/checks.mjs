/** `opcheck` and `gradcheck`: a correct operation passes, and each kind of mistake is found. */
import { ok } from '../lib/expect.mjs';

const testing = () => import('/npm/js/testing/index.js');

async function failures(op, samples) {
  const { opcheck } = await testing();
  const report = await opcheck(op, samples, { raiseException: false });
  ok(report.checks > 0, 'something is checked');
  return report.failures;
}

async function finds(op, samples, pattern) {
  const found = await failures(op, samples);
  ok(found.length > 0 && found.every((line) => pattern.test(line)), `expected lines like ${pattern}, found: ${found.join('; ') || 'nothing'}`);
}

const leaf = (tensor) => tensor([0.5, -1.25, 2], { requiresGrad: true });

export const cases = {
  'what is right passes': async ({ library, tensor }) => {
    const op = library.pointwise('check::right', 'x, y -> x * y + sin(x)');
    for (const tested of [op, (x) => x.softmax(0), (x) => x.exp().mul(x), (x) => x.tanh()]) {
      const found = await failures(tested, [tested === op ? [leaf(tensor), leaf(tensor)] : [leaf(tensor)]]);
      ok(found.length === 0, found.join('; '));
    }
  },

  'wrong derivatives of both orders': async ({ library, autograd, tensor }) => {
    const wrong = library.customOp('check::wrong(Tensor x) -> Tensor', { fallback: (x) => x.exp(), backward: (ctx, grad) => grad.mul(3) });
    await finds(wrong, [[leaf(tensor)]], /gradient/);
    class Detaches extends autograd.Function {
      static forward(ctx, x) {
        ctx.saveForBackward(x);
        return x.mul(x);
      }

      static backward(ctx, grad) {
        return grad.mul(ctx.savedTensors[0].detach()).mul(2);
      }
    }
    await finds((x) => Detaches.apply(x), [[leaf(tensor)]], /gradient of the gradient/);
    const { gradcheck } = await testing();
    await gradcheck((x) => Detaches.apply(x), [[leaf(tensor)]], { secondOrder: false });
  },

  'an argument that changes, a result that shares, a call that differs': async ({ library, rand, tensor }) => {
    const changes = library.customOp('check::changes(Tensor x) -> Tensor', { fallback: (x) => x.add_(1).mul(2) });
    await finds(changes, [[tensor([1, 2])]], /mutation|determinism|aliasing/);
    await finds((x) => x, [[tensor([1, 2])]], /aliasing/);
    await finds((x) => x.add(rand(2)), [[tensor([1, 2])]], /determinism/);
  },

  'a fake function that lies, and kernels that differ from the fallback': async ({ library, tensor }) => {
    const longer = library.customOp('check::longer(Tensor x) -> Tensor', {
      fake: ({ shape: [n], dtype }) => ({ shape: [n + 2], dtype }),
      cpu: ({ x, out }) => out.data.set(x.data),
      wgsl: 'set_out(i, x(i));',
      fallback: (x) => x.mul(1),
    });
    await finds(longer, [[tensor([1, 2])]], /fallback/);
    const off = library.customOp('check::off(Tensor x) -> Tensor', {
      fake: (x) => x, cpu: ({ x, out }) => x.data.forEach((v, i) => { out.data[i] = v + 1; }), wgsl: 'set_out(i, x(i) + 1.0);', fallback: (x) => x.mul(1),
    });
    await finds(off, [[tensor([1, 2])]], /fallback/);
    const typed = library.customOp('check::typed(Tensor x) -> Tensor', { fake: ({ shape }) => ({ shape, dtype: 'int32' }), fallback: (x) => x.mul(2) });
    await finds(typed, [[tensor([1, 2])]], /fake/);
  },

  'a failure is thrown, and an exception of the operation is a failure': async ({ tensor }) => {
    const { opcheck, CheckError } = await testing();
    let caught;
    await opcheck(() => { throw new RangeError('mine'); }, [[tensor([1])]]).catch((error) => { caught = error; });
    ok(caught instanceof CheckError && /mine/.test(caught.failures[0]), String(caught));
    await opcheck((x) => x.mul(2), []).catch((error) => { caught = error; });
    ok(/nothing to check/.test(caught.message), String(caught));
  },
};
