/**
 * `lanthorn/data` returns the results of Rust, to the last bit, and of Pillow and Hugging Face's
 * tokenizers. Needs the package built into target/npm.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PACKAGE } from '../browser/lib/package-page.mjs';
import { references, same, shared } from './cases.mjs';

const {
  BatchSampler, DataLoader, DistributedSampler, HostArray, MapDataset, Random, RandomSampler, SubsetRandomSampler, WeightedRandomSampler,
  permutation, randomSplit, readCsv, readIdx, text, transforms,
} = await import(`${PACKAGE}/js/data/index.js`);
const { init } = await import(`${PACKAGE}/js/index.js`);
const LARGEST = Number.MAX_SAFE_INTEGER;
const list = (count) => ({ length: count, get: (index) => index });

test('permutations', () => {
  const [zero, one, largest] = shared.permutation;
  same(permutation(0, 0, 10), zero);
  same(permutation(1, 3, 10), one);
  same(permutation(LARGEST, 1, 33), largest);
});

test('random numbers', () => {
  for (const [position, key] of [[0, 0, 0], [1, 2, 3], [LARGEST, 4294967297, 5]].entries()) {
    const random = new Random(...key);
    const drawn = { words: [random.word(), random.word(), random.word()], uniform: random.uniform(), below: [random.below(10), random.below(2 ** 32 - 1)] };
    assert.deepEqual(drawn, shared.random[position]);
  }
});

test('samplers', () => {
  const weights = [0.5, 0, 2.25, 1, 7.125];
  const samplers = {
    random: new RandomSampler(20),
    replaced: new RandomSampler(20, { replacement: true, numSamples: 30 }),
    repeated: new RandomSampler(6, { numSamples: 15 }),
    subset: new SubsetRandomSampler([3, 1, 4, 15, 9, 2, 6]),
    weighted: new WeightedRandomSampler(weights, 25),
    'weighted once': new WeightedRandomSampler(weights, 4, false),
    distributed: new DistributedSampler(11, { numReplicas: 3, rank: 1 }),
    'distributed cut': new DistributedSampler(11, { numReplicas: 3, rank: 2, dropLast: true }),
  };
  assert.deepEqual(Object.keys(samplers).sort(), Object.keys(shared.samplers).sort());
  for (const [name, sampler] of Object.entries(samplers)) {
    const orders = [[1, 0], [1, 1], [LARGEST, 70000]].map(([seed, epoch]) => Array.from(sampler.indices(seed, epoch)));
    assert.deepEqual(orders, shared.samplers[name], name);
    assert.equal(sampler.length, orders[0].length, name);
  }
  assert.deepEqual(new BatchSampler(new RandomSampler(7), 3, true).batches(2, 1), shared.batches);
});

test('splits', () => {
  assert.deepEqual(randomSplit(list(10), [0.55, 0.25, 0.2], 4).map(({ indices }) => indices), shared.split);
});

test('transforms', () => {
  const { CenterCrop, Compose, Normalize, RandomCrop, RandomHorizontalFlip, RandomVerticalFlip, Resize, ToTensor } = transforms;
  const picture = new HostArray(Uint8Array.from({ length: 3 * 7 * 5 }, (_, position) => (position * 37) % 256), [3, 7, 5]);
  const made = {
    center: new CenterCrop(4, 2),
    'center larger': new CenterCrop(9, 8),
    crop: new RandomCrop(5, 4, { padding: 2, fill: 9 }),
    across: new RandomHorizontalFlip(),
    down: new RandomVerticalFlip(0.5),
    smaller: new Resize([3, 3]),
    larger: new Resize(8),
    sharp: new Resize([3, 4], { antialias: false }),
    all: new Compose([
      new RandomCrop(7, 5, { padding: 1 }), new RandomHorizontalFlip(0.5), new ToTensor(), new Normalize([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]), new Resize([4, 3]),
    ]),
  };
  assert.deepEqual(Object.keys(made).sort(), Object.keys(shared.transforms).sort());
  for (const [name, transform] of Object.entries(made)) {
    for (const [index, { shape, values }] of shared.transforms[name].entries()) {
      const image = transform.apply(picture, new Random(3, 1, index));
      assert.deepEqual(image.shape, shape, name);
      same(image.data, values, `${name} of sample ${index}`);
    }
  }
});

test('images are resized as Pillow resizes them', () => {
  assert.ok(references.resize.length >= 5);
  for (const { from, to, image, resized } of references.resize) {
    const made = new transforms.Resize(to.slice(1)).apply(new HostArray(Float32Array.from(image), from));
    assert.deepEqual(made.shape, to);
    made.data.forEach((value, position) => assert.ok(Math.abs(value - resized[position]) < 1e-4, `${value} and ${resized[position]}`));
  }
});

test('batches of a loader', async () => {
  await init({ device: 'cpu' });
  const dataset = new MapDataset(list(11), (value, random) => [Int32Array.of(value), Int32Array.of(random.below(100))]);
  const loader = new DataLoader(dataset, { batchSize: 4, shuffle: true, seed: 5 });
  for (const epoch of shared.loader) {
    const batches = [];
    for await (const [values, drawn] of loader) batches.push([Array.from(await values.data()), Array.from(await drawn.data())]);
    assert.deepEqual(batches, epoch);
  }
});

/** A column in Rust's format. */
function printColumn(column) {
  const float = (value) => (Number.isInteger(value) ? `${value}.0` : String(value).replace('Infinity', 'inf'));
  if (column instanceof Int32Array) return `Int([${Array.from(column).join(', ')}])`;
  if (column instanceof Float64Array) return `Float([${Array.from(column, float).join(', ')}])`;
  return `Text([${column.map((field) => JSON.stringify(field)).join(', ')}])`;
}

test('tables', () => {
  assert.ok(shared.tables.length >= 7);
  for (const { text: source, rows, columns } of shared.tables) {
    for (const given of [source, new TextEncoder().encode(source)]) {
      const table = readCsv(given);
      assert.equal(table.length, rows);
      assert.deepEqual(table.names.map((name) => ({ name, column: printColumn(table.column(name)) })), columns, JSON.stringify(source));
    }
  }
});

test('IDX files', () => {
  const { shape, data } = readIdx(Uint8Array.from(shared.idx.file));
  assert.deepEqual({ shape, values: Array.from(data) }, shared.idx.array);
});

test('characters', () => {
  const { json, tokens } = shared.characters;
  const tokenizer = text.CharacterTokenizer.fromJson(json);
  assert.equal(tokenizer.toJson(), json);
  assert.equal(text.CharacterTokenizer.fit('bäßa 🙂"\\𝄞').toJson(), json);
  same(tokenizer.encode('𝄞a🙂ß'), tokens);
  assert.equal(tokenizer.decode(tokens), '𝄞a🙂ß');
});

test("byte pairs are those of Hugging Face's tokenizers", () => {
  const { vocab, merges, vocabSize, text: corpus, encoded } = references.bpe;
  const read = text.BytePairTokenizer.fromFiles(vocab, merges);
  const trained = text.BytePairTokenizer.train(corpus, vocabSize);
  assert.deepEqual(read.toFiles(), trained.toFiles());
  assert.equal(trained.toFiles().mergesTxt, merges);
  assert.equal(encoded.length, 6);
  for (const { text: source, tokens } of encoded) {
    for (const tokenizer of [read, trained]) {
      same(tokenizer.encode(source), tokens, source);
      assert.equal(tokenizer.decode(tokens), source);
    }
  }
});
