/**
 * A chain of operations on single elements, relu(a / 2 + b) * sigmoid(a): memory dominates, unless
 * each operation is a launch.
 */
import type { SizedCase } from './case';

const count = 1 << 20;

export const elementwise = {
  title: 'Elementwise chain',
  words: `relu(a / 2 + b) · sigmoid(a) on ${count.toLocaleString('en')} elements.`,
  count,
  // Two arguments are read and a result is written, each in 4 bytes, if the chain is one kernel.
  work: { amount: 3 * 4 * count, unit: 'byte' },
} as const satisfies SizedCase;
