// Sizes and data of the workloads, equal to the side-by-side benchmark's, so that engines do the
// same work.

function* congruential(seed) {
  for (let state = seed >>> 0; ;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state;
  }
}

/** `count` numbers in [-1, 1). */
export function values(count, seed) {
  const stream = congruential(seed);
  return Float32Array.from({ length: count }, () => stream.next().value / 2147483648 - 1);
}

/** `count` class indices below `classes`. */
export function labels(count, classes, seed = 7) {
  const stream = congruential(seed);
  return Int32Array.from({ length: count }, () => stream.next().value % classes);
}

export const elementwise = { n: 1 << 20 };
export const rows = { rows: 1024, cols: 1024 };
export const conv = { batch: 4, inC: 32, size: 56, outC: 64, kernel: 3, pad: 1 };
export const mlp = { batch: 128, sizes: [784, 512, 256, 10], lr: 0.01 };
/**
 * Images of 1x28x28, a convolution of 3x3 with stride 2 to 16 channels, another to 32, a linear
 * layer to 10 classes.
 */
export const cnn = { batch: 64, lr: 0.01 };
/** One token of a decoder whose cache of keys and values has a fixed length. */
export const decoder = { layers: 6, heads: 8, dim: 256, length: 256, vocab: 1024 };
export const gpt = { batch: 8, block: 64, vocab: 65, layers: 4, heads: 4, dim: 128, lr: 1e-3 };
