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

  /** A convolution of as many dimensions as the kernel has sizes. `group` divides the channels. */
  conv(x, from, to, kernel, { group = 1, ...attributes } = {}) {
    const sizes = [kernel].flat();
    return this.add('Conv', [x, this.weight([to, from / group, ...sizes]), this.weight([to])], { kernel_shape: sizes, group, ...attributes });
  }

  relu(x) {
    return this.add('Relu', [x]);
  }

  /** The model of the nodes so far, with inputs and outputs of float32. */
  model(inputs, outputs) {
    const floats = (sizes) => Object.fromEntries(Object.entries(sizes).map(([name, shape]) => [name, ['float', ...shape]]));
    return model(graph(this.nodes, this.weights, floats(inputs), floats(outputs)));
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

/** A keyword spotter: depthwise separable convolutions over 49 frames of 10 coefficients. */
function keywords() {
  const b = new Builder('');
  let x = b.relu(b.conv('features', 1, 64, [10, 4], { strides: [2, 2], pads: [5, 1, 5, 1] }));
  for (let block = 0; block < 4; block += 1) {
    x = b.relu(b.conv(x, 64, 64, [3, 3], { group: 64, pads: [1, 1, 1, 1] }));
    x = b.relu(b.conv(x, 64, 64, [1, 1]));
  }
  x = b.add('Flatten', [b.add('GlobalAveragePool', [x])]);
  b.add('Softmax', [b.dense(x, 64, 12)], { axis: 1 }, ['scores']);
  return b.model({ features: [1, 1, 49, 10] }, { scores: [1, 12] });
}

/** A reader of lines of text: convolutions, an LSTM in both directions, and scores for CTC. */
function lineReader() {
  const b = new Builder('');
  let x = 'line';
  for (const [from, to] of [[1, 32], [32, 64], [64, 64]]) {
    x = b.add('MaxPool', [b.relu(b.conv(x, from, to, [3, 3], { pads: [1, 1, 1, 1] }))], { kernel_shape: [2, 2], strides: [2, 2] });
  }
  x = b.add('Transpose', [b.add('Reshape', [x, b.ints(1, 256, 16)])], { perm: [2, 0, 1] });
  const [y] = [b.add('LSTM', [x, b.weight([2, 256, 256]), b.weight([2, 256, 64]), b.weight([2, 512])], { hidden_size: 64, direction: 'bidirectional' })];
  x = b.add('Reshape', [b.add('Transpose', [y], { perm: [0, 2, 1, 3] }), b.ints(16, 128)]);
  b.add('LogSoftmax', [b.dense(x, 128, 40)], { axis: 1 }, ['scores']);
  return b.model({ line: [1, 1, 32, 128] }, { scores: [16, 40] });
}

/** The first net of a cascade of face detectors: all positions of a small picture at once. */
function proposals() {
  const b = new Builder('');
  let x = b.add('PRelu', [b.conv('picture', 3, 10, [3, 3]), b.weight([10, 1, 1])]);
  x = b.add('MaxPool', [x], { kernel_shape: [2, 2], strides: [2, 2], ceil_mode: 1 });
  for (const [from, to] of [[10, 16], [16, 32]]) x = b.add('PRelu', [b.conv(x, from, to, [3, 3]), b.weight([to, 1, 1])]);
  b.add('Softmax', [b.conv(x, 32, 2, [1, 1])], { axis: 1 }, ['faces']);
  b.nodes.push(node('Conv', [x, b.weight([4, 32, 1, 1]), b.weight([4])], ['boxes'], { kernel_shape: [1, 1] }));
  return b.model({ picture: [1, 3, 48, 48] }, { faces: [1, 2, 19, 19], boxes: [1, 4, 19, 19] });
}

/** The second net of the cascade, for 8 candidates. */
function refinements() {
  const b = new Builder('');
  let x = 'crops';
  for (const [from, to, kernel] of [[3, 28, 3], [28, 48, 3], [48, 64, 2]]) {
    x = b.add('PRelu', [b.conv(x, from, to, [kernel, kernel]), b.weight([to, 1, 1])]);
    if (to < 64) x = b.add('MaxPool', [x], { kernel_shape: [3, 3], strides: [2, 2], ceil_mode: 1 });
  }
  x = b.add('PRelu', [b.dense(b.add('Flatten', [x]), 576, 128), b.weight([128])]);
  b.add('Softmax', [b.dense(x, 128, 2)], { axis: 1 }, ['faces']);
  return b.model({ crops: [8, 3, 24, 24] }, { faces: [8, 2] });
}

/** A classifier of gestures from the 21 landmarks of a hand. */
function gestures() {
  const b = new Builder('');
  const centre = b.add('Slice', ['landmarks', b.ints(0), b.ints(1), b.ints(1)]);
  const moved = b.add('Sub', ['landmarks', centre]);
  const size = b.add('ReduceMax', [b.add('Abs', [moved])], { axes: [1, 2], keepdims: 1 });
  let x = b.add('Flatten', [b.add('Div', [moved, size])]);
  for (const [from, to] of [[63, 64], [64, 32]]) x = b.relu(b.dense(x, from, to));
  b.add('Softmax', [b.dense(x, 32, 8)], { axis: 1 }, ['scores']);
  return b.model({ landmarks: [1, 21, 3] }, { scores: [1, 8] });
}

/** A network of messages between 24 atoms along 48 bonds, in both directions. */
function molecule() {
  const b = new Builder('');
  const ends = Array.from({ length: 48 }, (_, bond) => [bond % 24, (bond * 7 + 5) % 24]);
  const from = b.weight([96], BigInt64Array.from(ends.flat(), BigInt));
  const to = b.weight([96, 1], BigInt64Array.from(ends.flatMap(([a, c]) => [c, a]), BigInt));
  let x = b.relu(b.dense('atoms', 16, 32));
  for (let round = 0; round < 3; round += 1) {
    const messages = b.relu(b.dense(b.add('Gather', [x, from], { axis: 0 }), 32, 32));
    const sums = b.add('ScatterND', [b.add('Mul', [x, b.weight([1], new Float32Array(1))]), to, messages], { reduction: 'add' });
    x = b.relu(b.dense(b.add('Concat', [x, sums], { axis: 1 }), 64, 32));
  }
  b.nodes.push(node('Gemm', [x, b.weight([1, 32]), b.weight([1])], ['shifts'], { transB: 1 }));
  return b.model({ atoms: [24, 16] }, { shifts: [24, 1] });
}

/** One layer of an encoder over 24 tokens of 64 numbers. */
function encoder() {
  const b = new Builder('');
  const heads = (part) => b.add('Transpose', [b.add('Reshape', [b.dense(part, 64, 64), b.ints(24, 4, 16)])], { perm: [1, 0, 2] });
  const normalize = (x) => b.add('LayerNormalization', [x, b.weight([64]), b.weight([64])], { axis: 1 });
  const [query, key, value] = ['tokens', 'tokens', 'tokens'].map(heads);
  const scores = b.add('MatMul', [query, b.add('Transpose', [key], { perm: [0, 2, 1] })]);
  const weights = b.add('Softmax', [b.add('Div', [scores, b.weight([1], Float32Array.of(4))])], { axis: 2 });
  const mixed = b.add('Reshape', [b.add('Transpose', [b.add('MatMul', [weights, value])], { perm: [1, 0, 2] }), b.ints(24, 64)]);
  const first = normalize(b.add('Add', ['tokens', b.dense(mixed, 64, 64)]));
  const hidden = b.dense(first, 64, 128);
  const gelu = b.add('Mul', [hidden, b.add('Sigmoid', [hidden])]);
  b.nodes.push(node('Identity', [normalize(b.add('Add', [first, b.dense(gelu, 128, 64)]))], ['encoded']));
  return b.model({ tokens: [24, 64] }, { encoded: [24, 64] });
}

/** A policy of a walking robot: a stack of dense layers with a state, and a normal distribution. */
function policy() {
  const b = new Builder('');
  let x = b.add('Concat', ['observation', 'last'], { axis: 1 });
  for (const [from, to] of [[60, 256], [256, 128], [128, 64]]) x = b.add('Elu', [b.dense(x, from, to)]);
  b.nodes.push(node('Tanh', [b.dense(x, 64, 12)], ['action']));
  return b.model({ observation: [1, 48], last: [1, 12] }, { action: [1, 12] });
}

/** A separable net over 10 seconds of heart beats. */
function heartbeats() {
  const b = new Builder('');
  let x = b.relu(b.conv('beats', 1, 16, 15, { strides: [3], pads: [7, 7] }));
  for (const [from, to] of [[16, 32], [32, 64], [64, 64]]) {
    x = b.conv(x, from, from, 7, { group: from, strides: [2], pads: [3, 3] });
    x = b.relu(b.conv(x, from, to, 1));
  }
  x = b.add('Flatten', [b.add('GlobalMaxPool', [x])]);
  b.add('Sigmoid', [b.dense(x, 64, 5)], {}, ['findings']);
  return b.model({ beats: [1, 1, 1000] }, { findings: [1, 5] });
}

const zeros = (...shape) => ({ shape, data: new Float32Array(shape.reduce((product, size) => product * size, 1)) });

const random = (...shape) => ({ shape, data: numbers(shape.reduce((product, size) => product * size, 1), shape.length) });

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
  keywords: { file: keywords(), inputs: { features: random(1, 1, 49, 10) }, carried: {} },
  lineReader: { file: lineReader(), inputs: { line: random(1, 1, 32, 128) }, carried: {} },
  proposals: { file: proposals(), inputs: { picture: random(1, 3, 48, 48) }, carried: {} },
  refinements: { file: refinements(), inputs: { crops: random(8, 3, 24, 24) }, carried: {} },
  gestures: { file: gestures(), inputs: { landmarks: random(1, 21, 3) }, carried: {} },
  molecule: { file: molecule(), inputs: { atoms: random(24, 16) }, carried: {} },
  encoder: { file: encoder(), inputs: { tokens: random(24, 64) }, carried: {} },
  policy: { file: policy(), inputs: { observation: random(1, 48), last: zeros(1, 12) }, carried: { action: 'last' } },
  heartbeats: { file: heartbeats(), inputs: { beats: random(1, 1, 1000) }, carried: {} },
};
