/** Every row of the matrix; the test suite has the rows marked as its sample. */
import { testRows } from '../lib/matrix.mjs';
import { ROWS } from './rows.mjs';

testRows(ROWS);
