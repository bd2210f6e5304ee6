/** Data sets, their orders, tables, texts and transforms. */
const squares = `// A data set is an object with a length and a function of an index.
const squares = { length: 6, get: (index) => index * index };
`;

const pixels = `// An image is an array [C, H, W].
const image = new HostArray(Uint8Array.from({ length: 12 }, (_, index) => index * 20), [1, 3, 4]);
`;

const transformProgram = (name: string, call: string, isRandom = false) => `import { HostArray, ${isRandom ? 'Random, ' : ''}transforms } from 'lanthorn/data';

${pixels}const transform = ${call};
${isRandom ? '// The random numbers of a sample follow from seed, epoch and index.\n' : ''}\
const result = transform.apply(image${isRandom ? ', new Random(0, 0, 2)' : ''});

console.log('${name}:', result.shape, result.dtype, result.data);
`;

export const DATA: Readonly<Record<string, string>> = {
  'data.BatchSampler': `import { BatchSampler, SequentialSampler } from 'lanthorn/data';

console.log(new BatchSampler(new SequentialSampler(7), 3).batches(0, 0));
console.log(new BatchSampler(new SequentialSampler(7), 3, true).batches(0, 0));
`,
  'data.ConcatDataset': `import { ConcatDataset, Random } from 'lanthorn/data';

${squares}const all = new ConcatDataset([squares, { length: 2, get: (index) => -index }]);

console.log(all.length, await all.get(5, new Random(0, 0, 5)), await all.get(7, new Random(0, 0, 7)));
`,
  'data.DataLoader': `import { DataLoader, TensorDataset } from 'lanthorn/data';

const x = linspace(0, 1, 10).unsqueeze(1);
const loader = new DataLoader(new TensorDataset(x, x.mul(2)), { batchSize: 4, shuffle: true, seed: 1 });

console.log(loader.length);
for await (const [inputs, targets] of loader) console.log(inputs.shape, await targets.flatten().tolist());
console.log(loader.stateDict());
`,
  'data.decodeImage': `import { decodeImage } from 'lanthorn/data';

const file = await toBlob(rand(3, 8, 8));
const { shape, dtype } = await decodeImage(file);

console.log(file.type, shape, dtype);
`,
  'data.defaultCollate': `import { defaultCollate } from 'lanthorn/data';

const batch = defaultCollate([
  { x: new Float32Array([1, 2]), label: Int32Array.of(0), name: 'first' },
  { x: new Float32Array([3, 4]), label: Int32Array.of(2), name: 'second' },
]);
console.log(batch.x.shape, batch.x.data, batch.label.dtype, batch.name);
`,
  'data.DistributedSampler': `import { DistributedSampler } from 'lanthorn/data';

for (const rank of [0, 1]) {
  const sampler = new DistributedSampler(7, { numReplicas: 2, rank, shuffle: false });
  console.log(rank, sampler.indices(0, 0));
}
`,
  'data.HostArray': `import { HostArray } from 'lanthorn/data';

const array = new HostArray(Float32Array.of(1, 2, 3, 4, 5, 6), [3, 2]);
console.log(array.shape, array.dtype, array.row(1).data);
console.log(tensor(array.data, { shape: array.shape }));
`,
  'data.MapDataset': `import { MapDataset, Random } from 'lanthorn/data';

${squares}const noisy = new MapDataset(squares, (sample, random) => sample + random.uniform());

console.log(await noisy.get(3, new Random(0, 0, 3)), await noisy.get(3, new Random(0, 1, 3)));
`,
  'data.permutation': `import { permutation } from 'lanthorn/data';

console.log(permutation(0, 0, 8));
console.log(permutation(0, 1, 8));
`,
  'data.Random': `import { Random } from 'lanthorn/data';

const random = new Random(1, 0, 5);
console.log(random.uniform(), random.below(10), random.chance(0.5));
console.log(new Random(1, 0, 5).uniform());
`,
  'data.RandomSampler': `import { RandomSampler } from 'lanthorn/data';

console.log(new RandomSampler(6).indices(0, 0));
console.log(new RandomSampler(6, { replacement: true, numSamples: 10 }).indices(0, 0));
`,
  'data.randomSplit': `import { randomSplit } from 'lanthorn/data';

${squares}const [train, test] = randomSplit(squares, [0.75, 0.25], 1);

console.log(train.indices, test.indices);
`,
  'data.readCsv': `import { readCsv, TensorDataset } from 'lanthorn/data';

const table = readCsv('length,width,kind\\n5.1,3.5,setosa\\n7.0,3.2,versicolor\\n6.3,3.3,virginica\\n');
const { labels, classes } = table.labels('kind');
const dataset = new TensorDataset(table.numbers('length', 'width'), labels);

console.log(table.names, classes);
console.log(dataset.length, dataset.get(1).map(({ data }) => data));
`,
  'data.readIdx': `import { readIdx } from 'lanthorn/data';

// The type uint8 (8) and two dimensions, their sizes, then the elements.
const file = Uint8Array.of(0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3, 1, 2, 3, 4, 5, 6);
const array = readIdx(file);

console.log(array.shape, array.dtype, array.data);
`,
  'data.SequentialSampler': `import { SequentialSampler } from 'lanthorn/data';

console.log(new SequentialSampler(5).indices());
`,
  'data.StackDataset': `import { Random, StackDataset } from 'lanthorn/data';

${squares}const pairs = new StackDataset({ x: { length: 6, get: (index) => index }, y: squares });

console.log(pairs.length, await pairs.get(4, new Random(0, 0, 4)));
`,
  'data.Subset': `import { Random, Subset } from 'lanthorn/data';

${squares}const some = new Subset(squares, [5, 3]);

console.log(some.length, await some.get(0, new Random(0, 0, 0)), some.indices);
`,
  'data.SubsetRandomSampler': `import { SubsetRandomSampler } from 'lanthorn/data';

const sampler = new SubsetRandomSampler([2, 3, 5, 7, 11]);
console.log(sampler.indices(0, 0));
console.log(sampler.indices(0, 1));
`,
  'data.Table': `import { readCsv } from 'lanthorn/data';

const table = readCsv('city;people\\nUlm;126\\nBern;134\\n', { delimiter: ';' });
console.log(table.names, table.length, table.column('city'), table.column('people'));
console.log(table.numbers('people').data);
`,
  'data.TensorDataset': `import { TensorDataset } from 'lanthorn/data';

const images = rand(10, 1, 4, 4);
const labels = arange(10);
const dataset = new TensorDataset(images, labels);

console.log(dataset.length, dataset.get(3).map(({ shape }) => shape));
console.log(dataset.getBatch([7, 1])[1]);
`,
  'data.text.BytePairTokenizer': `import { text } from 'lanthorn/data';

const words = 'low lower lowest, new newer newest';
const tokenizer = text.BytePairTokenizer.train(words, 270);
const tokens = tokenizer.encode('newest');

console.log(tokenizer.vocabSize, tokens, tokenizer.decode(tokens));
`,
  'data.text.CharacterTokenizer': `import { text } from 'lanthorn/data';

const tokenizer = text.CharacterTokenizer.fit('to be or not to be');
const tokens = tokenizer.encode('not to be');

console.log(tokenizer.vocabSize, tokens, tokenizer.decode(tokens));
`,
  'data.toTensors': `import { defaultCollate, toTensors } from 'lanthorn/data';

const batch = defaultCollate([[Float32Array.of(1, 2), 'first'], [Float32Array.of(3, 4), 'second']]);

console.log(toTensors(batch));
`,
  'data.transforms.CenterCrop': transformProgram('CenterCrop', 'new transforms.CenterCrop(2)'),
  'data.transforms.Compose': transformProgram('Compose', `new transforms.Compose([
  new transforms.RandomCrop(3, 4, { padding: 1 }),
  new transforms.RandomHorizontalFlip(),
  new transforms.ToTensor(),
  new transforms.Normalize([0.5], [0.5]),
])`, true),
  'data.transforms.Normalize': `import { HostArray, transforms } from 'lanthorn/data';

// Two channels of a pixel each.
const image = new HostArray(Float32Array.of(0.2, 0.8), [2, 1, 1]);

console.log(new transforms.Normalize([0.5, 0.5], [0.5, 0.25]).apply(image).data);
`,
  'data.transforms.RandomCrop': transformProgram('RandomCrop', 'new transforms.RandomCrop(2)', true),
  'data.transforms.RandomHorizontalFlip': transformProgram('RandomHorizontalFlip', 'new transforms.RandomHorizontalFlip(1)', true),
  'data.transforms.RandomVerticalFlip': transformProgram('RandomVerticalFlip', 'new transforms.RandomVerticalFlip(1)', true),
  'data.transforms.Resize': transformProgram('Resize', 'new transforms.Resize([2, 2])'),
  'data.transforms.ToTensor': transformProgram('ToTensor', 'new transforms.ToTensor()'),
  'data.WeightedRandomSampler': `import { WeightedRandomSampler } from 'lanthorn/data';

console.log(new WeightedRandomSampler([1, 1, 8], 12).indices(0, 0));
console.log(new WeightedRandomSampler([1, 1, 8], 3, false).indices(0, 0));
`,
};
