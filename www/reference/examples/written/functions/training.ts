/** The loop of training, collections of metrics, and patterns of dimensions. */
const made = `
manualSeed(0);
const net = new nn.Linear(1, 1);
const samples = Array.from({ length: 32 }, (_, index) => [Float32Array.of(index / 16), Float32Array.of(index / 8)]);
const loader = new DataLoader(samples, { batchSize: 8, shuffle: true });
const mse = ([x, y]) => net.call(x).mseLoss(y);
const optimizer = new optim.SGD(net.parameters(), { lr: 0.1 });
const task = { module: net, optimizer, trainingStep: mse, validationStep: (batch) => ({ val_loss: mse(batch) }) };
`;

/** A training with these names of the entry, options of the trainer, and lines before and after. */
const train = (names: string, options: string, after: string, before = '', loaders = 'loader') => `import { DataLoader } from 'lanthorn/data';
import { ${names} } from 'lanthorn/train';
${made}${before}
const trainer = new Trainer({ ${options} });
await trainer.fit(task, ${loaders});
${after}
`;

const storeProgram = (made: string, name: string) => train(
  `${name}, ModelCheckpoint, Trainer`, 'maxEpochs: 2, callbacks: [checkpoints]',
  'console.log(checkpoints.bestModelPath, (await checkpoints.read()).size > 0);',
  `const checkpoints = new ModelCheckpoint({ dirpath: ${made} });`,
);

const averageProgram = (name: string, options: string) => train(
  `${name}, Trainer`, 'maxEpochs: 3, callbacks: [average]', 'console.log(average.nAveraged, trainer.values.val_loss);',
  `const average = new ${name}(${options});`, 'loader, loader',
);

const logProgram = (name: string, show: string) => train(
  `${name}, Trainer`, `maxSteps: 4, logEveryNSteps: 2, loggers: [new ${name}((bytes) => parts.push(bytes))]`, show, 'const parts = [];',
);

const recordProgram = (name: string, value: string) => train(`${name}, Trainer`, `maxSteps: 4, callbacks: [new ${name}()]`, `console.log(trainer.values.${value});`);

export const TRAINING: Readonly<Record<string, string>> = {
  'einops.einsum': `import { einsum } from 'lanthorn/einops';

const [queries, keys] = [randn(2, 5, 8), randn(2, 7, 8)];
console.log(einsum(queries, keys, 'batch query dim, batch key dim -> batch query key').shape);
`,
  'einops.pack': `import { pack } from 'lanthorn/einops';

const [packed, shapes] = pack([zeros(2, 3), zeros(2, 4, 4, 3)], 'batch * channel');
console.log(packed.shape, shapes);
`,
  'einops.rearrange': `import { rearrange } from 'lanthorn/einops';

const images = arange(16).reshape(1, 1, 4, 4);
console.log(rearrange(images, 'b c (h p) (w q) -> b (h w) (p q c)', { p: 2, q: 2 }));
`,
  'einops.reduce': `import { reduce } from 'lanthorn/einops';

console.log(reduce(arange(16).reshape(4, 4), '(h 2) (w 2) -> h w', 'max'));
`,
  'einops.repeat': `import { repeat } from 'lanthorn/einops';

console.log(repeat(tensor([[1, 2]]), '1 n -> rows (n copies)', { rows: 2, copies: 2 }));
`,
  'einops.unpack': `import { unpack } from 'lanthorn/einops';

const parts = unpack(arange(10).reshape(2, 5), [[], [2, 2]], 'batch *');
console.log(parts);
`,
  'metrics.MetricCollection': `import { MeanAbsoluteError, MeanSquaredError, MetricCollection } from 'lanthorn/metrics';

const metrics = new MetricCollection({ mae: new MeanAbsoluteError(), mse: new MeanSquaredError() });
metrics.update(tensor([1, 4]), tensor([1, 2]));
metrics.update(tensor([0, 3]), tensor([1, 3]));
const { mae, mse } = metrics.compute();
console.log(mae, mse);
`,
  'metrics.State': `import { MeanAbsoluteError } from 'lanthorn/metrics';

const metric = new MeanAbsoluteError();
metric.update(tensor([1, 4]), tensor([1, 2]));
console.log(metric.state.count(), metric.state.entry(0));
`,
  'train.ConsoleLogger': train('ConsoleLogger, Trainer', 'maxSteps: 4, logEveryNSteps: 2, loggers: [logger]', '', 'const logger = new ConsoleLogger((line) => console.log(line));'),
  'train.EarlyStopping': train('EarlyStopping, Trainer', 'maxEpochs: 50, callbacks: [stopping]', 'console.log(trainer.currentEpoch, stopping.bestScore);',
    "const stopping = new EarlyStopping({ monitor: 'val_loss', minDelta: 0.01 });", 'loader, loader'),
  'train.EMAWeightAveraging': averageProgram('EMAWeightAveraging', '{ decay: 0.9 }'),
  'train.GradientNorm': recordProgram('GradientNorm', 'grad_norm'),
  'train.JSONLinesLogger': logProgram('JSONLinesLogger', 'console.log(JSON.parse(new TextDecoder().decode(parts[0])).step);'),
  'train.LearningRateMonitor': recordProgram('LearningRateMonitor', 'lr'),
  'train.memory': storeProgram('memory()', 'memory'),
  'train.ModelCheckpoint': train('memory, ModelCheckpoint, Trainer', 'maxEpochs: 3, callbacks: [checkpoints]',
    'console.log(checkpoints.bestModelPath, checkpoints.bestModelScore);',
    "const checkpoints = new ModelCheckpoint({ dirpath: memory(), monitor: 'val_loss', filename: 'epoch={epoch}' });", 'loader, loader'),
  'train.pageStorage': storeProgram("pageStorage('reference-')", 'pageStorage'),
  'train.progressBar': `import { DataLoader } from 'lanthorn/data';
import { progressBar, Trainer } from 'lanthorn/train';
${made}
const trainer = new Trainer({ maxEpochs: 1 });
const lines = [];
const end = progressBar(trainer, (text) => lines.push(text));
await trainer.fit(task, loader);
end();
console.log(lines.length > 0, lines[0].includes('[######'));
`,
  'train.StochasticWeightAveraging': averageProgram('StochasticWeightAveraging', '{ swaEpochStart: 1 }'),
  'train.TensorBoardLogger': logProgram('TensorBoardLogger', 'console.log(parts.map((record) => record.length));'),
  'train.Trainer': train('Trainer', 'maxEpochs: 5', 'console.log(trainer.globalStep, trainer.values);', '', 'loader, loader'),
  'train.TrainingError': `import { DataLoader } from 'lanthorn/data';
import { Trainer, TrainingError } from 'lanthorn/train';
${made}
const trainingStep = (batch) => mse(batch).div(0);
try {
  await new Trainer({ maxEpochs: 1 }).fit({ ...task, trainingStep }, loader);
} catch (error) {
  console.log(error instanceof TrainingError, error.step, error.message);
}
`,
  'train.WeightAveraging': `import { DataLoader } from 'lanthorn/data';
import { Trainer, WeightAveraging } from 'lanthorn/train';
${made}
// Averages every second step.
class EverySecond extends WeightAveraging {
  name = 'EverySecond';

  constructor() {
    super(0.5);
  }

  shouldUpdate(trainer, isEpoch) {
    return !isEpoch && trainer.globalStep % 2 === 0;
  }
}

const average = new EverySecond();
await new Trainer({ maxSteps: 6, callbacks: [average] }).fit(task, loader);
console.log(average.nAveraged);
`,
};
