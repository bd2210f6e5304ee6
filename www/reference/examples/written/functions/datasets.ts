/** Published data sets, readers of their files, downloads and hubs. */
const idx = `// An array of uint8 in the file format of MNIST.
const idx = (shape, data) => Uint8Array.of(0, 0, 8, shape.length, ...shape.flatMap((size) => [0, 0, size >> 8, size & 255]), ...data);
`;

const mnist = (name: string) => `import { ${name} } from 'lanthorn/datasets';

${idx}const files = new Map([
  ['t10k-images-idx3-ubyte.gz', idx([2, 28, 28], new Uint8Array(2 * 784).fill(7))],
  ['t10k-labels-idx1-ubyte.gz', idx([2], [3, 1])],
]);
// Instead of files, the name of a folder: ${name}.open('data', { download: true })
const tests = await ${name}.open(files, { train: false, targetTransform: (label) => label * 10 });

console.log(tests.length, tests.data.shape, tests.classes[3]);
console.log(tests.get(0)[1]);
`;

const header = `// A header of tar: the name, the size in octal digits, and the sum of the bytes.
const text = (bytes) => new TextEncoder().encode(bytes);
const entry = (name, data) => {
  const head = new Uint8Array(512);
  head.set(text(name));
  head.set(text(data.length.toString(8).padStart(11, '0')), 124);
  head.set(text('        0ustar'), 148);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.set(text(sum.toString(8).padStart(6, '0')), 148);
  return [...head, ...data, ...new Uint8Array((512 - data.length % 512) % 512)];
};
`;

const records = (labels: string) => `[...Array(2).keys()].flatMap((index) => [${labels}, ...new Uint8Array(3072).fill(index)])`;

export const DATASETS: Readonly<Record<string, string>> = {
  'datasets.AG_NEWS': `import { AG_NEWS } from 'lanthorn/datasets';

const file = new TextEncoder().encode('"3","Oil prices","They rose."\\n"2","Final","It was a draw."\\n');
const news = await AG_NEWS.open(new Map([['test.csv', file]]), { split: 'test' });

console.log(news.length, news.get(0), AG_NEWS.classes[news.get(0)[0] - 1]);
`,
  'datasets.CIFAR10': `import { CIFAR10 } from 'lanthorn/datasets';

${header}const archive = Uint8Array.from(entry('cifar-10-batches-bin/test_batch.bin', ${records('index + 3')}));
// Instead of files, the name of a folder: CIFAR10.open('data', { download: true, mirror })
const tests = await CIFAR10.open(new Map([['cifar-10-binary.tar.gz', archive]]), { train: false });

console.log(tests.length, tests.data.shape, tests.classes[tests.get(1)[1]]);
`,
  'datasets.CIFAR100': `import { CIFAR100 } from 'lanthorn/datasets';

${header}const archive = Uint8Array.from([
  ...entry('cifar-100-binary/test.bin', ${records('0, index')}),
  ...entry('cifar-100-binary/fine_label_names.txt', text('apple\\nbaby\\n')),
]);
const tests = await CIFAR100.open(new Map([['cifar-100-binary.tar.gz', archive]]), { train: false });

console.log(tests.length, tests.classes[tests.get(1)[1]]);
`,
  'datasets.DatasetFolder': `import { DatasetFolder } from 'lanthorn/datasets';

const files = new Map([['yes/1.txt', new Blob(['right'])], ['no/1.txt', new Blob(['left'])]]);
const texts = await DatasetFolder.open(files, (file) => file.text(), { extensions: ['.txt'] });

console.log(texts.classes, await texts.get(0), await texts.get(1));
`,
  'datasets.FakeData': `import { FakeData } from 'lanthorn/datasets';
import { DataLoader } from 'lanthorn/data';

const data = new FakeData(8, [1, 4, 4], 3);
for await (const [x, y] of new DataLoader(data, { batchSize: 4 })) console.log(x.shape, y.dtype, await y.tolist());
`,
  'datasets.FashionMNIST': mnist('FashionMNIST'),
  'datasets.FolderSamples': `import { ImageFolder } from 'lanthorn/datasets';

const files = new Map([['cat/1.png', new Blob()], ['dog/1.png', new Blob()]]);
const { samples, classToIdx } = await ImageFolder.open(files);

console.log(samples, classToIdx);
`,
  'datasets.ImageFolder': `import { ImageFolder } from 'lanthorn/datasets';
import { HostArray } from 'lanthorn/data';

const files = new Map([['cat/1.png', new Blob(['abc'])], ['dog/1.png', new Blob(['de'])]]);
// In a page the default loader decodes pictures.
const loader = async (file) => new HostArray(new Uint8Array(await file.arrayBuffer()), [1, 1, file.size]);
const pictures = await ImageFolder.open(files, { loader });

console.log(pictures.classes, pictures.imgs);
console.log((await pictures.get(0))[0].data);
`,
  'datasets.KMNIST': mnist('KMNIST'),
  'datasets.MNIST': mnist('MNIST'),
  'datasets.readCifar': `import { readCifar } from 'lanthorn/datasets';

const { images, labels } = readCifar(Uint8Array.from(${records('index + 3')}));
console.log(images.shape, labels.data);
`,
  'datasets.readGzip': `import { readGzip } from 'lanthorn/datasets';

const compressed = new Response(new Blob(['twice, twice, twice']).stream().pipeThrough(new CompressionStream('gzip')));
console.log(new TextDecoder().decode(await readGzip(await compressed.blob())));
`,
  'datasets.readJsonLines': `import { readJsonLines } from 'lanthorn/datasets';

console.log(await readJsonLines(new Blob(['{"text":"good","label":1}\\n{"text":"bad","label":0}\\n'])));
`,
  'datasets.readLines': `import { readLines } from 'lanthorn/datasets';

console.log(await readLines(new Blob(['Ada\\nGrace\\n'])));
`,
  'datasets.readTar': `import { readTar } from 'lanthorn/datasets';

${header}const archive = Uint8Array.from([...entry('a.txt', text('one')), ...entry('b.txt', text('two'))]);
for await (const { name, size, bytes } of readTar(archive)) console.log(name, size, await bytes());
`,
  'datasets.readZip': `import { readZip } from 'lanthorn/datasets';

// The archive of numpy, npz, is a zip.
import { save } from 'lanthorn/io';

const entries = await readZip(await save({ x: ones([2]) }, { format: 'npz' }));
console.log(entries.map(({ name, size }) => [name, size]));
console.log((await entries[0].bytes()).length);
`,
  'datasets.TabularDataset': `import { TabularDataset } from 'lanthorn/datasets';
import { DataLoader, readCsv } from 'lanthorn/data';

const flowers = new TabularDataset(readCsv('length,width,kind\\n5.1,3.5,setosa\\n7.0,3.2,versicolor\\n'), { target: 'kind' });
console.log(flowers.features, flowers.classes);
for await (const [x, y] of new DataLoader(flowers, { batchSize: 2 })) console.log(await x.tolist(), await y.tolist());
`,
  'datasets.VisionDataset': `import { MNIST, VisionDataset } from 'lanthorn/datasets';

${idx}const files = new Map([['train-images-idx3-ubyte.gz', idx([1, 28, 28], new Uint8Array(784))], ['train-labels-idx1-ubyte.gz', idx([1], [3])]]);
const train = await MNIST.open(files);
console.log(train instanceof VisionDataset, train.targets.data, train.classToIdx['3 - three']);
`,
  'hub.download': `import { download, removeDownloads } from 'lanthorn/hub';

const file = await download('data:text/plain,hello', { name: 'example/hello.txt' });
console.log(file);
await removeDownloads('example');
`,
  'hub.DownloadError': `import { DownloadError } from 'lanthorn/hub';

const error = new DownloadError('download', 'absent', 'https://example.org/a.bin', 'the server answered 404', { status: 404 });
console.log(error.reason, error.status, error.message);
`,
  'hub.downloadSize': `import { downloadSize } from 'lanthorn/hub';

console.log(await downloadSize() >= 0);
`,
  'hub.listDownloads': `import { download, listDownloads, removeDownloads } from 'lanthorn/hub';

await download('data:text/plain,hello', { name: 'example/listed.txt' });
console.log((await listDownloads()).filter(({ name }) => name.startsWith('example/')));
await removeDownloads('example');
`,
  'hub.removeDownloads': `import { download, removeDownloads } from 'lanthorn/hub';

await download('data:text/plain,hello', { name: 'example/removed.txt' });
console.log(await removeDownloads('example'), await removeDownloads('example'));
`,
  'hub.setHub': `import { setHub } from 'lanthorn/hub';

// Models of the page's own server: /models/owner/name/config.json
setHub({ endpoint: '/models', pathTemplate: '{repo}/{file}' });
console.log('nothing is requested before a model is loaded');
setHub({ endpoint: 'https://huggingface.co', pathTemplate: '{repo}/resolve/{revision}/{file}' });
`,
};
