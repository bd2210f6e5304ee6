/** The device: its memory, its times, its random numbers, and its loss. */
const training = `manualSeed(0);
const net = new nn.Linear(8, 1);
const optimizer = new optim.SGD(net.parameters(), { lr: 0.1 });
const [x, y] = [randn(16, 8), randn(16, 1)];
const trainStep = () => {
  optimizer.zeroGrad();
  const loss = nn.functional.mseLoss(net.call(x), y);
  loss.backward();
  optimizer.step();
  return loss;
};
`;

export const DEVICE: Readonly<Record<string, string>> = {
  Autosave: `${training}
const saved = autosave({ net, optimizer, x, y }, { every: 5 });
while (saved.steps < 10) {
  await trainStep().item();
  saved.step();
}
console.log('steps:', saved.steps);
console.log('the snapshot is of step', await saved.snapshot());
saved.stop();
`,
  autosave: `${training}
const saved = autosave({ net, optimizer, x, y }, { every: 5 });
while (saved.steps < 20) {
  try {
    const loss = trainStep();
    saved.step();
    if (saved.steps % 5 === 0) console.log(saved.steps, await loss.item());
  } catch (error) {
    if (error.kind !== 'device_lost') throw error;
    await recover(); // continues from the latest snapshot
  }
}
saved.stop();
`,
  compile: `manualSeed(0);
const net = new nn.Linear(8, 1);
const optimizer = new optim.SGD(net.parameters(), { lr: 0.1 });
const step = compile((x, y) => {
  optimizer.zeroGrad();
  const loss = nn.functional.mseLoss(net.call(x), y);
  loss.backward();
  optimizer.step();
  return loss;
});

const [x, y] = [randn(16, 8), randn(16, 1)];
for (let count = 0; count < 4; count++) console.log(await step(x, y).item());
console.log(step.explain());
`,
  emptyCache: `const x = ones([1000]);
await x.add(1).sum().item();
x.dispose();
console.log(memory().pooledBytes);
emptyCache();
console.log(memory().pooledBytes);
`,
  explain: `const [x, w, b] = [ones([2, 3]), ones([3, 4]), ones([4])];

console.log(String(await explain(() => x.matmul(w).add(b).relu())));
`,
  fromGPUBuffer: `const { device } = await init();
if (device === 'webgpu') {
  const gpu = gpuDevice();
  const buffer = gpu.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
  gpu.queue.writeBuffer(buffer, 0, new Float32Array([1, 2, 3, 4]));
  console.log(fromGPUBuffer(buffer, { shape: [2, 2] }));
} else {
  console.log('This runs on the CPU, which has no GPUBuffer.');
}
`,
  defaultGenerator: `manualSeed(7);
console.log(defaultGenerator.initialSeed(), defaultGenerator.getState());
`,
  'defaultGenerator.getState': `const state = defaultGenerator.getState();
const first = rand(2);
defaultGenerator.setState(state);
console.log(first, rand(2));
`,
  'defaultGenerator.initialSeed': `manualSeed(7);
console.log(defaultGenerator.initialSeed());
`,
  'defaultGenerator.manualSeed': `defaultGenerator.manualSeed(7);
console.log(rand(2));
`,
  'defaultGenerator.seed': `console.log(defaultGenerator.seed() === defaultGenerator.initialSeed());
`,
  'defaultGenerator.setState': `manualSeed(7);
const state = defaultGenerator.getState();
const first = rand(2);
defaultGenerator.setState(state);
console.log(first, rand(2));
`,
  finfo: `console.log(finfo('float32').eps, finfo('float16').max);
`,
  Generator: `const generator = new Generator().manualSeed(2024);
const first = await rand(3, { generator }).tolist();
generator.manualSeed(2024);

console.log(first);
console.log(await rand(3, { generator }).tolist());
console.log(generator.initialSeed(), generator.getState());
`,
  getDefaultDtype: `console.log(getDefaultDtype());
`,
  getNumThreads: `console.log(getNumThreads());
`,
  getRngState: `const state = getRngState();
const first = await rand(3).tolist();
setRngState(state);

console.log(first);
console.log(await rand(3).tolist());
`,
  gpuDevice: `const { device } = await init();
if (device === 'webgpu') {
  console.log(gpuDevice().limits.maxBufferSize);
} else {
  console.log('This runs on the CPU, which has no GPUDevice.');
}
`,
  iinfo: `console.log(iinfo('int32').max, iinfo('uint8').max);
`,
  initialSeed: `manualSeed(7);
console.log(initialSeed());
`,
  init: `// The device is open here already: without options, init says which it is.
const { device, adapter } = await init();

console.log(device, adapter);
`,
  isTensor: `console.log(isTensor(ones([2])), isTensor([1, 1]));
`,
  LanthornError: `try {
  ones([2, 3]).matmul(ones([2, 3]));
} catch (error) {
  console.log(error instanceof LanthornError, error.kind, error.op);
  console.log(error.message);
}
`,
  manualSeed: `manualSeed(7);
const first = await rand(3).tolist();
manualSeed(7);

console.log(first);
console.log(await rand(3).tolist());
`,
  memory: `const kept = scope(() => {
  const products = Array.from({ length: 3 }, () => ones([100, 100]).matmul(ones([100, 100])));
  console.log(memory().tensors);
  return products[0];
});

console.log(memory().tensors);
console.log(memory({ alive: true }).alive.find(({ op }) => op === 'matmul'));
kept.dispose();
`,
  onDeviceLost: `const stop = onDeviceLost(({ reason, message }) => console.warn('the GPU is gone:', reason, message));

console.log('A loss would be printed.');
stop();
`,
  profile: `manualSeed(0);
const [a, b] = [randn(128, 128), randn(128, 128)];
const times = await profile(() => a.matmul(b).relu().sum());

console.log(String(times));
`,
  recordMemoryHistory: `recordMemoryHistory();
const x = ones([2, 3]);
const made = memory({ alive: true }).alive.find(({ shape }) => String(shape) === '2,3');
recordMemoryHistory(false);

console.log(made);
`,
  recover: `const net = new nn.Linear(2, 1);
const saved = autosave({ net });
const before = await net.weight.tolist();

// After a loss the same call opens the device again.
console.log(await recover());
console.log(before, await net.weight.tolist());
saved.stop();
`,
  seed: `// Another seed each time.
console.log(seed() === initialSeed());
manualSeed(0);
`,
  setDefaultDtype: `setDefaultDtype('float16');
console.log(tensor([1, 2]).dtype, rand(2).dtype, tensor([1, 2], { dtype: 'int32' }).mul(0.5).dtype);
setDefaultDtype('float32');
`,
  scope: `const before = memory().tensors;
const mean = await scope(async () => {
  const x = ones([4, 4]);
  const y = x.add(1).mul(x);
  return y.mean().item();
});

console.log(mean);
console.log(memory().tensors - before);
`,
  setMemoryLimit: `setMemoryLimit(4 * 1024 * 1024);
try {
  await ones([2000, 2000]).add(1).sum().item();
} catch (error) {
  console.log(error.kind, error.message);
} finally {
  setMemoryLimit(Infinity);
}
`,
  setNumThreads: `const threads = getNumThreads();
setNumThreads(1);
console.log(getNumThreads());
setNumThreads(threads);
`,
  setRngState: `manualSeed(1);
const state = getRngState();
console.log(await rand(2).tolist());
setRngState(state);
console.log(await rand(2).tolist());
`,
  stats: `const x = ones([10]);
const sum = () => scope(() => x.sum().item());
for (let count = 0; count < 3; count++) await sum();
const before = stats();
await sum();
const after = stats();

console.log('launches:', after.launches - before.launches, 'new plans:', after.planMisses - before.planMisses);
`,
  synchronize: `const x = ones([200, 200]);
const start = performance.now();
const y = x.matmul(x);
await synchronize();

console.log(y.shape, performance.now() - start > 0);
`,
  Tensor: `const x = tensor([[1, 2, 3], [4, 5, 6]], { requiresGrad: true });

console.log(x.shape, x.dtype, x.numel);
console.log(x.at(1, ':2'));
console.log(await x.sum().item(), await x.tolist());

x.square().sum().backward();
console.log(x.grad);
`,
  tensor: `console.log(tensor([[1, 2], [3, 4]]));
console.log(tensor(new Int32Array([3, 1])));
console.log(tensor(new Float32Array(6), { shape: [2, 3] }));
console.log(tensor([true, false]).dtype, tensor(2.5, { requiresGrad: true }).requiresGrad);
`,
  tune: `const [a, b] = [ones([64, 64]), ones([64, 64])];
const tuned = await tune(() => a.matmul(b));

console.log(tuned.kernels.length, 'kernels have variants on this device');
`,
};
