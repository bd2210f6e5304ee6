/** MNIST and the data sets in its format, with torchvision's names, addresses and checksums. */
import { checkFlag, checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { HostArray } from '../data/host-array.js';
import { readIdx } from '../data/idx.js';
import { readGzip } from './bytes.js';
import { Official, OFFICIAL_OPTIONS, type OfficialOptions, type Resource, type Root } from './official.js';
import { TRANSFORM_OPTIONS, VisionDataset, type Picture, type TransformOptions } from './vision-dataset.js';
import { readZip } from './zip.js';

/** Options of {@link MNIST.open}. */
export interface MnistOptions<T = Picture, L = number> extends OfficialOptions, TransformOptions<T, L> {
  /** Whether the training pictures are read (default: true), or the test pictures. */
  train?: boolean;
}

const OPTIONS = ['train', ...TRANSFORM_OPTIONS, ...OFFICIAL_OPTIONS] as const;

/** The pictures `[N, 1, 28, 28]` in a file. */
function pictures(op: string, array: HostArray): HostArray<Uint8Array> {
  const { data, shape } = array;
  if (!(data instanceof Uint8Array) || shape.length !== 3) throw new LanthornError('file', op, `the pictures are ${array.dtype} [${shape.join(', ')}], and not uint8 [N, H, W]`);
  return new HostArray(data, [shape[0]!, 1, shape[1]!, shape[2]!]);
}

function labels(op: string, { data, shape, dtype }: HostArray): HostArray<Int32Array> {
  if (!(data instanceof Uint8Array) || shape.length !== 1) throw new LanthornError('file', op, `the labels are ${dtype} [${shape.join(', ')}], and not uint8 [N]`);
  return new HostArray(Int32Array.from(data), shape);
}

/** The array of a published file, which is compressed, or was unpacked by torchvision. */
async function idxOf(official: Official, resource: Resource): Promise<HostArray> {
  return readIdx(await readGzip(await official.find(resource, [resource.file.replace(/\.gz$/, '')])));
}

/** The MD5 of four files: pictures and labels for training, pictures and labels for tests. */
type Digests = readonly [string, string, string, string];

const FILES = ['train-images-idx3-ubyte.gz', 'train-labels-idx1-ubyte.gz', 't10k-images-idx3-ubyte.gz', 't10k-labels-idx1-ubyte.gz'] as const;

interface Published {
  name: string;
  mirrors: readonly string[];
  digests: Digests;
  classes: readonly string[];
}

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'].map((word, digit) => `${digit} - ${word}`);

const PUBLISHED: Readonly<Record<'MNIST' | 'FashionMNIST' | 'KMNIST', Published>> = {
  MNIST: {
    name: 'MNIST',
    mirrors: ['https://ossci-datasets.s3.amazonaws.com/mnist/', 'http://yann.lecun.com/exdb/mnist/'],
    digests: ['f68b3c2dcbeaaa9fbdd348bbdeb94873', 'd53e105ee54ea40749a09fcbcd1e9432', '9fb629c4189551a2d022fa330f9573f3', 'ec29112dd5afa0611ce80d1b7f02629c'],
    classes: DIGITS,
  },
  FashionMNIST: {
    name: 'FashionMNIST',
    mirrors: ['http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/'],
    digests: ['8d4fb7e6c68d591d4c3dfef9ec88bf0d', '25c81989df183df01b3e8a0aad5dffbe', 'bef4ecab320f06d8554ea6380940ec79', 'bb300cfdad3c16e7a12a480ee83cd310'],
    classes: ['T-shirt/top', 'Trouser', 'Pullover', 'Dress', 'Coat', 'Sandal', 'Shirt', 'Sneaker', 'Bag', 'Ankle boot'],
  },
  KMNIST: {
    name: 'KMNIST',
    mirrors: ['http://codh.rois.ac.jp/kmnist/dataset/kmnist/'],
    digests: ['bdb82020997e1d708af4cf47b453dcf7', 'e144d726b3acfaa3e44228e80efcd344', '5c965bf0a639b31b8f53240b1b52f4d7', '7320c461ea6c1c855c0b718fb2a4b134'],
    classes: ['o', 'ki', 'su', 'tsu', 'na', 'ha', 'ma', 'ya', 're', 'wo'],
  },
};

async function openPublished<T, L, C>(
  make: new (op: string, data: HostArray<Uint8Array>, targets: HostArray<Int32Array>, classes: readonly string[], options: TransformOptions<T, L>) => C,
  { name, mirrors, digests, classes }: Published, root: Root, options: MnistOptions<T, L>,
): Promise<C> {
  const op = `${name}.open`;
  const given = checkOptions<MnistOptions<T, L>>(op, options, OPTIONS);
  const isTraining = given.train === undefined || checkFlag(op, 'train', given.train);
  const official = new Official(op, root, `${name}/raw/`, given);
  const resource = (index: number): Resource => ({ file: FILES[index]!, mirrors, md5: digests[index]! });
  const first = isTraining ? 0 : 2;
  const images = pictures(op, await idxOf(official, resource(first)));
  return new make(op, images, labels(op, await idxOf(official, resource(first + 1))), classes, given);
}

/**
 * Handwritten digits (LeCun, Cortes and Burges): 60,000 pictures of 28×28 for training, 10,000 for
 * tests. A sample is `[picture, label]`: uint8 `[1, 28, 28]` and a number, after the transforms.
 */
export class MNIST<T = Picture, L = number> extends VisionDataset<T, L> {
  /**
   * Reads the data set from a folder of the storage (a folder on disk in Node, as torchvision has
   * it), or from a folder with the files. With `download: true` missing files are downloaded, and
   * stored for the next time.
   *
   * @throws a `DownloadError` with the reason, or a LanthornError of kind `file`, if a file is
   * missing or damaged.
   *
   * @example
   * import { DataLoader, transforms } from 'lanthorn/data';
   *
   * const transform = new transforms.ToTensor();
   * const train = await MNIST.open('data', { download: true, transform });
   * const loader = new DataLoader(train, { batchSize: 64, shuffle: true });
   * for await (const [x, y] of loader) console.log(x.shape, y.dtype);
   */
  static open<T = Picture, L = number>(root: Root, options: MnistOptions<T, L> = {}): Promise<MNIST<T, L>> {
    return openPublished<T, L, MNIST<T, L>>(MNIST, PUBLISHED.MNIST, root, options);
  }
}

/** Pictures of clothes (Zalando Research), in the form of {@link MNIST}. */
export class FashionMNIST<T = Picture, L = number> extends VisionDataset<T, L> {
  /**
   * Reads the data set as {@link MNIST.open} does.
   *
   * @example
   * const test = await FashionMNIST.open('data', { train: false, download: true });
   */
  static open<T = Picture, L = number>(root: Root, options: MnistOptions<T, L> = {}): Promise<FashionMNIST<T, L>> {
    return openPublished<T, L, FashionMNIST<T, L>>(FashionMNIST, PUBLISHED.FashionMNIST, root, options);
  }
}

/** Handwritten syllables of Japanese (ROIS-DS), in the form of {@link MNIST}. */
export class KMNIST<T = Picture, L = number> extends VisionDataset<T, L> {
  /**
   * Reads the data set as {@link MNIST.open} does.
   *
   * @example
   * const train = await KMNIST.open('data', { download: true });
   */
  static open<T = Picture, L = number>(root: Root, options: MnistOptions<T, L> = {}): Promise<KMNIST<T, L>> {
    return openPublished<T, L, KMNIST<T, L>>(KMNIST, PUBLISHED.KMNIST, root, options);
  }
}

/** The parts of EMNIST. */
export type EmnistSplit = 'byclass' | 'bymerge' | 'balanced' | 'letters' | 'digits' | 'mnist';

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');
const NUMERALS = Array.from('0123456789');
const ALL = [...NUMERALS, ...LETTERS.map((letter) => letter.toUpperCase()), ...LETTERS];
/** Letters whose small and capital forms are one class. */
const MERGED = new Set(Array.from('cijklmopsuvwxyz'));
const UNMERGED = ALL.filter((character) => !MERGED.has(character));

const EMNIST_CLASSES: Readonly<Record<EmnistSplit, readonly string[]>> = {
  byclass: ALL, bymerge: UNMERGED, balanced: UNMERGED, letters: ['N/A', ...LETTERS], digits: NUMERALS, mnist: NUMERALS,
};

/** Options of {@link EMNIST.open}. */
export interface EmnistOptions<T = Picture, L = number> extends MnistOptions<T, L> {
  /** The part of the data set. */
  split: EmnistSplit;
}

/** Handwritten letters and digits (NIST), as {@link MNIST}. The pictures are transposed. */
export class EMNIST<T = Picture, L = number> extends VisionDataset<T, L> {
  /**
   * Reads a part of the data set from its archive `gzip.zip`, of which only that part is read. The
   * archive has 535 MB.
   *
   * @example
   * const letters = await EMNIST.open('data', { split: 'letters', download: true });
   */
  static async open<T = Picture, L = number>(root: Root, options: EmnistOptions<T, L>): Promise<EMNIST<T, L>> {
    const op = 'EMNIST.open';
    const given = checkOptions<EmnistOptions<T, L>>(op, options, ['split', ...OPTIONS]);
    const { split } = given;
    if (split === undefined || !Object.hasOwn(EMNIST_CLASSES, split)) {
      throw new LanthornError('argument', op, `split is one of ${Object.keys(EMNIST_CLASSES).join(', ')}, not ${String(split)}`);
    }
    const part = given.train === undefined || checkFlag(op, 'train', given.train) ? 'train' : 'test';
    const official = new Official(op, root, 'EMNIST/raw/', given);
    const archive = await official.find({ file: 'gzip.zip', mirrors: ['https://biometrics.nist.gov/cs_links/EMNIST/'], md5: '58c8d27c78d21e728a6bc7b3cc06412e' });
    const entries = await readZip(archive);
    const read = async (ending: string) => {
      const name = `emnist-${split}-${part}-${ending}.gz`;
      const entry = entries.find((each) => each.name.endsWith(name));
      if (!entry) throw new LanthornError('file', op, `the archive has no file ${name}`);
      return readIdx(await readGzip(await entry.bytes()));
    };
    const images = pictures(op, await read('images-idx3-ubyte'));
    return new EMNIST<T, L>(op, images, labels(op, await read('labels-idx1-ubyte')), EMNIST_CLASSES[split], given);
  }
}

/** The parts of QMNIST: `test10k` are MNIST's test pictures, and `test50k` the others. */
export type QmnistPart = 'train' | 'test' | 'test10k' | 'test50k';

/** Options of {@link QMNIST.open}. */
export interface QmnistOptions<T = Picture, L = number> extends MnistOptions<T, L> {
  /** The part (default: `train`, or `test` with `train: false`). */
  what?: QmnistPart;
}

const QMNIST_DIGESTS = {
  train: ['ed72d4157d28c017586c42bc6afe6370', '0058f8dd561b90ffdd0f734c6a30e5e4'],
  test: ['1394631089c404de565df7b7aeaf9412', '5b5b05890a5e13444e108efe57b788aa'],
} as const;
const QMNIST_PARTS: Readonly<Record<QmnistPart, readonly ['train' | 'test', number, number]>> = {
  train: ['train', 0, Infinity], test: ['test', 0, Infinity], test10k: ['test', 0, 10_000], test50k: ['test', 10_000, Infinity],
};

/** MNIST with the 50,000 test pictures that were lost (Facebook Research), as {@link MNIST}. */
export class QMNIST<T = Picture, L = number> extends VisionDataset<T, L> {
  /**
   * Reads the data set as {@link MNIST.open} does. The label is the class, the first of the eight
   * numbers in the files.
   *
   * @example
   * const lost = await QMNIST.open('data', { what: 'test50k', download: true });
   */
  static async open<T = Picture, L = number>(root: Root, options: QmnistOptions<T, L> = {}): Promise<QMNIST<T, L>> {
    const op = 'QMNIST.open';
    const given = checkOptions<QmnistOptions<T, L>>(op, options, ['what', ...OPTIONS]);
    const isTraining = given.train === undefined || checkFlag(op, 'train', given.train);
    const what = given.what ?? (isTraining ? 'train' : 'test');
    if (!Object.hasOwn(QMNIST_PARTS, what)) throw new LanthornError('argument', op, `the part is one of ${Object.keys(QMNIST_PARTS).join(', ')}, not ${what}`);
    const [part, start, end] = QMNIST_PARTS[what];
    const official = new Official(op, root, 'QMNIST/raw/', given);
    const mirrors = ['https://raw.githubusercontent.com/facebookresearch/qmnist/master/'];
    const [imagesMd5, labelsMd5] = QMNIST_DIGESTS[part];
    const images = pictures(op, await idxOf(official, { file: `qmnist-${part}-images-idx3-ubyte.gz`, mirrors, md5: imagesMd5 }));
    const table = await idxOf(official, { file: `qmnist-${part}-labels-idx2-int.gz`, mirrors, md5: labelsMd5 });
    const [count, columns] = table.shape;
    if (table.shape.length !== 2 || count !== images.shape[0]) throw new LanthornError('file', op, `there are ${images.shape[0]} pictures and [${table.shape.join(', ')}] labels`);
    const last = Math.min(end, count!);
    const size = images.data.length / count!;
    const chosen = new HostArray(images.data.subarray(start * size, last * size), [last - start, 1, images.shape[2]!, images.shape[3]!]);
    const targets = Int32Array.from({ length: last - start }, (_, row) => table.data[(start + row) * columns!]!);
    return new QMNIST<T, L>(op, chosen, new HostArray(targets), DIGITS, given);
  }
}
