/** `lanthorn/einops`, in a page and in Node. The rules of patterns are printed from Rust. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

const product = (shape) => shape.reduce((total, size) => total * size, 1);

function ramp({ tensor }, shape) {
  return tensor(Float32Array.from({ length: product(shape) }, (_, index) => index / 8)).reshape(shape);
}

export const cases = {
  'patterns have the results of einops': async ({ einops, einopsGolden, lanthorn }) => {
    for (const { function: name, reduction, shape, pattern, axes, value } of einopsGolden) {
      const run = () => (name === 'einsum'
        ? einops.einsum(...shape.map((each) => ramp(lanthorn, each)), pattern)
        : einops[name](ramp(lanthorn, shape), pattern, ...reduction, axes));
      if (value) {
        const result = run();
        equal([...result.shape], value.shape, `${name} ${pattern}`);
        close(Array.from(await result.data()), value.data);
      } else {
        const message = await Promise.resolve().then(run).then(() => 'no error', (error) => error.message);
        ok(message.includes(pattern), `${name} ${pattern}: ${message}`);
      }
    }
    ok(einopsGolden.length > 40);
  },

  'packed tensors are unpacked, and a list is stacked': async ({ einops, lanthorn }) => {
    const [x, y] = [ramp(lanthorn, [2, 4]), ramp(lanthorn, [2, 3, 2, 4])];
    const [packed, shapes] = einops.pack([x, y], 'a * b');
    equal([...packed.shape], [2, 7, 4]);
    equal(shapes.map((shape) => [...shape]), [[], [3, 2]]);
    const [first, second] = einops.unpack(packed, [[], [-1, 2]], 'a * b');
    equal(await first.tolist(), await x.tolist());
    equal(await second.tolist(), await y.tolist());
    equal([...einops.rearrange([x, x, x], 'n a b -> a (n b)').shape], [2, 12]);
    await refuses(() => einops.unpack(packed, [[7]], 'a b'), 'argument', /exactly one '\*'/);
    await refuses(() => einops.rearrange(x, 'a b -> b a', { a: 1.5 }), 'argument', /an integer/);
  },

  'gradients go through a pattern': async ({ einops, lanthorn }) => {
    const x = ramp(lanthorn, [2, 4]).requiresGrad_();
    einops.reduce(x, 'a (b two) -> a b', 'max', { two: 2 }).sum().backward();
    equal(await x.grad.tolist(), [[0, 1, 0, 1], [0, 1, 0, 1]]);
  },
};
