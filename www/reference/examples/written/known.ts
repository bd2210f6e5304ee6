/** Operations that everybody uses. */
export const KNOWN: Readonly<Record<string, string>> = {
  abs: `const x = tensor([-2, -0.5, 0, 3]);

console.log(x.abs());
`,
  add: `const x = tensor([[1, 2, 3], [4, 5, 6]]);
const row = tensor([10, 20, 30]);

console.log(x.add(row));
console.log(x.add(1));
`,
  all: `const x = tensor([[true, true], [true, false]]);

console.log(x.all());
console.log(x.all(1));
`,
  amax: `const x = tensor([[1, 5, 2], [4, 3, 6]]);

console.log(x.amax(1));
`,
  amin: `const x = tensor([[1, 5, 2], [4, 3, 6]]);

console.log(x.amin(1));
`,
  any: `const x = tensor([[false, false], [true, false]]);

console.log(x.any());
console.log(x.any(1));
`,
  argmax: `const scores = tensor([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]]);

console.log(scores.argmax());
console.log(scores.argmax(1));
`,
  argmin: `const x = tensor([[3, 1, 2], [4, 6, 5]]);

console.log(x.argmin());
console.log(x.argmin(1));
`,
  argsort: `const x = tensor([3, 1, 2]);

console.log(x.argsort());
console.log(x.argsort({ descending: true }));
`,
  batch_norm: `const x = tensor([[1, 10], [2, 20], [3, 30]]);

// In training, the mean and the variance of the batch are taken, and the running ones follow.
const mean = zeros([2]);
const variance = ones([2]);
console.log(x.batchNorm(mean, variance, null, null, true));
console.log(mean, variance);
`,
  cat: `const a = tensor([[1, 2], [3, 4]]);
const b = tensor([[5, 6]]);

console.log(cat([a, b]));
console.log(cat([a, a], 1));
`,
  clamp: `const x = tensor([-2, -0.5, 0.5, 2]);

console.log(x.clamp(-1, 1));
console.log(x.clamp({ min: 0 }));
`,
  conv2d: `// The difference of neighbours finds the edge of an image.
const image = tensor([[[[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]]]]);
const weight = tensor([[[[-1, 1]]]]);

console.log(image.conv2d(weight));
`,
  cross_entropy: `const scores = tensor([[2, 0.5, 0.1], [0.2, 0.3, 3]]);
const classes = tensor([0, 2], { dtype: 'int32' });

console.log(scores.crossEntropy(classes));
console.log(scores.crossEntropy(classes, { reduction: 'none' }));
`,
  div: `const x = tensor([7, -7]);

console.log(x.div(2));
console.log(x.div(2, { roundingMode: 'floor' }));
console.log(x.div(2, { roundingMode: 'trunc' }));
`,
  einsum: `const a = tensor([[1, 2], [3, 4]]);
const b = tensor([[5, 6], [7, 8]]);

console.log(einsum('ij,jk->ik', a, b));
console.log(einsum('ii->i', a));
`,
  flatten: `const x = arange(12).reshape(2, 3, 2);

console.log(x.flatten());
console.log(x.flatten(1));
`,
  gather: `const x = tensor([[1, 2, 3], [4, 5, 6]]);
const index = tensor([[2, 0], [1, 1]], { dtype: 'int32' });

console.log(x.gather(1, index));
`,
  index_select: `const x = tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]);

console.log(x.indexSelect(0, tensor([2, 0], { dtype: 'int32' })));
`,
  layer_norm: `const x = tensor([[1, 2, 3], [10, 20, 30]]);

console.log(x.layerNorm([3]));
`,
  masked_fill: `const x = tensor([[1, 2], [3, 4]]);

console.log(x.maskedFill(x.gt(2), 0));
`,
  matmul: `const a = tensor([[1, 2], [3, 4]]);
const b = tensor([[5, 6], [7, 8]]);

console.log(a.matmul(b));
console.log(a.matmul(tensor([1, 10])));
`,
  max: `const x = tensor([[1, 5, 2], [4, 3, 6]]);

console.log(x.max());
`,
  'max.dim': `const x = tensor([[1, 5, 2], [4, 3, 6]]);
const { values, indices } = x.max(1);

console.log(values);
console.log(indices);
`,
  mean: `const x = tensor([[1, 2, 3], [4, 5, 6]]);

console.log(x.mean());
console.log(x.mean(0));
`,
  min: `const x = tensor([[1, 5, 2], [4, 3, 6]]);

console.log(x.min());
`,
  'min.dim': `const x = tensor([[1, 5, 2], [4, 3, 6]]);
const { values, indices } = x.min(1);

console.log(values);
console.log(indices);
`,
  mul: `const x = tensor([[1, 2], [3, 4]]);

console.log(x.mul(10));
console.log(x.mul(tensor([[0], [1]])));
`,
  one_hot: `const classes = tensor([0, 2, 1], { dtype: 'int32' });

console.log(classes.oneHot(3));
`,
  permute: `const image = arange(6).reshape(1, 2, 3);

console.log(image.permute([2, 0, 1]));
`,
  pow: `const x = tensor([1, 2, 3]);

console.log(x.pow(2));
console.log(x.pow(tensor([3, 2, 1])));
`,
  prod: `const x = tensor([[1, 2, 3], [4, 5, 6]]);

console.log(x.prod());
console.log(x.prod(1));
`,
  relu: `const x = tensor([-2, -1, 0, 1, 2], { requiresGrad: true });
const y = x.relu();
y.sum().backward();

console.log(y);
console.log(x.grad);
`,
  reshape: `const x = arange(6);

console.log(x.reshape(2, 3));
console.log(x.reshape(3, -1));
`,
  scatter: `const x = zeros([2, 3]);
const index = tensor([[2], [0]], { dtype: 'int32' });

console.log(x.scatter(1, index, 1));
`,
  sigmoid: `const x = tensor([-4, -1, 0, 1, 4]);

console.log(x.sigmoid());
`,
  slice_scatter: `const x = zeros([3, 2]);
const row = tensor([[1, 2]]);

console.log(x.sliceScatter(row, { dim: 0, start: 1, end: 2 }));
`,
  softmax: `const scores = tensor([[1, 2, 3], [1, 1, 1]]);

console.log(scores.softmax(1));
`,
  sort: `const x = tensor([3, 1, 2]);
const { values, indices } = x.sort();

console.log(values);
console.log(indices);
`,
  split: `const x = arange(5);

console.log(x.split(2));
`,
  squeeze: `const x = zeros([1, 3, 1, 2]);

console.log(x.squeeze().shape);
console.log(x.squeeze(0).shape);
`,
  stack: `const a = tensor([1, 2]);
const b = tensor([3, 4]);

console.log(stack([a, b]));
console.log(stack([a, b], 1));
`,
  std: `const x = tensor([[1, 2, 3], [4, 6, 8]]);

console.log(x.std());
`,
  sub: `const x = tensor([5, 6, 7]);

console.log(x.sub(1));
console.log(x.sub(tensor([1, 2, 3]), { alpha: 2 }));
`,
  sum: `const x = tensor([[1, 2, 3], [4, 5, 6]]);

console.log(x.sum());
console.log(x.sum(0));
console.log(x.sum({ dim: 1, keepdim: true }));
`,
  to: `const x = tensor([1.5, -2.7, 3]);

console.log(x.to('int32'));
console.log(x.to('bool'));
`,
  topk: `const x = tensor([1, 5, 2, 4, 3]);
const { values, indices } = x.topk(2);

console.log(values);
console.log(indices);
`,
  transpose: `const x = tensor([[1, 2, 3], [4, 5, 6]]);

console.log(x.transpose(0, 1));
`,
  unsqueeze: `const x = tensor([1, 2, 3]);

console.log(x.unsqueeze(0));
console.log(x.unsqueeze(1));
`,
  var: `const x = tensor([[1, 2, 3], [4, 6, 8]]);

console.log(x.var());
`,
  where: `const x = tensor([-2, -1, 1, 2]);

console.log(where(x.gt(0), x, x.mul(0.1)));
`,
};
