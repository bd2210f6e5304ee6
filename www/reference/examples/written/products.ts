/** Products, and functions of numbers whose samples are large or of one number. */
const A = 'const a = tensor([[1, 2], [3, 4]]);\n';
const B = 'const b = tensor([[5, 6], [7, 8]]);\n';
const BATCHES = `const x = ones([2, 2]);
const a = tensor([[[1, 2], [3, 4]], [[1, 0], [0, 1]]]);
const b = tensor([[[1, 0], [0, 1]], [[5, 6], [7, 8]]]);
`;
const curve = (call: string) => `const x = tensor([-2, -1, 0, 1, 2]);

console.log(${call.replace('X', 'x')});
plot(${call.replace('X', 'linspace(-4, 4, 100)')});
`;

export const PRODUCTS: Readonly<Record<string, string>> = {
  addbmm: `${BATCHES}
console.log(x.addbmm(a, b));
`,
  addmm: `const x = ones([2, 2]);
${A}${B}
console.log(x.addmm(a, b));
console.log(x.addmm(a, b, { beta: 0, alpha: 0.5 }));
`,
  addmv: `const x = ones([2]);
${A}
console.log(x.addmv(a, tensor([1, 10])));
`,
  addr: `const x = zeros([2, 3]);

console.log(x.addr(tensor([1, 2]), tensor([1, 10, 100])));
`,
  baddbmm: `${BATCHES}
console.log(x.baddbmm(a, b));
`,
  bmm: `const a = tensor([[[1, 2]], [[3, 4]]]);
const b = tensor([[[5], [6]], [[7], [8]]]);

console.log(a.bmm(b));
`,
  'clamp.tensor': `const x = tensor([-2, 0, 2]);
const min = tensor([-1, 1, 0]);
const max = tensor([1, 3, 1]);

console.log(x.clamp(min, max));
`,
  elu: curve('X.elu()'),
  exp: `const x = tensor([-1, 0, 1, 2]);

console.log(x.exp());
`,
  gelu: curve('X.gelu()'),
  hardswish: curve('X.hardswish()'),
  leaky_relu: curve('X.leakyRelu(0.1)'),
  log: `const x = tensor([0.5, 1, 2, 10]);

console.log(x.log());
`,
  logcumsumexp: `const x = tensor([1, 2, 3]);

console.log(x.logcumsumexp(0));
console.log(x.exp().cumsum(0).log());
`,
  mm: `${A}${B}
console.log(a.mm(b));
`,
  mv: `${A}
console.log(a.mv(tensor([1, 10])));
`,
  normalize: `const x = tensor([[3, 4], [5, 12]]);

console.log(x.normalize());
`,
  prelu: `const x = tensor([-2, -1, 0, 1]);
const weight = tensor([0.25]);

console.log(x.prelu(weight));
`,
  rms_norm: `const x = tensor([[1, 2, 3], [10, 20, 30]]);

console.log(x.rmsNorm([3]));
`,
  round: `const x = tensor([0.5, 1.5, -2.7, 3.14159]);

console.log(x.round());
console.log(x.round({ decimals: 2 }));
`,
  silu: curve('X.silu()'),
  sin: curve('X.sin()'),
  std_mean: `const x = tensor([[1, 2, 3], [4, 6, 8]]);

console.log(x.stdMean());
`,
  tanh: curve('X.tanh()'),
  var_mean: `const x = tensor([[1, 2, 3], [4, 6, 8]]);

console.log(x.varMean());
`,
};
