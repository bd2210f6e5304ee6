/** Random numbers: a seed determines them, and every device draws the same numbers. */
import { close, equal, ok } from '../lib/expect.mjs';

const bits = (values) => Array.from(new Uint32Array(values.buffer, values.byteOffset, values.length));
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

export const cases = {
  'a seed starts the numbers over': async ({ manualSeed, rand, randn }) => {
    manualSeed(5);
    const first = [await rand(10).data(), await randn(10).data()];
    const later = await rand(10).data();
    manualSeed(5);
    equal([await rand(10).data(), await randn(10).data()], first);
    ok(later.some((value, index) => value !== first[0][index]), 'the numbers go on');
    manualSeed(6);
    ok((await rand(10).data()).some((value, index) => value !== first[0][index]), 'another seed, other numbers');
  },

  'a state is gone back to': async ({ manualSeed, getRngState, setRngState, rand }) => {
    manualSeed(5);
    await rand(7).data();
    const state = getRngState();
    const first = await rand(4).tolist();
    manualSeed(6);
    setRngState(state);
    equal(await rand(4).tolist(), first);
    setRngState({ ...state, seed: Number(state.seed) });
    equal(await rand(4).tolist(), first, 'the seed as a number');
    for (const odd of [undefined, {}, { seed: 1.5, offset: 0 }, { seed: 1, offset: -1 }]) {
      let kind;
      try {
        setRngState(odd);
      } catch (error) {
        kind = error.kind;
      }
      equal(kind, 'argument');
    }
  },

  'rand is uniform, randn normal': async ({ manualSeed, rand, randn }) => {
    manualSeed(1);
    const uniform = Array.from(await rand(20_000).data());
    ok(uniform.every((value) => value >= 0 && value < 1), 'from 0 up to 1');
    close(mean(uniform), 0.5, { absolute: 0.02 });
    const normal = Array.from(await randn(20_000).data());
    close(mean(normal), 0, { absolute: 0.03 });
    close(mean(normal.map((value) => value * value)), 1, { absolute: 0.05 });
    close(normal.filter((value) => Math.abs(value) < 1).length / normal.length, 0.6827, { absolute: 0.02 });
  },

  'numbers that are read late do not depend on later draws': async ({ manualSeed, rand }) => {
    manualSeed(9);
    const [first, second] = [rand(4), rand(4)];
    const late = [await second.data(), await first.data()];
    manualSeed(9);
    const inOrder = [await rand(4).data(), await rand(4).data()];
    equal(late.reverse(), inOrder);
  },
};

/**
 * The bits of some random numbers, for a comparison between devices. This is not a case: its result
 * leaves the page.
 */
export async function sample({ manualSeed, rand, randn }) {
  manualSeed(1234);
  return { rand: bits(await rand(1000).data()), randn: bits(await randn(1000).data()), second: bits(await rand(3, 5).data()) };
}
