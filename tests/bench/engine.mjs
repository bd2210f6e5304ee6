// The benchmark's workloads, written as user code on the npm package. The caller runs
// `setup(device, threads, workloads)`, then each case; inference cases need the workloads' weights.
import { arange, grad, init, nn, noGrad, tensor, zeros } from 'lanthorn';
import { called, compiled } from './compiled.mjs';
import * as inference from './inference.mjs';
import * as workload from './workloads.mjs';

export async function setup(device, threads = 1, workloads = undefined) {
  inference.useModels(workloads);
  await init({ device: device === 'wasm' ? 'cpu' : device, threads: Number(threads) || 1 });
}

const array = (shape, seed, scale = 1) => {
  const count = shape.reduce((product, size) => product * size, 1);
  return tensor(workload.values(count, seed).map((value) => value * scale), { shape });
};

/** A run that ends when the result can be read. */
function forward(f) {
  const first = called(() => f().reshape(-1).slice(0, 0, 1));
  return async () => {
    const probe = noGrad(first);
    await probe.data();
    probe.dispose();
  };
}

/** Stochastic gradient descent on `loss`, which is read in every step. */
function train(parameters, loss, lr) {
  parameters.forEach((parameter) => parameter.requiresGrad_());
  const step = called(() => {
    const value = loss();
    const gradients = grad([value], parameters);
    noGrad(() => parameters.forEach((parameter, i) => parameter.sub_(gradients[i], { alpha: lr })));
    return value;
  });
  const run = async () => {
    const value = step();
    run.loss = await value.item();
    value.dispose();
  };
  return run;
}

const criterion = () => new nn.CrossEntropyLoss();

function matmul(n) {
  const [a, b] = [array([n, n], 1), array([n, n], 2)];
  return forward(() => a.matmul(b));
}

function normalize(x, dim = -1) {
  const centered = x.sub(x.mean(dim, true));
  return centered.div(centered.square().mean(dim, true).add(1e-5).sqrt());
}

function mlpTrain() {
  const { batch, sizes, lr } = workload.mlp;
  const [x, y] = [array([batch, sizes[0]], 8), tensor(workload.labels(batch, 10), { dtype: 'int32' })];
  const layers = sizes.slice(1).map((out, i) => [array([sizes[i], out], 9 + i, 1 / Math.sqrt(sizes[i])), zeros([out])]);
  const entropy = criterion();
  return train(layers.flat(), () => {
    const logits = layers.reduce((h, [w, b], i) => {
      const z = h.matmul(w).add(b);
      return i + 1 < layers.length ? z.relu() : z;
    }, x);
    return entropy.call(logits, y);
  }, lr);
}

function conv2d() {
  const { batch, inC, size, outC, kernel, pad } = workload.conv;
  const [x, w] = [array([batch, inC, size, size], 6), array([outC, inC, kernel, kernel], 7)];
  return forward(() => x.conv2d(w, { padding: pad }));
}

function cnnTrain() {
  const { batch, lr } = workload.cnn;
  const [x, y] = [array([batch, 1, 28, 28], 8), tensor(workload.labels(batch, 10), { dtype: 'int32' })];
  const [w1, w2] = [array([16, 1, 3, 3], 11, 0.3), array([32, 16, 3, 3], 12, 0.1)];
  const [w3, b3] = [array([32 * 49, 10], 13, 0.03), zeros([10])];
  const entropy = criterion();
  return train([w1, w2, w3, b3], () => {
    const h = x.conv2d(w1, { stride: 2, padding: 1 }).relu().conv2d(w2, { stride: 2, padding: 1 }).relu();
    return entropy.call(h.reshape(batch, 32 * 49).matmul(w3).add(b3), y);
  }, lr);
}

function gptTrain() {
  const { batch: B, block: T, vocab: V, layers, heads: H, dim: D, lr } = workload.gpt;
  const ids = tensor(workload.labels(B * T, V, 21), { dtype: 'int32' });
  const targets = tensor(workload.labels(B * T, V, 22), { dtype: 'int32' });
  const mask = tensor(Float32Array.from({ length: T * T }, (_, i) => (i % T <= Math.floor(i / T) ? 0 : -1e9)), { shape: [T, T] });
  let seed = 30;
  const weight = (rows, columns) => array([rows, columns], seed++, 1 / Math.sqrt(rows));
  const model = { embedding: weight(V, D), position: array([T, D], seed++, 0.02), output: weight(D, V), blocks: [] };
  for (let i = 0; i < layers; i++) {
    const ones = () => tensor(new Float32Array(D).fill(1));
    model.blocks.push({ qkv: weight(D, 3 * D), proj: weight(D, D), up: weight(D, 4 * D), down: weight(4 * D, D), g1: ones(), g2: ones() });
  }
  const parameters = [model.embedding, model.position, model.output, ...model.blocks.flatMap((block) => Object.values(block))];
  const entropy = criterion();
  return train(parameters, () => {
    let h = model.embedding.indexSelect(0, ids).reshape(B, T, D).add(model.position);
    for (const block of model.blocks) {
      const qkv = normalize(h).mul(block.g1).matmul(block.qkv).reshape(B, T, 3, H, D / H).permute(2, 0, 3, 1, 4);
      const [q, k, v] = [0, 1, 2].map((i) => qkv.select(0, i));
      const scores = q.matmul(k.transpose(-1, -2)).mul(1 / Math.sqrt(D / H)).add(mask).softmax(-1);
      h = h.add(scores.matmul(v).permute(0, 2, 1, 3).reshape(B, T, D).matmul(block.proj));
      h = h.add(normalize(h).mul(block.g2).matmul(block.up).gelu({ approximate: 'tanh' }).matmul(block.down));
    }
    return entropy.call(h.matmul(model.output).reshape(B * T, V), targets);
  }, lr);
}

/** A token follows from the one before; the position in the cache is data. */
function decode() {
  const { layers, heads, dim: D, length, vocab } = workload.decoder;
  let seed = 50;
  const weight = (from, to) => array([from, to], seed++, 1 / Math.sqrt(from));
  const [embedding, output, positions] = [weight(vocab, D), weight(D, vocab), arange(length)];
  const blocks = Array.from({ length: layers }, () => ({
    qkv: weight(D, 3 * D), proj: weight(D, D), up: weight(D, 4 * D), down: weight(4 * D, D),
    keys: zeros([heads, length, D / heads]), values: zeros([heads, length, D / heads]),
  }));
  const step = called((token, position) => {
    let h = embedding.indexSelect(0, token);
    const later = positions.gt(position);
    for (const block of blocks) {
      const [q, k, v] = normalize(h).matmul(block.qkv).reshape(3, heads, 1, D / heads).unbind(0);
      block.keys.indexCopy_(1, position, k);
      block.values.indexCopy_(1, position, v);
      const scores = q.matmul(block.keys.transpose(-1, -2)).div(Math.sqrt(D / heads)).maskedFill(later, -Infinity);
      h = h.add(scores.softmax(-1).matmul(block.values).reshape(1, D).matmul(block.proj));
      h = h.add(normalize(h).matmul(block.up).gelu({ approximate: 'tanh' }).matmul(block.down));
    }
    return [h.matmul(output).argmax(-1).to('int32'), position.add(1).remainder(length)];
  });
  let state = [1, 0].map((start) => tensor([start], { dtype: 'int32' }));
  return async () => {
    const next = noGrad(() => step(...state));
    state.forEach((old) => old.dispose());
    state = next;
    await state[0].item();
  };
}

const rows = [workload.rows.rows, workload.rows.cols];

export const cases = {
  matmul256: () => matmul(256),
  matmul512: () => matmul(512),
  matmul1024: () => matmul(1024),
  elementwise: () => {
    const x = array([workload.elementwise.n], 3);
    return forward(() => x.mul(x).add(x).tanh().mul(x.sigmoid()));
  },
  softmax: () => {
    const x = array(rows, 4);
    return forward(() => x.softmax(-1));
  },
  sum: () => {
    const x = array(rows, 4);
    return forward(() => x.sum(1));
  },
  layernorm: () => {
    const x = array(rows, 5);
    return forward(() => normalize(x));
  },
  conv2d,
  mlpTrain,
  cnnTrain,
  gptTrain,
  decode,
  ...inference.cases,
};

/** The same workloads, each compiled. */
export const compiledCases = compiled(cases);
