/**
 * Uses the three operations, and holds them to their declarations. `say` gets a line for each thing
 * that is as it should be.
 */
import { library, ops, tensor } from 'lanthorn';
import { opcheck } from 'lanthorn/testing';
import { Softplus } from './softplus.js';
import { squareplus } from './squareplus.js';
import { swiglu } from './swiglu.js';

const X = [-2, -0.5, 0.25, 1.5];
const sigmoid = (x) => 1 / (1 + Math.exp(-x));

function close(actual, expected) {
  const far = Array.from(actual).findIndex((value, index) => !(Math.abs(value - expected[index]) <= 1e-5 * Math.max(1, Math.abs(expected[index]))));
  if (actual.length !== expected.length || far >= 0) {
    throw new Error(`[${actual}] is not [${expected}]`);
  }
}

const leaf = (data) => tensor(data, { requiresGrad: true });

async function checkSquareplus(say) {
  const x = leaf(X);
  const y = squareplus(x, { b: 1 });
  close(await y.data(), X.map((v) => 0.5 * (v + Math.sqrt(v * v + 1))));
  y.sum().backward();
  close(await x.grad.data(), X.map((v) => 0.5 * (1 + v / Math.sqrt(v * v + 1))));
  say('squareplus: values and gradient');
  const { checks } = await opcheck(squareplus, [[leaf(X)], [leaf([X, X]), 0.5]]);
  say(`squareplus: opcheck, ${checks} checks`);
}

async function checkSwiglu(say) {
  const [gate, up] = [leaf(X), leaf([1, -2, 3, 0.5])];
  const y = swiglu(gate, up);
  close(await y.data(), X.map((g, i) => g * sigmoid(g) * [1, -2, 3, 0.5][i]));
  y.sum().backward();
  close(await up.grad.data(), X.map((g) => g * sigmoid(g)));
  say('swiglu: values and gradient');
  const { checks } = await opcheck(swiglu, [[leaf(X), leaf([1, -2, 3, 0.5])], [leaf([X, X]), leaf([X, [1, 2, -1, 2]]), { beta: 1.5 }]]);
  say(`swiglu: opcheck, ${checks} checks`);
}

async function checkSoftplus(say) {
  const x = leaf([...X, 100]);
  const y = Softplus.apply(x);
  close(await y.data(), [...X.map((v) => Math.log1p(Math.exp(v))), 100]);
  y.sum().backward();
  close(await x.grad.data(), [...X.map(sigmoid), 1]);
  say('Softplus: values and gradient');
  const { checks } = await opcheck((input) => Softplus.apply(input), [[leaf(X)]]);
  say(`Softplus: opcheck, ${checks} checks`);
}

function checkList(say) {
  const all = ops();
  const own = all.filter((op) => op.name.startsWith('example::')).map((op) => `${op.name} (${op.kind})`);
  if (own.join() !== 'example::squareplus (pointwise),example::swiglu (custom)' || library.op('example::swiglu') !== swiglu) {
    throw new Error(`ops() lists ${own}`);
  }
  say(`ops() lists ${own.join(' and ')} among ${all.length}`);
}

/** Runs everything; resolves if all checks pass. */
export async function checkAll(say) {
  await checkSquareplus(say);
  await checkSwiglu(say);
  await checkSoftplus(say);
  checkList(say);
}
