/** Gradients, the modes in which they are recorded, half precision, and custom operations. */
const gradient = `const x = tensor([1, 2, 3], { requiresGrad: true });
const y = x.pow(3).sum();
const [first] = grad([y], [x], { createGraph: true });
const [second] = grad([first.sum()], [x]);

console.log(first);
console.log(second);

// Of a function, with respect to its first argument.
const derivative = grad((a) => a.sin());
console.log(derivative(tensor(0)));
`;

const casting = (name: string) => `manualSeed(0);
const net = new nn.Linear(4, 2);
const x = ones([3, 4]);
const [y, loss] = ${name}({ dtype: 'bfloat16' }, () => {
  const y = net.call(x);
  return [y, y.square().mean()];
});
loss.backward();

console.log(y.dtype, loss.dtype, net.weight.grad.dtype);
`;

export const GRADIENTS: Readonly<Record<string, string>> = {
  'amp.autocast': casting('amp.autocast'),
  'amp.GradScaler': `manualSeed(0);
const net = new nn.Linear(4, 1);
const optimizer = new optim.SGD(net.parameters(), { lr: 0.1 });
const scaler = new amp.GradScaler({ initScale: 1024 });

const loss = net.call(ones([2, 4])).square().mean();
scaler.scale(loss).backward();
console.log('a step was taken:', await scaler.step(optimizer));
await scaler.update();
console.log(scaler.getScale());
`,
  autocast: casting('autocast'),
  'autograd.detectAnomaly': `const x = tensor([-1, 4], { requiresGrad: true });
try {
  await autograd.detectAnomaly(() => x.sqrt().sum().backward());
} catch (error) {
  console.log(error.message);
}
`,
  'autograd.Function': `class ClippedExp extends autograd.Function {
  static forward(ctx, x) {
    const y = x.exp();
    ctx.saveForBackward(y);
    return y;
  }

  static backward(ctx, grad) {
    const [y] = ctx.savedTensors;
    return grad.mul(y).clamp(-1, 1);
  }
}

const x = tensor([0, 3], { requiresGrad: true });
const y = ClippedExp.apply(x);
y.sum().backward();

console.log(y);
console.log(x.grad);
`,
  'autograd.FunctionContext': `class Scale extends autograd.Function {
  static forward(ctx, x, factor) {
    ctx.saveForBackward(x);
    ctx.factor = factor;
    return x.mul(factor);
  }

  static backward(ctx, grad) {
    const [x] = ctx.savedTensors;
    console.log('gradients are needed of', ctx.needsInputGrad, 'for an input', x.shape);
    return [grad.mul(ctx.factor), null];
  }
}

const x = tensor([1, 2], { requiresGrad: true });
Scale.apply(x, 3).sum().backward();
console.log(x.grad);
`,
  'autograd.grad': gradient,
  enableGrad: `const x = tensor([2], { requiresGrad: true });
const [without, within] = noGrad(() => [x.square(), enableGrad(() => x.square())]);

console.log(without.requiresGrad, within.requiresGrad);
`,
  grad: gradient,
  isGradEnabled: `console.log(isGradEnabled());
console.log(noGrad(() => isGradEnabled()));
`,
  inferenceMode: `const x = tensor([1, 2], { requiresGrad: true });
console.log(inferenceMode(() => x.mul(2)).requiresGrad);
`,
  noGrad: `const x = tensor([1, 2], { requiresGrad: true });

console.log(x.mul(2).requiresGrad);
console.log(noGrad(() => x.mul(2)).requiresGrad);
`,
  setGradEnabled: `const x = tensor([1, 2], { requiresGrad: true });
const mode = setGradEnabled(false);
try {
  const y = x.mul(2);
  console.log(await y.tolist(), y.requiresGrad);
} finally {
  mode.restore();
}
console.log(x.mul(2).requiresGrad);
`,
  'library.customOp': `// A name is registered once: to run this again, change it.
const swiglu = library.customOp('reference::swiglu(Tensor gate, Tensor up) -> Tensor', {
  fake: (gate) => gate,
  cpu: ({ gate, up, out }) => out.data.forEach((_, i) => { out.data[i] = gate.data[i] / (1 + Math.exp(-gate.data[i])) * up.data[i]; }),
  wgsl: 'set_out(i, gate(i) / (1.0 + exp(-gate(i))) * up(i));',
  fallback: (gate, up) => nn.functional.silu(gate).mul(up),
});

console.log(swiglu(tensor([1, 2]), tensor([3, 4])));
console.log(swiglu.schema);
`,
  'library.op': `// A name is registered once: to run this again, change it.
library.pointwise('reference::twice', 'x -> x + x');
const twice = library.op('reference::twice');

console.log(twice(tensor([1, 2])));
`,
  'library.pointwise': `// A name is registered once: to run this again, change it.
const squareplus = library.pointwise('reference::squareplus', 'x, b=4.0 -> 0.5 * (x + sqrt(x * x + b))');
const x = tensor([-1, 0, 1], { requiresGrad: true });
const y = squareplus(x, { b: 1 });
y.sum().backward();

console.log(y);
console.log(x.grad);
`,
  ops: `const lower = ops().filter((op) => op.autocast === 'lower').map((op) => op.name);

console.log(lower.length, 'operations run in a half type under autocast, such as', lower.slice(0, 5));
`,
  'testing.CheckError': `import { CheckError, gradcheck } from 'lanthorn/testing';

// This derivative is not the derivative of the result.
const wrong = (x) => x.detach().mul(2).add(x);
try {
  await gradcheck(wrong, [[tensor([1, 2], { requiresGrad: true })]]);
} catch (error) {
  console.log(error instanceof CheckError, error.failures);
}
`,
  'testing.gradcheck': `import { gradcheck } from 'lanthorn/testing';

manualSeed(0);
const report = await gradcheck((x) => x.tanh(), [[randn(2, 3).requiresGrad_()]]);

console.log(report);
`,
  'testing.opcheck': `import { opcheck } from 'lanthorn/testing';

manualSeed(0);
const report = await opcheck(matmul, [[randn(2, 3).requiresGrad_(), randn(3, 2).requiresGrad_()]]);

console.log(report);
`,
};
