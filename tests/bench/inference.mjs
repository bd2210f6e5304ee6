// Inference on the npm package: three encoders and a decoder. The harness passes their sizes,
// weights and inputs, so that every engine has the same: a module with `weights(model, make)` and
// `input`.
import { arange, embedding, nn, noGrad, scaledDotProductAttention, tensor, zeros } from 'lanthorn';
import { QuantizedTensor } from 'lanthorn/io';
import { called } from './compiled.mjs';

let models;

/** Takes the harness's module of sizes, weights and inputs. */
export function useModels(given) {
  models = given;
}

function weightsOf(model) {
  if (!models) throw new Error('inference needs the weights: setup(device, threads, workloads)');
  return models.weights(model, (data, shape) => tensor(data, { shape }));
}

/** A linear layer, whose matrix is a tensor, [in, out], or in blocks, [out, in]. */
function linear(x, w, name) {
  const matrix = w[`${name}.w`];
  if (matrix instanceof QuantizedTensor) return nn.functional.linear(x, matrix.dequantize(), w[`${name}.b`]);
  return x.matmul(matrix).add(w[`${name}.b`]);
}

const norm = (x, w, name, { dim, eps }) => x.layerNorm([dim], w[`${name}.g`], w[`${name}.b`], eps);

/** Queries, keys and values of a layer's input by head, [1, heads, tokens, width]. */
function project(x, w, layer, { dim, heads }) {
  const all = linear(x, w, `${layer}.qkv`).reshape(1, x.shape[1], 3, heads, dim / heads).permute(2, 0, 3, 1, 4);
  return all.unbind(0);
}

const merge = (x) => x.permute(0, 2, 1, 3).reshape(1, x.shape[2], x.shape[1] * x.shape[3]);
const attend = (x, w, layer, model) => linear(merge(scaledDotProductAttention(...project(x, w, layer, model))), w, `${layer}.proj`);
const feedForward = (x, w, layer, gelu) => linear(linear(x, w, `${layer}.up`).gelu(gelu), w, `${layer}.down`);

/** A run whose whole answer is read. */
function encoder(forward) {
  const first = called(forward);
  const run = async () => {
    const answer = noGrad(first);
    run.result = await answer.data();
    answer.dispose();
  };
  return run;
}

function resnetInfer() {
  const { size, widths, blocks } = models.resnet;
  const w = weightsOf('resnet');
  const image = tensor(models.input.resnet(), { shape: [1, 3, size, size] });
  const convolve = (x, name, stride, padding) => x.conv2d(w[`${name}.w`], w[`${name}.b`], stride, padding);
  const block = (x, name, stride) => {
    const y = convolve(convolve(x, `${name}.a`, stride, 1).relu(), `${name}.b`, 1, 1);
    return y.add(w[`${name}.down.w`] ? convolve(x, `${name}.down`, stride, 0) : x).relu();
  };
  return encoder(() => {
    let x = convolve(image, 'stem', 2, 3).relu().maxPool2d(3, 2, 1);
    for (let stage = 0; stage < widths.length; stage++) {
      for (let b = 0; b < blocks; b++) x = block(x, `${stage}.${b}`, stage > 0 && b === 0 ? 2 : 1);
    }
    return linear(x.mean([2, 3]), w, 'head');
  });
}

function bertEncode() {
  const model = models.bert;
  const w = weightsOf('bert');
  const ids = tensor(models.input.bert(), { shape: [1, model.tokens], dtype: 'int32' });
  return encoder(() => {
    let x = norm(embedding(w.word, ids).add(w.place), w, 'ln', model);
    for (let layer = 0; layer < model.layers; layer++) {
      x = norm(x.add(attend(x, w, layer, model)), w, `${layer}.ln1`, model);
      x = norm(x.add(feedForward(x, w, layer)), w, `${layer}.ln2`, model);
    }
    return x.mean(1);
  });
}

function whisperEncode() {
  const model = models.whisper;
  const w = weightsOf('whisper');
  const mels = tensor(models.input.whisper(), { shape: [1, model.mels, model.frames] });
  return encoder(() => {
    let x = mels.conv1d(w['conv1.w'], w['conv1.b'], 1, 1).gelu().conv1d(w['conv2.w'], w['conv2.b'], 2, 1).gelu();
    x = x.transpose(1, 2).add(w.place);
    for (let layer = 0; layer < model.layers; layer++) {
      x = x.add(attend(norm(x, w, `${layer}.ln1`, model), w, layer, model));
      x = x.add(feedForward(norm(x, w, `${layer}.ln2`, model), w, layer));
    }
    return norm(x, w, 'ln', model);
  });
}

const BLOCK_BYTES = 18;

/**
 * The harness's 4 bits, whose blocks hold 32 inputs in order, as blocks of GGUF's q4_0: a scale of
 * 16 bits, then the first half of the inputs in the low halves of 16 bytes, and the second half in
 * the high ones.
 */
function asBlocks({ inputs, columns, packed, scales }) {
  const { block } = models.int4;
  const bytes = new Uint8Array(scales.length * BLOCK_BYTES);
  const view = new DataView(bytes.buffer);
  const at = (index) => (packed[index >> 1] >> (4 * (index & 1))) & 15;
  scales.forEach((scale, index) => {
    view.setUint16(index * BLOCK_BYTES, halfOf(scale), true);
    for (let i = 0; i < block / 2; i++) {
      bytes[index * BLOCK_BYTES + 2 + i] = at(index * block + i) | (at(index * block + block / 2 + i) << 4);
    }
  });
  return new QuantizedTensor(tensor(bytes, { shape: [columns, (inputs / block) * BLOCK_BYTES], dtype: 'uint8' }), 'q4_0');
}

/** The bits of the float16 nearest to a positive number in its normal range. */
function halfOf(value) {
  const [bits] = new Uint32Array(Float32Array.of(value).buffer);
  const rounded = bits + 0xfff + ((bits >> 13) & 1);
  return (rounded >> 13) - ((127 - 15) << 10);
}

/**
 * Weights of which all matrices but the embedding's are in 4 bits; the head, which is that table,
 * once more.
 */
function weightsInBlocks(model) {
  const w = models.weights(model, (data, shape, parameter) =>
    parameter.int4 && parameter.name !== 'word' ? asBlocks(models.quantized(parameter, data)) : tensor(data, { shape }));
  const word = models.parameters(model).find(({ name }) => name === 'word');
  return { ...w, head: asBlocks(models.quantized(word, models.weight(word))) };
}

/** The next token, where keys and values are written into caches at positions that are data. */
function gptDecode(w = weightsOf('gpt')) {
  const model = models.gptInfer;
  const { layers, heads, dim, places: capacity } = model;
  const caches = Array.from({ length: layers }, () => [0, 1].map(() => zeros([1, heads, capacity, dim / heads])));
  const all = arange(capacity, { dtype: 'int32' });
  const output = w.head ?? w.word;
  const next = called((ids, positions) => {
    const mask = all.le(positions.unsqueeze(1));
    let x = embedding(w.word, ids).add(embedding(w.place, positions));
    caches.forEach(([keys, values], layer) => {
      const [q, k, v] = project(norm(x, w, `${layer}.ln1`, model), w, layer, model);
      keys.indexCopy_(2, positions, k);
      values.indexCopy_(2, positions, v);
      x = x.add(linear(merge(scaledDotProductAttention(q, keys, values, mask)), w, `${layer}.proj`));
      x = x.add(feedForward(norm(x, w, `${layer}.ln2`, model), w, layer, { approximate: 'tanh' }));
    });
    const last = norm(x.select(1, ids.shape[1] - 1), w, 'ln', model);
    return nn.functional.linear(last, output instanceof QuantizedTensor ? output.dequantize() : output).argmax(-1);
  });
  let position = 0;
  const step = async (list) => {
    const ids = tensor(Int32Array.from(list), { shape: [1, list.length] });
    const positions = tensor(Int32Array.from(list, (_, i) => position + i));
    const token = noGrad(() => next(ids, positions));
    position += list.length;
    const [id] = await token.data();
    [ids, positions, token].forEach((used) => used.dispose());
    return id;
  };
  return {
    prefill: (ids) => {
      position = 0;
      return step(ids);
    },
    step: (id) => step([id]),
  };
}

const gptDecodeInt4 = () => gptDecode(weightsInBlocks('gpt'));

export const cases = { resnetInfer, bertEncode, whisperEncode, gptDecode: () => gptDecode(), gptDecodeInt4 };
