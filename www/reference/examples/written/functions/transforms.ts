/** Functions of functions, and checkpoints. */
const network = `manualSeed(0);
const model = new nn.Linear(2, 3);
const parameters = Object.fromEntries(model.namedParameters());
`;

const jacobian = (name: string) => `const x = tensor([1, 2, 3]);
const jacobian = func.${name}((v) => v.cumprod(0))(x);

console.log(jacobian);
`;

export const TRANSFORMS: Readonly<Record<string, string>> = {
  'autograd.checkpoint': `manualSeed(0);
const blocks = [1, 2, 3].map(() => new nn.Sequential(new nn.Linear(4, 4), new nn.Tanh()));
let x = ones(2, 4);
// The backward pass computes each block again, so that no block keeps its intermediate tensors.
for (const block of blocks) x = autograd.checkpoint((h) => block.call(h), x);
x.sum().backward();

console.log(blocks[0].parameters()[0].grad.shape);
`,
  'autograd.checkpointSequential': `manualSeed(0);
const model = new nn.Sequential(...[1, 2, 3, 4].map(() => new nn.Linear(4, 4)));
const y = autograd.checkpointSequential(model, 2, ones(2, 4));
y.sum().backward();

console.log(model.parameters()[0].grad.shape);
`,
  'func.functionalCall': `${network}
const doubled = Object.fromEntries(Object.entries(parameters).map(([name, p]) => [name, p.mul(2)]));
const x = ones(1, 2);

console.log(model.call(x));
console.log(func.functionalCall(model, doubled, [x]));
`,
  'func.stackModuleState': `manualSeed(0);
const models = [1, 2, 3].map(() => new nn.Linear(2, 1));
const [parameters, buffers] = func.stackModuleState(models);
const predict = func.vmap((p, b, x) => func.functionalCall(models[0], [p, b], [x]), { inDims: [0, 0, null] });

console.log(predict(parameters, buffers, ones(4, 2)).shape);
`,
  'func.grad': `const energy = (x, stiffness) => x.square().mul(stiffness).sum();
const slope = func.grad(energy);

console.log(slope(tensor([1, 2]), 3));
console.log(func.grad((x) => slope(x, 3).sum())(tensor([1, 2])));
`,
  'func.gradAndValue': `const [[byX, byW], value] = func.gradAndValue((x, w) => x.mul(w).sum(), { argnums: [0, 1] })(tensor([1, 2]), tensor([3, 4]));

console.log(byX, byW);
console.log(value);
`,
  'func.vjp': `const [y, pullback] = func.vjp((x) => x.sin(), tensor([0, 1]));

console.log(y);
console.log(pullback(tensor([1, 10])));
pullback.dispose();
`,
  'func.jvp': `const [y, derivative] = func.jvp((a, b) => a.mul(b), [tensor([1, 2]), tensor([3, 4])], [tensor([1, 0]), tensor([0, 1])]);

console.log(y);
console.log(derivative);
`,
  'func.linearize': `const [, push] = func.linearize((x) => x.pow(3), tensor([1, 2]));

console.log(push(tensor([1, 0])));
console.log(push(tensor([0, 1])));
push.dispose();
`,
  'func.jacrev': jacobian('jacrev'),
  'func.jacfwd': jacobian('jacfwd'),
  'func.hessian': `console.log(func.hessian((x) => x.pow(3).sum())(tensor([1, 2])));
`,
  'func.hvp': `const [value, [product]] = func.hvp((x) => x.pow(3).sum(), [tensor([1, 2])], [tensor([1, -1])]);

console.log(value);
console.log(product);
`,
  'func.vmap': `const rows = tensor([[1, 2], [3, 4], [5, 6]]);

console.log(func.vmap((a, b) => a.matmul(b))(rows, rows));
// The gradient for each sample, with a weight that all samples share.
const loss = (w, x) => w.matmul(x).square();
console.log(func.vmap(func.grad(loss), { inDims: [null, 0] })(tensor([1, 1]), rows));
`,
};
