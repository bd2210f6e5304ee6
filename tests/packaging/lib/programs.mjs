/** Programs written as user code, for the projects that the package is installed into. */

/**
 * Opens a device, trains a few steps, saves the parameters to a file, loads them into another
 * network, and returns the results.
 */
export const TRAINING = `
import { init, tensor, nn, optim, manualSeed } from 'lanthorn';
import { load, save } from 'lanthorn/io';

export async function trainSomeSteps(device, options = {}) {
  const info = await init({ device, ...options });
  manualSeed(2);
  const net = new nn.Sequential(new nn.Linear(2, 8), new nn.Tanh(), new nn.Linear(8, 2));
  const optimizer = new optim.Adam(net.parameters(), { lr: 0.1 });
  const x = tensor([[0, 0], [0, 1], [1, 0], [1, 1]]);
  const y = tensor([0, 1, 1, 0], { dtype: 'int32' });
  const losses = [];
  for (let step = 0; step < 60; step += 1) {
    const loss = net.call(x).crossEntropy(y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    losses.push(loss.item());
  }
  const all = await Promise.all(losses);
  const copy = new nn.Sequential(new nn.Linear(2, 8), new nn.Tanh(), new nn.Linear(8, 2));
  copy.loadStateDict(await load(await save(net.stateDict())));
  return { device: info.device, printed: String(net), first: all[0], last: all.at(-1), predicted: Array.from(await copy.call(x).argmax(1).data()) };
}
`;

/** A page that trains on the device named in its URL, either directly or in a module worker. */
export const PAGE = {
  'index.html': '<!doctype html>\n<link rel="icon" href="data:,">\n<script type="module" src="./main.js"></script>\n',
  'training.js': TRAINING,
  'worker.js': `
import { trainSomeSteps } from './training.js';

self.onmessage = async ({ data }) => {
  self.postMessage(await trainSomeSteps(data).catch((error) => ({ error: String(error) })));
};
`,
  'main.js': `
import { trainSomeSteps } from './training.js';

function trainInWorker(device) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(device);
  }).finally(() => worker.terminate());
}

window.train = { page: trainSomeSteps, worker: trainInWorker };
`,
};

/** A program in TypeScript that uses the API, and mistakes that the compiler must find. */
export const TYPED = `
import { einsum, enableGrad, float16, grad, init, isTensor, LanthornError, linalg, manualSeed, memory, nn, noGrad, optim, randn, relu, scope, setGradEnabled, tensor, zeros, type DeviceInfo, type DType, type ErrorKind, type IndexKey, type Tensor } from 'lanthorn';

import { DataLoader, HostArray, MapDataset, randomSplit, TensorDataset, transforms, type Dataset, type LoaderState } from 'lanthorn/data';

interface Sample {
  image: HostArray<Uint8Array | Float32Array>;
  label: Int32Array;
  name: string;
}

export async function load(samples: Dataset<Sample>, images: HostArray, labels: Tensor): Promise<LoaderState> {
  const flip = new transforms.RandomHorizontalFlip(0.5);
  const flipped = new MapDataset(samples, ({ image, ...rest }, random) => ({ image: flip.apply(image, random), ...rest }));
  const [train] = randomSplit(flipped, [0.9, 0.1], 1);
  const loader = new DataLoader(train!, { batchSize: 8, shuffle: true, dropLast: true });
  for await (const { image, label, name } of loader) {
    const both: Tensor = image.sum().add(label.sum());
    console.log(both.shape, name.join(' '));
  }
  for await (const [x, y] of new DataLoader(new TensorDataset(images, labels), { batchSize: 8 })) console.log(x.matmul(y).shape);
  const rows = new TensorDataset(new HostArray(new Uint8Array(8), [2, 1, 2, 2]), Int32Array.of(1, 2));
  const mapped = new MapDataset(rows, ([image, label], random) => [flip.apply(image, random), label]);
  for await (const [x, y] of new DataLoader(mapped, { batchSize: 8 })) console.log(x.matmul(y).shape);
  for await (const text of new DataLoader(samples, { collate: (batch) => batch.map(({ name }) => name).join() })) console.log(text.length);
  for await (const { image } of new DataLoader<Sample>({ length: 8 }, { workers: 2, workerUrl: '/worker.js' })) console.log(image.shape);
  // @ts-expect-error there is no such option
  new DataLoader(train!, { batch: 8 });
  // @ts-expect-error a sample has no such part
  for await (const { picture } of loader) console.log(picture);
  return loader.stateDict();
}

class Net extends nn.Module {
  readonly hidden = new nn.Linear(64, 32, { bias: false });
  readonly scale = nn.parameter(zeros(1));
  readonly layers: nn.Module[] = [new nn.ReLU(), new nn.Flatten({ startDim: 1 })];

  override forward(x: Tensor): Tensor {
    return this.layers.reduce((value, layer) => layer.call(value), this.hidden.call(x).mul(this.scale));
  }
}

export async function main(): Promise<number> {
  const info: DeviceInfo = await init({ device: 'auto' });
  const dtype: DType = 'int32';
  manualSeed(1);
  const net = new Net();
  const optimizer: optim.Optimizer = new optim.Adam(net.parameters(), { lr: 0.01, betas: [0.9, 0.99] });
  const x = tensor(new Float32Array(64), { shape: [1, 64], requiresGrad: true });
  const loss = scope((keep) => keep(net.call(x).sum({ dim: 1, keepdim: true })).mean());
  const [gradient] = grad([loss], [x], { createGraph: true });
  gradient?.backward(null, { retainGraph: true });
  loss.backward({ retainGraph: true });
  optimizer.step();
  optimizer.lr = 0.1;
  const hook = x.registerHook((value) => value.mul(2));
  hook.remove();
  const read: Float32Array | Float64Array | Int32Array | Uint8Array = await x.data();
  const integers: Int32Array = await x.to('int32').data();
  const integers64: BigInt64Array = await zeros(2, { dtype: 'int64' }).data();
  // @ts-expect-error The elements of int64 are no floats.
  const floats: Float32Array = await x.long().data();
  const shape: readonly number[] = x.reshape(8, -1).permute(1, 0).shape;
  const { values, indices } = x.topk(2);
  const [largest]: [Tensor, Tensor] = x.max(1);
  const whole: Tensor = x.max().maximum(x.max(largest));
  const positions: Tensor = await x.nonzero();
  const keys: IndexKey[] = [0, '1:', null, '...', indices];
  const picked: Tensor = linalg.qr(x.mT).Q.at(...keys).clamp_(values, whole).set([positions], 0);
  const same: Tensor[] = picked.split([1, 2]);
  const state: Record<string, Tensor> = net.stateDict();
  net.loadStateDict(state);
  try {
    noGrad(() => x.add_(1));
  } catch (error) {
    const kind: ErrorKind | undefined = error instanceof LanthornError ? error.kind : undefined;
    console.log(kind, info.device, dtype, memory().bytes, read.length, same.length, shape.length);
  }
  return scope(async () => loss.item());
}

/** A program with tied weights, whose members and results the compiler knows. */
export class Tied extends nn.Module {
  readonly embedding = new nn.Embedding(8, 4);
  readonly head = new nn.Linear(4, 8, { bias: false });
  readonly norm = new nn.BatchNorm1d(4);
  readonly blocks = new nn.ModuleList([new nn.Linear(4, 4), new nn.Linear(4, 4)]);

  constructor() {
    super();
    this.head.weight = this.embedding.weight;
  }

  override forward(x: Tensor): Tensor {
    const [first] = this.blocks;
    const hidden: Tensor = this.blocks.at(1).call(first!.call(this.embedding.call(x)));
    return this.head.call(hidden.add(this.norm.runningMean ?? 0));
  }
}

/** A layer with its own forward, whose hyperparameters the compiler knows. */
class Scaled extends nn.Conv2d {
  readonly gain = new nn.Parameter(zeros(1), { requiresGrad: false });

  override forward(x: Tensor): Tensor {
    const [height = 1] = this.stride;
    return super.forward(x).mul(this.gain).add(this.bias ?? height);
  }
}

export function layers(): nn.Module[] {
  const dropout = new nn.Dropout({ p: 0.1 });
  dropout.p = 0;
  const norm = new nn.BatchNorm2d(3);
  norm.momentum = null;
  const reduction: 'none' | 'mean' | 'sum' = new nn.MSELoss().reduction;
  const net: nn.Sequential = new nn.Sequential(new nn.LazyLinear(4), dropout);
  net.append(norm).insert(0, new Scaled(1, 2, 3));
  net[1] = new nn.Linear(2, 4, { bias: reduction === 'sum' });
  const encoder = new nn.TransformerEncoderLayer(8, 2, { activation: (x) => x.silu() });
  encoder.dropout.p = 0.5;
  const size: number = encoder.selfAttn.outProj.inFeatures;
  return [net.pop(), encoder.clone(), new nn.Linear(size, size)];
}

export function guesses(x: Tensor): Tensor {
  const net = new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU());
  const result: Tensor = net.call(x);
  const recurrent = new nn.Sequential(new nn.Linear(2, 3), new nn.LSTM(3, 4));
  const output: Tensor = recurrent.call([[1, 2]]).output;
  const width: number = x.size(-1) + x.dim() + x.stride(0);
  const weights: readonly number[] = net.at(0).parameters()[0]?.size() ?? [width];
  const named: nn.Module = new nn.Sequential({ first: new nn.Linear(1, 1) });
  const whole: nn.Module = net.to('float16').half();
  const slope: Tensor = grad((value: Tensor, scale: number) => value.pow(2).mul(scale).sum())(x, 2);
  const made: Tensor = randn([2, 3], { dtype: float16, requiresGrad: true });
  const sum = relu(nn.functional.softmax(x.matmul([[1], [2]]), 1)).add(einsum('ij,jk->ik', x, made));
  for (const row of x) sum.add_(row);
  const one: unknown = made;
  if (isTensor(one)) console.log(one.device, one.isContiguous(), String(named), String(whole), weights.length);
  const mode = setGradEnabled(false);
  mode.restore();
  return enableGrad(() => sum.add(tensor([slope, output]))).add(result);
}

export function mistakes(x: Tensor): void {
  // @ts-expect-error a layer has no such member
  void new nn.Linear(1, 1).weights;
  // @ts-expect-error a probability is a number
  new nn.Dropout().p = '0.5';
  // @ts-expect-error the bias may be missing
  void new nn.Linear(1, 1).bias.shape;
  // @ts-expect-error a module is no parameter
  new nn.Linear(1, 1).weight = new nn.ReLU();
  // @ts-expect-error there is no such type
  new nn.Linear(1, 1).to('float8');
  // @ts-expect-error there is no such keyword
  x.sum({ dims: 1 });
  // @ts-expect-error there is no such device
  void init({ device: 'tpu' });
  // @ts-expect-error a BigInt is no number
  x.add(1n);
  // @ts-expect-error there is no such operation
  x.summ();
  // @ts-expect-error what is not there yet is no tensor
  x.nonzero().sum();
  // @ts-expect-error a transpose is a property
  x.T();
  // @ts-expect-error there is no such result
  void x.topk(2).ranks;
  // @ts-expect-error the core's numbers are not part of the API
  void x.coreHandle;
  // @ts-expect-error an optimizer has a name for its learning rate
  new optim.SGD([x], { learningRate: 1 });
  // @ts-expect-error sizes are read only
  x.shape[0] = 1;
}
`;

/**
 * Calls that fail, in functions whose names begin with `user`: `failures()` resolves to the first
 * frame of each error's stack, the number of its lines, and whether it has the core's error.
 */
export const FAILING = `
import { einsum, fft, init, nn, ones, optim, scope, setMemoryLimit, tensor } from 'lanthorn';
import { exportProgram, initProgram, trace } from 'lanthorn/program';

class Net extends nn.Module {
  inner = new nn.Linear(2, 3);
  forward(x) { return userForward(this.inner, x); }
}
const userForward = (inner, x) => inner.call(x);
const singular = () => tensor([[1, 0], [0, 0]]).inverse();

const cases = (x) => ({
  method: function user() { x.matmul(x); },
  keyword: function user() { x.sum({ dims: 1 }); },
  overload: function user() { x.max('q'); },
  factory: function user() { ones('x'); },
  namespace: function user() { fft.fft(5); },
  inPlace: function user() { x.add_('x'); },
  data: function user() { tensor([1, 'x']); },
  index: function user() { x.at(7); },
  backward: function user() { x.backward(); },
  setter: function user() { x.grad = 5; },
  einsum: function user() { einsum('ij->k', [x]); },
  constructor: function user() { new nn.Linear('x', 2); },
  optimizer: function user() { new optim.SGD([5]); },
  sequential: function user() { new nn.Sequential(new nn.Sequential(new nn.Linear(2, 3))).call(x); },
  ownModule: function main() { new nn.Sequential(new Net()).call(x); },
  hook: function main() { const y = x.detach().requiresGrad_(); y.registerHook(function user() { x.matmul(x); }); y.sum().backward(); },
  callback: function main() { scope(function user() { x.matmul(x); }); },
  setting: function user() { setMemoryLimit('x'); },
  recursive: function main() { const user = (n) => (n > 0 ? user(n - 1) : x.matmul(x)); user(30); },
  disposed: async function user() { const y = tensor([1]); y.dispose(); await y.data(); },
  read: async function user() { await singular().data(); },
  item: async function user() { await singular().sum().item(); },
  list: async function user() { await singular().tolist(); },
  exported: async function user() { await exportProgram(new Net(), [x], { dynamicShapes: 5 }); },
  traced: async function user() { await trace(5, [x]); },
  tracedAsync: async function user() { await trace(async (x) => x, [x]); },
  tracedSizes: async function user() { await trace((x) => (x.shape[0] > 2 ? x.exp() : x.relu()), [x], { dynamicShapes: [{ 0: 'n' }] }); },
  inTrace: async function main() { await trace(function user(x) { return x.matmul(x); }, [x]); },
});

export async function failures({ programUrl, ...options } = {}) {
  await init({ device: 'cpu', ...options });
  await initProgram({ wasmUrl: programUrl });
  const found = [];
  for (const [name, call] of Object.entries(cases(ones(2, 3)))) {
    const error = await (async () => call())().then(() => new Error('no error'), (caught) => caught);
    const [header, first, ...rest] = error.stack.split('\\n');
    found.push({ name, header, first, frames: rest.length + 1, fromCore: error.cause instanceof Error });
  }
  return found;
}
`;
