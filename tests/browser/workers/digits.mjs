/** The digits of `crates/data/digits`, and the network that learns them. */
import { L } from './package.mjs';

export function parse(buffer) {
  const header = new DataView(buffer);
  const [train, test] = [header.getUint32(8, true), header.getUint32(12, true)];
  const labels = 16 + 64 * (train + test);
  const part = (first, count) => ({
    images: Float32Array.from(new Uint8Array(buffer, 16 + 64 * first, 64 * count), (value) => value / 16),
    labels: Int32Array.from(new Uint8Array(buffer, labels + first, count)),
  });
  return { train: part(0, train), test: part(train, test) };
}

/** Images and labels as tensors. */
export function tensors({ images, labels }) {
  return [L.tensor(images, { shape: [labels.length, 64] }), L.tensor(labels)];
}

export function network() {
  const { Linear, ReLU, Sequential } = L.nn;
  return new Sequential(new Linear(64, 128), new ReLU(), new Linear(128, 64), new ReLU(), new Linear(64, 10));
}

/** The fraction of images that the model classifies correctly. */
export async function accuracy(model, part) {
  const [images, labels] = tensors(part);
  return L.noGrad(() => model.call(images).argmax(1).eq(labels).to('float32').mean()).item();
}
