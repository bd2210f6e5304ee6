/** Modules that PyTorch's own tests of modules leave out. */
const unpoolProgram = (pool: string, unpool: string, shape: string) => `const x = arange(8).float().reshape(${shape});
const pool = new nn.${pool}(2, { returnIndices: true });
const unpool = new nn.${unpool}(2);
const [values, indices] = pool.call(x);

console.log(unpool.call(values, indices));
`;

const dropoutProgram = (name: string, shape: string) => `manualSeed(0);
const layer = new nn.${name}(0.5);
const x = ones(${shape});

console.log(layer.call(x));
layer.eval();
console.log(layer.call(x));
`;

const lazy = (name: string, args: string, shape: string) => `manualSeed(0);
const layer = new nn.Lazy${name}(${args});

// The first call makes the parameters.
console.log(layer.call(ones(${shape})).shape);
console.log(String(layer));
`;

export const MODULES: Readonly<Record<string, string>> = {
  'nn.LazyBatchNorm1d': lazy('BatchNorm1d', '', '[2, 3]'),
  'nn.LazyBatchNorm2d': lazy('BatchNorm2d', '', '[2, 3, 4, 4]'),
  'nn.LazyBatchNorm3d': lazy('BatchNorm3d', '', '[2, 3, 2, 2, 2]'),
  'nn.LazyConv1d': lazy('Conv1d', '4, 3', '[1, 2, 8]'),
  'nn.LazyConv2d': lazy('Conv2d', '4, 3', '[1, 2, 8, 8]'),
  'nn.LazyConv3d': lazy('Conv3d', '4, 3', '[1, 2, 4, 4, 4]'),
  'nn.LazyConvTranspose1d': lazy('ConvTranspose1d', '4, 3', '[1, 2, 8]'),
  'nn.LazyConvTranspose2d': lazy('ConvTranspose2d', '4, 3', '[1, 2, 8, 8]'),
  'nn.LazyConvTranspose3d': lazy('ConvTranspose3d', '4, 3', '[1, 2, 4, 4, 4]'),
  'nn.LazyInstanceNorm1d': lazy('InstanceNorm1d', '', '[2, 3, 4]'),
  'nn.LazyInstanceNorm2d': lazy('InstanceNorm2d', '', '[2, 3, 4, 4]'),
  'nn.LazyInstanceNorm3d': lazy('InstanceNorm3d', '', '[2, 3, 2, 2, 2]'),
  'nn.LazyLinear': lazy('Linear', '4', '[2, 3]'),
  'nn.AlphaDropout': dropoutProgram('AlphaDropout', '[2, 4]'),
  'nn.ChannelShuffle': `const layer = new nn.ChannelShuffle(2);
const x = arange(4).float().reshape(1, 4, 1, 1);

console.log(layer.call(x).flatten());
`,
  'nn.CosineSimilarity': `const similarity = new nn.CosineSimilarity();
const a = tensor([[1, 0], [1, 1]]);
const b = tensor([[0, 1], [2, 2]]);

console.log(similarity.call(a, b));
`,
  'nn.Dropout': dropoutProgram('Dropout', '[2, 4]'),
  'nn.Dropout1d': dropoutProgram('Dropout1d', '[4, 3]'),
  'nn.Dropout2d': dropoutProgram('Dropout2d', '[4, 2, 2]'),
  'nn.Dropout3d': dropoutProgram('Dropout3d', '[4, 1, 2, 2]'),
  'nn.EmbeddingBag': `manualSeed(0);
const layer = new nn.EmbeddingBag(10, 3, { mode: 'sum' });
const indices = tensor([1, 2, 4, 5], { dtype: 'int32' });
const offsets = tensor([0, 2], { dtype: 'int32' });

console.log(layer.call(indices, offsets));
for (const [name, { shape }] of layer.namedParameters()) console.log(name, shape);
`,
  'nn.FeatureAlphaDropout': dropoutProgram('FeatureAlphaDropout', '[1, 4, 2]'),
  'nn.RReLU': `manualSeed(0);
const layer = new nn.RReLU();

console.log(layer.call(tensor([-2, -1, 1])));
console.log(layer.eval().call(tensor([-2, -1, 1])));
`,
  'nn.Flatten': `const layer = new nn.Flatten();

console.log(layer.call(zeros([2, 3, 4])).shape);
`,
  'nn.Fold': `const unfold = new nn.Unfold(2);
const fold = new nn.Fold([3, 3], 2);
const x = arange(9).float().reshape(1, 1, 3, 3);

// Elements that several blocks have are added.
console.log(fold.call(unfold.call(x)));
`,
  'nn.Hardsigmoid': `const layer = new nn.Hardsigmoid();

console.log(layer.call(tensor([-4, -1, 0, 1, 4])));
`,
  'nn.Identity': `const layer = new nn.Identity();

console.log(layer.call(tensor([1, 2, 3])));
`,
  'nn.MaxUnpool1d': unpoolProgram('MaxPool1d', 'MaxUnpool1d', '1, 1, 8'),
  'nn.MaxUnpool2d': unpoolProgram('MaxPool2d', 'MaxUnpool2d', '1, 1, 2, 4'),
  'nn.MaxUnpool3d': unpoolProgram('MaxPool3d', 'MaxUnpool3d', '1, 1, 2, 2, 2'),
  'nn.PairwiseDistance': `const distance = new nn.PairwiseDistance();
const a = tensor([[0, 0], [1, 1]]);
const b = tensor([[3, 4], [1, 2]]);

console.log(distance.call(a, b));
`,
  'nn.PixelShuffle': `const layer = new nn.PixelShuffle(2);
const x = arange(4).float().reshape(1, 4, 1, 1);

console.log(layer.call(x));
`,
  'nn.PixelUnshuffle': `const layer = new nn.PixelUnshuffle(2);
const x = arange(4).float().reshape(1, 1, 2, 2);

console.log(layer.call(x));
`,
  'nn.TransformerDecoder': `manualSeed(0);
const layer = new nn.TransformerDecoderLayer(8, 2, { dimFeedforward: 16 });
const decoder = new nn.TransformerDecoder(layer, 2);
const target = randn([5, 1, 8]);
const memory = randn([7, 1, 8]);

console.log(decoder.call(target, memory).shape);
console.log(decoder.parameters().length, 'parameters');
`,
  'nn.TripletMarginLoss': `const loss = new nn.TripletMarginLoss();
const anchor = tensor([[0, 0]]);
const positive = tensor([[0, 1]]);
const negative = tensor([[1, 1]]);

console.log(loss.call(anchor, positive, negative));
`,
  'nn.Unflatten': `const layer = new nn.Unflatten(1, [2, 3]);

console.log(layer.call(zeros([4, 6])).shape);
`,
  'nn.Unfold': `const layer = new nn.Unfold(2);
const x = arange(9).float().reshape(1, 1, 3, 3);

console.log(layer.call(x));
`,
  'nn.Upsample': `const layer = new nn.Upsample({ scaleFactor: 2, mode: 'bilinear' });
const x = tensor([[[[1, 2], [3, 4]]]]);

console.log(layer.call(x));
`,
  'nn.UpsamplingBilinear2d': `const layer = new nn.UpsamplingBilinear2d({ scaleFactor: 2 });
const x = tensor([[[[1, 2], [3, 4]]]]);

console.log(layer.call(x));
`,
  'nn.UpsamplingNearest2d': `const layer = new nn.UpsamplingNearest2d({ scaleFactor: 2 });
const x = tensor([[[[1, 2], [3, 4]]]]);

console.log(layer.call(x));
`,
};
