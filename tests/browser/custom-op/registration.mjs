/** Registering, finding and listing operations, and refused registrations. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

const fallback = (x) => x.mul(2);

export const cases = {
  'an expression, by its name too, with numbers by position and name': async ({ library, tensor, grad }) => {
    const shifted = library.pointwise('reg::shifted', 'x, by=1.0, scale=2.0 -> scale * (x + by)');
    const x = tensor([1, 2], { requiresGrad: true });
    equal(await shifted(x).data(), [4, 6]);
    equal(await shifted(x, 0).data(), [2, 4]);
    equal(await library.op('reg::shifted')(x, { scale: 1 }).data(), [2, 3]);
    const twice = library.pointwise('reg::cubed', 'x -> x * x * x');
    const [first] = grad([twice(x).sum()], [x], { createGraph: true });
    const [second] = grad([first.sum()], [x]);
    equal([await first.data(), await second.data()], [[3, 12], [6, 12]]);
  },

  'errors of an expression point into its text': async ({ library, tensor }) => {
    const error = await refuses(() => library.pointwise('reg::typo', 'x -> 2 * sqroot(x)'), 'argument', /line 1, column 10: there is no function `sqroot`/);
    const lines = error.message.split('\n');
    equal(lines[2].indexOf('^'), lines[1].indexOf('sqroot'), 'the caret');
    equal(error.op, 'reg::typo');
    await refuses(() => library.pointwise('reg::typo', 'x ->\n  x +'), 'argument', /line 2/);
    const now = library.pointwise('reg::typo', 'x -> -x');
    equal(await now(tensor([1])).data(), [-1], 'the name is still free');
  },

  'names': async ({ library }) => {
    library.pointwise('reg::taken', 'x -> x');
    await refuses(() => library.pointwise('reg::taken', 'x -> x'), 'argument', /registered already/);
    await refuses(() => library.customOp('reg::taken(Tensor x) -> Tensor', { fallback }), 'argument', /registered already/);
    await refuses(() => library.pointwise('bare', 'x -> x'), 'argument', /namespace/);
    await refuses(() => library.pointwise('aten::mine', 'x -> x'), 'argument', /reserved/);
    await refuses(() => library.op('reg::missing'), 'argument', /reg::missing/);
  },

  'a schema that does not parse, and options that are none': async ({ library }) => {
    for (const schema of ['reg::a(Tensor x -> Tensor', 'reg::b(Tensor)', 'reg::c(Widget x) -> Tensor', 'reg::d(Tensor x) -> int', 'reg::e(Tensor x, Tensor x) -> Tensor']) {
      await refuses(() => library.customOp(schema, { fallback }), 'argument', /reg::\w/);
    }
    await refuses(() => library.customOp('reg::f(Tensor x) -> Tensor', {}), 'argument', /how the op is computed/);
    await refuses(() => library.customOp('reg::f(Tensor x) -> Tensor', { kernel: fallback }), 'argument', /"kernel"/);
    await refuses(() => library.customOp('reg::f(Tensor x) -> Tensor', { fallback: 5 }), 'argument', /function/);
    await refuses(() => library.customOp('reg::f(Tensor x) -> Tensor', { fallback, autocast: 'sometimes' }), 'argument', /sometimes/);
    await refuses(() => library.customOp('reg::f(Tensor x) -> Tensor', { fallback, setupContext() {} }), 'argument', /backward/);
    await refuses(() => library.customOp(5, { fallback }), 'argument', /schema/);
  },

  'a composite has all kinds of arguments, and its derivative follows': async ({ library, cat, tensor }) => {
    let seen;
    const every = library.customOp('reg::every(Tensor x, Tensor[] more, Tensor? bias=None, *, int[] sizes=[2, 3], float eps=0.5, bool flag=False, str mode="sum") -> Tensor', {
      fallback: (x, more, bias, sizes, eps, flag, mode) => {
        seen = [more.length, bias, sizes, eps, flag, mode];
        return cat([x, ...more]).mul(eps);
      },
    });
    const [x, y] = [tensor([1], { requiresGrad: true }), tensor([2])];
    const z = every(x, [y, y], { flag: true });
    equal(seen, [2, null, [2, 3], 0.5, true, 'sum']);
    equal(await z.data(), [0.5, 1, 1]);
    z.sum().backward();
    equal(await x.grad.data(), [0.5]);
    await refuses(() => every(x), 'argument', /^reg::every: /, /more/);
    await refuses(() => every(x, [y], { nothing: 1 }), 'argument', /"nothing"/);
  },

  'several results by name, and a list': async ({ library, tensor }) => {
    const parts = library.customOp('reg::parts(Tensor x) -> (Tensor whole_part, Tensor rest)', { fallback: (x) => [x.floor(), x.sub(x.floor())] });
    const { wholePart, rest } = parts(tensor([1.25]));
    equal([await wholePart.data(), await rest.data()], [[1], [0.25]]);
    const list = library.customOp('reg::list(Tensor x, int n) -> Tensor[]', { fallback: (x, n) => Array.from({ length: n }, () => x.add(n)) });
    equal(list(tensor([1]), 3).length, 3);
  },

  'a registered derivative': async ({ library, tensor }) => {
    let needs;
    const scaled = library.customOp('reg::scaled(Tensor x, Tensor[] others, float factor) -> Tensor', {
      fallback: (x, others, factor) => x.mul(factor),
      setupContext(ctx, [x, others, factor], output) {
        needs = ctx.needsInputGrad;
        ctx.saveForBackward(x, null, output);
        ctx.factor = factor;
      },
      backward(ctx, grad) {
        const [x, nothing, output] = ctx.savedTensors;
        ok(x.shape.length === 1 && nothing === null && output.shape.length === 1, 'saved tensors');
        return [grad.mul(ctx.factor * 10), [grad], null];
      },
    });
    const [x, y] = [tensor([1, 2], { requiresGrad: true }), tensor([1, 2], { requiresGrad: true })];
    scaled(x, [y], 3).sum().backward();
    equal([needs, await x.grad.data(), await y.grad.data()], [[true, true, false], [30, 30], [1, 1]]);
    const wrong = library.customOp('reg::wrong(Tensor x) -> Tensor', { fallback, backward: (ctx, grad) => [grad, grad] });
    await refuses(() => wrong(x).sum().backward(), 'autograd', /2 gradients for 1 input/);
  },

  'what a fallback may not give, and what it throws': async ({ library, tensor }) => {
    const x = tensor([1]);
    const two = library.customOp('reg::two(Tensor x) -> Tensor', { fallback: () => [x, x] });
    await refuses(() => two(x), 'argument', /^reg::two: /, /2 results/);
    const none = library.customOp('reg::none(Tensor x) -> Tensor', { fallback: () => 5 });
    await refuses(() => none(x), 'argument', /^reg::none: /, /tensor/);
    const exception = new TypeError('mine');
    const throws = library.customOp('reg::throws(Tensor x) -> Tensor', { fallback: () => { throw exception; } });
    let caught;
    try {
      throws(x);
    } catch (error) {
      caught = error;
    }
    ok(caught === exception, 'the exception itself');
    const inner = library.customOp('reg::inner(Tensor x) -> Tensor', { fallback: (y) => y.matmul(tensor([1, 2, 3])) });
    await refuses(() => inner(x), 'shape', /^\w+: /);
  },

  'autocast by policy': async ({ library, autocast, tensor }) => {
    const lowers = library.customOp('reg::lowers(Tensor x) -> Tensor', { fallback: (x) => x.mul(1), autocast: 'lower' });
    const x = tensor([1]);
    equal([lowers(x).dtype, autocast({ dtype: 'float16' }, () => lowers(x)).dtype], ['float32', 'float16']);
  },

  'the list of operations': async ({ library, ops, tensor }) => {
    library.customOp('reg::listed(Tensor x, float eps=0.5) -> Tensor', { fallback, autocast: 'widen' });
    const all = new Map(ops().map((op) => [op.name, op]));
    ok(all.size > 500, `${all.size} operations`);
    const { schema, kind, autocast, isCustom, parameters } = all.get('reg::listed');
    equal([schema, kind, autocast, isCustom], ['reg::listed(Tensor x, float eps=0.5) -> Tensor', 'custom', 'widen', true]);
    equal([parameters[1].name, parameters[1].type, parameters[1].default], ['eps', 'float', '0.5']);
    equal([all.get('matmul').kind, all.get('matmul').autocast, all.get('matmul').isCustom], ['leaf', 'lower', false]);
    ok(all.get('linalg_qr').jsNames.includes('linalg.qr'), String(all.get('linalg_qr').jsNames));
    ok(all.get('log_softmax') === undefined || all.get('log_softmax').jsNames.includes('logSoftmax'), 'camel case');
    const methods = [...all.values()].filter((op) => op.parameters[0]?.name === 'self' && !op.name.includes('_') && !op.isCustom);
    const missing = methods.filter((op) => !op.jsNames.some((name) => name in tensor([1])));
    close(missing.length, 0, {}, `without a method: ${missing.map((op) => op.name)}`);
  },
};
