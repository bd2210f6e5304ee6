/**
 * Gradients of each sample beside the gradient of their mean, and products with a Hessian beside a
 * gradient, on the CPU with one thread.
 *
 *   ./pkg-scripts/build-npm && node tests/bench/func.mjs
 *
 * Prints medians in milliseconds of rounds that alternate, and ratios to the first column.
 */
import { func, init, manualSeed, nn, randint, randn, scope } from '../../target/npm/js/index.js';

const ROUNDS = 15;
await init({ device: 'cpu', threads: 1 });
manualSeed(0);

/** The median time of each function. */
async function medians(functions) {
  const times = functions.map(() => []);
  for (let round = 0; round < ROUNDS + 2; round += 1) {
    for (const [index, run] of functions.entries()) {
      const begin = performance.now();
      await scope(async () => { await run(); });
      if (round >= 2) times[index].push(performance.now() - begin);
    }
  }
  return times.map((list) => list.toSorted((a, b) => a - b)[ROUNDS >> 1]);
}

const readAll = (state) => Promise.all(Object.values(state).map((tensor) => tensor.data()));

const convolutional = new nn.Sequential(
  new nn.Conv2d(1, 8, 3, { padding: 1 }), new nn.ReLU(), new nn.MaxPool2d(2),
  new nn.Conv2d(8, 16, 3, { padding: 1 }), new nn.ReLU(), new nn.Flatten(), new nn.Linear(16 * 49, 10),
);
const transformer = new nn.TransformerEncoderLayer(64, 4, { dimFeedforward: 256, dropout: 0, batchFirst: true });
const cases = [
  ['convolutions, 32 samples', convolutional, randn(32, 1, 14, 14), (output, label) => nn.functional.crossEntropy(output, label), randint(0, 10, [32])],
  ['transformer layer, 16 samples', transformer, randn(16, 24, 64), (output) => output.square().mean(), randint(0, 10, [16])],
];
console.log('case | gradient of the mean | of each sample | ratio | loop over samples | ratio | Hessian product | ratio');
for (const [name, model, inputs, criterion, labels] of cases) {
  const parameters = Object.fromEntries(Array.from(model.namedParameters(), ([key, value]) => [key, value.detach()]));
  const tangents = Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, randn(...value.shape)]));
  const ofAll = (state) => criterion(func.functionalCall(model, state, [inputs]), labels);
  const ofOne = (state, input, label) => criterion(func.functionalCall(model, state, [input.unsqueeze(0)]), label.unsqueeze(0));
  const each = func.vmap(func.grad(ofOne), { inDims: [null, 0, 0] });
  const [mean, samples, loop, hessian] = await medians([
    () => readAll(func.grad(ofAll)(parameters)),
    () => readAll(each(parameters, inputs, labels)),
    async () => {
      for (let i = 0; i < inputs.shape[0]; i += 1) await readAll(func.grad(ofOne)(parameters, inputs.select(0, i), labels.select(0, i)));
    },
    () => readAll(func.hvp(ofAll, [parameters], [tangents])[1][0]),
  ]);
  const part = (time) => `${time.toFixed(2)} | ${(time / mean).toFixed(2)}`;
  console.log(`${name} | ${mean.toFixed(2)} | ${part(samples)} | ${part(loop)} | ${part(hessian)}`);
}
process.exit(0);
