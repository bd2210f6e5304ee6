/** Distributions whose comments have no whole program. */
const from = (...names: string[]) => `import { ${names.join(', ')} } from 'lanthorn/distributions';

`;

export const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  'distributions.Arg': `${from('Normal')}for (const { name, value, constraint } of new Normal(0, tensor([1, 2])).argConstraints) {
  console.log(name, constraint.describe());
  console.log(value);
}
`,
  'distributions.checkArgs': `${from('checkArgs', 'Normal')}const normal = new Normal(0, tensor([1, -1]));

await checkArgs(normal).catch((error) => console.log(error.message));
`,
  'distributions.checkSample': `${from('Bernoulli', 'checkSample')}const coin = new Bernoulli(0.5);

await checkSample(coin, tensor([0, 1]));
await checkSample(coin, tensor([0.5])).catch((error) => console.log(error.message));
`,
  'distributions.identityTransform': `${from('identityTransform')}console.log(identityTransform().forward(tensor([1, 2])));
`,
  'distributions.isValidated': `${from('isValidated', 'setDefaultValidateArgs')}setDefaultValidateArgs(false);
console.log(isValidated());
setDefaultValidateArgs(true);
`,
  'distributions.OneHotCategoricalStraightThrough': `${from('OneHotCategoricalStraightThrough')}manualSeed(0);
const probs = tensor([0.2, 0.3, 0.5], { requiresGrad: true });
const sample = new OneHotCategoricalStraightThrough(probs).rsample();
sample.mul(tensor([1, 2, 3])).sum().backward();

console.log(sample);
console.log(probs.grad);
`,
  'distributions.registerKl': `${from('Cauchy', 'klDivergence', 'Normal', 'registerKl')}// Not the divergence, which has no formula: the distance of the centers.
registerKl('Normal', 'Cauchy', (p, q) => p.mean.sub(q.mode).abs());

console.log(klDivergence(new Normal(3, 1), new Cauchy(1, 1)));
`,
  'distributions.setDefaultValidateArgs': `${from('Normal', 'setDefaultValidateArgs')}setDefaultValidateArgs(false);
console.log(new Normal(0, -1).scale);
setDefaultValidateArgs(true);
`,
  'distributions.Shapes': `${from('Dirichlet')}const dirichlet = new Dirichlet([[1, 2, 3], [4, 5, 6]]);

console.log(dirichlet.batchShape, dirichlet.eventShape);
console.log(dirichlet.shapes.extend([10]));
`,
};
