/** Scans, loops and branches beside plain loops. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

/** The programs of `gen_control.py`: their results, and the tensors with gradients. */
const PROGRAMS = {
  recurrent({ scan }, wave) {
    const [h, xs, w, u] = [wave([4], 0), wave([6, 3], 1), wave([4, 4], 2), wave([4, 3], 3)];
    const [last, ys] = scan((h, x) => {
      const next = w.matmul(h).add(u.matmul(x)).tanh();
      return [next, next.mul(2)];
    }, h, xs);
    return [[last, ys], [h, xs, w, u]];
  },

  backwards({ scan }, wave) {
    const [a, b, x, z] = [wave([3], 0), wave([3], 1), wave([3, 5], 2), wave([3, 5, 2], 3)];
    const step = (carry, { x, z }) => {
      const a = carry.a.mul(0.5).add(x);
      const b = carry.b.add(carry.a.sin().mul(z.sum(-1)));
      return [{ b, a }, { ys: a.mul(b), sums: b.sum() }];
    };
    const [last, { ys, sums }] = scan(step, { a, b }, { x, z }, { dim: 1, reverse: true });
    return [[last.a, last.b, ys, sums], [a, b, x, z]];
  },

  counted: (lanthorn, wave) => count(lanthorn, wave([2], 1), wave([2], 2)),

  layer: (lanthorn, wave) => layer(lanthorn, wave([7, 2], 1), wave([7, 2], 2), 0, false),
  'reversed layer': (lanthorn, wave) => layer(lanthorn, wave([2, 6], 1), wave([2, 6], 2), 1, true),

  products({ associativeScan }, wave) {
    const m = wave([6, 2, 2], 1);
    return [[associativeScan((x, y) => y.matmul(x), m, 0, { combineMode: 'generic' })], [m]];
  },

  repeated: (lanthorn, wave) => repeat(lanthorn, wave([3], 1), wave([3], 2)),

  true: (lanthorn, wave) => branch(lanthorn, wave([3], 1), wave([3], 2), 1),
  false: (lanthorn, wave) => branch(lanthorn, wave([3], 1), wave([3], 2), -1),
};

function count({ scan }, c, w) {
  return [scan((c) => [c.mul(w).add(1), c.exp()], c, null, { length: 4 }), [c, w]];
}

async function repeat({ whileLoop, tensor }, x, w) {
  const goesOn = (_, x) => x.square().sum().lt(50);
  const body = (n, x) => [n.add(1), x.mul(1.5).add(w.sin())];
  const [, last] = await whileLoop(goesOn, body, [tensor(0, { dtype: 'int32' }), x]);
  return [[last], [x, w]];
}

function layer({ associativeScan }, a, b, dim, reverse) {
  const found = associativeScan((x, y) => [x[0].mul(y[0]), x[1].mul(y[0]).add(y[1])], [a, b], dim, { reverse });
  return [found, [a, b]];
}

async function branch({ cond }, x, y, sign) {
  const pred = x.sum().mul(0).add(sign).gt(0);
  return [[await cond(pred, (x) => x.mul(x.exp()), (_, y) => y.cos().add(1), [x, y])], [x, y]];
}

/** Compares the programs with PyTorch's answers. */
export async function compare(lanthorn, rows) {
  const wave = (shape, phase) => {
    const count = shape.reduce((product, size) => product * size, 1);
    const numbers = Array.from({ length: count }, (_, i) => Math.sin(i * 1.3 + phase) / 2);
    return lanthorn.tensor(numbers).reshape(shape).detach().requiresGrad_(true);
  };
  const check = async (what, found, wanted) => {
    equal(found.map((tensor) => tensor.shape), wanted.map((row) => row.shape), what);
    for (const [index, row] of wanted.entries()) {
      close(await found[index].flatten().tolist(), row.data, { absolute: 2e-5, relative: 2e-5 }, what);
    }
  };
  equal(Object.keys(rows).sort(), Object.keys(PROGRAMS).sort());
  for (const [name, row] of Object.entries(rows)) {
    const [results, inputs] = await PROGRAMS[name](lanthorn, wave);
    await check(name, results, row.results);
    const total = results.map((result) => result.square().sum()).reduce((sum, square) => sum.add(square));
    await check(`gradients of ${name}`, lanthorn.grad([total], inputs, { allowUnused: true, materializeGrads: true }), row.gradients);
  }
}

export const cases = {
  'a scan calls its function twice, and a backward pass twice': async ({ scan, nn, noGrad, manualSeed, randn, zeros }) => {
    manualSeed(1);
    const cell = new nn.RNNCell(3, 4);
    for (const steps of [5, 60]) {
      const xs = randn(steps, 2, 3);
      let calls = 0;
      const [last, states] = scan((h, x) => {
        calls += 1;
        const next = cell.call(x, h);
        return [next, next];
      }, zeros(2, 4), xs);
      equal([calls, states.shape], [2, [steps, 2, 4]]);
      let h = zeros(2, 4);
      for (let t = 0; t < steps; t += 1) h = cell.call(xs.select(0, t), h);
      close(await last.tolist(), await h.tolist());
      cell.zeroGrad();
      h.sum().backward();
      const wanted = await Promise.all(cell.parameters().map((parameter) => parameter.grad.flatten().tolist()));
      cell.zeroGrad();
      last.sum().backward();
      close(await Promise.all(cell.parameters().map((parameter) => parameter.grad.flatten().tolist())), wanted, { absolute: 1e-4 });
      equal(calls, 4);
      noGrad(() => scan((h, x) => [cell.call(x, h), null], zeros(2, 4), xs));
    }
  },

  'scans within compiled functions, compiled functions within scans, and transforms': async ({ compile, func, grad, scan, tensor }) => {
    const x = tensor([0.5, -1, 2]);
    const square = compile((v) => v.square());
    const total = (xs) => scan((sum, v) => [sum.add(square(v).mul(sum)), sum], tensor(1), xs)[0];
    const product = (xs) => xs.square().add(1).prod();
    close(await total(x).item(), await product(x).item());
    const compiled = compile(total);
    for (let call = 0; call < 3; call += 1) close(await compiled(x).item(), await product(x).item());
    equal(compiled.explain().replays, 0);
    ok(compiled.explain().breaks[0].includes('runs a scan'), 'the reason');
    close(await func.hessian(total)(x).tolist(), await func.hessian(product)(x).tolist());
    const samples = tensor([[1, 2, 3], [0, 1, 0]]);
    close(await func.vmap(func.grad(total))(samples).tolist(), await func.vmap(func.grad(product))(samples).tolist());
    close(await grad(total)(x).tolist(), await grad(product)(x).tolist());
  },

  'branches and loops read their predicates': async ({ cond, whileLoop, tensor }) => {
    equal(await cond(true, (v) => v.add(1), (v) => v, [tensor(1)]).item(), 2, 'a boolean chooses at once');
    const record = await cond(tensor(0), (v) => ({ a: v.add(1), b: v }), (v) => ({ b: v, a: v.mul(2) }), [tensor(3)]);
    equal([await record.a.item(), await record.b.item()], [6, 3]);
    const [none] = await whileLoop((v) => v.gt(9), (v) => [v.mul(2)], [tensor(1)]);
    equal(await none.item(), 1);
    const [count, { v }] = await whileLoop((_, { v }) => v.lt(100), (n, { v }) => [n.add(1), { v: v.mul(3) }], [tensor(0), { v: tensor(1) }]);
    equal([await count.item(), await v.item()], [5, 243]);
  },

  'mistakes in control flow are errors of the call': async ({ associativeScan, cond, scan, whileLoop, tensor, zeros }) => {
    const [h, xs] = [zeros(2), zeros(3, 2)];
    await refuses(() => scan((c) => [c.sum(), null], h, xs), 'shape', /^scan: tensor 0 of the carry that the function returned is float32 \[\], tensor 0 of init is float32 \[2\]/);
    await refuses(() => scan((c) => [[c], null], h, xs), 'argument', /^scan: the carry that the function returned/);
    await refuses(() => scan((c) => [{ b: c.a }, null], { a: h }, xs), 'argument', /^scan: .*members \[b\], init has \[a\]/);
    await refuses(() => scan((c) => c, h, xs), 'argument', /^scan: the function returns \[carry, output\]/);
    await refuses(() => scan(async (c) => [c, null], h, xs), 'argument', /^scan: .*async/);
    await refuses(() => scan((c) => [c, null], h, null), 'argument', /^scan: xs holds no tensor: give the number of steps as length/);
    await refuses(() => scan((c) => [c, null], h, xs, { dim: 2 }), 'index', /^scan: /);
    await refuses(() => scan((c) => [c, null], h, [xs, zeros(2, 2)]), 'shape', /^scan: tensor 0 of xs has 3 slices along 0, tensor 1 has 2/);
    await refuses(() => associativeScan((x) => x.sum(), xs, 0), 'shape', /^associativeScan: tensor 0 of the combination/);
    await refuses(() => cond(h, (x) => x, (x) => x, [h]), 'argument', /^cond: pred is a tensor of one element, not of shape \[2\]/);
    await refuses(() => cond(h.sum(), (x) => x, (x) => x.sum(), [h]), 'shape', /^cond: /);
    await refuses(() => cond(h.sum(), (x) => x, (x) => [x], [h]), 'argument', /^cond: the result of the other function/);
    await refuses(() => whileLoop((x) => x.lt(1), (x) => [x], [h]), 'argument', /^whileLoop: the predicate is a tensor of one element/);
    await refuses(() => whileLoop(() => true, (x) => [x], [h]), 'argument', /^whileLoop: condFn returns a tensor of one element, not a boolean/);
    await refuses(() => whileLoop((x) => x.sum().lt(1), (x) => [x.sum()], [h]), 'shape', /^whileLoop: tensor 0 of the result of the body/);
    let thrown;
    try {
      scan(() => { throw new RangeError('mine'); }, h, xs);
    } catch (error) {
      thrown = error;
    }
    equal(thrown.message, 'mine');
  },
};
