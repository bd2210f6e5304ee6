/** `lanthorn/metrics`, in a page and in Node. The classes are printed from Rust. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

/** The numbers of a value; the file has `inf` and `nan` as texts. */
const numbers = ({ data }) => data.map((number) => Number(String(number).replace('inf', 'Infinity')));

/** The numbers of an input that is a formula. */
function wave({ shape, step, noise }) {
  const count = shape.reduce((product, size) => product * size, 1);
  return Float32Array.from({ length: count }, (_, index) => ((index * step + (index % (noise + 1))) % 251) / 250);
}

function tensorOf({ tensor }, value) {
  if (value.kind === 'wave') return tensor(wave(value)).reshape(value.shape);
  const data = value.kind === 'int' ? Int32Array.from(numbers(value)) : Float32Array.from(numbers(value));
  return tensor(data).reshape(value.shape);
}

/** The options by JavaScript's names; the texts of a closed set have `_` for `-`. */
const optionsOf = (options) => Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), value === 'one-vs-all' ? 'one_vs_all' : value]));

async function checkAnswer(found, wanted, message) {
  equal([...found.shape], wanted.shape, message);
  const data = Array.from(await found.to('float32').data());
  const want = numbers(wanted).map(Math.fround);
  const differs = (value, index) => !Object.is(value, want[index]) && !(Math.abs(value - want[index]) <= 2e-5 * (1 + Math.abs(want[index])));
  equal(data.filter(differs), [], `${message}: ${data} instead of ${want}`);
}

/**
 * Compares the functions and classes of the answers. WebGPU in software compiles kernels for
 * seconds: there it is the first answer of each function.
 */
async function compareCases({ device, metrics, metricsGolden: golden, lanthorn }, isTaken) {
  const taken = golden.cases.filter(isTaken);
  const first = taken.filter((row, index) => taken.findIndex((other) => other.function === row.function) === index);
  const rows = device === 'webgpu' ? first : taken;
  for (const row of rows) {
    const { preds, target } = golden.inputs[row.input];
    const [p, t] = [tensorOf(lanthorn, preds), tensorOf(lanthorn, target)];
    const options = optionsOf(row.options);
    const message = `${row.function} ${JSON.stringify(options)} of ${row.input}`;
    const { task, beta, p: power, ...others } = options;
    const required = [task, power].filter((value) => value !== undefined);
    const { dataRange } = others;
    if (row.function === 'peak_signal_noise_ratio') {
      required.push(dataRange);
      delete others.dataRange;
    }
    const named = beta === undefined ? others : { beta, ...others };
    await checkAnswer(metrics.functional[camel(row.function)](p, t, ...required, named), row.value, message);
    if (device === 'webgpu') continue;
    const metric = new metrics[row.class](options);
    const size = preds.shape[0];
    metric.update(p.narrow(0, 0, 3), t.narrow(0, 0, 3));
    metric.update(p.narrow(0, 3, size - 3), t.narrow(0, 3, size - 3));
    await checkAnswer(metric.compute(), row.value, `updated ${message}`);
    metric.reset();
  }
  return rows.length;
}

export const cases = {
  'metrics of classes have torchmetrics\' answers': async (given) => {
    const compared = await compareCases(given, ({ options }) => options.task !== undefined);
    ok(compared > (given.device === 'webgpu' ? 15 : 280), `${compared} answers`);
  },

  'metrics of numbers and pictures have torchmetrics\' answers': async (given) => {
    const compared = await compareCases(given, ({ options }) => options.task === undefined);
    ok(compared > (given.device === 'webgpu' ? 18 : 35), `${compared} answers`);
  },

  'curves have torchmetrics\' points': async ({ device, metrics, metricsGolden: golden, lanthorn }) => {
    const rows = device === 'webgpu' ? golden.curves.filter(({ input }) => input === 'binary') : golden.curves;
    for (const row of rows) {
      const { preds, target } = golden.inputs[row.input];
      const [p, t] = [tensorOf(lanthorn, preds), tensorOf(lanthorn, target)];
      const { task, ...others } = optionsOf(row.options);
      const message = `${row.function} ${JSON.stringify(row.options)} of ${row.input}`;
      const metric = new metrics[row.class]({ task, ...others });
      metric.update(p.narrow(0, 0, 5), t.narrow(0, 0, 5));
      metric.update(p.narrow(0, 5, 19), t.narrow(0, 5, 19));
      for (const found of [await metrics.functional[camel(row.function)](p, t, task, others), await metric.compute()]) {
        for (const [index, part] of row.parts.entries()) {
          equal(found[index].length, part.length, message);
          for (const [number, wanted] of part.entries()) await checkAnswer(found[index][number], wanted, `${message}, part ${index} of ${number}`);
        }
      }
    }
  },

  'metrics of texts have torchmetrics\' answers': async ({ metrics, metricsGolden: golden }) => {
    for (const row of golden.texts) {
      const options = optionsOf(row.options);
      await checkAnswer(metrics.functional[camel(row.function)](row.preds, row.target, options), row.value, row.function);
      const metric = new metrics[row.class](options);
      metric.update(row.preds.slice(0, 1), row.target.slice(0, 1));
      metric.update(row.preds.slice(1), row.target.slice(1));
      await checkAnswer(metric.compute(), row.value, `updated ${row.function}`);
    }
  },

  'aggregations leave out NaN': async ({ metrics, lanthorn }) => {
    const { tensor } = lanthorn;
    const values = [['SumMetric', 6], ['MeanMetric', 2], ['MaxMetric', 3], ['MinMetric', 1]];
    for (const [name, value] of values) {
      const metric = new metrics[name]();
      metric.update(tensor([1, 2]));
      metric.update(tensor([NaN, 3]));
      equal(await metric.compute().item(), value, name);
    }
    const weighted = new metrics.MeanMetric({ nanStrategy: 'disable' });
    weighted.update(tensor([1, 3]), tensor([3, 1]));
    equal(await weighted.compute().item(), 1.5);
    const all = new metrics.CatMetric();
    all.update(tensor([1, 2]));
    all.update(tensor([[3], [4]]));
    equal(await all.compute().tolist(), [1, 2, 3, 4]);
    const variation = new metrics.TotalVariation();
    variation.update(tensor([[[[0, 1], [0, 1]]]]));
    equal(await variation.compute().item(), 2);
  },

  'the state of a metric outlives a scope, merges, and is freed by a reset': async ({ metrics, lanthorn }) => {
    const { scope, tensor } = lanthorn;
    const [first, second] = [new metrics.MeanAbsoluteError(), new metrics.MeanAbsoluteError()];
    const target = tensor([0, 0]);
    const values = scope(() => [first.forward(tensor([1, 1]), target), second.forward(tensor([3, 5]), target)]);
    equal([await values[0].item(), await values[1].item()], [1, 4]);
    first.mergeState(second);
    close(await first.compute().item(), 2.5);
    first.reset();
    await refuses(() => first.compute(), 'argument', /compute needs an update/);
    await refuses(() => first.mergeState(new metrics.MeanSquaredError()), 'argument', /no state of MeanAbsoluteError/);
  },

  'a collection updates its metrics together': async ({ metrics, lanthorn }) => {
    const collection = new metrics.MetricCollection({ mae: new metrics.MeanAbsoluteError(), mse: new metrics.MeanSquaredError() });
    collection.update(lanthorn.tensor([1, 4]), lanthorn.tensor([1, 2]));
    const { mae, mse } = collection.compute();
    equal([await mae.item(), await mse.item()], [1, 2]);
    equal(collection.get('mae').name, 'MeanAbsoluteError');
    await refuses(() => new metrics.MetricCollection([new metrics.R2Score(), new metrics.R2Score()]), 'argument', /a second metric has the name R2Score/);
  },

  'options and shapes that do not fit are refused': async ({ metrics, lanthorn }) => {
    const { functional } = metrics;
    const { tensor } = lanthorn;
    await refuses(() => new metrics.Accuracy('multiclass'), 'argument', /numClasses is required/);
    await refuses(() => new metrics.Accuracy({ task: 'multiclass', numClasses: 3, topK: 4 }), 'argument', /topK must be from 1 to/);
    await refuses(() => functional.accuracy(tensor([0.5]), tensor([1]), 'binary', { threshold: 2 }), 'argument', /threshold must be from 0 to 1/);
    await refuses(() => functional.accuracy(tensor([0.5, 0.1]), tensor([1]), 'binary'), 'shape', /one shape/);
    await refuses(() => functional.cohenKappa(tensor([0.5]), tensor([1]), 'multilabel'), 'argument', /binary or multiclass/);
    await refuses(() => functional.minkowskiDistance(tensor([0.5]), tensor([1]), 0.5), 'argument', /p must be at least 1/);
  },
};
