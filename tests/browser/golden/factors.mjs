/**
 * Decompositions, which are unique up to signs and rotations, are checked by their properties: the
 * product, and orthonormal columns.
 */
import { differs } from './tolerance.mjs';

const SLACK = 5e-5;

const make = (rows, columns, at) => ({ rows, columns, at });
const transpose = ({ rows, columns, at }) => make(columns, rows, (i, j) => at(j, i));
const times = (a, b) =>
  make(a.rows, b.columns, (i, j) => {
    let sum = 0;
    for (let k = 0; k < a.columns; k += 1) sum += a.at(i, k) * b.at(k, j);
    return sum;
  });
const flat = ({ rows, columns, at }) => Array.from({ length: rows * columns }, (_, index) => at(Math.floor(index / columns), index % columns));
/** The first columns, each multiplied by its factor. */
const scaleColumns = (a, factors) => make(a.rows, factors.length, (i, j) => a.at(i, j) * factors[j]);

function is(a, b, what, slack = SLACK) {
  const why = differs(flat(a), flat(b), { atol: slack, rtol: 0 });
  if (why) throw new Error(`${what}: ${why}`);
}

function orthonormal(a, what) {
  is(times(transpose(a), a), make(a.columns, a.columns, (i, j) => Number(i === j)), what);
}

/** The matrices in the last two dimensions. */
function matrices({ shape, values }) {
  const [rows, columns] = shape.slice(-2);
  const count = shape.slice(0, -2).reduce((product, size) => product * size, 1);
  return Array.from({ length: count }, (_, n) => make(rows, columns, (i, j) => values[(n * rows + i) * columns + j]));
}

/**
 * Throws a description of the error in the results `got` of a decomposition of `input`, where
 * PyTorch's are `want`.
 */
export function checkFactors(op, { kwargs }, input, got, want) {
  for (const [index, { shape }] of want.entries()) {
    if (String(shape) !== String(got[index].shape)) throw new Error(`shape [${got[index].shape}], expected [${shape}]`);
  }
  const size = Math.max(1, ...input.values.map(Math.abs));
  const values = op === 'linalg.svd' ? 1 : 0;
  const why = op === 'linalg.qr' ? undefined : differs(got[values].values, want[values].values, { atol: SLACK * size, rtol: 0 });
  if (why) throw new Error(`the values: ${why}`);
  for (const [n, a] of matrices(input).entries()) {
    if (op === 'linalg.svd') {
      const count = Math.min(a.rows, a.columns);
      const [u, vh] = [matrices(got[0])[n], matrices(got[2])[n]];
      orthonormal(u, 'the left vectors');
      orthonormal(transpose(vh), 'the right vectors');
      is(times(scaleColumns(u, got[1].values.slice(n * count, (n + 1) * count)), make(count, vh.columns, vh.at)), a, 'U S Vh', SLACK * size);
    } else if (op === 'linalg.eigh') {
      const v = matrices(got[1])[n];
      const lower = (kwargs.UPLO ?? 'L').toUpperCase() === 'L';
      const symmetric = make(a.rows, a.rows, (i, j) => (i >= j === lower ? a.at(i, j) : a.at(j, i)));
      orthonormal(v, 'the eigenvectors');
      is(times(scaleColumns(v, got[0].values.slice(n * v.columns, (n + 1) * v.columns)), transpose(v)), symmetric, 'V w V^T', SLACK * size);
    } else if (op === 'linalg.qr') {
      const [q, r] = [matrices(got[0])[n], matrices(got[1])[n]];
      orthonormal(q, 'the columns of Q');
      is(r, make(r.rows, r.columns, (i, j) => (i > j ? 0 : r.at(i, j))), 'R below its diagonal', SLACK * size);
      is(times(q, r), a, 'Q R', SLACK * size);
    } else {
      throw new Error(`there is no rule that puts ${op} together again`);
    }
  }
}
