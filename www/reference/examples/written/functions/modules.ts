/** Modules that hold others, and those that are written. */
const triplet = `manualSeed(0);
const [anchor, positive, negative] = [randn(4, 8), randn(4, 8), randn(4, 8)];
const distanceFunction = (x, y) => nn.functional.cosineSimilarity(x, y).neg().add(1);
`;

export const HOLDERS: Readonly<Record<string, string>> = {
  'nn.buffer': `class Running extends nn.Module {
  mean = nn.buffer(zeros([2]));

  forward(x) {
    return x.sub(this.mean);
  }
}

const layer = new Running();
console.log(Object.keys(layer.stateDict()), layer.parameters().length);
`,
  'nn.BuiltinModule': `const layer = new nn.Linear(3, 2);

console.log(layer instanceof nn.BuiltinModule, String(layer));
console.log([...layer.namedParameters()].map(([name, { shape }]) => [name, shape]));
`,
  'nn.Module': `class Net extends nn.Module {
  hidden = new nn.Linear(4, 8);
  output = new nn.Linear(8, 2);

  forward(x) {
    return this.output.call(this.hidden.call(x).relu());
  }
}

manualSeed(0);
const net = new Net();
console.log(String(net));
console.log(net.call(ones([1, 4])));
console.log(Object.keys(net.stateDict()));
`,
  'nn.ModuleDict': `class Net extends nn.Module {
  heads = new nn.ModuleDict({ mean: new nn.Linear(2, 1), spread: new nn.Linear(2, 1) });

  forward(x, head) {
    return this.heads.get(head).call(x);
  }
}

const net = new Net();
console.log([...net.heads.keys()]);
console.log(net.call(ones([1, 2]), 'mean').shape);
`,
  'nn.ModuleList': `class Net extends nn.Module {
  layers = new nn.ModuleList([new nn.Linear(2, 2), new nn.Linear(2, 2)]);

  forward(x) {
    for (const layer of this.layers) x = layer.call(x).relu();
    return x;
  }
}

const net = new Net();
net.layers.push(new nn.Linear(2, 3));
console.log(net.call(ones([1, 2])).shape, Object.keys(net.stateDict()));
`,
  'nn.parameter': `class Scale extends nn.Module {
  factor = nn.parameter(ones([1]));

  forward(x) {
    return x.mul(this.factor);
  }
}

const layer = new Scale();
layer.call(tensor([2, 3])).sum().backward();
console.log(layer.factor.grad);
`,
  'nn.Parameter': `class Affine extends nn.Module {
  scale = new nn.Parameter(ones([2]));
  shift = new nn.Parameter(zeros([2]), { requiresGrad: false });

  forward(x) {
    return x.mul(this.scale).add(this.shift);
  }
}

const layer = new Affine();
console.log([...layer.namedParameters()].map(([name, { requiresGrad }]) => [name, requiresGrad]));
console.log(layer.scale instanceof nn.Parameter);
`,
  'nn.ParameterDict': `const parameters = new nn.ParameterDict({ a: zeros([2]), b: ones([3]) });
parameters.set('c', ones([1]));

console.log([...parameters.namedParameters()].map(([name, { shape, requiresGrad }]) => [name, shape, requiresGrad]));
`,
  'nn.ParameterList': `const parameters = new nn.ParameterList([zeros([2]), ones([3])]);
parameters.push(ones([1]));

console.log([...parameters.namedParameters()].map(([name, { shape }]) => [name, shape]));
`,
  'nn.Sequential': `manualSeed(0);
const net = new nn.Sequential(new nn.Linear(4, 8), new nn.ReLU(), new nn.Linear(8, 2));
console.log(net.call(ones([1, 4])));

const named = new nn.Sequential({ hidden: new nn.Linear(4, 8), act: new nn.ReLU(), output: new nn.Linear(8, 2) });
console.log(Object.keys(named.stateDict()));
`,
  'nn.summary': `const net = new nn.Sequential(new nn.Conv2d(1, 4, 3), new nn.ReLU(), new nn.Flatten(), new nn.Linear(144, 10));

console.log(String(nn.summary(net, ones([1, 1, 8, 8]))));
`,
  'nn.TripletMarginWithDistanceLoss': `${triplet}
const criterion = new nn.TripletMarginWithDistanceLoss({ distanceFunction, margin: 0.5 });
console.log(criterion.call(anchor, positive, negative));
`,
  tripletMarginWithDistanceLoss: `${triplet}
console.log(nn.functional.tripletMarginWithDistanceLoss(anchor, positive, negative, { distanceFunction, margin: 0.5 }));
`,
};
