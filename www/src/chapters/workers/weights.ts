/** The picture of the first layer's weights: a tile of 8 by 8 pixels for each neuron. */
import { PIXELS, SIDE } from '../../parts/digits/data';
import { paintSigned } from '../../parts/pixels';

/** One dark line between two tiles. */
const GAP = 1;
/** The share of weights that are no larger than the brightest colour. */
const BRIGHT = 0.98;

export function paintWeights(canvas: HTMLCanvasElement, weights: Float32Array): void {
  const neurons = weights.length / PIXELS;
  const tiles = Math.ceil(Math.sqrt(neurons));
  const side = tiles * (SIDE + GAP) - GAP;
  const picture = new Float32Array(side * side);
  const most = brightest(weights);
  for (let neuron = 0; neuron < neurons; neuron += 1) {
    const corner = side * (SIDE + GAP) * Math.floor(neuron / tiles) + (SIDE + GAP) * (neuron % tiles);
    for (let row = 0; row < SIDE; row += 1) {
      const from = PIXELS * neuron + SIDE * row;
      picture.set(weights.subarray(from, from + SIDE).map((value) => Math.max(-most, Math.min(most, value))), corner + side * row);
    }
  }
  paintSigned(canvas, picture, side, most);
}

/**
 * The size that is drawn brightest: few weights are larger, and the scale of those would leave the
 * others dark.
 */
function brightest(weights: Float32Array): number {
  const sizes = weights.map(Math.abs).sort();
  return Math.max(sizes[Math.floor(BRIGHT * sizes.length)]!, 1e-6);
}
