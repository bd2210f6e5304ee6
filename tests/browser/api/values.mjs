/** Values of operations, compared with plain JavaScript. */
import { close, equal, numbers, ok, refuses, rows } from '../lib/expect.mjs';

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const positive = (x) => Math.abs(x) + 0.1;
/** Rounds halves to even, as IEEE 754 does. */
const roundEven = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

/** The error function by its power series, for small arguments. */
function erf(x) {
  let [sum, term] = [x, x];
  for (let n = 1; n < 60; n += 1) {
    term *= -(x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

const UNARY = {
  relu: (x) => Math.max(x, 0),
  sigmoid,
  silu: (x) => x * sigmoid(x),
  gelu: (x) => (x / 2) * (1 + erf(x / Math.SQRT2)),
  leakyRelu: (x) => (x > 0 ? x : 0.01 * x),
  neg: (x) => -x,
  abs: Math.abs,
  sign: Math.sign,
  square: (x) => x * x,
  reciprocal: (x) => 1 / x,
  exp: Math.exp,
  expm1: Math.expm1,
  sin: Math.sin,
  cos: Math.cos,
  tanh: Math.tanh,
  erf,
  floor: Math.floor,
  ceil: Math.ceil,
  trunc: Math.trunc,
  round: roundEven,
};
const UNARY_OF_POSITIVE = { log: Math.log, log1p: Math.log1p, sqrt: Math.sqrt, rsqrt: (x) => 1 / Math.sqrt(x) };

const BINARY = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  maximum: Math.max,
  minimum: Math.min,
  remainder: (a, b) => a - b * Math.floor(a / b),
};
const COMPARISONS = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

const softmax = (row) => {
  const powers = row.map((x) => Math.exp(x - Math.max(...row)));
  const total = powers.reduce((sum, x) => sum + x);
  return powers.map((x) => x / total);
};
const product = (a, b) => a.map((row) => b[0].map((_, column) => row.reduce((sum, x, k) => sum + x * b[k][column], 0)));
const sum = (list) => list.reduce((total, x) => total + x, 0);

export const cases = {
  'elementwise functions': async ({ tensor }) => {
    const input = numbers(300);
    for (const [name, reference] of Object.entries(UNARY)) {
      close(await tensor(input)[name]().data(), input.map(reference), {}, name);
    }
    for (const [name, reference] of Object.entries(UNARY_OF_POSITIVE)) {
      const inside = input.map((x) => Math.fround(positive(x)));
      close(await tensor(inside)[name]().data(), inside.map(reference), {}, name);
    }
  },

  'halves are rounded to the even neighbour': async ({ tensor }) => {
    equal(await tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]).round().data(), [-2, -2, 0, 0, 2, 2, 4]);
  },

  'functions of two tensors, broadcast': async ({ tensor }) => {
    const [wide, tall] = [numbers(5, 2), numbers(4, 3)];
    for (const [name, reference] of Object.entries(BINARY)) {
      const result = tensor(wide)[name](tensor(rows(tall, 1)));
      equal(result.shape, [4, 5], name);
      close(await result.tolist(), tall.map((y) => wide.map((x) => reference(x, y))), {}, name);
    }
    for (const [name, reference] of Object.entries(COMPARISONS)) {
      const result = tensor([1, 2, 3])[name](tensor([[2], [3]]));
      ok(result.dtype === 'bool', name);
      equal(await result.tolist(), [2, 3].map((y) => [1, 2, 3].map((x) => reference(x, y))), name);
    }
  },

  'powers': async ({ tensor }) => {
    close(await tensor([-2, -1, 0, 3]).pow(3).data(), [-8, -1, 0, 27]);
    close(await tensor([1, 4, 9]).pow(0.5).data(), [1, 2, 3]);
    close(await tensor([2, 3]).pow(tensor([-1, 2])).data(), [0.5, 9]);
    ok(Number.isNaN(await tensor(-8).pow(1 / 3).item()), 'a root of a negative number');
  },

  'infinity and NaN go through': async ({ tensor }) => {
    const odd = tensor([NaN, Infinity, -Infinity, 0]);
    equal(await odd.data(), [NaN, Infinity, -Infinity, 0]);
    equal(await odd.add(1).data(), [NaN, Infinity, -Infinity, 1]);
    equal(await odd.relu().data(), [NaN, Infinity, 0, 0]);
    equal(await odd.isnan().tolist(), [true, false, false, false]);
    equal(await odd.maximum(tensor(1)).data(), [NaN, Infinity, 1, 1]);
    equal(await odd.clamp(-1, 1).data(), [NaN, 1, -1, 0]);
    equal(await tensor([1, -1, 0]).div(0).data(), [Infinity, -Infinity, NaN]);
    ok(Number.isNaN(await odd.sum().item()), 'the sum');
    equal(await tensor([88.5, -200, 200]).tanh().data(), [1, -1, 1]);
  },

  'types are promoted': async ({ tensor }) => {
    const [whole, real, truth] = [tensor([1, 2], { dtype: 'int32' }), tensor([0.5, 1.5]), tensor([true, false])];
    const shown = { 'int + float': whole.add(real), 'int + 1': whole.add(1), 'int + 0.5': whole.add(0.5), 'int / int': whole.div(whole), 'bool + int': truth.add(whole), 'bool + bool': truth.add(truth) };
    const types = Object.fromEntries(Object.entries(shown).map(([name, made]) => [name, made.dtype]));
    equal(Object.values(types), ['float32', 'int32', 'float32', 'float32', 'int32', 'bool'], JSON.stringify(types));
    equal(await shown['int + 0.5'].data(), [1.5, 2.5]);
    equal(await shown['bool + int'].data(), [2, 2]);
    equal(await truth.logicalNot().logicalOr(truth).tolist(), [true, true]);
    equal(await truth.logicalAnd(truth).tolist(), [true, false]);
  },

  'whole numbers': async ({ tensor }) => {
    const [a, b] = [tensor([7, -7, 7, -7], { dtype: 'int32' }), tensor([3, 3, -3, -3], { dtype: 'int32' })];
    equal(await a.remainder(b).data(), [1, 2, -2, -1]);
    equal(await a.remainder(tensor([0], { dtype: 'int32' })).data(), [0, 0, 0, 0]);
    equal(await a.mul(b).data(), [21, -21, -21, 21]);
    equal(await tensor([2 ** 31 - 1], { dtype: 'int32' }).add(1).data(), [-(2 ** 31)], 'wraps around');
    ok((await a.data()) instanceof Int32Array, 'the array that they come in');
    equal(await a.sum().item(), 0);
  },

  'conversions': async ({ tensor }) => {
    equal(await tensor([1.9, -1.9, 0]).to('int32').data(), [1, -1, 0]);
    equal(await tensor([0.5, 0, NaN]).to('bool').tolist(), [true, false, true]);
    equal(await tensor([true, false]).to('float32').data(), [1, 0]);
    equal(await tensor([200, 7]).to('uint8').data(), [200, 7]);
    ok((await tensor([200]).to('uint8').data()) instanceof Uint8Array, 'uint8');
  },

  'clamp, lerp and where': async ({ tensor, where }) => {
    const x = tensor([-2, -0.5, 0.5, 2]);
    equal(await x.clamp(-1, 1).data(), [-1, -0.5, 0.5, 1]);
    equal(await x.clamp({ max: 0 }).data(), [-2, -0.5, 0, 0]);
    equal(await x.clampMin(tensor([0, -1, 1, 3])).data(), [0, -0.5, 1, 3]);
    equal(await x.clampMax(0.5).data(), [-2, -0.5, 0.5, 0.5]);
    close(await x.lerp(tensor([0, 0, 0, 0]), 0.25).data(), [-1.5, -0.375, 0.375, 1.5]);
    equal(await where(x.gt(0), x, 0).data(), [0, 0, 0.5, 2]);
    equal(await where(x.gt(0), 1, tensor([[9], [8]])).tolist(), [[9, 9, 1, 1], [8, 8, 1, 1]]);
  },

  'reductions': async ({ tensor }) => {
    const flat = numbers(60, 7);
    const table = rows(flat, 12);
    const columns = table[0].map((_, column) => table.map((row) => row[column]));
    const mean = (list) => sum(list) / list.length;
    const variance = (list, correction = 1) => sum(list.map((x) => (x - mean(list)) ** 2)) / (list.length - correction);
    const x = tensor(table);
    close(await x.sum().item(), sum(flat));
    close(await x.sum(0).data(), columns.map(sum));
    close(await x.sum(-1).data(), table.map(sum));
    close(await x.sum([0, 1], true).tolist(), [[sum(flat)]]);
    close(await x.mean(1).data(), table.map(mean));
    close(await x.var(1).data(), table.map((row) => variance(row)));
    close(await x.var({ dim: 0, correction: 0 }).data(), columns.map((column) => variance(column, 0)));
    equal(await x.amax(1).data(), table.map((row) => Math.max(...row)));
    equal(await x.amin(0).data(), columns.map((column) => Math.min(...column)));
    equal(await x.argmax(1).data(), table.map((row) => row.indexOf(Math.max(...row))));
    equal(await x.argmin(0).data(), columns.map((column) => column.indexOf(Math.min(...column))));
    equal(await x.argmax().item(), flat.indexOf(Math.max(...flat)));
    ok(x.argmax(1).dtype === 'int32', 'the type of an index');
    equal(await x.gt(1.9).any(1).tolist(), table.map((row) => row.some((value) => value > 1.9)));
    equal(await x.gt(-1.9).all(0).tolist(), columns.map((column) => column.every((value) => value > -1.9)));
  },

  'a long sum does not lose its small parts': async ({ ones }) => {
    equal(await ones(20_000_000).sum().item(), 20_000_000);
  },

  'reductions of nothing': async ({ zeros }) => {
    equal(await zeros(0).sum().item(), 0);
    equal(await zeros(2, 0).sum(1).data(), [0, 0]);
    ok(Number.isNaN(await zeros(0).mean().item()), 'the mean of nothing');
    equal(await zeros(0, 3).add(1).tolist(), []);
    equal(await zeros(2, 0).matmul(zeros(0, 2)).tolist(), [[0, 0], [0, 0]]);
  },

  'softmax': async ({ tensor }) => {
    const table = rows(numbers(15, 5), 5);
    close(await tensor(table).softmax(1).tolist(), table.map(softmax));
    close(await tensor(table).logSoftmax(-1).tolist(), table.map((row) => softmax(row).map(Math.log)));
    close(await tensor([1000, 1000, -1000]).softmax(0).data(), [0.5, 0.5, 0]);
    close(await tensor([1000, 1000]).logSoftmax(0).data(), [-Math.LN2, -Math.LN2]);
  },

  'matrix products': async ({ tensor }) => {
    for (const [n, k, m] of [[1, 1, 1], [3, 4, 5], [17, 33, 9], [64, 65, 66]]) {
      const [a, b] = [rows(numbers(n * k, 11), k), rows(numbers(k * m, 12), m)];
      close(await tensor(a).matmul(tensor(b)).tolist(), product(a, b), { absolute: 1e-4 }, `${n}x${k}x${m}`);
    }
    const [a, b] = [rows(numbers(6, 1), 3), rows(numbers(6, 2), 2)];
    close(await tensor([a, a]).matmul(tensor(b)).tolist(), [product(a, b), product(a, b)], {}, 'a batch');
    close(await tensor(a).matmul(tensor(b.map((row) => row[0]))).data(), product(a, b).map((row) => row[0]), {}, 'matrix and vector');
    close(await tensor(a[0]).matmul(tensor(a[1])).item(), sum(a[0].map((x, index) => x * a[1][index])), {}, 'two vectors');
    close(await tensor(a).t().matmul(tensor(b).t()).tolist(), product(rows([0, 1, 2].flatMap((c) => a.map((row) => row[c])), 2), [0, 1].map((c) => b.map((row) => row[c]))), {}, 'transposed');
  },

  'losses': async ({ tensor }) => {
    const table = rows(numbers(12, 9), 4);
    const labels = [1, 3, 0];
    const target = tensor(labels, { dtype: 'int32' });
    const each = table.map((row, index) => -Math.log(softmax(row)[labels[index]]));
    close(await tensor(table).crossEntropy(target).item(), sum(each) / 3);
    close(await tensor(table).crossEntropy(target, { reduction: 'none' }).data(), each);
    close(await tensor(table).logSoftmax(1).nllLoss(target, { reduction: 'sum' }).item(), sum(each));
    close(await tensor(table).crossEntropy(target, { ignoreIndex: 3 }).item(), (each[0] + each[2]) / 2);
    close(await tensor([1, 2]).mseLoss(tensor([3, 2])).item(), 2);
    const [x, w, b] = [tensor([[1, 2]]), tensor([[3, 4], [5, 6]]), tensor([0.5, -0.5])];
    close(await x.linear(w, b).tolist(), [[11.5, 16.5]]);
  },

  'half types': async ({ tensor, full }) => {
    // These numbers rounded to float16: to nearest, ties to even, with subnormals and infinity.
    const held = [[0.1, 0.0999755859375], [2049, 2048], [2051, 2052], [65519, 65504], [65520, Infinity], [2 ** -24, 2 ** -24], [2 ** -26, 0], [-1.5, -1.5]];
    const half = tensor(held.map(([number]) => number), { dtype: 'float16' });
    equal(half.dtype, 'float16');
    equal([...(await half.data())], held.map(([, rounded]) => rounded));
    equal([...(await tensor([1, 257, 259, 3e38], { dtype: 'bfloat16' }).data())], [1, 256, 260, 3.00405527047391e38]);
    equal(await half.to('float32').tolist(), held.map(([, rounded]) => rounded));
    // Every operation rounds, whether or not the next one is fused into its kernel.
    equal(await full([3], 2048, { dtype: 'float16' }).add(1).add(1).tolist(), [2048, 2048, 2048]);
    equal(await full([100_000], 1, { dtype: 'float16' }).mean().item(), 1);
    equal(await full([3, 4], 2, { dtype: 'bfloat16' }).matmul(full([4, 1], 3, { dtype: 'bfloat16' })).tolist(), [[24], [24], [24]]);
    equal(half.add(tensor([1], { dtype: 'bfloat16' })).dtype, 'float32');
    equal(half.add(1.5).dtype, 'float16');
  },

  'int64 is on the CPU alone': async ({ tensor }, device) => {
    const make = () => tensor(new BigInt64Array([1n << 60n, -3n]));
    if (device !== 'cpu') return refuses(make, 'dtype', /int64/);
    const x = make();
    equal(x.dtype, 'int64');
    equal(Array.from(await x.add(1).data(), String), ['1152921504606846977', '-2']);
    equal(await x.to('int32').tolist(), [0, -3]);
    equal(await tensor([2, 1], { dtype: 'int64' }).sum().item(), 3);
  },

  'tensors from nothing': async ({ zeros, ones, full, arange, tensor }) => {
    equal(await zeros(2, 2).tolist(), [[0, 0], [0, 0]]);
    equal(await ones([3], { dtype: 'int32' }).data(), [1, 1, 1]);
    equal(await full([2], 2.5).data(), [2.5, 2.5]);
    equal(await arange(2, 8, 2).data(), [2, 4, 6]);
    close(await arange(0, 1, 0.25).data(), [0, 0.25, 0.5, 0.75]);
    equal(await tensor([[1, 2]]).zerosLike().tolist(), [[0, 0]]);
    equal(await tensor([[1, 2]]).onesLike().tolist(), [[1, 1]]);
    equal(await tensor([1, 2]).fullLike(7).data(), [7, 7]);
    equal(await tensor(5).item(), 5);
    equal(tensor(5).shape, []);
    equal(tensor([[[1], [2]]]).shape, [1, 2, 1]);
    equal(await tensor(new Float32Array([1, 2, 3, 4]), { shape: [2, 2] }).tolist(), [[1, 2], [3, 4]]);
    const rows = tensor([[Int32Array.of(1, 2)], [Int32Array.of(3, 4)]]);
    equal([rows.shape, rows.dtype, await rows.tolist()], [[2, 1, 2], 'int32', [[[1, 2]], [[3, 4]]]]);
    equal(await tensor(new Int16Array([-1, 300])).data(), [-1, 300]);
    equal(await tensor(new Uint8Array([1, 2, 3]).subarray(1)).data(), [2, 3]);
  },
};
