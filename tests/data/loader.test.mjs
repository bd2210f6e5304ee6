/** The loader of `lanthorn/data`, on the CPU in Node. Needs the package built into target/npm. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PACKAGE } from '../browser/lib/package-page.mjs';
import { same } from './cases.mjs';

const {
  ConcatDataset, DataLoader, HostArray, MapDataset, Random, RandomSampler, readCsv, readIdx, StackDataset, Subset, TensorDataset, WeightedRandomSampler,
  defaultCollate, randomSplit, text, transforms,
} = await import(`${PACKAGE}/js/data/index.js`);
const { init, LanthornError, memory, scope, Tensor, tensor } = await import(`${PACKAGE}/js/index.js`);

before(() => init({ device: 'cpu' }));

const list = (count) => ({ length: count, get: (index) => index });

/** The numbers of every batch. */
async function numbers(batches) {
  const read = [];
  for await (const batch of batches) read.push(Array.from(await batch.data()));
  return read;
}

/**
 * Checks that `action` throws an error of this kind with a message that matches; returns the error.
 */
async function refused(action, kind, message) {
  const error = await Promise.resolve().then(action).then(() => assert.fail('no error came'), (thrown) => thrown);
  assert.ok(error instanceof LanthornError, String(error.stack));
  assert.equal(error.kind, kind, error.message);
  assert.match(error.message, message);
  return error;
}

describe('an epoch', () => {
  test('has the batches that a batchSampler gives', async () => {
    const batches = (seed, epoch) => [[epoch], [epoch, epoch + 1], Uint32Array.of(epoch, epoch + 1, epoch + 2)];
    const loader = new DataLoader(list(9), { batchSampler: { length: 3, batches } });
    assert.equal(loader.length, 3);
    for (const first of [0, 1]) assert.deepEqual(await numbers(loader), [[first], [first, first + 1], [first, first + 1, first + 2]]);
    loader.loadStateDict({ seed: 0, epoch: 5, position: 2 });
    assert.deepEqual(await numbers(loader), [[5, 6, 7]]);
    await refused(() => new DataLoader(list(9), { batchSize: 2, batchSampler: { length: 3, batches } }), 'argument', /not both/);
    await refused(() => new DataLoader(list(9), { batchSampler: { length: 3 } }), 'argument', /batches/);
    await refused(() => numbers(new DataLoader(list(9), { batchSampler: { length: 2, batches } })), 'argument', /3 batches for an epoch of 2/);
  });

  test('has every sample once, in an order that the seed gives', async () => {
    const make = (seed) => new DataLoader(list(23), { batchSize: 4, shuffle: true, seed });
    const [one, same, other] = [make(1), make(1), make(2)];
    assert.equal(one.length, 6);
    const first = await numbers(one);
    assert.deepEqual(first.flat().sort((a, b) => a - b), Array.from({ length: 23 }, (_, index) => index));
    assert.deepEqual(await numbers(same), first);
    assert.notDeepEqual(await numbers(other), first);
    assert.notDeepEqual(await numbers(one), first, 'the next epoch has another order');
  });

  test('may drop a last batch that is smaller', async () => {
    assert.deepEqual(await numbers(new DataLoader(list(5), { batchSize: 2, dropLast: true })), [[0, 1], [2, 3]]);
    assert.deepEqual(await numbers(new DataLoader(list(5), { batchSize: 2, sampler: new WeightedRandomSampler([0, 0, 1, 0, 0], 3) })), [[2, 2], [2]]);
    assert.deepEqual(await numbers(new DataLoader(list(0), { batchSize: 2, shuffle: true })), []);
  });

  test('does not depend on how much is prepared ahead', async () => {
    const noisy = () => new MapDataset(list(20), async (value, random) => value + random.uniform());
    const [none, some, many] = [0, 2, 50].map((prefetch) => new DataLoader(noisy(), { batchSize: 3, shuffle: true, prefetch }));
    for (let epoch = 0; epoch < 2; epoch++) {
      const batches = await numbers(none);
      assert.deepEqual(await numbers(some), batches);
      assert.deepEqual(await numbers(many), batches);
    }
  });

  test('resumes as if it had not been interrupted, wherever it was', async () => {
    const make = () => new DataLoader(new MapDataset(list(11), (value, random) => value + random.uniform()), { batchSize: 2, shuffle: true, seed: 3 });
    const whole = make();
    const expected = [...(await numbers(whole)), ...(await numbers(whole))];
    for (let stop = 0; stop <= 6; stop++) {
      const [stopped, resumed] = [make(), make()];
      const seen = [];
      if (stop > 0) {
        for await (const batch of stopped) {
          seen.push(Array.from(await batch.data()));
          if (seen.length === stop) break;
        }
      }
      resumed.loadStateDict(JSON.parse(JSON.stringify(stopped.stateDict())));
      seen.push(...(await numbers(resumed)), ...(await numbers(resumed)));
      assert.deepEqual(seen, expected, `after ${stop} batches`);
    }
  });

  test('that was left is over', async () => {
    const loader = new DataLoader(list(8), { batchSize: 2, shuffle: true, seed: 3 });
    for await (const batch of loader) { batch.dispose(); break; }
    assert.deepEqual(loader.stateDict(), { seed: 3, epoch: 0, position: 1 });
    const other = new DataLoader(list(8), { batchSize: 2, shuffle: true, seed: 3 });
    await numbers(other);
    assert.deepEqual(await numbers(loader), await numbers(other));
  });
});

describe('samples', () => {
  test('are batched part by part', async () => {
    const get = (index) => ({ image: new HostArray(new Uint8Array([index, 9]), [1, 2]), label: Int32Array.of(index), both: [index / 2, index > 0], name: `n${index}` });
    for await (const { image, label, both: [half, positive], name } of new DataLoader({ length: 2, get }, { batchSize: 2 })) {
      assert.deepEqual([image.shape, image.dtype, await image.tolist()], [[2, 1, 2], 'uint8', [[[0, 9]], [[1, 9]]]]);
      assert.deepEqual([label.dtype, await label.tolist()], ['int32', [[0], [1]]]);
      assert.deepEqual([half.dtype, await half.tolist(), positive.dtype, await positive.tolist()], ['float32', [0, 0.5], 'bool', [false, true]]);
      assert.deepEqual(name, ['n0', 'n1']);
    }
  });

  test('that are not alike are refused', async () => {
    await refused(() => defaultCollate([1, 'a']), 'argument', /a number at 0, a string at 1/);
    await refused(() => defaultCollate([[1], [1, 2]]), 'argument', /alike/);
    await refused(() => defaultCollate([{ a: 1 }, { b: 1 }]), 'argument', /alike/);
    await refused(() => defaultCollate([null]), 'argument', /null/);
    await refused(() => defaultCollate([new Float32Array(2), new Float32Array(3)]), 'shape', /\[2\] at 0, \[3\] at 1/);
    await refused(() => defaultCollate([new BigInt64Array(2)]), 'dtype', /Float32Array/);
  });

  test('come from tensors on the device and from arrays', async () => {
    const rows = tensor([[1, 2], [3, 4], [5, 6]]);
    const dataset = new TensorDataset(rows, Int32Array.of(7, 8, 9));
    const held = memory().tensors;
    for (const source of [dataset, new Subset(dataset, [0, 1, 2]), new ConcatDataset([dataset])]) {
      for await (const [x, y] of new DataLoader(source, { batchSize: 3 })) {
        assert.deepEqual([await x.tolist(), await y.tolist(), y.dtype], [[[1, 2], [3, 4], [5, 6]], [7, 8, 9], 'int32']);
        x.dispose();
        y.dispose();
      }
    }
    // A data set without getBatch creates rows, which the collector frees.
    assert.ok(memory().tensors <= held + 3, `${memory().tensors} tensors, ${held} before`);
    await refused(() => new TensorDataset(rows, Int32Array.of(1)), 'shape', /\[3, 2\], \[1\]/);
    await refused(() => new TensorDataset(), 'shape', /none/);
    await refused(() => dataset.get(3), 'index', /3 is out of range/);
  });

  test('of several data sets', async () => {
    const pairs = new StackDataset({ x: list(3), y: new ConcatDataset([list(1), list(2)]) });
    for await (const { x, y } of new DataLoader(pairs, { batchSize: 3 })) {
      assert.deepEqual([await x.tolist(), await y.tolist()], [[0, 1, 2], [0, 0, 1]]);
    }
    await refused(() => new StackDataset([list(1), list(2)]), 'argument', /\[1, 2\]/);
    await refused(() => new ConcatDataset([]), 'argument', /one data set/);
    await refused(() => new Subset(list(2), [2]), 'index', /2 is out of range/);
    await refused(() => randomSplit(list(5), [0.5, 0.6]), 'argument', /5 samples/);
    await refused(() => randomSplit(list(5), [2, 2]), 'argument', /5 samples/);
  });

  test('are made into a batch by a function of the user', async () => {
    const loader = new DataLoader(list(4), { batchSize: 2, collate: (samples) => samples.join('+') });
    const batches = [];
    for await (const batch of loader) batches.push(batch);
    assert.deepEqual(batches, ['0+1', '2+3']);
  });
});

describe('what goes wrong', () => {
  test('in a data set names the sample, and keeps the error', async () => {
    const mine = new TypeError('no such file');
    for (const fails of [() => { throw mine; }, () => Promise.reject(mine)]) {
      const loader = new DataLoader({ length: 9, get: (index) => (index === 5 ? fails() : index) }, { batchSize: 2 });
      const seen = [];
      const error = await refused(async () => { for await (const batch of loader) seen.push(batch); }, 'data', /^DataLoader: sample 5: no such file$/);
      assert.equal(error.cause, mine);
      assert.equal(seen.length, 2);
      assert.equal(loader.stateDict().position, 2);
    }
  });

  test('in a collate names the samples', async () => {
    const mine = new RangeError('too few');
    const loader = new DataLoader(list(3), { batchSize: 2, collate: (samples) => { if (samples.length < 2) throw mine; return samples; } });
    const error = await refused(async () => { for await (const batch of loader) void batch; }, 'data', /samples \[2\]: too few/);
    assert.equal(error.cause, mine);
  });

  test('in the arguments is told', async () => {
    const given = (options, dataset = list(4)) => () => new DataLoader(dataset, options);
    await refused(given({ batchSize: 0 }), 'argument', /batchSize/);
    await refused(given({ batchSize: 1.5 }), 'argument', /batchSize/);
    await refused(given({ prefetch: -1 }), 'argument', /prefetch/);
    await refused(given({ batch: 2 }), 'argument', /there is no argument "batch"/);
    await refused(given({ seed: -1 }), 'argument', /seed/);
    await refused(given({ shuffle: true, sampler: new RandomSampler(4) }), 'argument', /not both/);
    await refused(given({ workers: 2 }), 'argument', /workerUrl/);
    await refused(() => numbers(new DataLoader({ length: 3 }, { workers: 1, workerUrl: 'data:text/javascript,' })), 'argument', /no web workers here/);
    await refused(given({ workers: 1, workerUrl: 'x', collate: () => 1 }), 'argument', /serveDataset/);
    await refused(given({}, { length: 3 }), 'argument', /method get/);
    await refused(given({}, {}), 'argument', /length/);
    await refused(given({}, null), 'argument', /null/);
    await refused(given({ shuffle: true }, { iterate: () => [] }), 'argument', /own order/);
    await refused(() => new DataLoader(list(4)).loadStateDict({ seed: 0, epoch: 0, position: 5 }), 'argument', /beyond/);
  });
});

test('batches are prepared while their user waits for something else, and not too many', async () => {
  const made = [];
  const loader = new DataLoader({ length: 10, get: (index) => { made.push(index); return index; } }, { prefetch: 2 });
  const batches = loader[Symbol.asyncIterator]();
  await batches.next();
  assert.deepEqual(made, [0], 'nothing is prepared before the batch that is there is handed out');
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.deepEqual(made, [0, 1, 2]);
  await batches.next();
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.deepEqual(made, [0, 1, 2, 3]);
  await batches.return();
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.deepEqual(made, [0, 1, 2, 3]);
});

test('a scope around a step leaves the batches to come alone', async () => {
  const loader = new DataLoader(new TensorDataset(new HostArray(new Float32Array(12).fill(1), [6, 2])), { batchSize: 2, prefetch: 3 });
  let total = 0;
  for await (const [x] of loader) {
    total += await scope(async () => {
      await nextTurn();
      return x.sum().item();
    });
  }
  assert.equal(total, 12);
});

test('a signal ends an iteration, also one that waits', async () => {
  const controller = new AbortController();
  const loader = new DataLoader({ length: 4, get: (index) => (index < 2 ? index : new Promise(() => {})) }, { signal: controller.signal });
  const seen = [];
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 20);
  await assert.rejects(async () => { for await (const batch of loader) seen.push(batch); }, reason);
  assert.equal(seen.length, 2);
  await assert.rejects(async () => { for await (const batch of loader) seen.push(batch); }, reason);
});

test('progress is told', async () => {
  const loader = new DataLoader(list(5), { batchSize: 2 });
  const told = [];
  loader.addEventListener('progress', ({ detail }) => told.push(detail));
  await numbers(loader);
  assert.deepEqual(told.map(({ epoch, position, batches }) => [epoch, position, batches]), [[0, 1, 3], [0, 2, 3], [0, 3, 3]]);
  assert.ok(told.every(({ seconds }) => seconds >= 0));
});

describe('samples that come one after another', () => {
  const countingDataset = (count, closed = []) => ({
    async *iterate() {
      try {
        for (let index = 0; index < count; index++) yield index;
      } finally {
        closed.push(count);
      }
    },
  });

  test('keep their order, and resume', async () => {
    const loader = new DataLoader(countingDataset(7), { batchSize: 3 });
    assert.equal(loader.length, undefined);
    assert.deepEqual(await numbers(loader), [[0, 1, 2], [3, 4, 5], [6]]);
    loader.loadStateDict({ seed: 0, epoch: 4, position: 2 });
    assert.deepEqual(await numbers(loader), [[6]]);
    assert.deepEqual(loader.stateDict(), { seed: 0, epoch: 5, position: 0 });
    assert.deepEqual(await numbers(new DataLoader(countingDataset(7), { batchSize: 3, dropLast: true })), [[0, 1, 2], [3, 4, 5]]);
    assert.deepEqual(await numbers(new DataLoader({ iterate: () => [1, 2, 3] }, { batchSize: 2 })), [[1, 2], [3]]);
  });

  test('are closed when they are left', async () => {
    const closed = [];
    for await (const batch of new DataLoader(countingDataset(100, closed), { batchSize: 2 })) { batch.dispose(); break; }
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    assert.deepEqual(closed, [100]);
  });

  test('may fail', async () => {
    const loader = new DataLoader({ *iterate() { yield 1; throw new Error('the line is dead'); } }, { batchSize: 1 });
    await refused(() => numbers(loader), 'data', /sample 1: the line is dead/);
  });
});

describe('files', () => {
  test('a malformed IDX file is refused wherever it is cut', async () => {
    const file = Uint8Array.of(0, 0, 0x0c, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2);
    assert.deepEqual(readIdx(file).shape, [2, 1]);
    assert.deepEqual(Array.from(readIdx(file.buffer).data), [1, 2]);
    for (let end = 0; end < file.length; end++) await refused(() => readIdx(file.subarray(0, end)), 'file', /readIdx/);
    await refused(() => readIdx(Uint8Array.of(...file, 0)), 'file', /do not fit/);
    await refused(() => readIdx(Uint8Array.of(0, 0, 8, 4, ...Array(16).fill(255))), 'file', /do not fit/);
    await refused(() => readIdx(Uint8Array.of(0x1f, 0x8b, 8, 0)), 'file', /gzip/);
  });

  test('what is no table is refused', async () => {
    await refused(() => readCsv('a,b\n1\n'), 'file', /1 fields/);
    await refused(() => readCsv('a,a\n'), 'file', /two columns/);
    await refused(() => readCsv(Uint8Array.of(97, 10, 255)), 'file', /UTF-8/);
    await refused(() => readCsv('a\n1\nx\n', { types: { a: 'int' } }), 'file', /column "a": row 1 has "x", which is no whole number within int32/);
    await refused(() => readCsv('a\n1\n', { types: { b: 'int' } }), 'argument', /no column "b"/);
    const table = readCsv('1;x\n3;y', { header: false, delimiter: ';', types: { 0: 'text' } });
    assert.deepEqual(table.column('0'), ['1', '3']);
    const { labels, classes } = table.labels('1');
    assert.deepEqual([Array.from(labels.data), classes], [[0, 1], ['x', 'y']]);
    await refused(() => table.numbers('1'), 'dtype', /text/);
    assert.deepEqual(readCsv('n\n10\n9\n').labels('n').classes, ['9', '10']);
  });

  test('malformed tokenizers are refused', async () => {
    for (const json of ['', '{}', '[]', '{"type":"character","characters":["ab"]}', '{"type":"character","characters":["a","a"]}']) {
      await refused(() => text.CharacterTokenizer.fromJson(json), 'file', /CharacterTokenizer/);
    }
    const pairs = [['', ''], ['[]', ''], ['{"a":-1}', ''], ['{"a":1.5}', ''], ['{"a":0,"b":0}', ''], ['{"a":0,"b":1,"ab":2}', 'a'], ['{"a":0,"b":1}', 'a b'], ['{"a":0,"b":1,"ab":2}', 'a b\na b']];
    for (const [vocab, merges] of pairs) await refused(() => text.BytePairTokenizer.fromFiles(vocab, merges), 'file', /BytePairTokenizer/);
    const small = text.BytePairTokenizer.fromFiles('{"a":0,"b":1,"ab":2,"<|endoftext|>":3}', '#version: 0.2\na b\n');
    assert.deepEqual([Array.from(small.encode('abba')), small.token('<|endoftext|>'), small.token('x')], [[2, 1, 0], 3, undefined]);
    await refused(() => small.encode('abc'), 'data', /the byte 99/);
    await refused(() => small.decode([4]), 'index', /no token 4/);
  });

  test('transforms refuse what is no image', async () => {
    const flat = new HostArray(new Float32Array(4), [2, 2]);
    await refused(() => new transforms.ToTensor().apply(flat), 'shape', /\[C, H, W\]/);
    await refused(() => new transforms.ToTensor().apply(new HostArray(new Int32Array(1), [1, 1, 1])), 'dtype', /int32/);
    await refused(() => new transforms.Normalize([0], [0]), 'argument', /zero/);
    await refused(() => new transforms.Resize([0, 1]), 'argument', /size/);
    const pixel = new HostArray(new Uint8Array(1), [1, 1, 1]);
    await refused(() => new transforms.Resize(2 ** 16).apply(pixel), 'limit', /65536/);
    await refused(() => new transforms.CenterCrop(2 ** 20).apply(pixel), 'limit', /1048576/);
    same(new transforms.RandomCrop(3, 3, { padding: 1, fill: 300 }).apply(pixel, new Random(0, 0, 0)).data, [255, 255, 255, 255, 0, 255, 255, 255, 255]);
    await refused(() => new transforms.RandomHorizontalFlip(2), 'argument', /probability/);
  });
});

test('an array is a data set, and the loader has it', async () => {
  const loader = new DataLoader([[1, 'a'], [2, 'b'], [3, 'c']], { batchSize: 2 });
  const batches = [];
  for await (const [x, names] of loader) batches.push([await x.tolist(), names]);
  assert.deepEqual(batches, [[[1, 2], ['a', 'b']], [[3], ['c']]]);
  assert.equal(await loader.dataset.get(1)[1], 'b');
  assert.deepEqual(await numbers(new DataLoader(new MapDataset([1, 2], (x) => 2 * x))), [[2], [4]]);
  assert.deepEqual(randomSplit([5, 6, 7], [2, 1]).map(({ length }) => length), [2, 1]);
  const image = new HostArray(Float32Array.of(1, 2, 3, 4), [2, 2]);
  assert.deepEqual(await tensor(image).tolist(), [[1, 2], [3, 4]]);
});

test('tensors in samples are stacked when the batch is taken', async () => {
  const loader = new DataLoader({ length: 4, get: (index) => tensor([index, 1]) }, { batchSize: 2 });
  for await (const batch of loader) {
    assert.ok(batch instanceof Tensor);
    assert.deepEqual(batch.shape, [2, 2]);
  }
});
