/** STL-10, from its publisher's binary form. */
import { checkOptions } from '../core/check.js';
import { LanthornError } from '../core/errors.js';
import { HostArray } from '../data/host-array.js';
import { Official, OFFICIAL_OPTIONS, type OfficialOptions, type Root } from './official.js';
import { readTar } from './tar.js';
import { TRANSFORM_OPTIONS, VisionDataset, type Picture, type TransformOptions } from './vision-dataset.js';

/** Options of {@link STL10.open}. */
export interface Stl10Options<T = Picture, L = number> extends OfficialOptions, TransformOptions<T, L> {
  /** The part (default: `train`). Pictures of `unlabeled` have the label -1. */
  split?: 'train' | 'test' | 'unlabeled';
}

const SIDE = 96;
const PIXELS = 3 * SIDE * SIDE;

/** Pictures as rows: the file has the pixels of each plane column by column. */
function transpose(bytes: Uint8Array): HostArray<Uint8Array> {
  const pixels = new Uint8Array(bytes.length);
  for (let plane = 0; plane < bytes.length; plane += SIDE * SIDE) {
    for (let row = 0; row < SIDE; row += 1) {
      for (let column = 0; column < SIDE; column += 1) pixels[plane + row * SIDE + column] = bytes[plane + column * SIDE + row]!;
    }
  }
  return new HostArray(pixels, [bytes.length / PIXELS, 3, SIDE, SIDE]);
}

/** Pictures of ten classes of 96×96 (Coates, Ng and Lee), for learning with few labels. */
export class STL10<T = Picture, L = number> extends VisionDataset<T, L> {
  /**
   * Reads a part of the data set from its archive `stl10_binary.tar.gz` of 2.6 GB, in a folder of
   * the storage or in a folder with the file.
   *
   * @throws a `DownloadError` with the reason, or a LanthornError of kind `file`, if a file is
   * missing or damaged.
   *
   * @example
   * const test = await STL10.open('data', { split: 'test', download: true });
   */
  static async open<T = Picture, L = number>(root: Root, options: Stl10Options<T, L> = {}): Promise<STL10<T, L>> {
    const op = 'STL10.open';
    const given = checkOptions<Stl10Options<T, L>>(op, options, ['split', ...TRANSFORM_OPTIONS, ...OFFICIAL_OPTIONS]);
    const { split = 'train' } = given;
    if (!['train', 'test', 'unlabeled'].includes(split)) throw new LanthornError('argument', op, `split is train, test or unlabeled, not ${split}`);
    const official = new Official(op, root, '', given);
    const archive = await official.find({ file: 'stl10_binary.tar.gz', mirrors: ['http://ai.stanford.edu/~acoates/stl10/'], md5: '91f7769df0f17e558f3565bffb0c7dfb' });
    const names = [`${split}_X.bin`, ...(split === 'unlabeled' ? [] : [`${split}_y.bin`]), 'class_names.txt'];
    const found = new Map<string, Uint8Array>();
    for await (const entry of readTar(archive)) {
      const name = entry.name.replace(/^.*\//, '');
      if (names.includes(name)) found.set(name, await entry.bytes());
    }
    const [pixels, classes, numbers] = [found.get(names[0]!), found.get('class_names.txt'), found.get(`${split}_y.bin`)];
    if (!pixels || !classes || (split !== 'unlabeled' && !numbers)) throw new LanthornError('file', op, `the archive lacks one of ${names.join(', ')}`);
    if (pixels.length % PIXELS !== 0) throw new LanthornError('file', op, `${pixels.length} bytes are not a whole number of pictures`);
    const images = transpose(pixels);
    // The classes of the file begin with 1.
    const targets = numbers ? Int32Array.from(numbers, (label) => label - 1) : new Int32Array(images.shape[0]!).fill(-1);
    return new STL10<T, L>(op, images, new HostArray(targets), new TextDecoder().decode(classes).trim().split('\n'), given);
  }
}
