/** Tensors that are made of sizes, of numbers, or at random, and their conversions. */
export const CREATION: Readonly<Record<string, string>> = {
  arange: `console.log(arange(1, 10, 2));
console.log(arange(0, 1, 0.25));
`,
  'arange.end': `console.log(arange(5));
`,
  bernoulli: `manualSeed(0);
const probabilities = tensor([0, 0.5, 0.5, 1]);

console.log(probabilities.bernoulli());
`,
  'bernoulli.p': `manualSeed(0);

console.log(zeros([8]).bernoulli(0.3));
`,
  bfloat16: `console.log(tensor([1.001, 3.14159]).bfloat16());
`,
  binomial: `manualSeed(0);
const trials = full([8], 10);

console.log(trials.binomial(tensor(0.3)));
`,
  bool: `console.log(tensor([0, 1, -2.5]).bool());
`,
  byte: `console.log(tensor([0, 1.7, 200]).byte());
`,
  can_cast: `console.log(canCast('int32', 'float32'));
console.log(canCast('float32', 'int32'));
`,
  cauchy: `manualSeed(0);

console.log(zeros([5]).cauchy());
`,
  dirichlet_grad: `// The move of a number of a sample with the concentration, of which 6 is the sum.
const sample = tensor([0.2, 0.5]);

console.log(sample.dirichletGrad([1, 3], [6, 6]));
`,
  double: `console.log(tensor([0.1, 0.2]).double());
`,
  empty: `// The elements are whatever the memory has.
console.log(empty([2, 3]).shape);
`,
  empty_like: `const x = ones([2, 3]);

console.log(x.emptyLike().shape);
`,
  exponential: `manualSeed(0);

console.log(zeros([5]).exponential(2));
`,
  eye: `console.log(eye(3));
console.log(eye(2, 4));
`,
  float: `console.log(tensor([1, 2], { dtype: 'int32' }).float());
`,
  full: `console.log(full([2, 3], 7));
`,
  geometric: `manualSeed(0);

console.log(zeros([8]).geometric(0.5));
`,
  half: `console.log(tensor([1.001, 3.14159]).half());
`,
  int: `console.log(tensor([1.7, -1.7]).int());
`,
  linspace: `console.log(linspace(0, 1, 5));
`,
  log_normal: `manualSeed(0);

console.log(zeros([5]).logNormal(0, 0.5));
`,
  long: `console.log(tensor([1.7, -1.7]).long());
`,
  multinomial: `manualSeed(0);
const weights = tensor([0.1, 0.6, 0.3]);

console.log(weights.multinomial(8, true));
`,
  new_empty: `const x = ones([2], { dtype: 'int32' });

console.log(x.newEmpty([3, 4]).shape);
`,
  normal: `manualSeed(0);
const mean = tensor([0, 100, 200]);

console.log(normal(mean, 1));
`,
  'normal.size': `manualSeed(0);

console.log(normal(10, 2, [5]));
`,
  normal_functional: `manualSeed(0);

console.log(zeros([5]).normalFunctional(10, 2));
`,
  ones: `console.log(ones([2, 3]));
`,
  poisson: `manualSeed(0);
const mean = tensor([0.5, 5, 500]);

console.log(mean.poisson());
`,
  promote_types: `console.log(promoteTypes('int32', 'float32'));
`,
  rand: `manualSeed(0);

console.log(rand([2, 3]));
`,
  rand_like: `manualSeed(0);

console.log(zeros([2, 3]).randLike());
`,
  randint: `manualSeed(0);

console.log(randint(10, [2, 4]));
`,
  'randint.low': `manualSeed(0);

console.log(randint(5, 10, [2, 4]));
`,
  randint_like: `manualSeed(0);

console.log(zeros([2, 4]).randintLike(10));
`,
  randn: `manualSeed(0);

console.log(randn([2, 3]));
`,
  randn_like: `manualSeed(0);

console.log(zeros([2, 3]).randnLike());
`,
  randperm: `manualSeed(0);

console.log(randperm(6));
`,
  result_type: `const x = tensor([1, 2], { dtype: 'int32' });

console.log(resultType(x, 0.5));
`,
  sample_dirichlet: `manualSeed(0);
const concentration = tensor([1, 2, 7]);

console.log(concentration.sampleDirichlet());
`,
  standard_gamma: `manualSeed(0);
const shape = tensor([0.5, 1, 10]);

console.log(shape.standardGamma());
`,
  standard_gamma_grad: `const shape = tensor([0.5, 1, 10]);
const sample = tensor([0.2, 1, 9]);

console.log(shape.standardGammaGrad(sample));
`,
  uniform: `manualSeed(0);

console.log(zeros([5]).uniform(-1, 1));
`,
  zero: `console.log(tensor([1, 2, 3]).zero());
`,
  zeros: `console.log(zeros([2, 3]));
`,
};
