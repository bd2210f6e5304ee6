/** The graph, parametrizations, pruning, and packed sequences. */
const pruneProgram = (call: string) => `manualSeed(0);
const layer = new nn.Linear(4, 3, { bias: false });
nn.utils.prune.${call};

console.log(layer.weight_mask);
`;

const sequences = `const sequences = [tensor([1, 2, 3]), tensor([4])];
const packed = nn.utils.rnn.packSequence(sequences);
`;

const symmetric = `class Symmetric extends nn.Module {
  forward(x) { return x.triu().add(x.triu(1).t()); }
}
manualSeed(0);
const layer = new nn.Linear(3, 3);
nn.utils.parametrize.registerParametrization(layer, 'weight', new Symmetric());
`;

export const UTILITIES: Readonly<Record<string, string>> = {
  'autograd.graph.registerMultiGradHook': `const [a, b] = [tensor(2), tensor(3)].map((x) => x.requiresGrad_());
const hook = autograd.graph.registerMultiGradHook([a, b], ([first, second]) => {
  console.log('gradients', first, second);
});
a.mul(b).backward();
hook.remove();
`,
  'autograd.graph.savedTensorsHooks': `const x = tensor([1, 2], { requiresGrad: true });
const pack = (saved) => {
  console.log('saved', saved.shape);
  return saved.to('bfloat16');
};
const unpack = (packed) => packed.to('float32');
const y = autograd.graph.savedTensorsHooks(pack, unpack, () => x.mul(1).exp().sum());
y.backward();

console.log(x.grad);
`,
  'autograd.graph.saveOnCpu': `const x = tensor([1, 2], { requiresGrad: true });
const loss = autograd.graph.saveOnCpu(() => x.mul(1).exp().sum());
console.log(await loss.item());
loss.backward();

console.log(x.grad);
`,
  'nn.init._calculateFanInAndFanOut': `console.log(nn.init._calculateFanInAndFanOut(zeros([4, 3, 5, 5])));
`,
  'nn.utils.parametersToVector': `manualSeed(0);
const layer = new nn.Linear(2, 1);

console.log(nn.utils.parametersToVector(layer.parameters()));
`,
  'nn.utils.parametrizations.orthogonal': `manualSeed(0);
const layer = nn.utils.parametrizations.orthogonal(new nn.Linear(2, 4));

console.log(layer.weight.t().matmul(layer.weight));
`,
  'nn.utils.parametrize.cached': `${symmetric}
const [one, two] = nn.utils.parametrize.cached(() => [layer.weight, layer.weight]);
console.log(one === two);
`,
  'nn.utils.parametrize.isParametrized': `${symmetric}
console.log(nn.utils.parametrize.isParametrized(layer, 'weight'), nn.utils.parametrize.isParametrized(layer, 'bias'));
`,
  'nn.utils.parametrize.ParametrizationList': `${symmetric}
console.log(layer.parametrizations.weight.original.shape, layer.parametrizations.weight.length);
`,
  'nn.utils.parametrize.registerParametrization': `${symmetric}
console.log(layer.weight);
console.log([...layer.namedParameters()].map(([name]) => name));
`,
  'nn.utils.parametrize.removeParametrizations': `${symmetric}
nn.utils.parametrize.removeParametrizations(layer, 'weight');

console.log([...layer.namedParameters()].map(([name]) => name));
`,
  'nn.utils.prune.customFromMask': `const layer = new nn.Linear(2, 2);
nn.utils.prune.customFromMask(layer, 'bias', tensor([1, 0]));

console.log(layer.bias_mask);
`,
  'nn.utils.prune.globalUnstructured': `manualSeed(0);
const net = new nn.Sequential(new nn.Linear(3, 3), new nn.Linear(3, 1));
nn.utils.prune.globalUnstructured([[net[0], 'weight'], [net[1], 'weight']], nn.utils.prune.l1Unstructured, { amount: 0.25 });

console.log(net[0].weight_mask, net[1].weight_mask);
`,
  'nn.utils.prune.identity': pruneProgram("identity(layer, 'weight')"),
  'nn.utils.prune.isPruned': `const layer = new nn.Linear(2, 2);
console.log(nn.utils.prune.isPruned(layer));
nn.utils.prune.l1Unstructured(layer, 'weight', 1);
console.log(nn.utils.prune.isPruned(layer));
`,
  'nn.utils.prune.l1Unstructured': pruneProgram("l1Unstructured(layer, 'weight', 0.5)"),
  'nn.utils.prune.lnStructured': pruneProgram("lnStructured(layer, 'weight', 1, 2, 0)"),
  'nn.utils.prune.randomStructured': pruneProgram("randomStructured(layer, 'weight', 2, 1)"),
  'nn.utils.prune.randomUnstructured': pruneProgram("randomUnstructured(layer, 'weight', 5)"),
  'nn.utils.prune.remove': `manualSeed(0);
const layer = nn.utils.prune.l1Unstructured(new nn.Linear(4, 3), 'weight', 0.5);
nn.utils.prune.remove(layer, 'weight');

console.log(layer.weight);
`,
  'nn.utils.removeSpectralNorm': `manualSeed(0);
const layer = nn.utils.removeSpectralNorm(nn.utils.spectralNorm(new nn.Linear(4, 2)));

console.log(Object.keys(layer.stateDict()));
`,
  'nn.utils.removeWeightNorm': `manualSeed(0);
const layer = nn.utils.removeWeightNorm(nn.utils.weightNorm(new nn.Linear(4, 2)));

console.log(Object.keys(layer.stateDict()));
`,
  'nn.utils.rnn.PackedSequence': `${sequences}
const [output, hN] = new nn.GRU(1, 2).call(packed.withData(packed.data.unsqueeze(1)));
console.log(output.data.shape, output.batchSizes, hN.shape);
`,
  'nn.utils.rnn.packPaddedSequence': `const padded = tensor([[1, 2, 3], [4, 0, 0]]);
const packed = nn.utils.rnn.packPaddedSequence(padded, [3, 1], { batchFirst: true });

console.log(packed.data, packed.batchSizes);
`,
  'nn.utils.rnn.packSequence': `${sequences}
console.log(packed.data, packed.batchSizes);
`,
  'nn.utils.rnn.padPackedSequence': `${sequences}
const [padded, lengths] = nn.utils.rnn.padPackedSequence(packed, { batchFirst: true });
console.log(padded, lengths);
`,
  'nn.utils.rnn.unpackSequence': `${sequences}
console.log(nn.utils.rnn.unpackSequence(packed));
`,
  'nn.utils.rnn.unpadSequence': `console.log(nn.utils.rnn.unpadSequence(tensor([[1, 2, 3], [4, 0, 0]]), [3, 1], true));
`,
  'nn.utils.spectralNorm': `manualSeed(0);
const layer = nn.utils.spectralNorm(new nn.Linear(4, 2));

console.log(Object.keys(layer.stateDict()));
`,
  'nn.utils.vectorToParameters': `const layer = new nn.Linear(2, 1);
nn.utils.vectorToParameters(tensor([1, 2, 3]), layer.parameters());

console.log(layer.weight, layer.bias);
`,
  'nn.utils.weightNorm': `manualSeed(0);
const layer = nn.utils.weightNorm(new nn.Linear(4, 2));

console.log(Object.keys(layer.stateDict()));
`,
};
