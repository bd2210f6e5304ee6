/**
 * A training step: forward pass, backward pass and Adam on a small network, where launches and host
 * time dominate.
 */
import { numbers, type SizedCase } from './case';

const batch = 64;
const sizes = [256, 256, 128, 10];
const layers = sizes.slice(1).map((outputs, index) => ({ inputs: sizes[index]!, outputs }));
const weights = layers.reduce((sum, { inputs, outputs }) => sum + inputs * outputs, 0);

export const training = {
  title: 'Training step',
  words: `A step of a perceptron ${sizes.join('–')} on ${batch} examples: forward, backward and Adam.`,
  batch,
  classes: sizes.at(-1)!,
  layers,
  adam: { lr: 0.01, beta1: 0.9, beta2: 0.999, eps: 1e-8 },
  /** Steps whose losses are compared. */
  compared: 5,
  // The products of the forward pass, and about twice as much in the backward pass.
  work: { amount: 6 * batch * weights, unit: 'flop' },
} as const satisfies SizedCase;

/** The inputs, `[batch, inputs]`. */
export const examples = () => numbers(batch * sizes[0]!, 21);

/** The class of each example. */
export const labels = () => Int32Array.from(numbers(batch, 22), (value) => Math.floor(((value + 1) / 2) * training.classes));

/** The weights of a layer at the beginning, `[inputs, outputs]`. */
export const weightsOf = (layer: number) => {
  const { inputs, outputs } = layers[layer]!;
  return numbers(inputs * outputs, 30 + layer, 1 / Math.sqrt(inputs));
};

/** The labels as rows with a single 1, for engines whose losses take those, `[batch, classes]`. */
export function oneHotLabels(): Float32Array<ArrayBuffer> {
  const rows = new Float32Array(batch * training.classes);
  labels().forEach((label, row) => (rows[row * training.classes + label] = 1));
  return rows;
}
