/**
 * The cases in TensorFlow.js: operations in `tidy`, and training by its own optimizer, as its
 * guides show.
 */
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { numbers } from '../cases/case';
import { convolution } from '../cases/convolution';
import { elementwise } from '../cases/elementwise';
import { matmul } from '../cases/matmul';
import { softmax } from '../cases/softmax';
import { examples, oneHotLabels, training, weightsOf } from '../cases/training';
import type { Device, Engine, Subject } from './engine';
import { createTraining } from './losses';

const create = (shape: number[], seed: number) => tf.tensor(numbers(shape.reduce((one, other) => one * other), seed), shape);

/** Arguments in the order of dimensions that TensorFlow.js takes. */
const createPermuted = (shape: number[], seed: number, order: number[]) => tf.tidy(() => tf.transpose(create(shape, seed), order));

/** `back` brings the answer into PyTorch's order of dimensions. */
function forward(compute: () => tf.Tensor, back?: number[]): Subject {
  const read = async (make: () => tf.Tensor) => {
    const result = make();
    const values = await result.data();
    result.dispose();
    return values as Float32Array;
  };
  return {
    async run() {
      // The result lives until the value is read, so that all of it is computed.
      const result = tf.tidy(compute);
      await read(() => tf.tidy(() => tf.slice(tf.reshape(result, [-1]), [0], [1])));
      result.dispose();
    },
    answer: () => read(() => tf.tidy(() => (back ? tf.transpose(compute(), back) : compute()))),
  };
}

function trainingStep(): Subject {
  const layers = training.layers.map(({ inputs, outputs }, layer) => ({
    weight: tf.variable(tf.tensor(weightsOf(layer), [inputs, outputs])),
    bias: tf.variable(tf.zeros([outputs])),
  }));
  const x = tf.tensor(examples(), [training.batch, training.layers[0]!.inputs]);
  const y = tf.tensor(oneHotLabels(), [training.batch, training.classes]);
  const { lr, beta1, beta2, eps } = training.adam;
  const optimizer = tf.train.adam(lr, beta1, beta2, eps);
  const lossOf = (): tf.Scalar => {
    const scores = layers.reduce<tf.Tensor>((hidden, { weight, bias }, index) => {
      const sums = tf.add(tf.matMul(hidden as tf.Tensor2D, weight as unknown as tf.Tensor2D), bias);
      return index + 1 < layers.length ? tf.relu(sums) : sums;
    }, x);
    return tf.losses.softmaxCrossEntropy(y, scores);
  };
  return createTraining(async () => {
    const loss = optimizer.minimize(lossOf, true)!;
    const [value] = await loss.data();
    loss.dispose();
    return value!;
  });
}

/** Loads a backend; its WebAssembly modules are files of this site. */
async function load(device: Device): Promise<string> {
  if (device === 'webgpu') {
    await import('@tensorflow/tfjs-backend-webgpu');
    return 'webgpu';
  }
  const [{ setWasmPaths }, { default: plain }, { default: simd }] = await Promise.all([
    import('@tensorflow/tfjs-backend-wasm'),
    import('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm.wasm?url'),
    import('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm?url'),
  ]);
  const absolute = (path: string) => new URL(path, location.href).href;
  // All three names are required. The threaded one is never fetched, because threads are off.
  setWasmPaths({
    'tfjs-backend-wasm.wasm': absolute(plain), 'tfjs-backend-wasm-simd.wasm': absolute(simd), 'tfjs-backend-wasm-threaded-simd.wasm': absolute(simd),
  });
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
  return 'wasm';
}

export const engine: Engine = {
  async open(device) {
    const backend = await load(device);
    if (!(await tf.setBackend(backend))) {
      throw new Error(`TensorFlow.js could not start its backend ${backend}`);
    }
    await tf.ready();
  },
  subjects: {
    matmul() {
      const { size } = matmul;
      const [a, b] = [create([size, size], 1), create([size, size], 2)];
      return forward(() => tf.matMul(a as tf.Tensor2D, b as tf.Tensor2D));
    },
    elementwise() {
      const [a, b] = [create([elementwise.count], 3), create([elementwise.count], 4)];
      return forward(() => tf.mul(tf.relu(tf.add(tf.mul(a, 0.5), b)), tf.sigmoid(a)));
    },
    softmax() {
      const x = create([softmax.rows, softmax.columns], 5);
      return forward(() => tf.softmax(x));
    },
    convolution() {
      const { batch, channels, side, kernel } = convolution;
      const x = createPermuted([batch, channels, side, side], 6, [0, 2, 3, 1]) as tf.Tensor4D;
      const weight = createPermuted([channels, channels, kernel, kernel], 7, [2, 3, 1, 0]) as tf.Tensor4D;
      return forward(() => tf.conv2d(x, weight, 1, 'same'), [0, 3, 1, 2]);
    },
    training: trainingStep,
  },
};
