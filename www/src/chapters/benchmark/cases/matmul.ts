/** A product of two square matrices: arithmetic dominates. */
import type { SizedCase } from './case';

const size = 512;

export const matmul = {
  title: 'Matrix product',
  words: `A product of two matrices, ${size} × ${size} each.`,
  size,
  // A multiplication and an addition for each of the terms.
  work: { amount: 2 * size ** 3, unit: 'flop' },
} as const satisfies SizedCase;
