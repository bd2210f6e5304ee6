/**
 * The package in projects of the most used bundlers and runtimes, a sample of the matrix that
 * pkg-scripts/matrix runs whole.
 */
import { testRows } from './lib/matrix.mjs';
import { ROWS } from './matrix/rows.mjs';

testRows(ROWS.filter(({ sample }) => sample));
