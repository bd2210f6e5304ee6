/** `lanthorn/datasets` in Node. Needs the package built into target/npm. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PACKAGE } from '../browser/lib/package-page.mjs';
import { serveHub } from './hub-server.mjs';

const datasets = await import(`${PACKAGE}/js/datasets/index.js`);
const { DataLoader, HostArray, Random, readCsv } = await import(`${PACKAGE}/js/data/index.js`);
const { init, LanthornError } = await import(`${PACKAGE}/js/index.js`);
const FILES = new URL('./files/', import.meta.url);
const file = (name) => readFile(new URL(name, FILES));
const pixel = (number, index) => (index * 7 + number * 31) % 256;

let [hub, folder] = [];
before(async () => {
  await init({ device: 'cpu' });
  folder = await mkdtemp(join(tmpdir(), 'lanthorn-datasets-'));
  hub = await serveHub(Object.fromEntries(await Promise.all((await readdir(FILES)).map(async (name) => [`files/${name}`, await file(name)]))));
});
after(async () => {
  await hub.close();
  await rm(folder, { recursive: true });
});

async function expectError(action, kind, message, reason) {
  const error = await Promise.resolve().then(action).then(() => assert.fail('no error came'), (thrown) => thrown);
  assert.ok(error instanceof LanthornError, String(error.stack));
  assert.equal(error.kind, kind, error.message);
  assert.match(error.message, message);
  if (reason) assert.equal(error.reason, reason);
  return error;
}

async function list(entries) {
  const found = {};
  for await (const entry of entries) {
    const bytes = await entry.bytes();
    assert.equal(bytes.length, entry.size);
    found[entry.name] = Array.from(bytes);
  }
  return found;
}

describe('archives', () => {
  test('of tar and zip have their files', async () => {
    const contents = JSON.parse(await file('contents.json'));
    for (const name of ['gnu.tar', 'pax.tar']) assert.deepEqual(await list(datasets.readTar(await file(name))), contents, name);
    assert.deepEqual(await list(datasets.readTar(new URL('pax.tar', FILES))), contents);
    assert.deepEqual(await list(datasets.readTar(gzipSync(await file('gnu.tar')))), contents);
    for (const name of ['files.zip', 'wide.zip']) {
      assert.deepEqual(await list(await datasets.readZip(await file(name))), contents, name);
      assert.deepEqual(await list(await datasets.readZip(new URL(name, FILES))), contents, name);
    }
  });

  test('that are cut or damaged are refused', async () => {
    const [tar, zip] = [await file('gnu.tar'), await file('files.zip')];
    for (const end of [100, 700, 1400]) await expectError(() => list(datasets.readTar(tar.subarray(0, end))), 'file', /ends|sum/);
    const packed = gzipSync(tar);
    for (const end of [20, packed.length - 12]) await expectError(() => list(datasets.readTar(packed.subarray(0, end))), 'file', /end early|ends/);
    const damaged = Buffer.from(tar);
    damaged[3] ^= 1;
    await expectError(() => list(datasets.readTar(damaged)), 'file', /sum/);
    for (let end = 0; end < zip.length - 9; end += 37) await expectError(async () => list(await datasets.readZip(zip.subarray(0, end))), 'file', /readZip|load/);
    const shifted = Buffer.from(zip);
    // The first file after the empty folder.
    shifted.writeUInt32LE(0, shifted.indexOf('PK\x03\x04', 4));
    await expectError(async () => list(await datasets.readZip(shifted)), 'file', /a\.txt is not where the directory has it/);
  });
});

describe('MNIST', () => {
  test('is downloaded once, and read from the folder afterwards', async () => {
    const mirror = `${hub.origin}/files`;
    await expectError(() => datasets.MNIST.open(folder), 'file', /download: true/);
    assert.deepEqual(hub.paths(), [], 'no request without download');
    const files = new Set();
    const options = { download: true, mirror, verify: false };
    const train = await datasets.MNIST.open(folder, { ...options, onProgress: ({ file: name, loaded, total }) => { if (loaded === total) files.add(name); } });
    assert.deepEqual([train.length, train.data.shape, Array.from(train.targets.data)], [3, [3, 1, 28, 28], [7, 6, 5]]);
    assert.deepEqual([...files], ['train-images-idx3-ubyte.gz', 'train-labels-idx1-ubyte.gz']);
    assert.deepEqual(hub.paths(), ['files/train-images-idx3-ubyte.gz', 'files/train-labels-idx1-ubyte.gz']);
    assert.equal(train.data.data[784 + 5], pixel(1, 5));
    assert.equal(train.classes[7], '7 - seven');
    const again = await datasets.MNIST.open(folder, { transform: ({ data }) => data[0], targetTransform: (label) => label * 10 });
    assert.deepEqual([await again.get(2, new Random(0, 0, 0)), hub.paths()], [[pixel(2, 0), 50], []]);
    assert.equal((await datasets.MNIST.open(folder, { ...options, train: false })).length, 2);
    const kept = await readdir(join(folder, 'MNIST/raw'));
    assert.ok(kept.includes('train-images-idx3-ubyte.gz'), 'the name that torchvision looks for');
    await expectError(() => datasets.MNIST.open(join(folder, 'none'), { download: true, mirror }), 'file', /md5/, 'checksum');
    assert.deepEqual((await readdir(join(folder, 'none/MNIST/raw'))).filter((name) => !name.startsWith('.')), [], 'a wrong file is not kept');
  });

  test('is read from files that torchvision unpacked, or that the program has', async () => {
    const raw = join(folder, 'unpacked/MNIST/raw');
    await mkdir(raw, { recursive: true });
    for (const name of ['t10k-images-idx3-ubyte', 't10k-labels-idx1-ubyte']) await writeFile(join(raw, name), await datasets.readGzip(await file(`${name}.gz`)));
    assert.equal((await datasets.MNIST.open(join(folder, 'unpacked'), { train: false })).length, 2);
    const given = new Map(await Promise.all(['t10k-images-idx3-ubyte.gz', 't10k-labels-idx1-ubyte.gz'].map(async (name) => [`raw/${name}`, await file(name)])));
    assert.equal((await datasets.FashionMNIST.open(given, { train: false })).classes[9], 'Ankle boot');
    await expectError(() => datasets.KMNIST.open(given), 'file', /train-images/);
  });

  test('trains a loader: labels are int32', async () => {
    const train = await datasets.MNIST.open(folder);
    for await (const [x, y] of new DataLoader(train, { batchSize: 3 })) assert.deepEqual([x.shape, x.dtype, y.dtype, await y.tolist()], [[3, 1, 28, 28], 'uint8', 'int32', [7, 6, 5]]);
    const picked = await datasets.MNIST.open(folder, { transform: () => 0.5 });
    for await (const [x, y] of new DataLoader(picked, { batchSize: 3 })) assert.deepEqual([x.dtype, y.dtype, await y.tolist()], ['float32', 'int32', [7, 6, 5]]);
  });
});

test('CIFAR', async () => {
  const options = { download: true, mirror: `${hub.origin}/files/`, verify: false };
  const train = await datasets.CIFAR10.open(folder, options);
  assert.deepEqual([train.length, train.data.shape, Array.from(train.targets.data)], [5, [5, 3, 32, 32], [0, 1, 2, 3, 4]]);
  assert.equal(train.data.data[4 * 3072 + 99], pixel(4, 99));
  const tests = await datasets.CIFAR10.open(folder, { train: false });
  assert.deepEqual([tests.length, tests.targets.data[0], tests.classToIdx.truck], [1, 5, 9]);
  const fine = await datasets.CIFAR100.open(folder, options);
  assert.deepEqual([fine.targets.data[0], fine.classes], [1, ['apple', 'aquarium_fish', 'baby']]);
  await expectError(() => datasets.readCifar(new Uint8Array(3074)), 'file', /3074 bytes/);
  const short = gzipSync((await datasets.readGzip(await file('cifar-10-binary.tar.gz'))).subarray(0, 5000));
  await expectError(() => datasets.CIFAR10.open(new Map([['cifar-10-binary.tar.gz', short]])), 'file', /ends within|has no file/);
});

test('SVHN', async () => {
  for (const split of ['train', 'test']) {
    const { data, targets } = await datasets.SVHN.open(folder, { split, download: true, mirror: `${hub.origin}/files/`, verify: false });
    assert.deepEqual([data.shape, Array.from(targets.data)], [[2, 3, 32, 32], [0, 3]]);
    assert.deepEqual(Array.from(data.data), Array.from({ length: 6144 }, (_, index) => pixel(Math.floor(index / 3072), index % 3072)));
  }
  const bytes = await file('test_32x32.mat');
  for (const end of [100, 200, 3000]) await expectError(() => datasets.SVHN.open(new Map([['train_32x32.mat', bytes.subarray(0, end)]])), 'file', /ends|version 5/);
});

test('Speech Commands', async () => {
  const wav = (...samples) => {
    const bytes = Buffer.alloc(44 + 2 * samples.length);
    bytes.write('RIFF', 0);
    bytes.write('WAVEfmt ', 8);
    for (const [at, value] of [[16, 16], [24, 16_000], [40, 2 * samples.length]]) bytes.writeUInt32LE(value, at);
    for (const [at, value] of [[20, 1], [22, 1], [34, 16]]) bytes.writeUInt16LE(value, at);
    bytes.write('data', 36);
    samples.forEach((sample, index) => bytes.writeInt16LE(sample, 44 + 2 * index));
    return bytes;
  };
  const files = new Map([
    ['yes/ab_nohash_0.wav', wav(16_384, -32_768)], ['no/cd_nohash_1.wav', wav(1)], ['no/ef_nohash_0.wav', wav(2)],
    ['_background_noise_/hum.wav', wav(3)], ['validation_list.txt', Buffer.from('no/cd_nohash_1.wav\n')], ['testing_list.txt', Buffer.from('no/ef_nohash_0.wav\n')],
  ]);
  const all = await datasets.SPEECHCOMMANDS.open(files);
  assert.deepEqual([all.length, all.labels], [3, ['no', 'yes']]);
  const [waveform, ...facts] = await all.get(2);
  assert.deepEqual([waveform.shape, Array.from(waveform.data), facts], [[1, 2], [0.5, -1], [16_000, 'yes', 'ab', 0]]);
  const parts = await Promise.all(['training', 'validation', 'testing'].map((subset) => datasets.SPEECHCOMMANDS.open(files, { subset })));
  assert.deepEqual(parts.map((part) => part.getMetadata(0)[0]), ['yes/ab_nohash_0.wav', 'no/cd_nohash_1.wav', 'no/ef_nohash_0.wav']);
  assert.deepEqual((await datasets.SPEECHCOMMANDS.open(files, { labels: ['yes'] })).labels, ['yes']);
  await expectError(() => datasets.SPEECHCOMMANDS.open(files, { subset: 'other' }), 'argument', /subset/);
  await expectError(async () => (await datasets.SPEECHCOMMANDS.open(new Map([['yes/ab_nohash_0.wav', wav(1).subarray(0, 45)]]))).get(0), 'file', /ends within/);
});

describe('folders', () => {
  const loader = async (blob) => new HostArray(new Uint8Array(await blob.arrayBuffer()), [1, 1, blob.size]);

  test('have a class for each folder in them', async () => {
    const root = join(folder, 'pictures');
    for (const [path, text] of [['dog/b.png', 'bb'], ['dog/a.JPG', 'a'], ['cat/in/c.png', 'ccc'], ['cat/z.png', 'z'], ['cat/notes.txt', 'x']]) {
      await mkdir(join(root, path, '..'), { recursive: true });
      await writeFile(join(root, path), text);
    }
    const pictures = await datasets.ImageFolder.open(root, { loader, transform: ({ data }) => data.length });
    assert.deepEqual([pictures.classes, pictures.classToIdx, pictures.targets], [['cat', 'dog'], { cat: 0, dog: 1 }, [0, 0, 1, 1]]);
    assert.deepEqual(pictures.imgs.map(([path]) => path), ['cat/z.png', 'cat/in/c.png', 'dog/a.JPG', 'dog/b.png'], 'as torchvision lists them');
    assert.deepEqual(await pictures.get(1, new Random(0, 0, 0)), [3, 0]);
    const texts = await datasets.DatasetFolder.open(root, (blob) => blob.text(), { isValidFile: (path) => path.endsWith('.txt'), allowEmpty: true });
    assert.deepEqual([texts.samples, await texts.get(0, new Random(0, 0, 0))], [[['cat/notes.txt', 0]], ['x', 0]]);
    await expectError(() => datasets.DatasetFolder.open(root, (blob) => blob.text(), { extensions: ['.txt'] }), 'file', /classes dog.*\.txt/);
    await expectError(() => datasets.ImageFolder.open(join(root, 'dog'), { loader }), 'file', /no folder of a class/);
    await expectError(() => datasets.ImageFolder.open(join(root, 'none'), { loader }), 'file', /no such folder/);
    await expectError(() => datasets.DatasetFolder.open(root, (blob) => blob.text(), { extensions: ['.txt'], isValidFile: () => true }), 'argument', /either/);
    const broken = await datasets.ImageFolder.open(root, { loader: () => { throw new Error('no picture'); } });
    await expectError(() => broken.get(0, new Random(0, 0, 0)), 'file', /cat\/z\.png: no picture/);
  });

  test('may be an archive', async () => {
    const pictures = await datasets.ImageFolder.open(await datasets.readZip(await file('files.zip')), { loader, isValidFile: (path) => /\.(bin|txt)$/.test(path) });
    assert.deepEqual(pictures.classes, ['cat', 'dog']);
    assert.equal((await pictures.get(0, new Random(0, 0, 0)))[0].data.length, 600);
  });
});

test('fake data are the same in every run', async () => {
  const data = new datasets.FakeData(4, [1, 2, 2], 3);
  const [picture, label] = data.get(2, new Random(5, 5, 5));
  assert.deepEqual([picture.shape, Array.from(picture.data), label], [[1, 2, 2], Array.from(new datasets.FakeData(4, [1, 2, 2], 3).get(2)[0].data), label]);
  assert.deepEqual(new datasets.FakeData(4, [1, 2, 2], 3, { randomOffset: 2 }).get(0)[0].data, picture.data);
  assert.throws(() => data.get(4), /index 4/);
  assert.throws(() => new datasets.FakeData(-1), /size/);
});

test('texts and tables', async () => {
  assert.deepEqual(await datasets.readLines(Buffer.from('a\r\nb\n\nc\n')), ['a', 'b', '', 'c']);
  assert.deepEqual(await datasets.readJsonLines(gzipSync('{"a":1}\n\n[2]\n')), [{ a: 1 }, [2]]);
  await expectError(() => datasets.readJsonLines(Buffer.from('1\n{')), 'file', /line 2/);
  await expectError(() => datasets.readLines(Uint8Array.of(0xff)), 'file', /UTF-8/);
  const news = await datasets.AG_NEWS.open(new Map([['test.csv', Buffer.from('"3","Oil, up","It ""rose""."\n"1","A","B"\n')]]), { split: 'test' });
  assert.deepEqual([news.length, news.get(0), datasets.AG_NEWS.classes[2]], [2, [3, 'Oil, up It "rose".'], 'Business']);
  const flowers = new datasets.TabularDataset(readCsv('length,width,kind\n1,2.5,b\n3,4,a\n'), { target: 'kind' });
  assert.deepEqual([flowers.features, flowers.classes, Array.from(flowers.get(1)[0].data), flowers.get(1)[1].data[0]], [['length', 'width'], ['a', 'b'], [3, 4], 0]);
  for await (const [x, y] of new DataLoader(flowers, { batchSize: 2 })) assert.deepEqual([x.shape, y.dtype, await y.tolist()], [[2, 2], 'int32', [1, 0]]);
  const numbers = new datasets.TabularDataset(readCsv('x,y\n1,2.5\n'), { target: 'y' });
  assert.deepEqual([numbers.classes, Array.from(numbers.get(0)[1].data)], [[], [2.5]]);
});

test('a list of pairs is a data set, whose whole numbers become int32', async () => {
  const loader = new DataLoader([[new Float32Array([0, 1]), 3], [new Float32Array([2, 3]), 4]], { batchSize: 2 });
  for await (const [x, y] of loader) assert.deepEqual([x.shape, x.dtype, y.dtype, await y.tolist()], [[2, 2], 'float32', 'int32', [3, 4]]);
  assert.equal(loader.dataset.length, 2);
  for await (const [, y] of new DataLoader([[0, 0.5], [0, 2]], { batchSize: 2 })) assert.equal(y.dtype, 'float32');
  for await (const y of new DataLoader([2 ** 40], {})) assert.equal(y.dtype, 'float32', 'no int32 has it');
});
