/** A convolution as in residual networks. */
import type { SizedCase } from './case';

const batch = 1;
const channels = 64;
const side = 32;
const kernel = 3;

export const convolution = {
  title: 'Convolution',
  words: `conv2d ${kernel} × ${kernel}, ${channels} channels to ${channels}, on an image of ${side} × ${side}.`,
  batch,
  channels,
  side,
  kernel,
  // A multiplication and an addition for each weight, at each position of the result.
  work: { amount: 2 * batch * channels * channels * kernel ** 2 * side ** 2, unit: 'flop' },
} as const satisfies SizedCase;
