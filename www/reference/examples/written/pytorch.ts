/** Operations of which PyTorch has recorded no answers: random ones, types and memory. */
export const OF_PYTORCH: Readonly<Record<string, string>> = {
  'addmm.dtype': `const [a, b] = [ones([2, 2]), eye(2)];

console.log(a.addmm(a, b, 'float16'));
`,
  allclose: `const x = tensor([1, 2]);

// The elements are read, and so the answer is awaited.
console.log(await x.allclose(x.add(1e-9)), await x.allclose(x.add(0.1)));
`,
  alpha_dropout: `manualSeed(0);

console.log(ones([6]).alphaDropout(0.5, true));
`,
  'baddbmm.dtype': `const [a, b] = [ones([1, 2, 2]), eye(2).unsqueeze(0)];

console.log(a.baddbmm(a, b, 'float16'));
`,
  'bmm.dtype': `const a = ones([1, 2, 2]);

console.log(a.bmm(a, 'float16'));
`,
  dropout1d: `manualSeed(0);

// Whole channels are dropped.
console.log(ones([4, 3]).dropout1d(0.5));
`,
  dropout2d: `manualSeed(0);

console.log(ones([4, 1, 2]).dropout2d(0.5));
`,
  dropout3d: `manualSeed(0);

console.log(ones([4, 1, 1, 2]).dropout3d(0.5));
`,
  equal: `const x = tensor([1, 2]);

console.log(await x.equal(tensor([1, 2])), await x.equal(tensor([[1, 2]])));
`,
  feature_alpha_dropout: `manualSeed(0);

console.log(ones([1, 4, 3]).featureAlphaDropout(0.5, true));
`,
  feature_dropout: `manualSeed(0);

console.log(ones([1, 4, 3]).featureDropout(0.5, true));
`,
  fill_diagonal: `const x = zeros([3, 3]);

console.log(x.fillDiagonal_(7));
`,
  'gradient.array': `const x = tensor([[1, 2, 4], [3, 6, 12]]);

// The distance of neighbours: of rows, and of columns.
console.log(x.gradient({ spacing: [0.5, 2] }));
`,
  'gradient.coordinates': `const x = tensor([0, 1, 9]);

console.log(x.gradient({ spacing: [tensor([0, 1, 3])] }));
`,
  gumbel_softmax: `manualSeed(0);
const logits = tensor([[0, 1, 2], [2, 1, 0]]);

console.log(logits.gumbelSoftmax(0.5));
console.log(logits.gumbelSoftmax({ hard: true }));
`,
  is_nonzero: `console.log(await tensor([0]).isNonzero(), await tensor(-1).isNonzero());
`,
  isreal: `console.log(tensor([1, -2.5]).isreal());
`,
  'mm.dtype': `const a = ones([2, 2]);

console.log(a.mm(a, 'float16'));
`,
  'randint_like.low': `manualSeed(0);

console.log(zeros([5]).randintLike(-3, 4));
`,
  random: `manualSeed(0);

console.log(zeros([4], { dtype: 'uint8' }).random_());
`,
  'random.from': `manualSeed(0);

console.log(zeros([6]).random_(-3, 4));
`,
  'random.to': `manualSeed(0);

console.log(zeros([6]).random_(10));
`,
  resize: `const x = arange(4);
x.resize_(2, 3);

console.log(x);
`,
  resize_as: `const x = arange(6);
x.resizeAs_(zeros([2, 2]));

console.log(x);
`,
  rrelu: `manualSeed(0);
const x = tensor([-2, -1, 1]);

console.log(x.rrelu());
console.log(x.rrelu({ training: true }));
`,
  'scatter.value': `const index = tensor([[0, 2]], { dtype: 'int32' });

console.log(zeros([1, 3]).scatter(1, index, { value: 5 }));
`,
  type_as: `const x = tensor([1.5, -2.5]);

console.log(x.typeAs(tensor([1], { dtype: 'int32' })));
`,
  vander: `console.log(vander(tensor([1, 2, 3])));
console.log(vander(tensor([1, 2, 3]), 2, true));
`,
};
