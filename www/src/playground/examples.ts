/** Programs to begin with, by name. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  'First steps': `const x = tensor([[1, 2], [3, 4]], { requiresGrad: true });
const y = x.matmul(x).sum();
y.backward();

console.log(y);
console.log(x.grad);
`,
  'Learn XOR': `manualSeed(1);
const x = tensor([[0, 0], [0, 1], [1, 0], [1, 1]]);
const y = tensor([0, 1, 1, 0], { dtype: 'int32' });

const net = new nn.Sequential(new nn.Linear(2, 16), new nn.Tanh(), new nn.Linear(16, 2));
const optimizer = new optim.Adam(net.parameters(), { lr: 0.05 });
const criterion = new nn.CrossEntropyLoss();

const losses = [];
for (let step = 0; step < 100; step++) {
  const loss = criterion.call(net.call(x), y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  losses.push(await loss.item());
}

plot(losses);
console.log(net.call(x).argmax(1));
`,
  'Fit a curve': `manualSeed(2);
const x = linspace(-3, 3, 100).unsqueeze(1);
const y = x.sin().add(randn([100, 1]).mul(0.1));

const net = new nn.Sequential(new nn.Linear(1, 32), new nn.Tanh(), new nn.Linear(32, 1));
const optimizer = new optim.Adam(net.parameters(), { lr: 0.02 });

for (let step = 0; step < 200; step++) {
  const loss = nn.functional.mseLoss(net.call(x), y);
  optimizer.zeroGrad();
  loss.backward();
  optimizer.step();
  if (step % 50 === 49) console.log(step + 1, await loss.item());
}

plot(y.squeeze(), net.call(x).detach().squeeze());
`,
  'Edges of an image': `// A circle, and the convolution that answers to its edges.
const side = 64;
const across = linspace(-1, 1, side);
const distance = across.square().unsqueeze(0).add(across.square().unsqueeze(1)).sqrt();
const image = distance.lt(0.6).to('float32');

const kernel = tensor([[[[0, 1, 0], [1, -4, 1], [0, 1, 0]]]]);
const edges = nn.functional.conv2d(image.reshape(1, 1, side, side), kernel, null, { padding: 1 });

draw(image);
draw(edges.abs().reshape(side, side));
`,
};
