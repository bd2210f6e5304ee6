/** Softmax of every row: two reductions and a division, between memory and arithmetic. */
import type { SizedCase } from './case';

const rows = 1024;
const columns = 1024;

export const softmax = {
  title: 'Softmax of rows',
  words: `softmax over the last dimension of ${rows} × ${columns}.`,
  rows,
  columns,
  // The argument is read and the result is written, each in 4 bytes, if it is one pass.
  work: { amount: 2 * 4 * rows * columns, unit: 'byte' },
} as const satisfies SizedCase;
