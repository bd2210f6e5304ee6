/** Indexing, linear algebra and what else has no sample of PyTorch's. */
export const OTHERS: Readonly<Record<string, string>> = {
  as_strided_scatter: `const x = zeros([3, 3]);
const diagonal = tensor([1, 2, 3]);

console.log(x.asStridedScatter(diagonal, [3], [4]));
`,
  'bucketize.scalar': `const boundaries = tensor([1, 3, 5]);

console.log(bucketize(tensor(4), boundaries));
`,
  cholesky_inverse: `const a = tensor([[4, 2], [2, 3]]);
const factor = linalg.cholesky(a);

console.log(factor.choleskyInverse());
console.log(linalg.inv(a));
`,
  dequantize: `const x = linspace(-1, 1, 64).reshape(2, 32);
const packed = await x.quantize('q8_0');

console.log(packed.dequantize('q8_0').sub(x).abs().max());
`,
  getitem: `const x = tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]);

console.log(x.at(1));
console.log(x.at('1:', 0));
console.log(x.at('...', -1));
`,
  histogram: `const x = tensor([1, 2, 2, 3, 5]);

console.log(x.histogram(4, { range: [1, 5] }));
`,
  'histogram.bins_tensor': `const x = tensor([1, 2, 2, 3, 5]);

console.log(x.histogram(tensor([0, 2, 4, 6])));
`,
  igamma: `const shape = tensor([0.5, 1, 10]);
const x = tensor([1, 1, 9]);

console.log(shape.igamma(x));
`,
  igammac: `const shape = tensor([0.5, 1, 10]);
const x = tensor([1, 1, 9]);

console.log(shape.igammac(x));
`,
  index: `const x = tensor([[1, 2, 3], [4, 5, 6]]);

// A mask has to be read, and so the result is awaited.
console.log(await x.index([x.gt(2)]));
console.log(await x.index([tensor([1, 0], { dtype: 'int32' }), tensor([2, 0], { dtype: 'int32' })]));
`,
  index_tensors: `const x = tensor([[1, 2, 3], [4, 5, 6]]);
const rows = tensor([1, 0], { dtype: 'int32' });
const columns = tensor([2, 0], { dtype: 'int32' });

console.log(x.indexTensors([rows, columns]));
`,
  linalg_cholesky_ex: `const a = tensor([[4, 2], [2, 3]]);

console.log(linalg.choleskyEx(a));
`,
  'linalg_cond.p_str': `const a = tensor([[1, 2], [3, 4]]);

console.log(linalg.cond(a, 'fro'));
`,
  linalg_eigh: `const a = tensor([[2, 1], [1, 2]]);
const { eigenvalues, eigenvectors } = linalg.eigh(a);

console.log(eigenvalues);
console.log(eigenvectors);
`,
  linalg_inv: `const a = tensor([[2, 1], [1, 1]]);

console.log(linalg.inv(a));
console.log(a.matmul(linalg.inv(a)));
`,
  linalg_inv_ex: `const a = tensor([[2, 1], [1, 1]]);

console.log(linalg.invEx(a));
`,
  linalg_lstsq: `// The line through four points that is nearest to them.
const a = tensor([[1, 0], [1, 1], [1, 2], [1, 3]]);
const b = tensor([[1], [2.9], [5.1], [7]]);

console.log(linalg.lstsq(a, b).solution);
`,
  linalg_lu_factor_ex: `const a = tensor([[1, 2], [3, 4]]);

console.log(linalg.luFactorEx(a));
`,
  'linalg_matrix_rank.tol': `const a = tensor([[1, 0], [0, 0.001]]);

console.log(linalg.matrixRank(a, 0.01));
`,
  'linalg_pinv.rcond': `const a = tensor([[1, 0], [0, 0.001]]);

console.log(linalg.pinv(a, 0.01));
`,
  linalg_solve: `const a = tensor([[2, 1], [1, 3]]);
const b = tensor([3, 5]);

console.log(linalg.solve(a, b));
`,
  linalg_solve_ex: `const a = tensor([[2, 1], [1, 3]]);
const b = tensor([3, 5]);

console.log(linalg.solveEx(a, b));
`,
  matrix_H: `const x = tensor([[1, 2], [3, 4]]);

console.log(x.H);
`,
  nonzero: `const x = tensor([[0, 1], [2, 0]]);

// The number of the results is known when the elements are, and so they are awaited.
console.log(await x.nonzero());
`,
  nonzero_numpy: `const x = tensor([[0, 1], [2, 0]]);

console.log(await x.nonzeroNumpy());
`,
  numpy_T: `const x = tensor([[1, 2, 3], [4, 5, 6]]);

console.log(x.T);
`,
  pad_sequence: `const long = tensor([1, 2, 3]);
const short = tensor([4]);

console.log(padSequence([long, short], true));
`,
  pinverse: `const a = tensor([[1, 2], [3, 4], [5, 6]]);

console.log(a.pinverse());
`,
  polygamma: `const x = tensor([1, 2, 3]);

// The first and the second derivative of digamma.
console.log(polygamma(1, x));
console.log(polygamma(2, x));
`,
  quantize: `const x = linspace(-1, 1, 64).reshape(2, 32);
const packed = await x.quantize('q8_0');

console.log(packed.shape, packed.dtype);
`,
  setitem: `const x = zeros([2, 3]);

// The key is Python's, as text: the first row, without its first element.
console.log(x.setitem('0, 1:', [], 7));
x.set([1, 0], 5);
console.log(x);
`,
  store: `const cache = zeros([5]);
const positions = tensor([3, 9, -1], { dtype: 'int32' });

console.log(cache.store(0, positions, tensor([1.5, 2.5, 3.5])));
`,
  'where.condition': `const x = tensor([[0, 1], [2, 0]]);

console.log(await where(x));
`,
};
