/** Quantization of models. */
const net = `manualSeed(0);
const model = new nn.Sequential(new nn.Linear(64, 32), new nn.ReLU(), new nn.Linear(32, 10));
const x = randn(8, 64);
`;

const quantizeProgram = (made: string) => `import { ${made.split('(')[0]}, quantizationReport, quantize_ } from 'lanthorn/quantization';

${net}const before = model.call(x);
await quantize_(model, ${made});

console.log(quantizationReport(model));
console.log(model.call(x).sub(before).abs().mean());
`;

const observeProgram = (name: string, made = '', isAwaited = false, shape = '100') => `import { ${name} } from 'lanthorn/quantization';

manualSeed(0);
const observer = new ${name}(${made});
for (let batch = 0; batch < 3; batch++) observer.call(randn(${shape}));
const { scale, zeroPoint } = ${isAwaited ? 'await ' : ''}observer.calculateQParams();

console.log(scale);
console.log(zeroPoint);
`;

const calibrated = `import { convert, prepare, quantizationReport } from 'lanthorn/quantization';

${net}
prepare(model);
for (let batch = 0; batch < 4; batch++) model.call(randn(8, 64));
await convert(model);
console.log(quantizationReport(model).map(({ name, scheme, relativeError }) => [name, scheme, relativeError]));
`;

export const QUANTIZING: Readonly<Record<string, string>> = {
  'quantization.BlockWeightOnly': quantizeProgram("BlockWeightOnly({ format: 'q4_0' })"),
  'quantization.convert': calibrated,
  'quantization.dequantize': `import { dequantize, Int8WeightOnly, quantizationReport, quantize_ } from 'lanthorn/quantization';

${net}await quantize_(model, Int8WeightOnly());
const rounded = model.call(x);
dequantize(model);

console.log(quantizationReport(model).length, Object.keys(model.stateDict()));
console.log(model.call(x).sub(rounded).abs().max());
`,
  'quantization.FakeQuantize': `import { FakeQuantize, MinMaxObserver } from 'lanthorn/quantization';

// Integers from 0 to 3, in the range of the observed values.
const round = new FakeQuantize({ observer: new MinMaxObserver({ quantMin: 0, quantMax: 3 }) });
const x = tensor([0, 0.4, 1.6, 3], { requiresGrad: true });
const y = round.call(x);
y.sum().backward();

console.log(y);
console.log(round.scale, x.grad);
round.disableObserver(); // the grid stays as it is
`,
  'quantization.HistogramObserver': observeProgram('HistogramObserver', '{ bins: 256 }', true),
  'quantization.Int4WeightOnly': quantizeProgram('Int4WeightOnly({ groupSize: 32 })'),
  'quantization.Int8DynamicActivationInt8Weight': quantizeProgram('Int8DynamicActivationInt8Weight()'),
  'quantization.Int8WeightOnly': quantizeProgram('Int8WeightOnly()'),
  'quantization.MinMaxObserver': observeProgram('MinMaxObserver'),
  'quantization.MovingAverageMinMaxObserver': observeProgram('MovingAverageMinMaxObserver', '{ averagingConstant: 0.1 }'),
  'quantization.Observer': `import { MinMaxObserver, Observer } from 'lanthorn/quantization';

const observer = new MinMaxObserver();
console.log(observer instanceof Observer, observer.hasObserved);
console.log(observer.call(tensor([-1, 0, 2])));
console.log(observer.hasObserved, observer.calculateQParams());
`,
  'quantization.PerChannelMinMaxObserver': observeProgram('PerChannelMinMaxObserver', "{ chAxis: 0, qscheme: 'per_channel_symmetric' }", false, '3, 100'),
  'quantization.prepare': calibrated,
  'quantization.QATConfig': `import { Int8WeightOnly, QATConfig, quantize_ } from 'lanthorn/quantization';

${net}const config = Int8WeightOnly();
await quantize_(model, new QATConfig(config, { step: 'prepare' }));
const optimizer = new optim.SGD(model.parameters(), { lr: 0.05 });
for (let step = 0; step < 5; step++) {
  optimizer.zeroGrad();
  const loss = model.call(x).square().mean();
  loss.backward();
  optimizer.step();
  console.log(await loss.item());
}
await quantize_(model, new QATConfig(config, { step: 'convert' }));
console.log(String(model));
`,
  'quantization.QuantizationConfig': `import { Int4WeightOnly, QuantizationConfig } from 'lanthorn/quantization';

const config = Int4WeightOnly({ groupSize: 64 });
console.log(config instanceof QuantizationConfig, config.name, config.groupSize, String(config));
`,
  'quantization.quantizationReport': quantizeProgram('Int8WeightOnly({ groupSize: 32 })'),
  'quantization.quantize_': `import { Int4WeightOnly, quantizationReport, quantize_ } from 'lanthorn/quantization';

${net}
// All linear layers but the last.
await quantize_(model, Int4WeightOnly({ groupSize: 32 }), (module, name) => name !== '2');
console.log(quantizationReport(model));
`,
};
