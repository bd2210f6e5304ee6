/** Small models as pages run them for every chunk of sound, with weights of a hash. */
import { graph, model, node, weight } from './onnx.mjs';

/** Numbers of about -1 to 1, which depend on the seed. */
export function numbers(count, seed) {
  let state = (seed * 2654435761) >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

/** Collects nodes and weights. Weights are scaled by the number of inputs of a result. */
class Builder {
  nodes = [];
  weights = [];
  #count = 0;

  /** Names begin with a prefix, which differs between graphs of a model. */
  constructor(prefix) {
    this.prefix = prefix;
  }

  weight(shape, elements) {
    const name = `${this.prefix}w${this.#count++}`;
    const count = shape.reduce((product, size) => product * size, 1);
    const scale = 1 / Math.sqrt(count / shape[0] || 1);
    this.weights.push(weight(name, shape, elements ?? numbers(count, this.#count).map((x) => x * scale)));
    return name;
  }

  ints(...values) {
    return this.weight([values.length], BigInt64Array.from(values, BigInt));
  }

  add(operator, inputs, attributes, outputs = [`${this.prefix}v${this.#count++}`]) {
    this.nodes.push(node(operator, inputs, outputs, attributes));
    return outputs[0];
  }

  dense(x, from, to) {
    return this.add('Gemm', [x, this.weight([to, from]), this.weight([to])], { transB: 1 });
  }

  conv(x, from, to, kernel, attributes) {
    return this.add('Conv', [x, this.weight([to, from, kernel]), this.weight([to])], { kernel_shape: [kernel], ...attributes });
  }
}

/** A branch of the voice detector, for one rate of samples. */
function detector(prefix, window, hop) {
  const b = new Builder(prefix);
  const bins = window / 2 + 1;
  const padded = b.add('Pad', ['chunk', b.ints(0, 0, 0, hop / 2)]);
  const signal = b.add('Unsqueeze', [padded, b.ints(1)]);
  const spectrum = b.conv(signal, 1, 2 * bins, window, { strides: [hop] });
  const [real, imaginary] = [[0, bins], [bins, 2 * bins]].map(([from, to]) => b.add('Slice', [spectrum, b.ints(from), b.ints(to), b.ints(1)]));
  const squares = [real, imaginary].map((part) => b.add('Mul', [part, part]));
  let x = b.add('Sqrt', [b.add('Add', squares)]);
  for (const [from, to, stride] of [[bins, 128, 1], [128, 64, 2], [64, 64, 2], [64, 128, 1]]) {
    x = b.add('Relu', [b.conv(x, from, to, 3, { strides: [stride], pads: [1, 1] })]);
  }
  const steps = b.add('Transpose', [x], { perm: [2, 0, 1] });
  const states = [0, 1].map((index) => b.add('Slice', ['state', b.ints(index), b.ints(index + 1), b.ints(0)]));
  const [y, h, c] = ['y', 'h', 'c'].map((name) => prefix + name);
  b.add('LSTM', [steps, b.weight([1, 512, 128]), b.weight([1, 512, 128]), b.weight([1, 1024]), '', ...states], { hidden_size: 128 }, [y, h, c]);
  const features = b.add('Relu', [b.add('Squeeze', [h, b.ints(0)])]);
  const score = b.add('Sigmoid', [b.dense(features, 128, 1)], {}, [`${prefix}score`]);
  const state = b.add('Concat', [h, c], { axis: 0 }, [`${prefix}state`]);
  return graph(b.nodes, b.weights, {}, { [score]: ['float', 1, 1], [state]: ['float', 2, 1, 128] });
}

/** A voice detector with state: a branch for 16,000 samples a second, and one for 8,000. */
function voice() {
  const b = new Builder('');
  const isFast = b.add('Equal', ['rate', b.weight([], BigInt64Array.of(16000n))]);
  b.add('If', [isFast], { then_branch: detector('a_', 256, 128), else_branch: detector('b_', 128, 64) }, ['score', 'next']);
  const inputs = { chunk: ['float', 1, 512], state: ['float', 2, 1, 128], rate: ['int64'] };
  return model(graph(b.nodes, b.weights, inputs, { score: ['float', 1, 1], next: ['float', 2, 1, 128] }));
}

/** The head of a wake word detector: 16 frames of 96 features. */
function wakeWord() {
  const b = new Builder('');
  let x = b.add('Flatten', ['features']);
  for (const from of [1536, 128]) {
    const scale = b.weight([128]);
    x = b.add('LayerNormalization', [b.dense(x, from, 128), scale, b.weight([128])], { axis: 1 });
    x = b.add('Relu', [x]);
  }
  b.add('Sigmoid', [b.dense(x, 128, 1)], {}, ['score']);
  return model(graph(b.nodes, b.weights, { features: ['float', 1, 16, 96] }, { score: ['float', 1, 1] }));
}

/** A denoiser of one frame of 257 magnitudes: two GRUs with state, and a mask. */
function denoiser() {
  const b = new Builder('');
  let x = b.add('Tanh', [b.dense('frame', 257, 128)]);
  x = b.add('Unsqueeze', [x, b.ints(0)]);
  for (const layer of [1, 2]) {
    const weights = [b.weight([1, 384, 128]), b.weight([1, 384, 128]), b.weight([1, 768])];
    b.add('GRU', [x, ...weights, '', `h${layer}`], { hidden_size: 128, linear_before_reset: 1 }, [`y${layer}`, `n${layer}`]);
    x = b.add('Squeeze', [`y${layer}`, b.ints(1)]);
  }
  x = b.add('Squeeze', [x, b.ints(0)]);
  b.add('Mul', ['frame', b.add('Sigmoid', [b.dense(x, 128, 257)])], {}, ['clean']);
  const state = ['float', 1, 1, 128];
  return model(graph(b.nodes, b.weights, { frame: ['float', 1, 257], h1: state, h2: state }, { clean: ['float', 1, 257], n1: state, n2: state }));
}

const zeros = (...shape) => ({ shape, data: new Float32Array(shape.reduce((product, size) => product * size, 1)) });

/** The models: the file, the inputs, and the results that are inputs of the next call. */
export const models = {
  voice: {
    file: voice(),
    inputs: { chunk: { shape: [1, 512], data: numbers(512, 5) }, state: zeros(2, 1, 128), rate: { shape: [], data: BigInt64Array.of(16000n) } },
    carried: { next: 'state' },
  },
  wakeWord: { file: wakeWord(), inputs: { features: { shape: [1, 16, 96], data: numbers(1536, 6) } }, carried: {} },
  denoiser: {
    file: denoiser(),
    inputs: { frame: { shape: [1, 257], data: numbers(257, 7) }, h1: zeros(1, 1, 128), h2: zeros(1, 1, 128) },
    carried: { n1: 'h1', n2: 'h2' },
  },
};
