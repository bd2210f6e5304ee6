/** Numbers as arguments: their type, the sign of zero, and numbers that a type cannot hold. */
import { equal, ok, refuses } from '../lib/expect.mjs';

/** Whether all elements are -0. */
const areNegativeZeros = async (x) => (await x.data()).every((value) => Object.is(value, -0));

export const cases = {
  'the sign of -0 is kept': async ({ compile, full, nn, tensor, where, zeros }) => {
    const [one, minus, no] = [tensor([1]), tensor([-0]), tensor([false])];
    equal(await one.copysign(-0).tolist(), [-1]);
    const results = {
      add: minus.add(-0), mul: one.mul(-0), full: full([2], -0), where: where(no, one, -0), maskedFill: one.maskedFill(tensor([true]), -0),
      threshold: nn.functional.threshold(minus, 1, -0), pad: minus.pad([1, 1], { value: -0 }), set: zeros(2).set(':', -0), fill: zeros(2).fill_(-0),
    };
    for (const [name, x] of Object.entries(results)) ok(await areNegativeZeros(x), `${name}: ${x}`);
    const scaled = compile((x, factor) => x.mul(factor));
    equal(await scaled(one, 0).copysign(1).tolist(), [0]);
    ok(await areNegativeZeros(scaled(one, -0)), 'compiled');
    equal(await zeros(3, { dtype: 'int32' }).add(-0).tolist(), [0, 0, 0]);
    ok(tensor([1], { dtype: 'int32' }).add(-0).dtype === 'int32', 'an integer in promotion');
    equal((await tensor([1, 2, 3]).roll(-0).tolist()), [1, 2, 3]);
  },

  'numbers alone make float32': ({ arange, full, tensor, where }) => {
    const types = { tensor: tensor([1, 2]), number: tensor(1), full: full([2], 1), fraction: full([2], 1.5), where: where(tensor([true]), 1, 0) };
    for (const [name, { dtype }] of Object.entries(types)) ok(dtype === 'float32', `${name}: ${dtype}`);
    ok(full([2], true).dtype === 'bool' && where(tensor([true]), true, false).dtype === 'bool', 'booleans');
    ok(where(tensor([true]), tensor([1], { dtype: 'int32' }), 0).dtype === 'int32', 'beside a tensor');
    ok(arange(3).dtype === 'int32', 'arange counts');
  },

  'a number that a type cannot hold is refused': async ({ full, tensor, where }) => {
    const of = (dtype) => tensor([1], { dtype });
    for (const [dtype, value] of [['uint8', 300], ['uint8', NaN], ['int32', 3e9], ['int32', -Infinity]]) {
      const x = of(dtype);
      const calls = {
        tensor: () => tensor([value], { dtype }), full: () => full([1], value, { dtype }), fill_: () => x.fill_(value), set: () => x.set(0, value),
        maskedFill: () => x.maskedFill(tensor([true]), value),
      };
      if (Number.isInteger(value)) Object.assign(calls, { where: () => where(tensor([true]), x, value), gt: () => x.gt(value), clamp: () => x.clamp(value), remainder: () => x.remainder(value) });
      for (const [name, action] of Object.entries(calls)) {
        try {
          await refuses(action, 'argument', new RegExp(`${dtype} cannot hold the number`));
        } catch (cause) {
          throw new Error(`${name} of ${dtype} and ${value}`, { cause });
        }
      }
      equal(await x.tolist(), [1], 'nothing is written');
    }
    equal(await tensor([1.9, -1.9], { dtype: 'int32' }).tolist(), [1, -1], 'fractions are dropped');
    equal(await tensor([-1], { dtype: 'uint8' }).tolist(), [255], 'as in PyTorch');
    equal(await full([1], -1, { dtype: 'uint8' }).tolist(), [255]);
    equal(await of('uint8').add(300).tolist(), [45], 'sums and products wrap');
    equal(await full([1], 1e39).tolist(), [Infinity], 'floating-point types round');
  },
};
