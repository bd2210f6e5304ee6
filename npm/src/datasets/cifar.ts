/** CIFAR-10 and CIFAR-100, from their publisher's binary form. */
import { checkFlag, checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { HostArray } from '../data/host-array.js';
import { readCifar } from './cifar-file.js';
import { Official, OFFICIAL_OPTIONS, type OfficialOptions, type Resource, type Root } from './official.js';
import { readTar } from './tar.js';
import { TRANSFORM_OPTIONS, VisionDataset, type Picture, type TransformOptions } from './vision-dataset.js';

/** Options of {@link CIFAR10.open}. */
export interface CifarOptions<T = Picture, L = number> extends OfficialOptions, TransformOptions<T, L> {
  /** Whether the training pictures are read (default: true), or the test pictures. */
  train?: boolean;
}

const OPTIONS = ['train', ...TRANSFORM_OPTIONS, ...OFFICIAL_OPTIONS] as const;
const MIRRORS = ['https://www.cs.toronto.edu/~kriz/'];

/** The files of an archive by their names without folders. */
async function unpack(op: string, official: Official, resource: Resource, names: readonly string[]): Promise<Uint8Array[]> {
  const found = new Map<string, Uint8Array>();
  for await (const entry of readTar(await official.find(resource))) {
    const name = entry.name.replace(/^.*\//, '');
    if (names.includes(name)) found.set(name, await entry.bytes());
    if (found.size === names.length) break;
  }
  return names.map((name) => {
    const bytes = found.get(name);
    if (!bytes) throw new LanthornError('file', op, `the archive ${resource.file} has no file ${name}`);
    return bytes;
  });
}

/** The pictures and labels of files, one after the other; the label is the last of a record. */
function join(files: readonly Uint8Array[], labels: 1 | 2): { images: HostArray<Uint8Array>; targets: HostArray<Int32Array> } {
  const parts = files.map((file) => readCifar(file, labels));
  const count = parts.reduce((sum, { images }) => sum + images.shape[0]!, 0);
  const [pixels, targets] = [new Uint8Array(count * 3072), new Int32Array(count)];
  let at = 0;
  for (const part of parts) {
    pixels.set(part.images.data, at * 3072);
    const rows = part.images.shape[0]!;
    for (let row = 0; row < rows; row += 1) targets[at + row] = part.labels.data[row * labels + labels - 1]!;
    at += rows;
  }
  return { images: new HostArray(pixels, [count, 3, 32, 32]), targets: new HostArray(targets) };
}

const isTraining = (op: string, train: boolean | undefined) => train === undefined || checkFlag(op, 'train', train);

const CIFAR10_CLASSES = ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck'];

/**
 * Pictures of ten classes (Krizhevsky): 50,000 of 32×32 for training, 10,000 for tests. A sample is
 * `[picture, label]`: uint8 `[3, 32, 32]` and a number, after the transforms.
 */
export class CIFAR10<T = Picture, L = number> extends VisionDataset<T, L> {
  /**
   * Reads the data set from its archive `cifar-10-binary.tar.gz` in a folder of the storage, or in
   * a folder with the files. With `download: true` a missing archive is downloaded, and stored for
   * the next time; the publisher's server refuses pages of other origins, which need a `mirror`.
   *
   * @throws a `DownloadError` with the reason, or a LanthornError of kind `file`, if a file is
   * missing or damaged.
   *
   * @example
   * const train = await CIFAR10.open('data', { download: true, mirror: '/files' });
   */
  static async open<T = Picture, L = number>(root: Root, options: CifarOptions<T, L> = {}): Promise<CIFAR10<T, L>> {
    const op = 'CIFAR10.open';
    const given = checkOptions<CifarOptions<T, L>>(op, options, OPTIONS);
    const names = isTraining(op, given.train) ? [1, 2, 3, 4, 5].map((batch) => `data_batch_${batch}.bin`) : ['test_batch.bin'];
    const resource = { file: 'cifar-10-binary.tar.gz', mirrors: MIRRORS, md5: 'c32a1d4ab5d03f1284b67883e8d87530' };
    const { images, targets } = join(await unpack(op, new Official(op, root, '', given), resource, names), 1);
    return new CIFAR10<T, L>(op, images, targets, CIFAR10_CLASSES, given);
  }
}

/** Pictures of a hundred classes, in the form of {@link CIFAR10}; labels are the fine classes. */
export class CIFAR100<T = Picture, L = number> extends VisionDataset<T, L> {
  /**
   * Reads the data set as {@link CIFAR10.open} does, from `cifar-100-binary.tar.gz`.
   *
   * @example
   * const test = await CIFAR100.open('data', { train: false, download: true, mirror: '/files' });
   */
  static async open<T = Picture, L = number>(root: Root, options: CifarOptions<T, L> = {}): Promise<CIFAR100<T, L>> {
    const op = 'CIFAR100.open';
    const given = checkOptions<CifarOptions<T, L>>(op, options, OPTIONS);
    const resource = { file: 'cifar-100-binary.tar.gz', mirrors: MIRRORS, md5: '03b5dce01913d631647c71ecec9e9cb8' };
    const names = [isTraining(op, given.train) ? 'train.bin' : 'test.bin', 'fine_label_names.txt'];
    const [records, classes] = await unpack(op, new Official(op, root, '', given), resource, names);
    const { images, targets } = join([records!], 2);
    return new CIFAR100<T, L>(op, images, targets, new TextDecoder().decode(classes).trim().split(/\s+/), given);
  }
}
