/** Initializations, and what else is in no table of `nn` and `optim`. */
const fillProgram = (call: string, made = 'zeros([2, 4])') => `manualSeed(0);
const weight = ${made};

console.log(nn.init.${call});
`;

const scheduleProgram = (made: string, shown = 'optimizer.lr') => `const net = new nn.Linear(2, 1);
const optimizer = new optim.SGD(net.parameters(), { lr: 1 });
${made}
for (let step = 0; step < 6; step++) {
  console.log(step, ${shown});
  optimizer.step();
  schedule.step();
}
`;

const withGradients = `const parameters = [nn.parameter(tensor([3, 4]))];
parameters[0].square().sum().backward();
console.log(parameters[0].grad);
`;

export const INIT: Readonly<Record<string, string>> = {
  'nn.init.calculateGain': `console.log(nn.init.calculateGain('relu'), nn.init.calculateGain('tanh'), nn.init.calculateGain('leaky_relu', 0.2));
`,
  'nn.init.constant_': fillProgram('constant_(weight, 0.5)'),
  'nn.init.dirac_': `const conv = new nn.Conv1d(2, 2, 3, { padding: 1, bias: false });
noGrad(() => nn.init.dirac_(conv.weight));
const x = arange(8).float().reshape(1, 2, 4);

console.log(conv.call(x));
`,
  'nn.init.eye_': fillProgram('eye_(weight)', 'zeros([3, 4])'),
  'nn.init.kaimingNormal_': fillProgram("kaimingNormal_(weight, { mode: 'fan_out', nonlinearity: 'relu' })"),
  'nn.init.kaimingUniform_': fillProgram("kaimingUniform_(weight, { nonlinearity: 'relu' })"),
  'nn.init.normal_': fillProgram('normal_(weight, 0, 0.02)'),
  'nn.init.ones_': fillProgram('ones_(weight)'),
  'nn.init.orthogonal_': `manualSeed(0);
const weight = nn.init.orthogonal_(zeros([2, 4]));

console.log(weight.matmul(weight.t()));
`,
  'nn.init.sparse_': fillProgram('sparse_(weight, 0.5)', 'zeros([4, 3])'),
  'nn.init.truncNormal_': fillProgram('truncNormal_(weight, { std: 0.02, a: -0.04, b: 0.04 })'),
  'nn.init.uniform_': fillProgram('uniform_(weight, -0.1, 0.1)'),
  'nn.init.xavierNormal_': fillProgram('xavierNormal_(weight)'),
  'nn.init.xavierUniform_': fillProgram("xavierUniform_(weight, nn.init.calculateGain('tanh'))"),
  'nn.init.zeros_': fillProgram('zeros_(weight)', 'ones([2, 4])'),
  'nn.utils.clipGradNorm_': `${withGradients}
console.log('the norm was', await nn.utils.clipGradNorm_(parameters, 1).item());
console.log(parameters[0].grad);
`,
  'nn.utils.clipGradsWithNorm_': `${withGradients}
const norm = nn.utils.getTotalNorm(parameters.map(({ grad }) => grad));
nn.utils.clipGradsWithNorm_(parameters, 1, norm);
console.log(parameters[0].grad);
`,
  'nn.utils.clipGradValue_': `${withGradients}
nn.utils.clipGradValue_(parameters, 7);
console.log(parameters[0].grad);
`,
  'nn.utils.getTotalNorm': `console.log(nn.utils.getTotalNorm([tensor([3, 0]), tensor([4])]));
console.log(nn.utils.getTotalNorm([tensor([3, 0]), tensor([4])], { normType: Infinity }));
`,
  'nn.utils.parametrizations.spectralNorm': `manualSeed(0);
const layer = nn.utils.parametrizations.spectralNorm(new nn.Linear(8, 4));
for (let step = 0; step < 20; step++) layer.call(ones([1, 8]));

console.log([...layer.namedParameters()].map(([name]) => name));
// The output without the bias is within the norm of the input, as no singular value is above 1.
console.log(linalg.vectorNorm(layer.call(ones([1, 8])).sub(layer.bias)), linalg.vectorNorm(ones([8])));
`,
  'nn.utils.parametrizations.weightNorm': `manualSeed(0);
const layer = nn.utils.parametrizations.weightNorm(new nn.Linear(8, 4));

console.log([...layer.namedParameters()].map(([name, { shape }]) => [name, shape]));
`,
  'optim.lrScheduler.ChainedScheduler': scheduleProgram(`const { ConstantLR, ExponentialLR, ChainedScheduler } = optim.lrScheduler;
const parts = [new ConstantLR(optimizer, { factor: 0.1, totalIters: 2 }), new ExponentialLR(optimizer, { gamma: 0.9 })];
const schedule = new ChainedScheduler(parts);
`),
  'optim.lrScheduler.LambdaLR': scheduleProgram('const schedule = new optim.lrScheduler.LambdaLR(optimizer, (step) => 0.95 ** step);\n'),
  'optim.lrScheduler.LRScheduler': scheduleProgram(
    `class WarmUp extends optim.lrScheduler.LRScheduler {
  steps = 4;
  getLr() { return this.baseLrs.map((lr) => lr * Math.min(1, (this.lastEpoch + 1) / this.steps)); }
}
const schedule = new WarmUp(optimizer);
`,
    'schedule.getLastLr()',
  ),
  'optim.lrScheduler.MultiplicativeLR': scheduleProgram('const schedule = new optim.lrScheduler.MultiplicativeLR(optimizer, () => 0.5);\n'),
  'optim.lrScheduler.SequentialLR': scheduleProgram(`const { ConstantLR, ExponentialLR, SequentialLR } = optim.lrScheduler;
const parts = [new ConstantLR(optimizer, { factor: 0.1, totalIters: 3 }), new ExponentialLR(optimizer, { gamma: 0.9 })];
const schedule = new SequentialLR(optimizer, parts, [3]);
`),
  'optim.Optimizer': `class SignDescent extends optim.Optimizer {
  step() {
    noGrad(() => {
      for (const { params, lr } of this.paramGroups) {
        for (const p of params) {
          if (!p.grad) continue;
          const state = this.state.get(p);
          state.count = (state.count ?? 0) + 1;
          p.sub_(p.grad.sign(), { alpha: lr });
        }
      }
    });
  }
}
manualSeed(0);
const net = new nn.Linear(2, 1);
const optimizer = new SignDescent(net.parameters(), { lr: 0.1 });
net.call(ones([1, 2])).sum().backward();
optimizer.step();

console.log(optimizer.lr, optimizer.paramGroups[0].params.length);
console.log(optimizer.stateDict());
`,
  'optim.ParameterStates': `manualSeed(0);
const net = new nn.Linear(2, 1);
const optimizer = new optim.SGD(net.parameters(), { lr: 0.1, momentum: 0.9 });
net.call(ones([1, 2])).sum().backward();
optimizer.step();

console.log(Object.keys(optimizer.state.get(net.weight)));
`,
  'optim.swaUtils.updateBn': `const net = new nn.BatchNorm1d(1);
const batches = [tensor([[1], [3]]), tensor([[5], [9]])];
await optim.swaUtils.updateBn(batches, net);
console.log(net.runningMean, net.runningVar);
`,
  'optim.swaUtils.AveragedModel': `const net = new nn.Linear(1, 1, { bias: false });
const ema = new optim.swaUtils.AveragedModel(net, { decay: 0.9 });
for (const value of [1, 2, 3]) {
  noGrad(() => net.weight.fill_(value)); // as a step of an optimizer changes it
  ema.update(net);
}

console.log(ema.nAveraged, ema.stateDict());
`,
};
