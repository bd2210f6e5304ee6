/**
 * The package in projects of the most used bundlers and runtimes, a sample of the matrix that
 * pkg-scripts/matrix runs whole.
 */
import { rotate } from '../browser/lib/rotation.mjs';
import { testRows } from './lib/matrix.mjs';
import { ROWS } from './matrix/rows.mjs';

// A rotation runs one row in two.
testRows(rotate(ROWS.filter(({ sample }) => sample), 2));
