/** Operations of layers: pooling, normalization, attention, recurrent networks, quantization. */
const PAIR = `const x = tensor([[1, -1], [0.5, 2]]);
const h = zeros([2, 2]);
const wIh = tensor([[0.5, -0.5], [1, 0.2]]);
const wHh = eye(2);
`;

const sequence = (name: string, gates: number) => `manualSeed(0);
const x = randn([5, 1, 3]);
const h = zeros([1, 1, 2]);
// Of one layer: the weights of the input and of the state, and their biases.
const params = [randn([${gates}, 3]), randn([${gates}, 2]), zeros([${gates}]), zeros([${gates}])];

console.log(${name}(x, h, params, true, 1, 0, false, false, false));
`;

export const LAYERS: Readonly<Record<string, string>> = {
  adaptive_avg_pool3d: `const x = arange(16).float().reshape(1, 2, 2, 4);

console.log(x.adaptiveAvgPool3d([1, 1, 2]));
`,
  adaptive_max_pool3d: `const x = arange(16).float().reshape(1, 2, 2, 4);

console.log(x.adaptiveMaxPool3d([1, 1, 2]));
`,
  'adaptive_max_pool3d.with_indices': `const x = arange(16).float().reshape(1, 2, 2, 4);

console.log(x.adaptiveMaxPool3d([1, 1, 2], { returnIndices: true }));
`,
  affine_grid: `// No rotation and no shift: the grid of the image itself.
const theta = tensor([[[1, 0, 0], [0, 1, 0]]]);

console.log(affineGrid(theta, [1, 1, 2, 3], true));
`,
  col2im: `const x = arange(9).float().reshape(1, 1, 3, 3);
const columns = x.im2col([2, 2]);

// Elements that several blocks have are added.
console.log(columns.col2im([3, 3], [2, 2]));
`,
  ctc_loss: `manualSeed(0);
const scores = randn([6, 1, 4]).logSoftmax(2);
const targets = tensor([[1, 2, 3]], { dtype: 'int32' });

console.log(scores.ctcLoss(targets, [6], [3]));
`,
  dropout: `manualSeed(0);
const x = ones([8]);

console.log(x.dropout(0.5));
console.log(x.dropout(0.5, false));
`,
  fractional_max_pool2d: `manualSeed(0);
const x = arange(25).float().reshape(1, 5, 5);

console.log(x.fractionalMaxPool2d(2, { outputSize: [3, 3] }));
`,
  'fractional_max_pool2d.with_indices': `manualSeed(0);
const x = arange(25).float().reshape(1, 5, 5);

console.log(x.fractionalMaxPool2d(2, { outputSize: [3, 3], returnIndices: true }));
`,
  fractional_max_pool3d: `manualSeed(0);
const x = arange(64).float().reshape(1, 4, 4, 4);

console.log(x.fractionalMaxPool3d(2, { outputSize: [2, 2, 2] }));
`,
  'fractional_max_pool3d.with_indices': `manualSeed(0);
const x = arange(64).float().reshape(1, 4, 4, 4);

console.log(x.fractionalMaxPool3d(2, { outputSize: [2, 2, 2], returnIndices: true }));
`,
  fake_quantize_per_tensor_affine: `const x = tensor([-1.04, 0.26, 0.51, 3]);

// Rounded to multiples of 0.1 from -12.8 to 12.7.
console.log(x.fakeQuantizePerTensorAffine(0.1, 0, -128, 127));
`,
  'fake_quantize_per_tensor_affine.tensor_qparams': `const x = tensor([-1.04, 0.26, 0.51, 3]);
const scale = tensor(0.1);
const zeroPoint = tensor(0, { dtype: 'int32' });

console.log(x.fakeQuantizePerTensorAffine(scale, zeroPoint, -128, 127));
`,
  fake_quantize_per_channel_affine: `const x = tensor([[-1.04, 0.26], [0.51, 3]]);
const scale = tensor([0.1, 0.5]);
const zeroPoint = tensor([0, 0], { dtype: 'int32' });

console.log(x.fakeQuantizePerChannelAffine(scale, zeroPoint, 0, -128, 127));
`,
  fake_quantize_learnable_per_tensor_affine: `const x = tensor([-1.04, 0.26, 0.51, 3]);
const scale = tensor([0.1], { requiresGrad: true });
const zeroPoint = tensor([0]);
const y = x.fakeQuantizeLearnablePerTensorAffine(scale, zeroPoint, -128, 127);
y.sum().backward();

console.log(y);
console.log(scale.grad);
`,
  fake_quantize_learnable_per_channel_affine: `const x = tensor([[-1.04, 0.26], [0.51, 3]]);
const scale = tensor([0.1, 0.5], { requiresGrad: true });
const zeroPoint = tensor([0, 0]);
const y = x.fakeQuantizeLearnablePerChannelAffine(scale, zeroPoint, 0, -128, 127);
y.sum().backward();

console.log(y);
console.log(scale.grad);
`,
  gru: sequence('gru', 6),
  gru_cell: `manualSeed(0);
const x = randn([2, 3]);
const h = zeros([2, 2]);

console.log(gruCell(x, h, randn([6, 3]), randn([6, 2])));
`,
  im2col: `const x = arange(9).float().reshape(1, 1, 3, 3);

// A column for each block of 2 by 2.
console.log(x.im2col([2, 2]));
`,
  log_sigmoid: `console.log(tensor([-4, -1, 0, 1, 4]).logSigmoid());
`,
  lp_pool1d: `const x = tensor([[[3, 4, 6, 8]]]);

console.log(x.lpPool1d(2, 2));
`,
  lp_pool2d: `const x = tensor([[[[1, 2], [3, 4]]]]);

console.log(x.lpPool2d(2, 2));
`,
  lp_pool3d: `const x = ones([1, 1, 2, 2, 4]);

console.log(x.lpPool3d(2, 2));
`,
  lstm: `manualSeed(0);
const x = randn([5, 1, 3]);
const state = [zeros([1, 1, 2]), zeros([1, 1, 2])];
// Of one layer: the weights of the input and of the state, and their biases.
const params = [randn([8, 3]), randn([8, 2]), zeros([8]), zeros([8])];

console.log(lstm(x, state, params, true, 1, 0, false, false, false));
`,
  lstm_cell: `manualSeed(0);
const x = randn([2, 3]);
const state = [zeros([2, 2]), zeros([2, 2])];

console.log(lstmCell(x, state, randn([8, 3]), randn([8, 2])));
`,
  max_pool2d: `const x = arange(16).float().reshape(1, 4, 4);

console.log(x.maxPool2d(2));
`,
  'max_pool2d.with_indices': `const x = arange(16).float().reshape(1, 4, 4);

console.log(x.maxPool2d(2, { returnIndices: true }));
`,
  max_unpool1d: `const x = tensor([[[1, 5, 2, 4]]]);
const { values, indices } = x.maxPool1d(2, { returnIndices: true });

console.log(values.maxUnpool1d(indices, 2));
`,
  max_unpool2d: `const x = tensor([[[[1, 5], [2, 4]]]]);
const { values, indices } = x.maxPool2d(2, { returnIndices: true });

console.log(values.maxUnpool2d(indices, 2));
`,
  max_unpool3d: `const x = arange(8).float().reshape(1, 1, 2, 2, 2);
const { values, indices } = x.maxPool3d(2, { returnIndices: true });

console.log(values.maxUnpool3d(indices, 2));
`,
  multi_head_attention_forward: `manualSeed(0);
const x = randn([3, 1, 4]);
const weight = randn([12, 4]);
const project = eye(4);
const none = null;

// Two heads of two numbers each; the weights of query, key and value are in one matrix.
const results = nn.functional.multiHeadAttentionForward(
  x, x, x, 4, 2, weight, none, none, none, false, 0, project, none, { training: false },
);
console.log(results);
`,
  rnn_relu: sequence('rnnRelu', 2),
  rnn_relu_cell: `${PAIR}
console.log(rnnReluCell(x, h, wIh, wHh));
`,
  rnn_tanh: sequence('rnnTanh', 2),
  rnn_tanh_cell: `${PAIR}
console.log(rnnTanhCell(x, h, wIh, wHh));
`,
  scaled_dot_product_attention: `const query = tensor([[[1, 0], [0, 1]]]);
const key = tensor([[[5, 0], [0, 5]]]);
const value = tensor([[[1, 2], [3, 4]]]);

console.log(scaledDotProductAttention(query, key, value));
`,
};
